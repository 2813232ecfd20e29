//! Merging what was collected into the next layer, without repetitions and without what was visited before.

use crate::expand::FEW_STATES;
use crate::open::{Bucket, BucketKey};
use crate::saved::SavedTally;
use crate::search::LayeredSearch;
use lariat_runs::error::Halt;
use lariat_runs::join::Joining;
use lariat_runs::sort::Same;
use lariat_space::StateSpace;
use std::sync::atomic::Ordering;

impl<S: StateSpace> LayeredSearch<'_, S> {
    /// Puts everything that was collected into runs.
    pub(crate) fn spill(&mut self) -> Result<(), Halt> {
        for worker in &mut self.workers {
            worker.sorter.spill()?;
            self.sorted.append(&mut worker.sorter.take_spilled()?);
        }
        Ok(())
    }

    /// Makes the next layer: of what was collected, or of the next bucket of a directed search. False if there is none.
    pub(crate) fn next_layer(&mut self) -> Result<bool, Halt> {
        for worker in &mut self.workers {
            worker.sorter.sort();
            self.sorted.append(&mut worker.sorter.take_spilled()?);
        }
        let mut sorted = std::mem::take(&mut self.sorted);
        let joined = self.joining("sort", self.record_words).join(&mut sorted);
        self.sorted = sorted;
        self.reached.visited.discard(joined?);
        if self.job.guide.is_none() {
            let is_new = self.make_layer(None)?;
            return Ok(is_new);
        }
        self.distribute()?;
        while let Some((key, mut bucket)) = self.open.pop() {
            let joined = self.joining("open", self.words).join(&mut bucket.runs);
            let made = joined.and_then(|outdated| {
                self.reached.visited.discard(outdated);
                self.make_layer(Some((key, &bucket)))
            });
            match made {
                Ok(is_new) => {
                    self.reached.visited.discard(bucket.runs.into_iter().map(|run| run.segment));
                    if is_new {
                        return Ok(true);
                    }
                }
                Err(halt) => {
                    self.open.put_back(key, bucket);
                    return Err(halt);
                }
            }
        }
        Ok(false)
    }

    /// How runs of this search are joined.
    pub(crate) fn joining(&self, prefix: &'static str, words: usize) -> Joining<'_> {
        Joining {
            folders: &self.directory.folders,
            names: self.names,
            control: self.job.control,
            prefix,
            words,
            same: Same::One,
            fan_in: self.shares.fan_in,
        }
    }

    /// Puts what was collected by a directed search into buckets, by its estimates.
    fn distribute(&mut self) -> Result<(), Halt> {
        let (words, state_words, control) = (self.record_words, self.words, self.job.control);
        let steps = self.buckets.last().map_or(0, |key| key.steps + 1);
        let Self { directory, names, shares, open, workers, sorted, .. } = &mut *self;
        let same = Same::One;
        let fan_in = shares.fan_in;
        let collecting = Joining { folders: &directory.folders, names, control, prefix: "sort", words, same, fan_in };
        let opening = Joining { prefix: "open", words: state_words, ..collecting };
        let mut collected = collecting.union(sorted, workers.iter().map(|worker| worker.sorter.buffered()))?;
        let (mut record, mut states, mut estimate, mut met) = (Vec::with_capacity(words), Vec::new(), 0, 0_u32);
        while collected.next(&mut record)? {
            met = met.wrapping_add(1);
            if met & 0xfff == 0 {
                control.check()?;
            }
            let key = BucketKey { f: steps + estimate, steps };
            if record[0] != estimate && !states.is_empty() {
                open.add(key, std::mem::take(&mut states));
                if open.is_full() {
                    open.spill(&opening)?;
                }
            } else if states.len() >= shares.layer_words && !states.is_empty() {
                let run = opening.write(opening.union(&[], [&states[..]])?)?;
                open.add_run(key, run);
                states.clear();
            }
            estimate = record[0];
            states.extend_from_slice(&record[1..]);
        }
        drop(collected);
        if !states.is_empty() {
            open.add(BucketKey { f: steps + estimate, steps }, states);
        }
        if open.is_full() {
            open.spill(&opening)?;
        }
        for worker in &mut self.workers {
            worker.sorter.clear();
        }
        self.reached.visited.discard(self.sorted.drain(..).map(|run| run.segment));
        Ok(())
    }

    /// Merges what was collected, or a bucket, into a new layer; false if there is nothing new.
    fn make_layer(&mut self, bucket: Option<(BucketKey, &Bucket)>) -> Result<bool, Halt> {
        let (words, control) = (self.words, self.job.control);
        let joining = Joining {
            folders: &self.directory.folders,
            names: self.names,
            control,
            prefix: "sort",
            words,
            same: Same::One,
            fan_in: self.shares.fan_in,
        };
        let collected = match bucket {
            Some((_, bucket)) => joining.union(&bucket.runs, bucket.memory.iter().map(Vec::as_slice))?,
            None => joining.union(&self.sorted, self.workers.iter().map(|worker| worker.sorter.buffered()))?,
        };
        let on_disk = bucket.map_or(&self.sorted, |(_, bucket)| &bucket.runs).iter().map(|run| run.states).sum::<u64>();
        let in_memory: usize = match bucket {
            Some((_, bucket)) => bucket.memory.iter().map(Vec::len).sum(),
            None => self.workers.iter().map(|worker| worker.sorter.buffered().len()).sum(),
        };
        let worthwhile = (on_disk + (in_memory / words) as u64) / FEW_STATES;
        let threads = self.shares.threads.min(worthwhile as usize);
        let counter = &control.counters.states;
        let shown = |states| counter.store(states, Ordering::Relaxed);
        let layer = self.reached.write_layer(collected, threads, false, &shown)?;
        let new = layer.states;
        // From here on the new layer is the last one, whatever happens.
        self.scanned_states += self.reached.states;
        match bucket {
            None => {
                for worker in &mut self.workers {
                    worker.sorter.clear();
                }
                self.reached.visited.discard(self.sorted.drain(..).map(|run| run.segment));
            }
            // What is collected is that of the layer before, and in buckets already.
            Some((key, _)) if new > 0 => self.buckets.push(key),
            Some(_) => {}
        }
        if new == 0 {
            return Ok(false);
        }
        counter.store(self.reached.states + new, Ordering::Relaxed);
        control.counters.waiting.store(new, Ordering::Relaxed);
        self.tally.digest = self.tally.digest.wrapping_add(layer.digest);
        self.tally_before = SavedTally::of(&self.tally);
        self.done_blocks = 0;
        self.reached.settle(layer)?;
        if !self.directory.has_checkpoint {
            self.reached.visited.remove_outdated();
        }
        Ok(true)
    }
}
