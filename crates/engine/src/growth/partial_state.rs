//! Expressions in a state whose channels may hold more than one can see.
//!
//! Of a growing channel a [`PartialState`] knows the messages from the head on, up to some length; there may be more behind them,
//! any number and any values. An expression has a value here if it has that value whatever follows.

use super::length;
use lariat_base::Id;
use lariat_system::reference::{Scope, Valuation};
use lariat_system::{
    Action, AfterTrap, BinaryOp, Expr, Owner, Place, Position, Role, SlotId, System, TrapTime, UnaryOp, Update,
};
use std::collections::HashMap;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// It is this number.
    Known(i64),
    /// The length of a growing channel and so much more: it is at least what it is in the state, and has no upper bound.
    Length { queue: usize, plus: i64 },
    /// The content of a cell behind the messages that one can see.
    Behind { slot: SlotId, cell: usize },
    /// Nothing.
    Open,
}

/// Where a place is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    /// A cell of a slot of the system.
    Global { slot: SlotId, cell: Seen },
    /// A cell of a process.
    Local { position: usize, local: usize, cell: usize },
    /// Outside an array, or of a process that is not there.
    Nowhere,
    /// That is not known.
    Open,
}

/// Which slots are channels. The same for all states.
#[derive(Debug)]
pub(super) struct QueueSlots {
    /// Of each slot of the system: the slot with the lengths, and if it is a field the capacity.
    uses: Vec<Option<(SlotId, Option<u32>)>>,
    /// The growing channels by the slot and the cell of their length.
    growing: HashMap<(SlotId, usize), usize>,
}

impl QueueSlots {
    pub(super) fn new(system: &System, growing: &[usize]) -> Self {
        let mut uses = vec![None; system.slots.len()];
        for queue in &system.queues {
            uses[queue.len.index()] = Some((queue.len, None));
            for field in &queue.fields {
                uses[field.index()] = Some((queue.len, Some(queue.capacity)));
            }
        }
        let growing = growing.iter().map(|&number| {
            let queue = &system.queues[number];
            ((queue.len, queue.number as usize), number)
        });
        Self { uses, growing: growing.collect() }
    }
    /// The growing channel whose length is in this cell.
    pub(super) fn of_length(&self, slot: SlotId, cell: usize) -> Option<usize> {
        self.uses[slot.index()].filter(|(_, capacity)| capacity.is_none())?;
        self.growing.get(&(slot, cell)).copied()
    }
    /// The growing channel that has a field of a message in this cell, and how far from the head.
    pub(super) fn of_field(&self, slot: SlotId, cell: usize) -> Option<(usize, usize)> {
        let (len, capacity) = self.uses[slot.index()]?;
        let capacity = capacity? as usize;
        let queue = self.growing.get(&(len, cell / capacity))?;
        Some((*queue, cell % capacity))
    }
}

/// A state of which only the first messages of each growing channel are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartialState<'a> {
    pub(super) system: &'a System,
    pub(super) slots: &'a QueueSlots,
    pub(super) state: &'a Valuation,
}

