//! From a flat model to a [`System`]: one action, or one for each process.
//!
//! Every variable of the state is a slot. An assignment is an update: what it says of the next values of other variables
//! is written in (`step.rs`). What is left open (a set, a variable without assignment, an input) is a choice. An equation
//! in `INIT`, `TRANS` or `INVAR` is as good as an assignment (`equation.rs`); all other constraints are conjuncts of the
//! guard, over the choices. A value that others depend on and that is no trifle is a choice, too, which a conjunct binds
//! to its value: engines need not try its values, and it is computed once.
//!
//! Symbols have no numbers of their own in a system: a slot of an enumeration with symbols holds the position of its value
//! in the list of the declaration (`symbols.rs`).

mod arithmetic;
mod arrange;
mod begin;
mod choose;
mod equation;
mod expr;
mod extent;
mod observe;
mod sets;
mod share;
mod step;
mod symbols;
mod wide;
mod words;

use crate::check::{Condition, Flat, Var};
use crate::term::{Term, TermNode, VarId};
use crate::tree::VarKind;
use crate::types::{Base, Domain, SYMBOLS};
use crate::value::plain_value_text;
use arithmetic::Low;
use equation::Rules;
use lariat_base::Diagnostic;
use lariat_system::{
    BinaryOp, Choice, ChoiceId, DeadEnds, EnumId, EnumType, Expr, Half, Interval, Place, Slot, SlotId, System, Type,
    Variant,
};
use share::Shared;
pub(crate) use share::Thresholds;
use std::collections::{BTreeMap, HashMap};
use wide::{Given, Halves, Sizes};

/// Larger conditions and values, with all definitions written out, are refused.
const MAX_TERM: u64 = 1 << 20;

/// The system of a model, with a label for each of `observed`, in order and before any others.
pub(crate) fn lower(
    name: &str,
    flat: &Flat,
    observed: &[Condition],
    when: Thresholds,
) -> Result<System, Vec<Diagnostic>> {
    let shared = Shared::of(flat, observed, when);
    let (flat, observed) = shared.as_ref().map_or((flat, observed), |shared| (&shared.flat, &shared.observed[..]));
    ensure_small(flat, observed, shared.as_ref())?;
    let mut lowering = Lowering {
        flat,
        shared: shared.as_ref(),
        system: System::empty(name),
        slots: BTreeMap::new(),
        types: HashMap::new(),
        rules: Rules::new(flat),
    };
    lowering.system.dead_ends = DeadEnds::Cut;
    lowering.system.proper_end = Expr::FALSE;
    lowering.declare();
    lowering.begin();
    let labels = lowering.add_labels(observed);
    lowering.add_invariants();
    lowering.add_steps(&labels);
    Ok(lowering.system)
}

fn ensure_small(flat: &Flat, observed: &[Condition], shared: Option<&Shared>) -> Result<(), Vec<Diagnostic>> {
    let assigned = flat.always.values().chain(flat.init.values()).chain(flat.next.values().flat_map(BTreeMap::values));
    let constraints = flat.inits.iter().chain(&flat.invars).chain(&flat.transes);
    let fairness = flat.justice.iter().map(|condition| &condition.term);
    let pairs = flat.compassion.iter().flat_map(|(asked, given)| [&asked.term, &given.term]);
    let observed = observed.iter().map(|condition| &condition.term);
    let all = assigned.chain(constraints).chain(fairness).chain(pairs).chain(observed);
    let mut sizes = Sizes::default();
    // What has a name is written once.
    let parts = shared.map_or(&[][..], |shared| &shared.step_parts);
    let is_large_part = parts.iter().any(|part| sizes.of_named(&part.term) > MAX_TERM);
    let large: Vec<Diagnostic> = all
        .filter(|term| is_large_part || sizes.of(term) > MAX_TERM)
        .map(|term| {
            let message = "with all definitions written out this is too large";
            let help = "make a variable of a definition that is used often: `x := …`";
            Diagnostic::error(term.span, "V0701", message).help(help)
        })
        .collect();
    if large.is_empty() { Ok(()) } else { Err(large) }
}

