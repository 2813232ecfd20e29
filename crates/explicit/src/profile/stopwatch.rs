//! What one thread spends its time on.

use std::time::{Duration, Instant};

/// What a thread of a search does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    Recalling,
    Expanding,
    Probing,
    Noting,
    Resting,
}

impl Activity {
    pub(crate) const ALL: [(Activity, &'static str); 5] = [
        (Self::Recalling, "reading states back from the store"),
        (Self::Expanding, "expanding states"),
        (Self::Probing, "looking states up and storing them"),
        (Self::Noting, "writing this profile"),
        (Self::Resting, "waiting for other threads"),
    ];
}

/// Sums up the time of each activity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopwatch {
    since: Option<(Activity, Instant)>,
    spent: [Duration; Activity::ALL.len()],
}

impl Stopwatch {
    /// The thread goes over to an activity.
    pub(crate) fn turn_to(&mut self, activity: Activity) {
        let now = Instant::now();
        if let Some((before, since)) = self.since.replace((activity, now)) {
            self.spent[before as usize] += now - since;
        }
    }
    /// What was spent on an activity that has ended.
    pub(crate) fn spent(&self, activity: Activity) -> Duration {
        self.spent[activity as usize]
    }
    /// Adds another thread's time.
    pub(crate) fn merge(&mut self, other: &Stopwatch) {
        self.spent.iter_mut().zip(&other.spent).for_each(|(mine, theirs)| *mine += *theirs);
    }
}
