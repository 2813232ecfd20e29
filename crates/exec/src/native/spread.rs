//! Which frames can live where.
//!
//! Where a process always stands at one position its fields are at fixed places, and code made for that position finds
//! them by constants. Positions are filled and emptied last-in-first-out, so the processes of the beginning stay where
//! they are, and whoever stands below a process that never leaves never leaves either.

use super::control::{control_after, first_stop, reachable};
use crate::compile::Program;
use crate::dispatch::StopId;
use lariat_base::{Id, IdVec};
use lariat_system::{Action, ActionId, FrameId, Role, System, Update};
use std::collections::BTreeSet;

/// With more positions than this no code is made for single ones.
const MAX_POSITIONS: usize = 64;
/// A frame gets code for each of its positions if that makes at most so many actions. More takes longer to compile than it
/// ever saves: for eight processes of thirty actions 50 ms, and no time per step could be measured.
const MAX_COPIES: usize = 96;

/// The time to compile a function grows faster than its length.
const ACTIONS_IN_ONE: usize = 150;

/// The frames that can live at each position of any reachable state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spread {
    /// By position; `None` if there are too many positions to tell them apart.
    pub possible: Option<Vec<Vec<FrameId>>>,
    /// So many of the oldest processes live for ever.
    pub permanent: usize,
    /// The frames that have code of their own for each position.
    fixed: IdVec<FrameId, bool>,
    /// A frame of more actions gets a function for each stop.
    pub actions_in_one: usize,
}

impl Spread {
    /// Those of `system`, of which this is the program.
    pub fn new(program: &Program, system: &System) -> Self {
        let positions = usize::from(system.pool_size);
        if positions > MAX_POSITIONS {
            return Self::anywhere(system);
        }
        let first = spawned(&system.init.updates);
        let leaving = leaving(program, system);
        let permanent = first.iter().rposition(|&frame| !leaving[frame]).map_or(0, |last| last + 1);
        let later = one_after_the_other(program, system, &first, &leaving).unwrap_or_else(|| {
            let later = system.actions.iter().flat_map(|action| spawned(&action.updates)).collect();
            vec![later; positions]
        });
        let possible: Vec<Vec<FrameId>> = (0..positions)
            .map(|position| {
                let stay = position < permanent;
                let mut frames: BTreeSet<FrameId> = if stay { BTreeSet::new() } else { later[position].clone() };
                frames.extend(first.get(position));
                frames.into_iter().collect()
            })
            .collect();
        let actions =
            |frame: FrameId| system.actions.iter().filter(|action| action.participants.first() == Some(&frame)).count();
        let fixed = system.frames.ids().map(|frame| {
            let copies = possible.iter().filter(|frames| frames.contains(&frame)).count();
            copies <= 1 || copies * actions(frame) <= MAX_COPIES
        });
        Self {
            fixed: fixed.collect(),
            permanent: permanent.min(positions),
            possible: Some(possible),
            actions_in_one: ACTIONS_IN_ONE,
        }
    }

    /// What is found in these states, one after the other, with code of its own for each position of every frame. `None` if
    /// that makes more than so many actions. Others may live elsewhere in other states.
    pub(crate) fn seen(program: &Program, system: &System, states: &[u64], most: usize) -> Option<Self> {
        let positions = usize::from(system.pool_size);
        if positions > MAX_POSITIONS {
            return None;
        }
        let mut possible: Vec<BTreeSet<FrameId>> = vec![BTreeSet::new(); positions];
        for state in states.chunks_exact(program.layout.words) {
            for (position, frames) in possible.iter_mut().enumerate() {
                frames.extend(program.layout.frame_at(state, position));
            }
        }
        let actions =
            |frame: &FrameId| system.actions.iter().filter(|action| action.participants.first() == Some(frame)).count();
        let copies: usize = possible.iter().flatten().map(actions).sum();
        let known = Self::new(program, system);
        let possible = possible.into_iter().map(|frames| frames.into_iter().collect()).collect();
        let fixed = system.frames.iter().map(|_| true).collect();
        (copies <= most).then_some(Self { possible: Some(possible), fixed, ..known })
    }

