//! A graph by handles: the steps of a stored state, with their marks and the notes of where they lead.

use super::marks::{MarkTable, MarksId};
use crate::batch_size::{BATCH_LEN, as_many};
use crate::dfs::reserve;
use crate::scout::Order;
use lariat_engine::{RunControl, Shortfall};
use lariat_space::{Move, Outcome, State, StateSpace};
use lariat_store::{Answer, Batch, Budget, Full, Handle, Notes, Origins, hash_state};
use lariat_subject::{StepLimits, Stop, work_of};
use lariat_system::Fault;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// A step to a stored state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) target: Handle,
    pub(crate) marks: MarksId,
    /// The note of the target when the edge was listed.
    pub(crate) note: u32,
}

/// Lists the edges of stored states, storing what is new.
pub(crate) struct Explorer<'a, S: StateSpace, T> {
    pub(crate) space: &'a S,
    pub(crate) store: &'a T,
    pub(crate) control: &'a RunControl,
    pub(crate) marks: MarkTable<'a>,
    /// Edges listed for the first time.
    pub(crate) transitions: u64,
    /// What was found in the store.
    pub(crate) found: Found<'a>,
    /// The work of listing edges, whether for the first time or not.
    pub(crate) work: u64,
    /// No state is expanded after so much work.
    most_work: u64,
    /// The order in which edges are listed.
    order: Order,
    /// Where faults are kept: the first that the last expanded state showed.
    fault: Option<Option<(Fault, Vec<Move>)>>,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    origins: Origins,
    probing: Probing,
    /// How much of `transitions` the counters know.
    published: u64,
    since_check: u32,
}

/// How many states are expanded between two looks at the clock.
const CHECK_INTERVAL: u32 = 64;

/// States on their way into the store.
struct Probing {
    batch: Batch,
    batch_len: usize,
    marks: Vec<MarksId>,
}

impl<'a, S: StateSpace, T: Notes> Explorer<'a, S, T> {
    pub(crate) fn new(space: &'a S, store: &'a T, control: &'a RunControl) -> Result<Self, Full> {
        let words = space.words_per_state();
        let batch_len = as_many(Batch::bytes_per_state(words), BATCH_LEN);
        let marks_bytes = (2 * batch_len * size_of::<MarksId>()) as u64;
        let paid_bytes = Batch::most_bytes(words, batch_len) + Origins::most_bytes(words, 1) + marks_bytes;
        control.budget.take(paid_bytes)?;
        Ok(Self {
            space,
            store,
            control,
            marks: MarkTable::new(&control.budget),
            transitions: 0,
            found: Found {
                edges: Vec::new(),
                is_left: None,
                left: Vec::new(),
                digest: 0,
                budget: &control.budget,
                paid_bytes,
            },
            work: 0,
            most_work: u64::MAX,
            order: Order::default(),
            fault: None,
            scratch: space.scratch(),
            limits: StepLimits::new(control),
            origins: Origins::new(words),
            probing: Probing { batch: Batch::new(words), batch_len, marks: Vec::new() },
            published: 0,
            since_check: 0,
        })
    }

    /// Stores the initial states; lists them as edges from nowhere.
    pub(crate) fn initial(&mut self) -> Result<(), Stop> {
        self.found.edges.clear();
        let Self { space, store, scratch, origins, probing, found, .. } = self;
        as_result(space.initial(scratch, |state| {
            probing.push(state, None, MarksId::NONE);
            as_flow(probing.probe_if_full(*store, origins, found))
        }))?;
        Ok(probing.probe(*store, origins, found)?)
    }

    /// Lists edges in another order, and no more once so much work is done.
    pub(crate) fn limit(&mut self, order: Order, most_work: u64) {
        (self.order, self.most_work) = (order, most_work);
    }

    /// Work is not limited any more: what was found is to be told.
    pub(crate) fn lift_limit(&mut self) {
        self.most_work = u64::MAX;
    }

    /// From now on faults are kept.
    pub(crate) fn keep_faults(&mut self) {
        self.fault = Some(None);
    }

    /// The first fault that the state expanded last showed, where faults are kept.
    pub(crate) fn take_fault(&mut self) -> Option<(Fault, Vec<Move>)> {
        self.fault.as_mut()?.take()
    }

    /// The state that was expanded last.
    pub(crate) fn source(&self) -> &State {
        self.origins.state(0)
    }

    /// Whether that state may properly end a run.
    pub(crate) fn is_proper_end(&mut self) -> bool {
        self.space.is_proper_end(self.origins.state(0), &mut self.scratch)
    }

