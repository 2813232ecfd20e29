//! Breadth-first search on a card, level by level, and the way back to what was found.
//!
//! The card lists the steps of all states of a level and stores what is new; the processor watches, chunk by chunk. What the card does
//! not do comes back as a list of states (*punts*), whose steps the processor lists by the same state space as the other engines: steps
//! with run-time errors, atomic sequences that run in a circle or branch a lot, a pool that is full. A chunk may be expanded again,
//! after the table has grown say: states that are known are not stored again, and only the last time is counted.

use crate::card::{Args, Card, CardError, Kernels, Place};
use crate::memory::Memory;
use crate::packing::{Packing, Unfit};
use crate::print::Source;
use crate::ranges::Site;
use lariat_base::Id;
use lariat_engine::{FailureKind, GpuFigures, Options, RunControl, Shortfall};
use lariat_space::{Outcome, StateSpace};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use lariat_system::{ActionId, FrameId, Interval, Layout, Position, System};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What kernels are given, by place.
pub(crate) const ARGUMENTS: [&str; 32] = [
    "TABLE",
    "MASK",
    "ORDER",
    "WIDE",
    "FIRST",
    "COUNTERS",
    "ALIVE",
    "NOTED",
    "SEEN",
    "KINDS",
    "PUNTS",
    "PUNTS_ROOM",
    "ENDS",
    "ENDS_ROOM",
    "PASS",
    "SET",
    "REACHED",
    "COUNTS",
    "HAD",
    "QUEUE",
    "FROM_QUEUE",
    "TARGET",
    "INPUT",
    "MARKS",
    "DISTANCE",
    "WANTED",
    "NEW_ORDER",
    "NEW_WIDE",
    "FROM",
    "RING",
    "RING_MASK",
    "WAITING",
];
/// What kernels count, by place. Steps are counted in [`SPREAD`] places, whose sum is what there is to read here.
pub(crate) const COUNTERS: [&str; 8] = ["STATES", "QUEUE", "TRANSITIONS", "FLAGS", "PUNTS", "FOUND", "SET", "DIGEST"];

/// Counters that every warp adds to are spread over this many places, each in a line of memory of its own, so that warps do not wait for each other.
pub(crate) const SPREAD: usize = 32;
/// From one such place to the next, in words.
pub(crate) const SPREAD_STRIDE: usize = 16;
/// The first of them.
pub(crate) const SPREAD_BEGINS: usize = SPREAD_STRIDE;
pub(crate) const COUNTER_BYTES: u64 = 8 * (SPREAD_BEGINS + SPREAD * SPREAD_STRIDE) as u64;

const FLAG_FULL: u64 = 1;
const FLAG_MISFIT: u64 = 2;
const FLAG_MANY_PUNTS: u64 = 4;

/// The kernel that stores keys.
const ADD_KEYS: &str = "add_keys";

/// What becomes of listed steps: see `kernels/search.c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    Explore = 0,
    Find = 1,
    Reach = 2,
    Count = 3,
    Drop = 4,
    Back = 5,
}

/// Where the keys of a launch are: see `kernels/search.c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keys {
    Table = 0,
    Gathered = 1,
    Ring = 2,
}

/// The most states of a launch: it must end soon enough for Ctrl-C.
pub(crate) const CHUNK: u64 = 1 << 22;
/// Launches of at least this many states gather their keys first. Few in development builds, so that tests do both.
const GATHERED_FROM: u64 = if cfg!(debug_assertions) { 8 } else { 1 << 14 };
/// The most keys that are written to the card at once.
pub(crate) const INPUT_KEYS: usize = 1 << 16;
/// How many punts are settled before what they lead to is stored: few in development builds, so that tests see it happen.
const PUNTS_AT_ONCE: usize = if cfg!(debug_assertions) { 16 } else { 1 << 12 };
/// How many punts of a launch are listed.
pub(crate) const PUNTS_ROOM: u64 = 1 << 18;
/// How many states of one kind a launch names.
pub(crate) const ENDS_ROOM: u64 = 1 << 16;
/// A table fuller than this grows; one that cannot grow may become as full as that.
const GROWS_AT: f64 = 0.6;
const FULL_AT: f64 = 0.93;

