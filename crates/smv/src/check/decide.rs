//! Whether a term has a value whatever its variables are.
//!
//! A term without a value makes every term around it have none, except where the other side decides: `TRUE |`, `FALSE &`,
//! `FALSE ->`, and the branch of a `case` that is not taken. That is asked for all values that variables are declared
//! with. The term is evaluated with sets of values; where one of its operations may or may not fail, the values of a
//! variable that the failure depends on are split in two, and both halves are tried. Once all variables are settled the
//! evaluation is exact, so the answer is, too; it is unknown only if the work exceeds a limit that lets every term of some
//! million valuations through.
//!
//! Where that takes long, an operation that may fail is also looked at together with the conditions that it stands under
//! (`guards.rs`).

use super::Var;
use super::guards::Guards;
use super::results::{shifted, strict, whole};
use super::vals::{FEW, Vals};
use crate::term::{Kind, Term, TermNode, VarId, bits_of, narrowed};
use crate::tree::BinaryOp;
use crate::types::{Base, Domain, Ty};
use crate::value::Failing;
use lariat_base::{IdVec, Span, safe_point};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many nodes of terms are evaluated before conditions are looked at,
const SMALL_WORK: u64 = 1_000_000;
/// and then before giving up.
const MAX_WORK: u64 = 100_000_000;
/// Larger terms are evaluated with a memory of their parts, which may be shared.
const LARGE: u64 = 400;

/// Parts of terms that are deeper than this are evaluated before these, so that the evaluation itself is not deep. Conditions
/// around operations are not looked at then.
const DEEP: u32 = 200;

/// Whether a term always has a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Always,
    Fails(Witness),
    Unknown,
}

/// How a term fails to have a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Witness {
    pub(super) failing: Failing,
    pub(super) span: Span,
    /// The variable and the value that does not fit.
    pub(super) misfit: Option<(VarId, i128)>,
    /// Variables, in the next state if the flag is set, and their values.
    pub(super) values: Vec<(VarId, bool, i128)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Var(VarId, bool),
    /// Which process runs.
    Process,
}

/// Values of all variables that are still to be looked at: one by one, or of wide ranges the bounds.
type Domains = (Vec<Vec<i128>>, Vec<Option<(i128, i128)>>);

/// An operation that may have no value.
#[derive(Clone, Debug)]
struct PartialOperation {
    failing: Failing,
    span: Span,
    misfit: Option<(VarId, i128)>,
    /// A variable to split that it depends on; none if it certainly fails.
    split: Option<usize>,
}

/// What a term may be.
#[derive(Clone, Debug)]
pub(super) struct TermValues {
    vals: Vals,
    partial: Option<PartialOperation>,
}

impl TermValues {
    fn plain(vals: Vals) -> Self {
        Self { vals, partial: None }
    }
    /// Whether it certainly has a value, and not this one.
    pub(super) fn is_other_than(&self, value: i128) -> bool {
        self.partial.is_none() && !self.vals.may_be(value)
    }
    /// Whether it certainly has this one value.
    fn is(&self, value: i128) -> bool {
        self.partial.is_none() && self.vals == Vals::point(value)
    }
}

/// Whether the term has a value for all values of its variables, and how often conditions around an operation kept it from failing. `None` if
/// that takes too long. For tests, conditions can be looked at from the beginning.
pub fn always_has_value(
    vars: &IdVec<VarId, Var>,
    processes: usize,
    term: &Term,
    with_guards: bool,
) -> (Option<bool>, u64) {
    let mut decider = Decider::new(vars, processes);
    let answer = if with_guards { decider.begin(term).ask_with_guards(term) } else { decider.ask(term) };
    let always = match answer {
        Answer::Always => Some(true),
        Answer::Fails(_) => Some(false),
        Answer::Unknown => None,
    };
    (always, decider.guards.helped)
}

pub(super) struct Decider<'a> {
    vars: &'a IdVec<VarId, Var>,
    processes: usize,
    keys: HashMap<Key, usize>,
    left: Vec<Vec<i128>>,
    /// Of ranges that are too wide for a list, the bounds.
    wide: Vec<Option<(i128, i128)>>,
    memory: Option<HashMap<*const TermNode, TermValues>>,
    pub(super) guards: Guards,
    work: u64,
}

impl<'a> Decider<'a> {
    pub(super) fn new(vars: &'a IdVec<VarId, Var>, processes: usize) -> Self {
        let (keys, left, wide) = (HashMap::new(), Vec::new(), Vec::new());
        Self { vars, processes, keys, left, wide, memory: None, guards: Guards::default(), work: 0 }
    }

