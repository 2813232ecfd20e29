//! The run to a state, found by going back through the layers.
//!
//! No predecessors are kept. A state of layer `d` has a predecessor in layer `d - 1`: that layer is expanded once more, until a
//! state is met that leads there. Every layer is read at most once, so this costs no more than the search did, and the run is
//! a shortest one.

use lariat_engine::RunControl;
use lariat_runs::error::Halt;
use lariat_runs::layers::Layers;
use lariat_runs::segment::Folders;
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::StepLimits;
use std::ops::ControlFlow;

/// The states of a run from an initial state to `last`, which so many steps lead to; within the limits for telling what was found.
/// `layers_at` are the layers with the states that so many steps lead to.
pub(crate) fn chain<S: StateSpace>(
    space: &S,
    layers: &Layers<'_>,
    folders: &Folders,
    layers_at: &dyn Fn(u64) -> Vec<u64>,
    (last, depth): (&State, u64),
    control: &RunControl,
) -> Result<Vec<Vec<u64>>, Halt> {
    let mut states = vec![last.to_vec()];
    let mut back = StepBack { space, scratch: space.scratch(), limits: StepLimits::reporting(control) };
    for number in (0..depth).rev() {
        let target = states.last().expect("there is one").clone();
        let mut source = None;
        'layers: for layer in layers_at(number) {
            let mut blocks = layers.layer(layer).blocks(folders, space.words_per_state());
            let mut block = Vec::new();
            while blocks.read(&mut block)?.is_some() {
                source = back.predecessor(&block, &target)?;
                if source.is_some() {
                    break 'layers;
                }
            }
        }
        states.push(source.expect("a state of a layer has a predecessor in one before"));
    }
    states.reverse();
    Ok(states)
}

struct StepBack<'a, S: StateSpace> {
    space: &'a S,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
}

impl<S: StateSpace> StepBack<'_, S> {
    /// The first of the states that has a step to `target`.
    fn predecessor(&mut self, states: &[u64], target: &State) -> Result<Option<Vec<u64>>, Halt> {
        let Self { space, scratch, limits } = self;
        limits.check()?;
        for source in states.chunks_exact(space.words_per_state()) {
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
                ControlFlow::Break(None) => return Ok(Some(source.to_vec())),
                ControlFlow::Break(Some(shortfall)) => return Err(shortfall.into()),
            }
        }
        Ok(None)
    }
}
