//! Memories of visited states without handles, for searches that keep their own stack.
//!
//! A [`Store`](crate::Store) names every state it was given and gives it back. Who keeps the states of the current path
//! elsewhere can do with less: a memory that only says whether a state was visited before. It may be wrong about that, as
//! long as it says how often ([`Bitstate`](crate::Bitstate), [`Compact`](crate::Compact)), or forget states that are not on
//! the path, which costs time and nothing else ([`Cache`](crate::Cache)).

use crate::{Exactness, Full};
use lariat_space::State;

/// Which of two searches visits a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The search that goes everywhere.
    First,
    /// The search for a way back, of those that have one.
    Second,
}

impl Phase {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];
}

/// What a search by one thread has visited.
///
/// Laws: a state that was entered in a phase and not left yet is remembered as visited in it. A memory that is not lossy
/// never says of a state that it was visited in a phase unless it was. What it takes from its budget covers everything it
/// allocates.
pub trait Visited {
    /// Whether the state is remembered as visited in this phase.
    fn contains(&mut self, state: &State, phase: Phase) -> Result<bool, Full>;
    /// Visits a state: whether that is new, as far as is remembered. If so, it is on the path of the search until it is left.
    fn enter(&mut self, state: &State, phase: Phase) -> Result<bool, Full>;
    /// The state, which was new when it was entered, is on the path of this phase no more.
    fn leave(&mut self, state: &State, phase: Phase);
    /// Forgets all states, also those on a path, if it ever forgets any: whether it does. The figures of what it remembered
    /// before are kept.
    fn clear(&mut self) -> bool;
    /// Gives some memory back to the budget, if it can do with less.
    fn give_way(&mut self) -> bool {
        false
    }
    /// What there is to tell.
    fn figures(&self) -> Figures;
}

/// A memory that knows the path.
pub trait KnowsPath: Visited {
    /// Whether the state is on the path of the first search.
    fn is_open(&mut self, state: &State) -> Result<bool, Full>;
}

/// Figures of a memory of visited states.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    /// How often a state was new to the first search. Where nothing is forgotten, the number of states visited.
    pub insertions: u64,
    /// How often a state was forgotten to make room.
    pub evictions: u64,
    /// What it takes of memory.
    pub bytes: u64,
    /// Of a memory that forgets: how often each state was new on average, if that was counted.
    pub insertions_of_each: Option<f64>,
    /// If states can be taken for known that are new.
    pub losses: Option<Losses>,
    /// How many hash functions there are, where there are several.
    pub hashes: Option<u32>,
    /// The share of a table of bits that is set, at most so far.
    pub load: Option<f64>,
    /// How often half of a table was given up for the stack.
    pub folds: u32,
}

/// How many states are expected to have been taken for known when they were new.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// The new states of the search that lost most, in proportion.
    pub visited: u64,
    /// How many more were met by that search and are expected to have been taken for known.
    pub omitted: f64,
}

impl Losses {
    /// The probability that at least one state was omitted.
    pub fn probability(&self) -> f64 {
        -(-self.omitted).exp_m1()
    }

    /// How many states are expected to be missing, where `steps` steps lead to the visited ones. Beside the omitted states
    /// these are those that can be reached through missing states alone. A state is missing if it was omitted, or if all
    /// that it can be reached from is missing; the number of steps to a state is taken to be one more than a Poisson
    /// variable, with the mean that was seen.
    pub fn missed(&self, steps: u64) -> f64 {
        if self.visited == 0 {
            return 0.0;
        }
        let visited = self.visited as f64;
        let omitted = self.omitted / (visited + self.omitted);
        let others = (steps as f64 / visited - 1.0).max(0.0);
        let mut missing = omitted;
        for _ in 0..100 {
            missing = omitted + (1.0 - omitted) * missing * (others * (missing - 1.0)).exp();
        }
        visited * missing / (1.0 - missing).max(f64::EPSILON)
    }

