//! Where processes can stand, and where they can go from there.

use lariat_base::IdVec;
use lariat_system::{ActionId, FrameId, Layout, LocalId, Role, System, Update};

/// A number of a place: a frame together with a value of its control slot.
pub(super) type PlaceId = usize;

/// Control slots with more values than this are not looked at.
const MOST_VALUES: i128 = 1 << 14;

/// The places of a system.
#[derive(Debug)]
pub(super) struct Places {
    frames: IdVec<FrameId, FramePlaces>,
    pub(super) list: Vec<Place>,
}

/// The places of one frame.
#[derive(Debug)]
struct FramePlaces {
    first: PlaceId,
    count: usize,
    /// The control slot and its least value; without it the frame is one place.
    control: Option<(LocalId, i64)>,
}

/// What can happen to a process that stands there.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) frame: FrameId,
    /// Whether the place says where control is.
    pub(super) is_known: bool,
    pub(super) ways: Vec<Way>,
}

/// One action, with the process in one role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) action: ActionId,
    pub(super) role: Role,
    /// Where it leads; `None` if the process ends.
    pub(super) to: Option<PlaceId>,
    /// Whether the process keeps control.
    pub(super) holds: bool,
}

impl Places {
    pub(super) fn new(system: &System) -> Self {
        let mut places = Self { frames: IdVec::new(), list: Vec::new() };
        for (frame, form) in system.frames.entries() {
            let first = places.list.len();
            let known = form.control.zip(system.control_edges(frame)).filter(|(control, edges)| {
                let range = system.range(form.slots[*control].ty);
                let within = |value: i64| range.lo <= value && value <= range.hi;
                i128::from(range.hi) - i128::from(range.lo) < MOST_VALUES
                    && edges.iter().all(|edge| within(edge.from) && edge.to.is_none_or(within))
            });
            let holds = |action: ActionId, role: Role| system.actions[action].hold == Some(role);
            let Some((control, edges)) = known else {
                let mut ways = Vec::new();
                for (action, form) in system.actions.entries() {
                    for (number, _) in form.participants.iter().enumerate().filter(|(_, own)| **own == frame) {
                        let role = Role(number as u8);
                        ways.push(Way { action, role, to: Some(first), holds: holds(action, role) });
                    }
                }
                places.list.push(Place { frame, is_known: false, ways });
                places.frames.push(FramePlaces { first, count: 1, control: None });
                continue;
            };
            let range = system.range(form.slots[control].ty);
            let place = |value: i64| first + (value - range.lo) as usize;
            let count = place(range.hi) + 1 - first;
            places.list.extend((0..count).map(|_| Place { frame, is_known: true, ways: Vec::new() }));
            for edge in edges {
                let (action, role, to) = (edge.action, edge.role, edge.to.map(place));
                places.list[place(edge.from)].ways.push(Way { action, role, to, holds: holds(action, role) });
            }
            places.frames.push(FramePlaces { first, count, control: Some((control, range.lo)) });
        }
        places
    }

    /// Where the process at `position` stands; `None` if nobody lives there.
    pub(super) fn place_at(&self, layout: &Layout, words: &[u64], position: usize) -> Option<PlaceId> {
        let frame = layout.frame_at(words, position)?;
        let places = &self.frames[frame];
        let Some((control, lo)) = places.control else { return Some(places.first) };
        let value = layout.frames[frame][control].get(words, layout.region(position), 0);
        Some(places.first + (value - lo) as usize)
    }

    /// Where processes may begin that somebody who stands at the place creates next.
    pub(super) fn born(&self, system: &System, place: PlaceId) -> Vec<PlaceId> {
        let updates = self.list[place].ways.iter().flat_map(|way| &system.actions[way.action].updates);
        let mut begins = Vec::new();
        for update in updates {
            let Update::Spawn { frame, arguments } = update else { continue };
            let FramePlaces { first, count, control } = self.frames[*frame];
            match control {
                Some((local, lo)) if !arguments.iter().any(|argument| argument.slot == local) => {
                    let initial = system.frames[*frame].slots[local].initial_of(0);
                    begins.push(first + (initial - lo) as usize);
                }
                _ => begins.extend(first..first + count),
            }
        }
        begins
    }
}