/// The values of a domain, each as it is.
fn plain_range(domain: &Domain) -> Interval {
    let (lo, hi) = domain.bounds();
    Interval { lo: plain(lo), hi: plain(hi) }
}

struct Lowering<'a> {
    flat: &'a Flat,
    /// The parts that have names of their own, if there are any.
    shared: Option<&'a Shared>,
    system: System,
    slots: BTreeMap<VarId, SlotId>,
    types: HashMap<Domain, Type>,
    rules: Rules,
}

/// What variables are where an expression is evaluated.
#[derive(Clone, Copy)]
struct Cx<'c> {
    /// Their values now, unless they are read from their slots.
    now: Option<&'c BTreeMap<VarId, Given>>,
    /// Their values in the next state.
    next: Option<&'c BTreeMap<VarId, Given>>,
    /// The values of inputs.
    inputs: Option<&'c BTreeMap<VarId, Given>>,
    /// The process that runs.
    process: Option<crate::term::ProcessId>,
    /// The parts of the step that are computed already.
    parts: Option<&'c StepParts>,
}

/// Parts of a step, each with the choice that is bound to it.
type StepParts = HashMap<*const TermNode, Low>;

impl<'c> Cx<'c> {
    /// In a state.
    const STATE: Cx<'static> = Cx { now: None, next: None, inputs: None, process: None, parts: None };

    /// The values of variables of this kind, unless they are read from their slots.
    fn given(self, kind: VarKind, next: bool) -> Option<&'c BTreeMap<VarId, Given>> {
        match (kind, next) {
            (VarKind::Input, _) => self.inputs,
            (_, true) => self.next,
            (_, false) => self.now,
        }
    }
}

/// A value that systems compute with: every one but that of a wide word.
fn plain(value: i128) -> i64 {
    i64::try_from(value).expect("wide words are taken by halves")
}

/// Choices and the conjuncts that bind them.
#[derive(Default)]
struct Open {
    choices: lariat_base::IdVec<ChoiceId, Choice>,
    guard: Vec<Expr>,
}

impl Open {
    /// A new choice, and the expression that reads it.
    fn choose(&mut self, name: String, ty: Type, range: Interval) -> Low {
        let id = self.choices.push(Choice { name, ty });
        Low { expr: Expr::Choice(id), range }
    }
    /// A further conjunct; those that always hold are left out.
    fn demand(&mut self, conjunct: Expr) {
        // Each half of a wide word can be bound by its own.
        if let Expr::Binary(BinaryOp::And, left, right) = conjunct {
            self.demand(*left);
            return self.demand(*right);
        }
        if conjunct.as_const().is_none_or(|value| value == 0) {
            self.guard.push(conjunct);
        }
    }
}