    /// The share of the reachable states that is expected to have been visited.
    pub fn coverage(&self, steps: u64) -> f64 {
        if self.visited == 0 {
            return 1.0;
        }
        let visited = self.visited as f64;
        visited / (visited + self.missed(steps))
    }
}

impl Figures {
    /// Whether the memory could be relied upon by a search that saw `steps` steps.
    pub fn exactness(&self, steps: u64) -> Exactness {
        match &self.losses {
            None => Exactness::Exact,
            Some(losses) => Exactness::Lossy { coverage: losses.coverage(steps) },
        }
    }
}

/// What a lossy memory counts, by phase.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    visited: [u64; 2],
    omitted: [f64; 2],
}

impl Count {
    /// A state was new, where one in `1 / chance` new ones would have been taken for known.
    #[inline]
    pub(crate) fn add(&mut self, phase: Phase, chance: f64) {
        self.visited[phase as usize] += 1;
        // Before this one was taken for new, so many others are expected to have been taken for known.
        self.omitted[phase as usize] += chance / (1.0 - chance).max(f64::EPSILON);
    }
    pub(crate) fn visited(&self, phase: Phase) -> u64 {
        self.visited[phase as usize]
    }
    /// Of the phase that lost most, in proportion.
    pub(crate) fn losses(&self) -> Losses {
        let of = |phase: Phase| Losses { visited: self.visited[phase as usize], omitted: self.omitted[phase as usize] };
        let share = |losses: &Losses| losses.omitted / losses.visited.max(1) as f64;
        let (first, second) = (of(Phase::First), of(Phase::Second));
        if share(&second) > share(&first) { second } else { first }
    }
}

/// Two words that depend on every bit of a state and of the seed. Of two seeds neither tells anything about what the other
/// makes of any state.
#[inline]
pub(crate) fn hash_seeded(state: &State, seed: u64) -> (u64, u64) {
    // For short states a difference of one in the seed is undone by one in the state: seeds must have nothing in common.
    let seed = scrambled(seed);
    let mut bytes = [0; 256];
    let hash = match bytes.get_mut(..state.len() * 8) {
        Some(bytes) => {
            bytes.chunks_exact_mut(8).zip(state).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_le_bytes()));
            xxhash_rust::xxh3::xxh3_128_with_seed(bytes, seed)
        }
        None => {
            let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(seed);
            state.iter().for_each(|word| hasher.update(&word.to_le_bytes()));
            hasher.digest128()
        }
    };
    ((hash >> 64) as u64, hash as u64)
}

/// Another number for each number, by which nobody would know them (splitmix64).
fn scrambled(number: u64) -> u64 {
    let number = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// A number below `bound` that depends on the upper bits of the hash first.
#[inline]
pub(crate) fn scaled(hash: u64, bound: usize) -> usize {
    ((u128::from(hash) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_seeds_make_of_states_side_by_side_has_nothing_in_common() {
        for words in 1..=6 {
            let mut known = std::collections::HashSet::new();
            for (seed, number, last) in (0..4).flat_map(|seed| (0..256).map(move |n| (seed, n / 8, n % 8))) {
                let mut state = vec![0; words];
                state[0] = number << 8;
                state[words - 1] ^= last;
                assert!(known.insert(hash_seeded(&state, seed)), "{words} words: {number}, {last}, seed {seed}");
            }
        }
    }

    #[test]
    fn nothing_is_missing_where_nothing_was_omitted_and_more_where_ways_are_few() {
        let losses = |omitted| Losses { visited: 1000, omitted };
        assert_eq!((losses(0.0).missed(2000), losses(0.0).coverage(2000)), (0.0, 1.0));
        assert_eq!(losses(0.0).probability(), 0.0);
        let (tree, sparse, dense) = (losses(10.0).missed(1010), losses(10.0).missed(2000), losses(10.0).missed(8000));
        assert!(tree > 2.0 * sparse && sparse > dense && dense >= 10.0, "{tree} {sparse} {dense}");
        assert!(losses(10.0).coverage(8000) < 0.991);
        assert!(losses(10.0).probability() > 0.9999);
    }
}
