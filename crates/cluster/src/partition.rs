//! Which worker a state belongs to.
//!
//! If the hash of the whole state decided, a step would lead to another worker's state in *(n − 1) / n* of all cases, and would have to be
//! sent. But a step changes few bits of a state, so the hash of a *window* of its bits decides: steps that leave the window as it is stay
//! with the worker. The narrower the window, the fewer states are sent; the fewer values it takes, the less evenly are the states
//! shared. The window is chosen before a search, by random walks from the initial states: the one for which unevenness and sending
//! together cost least. Evenly means at each distance from the initial states, as workers expand
//! one level at a time: a clock, which has the same value in all states of a level, would leave all but one worker idle.
//!
//! A window is a guess about the states that were not met. It decides where states are stored, and nothing else: the answer and the counts are
//! the same for every window.

use crate::parcel::WorkerId;
use lariat_engine::RunControl;
use lariat_space::{Outcome, Sink, State, StateSpace, Step, Underway};
use lariat_subject::StepLimits;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

/// How many walks there are, and how many steps each has.
const WALKS: usize = if cfg!(debug_assertions) { 16 } else { 64 };
const WALK_LEN: usize = if cfg!(debug_assertions) { 32 } else { 128 };
/// One in so many of the states of a walk is looked at for evenness, from this distance on: nearer ones are alike.
const NEAR: usize = if cfg!(debug_assertions) { 2 } else { 8 };
const STRIDE: usize = if cfg!(debug_assertions) { 2 } else { 4 };
/// No more time is spent on walks, in models whose steps take long.
const MOST_TIME: Duration = Duration::from_millis(500);
/// Of one state no more steps are looked at, and of the initial states no more.
const MOST_STEPS: u64 = 256;
const MOST_INITIAL: usize = 64;
/// So many different sets of changed chunks are told apart: more would be looked at for each window.
const MOST_CHANGES: usize = 1 << 12;
/// How much the shares of workers may differ in the sample, as a standard deviation over their mean. The shares of all states differ
/// less, as measured: many states of walks have moved little from the initial ones.
const UNEVENNESS: [f64; 3] = [0.1, 0.2, 0.3];
/// What it costs to send a state, beside what a step costs that leads to a state of the same worker.
const SENDING: f64 = 2.0;
/// A window begins and ends between chunks; a state has at most as many as a word has bits.
const MOST_CHUNKS: usize = 64;
const LEAST_CHUNK_BITS: usize = 8;

/// Says to which worker a state belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Partition {
    workers: u64,
    /// For each word of a state, the bits that count.
    masks: Vec<u64>,
    /// The words that have such bits.
    counting: Range<usize>,
}

impl Partition {
    /// By the bits of these masks, one for each word of a state. `None` if no bit counts.
    pub(crate) fn of_masks(masks: &[u64], workers: usize) -> Option<Self> {
        let first = masks.iter().position(|mask| *mask != 0)?;
        let last = masks.iter().rposition(|mask| *mask != 0)?;
        Some(Self { workers: workers as u64, masks: masks.to_vec(), counting: first..last + 1 })
    }

    /// By the hash of the whole state.
    pub(crate) fn whole(words: usize, workers: usize) -> Self {
        Self { workers: workers as u64, masks: vec![u64::MAX; words], counting: 0..words }
    }

    /// The window that suits the space best, or the whole state.
    pub(crate) fn of_space<S: StateSpace>(space: &S, workers: usize, control: &RunControl) -> Self {
        let words = space.words_per_state();
        let whole = Self::whole(words, workers);
        let sample_bytes = (WALKS * WALK_LEN / STRIDE * (8 * words + size_of::<Vec<u64>>())) as u64;
        if workers == 1 || control.budget.take(sample_bytes).is_err() {
            return whole;
        }
        let best = Sample::new(space, control).best(workers);
        control.budget.give_back(sample_bytes);
        best.unwrap_or(whole)
    }

    /// For each word of a state, the bits that count.
    pub(crate) fn masks(&self) -> &[u64] {
        &self.masks
    }

    #[inline]
    pub(crate) fn owner(&self, state: &State) -> WorkerId {
        if self.workers == 1 {
            return 0;
        }
        let (words, masks) = (&state[self.counting.clone()], &self.masks[self.counting.clone()]);
        (((hash(words, masks) >> 32) * self.workers) >> 32) as WorkerId
    }
}

