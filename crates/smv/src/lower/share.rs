//! Large terms that use parts of each other many times: such a part is computed once.
//!
//! Terms share their parts, but expressions of a system are trees: a chain of definitions each of which uses the one before twice
//! (carries of an adder, comparisons bit by bit) would double with every link. So where some term is large as a tree, or deep, parts
//! that are used often get a name. A part that speaks of one state becomes a hidden variable of the state which always has that value,
//! as if `x := …` had been written: all that speaks of the state now or of the next one can read it. A part that speaks of inputs, or
//! of both states, becomes a choice of the step that a conjunct binds (`step.rs`). What is reachable stays what it was, since the
//! new variables follow from the others.

use super::extent::{bounds, has_symbol, listed};
use super::sets::Sets;
use crate::check::{Condition, Flat, Var};
use crate::term::{Kind, Term, TermNode, VarId, term};
use crate::tree::VarKind;
use crate::types::{Base, Domain};
use lariat_base::{IdVec, safe_point};
use lariat_system::Interval;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// When parts get names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    /// Models whose terms all have no more nodes as trees,
    large: u64,
    /// and are not deeper than this, are left as they are.
    deep: u32,
    /// A part gets a name if that saves more nodes,
    saving: u64,
    /// or if it is deeper, with the parts that have names taken as leaves.
    depth: u32,
    /// Sets that are larger are written as lists of their elements.
    set: u64,
}

impl Thresholds {
    pub(crate) const USUAL: Self = Self { large: 10_000, deep: 200, saving: 64, depth: 60, set: 1000 };
    /// Whatever is used twice gets a name.
    pub(crate) const LEAST: Self = Self { large: 0, deep: 0, saving: 0, depth: 3, set: 0 };
}

/// Parts that may be symbols and have more values get no name.
const MOST_LISTED: usize = 1000;

/// A model whose parts that are used often have names.
pub(super) struct Shared {
    pub(super) flat: Flat,
    pub(super) observed: Vec<Condition>,
    /// The variables that stand for parts.
    pub(super) hidden: BTreeSet<VarId>,
    /// The parts of steps that are computed once; what others are made of comes before them.
    pub(super) step_parts: Vec<StepPart>,
    /// By part of steps that may be a symbol, its values.
    lists: HashMap<*const TermNode, Arc<[i128]>>,
}

/// A part of steps that is computed once.
pub(super) struct StepPart {
    pub(super) term: Term,
    /// Its values, if symbols are among them.
    pub(super) list: Option<Arc<[i128]>>,
}

impl Shared {
    /// The model with names for its parts; `None` if it needs none.
    pub(super) fn of(flat: &Flat, observed: &[Condition], when: Thresholds) -> Option<Self> {
        let (mut flat, mut observed) = (flat.clone(), observed.to_vec());
        let mut is_needed = false;
        for_all_terms(&mut flat, &mut observed, &mut |term| {
            is_needed |= term.size > when.large || term.depth > when.deep;
            Arc::clone(term)
        });
        if !is_needed {
            return None;
        }
        let mut sets = Sets::new(when.set);
        for_all_terms(&mut flat, &mut observed, &mut |term| sets.listed(term).unwrap_or_else(|| Arc::clone(term)));
        let mut parts = Parts::default();
        for_all_terms(&mut flat, &mut observed, &mut |term| {
            let id = parts.add(term);
            parts.nodes[id].uses += 1;
            Arc::clone(term)
        });
        let vars = std::mem::take(&mut flat.vars);
        let lists = parts.lists(&vars);
        let named = parts.named(when, &lists);
        let mut names = Names { parts: &parts, named, lists, vars, known: Vec::new(), made: Vec::new() };
        names.make_all();
        let Names { known, made, vars, .. } = names;
        flat.vars = vars;
        for_all_terms(&mut flat, &mut observed, &mut |term| Arc::clone(&known[parts.ids[&Arc::as_ptr(term)]]));
        let (mut hidden, mut step_parts) = (BTreeSet::new(), Vec::new());
        for part in made {
            match part {
                Part::Variable(var, value) => {
                    hidden.insert(var);
                    flat.always.insert(var, value);
                }
                Part::OfSteps(part) => step_parts.push(part),
            }
        }
        let listed = step_parts.iter().filter_map(|part| Some((Arc::as_ptr(&part.term), part.list.clone()?)));
        let lists = listed.collect();
        Some(Self { flat, observed, hidden, step_parts, lists })
    }

