//! A graph by handles: the steps of a stored state, with their marks.

use crate::leash::Leash;
use crate::worker::Stop;
use lariat_automata::MarkSet;
use lariat_engine::RunControl;
use lariat_space::{Outcome, StateSpace};
use lariat_store::{Answer, Batch, Full, Handle, Notes, Origins};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Names a set of marks that some step carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MarksId(pub(crate) u32);

/// A step to a stored state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) target: Handle,
    pub(crate) marks: MarksId,
}

/// The sets of marks that were met, each once: there are few.
#[derive(Debug, Default)]
pub(crate) struct MarkTable {
    sets: Vec<MarkSet>,
    ids: HashMap<MarkSet, u32>,
    last: u32,
}

impl MarkTable {
    pub(crate) fn id(&mut self, marks: &MarkSet) -> MarksId {
        if self.sets.get(self.last as usize) != Some(marks) {
            self.last = match self.ids.get(marks) {
                Some(&id) => id,
                None => {
                    let id = self.sets.len() as u32;
                    self.sets.push(marks.clone());
                    self.ids.insert(marks.clone(), id);
                    id
                }
            };
        }
        MarksId(self.last)
    }
    pub(crate) fn get(&self, id: MarksId) -> &MarkSet {
        &self.sets[id.0 as usize]
    }
}

/// States probed together at most.
const BATCH_LEN: usize = 256;

/// Lists the edges of stored states, storing what is new.
pub(crate) struct Explorer<'a, S: StateSpace, T> {
    pub(crate) space: &'a S,
    pub(crate) store: &'a T,
    pub(crate) control: &'a RunControl,
    pub(crate) marks: MarkTable,
    /// Edges listed for the first time.
    pub(crate) transitions: u64,
    scratch: S::Scratch,
    leash: Leash<'a>,
    origins: Origins,
    batch: Batch,
    batch_marks: Vec<MarksId>,
    buffer_bytes: u64,
    since_check: u32,
}

/// How many states are expanded between two looks at the clock.
const CHECK_INTERVAL: u32 = 64;

impl<'a, S: StateSpace, T: Notes> Explorer<'a, S, T> {
    pub(crate) fn new(space: &'a S, store: &'a T, control: &'a RunControl) -> Result<Self, Full> {
        let words = space.words_per_state();
        let marks_bytes = (2 * BATCH_LEN * size_of::<MarksId>()) as u64;
        let buffer_bytes = Batch::most_bytes(words, BATCH_LEN) + Origins::most_bytes(words, 1) + marks_bytes;
        control.budget.take(buffer_bytes)?;
        Ok(Self {
            space,
            store,
            control,
            marks: MarkTable::default(),
            transitions: 0,
            scratch: space.scratch(),
            leash: Leash::new(control),
            origins: Origins::new(words),
            batch: Batch::new(words),
            batch_marks: Vec::new(),
            buffer_bytes,
            since_check: 0,
        })
    }

    /// Stores the initial states and lists them.
    pub(crate) fn initial(&mut self, mut list: impl FnMut(Handle)) -> Result<(), Stop> {
        let none = self.marks.id(&MarkSet::EMPTY);
        let Self { space, store, scratch, origins, batch, batch_marks, .. } = self;
        as_result(space.initial(scratch, |state| {
            batch.push(state, None);
            batch_marks.push(none);
            let full = batch.len() == BATCH_LEN;
            as_flow(if full {
                probe(*store, batch, batch_marks, origins, &mut |edge| list(edge.target))
            } else {
                Ok(())
            })
        }))?;
        Ok(probe(*store, batch, batch_marks, origins, &mut |edge| list(edge.target))?)
    }

    /// Lists the edges of a stored state, in the order of its steps.
    pub(crate) fn edges(&mut self, source: Handle, mut list: impl FnMut(Edge)) -> Result<(), Stop> {
        let Self { space, store, scratch, leash, origins, batch, batch_marks, marks, transitions, .. } = self;
        store.recall(&[source], origins);
        let watch = |underway| as_flow(leash.allow(underway).map_err(Stop::Short));
        as_result(space.watched_steps(origins.state(0), scratch, watch, |step| {
            let Outcome::State(target) = step.target else { return ControlFlow::Continue(()) };
            *transitions += 1;
            batch.push(target, Some(0));
            batch_marks.push(marks.id(step.marks));
            let full = batch.len() == BATCH_LEN;
            as_flow(if full { probe(*store, batch, batch_marks, origins, &mut list) } else { Ok(()) })
        }))?;
        probe(*store, batch, batch_marks, origins, &mut list)?;
        self.since_check += 1;
        if self.since_check >= CHECK_INTERVAL {
            self.since_check = 0;
            let counters = &self.control.counters;
            counters.states.store(self.store.len(), Ordering::Relaxed);
            counters.transitions.store(self.transitions, Ordering::Relaxed);
            self.control.check().map_err(Stop::Short)?;
        }
        Ok(())
    }

    /// The words of a stored state.
    pub(crate) fn state(&mut self, handle: Handle) -> Vec<u64> {
        self.store.recall(&[handle], &mut self.origins);
        self.origins.state(0).to_vec()
    }
}

impl<S: StateSpace, T> Drop for Explorer<'_, S, T> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.buffer_bytes);
    }
}

fn probe<T: Notes>(
    store: &T,
    batch: &mut Batch,
    batch_marks: &mut Vec<MarksId>,
    origins: &Origins,
    list: &mut impl FnMut(Edge),
) -> Result<(), Full> {
    let probed = store.probe(batch, origins);
    for (answer, &marks) in batch.answers.iter().zip(&*batch_marks) {
        let (Answer::New(target) | Answer::Known(target)) = *answer;
        list(Edge { target, marks });
    }
    batch.clear();
    batch_marks.clear();
    probed
}

fn as_result(flow: ControlFlow<Stop>) -> Result<(), Stop> {
    flow.break_value().map_or(Ok(()), Err)
}

fn as_flow<E: Into<Stop>>(result: Result<(), E>) -> ControlFlow<Stop> {
    result.map_or_else(|error| ControlFlow::Break(error.into()), ControlFlow::Continue)
}
