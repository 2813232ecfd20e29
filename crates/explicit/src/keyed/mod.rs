//! Breadth-first search of states that are keys.
//!
//! It begins as any breadth-first search, with states kept whole. Between two levels, when there is enough to learn from, the
//! space is asked for [keys](lariat_space::KeyedSpace). From then on machine code lists the keys that keys lead to, and a
//! [set](set::Known) of keys says which are new: states are made of keys again only to be hashed for the digest, and for what
//! keys do not say.
//!
//! What the machine code leaves out is listed by the space itself. A state that has no key is put aside, and when there are many
//! of these, or the level has ended, keys get more bits. Where there are no more bits, the search begins anew without keys.

mod beginning;
mod by_states;
mod layers;
mod levels;
mod set;

pub(crate) use layers::keyed_layers;

use crate::bfs::traces;
use crate::levels::{Levels, level_threads, merge_threads, next_level, steps_so_far};
use crate::record::NoRecorder;
use crate::scout::Scouts;
use crate::worker::Job;
use beginning::{Asked, Beginning, FEWEST_STATES};
use lariat_engine::{PoolTooSmall, Report, RunControl};
use lariat_space::{AnySpace, StateSpace};
use lariat_store::{Exactness, Full, Store, TreeStore};
use lariat_subject::{Ending, Keep, Memory, Tally, report};
use levels::{Ended, KeyedLevels};

/// So many are kept whole for it.
const KEPT_WHOLE: u64 = 1 << 16;

/// What a search with keys comes to, if it can be one; `None` if it is to be made without.
pub(crate) fn keyed_bfs<S: StateSpace>(
    space: &S,
    job: Job<'_>,
    scouts: Option<&Scouts<'_>>,
) -> Result<Option<Report>, PoolTooSmall> {
    let Job { options, control, .. } = job;
    if options.depth_limit.is_some() || !may_have_keys(space, control) {
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

/// Whether the states of a search may become keys.
fn may_have_keys(space: &impl StateSpace, control: &RunControl) -> bool {
    // Code for keys does not pay for the few states after which a search is to begin anew; in tests it is met there too.
    let is_short = control.has_states_limit() && !cfg!(debug_assertions);
    !is_short && space.will_be_keyed()
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
                    let (mut tally, _) = merge_threads(threads);
                    drop(store);
                    let Beginning { keyed, known, next } = *beginning;
                    let mut search = KeyedLevels::new(job, keyed, known, None, depth, expanded);
                    let ended = match search.run(AnySpace::new(space), next, scouts, &mut tally) {
                        Ok(()) => Ok(()),
                        Err(Ended::Stopped(stop)) => Err(stop),
                        Err(Ended::NoMoreBits | Ended::MetAside) => return Ok(None),
                    };
                    let (depth, memory) = (search.depth, search.memory());
                    drop(search);
                    return Ok(Some((tally, Ending::of(memory, depth, ended)?)));
                }
            }
        }
    }
    let depth = levels.depth();
    let (tally, _) = merge_threads(threads);
    let ending = Ending::new(&store, depth, ended)?;
    Ok(Some((tally, ending)))
}
