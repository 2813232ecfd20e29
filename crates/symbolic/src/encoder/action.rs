//! One action, its participants bound to positions.

use super::value::View;
use super::{ChoiceValue, Encoded, Encoder};
use crate::{BitAlgebra, BitVec};
use lariat_system::{Action, ActionId, AfterTrap, Expr, FrameId, LabelId, Position, Trap, TrapTime, Update};

/// An action whose participants are bound to positions of the pool, all different.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Binding {
    /// The action.
    pub action: ActionId,
    /// By role.
    pub positions: Vec<Position>,
}

impl Binding {
    /// Where the acting process stands; `None` if the action has no participants.
    pub fn actor(&self) -> Option<Position> {
        self.positions.first().copied()
    }
}

impl<A: BitAlgebra> Encoder<'_, A> {
    /// Every binding of the action, whoever lives there: the larger positions of the first participant first, then
    /// those of the second.
    pub fn bindings_of(&self, action: ActionId) -> Vec<Binding> {
        let mut bindings = vec![Binding { action, positions: Vec::new() }];
        for _ in &self.system.actions[action].participants {
            let mut longer = Vec::new();
            for Binding { positions, .. } in &bindings {
                for position in (0..self.layout.positions).rev().map(|position| position as Position) {
                    if !positions.contains(&position) {
                        longer.push(Binding { action, positions: [positions.as_slice(), &[position]].concat() });
                    }
                }
            }
            bindings = longer;
        }
        bindings
    }
    /// Every binding of every action, in the order in which firings are listed: those without participants, then by
    /// acting process, the larger position first, then by action, then by the other participants, larger first.
    pub fn bindings(&self) -> Vec<Binding> {
        let mut bindings: Vec<Binding> =
            self.system.actions.ids().flat_map(|action| self.bindings_of(action)).collect();
        // The sort is stable, and by action and other participants they are sorted already.
        bindings.sort_by_key(|binding| binding.actor().map(std::cmp::Reverse));
        bindings
    }

    /// Where the participants live at their positions.
    pub fn bound(&self, state: &[A::Bit], binding: &Binding) -> Encoded<A, A::Bit> {
        self.roles(binding).into_iter().try_fold(self.algebra.constant(true), |bound, (frame, position)| {
            self.algebra.and_then(bound, || self.lives(state, frame, position))
        })
    }
    /// Where the participants live at their positions and control is at the action.
    pub fn at_control(&self, state: &[A::Bit], binding: &Binding) -> Encoded<A, A::Bit> {
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices: &[] };
        let control = &self.system.actions[binding.action].guard.control;
        self.algebra.and_then(self.bound(state, binding)?, || self.all_hold(control, view))
    }
    /// Where the action is enabled with these choices, whatever the ranks of others: the participants live there, the
    /// choices are in their types, the guard holds, one that exits is the youngest, no guard trap stops the action,
    /// and the invariants hold in the successor, if the pool has room for it.
    pub fn guard(&self, state: &[A::Bit], binding: &Binding, choices: &[ChoiceValue<A::Bit>]) -> Encoded<A, A::Bit> {
        let algebra = &self.algebra;
        let action = &self.system.actions[binding.action];
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices };
        let mut guard = self.at_control(state, binding)?;
        guard = algebra.and_then(guard, || self.in_type(choices))?;
        guard = algebra.and_then(guard, || self.all_hold(&action.guard.condition, view))?;
        if let Some(actor) = binding.actor().filter(|_| action.updates.contains(&Update::Exit)) {
            guard = algebra.and_then(guard, || self.count_is(state, usize::from(actor) + 1))?;
        }
        for trap in traps(action, TrapTime::Guard).filter_map(|(_, trap)| stopping(trap)) {
            guard = algebra.and_then(guard, || algebra.not(&self.holds(trap, view)?))?;
        }
        if self.system.invariants.is_empty() {
            return Ok(guard);
        }
        algebra.and_then(guard, || {
            let no_room = self.finds_no_room(&action.updates, state)?;
            algebra.or_else(no_room, || self.invariants(&self.updated(&action.updates, view)?))
        })
    }
    /// The conjuncts of the [`guard`](Self::guard), each a function of its own: for engines that keep them apart.
    pub fn guard_conjuncts(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, Vec<A::Bit>> {
        let algebra = &self.algebra;
        let action = &self.system.actions[binding.action];
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices };
        let mut conjuncts = vec![self.at_control(state, binding)?];
        conjuncts.extend(choices.iter().map(|choice| choice.in_type.clone()));
        for condition in &action.guard.condition {
            conjuncts.push(self.holds(condition, view)?);
        }
        if let Some(actor) = binding.actor().filter(|_| action.updates.contains(&Update::Exit)) {
            conjuncts.push(self.count_is(state, usize::from(actor) + 1)?);
        }
        for trap in traps(action, TrapTime::Guard).filter_map(|(_, trap)| stopping(trap)) {
            conjuncts.push(algebra.not(&self.holds(trap, view)?)?);
        }
        if !self.system.invariants.is_empty() {
            let no_room = self.finds_no_room(&action.updates, state)?;
            let next = self.updated(&action.updates, view)?;
            for invariant in &self.system.invariants {
                let kept = self.state_holds(invariant, &next)?;
                conjuncts.push(algebra.or(&no_room, &kept)?);
            }
        }
        Ok(conjuncts)
    }
    /// Where the action is enabled with some choices.
    pub fn enabled(&self, state: &[A::Bit], binding: &Binding) -> Encoded<A, A::Bit> {
        let bound = self.at_control(state, binding)?;
        if self.algebra.known(&bound) == Some(false) {
            return Ok(bound);
        }
        let valuations = self.choice_values(&self.system.actions[binding.action].choices);
        valuations.iter().try_fold(self.algebra.constant(false), |enabled, values| {
            self.algebra.or_else(enabled, || self.guard(state, binding, &self.choices_of(values)))
        })
    }
    /// The state the action leads to. Means something only where the [`guard`](Self::guard) holds and the action
    /// [`goes_on`](Self::goes_on).
    pub fn successor(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, Vec<A::Bit>> {
        let roles = self.roles(binding);
        self.updated(&self.system.actions[binding.action].updates, View { state, roles: &roles, choices })
    }
    /// The rank of the action. Ranks read no choices.
    pub fn rank(&self, state: &[A::Bit], binding: &Binding) -> Encoded<A, BitVec<A::Bit>> {
        let roles = self.roles(binding);
        self.value(&self.system.actions[binding.action].rank, View { state, roles: &roles, choices: &[] })
    }

    /// The guard traps by number, each with the bit: control is at the action and the trap's condition holds.
    pub fn guard_traps(&self, state: &[A::Bit], binding: &Binding) -> Encoded<A, Vec<(u16, A::Bit)>> {
        let action = &self.system.actions[binding.action];
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices: &[] };
        let mut met = Vec::new();
        for (number, trap) in traps(action, TrapTime::Guard) {
            let control = self.at_control(state, binding)?;
            met.push((number, self.algebra.and_then(control, || self.holds(&trap.condition, view))?));
        }
        Ok(met)
    }
    /// The effect traps by number, each with the bit: if the action is taken, this trap is met. One that comes after a
    /// stopping one is not met where that one is.
    pub fn effect_traps(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, Vec<(u16, A::Bit)>> {
        let action = &self.system.actions[binding.action];
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices };
        let mut met = Vec::new();
        let mut reached = self.algebra.constant(true);
        for (number, trap) in traps(action, TrapTime::Effect) {
            let here = self.algebra.and_then(reached.clone(), || self.holds(&trap.condition, view))?;
            if trap.after == AfterTrap::Stops {
                reached = self.algebra.and_then(reached, || self.algebra.not(&here))?;
            }
            met.push((number, here));
        }
        Ok(met)
    }
    /// Where no effect trap stops the action.
    fn is_not_stopped(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, A::Bit> {
        let action = &self.system.actions[binding.action];
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices };
        traps(action, TrapTime::Effect)
            .filter_map(|(_, trap)| stopping(trap))
            .try_fold(self.algebra.constant(true), |goes_on, condition| {
                self.algebra.and_then(goes_on, || self.algebra.not(&self.holds(condition, view)?))
            })
    }
    /// Where the action, if taken, meets the fault "pool full".
    pub fn pool_full(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, A::Bit> {
        let no_room = self.finds_no_room(&self.system.actions[binding.action].updates, state)?;
        self.algebra.and_then(no_room, || self.is_not_stopped(state, binding, choices))
    }
    /// Where the action, if taken, has a successor.
    pub fn goes_on(&self, state: &[A::Bit], binding: &Binding, choices: &[ChoiceValue<A::Bit>]) -> Encoded<A, A::Bit> {
        let no_room = self.finds_no_room(&self.system.actions[binding.action].updates, state)?;
        self.algebra.and_then(self.algebra.not(&no_room)?, || self.is_not_stopped(state, binding, choices))
    }
    /// The step labels that the action lists, each with the bit: its condition holds. One label may be listed twice;
    /// it is carried where one of the conditions holds.
    pub fn step_labels(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, Vec<(LabelId, A::Bit)>> {
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices };
        let labels = self.system.actions[binding.action].labels.iter();
        labels.map(|(label, condition)| Ok((*label, self.holds(condition, view)?))).collect()
    }

    /// Where the action carries this step label.
    pub fn step_label(
        &self,
        state: &[A::Bit],
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
        label: LabelId,
    ) -> Encoded<A, A::Bit> {
        let roles = self.roles(binding);
        let view = View { state, roles: &roles, choices };
        let mut listed = self.system.actions[binding.action].labels.iter().filter(|(own, _)| *own == label);
        listed.try_fold(self.algebra.constant(false), |any, (_, condition)| {
            self.algebra.or(&any, &self.holds(condition, view)?)
        })
    }

    /// By role, which frame stands where.
    fn roles(&self, binding: &Binding) -> Vec<(FrameId, Position)> {
        let frames = self.system.actions[binding.action].participants.iter();
        frames.copied().zip(binding.positions.iter().copied()).collect()
    }
}

/// The traps looked at at `time`, by number.
fn traps(action: &Action, time: TrapTime) -> impl Iterator<Item = (u16, &Trap)> {
    let numbered = action.traps.iter().enumerate().map(|(number, trap)| (number as u16, trap));
    numbered.filter(move |(_, trap)| trap.time == time)
}

/// The condition of a trap that leaves the action without successor.
fn stopping(trap: &Trap) -> Option<&Expr> {
    (trap.after == AfterTrap::Stops).then_some(&trap.condition)
}
