//! Which values the cells of a system are expected to have: learned from some states, and widened where that was too little.
//!
//! A range is a guess and no more. A state is packed by these ranges, and a value that does not fit is always noticed, on the
//! card too: then the ranges grow, and the search begins again.

use lariat_base::IdVec;
use lariat_system::reference::Valuation;
use lariat_system::{FrameId, Interval, LocalId, Position, SlotId, System, Type};
use std::collections::BTreeMap;

/// The expected values of every cell.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ranges {
    /// Of the system's own slots; all cells of an array together.
    pub(crate) slots: IdVec<SlotId, Interval>,
    /// By position of the pool.
    pub(crate) positions: Vec<PositionRanges>,
}

/// What is expected at a position of the pool.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct PositionRanges {
    /// Whether there may be no process.
    pub(crate) may_be_empty: bool,
    /// The frames that may live there, with the values of their slots.
    pub(crate) frames: BTreeMap<FrameId, IdVec<LocalId, Interval>>,
}

/// A place that a value did not fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Site {
    /// A slot of the system.
    Slot(SlotId),
    /// A slot of a process at a position.
    Local(Position, FrameId, LocalId),
}

impl Ranges {
    /// What is so at the beginning of all runs: nobody lives, and all is as it is initially.
    pub(crate) fn blank(system: &System) -> Self {
        let of = |slot: &lariat_system::Slot| {
            slot.initial.iter().map(|&value| Interval::point(value)).reduce(Interval::hull).unwrap_or(Interval::BOOL)
        };
        let position = PositionRanges { may_be_empty: false, frames: BTreeMap::new() };
        Self { slots: system.slots.iter().map(of).collect(), positions: vec![position; usize::from(system.pool_size)] }
    }

    /// Takes note of a state. Of processes that have arguments no state may show the initial values.
    pub(crate) fn learn(&mut self, system: &System, state: &Valuation) {
        for (id, values) in system.slots.ids().zip(&state.globals) {
            let range = &mut self.slots[id];
            values.iter().for_each(|&value| *range = range.hull(Interval::point(value)));
        }
        for (number, position) in self.positions.iter_mut().enumerate() {
            let Some(instance) = state.pool.get(number) else {
                position.may_be_empty = true;
                continue;
            };
            let seen = |values: &Vec<i64>| {
                values.iter().map(|&value| Interval::point(value)).reduce(Interval::hull).unwrap_or(Interval::BOOL)
            };
            let first = || instance.locals.iter().map(seen).collect();
            let ranges = position.frames.entry(instance.frame).or_insert_with(first);
            for (id, values) in system.frames[instance.frame].slots.ids().zip(&instance.locals) {
                let range = &mut ranges[id];
                *range = range.hull(seen(values));
            }
        }
    }

    /// Makes room for values between these two at a site, and for some more, since more will come.
    pub(crate) fn widen(&mut self, system: &System, site: Site, least: i64, greatest: i64) {
        let (range, all) = match site {
            Site::Slot(slot) => (&mut self.slots[slot], system.range(system.slots[slot].ty)),
            Site::Local(position, frame, local) => {
                let all = system.range(system.frames[frame].slots[local].ty);
                let ranges = &mut self.positions[usize::from(position)].frames;
                (&mut ranges.entry(frame).or_insert_with(|| initial_locals(system, frame))[local], all)
            }
        };
        let needed = range.hull(Interval { lo: least, hi: greatest });
        // As much again on the side that was too short.
        let more = needed.hi.saturating_sub(needed.lo).max(1);
        let lo = if least < range.lo { needed.lo.saturating_sub(more) } else { needed.lo };
        let hi = if greatest > range.hi { needed.hi.saturating_add(more) } else { needed.hi };
        *range = Interval { lo: lo.max(all.lo), hi: hi.min(all.hi) };
    }

    /// Expects processes of this frame, or none, at a position.
    pub(crate) fn expect(&mut self, system: &System, position: Position, frame: Option<FrameId>) {
        let position = &mut self.positions[usize::from(position)];
        match frame {
            None => position.may_be_empty = true,
            Some(frame) => {
                position.frames.entry(frame).or_insert_with(|| initial_locals(system, frame));
            }
        }
    }

    /// Expects every value where control may be: transient states are not among those that ranges are learned from, and
    /// control goes to places there that no other state has. Positions where nobody was seen are empty.
    pub(crate) fn open_control(&mut self, system: &System) {
        for position in &mut self.positions {
            position.may_be_empty |= position.frames.is_empty();
            for (&frame, ranges) in &mut position.frames {
                if let Some(control) = system.frames[frame].control {
                    ranges[control] = system.range(system.frames[frame].slots[control].ty);
                }
            }
        }
        for (id, slot) in system.slots.entries() {
            if slot.ty == Type::Bool {
                self.slots[id] = Interval::BOOL;
            }
        }
    }

    /// All sites, in a fixed order: a card speaks of a site by its number.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let mut sites: Vec<Site> = self.slots.ids().map(Site::Slot).collect();
        for (number, position) in self.positions.iter().enumerate() {
            for (&frame, ranges) in &position.frames {
                sites.extend(ranges.ids().map(|local| Site::Local(number as Position, frame, local)));
            }
        }
        sites
    }
    /// The expected values at a site.
    pub(crate) fn at(&self, site: Site) -> Interval {
        match site {
            Site::Slot(slot) => self.slots[slot],
            Site::Local(position, frame, local) => self.positions[usize::from(position)].frames[&frame][local],
        }
    }
    /// Expects other values at a site.
    pub(crate) fn set(&mut self, site: Site, range: Interval) {
        match site {
            Site::Slot(slot) => self.slots[slot] = range,
            Site::Local(position, frame, local) => {
                let frames = &mut self.positions[usize::from(position)].frames;
                if let Some(ranges) = frames.get_mut(&frame) {
                    ranges[local] = range;
                }
            }
        }
    }
}

fn initial_locals(system: &System, frame: FrameId) -> IdVec<LocalId, Interval> {
    let of = |slot: &lariat_system::Slot| {
        slot.initial.iter().map(|&value| Interval::point(value)).reduce(Interval::hull).unwrap_or(Interval::BOOL)
    };
    system.frames[frame].slots.iter().map(of).collect()
}

/// The slot at a site.
pub(crate) fn slot_at(system: &System, site: Site) -> &lariat_system::Slot {
    match site {
        Site::Slot(slot) => &system.slots[slot],
        Site::Local(_, frame, local) => &system.frames[frame].slots[local],
    }
}

impl PositionRanges {
    /// What may be there, in the order of its codes: 0 is nobody where that is possible.
    pub(crate) fn kinds(&self) -> Vec<Option<FrameId>> {
        let empty = self.may_be_empty.then_some(None);
        empty.into_iter().chain(self.frames.keys().copied().map(Some)).collect()
    }
}
