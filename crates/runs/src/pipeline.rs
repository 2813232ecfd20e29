//! Merging spread over threads: one merges, others look up what was visited, one writes.
//!
//! What is merged goes to the threads in portions, in turn; what they leave of it is taken from them in the same order. So the result
//! does not depend on how many threads there are or how fast they are, and only a few portions are under way at any time.

use crate::error::Halt;
use crate::union::Union;
use lariat_engine::RunControl;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What is merged, and how.
pub struct Pipeline<'p> {
    /// Words of a state.
    pub words: usize,
    /// States of a portion.
    pub portion_states: usize,
    /// How many threads there are; with one everything is done here, with two nobody but the writer looks up.
    pub threads: usize,
    /// How many of them may look up.
    pub lookups: usize,
    /// Limits of the run.
    pub control: &'p RunControl,
}

/// A portion of states, or why there is none.
type Portion = Result<Vec<u64>, Halt>;

impl Pipeline<'_> {
    /// Gives all states that are kept to `write`, in order. Each thread that looks up makes its own `keep`.
    pub fn run<K: FnMut(&[u64]) -> Result<bool, Halt>>(
        &self,
        mut collected: Union<'_>,
        keeps: impl Fn() -> K + Sync,
        mut write: impl FnMut(&[u64]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let mut state = Vec::with_capacity(self.words);
        if self.threads < 2 {
            let (mut keep, mut met) = (keeps(), 0_u32);
            while collected.next(&mut state)? {
                met = met.wrapping_add(1);
                if met & 0xfff == 0 {
                    self.control.check()?;
                }
                if keep(&state)? {
                    write(&state)?;
                }
            }
            return Ok(());
        }
        let lookups = self.lookups.min(self.threads - 2);
        std::thread::scope(|scope| {
            let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
            for _ in 0..lookups.max(1) {
                let (input, wanted) = sync_channel::<Portion>(1);
                inputs.push(input);
                if lookups == 0 {
                    outputs.push(wanted);
                    continue;
                }
                let (done, output) = sync_channel::<Portion>(1);
                outputs.push(output);
                let keeps = &keeps;
                scope.spawn(move || self.look_up(&wanted, &done, keeps()));
            }
            scope.spawn(move || self.merge(collected, &inputs));
            // Whoever waits for this thread is let go when the channels are dropped.
            let mut keep = (lookups == 0).then(&keeps);
            for output in outputs.iter().cycle() {
                // The first that has nothing more to say is the one behind the last portion.
                let Ok(portion) = output.recv() else { return Ok(()) };
                for state in portion?.chunks_exact(self.words) {
                    if keep.as_mut().map_or(Ok(true), |keep| keep(state))? {
                        write(state)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn merge(&self, mut collected: Union<'_>, inputs: &[SyncSender<Portion>]) {
        let mut state = Vec::with_capacity(self.words);
        for input in inputs.iter().cycle() {
            let mut portion = Vec::with_capacity(self.portion_states * self.words);
            let mut fill = || -> Result<(), Halt> {
                self.control.check()?;
                while portion.len() < self.portion_states * self.words && collected.next(&mut state)? {
                    portion.extend_from_slice(&state);
                }
                Ok(())
            };
            let (filled, is_last) = match fill() {
                Ok(()) => (Ok(()), portion.len() < self.portion_states * self.words),
                Err(halt) => (Err(halt), true),
            };
            if input.send(filled.map(|()| portion)).is_err() || is_last {
                return;
            }
        }
    }

    fn look_up(
        &self,
        wanted: &Receiver<Portion>,
        done: &SyncSender<Portion>,
        mut keep: impl FnMut(&[u64]) -> Result<bool, Halt>,
    ) {
        while let Ok(portion) = wanted.recv() {
            let filtered = portion.and_then(|mut portion| {
                let mut kept = 0;
                for at in (0..portion.len()).step_by(self.words) {
                    if keep(&portion[at..at + self.words])? {
                        portion.copy_within(at..at + self.words, kept);
                        kept += self.words;
                    }
                }
                portion.truncate(kept);
                Ok(portion)
            });
            if done.send(filtered).is_err() {
                return;
            }
        }
    }
}