    /// The values of a part of steps that may be a symbol.
    pub(super) fn list(&self, part: &Term) -> Option<&Arc<[i128]>> {
        self.lists.get(&Arc::as_ptr(part))
    }
}

/// Puts another term in the place of each.
fn for_all_terms(flat: &mut Flat, observed: &mut [Condition], change: &mut dyn FnMut(&Term) -> Term) {
    let assigned = flat.always.values_mut().chain(flat.init.values_mut());
    let assigned = assigned.chain(flat.next.values_mut().flat_map(|by| by.values_mut()));
    let constraints = flat.inits.iter_mut().chain(&mut flat.invars).chain(&mut flat.transes);
    let pairs = flat.compassion.iter_mut().flat_map(|(asked, given)| [asked, given]);
    let conditions = flat.justice.iter_mut().chain(pairs).chain(observed).map(|condition| &mut condition.term);
    assigned.chain(constraints).chain(conditions).for_each(|term| *term = change(term));
}

/// Of which states a part speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// Of none.
    Never,
    Now,
    Next,
    /// Of a step: of both, or of inputs or who runs.
    Step,
}

/// Parts that say the same are one node.
#[derive(Default)]
pub(super) struct Parts {
    /// By what it is and what it is made of; those are in the order of the nodes.
    known: HashMap<(String, Vec<usize>), usize>,
    /// By the term.
    ids: HashMap<*const TermNode, usize>,
    nodes: Vec<Node>,
    /// Keeps terms alive whose addresses are in `ids`.
    terms: Vec<Term>,
}

struct Node {
    term: Term,
    parts: Vec<usize>,
    moment: Moment,
    /// The same part about the state now; itself, unless it is about the next state.
    now: usize,
    /// How often others are made of it.
    uses: u64,
}

impl Parts {
    /// The node of a term; its parts come before it.
    pub(super) fn add(&mut self, root: &Term) -> usize {
        // A stack of our own: terms may be deep.
        let mut waiting: Vec<(Term, bool)> = vec![(Arc::clone(root), false)];
        while let Some((term, is_open)) = waiting.pop() {
            safe_point();
            if self.ids.contains_key(&Arc::as_ptr(&term)) {
                continue;
            }
            if !is_open {
                waiting.push((Arc::clone(&term), true));
                waiting.extend(term.parts().into_iter().map(|part| (Arc::clone(part), false)));
                continue;
            }
            let parts = term.parts().iter().map(|part| self.ids[&Arc::as_ptr(part)]).collect();
            let id = self.node(&term, parts);
            self.ids.insert(Arc::as_ptr(&term), id);
            self.terms.push(term);
        }
        self.ids[&Arc::as_ptr(root)]
    }