/// Why a search ends early.
#[derive(Debug)]
pub(crate) enum Halt {
    Stop(Stop),
    /// Values do not fit the form of keys: it must be made anew, with room for these.
    Misfit(Misfit),
    Card(String),
    /// The card has no room for something that the search needs.
    NoMemory,
}

/// What did not fit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Misfit {
    pub(crate) values: Vec<(Site, Interval)>,
    pub(crate) kinds: Vec<(Position, Option<FrameId>)>,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Shortfall> for Halt {
    fn from(shortfall: Shortfall) -> Self {
        Self::Stop(Stop::Short(shortfall))
    }
}

impl From<CardError> for Halt {
    fn from(error: CardError) -> Self {
        match error {
            CardError::NoMemory => Self::NoMemory,
            CardError::Failed(why) => Self::Card(why),
        }
    }
}

impl From<Unfit> for Halt {
    fn from(unfit: Unfit) -> Self {
        Self::Misfit(match unfit {
            Unfit::Value(site, value) => Misfit { values: vec![(site, Interval::point(value))], ..Misfit::default() },
            Unfit::Kind(position, kind) => Misfit { kinds: vec![(position, kind)], ..Misfit::default() },
        })
    }
}

/// What a search is given.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) card: &'a dyn Card,
    pub(crate) kernels: &'a Kernels,
    pub(crate) source: &'a Source,
    pub(crate) packing: &'a Packing,
    pub(crate) layout: &'a Layout,
    pub(crate) system: &'a System,
    pub(crate) options: &'a Options,
    pub(crate) control: &'a RunControl,
    /// Whether states without steps are looked at: as failures, or because they repeat.
    pub(crate) looks_at_ends: bool,
    /// The most memory of the card that is used.
    pub(crate) memory_bytes: u64,
    /// The entries of the first table.
    pub(crate) first_slots: u64,
}

/// A search.
pub(crate) struct Search<'a, S: StateSpace> {
    pub(crate) job: Job<'a>,
    pub(crate) space: &'a S,
    pub(crate) scratch: S::Scratch,
    pub(crate) limits: StepLimits<'a>,
    pub(crate) memory: Memory,
    pub(crate) args: Args,
    /// Where the states of each level begin.
    pub(crate) levels: Vec<u64>,
    pub(crate) states: u64,
    pub(crate) depth: u64,
    pub(crate) tally: Tally,
    can_grow: bool,
    /// States among which there are some without a place in the ring, by their place in the order.
    outside_ring: Range<u64>,
    /// Whether the steps of some state were left to the processor.
    pub(crate) has_punts: bool,
    pub(crate) punts: u64,
    began: Instant,
    /// What was taken from the memory of this machine.
    taken_bytes: u64,
}

/// Where an argument is.
pub(crate) fn argument(name: &str) -> usize {
    ARGUMENTS.iter().position(|known| *known == name).expect("kernels have this argument")
}
/// Where a counter is.
pub(crate) fn counter(name: &str) -> usize {
    COUNTERS.iter().position(|known| *known == name).expect("kernels have this counter")
}

pub(crate) fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

pub(crate) fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("a word has eight bytes"))).collect()
}

impl<'a, S: StateSpace> Search<'a, S> {
    pub(crate) fn new(job: Job<'a>, space: &'a S) -> Result<Self, Halt> {
        let memory = Memory::new(&job)?;
        let mut search = Self {
            job,
            space,
            scratch: space.scratch(),
            limits: StepLimits::new(job.control),
            memory,
            args: Args([0; 32]),
            levels: vec![0],
            states: 0,
            depth: 0,
            tally: Tally::new(Keep::Least),
            can_grow: true,
            outside_ring: 0..0,
            has_punts: false,
            punts: 0,
            began: Instant::now(),
            taken_bytes: 0,
        };
        search.set_arguments();
        Ok(search)
    }

    pub(crate) fn set(&mut self, name: &str, value: u64) {
        self.args.0[argument(name)] = value;
    }

