//! From a system to a program.
//!
//! What an action is at run time is plain data: entries into the code for its guard, rank, traps, updates and labels.
//! Whoever can run those pieces, be it by interpreting them or natively, can walk the system.

use crate::choices::Guarded;
use crate::code::{Code, Entry};
use crate::dispatch::{Dispatch, Receivers, asked_control};
use crate::emit::Emitter;
use crate::fold::Scope;
use lariat_base::{Id, IdVec};
use lariat_system::reference::Valuation;
use lariat_system::{
    Action, ActionId, AfterTrap, Choice, ChoiceId, Expr, FrameId, Interval, LabelId, LabelMeaning, Layout, Position,
    Role, System, TooLarge, TrapTime, Update, set_bits,
};
use std::fmt;

/// Why a system cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// Its states are too large.
    TooLarge(TooLarge),
    /// An action has more than two participants.
    Participants(ActionId),
    /// An expression of the action (of the system itself if there is none) needs more working memory than code has.
    TooComplex(Option<ActionId>),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(too_large) => too_large.fmt(f),
            Self::Participants(action) => write!(f, "action {} has more than two participants", action.0),
            Self::TooComplex(Some(action)) => write!(f, "an expression of action {} is too deeply nested", action.0),
            Self::TooComplex(None) => write!(f, "an expression of the system is too deeply nested"),
        }
    }
}

impl std::error::Error for CompileError {}

impl From<TooLarge> for CompileError {
    fn from(too_large: TooLarge) -> Self {
        Self::TooLarge(too_large)
    }
}

/// The roles that participants may take; code without participants numbers its roles after them.
const PARTICIPANT_ROLES: u8 = 2;

/// An action at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ActionCode {
    /// For a rendezvous, who may receive.
    pub(crate) receivers: Option<Receivers>,
    /// Whether only the youngest process may take it.
    pub(crate) exits: bool,
    /// Control, condition, and that no stopping guard trap holds; without what dispatch already ensures.
    pub(crate) guard: Guarded,
    pub(crate) rank: Rank,
    /// What is left of control after dispatch: whether guard traps are looked at.
    pub(crate) control: Option<Entry>,
    pub(crate) guard_traps: Vec<TrapCode>,
    pub(crate) effect_traps: Vec<TrapCode>,
    /// Ends with 0 if the pool is full.
    pub(crate) update: Entry,
    pub(crate) hold: Option<Role>,
    /// The labels it always carries, and those it carries where a condition holds.
    pub(crate) labels: Vec<LabelId>,
    pub(crate) label_conditions: Vec<(LabelId, Entry)>,
}

/// A rank at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rank {
    Const(i64),
    Code(Entry),
}

/// A trap at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TrapCode {
    /// Its number in the action.
    pub(crate) number: u16,
    pub(crate) condition: Entry,
    pub(crate) effect: TrapEffect,
}

/// What a trap does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TrapEffect {
    /// It is an error, and the action goes on.
    GoesOn,
    /// It is an error, and the action has no successor.
    Stops,
    /// It is a cut of the action, by its number: noted, and no error.
    Noted,
}

impl TrapCode {
    pub(crate) fn stops(&self) -> bool {
        self.effect == TrapEffect::Stops
    }
}

/// A label of states at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LabelCode {
    pub(crate) label: LabelId,
    pub(crate) condition: Entry,
}

/// A system that runs on packed words. It is a [`StateSpace`](lariat_space::StateSpace), and lists what
/// [`ReferenceSpace`](lariat_space::ReferenceSpace) lists, in the same order.
#[derive(Clone, Debug)]
pub struct Program {
    /// How states are packed.
    pub(crate) layout: Layout,
    pub(crate) code: Code,
    pub(crate) dispatch: Dispatch,
    pub(crate) actions: IdVec<ActionId, ActionCode>,
    /// Every invariant at once; `None` if there are none.
    pub(crate) invariants: Option<Entry>,
    pub(crate) init: InitCode,
    pub(crate) state_labels: Vec<LabelCode>,
    /// By position, the labels of steps that the process there takes part in.
    pub(crate) by_position: Vec<Vec<LabelId>>,
    /// By position, the labels of steps in which the process there acts.
    pub(crate) by_actor: Vec<Vec<LabelId>>,
    /// Words of a set of all labels; 0 if no step carries any.
    pub(crate) label_words: usize,
    /// Whether steps carry labels, or paths depend on who took part.
    pub(crate) marks_matter: bool,
    pub(crate) proper_end: Entry,
    /// The rank of all actions, if it is one and constant: then no action ever disables another.
    pub(crate) common_rank: Option<i64>,
    /// No action ever has a smaller rank than this.
    pub(crate) lowest_rank: i64,
    /// The most choices of one action, or of the initial states.
    pub(crate) max_choices: usize,
    /// Whether there may be more ways to try for one action than can be tried without asking the caller.
    pub(crate) has_wide_choices: bool,
}