    pub(super) fn ask(&mut self, term: &Term) -> Answer {
        match self.begin(term).split_up_to(SMALL_WORK, term) {
            Answer::Unknown if term.depth <= DEEP => self.begin(term).ask_with_guards(term),
            known => known,
        }
    }

    /// With all values of all variables of the term.
    fn begin(&mut self, term: &Term) -> &mut Self {
        (self.keys, self.left, self.wide, self.work) = (HashMap::new(), Vec::new(), Vec::new(), 0);
        self.collect(term);
        self.memory = (term.size > LARGE || term.depth > DEEP).then(HashMap::new);
        self
    }

    /// The answer with a look at the conditions that operations stand under.
    fn ask_with_guards(&mut self, term: &Term) -> Answer {
        self.guards.are_kept = true;
        self.split_up_to(MAX_WORK, term)
    }

    /// The answer, if it is found with so much work.
    fn split_up_to(&mut self, most: u64, term: &Term) -> Answer {
        let mut waiting: Vec<Domains> = vec![(self.left.clone(), self.wide.clone())];
        let inner = if term.depth > DEEP { inner_parts(term) } else { Vec::new() };
        while let Some((left, wide)) = waiting.pop() {
            (self.left, self.wide) = (left, wide);
            if let Some(memory) = &mut self.memory {
                memory.clear();
            }
            for part in &inner {
                self.eval(part);
            }
            let Some(partial) = self.eval(term).partial else { continue };
            let Some(split) = partial.split else { return Answer::Fails(self.witness(partial)) };
            if self.work > most {
                return Answer::Unknown;
            }
            let (mut left, mut wide) = (self.left.clone(), self.wide.clone());
            match wide[split] {
                Some((low, high)) => {
                    let middle = low + (high - low) / 2;
                    (left[split], wide[split]) = wide_part(middle + 1, high);
                    (self.left[split], self.wide[split]) = wide_part(low, middle);
                }
                None => {
                    let half = left[split].len() / 2;
                    self.left[split].truncate(half);
                    left[split].drain(..half);
                }
            }
            waiting.push((left, wide));
            waiting.push((std::mem::take(&mut self.left), std::mem::take(&mut self.wide)));
        }
        Answer::Always
    }

    fn witness(&self, partial: PartialOperation) -> Witness {
        let mut values: Vec<(VarId, bool, i128)> = Vec::new();
        for (key, &number) in &self.keys {
            if let Key::Var(var, next) = *key
                && self.is_settled(number)
            {
                values.push((var, next, self.left[number][0]));
            }
        }
        values.sort_unstable_by_key(|&(var, next, _)| (var, next));
        values.truncate(8);
        Witness { failing: partial.failing, span: partial.span, misfit: partial.misfit, values }
    }

