//! How a key is written where it stands: only what its place does not tell.
//!
//! A one-to-one map on the *low* bits of a key spreads them over all numbers of as many bits, three rounds of shift, exclusive
//! or and product; the bits above them, the *high* ones, take part in it and are kept beside. The top of the number chooses
//! the bucket; the entry keeps the rest of the number, the high bits, and how many buckets away from home it stands. So bucket
//! and entry together are the key, and two keys of one bucket differ in their entries (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984; van der Vegt and Laarman, *A parallel compact hash table*, 2011). One or two rounds
//! made clusters of keys that are packed states.
//!
//! How many bits are low never changes. So a number is never computed again when a table grows, its top stays its top, and a
//! table can be copied from one end to the other. Keys that grow in bits do so at the high end, and no entry changes.

/// The least number of low bits. With fewer there could not be enough buckets.
pub(crate) const LEAST_LOW_BITS: u32 = 34;
/// The most.
pub(crate) const MOST_LOW_BITS: u32 = 60;
/// An entry has this many bits for how far away from home it stands, plus one.
pub(crate) const AWAY_BITS: u32 = 5;
/// How far away from home an entry may stand. Keys fall where they fall: in a table of some 100,000 lines that is 80 % full there
/// are runs of 15 full lines, and none of 30.
pub(crate) const MOST_AWAY: usize = (1 << AWAY_BITS) - 2;
/// A [scattered](offset) entry stands in one of so many lines from home on if these are not full, else further on.
const NEAR: usize = 4;
/// The lines that it may stand in after these, as a power of two.
const SCATTER_BITS: u32 = 5;
/// How far away from home a scattered entry may stand: less than the least table has lines.
pub(crate) const MOST_OFFSET: usize = MOST_AWAY + (1 << SCATTER_BITS) - 1;
/// So many bits decide between the parts of a group.
const PART_BITS: u32 = 8;
pub(crate) const LEAST_GROUP_BITS: u32 = 4;
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

/// A key after the map: the high bits, and the number that the low ones became.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mapped {
    pub(crate) high: u64,
    pub(crate) number: u64,
}

/// Where the search for a key begins, and what is written if it is found a place right there. One more for every bucket it
/// stands away from home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) bucket: usize,
    pub(crate) entry: u64,
}

/// A number of buckets, and the number of low bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    /// There are two to this power groups of buckets.
    pub(crate) group_bits: u32,
    /// Buckets in a group, 4 to 7.
    pub(crate) parts: u32,
    low_bits: u32,
}

impl Code {
    /// The code of a table of this size for keys of so many low bits; `None` if it is too large.
    pub(crate) fn new(group_bits: u32, parts: u32, low_bits: u32) -> Option<Self> {
        assert!((LEAST_LOW_BITS..=u64::BITS).contains(&low_bits), "{low_bits} low bits");
        // The number of a bucket has 32 bits, which is memory of 256 GiB.
        (group_bits + PART_BITS <= low_bits && group_bits < 30).then_some(Self { group_bits, parts, low_bits })
    }
    pub(crate) fn low_bits(&self) -> u32 {
        self.low_bits
    }
    pub(crate) fn buckets(&self) -> usize {
        (self.parts as usize) << self.group_bits
    }
    /// How many bits a key may have that is written in entries of `entry_bits`; `None` if these do not suffice for any.
    pub(crate) fn key_bits(&self, entry_bits: u32) -> Option<u32> {
        Some(self.group_bits + entry_bits - AWAY_BITS).filter(|&bits| bits >= self.low_bits)
    }
    fn rest_bits(&self) -> u32 {
        self.low_bits - self.group_bits
    }

    /// The map, one to one.
    #[inline(always)]
    pub(crate) fn map<K: Key>(&self, key: K) -> Mapped {
        let (mask, shift) = (u64::MAX >> (64 - self.low_bits), self.low_bits.div_ceil(2));
        let (low, high) = key.parts(self.low_bits);
        let mut number = (low ^ high.wrapping_mul(FACTORS[0])) & mask;
        for factor in FACTORS {
            number ^= number >> shift;
            number = number.wrapping_mul(factor) & mask;
        }
        Mapped { high, number }
    }

    /// The place of a key.
    #[inline(always)]
    pub(crate) fn place<K: Key>(&self, key: K) -> Place {
        self.places().of(key)
    }
    /// The place of a key that was mapped.
    #[inline(always)]
    pub(crate) fn place_of(&self, mapped: Mapped) -> Place {
        self.places().of_mapped(mapped)
    }
    /// What is needed to find the places of many keys, at hand.
    #[inline(always)]
    pub(crate) fn places(&self) -> Places {
        let rest_bits = self.rest_bits();
        Places {
            code: *self,
            rest_bits,
            rest: (1 << rest_bits) - 1,
            part_at: rest_bits - PART_BITS,
            parts: u64::from(self.parts),
        }
    }

