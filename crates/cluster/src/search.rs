//! Breadth-first search by all workers together: a level is a round.

use crate::checkpoint::{Checkpoints, Part, Parts};
use crate::link::Link;
use crate::partition::Partition;
use crate::share::{Halt, Job, Received, Share};
use crate::trouble::{Lost, Trouble};
use crate::words::{Reader, common_stop, push_tally, stop_words, tally};
use lariat_engine::{RunControl, Shortfall, WorkerFigures};
use lariat_space::StateSpace;
use lariat_subject::{Keep, Stop, Tally};
use std::fmt::Display;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One worker's part of a search.
pub(crate) struct Search<'a, 'l, 'w, S: StateSpace> {
    pub(crate) share: Share<'a, S>,
    pub(crate) link: &'l mut Link<'w>,
    pub(crate) trouble: &'l Trouble,
    /// Where the states of each level begin, and the end of the last one.
    levels: Vec<u64>,
    /// How many steps lead to the last level that has states.
    pub(crate) depth: u64,
    /// What was kept of complete levels, if they are kept.
    kept: Option<Kept<'a>>,
}

/// What a worker has on disk.
struct Kept<'a> {
    parts: Parts<'a>,
    /// So many of its states, and of the levels.
    states: u64,
    levels: usize,
    /// The tally before the level before the last one was expanded, and before the last one was.
    tallies: [Vec<u64>; 2],
    written: Instant,
}

/// What all workers counted together, and each of them.
pub(crate) struct Totals {
    pub(crate) tally: Tally,
    pub(crate) states: u64,
    pub(crate) store_bytes: u64,
    pub(crate) workers: Vec<WorkerFigures>,
}

/// Says what is wrong with the folder of checkpoints, and that the search stops.
fn unusable(control: &RunControl, why: &dyn Display, checkpoints: &Checkpoints) -> Stop {
    let folder = checkpoints.folder.display();
    control.notify(format!("the checkpoints in `{folder}` cannot be used: {why}; mend that, or delete the folder"));
    Stop::Short(Shortfall::Disk)
}

/// Whether a search that stopped for this reason can go on another time.
pub(crate) fn is_pause(shortfall: Shortfall) -> bool {
    use Shortfall::{Cluster, Disk, Interrupted, Memory, Time};
    matches!(shortfall, Interrupted | Time { .. } | Memory { .. } | Disk | Cluster)
}

impl<'a, 'l, 'w, S: StateSpace> Search<'a, 'l, 'w, S> {
    /// A worker's part. All stop if one of them has no memory for it. The first worker says how the states are shared.
    pub(crate) fn new(space: &'a S, job: Job<'a>, link: &'l mut Link<'w>, trouble: &'l Trouble) -> Result<Self, Halt> {
        let (me, workers) = (link.me(), link.peers());
        let share = Share::new(space, job, me, workers).map_err(Stop::from);
        let mut words = stop_words(share.as_ref().err().copied()).to_vec();
        if me == 0 {
            let kept = job.checkpoints.and_then(|checkpoints| checkpoints.masks(me, space.words_per_state()));
            let kept = kept.and_then(|masks| Partition::of_masks(&masks, workers));
            words.extend(kept.unwrap_or_else(|| Partition::of_space(space, workers, job.control)).masks());
        }
        let said = link.gather(&words)?;
        let stop = common_stop(&said).ok_or_else(|| trouble.damaged())?;
        match (share, stop) {
            (_, Some(stop)) | (Err(stop), _) => Err(stop.into()),
            (Ok(mut share), None) => {
                let masks = said[0].get(2..).filter(|masks| masks.len() == share.words());
                let partition = masks.and_then(|masks| Partition::of_masks(masks, workers));
                share.outgoing.partition = partition.ok_or_else(|| trouble.damaged())?;
                let kept = job.checkpoints.map(|checkpoints| Kept {
                    parts: checkpoints.parts(me, share.outgoing.partition.masks()),
                    states: 0,
                    levels: 0,
                    tallies: Default::default(),
                    written: Instant::now(),
                });
                Ok(Self { share, link, trouble, levels: Vec::new(), depth: 0, kept })
            }
        }
    }

