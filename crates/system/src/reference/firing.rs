//! Which actions can happen in a state, and what they do to it.
//!
//! The order in which firings are listed is part of the meaning, since every state space must list its steps in the
//! same order: by the position of the acting process, the youngest first (actions without participants come before
//! all); then by action; then by the positions of the other participants, the youngest first; then by the values of
//! the choices in lexicographic order.
//!
//! Choices are settled one after the other. A conjunct is looked at as soon as all it reads is settled, and one that says
//! outright what a choice is leaves no other value to try: there may be more valuations than anybody can go through.

use super::index::Candidate;
use super::value::Cell;
use super::{Evaluator, Instance, Valuation};
use crate::{Action, ActionId, AfterTrap, Argument, FrameId, IDLE_RANK, Position, TrapTime, Update};
use lariat_base::Id;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What an expression may speak of beside the state: where the roles are bound, and the values of the choices.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Scope {
    /// By role.
    pub positions: Vec<Position>,
    /// By choice.
    pub choices: Vec<i64>,
}

/// An action with everything it leaves open settled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Firing {
    /// The action.
    pub action: ActionId,
    /// Where its participants stand, and the values of its choices.
    pub scope: Scope,
}

/// How many firings are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Every {
    /// One for every valuation of the choices.
    Valuation,
    /// One for every binding of the participants, where others would only differ in the state they lead to.
    Binding,
}

