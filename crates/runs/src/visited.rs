//! The states of all layers, to be subtracted from the next one.
//!
//! Small layers are kept in memory as sorted runs, which are merged so that each is at least twice as large as the next.
//! When they take too much they become one run on disk. A layer that is too large for memory is a run on disk as it is. Runs
//! on disk are merged in the same way: so there are few of them, and a state is written again a logarithmic number of times,
//! while subtracting every layer by itself would read a quadratic number of bytes.

use crate::error::Halt;
use crate::run::{Index, Lookup, RunCursor, RunWriter, SortedRun};
use crate::segment::{Folders, SegmentWriter};
use crate::share::Shares;
use crate::sort::gallop;
use crate::union::{Source, Union};
use lariat_engine::RunControl;
use std::sync::atomic::{AtomicU64, Ordering};

/// All visited states but those of the present layer, where that is in memory.
pub struct Visited<'a> {
    folders: Folders,
    control: &'a RunControl,
    names: &'a AtomicU64,
    words: usize,
    /// On disk, the largest first.
    pub runs: Vec<SortedRun>,
    /// In memory, the largest first.
    recent: Vec<Vec<u64>>,
    most_recent_words: usize,
    most_runs: usize,
    index_bytes: u64,
    /// The segment of the layers, which has an owner.
    layers: Option<String>,
    /// Segments that are needed no more, but for an older checkpoint.
    pub outdated: Vec<String>,
}

impl<'a> Visited<'a> {
    /// None yet.
    pub fn new(
        folders: &Folders,
        words: usize,
        shares: &Shares,
        names: &'a AtomicU64,
        control: &'a RunControl,
    ) -> Self {
        Self {
            folders: folders.clone(),
            control,
            names,
            words,
            runs: Vec::new(),
            recent: Vec::new(),
            most_recent_words: shares.recent_words,
            most_runs: shares.visited_runs,
            index_bytes: shares.index_bytes,
            layers: None,
            outdated: Vec::new(),
        }
    }
    /// The same where layers stay in a segment of this name: all other runs are removed when they were merged.
    pub fn beside(self, layers: &str) -> Self {
        Self { layers: Some(layers.to_owned()), ..self }
    }
    fn owns(&self, segment: &str) -> bool {
        self.layers.as_deref() != Some(segment)
    }

    /// Removes segments that are needed no more; those that a manifest may speak of when there is another one.
    pub fn discard(&mut self, segments: impl IntoIterator<Item = String>) {
        for segment in segments {
            if self.folders.is_unsynced(&segment) {
                // What stays takes room and does no harm.
                let _ = self.folders.remove(&segment);
            } else if self.outdated.last() != Some(&segment) {
                self.outdated.push(segment);
            }
        }
    }
    /// Removes what only an older checkpoint needed.
    pub fn remove_outdated(&mut self) {
        for segment in self.outdated.drain(..) {
            // What stays takes room and does no harm.
            let _ = self.folders.remove(&segment);
        }
    }

    /// What is looked up in ascending order, `more` included.
    pub fn lookups<'v>(&'v self, more: &'v [u64]) -> Lookups<'v> {
        let memory = self.recent.iter().map(Vec::as_slice).chain([more]).filter(|run| !run.is_empty());
        Lookups {
            words: self.words,
            memory: memory.map(|run| (run, 0)).collect(),
            disk: self.runs.iter().map(|run| run.lookup(&self.folders)).collect(),
        }
    }

    /// Adds a layer that is in memory. True if memory has no room for such layers any more, and they went to the disk.
    pub fn add(&mut self, layer: Vec<u64>) -> Result<bool, Halt> {
        if layer.is_empty() {
            return Ok(false);
        }
        self.recent.push(layer);
        while let [.., before, last] = &self.recent[..]
            && before.len() < 2 * last.len()
        {
            let (last, before) = (self.recent.pop().unwrap_or_default(), self.recent.pop().unwrap_or_default());
            self.recent.push(merged(&before, &last, self.words));
        }
        if self.recent.iter().map(Vec::len).sum::<usize>() <= self.most_recent_words {
            return Ok(false);
        }
        self.flush()?;
        Ok(true)
    }

    /// Adds a layer that is on disk.
    pub fn add_run(&mut self, run: SortedRun) -> Result<(), Halt> {
        self.runs.push(run);
        self.merge_runs()
    }