    /// The key written in an entry of the bucket, which is not empty, as it was mapped.
    #[inline(always)]
    pub(crate) fn mapped(&self, bucket: usize, entry: u64) -> Mapped {
        self.mapped_in(self.group(bucket - away(entry)), entry)
    }
    /// The group of a bucket.
    #[inline(always)]
    pub(crate) fn group(&self, bucket: usize) -> u64 {
        u64::from(bucket as u32 / self.parts)
    }
    /// The key written in an entry that is at home in this group.
    #[inline(always)]
    pub(crate) fn mapped_in(&self, group: u64, entry: u64) -> Mapped {
        let rest_bits = self.rest_bits();
        let fields = entry >> AWAY_BITS;
        Mapped { high: fields >> rest_bits, number: group << rest_bits | fields & ((1 << rest_bits) - 1) }
    }
}

/// Where keys belong, by one code.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    code: Code,
    rest_bits: u32,
    /// As many ones as there are bits that a group does not tell.
    rest: u64,
    /// Where the bits begin that decide between the parts of a group.
    part_at: u32,
    parts: u64,
}

impl Places {
    /// The place of a key.
    #[inline(always)]
    pub(crate) fn of<K: Key>(&self, key: K) -> Place {
        self.of_mapped(self.code.map(key))
    }
    /// The place of a key that was mapped.
    #[inline(always)]
    pub(crate) fn of_mapped(&self, Mapped { high, number }: Mapped) -> Place {
        let group = number >> self.rest_bits;
        let rest = number & self.rest;
        let part = ((rest >> self.part_at) * self.parts) >> PART_BITS;
        Place { bucket: (group * self.parts + part) as usize, entry: (high << self.rest_bits | rest) << AWAY_BITS | 1 }
    }
}

/// How far away from home an entry stands.
#[inline(always)]
pub(crate) fn away(entry: u64) -> usize {
    (entry & ((1 << AWAY_BITS) - 1)) as usize - 1
}

/// How far away from home a scattered entry stands. The first few lines are next to each other; where they are full, there is
/// a crowd, and entries leave it in different directions. So tables can be fuller than if all went the same way: at 90 % there
/// are runs of hundreds of full lines.
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
    fn key_of(code: Code, Mapped { high, mut number }: Mapped) -> u64 {
        let (mask, shift) = (u64::MAX >> (64 - code.low_bits), code.low_bits.div_ceil(2));
        for factor in FACTORS.into_iter().rev() {
            number = number.wrapping_mul(inverse(factor)) & mask;
            number ^= number >> shift;
        }
        high << code.low_bits | (number ^ high.wrapping_mul(FACTORS[0])) & mask
    }

    #[test]
    fn an_entry_and_its_bucket_give_the_key_back() {
        for (group_bits, parts, low_bits, key_bits) in [
            (4, 4, 36, 32),
            (4, 6, 36, 36),
            (9, 5, 36, 37),
            (9, 7, 41, 41),
            (16, 6, 44, 48),
            (20, 4, 60, 63),
            (4, 4, 47, 63),
        ] {
            let code = Code::new(group_bits, parts, low_bits).expect("enough low bits");
            let larger = Code::new(group_bits + 3, 7, low_bits).expect("enough low bits");
            for word in 0..20_000 {
                let key = mix(word) & ((1 << key_bits) - 1);
                let Place { bucket, entry } = code.place(key);
                assert!(bucket < code.buckets() && entry.checked_shr(64 - entry.leading_zeros()).unwrap_or(0) == 0);
                if code.key_bits(32).is_some_and(|most| key_bits <= most) {
                    assert!(entry >> 32 == 0, "{code:?} {key:x}");
                }
                for away in 0..=MOST_AWAY {
                    let mapped = code.mapped(bucket + away, entry + away as u64);
                    assert_eq!((key_of(code, mapped), mapped), (key, code.map(key)), "{code:?}");
                    assert_eq!(larger.place_of(mapped), larger.place(key), "{code:?}");
                }
            }
        }
    }

    /// A table that grows is copied from one end to the other.
    #[test]
    fn larger_tables_keep_the_order() {
        let (small, large) = (Code::new(6, 4, 40).unwrap(), Code::new(7, 5, 40).unwrap());
        let mut places: Vec<(usize, usize)> =
            (0..10_000).map(|key| (small.place(key * 977).bucket, large.place(key * 977).bucket)).collect();
        places.sort_unstable();
        assert!(places.windows(2).all(|two| two[0].0 / 4 == two[1].0 / 4 || two[0].1 <= two[1].1));
    }

    /// Keys that differ in a few bits only, anywhere, fall into as many buckets as random ones.
    #[test]
    fn packed_states_do_not_cluster() {
        let code = Code::new(10, 4, 40).unwrap();
        for at in 0..28 {
            let buckets: HashSet<usize> = (0..1 << 12).map(|key: u64| code.place(key << at).bucket).collect();
            // Of 4096 buckets so many random keys would meet 63 %.
            assert!((2350..2850).contains(&buckets.len()), "{} buckets for keys from bit {at} on", buckets.len());
        }
    }

    #[test]
    fn few_low_bits_are_not_enough_for_many_buckets() {
        assert_eq!((Code::new(29, 4, 36), Code::new(30, 4, 60)), (None, None));
        assert!(Code::new(28, 4, 36).is_some() && Code::new(29, 7, 60).is_some());
    }
}
