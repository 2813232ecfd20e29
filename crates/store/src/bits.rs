//! Bits picked out of a word, and put back: by one instruction where the processor has it.

/// Work with many bits to pick out or put back. Whoever does it is compiled twice, once for processors that can.
pub(crate) trait BitWork {
    type Output;

    /// Does it. `gather(word, mask)` are the bits of the word where the mask has ones, side by side from the low end;
    /// `scatter(bits, mask)` are the low bits, put where the mask has ones. To be inlined always.
    fn run(self, gather: impl Fn(u64, u64) -> u64, scatter: impl Fn(u64, u64) -> u64) -> Self::Output;
}

/// Does the work by the best that the processor has.
#[inline]
pub(crate) fn do_work<W: BitWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") && std::arch::is_x86_feature_detected!("avx2") {
        return fast::run(work);
    }
    work.run(plain_gather, plain_scatter)
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "code for processors that have the instructions")]
mod fast {
    use super::BitWork;
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    #[inline]
    pub(super) fn run<W: BitWork>(work: W) -> W::Output {
        // SAFETY: the caller has asked whether the processor has `bmi2` and `avx2`, which is all that this needs.
        unsafe { run_with_bmi2(work) }
    }
    #[target_feature(enable = "bmi2,avx2")]
    fn run_with_bmi2<W: BitWork>(work: W) -> W::Output {
        work.run(|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask))
    }
}

/// What `gather` means: run by run of ones in the mask.
pub(crate) fn plain_gather(word: u64, mask: u64) -> u64 {
    let (mut gathered, mut to) = (0, 0);
    for run in runs_of(mask) {
        gathered |= (word & run) >> run.trailing_zeros() << to;
        to += run.count_ones();
    }
    gathered
}

/// What `scatter` means.
pub(crate) fn plain_scatter(bits: u64, mask: u64) -> u64 {
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

    struct Both(u64, u64);

    impl BitWork for Both {
        type Output = (u64, u64);
        fn run(self, gather: impl Fn(u64, u64) -> u64, scatter: impl Fn(u64, u64) -> u64) -> (u64, u64) {
            (gather(self.0, self.1), scatter(self.0, self.1))
        }
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
            assert_eq!(do_work(Both(word, mask)), (plain_gather(word, mask), plain_scatter(word, mask)));
            assert_eq!(plain_scatter(plain_gather(word, mask), mask), word & mask);
        }
    }
}
