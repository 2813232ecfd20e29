//! The checkpoints of a worker while it searches.

use super::search::{DiskSearch, Kept};
use lariat_runs::error::Halt;
use lariat_runs::sorter::Sorter;
use lariat_space::StateSpace;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often checkpoints are made where nothing else is said.
const EVERY: Duration = Duration::from_secs(10);

impl<S: StateSpace> DiskSearch<'_, '_, '_, '_, S> {
    /// Forgets what was collected of a layer that is expanded in part.
    pub(super) fn forget_collected(&mut self) {
        let collected = self.sorter.as_mut().map_or(Vec::new(), Sorter::forget);
        self.reached.visited.discard(collected.into_iter().chain(self.sorted.drain(..).map(|run| run.segment)));
    }

    pub(super) fn is_due(&self) -> bool {
        let disk = self.job.options.disk.as_ref();
        let every = disk.and_then(|disk| disk.checkpoint_ms).map_or(EVERY, Duration::from_millis);
        self.kept.written.elapsed() >= every
    }

    /// What was read and written, also before the search went on.
    pub(super) fn moved(&self) -> (u64, u64) {
        let (moved, (read, written)) = (&self.place.folders.moved, self.moved_before);
        (read + moved.read.load(Ordering::Relaxed), written + moved.written.load(Ordering::Relaxed))
    }

    /// Makes a checkpoint with all layers; `counted` is what was counted before the last one is expanded.
    pub(crate) fn keep(&mut self, counted: Vec<u64>) -> Result<(), Halt> {
        let number = self.reached.layers.len();
        if self.kept.last == Some(number) {
            return Ok(());
        }
        let moved = self.moved();
        let Self { place, reached, masks, .. } = self;
        let layers = reached.layers.sync()?;
        let runs = reached.visited.runs.iter().map(|run| run.info.clone()).collect();
        let at = (reached.recent_from, reached.states);
        let progress = place.progress(masks, layers, runs, at, counted, moved);
        place.write(number, &progress)?;
        let Kept { last, older, outdated, written } = &mut self.kept;
        let is_first = last.is_none() && !self.is_resumed;
        older.extend(last.replace(number));
        outdated.append(&mut reached.visited.outdated);
        *written = Instant::now();
        if is_first {
            // What was kept of a search in memory is not needed any more.
            self.job.checkpoints.iter().for_each(|checkpoints| checkpoints.remove_parts(self.others.me()));
        }
        Ok(())
    }

    /// The same where everything was met, before accepting cycles are looked for.
    pub(crate) fn keep_all(&mut self) -> Result<(), Halt> {
        let counted = self.tally_before.clone();
        self.keep(counted)
    }

    /// All workers have the last checkpoint: removes what only the ones before it needed.
    pub(super) fn confirm(&mut self) {
        let Kept { older, outdated, .. } = &mut self.kept;
        older.drain(..).for_each(|number| self.place.remove(number));
        for segment in outdated.drain(..) {
            // What stays takes room and does no harm.
            let _ = self.place.folders.remove(&segment);
        }
    }
}
