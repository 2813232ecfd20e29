//! Breadth-first search of states that are keys.
//!
//! It begins as any breadth-first search, with states kept whole. Between two levels, when there is enough to learn from, the
//! space is asked for [keys](lariat_space::KeyedSpace). From then on a level is a list of keys, machine code lists the keys that
//! these lead to, and a set of keys says which are new: states are made of keys again only to be hashed for the digest, and
//! for what keys do not say.
//!
//! What the machine code leaves out is listed by the space itself. A state that has no key is put aside, and when there are many
//! of these, or the level has ended, keys get more bits. Where there are no more bits, the search begins anew without keys.

use crate::bfs::traces;
use crate::frontier::{Frontier, Level};
use crate::levels::{Levels, level_threads, merge_threads, next_level};
use crate::record::NoRecorder;
use crate::scout::Scouts;
use crate::worker::{Buffers, Job, as_flow, as_result};
use lariat_engine::{FailureKind, PoolTooSmall, Report};
use lariat_space::{AnySpace, KeyLister, KeyedSpace, KeyedSteps, Outcome, Sink, StateSpace, Step, Underway};
use lariat_store::{Budget, Exactness, Full, Handle, KeyStore, Store, TreeStore, hash_state};
use lariat_subject::{Ending, Keep, Memory, StepLimits, Stop, Tally, report};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// With so many states keys are first asked for. Few in tests, that keys be met there, and that they get more bits.
const FEWEST_STATES: u64 = if cfg!(debug_assertions) { 24 } else { 1 << 12 };
/// With so many they are made, whether that pays yet or not.
const ENOUGH_STATES: u64 = if cfg!(debug_assertions) { 24 } else { 1 << 15 };
/// So many are kept whole for it.
const KEPT_WHOLE: u64 = 1 << 16;
/// Keys get more bits when so many states have none.
const MANY_WITHOUT_KEY: usize = if cfg!(debug_assertions) { 5 } else { 2048 };
/// A level of fewer words of keys than this for each thread is not worth starting threads for; in tests it is.
const FEW_WORDS: u64 = if cfg!(debug_assertions) { 8 } else { 512 };
/// States looked at to find out whether keys say enough.
const TRIED: usize = 2048;

/// What a search with keys comes to, if it can be one; `None` if it is to be made without.
pub(crate) fn keyed_bfs<S: StateSpace>(
    space: &S,
    job: Job<'_>,
    scouts: Option<&Scouts<'_>>,
) -> Result<Option<Report>, PoolTooSmall> {
    let Job { options, control, .. } = job;
    if options.depth_limit.is_some() || !space.will_be_keyed() {
        return Ok(None);
    }
    let shown = control.counters.shown();
    let Some((tally, ending)) = search(space, job, scouts)? else {
        control.counters.show(shown);
        return Ok(None);
    };
    let words = space.words_per_state();
    let make_store = || TreeStore::new(words, &control.budget);
    let traces = traces(space, &make_store, &tally.failures, options, control);
    Ok(Some(report(tally, traces, &ending, options, control)))
}

