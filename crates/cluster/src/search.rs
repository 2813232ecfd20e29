//! Breadth-first search by all workers together: a level is a round.

use crate::link::Link;
use crate::share::{Halt, Job, Share};
use crate::trouble::{Lost, Trouble};
use crate::words::{Reader, common_stop, push_tally, stop_words, tally};
use lariat_engine::{Shortfall, WorkerFigures};
use lariat_space::{State, StateSpace};
use lariat_subject::{Keep, Stop, Tally};
use std::sync::atomic::Ordering;

/// One worker's part of a search.
pub(crate) struct Search<'a, 'l, 'w, S: StateSpace> {
    pub(crate) share: Share<'a, S>,
    pub(crate) link: &'l mut Link<'w>,
    pub(crate) trouble: &'l Trouble,
    /// Where the states of each level begin, and the end of the last one.
    levels: Vec<u64>,
    /// How many steps lead to the last level that has states.
    pub(crate) depth: u64,
}

/// What all workers counted together, and each of them.
pub(crate) struct Totals {
    pub(crate) tally: Tally,
    pub(crate) states: u64,
    pub(crate) store_bytes: u64,
    pub(crate) workers: Vec<WorkerFigures>,
}

impl<'a, 'l, 'w, S: StateSpace> Search<'a, 'l, 'w, S> {
    /// A worker's part. All stop if one of them has no memory for it.
    pub(crate) fn new(space: &'a S, job: Job<'a>, link: &'l mut Link<'w>, trouble: &'l Trouble) -> Result<Self, Halt> {
        let share = Share::new(space, job, link.me(), link.peers()).map_err(Stop::from);
        let said = link.gather(&stop_words(share.as_ref().err().copied()))?;
        let stop = common_stop(&said).ok_or_else(|| trouble.damaged())?;
        match (share, stop) {
            (_, Some(stop)) | (Err(stop), _) => Err(stop.into()),
            (Ok(share), None) => Ok(Self { share, link, trouble, levels: Vec::new(), depth: 0 }),
        }
    }

    /// Searches everything, or up to the first level with a failure.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        let Job { options, control, .. } = self.share.job;
        let mut stop = self.share.begin().err();
        self.levels.push(0);
        for depth in 0.. {
            let (first, end) = (*self.levels.last().expect("there is one"), self.share.len());
            self.levels.push(end);
            control.counters.depth.store(self.depth, Ordering::Relaxed);
            if stop.is_none() {
                stop = match self.expand_level(first..end, depth, options.depth_limit == Some(depth)) {
                    Err(Halt::Stop(stop)) => Some(stop),
                    Err(Halt::Lost) => return Err(Halt::Lost),
                    Ok(()) => None,
                };
            }
            if stop.is_some() {
                self.share.discard_outgoing();
                self.link.halt();
            }
            let failures = self.share.tally.failures.count;
            let [why, detail] = stop_words(stop);
            self.link.close(&[why, detail, end - first, failures]);
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
                return Err(stop.into());
            }
            let sum = |place: usize| said.iter().map(|words| words.get(place)).sum::<Option<u64>>();
            let (Some(level), Some(failures)) = (sum(2), sum(3)) else { return Err(self.trouble.damaged().into()) };
            if level == 0 {
                let bounded = options.depth_limit.map(|limit| Shortfall::Depth { limit });
                return bounded.map_or(Ok(()), |shortfall| Err(Stop::Short(shortfall).into()));
            }
            self.depth = depth;
            if failures > 0 && !options.keep_going {
                return Err(Stop::Failure.into());
            }
        }
        unreachable!("a search ends before its levels are counted to the end")
    }

    fn expand_level(&mut self, level: std::ops::Range<u64>, depth: u64, horizon: bool) -> Result<(), Halt> {
        let end = level.end;
        for portion in Share::<S>::portions(level) {
            if self.link.is_halted() {
                return Ok(());
            }
            let len = (portion.end - portion.start) as usize;
            self.share.recall(portion.clone());
            for number in 0..len {
                self.share.expand(number, depth, horizon)?;
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
            if !self.share.is_worth_sending(to, all) {
                continue;
            }
            while !self.link.has_room(to) {
                self.link.pump(true)?;
                self.store_received()?;
            }
            let states = self.share.take_outgoing(to);
            self.link.send(to, states);
        }
        self.link.pump(false)?;
        self.store_received()
    }

    fn store_received(&mut self) -> Result<(), Halt> {
        while let Some((_, states)) = self.link.receive() {
            if !states.len().is_multiple_of(self.share.words()) {
                return Err(self.trouble.damaged().into());
            }
            self.share.store_received(&states)?;
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

    /// What all workers have counted and met.
    pub(crate) fn totals(&mut self) -> Result<Totals, Lost> {
        let Self { share, link, trouble, .. } = self;
        share.tally.passed(share.space.passed(&share.scratch));
        let states = share.len();
        let mut words = vec![
            states,
            lariat_store::Store::bytes(&share.store),
            share.outgoing.sent_states,
            link.sent.bytes,
            link.sent.parcels,
        ];
        push_tally(&mut words, &share.tally);
        let said = link.gather(&words)?;
        let mut totals = Totals { tally: Tally::new(Keep::Least), states: 0, store_bytes: 0, workers: Vec::new() };
        for words in &said {
            let mut reader = Reader(words);
            let read = |reader: &mut Reader<'_>| {
                let &[states, store_bytes, sent_states, sent_bytes, parcels] = reader.words(5)? else { return None };
                let of_worker = tally(reader, share.words())?;
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

    /// Whether all of these words are states.
    pub(crate) fn is_state(&self, words: &State) -> bool {
        words.len() == self.share.words()
    }
}
