//! What workers tell each other, as words: shortfalls, failures, tallies. What is read is checked.

use lariat_base::Id;
use lariat_engine::{FailureKind, Shortfall};
use lariat_space::Move;
use lariat_subject::{Keep, Sighting, Stop, Tally};
use lariat_system::{ActionId, Fault, Position};
use std::time::Duration;

/// Reads words one after the other.
pub(crate) struct Reader<'a>(pub(crate) &'a [u64]);

impl<'a> Reader<'a> {
    pub(crate) fn word(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }
    pub(crate) fn words(&mut self, count: usize) -> Option<&'a [u64]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }
    /// A list behind its length.
    pub(crate) fn list(&mut self) -> Option<&'a [u64]> {
        let count = usize::try_from(self.word()?).ok()?;
        self.words(count)
    }
    /// How many things of at least one word each follow.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok().filter(|&count| count <= self.0.len())
    }
}

pub(crate) fn push_list(words: &mut Vec<u64>, list: &[u64]) {
    words.push(list.len() as u64);
    words.extend_from_slice(list);
}

/// Why a worker stops, as two words: nothing, or the least number wins where workers have different reasons.
pub(crate) fn stop_words(stop: Option<Stop>) -> [u64; 2] {
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    match stop {
        None => [0, 0],
        Some(Stop::PoolTooSmall) => [1, 0],
        Some(Stop::Short(Shortfall::Interrupted)) => [2, 0],
        Some(Stop::Short(Shortfall::Time { limit })) => [3, nanos(limit)],
        Some(Stop::Short(Shortfall::Memory { limit_bytes })) => [4, limit_bytes],
        Some(Stop::Short(Shortfall::Depth { limit })) => [5, limit],
        Some(Stop::Short(Shortfall::Disk)) => [6, 0],
        Some(Stop::Failure) => [7, 0],
        Some(Stop::Short(other)) => unreachable!("no search from state to state ends so: {other:?}"),
    }
}

fn stop_of(words: &[u64]) -> Option<Option<Stop>> {
    let &[kind, value] = words else { return None };
    Some(Some(match kind {
        0 => return Some(None),
        1 => Stop::PoolTooSmall,
        2 => Stop::Short(Shortfall::Interrupted),
        3 => Stop::Short(Shortfall::Time { limit: Duration::from_nanos(value) }),
        4 => Stop::Short(Shortfall::Memory { limit_bytes: value }),
        5 => Stop::Short(Shortfall::Depth { limit: value }),
        6 => Stop::Short(Shortfall::Disk),
        7 => Stop::Failure,
        _ => return None,
    }))
}

/// Why all stop, if one of them does: summaries begin with [`stop_words`]. `None` if one of them does not.
pub(crate) fn common_stop(summaries: &[Vec<u64>]) -> Option<Option<Stop>> {
    let mut least: Option<&[u64]> = None;
    for summary in summaries {
        let words = summary.get(..2)?;
        stop_of(words)?;
        if words[0] != 0 && least.is_none_or(|least| words < least) {
            least = Some(words);
        }
    }
    least.map_or(Some(None), stop_of)
}

const NOWHERE: u64 = u64::MAX;

fn push_moves(words: &mut Vec<u64>, moves: &[Move]) {
    words.push(moves.len() as u64);
    let position = |position: Option<Position>| position.map_or(NOWHERE, u64::from);
    for step in moves {
        words.extend([step.action.index() as u64, position(step.actor), position(step.peer)]);
    }
}

fn action(word: u64) -> Option<ActionId> {
    (word < u64::from(u32::MAX)).then(|| ActionId::new(word as usize))
}

fn moves(reader: &mut Reader<'_>) -> Option<Vec<Move>> {
    let position = |word: u64| match word {
        NOWHERE => Some(None),
        word => Position::try_from(word).ok().map(Some),
    };
    let count = reader.count()?;
    let mut read = || {
        let &[done, actor, peer] = reader.words(3)? else { return None };
        Some(Move { action: action(done)?, actor: position(actor)?, peer: position(peer)? })
    };
    (0..count).map(|_| read()).collect()
}

fn kind_words(kind: FailureKind) -> [u64; 3] {
    let index = |action: ActionId| action.index() as u64;
    match kind {
        FailureKind::InvalidEnd => [0, 0, 0],
        FailureKind::Fault(Fault::Trap(action, number)) => [1, index(action), u64::from(number)],
        FailureKind::Fault(Fault::PoolFull(action)) => [2, index(action), 0],
        FailureKind::Fault(Fault::EndlessAtomic(action)) => [3, index(action), 0],
        other => unreachable!("a search for states meets no such failure: {other:?}"),
    }
}

