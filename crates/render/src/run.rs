//! A simulation as text, piece by piece as it goes on.
//!
//! ```text
//!      1  P(0)  m.pml:7  q!x      q: [] → [1]
//!      2  Q(1)  m.pml:9  q?v      q: [1] → [], Q(1).v: 0 → 1
//!      3  Q(1)  m.pml:10 printf("got %d\n", v)
//!             got 1
//! ```

use crate::line::{Bracket, Columns};
use crate::results::counted;
use crate::text::{channel_text, contents_text, place_text};
use crate::{Ending, EntryView, StateView, Style};
use lariat_base::SourceMap;
use lariat_system::System;
use std::fmt::Write;

/// Printed text is indented by as much for each position of the pool, as SPIN does.
const INDENT: usize = 6;

/// What every piece of a run's text needs to know.
#[derive(Clone, Copy, Debug)]
pub struct RunStyle {
    columns: Columns,
    style: Style,
}

impl RunStyle {
    /// For runs of `system`, whatever the size of its pool.
    pub fn new(system: &System, sources: &SourceMap, style: Style) -> Self {
        Self { columns: Columns::of_system(system, sources), style }
    }
}

/// An action that was taken, the `number`th from 1. `inside` tells of the states before it and after it whether they were
/// inside an atomic sequence.
pub fn step_text(run: &RunStyle, number: usize, inside: (bool, bool), entry: &EntryView) -> String {
    let bracket = Bracket::new(!inside.0, !inside.1);
    format!("{}\n", run.columns.line(&number.to_string(), bracket, entry, run.style))
}

/// What the action printed, indented by process.
pub fn printed_text(entry: &EntryView) -> String {
    let indent = INDENT * (1 + entry.actor.pid.map_or(0, usize::from));
    let lines = entry.printed.iter().flat_map(|printed| printed.lines());
    lines.map(|line| format!("{:indent$}{line}\n", "")).collect()
}

/// What can happen next, numbered from 1; `total` is how many there are, some of which may not be listed.
pub fn offers_text(run: &RunStyle, offers: &[EntryView], total: usize) -> String {
    let columns = Columns::of_entries(offers, total, false);
    let mut text = String::new();
    for (index, entry) in offers.iter().enumerate() {
        let number = run.style.strong(format!("{:>width$}", index + 1, width = columns.number));
        let _ = writeln!(text, "{}", columns.line(&number, Bracket::Alone, entry, run.style));
    }
    if total > offers.len() {
        let _ = writeln!(text, "  … and {} more, up to {total}", total - offers.len());
    }
    text
}

/// The variables of a state, one a line.
pub fn variables_text(view: &StateView) -> String {
    let lines = contents_text(&view.variables);
    if lines.is_empty() { "  no variables\n".to_owned() } else { indented(&lines) }
}

/// The channels of a state with what they hold, one a line.
pub fn channels_text(view: &StateView) -> String {
    let lines: Vec<String> = view.channels.iter().map(channel_text).collect();
    if lines.is_empty() { "  no channels that hold messages\n".to_owned() } else { indented(&lines) }
}

/// The processes of a state with where they stand, one a line.
pub fn processes_text(view: &StateView) -> String {
    if view.processes.is_empty() { "  no process lives\n".to_owned() } else { indented(&view.processes) }
}

/// Everything there is to see of a state.
pub fn state_text(view: &StateView, style: Style) -> String {
    let mut text = String::new();
    for (title, there, lines) in [
        ("variables", !view.variables.is_empty(), variables_text(view)),
        ("channels", !view.channels.is_empty(), channels_text(view)),
        ("processes", view.has_processes, processes_text(view)),
    ] {
        if there {
            let _ = write!(text, "{}\n{lines}", style.strong(title));
        }
    }
    text
}

/// How a run ended, after `actions` actions.
pub fn run_end_text(ending: &Ending, actions: usize, sources: &SourceMap, style: Style) -> String {
    let mut after = counted(actions as u64, "step");
    if let Some(detail) = &ending.detail {
        let _ = write!(after, " ({detail})");
    }
    match ending.kind {
        "proper_end" => format!("{} after {after}: nothing more can happen\n", style.good("proper end")),
        "invalid_end" => format!("{} after {after}{}\n", style.bad(&ending.message), ending.reason),
        "limit" | "interrupted" | "open" => format!("{} after {after}\n", style.doubtful(&ending.message)),
        _ => format!("{} after {after}{}", style.bad(&ending.message), place_text(ending, sources, style)),
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
