//! The one intermediate form. Every language becomes a [`System`]; every engine starts from one.
//!
//! A system is a set of typed slots, a pool of process positions, and guarded actions:
//!
//! ```text
//! s --a--> s'  iff  there are values c for the choices of a, each in its type, such that
//!                   every conjunct of the guard of a holds in (s, c),
//!                   s' = s with the updates of a written (right-hand sides read (s, c)),
//!                   every invariant holds in s',
//!                   and no enabled action has a smaller rank.
//! ```
//!
//! The meaning of all of it is [`reference::Evaluator`], slow and obvious; whatever is fast is tested against it.
//! [`Layout`] says how a state becomes packed words; [`text`] prints and parses systems; [`Support`] says what an
//! action reads and writes.

mod action;
mod choices;
mod cone;
mod control;
mod expr;
mod interval;
mod label;
mod layout;
pub mod reference;
mod simplify;
mod slot;
mod support;
pub mod text;
mod trap;
mod validate;
mod wide;

pub use action::{Action, ActionId, Argument, Choice, ChoiceId, Cut, Guard, IDLE_RANK, Print, Role, Update, truncated};
pub use choices::{MOST_LISTED_WAYS, MOST_TRIED_BEGINNINGS};
pub use cone::Cone;
pub use control::ControlEdge;
pub use expr::{BinaryOp, Expr, Owner, Place, UnaryOp, wrap};
pub use interval::Interval;
pub use label::{Fairness, Label, LabelId, LabelMeaning, Occasion, Strength, Who};
pub use layout::{Field, Layout, MAX_WORDS, TooLarge, get_bits, set_bits};
pub use simplify::{Simplifications, Simplified};
pub use slot::{EnumId, EnumType, Frame, FrameId, LocalId, Queue, Slot, SlotId, Type, Variant};
pub use support::{Cells, Support};
pub use trap::{AfterTrap, Fault, Trap, TrapKind, TrapTime};
pub use validate::{MAX_CELLS, MAX_DEPTH, MAX_TRAPS, MAX_VALUE};
pub use wide::{HALF_BITS, Half, WideOp, joined};

use lariat_base::IdVec;

/// A position of the process pool; 0 is the oldest process.
pub type Position = u8;

/// The most processes that can live at once, as in SPIN.
pub const MAX_POOL_SIZE: u16 = 255;

/// A concurrent system: what can be the case, and what can happen.
#[derive(Clone, PartialEq, Debug)]
pub struct System {
    /// A name to show to people.
    pub name: String,
    /// Types with named values.
    pub enums: IdVec<EnumId, EnumType>,
    /// The slots that exist once.
    pub slots: IdVec<SlotId, Slot>,
    /// Which of them are channels; for people only.
    pub queues: Vec<Queue>,
    /// The kinds of processes, with the slots each instance has.
    pub frames: IdVec<FrameId, Frame>,
    /// How many processes can live at once. Positions are filled and emptied last-in-first-out: the living processes
    /// always stand at `0..count`.
    pub pool_size: u16,
    /// How runs begin.
    pub init: Init,
    /// What can happen.
    pub actions: IdVec<ActionId, Action>,
    /// What holds in every state; a step to a state where one is false does not exist.
    pub invariants: Vec<Expr>,
    /// Names for what can be observed of states and steps.
    pub labels: IdVec<LabelId, Label>,
    /// Which infinite runs count.
    pub fairness: Vec<Fairness>,
    /// What a state without a step means.
    pub dead_ends: DeadEnds,
    /// Whether a state without a step is a proper end of a run. Where it is false, such a state is the failure
    /// "invalid end state".
    pub proper_end: Expr,
}

/// The initial states: every slot at its initial value, an empty pool, then the updates written for every valuation
/// of the choices that satisfies the guard.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Init {
    /// Existential values.
    pub choices: IdVec<ChoiceId, Choice>,
    /// Conjuncts over the slots' initial values and the choices.
    pub guard: Vec<Expr>,
    /// What is written, spawned processes included.
    pub updates: Vec<Update>,
}

impl Init {
    /// Runs of `system` begin in this state alone.
    pub fn in_state(system: &System, state: &reference::Valuation) -> Self {
        let mut updates: Vec<Update> = Vec::new();
        for ((id, slot), values) in system.slots.entries().zip(&state.globals) {
            let place = |cell: usize| match slot.len {
                None => Place::global(id),
                Some(_) => Place::global(id).at(Expr::Const(cell as i64)),
            };
            let cells = values.iter().enumerate();
            updates.extend(cells.map(|(cell, &value)| Update::Set(place(cell), Expr::Const(value))));
        }
        for process in &state.pool {
            let mut arguments: Vec<Argument> = Vec::new();
            for ((id, slot), values) in system.frames[process.frame].slots.entries().zip(&process.locals) {
                let argument = |(cell, &value): (usize, &i64)| {
                    let argument = Argument::new(id, Expr::Const(value));
                    if slot.len.is_none() { argument } else { argument.at(cell as u32) }
                };
                arguments.extend(values.iter().enumerate().map(argument));
            }
            updates.push(Update::Spawn { frame: process.frame, arguments });
        }
        Self { choices: IdVec::new(), guard: Vec::new(), updates }
    }
}

/// What becomes of a run that reaches a state without a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadEnds {
    /// The state repeats for ever (Promela).
    Stutter,
    /// The run is no computation at all (SMV).
    Cut,
}

impl System {
    /// The system without slots, processes or actions; its only state is a proper end.
    pub fn empty(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            enums: IdVec::new(),
            slots: IdVec::new(),
            queues: Vec::new(),
            frames: IdVec::new(),
            pool_size: 0,
            init: Init::default(),
            actions: IdVec::new(),
            invariants: Vec::new(),
            labels: IdVec::new(),
            fairness: Vec::new(),
            dead_ends: DeadEnds::Stutter,
            proper_end: Expr::TRUE,
        }
    }
    /// The values a slot of type `ty` can have.
    pub fn range(&self, ty: Type) -> Interval {
        match ty {
            Type::Bool => Interval::BOOL,
            Type::Int { lo, hi } => Interval { lo, hi },
            Type::Enum(id) => Interval { lo: self.enums[id].lo, hi: self.enums[id].hi },
        }
    }
    /// How many bits the values of a slot take.
    pub fn bits_of(&self, slot: SlotId) -> u64 {
        let slot = &self.slots[slot];
        u64::from(u64::BITS - (self.range(slot.ty).count() - 1).leading_zeros()) * slot.cells() as u64
    }
    /// The slot that `place` names a cell of; `roles` are the frames of the roles in scope.
    pub fn slot_of<'a>(&'a self, place: &Place, roles: &[FrameId]) -> &'a Slot {
        match &place.owner {
            Owner::Global(slot) => &self.slots[*slot],
            Owner::Role(role, local) => &self.frames[roles[role.index()]].slots[*local],
            Owner::At(frame, local, _) => &self.frames[*frame].slots[*local],
        }
    }
}
