//! The two numbers below the root, side by side in one key.
//!
//! Each number has a field of the key, of as many bits as it is expected to need. When it needs more, these are given to it
//! above all others that are in use: so a key stays what it is, as the bits above it were 0.

use crate::{Budget, Full};

/// A number has at most so many bits.
const MOST_BITS: u32 = 31;
/// A field that is too small becomes larger by so many bits.
const MORE_BITS: u32 = 2;

/// Bits of a number that stand side by side in the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct BitSpan {
    child: u32,
    /// Where in the number they begin.
    from: u32,
    /// As many ones as there are bits.
    mask: u64,
    /// Where in the key they begin.
    to: u32,
}

#[derive(Debug)]
pub(crate) struct Fields {
    /// The first two are where the fields of the children begin.
    spans: Vec<BitSpan>,
    /// By child: how many bits its field has.
    bits: [u32; 2],
}

impl Fields {
    /// Fields of so many bits for the two numbers.
    pub(crate) fn new(bits: [u32; 2]) -> Self {
        let mut fields = Self { spans: Vec::new(), bits: [0; 2] };
        (0..2).for_each(|child| fields.add(child, bits[child].clamp(1, MOST_BITS)));
        fields
    }
    /// How many bits of keys are in use.
    pub(crate) fn key_bits(&self) -> u32 {
        self.bits[0] + self.bits[1]
    }
    fn add(&mut self, child: usize, bits: u32) {
        let (from, to) = (self.bits[child], self.key_bits());
        self.spans.push(BitSpan { child: child as u32, from, mask: (1 << bits) - 1, to });
        self.bits[child] += bits;
    }

    /// Which of the numbers, if any, does not fit its field.
    #[inline(always)]
    pub(crate) fn too_small(&self, numbers: [u32; 2]) -> Option<usize> {
        (0..2).find(|&child| numbers[child] >> self.bits[child] != 0)
    }
    /// The key of two numbers that fit.
    #[inline(always)]
    pub(crate) fn key(&self, numbers: [u32; 2]) -> u64 {
        // Two spans are the rule.
        let [first, second, rest @ ..] = &self.spans[..] else { unreachable!("each child has a field") };
        let begin = (u64::from(numbers[0]) & first.mask) | (u64::from(numbers[1]) & second.mask) << second.to;
        rest.iter().fold(begin, |key, span| {
            key | (u64::from(numbers[span.child as usize]) >> span.from & span.mask) << span.to
        })
    }
    /// The numbers of a key.
    #[inline(always)]
    pub(crate) fn numbers(&self, key: u64) -> [u32; 2] {
        let [first, second, rest @ ..] = &self.spans[..] else { unreachable!("each child has a field") };
        let mut numbers = [(key & first.mask) as u32, (key >> second.to & second.mask) as u32];
        for span in rest {
            numbers[span.child as usize] |= ((key >> span.to & span.mask) as u32) << span.from;
        }
        numbers
    }
    /// What makes keys of numbers that fit the first two spans, at hand.
    #[inline(always)]
    pub(crate) fn two(&self) -> TwoFields {
        let [first, second, ..] = self.spans[..] else { unreachable!("each child has a field") };
        TwoFields { too_great: [!first.mask, !second.mask], to: second.to }
    }
    /// Makes room for the numbers of a child up to this one, unless there is.
    pub(crate) fn widen(&mut self, child: usize, number: u32, budget: &Budget) -> Result<(), Full> {
        let needed = u32::BITS - number.leading_zeros();
        if needed > MOST_BITS {
            return Err(Full { limit_bytes: budget.limit_bytes() });
        }
        if let Some(missing) = needed.checked_sub(self.bits[child])
            && missing > 0
        {
            self.add(child, missing.max(MORE_BITS).min(MOST_BITS - self.bits[child]));
        }
        Ok(())
    }
}

/// The fields that the two numbers had at first.
#[derive(Clone, Copy)]
pub(crate) struct TwoFields {
    /// By child: the bits that do not fit.
    too_great: [u64; 2],
    /// Where in the key the second begins.
    to: u32,
}

impl TwoFields {
    /// The key of two numbers that fit; `None` for others.
    #[inline(always)]
    pub(crate) fn key(&self, numbers: [u32; 2]) -> Option<u64> {
        let numbers = numbers.map(u64::from);
        let fit = (numbers[0] & self.too_great[0]) | (numbers[1] & self.too_great[1]) == 0;
        fit.then_some(numbers[0] | numbers[1] << self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_what_they_are_when_fields_grow() {
        let budget = Budget::new(0);
        let mut fields = Fields::new([3, 5]);
        let mut keys: Vec<([u32; 2], u64)> = Vec::new();
        for bits in 1..=31_u32 {
            for numbers in
                [[u32::MAX >> (32 - bits), 0], [5, 1 << (bits - 1)], [u32::MAX >> (32 - bits), (1 << bits) - 1]]
            {
                while let Some(child) = fields.too_small(numbers) {
                    fields.widen(child, numbers[child], &budget).unwrap();
                }
                keys.push((numbers, fields.key(numbers)));
                assert!(fields.two().key(numbers).is_none_or(|key| key == fields.key(numbers)));
                assert_eq!(fields.two().key([7, 31]), Some(255));
                assert!(fields.key(numbers) >> fields.key_bits() == 0 && fields.key_bits() < 63);
                for &(numbers, key) in &keys {
                    assert_eq!((fields.key(numbers), fields.numbers(key)), (key, numbers));
                }
            }
        }
        assert!(fields.widen(0, 1 << 31, &budget).is_err());
    }
}