/// Other bits than those that the store sorts by.
#[inline]
fn hash(words: &[u64], masks: &[u64]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let of_words = words
        .iter()
        .zip(masks)
        .fold(0x243f_6a88_85a3_08d3, |hash, (word, mask)| fold(hash ^ (word & mask), 0x9e37_79b9_7f4a_7c15));
    fold(of_words ^ 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d1)
}

/// Why no more steps of a state are looked at.
enum Enough {
    Steps,
    /// A limit, which the search will meet too, or no more time for walks.
    Time,
}

/// Looks at steps for as long as there is time: a path inside of one step may be long.
struct Walk<'l, 'a, F> {
    limits: &'l mut StepLimits<'a>,
    began: Instant,
    step: F,
}

impl<F: FnMut(Step<'_>) -> ControlFlow<Enough>> Sink for Walk<'_, '_, F> {
    type Break = Enough;

    fn step(&mut self, step: Step<'_>) -> ControlFlow<Enough> {
        (self.step)(step)
    }
    fn underway(&mut self, underway: Underway) -> ControlFlow<Enough> {
        let is_over = self.limits.allow(underway).is_err() || self.began.elapsed() > MOST_TIME;
        if is_over { ControlFlow::Break(Enough::Time) } else { ControlFlow::Continue(()) }
    }
}

/// What random walks met.
struct Sample {
    words: usize,
    chunk_bits: usize,
    /// How many steps changed a set of chunks, which is a bit for each.
    changes: HashMap<u64, u64>,
    /// States by how many steps of a walk lead there, each state once.
    layers: Vec<Vec<Vec<u64>>>,
}

