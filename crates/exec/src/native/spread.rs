//! Which frames can live where.
//!
//! Where a process always stands at one position its fields are at fixed places, and code made for that position finds
//! them by constants. Positions are filled and emptied last-in-first-out, so the processes of the beginning stay where
//! they are, and whoever stands below a process that never leaves never leaves either.

use lariat_base::{Id, IdVec};
use lariat_system::{Action, FrameId, System, Update};

/// With more positions than this no code is made for single ones.
const MAX_POSITIONS: usize = 64;
/// A frame gets code for each of its positions if that makes at most so many actions.
const MAX_COPIES: usize = 256;

/// The frames that can live at each position of any reachable state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spread {
    /// By position; `None` if there are too many positions to tell them apart.
    pub(crate) possible: Option<Vec<Vec<FrameId>>>,
    /// So many of the oldest processes live for ever.
    pub(crate) permanent: usize,
    /// The frames that have code of their own for each position.
    fixed: IdVec<FrameId, bool>,
}

impl Spread {
    pub(crate) fn new(system: &System) -> Self {
        let positions = usize::from(system.pool_size);
        if positions > MAX_POSITIONS {
            return Self::anywhere(system);
        }
        let spawned = |updates: &[Update]| -> Vec<FrameId> {
            let frame = |update: &Update| match update {
                Update::Spawn { frame, .. } => Some(*frame),
                _ => None,
            };
            updates.iter().filter_map(frame).collect()
        };
        let first = spawned(&system.init.updates);
        let later: Vec<FrameId> = system
            .frames
            .ids()
            .filter(|frame| system.actions.iter().any(|action| spawned(&action.updates).contains(frame)))
            .collect();
        let leaves = |frame: FrameId| {
            let exits = |action: &Action| action.updates.contains(&Update::Exit);
            // An action of nobody that exits takes whoever is youngest.
            let concerns = |action: &Action| action.participants.first().is_none_or(|actor| *actor == frame);
            system.actions.iter().any(|action| exits(action) && concerns(action))
        };
        let permanent = first.iter().rposition(|&frame| !leaves(frame)).map_or(0, |last| last + 1).min(positions);
        let possible: Vec<Vec<FrameId>> = (0..positions)
            .map(|position| {
                let mut frames: Vec<FrameId> = first.get(position).copied().into_iter().collect();
                if position >= permanent {
                    frames.extend(&later);
                }
                frames.sort_unstable();
                frames.dedup();
                frames
            })
            .collect();
        let actions =
            |frame: FrameId| system.actions.iter().filter(|action| action.participants.first() == Some(&frame)).count();
        let fixed = system.frames.ids().map(|frame| {
            let copies = possible.iter().filter(|frames| frames.contains(&frame)).count();
            copies <= 1 || copies * actions(frame) <= MAX_COPIES
        });
        Self { fixed: fixed.collect(), possible: Some(possible), permanent }
    }

    /// Every frame can live everywhere, for all we know.
    pub(crate) fn anywhere(system: &System) -> Self {
        Self { possible: None, permanent: 0, fixed: system.frames.iter().map(|_| false).collect() }
    }

    /// The positions that code for the frame is made for, one by one; `None` if one piece of code does for all.
    pub(crate) fn fixed_positions(&self, frame: FrameId) -> Option<Vec<u32>> {
        let possible = self.possible.as_ref().filter(|_| self.fixed[frame])?;
        Some((0..possible.len()).filter(|&position| possible[position].contains(&frame)).map(|it| it as u32).collect())
    }
    /// Whether the process at `position` never leaves, so that nobody need ask.
    pub(crate) fn is_permanent(&self, position: u32) -> bool {
        (position as usize) < self.permanent
    }
}

/// For messages and names of functions.
pub(crate) fn name_of(frame: FrameId, position: Option<u32>) -> String {
    match position {
        Some(position) => format!("frame{}_at{position}", frame.index()),
        None => format!("frame{}", frame.index()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::Span;
    use lariat_system::Frame;

    #[test]
    fn who_starts_and_never_leaves_has_a_place() {
        let mut system = System::empty("spread");
        for name in ["a", "b", "c"] {
            let slots = IdVec::new();
            system.frames.push(Frame { name: name.into(), slots, control: None, span: Span::NONE });
        }
        let [a, b, c] = [FrameId(0), FrameId(1), FrameId(2)];
        let spawn = |frame| Update::Spawn { frame, arguments: Vec::new() };
        system.pool_size = 4;
        system.init.updates = vec![spawn(a), spawn(b), spawn(a)];
        let mut born = Action::new("born", vec![b]);
        born.updates.push(spawn(c));
        let mut gone = Action::new("gone", vec![a]);
        gone.updates.push(Update::Exit);
        system.actions.push(born);
        system.actions.push(gone);
        let spread = Spread::new(&system);
        assert_eq!(spread.permanent, 2);
        assert_eq!(spread.possible, Some(vec![vec![a], vec![b], vec![a, c], vec![c]]));
        assert_eq!(spread.fixed_positions(a), Some(vec![0, 2]));
    }
}
