//! How a pair is written where it stands: only what its place does not tell.
//!
//! A pair is turned into a number whose *high* bits are well mixed and choose the bucket; the entry keeps the bits below
//! them, the left half, and how many buckets away from home it stands. From these and the bucket the pair can be had
//! back: for each left half the map from right half to number is one to one (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984; van der Vegt and Laarman, *A parallel compact hash table*, 2011).
//!
//! The bits of the number are in reverse: the lowest bit of `right * ODD + mix(left)` is the highest. More right halves
//! mean more bits at the low end, so pairs keep their order and their buckets when halves outgrow their widths, and a
//! table that grows can be copied from one end to the other.

use crate::interner::mix;

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
const ODD_INVERSE: u64 = 0xF1DE_83E1_9937_733D;
/// An entry has this many bits for how far away from home it stands, plus one.
const AWAY_BITS: u32 = 4;
/// How far away from home an entry may stand.
pub(crate) const MOST_AWAY: usize = (1 << AWAY_BITS) - 2;
/// So many bits decide between the parts of a group.
const PART_BITS: u32 = 8;
pub(crate) const LEAST_GROUP_BITS: u32 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
}

impl Pair {
    pub(crate) fn of_word(word: u64) -> Self {
        Self { left: (word >> 32) as u32, right: word as u32 }
    }
    pub(crate) fn word(self) -> u64 {
        u64::from(self.left) << 32 | u64::from(self.right)
    }
}

/// Where the search for a pair begins, and what is written if it is found a place right there. One more for every
/// bucket it stands away from home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) bucket: usize,
    pub(crate) entry: u64,
}

/// A number of buckets, and the widths of what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    /// There are two to this power groups of buckets.
    pub(crate) group_bits: u32,
    /// Buckets in a group, 4 to 7.
    pub(crate) parts: u32,
    left_bits: u32,
    rest_bits: u32,
}

impl Code {
    /// A code for left and right halves of the given numbers of bits, in entries of `entry_bits`; `None` if these do not
    /// suffice. What bits there are to spare are shared out.
    pub(crate) fn new(group_bits: u32, parts: u32, entry_bits: u32, left: u32, right: u32) -> Option<Self> {
        let rest = right.saturating_sub(group_bits).max(PART_BITS);
        let spare = (entry_bits - AWAY_BITS).checked_sub(left + rest)?;
        let left_bits = (left + spare / 2).min(32);
        let rest_bits = (rest + spare.div_ceil(2)).min(32);
        Some(Self { group_bits, parts, left_bits, rest_bits })
    }
    /// This code for more buckets, if it admits halves of the given numbers of bits.
    pub(crate) fn with_buckets(self, group_bits: u32, parts: u32, left: u32, right: u32) -> Option<Self> {
        let more = group_bits - self.group_bits;
        let rest_bits = self.rest_bits.checked_sub(more)?.max(PART_BITS);
        let left_bits = (self.left_bits + self.rest_bits - rest_bits).min(32);
        let code = Self { group_bits, parts, left_bits, rest_bits };
        (left <= left_bits && right <= code.bits()).then_some(code)
    }
    pub(crate) fn buckets(&self) -> usize {
        (self.parts as usize) << self.group_bits
    }
    /// Whether the pair fits the widths.
    #[inline]
    pub(crate) fn admits(&self, pair: Pair) -> bool {
        u64::from(pair.left) >> self.left_bits | u64::from(pair.right) >> self.bits() == 0
    }

    /// The place of a pair that it admits.
    #[inline]
    pub(crate) fn place(&self, pair: Pair) -> Place {
        let number = u64::from(pair.right).wrapping_mul(ODD).wrapping_add(mix(pair.left.into())).reverse_bits();
        self.place_of(pair.left.into(), number)
    }

    /// The place of a pair with this left half and a number that begins with these bits.
    #[inline]
    fn place_of(&self, left: u64, number: u64) -> Place {
        let group = number >> (64 - self.group_bits);
        let below = number << self.group_bits;
        let part = ((below >> (64 - PART_BITS)) * u64::from(self.parts)) >> PART_BITS;
        let rest = below >> (64 - self.rest_bits);
        Place {
            bucket: (group * u64::from(self.parts) + part) as usize,
            entry: (left << self.rest_bits | rest) << AWAY_BITS | 1,
        }
    }

