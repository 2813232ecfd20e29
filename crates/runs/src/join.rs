//! Merging many runs into few, so that never too many are open at once.

use crate::error::Halt;
use crate::run::{RunCursor, RunInfo, RunWriter};
use crate::segment::{Folders, SegmentWriter};
use crate::sort::Same;
use crate::union::{Source, Union};
use lariat_engine::RunControl;
use std::sync::atomic::{AtomicU64, Ordering};

/// How runs are joined.
#[derive(Clone, Copy)]
pub struct Joining<'j> {
    /// Where runs are.
    pub folders: &'j Folders,
    /// Numbers for names of segments.
    pub names: &'j AtomicU64,
    /// Limits of the run.
    pub control: &'j RunControl,
    /// What the names of new segments begin with.
    pub prefix: &'static str,
    /// Words of a record.
    pub words: usize,
    /// What becomes of several records of a state.
    pub same: Same,
    /// No more runs than this are read at once; at least 2.
    pub fan_in: usize,
}

impl Joining<'_> {
    /// Merges runs, the first ones first, until there are `fan_in` of them: the segments that are needed no more. Should
    /// something go wrong, the runs are still all there.
    pub fn join(&self, runs: &mut Vec<RunInfo>) -> Result<Vec<String>, Halt> {
        let mut outdated = Vec::new();
        while runs.len() > self.fan_in {
            // The last time only as many as have to go.
            let count = self.fan_in.min(runs.len() - self.fan_in + 1);
            let joined = self.write(self.union(&runs[..count], [])?)?;
            outdated.extend(runs.drain(..count).map(|run| run.segment));
            runs.push(joined);
        }
        // A segment may have several runs.
        outdated.dedup();
        outdated.retain(|segment| runs.iter().all(|run| run.segment != *segment));
        Ok(outdated)
    }

    /// The union of runs and of states in memory.
    pub fn union<'s>(&self, runs: &[RunInfo], memory: impl IntoIterator<Item = &'s [u64]>) -> Result<Union<'s>, Halt> {
        debug_assert!(runs.len() <= self.fan_in, "they were joined");
        let on_disk = runs.iter().map(|info| RunCursor::new(info, self.folders, self.words));
        let mut sources = on_disk.map(|cursor| cursor.map(Source::Disk)).collect::<Result<Vec<_>, _>>()?;
        sources.extend(memory.into_iter().map(|states| Source::memory(states, self.words)));
        Ok(Union::of(self.same, sources))
    }

    /// A run of its own.
    pub fn write(&self, records: Union<'_>) -> Result<RunInfo, Halt> {
        self.write_while(records, || Ok(self.control.check()?))
    }
    /// The same, also if the search was told to stop: what is in memory is written so that it can go on.
    pub fn write_to_end(&self, records: Union<'_>) -> Result<RunInfo, Halt> {
        self.write_while(records, || Ok(()))
    }
    fn write_while(&self, mut records: Union<'_>, may_go_on: impl Fn() -> Result<(), Halt>) -> Result<RunInfo, Halt> {
        let name = format!("{}-{:06}", self.prefix, self.names.fetch_add(1, Ordering::Relaxed));
        let mut segment = SegmentWriter::new(self.folders, &name, self.words);
        let mut writer = RunWriter::new(&mut segment, self.words, None);
        let mut record = Vec::with_capacity(self.words);
        while records.next(&mut record)? {
            if writer.push(&record)? {
                may_go_on()?;
            }
        }
        let (info, _) = writer.finish()?;
        segment.leave()?;
        Ok(info)
    }
}
