//! What a worker has before it searches: its folder, its part of the memory, how the workers share the states, and the checkpoint that all of them
//! go on from.

use super::others::Others;
use super::place::{Place, Progress};
use crate::link::Link;
use crate::parcel::WorkerId;
use crate::partition::Partition;
use crate::share::{Halt as WorkerHalt, Job, Outgoing, Taken};
use crate::trouble::Trouble;
use crate::words::{Reader, common_stop, push_list, stop_words};
use lariat_engine::Shortfall;
use lariat_runs::share::Shares;
use lariat_space::StateSpace;
use lariat_subject::Stop;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// What a worker has before it searches, and what outlives its search.
pub(crate) struct Ground<'a> {
    pub(crate) place: Place,
    pub(crate) shares: Shares,
    pub(super) partition: Partition,
    pub(super) resumed: Option<(u64, Progress)>,
    /// Checkpoints of the worker that are damaged.
    pub(super) bad: Vec<PathBuf>,
    _taken: Taken<'a>,
}

impl<'a> Ground<'a> {
    /// A worker's part, in its part of the memory: `free_bytes` are those of the process. All stop if one of them has no memory for it. They go
    /// on from the last checkpoint that all have; the first worker says how the states are shared.
    pub(crate) fn new<S: StateSpace>(
        space: &S,
        job: Job<'a>,
        free_bytes: u64,
        link: &mut Link<'_>,
        trouble: &Trouble,
    ) -> Result<Self, WorkerHalt> {
        let (me, workers, words) = (link.me(), link.peers(), space.words_per_state());
        let checkpoints = job.checkpoints.expect("a share on disk has a folder");
        let disk = job.options.disk.as_ref();
        let place = Place::new(checkpoints, disk, me);
        let of_links = Outgoing::most_bytes(words, workers);
        let mine = (free_bytes / job.options.threads.max(1) as u64).saturating_sub(of_links);
        let shares = Shares::within(mine, 1, words, disk);
        let needed_bytes = shares.fixed_bytes + of_links;
        let taken = match needed_bytes <= free_bytes / job.options.threads.max(1) as u64 || shares.is_for_tests {
            true => Taken::new(&job.control.budget, needed_bytes).map_err(Stop::from),
            false => Err(Stop::Short(Shortfall::Memory { limit_bytes: job.control.budget.limit_bytes() })),
        };
        if taken.is_err() && me == 0 {
            let mib = (needed_bytes >> 20) + 20;
            let why = format!("a share on disk needs about {mib} MiB for each worker: give it more with `--memory`");
            job.control.notify(why);
        }
        let (good, bad) = place.read();
        // What was kept of an older search may share the states in another way.
        let is_usable = |progress: &Progress| progress.masks.len() == words;
        let good: Vec<(u64, Progress)> = good.into_iter().filter(|(_, progress)| is_usable(progress)).collect();
        let mut said = stop_words(taken.as_ref().err().copied()).to_vec();
        push_list(&mut said, &good.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        if me == 0 {
            let masks = good.last().map(|(_, progress)| progress.masks.clone());
            let kept = masks.and_then(|masks| Partition::of_masks(&masks, workers));
            push_list(&mut said, kept.unwrap_or_else(|| Partition::of_space(space, workers, job.control)).masks());
        }
        let said = link.gather(&said)?;
        if let Some(stop) = common_stop(&said).ok_or_else(|| trouble.damaged())? {
            return Err(stop.into());
        }
        let read = |words: &Vec<u64>| Some(Reader(words.get(2..)?).list()?.to_vec());
        let numbers: Option<Vec<Vec<u64>>> = said.iter().map(read).collect();
        let numbers = numbers.ok_or_else(|| trouble.damaged())?;
        let common = numbers[0].iter().copied().filter(|number| numbers.iter().all(|has| has.contains(number))).max();
        let masks = || {
            let mut reader = Reader(said[0].get(2..)?);
            reader.list()?;
            reader.list()
        };
        let masks = masks().filter(|masks| masks.len() == words).ok_or_else(|| trouble.damaged())?;
        let partition = Partition::of_masks(masks, workers).ok_or_else(|| trouble.damaged())?;
        let resumed = common.and_then(|common| good.into_iter().find(|(number, _)| *number == common));
        if let Some((_, progress)) = &resumed {
            place.names.store(progress.names, Ordering::Relaxed);
        }
        let _taken = taken.expect("who has no memory has said so");
        Ok(Self { place, shares, partition, resumed, bad, _taken })
    }
}

/// What connects a worker with the others while it searches.
pub(crate) fn others_of<'l, 'w>(
    ground: &Ground<'_>,
    words: usize,
    link: &'l mut Link<'w>,
    trouble: &'l Trouble,
) -> Others<'l, 'w> {
    let (me, workers): (WorkerId, usize) = (link.me(), link.peers());
    let mut outgoing = Outgoing::new(me, workers, words);
    outgoing.partition = ground.partition.clone();
    Others::new(link, trouble, outgoing)
}
