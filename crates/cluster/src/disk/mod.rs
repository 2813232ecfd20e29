//! A worker's share on its own disk, where memory has no room for it ([ADR 160]).
//!
//! The states of a worker are sorted runs, as in the engine `external` (`lariat_runs`). In a round every worker expands its layer; successors that
//! belong to it go into its sorter, whether it found them itself or another worker sent them. After the round the sorted
//! runs are merged, what was visited is subtracted, and the rest is the worker's next layer (`search`, `expand`). `others` is how sorters get what other
//! workers find; with it the passes, OWCTY and the search for a run of `lariat_runs` work on sets that are spread over workers (`cycles`). `place`
//! is where a worker keeps all this, and the checkpoints (`kept`) that it goes on from (`ground`).
//!
//! [ADR 160]: ../../../../docs/adr/0160-shares-on-disk.md

mod cycles;
mod expand;
mod ground;
mod kept;
mod others;
mod place;
mod results;
mod search;

pub(crate) use cycles::{FoundOnDisk, search_cycles_on_disk};
pub(crate) use ground::{Ground, others_of};
pub(crate) use place::Place;
pub(crate) use search::DiskSearch;

use crate::link::Link;
use crate::share::{Halt, Job};
use crate::trouble::Trouble;
use lariat_engine::Shortfall;
use lariat_subject::Stop;
use std::sync::atomic::Ordering;

/// Searches in memory, and where that is full, and there is a disk, again on disk: all workers, or none. What was begun on disk goes on there.
pub(crate) fn in_memory_or_on_disk<T>(
    job: Job<'_>,
    link: &mut Link<'_>,
    trouble: &Trouble,
    in_memory: impl FnOnce(&mut Link<'_>) -> Result<T, Halt>,
    is_full: impl FnOnce(&T) -> bool,
    on_disk: impl FnOnce(&mut Link<'_>) -> Result<T, Halt>,
) -> Result<T, Halt> {
    let Some(checkpoints) = job.checkpoints else { return in_memory(link) };
    let is_begun = job.options.disk.as_ref().is_some_and(|disk| disk.buffer_states.is_some())
        || Place::new(checkpoints, job.options.disk.as_ref(), link.me()).has_checkpoints();
    let said = link.gather(&[u64::from(is_begun)])?;
    let is_begun = said.iter().map(|words| words.first().copied()).collect::<Option<Vec<u64>>>();
    if is_begun.ok_or_else(|| trouble.damaged())?.iter().all(|word| *word == 0) {
        let found = in_memory(link);
        let is_full = match &found {
            Ok(found) => is_full(found),
            Err(Halt::Stop(Stop::Short(Shortfall::Memory { .. }))) => true,
            Err(_) => false,
        };
        if !is_full {
            return found;
        }
        // Nobody takes memory before all have given theirs back.
        drop(found);
        link.gather(&[])?;
        let counters = &job.control.counters;
        [&counters.states, &counters.transitions, &counters.depth]
            .iter()
            .for_each(|counter| counter.store(0, Ordering::Relaxed));
        if link.me() == 0 {
            let folder = checkpoints.folder.display();
            job.control.notify(format!("memory is full: the search begins again on disk, in `{folder}`"));
        }
        link.gather(&[])?;
    }
    on_disk(link)
}