impl Evaluator<'_> {
    /// The initial states, without duplicates, ascending by the values of the choices.
    pub fn initial(&self) -> Vec<Valuation> {
        let init = &self.system.init;
        let blank = Valuation::blank(self.system);
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let _ = self.each_choice(&init.choices, init.guard.iter(), &blank, &[], |scope| {
            if let Some(state) = self.updated(&init.updates, &blank, scope)
                && self.keeps_invariants(&state)
                && known.insert(state.clone())
            {
                found.push(state);
            }
            ControlFlow::<()>::Continue(())
        });
        found
    }

    /// Everything that can happen in `state`, and whether the state is transient.
    ///
    /// Of all enabled firings those of the least rank can happen. If that rank is an ordinary one and some of them are
    /// the holder's, only those can, and the state is transient. Otherwise there is no holder any more and the state is
    /// an ordinary one. (Where all ordinary ranks are alike, a holder runs on as long as it can; where they are
    /// priorities, a process of higher priority interrupts it.)
    pub fn firings(&self, state: &Valuation, holder: Option<Position>) -> (Vec<Firing>, bool) {
        self.firings_for(state, holder, Every::Valuation)
    }

    /// The same, but of the firings that differ in choices only and leave no holder perhaps one alone: one that leads
    /// somewhere, if there is one.
    pub fn some_firings(&self, state: &Valuation, holder: Option<Position>) -> (Vec<Firing>, bool) {
        self.firings_for(state, holder, Every::Binding)
    }

    fn firings_for(&self, state: &Valuation, holder: Option<Position>, every: Every) -> (Vec<Firing>, bool) {
        if let Some(held) = holder.and_then(|holder| self.held_first(state, holder, every)) {
            return (held, true);
        }
        let enabled = self.enabled_among(state, self.candidates(state), every);
        let least = enabled.iter().map(|&(rank, _)| rank).min();
        let firings: Vec<Firing> =
            enabled.into_iter().filter(|(rank, _)| Some(*rank) == least).map(|(_, firing)| firing).collect();
        if let Some(holder) = holder
            && least.is_some_and(|rank| rank < IDLE_RANK)
        {
            let is_held = |firing: &&Firing| firing.scope.positions.first() == Some(&holder);
            let held: Vec<Firing> = firings.iter().filter(is_held).cloned().collect();
            if !held.is_empty() {
                return (held, true);
            }
        }
        (firings, false)
    }

    /// What the holder can do, if no action of the system can ever come first: then the others need not be tried.
    fn held_first(&self, state: &Valuation, holder: Position, every: Every) -> Option<Vec<Firing>> {
        let index = self.index?;
        let lowest = index.lowest_rank().filter(|&rank| rank < IDLE_RANK)?;
        let its = self.enabled_among(state, index.candidates_of(state, holder), every);
        let held: Vec<Firing> = its.into_iter().filter(|(rank, _)| *rank == lowest).map(|(_, firing)| firing).collect();
        (!held.is_empty()).then_some(held)
    }

    /// Every firing whose guard holds, with its rank, whatever the others' ranks are.
    pub fn enabled(&self, state: &Valuation) -> Vec<(i64, Firing)> {
        self.enabled_among(state, self.candidates(state), Every::Valuation)
    }

    /// The actions that control may stand at, each with its actor; all of them, with any actor, where there is no index.
    pub(super) fn candidates(&self, state: &Valuation) -> Vec<Candidate> {
        match self.index {
            Some(index) => index.candidates(state),
            None => self.system.actions.ids().map(|action| Candidate { action, actor: None }).collect(),
        }
    }

    /// Those of the candidates whose guard holds, in order.
    fn enabled_among(&self, state: &Valuation, candidates: Vec<Candidate>, every: Every) -> Vec<(i64, Firing)> {
        let mut enabled = Vec::new();
        for Candidate { action: id, actor } in candidates {
            let action = &self.system.actions[id];
            let alike = every == Every::Binding && action.hold.is_none() && action.rank.as_const().is_some();
            for positions in bindings(&action.participants, actor, state) {
                let first = enabled.len();
                let _ = self.each_choice(&action.choices, action.guard.conjuncts(), state, &positions, |scope| {
                    if !self.is_enabled(action, state, scope) {
                        return ControlFlow::Continue(());
                    }
                    let (rank, firing) =
                        (self.value(&action.rank, state, scope), Firing { action: id, scope: scope.clone() });
                    let is_enough = alike && self.fire(state, &firing).1.is_some();
                    if is_enough {
                        enabled.truncate(first);
                    }
                    enabled.push((rank, firing));
                    if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
            }
        }
        enabled.sort_by_key(|(_, firing)| order_key(firing));
        enabled
    }

    /// Whether the action is enabled, its guard apart.
    pub(super) fn is_enabled(&self, action: &Action, state: &Valuation, scope: &Scope) -> bool {
        let exits = action.updates.contains(&Update::Exit);
        let youngest = state.pool.len().checked_sub(1);
        (!exits || scope.positions.first().map(|&position| usize::from(position)) == youngest)
            && !action.traps.iter().any(|trap| {
                trap.time == TrapTime::Guard
                    && trap.after == AfterTrap::Stops
                    && self.holds(&trap.condition, state, scope)
            })
            // An action that finds the pool full is enabled: it is taken, and that is the fault.
            && (self.system.invariants.is_empty()
                || self.updated(&action.updates, state, scope).is_none_or(|next| self.keeps_invariants(&next)))
    }

    pub(super) fn keeps_invariants(&self, state: &Valuation) -> bool {
        self.system.invariants.iter().all(|invariant| self.holds(invariant, state, &Scope::default()))
    }

    /// Every binding of the action's participants under which control is at the action; `actor` is the first of them, if
    /// that is given.
    pub(super) fn at_control(&self, action: &Action, actor: Option<Position>, state: &Valuation) -> Vec<Scope> {
        bindings(&action.participants, actor, state)
            .into_iter()
            .map(|positions| Scope { positions, choices: Vec::new() })
            .filter(|scope| action.guard.control.iter().all(|conjunct| self.holds(conjunct, state, scope)))
            .collect()
    }

    /// `state` with the updates written; `None` if a process cannot be created because the pool is full.
    pub(super) fn updated(&self, updates: &[Update], state: &Valuation, scope: &Scope) -> Option<Valuation> {
        let mut next = state.clone();
        for update in updates {
            match update {
                Update::Set(place, value) => {
                    let value = self.value(value, state, scope);
                    match self.cell(place, state, scope) {
                        Some(Cell::Global { slot, cell }) => next.globals[slot][cell] = value,
                        Some(Cell::Local { position, local, cell }) => next.pool[position].locals[local][cell] = value,
                        None => {}
                    }
                }
                Update::Spawn { frame, arguments } => {
                    if next.pool.len() == usize::from(self.system.pool_size) {
                        return None;
                    }
                    let mut instance = Instance::new(*frame, &self.system.frames[*frame]);
                    for Argument { slot, cell, value } in arguments {
                        let value = self.value(value, state, scope);
                        let cells = &mut instance.locals[slot.index()];
                        match cell {
                            Some(cell) => cells[*cell as usize] = value,
                            None => cells.fill(value),
                        }
                    }
                    next.pool.push(instance);
                }
                Update::Exit => {}
            }
        }
        if updates.contains(&Update::Exit) {
            next.pool.pop();
        }
        Some(next)
    }
}

/// Every way of binding the participants to different living processes of their frames, the first one to `actor` if that is
/// given.
pub(super) fn bindings(participants: &[FrameId], actor: Option<Position>, state: &Valuation) -> Vec<Vec<Position>> {
    participants.iter().enumerate().fold(vec![Vec::new()], |prefixes, (role, frame)| {
        let mut longer = Vec::new();
        for prefix in prefixes {
            for (position, instance) in state.pool.iter().enumerate().rev() {
                let position = position as Position;
                if role == 0 && actor.is_some_and(|actor| actor != position) {
                    continue;
                }
                if instance.frame == *frame && !prefix.contains(&position) {
                    longer.push([prefix.as_slice(), &[position]].concat());
                }
            }
        }
        longer
    })
}

fn order_key(firing: &Firing) -> impl Ord + use<> {
    // Youngest first means larger positions first; `None` (no participants) comes before every position.
    let actor = firing.scope.positions.first().map(|&position| Position::MAX - position);
    let others: Vec<Position> = firing.scope.positions.iter().map(|&position| Position::MAX - position).collect();
    (actor, firing.action.index(), others, firing.scope.choices.clone())
}
