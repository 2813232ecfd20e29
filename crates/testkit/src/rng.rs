//! A small deterministic source of numbers: splitmix64 (Steele, Lea, Flood, OOPSLA 2014).

/// Numbers that look random; the same seed gives the same numbers on every machine, for ever.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The numbers of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    /// A number smaller than `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }
    /// A number smaller than `bound`, which is not 0.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound
    }
    /// A number from `lo` to `hi`, both included.
    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        let count = (hi.wrapping_sub(lo) as u64).wrapping_add(1);
        let offset = if count == 0 { self.next_u64() } else { self.next_u64() % count };
        lo.wrapping_add(offset as i64)
    }
    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    /// One of the elements, of which there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
