//! What workers found: sets of states, runs, counts, and what happened on their disks.

use super::search::DiskSearch;
use crate::chain::walk_back;
use crate::search::{Totals, totals};
use crate::share::Halt as WorkerHalt;
use crate::trouble::Lost;
use lariat_engine::DiskFigures;
use lariat_runs::error::Halt;
use lariat_runs::run::SortedRun;
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::StepLimits;
use std::ops::ControlFlow;

/// Of what went wrong with a disk so many bytes are told to the others.
const MOST_TOLD_BYTES: usize = 1 << 10;

impl<S: StateSpace> DiskSearch<'_, '_, '_, '_, S> {
    /// The states that could be on an accepting cycle, as one run. What else the search needs of memory is given back.
    pub(crate) fn take_set(&mut self, is_wanted: impl Fn(&State) -> bool) -> Result<SortedRun, Halt> {
        self.sorter = None;
        self.reached.take_set(is_wanted)
    }

    /// The states of a run from an initial state to `last`, which so many steps lead to.
    pub(crate) fn chain(&mut self, last: &State, depth: u64) -> Result<Vec<Vec<u64>>, WorkerHalt> {
        let flushed = self.reached.layers.segment.flush().map_err(Halt::from);
        let mut flushed = flushed.map_err(|halt| self.stop_of(halt)).err();
        let (words, others, control) = (self.words(), self.others, self.job.control);
        let mut limits = StepLimits::reporting(control);
        let mut traffic = others.traffic.borrow_mut();
        let trouble = others.trouble();
        walk_back(traffic.link, trouble, words, (last, depth), |target, number| match flushed.take() {
            Some(stop) => Err(stop),
            None => self.least_predecessor(target, number, &mut limits).map_err(|halt| self.stop_of(halt)),
        })
    }

    /// The least of its states of this layer that has a step to the target: they are in order.
    fn least_predecessor(
        &mut self,
        target: &State,
        layer: u64,
        limits: &mut StepLimits<'_>,
    ) -> Result<Option<Vec<u64>>, Halt> {
        limits.check()?;
        if layer >= self.reached.layers.len() {
            return Ok(None);
        }
        let (words, mut block) = (self.words(), Vec::new());
        let mut blocks = self.reached.layers.layer(layer).blocks(&self.place.folders, words);
        while blocks.read(&mut block)?.is_some() {
            limits.check()?;
            for source in block.chunks_exact(words) {
                let flow = self.space.steps(
                    source,
                    &mut self.scratch,
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
        }
        Ok(None)
    }

    /// What all workers have counted and met.
    pub(crate) fn totals(&mut self) -> Result<Totals, Lost> {
        let Self { space, scratch, tally, reached, .. } = self;
        tally.passed(space.passed(scratch));
        let (states, bytes, words) = (reached.states, reached.layers.segment.bytes(), space.words_per_state());
        let mut traffic = self.others.traffic.borrow_mut();
        let sent_states = traffic.outgoing.sent_states;
        totals(traffic.link, self.others.trouble(), words, [states, bytes, sent_states], &self.tally)
    }

    /// What all workers did on their disks, and what went wrong there.
    pub(crate) fn disk_figures(&mut self) -> Result<DiskFigures, Lost> {
        let (bytes, (read_bytes, written_bytes)) = (self.reached.layers.segment.bytes(), self.moved());
        let mut traffic = self.others.traffic.borrow_mut();
        let told = self.trouble.borrow().clone().unwrap_or_default();
        let mut mine = vec![bytes, read_bytes, written_bytes, self.expanded, told.len().min(MOST_TOLD_BYTES) as u64];
        mine.extend(told.as_bytes()[..told.len().min(MOST_TOLD_BYTES)].chunks(8).map(|some| {
            let mut word = [0; 8];
            word[..some.len()].copy_from_slice(some);
            u64::from_le_bytes(word)
        }));
        let said = traffic.link.gather(&mine)?;
        let folder = self.job.checkpoints.map(|checkpoints| checkpoints.folder.clone()).unwrap_or_default();
        let layers = self.depth + u64::from(!self.reached.layers.is_empty());
        let is_resumed = self.is_resumed;
        let mut figures = DiskFigures { folder, layers, is_resumed, ..DiskFigures::default() };
        for (worker, words) in said.iter().enumerate() {
            let Some((&[layer_bytes, read, written, expanded, len], text)) = words.split_first_chunk::<5>() else {
                return Err(self.others.trouble().damaged());
            };
            figures.layer_bytes += layer_bytes;
            figures.read_bytes += read;
            figures.written_bytes += written;
            figures.expanded += expanded;
            let text: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).take(len as usize).collect();
            if !text.is_empty() && figures.trouble.is_none() {
                figures.trouble = Some(format!("worker {worker}: {}", String::from_utf8_lossy(&text)));
            }
        }
        Ok(figures)
    }
}
