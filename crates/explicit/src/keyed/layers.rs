//! The same where cycles are looked for: components of an automaton that rule them out, gone through level by level as keys.
//!
//! It begins as [that search](crate::cycle) does for states, and goes on with keys unless a state was met by then that can be on
//! an accepting cycle. If one is met later, the search begins anew without keys: most properties that hold never come to that.

use super::beginning::{Asked, Beginning, FEWEST_STATES};
use super::levels::{Ended, KeyedLevels};
use super::{KEPT_WHOLE, may_have_keys};
use crate::cycle::{CanAccept, Layers};
use crate::scout::Scouts;
use crate::worker::Job;
use lariat_automata::Acceptance;
use lariat_engine::PoolTooSmall;
use lariat_space::{AnySpace, State, StateSpace};
use lariat_store::{Full, NoteWidth, NotedTree, Store};
use lariat_subject::{Cycles, Memory, Stop};

/// What such a search comes to; `None` if it is to be made without keys.
pub(crate) fn keyed_layers<S: StateSpace>(
    space: &S,
    can_accept: CanAccept<'_>,
    acceptance: &Acceptance,
    job: Job<'_>,
    scouts: Option<&Scouts<'_>>,
) -> Result<Option<(Cycles, Memory)>, PoolTooSmall> {
    let Job { options, control, .. } = job;
    if !may_have_keys(space, control) {
        return Ok(None);
    }
    let shown = control.counters.shown();
    let is_left = |state: &State| !can_accept(state);
    let at_once = |full: Full| {
        let cycles = Cycles { unfinished: Some(full.into()), ..Cycles::default() };
        Ok(Some((
            cycles,
            Memory { states: 0, store_bytes: 0, exactness: lariat_store::Exactness::Exact, figures: None },
        )))
    };
    let words = space.words_per_state();
    let store = match NotedTree::noted_later(KEPT_WHOLE, words, &control.budget, NoteWidth::Number) {
        Ok(store) => store,
        Err(full) => return at_once(full),
    };
    let mut layers = match Layers::new(space, can_accept, &is_left, acceptance, &store, job, scouts) {
        Ok(layers) => layers,
        Err(full) => return at_once(full),
    };
    let mut ended = layers.begin().map(|()| true);
    let mut waits = true;
    while let Ok(true) = ended {
        ended = layers.advance();
        if !waits || !matches!(ended, Ok(true)) || store.len() < FEWEST_STATES {
            continue;
        }
        let asked = match layers.is_flat() {
            true => {
                let steps = layers.steps_so_far();
                Beginning::of(space, store.tree(), layers.next_level(), steps, options.threads, &control.budget)
            }
            false => Asked::Never,
        };
        match asked {
            Asked::NotYet => {}
            Asked::Never => {
                waits = false;
                store.tree().learn_as_usual();
            }
            Asked::Keys(beginning) => {
                let (mut tally, depth, expanded) = layers.into_tally();
                drop(store);
                let Beginning { keyed, known, next } = *beginning;
                let mut search = KeyedLevels::new(job, keyed, known, Some(can_accept), depth, expanded);
                let ended = match search.run(AnySpace::new(space), next, scouts, &mut tally) {
                    Ok(()) | Err(Ended::Stopped(Stop::Failure)) => Ok(None),
                    Err(Ended::Stopped(stop)) => Err(stop),
                    Err(Ended::NoMoreBits | Ended::MetAside) => {
                        control.counters.show(shown);
                        return Ok(None);
                    }
                };
                let mut cycles = Cycles {
                    transitions: tally.transitions,
                    digest: tally.digest,
                    depth: search.depth,
                    ..Cycles::default()
                };
                cycles.end(ended)?;
                return Ok(Some((cycles, search.memory())));
            }
        }
    }
    let cycles = layers.end(ended.map(|_| ()))?;
    Ok(Some((cycles, Memory::of_store(&store))))
}