    fn node(&mut self, term: &Term, parts: Vec<usize>) -> usize {
        let key = (text_of(term), parts.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let own = match term.kind {
            Kind::Var(_, true) => Moment::Next,
            Kind::Var(_, false) if !term.reach.input => Moment::Now,
            Kind::Var(..) | Kind::Running(_) => Moment::Step,
            _ => Moment::Never,
        };
        let moment = parts.iter().map(|part| self.nodes[*part].moment).fold(own, |one, other| match (one, other) {
            (Moment::Never, moment) | (moment, Moment::Never) => moment,
            (one, other) if one == other => one,
            _ => Moment::Step,
        });
        let now = (moment == Moment::Next).then(|| {
            let parts: Vec<usize> = parts.iter().map(|part| self.nodes[*part].now).collect();
            let kind = match term.kind {
                Kind::Var(var, _) => Kind::Var(var, false),
                _ => with_parts(&term.kind, parts.iter().map(|part| self.nodes[*part].term.clone()).collect()),
            };
            let term = crate::term::term(kind, term.ty, term.span);
            self.node(&term, parts)
        });
        for part in &parts {
            self.nodes[*part].uses += 1;
        }
        let id = self.nodes.len();
        let now = now.unwrap_or(id);
        self.nodes.push(Node { term: Arc::clone(term), parts, moment, now, uses: 0 });
        self.known.insert(key, id);
        id
    }

    /// For each node that is a number or a symbol its values, if they are listed.
    fn lists(&self, vars: &IdVec<VarId, Var>) -> Vec<Option<BTreeSet<i128>>> {
        let mut lists: Vec<Option<BTreeSet<i128>>> = Vec::new();
        for node in &self.nodes {
            let of_parts: Vec<_> = node.parts.iter().map(|part| lists[*part].as_ref()).collect();
            let is_number_or_symbol = matches!(node.term.ty.base, Base::Int | Base::Symbol | Base::Mixed);
            let list = listed(&node.term.kind, true, vars, &of_parts).filter(|_| is_number_or_symbol);
            lists.push(list.filter(|list| list.len() <= MOST_LISTED));
        }
        lists
    }

    /// Whether each node gets a name; one for a part of the next state is that of the same part now.
    fn named(&self, when: Thresholds, lists: &[Option<BTreeSet<i128>>]) -> Vec<bool> {
        let mut uses = vec![0_u64; self.nodes.len()];
        for node in &self.nodes {
            uses[node.now] += node.uses;
        }
        let (mut sizes, mut depths) = (vec![1_u64; self.nodes.len()], vec![1_u32; self.nodes.len()]);
        let mut named = vec![false; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            for &part in &node.parts {
                if !named[self.nodes[part].now] {
                    sizes[id] = sizes[id].saturating_add(sizes[part]);
                    depths[id] = depths[id].max(depths[part] + 1);
                }
            }
            let has_type = !node.term.ty.base.has_symbols() || lists[id].as_ref().is_some_and(has_symbol);
            let is_single = !node.term.ty.set && has_type;
            let is_free = node.moment != Moment::Never && !(node.moment == Moment::Step && node.term.ty.base.is_wide());
            let saves = (sizes[id] - 1).saturating_mul(uses[node.now].saturating_sub(1)) > when.saving;
            if node.now == id && !node.parts.is_empty() && is_single && is_free {
                named[id] = saves || depths[id] > when.depth;
            }
        }
        named
    }
}

/// What a node is, without its parts.
fn text_of(term: &Term) -> String {
    let own = match &term.kind {
        Kind::Const(value) => format!("= {value}"),
        Kind::Var(var, next) => format!("var {var:?} {next}"),
        Kind::Running(process) => format!("running {process:?}"),
        Kind::Range(low, high) => format!("{low}..{high}"),
        Kind::Binary(op, ..) => format!("{op:?}"),
        Kind::Select(_, low, items) => format!("select {low} {}", items.len()),
        Kind::Bits(_, high, low) => format!("bits {high} {low}"),
        Kind::Fits(_, var, domain) => format!("fits {var:?} {domain:?}"),
        Kind::Not(_) => "not".to_owned(),
        Kind::Minus(_) => "minus".to_owned(),
        Kind::Ite(..) => "ite".to_owned(),
        Kind::Case(_) => "case".to_owned(),
        Kind::Convert(_) => "convert".to_owned(),
        Kind::Narrow(_) => "narrow".to_owned(),
        Kind::Truth(_) => "truth".to_owned(),
        Kind::Abs(_) => "abs".to_owned(),
        Kind::Count(_) => "count".to_owned(),
        Kind::Set(_) => "set".to_owned(),
        Kind::In(..) => "in".to_owned(),
    };
    format!("{own} {:?} {:?}", term.ty, term.reach.input)
}

/// The same kind with other parts, in the order of [`TermNode::parts`].
pub(super) fn with_parts(kind: &Kind, parts: Vec<Term>) -> Kind {
    let mut parts = parts.into_iter();
    let mut next = || parts.next().expect("it has as many parts as before");
    match kind {
        Kind::Const(_) | Kind::Var(..) | Kind::Running(_) | Kind::Range(..) => kind.clone(),
        Kind::Not(_) => Kind::Not(next()),
        Kind::Minus(_) => Kind::Minus(next()),
        Kind::Bits(_, high, low) => Kind::Bits(next(), *high, *low),
        Kind::Convert(_) => Kind::Convert(next()),
        Kind::Narrow(_) => Kind::Narrow(next()),
        Kind::Truth(_) => Kind::Truth(next()),
        Kind::Abs(_) => Kind::Abs(next()),
        Kind::Fits(_, var, domain) => Kind::Fits(next(), *var, Arc::clone(domain)),
        Kind::Binary(op, ..) => Kind::Binary(*op, next(), next()),
        Kind::In(..) => Kind::In(next(), next()),
        Kind::Ite(..) => Kind::Ite(next(), next(), next()),
        Kind::Case(branches) => Kind::Case(branches.iter().map(|_| (next(), next())).collect()),
        Kind::Select(_, low, items) => Kind::Select(next(), *low, items.iter().map(|_| next()).collect()),
        Kind::Count(items) => Kind::Count(items.iter().map(|_| next()).collect()),
        Kind::Set(items) => Kind::Set(items.iter().map(|_| next()).collect()),
    }
}

/// Gives parts their names.
struct Names<'p> {
    parts: &'p Parts,
    named: Vec<bool>,
    vars: IdVec<VarId, Var>,
    /// By node, what is written for it.
    known: Vec<Term>,
    /// By node, the values of a number or a symbol, if they are listed.
    lists: Vec<Option<BTreeSet<i128>>>,
    /// What has a name.
    made: Vec<Part>,
}

