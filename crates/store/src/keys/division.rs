//! How a key is divided between the line it stands in and its entry there.
//!
//! As in a [`Code`](super::code::Code), a one-to-one map spreads the *low* bits of a key over all numbers of as many bits. Here the numbers
//! are dealt out in order to any number of lines, as evenly as can be. Those of one line follow each other, so that a few low bits of
//! a number tell it from the others of its line: an entry is these, the *high* bits of the key, and how often it had to
//! go on to another line. So a table can grow by any step, and keeps its order.

/// The least number of low bits. With fewer there could not be enough lines.
const LEAST_LOW_BITS: u32 = 34;
/// An entry has this many bits for how far away from home it stands, plus one.
pub(crate) const AWAY_BITS: u32 = 4;
/// How often an entry may go on to another line.
pub(crate) const MOST_AWAY: usize = (1 << AWAY_BITS) - 2;
/// An entry stands in one of so many lines from home on if these are not full, else further on.
const NEAR: usize = 3;
/// The lines that it may stand in after these, as a power of two.
const SCATTER_BITS: u32 = 5;
/// How many lines away from home an entry may stand.
pub(crate) const MOST_OFFSET: usize = MOST_AWAY + (1 << SCATTER_BITS) - 1;
/// So many more numbers than a line has are told from each other by an entry, so that where those of a line begin may be
/// computed with an error of a few.
const SLACK: u64 = 8;
const FACTORS: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93, 0xBF58_476D_1CE4_E5B9];

/// What can be a key: a number of up to 64 bits, or of some more.
pub(crate) trait Key: Copy {
    /// A number that has at least the bits below so many in its low half, with what else is there, and the bits above.
    fn parts(self, low_bits: u32) -> (u64, u64);
    /// Whether it has at most so many bits.
    fn has_at_most(self, bits: u32) -> bool;
    /// All bits of both.
    fn or(self, other: Self) -> Self;
    /// No bits.
    const ZERO: Self;
}

impl Key for u64 {
    const ZERO: Self = 0;
    #[inline(always)]
    fn parts(self, low_bits: u32) -> (u64, u64) {
        // In two steps, for 64 bits.
        (self, self >> (low_bits - 1) >> 1)
    }
    #[inline(always)]
    fn has_at_most(self, bits: u32) -> bool {
        self.checked_shr(bits).unwrap_or(0) == 0
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
}

/// The low word first.
impl Key for [u64; 2] {
    const ZERO: Self = [0; 2];
    #[inline(always)]
    fn parts(self, low_bits: u32) -> (u64, u64) {
        let [low, high] = self;
        // The bits of the second word that leave the first are few enough: see `has_at_most`.
        (low, high << (64 - low_bits) | low >> (low_bits - 1) >> 1)
    }
    #[inline(always)]
    fn has_at_most(self, bits: u32) -> bool {
        if bits < 64 { self[1] == 0 && self[0].has_at_most(bits) } else { self[1].has_at_most(bits - 64) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        [self[0] | other[0], self[1] | other[1]]
    }
}

/// A key after the map: the high bits, and the number that the low ones became, at the upper end of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Mapped {
    pub(crate) high: u64,
    pub(crate) number: u64,
}

/// The line that a key belongs in, and what is written if there is room for it right there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Home {
    pub(crate) line: usize,
    pub(crate) entry: u64,
}

/// A number of lines, and the number of low bits. All are at hand that are needed to find the places of many keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Division {
    lines: u64,
    low_bits: u32,
    /// How far from the low end of a word numbers stand, and the ones where they do.
    align: u32,
    mask: u64,
    half: u32,
    /// How many bits of a number an entry has, and as many ones.
    rest_bits: u32,
    rest: u64,
    /// 2^64 by the number of lines, and the first 32 bits behind the point.
    step: u64,
    fraction: u64,
}

