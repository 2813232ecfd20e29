//! What an action reads and what it writes, found from its form alone.
//!
//! Engines use it to schedule, to partition, and to see that two actions do not disturb each other. The answer is on the
//! safe side: too much may be listed in `reads` and `may_write`, too little in `must_write`.
//!
//! Slots of processes are named relative to a firing: [`Cells::Participant`] is the process that a role of the action is
//! bound to. Where another process is meant, by a position or by [`Expr::Exists`], every process of the frame is.

use crate::{Action, ActionId, Expr, FrameId, LocalId, Owner, Place, Position, Role, Slot, SlotId, System, Update};
use lariat_base::IdVec;
use std::collections::BTreeSet;

/// A set of cells of the state that belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cells {
    /// One cell of a slot of the system, or every cell.
    Global(SlotId, Option<u32>),
    /// One cell of a slot of a participant, or every cell.
    Participant(Role, LocalId, Option<u32>),
    /// Every cell of a slot of every process of a frame.
    Remote(FrameId, LocalId),
    /// How many processes live, and of which frames they are. Whoever reads or writes a remote slot reads this too, so
    /// that the slots of a process need not be listed when it is created or ends.
    Pool,
}

/// What one action reads and writes.
///
/// Laws, for any firing of the action and between states in which every invariant holds:
/// * Of two states that differ only in cells outside `reads`, the firing is enabled in both or in none, with the same
///   rank, the same faults and the same labels, and it writes the same values.
/// * What it changes is in `may_write`.
/// * What is in `must_write` is written each time: if it is not in `reads`, the state afterwards does not depend on what
///   the cell held before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Support {
    /// What the firing depends on.
    pub reads: BTreeSet<Cells>,
    /// What it can change.
    pub may_write: BTreeSet<Cells>,
    /// What it always writes.
    pub must_write: BTreeSet<Cells>,
}

impl Cells {
    /// Whether a cell of a slot of the system is among them.
    pub fn hold_global(self, slot: SlotId, cell: u32) -> bool {
        matches!(self, Self::Global(own, which) if own == slot && which.is_none_or(|which| which == cell))
    }
    /// Whether a cell of the process of `frame` at `position` is among them, for a firing whose roles are bound to
    /// `positions`.
    pub fn hold_local(
        self,
        positions: &[Position],
        (position, frame): (Position, FrameId),
        local: LocalId,
        cell: u32,
    ) -> bool {
        match self {
            Self::Participant(role, own, which) => {
                own == local
                    && positions.get(role.index()) == Some(&position)
                    && which.is_none_or(|which| which == cell)
            }
            Self::Remote(own_frame, own) => own_frame == frame && own == local,
            Self::Global(..) | Self::Pool => false,
        }
    }
    /// Whether a cell of an action's can be one of another's, whoever takes part in the two. `mine` and `theirs` are the
    /// frames of the participants.
    pub fn may_meet(self, mine: &[FrameId], other: Cells, theirs: &[FrameId]) -> bool {
        let cells_meet = |a: Option<u32>, b: Option<u32>| a.zip(b).is_none_or(|(a, b)| a == b);
        match (self, other) {
            (Self::Global(a, i), Self::Global(b, j)) => a == b && cells_meet(i, j),
            (Self::Pool, Self::Pool) => true,
            (Self::Global(..) | Self::Pool, _) | (_, Self::Global(..) | Self::Pool) => false,
            _ => {
                let (frame, local, cell) = self.local_parts(mine);
                let (other_frame, other_local, other_cell) = other.local_parts(theirs);
                frame == other_frame && local == other_local && cells_meet(cell, other_cell)
            }
        }
    }
    fn local_parts(self, participants: &[FrameId]) -> (Option<FrameId>, Option<LocalId>, Option<u32>) {
        match self {
            Self::Participant(role, local, cell) => (participants.get(role.index()).copied(), Some(local), cell),
            Self::Remote(frame, local) => (Some(frame), Some(local), None),
            Self::Global(..) | Self::Pool => (None, None, None),
        }
    }
}

impl System {
    /// What an expression without roles in scope reads: a label, an invariant, the proper end.
    pub fn reads_of(&self, expr: &Expr) -> BTreeSet<Cells> {
        let mut reader = Reader::new(self, &[]);
        reader.expr(expr);
        reader.found
    }
    /// What each action reads and writes.
    pub fn supports(&self) -> IdVec<ActionId, Support> {
        let invariants: Vec<BTreeSet<Cells>> =
            self.invariants.iter().map(|invariant| self.reads_of(invariant)).collect();
        self.actions.iter().map(|action| self.support(action, &invariants)).collect()
    }

