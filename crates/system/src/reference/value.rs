//! What expressions mean, and where places are.

use super::{Evaluator, Scope, Valuation};
use crate::expr::wrap;
use crate::{Expr, Owner, Place, Position};
use lariat_base::Id;

/// A cell that exists in a given state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Cell {
    Global { slot: usize, cell: usize },
    Local { position: usize, local: usize, cell: usize },
}

impl Evaluator<'_> {
    /// The value of `expr` in `state`, for the roles and choices of `scope`.
    pub fn value(&self, expr: &Expr, state: &Valuation, scope: &Scope) -> i64 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Choice(choice) => scope.choices[choice.index()],
            Expr::Read(place) => match self.cell(place, state, scope) {
                Some(Cell::Global { slot, cell }) => state.globals[slot][cell],
                Some(Cell::Local { position, local, cell }) => state.pool[position].locals[local][cell],
                None => 0,
            },
            Expr::Position(role) => i64::from(scope.positions[role.index()]),
            Expr::PoolCount => state.pool.len() as i64,
            Expr::Lives(frame, position) => {
                let position = self.value(position, state, scope);
                let instance = usize::try_from(position).ok().and_then(|position| state.pool.get(position));
                i64::from(instance.is_some_and(|instance| instance.frame == *frame))
            }
            Expr::Unary(op, value) => op.apply(self.value(value, state, scope)),
            Expr::Binary(op, left, right) => op.apply(self.value(left, state, scope), self.value(right, state, scope)),
            Expr::Ite(parts) => {
                let chosen = if self.value(&parts[0], state, scope) != 0 { &parts[1] } else { &parts[2] };
                self.value(chosen, state, scope)
            }
            Expr::Wrap { bits, signed, value } => wrap(*bits, *signed, self.value(value, state, scope)),
            Expr::Wide(op, half, parts) => {
                op.half_of(*half, parts.each_ref().map(|part| self.value(part, state, scope)))
            }
            Expr::Exists(frame, body) => {
                let mut inner = scope.clone();
                i64::from(state.pool.iter().enumerate().any(|(position, instance)| {
                    inner.positions.truncate(scope.positions.len());
                    inner.positions.push(position as Position);
                    instance.frame == *frame && self.value(body, state, &inner) != 0
                }))
            }
        }
    }

    /// Whether `expr` holds in `state`.
    pub fn holds(&self, expr: &Expr, state: &Valuation, scope: &Scope) -> bool {
        self.value(expr, state, scope) != 0
    }

    /// The cell that `place` names in `state`; `None` outside an array, or where no such process lives.
    pub(super) fn cell(&self, place: &Place, state: &Valuation, scope: &Scope) -> Option<Cell> {
        let index = match &place.index {
            None => 0,
            Some(index) => usize::try_from(self.value(index, state, scope)).ok()?,
        };
        let (position, local) = match &place.owner {
            Owner::Global(slot) => {
                let slot = slot.index();
                return (index < state.globals[slot].len()).then_some(Cell::Global { slot, cell: index });
            }
            Owner::Role(role, local) => (usize::from(scope.positions[role.index()]), local.index()),
            Owner::At(frame, local, position) => {
                let position = usize::try_from(self.value(position, state, scope)).ok()?;
                state.pool.get(position).filter(|instance| instance.frame == *frame)?;
                (position, local.index())
            }
        };
        (index < state.pool[position].locals[local].len()).then_some(Cell::Local { position, local, cell: index })
    }
}
