//! What expressions mean, and which cells places name.

use super::{ChoiceValue, Encoded, Encoder};
use crate::arithmetic::{joined, of_wide};
use crate::{BitAlgebra, BitVec, binary, unary, wrap};
use lariat_base::Id;
use lariat_system::{BinaryOp, Expr, Field, FrameId, Interval, Owner, Place, Position, Slot, UnaryOp};

/// What an expression may speak of.
pub(super) struct View<'v, Bit> {
    /// The state it reads.
    pub(super) state: &'v [Bit],
    /// By role, the process bound to it.
    pub(super) roles: &'v [(FrameId, Position)],
    /// By choice.
    pub(super) choices: &'v [ChoiceValue<Bit>],
}

impl<Bit> Clone for View<'_, Bit> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Bit> Copy for View<'_, Bit> {}

/// The cells that a place may name. At most one of them is the one.
pub(super) struct Cells<'s, Bit> {
    /// The slot they belong to.
    pub(super) slot: &'s Slot,
    /// How their bits are read.
    pub(super) field: Field,
    /// Where each is meant, and its first bit.
    pub(super) candidates: Vec<(Bit, usize)>,
}

impl<A: BitAlgebra> Encoder<'_, A> {
    /// The value of `expr`.
    pub(super) fn value(&self, expr: &Expr, view: View<'_, A::Bit>) -> Encoded<A, BitVec<A::Bit>> {
        let algebra = &self.algebra;
        Ok(match expr {
            Expr::Const(value) => BitVec::constant(algebra, *value),
            Expr::Choice(choice) => view.choices[choice.index()].value.clone(),
            Expr::Read(place) => self.read(place, view)?,
            Expr::Position(role) => BitVec::constant(algebra, i64::from(view.roles[role.index()].1)),
            Expr::PoolCount => self.pool_count(view.state)?,
            Expr::Lives(..) | Expr::Exists(..) | Expr::Unary(UnaryOp::Not, _) => {
                BitVec::of_bit(algebra, self.holds(expr, view)?)
            }
            Expr::Binary(op, ..) if op.is_truth() => BitVec::of_bit(algebra, self.holds(expr, view)?),
            Expr::Unary(op, value) => unary(algebra, *op, &self.value(value, view)?)?,
            Expr::Binary(op, left, right) => binary(algebra, *op, &self.value(left, view)?, &self.value(right, view)?)?,
            Expr::Ite(parts) => {
                let condition = self.holds(&parts[0], view)?;
                match algebra.known(&condition) {
                    Some(true) => self.value(&parts[1], view)?,
                    Some(false) => self.value(&parts[2], view)?,
                    None => {
                        BitVec::ite(algebra, &condition, &self.value(&parts[1], view)?, &self.value(&parts[2], view)?)?
                    }
                }
            }
            Expr::Wrap { bits, signed, value } => wrap(algebra, *bits, *signed, &self.value(value, view)?),
            Expr::Wide(op, half, parts) => {
                let [a_high, a_low, b_high, b_low] = &**parts;
                let a = joined(algebra, &self.value(a_high, view)?, &self.value(a_low, view)?);
                let b = joined(algebra, &self.value(b_high, view)?, &self.value(b_low, view)?);
                of_wide(algebra, *op, *half, &a, &b)?
            }
        })
    }

    /// Where `expr` is not 0.
    pub(super) fn holds(&self, expr: &Expr, view: View<'_, A::Bit>) -> Encoded<A, A::Bit> {
        let algebra = &self.algebra;
        match expr {
            Expr::Lives(frame, position) => {
                let position = self.value(position, view)?;
                let nowhere = algebra.constant(false);
                self.positions().filter(|&at| position.range().contains(i64::from(at))).try_fold(
                    nowhere,
                    |lives, at| {
                        algebra.or_else(lives, || {
                            let here = position.is(algebra, i64::from(at))?;
                            algebra.and_then(here, || self.lives(view.state, *frame, at))
                        })
                    },
                )
            }
            Expr::Exists(frame, body) => {
                let mut roles = view.roles.to_vec();
                let mut found = algebra.constant(false);
                for at in self.positions() {
                    roles.push((*frame, at));
                    found = algebra.or_else(found, || {
                        let lives = self.lives(view.state, *frame, at)?;
                        algebra.and_then(lives, || self.holds(body, View { roles: &roles, ..view }))
                    })?;
                    roles.pop();
                }
                Ok(found)
            }
            Expr::Unary(UnaryOp::Not, value) => algebra.not(&self.holds(value, view)?),
            Expr::Binary(BinaryOp::And, left, right) => {
                algebra.and_then(self.holds(left, view)?, || self.holds(right, view))
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                algebra.or_else(self.holds(left, view)?, || self.holds(right, view))
            }
            Expr::Binary(op, left, right) if op.is_truth() => {
                let result = binary(algebra, *op, &self.value(left, view)?, &self.value(right, view)?)?;
                Ok(result.bits()[0].clone())
            }
            _ => self.value(expr, view)?.truth(algebra),
        }
    }

    /// Where every conjunct holds.
    pub(super) fn all_hold<'e>(
        &self,
        conjuncts: impl IntoIterator<Item = &'e Expr>,
        view: View<'_, A::Bit>,
    ) -> Encoded<A, A::Bit> {
        let nothing_yet = self.algebra.constant(true);
        conjuncts
            .into_iter()
            .try_fold(nothing_yet, |all, conjunct| self.algebra.and_then(all, || self.holds(conjunct, view)))
    }

    /// The cells that `place` may name, those left out that are known not to be meant.
    pub(super) fn cells(&self, place: &Place, view: View<'_, A::Bit>) -> Encoded<A, Cells<'_, A::Bit>> {
        let algebra = &self.algebra;
        let always = algebra.constant(true);
        let (slot, field, regions) = match &place.owner {
            Owner::Global(slot) => (&self.system.slots[*slot], self.layout.slots[*slot], vec![(always.clone(), 0)]),
            Owner::Role(role, local) => {
                let (frame, position) = view.roles[role.index()];
                let region = self.layout.region(usize::from(position));
                let slot = &self.system.frames[frame].slots[*local];
                (slot, self.layout.frames[frame][*local], vec![(always.clone(), region)])
            }
            Owner::At(frame, local, position) => {
                let position = self.value(position, view)?;
                let mut regions = Vec::new();
                for at in self.positions().filter(|&at| position.range().contains(i64::from(at))) {
                    let here = position.is(algebra, i64::from(at))?;
                    let meant = algebra.and_then(here, || self.lives(view.state, *frame, at))?;
                    regions.push((meant, self.layout.region(usize::from(at))));
                }
                (&self.system.frames[*frame].slots[*local], self.layout.frames[*frame][*local], regions)
            }
        };
        let mut offsets = Vec::new();
        match &place.index {
            None => offsets.push((always, field.bit_of(0))),
            Some(index) => {
                let index = self.value(index, view)?;
                let range = index.range();
                let (first, last) = (range.lo.max(0), range.hi.min(slot.cells() as i64 - 1));
                for cell in first..=last {
                    offsets.push((index.is(algebra, cell)?, field.bit_of(cell as usize)));
                }
            }
        }
        let mut candidates = Vec::new();
        for (here, region) in &regions {
            for (meant, offset) in &offsets {
                let meant = algebra.and_then(here.clone(), || Ok(meant.clone()))?;
                if algebra.known(&meant) != Some(false) {
                    candidates.push((meant, region + offset));
                }
            }
        }
        Ok(Cells { slot, field, candidates })
    }

    /// The content of the cell that `place` names, 0 where it names none.
    fn read(&self, place: &Place, view: View<'_, A::Bit>) -> Encoded<A, BitVec<A::Bit>> {
        let algebra = &self.algebra;
        let Cells { slot, field, candidates } = self.cells(place, view)?;
        let range = self.system.range(slot.ty);
        let content = |bit: usize| BitVec::of_offset(algebra, range, &view.state[bit..bit + usize::from(field.bits)]);
        if let [(meant, bit)] = candidates.as_slice()
            && algebra.known(meant) == Some(true)
        {
            return content(*bit);
        }
        let zero = BitVec::constant(algebra, 0);
        let nothing = BitVec::within(range.hull(zero.range()), zero.bits());
        candidates.iter().try_fold(nothing, |value, (meant, bit)| BitVec::ite(algebra, meant, &content(*bit)?, &value))
    }

    /// The number of living processes.
    fn pool_count(&self, state: &[A::Bit]) -> Encoded<A, BitVec<A::Bit>> {
        let most = self.layout.positions;
        let mut count = BitVec::within(Interval { lo: 0, hi: most as i64 }, &[self.algebra.constant(false)]);
        for living in 1..=most {
            let value = BitVec::constant(&self.algebra, living as i64);
            count = BitVec::ite(&self.algebra, &self.is_taken(state, living - 1)?, &value, &count)?;
        }
        Ok(count)
    }

    pub(super) fn positions(&self) -> impl Iterator<Item = Position> + use<A> {
        (0..self.layout.positions).map(|position| position as Position)
    }
}
