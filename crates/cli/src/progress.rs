//! Progress on standard error: on a terminal a line that changes, within two seconds, in every phase; elsewhere a line a minute.
//! With `--json-lines` events on standard output.

use crate::output::{self, Form};
use crate::trend::Trend;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lariat::RunControl;
use lariat_render::{bytes_text, duration_text, progress_event};
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A run that ends sooner shows nothing.
const FIRST: Duration = Duration::from_millis(700);
/// The time between two looks at the run.
pub(crate) const INTERVAL: Duration = Duration::from_millis(150);
/// The time between two events.
const BETWEEN_EVENTS: Duration = Duration::from_secs(1);
/// The time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_mins(1);

/// Tells how far a run is.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// Whether lines are written where there is no terminal.
    beats: bool,
    events: bool,
    property: Option<Searched>,
    last: (Duration, u64),
    last_line: Duration,
    rate: f64,
    trend: Trend,
    shown: bool,
}

/// The property at hand; its number is from 0.
struct Searched {
    name: String,
    number: usize,
    of: usize,
}

/// Progress that the worker's output interrupts.
pub(crate) type SharedProgress = Mutex<Progress>;

/// Prints something while the line that changes is away.
pub(crate) fn aside_of<T>(progress: &SharedProgress, print: impl FnOnce() -> T) -> T {
    let progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    match &progress.bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

impl Progress {
    /// For a run that is watched like this.
    pub(crate) fn new(quiet: bool, form: Form) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let events = form == Form::JsonLines;
        Self {
            bar,
            beats: !quiet && !terminal,
            events,
            property: None,
            last: (Duration::ZERO, 0),
            last_line: Duration::ZERO,
            rate: 0.0,
            trend: Trend::default(),
            shown: false,
        }
    }

    /// The search of a property begins.
    pub(crate) fn begin_property(&mut self, name: &str, number: usize, of: usize) {
        self.property = Some(Searched { name: name.to_owned(), number, of });
        self.trend = Trend::default();
    }

    /// Writes what the run has to say, and shows where it is now.
    pub(crate) fn update(&mut self, control: &RunControl) {
        self.tell_notices(control);
        let elapsed = control.started.elapsed();
        let states = control.counters.states.load(Ordering::Relaxed);
        if states < self.last.1 {
            // Another search has begun, of the next property or of a scout.
            self.trend = Trend::default();
        }
        let seconds = elapsed.saturating_sub(self.last.0).as_secs_f64();
        if seconds >= 0.5 {
            self.rate = states.saturating_sub(self.last.1) as f64 / seconds;
            self.last = (elapsed, states);
        }
        let [_, _, _, waiting, _] = control.counters.shown();
        self.trend.see(elapsed, waiting, control.budget.used_bytes());
        if let Some(bar) = self.bar.as_ref().filter(|_| elapsed >= FIRST) {
            if !self.shown {
                self.shown = true;
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_message(self.line(control, elapsed));
            bar.tick();
        }
        if self.events && elapsed >= self.last_line + BETWEEN_EVENTS {
            self.last_line = elapsed;
            let name = self.property.as_ref().map(|property| property.name.as_str());
            // A reader that went away is noticed at the end.
            let _ = output::show(&format_args!("{}\n", progress_event(name, control)));
        } else if self.beats && elapsed >= self.last_line + BETWEEN_LINES {
            self.last_line = elapsed;
            output::note(&format!("{}\n", self.line(control, elapsed)));
        }
    }

    /// The property, the figures of its search, and the limits.
    fn line(&self, control: &RunControl, elapsed: Duration) -> String {
        let property = self.property.as_ref().map_or(String::new(), |Searched { name, number, of }| match of {
            1 => format!("{name}: "),
            _ => format!("{name} ({} of {of}): ", number + 1),
        });
        let mut limit = control.time_limit.map_or(String::new(), |limit| format!(" of {}", duration_text(limit)));
        if let Some(each) = control.property_time_limit {
            limit.push_str(&format!(", {} for each property", duration_text(each)));
        }
        let seconds = elapsed.as_secs();
        let [states, _, depth, waiting, again] = control.counters.shown();
        if states == 0 {
            let phase = if self.property.is_some() { "preparing" } else { "reading the model" };
            return format!("{property}{phase}, {seconds} s{limit}");
        }
        // Where nearly all states were met before and forgotten, the search does the same work again and again.
        let again = match again {
            0 => String::new(),
            _ => format!(", {} again ({} %)", HumanCount(again), (100 * again).checked_div(states).unwrap_or(0)),
        };
        // Searches of sets of states have no queue, and fixpoints no depth.
        let depth = if depth == 0 { String::new() } else { format!(", depth {}", HumanCount(depth)) };
        let waiting = if waiting == 0 { String::new() } else { format!(", {} waiting", HumanCount(waiting)) };
        let estimate = self.trend.estimate(control.budget.limit_bytes());
        let left = control.time_limit.map(|limit| limit.saturating_sub(elapsed));
        let estimate = estimate.filter(|estimate| left.is_none_or(|left| estimate.after() < left));
        let estimate = estimate.map_or(String::new(), |estimate| format!(", {estimate}"));
        format!(
            "{property}{} states ({}/s){depth}{waiting}{again}, {} of {}, {seconds} s{limit}{estimate}",
            HumanCount(states),
            HumanCount(self.rate as u64),
            bytes_text(control.budget.used_bytes()),
            bytes_text(control.budget.limit_bytes()),
        )
    }

    /// Takes the line away.
    pub(crate) fn finish(&mut self, control: &RunControl) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.tell_notices(control);
    }

    /// Also with `--quiet`: the name of a run directory is needed to go on with a run that was killed.
    fn tell_notices(&self, control: &RunControl) {
        for notice in control.take_notices() {
            let write = || output::note(&format!("{notice}\n"));
            match &self.bar {
                Some(bar) => bar.suspend(write),
                None => write(),
            }
        }
    }
}
