//! How many values a part of a state takes, judged by some states.

use crate::interner::mix;
use lariat_space::State;

/// A range is cut near its middle rather than elsewhere if that does not cost more than this many values for each bit
/// it is nearer, in a thousand states: a deep tree is slow.
const BALANCE: f64 = 0.5;
/// States of at most so many words are cut between bytes, larger ones between half words.
const FEW_WORDS: usize = 8;

/// How many bits there are between two places where a state of so many words may be cut: a *unit*.
pub(crate) fn unit_bits(words_per_state: usize) -> usize {
    if words_per_state <= FEW_WORDS { 8 } else { 32 }
}

/// A cut inside a word makes that word a part of two leaves, so it has to be better by this factor.
const INSIDE_WORD: f64 = 1.02;

pub(crate) struct Varieties<'s> {
    states: &'s [&'s State],
    unit_bits: usize,
    /// By unit: the bits that vary.
    pub(crate) varying: Vec<u32>,
    /// Which hashes were seen, in open addressing; the first number says in which round.
    seen: Vec<(u32, u64)>,
    round: u32,
}

impl<'s> Varieties<'s> {
    pub(crate) fn new(states: &'s [&'s State]) -> Self {
        let first = states[0];
        let unit_bits = unit_bits(first.len());
        let unit = |state: &State, unit: usize| unit_of(state, unit, unit_bits);
        let varying = |number| states.iter().fold(0, |bits, state| bits | (unit(state, number) ^ unit(first, number)));
        Self {
            states,
            unit_bits,
            varying: (0..first.len() * 64 / unit_bits).map(varying).collect(),
            seen: vec![(0, 0); (states.len() * 2).next_power_of_two()],
            round: 0,
        }
    }

    /// The most memory that is taken to judge by `len` states.
    pub(crate) fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        let seen_bytes = (len * 2).next_power_of_two() * size_of::<(u32, u64)>();
        (seen_bytes + len * (size_of::<u64>() + 2 * size_of::<&State>()) + words_per_state * 512) as u64
    }

    /// Where to cut a range of at least two units.
    pub(crate) fn best_cut(&mut self, start: usize, end: usize) -> usize {
        let befores = self.running((start..end).collect());
        let mut afters = self.running((start..end).rev().collect());
        afters.reverse();
        let varying =
            |range: std::ops::Range<usize>| self.varying[range].iter().map(|bits| bits.count_ones()).sum::<u32>();
        let balance = BALANCE / 1000.0 * self.states.len() as f64;
        let cost = |cut: usize| {
            // The parts end with the unit before the cut, and begin with the one after it.
            let values = befores[cut - start - 1] + afters[cut - start];
            let imbalance = f64::from(varying(start..cut).abs_diff(varying(cut..end))) * balance
                + (cut - start).abs_diff(end - cut) as f64 * 0.01;
            (values + imbalance) * if (cut * self.unit_bits).is_multiple_of(64) { 1.0 } else { INSIDE_WORD }
        };
        (start + 1..end).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("a range of at least two")
    }

    /// An estimate of how many values a range of units has.
    pub(crate) fn values(&mut self, start: usize, end: usize) -> f64 {
        self.running((start..end).collect()).last().copied().unwrap_or(1.0)
    }

    /// For each beginning of the row of units, an estimate of how many values it has.
    fn running(&mut self, units: Vec<usize>) -> Vec<f64> {
        let mut hashes = vec![0; self.states.len()];
        let mut estimate = 1.0;
        units
            .into_iter()
            .map(|unit| {
                if self.varying[unit] != 0 {
                    for (hash, state) in hashes.iter_mut().zip(self.states) {
                        *hash = mix(*hash ^ u64::from(unit_of(state, unit, self.unit_bits)));
                    }
                    estimate = self.estimate(&hashes);
                }
                estimate
            })
            .collect()
    }

    /// How many values there are in all, if these are the hashes of some.
    fn estimate(&mut self, hashes: &[u64]) -> f64 {
        let (distinct, len) = (self.distinct(hashes) as f64, hashes.len() as f64);
        if distinct * 2.0 < len {
            return distinct;
        }
        // Most are different. So many that agree with an earlier one are expected of so many values, as with birthdays.
        len * len / 2.0 / (len - distinct).max(0.5)
    }

    fn distinct(&mut self, hashes: &[u64]) -> usize {
        self.round += 1;
        let mask = self.seen.len() - 1;
        let mut distinct = 0;
        for &hash in hashes {
            let mut at = hash as usize & mask;
            while self.seen[at].0 == self.round && self.seen[at].1 != hash {
                at = (at + 1) & mask;
            }
            distinct += usize::from(self.seen[at].0 != self.round);
            self.seen[at] = (self.round, hash);
        }
        distinct
    }
}

fn unit_of(state: &State, unit: usize, unit_bits: usize) -> u32 {
    let bit = unit * unit_bits;
    (state[bit / 64] >> (bit % 64)) as u32 & (u32::MAX >> (32 - unit_bits))
}