    /// The variables of the term with all their values.
    fn collect(&mut self, term: &Term) {
        let mut seen: HashSet<*const TermNode> = HashSet::new();
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            let (key, left) = match term.kind {
                Kind::Var(var, next) => (Key::Var(var, next), values_of(&self.vars[var].domain)),
                Kind::Running(_) => (Key::Process, wide_part(0, self.processes as i128 - 1)),
                _ => {
                    if seen.insert(Arc::as_ptr(term)) {
                        waiting.extend(term.parts());
                    }
                    continue;
                }
            };
            if !self.keys.contains_key(&key) {
                self.keys.insert(key, self.left.len());
                self.left.push(left.0);
                self.wide.push(left.1);
            }
        }
    }

    fn is_settled(&self, number: usize) -> bool {
        self.wide[number].is_none() && self.left[number].len() == 1
    }

    /// A variable of the term that is not settled.
    fn open(&self, term: &Term) -> Option<usize> {
        let mut seen: HashSet<*const TermNode> = HashSet::new();
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            let key = match term.kind {
                Kind::Var(var, next) => Key::Var(var, next),
                Kind::Running(_) => Key::Process,
                _ => {
                    if term.size <= 32 || seen.insert(Arc::as_ptr(term)) {
                        waiting.extend(term.parts());
                    }
                    continue;
                }
            };
            let number = self.keys[&key];
            if !self.is_settled(number) {
                return Some(number);
            }
        }
        None
    }

    fn vals(&self, key: Key) -> Vals {
        let number = self.keys[&key];
        match self.wide[number] {
            Some((low, high)) => Vals::Span(low, high),
            None => Vals::of(self.left[number].clone()),
        }
    }

    pub(super) fn eval(&mut self, term: &Term) -> TermValues {
        self.work += 1;
        safe_point();
        if let Some(vals) = self.guards.assumed(term) {
            return TermValues::plain(vals.clone());
        }
        let worth = term.size > 3 && !self.guards.are_assuming();
        if worth && let Some(seen) = self.memory.as_ref().and_then(|memory| memory.get(&Arc::as_ptr(term))) {
            return seen.clone();
        }
        let outer = self.guards.enter();
        let seen = self.eval_anew(term);
        let holds_anywhere = self.guards.leave(outer);
        if worth
            && holds_anywhere
            && let Some(memory) = &mut self.memory
        {
            memory.insert(Arc::as_ptr(term), seen.clone());
        }
        seen
    }

    fn eval_anew(&mut self, term: &Term) -> TermValues {
        let base = term.ty.base;
        match &term.kind {
            Kind::Const(value) => TermValues::plain(Vals::point(*value)),
            Kind::Var(var, next) => TermValues::plain(self.vals(Key::Var(*var, *next))),
            Kind::Running(process) => {
                let vals = self.vals(Key::Process);
                let may = vals.may_be(i128::from(process.0));
                let may_not = vals != Vals::point(i128::from(process.0));
                TermValues::plain(Vals::truth(may, may_not))
            }
            Kind::Range(low, high) => TermValues::plain(Vals::between(*low, *high)),
            Kind::Not(part) if base == Base::Bool => self.mapped(part, base, |value| 1 - value),
            Kind::Not(part) => self.moved(part, base, |value| base.wrap(!value)),
            Kind::Minus(part) => self.moved(part, base, |value| base.wrap(-value)),
            Kind::Bits(part, high, low) => {
                let seen = self.mapped(part, base, |value| bits_of(value, *high, *low));
                self.or_span(part, seen, |least, most| {
                    let same_above = least >> (high + 1) == most >> (high + 1);
                    same_above.then(|| (bits_of(least, *high, *low), bits_of(most, *high, *low)))
                })
            }
            Kind::Convert(part) => self.moved(part, base, |value| base.wrap(value)),
            Kind::Narrow(part) => self.mapped(part, base, |value| narrowed(value, base)),
            Kind::Truth(part) => {
                let seen = self.eval(part);
                let not_zero = seen.vals.bounds().is_some_and(|bounds| bounds != (0, 0));
                TermValues { vals: Vals::truth(not_zero, seen.vals.may_be(0)), partial: seen.partial }
            }
            Kind::Abs(part) => self.mapped(part, base, |value| base.wrap(value.abs())),
            Kind::Count(parts) => {
                let (mut low, mut high, mut partial) = (0, 0, None);
                for part in parts {
                    let seen = self.eval(part);
                    low += i128::from(!seen.vals.may_be(0));
                    high += i128::from(seen.vals.may_be(1));
                    partial = partial.or(seen.partial);
                }
                TermValues { vals: Vals::between(low, high), partial }
            }
            Kind::Set(parts) => {
                let (mut vals, mut partial) = (Vals::NONE, None);
                for part in parts {
                    let seen = self.eval(part);
                    vals = vals.union(seen.vals);
                    partial = partial.or(seen.partial);
                }
                TermValues { vals, partial }
            }
            Kind::In(left, right) => {
                let (left, right) = (self.eval(left), self.eval(right));
                let partial = left.partial.or(right.partial);
                let vals = match (&left.vals, &right.vals) {
                    (Vals::Few(some), Vals::Few(all)) if some.iter().all(|value| all.contains(value)) => {
                        // The right side has these values at most; whether it has all is known once all is settled.
                        Vals::truth(true, !self.is_settled_term(term))
                    }
                    (Vals::Few(some), all) if !some.iter().any(|value| all.may_be(*value)) => Vals::point(0),
                    (Vals::Few(_), Vals::Few(_)) if self.is_settled_term(term) => Vals::point(0),
                    _ => Vals::truth(true, true),
                };
                TermValues { vals, partial }
            }
            Kind::Fits(part, var, domain) => self.fits(part, *var, domain),
            Kind::Ite(condition, yes, no) => {
                let seen = self.eval(condition);
                let (mut vals, mut partial) = (Vals::NONE, seen.partial.clone());
                for (value, branch) in [(1, yes), (0, no)] {
                    if seen.vals.may_be(value) {
                        let chosen = self.eval_under(branch, &[(condition, value == 1)]);
                        vals = vals.union(chosen.vals);
                        partial = partial.or_else(|| self.widened(chosen.partial, [condition]));
                    }
                }
                TermValues { vals, partial }
            }
            Kind::Case(branches) => self.case(branches, term.span),
            Kind::Select(index, low, items) => self.select(index, *low, items),
            Kind::Binary(op, left, right) => self.binary(*op, left, right, base, term.span),
        }
    }

    /// The same where it stands under these conditions.
    fn eval_under(&mut self, term: &Term, conditions: &[(&Term, bool)]) -> TermValues {
        let outside = self.guards.len();
        for (condition, value) in conditions.iter().filter(|_| term.partial) {
            self.guards.push(condition, *value);
        }
        let seen = self.eval(term);
        self.guards.cut(outside);
        seen
    }

    fn is_settled_term(&self, term: &Term) -> bool {
        self.open(term).is_none()
    }

    /// The partial operation, which also depends on these conditions.
    fn widened<'c>(
        &self,
        partial: Option<PartialOperation>,
        conditions: impl IntoIterator<Item = &'c Term>,
    ) -> Option<PartialOperation> {
        let mut partial = partial?;
        if partial.split.is_none() {
            partial.split = conditions.into_iter().find_map(|condition| self.open(condition));
        }
        Some(partial)
    }

    fn case(&mut self, branches: &[(Term, Term)], span: Span) -> TermValues {
        let (mut vals, mut partial) = (Vals::NONE, None);
        let outside = self.guards.len();
        for (number, (when, then)) in branches.iter().enumerate() {
            let seen = self.eval(when);
            let before = || branches[..number].iter().map(|(when, _)| when);
            partial = partial.or_else(|| self.widened(seen.partial.clone(), before()));
            if seen.vals.may_be(1) {
                let chosen = self.eval_under(then, &[(when, true)]);
                vals = vals.union(chosen.vals);
                partial = partial.or_else(|| self.widened(chosen.partial, before().chain([when])));
            }
            if seen.is(1) {
                self.guards.cut(outside);
                return TermValues { vals, partial };
            }
            self.guards.push(when, false);
        }
        self.guards.cut(outside);
        let split = branches.iter().find_map(|(when, _)| self.open(when));
        let nothing = PartialOperation { failing: Failing::Case, span, misfit: None, split };
        TermValues { vals, partial: partial.or(Some(nothing)) }
    }

    fn select(&mut self, index: &Term, low: i128, items: &[Term]) -> TermValues {
        let seen = self.eval(index);
        let (mut vals, mut partial) = (Vals::NONE, seen.partial);
        for (number, item) in (low..).zip(items) {
            if seen.vals.may_be(number) {
                let chosen = self.eval(item);
                vals = vals.union(chosen.vals);
                partial = partial.or_else(|| self.widened(chosen.partial, [index]));
            }
        }
        let outside = seen.vals.bounds().is_some_and(|(least, most)| least < low || most >= low + items.len() as i128);
        if outside && partial.is_none() && !self.is_kept_within(index, low, low + items.len() as i128 - 1) {
            let split = self.open(index);
            partial = Some(PartialOperation { failing: Failing::Index, span: index.span, misfit: None, split });
        }
        TermValues { vals, partial }
    }

    fn fits(&mut self, part: &Term, var: VarId, domain: &Domain) -> TermValues {
        let seen = self.eval(part);
        let misfit = match &seen.vals {
            Vals::Few(values) => values.iter().copied().find(|value| !domain.contains(*value)),
            Vals::Span(low, high) => {
                let (least, most) = domain.bounds();
                let gaps = matches!(domain, Domain::List(_)).then_some(*low);
                if *low < least {
                    Some(*low)
                } else if *high > most {
                    Some(*high)
                } else {
                    gaps
                }
            }
        };
        let (least, most) = domain.bounds();
        let partial = match (seen.partial, misfit) {
            (None, Some(value)) => {
                let fits = !matches!(domain, Domain::List(_)) && self.is_kept_within(part, least, most);
                let (failing, span, misfit) = (Failing::Range, part.span, Some((var, value)));
                (!fits).then(|| PartialOperation { failing, span, misfit, split: self.open(part) })
            }
            (partial, _) => partial,
        };
        TermValues { vals: seen.vals, partial }
    }

    fn mapped(&mut self, part: &Term, base: Base, change: impl Fn(i128) -> i128) -> TermValues {
        let seen = self.eval(part);
        let vals = match &seen.vals {
            Vals::Few(values) => Vals::of(values.iter().map(|value| change(*value)).collect()),
            Vals::Span(..) => whole(base),
        };
        TermValues { vals, partial: seen.partial }
    }

    /// The same where the change adds a constant, perhaps to the negated value, up to a multiple of the number of values.
    fn moved(&mut self, part: &Term, base: Base, change: impl Fn(i128) -> i128) -> TermValues {
        let seen = self.mapped(part, base, &change);
        self.or_span(part, seen, |least, most| shifted(change(least), change(most), most - least))
    }

    /// What was seen; or if the part has values of a span, what `span` makes of that.
    fn or_span(
        &mut self,
        part: &Term,
        seen: TermValues,
        span: impl FnOnce(i128, i128) -> Option<(i128, i128)>,
    ) -> TermValues {
        let Vals::Span(least, most) = self.eval(part).vals else { return seen };
        match span(least, most) {
            Some((low, high)) => TermValues { vals: Vals::between(low, high), ..seen },
            None => seen,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Term, right: &Term, base: Base, span: Span) -> TermValues {
        if left.ty == Ty::BOOL && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies) {
            return self.logical(op, left, right);
        }
        let (a, b) = (self.eval(left), self.eval(right));
        let (vals, failing) = strict(op, left.ty.base, base, right.ty.base, &a.vals, &b.vals);
        let mut partial = a.partial.or(b.partial);
        if partial.is_none()
            && let Some(failing) = failing
            && !self.is_guarded(failing, right, base)
        {
            let split = self.open(right).or_else(|| self.open(left));
            partial = Some(PartialOperation { failing, span, misfit: None, split });
        }
        TermValues { vals, partial }
    }

    /// Whether an operation stands under conditions that keep its second operand from making it fail.
    fn is_guarded(&mut self, failing: Failing, right: &Term, base: Base) -> bool {
        match failing {
            Failing::Division => self.is_excluded(right, Vals::point(0)),
            Failing::Shift => {
                let Base::Word { width, .. } = base else { return false };
                self.is_kept_within(right, 0, i128::from(width))
            }
            Failing::Case | Failing::Index | Failing::Range => false,
        }
    }

    /// Operators that one side may decide, whatever the other is.
    fn logical(&mut self, op: BinaryOp, left: &Term, right: &Term) -> TermValues {
        // The values that decide on the left and on the right, and what the result then is.
        let (on_left, on_right, decided) = match op {
            BinaryOp::And => (0, 0, 0),
            BinaryOp::Or => (1, 1, 1),
            _ => (0, 1, 1),
        };
        // A side matters only where the other one does not decide.
        let a = self.eval_under(left, &[(right, on_right == 0)]);
        let b = self.eval_under(right, &[(left, on_left == 0)]);
        let may_decide = a.vals.may_be(on_left) || b.vals.may_be(on_right);
        let may_not = a.vals.may_be(1 - on_left) && b.vals.may_be(1 - on_right);
        let vals = match decided {
            0 => Vals::truth(may_not, may_decide),
            _ => Vals::truth(may_decide, may_not),
        };
        let swallowed_left = b.is(on_right);
        let swallowed_right = a.is(on_left);
        let partial = match (a.partial, b.partial) {
            (Some(partial), _) if !swallowed_left => self.widened(Some(partial), [right]),
            (_, Some(partial)) if !swallowed_right => self.widened(Some(partial), [left]),
            _ => None,
        };
        TermValues { vals, partial }
    }
}

/// The parts of a deep term, those inside of others before them.
fn inner_parts(term: &Term) -> Vec<&Term> {
    let (mut seen, mut waiting, mut parts) = (HashSet::new(), vec![term], Vec::new());
    while let Some(next) = waiting.pop() {
        if next.size > 3 && seen.insert(Arc::as_ptr(next)) {
            parts.push(next);
            waiting.extend(next.parts());
        }
    }
    parts.sort_by_key(|part| part.depth);
    parts
}

fn values_of(domain: &Domain) -> (Vec<i128>, Option<(i128, i128)>) {
    match domain {
        Domain::List(values) => (values.to_vec(), None),
        _ => {
            let (low, high) = domain.bounds();
            wide_part(low, high)
        }
    }
}

fn wide_part(low: i128, high: i128) -> (Vec<i128>, Option<(i128, i128)>) {
    if high - low < FEW as i128 { ((low..=high).collect(), None) } else { (Vec::new(), Some((low, high))) }
}
