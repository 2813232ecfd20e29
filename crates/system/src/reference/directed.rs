//! Firings that are asked for: a given action, by given processes, to a given state.
//!
//! An action may have more valuations of its choices than can be listed. Where the state is known that it leads to, most
//! choices are known too: an update `x := c` leaves one value for `c`. So what is written is compared as soon as the choices
//! it reads are settled, like a conjunct of the guard; and a value of a choice is left out if some conjunct cannot hold any
//! more, whatever the choices that follow are, as far as intervals show that (`foresight.rs`). And whether some action comes
//! first by its rank is settled by the first valuation that shows it. Choices whose values are known are not tried. What is
//! found is what [`Evaluator::firings`] would list.

use super::firing::bindings;
use super::foresight::Foresight;
use super::index::Candidate;
use super::value::Cell;
use super::{Evaluator, Firing, Scope, Valuation};
use crate::choices::by_last_choice;
use crate::{ActionId, Choice, ChoiceId, Expr, IDLE_RANK, Position, Update};
use lariat_base::{Id, IdVec};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// What is known of a firing that is asked for, beside its action and participants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// The state that it leads to.
    pub goal: Option<&'a Valuation>,
    /// Choices with their values.
    pub choices: &'a [(ChoiceId, i64)],
}

impl Evaluator<'_> {
    /// Calls `on` for the firings of `action` by the processes at `positions` that [`Evaluator::firings`] lists, in order,
    /// until it has enough; only for those that are `wanted`. With a holder, only for those that leave the state transient.
    pub fn each_firing_of<B>(
        &self,
        state: &Valuation,
        holder: Option<Position>,
        action: ActionId,
        positions: &[Position],
        wanted: Wanted<'_>,
        mut on: impl FnMut(Firing) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let known = &self.system.actions[action];
        let are_there = bindings(&known.participants, positions.first().copied(), state);
        if !are_there.iter().any(|there| there == positions) || holder.is_some() && positions.first().copied() != holder
        {
            return ControlFlow::Continue(());
        }
        let Wanted { goal, choices } = wanted;
        let mut demanded = goal.map_or_else(Vec::new, |goal| self.written(&known.updates, state, positions, goal));
        demanded.extend(choices.iter().map(|&(choice, value)| Expr::Choice(choice).equals(Expr::Const(value))));
        let conjuncts = known.guard.conjuncts().chain(&demanded);
        self.each_choice(&known.choices, conjuncts, state, positions, |scope| {
            if !self.is_enabled(known, state, scope) {
                return ControlFlow::Continue(());
            }
            let rank = self.value(&known.rank, state, scope);
            if holder.is_some() && rank >= IDLE_RANK || self.is_preempted(state, rank) {
                return ControlFlow::Continue(());
            }
            let firing = Firing { action, scope: scope.clone() };
            match goal {
                Some(goal) if self.fire(state, &firing).1.as_ref() != Some(goal) => ControlFlow::Continue(()),
                _ => on(firing),
            }
        })
    }

    /// The first firing that leads from one ordinary state to another in one action, and that `fits`.
    pub fn firing_between(
        &self,
        from: &Valuation,
        to: &Valuation,
        mut fits: impl FnMut(&Firing) -> bool,
    ) -> Option<Firing> {
        let wanted = Wanted { goal: Some(to), ..Wanted::default() };
        for Candidate { action, actor } in self.candidates(from) {
            let known = &self.system.actions[action];
            if known.hold.is_some() {
                continue;
            }
            for positions in bindings(&known.participants, actor, from) {
                let found = self.each_firing_of(from, None, action, &positions, wanted, |firing| {
                    if fits(&firing) { ControlFlow::Break(firing) } else { ControlFlow::Continue(()) }
                });
                if let ControlFlow::Break(firing) = found {
                    return Some(firing);
                }
            }
        }
        None
    }

    /// Whether `state` is one of the initial states.
    pub fn is_initial(&self, state: &Valuation) -> bool {
        let (init, blank) = (&self.system.init, Valuation::blank(self.system));
        let written = self.written(&init.updates, &blank, &[], state);
        let conjuncts = init.guard.iter().chain(&written);
        let found = self.each_choice(&init.choices, conjuncts, &blank, &[], |scope| {
            match self.updated(&init.updates, &blank, scope).as_ref() == Some(state) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        found.is_break() && self.keeps_invariants(state)
    }

    /// Whether something can happen in `state` that has a smaller rank.
    fn is_preempted(&self, state: &Valuation, rank: i64) -> bool {
        let mut rivals = self.candidates(state);
        rivals.retain(|rival| self.system.actions[rival.action].rank.as_const().is_none_or(|known| known < rank));
        rivals.into_iter().any(|Candidate { action: id, actor }| {
            let action = &self.system.actions[id];
            bindings(&action.participants, actor, state).iter().any(|positions| {
                let comes_first =
                    self.each_choice(&action.choices, action.guard.conjuncts(), state, positions, |scope| {
                        match self.value(&action.rank, state, scope) < rank && self.is_enabled(action, state, scope) {
                            true => ControlFlow::Break(()),
                            false => ControlFlow::Continue(()),
                        }
                    });
                comes_first.is_break()
            })
        })
    }

    /// What must hold for the updates to lead to `goal`; perhaps not all of it.
    fn written(&self, updates: &[Update], state: &Valuation, positions: &[Position], goal: &Valuation) -> Vec<Expr> {
        let scope = Scope { positions: positions.to_vec(), choices: Vec::new() };
        // Another process may stand where one was written.
        let exits = updates.contains(&Update::Exit);
        // By cell what is written last.
        let mut last: HashMap<Cell, &Expr> = HashMap::new();
        for update in updates {
            let Update::Set(place, value) = update else { continue };
            if place.clone().read().greatest_choice().is_some() {
                // It may be any cell, and so may what was written before.
                return Vec::new();
            }
            if let Some(cell) = self.cell(place, state, &scope) {
                last.insert(cell, value);
            }
        }
        let equals = |(cell, value): (Cell, &Expr)| {
            let wanted = match cell {
                Cell::Global { slot, cell } => goal.globals[slot][cell],
                Cell::Local { .. } if exits => return None,
                Cell::Local { position, local, cell } => {
                    let (before, after) = (state.pool.get(position)?, goal.pool.get(position)?);
                    (before.frame == after.frame).then(|| after.locals[local][cell])?
                }
            };
            value.greatest_choice().map(|_| value.clone().equals(Expr::Const(wanted)))
        };
        last.into_iter().filter_map(equals).collect()
    }

    /// Calls `on` for every valuation of the choices under which all conjuncts hold, in order, until it has enough.
    pub(super) fn each_choice<'e, B>(
        &self,
        choices: &IdVec<ChoiceId, Choice>,
        conjuncts: impl IntoIterator<Item = &'e Expr>,
        state: &Valuation,
        positions: &[Position],
        mut on: impl FnMut(&Scope) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let levels = by_last_choice(choices, conjuncts);
        let mut waiting: Vec<Vec<&Expr>> = vec![Vec::new(); choices.len()];
        for (level, conjuncts) in levels.iter().enumerate() {
            for conjunct in conjuncts {
                for choice in conjunct.choices().into_iter().filter(|choice| choice.index() + 1 < level) {
                    waiting[choice.index()].push(conjunct);
                }
            }
        }
        let scope = Scope { positions: positions.to_vec(), choices: Vec::with_capacity(choices.len()) };
        let mut valuations = Valuations { evaluator: self, choices, levels, waiting, state, scope };
        if valuations.is_hopeless(valuations.levels[1..].iter().flatten()) {
            return ControlFlow::Continue(());
        }
        valuations.settle(&mut on)
    }
}