/// The initial states at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InitCode {
    /// The state that the updates start from.
    pub(crate) blank: Vec<u64>,
    pub(crate) guard: Guarded,
    pub(crate) update: Entry,
}

impl Program {
    /// Compiles `system`, which must be valid. Cuts are not looked at.
    pub fn compile(system: &System) -> Result<Self, CompileError> {
        Self::compile_with(system, false)
    }

    /// The same, and cuts are noted: see [`Passed::cuts`](lariat_space::Passed).
    pub fn compile_noting_cuts(system: &System) -> Result<Self, CompileError> {
        Self::compile_with(system, true)
    }

    fn compile_with(system: &System, notes_cuts: bool) -> Result<Self, CompileError> {
        let layout = Layout::new(system)?;
        if let Some((id, _)) = system.actions.entries().find(|(_, action)| action.participants.len() > 2) {
            return Err(CompileError::Participants(id));
        }
        let mut code = Code::new(&layout, templates(system, &layout));
        let dispatch = Dispatch::new(system, &layout);
        let mut actions = IdVec::new();
        for (id, action) in system.actions.entries() {
            let compiled = compile_action(action, notes_cuts, system, &layout, &dispatch, &mut code);
            actions.push(compiled.ok_or(CompileError::TooComplex(Some(id)))?);
        }

        let no_choices = IdVec::new();
        let mut emitter = stateful(system, &layout, &mut code, &no_choices);
        let invariants: Vec<Expr> = system.invariants.iter().flat_map(|expr| emitter.scope.conjuncts(expr)).collect();
        let invariants = emitter.all_of(&invariants);
        let mut state_labels = Vec::new();
        for (label, meaning) in system.labels.entries() {
            if let LabelMeaning::State(expr) = &meaning.meaning {
                let condition = emitter.condition(expr);
                state_labels.push(LabelCode { label, condition });
            }
        }
        let proper_end = emitter.condition(&system.proper_end);
        let fits = !emitter.overflow;

        let mut emitter = stateful(system, &layout, &mut code, &system.init.choices);
        let conjuncts = system.init.guard.iter().flat_map(|expr| emitter.scope.conjuncts(expr)).collect();
        let guard = Guarded::new(conjuncts, &system.init.choices, system, &mut emitter);
        let update = emitter.updates(&system.init.updates);
        let init = InitCode { blank: layout.pack(&Valuation::blank(system)), guard, update };
        if !fits || emitter.overflow {
            return Err(CompileError::TooComplex(None));
        }

        let by_position = labels_by_position(system, |meaning| match meaning {
            LabelMeaning::By(position) => Some(*position),
            _ => None,
        });
        let by_actor = labels_by_position(system, |meaning| match meaning {
            LabelMeaning::Acting(position) => Some(*position),
            _ => None,
        });
        let marked = |action: &ActionCode| !action.labels.is_empty() || !action.label_conditions.is_empty();
        let any_marks =
            actions.iter().any(marked) || by_position.iter().chain(&by_actor).any(|labels| !labels.is_empty());
        let choices = system.actions.iter().map(|action| action.choices.len()).chain([system.init.choices.len()]);
        Ok(Self {
            label_words: if any_marks { system.labels.len().div_ceil(64) } else { 0 },
            marks_matter: any_marks || actions.iter().any(|action| action.hold.is_some()),
            max_choices: choices.max().unwrap_or(0),
            has_wide_choices: system.has_wide_choices(),
            common_rank: common_rank(&actions),
            lowest_rank: lowest_rank(system),
            layout,
            code,
            dispatch,
            actions,
            invariants,
            init,
            state_labels,
            by_position,
            by_actor,
            proper_end,
        })
    }