    /// Makes a run on disk of what is in memory.
    pub fn flush(&mut self) -> Result<(), Halt> {
        if self.recent.is_empty() {
            return Ok(());
        }
        let recent = std::mem::take(&mut self.recent);
        let sources = recent.iter().map(|run| Source::memory(run, self.words));
        let run = self.write(Union::new(sources))?;
        drop(recent);
        self.add_run(run)
    }

    /// Merges the last runs on disk, until each is at least twice as large as all that follow, and there are not too many.
    fn merge_runs(&mut self) -> Result<(), Halt> {
        let (mut from, mut states) = (self.runs.len(), 0);
        while from > 0 && (from == self.runs.len() || self.runs[from - 1].info.states < 2 * states) {
            from -= 1;
            states += self.runs[from].info.states;
        }
        if self.runs.len() - from < 2 {
            if self.runs.len() <= self.most_runs {
                return Ok(());
            }
            from = self.runs.len() - 2;
        }
        let cursors = self.runs[from..].iter().map(|run| RunCursor::new(&run.info, &self.folders, self.words));
        let sources = cursors.map(|cursor| cursor.map(Source::Disk)).collect::<Result<Vec<_>, _>>()?;
        let run = self.write(Union::new(sources))?;
        let old: Vec<String> = self.runs.drain(from..).map(|old| old.info.segment).collect();
        self.runs.push(run);
        let owned: Vec<String> = old.into_iter().filter(|segment| self.owns(segment)).collect();
        self.discard(owned);
        Ok(())
    }

    /// All of them, and `more`, where `is_wanted` says so, as one run.
    pub fn collect(&self, more: &[u64], is_wanted: impl Fn(&[u64]) -> bool) -> Result<SortedRun, Halt> {
        let cursors = self.runs.iter().map(|run| RunCursor::new(&run.info, &self.folders, self.words));
        let mut sources = cursors.map(|cursor| cursor.map(Source::Disk)).collect::<Result<Vec<_>, _>>()?;
        let memory = self.recent.iter().map(Vec::as_slice).chain([more]);
        sources.extend(memory.map(|run| Source::memory(run, self.words)));
        self.write_some(Union::new(sources), is_wanted)
    }
    /// Forgets what is in memory.
    pub fn forget(&mut self) {
        self.recent = Vec::new();
    }
    /// Removes the segments of its runs, which nothing else needs.
    pub fn remove(mut self) {
        let runs: Vec<String> = self.runs.drain(..).map(|run| run.info.segment).collect();
        let owned: Vec<String> = runs.into_iter().filter(|segment| self.owns(segment)).collect();
        self.outdated.extend(owned);
        self.remove_outdated();
    }

    fn write(&self, states: Union<'_>) -> Result<SortedRun, Halt> {
        self.write_some(states, |_| true)
    }

    fn write_some(&self, mut states: Union<'_>, is_wanted: impl Fn(&[u64]) -> bool) -> Result<SortedRun, Halt> {
        let name = format!("run-{:06}", self.names.fetch_add(1, Ordering::Relaxed));
        let mut segment = SegmentWriter::new(&self.folders, &name, self.words);
        let index = Index::new(self.words, &self.folders, self.index_bytes);
        let mut writer = RunWriter::new(&mut segment, self.words, Some(index));
        let mut state = Vec::with_capacity(self.words);
        while states.next(&mut state)? {
            if is_wanted(&state) && writer.push(&state)? {
                self.control.check()?;
            }
        }
        let (_, run) = writer.finish()?;
        segment.leave()?;
        Ok(run.expect("it has an index"))
    }
}

/// Looks up states in ascending order.
pub struct Lookups<'v> {
    words: usize,
    memory: Vec<(&'v [u64], usize)>,
    disk: Vec<Lookup<'v>>,
}

impl Lookups<'_> {
    /// Whether the state was visited.
    #[inline]
    pub fn contain(&mut self, state: &[u64]) -> Result<bool, Halt> {
        let words = self.words;
        for (run, at) in &mut self.memory {
            *at = gallop(run, words, *at, state);
            if run.get(*at * words..(*at + 1) * words) == Some(state) {
                return Ok(true);
            }
        }
        for lookup in &mut self.disk {
            if lookup.contains(state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Two sorted runs without common states as one.
fn merged(a: &[u64], b: &[u64], words: usize) -> Vec<u64> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let mut at = 0;
    for state in b.chunks_exact(words) {
        let place = gallop(a, words, at, state);
        all.extend_from_slice(&a[at * words..place * words]);
        all.extend_from_slice(state);
        at = place;
    }
    all.extend_from_slice(&a[at * words..]);
    all
}