    /// Searches everything, or up to the first level with a failure.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        self.run_until(|_| Ok(false)).map(|_| ())
    }

    /// The same, up to the first sign of an accepting cycle that `look` says is one: whether it does. After a sign that was none, it
    /// is not asked before twice as many states are expanded; nor while some worker has no room for what it received, as its states are
    /// not all there.
    pub(crate) fn run_until(&mut self, mut look: impl FnMut(&mut Self) -> Result<bool, Halt>) -> Result<bool, Halt> {
        let mut enough = 0;
        let Job { options, control, .. } = self.share.job;
        let (mut stop, mut first_depth) = (None, 0);
        match self.resume()? {
            Some(depth) => first_depth = depth,
            None => {
                stop = self.share.begin().err();
                self.levels.push(0);
            }
        }
        for depth in first_depth.. {
            let (first, end) = (*self.levels.last().expect("there is one"), self.share.len());
            self.levels.push(end);
            self.note_tally();
            control.counters.depth.store(self.depth, Ordering::Relaxed);
            if stop.is_none() {
                stop = match self.expand_level(first..end, depth, options.depth_limit == Some(depth)) {
                    Err(Halt::Stop(stop)) => Some(stop),
                    Err(Halt::Lost) => return Err(Halt::Lost),
                    Ok(()) => None,
                };
            }
            if stop.is_some() {
                self.share.outgoing.clear();
                self.link.halt();
            }
            let failures = self.share.tally.failures.count;
            let [why, detail] = stop_words(stop);
            let signs = self.share.ancestors.as_ref().map_or(0, |ancestors| ancestors.signs);
            self.link.close(&[why, detail, end - first, failures, u64::from(self.is_part_due()), signs, end]);
            let said = loop {
                // What comes after a reason to stop is not needed, and there may be no room for it.
                while let Err(halt) = self.store_received() {
                    match halt {
                        Halt::Stop(full) => stop = stop.or(Some(full)),
                        Halt::Lost => return Err(Halt::Lost),
                    }
                }
                if let Some(said) = self.link.ended()? {
                    break said;
                }
                self.link.pump(true)?;
            };
            self.share.show(self.share.len() - end);
            if let Some(stop) = common_stop(&said).ok_or_else(|| self.trouble.damaged())? {
                // States may wait in it where the search stopped in the middle of a portion.
                self.share.discard_batch();
                if matches!(stop, Stop::Short(shortfall) if is_pause(shortfall)) {
                    let _ = self.keep(false);
                }
                return Err(stop.into());
            }
            let sum = |place: usize| said.iter().map(|words| words.get(place)).sum::<Option<u64>>();
            let sums = [sum(2), sum(3), sum(4), sum(5), sum(6)];
            let [Some(level), Some(failures), Some(due), Some(signs), Some(expanded)] = sums else {
                return Err(self.trouble.damaged().into());
            };
            if level == 0 {
                let bounded = options.depth_limit.map(|limit| Shortfall::Depth { limit });
                return bounded.map_or(Ok(false), |shortfall| Err(Stop::Short(shortfall).into()));
            }
            self.depth = depth;
            if failures > 0 && !options.keep_going {
                return Err(Stop::Failure.into());
            }
            // All workers look or none does, so each has to know whether another one has a reason to stop.
            if signs > 0 && expanded >= enough && !self.is_stopping(stop)? {
                debug_assert!(stop.is_none(), "states that found no room are missing where all look for a cycle");
                if look(self)? {
                    return Ok(true);
                }
                enough = 2 * expanded;
                self.share.ancestors.iter_mut().for_each(|ancestors| ancestors.signs = 0);
            }
            if due > 0 {
                // The others hear of it in the next round.
                stop = stop.or(self.keep(true).err());
            }
        }
        unreachable!("a search ends before its levels are counted to the end")
    }

    /// Whether some worker has a reason to stop, which all hear of at the end of the next round.
    fn is_stopping(&mut self, stop: Option<Stop>) -> Result<bool, Halt> {
        let said = self.link.gather(&stop_words(stop))?;
        Ok(common_stop(&said).ok_or_else(|| self.trouble.damaged())?.is_some())
    }

    /// Goes back to the last level that all workers have on disk, if there is one: which it is.
    fn resume(&mut self) -> Result<Option<u64>, Halt> {
        let Some(kept) = &mut self.kept else { return Ok(None) };
        let control = self.share.job.control;
        let (whole, damaged) = kept.parts.whole();
        if let Some(path) = damaged {
            control.notify(format!("`{}` is damaged, and not used: some levels are searched again", path.display()));
        }
        let said = self.link.gather(&[whole])?;
        let common = said.iter().map(|words| words.first().copied()).min().flatten();
        let common = common.ok_or_else(|| self.trouble.damaged())?;
        let (words, share) = (self.share.words(), &mut self.share);
        let (mut ends, mut counted, mut stop) = (Vec::new(), Vec::new(), None);
        for number in 0..common {
            let read = kept.parts.read(number, words, |states| share.store_kept(states));
            stop = match read {
                Ok(Ok(Some(part))) if part.first == kept.states && part.ends.last() == Some(&share.len()) => {
                    (kept.states, counted) = (share.len(), part.tally);
                    ends.extend(part.ends);
                    None
                }
                Ok(Err(stop)) => Some(stop),
                Ok(Ok(_)) => Some(unusable(control, &"its parts do not fit this search", kept.parts.checkpoints)),
                Err(error) => Some(unusable(control, &error, kept.parts.checkpoints)),
            };
            if stop.is_some() {
                break;
            }
        }
        kept.levels = ends.len();
        if stop.is_none() && common > 0 {
            match tally(&mut Reader(&counted), words) {
                Some(tally) => share.tally = tally,
                None => stop = Some(unusable(control, &"its tally cannot be read", kept.parts.checkpoints)),
            }
        }
        if stop.is_none() {
            stop = kept.parts.keep(common).err().map(|error| unusable(control, &error, kept.parts.checkpoints));
        }
        let mut said = stop_words(stop).to_vec();
        said.push(ends.len() as u64);
        let said = self.link.gather(&said)?;
        if let Some(stop) = common_stop(&said).ok_or_else(|| self.trouble.damaged())? {
            return Err(stop.into());
        }
        if said.iter().any(|words| words.get(2) != Some(&(ends.len() as u64))) {
            let checkpoints = kept.parts.checkpoints;
            return Err(unusable(control, &"the workers have different levels", checkpoints).into());
        }
        let Some(last) = ends.len().checked_sub(1) else { return Ok(None) };
        self.levels = std::iter::once(0).chain(ends[..last].iter().copied()).collect();
        self.depth = (last as u64).saturating_sub(1);
        if self.link.me() == 0 {
            let folder = self.share.job.checkpoints.map(|checkpoints| checkpoints.folder.display().to_string());
            control.notify(format!("goes on from level {last} of `{}`", folder.unwrap_or_default()));
        }
        Ok(Some(last as u64))
    }

    /// Notes what was counted before a level is expanded, for the next part.
    fn note_tally(&mut self) {
        let Self { share, kept, .. } = self;
        if let Some(kept) = kept {
            share.tally.passed(share.space.passed(&share.scratch));
            let [before, now] = &mut kept.tallies;
            std::mem::swap(before, now);
            now.clear();
            push_tally(now, &share.tally);
        }
    }
    fn is_part_due(&self) -> bool {
        let every = self.share.job.checkpoints.map(|checkpoints| checkpoints.every);
        self.kept.as_ref().zip(every).is_some_and(|(kept, every)| kept.written.elapsed() >= every)
    }

    /// Writes the complete levels, as far as they are not on disk. All workers do so at the end of the same round.
    ///
    /// A worker that has no room for a state of the next level says so in the next round. So when a round is over and nobody had a reason
    /// to stop, the level that was expanded in it is complete (`is_last_complete`); otherwise only those before it are.
    fn keep(&mut self, is_last_complete: bool) -> Result<(), Stop> {
        let Self { share, kept, levels, .. } = self;
        let Some(kept) = kept else { return Ok(()) };
        let complete = &levels[1..levels.len() - usize::from(!is_last_complete)];
        let new: Vec<u64> = complete.iter().copied().skip(kept.levels).collect();
        let Some(&end) = new.last() else { return Ok(()) };
        let (words, control) = (share.words(), share.job.control);
        let mut portions = Share::<S>::portions(kept.states..end);
        let levels = kept.levels + new.len();
        let part = Part { first: kept.states, ends: new, tally: kept.tallies[usize::from(is_last_complete)].clone() };
        let written = kept.parts.write(words, &part, |some| {
            some.clear();
            let Some(portion) = portions.next() else { return false };
            let len = (portion.end - portion.start) as usize;
            share.recall(portion);
            (0..len).for_each(|number| some.extend_from_slice(share.origins.state(number)));
            true
        });
        written.map_err(|error| unusable(control, &error, kept.parts.checkpoints))?;
        (kept.states, kept.levels, kept.written) = (end, levels, Instant::now());
        Ok(())
    }

    fn expand_level(&mut self, level: std::ops::Range<u64>, depth: u64, horizon: bool) -> Result<(), Halt> {
        let end = level.end;
        for portion in Share::<S>::portions(level) {
            if self.link.is_halted() {
                return Ok(());
            }
            let len = (portion.end - portion.start) as usize;
            self.share.recall(portion.clone());
            for place in 0..len {
                self.share.expand(place, portion.start + place as u64, depth, horizon)?;
                // States with very many successors.
                if self.share.outgoing.is_crowded {
                    self.share.job.control.check().map_err(Stop::Short)?;
                    self.exchange(false)?;
                }
            }
            self.share.probe()?;
            self.share.job.control.check().map_err(Stop::Short)?;
            self.exchange(false)?;
            self.share.show(end - portion.end);
        }
        self.exchange(true)
    }

    /// Sends what is worth sending, or all, and stores what was received.
    fn exchange(&mut self, all: bool) -> Result<(), Halt> {
        if self.link.peers() == 1 {
            return Ok(());
        }
        for to in 0..self.link.peers() {
            while self.share.outgoing.is_worth_sending(to, all) {
                while !self.link.has_room(to) {
                    self.link.pump(true)?;
                    self.store_received()?;
                }
                let states = self.share.outgoing.take(to);
                self.link.send(to, states);
            }
        }
        self.link.pump(false)?;
        self.store_received()
    }

    fn store_received(&mut self) -> Result<(), Halt> {
        while let Some((_, states)) = self.link.receive() {
            self.share.store_received(&states).map_err(|received| match received {
                Received::Stop(stop) => Halt::Stop(stop),
                Received::Wrong => self.trouble.damaged().into(),
            })?;
        }
        Ok(())
    }

    /// The states that so many steps lead to, by their numbers.
    pub(crate) fn level(&self, depth: u64) -> std::ops::Range<u64> {
        let place = depth as usize;
        match self.levels.get(place..place + 2) {
            Some(&[first, end]) => first..end,
            _ => 0..0,
        }
    }
    /// How many steps lead to the state of this number.
    pub(crate) fn depth_of(&self, number: u64) -> u64 {
        self.levels.partition_point(|&first| first <= number) as u64 - 1
    }

    /// How many of its states were expanded: the last level may wait.
    pub(crate) fn expanded(&self) -> u64 {
        self.levels.last().copied().unwrap_or(0)
    }

    /// What all workers have counted and met.
    pub(crate) fn totals(&mut self) -> Result<Totals, Lost> {
        let Self { share, link, trouble, .. } = self;
        share.tally.passed(share.space.passed(&share.scratch));
        let mine = [share.len(), share.store.bytes(), share.outgoing.sent_states];
        totals(link, trouble, share.words(), mine, &share.tally)
    }
}

