//! The short way through an atomic sequence that never branches.
//!
//! Most atomic sequences are chains: at every state the holder can do one thing. What `path` keeps of transient states
//! serves to notice one that is met again, and the states of a chain cannot be:
//!
//! * Rows carry who took part so far. If no other firing of the source leaves a holder with no others than those who take
//!   part in this one, no path that begins elsewhere has a row of this chain.
//!   A further participant on the way would be another matter.
//! * A chain that comes back to itself runs for ever, and is given up after some actions.
//!
//! A chain has reported nothing when it is given up, because it branches, goes wrong, or is long: then `path` takes the
//! firing from its beginning. So the steps are the same, and in the same order, whichever way is taken.

use crate::head::Head;
use crate::path::Walk;
use crate::walk::Lister;
use lariat_space::{Outcome, Sink, Step};
use lariat_system::IDLE_RANK;
use std::ops::ControlFlow;

/// The longest chain that is followed here without remembering its states.
const LONGEST: usize = 64;
/// The same where machine code has followed the chain already, as far as it goes: little is left to be gained.
const LONGEST_AFTER_NATIVE: usize = 4;

impl<L: Lister, K: Sink> Walk<'_, L, K> {
    /// Whether the firing at `at` leaves a holder and can be followed as a chain, as far as the others tell: the records
    /// end at `end`, and those of rank `least` count.
    pub(crate) fn is_alone(&self, at: usize, end: usize, least: i64) -> bool {
        let records = &self.memory.records;
        let head = records.head(at);
        if !head.leaves_holder_only() {
            return false;
        }
        let width = records.shape.width;
        let rivals = |other: usize| {
            let rival = records.head(other);
            rival.holder().is_some()
                && !rival.has(Head::GUARD)
                && rival.takes_no_other(head)
                && records.is_of_rank(other, least)
        };
        if head.has_peer() {
            return !(0..end).step_by(width).any(|other| other != at && rivals(other));
        }
        // What one process does stands together.
        let is_its = |other: &usize| records.head(*other).has_actor_of(head);
        let before = (0..at).step_by(width).rev().take_while(is_its);
        let after = (at + width..end).step_by(width).take_while(is_its);
        !before.chain(after).any(rivals)
    }

    /// Follows the firing at `at`, which is alone, to the ordinary state at the end of its chain. Returns whether that
    /// was reported; if not, nothing was. The labels and participants of the row are those before the firing.
    pub(crate) fn chain(&mut self, mut at: usize) -> ControlFlow<K::Break, bool> {
        let program = self.program;
        let shape = program.row_shape(self.memory.records.shape);
        let labelled = program.label_words > 0;
        let begin = self.memory.records.end;
        let longest = if self.memory.records.shape.has_hops() { LONGEST_AFTER_NATIVE } else { LONGEST };
        self.memory.path.clear();
        loop {
            let memory = &mut *self.memory;
            let head = memory.records.head(at);
            memory.path.push(head.by());
            if labelled {
                program.mark(&memory.records, at, &mut memory.row);
            }
            let Some(holder) = head.holder() else {
                memory.shown.show(&memory.row[shape.state + 1..shape.labels_end]);
                let target = Outcome::State(memory.records.state(at));
                let flow = self.sink.step(Step::new(target, &memory.shown.labels, &memory.path));
                memory.path.clear();
                flow?;
                return ControlFlow::Continue(true);
            };
            memory.row[..shape.state].copy_from_slice(memory.records.state(at));
            memory.records.end = begin;
            memory.records.expect(IDLE_RANK - 1);
            let state = &memory.row[..shape.state];
            self.lister.list(state, head.count(), Some(holder), &mut memory.post, &mut memory.records);
            let records = &memory.records;
            if records.end == begin {
                memory.shown.show(&memory.row[shape.state + 1..shape.labels_end]);
                let flow = self.sink.step(Step::new(Outcome::State(state), &memory.shown.labels, &memory.path));
                memory.path.clear();
                flow?;
                return ControlFlow::Continue(true);
            }
            let one = records.end == begin + records.shape.width;
            // Others can be of a smaller rank only where ranks differ below that of the holder.
            let ranked = program.common_rank.is_none() && records.least > program.lowest_rank;
            let next = records.head(begin);
            if !one || ranked || !next.goes_on_simply() || next.has_peer() || memory.path.len() == longest {
                break;
            }
            at = begin;
        }
        self.memory.path.clear();
        self.memory.row[shape.state..].fill(0);
        ControlFlow::Continue(false)
    }
}