impl Lowering<'_> {
    fn state_vars(&self) -> impl Iterator<Item = (VarId, &Var)> {
        self.flat.vars.entries().filter(|(_, var)| var.kind != VarKind::Input)
    }

    fn declare(&mut self) {
        let vars: Vec<(VarId, Var)> = self.state_vars().map(|(id, var)| (id, var.clone())).collect();
        for (id, var) in vars {
            let ty = self.type_of(&var.domain);
            let initial = self.system.range(ty).lo;
            let halves = var.domain.base().is_wide();
            let slot = if halves { Slot::array(var.name, ty, 2, initial) } else { Slot::new(var.name, ty, initial) };
            let slot = Slot { span: var.span, ..slot };
            let is_part = self.shared.is_some_and(|shared| shared.hidden.contains(&id));
            let slot = if is_part { slot.hidden() } else { slot };
            let slot = self.system.slots.push(slot);
            self.slots.insert(id, slot);
        }
        let inputs: Vec<Domain> =
            self.flat.vars.iter().filter(|var| var.kind == VarKind::Input).map(|var| (*var.domain).clone()).collect();
        let parts = self.shared.map_or(&[][..], |shared| &shared.step_parts);
        let lists = parts.iter().filter_map(|part| part.list.clone());
        for domain in inputs.into_iter().chain(lists.map(Domain::List)) {
            self.type_of(&domain);
        }
    }

    /// The type of a slot for these values.
    fn type_of(&mut self, domain: &Domain) -> Type {
        if let Some(known) = self.types.get(domain) {
            return *known;
        }
        let named = |name: String, names: Vec<String>| EnumType {
            name,
            lo: 0,
            hi: names.len() as i64 - 1,
            variants: names.into_iter().zip(0..).map(|(name, value)| Variant { name, value }).collect(),
        };
        let ty = match domain {
            Domain::Bool => {
                let names = vec!["FALSE".to_owned(), "TRUE".to_owned()];
                Type::Enum(self.add_enum(named("boolean".to_owned(), names)))
            }
            Domain::List(values) if values.iter().any(|value| *value >= SYMBOLS) => {
                let names: Vec<String> =
                    values.iter().map(|value| plain_value_text(*value, &self.flat.symbols)).collect();
                Type::Enum(self.add_enum(named(format!("{{{}}}", names.join(", ")), names)))
            }
            Domain::Word { signed, width } if domain.base().is_wide() => {
                self.add_enum(EnumType::half_of_word(*signed, *width, Half::High));
                Type::Enum(self.add_enum(EnumType::half_of_word(*signed, *width, Half::Low)))
            }
            Domain::Word { signed, width } => Type::Enum(self.add_enum(EnumType::word(*signed, *width))),
            _ => {
                let Interval { lo, hi } = plain_range(domain);
                Type::Int { lo, hi }
            }
        };
        self.types.insert(domain.clone(), ty);
        ty
    }

    fn add_enum(&mut self, ty: EnumType) -> EnumId {
        self.system.enums.push(ty)
    }

    /// The values of a slot or a choice for this domain.
    fn range_of(&self, domain: &Domain) -> Interval {
        match domain {
            Domain::List(values) if values.iter().any(|value| *value >= SYMBOLS) => {
                Interval { lo: 0, hi: values.len() as i64 - 1 }
            }
            _ => plain_range(domain),
        }
    }

    /// The slot of a variable.
    fn place(&self, var: VarId) -> Place {
        Place::global(self.slots[&var])
    }

    /// A choice for a value of a domain, gaps between values included; a wide word is two choices.
    fn chosen(&self, name: &str, domain: &Domain, open: &mut Open) -> Given {
        match domain.base() {
            base @ Base::Word { signed, width } if base.is_wide() => Given::Halves(Halves::of(|half| {
                let wanted = EnumType::half_of_word(signed, width, half);
                let range = Interval { lo: wanted.lo, hi: wanted.hi };
                let known = self.system.enums.entries().find(|(_, ty)| **ty == wanted);
                let (id, _) = known.expect("types of halves are declared with their domain");
                open.choose(name.to_owned(), Type::Enum(id), range)
            })),
            _ => Given::Plain(open.choose(name.to_owned(), self.types[domain], self.range_of(domain))),
        }
    }

    /// A choice among all values of a domain.
    fn free_choice(&self, name: &str, domain: &Domain, open: &mut Open) -> Given {
        let value = self.chosen(name, domain, open);
        if let Given::Plain(value) = &value {
            open.demand(self.without_gaps(value, domain));
        }
        value
    }

    /// What a choice among all values of a variable must meet: that it is none of the gaps between them.
    fn without_gaps(&self, value: &Low, domain: &Domain) -> Expr {
        match domain {
            Domain::List(values) if !values.iter().any(|value| *value >= SYMBOLS) => {
                Expr::any(values.iter().map(|number| value.expr.clone().equals(Expr::Const(plain(*number)))))
            }
            _ => Expr::TRUE,
        }
    }

    /// What holds in all states.
    fn add_invariants(&mut self) {
        let invariants: Vec<Term> = self.rules.invars.clone();
        for conjunct in invariants {
            let expr = self.truth(&conjunct, Cx::STATE);
            if expr.as_const().is_none_or(|value| value == 0) {
                self.system.invariants.push(expr);
            }
        }
    }
}
