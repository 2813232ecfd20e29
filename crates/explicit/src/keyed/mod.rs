//! Breadth-first search of states that are keys.
//!
//! It begins as any breadth-first search, with states kept whole. Between two levels, when there is enough to learn from, the
//! space is asked for [keys](lariat_space::KeyedSpace). From then on machine code lists the keys that keys lead to, and a
//! [set](set::Known) of keys says which are new: states are made of keys again only to be hashed for the digest, and for what
//! keys do not say.
//!
//! What the machine code leaves out is listed by the space itself. A state that has no key is put aside, and when there are many
//! of these, or the level has ended, keys get more bits. Where there are no more bits, the search begins anew without keys.

mod by_states;
mod levels;
mod set;

use crate::bfs::traces;
use crate::frontier::Frontier;
use crate::levels::{Levels, level_threads, merge_threads, next_level, steps_so_far};
use crate::record::NoRecorder;
use crate::scout::Scouts;
use crate::worker::{Buffers, Job};
use lariat_engine::{PoolTooSmall, Report};
use lariat_space::{AnySpace, KeyedSpace, KeyedSteps, Keys, StateSpace};
use lariat_store::{Budget, Exactness, Full, Handle, Store, TreeStore};
use lariat_subject::{Ending, Keep, Memory, Tally, report};
use levels::{Ended, KeyedLevels};
use set::{Known, Lookup};

/// With so many states keys are first asked for. Few in tests, that keys be met there, and that they get more bits.
const FEWEST_STATES: u64 = if cfg!(debug_assertions) { 24 } else { 1 << 12 };
/// With so many they are made, whether that pays yet or not.
const ENOUGH_STATES: u64 = if cfg!(debug_assertions) { 24 } else { 1 << 15 };
/// So many are kept whole for it.
const KEPT_WHOLE: u64 = 1 << 16;
/// States looked at to find out whether keys say enough.
const TRIED: usize = 2048;

/// What a search with keys comes to, if it can be one; `None` if it is to be made without.
pub(crate) fn keyed_bfs<S: StateSpace>(
    space: &S,
    job: Job<'_>,
    scouts: Option<&Scouts<'_>>,
) -> Result<Option<Report>, PoolTooSmall> {
    let Job { options, control, .. } = job;
    // Code for keys does not pay for the few states after which a search is to begin anew; in tests it is met there too.
    let is_short = control.has_states_limit() && !cfg!(debug_assertions);
    if is_short || options.depth_limit.is_some() || !space.will_be_keyed() {
        return Ok(None);
    }
    let shown = control.counters.shown();
    let Some((tally, ending)) = search(space, job, scouts)? else {
        control.counters.show(shown);
        return Ok(None);
    };
    let words = space.words_per_state();
    let make_store = || TreeStore::new(words, &control.budget);
    let traces = traces(space, &make_store, &tally.failures, options, control);
    Ok(Some(report(tally, traces, &ending, options, control)))
}

/// Searches, with keys as soon as there are some. `None` if keys did not suffice.
fn search<S: StateSpace>(
    space: &S,
    job: Job<'_>,
    scouts: Option<&Scouts<'_>>,
) -> Result<Option<(Tally, Ending)>, PoolTooSmall> {
    let Job { options, control, .. } = job;
    let words = space.words_per_state();
    let at_once = |full: Full| {
        let memory = Memory { states: 0, store_bytes: 0, exactness: Exactness::Exact, figures: None };
        Ending::of(memory, 0, Err(full.into())).map(|ending| Some((Tally::new(Keep::Least), ending)))
    };
    let store = match TreeStore::learning_from(KEPT_WHOLE, words, &control.budget) {
        Ok(store) => store,
        Err(full) => return at_once(full),
    };
    let mut threads = match level_threads(space, job, &NoRecorder) {
        Ok(threads) => threads,
        Err(full) => return at_once(full),
    };
    let mut levels = Levels::new(&store, control);
    let mut ended = levels.begin(&mut threads, &|_| false);
    let mut waits = true;
    while ended.is_ok() {
        match levels.advance(&mut threads, options, scouts, &|_| false, &mut |_, _| Ok(())) {
            Ok(true) => {}
            Ok(false) => break,
            Err(stop) => ended = Err(stop),
        }
        if waits && ended.is_ok() && store.len() >= FEWEST_STATES {
            let steps = steps_so_far(&threads);
            match Beginning::of(space, &store, next_level(&threads), steps, options.threads, &control.budget) {
                Asked::NotYet => {}
                Asked::Never => {
                    waits = false;
                    store.learn_as_usual();
                }
                Asked::Keys(beginning) => {
                    let (depth, expanded) = (levels.depth(), levels.expanded());
                    let (tally, _) = merge_threads(threads);
                    drop(store);
                    return beginning.search(AnySpace::new(space), job, scouts, tally, depth, expanded);
                }
            }
        }
    }
    let depth = levels.depth();
    let (tally, _) = merge_threads(threads);
    let ending = Ending::new(&store, depth, ended)?;
    Ok(Some((tally, ending)))
}

/// What came of asking for keys.
enum Asked<'s, 'b> {
    NotYet,
    Never,
    Keys(Box<Beginning<'s, 'b>>),
}

/// The states of a search as keys, where it goes on with these.
struct Beginning<'s, 'b> {
    keyed: Box<dyn KeyedSpace<'s> + 's>,
    known: Known<'b>,
    next: Frontier<'b>,
}

impl<'s, 'b> Beginning<'s, 'b> {
    fn of(
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
        let keyed = space.keyed(steps, at_once, &mut || store.whole_states().unwrap_or_default());
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
            let Some(known) = Known::holding(&*keyed, &keys, threads, budget)? else { return Ok(None) };
            let (mut level, mut with) = (Frontier::new(budget), Lookup::new(keyed.key_words()));
            for number in next.map(TreeStore::whole_number) {
                let key = &keys[number * keyed.key_words()..][..keyed.key_words()];
                level.push_keys(&known.as_waiting(key, &mut with)?)?;
            }
            Ok(Some((known, level)))
        };
        match made() {
            Ok(Some((known, next))) => Asked::Keys(Box::new(Self { keyed, known, next })),
            Ok(None) | Err(_) => Asked::Never,
        }
    }

    /// Goes on with the search, which has met these things so far. `None` if keys did not suffice.
    fn search(
        self,
        space: AnySpace<'_>,
        job: Job<'b>,
        scouts: Option<&Scouts<'_>>,
        mut tally: Tally,
        depth: u64,
        expanded: u64,
    ) -> Result<Option<(Tally, Ending)>, PoolTooSmall> {
        let Self { keyed, known, next } = self;
        let mut search = KeyedLevels::new(job, keyed, known, depth, expanded);
        let ended = search.run(space, next, scouts, &mut tally);
        let ended = match ended {
            Ok(()) => Ok(()),
            Err(Ended::Stopped(stop)) => Err(stop),
            Err(Ended::NoMoreBits) => return Ok(None),
        };
        let (states, store_bytes, depth) = (search.known.len(), search.known.bytes(), search.depth);
        drop(search);
        let exactness = Exactness::Exact;
        let ending = Ending::of(Memory { states, store_bytes, exactness, figures: None }, depth, ended)?;
        Ok(Some((tally, ending)))
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
