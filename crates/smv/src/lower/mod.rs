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
mod begin;
mod choose;
mod equation;
mod expr;
mod observe;
mod step;
mod symbols;
mod words;

use crate::check::{Condition, Flat, Var};
use crate::term::{Term, VarId};
use crate::tree::VarKind;
use crate::types::{Domain, SYMBOLS};
use crate::value::plain_value_text;
use arithmetic::Low;
use equation::Rules;
use lariat_base::Diagnostic;
use lariat_system::{
    Choice, ChoiceId, DeadEnds, EnumId, EnumType, Expr, Interval, Place, Slot, SlotId, System, Type, Variant,
};
use std::collections::{BTreeMap, HashMap};

/// Larger conditions and values, with all definitions written out, are refused.
const MAX_TERM: u64 = 1 << 20;

/// The system of a model, with a label for each of `observed`, in order and before any others.
pub(crate) fn lower(name: &str, flat: &Flat, observed: &[Condition]) -> Result<System, Vec<Diagnostic>> {
    ensure_small(flat, observed)?;
    let mut lowering = Lowering {
        flat,
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

fn ensure_small(flat: &Flat, observed: &[Condition]) -> Result<(), Vec<Diagnostic>> {
    let assigned = flat.always.values().chain(flat.init.values()).chain(flat.next.values().flat_map(BTreeMap::values));
    let constraints = flat.inits.iter().chain(&flat.invars).chain(&flat.transes);
    let fairness = flat.justice.iter().map(|condition| &condition.term);
    let pairs = flat.compassion.iter().flat_map(|(asked, given)| [&asked.term, &given.term]);
    let observed = observed.iter().map(|condition| &condition.term);
    let all = assigned.chain(constraints).chain(fairness).chain(pairs).chain(observed);
    let large: Vec<Diagnostic> = all
        .filter(|term| term.size > MAX_TERM)
        .map(|term| {
            let message = "with all definitions written out this is too large";
            let help = "make a variable of a definition that is used often: `x := …`";
            Diagnostic::error(term.span, "V0701", message).help(help)
        })
        .collect();
    if large.is_empty() { Ok(()) } else { Err(large) }
}

struct Lowering<'a> {
    flat: &'a Flat,
    system: System,
    slots: BTreeMap<VarId, SlotId>,
    types: HashMap<Domain, Type>,
    rules: Rules,
}

/// What variables are where an expression is evaluated.
#[derive(Clone, Copy)]
struct Cx<'c> {
    /// Their values now, unless they are read from their slots.
    now: Option<&'c BTreeMap<VarId, Low>>,
    /// Their values in the next state.
    next: Option<&'c BTreeMap<VarId, Low>>,
    /// The values of inputs.
    inputs: Option<&'c BTreeMap<VarId, Low>>,
    /// The process that runs.
    process: Option<crate::term::ProcessId>,
}

impl Cx<'_> {
    /// In a state.
    const STATE: Cx<'static> = Cx { now: None, next: None, inputs: None, process: None };
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
            let slot = Slot { span: var.span, ..Slot::new(var.name, ty, initial) };
            let slot = self.system.slots.push(slot);
            self.slots.insert(id, slot);
        }
        let inputs: Vec<Domain> =
            self.flat.vars.iter().filter(|var| var.kind == VarKind::Input).map(|var| (*var.domain).clone()).collect();
        for domain in inputs {
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
            Domain::Word { signed, width } => Type::Enum(self.add_enum(EnumType::word(*signed, *width))),
            _ => {
                let (lo, hi) = domain.bounds();
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
            _ => {
                let (lo, hi) = domain.bounds();
                Interval { lo, hi }
            }
        }
    }

    /// The slot of a variable.
    fn place(&self, var: VarId) -> Place {
        Place::global(self.slots[&var])
    }

    /// What a choice among all values of a variable must meet: that it is none of the gaps between them.
    fn without_gaps(&self, value: &Low, domain: &Domain) -> Expr {
        match domain {
            Domain::List(values) if !values.iter().any(|value| *value >= SYMBOLS) => {
                Expr::any(values.iter().map(|number| value.expr.clone().equals(Expr::Const(*number))))
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