/// Searches, with keys as soon as there are some. `None` if keys did not suffice.
fn search<S: StateSpace>(
    space: &S,
    job: Job<'_>,
    scouts: Option<&Scouts<'_>>,
) -> Result<Option<(Tally, Ending)>, PoolTooSmall> {
    let Job { options, control, .. } = job;
    let words = space.words_per_state();
    let at_once = |full: Full| {
        let memory = Memory { states: 0, store_bytes: 0, exactness: Exactness::Exact, figures: None };
        Ending::of(memory, 0, Err(full.into())).map(|ending| Some((Tally::new(Keep::Least), ending)))
    };
    let store = match TreeStore::learning_from(KEPT_WHOLE, words, &control.budget) {
        Ok(store) => store,
        Err(full) => return at_once(full),
    };
    let mut threads = match level_threads(space, job, &NoRecorder) {
        Ok(threads) => threads,
        Err(full) => return at_once(full),
    };
    let mut levels = Levels::new(&store, control);
    let mut ended = levels.begin(&mut threads, &|_| false);
    let mut waits = true;
    while ended.is_ok() {
        match levels.advance(&mut threads, options, scouts, &|_| false, &mut |_, _| Ok(())) {
            Ok(true) => {}
            Ok(false) => break,
            Err(stop) => ended = Err(stop),
        }
        if waits && ended.is_ok() && store.len() >= FEWEST_STATES {
            match Beginning::of(space, &store, next_level(&threads), &control.budget) {
                Asked::NotYet => {}
                Asked::Never => {
                    waits = false;
                    store.learn_as_usual();
                }
                Asked::Keys(beginning) => {
                    let (depth, expanded) = (levels.depth(), levels.expanded());
                    let (tally, _) = merge_threads(threads);
                    drop(store);
                    return beginning.search(AnySpace::new(space), job, scouts, tally, depth, expanded);
                }
            }
        }
    }
    let depth = levels.depth();
    let (tally, _) = merge_threads(threads);
    let ending = Ending::new(&store, depth, ended)?;
    Ok(Some((tally, ending)))
}

/// What came of asking for keys.
enum Asked<'s, 'b> {
    NotYet,
    Never,
    Keys(Box<Beginning<'s, 'b>>),
}

/// The states of a search as keys, where it goes on with these.
struct Beginning<'s, 'b> {
    keyed: Box<dyn KeyedSpace<'s> + 's>,
    store: KeyStore<'b>,
    next: Frontier<'b>,
}

impl<'s, 'b> Beginning<'s, 'b> {
    fn of(
        space: &'s impl StateSpace,
        store: &TreeStore<'_>,
        next: impl Iterator<Item = Handle>,
        budget: &'b Budget,
    ) -> Asked<'s, 'b> {
        let words = space.words_per_state();
        // The states once more, and their keys.
        let Ok(_buffers) = Buffers::new(budget, store.len() * (words as u64 + 4) * size_of::<u64>() as u64) else {
            return Asked::Never;
        };
        let mut is_asked = false;
        let keyed = space.keyed(store.len() >= ENOUGH_STATES, &mut || {
            is_asked = true;
            store.whole_states().unwrap_or_default()
        });
        let Some((keyed, states)) = keyed.zip(store.whole_states()) else {
            return if is_asked { Asked::Never } else { Asked::NotYet };
        };
        let mut keys = Vec::new();
        if !states.chunks_exact(words).all(|state| keyed.pack(state, &mut keys)) || !says_enough(&*keyed, &keys) {
            return Asked::Never;
        }
        let made = || -> Result<_, Full> {
            let set = KeyStore::new(keyed.key_bits(), budget)?;
            let mut new = Vec::new();
            let key_words = keyed.key_words();
            for keys in keys.chunks(1024 * key_words) {
                set.probe(keys, key_words, keyed.key_bits(), &mut new)?;
            }
            assert_eq!(new.len() * key_words, keys.len(), "states have keys of their own");
            let mut level = Frontier::new(budget);
            for number in next.map(TreeStore::whole_number) {
                push(&mut level, &keys[number * key_words..][..key_words])?;
            }
            Ok((set, level))
        };
        match made() {
            Ok((store, next)) => Asked::Keys(Box::new(Self { keyed, store, next })),
            Err(_) => Asked::Never,
        }
    }

