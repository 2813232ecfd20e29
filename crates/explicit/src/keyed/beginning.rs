//! From states that are kept whole to keys.

use super::set::Known;
use crate::frontier::Frontier;
use crate::worker::Buffers;
use lariat_space::{KeyedSpace, KeyedSteps, Keys, StateSpace, WantedKeys};
use lariat_store::{Budget, Full, Handle, Store, TreeStore};

/// With so many states keys are first asked for. Few in tests, that keys be met there, and that they get more bits.
pub(super) const FEWEST_STATES: u64 = if cfg!(debug_assertions) { 24 } else { 1 << 12 };
/// With so many they are made, whether that pays yet or not.
const ENOUGH_STATES: u64 = if cfg!(debug_assertions) { 24 } else { 1 << 15 };
/// States looked at to find out whether keys say enough.
const TRIED: usize = 2048;

/// What came of asking for keys.
pub(super) enum Asked<'s, 'b> {
    NotYet,
    Never,
    Keys(Box<Beginning<'s, 'b>>),
}

/// The states of a search as keys, where it goes on with these.
pub(super) struct Beginning<'s, 'b> {
    pub(super) keyed: Box<dyn KeyedSpace<'s> + 's>,
    pub(super) known: Known<'b>,
    pub(super) next: Frontier<'b>,
}

impl<'s, 'b> Beginning<'s, 'b> {
    /// `store` has the states, `next` are those that wait.
    pub(super) fn of(
        space: &'s impl StateSpace,
        store: &TreeStore<'_>,
        next: impl Iterator<Item = Handle>,
        steps: u64,
        threads: usize,
        budget: &'b Budget,
    ) -> Asked<'s, 'b> {
        let words = space.words_per_state();
        // The states once more, and their keys.
        let Ok(_buffers) = Buffers::new(budget, store.len() * (words as u64 + 4) * size_of::<u64>() as u64) else {
            return Asked::Never;
        };
        let at_once = store.len() >= ENOUGH_STATES;
        let wanted = WantedKeys { steps, at_once, observed_bits: None };
        let keyed = space.keyed(wanted, &mut || store.whole_states().unwrap_or_default());
        let keyed = match keyed {
            Keys::Now(keyed) => keyed,
            Keys::Later if !at_once => return Asked::NotYet,
            Keys::Later | Keys::Never => return Asked::Never,
        };
        let Some(states) = store.whole_states() else { return Asked::Never };
        let mut keys = Vec::new();
        if !states.chunks_exact(words).all(|state| keyed.pack(state, &mut keys)) || !says_enough(&*keyed, &keys) {
            return Asked::Never;
        }
        let made = || -> Result<_, Full> {
            let set = Known::holding(&*keyed, &keys, threads, budget)?;
            let mut level = Frontier::new(budget);
            for number in next.map(TreeStore::whole_number) {
                level.push_keys(&keys[number * keyed.key_words()..][..keyed.key_words()])?;
            }
            Ok((set, level))
        };
        match made() {
            Ok((known, next)) => Asked::Keys(Box::new(Self { keyed, known, next })),
            Err(_) => Asked::Never,
        }
    }
}

/// Whether most states can be listed by keys alone.
fn says_enough(keyed: &dyn KeyedSpace<'_>, keys: &[u64]) -> bool {
    let key_words = keyed.key_words();
    let (mut lister, mut steps) = (keyed.lister(), KeyedSteps::default());
    let count = keys.len() / key_words;
    let (mut tried, mut left_out) = (0, 0);
    for key in keys.chunks_exact(key_words).step_by(count.div_ceil(TRIED).max(1)) {
        steps.clear();
        lister.list(key, &mut steps);
        (tried, left_out) = (tried + 1, left_out + steps.left_out.len());
    }
    // The last states lead to some that no key was learned from.
    cfg!(debug_assertions) || left_out * 16 <= tried
}