impl PartialState<'_> {
    /// What is known of the value of `expr`.
    pub(super) fn look(&self, expr: &Expr, scope: &Scope) -> Seen {
        match expr {
            Expr::Const(value) => Seen::Known(*value),
            // A choice that nobody made may be any.
            Expr::Choice(choice) => scope.choices.get(choice.index()).map_or(Seen::Open, |&value| Seen::Known(value)),
            Expr::Read(place) => self.read(place, scope),
            Expr::Position(role) => Seen::Known(i64::from(scope.positions[role.index()])),
            Expr::PoolCount => Seen::Known(self.state.pool.len() as i64),
            Expr::Lives(frame, position) => match self.look(position, scope) {
                Seen::Known(position) => {
                    let instance = usize::try_from(position).ok().and_then(|position| self.state.pool.get(position));
                    Seen::Known(i64::from(instance.is_some_and(|instance| instance.frame == *frame)))
                }
                _ => Seen::Open,
            },
            Expr::Unary(op, value) => match (op, self.look(value, scope)) {
                (op, Seen::Known(value)) => Seen::Known(op.apply(value)),
                (UnaryOp::Not, seen) => truth(self.truth_of(seen).map(|holds| !holds)),
                _ => Seen::Open,
            },
            Expr::Binary(op, left, right) => self.binary(*op, self.look(left, scope), self.look(right, scope)),
            Expr::Ite(parts) => match self.holds(&parts[0], scope) {
                Some(true) => self.look(&parts[1], scope),
                Some(false) => self.look(&parts[2], scope),
                None => {
                    let (yes, no) = (self.look(&parts[1], scope), self.look(&parts[2], scope));
                    if yes == no { yes } else { Seen::Open }
                }
            },
            Expr::Wrap { bits, signed, value } => match self.look(value, scope) {
                Seen::Known(value) => Seen::Known(lariat_system::wrap(*bits, *signed, value)),
                _ => Seen::Open,
            },
            Expr::Wide(op, half, parts) => match parts.each_ref().map(|part| self.look(part, scope)) {
                [Seen::Known(a), Seen::Known(b), Seen::Known(c), Seen::Known(d)] => {
                    Seen::Known(op.half_of(*half, [a, b, c, d]))
                }
                _ => Seen::Open,
            },
            Expr::Exists(frame, body) => {
                let mut any = Some(false);
                for (position, _) in self.state.pool.iter().enumerate().filter(|(_, process)| process.frame == *frame) {
                    let mut inner = scope.clone();
                    inner.positions.push(position as Position);
                    any = either(any, self.holds(body, &inner));
                }
                truth(any)
            }
        }
    }

    /// Whether `expr` holds; `None` if that depends on what follows.
    pub(super) fn holds(&self, expr: &Expr, scope: &Scope) -> Option<bool> {
        self.truth_of(self.look(expr, scope))
    }

    /// Whether the action can happen, whatever the ranks of others; `None` if that depends on what follows.
    pub(super) fn enables(&self, action: &Action, scope: &Scope) -> Option<bool> {
        let exits = action.updates.contains(&Update::Exit);
        let youngest = self.state.pool.len().checked_sub(1);
        if exits && scope.positions.first().map(|&position| usize::from(position)) != youngest {
            return Some(false);
        }
        let mut all = Some(true);
        for conjunct in action.guard.conjuncts() {
            all = both(all, self.holds(conjunct, scope));
            if all == Some(false) {
                return all;
            }
        }
        let traps = action.traps.iter();
        for trap in traps.filter(|trap| trap.time == TrapTime::Guard && trap.after == AfterTrap::Stops) {
            all = both(all, self.holds(&trap.condition, scope).map(|holds| !holds));
        }
        all
    }

    pub(super) fn spot(&self, place: &Place, scope: &Scope) -> Spot {
        let cell = place.index.as_ref().map_or(Seen::Known(0), |index| self.look(index, scope));
        let (position, local) = match &place.owner {
            Owner::Global(slot) => return Spot::Global { slot: *slot, cell },
            Owner::Role(role, local) => (usize::from(scope.positions[role.index()]), local.index()),
            Owner::At(frame, local, position) => {
                let Seen::Known(position) = self.look(position, scope) else { return Spot::Open };
                let Ok(position) = usize::try_from(position) else { return Spot::Nowhere };
                if self.state.pool.get(position).is_none_or(|instance| instance.frame != *frame) {
                    return Spot::Nowhere;
                }
                (position, local.index())
            }
        };
        let Seen::Known(cell) = cell else { return Spot::Open };
        let cells = self.state.pool[position].locals[local].len();
        match usize::try_from(cell).ok().filter(|cell| *cell < cells) {
            Some(cell) => Spot::Local { position, local, cell },
            None => Spot::Nowhere,
        }
    }

    fn read(&self, place: &Place, scope: &Scope) -> Seen {
        match self.spot(place, scope) {
            Spot::Open => Seen::Open,
            Spot::Nowhere => Seen::Known(0),
            Spot::Local { position, local, cell } => Seen::Known(self.state.pool[position].locals[local][cell]),
            Spot::Global { slot, cell: Seen::Known(cell) } => self.read_global(slot, cell),
            Spot::Global { .. } => Seen::Open,
        }
    }

    /// What is known of a cell of the system.
    pub(super) fn read_global(&self, slot: SlotId, cell: i64) -> Seen {
        let values = &self.state.globals[slot.index()];
        let Some(cell) = usize::try_from(cell).ok().filter(|cell| *cell < values.len()) else {
            return Seen::Known(0);
        };
        if let Some(queue) = self.slots.of_length(slot, cell) {
            return Seen::Length { queue, plus: 0 };
        }
        match self.slots.of_field(slot, cell) {
            Some((queue, k)) if k >= self.least(queue) => Seen::Behind { slot, cell },
            _ => Seen::Known(values[cell]),
        }
    }

    /// The least number of messages in a growing channel.
    pub(super) fn least(&self, queue: usize) -> usize {
        length(&self.system.queues[queue], self.state)
    }

    fn truth_of(&self, seen: Seen) -> Option<bool> {
        match seen {
            Seen::Known(value) => Some(value != 0),
            Seen::Length { queue, plus } => (self.least(queue) as i64 + plus > 0).then_some(true),
            Seen::Behind { .. } | Seen::Open => None,
        }
    }

    fn binary(&self, op: BinaryOp, left: Seen, right: Seen) -> Seen {
        match op {
            BinaryOp::And => return truth(both(self.truth_of(left), self.truth_of(right))),
            BinaryOp::Or => return truth(either(self.truth_of(left), self.truth_of(right))),
            _ => {}
        }
        match (op, left, right) {
            (op, Seen::Known(left), Seen::Known(right)) => Seen::Known(op.apply(left, right)),
            (BinaryOp::Add, Seen::Length { queue, plus }, Seen::Known(more))
            | (BinaryOp::Add, Seen::Known(more), Seen::Length { queue, plus }) => {
                Seen::Length { queue, plus: plus.saturating_add(more) }
            }
            (BinaryOp::Sub, Seen::Length { queue, plus }, Seen::Known(less)) => {
                Seen::Length { queue, plus: plus.saturating_sub(less) }
            }
            (op, left, right) => {
                let (lo, hi) = self.difference(left, right);
                let less = |bound: i64| match (lo, hi) {
                    (Some(lo), _) if lo >= bound => Some(false),
                    (_, Some(hi)) if hi < bound => Some(true),
                    _ => None,
                };
                let equal = match (lo, hi) {
                    (Some(lo), _) if lo > 0 => Some(false),
                    (_, Some(hi)) if hi < 0 => Some(false),
                    (Some(0), Some(0)) => Some(true),
                    _ => None,
                };
                match op {
                    BinaryOp::Lt => truth(less(0)),
                    BinaryOp::Le => truth(less(1)),
                    BinaryOp::Eq => truth(equal),
                    BinaryOp::Ne => truth(equal.map(|equal| !equal)),
                    _ => Seen::Open,
                }
            }
        }
    }

    /// The bounds of `left - right`, where there are any.
    fn difference(&self, left: Seen, right: Seen) -> (Option<i64>, Option<i64>) {
        let least = |queue: usize, plus: i64| (self.least(queue) as i64).saturating_add(plus);
        match (left, right) {
            (Seen::Length { queue, plus }, Seen::Length { queue: other, plus: less }) if queue == other => {
                let exactly = Some(plus.saturating_sub(less));
                (exactly, exactly)
            }
            (Seen::Length { queue, plus }, Seen::Known(value)) => {
                (Some(least(queue, plus).saturating_sub(value)), None)
            }
            (Seen::Known(value), Seen::Length { queue, plus }) => {
                (None, Some(value.saturating_sub(least(queue, plus))))
            }
            _ => (None, None),
        }
    }
}

fn truth(known: Option<bool>) -> Seen {
    known.map_or(Seen::Open, |holds| Seen::Known(i64::from(holds)))
}

fn both(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn either(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    both(left.map(|left| !left), right.map(|right| !right)).map(|neither| !neither)
}

/// Every way of binding the participants of an action to different living processes of their frames.
pub(super) fn bindings(action: &Action, state: &Valuation) -> Vec<Vec<Position>> {
    action.participants.iter().fold(vec![Vec::new()], |prefixes, frame| {
        let mut longer = Vec::new();
        for prefix in prefixes {
            for (position, _) in state.pool.iter().enumerate().filter(|(_, instance)| instance.frame == *frame) {
                let position = position as Position;
                if !prefix.contains(&position) {
                    longer.push([prefix.as_slice(), &[position]].concat());
                }
            }
        }
        longer
    })
}

/// The position of the acting process among those that are bound.
pub(super) fn actor(positions: &[Position]) -> Option<Position> {
    positions.get(Role::ACTOR.index()).copied()
}
