//! Components where much of the graph cannot have accepting cycles.
//!
//! Where the automaton's state says that no cycle can be accepting, there is nothing to look for but the way on: that part
//! is gone through level by level, by any number of threads. What leads out of it is put aside; between two levels the
//! components of what was put aside are looked at, depth first, and what leads back from there waits for the next level. A
//! cycle lies on one side as a whole, so neither search needs to know the other's.

use super::explorer::Explorer;
use super::scc::SccSearch;
use crate::levels::{Levels, level_threads, merge_threads};
use crate::record::NoRecorder;
use crate::scout::Scouts;
use crate::worker::Job;
use lariat_automata::Acceptance;
use lariat_engine::{Options, PoolTooSmall, RunControl};
use lariat_space::{State, StateSpace};
use lariat_store::Notes;
use lariat_subject::{Cycles, Stop};

/// The kernel. Only states of which `can_accept` says so are looked at for cycles. `store` is empty, takes its memory from
/// the budget of `control`, and its notes may be [numbers](lariat_store::NoteWidth::Number). The stem of a lasso begins where
/// its way came to such a state.
pub fn layered_scc<S: StateSpace, T: Notes>(
    space: &S,
    can_accept: &(dyn Fn(&State) -> bool + Sync),
    acceptance: &Acceptance,
    store: &T,
    options: &Options,
    control: &RunControl,
) -> Result<Cycles, PoolTooSmall> {
    scouted_layered_scc(space, can_accept, acceptance, store, options, control, None)
}

/// The same, by a search that sends scouts.
pub(crate) fn scouted_layered_scc<S: StateSpace, T: Notes>(
    space: &S,
    can_accept: &(dyn Fn(&State) -> bool + Sync),
    acceptance: &Acceptance,
    store: &T,
    options: &Options,
    control: &RunControl,
    scouts: Option<&Scouts<'_>>,
) -> Result<Cycles, PoolTooSmall> {
    let mut cycles = Cycles::default();
    let is_left = |state: &State| !can_accept(state);
    let job = Job { invalid_ends: false, options, control };
    let (mut explorer, mut threads) = match Explorer::new(space, store, control)
        .and_then(|explorer| Ok((explorer, level_threads(space, job, &NoRecorder)?)))
    {
        Ok(made) => made,
        Err(full) => return Ok(Cycles { unfinished: Some(full.into()), ..cycles }),
    };
    explorer.found.is_left = Some(&is_left);
    let mut search = SccSearch::new(&control.budget, acceptance, options.keep_going);
    search.scouts = scouts;
    let mut levels = Levels::new(store, control);
    // Most searches never come to that.
    let mut begun = false;
    let ended = levels.run(&mut threads, options, scouts, &can_accept, &mut |state, next| {
        if !begun {
            store.begin()?;
            begun = true;
        }
        search.run_from(&mut explorer, state)?;
        for left in explorer.found.left.drain(..) {
            next.push(left)?;
        }
        if search.is_over() { Err(Stop::Failure) } else { Ok(()) }
    });
    cycles.end(match ended {
        // The cycle is told below.
        Err(Stop::Failure) => Ok(None),
        ended => ended.map(|()| None),
    })?;
    let (tally, _) = merge_threads(threads);
    search.tell(&explorer, &mut cycles);
    cycles.transitions += tally.transitions;
    cycles.digest = cycles.digest.wrapping_add(tally.digest);
    cycles.depth = cycles.depth.max(levels.depth());
    Ok(cycles)
}