    fn set_arguments(&mut self) {
        let memory = &self.memory;
        let values = [
            ("TABLE", memory.table.address()),
            ("MASK", memory.slots - 1),
            ("ORDER", memory.order.address()),
            ("WIDE", u64::from(memory.is_wide)),
            ("COUNTERS", memory.counters.address()),
            ("ALIVE", memory.alive.address()),
            ("NOTED", memory.noted.address()),
            ("SEEN", memory.seen.address()),
            ("KINDS", memory.kinds.address()),
            ("PUNTS", memory.punts.address()),
            ("PUNTS_ROOM", PUNTS_ROOM),
            ("ENDS", memory.ends.address()),
            ("ENDS_ROOM", ENDS_ROOM),
            ("RING", memory.ring.address()),
            ("RING_MASK", memory.ring_keys - 1),
        ];
        for (name, value) in values {
            self.set(name, value);
        }
    }

    pub(crate) fn launch(&self, kernel: &str, threads: u64, lanes: u32) -> Result<(), Halt> {
        Ok(self.job.card.launch(self.job.kernels, kernel, threads, lanes, &self.args)?)
    }
    pub(crate) fn counters(&self) -> Result<Vec<u64>, Halt> {
        let mut bytes = [0; COUNTER_BYTES as usize];
        self.job.card.read(&self.memory.counters, 0, &mut bytes)?;
        let mut words = words_of(&bytes);
        words[counter("TRANSITIONS")] = words[SPREAD_BEGINS..].iter().step_by(SPREAD_STRIDE).sum();
        Ok(words)
    }
    /// Sets all counters to 0, but for those of the states and of the queue.
    pub(crate) fn clear_counters(&self) -> Result<(), Halt> {
        Ok(self.job.card.fill(&self.memory.counters, 16..COUNTER_BYTES, 0)?)
    }

