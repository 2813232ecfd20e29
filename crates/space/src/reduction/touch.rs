//! What actions read and write, as sets that are compared fast.
//!
//! An *atom* is one thing that can be read or written: a cell of the system, a slot of the processes of a frame, a side of
//! the pool, or that somebody has come to a place. A slot of a process has two atoms: one for whoever touches its own slot,
//! one for whoever touches it from afar. Two different processes that touch their own slots do not meet, and every other
//! pair does.

use super::atoms::Atoms;
use super::places::PlaceId;
use super::rules::{Rule, Rules};
use lariat_base::{Id, IdVec};
use lariat_system::{Action, Cells, FrameId, LocalId, SlotId, Support, System, Update};

/// Somebody asks how many processes live, or who.
const POOL_READ: usize = 0;
/// Somebody creates a process.
const SPAWN: usize = 1;
/// Somebody ends.
const EXIT: usize = 2;
/// Arrays of more cells than this are one atom.
const MOST_CELLS: usize = 256;

/// The numbers of the atoms of a system.
#[derive(Debug)]
pub(super) struct Numbering {
    /// By slot of the system: its first atom, and how many cells have one of their own.
    slots: IdVec<SlotId, (usize, usize)>,
    /// By frame: the first atom of its slots; each has two.
    frames: IdVec<FrameId, usize>,
    /// The atom of the first place.
    places: usize,
    rules: Rules,
}

/// What a process reads and writes, now or later.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Accesses {
    /// What is read or written.
    touched: Atoms,
    /// What is written.
    written: Atoms,
}

impl Accesses {
    /// Whether some of the atoms are written.
    pub(super) fn write(&self, atoms: &Atoms) -> bool {
        self.written.meet(atoms)
    }
    /// Adds the other's accesses; whether there was a new one.
    pub(super) fn join(&mut self, other: &Accesses) -> bool {
        self.touched.join(&other.touched) | self.written.join(&other.written)
    }
}

/// The accesses of other processes that conflict with those of one process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Conflicts {
    /// Others must not touch these.
    writes: Atoms,
    /// Others must not write these.
    reads: Atoms,
}

impl Conflicts {
    pub(super) fn join(&mut self, other: &Conflicts) {
        self.writes.join(&other.writes);
        self.reads.join(&other.reads);
    }
    /// Whether the accesses of another process conflict.
    pub(super) fn meet(&self, others: &Accesses) -> bool {
        self.writes.meet(&others.touched) || self.reads.meet(&others.written)
    }
    /// Forgets what a rule is about that is left out.
    pub(super) fn forget(&mut self, rules: Rules) {
        for (rule, atoms) in [(Rule::ReadNotWritten, &mut self.reads), (Rule::WrittenNotTouched, &mut self.writes)] {
            if !rules.keep(rule) {
                *atoms = Atoms::default();
            }
        }
    }
    /// Whether what is written can be seen by who reads this.
    pub(super) fn show_in(&self, observed: &Atoms) -> bool {
        self.writes.meet(observed)
    }
}

impl Numbering {
    pub(super) fn new(system: &System, rules: Rules) -> Self {
        let mut next = EXIT + 1;
        let mut take = |count: usize| {
            next += count;
            next - count
        };
        let slots = system.slots.iter().map(|slot| {
            let cells = if slot.cells() <= MOST_CELLS { slot.cells() } else { 1 };
            (take(cells), cells)
        });
        let slots = slots.collect();
        let frames = system.frames.iter().map(|frame| take(2 * frame.slots.len())).collect();
        // They are the last, so that their number need not be known.
        let places = take(0);
        Self { slots, frames, places, rules }
    }

    fn add_global(&self, slot: SlotId, cell: Option<u32>, atoms: &mut Atoms) {
        let (first, cells) = self.slots[slot];
        match cell {
            Some(cell) if cells > 1 => atoms.insert(first + cell as usize),
            _ => (first..first + cells).for_each(|atom| atoms.insert(atom)),
        }
    }
    /// All of a slot of the system.
    pub(super) fn whole(&self, slot: SlotId) -> Atoms {
        let mut atoms = Atoms::default();
        self.add_global(slot, None, &mut atoms);
        atoms
    }
    fn own(&self, frame: FrameId, local: LocalId) -> usize {
        self.frames[frame] + 2 * local.index()
    }
    fn far(&self, frame: FrameId, local: LocalId) -> usize {
        self.own(frame, local) + 1
    }