impl Sample {
    fn new<S: StateSpace>(space: &S, control: &RunControl) -> Self {
        let words = space.words_per_state();
        let chunk_bits = (64 * words).div_ceil(MOST_CHUNKS).next_power_of_two().max(LEAST_CHUNK_BITS);
        let mut sample =
            Self { words, chunk_bits, changes: HashMap::new(), layers: vec![Vec::new(); WALK_LEN / STRIDE] };
        // Dropped after the scratch.
        let mut limits = StepLimits::new(control);
        let mut scratch = space.scratch();
        let mut initial: Vec<Vec<u64>> = Vec::new();
        let _ = space.initial(&mut scratch, |state| {
            initial.push(state.to_vec());
            if initial.len() < MOST_INITIAL { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if initial.is_empty() {
            return sample;
        }
        let (mut random, began) = (0x0123_4567_89ab_cdef, Instant::now());
        for _ in 0..WALKS {
            let mut state = initial[below(&mut random, initial.len() as u64)].clone();
            for distance in 0..WALK_LEN {
                // Where a limit was met already, the search will say so.
                if began.elapsed() > MOST_TIME || control.check().is_err() {
                    return sample;
                }
                if distance >= NEAR && distance % STRIDE == 0 {
                    let layer = &mut sample.layers[distance / STRIDE];
                    if !layer.contains(&state) {
                        layer.push(state.clone());
                    }
                }
                match sample.step(space, &mut scratch, &mut limits, &state, &mut random, began) {
                    ControlFlow::Break(()) => return sample,
                    ControlFlow::Continue(None) => break,
                    ControlFlow::Continue(Some(next)) => state = next,
                }
            }
        }
        sample
    }

    /// Counts what the steps of a state change, and chooses one of them: the state it leads to.
    fn step<S: StateSpace>(
        &mut self,
        space: &S,
        scratch: &mut S::Scratch,
        limits: &mut StepLimits<'_>,
        source: &State,
        random: &mut u64,
        began: Instant,
    ) -> ControlFlow<(), Option<Vec<u64>>> {
        let (mut next, mut count) = (None::<Vec<u64>>, 0);
        let step = |step: Step<'_>| {
            let Outcome::State(target) = step.target else { return ControlFlow::Continue(()) };
            self.count(self.changed(source, target));
            count += 1;
            if below(random, count) == 0 {
                next = Some(target.to_vec());
            }
            if count < MOST_STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(Enough::Steps) }
        };
        match space.steps(source, scratch, &mut Walk { limits, began, step }) {
            ControlFlow::Break(Enough::Time) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(next),
        }
    }

    /// Counts a step that changes these chunks.
    fn count(&mut self, changed: u64) {
        if self.changes.len() < MOST_CHANGES || self.changes.contains_key(&changed) {
            *self.changes.entry(changed).or_insert(0) += 1;
        }
    }

    /// The chunks in which two states differ.
    fn changed(&self, one: &State, other: &State) -> u64 {
        let mut changed = 0;
        for (place, (one, other)) in one.iter().zip(other).enumerate() {
            let mut difference = one ^ other;
            while difference != 0 {
                let chunk = (64 * place + difference.trailing_zeros() as usize) / self.chunk_bits;
                changed |= 1 << chunk;
                let rest = (chunk + 1) * self.chunk_bits - 64 * place;
                difference = if rest >= 64 { 0 } else { difference >> rest << rest };
            }
        }
        changed
    }

    /// By the best window, if there is one.
    fn best(&self, workers: usize) -> Option<Partition> {
        let all = self.crossings(&(0..MOST_CHUNKS)).max(1) as f64;
        let mut best: Option<(f64, Range<usize>)> = None;
        for unevenness in UNEVENNESS {
            for window in self.narrow_windows(workers, unevenness) {
                let cost = (1.0 + unevenness) * (1.0 + SENDING * self.crossings(&window) as f64 / all);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, window));
                }
            }
        }
        best.and_then(|(_, window)| Partition::of_masks(&self.masks(&window), workers))
    }

    /// How many steps change the window.
    fn crossings(&self, window: &Range<usize>) -> u64 {
        let bits = window.clone().fold(0, |bits, chunk| bits | 1 << chunk);
        self.changes.iter().filter(|(changed, _)| *changed & bits != 0).map(|(_, count)| count).sum()
    }

    /// For each word the bits of the window.
    fn masks(&self, window: &Range<usize>) -> Vec<u64> {
        let bits = window.start * self.chunk_bits..window.end * self.chunk_bits;
        let mask = |place: usize| {
            let of_word = 64 * place..64 * place + 64;
            let (first, end) = (bits.start.max(of_word.start), bits.end.min(of_word.end));
            if first >= end { 0 } else { u64::MAX >> (64 - (end - first)) << (first - of_word.start) }
        };
        (0..self.words).map(mask).collect()
    }

    /// The windows that share the states evenly, and no window inside them does.
    fn narrow_windows(&self, workers: usize, unevenness: f64) -> Vec<Range<usize>> {
        let chunks = (64 * self.words).div_ceil(self.chunk_bits);
        let (mut windows, mut end) = (Vec::new(), 0);
        for start in 0..chunks {
            end = end.max(start + 1);
            // A wider window shares no less evenly than one inside it.
            while !self.is_even(&(start..end), workers, unevenness) {
                end += 1;
                if end > chunks {
                    return windows;
                }
            }
            windows.push(start..end);
        }
        windows
    }

    /// Whether states that are shared by the window's hash are shared evenly, at each distance. If values have the shares *w* of
    /// the states, and are given to *n* workers at random, the variance of a worker's share is *Σ w² (n − 1) / n²*; and *Σ w²* is how
    /// often two states have the same value.
    fn is_even(&self, window: &Range<usize>, workers: usize, unevenness: f64) -> bool {
        let masks = self.masks(window);
        let counting = window.start * self.chunk_bits / 64..(window.end * self.chunk_bits).div_ceil(64).min(self.words);
        let masks = &masks[counting.clone()];
        let (mut pairs, mut equal) = (0_u64, 0_u64);
        for layer in &self.layers {
            let mut hashes: Vec<u64> = layer.iter().map(|state| hash(&state[counting.clone()], masks)).collect();
            hashes.sort_unstable();
            let two_of = |count: usize| count as u64 * (count as u64).saturating_sub(1) / 2;
            pairs += two_of(hashes.len());
            equal += hashes.chunk_by(|one, other| one == other).map(|same| two_of(same.len())).sum::<u64>();
        }
        // Few states say nothing about the others.
        pairs >= 64 && equal as f64 * (workers - 1) as f64 <= unevenness * unevenness * pairs as f64
    }
}

