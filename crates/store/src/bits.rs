//! Bits picked out of a word, and put back: by one instruction where the processor has it.

/// The bits of `word` where `mask` has ones, side by side from the low end.
#[inline]
pub(crate) fn gather(word: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        return fast::gather(word, mask);
    }
    plain_gather(word, mask)
}

/// The low bits of `bits`, put where `mask` has ones.
#[inline]
pub(crate) fn scatter(bits: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        return fast::scatter(bits, mask);
    }
    plain_scatter(bits, mask)
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the instructions of a processor that has them")]
mod fast {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    #[inline]
    pub(super) fn gather(word: u64, mask: u64) -> u64 {
        // SAFETY: the caller has asked whether the processor has `bmi2`, which is all that this needs.
        unsafe { _pext_u64(word, mask) }
    }
    #[inline]
    pub(super) fn scatter(bits: u64, mask: u64) -> u64 {
        // SAFETY: the caller has asked whether the processor has `bmi2`, which is all that this needs.
        unsafe { _pdep_u64(bits, mask) }
    }
}

/// Run by run of ones in the mask.
fn plain_gather(word: u64, mask: u64) -> u64 {
    let (mut gathered, mut to) = (0, 0);
    for run in runs_of(mask) {
        gathered |= (word & run) >> run.trailing_zeros() << to;
        to += run.count_ones();
    }
    gathered
}

fn plain_scatter(bits: u64, mask: u64) -> u64 {
    let (mut scattered, mut from) = (0, 0);
    for run in runs_of(mask) {
        scattered |= bits >> from << run.trailing_zeros() & run;
        from += run.count_ones();
    }
    scattered
}

/// The runs of neighbouring ones among the bits.
fn runs_of(mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = bits & bits.wrapping_neg();
        // Adding one at the low end of a run turns it all to zeros.
        let run = bits & !bits.wrapping_add(lowest);
        bits &= !run;
        (run != 0).then_some(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_bits() {
        assert_eq!(runs_of(0b1101_1100).collect::<Vec<_>>(), [0b1_1100, 0b1100_0000]);
        assert_eq!(runs_of(u64::MAX).collect::<Vec<_>>(), [u64::MAX]);
        assert_eq!(runs_of(0).count(), 0);
    }

    #[test]
    fn one_instruction_does_what_the_runs_do() {
        let mut random = 0x1234_5678_9ABC_DEF1_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for number in 0..10_000 {
            let word = next();
            let mask = match number {
                0 => 0,
                1 => u64::MAX,
                _ => next() & if number % 2 == 0 { next() } else { u64::MAX },
            };
            assert_eq!(gather(word, mask), plain_gather(word, mask));
            assert_eq!(scatter(word, mask), plain_scatter(word, mask));
            assert_eq!(plain_scatter(plain_gather(word, mask), mask), word & mask);
        }
    }
}