impl Division {
    /// So many low bits for keys that have so many bits at first.
    pub(crate) fn low_bits_for(key_bits: u32) -> u32 {
        key_bits.clamp(LEAST_LOW_BITS, u64::BITS)
    }
    /// `None` if there are too many lines.
    pub(crate) fn new(lines: u64, low_bits: u32) -> Option<Self> {
        assert!((LEAST_LOW_BITS..=u64::BITS).contains(&low_bits) && lines > 1, "{low_bits} low bits, {lines} lines");
        if lines >= 1 << 32 || lines >> (low_bits - 4) > 0 {
            return None;
        }
        let align = u64::BITS - low_bits;
        let (whole, all) = (1_u128 << 64, u128::from(lines));
        let (step, fraction) = ((whole / all) as u64, (((whole % all) << 32) / all) as u64);
        let in_line = (step >> align) + 1;
        let rest_bits = u64::BITS - (in_line + SLACK).leading_zeros();
        let rest = (1 << rest_bits) - 1;
        let (mask, half) = (u64::MAX << align, low_bits.div_ceil(2));
        Some(Self { lines, low_bits, align, mask, half, rest_bits, rest, step, fraction })
    }
    pub(crate) fn low_bits(&self) -> u32 {
        self.low_bits
    }
    pub(crate) fn lines(&self) -> usize {
        self.lines as usize
    }
    /// How many bits a key may have that is written in entries of `entry_bits`; `None` if these do not suffice for any.
    pub(crate) fn key_bits(&self, entry_bits: u32) -> Option<u32> {
        Some((self.low_bits + entry_bits).checked_sub(self.rest_bits + AWAY_BITS)?)
            .filter(|&bits| bits >= self.low_bits)
    }

    /// The map, one to one.
    #[inline(always)]
    pub(crate) fn map<K: Key>(&self, key: K) -> Mapped {
        let (low, high) = key.parts(self.low_bits);
        let mut number = (low ^ high.wrapping_mul(FACTORS[0])) << self.align;
        for factor in FACTORS {
            number ^= number >> self.half & self.mask;
            number = number.wrapping_mul(factor);
        }
        Mapped { high, number }
    }

    /// Where a key belongs.
    #[inline(always)]
    pub(crate) fn home<K: Key>(&self, key: K) -> Home {
        self.home_of(self.map(key))
    }
    /// Where a key belongs that was mapped.
    #[inline(always)]
    pub(crate) fn home_of(&self, Mapped { high, number }: Mapped) -> Home {
        let line = (u128::from(number) * u128::from(self.lines)) >> 64;
        let rest = number >> self.align & self.rest;
        Home { line: line as usize, entry: (high << self.rest_bits | rest) << AWAY_BITS | 1 }
    }

    /// A number that is at most a few less than the first of this line, or that. Of what is behind the last line, anything.
    #[inline(always)]
    pub(crate) fn begin(&self, line: usize) -> u64 {
        let line = line as u64;
        line.wrapping_mul(self.step).wrapping_add(line.wrapping_mul(self.fraction) >> 32) >> self.align
    }
    /// The key written in an entry, as it was mapped, if that is at home in the line that [begins](Self::begin) here.
    #[inline(always)]
    pub(crate) fn mapped(&self, begin: u64, entry: u64) -> Mapped {
        let fields = entry >> AWAY_BITS;
        let number = begin + (fields.wrapping_sub(begin) & self.rest);
        Mapped { high: fields >> self.rest_bits, number: number << self.align }
    }
}

/// How often an entry went on.
#[inline(always)]
pub(crate) fn away(entry: u64) -> usize {
    (entry & ((1 << AWAY_BITS) - 1)) as usize - 1
}