    /// Goes on with the search, which has met these things so far. `None` if keys did not suffice.
    fn search(
        self,
        space: AnySpace<'_>,
        job: Job<'b>,
        scouts: Option<&Scouts<'_>>,
        mut tally: Tally,
        depth: u64,
        expanded: u64,
    ) -> Result<Option<(Tally, Ending)>, PoolTooSmall> {
        let Self { keyed, store, next } = self;
        let mut search = KeyedLevels {
            job,
            keyed,
            store,
            depth,
            expanded: AtomicU64::new(expanded),
            pause: AtomicBool::new(false),
            why: Mutex::new(None),
        };
        let ended = match KeyedThread::several(space, job) {
            Ok(mut threads) => {
                threads[0].next = next;
                let ended = search.run(&mut threads, scouts);
                for thread in threads {
                    tally.merge(thread.finish());
                }
                ended
            }
            Err(full) => Err(Ended::Stopped(full.into())),
        };
        let ended = match ended {
            Ok(()) => Ok(()),
            Err(Ended::Stopped(stop)) => Err(stop),
            Err(Ended::NoMoreBits) => return Ok(None),
        };
        let KeyedLevels { store, depth, .. } = search;
        let (states, store_bytes, exactness) = (store.len(), store.bytes(), Exactness::Exact);
        drop(store);
        let ending = Ending::of(Memory { states, store_bytes, exactness, figures: None }, depth, ended)?;
        Ok(Some((tally, ending)))
    }
}

/// Whether most states can be listed by keys alone.
fn says_enough(keyed: &dyn KeyedSpace<'_>, keys: &[u64]) -> bool {
    let key_words = keyed.key_words();
    let (mut lister, mut steps) = (keyed.lister(), KeyedSteps::default());
    let count = keys.len() / key_words;
    let (mut tried, mut left_out) = (0, 0);
    for key in keys.chunks_exact(key_words).step_by(count.div_ceil(TRIED).max(1)) {
        steps.clear();
        lister.list(key, &mut steps);
        (tried, left_out) = (tried + 1, left_out + steps.left_out.len());
    }
    // The last states lead to some that no key was learned from.
    cfg!(debug_assertions) || left_out * 16 <= tried
}

fn push(frontier: &mut Frontier<'_>, key: &[u64]) -> Result<(), Full> {
    key.iter().try_for_each(|&word| frontier.push(Handle(word)))
}

