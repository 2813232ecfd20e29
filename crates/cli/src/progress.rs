//! Progress on standard error: only on a terminal, within two seconds, in every phase.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lariat::RunControl;
use lariat_render::bytes_text;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A run that ends sooner shows nothing.
const FIRST: Duration = Duration::from_millis(700);
/// The time between two looks at the run.
pub(crate) const INTERVAL: Duration = Duration::from_millis(150);

/// A line that tells how far a run is.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last: (Duration, u64),
    rate: f64,
    shown: bool,
}

impl Progress {
    /// A line that is shown if standard error is a terminal and nobody wants quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, last: (Duration::ZERO, 0), rate: 0.0, shown: false }
    }

    /// Shows where the run is now.
    pub(crate) fn update(&mut self, control: &RunControl) {
        let elapsed = control.started.elapsed();
        let Some(bar) = self.bar.as_ref().filter(|_| elapsed >= FIRST) else { return };
        if !self.shown {
            self.shown = true;
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let counters = &control.counters;
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let states = get(&counters.states);
        let seconds = (elapsed - self.last.0).as_secs_f64();
        if seconds >= 0.5 {
            self.rate = states.saturating_sub(self.last.1) as f64 / seconds;
            self.last = (elapsed, states);
        }
        bar.set_message(if states == 0 {
            format!("reading the model, {} s", elapsed.as_secs())
        } else {
            let forgotten = get(&counters.forgotten);
            // Where about as many are forgotten as are met, the search does the same work again and again.
            let forgotten = match (forgotten, (100 * forgotten).checked_div(states)) {
                (0, _) | (_, None) => String::new(),
                (_, Some(percent)) => format!(", {} forgotten ({percent} %)", HumanCount(forgotten)),
            };
            format!(
                "{} states ({}/s), depth {}, {} waiting{forgotten}, {}, {} s",
                HumanCount(states),
                HumanCount(self.rate as u64),
                HumanCount(get(&counters.depth)),
                HumanCount(get(&counters.waiting)),
                bytes_text(control.budget.used_bytes()),
                elapsed.as_secs()
            )
        });
        bar.tick();
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
