//! The memory that one run may take.

use std::sync::atomic::{AtomicU64, Ordering};

/// An amount of memory that everything large in a run is taken from: stores, frontiers, parents. Shared by reference.
#[derive(Debug)]
pub struct Budget {
    limit_bytes: u64,
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

/// The budget does not allow what was asked for. Nothing was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full {
    /// The limit that was met.
    pub limit_bytes: u64,
}

impl Budget {
    /// A budget of `limit_bytes`.
    pub fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes, used_bytes: AtomicU64::new(0), peak_bytes: AtomicU64::new(0) }
    }
    /// Takes memory, before it is allocated.
    pub fn take(&self, bytes: u64) -> Result<(), Full> {
        let enough = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.limit_bytes);
        match self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough) {
            Ok(before) => {
                self.peak_bytes.fetch_max(before + bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(_) => Err(Full { limit_bytes: self.limit_bytes }),
        }
    }
    /// Gives memory back, after it was freed.
    pub fn give_back(&self, bytes: u64) {
        let before = self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        assert!(before >= bytes, "more given back than taken: {bytes} of {before}");
    }
    /// What is taken now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }
    /// Counts the peak from now on.
    pub fn begin_peak(&self) {
        self.peak_bytes.store(self.used_bytes(), Ordering::Relaxed);
    }
    /// The most that was taken at any time, since the peak was last [begun](Self::begin_peak).
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }
    /// The limit.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_not_taken() {
        let budget = Budget::new(100);
        assert_eq!(budget.take(60), Ok(()));
        assert_eq!(budget.take(41), Err(Full { limit_bytes: 100 }));
        assert_eq!(budget.take(40), Ok(()));
        budget.give_back(100);
        assert_eq!((budget.used_bytes(), budget.peak_bytes()), (0, 100));
        budget.begin_peak();
        assert_eq!(budget.take(7), Ok(()));
        assert_eq!((budget.used_bytes(), budget.peak_bytes()), (7, 7));
        assert!(budget.take(u64::MAX).is_err());
    }
}
