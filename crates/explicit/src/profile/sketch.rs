//! How many different things there were, in little memory.
//!
//! HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007), with the estimate of Ertl (2017), which needs no correction for
//! small numbers. The answer does not depend on the order, nor on who saw what: sketches of parts make up the sketch of
//! the whole.

const INDEX_BITS: u32 = 12;
const REGISTERS: usize = 1 << INDEX_BITS;

/// Estimates the number of different hashes that were added; the standard error is 1.6 %.
#[derive(Debug)]
pub(crate) struct Sketch {
    /// By the first bits of a hash: the highest rank of its other bits. The rank is 1 more than the zeros at the front.
    registers: Box<[u8; REGISTERS]>,
}

impl Sketch {
    /// What one takes of memory.
    pub(crate) const BYTES: u64 = (REGISTERS + size_of::<Self>()) as u64;

    pub(crate) fn new() -> Self {
        Self { registers: Box::new([0; REGISTERS]) }
    }

    pub(crate) fn add(&mut self, hash: u64) {
        let register = &mut self.registers[(hash >> (64 - INDEX_BITS)) as usize];
        // The bit behind the last one ends the zeros.
        let rank = (hash << INDEX_BITS | 1 << (INDEX_BITS - 1)).leading_zeros() as u8 + 1;
        *register = rank.max(*register);
    }

    /// Adds all that was added to the other.
    pub(crate) fn merge(&mut self, other: &Sketch) {
        self.registers.iter_mut().zip(other.registers.iter()).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    pub(crate) fn estimate(&self) -> u64 {
        const COUNT: f64 = REGISTERS as f64;
        let empty = self.registers.iter().filter(|&&rank| rank == 0).count();
        let filled: f64 = self.registers.iter().filter(|&&rank| rank > 0).map(|&rank| (-f64::from(rank)).exp2()).sum();
        // Nobody fills a register up to its last rank: that would take 2^52 hashes.
        let estimate = COUNT * COUNT / (2.0 * std::f64::consts::LN_2) / (COUNT * sigma(empty as f64 / COUNT) + filled);
        estimate.round() as u64
    }
}

/// x + the sum of x^(2^k) 2^(k-1) over k = 1, 2, …; infinite for 1, and the estimate is then 0.
fn sigma(x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut weight, mut sum) = (x, 1.0, x);
    loop {
        power *= power;
        let next = sum + power * weight;
        if next == sum {
            return sum;
        }
        sum = next;
        weight *= 2.0;
    }
}

/// A number that looks random, and another one for every other argument.
pub(crate) fn mix(value: u64) -> u64 {
    // The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_near() {
        assert_eq!(Sketch::new().estimate(), 0);
        for count in [1_u64, 10, 100, 1000, 5000, 10_000, 15_000, 20_000, 50_000, 100_000, 1_000_000] {
            let mut sketch = Sketch::new();
            // Each twice: that must make no difference.
            (0..count).chain(0..count).for_each(|value| sketch.add(mix(value)));
            let off = sketch.estimate().abs_diff(count) as f64 / count as f64;
            assert!(off < 0.05, "{count}: {}", sketch.estimate());
        }
    }

    /// As the states of a system are hashed. Without the last mixing the estimate is off by more than a tenth.
    #[test]
    fn few_values_of_some_variables_are_hashed_well() {
        let mut sketch = Sketch::new();
        for state in 0..5_u64.pow(5) {
            let parts = (0..5).map(|variable| mix((state / 5_u64.pow(variable) % 5) ^ mix(u64::from(variable))));
            sketch.add(mix(parts.fold(0, |hash, part| hash ^ part)));
        }
        assert!(sketch.estimate().abs_diff(3125) < 157, "{}", sketch.estimate());
    }

    #[test]
    fn parts_make_up_the_whole() {
        let mut parts = [Sketch::new(), Sketch::new(), Sketch::new()];
        let mut whole = Sketch::new();
        for value in 0..10_000_u64 {
            whole.add(mix(value));
            parts[value as usize % 2].add(mix(value));
            parts[2].add(mix(value / 2));
        }
        let [mut first, second, third] = parts;
        first.merge(&second);
        first.merge(&third);
        assert_eq!(first.registers, whole.registers);
    }
}
