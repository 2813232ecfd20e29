//! Going on level by level, from key to key, by one thread or several.

use super::by_states::ByStates;
use super::set::{Known, Lookup};
use crate::frontier::{Frontier, Level};
use crate::scout::Scouts;
use crate::worker::{Buffers, Job, as_result};
use lariat_engine::FailureKind;
use lariat_space::{AnySpace, KeyLister, KeyedSpace, KeyedSteps, StateSpace};
use lariat_store::{Full, Handle, hash_state, unpack_keys};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Keys get more bits when so many states have none.
pub(super) const MANY_WITHOUT_KEY: usize = if cfg!(debug_assertions) { 5 } else { 2048 };
/// A level of fewer handles and words of keys than this for each thread is not worth starting threads for; in tests it is.
const FEW: u64 = if cfg!(debug_assertions) { 8 } else { 512 };

/// Why a search with keys ended early.
pub(super) enum Ended {
    Stopped(Stop),
    /// There are states that have no key.
    NoMoreBits,
}

impl<T: Into<Stop>> From<T> for Ended {
    fn from(stop: T) -> Self {
        Self::Stopped(stop.into())
    }
}

/// A search by levels of keys.
pub(super) struct KeyedLevels<'a, 's> {
    job: Job<'a>,
    keyed: Box<dyn KeyedSpace<'s> + 's>,
    pub(super) known: Known<'a>,
    pub(super) depth: u64,
    expanded: AtomicU64,
    /// Whether threads are to stop drawing states, to go on later or not.
    pause: AtomicBool,
    why: Mutex<Option<Stop>>,
}

/// A thread of it, with what it found on the present level.
struct KeyedThread<'a, 's> {
    space: AnySpace<'s>,
    job: Job<'a>,
    scratch: <AnySpace<'s> as StateSpace>::Scratch,
    limits: StepLimits<'a>,
    _buffers: Buffers<'a>,
    tally: Tally,
    next: Frontier<'a>,
    buffers: Vecs,
    lookup: Lookup,
}

/// What a thread works with.
#[derive(Default)]
struct Vecs {
    sources: Vec<u64>,
    steps: KeyedSteps,
    states: Vec<u64>,
    /// States that have no key, to be given one.
    without_key: Vec<u64>,
}

impl Vecs {
    fn bytes(words: usize, key_words: usize) -> u64 {
        // Targets and their numbers, a portion of states, and those without a key.
        let words = 2 * (2 * (1 + key_words) * 1024 + words * (1024 + MANY_WITHOUT_KEY));
        (words * size_of::<u64>()) as u64
    }
}

impl<'a, 's> KeyedThread<'a, 's> {
    /// As many as are wanted, or as there is memory for; `words` are those of a key.
    fn several(space: AnySpace<'s>, job: Job<'a>, words: usize) -> Result<Vec<Self>, Full> {
        let budget = &job.control.budget;
        let bytes = Vecs::bytes(space.words_per_state(), words.max(2)) + Lookup::most_bytes(words);
        let mut threads = Vec::new();
        for _ in 0..job.options.threads.max(1) {
            match Buffers::new(budget, bytes) {
                Ok(buffers) => threads.push(Self {
                    space,
                    job,
                    scratch: space.scratch(),
                    limits: StepLimits::new(job.control),
                    _buffers: buffers,
                    tally: Tally::new(Keep::Least),
                    next: Frontier::new(budget),
                    buffers: Vecs::default(),
                    lookup: Lookup::new(words),
                }),
                Err(full) if threads.is_empty() => return Err(full),
                Err(_) => break,
            }
        }
        Ok(threads)
    }

    fn finish(mut self) -> Tally {
        let taken = self.buffers.steps.taken.iter().enumerate().filter(|(_, taken)| **taken);
        self.tally.pass(taken.map(|(action, _)| lariat_base::Id::new(action)));
        self.tally.passed(self.space.passed(&self.scratch));
        self.tally
    }
}

impl<'a, 's> KeyedLevels<'a, 's> {
    /// A search that goes on after so many levels, with so many states expanded.
    pub(super) fn new(
        job: Job<'a>,
        keyed: Box<dyn KeyedSpace<'s> + 's>,
        known: Known<'a>,
        depth: u64,
        expanded: u64,
    ) -> Self {
        let (expanded, pause) = (AtomicU64::new(expanded), AtomicBool::new(false));
        Self { job, keyed, known, depth, expanded, pause, why: Mutex::new(None) }
    }

