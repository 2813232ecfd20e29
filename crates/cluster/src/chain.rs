//! The run to a state, found by walking back over the shares of all workers.
//!
//! No predecessors are kept. A state of level `d` has a predecessor in level `d - 1`: every worker expands its part of that level once
//! more, and the least state with a step there is taken, whichever worker it belongs to. So the run is a shortest one, and the same
//! for any number of workers; finding it costs at most what the search did.

use crate::link::Link;
use crate::search::Search;
use crate::share::{Halt, Share};
use crate::trouble::Trouble;
use crate::words::{common_stop, stop_words};
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::{StepLimits, Stop};
use std::ops::{ControlFlow, Range};

/// The states of a run from an initial state to `last`, which so many steps lead to. `least` is the least of this worker's states of a level that
/// has a step to a state.
pub(crate) fn walk_back(
    link: &mut Link<'_>,
    trouble: &Trouble,
    words: usize,
    (last, depth): (&State, u64),
    mut least: impl FnMut(&State, u64) -> Result<Option<Vec<u64>>, Stop>,
) -> Result<Vec<Vec<u64>>, Halt> {
    let mut states = vec![last.to_vec()];
    for number in (0..depth).rev() {
        let target = states.last().expect("there is one").clone();
        let found = least(&target, number);
        let mut said = stop_words(found.as_ref().err().copied()).to_vec();
        said.extend(found.iter().flatten().flatten());
        let said = link.gather(&said)?;
        if let Some(stop) = common_stop(&said).ok_or_else(|| trouble.damaged())? {
            return Err(stop.into());
        }
        let least = said.iter().map(|words| &words[2..]).filter(|state| !state.is_empty()).min();
        match least.filter(|state| state.len() == words) {
            Some(state) => states.push(state.to_vec()),
            None => return Err(trouble.damaged().into()),
        }
    }
    states.reverse();
    Ok(states)
}

impl<S: StateSpace> Search<'_, '_, '_, S> {
    /// The states of a run from an initial state to `last`, which so many steps lead to; within the limits for reporting what was
    /// found.
    pub(crate) fn chain(&mut self, last: &State, depth: u64) -> Result<Vec<Vec<u64>>, Halt> {
        // From here on: an interrupt between two levels counts too.
        let mut limits = StepLimits::reporting(self.share.job.control);
        let words = self.share.words();
        let levels: Vec<Range<u64>> = (0..depth).map(|number| self.level(number)).collect();
        let Self { share, link, trouble, .. } = self;
        walk_back(link, trouble, words, (last, depth), |target, number| {
            least_predecessor(share, target, levels[number as usize].clone(), &mut limits)
        })
    }
}

/// The least of a worker's states of a level that has a step to the target.
fn least_predecessor<S: StateSpace>(
    share: &mut Share<'_, S>,
    target: &State,
    level: Range<u64>,
    limits: &mut StepLimits<'_>,
) -> Result<Option<Vec<u64>>, Stop> {
    limits.check()?;
    let mut least: Option<Vec<u64>> = None;
    for portion in Share::<S>::portions(level) {
        limits.check()?;
        let len = (portion.end - portion.start) as usize;
        share.recall(portion);
        for number in 0..len {
            let Share { space, scratch, origins, .. } = share;
            let source = origins.state(number);
            if least.as_ref().is_some_and(|least| **least < *source) {
                continue;
            }
            let flow = space.steps(
                source,
                scratch,
                limits.limiting(Some, |step| match step.target == Outcome::State(target) {
                    true => ControlFlow::Break(None),
                    false => ControlFlow::Continue(()),
                }),
            );
            match flow {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(None) => least = Some(source.to_vec()),
                ControlFlow::Break(Some(shortfall)) => return Err(shortfall.into()),
            }
        }
    }
    Ok(least)
}
