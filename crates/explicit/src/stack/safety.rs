//! Depth-first search for failures, with a memory of visited states that may be lossy or forget.
//!
//! Depth-first search with replacement (Jard, Jéron 1991, section 2) is this search with a cache.

use super::descent::{Descent, OPEN, StepOutcome};
use super::rows::Spill;
use lariat_engine::{FailureKind, Options, PoolTooSmall, Report, RunControl, Shortfall, Trace};
use lariat_space::{Outcome, StateSpace};
use lariat_store::{Full, Phase, Visited};
use lariat_subject::{Ending, Keep, Stop, Tally, Traces, report, trace_along};

/// The kernel. `visited` is empty and takes its memory from the budget of `control`; the stack may go to `spill`.
pub fn safety<S: StateSpace, V: Visited>(
    space: &S,
    visited: Result<V, Full>,
    invalid_ends: bool,
    options: &Options,
    control: &RunControl,
    spill: Option<&Spill>,
) -> Result<Report, PoolTooSmall> {
    let visited = match visited {
        Ok(visited) => visited,
        Err(full) => return Ok(Report::at_once(full.into())),
    };
    let mut descent = Descent::new(space, visited, control, spill);
    let mut search =
        SafetySearch { options, invalid_ends, tally: Tally::new(Keep::First), met: Vec::new(), lost: None };
    let ended = search.run(&mut descent);
    let SafetySearch { mut tally, mut met, lost, .. } = search;
    let counted = descent.counted();
    (tally.transitions, tally.digest) = (counted.transitions, counted.digest);
    tally.passed(descent.passed());
    let ending = Ending::of_memory(counted.figures, counted.transitions, counted.deepest, ended)?;
    met.sort_by_key(|(kind, depth, _)| depth + u64::from(*kind != FailureKind::InvalidEnd));
    if !options.keep_going {
        met.truncate(1);
    }
    let traces = Traces { found: met.into_iter().map(|(kind, _, trace)| (kind, trace)).collect(), lost };
    Ok(report(tally, traces, &ending, options, control))
}

struct SafetySearch<'a> {
    options: &'a Options,
    invalid_ends: bool,
    tally: Tally,
    /// The first failure of each kind with its depth.
    met: Vec<(FailureKind, u64, Trace)>,
    /// Why the run to some failure could not be told.
    lost: Option<Shortfall>,
}

impl SafetySearch<'_> {
    fn run<S: StateSpace, V: Visited>(&mut self, descent: &mut Descent<'_, S, V>) -> Result<(), Stop> {
        descent.begin()?;
        while let Some((note, _)) = descent.rows.last() {
            if note & OPEN != 0 {
                descent.leave(Phase::First)?;
            } else if descent.enter(Phase::First)? {
                let (failures, kinds) = (self.tally.failures.count, self.tally.failures.of_kind.len());
                let expanded = self.expand(descent);
                if self.tally.failures.count > failures {
                    self.tell(descent, kinds);
                    if !self.options.keep_going {
                        return Err(if let Err(Stop::PoolTooSmall) = expanded {
                            Stop::PoolTooSmall
                        } else {
                            Stop::Failure
                        });
                    }
                }
                expanded?;
            }
        }
        Ok(())
    }

    fn expand<S: StateSpace, V: Visited>(&mut self, descent: &mut Descent<'_, S, V>) -> Result<(), Stop> {
        let Self { options, invalid_ends, tally, .. } = self;
        let (_, source) = descent.rows.last().expect("a state was just entered");
        // Failures are told with the state they are met in, and the list of states is in use while steps are listed.
        let source = source.to_vec();
        let depth = descent.open - 1;
        let mut dead_end = true;
        descent.expand(Phase::First, |step, _| {
            dead_end = false;
            match step.target {
                Outcome::State(_) => {
                    tally.take(step.via);
                    Ok(StepOutcome::Waits)
                }
                Outcome::Fault(fault) => {
                    tally.fail(FailureKind::Fault(fault), depth, &source, step.via, options)?;
                    Ok(StepOutcome::Drops)
                }
            }
        })?;
        if dead_end && *invalid_ends && !descent.is_proper_end() {
            tally.fail(FailureKind::InvalidEnd, depth, &source, &[], options)?;
        }
        Ok(())
    }

    /// Writes down the run to failures that were just met, of others than the first so many kinds.
    fn tell<S: StateSpace, V: Visited>(&mut self, descent: &mut Descent<'_, S, V>, kinds: usize) {
        let Self { tally, met, lost, .. } = self;
        for sighting in &tally.failures.of_kind[kinds..] {
            let mut states = Vec::new();
            let told = descent
                .each_open(|_, state| states.push(state.to_vec()))
                .and_then(|()| trace_along(descent.space, states, sighting, descent.control));
            match told {
                Ok(trace) => met.push((sighting.kind, sighting.depth, trace)),
                Err(shortfall) => *lost = Some(shortfall),
            }
        }
    }
}
