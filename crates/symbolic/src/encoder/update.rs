//! Effects: every bit of the state after as a function of the state before.

use super::value::{Cells, View};
use super::{Encoded, Encoder};
use crate::{BitAlgebra, BitVec};
use lariat_base::Id;
use lariat_system::{Argument, FrameId, Update};

impl<A: BitAlgebra> Encoder<'_, A> {
    /// The state with the updates written. If they contain an exit, it is a state only where the acting process, role 0,
    /// is the youngest; if they spawn, only where there is room.
    pub(super) fn updated(&self, updates: &[Update], view: View<'_, A::Bit>) -> Encoded<A, Vec<A::Bit>> {
        let mut next = view.state.to_vec();
        let mut spawned = 0;
        let mut exits = None;
        for update in updates {
            match update {
                Update::Set(place, value) => {
                    let value = self.value(value, view)?;
                    let Cells { field, candidates, .. } = self.cells(place, view)?;
                    let offset = value.offset_from(&self.algebra, field.lo, usize::from(field.bits))?;
                    for (meant, bit) in candidates {
                        self.overwrite(&mut next[bit..], &meant, &offset)?;
                    }
                }
                Update::Spawn { frame, arguments } => {
                    let region = self.newborn(*frame, arguments, view)?;
                    // The n-th one that is spawned finds n more processes than lived before.
                    for position in spawned..self.layout.positions {
                        let here = self.count_is(view.state, position - spawned)?;
                        if self.algebra.known(&here) != Some(false) {
                            self.overwrite(&mut next[self.layout.region(position)..], &here, &region)?;
                        }
                    }
                    spawned += 1;
                }
                // Nothing of it remains, whatever was written to it or is written yet.
                Update::Exit => exits = view.roles.first(),
            }
        }
        if let Some((_, actor)) = exits {
            let region = self.layout.region(usize::from(*actor));
            next[region..region + self.layout.region_bits].fill(self.algebra.constant(false));
        }
        Ok(next)
    }

    /// Where the updates spawn more processes than there are free positions.
    pub(super) fn finds_no_room(&self, updates: &[Update], state: &[A::Bit]) -> Encoded<A, A::Bit> {
        let spawned = updates.iter().filter(|update| matches!(update, Update::Spawn { .. })).count();
        if spawned == 0 {
            return Ok(self.algebra.constant(false));
        }
        match self.layout.positions.checked_sub(spawned) {
            // There is room iff the living and the spawned together are at most all positions.
            Some(first_needed) => self.is_taken(state, first_needed),
            None => Ok(self.algebra.constant(true)),
        }
    }

    /// The region of a process that has just been spawned.
    fn newborn(&self, frame: FrameId, arguments: &[Argument], view: View<'_, A::Bit>) -> Encoded<A, Vec<A::Bit>> {
        let mut region = vec![self.algebra.constant(false); self.layout.region_bits];
        let mut write = |start: usize, bits: usize, value: &BitVec<A::Bit>, lo: i64| -> Encoded<A, ()> {
            let offset = value.offset_from(&self.algebra, lo, bits)?;
            region[start..start + bits].clone_from_slice(&offset);
            Ok(())
        };
        let kind = BitVec::constant(&self.algebra, frame.index() as i64 + 1);
        write(0, usize::from(self.layout.kind_bits), &kind, 0)?;
        for (local, slot) in self.system.frames[frame].slots.entries() {
            let field = self.layout.frames[frame][local];
            let mut cells: Vec<BitVec<A::Bit>> =
                (0..slot.cells()).map(|cell| BitVec::constant(&self.algebra, slot.initial_of(cell))).collect();
            for argument in arguments.iter().filter(|argument| argument.slot == local) {
                let value = self.value(&argument.value, view)?;
                match argument.cell {
                    Some(cell) => cells[cell as usize] = value,
                    None => cells.fill(value),
                }
            }
            for (cell, value) in cells.iter().enumerate() {
                write(field.bit_of(cell), usize::from(field.bits), value, field.lo)?;
            }
        }
        Ok(region)
    }

    /// Writes `bits` to the beginning of `target` where `condition` holds.
    fn overwrite(&self, target: &mut [A::Bit], condition: &A::Bit, bits: &[A::Bit]) -> Encoded<A, ()> {
        for (old, new) in target.iter_mut().zip(bits) {
            *old = self.algebra.ite(condition, new, old)?;
        }
        Ok(())
    }
}