    /// Every frame can live everywhere, for all we know.
    pub fn anywhere(system: &System) -> Self {
        let fixed = system.frames.iter().map(|_| false).collect();
        Self { possible: None, permanent: 0, fixed, actions_in_one: ACTIONS_IN_ONE }
    }

    /// The positions that code for the frame is made for, one by one; `None` if one piece of code does for all.
    pub fn fixed_positions(&self, frame: FrameId) -> Option<Vec<u32>> {
        let possible = self.possible.as_ref().filter(|_| self.fixed[frame])?;
        Some((0..possible.len()).filter(|&position| possible[position].contains(&frame)).map(|it| it as u32).collect())
    }
    /// Whether the process at `position` never leaves, so that nobody need ask.
    pub(crate) fn is_permanent(&self, position: u32) -> bool {
        (position as usize) < self.permanent
    }
}

fn spawned(updates: &[Update]) -> Vec<FrameId> {
    let frame = |update: &Update| match update {
        Update::Spawn { frame, .. } => Some(*frame),
        _ => None,
    };
    updates.iter().filter_map(frame).collect()
}

/// The frames whose processes can leave: those that can come to an action that exits.
fn leaving(program: &Program, system: &System) -> IdVec<FrameId, bool> {
    let exits = |action: ActionId| system.actions[action].updates.contains(&Update::Exit);
    let leaves = |frame: FrameId, stops: Option<BTreeSet<StopId>>| match stops {
        Some(stops) => stops.into_iter().any(|stop| program.dispatch.actions(stop).iter().any(|&action| exits(action))),
        None => system.actions.entries().any(|(id, action)| exits(id) && action.participants.first() == Some(&frame)),
    };
    system.frames.ids().map(|frame| leaves(frame, reachable(program, system, frame))).collect()
}

/// Where processes are put if one process alone starts the others, as `init` does: by position, the frames. Its control
/// tells how many there are. `None` if there is no such process, or its control is not always known.
fn one_after_the_other(
    program: &Program,
    system: &System,
    first: &[FrameId],
    leaving: &IdVec<FrameId, bool>,
) -> Option<Vec<BTreeSet<FrameId>>> {
    let starts = |action: &&Action| !spawned(&action.updates).is_empty();
    let mut starters = system.actions.iter().filter(starts).map(|action| action.participants.first());
    let starter = *starters.next()??;
    let later: BTreeSet<FrameId> = system.actions.iter().flat_map(|action| spawned(&action.updates)).collect();
    let own = first.iter().position(|&frame| frame == starter)?;
    let is_alone = first.iter().filter(|&&frame| frame == starter).count() == 1 && !later.contains(&starter);
    let receives = system.actions.iter().any(|action| action.participants.get(1) == Some(&starter));
    if !is_alone || receives || starters.any(|other| other != Some(&starter)) {
        return None;
    }
    let someone_leaves = first[own + 1..].iter().chain(&later).any(|&frame| leaving[frame]);
    let begin = (first_stop(program, system, starter)?, first.len());
    let mut possible = vec![BTreeSet::new(); usize::from(system.pool_size)];
    let (mut known, mut open) = (BTreeSet::from([begin]), vec![begin]);
    while let Some((stop, count)) = open.pop() {
        let mut next: Vec<(StopId, usize)> = Vec::new();
        if someone_leaves && count > own + 1 {
            next.push((stop, count - 1));
        }
        for &action in program.dispatch.actions(stop) {
            let frames = spawned(&system.actions[action].updates);
            for (position, frame) in (count..possible.len()).zip(&frames) {
                possible[position].insert(*frame);
            }
            if count + frames.len() <= possible.len() {
                next.push((control_after(program, action, Role::ACTOR, stop)?, count + frames.len()));
            }
        }
        open.extend(next.into_iter().filter(|&found| known.insert(found)));
    }
    Some(possible)
}

/// For messages and names of functions.
pub(crate) fn name_of(frame: FrameId, position: Option<u32>) -> String {
    match position {
        Some(position) => format!("frame{}_at{position}", frame.index()),
        None => format!("frame{}", frame.index()),
    }
}
