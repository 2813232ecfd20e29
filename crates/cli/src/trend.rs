//! When a search may end, as far as that can be said: the states that wait become fewer, or memory fills up.
//!
//! A search ends when no state waits. How many are still to come is not known, so nothing is said while the number that waits grows
//! or stays. Where it has fallen for some time, and to half of what it was, the time until none is left at this rate is a
//! fair guess; before that it was seven times too long. Memory fills steadily, so its end can be told while the search grows.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// The time between two samples.
const BETWEEN: Duration = Duration::from_secs(1);
/// How many samples are kept.
const MOST: usize = 20;
/// With fewer samples nothing is said.
const LEAST: usize = 8;
/// What is further away is not said: it is no longer true by then.
const FURTHEST: Duration = Duration::from_hours(48);

/// What the last seconds of a search were like.
#[derive(Debug, Default)]
pub(crate) struct Trend {
    samples: VecDeque<Sample>,
    most_waiting: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Duration,
    waiting: u64,
    used_bytes: u64,
}

/// What comes next at the present rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Estimate {
    /// No state waits any more.
    Done(Duration),
    /// Memory is full.
    Full(Duration),
}

impl Estimate {
    /// In which time.
    pub(crate) fn after(self) -> Duration {
        match self {
            Self::Done(after) | Self::Full(after) => after,
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(after) => write!(f, "about {} left at this rate", roughly(*after)),
            Self::Full(after) => write!(f, "memory full in about {} at this rate", roughly(*after)),
        }
    }
}

/// `7 s`, `40 s`, `6 min`: an estimate has no more digits.
fn roughly(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=19 => format!("{} s", seconds.max(1)),
        seconds @ 20..=99 => format!("{} s", seconds.div_ceil(10) * 10),
        seconds @ 100..=7199 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

impl Trend {
    /// Where the search is now.
    pub(crate) fn see(&mut self, at: Duration, waiting: u64, used_bytes: u64) {
        if self.samples.back().is_some_and(|last| at < last.at + BETWEEN) {
            return;
        }
        self.most_waiting = self.most_waiting.max(waiting);
        self.samples.push_back(Sample { at, waiting, used_bytes });
        if self.samples.len() > MOST {
            self.samples.pop_front();
        }
    }

    /// What comes next, if that can be said.
    pub(crate) fn estimate(&self, limit_bytes: u64) -> Option<Estimate> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let middle = self.samples.get(self.samples.len() / 2)?;
        if self.samples.len() < LEAST {
            return None;
        }
        let time = (last.at - first.at).as_secs_f64();
        let in_time = |amount: u64, by: u64| Duration::try_from_secs_f64(amount as f64 / by as f64 * time).ok();
        let near = |after: &Duration| *after < FURTHEST;
        // Falling in both halves, and not merely wavering.
        let falls = first.waiting > middle.waiting && middle.waiting > last.waiting;
        let fallen = first.waiting.saturating_sub(last.waiting);
        if falls && last.waiting > 0 && last.waiting <= self.most_waiting / 2 && fallen > first.waiting / 20 {
            return in_time(last.waiting, fallen).filter(near).map(Estimate::Done);
        }
        let grows = first.used_bytes < middle.used_bytes && middle.used_bytes < last.used_bytes;
        let grown = last.used_bytes.saturating_sub(first.used_bytes);
        let room = limit_bytes.checked_sub(last.used_bytes)?;
        if grows && first.waiting <= last.waiting {
            return in_time(room, grown).filter(near).map(Estimate::Full);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(samples: impl Iterator<Item = (u64, u64)>) -> Trend {
        let mut trend = Trend::default();
        for (second, (waiting, used)) in samples.enumerate() {
            // Between two samples nothing is seen.
            trend.see(Duration::from_secs(second as u64), waiting, used);
            trend.see(Duration::from_millis(second as u64 * 1000 + 300), 0, 0);
        }
        trend
    }

    #[test]
    fn a_queue_that_falls_ends() {
        let falling = trend((0..15).map(|n| (2000 - 100 * n, 5000)));
        // 600 wait, and 100 a second are done.
        assert_eq!(falling.estimate(10_000), Some(Estimate::Done(Duration::from_secs(6))));
        assert_eq!(
            falling.estimate(10_000).map(|left| left.to_string()).as_deref(),
            Some("about 6 s left at this rate")
        );
    }

    #[test]
    fn memory_that_grows_is_full_some_time() {
        let growing = trend((0..30).map(|n| (10 + n, 1000 + 100 * n)));
        assert_eq!(growing.estimate(9_900), Some(Estimate::Full(Duration::from_secs(60))));
        assert!(
            growing.estimate(9_900).is_some_and(|full| full.to_string() == "memory full in about 60 s at this rate")
        );
        // The limit was passed already.
        assert_eq!(growing.estimate(100), None);
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        assert_eq!(trend((0..5).map(|n| (1000 - 20 * n, 0))).estimate(1), None, "too few samples");
        assert_eq!(trend((0..20).map(|n| (1000 + (n % 3), 0))).estimate(1), None, "wavering");
        assert_eq!(trend((0..20).map(|n| (1000 - n, 0))).estimate(1), None, "hardly falling");
        assert_eq!(trend((0..20).map(|n| (0, 1000 + n))).estimate(1 << 50), None, "days away");
        assert_eq!(Trend::default().estimate(1), None);
        assert_eq!(trend((0..20).map(|n| (2000 - 20 * n, 0))).estimate(1), None, "most are still to come");
        // A search that has begun to fall only now.
        assert_eq!(trend((0..20).map(|n| (if n < 15 { 1000 + n } else { 500 }, 7))).estimate(9), None);
    }
}