    /// What an action does, seen from a process that takes no part in it. `ends` says that its actor leaves the pool.
    pub(super) fn accesses(&self, action: &Action, support: &Support, ends: bool) -> Accesses {
        let mut accesses = Accesses::default();
        let keep = |rule: Rule| self.rules.keep(rule);
        for cells in &support.reads {
            match *cells {
                Cells::Pool if !keep(Rule::PoolIsRead) => {}
                Cells::Pool => accesses.touched.insert(POOL_READ),
                other => self.add_seen(action, other, &mut accesses.touched),
            }
        }
        for cells in &support.may_write {
            match *cells {
                Cells::Pool if !keep(Rule::PoolIsWritten) => {}
                Cells::Pool => accesses.written.insert(SPAWN),
                other => self.add_seen(action, other, &mut accesses.written),
            }
        }
        if ends && keep(Rule::EndIsSeen) {
            accesses.written.insert(EXIT);
        }
        let written = accesses.written.clone();
        accesses.touched.join(&written);
        accesses
    }

    fn add_seen(&self, action: &Action, cells: Cells, atoms: &mut Atoms) {
        match cells {
            Cells::Global(slot, cell) => self.add_global(slot, cell, atoms),
            Cells::Participant(role, local, _) => atoms.insert(self.own(action.participants[role.index()], local)),
            Cells::Remote(frame, local) if self.rules.keep(Rule::SlotsFromAfar) => {
                atoms.insert(self.far(frame, local));
            }
            Cells::Remote(..) | Cells::Pool => {}
        }
    }

    /// Adds that it makes a difference whether somebody stands at the place.
    pub(super) fn await_arrival(&self, place: PlaceId, accesses: &mut Accesses) {
        accesses.touched.insert(self.places + place);
    }
    /// Adds that it makes a difference who is the youngest.
    pub(super) fn await_end(&self, accesses: &mut Accesses) {
        if self.rules.keep(Rule::AwaitedEnd) {
            accesses.touched.insert(POOL_READ);
        }
    }
    /// Adds that the process may come to the place.
    pub(super) fn arrive(&self, place: PlaceId, conflicts: &mut Conflicts) {
        if self.rules.keep(Rule::Arrival) {
            conflicts.writes.insert(self.places + place);
        }
    }

    /// What others must not do if an action of one process is to be the same before and after.
    pub(super) fn conflicts(&self, action: &Action, support: &Support, ends: bool) -> Conflicts {
        let mut conflicts = Conflicts::default();
        for cells in &support.reads {
            match *cells {
                Cells::Pool if !self.rules.keep(Rule::PoolIsKept) => {}
                Cells::Pool => [SPAWN, EXIT].into_iter().for_each(|atom| conflicts.reads.insert(atom)),
                other => self.add_conflict(action, other, &mut conflicts.reads),
            }
        }
        for cells in &support.may_write {
            self.add_conflict(action, *cells, &mut conflicts.writes);
        }
        // Who is left when one process ends has the same number as before, and can end no earlier than now.
        if ends && self.rules.keep(Rule::EndSees) {
            [POOL_READ, SPAWN].into_iter().for_each(|atom| conflicts.writes.insert(atom));
        }
        conflicts
    }

    fn add_conflict(&self, action: &Action, cells: Cells, atoms: &mut Atoms) {
        match cells {
            Cells::Global(slot, cell) => self.add_global(slot, cell, atoms),
            Cells::Participant(..) if !self.rules.keep(Rule::OwnSlots) => {}
            Cells::Participant(role, local, _) => atoms.insert(self.far(action.participants[role.index()], local)),
            Cells::Remote(frame, local) => {
                if self.rules.keep(Rule::SlotsOfOthers) {
                    atoms.insert(self.own(frame, local));
                }
                if self.rules.keep(Rule::SlotsOfOthersFromAfar) {
                    atoms.insert(self.far(frame, local));
                }
            }
            Cells::Pool => atoms.insert(POOL_READ),
        }
    }

    /// What an observer reads.
    pub(super) fn observed<'c>(&self, cells: impl IntoIterator<Item = &'c Cells>) -> Atoms {
        let mut atoms = Atoms::default();
        for cells in cells {
            match *cells {
                Cells::Global(slot, cell) => self.add_global(slot, cell, &mut atoms),
                Cells::Remote(frame, local) if self.rules.keep(Rule::VisibleSlots) => {
                    atoms.insert(self.far(frame, local));
                }
                Cells::Pool if self.rules.keep(Rule::VisiblePool) => atoms.insert(POOL_READ),
                Cells::Remote(..) | Cells::Pool | Cells::Participant(..) => {}
            }
        }
        atoms
    }
}

/// Whether the actor leaves the pool.
pub(super) fn ends(action: &Action) -> bool {
    action.updates.contains(&Update::Exit)
}