/// What all workers have counted and met; this one has so many states, which take so many bytes, and sent so many.
pub(crate) fn totals(
    link: &mut Link<'_>,
    trouble: &Trouble,
    state_words: usize,
    [states, store_bytes, sent_states]: [u64; 3],
    mine: &Tally,
) -> Result<Totals, Lost> {
    let mut words = vec![states, store_bytes, sent_states, link.sent.bytes, link.sent.parcels];
    push_tally(&mut words, mine);
    let said = link.gather(&words)?;
    let mut totals = Totals { tally: Tally::new(Keep::Least), states: 0, store_bytes: 0, workers: Vec::new() };
    for words in &said {
        let mut reader = Reader(words);
        let read = |reader: &mut Reader<'_>| {
            let &[states, store_bytes, sent_states, sent_bytes, parcels] = reader.words(5)? else { return None };
            let of_worker = tally(reader, state_words)?;
            let transitions = of_worker.transitions;
            Some((WorkerFigures { states, transitions, store_bytes, sent_states, sent_bytes, parcels }, of_worker))
        };
        let (figures, of_worker) = read(&mut reader).ok_or_else(|| trouble.damaged())?;
        totals.states += figures.states;
        totals.store_bytes += figures.store_bytes;
        totals.workers.push(figures);
        totals.tally.merge(of_worker);
    }
    Ok(totals)
}