/// A random number below the bound (splitmix64).
fn below(random: &mut u64, bound: u64) -> usize {
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *random;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ mixed >> 31) % bound) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_space::LabelSet;

    /// A sample of states of two words, 64 in each of ten layers, and of steps that change these chunks.
    fn sample(state: impl Fn(u64, u64) -> [u64; 2], changes: &[(u64, u64)]) -> Sample {
        let layer = |distance| (0..64).map(|number| state(distance, number).to_vec()).collect();
        let changes = changes.iter().copied().collect();
        Sample { words: 2, chunk_bits: 8, changes, layers: (0..10).map(layer).collect() }
    }
    fn mixed(a: u64, b: u64) -> u64 {
        hash(&[a, b], &[u64::MAX, u64::MAX])
    }

    #[test]
    fn a_clock_does_not_say_who_owns_a_state() {
        // The first word is a clock, which every step changes; every second step changes the second word.
        let clock = sample(|distance, number| [mixed(distance, 0), mixed(distance, number)], &[(0b1, 50), (0x101, 50)]);
        for window in clock.narrow_windows(2, 0.3) {
            assert!(window.end > 8, "{window:?} is of the clock alone");
        }
        let partition = clock.best(2).expect("there is one");
        assert_eq!(partition.masks()[0], 0, "{partition:?}");
    }

    #[test]
    fn what_steps_leave_as_it_is_says_who_owns_a_state() {
        let halves =
            sample(|distance, number| [mixed(distance, number), mixed(number, distance)], &[(0b1, 10), (0xff00, 90)]);
        let partition = halves.best(2).expect("there is one");
        assert_eq!(partition.masks()[1], 0, "{partition:?}");
        let mut loads = [0; 2];
        halves.layers.iter().flatten().for_each(|state| loads[partition.owner(state)] += 1);
        assert!(loads.iter().all(|load| (240..=400).contains(load)), "{loads:?}");
        assert!(sample(|_, _| [1, 2], &[(1, 1)]).best(2).is_none(), "one value cannot be shared");
    }

    #[test]
    fn changed_chunks_and_windows_are_those_of_the_bits() {
        for chunk_bits in [8, 16, 64, 128] {
            let sample = Sample { words: 4, chunk_bits, changes: HashMap::new(), layers: Vec::new() };
            for bit in 0..256 {
                let mut other = [0; 4];
                other[bit / 64] |= 1 << (bit % 64);
                assert_eq!(sample.changed(&[0; 4], &other), 1 << (bit / chunk_bits));
                let masks = sample.masks(&(bit / chunk_bits..bit / chunk_bits + 1));
                assert_ne!(masks[bit / 64] & other[bit / 64], 0);
                assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), chunk_bits as u32);
            }
        }
    }

    /// A space whose steps have no end.
    struct Endless {
        /// There are no steps, but a way to the first one.
        is_underway: bool,
        control: RunControl,
    }

    impl StateSpace for Endless {
        type Scratch = ();

        fn words_per_state(&self) -> usize {
            2
        }
        fn scratch(&self) {}
        fn initial<B>(&self, (): &mut (), mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
            (0..).try_for_each(|number| sink(&[number, 0]))
        }
        fn steps<K: Sink>(&self, source: &State, (): &mut (), mut sink: K) -> ControlFlow<K::Break> {
            let labels = LabelSet::default();
            for number in 1.. {
                if self.is_underway {
                    sink.underway(Underway { actions: number, scratch_bytes: 0 })?;
                } else {
                    sink.step(Step::new(Outcome::State(&[source[0], source[1] ^ number]), &labels, &[]))?;
                }
            }
            ControlFlow::Continue(())
        }
        fn labels(&self, _: &State, (): &mut ()) -> LabelSet {
            LabelSet::default()
        }
        fn is_proper_end(&self, _: &State, (): &mut ()) -> bool {
            true
        }
    }

    #[test]
    fn walks_come_to_an_end_where_steps_do_not() {
        for is_underway in [false, true] {
            let space = Endless { is_underway, control: RunControl::new(1 << 28, None) };
            let began = Instant::now();
            let partition = Partition::of_space(&space, 3, &space.control);
            assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
            assert!((0..100).all(|number| partition.owner(&[number, number]) < 3));
            assert_eq!(space.control.budget.used_bytes(), 0);
            // Nothing is left to do where the run is over.
            space.control.cancel();
            assert_eq!(Partition::of_space(&space, 3, &space.control), Partition::whole(2, 3));
        }
    }
}