/// Why a search with keys ended early.
enum Ended {
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
struct KeyedLevels<'a, 's> {
    job: Job<'a>,
    keyed: Box<dyn KeyedSpace<'s> + 's>,
    store: KeyStore<'a>,
    depth: u64,
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
}

/// What a thread works with.
#[derive(Default)]
struct Vecs {
    sources: Vec<u64>,
    steps: KeyedSteps,
    /// Numbers of targets that are new.
    new: Vec<u32>,
    fresh: Vec<u64>,
    states: Vec<u64>,
    /// States that have no key, to be given one.
    without_key: Vec<u64>,
}

impl Vecs {
    fn bytes(words: usize) -> u64 {
        // Targets and their numbers, a portion of states, and those without a key.
        let words = 2 * (4 * 1024 + words * (1024 + MANY_WITHOUT_KEY));
        (words * size_of::<u64>()) as u64
    }
}

impl<'a, 's> KeyedThread<'a, 's> {
    fn several(space: AnySpace<'s>, job: Job<'a>) -> Result<Vec<Self>, Full> {
        let budget = &job.control.budget;
        let mut threads = Vec::new();
        for _ in 0..job.options.threads.max(1) {
            match Buffers::new(budget, Vecs::bytes(space.words_per_state())) {
                Ok(buffers) => threads.push(Self {
                    space,
                    job,
                    scratch: space.scratch(),
                    limits: StepLimits::new(job.control),
                    _buffers: buffers,
                    tally: Tally::new(Keep::Least),
                    next: Frontier::new(budget),
                    buffers: Vecs::default(),
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

impl<'a> KeyedLevels<'a, '_> {
    fn run(&mut self, threads: &mut [KeyedThread<'a, '_>], scouts: Option<&Scouts<'_>>) -> Result<(), Ended> {
        let Job { options, control, .. } = self.job;
        let mut told_work = 0;
        loop {
            let level = Level::of_parts(threads.iter_mut().map(|thread| &mut thread.next), &control.budget);
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
        let worthwhile = (level.len() / FEW_WORDS).max(1).min(threads.len() as u64) as usize;
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
        let key_words = self.keyed.key_words();
        let mut lister = self.keyed.lister();
        while !self.pause.load(Ordering::Relaxed)
            && let Some(handles) = level.draw()
        {
            let mut sources = std::mem::take(&mut thread.buffers.sources);
            sources.clear();
            sources.extend(handles.iter().map(|handle| handle.0));
            let mut rest = &sources[..];
            while !rest.is_empty() {
                let listed = self.list(rest, &mut *lister, thread)?;
                rest = &rest[listed * key_words..];
            }
            let count = (sources.len() / key_words) as u64;
            thread.buffers.sources = sources;
            let expanded = self.expanded.fetch_add(count, Ordering::Relaxed) + count;
            let waiting = self.store.len().saturating_sub(expanded);
            self.job.control.counters.waiting.store(waiting, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Expands some of the states, at least the first: how many.
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
        thread.probe(self)?;
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
        Ok(thread.probe(self)?)
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
        let keyed = &*levels.keyed;
        let key_words = keyed.key_words();
        let Vecs { steps, new, fresh, states, .. } = &mut self.buffers;
        new.clear();
        let probed = levels.store.probe(&steps.targets, key_words, keyed.key_bits(), new);
        fresh.clear();
        let mut kept = Ok(());
        if key_words == 1 {
            fresh.extend(new.iter().map(|&number| steps.targets[number as usize]));
        } else {
            new.iter().for_each(|&number| {
                fresh.extend_from_slice(&steps.targets[number as usize * key_words..][..key_words])
            });
        }
        for &word in &*fresh {
            kept = kept.and(self.next.push(Handle(word)));
        }
        states.clear();
        keyed.unpack(fresh, states);
        for state in states.chunks_exact(self.space.words_per_state()) {
            self.tally.digest = self.tally.digest.wrapping_add(hash_state(state));
        }
        let (counters, tally) = (&self.job.control.counters, &mut self.tally);
        counters.states.store(levels.store.len(), Ordering::Relaxed);
        counters.transitions.fetch_add(tally.transitions - tally.shown, Ordering::Relaxed);
        tally.shown = tally.transitions;
        probed.and(kept)?;
        self.job.control.check().map_err(Stop::Short)
    }
}

/// Takes the steps from a state whose steps keys do not say.
struct ByStates<'w, 'a, 's> {
    keyed: &'w (dyn KeyedSpace<'s> + 's),
    /// Set when there are many states without a key.
    pause: &'w AtomicBool,
    depth: u64,
    job: Job<'w>,
    source: &'w [u64],
    tally: &'w mut Tally,
    limits: &'w mut StepLimits<'a>,
    targets: &'w mut Vec<u64>,
    without_key: &'w mut Vec<u64>,
    is_dead_end: &'w mut bool,
}

impl Sink for ByStates<'_, '_, '_> {
    type Break = Option<Stop>;

    fn step(&mut self, step: Step<'_>) -> ControlFlow<Option<Stop>> {
        *self.is_dead_end = false;
        match step.target {
            Outcome::State(target) => {
                self.tally.take(step.via);
                if !self.keyed.pack(target, self.targets) {
                    self.without_key.extend_from_slice(target);
                    if self.without_key.len() >= MANY_WITHOUT_KEY * target.len() {
                        self.pause.store(true, Ordering::Relaxed);
                    }
                }
                ControlFlow::Continue(())
            }
            Outcome::Fault(fault) => {
                let kind = FailureKind::Fault(fault);
                as_flow(self.tally.fail(kind, self.depth, self.source, step.via, self.job.options))
            }
        }
    }

    fn underway(&mut self, underway: Underway) -> ControlFlow<Option<Stop>> {
        match self.limits.allow(underway) {
            Ok(()) => ControlFlow::Continue(()),
            Err(shortfall) => ControlFlow::Break(Some(Stop::Short(shortfall))),
        }
    }
}