    /// The left half and the bits of the number that are known of an entry of the bucket, which is not empty.
    #[inline]
    fn left_and_number(&self, bucket: usize, entry: u64) -> (u64, u64) {
        let group = (bucket - away(entry)) as u64 / u64::from(self.parts);
        let fields = entry >> AWAY_BITS;
        let rest = fields & ((1 << self.rest_bits) - 1);
        (fields >> self.rest_bits, (group << self.rest_bits | rest) << (64 - self.bits()))
    }

    /// The pair written in an entry of the bucket, which is not empty.
    pub(crate) fn pair(&self, bucket: usize, entry: u64) -> Pair {
        let (left, number) = self.left_and_number(bucket, entry);
        let right = number.reverse_bits().wrapping_sub(mix(left)).wrapping_mul(ODD_INVERSE) & ((1 << self.bits()) - 1);
        Pair { left: left as u32, right: right as u32 }
    }

    /// The place under another code of the pair written in an entry of the bucket, which is not empty.
    #[inline]
    pub(crate) fn place_under(&self, other: &Self, bucket: usize, entry: u64) -> Place {
        if other.bits() > self.bits() {
            return other.place(self.pair(bucket, entry));
        }
        // All the bits that the other wants are known.
        let (left, number) = self.left_and_number(bucket, entry);
        other.place_of(left, number)
    }

    /// How many bits of the number are known of an entry.
    fn bits(&self) -> u32 {
        self.group_bits + self.rest_bits
    }
}

/// How far away from home an entry stands.
pub(crate) fn away(entry: u64) -> usize {
    (entry & ((1 << AWAY_BITS) - 1)) as usize - 1
}

const _: () = assert!(ODD.wrapping_mul(ODD_INVERSE) == 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_and_its_bucket_give_the_pair_back() {
        for (group_bits, parts, entry_bits, left, right) in [
            (4, 4, 32, 3, 9),
            (4, 6, 32, 20, 1),
            (5, 5, 32, 7, 20),
            (9, 7, 32, 10, 20),
            (16, 6, 32, 19, 20),
            (4, 4, 64, 32, 32),
        ] {
            let code = Code::new(group_bits, parts, entry_bits, left, right).unwrap();
            let mut word = 1_u64;
            for _ in 0..20_000 {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let pair = Pair {
                    left: (mix(word) & ((1 << left) - 1)) as u32,
                    right: (mix(!word) & ((1 << right) - 1)) as u32,
                };
                assert!(code.admits(pair));
                let Place { bucket, entry } = code.place(pair);
                assert!(bucket < code.buckets() && entry.checked_shr(entry_bits).unwrap_or(0) == 0);
                let others =
                    [Code::new(group_bits + 1, 5, 64, 32, 32), code.with_buckets(group_bits + 1, 7, left, right)];
                for other in others.into_iter().flatten() {
                    assert_eq!(code.place_under(&other, bucket, entry), other.place(pair), "{code:?} {other:?}");
                }
                for away in 0..=MOST_AWAY {
                    assert_eq!(code.pair(bucket + away, entry + away as u64), pair, "{code:?}");
                }
            }
        }
    }

    #[test]
    fn wider_codes_keep_the_buckets() {
        let narrow = Code::new(8, 6, 32, 10, 10).unwrap();
        let wide = Code::new(8, 6, 64, 30, 30).unwrap();
        for word in 0..10_000 {
            let pair = Pair { left: word % 1000, right: word / 10 };
            assert_eq!(narrow.place(pair).bucket, wide.place(pair).bucket);
        }
    }

    #[test]
    fn what_does_not_fit_has_no_code() {
        assert_eq!(Code::new(4, 4, 32, 20, 13), None);
        assert!(Code::new(4, 4, 32, 20, 12).is_some());
        assert!(!Code::new(4, 4, 32, 20, 12).unwrap().admits(Pair { left: 1 << 20, right: 0 }));
        assert!(!Code::new(4, 4, 32, 20, 12).unwrap().admits(Pair { left: 0, right: 1 << 12 }));
    }
}