/// How many lines away from home an entry stands. The first few lines are next to each other; where they are full, there is
/// a crowd, and entries leave it in different directions.
#[inline(always)]
pub(crate) fn offset(entry: u64) -> usize {
    let away = away(entry);
    if away < NEAR {
        return away;
    }
    away + ((entry >> AWAY_BITS).wrapping_mul(FACTORS[0]) >> (u64::BITS - SCATTER_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interner::mix;
    use std::collections::HashSet;

    /// The number whose product with an odd one is 1.
    fn inverse(odd: u64) -> u64 {
        (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))))
    }

    /// The key that was mapped, by the map turned round.
    fn key_of(division: Division, Mapped { high, number }: Mapped) -> u64 {
        let low_bits = division.low_bits;
        let (mask, shift, mut number) = (u64::MAX >> (64 - low_bits), low_bits.div_ceil(2), number >> division.align);
        for factor in FACTORS.into_iter().rev() {
            number = number.wrapping_mul(inverse(factor)) & mask;
            number ^= number >> shift;
        }
        high.checked_shl(low_bits).unwrap_or(0) | (number ^ high.wrapping_mul(FACTORS[0])) & mask
    }

    #[test]
    fn an_entry_and_its_line_give_the_key_back() {
        for (lines, low_bits, key_bits) in [
            (16_u64, 36_u32, 32_u32),
            (17, 34, 34),
            (48, 36, 36),
            (999, 36, 37),
            (1000, 41, 41),
            (131_071, 44, 48),
            (131_072, 44, 48),
            (1_000_003, 60, 63),
            (6_000_011, 64, 64),
            (23, 47, 63),
        ] {
            let division = Division::new(lines, low_bits).expect("enough low bits");
            let larger = Division::new(lines * 9 / 8 + 1, low_bits).expect("enough low bits");
            for word in 0..20_000 {
                let key = mix(word) & (u64::MAX >> (64 - key_bits));
                let Home { line, entry } = division.home(key);
                assert!(line < lines as usize);
                let bits = 64 - entry.leading_zeros();
                assert!(division.key_bits(bits.max(division.rest_bits + AWAY_BITS)).is_some());
                assert!(bits <= division.rest_bits + AWAY_BITS + key_bits.saturating_sub(low_bits), "{division:?}");
                let mapped = division.mapped(division.begin(line), entry);
                assert_eq!((key_of(division, mapped), mapped), (key, division.map(key)), "{division:?}");
                assert_eq!(larger.home_of(mapped), larger.home(key), "{division:?}");
            }
        }
    }

    /// The first and the last number of each line, and those beside them, are told apart.
    #[test]
    fn the_ends_of_lines_are_exact() {
        for (lines, low_bits) in [(2, 34), (17, 34), (1000, 36), (4095, 40), (65_537, 44), (99_991, 64), (3, 50)] {
            let division = Division::new(lines, low_bits).expect("enough low bits");
            for line in (0..lines).step_by(1 + lines as usize / 500).chain([lines - 1]) {
                let first = ((u128::from(line) << 64).div_ceil(u128::from(lines)) >> division.align) as u64;
                for number in first.saturating_sub(3)..=first.saturating_add(3) {
                    if number > division.mask >> division.align {
                        continue;
                    }
                    let mapped = Mapped { high: 0, number: number << division.align };
                    let home = division.home_of(mapped);
                    assert_eq!(division.mapped(division.begin(home.line), home.entry), mapped, "{division:?}");
                }
            }
        }
    }

    /// A table that grows is copied from one end to the other.
    #[test]
    fn larger_tables_keep_the_order() {
        let (small, large) = (Division::new(257, 40).unwrap(), Division::new(290, 40).unwrap());
        let mut places: Vec<(usize, usize)> =
            (0..10_000_u64).map(|key| (small.home(key * 977).line, large.home(key * 977).line)).collect();
        places.sort_unstable();
        assert!(places.windows(2).all(|two| two[0].0 == two[1].0 || two[0].1 <= two[1].1));
    }

    /// Keys that differ in a few bits only, anywhere, fall into as many lines as random ones.
    #[test]
    fn packed_states_do_not_cluster() {
        for low_bits in [40, 57, 64] {
            let division = Division::new(4096, low_bits).unwrap();
            for at in 0..28 {
                let lines: HashSet<usize> = (0..1 << 12).map(|key: u64| division.home(key << at).line).collect();
                // Of 4096 lines so many random keys would meet 63 %.
                assert!((2350..2850).contains(&lines.len()), "{} lines for keys from bit {at} on", lines.len());
            }
        }
    }

    #[test]
    fn few_low_bits_are_not_enough_for_many_lines() {
        assert_eq!((Division::new(1 << 31, 34), Division::new(1 << 32, 60)), (None, None));
        assert!(Division::new(1 << 29, 34).is_some() && Division::new((1 << 32) - 1, 60).is_some());
    }
}
