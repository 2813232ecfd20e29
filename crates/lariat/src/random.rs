//! Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom
//! number generators*, OOPSLA 2014). Which numbers follow from a seed is a promise to users, so no library decides it.

/// A sequence of numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of the seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `bound`, each as likely as any other; `bound` is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        let bound = bound as u64;
        // Numbers from the last, incomplete run of `bound` ones would favour the small remainders.
        let incomplete = (u64::MAX % bound + 1) % bound;
        loop {
            let number = self.next();
            if number <= u64::MAX - incomplete {
                return (number % bound) as usize;
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn numbers_are_even() {
        let mut random = Random::new(1);
        let mut counts = [0; 6];
        (0..6000).for_each(|_| counts[random.below(6)] += 1);
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
        assert_eq!(random.below(1), 0);
    }
}
