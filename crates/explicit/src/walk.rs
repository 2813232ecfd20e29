//! Going through a graph once more, a state at a time, by one thread.

use crate::batch_size::{BATCH_LEN, as_many};
use lariat_engine::{RunControl, Shortfall};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Batch, Full, Handle, Origins, Recall};
use lariat_subject::StepLimits;
use std::ops::ControlFlow;

/// A thread that walks, with a store of its own. It may be interrupted once more, and has the time that
/// there is for telling what was found.
pub(crate) struct Walk<'a, S: StateSpace, T> {
    space: &'a S,
    store: &'a T,
    control: &'a RunControl,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    origins: Origins,
    batch: Batch,
    batch_len: usize,
    buffer_bytes: u64,
}

impl<'a, S: StateSpace, T: Recall> Walk<'a, S, T> {
    pub(crate) fn new(space: &'a S, store: &'a T, control: &'a RunControl) -> Result<Self, Full> {
        let words = space.words_per_state();
        let batch_len = as_many(Batch::bytes_per_state(words), BATCH_LEN);
        let buffer_bytes = Batch::most_bytes(words, batch_len) + Origins::most_bytes(words, 1);
        control.budget.take(buffer_bytes)?;
        Ok(Self {
            space,
            store,
            control,
            scratch: space.scratch(),
            limits: StepLimits::reporting(control),
            origins: Origins::new(words),
            batch: Batch::only_new(words),
            batch_len,
            buffer_bytes,
        })
    }

    /// Begins in the given state, or in all initial ones; `fresh` is told of each.
    pub(crate) fn begin(
        &mut self,
        from: Option<&State>,
        mut fresh: impl FnMut(Handle, &State) -> Result<(), Full>,
    ) -> Result<(), Shortfall> {
        let Self { space, store, scratch, origins, batch, batch_len, .. } = self;
        match from {
            Some(state) => batch.push(state, None),
            None => as_result(space.initial(scratch, |state| {
                as_flow(offer(*store, batch, *batch_len, origins, state, None, &mut fresh))
            }))?,
        }
        Ok(probe(*store, batch, origins, &mut fresh)?)
    }

    /// Expands a state; `fresh` is told of the new ones among its successors, in order.
    pub(crate) fn expand(
        &mut self,
        source: Handle,
        mut fresh: impl FnMut(Handle, &State) -> Result<(), Full>,
    ) -> Result<(), Shortfall> {
        let Self { space, store, scratch, limits, origins, batch, batch_len, .. } = self;
        store.recall(&[source], origins);
        as_result(space.steps(
            origins.state(0),
            scratch,
            limits.limiting(
                |short| short,
                |step| match step.target {
                    Outcome::State(target) => {
                        as_flow(offer(*store, batch, *batch_len, origins, target, Some(0), &mut fresh))
                    }
                    Outcome::Fault(_) => ControlFlow::Continue(()),
                },
            ),
        ))?;
        probe(*store, batch, origins, &mut fresh)?;
        limits.check()
    }

    /// The words of a state.
    pub(crate) fn state(&mut self, handle: Handle) -> Vec<u64> {
        self.store.recall(&[handle], &mut self.origins);
        self.origins.state(0).to_vec()
    }
}

impl<S: StateSpace, T> Drop for Walk<'_, S, T> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.buffer_bytes);
    }
}

fn offer<T: Recall>(
    store: &T,
    batch: &mut Batch,
    batch_len: usize,
    origins: &Origins,
    state: &State,
    origin: Option<usize>,
    fresh: &mut impl FnMut(Handle, &State) -> Result<(), Full>,
) -> Result<(), Shortfall> {
    batch.push(state, origin);
    if batch.len() == batch_len { Ok(probe(store, batch, origins, fresh)?) } else { Ok(()) }
}

fn probe<T: Recall>(
    store: &T,
    batch: &mut Batch,
    origins: &Origins,
    fresh: &mut impl FnMut(Handle, &State) -> Result<(), Full>,
) -> Result<(), Full> {
    let probed = store.probe(batch, origins);
    for (number, handle) in batch.fresh() {
        fresh(handle, batch.state(number))?;
    }
    batch.clear();
    probed
}

fn as_result(flow: ControlFlow<Shortfall>) -> Result<(), Shortfall> {
    flow.break_value().map_or(Ok(()), Err)
}

fn as_flow(result: Result<(), Shortfall>) -> ControlFlow<Shortfall> {
    result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}