    /// Searches from these states on, and adds what it meets to the tally.
    pub(super) fn run(
        &mut self,
        space: AnySpace<'_>,
        next: Frontier<'a>,
        scouts: Option<&Scouts<'_>>,
        tally: &mut Tally,
    ) -> Result<(), Ended> {
        let mut threads = KeyedThread::several(space, self.job, self.keyed.key_words())?;
        threads[0].next = next;
        let ended = self.run_levels(&mut threads, scouts);
        threads.into_iter().for_each(|thread| tally.merge(thread.finish()));
        match ended {
            Err(Ended::Stopped(_)) if self.known.is_exhausted() => Err(Ended::NoMoreBits),
            ended => ended,
        }
    }

    fn run_levels(&mut self, threads: &mut [KeyedThread<'a, '_>], scouts: Option<&Scouts<'_>>) -> Result<(), Ended> {
        let Job { options, control, .. } = self.job;
        let mut told_work = 0;
        loop {
            let level = Level::of_parts(threads.iter_mut().map(|thread| &mut thread.next), &control.budget);
            let level = level.of_keys(self.known.waiting_words(&*self.keyed));
            if level.len() == 0 {
                return Ok(());
            }
            self.depth += 1;
            control.counters.depth.store(self.depth, Ordering::Relaxed);
            let mut level = level;
            while !level.is_drawn() {
                self.expand(&level, threads);
                if let Some(stop) = *self.why.lock().expect("nobody panics while holding it") {
                    return Err(stop.into());
                }
                self.widen(&mut level, threads)?;
            }
            if !options.keep_going && threads.iter().any(|thread| thread.tally.failures.count > 0) {
                return Err(Stop::Failure.into());
            }
            if let Some(scouts) = scouts {
                // Between two levels it is the same whatever the number of threads.
                let work = threads.iter().map(|thread| thread.tally.work).sum();
                scouts.worked(work - std::mem::replace(&mut told_work, work))?;
            }
        }
    }

    /// Expands a level, with as many threads as are worth it, as far as they come.
    fn expand(&self, level: &Level<'_>, threads: &mut [KeyedThread<'_, '_>]) {
        self.pause.store(false, Ordering::Relaxed);
        let worthwhile = (level.len() / FEW).max(1).min(threads.len() as u64) as usize;
        let (here, rest) = threads[..worthwhile].split_first_mut().expect("at least one thread");
        std::thread::scope(|scope| {
            for thread in rest {
                scope.spawn(move || self.work(level, thread));
            }
            self.work(level, here);
        });
    }

    fn work(&self, level: &Level<'_>, thread: &mut KeyedThread<'_, '_>) {
        if let Err(stop) = self.work_until_stopped(level, thread) {
            self.pause.store(true, Ordering::Relaxed);
            self.why.lock().expect("nobody panics while holding it").get_or_insert(stop);
        }
    }

