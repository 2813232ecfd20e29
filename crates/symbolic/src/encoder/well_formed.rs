//! Which rows of bits are states.

use super::{Encoded, Encoder};
use crate::BitAlgebra;
use lariat_system::{Field, FrameId, Interval, Slot};

impl<A: BitAlgebra> Encoder<'_, A> {
    /// Where the bits are a state: every cell has a value of its type, the living stand at the first positions, and
    /// every bit that means nothing is 0. Initial states are, and successors of states are.
    pub fn well_formed(&self, state: &[A::Bit]) -> Encoded<A, A::Bit> {
        let algebra = &self.algebra;
        let slots = self.system.slots.iter().zip(self.layout.slots.iter());
        let mut fine = self.cells_are_in_type(slots.clone(), &state[..self.layout.pool_bit], 0)?;
        for position in 0..self.layout.positions {
            let start = self.layout.region(position);
            let region = &state[start..start + self.layout.region_bits];
            let mut filled = self.all_zero(region)?;
            for frame in self.system.frames.ids() {
                let kind = self.lives(state, frame, position as u8)?;
                let cells = algebra.and_then(kind, || self.region_is_in_type(frame, region))?;
                filled = algebra.or_else(filled, || Ok(cells))?;
            }
            fine = algebra.and_then(fine, || Ok(filled))?;
            if position > 0 {
                let gap = self.algebra.not(&self.is_taken(state, position - 1)?)?;
                let gap = algebra.and_then(gap, || self.is_taken(state, position))?;
                fine = algebra.and_then(fine, || algebra.not(&gap))?;
            }
        }
        let end = self.layout.region(self.layout.positions);
        algebra.and_then(fine, || self.all_zero(&state[end..]))
    }

    /// Where `raw`, read as a natural number, is the offset of a value of `range` from its least.
    pub(super) fn offset_is_in(&self, range: Interval, raw: &[A::Bit]) -> Encoded<A, A::Bit> {
        let largest = range.hi.wrapping_sub(range.lo) as u64;
        // The highest place where they differ decides.
        raw.iter().enumerate().try_fold(self.algebra.constant(true), |fits, (place, bit)| {
            if largest >> place & 1 == 1 {
                self.algebra.or_else(self.algebra.not(bit)?, || Ok(fits))
            } else {
                self.algebra.and_then(self.algebra.not(bit)?, || Ok(fits))
            }
        })
    }

    fn region_is_in_type(&self, frame: FrameId, region: &[A::Bit]) -> Encoded<A, A::Bit> {
        let slots = self.system.frames[frame].slots.iter().zip(self.layout.frames[frame].iter());
        self.cells_are_in_type(slots, region, usize::from(self.layout.kind_bits))
    }

    /// Where every cell has a value of its type, and no bit from `start` on is set that belongs to none.
    fn cells_are_in_type<'s>(
        &self,
        slots: impl Iterator<Item = (&'s Slot, &'s Field)>,
        bits: &[A::Bit],
        start: usize,
    ) -> Encoded<A, A::Bit> {
        let algebra = &self.algebra;
        let mut fine = algebra.constant(true);
        let mut unused = vec![true; bits.len()];
        unused[..start].fill(false);
        for (slot, field) in slots {
            for cell in 0..slot.cells() {
                let place = field.bit_of(cell)..field.bit_of(cell) + usize::from(field.bits);
                unused[place.clone()].fill(false);
                fine = algebra.and_then(fine, || self.offset_is_in(self.system.range(slot.ty), &bits[place]))?;
            }
        }
        let rest: Vec<A::Bit> =
            bits.iter().zip(unused).filter(|(_, unused)| *unused).map(|(bit, _)| bit.clone()).collect();
        algebra.and_then(fine, || self.all_zero(&rest))
    }

    fn all_zero(&self, bits: &[A::Bit]) -> Encoded<A, A::Bit> {
        bits.iter()
            .try_fold(self.algebra.constant(true), |zero, bit| self.algebra.and_then(zero, || self.algebra.not(bit)))
    }
}
