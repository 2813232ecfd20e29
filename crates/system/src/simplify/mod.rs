//! Systems that do the same with fewer states: values that do not matter any more are forgotten.
//!
//! Two passes, each a system made from a system:
//!
//! * [`dead`]: a variable of a process that is written before it is read again, whatever the process does, gets its initial value when
//!   control comes to such a place.
//! * [`unread`]: a variable that nothing reads, except to compute what nothing reads, keeps its initial value.
//!
//! Slots, processes, actions, choices, traps and labels stay what they are, with their numbers, and so do the initial states. Forgetting is a function from the
//! states of the system to those of the simplified one. Its law: it is a bisimulation. A state and what it becomes have the same labels, and
//! the same firings (action, participants, values of choices), with the same faults, which lead to a state and to what that becomes. So every property has the
//! same answer, and every finite run the same length. A loop may have to be gone round several times before what was forgotten comes back, too; only states that differ in what is forgotten become one.
//!
//! A run of the simplified system is a run of the system by the same firings: `lariat_engine::lifted`.

mod dead;
mod unread;

use crate::{Cells, FrameId, LabelMeaning, LocalId, System};
use std::collections::BTreeSet;

/// Which passes are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Simplifications {
    /// Dead variables are reset.
    pub dead: bool,
    /// Variables that are never read are not kept.
    pub unread: bool,
}

impl Simplifications {
    /// All of them.
    pub const ALL: Self = Self { dead: true, unread: true };
    /// None.
    pub const NONE: Self = Self { dead: false, unread: false };
}

/// A system that does the same with fewer states.
#[derive(Clone, PartialEq, Debug)]
pub struct Simplified {
    /// The system.
    pub system: System,
    /// The variables that are reset somewhere, as `P.x`.
    pub reset: Vec<String>,
    /// The variables that are not kept.
    pub dropped: Vec<String>,
}

impl System {
    /// The system after these passes; `None` if they find nothing to forget.
    pub fn simplified(&self, what: Simplifications) -> Option<Simplified> {
        let mut found = Simplified { system: self.clone(), reset: Vec::new(), dropped: Vec::new() };
        if what.unread {
            found.dropped = unread::drop_unread(&mut found.system);
        }
        if what.dead {
            found.reset = dead::reset_dead(&mut found.system);
        }
        (!found.reset.is_empty() || !found.dropped.is_empty()).then_some(found)
    }

    /// What people call a variable of a process of the frame.
    fn local_name(&self, frame: FrameId, local: LocalId) -> String {
        format!("{}.{}", self.frames[frame].name, self.frames[frame].slots[local].name)
    }

    /// What is read at any time and by anybody: by labels, invariants, and to see whether a run may end.
    fn observed_cells(&self) -> BTreeSet<Cells> {
        let of_labels = self.labels.iter().filter_map(|label| match &label.meaning {
            LabelMeaning::State(condition) => Some(condition),
            LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => None,
        });
        let conditions = of_labels.chain(&self.invariants).chain([&self.proper_end]);
        conditions.flat_map(|condition| self.reads_of(condition)).collect()
    }
}