    /// Lists the edges of a stored state.
    pub(crate) fn expand(&mut self, source: Handle) -> Result<(), Stop> {
        self.found.edges.clear();
        if self.work >= self.most_work {
            return Err(Stop::Short(Shortfall::Interrupted));
        }
        let Self { space, store, scratch, limits, origins, probing, found, marks, transitions, work, fault, .. } = self;
        store.recall(&[source], origins);
        as_result(space.steps(
            origins.state(0),
            scratch,
            limits.limiting(Stop::Short, |step| {
                *work += work_of(step.via);
                let target = match (step.target, &mut *fault) {
                    (Outcome::State(target), _) => target,
                    (Outcome::Fault(met), Some(kept)) => {
                        kept.get_or_insert_with(|| (met, step.via.to_vec()));
                        return ControlFlow::Continue(());
                    }
                    // The product tells of no other fault.
                    (Outcome::Fault(Fault::PoolFull(_)), None) => return ControlFlow::Break(Stop::PoolTooSmall),
                    (Outcome::Fault(_), None) => return ControlFlow::Continue(()),
                };
                *transitions += 1;
                match marks.id(step.marks) {
                    Ok(marks) => probing.push(target, Some(0), marks),
                    Err(full) => return ControlFlow::Break(full.into()),
                }
                as_flow(probing.probe_if_full(*store, origins, found))
            }),
        ))?;
        probing.probe(*store, origins, found)?;
        self.order.arrange(source, &mut self.found.edges);
        self.since_check += 1;
        if self.since_check >= CHECK_INTERVAL {
            self.since_check = 0;
            let counters = &self.control.counters;
            counters.states.store(self.store.len(), Ordering::Relaxed);
            // What is listed a second time is not counted: then there may be fewer than were told.
            counters.transitions.fetch_add(self.transitions.saturating_sub(self.published), Ordering::Relaxed);
            self.published = self.published.max(self.transitions);
            self.control.check().map_err(Stop::Short)?;
        }
        Ok(())
    }

    /// Tells whoever watches how long the path is that the search stands at the end of, and how many states wait.
    pub(crate) fn tell_depth(&self, depth: usize, waiting: usize) {
        let counters = &self.control.counters;
        counters.depth.store(depth as u64, Ordering::Relaxed);
        counters.waiting.store(waiting as u64, Ordering::Relaxed);
    }

    /// A list of states, which is paid for as long as the explorer lives.
    pub(crate) fn list(&mut self, states: impl Iterator<Item = Handle>) -> Result<Vec<Handle>, Full> {
        let mut list = Vec::new();
        for state in states {
            self.found.paid_bytes += reserve(&mut list, &self.control.budget)?;
            list.push(state);
        }
        Ok(list)
    }

    /// The words of some stored states, which are paid for as long as the explorer lives.
    pub(crate) fn words(&mut self, states: impl ExactSizeIterator<Item = Handle>) -> Result<Vec<Vec<u64>>, Full> {
        let state_bytes = size_of::<Vec<u64>>() + self.space.words_per_state() * size_of::<u64>();
        let bytes = (states.len() * state_bytes) as u64;
        self.control.budget.take(bytes)?;
        self.found.paid_bytes += bytes;
        let mut words = |state| {
            self.store.recall(&[state], &mut self.origins);
            self.origins.state(0).to_vec()
        };
        Ok(states.map(&mut words).collect())
    }
}

impl Probing {
    #[inline]
    fn push(&mut self, state: &[u64], origin: Option<usize>, marks: MarksId) {
        self.batch.push(state, origin);
        self.marks.push(marks);
    }

    #[inline]
    fn probe_if_full<T: Notes>(&mut self, store: &T, origins: &Origins, found: &mut Found<'_>) -> Result<(), Full> {
        if self.batch.len() == self.batch_len { self.probe(store, origins, found) } else { Ok(()) }
    }

    fn probe<T: Notes>(&mut self, store: &T, origins: &Origins, found: &mut Found<'_>) -> Result<(), Full> {
        let Self { batch, marks, .. } = self;
        let mut probed = store.probe(batch, origins);
        for (number, (answer, &marks)) in batch.answers.iter().zip(&*marks).enumerate() {
            let edge = Edge { target: answer.handle(), marks, note: batch.notes[number] };
            let is_new = matches!(answer, Answer::New(_));
            if let Err(full) = found.add(edge, is_new, batch.state(number)) {
                probed = Err(full);
                break;
            }
        }
        batch.clear();
        marks.clear();
        probed
    }
}

/// What was found in the store.
pub(crate) struct Found<'a> {
    /// The edges that were listed last, in the order of the steps.
    pub(crate) edges: Vec<Edge>,
    /// Which states are left to somebody else, if there are such: no edge is listed that leads there.
    pub(crate) is_left: Option<&'a (dyn Fn(&State) -> bool + Sync)>,
    /// Those of them that were new.
    pub(crate) left: Vec<Handle>,
    /// Of all states that were new, the sum of hashes.
    pub(crate) digest: u64,
    budget: &'a Budget,
    /// What everything takes that an explorer has and gives.
    paid_bytes: u64,
}

impl Found<'_> {
    #[inline]
    fn add(&mut self, edge: Edge, is_new: bool, state: &State) -> Result<(), Full> {
        if is_new {
            self.digest = self.digest.wrapping_add(hash_state(state));
        }
        if self.is_left.is_some_and(|is_left| is_left(state)) {
            if is_new {
                self.paid_bytes += reserve(&mut self.left, self.budget)?;
                self.left.push(edge.target);
            }
            return Ok(());
        }
        self.paid_bytes += reserve(&mut self.edges, self.budget)?;
        self.edges.push(edge);
        Ok(())
    }
}

impl Drop for Found<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}

fn as_result(flow: ControlFlow<Stop>) -> Result<(), Stop> {
    flow.break_value().map_or(Ok(()), Err)
}

fn as_flow<E: Into<Stop>>(result: Result<(), E>) -> ControlFlow<Stop> {
    result.map_or_else(|error| ControlFlow::Break(error.into()), ControlFlow::Continue)
}
