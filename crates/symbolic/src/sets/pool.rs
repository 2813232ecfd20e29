//! Which kinds of processes may live at which position, seen from the updates alone: too much may be listed.

use lariat_base::Id;
use lariat_system::{FrameId, System, Update};

/// By position, then by frame.
pub(super) fn kinds(system: &System) -> Vec<Vec<bool>> {
    let positions = usize::from(system.pool_size);
    let mut kinds = vec![vec![false; system.frames.len()]; positions];
    let spawned = |updates: &[Update]| -> Vec<FrameId> {
        let frame = |update: &Update| if let Update::Spawn { frame, .. } = update { Some(*frame) } else { None };
        updates.iter().filter_map(frame).collect()
    };
    for (position, frame) in spawned(&system.init.updates).into_iter().enumerate().take(positions) {
        kinds[position][frame.index()] = true;
    }
    let actions: Vec<(Option<FrameId>, Vec<FrameId>)> =
        system.actions.iter().map(|action| (action.participants.first().copied(), spawned(&action.updates))).collect();
    loop {
        let mut more = kinds.clone();
        for (actor, spawned) in actions.iter().filter(|(_, spawned)| !spawned.is_empty()) {
            // The acting process is alive, so whoever is new stands above it.
            let lowest = match actor {
                Some(actor) => kinds.iter().position(|frames| frames[actor.index()]).map(|position| position + 1),
                None => Some(0),
            };
            for frames in more.iter_mut().take(positions).skip(lowest.unwrap_or(positions)) {
                spawned.iter().for_each(|frame| frames[frame.index()] = true);
            }
        }
        if more == kinds {
            return kinds;
        }
        kinds = more;
    }
}