/// A part with a name.
enum Part {
    /// The variable, and its value.
    Variable(VarId, Term),
    OfSteps(StepPart),
}

impl Names<'_> {
    fn make_all(&mut self) {
        let mut variables: HashMap<usize, VarId> = HashMap::new();
        for (id, node) in self.parts.nodes.iter().enumerate() {
            safe_point();
            let is_named = self.named[node.now];
            let variable = |var: VarId, next: bool| term(Kind::Var(var, next), node.term.ty, node.term.span);
            // The same part about the state now comes before it.
            if is_named && node.now != id {
                self.known.push(variable(variables[&node.now], true));
                continue;
            }
            let written = match node.parts.is_empty() {
                true => Arc::clone(&node.term),
                false => {
                    let parts = node.parts.iter().map(|part| Arc::clone(&self.known[*part])).collect();
                    term(with_parts(&node.term.kind, parts), node.term.ty, node.term.span)
                }
            };
            if !is_named {
                self.known.push(written);
                continue;
            }
            if node.moment == Moment::Step {
                let is_symbol = written.ty.base.has_symbols();
                let list = self.lists[id].as_ref().filter(|_| is_symbol).map(|list| list.iter().copied().collect());
                self.made.push(Part::OfSteps(StepPart { term: Arc::clone(&written), list }));
                self.known.push(written);
                continue;
            }
            let var = self.vars.push(Var {
                // No name of the language has a bracket in this place.
                name: format!("(part {})", variables.len() + 1),
                domain: Arc::new(self.domain(id, &written)),
                kind: VarKind::State,
                span: written.span,
            });
            variables.insert(id, var);
            self.known.push(variable(var, false));
            self.made.push(Part::Variable(var, written));
        }
    }

    /// The values that the part of this node may have.
    fn domain(&self, id: usize, part: &Term) -> Domain {
        match part.ty.base {
            Base::Bool => Domain::Bool,
            Base::Word { signed, width } => Domain::Word { signed, width },
            Base::Symbol | Base::Mixed => {
                let list =
                    self.lists[id].as_ref().expect("parts that may be symbols have a name if their values are listed");
                Domain::List(list.iter().copied().collect())
            }
            Base::Int => {
                let least_and_most = Base::Int.bounds();
                let (low, high) =
                    bounds(part, &self.vars).map_or(least_and_most, |Interval { lo, hi }| (lo.into(), hi.into()));
                Domain::Range(low, high)
            }
        }
    }
}