    /// Searches everything, or up to the first level with a failure.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        self.begin()?;
        let options = self.job.options;
        for depth in 0.. {
            let (first, end) = (*self.levels.last().expect("there is one"), self.states);
            if first == end {
                return Ok(());
            }
            self.levels.push(end);
            self.depth = depth;
            let counters = &self.job.control.counters;
            counters.depth.store(depth, Ordering::Relaxed);
            let mut at = first;
            while at < end {
                at += self.expand(at, end.min(at + CHUNK), Pass::Explore, depth)?;
                let counters = &self.job.control.counters;
                counters.states.store(self.states, Ordering::Relaxed);
                counters.transitions.store(self.tally.transitions, Ordering::Relaxed);
                counters.waiting.store(self.states - at, Ordering::Relaxed);
                self.job.control.check()?;
            }
            if self.tally.failures.count > 0 && !options.keep_going {
                return Err(Stop::Failure.into());
            }
        }
        unreachable!("a search ends before its levels are counted to the end")
    }

    /// Stores the initial states.
    fn begin(&mut self) -> Result<(), Halt> {
        let (mut keys, mut failed) = (Vec::new(), None);
        let Self { space, scratch, job, .. } = self;
        let _ = space.initial(scratch, |state| match key_of(job, state) {
            Ok(key) => {
                keys.extend(key);
                ControlFlow::Continue(())
            }
            Err(unfit) => {
                failed = Some(unfit);
                ControlFlow::Break(())
            }
        });
        if let Some(unfit) = failed {
            return Err(unfit.into());
        }
        self.add(&keys, ADD_KEYS, self.job.packing.words)
    }

    /// Gives rows of words to a kernel that stores keys or lands steps.
    fn add(&mut self, words: &[u64], kernel: &str, width: usize) -> Result<(), Halt> {
        for rows in words.chunks(INPUT_KEYS * width) {
            loop {
                // Entries keep their places once there are sets of them.
                if kernel == ADD_KEYS {
                    self.ensure_room()?;
                }
                self.job.card.fill(&self.memory.counters, 24..32, 0)?;
                self.job.card.write(&self.memory.input, 0, &bytes_of(rows))?;
                self.set("INPUT", self.memory.input.address());
                self.launch(kernel, (rows.len() / width) as u64, 1)?;
                let counters = self.counters()?;
                self.note_added(counters[counter("STATES")]);
                if counters[counter("FLAGS")] & FLAG_FULL == 0 {
                    break;
                }
                self.grow()?;
            }
        }
        Ok(())
    }

    /// There are so many states now. Those that found no place in the ring are noted.
    fn note_added(&mut self, states: u64) {
        let end = self.args.0[argument("WAITING")] + self.memory.ring_keys;
        if states > end {
            let begin = self.states.max(end);
            self.outside_ring.start = if self.outside_ring.is_empty() { begin } else { self.outside_ring.start };
            self.outside_ring.end = states;
        }
        self.states = states;
    }

    /// Where a launch finds the keys of these states.
    fn keys_of(&self, states: Range<u64>, pass: Pass) -> Keys {
        let is_outside = states.start < self.outside_ring.end && self.outside_ring.start < states.end;
        if pass == Pass::Explore && !is_outside {
            Keys::Ring
        } else if self.memory.gathered.is_some() && states.end - states.start >= GATHERED_FROM {
            Keys::Gathered
        } else {
            Keys::Table
        }
    }

    /// Grows the table while it is too full for a launch to find room.
    fn ensure_room(&mut self) -> Result<(), Halt> {
        let load = self.states as f64 / self.memory.slots as f64;
        if load > FULL_AT || (load > GROWS_AT && self.can_grow) {
            self.grow()?;
        }
        Ok(())
    }

    /// Expands states from `first` on, and returns how many.
    pub(crate) fn expand(&mut self, first: u64, end: u64, pass: Pass, depth: u64) -> Result<u64, Halt> {
        let mut count = end - first;
        loop {
            if pass == Pass::Explore {
                self.ensure_room()?;
            }
            let card = self.job.card;
            self.clear_counters()?;
            card.fill(&self.memory.alive, 0..count, 0)?;
            self.set("FIRST", first);
            self.set("PASS", pass as u64);
            if pass == Pass::Explore {
                self.set("WAITING", first);
            }
            let lanes = self.job.source.launched_lanes();
            let keys = self.keys_of(first..first + count, pass);
            self.set("FROM", keys as u64);
            if let (Keys::Gathered, Some(gathered)) = (keys, &self.memory.gathered) {
                let address = gathered.address();
                self.set("TARGET", address);
                self.launch("gather", count, 1)?;
            }
            if lanes > 0 {
                self.launch("expand", count, lanes)?;
            }
            if self.job.looks_at_ends {
                self.launch("ends", count, 1)?;
            }
            let counters = self.counters()?;
            let flags = counters[counter("FLAGS")];
            if pass == Pass::Explore {
                self.note_added(counters[counter("STATES")]);
            }
            if flags & FLAG_MISFIT != 0 {
                return Err(Halt::Misfit(self.misfit()?));
            }
            if flags & FLAG_FULL != 0 {
                self.grow()?;
                continue;
            }
            if flags & FLAG_MANY_PUNTS != 0 {
                count = (count / 4).clamp(1, self.least_chunk());
                continue;
            }
            if pass == Pass::Explore {
                self.tally.transitions += counters[counter("TRANSITIONS")];
                self.note_ends(counters[counter("FOUND")], depth)?;
            }
            self.settle_punts(counters[counter("PUNTS")], pass, depth)?;
            return Ok(count);
        }
    }

    /// So many states that all of their steps may be left to the processor.
    pub(crate) fn least_chunk(&self) -> u64 {
        (PUNTS_ROOM / u64::from(self.job.source.launched_lanes().max(1))).clamp(1, CHUNK)
    }

    /// Takes note of states without steps that are failures.
    fn note_ends(&mut self, found: u64, depth: u64) -> Result<(), Halt> {
        if found == 0 {
            return Ok(());
        }
        let entries = self.found(found)?;
        for state in self.states_of(&entries)? {
            self.tally.fail(FailureKind::InvalidEnd, depth, &state, &[], self.job.options)?;
        }
        self.tally.failures.count += found - entries.len() as u64;
        Ok(())
    }

    /// The entries that a launch named.
    pub(crate) fn found(&self, found: u64) -> Result<Vec<u64>, Halt> {
        let mut bytes = vec![0; 8 * found.min(ENDS_ROOM) as usize];
        self.job.card.read(&self.memory.ends, 0, &mut bytes)?;
        Ok(words_of(&bytes))
    }

    /// The states at entries of the table.
    pub(crate) fn states_of(&mut self, entries: &[u64]) -> Result<Vec<Vec<u64>>, Halt> {
        let width = self.job.packing.words;
        let mut states = Vec::with_capacity(entries.len());
        for some in entries.chunks(INPUT_KEYS) {
            self.job.card.write(&self.memory.input, 0, &bytes_of(some))?;
            self.set("INPUT", self.memory.input.address());
            self.set("TARGET", self.memory.target.address());
            self.launch("read_keys", some.len() as u64, 1)?;
            let mut bytes = vec![0; 8 * width * some.len()];
            self.job.card.read(&self.memory.target, 0, &mut bytes)?;
            states.extend(words_of(&bytes).chunks_exact(width).map(|key| state_of(&self.job, key)));
        }
        Ok(states)
    }

    /// The entries of states, if they are stored.
    pub(crate) fn entries_of(&mut self, states: &[Vec<u64>]) -> Result<Vec<Option<u64>>, Halt> {
        let width = self.job.packing.words;
        let mut entries = Vec::with_capacity(states.len());
        for some in states.chunks(INPUT_KEYS) {
            let mut keys = Vec::new();
            for state in some {
                keys.extend(key_of(&self.job, state)?);
            }
            self.job.card.write(&self.memory.input, 0, &bytes_of(&keys))?;
            self.set("INPUT", self.memory.input.address());
            self.set("TARGET", self.memory.target.address());
            self.launch("find_keys", (keys.len() / width) as u64, 1)?;
            let mut bytes = vec![0; 8 * some.len()];
            self.job.card.read(&self.memory.target, 0, &mut bytes)?;
            entries.extend(words_of(&bytes).into_iter().map(|entry| (entry != u64::MAX).then_some(entry)));
        }
        Ok(entries)
    }

    /// Lists the steps that the card left to the processor.
    fn settle_punts(&mut self, punts: u64, pass: Pass, depth: u64) -> Result<(), Halt> {
        if punts == 0 {
            return Ok(());
        }
        self.has_punts = true;
        if pass == Pass::Explore {
            self.punts += punts;
        }
        let mut bytes = vec![0; 16 * punts as usize];
        self.job.card.read(&self.memory.punts, 0, &mut bytes)?;
        let mut punts: Vec<(u64, u64)> = words_of(&bytes).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        punts.sort_unstable();
        let entries: Vec<u64> = punts.iter().map(|&(entry, _)| entry).collect();
        let whole = self.job.source.whole;
        // All of them first: what is stored may make the table grow, and then entries are elsewhere.
        let states = self.states_of(&entries)?;
        for (number, some) in punts.chunks(PUNTS_AT_ONCE).enumerate() {
            let states = &states[number * PUNTS_AT_ONCE..][..some.len()];
            let mut rows = Vec::new();
            for (place, (&(entry, lane), state)) in some.iter().zip(states).enumerate() {
                // A step of nobody at all is a state that repeats: it is listed once.
                let at = number * PUNTS_AT_ONCE + place;
                let is_first = at == 0 || entries[at - 1] != entry;
                let actor = self.job.source.lanes.get(lane as usize).copied().flatten();
                let Self { job, space, scratch, limits, tally, .. } = self;
                let mut failed = None;
                let flow = space.steps(
                    state,
                    scratch,
                    limits.limiting(Halt::from, |step| {
                        let is_of_lane = match step.via.first() {
                            _ if whole => true,
                            None => is_first,
                            Some(by) => by.actor == actor,
                        };
                        if !is_of_lane {
                            return ControlFlow::Continue(());
                        }
                        match step.target {
                            Outcome::State(target) => {
                                if pass == Pass::Explore {
                                    tally.take(step.via);
                                } else {
                                    rows.extend([entry, step.marks.first_word()]);
                                }
                                match key_of(job, target) {
                                    Ok(key) => rows.extend(key),
                                    Err(unfit) => failed = failed.or(Some(unfit)),
                                }
                            }
                            Outcome::Fault(fault) if pass == Pass::Explore => {
                                let kind = FailureKind::Fault(fault);
                                if let Err(stop) = tally.fail(kind, depth, state, step.via, job.options) {
                                    return ControlFlow::Break(stop.into());
                                }
                            }
                            Outcome::Fault(_) => {}
                        }
                        ControlFlow::Continue(())
                    }),
                );
                if let ControlFlow::Break(halt) = flow {
                    return Err(halt);
                }
                if let Some(unfit) = failed {
                    return Err(unfit.into());
                }
            }
            let words = self.job.packing.words;
            match pass {
                Pass::Explore => self.add(&rows, ADD_KEYS, words)?,
                _ => self.add(&rows, "add_steps", words + 2)?,
            }
        }
        Ok(())
    }

    /// What the card says did not fit.
    fn misfit(&self) -> Result<Misfit, Halt> {
        let sites = &self.job.source.sites;
        let mut seen = vec![0; 16 * sites.len()];
        self.job.card.read(&self.memory.seen, 0, &mut seen)?;
        let seen = words_of(&seen);
        let ranges = sites.iter().zip(seen.chunks_exact(2));
        let values = ranges.filter(|(_, ends)| ends[0] as i64 <= ends[1] as i64);
        let values = values.map(|(&site, ends)| (site, Interval { lo: ends[0] as i64, hi: ends[1] as i64 })).collect();
        let mut kinds = vec![0; 8 * self.job.packing.positions.len()];
        self.job.card.read(&self.memory.kinds, 0, &mut kinds)?;
        let mut found = Misfit { values, kinds: Vec::new() };
        for (position, bits) in words_of(&kinds).into_iter().enumerate() {
            for kind in (0..64).filter(|kind| bits >> kind & 1 == 1) {
                let kind = usize::checked_sub(kind, 1).map(FrameId::new);
                found.kinds.push((position as Position, kind));
            }
        }
        Ok(found)
    }

    /// Moves all states to a larger table. Where the card has no room for both, the order of states moves to this machine's memory.
    fn grow(&mut self) -> Result<(), Halt> {
        let card = self.job.card;
        let key_bytes = 8 * self.job.packing.words as u64;
        for (factor, place) in [(4, Place::Card), (2, Place::Card), (2, Place::Host)] {
            let slots = self.memory.slots * factor;
            let is_wide = slots > 1 << 32;
            let order_bytes = slots * if is_wide { 8 } else { 4 };
            let on_card = slots * key_bytes + if place == Place::Card { order_bytes } else { 0 };
            let in_use = self.memory.table.bytes() + self.memory.order.bytes();
            if on_card.saturating_add(in_use) > self.job.memory_bytes
                || on_card > card.free_bytes()?.saturating_sub(RESERVE_BYTES)
            {
                continue;
            }
            if place == Place::Host {
                if self.job.control.budget.take(order_bytes).is_err() {
                    continue;
                }
                self.taken_bytes += order_bytes;
            }
            let made = card.alloc(slots * key_bytes, Place::Card).and_then(|table| {
                let order = card.alloc(order_bytes, place)?;
                Ok((table, order))
            });
            let (table, order) = match made {
                Ok(made) => made,
                Err(CardError::NoMemory) => continue,
                Err(error) => return Err(error.into()),
            };
            self.set("TARGET", table.address());
            self.set("INPUT", slots - 1);
            self.set("NEW_ORDER", order.address());
            self.set("NEW_WIDE", u64::from(is_wide));
            self.clear_counters()?;
            for first in (0..self.states).step_by(CHUNK as usize) {
                self.set("FIRST", first);
                self.launch("move_entry", CHUNK.min(self.states - first), 1)?;
                self.job.control.check()?;
            }
            card.wait()?;
            if self.counters()?[counter("FLAGS")] & FLAG_FULL != 0 {
                return Err(Halt::Card("internal error: a larger table has no room; please report it".to_owned()));
            }
            let memory = &mut self.memory;
            (memory.table, memory.order, memory.slots, memory.is_wide) = (table, order, slots, is_wide);
            self.set_arguments();
            return Ok(());
        }
        self.can_grow = false;
        let load = self.states as f64 / self.memory.slots as f64;
        let flags = self.counters()?[counter("FLAGS")];
        if load > FULL_AT || flags & FLAG_FULL != 0 {
            return Err(Shortfall::Memory { limit_bytes: self.job.memory_bytes }.into());
        }
        Ok(())
    }

    /// The states of a run from an initial state to `last`, which so many steps lead to.
    pub(crate) fn chain(&mut self, last: &[u64], depth: u64) -> Result<Vec<Vec<u64>>, Halt> {
        let mut states = vec![last.to_vec()];
        for number in (0..depth).rev() {
            let target = states.last().expect("there is one").clone();
            let level = self.level(number);
            let least = self.least_predecessor(&target, level)?;
            states.push(least.ok_or_else(|| Halt::Card("a state has no predecessor in the level before".to_owned()))?);
        }
        states.reverse();
        Ok(states)
    }

    fn level(&self, depth: u64) -> Range<u64> {
        let place = depth as usize;
        let end = self.levels.get(place + 1).copied().unwrap_or(self.states);
        self.levels[place]..end
    }
    /// How many steps lead to the state at this place of the order.
    pub(crate) fn depth_of(&self, index: u64) -> u64 {
        self.levels.partition_point(|&first| first <= index) as u64 - 1
    }

    /// The least of these states that has a step to the target.
    fn least_predecessor(&mut self, target: &[u64], level: Range<u64>) -> Result<Option<Vec<u64>>, Halt> {
        let key = key_of(&self.job, target)?;
        let heeded = self.job.control.interrupts();
        let wanted = self.job.card.alloc(8 * key.len() as u64, Place::Card)?;
        self.job.card.write(&wanted, 0, &bytes_of(&key))?;
        let mut least: Option<Vec<u64>> = None;
        let mut at = level.start;
        while at < level.end {
            self.set("WANTED", wanted.address());
            let count = self.expand(at, level.end.min(at + CHUNK), Pass::Find, 0)?;
            let found = self.counters()?[counter("FOUND")];
            let entries = self.found(found)?;
            least = least.into_iter().chain(self.states_of(&entries)?).min();
            at += count;
            self.job.control.check_telling(heeded)?;
        }
        Ok(least)
    }

    /// What was noted of actions, and the sum of the hashes of all states.
    pub(crate) fn finish(&mut self, is_complete: bool) -> Result<(), Halt> {
        let mut noted = vec![0; self.job.source.notes];
        if !noted.is_empty() {
            self.job.card.read(&self.memory.noted, 0, &mut noted)?;
        }
        let actions = self.job.system.actions.ids().filter(|action| noted[action.index()] != 0);
        self.tally.pass(actions);
        for (action, first) in self.job.source.first_cuts.entries() {
            let cuts = self.job.system.actions[action].cuts.len();
            let noted = (0..cuts).filter(|number| noted[first + number] != 0);
            self.tally.cuts.extend(noted.map(|number| (action, number as u16)));
        }
        let of_processor: Vec<ActionId> = self.space.passed(&self.scratch).actions;
        self.tally.pass(of_processor.into_iter());
        self.tally.cuts.extend(self.space.passed(&self.scratch).cuts);
        if is_complete {
            self.clear_counters()?;
            for first in (0..self.states).step_by(CHUNK as usize) {
                self.set("FIRST", first);
                self.launch("digest", CHUNK.min(self.states - first), 1)?;
            }
            self.tally.digest = self.counters()?[counter("DIGEST")];
        }
        Ok(())
    }

    /// What there is to say of the search.
    pub(crate) fn figures(&self) -> GpuFigures {
        let job = &self.job;
        GpuFigures {
            card: job.card.description().name,
            search_time: self.began.elapsed(),
            key_bits: job.packing.bits,
            punts: self.punts,
            memory_bytes: self.store_bytes(),
            ..GpuFigures::default()
        }
    }

    /// What the states take.
    pub(crate) fn store_bytes(&self) -> u64 {
        self.memory.table.bytes() + self.memory.order.bytes()
    }
}

impl<S: StateSpace> Drop for Search<'_, S> {
    fn drop(&mut self) {
        self.job.control.budget.give_back(self.taken_bytes);
    }
}

/// What is left free for the driver.
const RESERVE_BYTES: u64 = 256 << 20;

/// The key of a state as the other engines know it.
pub(crate) fn key_of(job: &Job<'_>, state: &[u64]) -> Result<Vec<u64>, Unfit> {
    let (words, observer) = state.split_at(job.layout.words);
    job.packing.key(&job.layout.unpack(words), observer.first().map_or(0, |&observer| observer as u32))
}

/// The state of a key.
fn state_of(job: &Job<'_>, key: &[u64]) -> Vec<u64> {
    let (state, observer) = job.packing.state(key);
    let mut words = job.layout.pack(&state);
    words.extend(job.packing.observer.map(|_| u64::from(observer)));
    words
}