    fn support(&self, action: &Action, invariants: &[BTreeSet<Cells>]) -> Support {
        let mut support = Support::default();
        let mut reader = Reader::new(self, &action.participants);
        reader.expr(&action.rank);
        action.guard.conjuncts().for_each(|conjunct| reader.expr(conjunct));
        action.traps.iter().for_each(|trap| reader.expr(&trap.condition));
        action.labels.iter().for_each(|(_, condition)| reader.expr(condition));
        action.print.iter().flat_map(|print| &print.arguments).for_each(|argument| reader.expr(argument));
        let exits = action.updates.contains(&Update::Exit);
        for update in &action.updates {
            match update {
                Update::Set(place, value) => {
                    place.for_each_part(|part| reader.expr(part));
                    reader.expr(value);
                    // Whether anything is written depends on who lives there.
                    if matches!(place.owner, Owner::At(..)) {
                        reader.found.insert(Cells::Pool);
                    }
                    let Some(cells) = reader.cells(place) else { continue };
                    support.may_write.insert(cells);
                    let gone = exits && matches!(cells, Cells::Participant(Role::ACTOR, ..));
                    if !gone && is_settled(place) {
                        support.must_write.insert(cells);
                    }
                }
                Update::Spawn { arguments, .. } => {
                    arguments.iter().for_each(|argument| reader.expr(&argument.value));
                    reader.found.insert(Cells::Pool);
                    support.may_write.insert(Cells::Pool);
                    support.must_write.insert(Cells::Pool);
                }
                Update::Exit => {
                    reader.found.insert(Cells::Pool);
                    support.may_write.insert(Cells::Pool);
                    support.must_write.insert(Cells::Pool);
                }
            }
        }
        support.reads = reader.found;
        // A step that would break an invariant is not enabled; one that touches nothing of it cannot break it.
        for invariant in invariants {
            let touches =
                |written: &Cells| invariant.iter().any(|read| written.may_meet(&action.participants, *read, &[]));
            if support.may_write.iter().any(touches) {
                support.reads.extend(invariant);
            }
        }
        support
    }
}

/// Whether the place is the same one cell in every state.
fn is_settled(place: &Place) -> bool {
    let fixed = place.index.as_ref().is_none_or(|index| index.as_const().is_some());
    fixed && !matches!(place.owner, Owner::At(..))
}

/// Gathers what expressions read.
struct Reader<'a> {
    system: &'a System,
    participants: usize,
    roles: Vec<FrameId>,
    found: BTreeSet<Cells>,
}

impl<'a> Reader<'a> {
    fn new(system: &'a System, participants: &[FrameId]) -> Self {
        Self { system, participants: participants.len(), roles: participants.to_vec(), found: BTreeSet::new() }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Read(place) => {
                if let Some(cells) = self.cells(place) {
                    self.found.insert(cells);
                }
                if matches!(place.owner, Owner::At(..)) {
                    self.found.insert(Cells::Pool);
                }
            }
            Expr::PoolCount | Expr::Lives(..) => {
                self.found.insert(Cells::Pool);
            }
            Expr::Exists(frame, body) => {
                self.found.insert(Cells::Pool);
                self.roles.push(*frame);
                self.expr(body);
                self.roles.pop();
                return;
            }
            _ => {}
        }
        expr.for_each_part(|part| self.expr(part));
    }

    /// The cells that `place` can be; `None` if it is outside its array in every state.
    fn cells(&self, place: &Place) -> Option<Cells> {
        let slot: &Slot = self.system.slot_of(place, &self.roles);
        let cell = match place.index.as_ref().and_then(|index| index.as_const()) {
            None => None,
            Some(index) => Some(u32::try_from(index).ok().filter(|index| (*index as usize) < slot.cells())?),
        };
        Some(match &place.owner {
            Owner::Global(slot) => Cells::Global(*slot, cell),
            Owner::Role(role, local) if role.index() < self.participants => Cells::Participant(*role, *local, cell),
            Owner::Role(role, local) => Cells::Remote(self.roles[role.index()], *local),
            Owner::At(frame, local, _) => Cells::Remote(*frame, *local),
        })
    }
}
