//! Expanding a layer: successors go into the sorter of the worker they belong to.

use super::others::Broken;
use super::search::DiskSearch;
use lariat_engine::FailureKind;
use lariat_runs::error::Halt;
use lariat_space::{Outcome, State, StateSpace};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// So many states are expanded before what was received is looked at.
const PORTION_LEN: usize = 256;

impl<S: StateSpace> DiskSearch<'_, '_, '_, '_, S> {
    /// The first layer: the initial states that belong to it. Every worker lists them all.
    pub(super) fn begin(&mut self) -> Result<(), Halt> {
        let Self { space, scratch, sorter, others, .. } = self;
        let sorter = sorter.as_mut().expect("the search has just begun");
        let traffic = others.traffic.borrow();
        let flow = space.initial(scratch, |state| {
            if traffic.outgoing.owner(state) != traffic.outgoing.me {
                return ControlFlow::Continue(());
            }
            sorter.push(state).map_or_else(ControlFlow::Break, ControlFlow::Continue)
        });
        drop(traffic);
        flow.break_value().map_or(Ok(()), Err)?;
        self.make_layer()
    }

    /// Expands a layer, and collects the successors: those that belong to others are sent.
    pub(super) fn expand_layer(&mut self, depth: u64, horizon: bool) -> Result<(), Broken> {
        let words = self.words();
        let layer = self.reached.layers.layer(depth);
        self.job.control.counters.depth.store(self.depth, Ordering::Relaxed);
        let current = self.reached.current.take();
        let expanded = match &current {
            Some(states) => self.expand_states(states, depth, horizon).map(|_| ()),
            None => (|| {
                self.reached.layers.segment.flush().map_err(Halt::from)?;
                let mut blocks = layer.blocks(&self.place.folders, words);
                let mut block = Vec::new();
                while blocks.read(&mut block).map_err(Halt::from)?.is_some() {
                    if !self.expand_states(&block, depth, horizon)? {
                        break;
                    }
                }
                Ok(())
            })(),
        };
        self.reached.current = current;
        expanded?;
        let Self { others, sorter, .. } = self;
        others.traffic.borrow_mut().exchange(true, sorter.as_mut().expect("it is searched"))
    }

    /// Expands some states; false if another worker has a reason to stop.
    fn expand_states(&mut self, states: &[u64], depth: u64, horizon: bool) -> Result<bool, Broken> {
        let words = self.words();
        for portion in states.chunks(PORTION_LEN * words) {
            if self.others.traffic.borrow().link.is_halted() {
                return Ok(false);
            }
            for state in portion.chunks_exact(words) {
                self.expand(state, depth, horizon)?;
                let mut traffic = self.others.traffic.borrow_mut();
                // States with very many successors.
                if traffic.outgoing.is_crowded {
                    self.job.control.check().map_err(Halt::from)?;
                    traffic.exchange(false, self.sorter.as_mut().expect("it is searched"))?;
                }
            }
            self.job.control.check().map_err(Halt::from)?;
            self.others.traffic.borrow_mut().exchange(false, self.sorter.as_mut().expect("it is searched"))?;
            self.show();
        }
        Ok(true)
    }

    fn expand(&mut self, source: &State, depth: u64, horizon: bool) -> Result<(), Halt> {
        let Self { space, job, scratch, limits, tally, sorter, others, .. } = self;
        let sorter = sorter.as_mut().expect("it is searched");
        let outgoing = &mut others.traffic.borrow_mut().outgoing;
        let mut dead_end = true;
        let flow = space.steps(
            source,
            scratch,
            limits.limiting(
                |short| Some(Halt::from(short)),
                |step| {
                    dead_end = false;
                    if horizon {
                        return ControlFlow::Break(None);
                    }
                    let met = match step.target {
                        Outcome::State(target) => {
                            tally.take(step.via);
                            let owner = outgoing.owner(target);
                            if owner == outgoing.me {
                                sorter.push(target)
                            } else {
                                outgoing.push_new(owner, target, &[]);
                                Ok(())
                            }
                        }
                        Outcome::Fault(fault) => {
                            let kind = FailureKind::Fault(fault);
                            tally.fail(kind, depth, source, step.via, job.options).map_err(Halt::from)
                        }
                    };
                    met.map_or_else(|halt| ControlFlow::Break(Some(halt)), ControlFlow::Continue)
                },
            ),
        );
        // A break without a reason is the horizon.
        if let ControlFlow::Break(Some(halt)) = flow {
            return Err(halt);
        }
        if dead_end && job.invalid_ends && !space.is_proper_end(source, scratch) {
            tally.fail(FailureKind::InvalidEnd, depth, source, &[], job.options)?;
        }
        Ok(())
    }

    /// Shows progress.
    pub(super) fn show(&mut self) {
        let counters = &self.job.control.counters;
        counters.states.fetch_add(self.reached.states - self.shown_states, Ordering::Relaxed);
        self.shown_states = self.reached.states;
        counters.transitions.fetch_add(self.tally.transitions - self.tally.shown, Ordering::Relaxed);
        self.tally.shown = self.tally.transitions;
    }
}