    /// How states are packed.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// An emitter for code that reads the state, and choices, but has no participants in scope.
fn stateful<'a, 'c>(
    system: &'a System,
    layout: &'a Layout,
    code: &'c mut Code,
    choices: &'a IdVec<ChoiceId, Choice>,
) -> Emitter<'a, 'c> {
    Emitter::new(code, Scope { system, layout, roles: Vec::new(), choices }, PARTICIPANT_ROLES)
}

fn compile_action(
    action: &Action,
    notes_cuts: bool,
    system: &System,
    layout: &Layout,
    dispatch: &Dispatch,
    code: &mut Code,
) -> Option<ActionCode> {
    let scope = Scope { system, layout, roles: action.participants.clone(), choices: &action.choices };
    let mut emitter = Emitter::new(code, scope, 0);

    let mut control: Vec<Expr> = action.guard.control.iter().flat_map(|expr| emitter.scope.conjuncts(expr)).collect();
    for role in [Role::ACTOR, Role::PEER] {
        // The first conjunct that asks for a place of control is the one that dispatch goes by.
        let asked = |conjunct: &Expr| asked_control(conjunct, role, &emitter.scope).is_some();
        if let Some(dispatched) = control.iter().position(asked) {
            control.remove(dispatched);
        }
    }
    let mut guard_traps = Vec::new();
    let mut effect_traps = Vec::new();
    let mut conjuncts = control.clone();
    conjuncts.extend(action.guard.condition.iter().flat_map(|expr| emitter.scope.conjuncts(expr)));
    for (number, trap) in action.traps.iter().enumerate() {
        let condition = emitter.scope.fold(&trap.condition);
        if condition == Expr::FALSE {
            continue;
        }
        let stops = trap.after == AfterTrap::Stops;
        let effect = if stops { TrapEffect::Stops } else { TrapEffect::GoesOn };
        let compiled = TrapCode { number: number as u16, condition: emitter.condition(&condition), effect };
        match trap.time {
            TrapTime::Guard => guard_traps.push(compiled),
            TrapTime::Effect => effect_traps.push(compiled),
        }
        if stops && trap.time == TrapTime::Guard {
            conjuncts.extend(emitter.scope.conjuncts(&condition.negated()));
        }
    }
    for (number, cut) in action.cuts.iter().enumerate().filter(|_| notes_cuts) {
        let condition = emitter.scope.fold(&cut.condition);
        if condition != Expr::FALSE {
            let condition = emitter.condition(&condition);
            effect_traps.push(TrapCode { number: number as u16, condition, effect: TrapEffect::Noted });
        }
    }
    let mut labels = Vec::new();
    let mut label_conditions = Vec::new();
    for (label, condition) in &action.labels {
        let condition = emitter.scope.fold(condition);
        match condition.as_const() {
            Some(0) => {}
            Some(_) => labels.push(*label),
            None => label_conditions.push((*label, emitter.condition(&condition))),
        }
    }
    let rank = emitter.scope.fold(&action.rank);
    let compiled = ActionCode {
        receivers: dispatch.receivers(action, system, layout),
        exits: action.updates.contains(&Update::Exit),
        rank: rank.as_const().map_or_else(|| Rank::Code(emitter.value_of(&rank)), Rank::Const),
        control: emitter.all_of(&control),
        guard: Guarded::new(conjuncts, &action.choices, system, &mut emitter),
        guard_traps,
        effect_traps,
        update: emitter.updates(&action.updates),
        hold: action.hold,
        labels,
        label_conditions,
    };
    (!emitter.overflow).then_some(compiled)
}

fn common_rank(actions: &IdVec<ActionId, ActionCode>) -> Option<i64> {
    let constant = |action: &ActionCode| match action.rank {
        Rank::Const(rank) => Some(rank),
        Rank::Code(_) => None,
    };
    let Some(first) = actions.iter().next() else { return Some(0) };
    let first = constant(first)?;
    actions.iter().all(|action| constant(action) == Some(first)).then_some(first)
}

fn lowest_rank(system: &System) -> i64 {
    let lowest = |action: &lariat_system::Action| {
        let mut roles = action.participants.clone();
        Interval::of(&action.rank, system, &mut roles, &action.choices).map_or(i64::MIN, |range| range.lo)
    };
    system.actions.iter().map(lowest).min().unwrap_or(0)
}

/// For each position the labels of steps that mean it.
fn labels_by_position(system: &System, meant: impl Fn(&LabelMeaning) -> Option<Position>) -> Vec<Vec<LabelId>> {
    let mut by_position = vec![Vec::new(); usize::from(system.pool_size)];
    for (id, label) in system.labels.entries() {
        if let Some(position) = meant(&label.meaning)
            && let Some(labels) = by_position.get_mut(usize::from(position))
        {
            labels.push(id);
        }
    }
    by_position
}

/// The region of a new process, by frame.
fn templates(system: &System, layout: &Layout) -> Vec<Vec<u64>> {
    let template = |(id, frame): (FrameId, &lariat_system::Frame)| {
        let mut words = vec![0; layout.region_bits.div_ceil(64)];
        set_bits(&mut words, 0, layout.kind_bits, id.index() as u64 + 1);
        for (local, slot) in frame.slots.entries() {
            for cell in 0..slot.cells() {
                layout.frames[id][local].set(&mut words, 0, cell, slot.initial_of(cell));
            }
        }
        words
    };
    system.frames.entries().map(template).collect()
}