/// Choices that are settled one after the other.
struct Valuations<'a, 'e> {
    evaluator: &'a Evaluator<'a>,
    choices: &'a IdVec<ChoiceId, Choice>,
    /// For each choice the conjuncts that can be looked at once it is settled; before them those that read none.
    levels: Vec<Vec<&'e Expr>>,
    /// For each choice the conjuncts that read it, and later ones too.
    waiting: Vec<Vec<&'e Expr>>,
    state: &'a Valuation,
    /// With the choices that are settled.
    scope: Scope,
}

impl Valuations<'_, '_> {
    /// Whether one of these conjuncts cannot hold, whatever the choices will be that are not settled yet.
    fn is_hopeless<'c>(&self, mut conjuncts: impl Iterator<Item = &'c &'c Expr>) -> bool {
        let foresight =
            Foresight { evaluator: self.evaluator, choices: self.choices, state: self.state, scope: &self.scope };
        conjuncts.any(|conjunct| foresight.truth(conjunct) == Some(false))
    }

    fn settle<B>(&mut self, on: &mut impl FnMut(&Scope) -> ControlFlow<B>) -> ControlFlow<B> {
        let at = self.scope.choices.len();
        if !self.levels[at].iter().all(|conjunct| self.evaluator.holds(conjunct, self.state, &self.scope)) {
            return ControlFlow::Continue(());
        }
        let next = ChoiceId::new(at);
        let Some(choice) = self.choices.get(next) else { return on(&self.scope) };
        let range = self.evaluator.system.range(choice.ty);
        let bound = self.levels[at + 1].iter().find_map(|conjunct| conjunct.bound_value(next));
        let only = bound.map(|value| self.evaluator.value(value, self.state, &self.scope));
        let (first, last) = only.map_or((range.lo, range.hi), |value| (value, value));
        for value in (first..=last).filter(|value| range.contains(*value)) {
            self.scope.choices.push(value);
            // What does not read the choice can hold as it could before.
            let is_hopeless = self.is_hopeless(self.waiting[at].iter());
            let settled = if is_hopeless { ControlFlow::Continue(()) } else { self.settle(on) };
            self.scope.choices.pop();
            settled?;
        }
        ControlFlow::Continue(())
    }
}