fn kind_of(words: &[u64]) -> Option<FailureKind> {
    let &[kind, of, number] = words else { return None };
    Some(match kind {
        0 => FailureKind::InvalidEnd,
        1 => FailureKind::Fault(Fault::Trap(action(of)?, u16::try_from(number).ok()?)),
        2 => FailureKind::Fault(Fault::PoolFull(action(of)?)),
        3 => FailureKind::Fault(Fault::EndlessAtomic(action(of)?)),
        _ => return None,
    })
}

/// All that a worker has counted and met.
pub(crate) fn push_tally(words: &mut Vec<u64>, tally: &Tally) {
    words.extend([tally.transitions, tally.work, tally.digest, tally.failures.count]);
    words.push(tally.failures.of_kind.len() as u64);
    for sighting in &tally.failures.of_kind {
        words.extend(kind_words(sighting.kind));
        words.push(sighting.depth);
        push_list(words, &sighting.state);
        push_moves(words, &sighting.via);
    }
    let taken = tally.taken.chunks(64).map(|bits| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit)));
    push_list(words, &taken.collect::<Vec<_>>());
    words.push(tally.cuts.len() as u64);
    words.extend(tally.cuts.iter().flat_map(|&(action, number)| [action.index() as u64, u64::from(number)]));
}

/// The most words of bits for actions: more are no tally of ours.
const MOST_TAKEN_WORDS: usize = 1 << 20;

/// The same again.
pub(crate) fn tally(reader: &mut Reader<'_>, state_words: usize) -> Option<Tally> {
    let mut tally = Tally::new(Keep::Least);
    let &[transitions, work, digest, count] = reader.words(4)? else { return None };
    (tally.transitions, tally.work, tally.digest) = (transitions, work, digest);
    for _ in 0..reader.count()? {
        let kind = kind_of(reader.words(3)?)?;
        let depth = reader.word()?;
        let state = reader.list().filter(|state| state.len() == state_words)?.to_vec();
        let via = moves(reader)?;
        tally.failures.of_kind.push(Sighting { kind, depth, state, via, path: None });
    }
    tally.failures.count = count;
    let taken = reader.list().filter(|words| words.len() <= MOST_TAKEN_WORDS)?;
    tally.taken = taken.iter().flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1)).collect();
    for _ in 0..reader.count()? {
        let &[cut, number] = reader.words(2)? else { return None };
        tally.cuts.insert((action(cut)?, u16::try_from(number).ok()?));
    }
    Some(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_are_read_as_they_were_written_and_cut_ones_are_refused() {
        let mut written = Tally::new(Keep::Least);
        let step = Move { action: ActionId::new(3), actor: Some(0), peer: None };
        written.take(&[step]);
        written.failures.add(FailureKind::Fault(Fault::Trap(ActionId::new(70), 2)), 5, &[1, 2], &[step, step]);
        written.failures.add(FailureKind::InvalidEnd, 4, &[u64::MAX, 0], &[]);
        written.cuts.insert((ActionId::new(9), 1));
        written.pass_one(ActionId::new(64));
        let mut words = Vec::new();
        push_tally(&mut words, &written);
        let read = tally(&mut Reader(&words), 2).expect("it is whole");
        assert_eq!(format!("{:?}", read.failures), format!("{:?}", written.failures));
        assert_eq!((read.transitions, read.digest, &read.cuts), (1, 0, &written.cuts));
        assert!(read.taken[..65].eq(&written.taken[..]) && !read.taken[65..].contains(&true));
        for len in 0..words.len() {
            assert!(tally(&mut Reader(&words[..len]), 2).is_none(), "{len} words");
        }
        assert!(tally(&mut Reader(&words), 3).is_none());
    }

    #[test]
    fn the_gravest_reason_stops_all() {
        let of = |stop| stop_words(stop).to_vec();
        let time = Stop::Short(Shortfall::Time { limit: Duration::from_secs(3) });
        assert!(matches!(common_stop(&[of(None), of(None)]), Some(None)));
        assert!(matches!(
            common_stop(&[of(None), of(Some(time)), of(Some(Stop::PoolTooSmall))]),
            Some(Some(Stop::PoolTooSmall))
        ));
        assert!(common_stop(&[vec![99, 0]]).is_none() && common_stop(&[vec![0]]).is_none());
    }
}