    fn work_until_stopped(&self, level: &Level<'_>, thread: &mut KeyedThread<'_, '_>) -> Result<(), Stop> {
        let mut lister = self.keyed.lister();
        while !self.pause.load(Ordering::Relaxed)
            && let Some(keys) = level.draw()
        {
            let count = self.expand_keys(keys, &mut *lister, thread)?;
            let expanded = self.expanded.fetch_add(count, Ordering::Relaxed) + count;
            let waiting = self.known.len().saturating_sub(expanded);
            self.job.control.counters.waiting.store(waiting, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Expands states that wait as keys, whose words are handles: how many.
    fn expand_keys(
        &self,
        words: &[Handle],
        lister: &mut dyn KeyLister,
        thread: &mut KeyedThread<'_, '_>,
    ) -> Result<u64, Stop> {
        let key_words = self.keyed.key_words();
        let mut sources = std::mem::take(&mut thread.buffers.sources);
        self.known.take_waiting(words, &mut sources);
        let mut rest = &sources[..];
        while !rest.is_empty() {
            let listed = self.list(rest, lister, thread)?;
            rest = &rest[listed * key_words..];
            thread.probe(self)?;
        }
        let count = (sources.len() / key_words) as u64;
        thread.buffers.sources = sources;
        Ok(count)
    }

    /// Lists the steps of some of the states, at least of the first: of how many.
    fn list(
        &self,
        sources: &[u64],
        lister: &mut dyn KeyLister,
        thread: &mut KeyedThread<'_, '_>,
    ) -> Result<usize, Stop> {
        let key_words = self.keyed.key_words();
        thread.buffers.steps.clear();
        lister.list(sources, &mut thread.buffers.steps);
        let steps = &mut thread.buffers.steps;
        thread.tally.transitions += steps.count;
        thread.tally.work += steps.count + steps.long;
        if steps.dead_ends.is_empty() && steps.left_out.is_empty() {
            return Ok(steps.sources);
        }
        let (dead_ends, left_out) = (std::mem::take(&mut steps.dead_ends), std::mem::take(&mut steps.left_out));
        let key_of = |number: &u32| &sources[*number as usize * key_words..][..key_words];
        if self.job.invalid_ends {
            for key in dead_ends.iter().map(key_of) {
                thread.dead_end(&*self.keyed, key, self.depth)?;
            }
        }
        for key in left_out.iter().map(key_of) {
            thread.list_by_states(self, key)?;
        }
        thread.buffers.steps.dead_ends = dead_ends;
        thread.buffers.steps.left_out = left_out;
        Ok(thread.buffers.steps.sources)
    }

    /// Gives keys to the states that have none.
    fn widen(&mut self, level: &mut Level<'a>, threads: &mut [KeyedThread<'a, '_>]) -> Result<(), Ended> {
        let mut states = Vec::new();
        threads.iter_mut().for_each(|thread| states.append(&mut thread.buffers.without_key));
        if states.is_empty() {
            return Ok(());
        }
        let key_words = self.keyed.key_words();
        self.keyed = self.keyed.widened(&states).ok_or(Ended::NoMoreBits)?;
        let budget = &self.job.control.budget;
        if self.keyed.key_words() != key_words {
            *level = level.with_longer_keys(key_words, self.keyed.key_words(), budget)?;
            for thread in threads.iter_mut() {
                thread.next = thread.next.with_longer_keys(key_words, self.keyed.key_words(), budget)?;
            }
        }
        let words = threads[0].space.words_per_state();
        let thread = &mut threads[0];
        thread.buffers.steps.clear();
        for state in states.chunks_exact(words) {
            let fits = self.keyed.pack(state, &mut thread.buffers.steps.targets);
            assert!(fits, "keys were made for it");
        }
        thread.probe(self)?;
        Ok(())
    }
}

impl KeyedThread<'_, '_> {
    /// The state has no steps.
    fn dead_end(&mut self, keyed: &dyn KeyedSpace<'_>, key: &[u64], depth: u64) -> Result<(), Stop> {
        let mut state = std::mem::take(&mut self.buffers.states);
        state.clear();
        keyed.unpack(key, &mut state);
        if !self.space.is_proper_end(&state, &mut self.scratch) {
            self.tally.fail(FailureKind::InvalidEnd, depth, &state, &[], self.job.options)?;
        }
        self.buffers.states = state;
        Ok(())
    }

    /// Expands a state that keys do not say enough about.
    fn list_by_states(&mut self, levels: &KeyedLevels<'_, '_>, key: &[u64]) -> Result<(), Stop> {
        let mut state = std::mem::take(&mut self.buffers.states);
        state.clear();
        levels.keyed.unpack(key, &mut state);
        let mut is_dead_end = true;
        let sink = ByStates {
            keyed: &*levels.keyed,
            pause: &levels.pause,
            depth: levels.depth,
            job: self.job,
            source: &state,
            tally: &mut self.tally,
            limits: &mut self.limits,
            targets: &mut self.buffers.steps.targets,
            without_key: &mut self.buffers.without_key,
            is_dead_end: &mut is_dead_end,
        };
        as_result(self.space.steps(&state, &mut self.scratch, sink))?;
        self.buffers.states = state;
        if is_dead_end && self.job.invalid_ends {
            return self.dead_end(&*levels.keyed, key, levels.depth);
        }
        Ok(())
    }

    /// Looks up the targets, and takes those that are new into the next level.
    fn probe(&mut self, levels: &KeyedLevels<'_, '_>) -> Result<(), Stop> {
        let probed = levels.known.probe(&self.buffers.steps.targets, &*levels.keyed, &mut self.lookup);
        let kept = self.next.push_keys(self.lookup.waiting());
        self.count_fresh(levels, levels.known.len());
        probed.and(kept)?;
        self.job.control.check().map_err(Stop::Short)
    }

    /// Adds the new keys to the digest, and shows how many there are.
    fn count_fresh(&mut self, levels: &KeyedLevels<'_, '_>, known: u64) {
        let states = &mut self.buffers.states;
        unpack_keys(levels.keyed.moves(), &self.lookup.fresh, levels.keyed.key_words(), states);
        for state in states.chunks_exact(self.space.words_per_state()) {
            self.tally.digest = self.tally.digest.wrapping_add(hash_state(state));
        }
        let (counters, tally) = (&self.job.control.counters, &mut self.tally);
        counters.states.store(known, Ordering::Relaxed);
        counters.transitions.fetch_add(tally.transitions - tally.shown, Ordering::Relaxed);
        tally.shown = tally.transitions;
    }
}
