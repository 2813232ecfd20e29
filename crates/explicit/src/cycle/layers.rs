//! Components where much of the graph cannot have accepting cycles.
//!
//! Where the automaton's state says that no cycle can be accepting, there is nothing to look for but the way on: that part
//! is gone through level by level, by any number of threads. What leads out of it is put aside; between two levels the
//! components of what was put aside are looked at, depth first, and what leads back from there waits for the next level. A
//! cycle lies on one side as a whole, so neither search needs to know the other's.

use super::explorer::Explorer;
use super::scc::SccSearch;
use crate::levels::{LevelThread, Levels, level_threads, merge_threads, next_level, steps_so_far};
use crate::record::NoRecorder;
use crate::scout::Scouts;
use crate::worker::Job;
use lariat_automata::Acceptance;
use lariat_engine::{Options, PoolTooSmall, RunControl};
use lariat_space::{State, StateSpace};
use lariat_store::{Full, Handle, Notes};
use lariat_subject::{Cycles, Stop, Tally};

/// Which states of a product can be on accepting cycles.
pub(crate) type CanAccept<'a> = &'a (dyn Fn(&State) -> bool + Sync);

/// The kernel. Only states of which `can_accept` says so are looked at for cycles. `store` is empty, takes its memory from
/// the budget of `control`, and its notes may be [numbers](lariat_store::NoteWidth::Number). The stem of a lasso begins where
/// its way came to such a state.
pub fn layered_scc<S: StateSpace, T: Notes>(
    space: &S,
    can_accept: CanAccept<'_>,
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
    can_accept: CanAccept<'_>,
    acceptance: &Acceptance,
    store: &T,
    options: &Options,
    control: &RunControl,
    scouts: Option<&Scouts<'_>>,
) -> Result<Cycles, PoolTooSmall> {
    let job = Job { invalid_ends: false, options, control };
    let is_left = |state: &State| !can_accept(state);
    let mut layers = match Layers::new(space, can_accept, &is_left, acceptance, store, job, scouts) {
        Ok(layers) => layers,
        Err(full) => return Ok(Cycles { unfinished: Some(full.into()), ..Cycles::default() }),
    };
    let mut ended = layers.begin().map(|()| true);
    while let Ok(true) = ended {
        ended = layers.advance();
    }
    layers.end(ended.map(|_| ()))
}

/// Such a search, level by level.
pub(crate) struct Layers<'a, S: StateSpace, T> {
    can_accept: CanAccept<'a>,
    job: Job<'a>,
    scouts: Option<&'a Scouts<'a>>,
    store: &'a T,
    explorer: Explorer<'a, S, T>,
    threads: Vec<LevelThread<'a, S, NoRecorder>>,
    levels: Levels<'a, T>,
    search: SccSearch<'a>,
    /// Whether some state was looked at for cycles. Most searches never come to that.
    has_begun: bool,
}

impl<'a, S: StateSpace, T: Notes> Layers<'a, S, T> {
    /// `is_left` says the opposite of `can_accept`.
    pub(crate) fn new(
        space: &'a S,
        can_accept: CanAccept<'a>,
        is_left: CanAccept<'a>,
        acceptance: &'a Acceptance,
        store: &'a T,
        job: Job<'a>,
        scouts: Option<&'a Scouts<'a>>,
    ) -> Result<Self, Full> {
        let Job { options, control, .. } = job;
        let mut explorer = Explorer::new(space, store, control)?;
        explorer.found.is_left = Some(is_left);
        let threads = level_threads(space, job, &NoRecorder)?;
        let mut search = SccSearch::new(&control.budget, acceptance, options.keep_going);
        search.scouts = scouts;
        let levels = Levels::new(store, control);
        Ok(Self { can_accept, job, scouts, store, explorer, threads, levels, search, has_begun: false })
    }

    /// Makes the initial states the first level.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        self.levels.begin(&mut self.threads, &self.can_accept)
    }

    /// Goes through the next level, if there is one: whether there is.
    pub(crate) fn advance(&mut self) -> Result<bool, Stop> {
        let Self { can_accept, job, scouts, store, explorer, threads, levels, search, has_begun } = self;
        levels.advance(threads, job.options, *scouts, can_accept, &mut |state, next| {
            if !*has_begun {
                store.begin()?;
                *has_begun = true;
            }
            search.run_from(explorer, state)?;
            for left in explorer.found.left.drain(..) {
                next.push(left)?;
            }
            if search.is_over() { Err(Stop::Failure) } else { Ok(()) }
        })
    }

    /// What was found, if it ended so.
    pub(crate) fn end(self, ended: Result<(), Stop>) -> Result<Cycles, PoolTooSmall> {
        let Self { explorer, threads, levels, mut search, .. } = self;
        let mut cycles = Cycles::default();
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
}

impl<'a, S: StateSpace, T: Notes> Layers<'a, S, T> {
    /// Whether no state was looked at for cycles, and none waits for that.
    pub(crate) fn is_flat(&self) -> bool {
        !self.has_begun && self.threads.iter().all(LevelThread::has_nothing_aside)
    }
    /// The states of the next level.
    pub(crate) fn next_level(&self) -> impl Iterator<Item = Handle> {
        next_level(&self.threads)
    }
    /// How many steps were taken, long ones counting more.
    pub(crate) fn steps_so_far(&self) -> u64 {
        steps_so_far(&self.threads)
    }
    /// What was met so far, with the depth and the number of expanded states, where no state was looked at for cycles.
    pub(crate) fn into_tally(self) -> (Tally, u64, u64) {
        let (depth, expanded) = (self.levels.depth(), self.levels.expanded());
        (merge_threads(self.threads).0, depth, expanded)
    }
}
