//! A depth-first search for failures that ends after some work.
//!
//! A state is visited when the search comes to it, not when it is met: so the search goes as deep as it can. The run that is
//! told is not the path on which the failure was met, which is mostly far too long, but a shortest one through states that
//! were visited, made shorter where a little more work does it.

use super::Order;
use crate::cycle::{EdgeOutcome, Explorer, Path, path_within};
use crate::shorten::shorten_within;
use crate::worker::Job;
use lariat_engine::{FailureKind, Options, PoolTooSmall, Report, RunControl};
use lariat_space::{AnySpace, StateSpace};
use lariat_store::{Full, Handle, NoteWidth, Notes, TreeStore};
use lariat_subject::{Ending, Keep, Stop, Tally, Traces, report, trace_along};

/// The note of a visited state.
const VISITED: u32 = 1;
/// The work of making a run shorter.
const SHORTENING_WORK: u64 = 1 << 16;

/// Searches until a failure is met or `work` is used up. A report without a failure says nothing about the rest of the graph.
pub(crate) fn search_as_scout(
    space: AnySpace<'_>,
    job: Job<'_>,
    order: Order,
    work: u64,
) -> Result<Report, PoolTooSmall> {
    let (words, control) = (space.words_per_state(), job.control);
    let store = match TreeStore::noted(words, &control.budget, NoteWidth::Byte) {
        Ok(store) => store,
        Err(full) => return Ok(Report::at_once(full.into())),
    };
    match ScoutSearch::new(&space, &store, job, order, work) {
        Ok(search) => search.report(),
        Err(full) => Ok(Report::at_once(full.into())),
    }
}

/// The same as a kernel of its own, like [`bfs`](crate::bfs()).
pub fn scout<S: StateSpace>(
    space: &S,
    order: Order,
    work: u64,
    invalid_ends: bool,
    options: &Options,
    control: &RunControl,
) -> Result<Report, PoolTooSmall> {
    search_as_scout(AnySpace::new(space), Job { invalid_ends, options, control }, order, work)
}

struct ScoutSearch<'a, T> {
    job: Job<'a>,
    space: &'a AnySpace<'a>,
    store: &'a T,
    explorer: Explorer<'a, AnySpace<'a>, T>,
    path: Path<'a>,
    tally: Tally,
}

impl<'a, T: Notes> ScoutSearch<'a, T> {
    fn new(space: &'a AnySpace<'a>, store: &'a T, job: Job<'a>, order: Order, work: u64) -> Result<Self, Full> {
        let mut explorer = Explorer::new(space, store, job.control)?;
        explorer.limit(order, work);
        explorer.keep_faults();
        let path = Path::new(&job.control.budget);
        Ok(Self { job, space, store, explorer, path, tally: Tally::new(Keep::First) })
    }

    fn report(mut self) -> Result<Report, PoolTooSmall> {
        let ended = self.run();
        (self.tally.transitions, self.tally.digest) = (self.explorer.transitions, self.explorer.found.digest);
        let ending = Ending::new(self.store, self.path.deepest(), ended)?;
        let traces = match ended {
            Err(Stop::Failure) => self.traces(),
            _ => Traces::default(),
        };
        Ok(report(self.tally, traces, &ending, self.job.options, self.job.control))
    }

    /// Goes through everything, or up to the reason to stop.
    fn run(&mut self) -> Result<(), Stop> {
        self.explorer.initial()?;
        for edge in std::mem::take(&mut self.explorer.found.edges) {
            self.visit(edge.target)?;
            while self.path.top().is_some() {
                match self.path.follow() {
                    Some(state) => self.visit(state)?,
                    None => drop(self.path.leave()),
                }
            }
        }
        Ok(())
    }

    /// Goes on to a state, unless something else has led to it meanwhile.
    fn visit(&mut self, state: Handle) -> Result<(), Stop> {
        let Self { job, explorer, path, tally, store, .. } = self;
        if store.claim(state, VISITED) != 0 {
            return Ok(());
        }
        path.enter(explorer, state, |edge, _| if edge.note == 0 { EdgeOutcome::Waits } else { EdgeOutcome::Drops })?;
        let depth = path.len() as u64 - 1;
        if let Some((fault, via)) = explorer.take_fault() {
            tally.fail(FailureKind::Fault(fault), depth, explorer.source(), &via, job.options)?;
            return Err(Stop::Failure);
        }
        if explorer.found.edges.is_empty() && job.invalid_ends && !explorer.is_proper_end() {
            tally.fail(FailureKind::InvalidEnd, depth, explorer.source(), &[], job.options)?;
            return Err(Stop::Failure);
        }
        Ok(())
    }

    /// The run to the failure that was met.
    fn traces(&mut self) -> Traces {
        let Self { job, explorer, path, tally, space, .. } = self;
        let sighting = tally.failures.of_kind.first().expect("a failure was met");
        let met_on: Vec<Handle> = path.states().collect();
        let (first, last) = (met_on[0], met_on[met_on.len() - 1]);
        explorer.lift_limit();
        // Without time or memory for a shorter run, the path will do.
        let shorter = path_within(explorer, first, last, |note| note != 0);
        let states = explorer.words(shorter.unwrap_or(met_on).into_iter());
        Traces::of(std::iter::once(states.map_err(Into::into).and_then(|states| {
            let trace = trace_along(*space, states, sighting, job.control)?;
            let may_grow = job.options.pool_may_grow;
            let trace = shorten_within(**space, sighting.kind, trace, may_grow, job.control, SHORTENING_WORK);
            Ok((sighting.kind, trace))
        })))
    }
}
