//! Traces as text.
//!
//! ```text
//!   initially x = 0, c[0] = 0
//!   1  P(0)  m.pml:7  x = 1      x: 0 → 1
//!   2  ┌ Q(1)  m.pml:9  y = 1    y: 0 → 1
//!      └ Q(1)  m.pml:10 z = 1    z: 0 → 1
//!   3  P(0)  m.pml:8  assert(x == 0)
//! assertion violated at m.pml:8
//! ```

use crate::{EntryView, Half, Shown, Style, TraceView};
use lariat_base::SourceMap;
use std::fmt::Write;
use std::path::Path;

const WIDEST_STATEMENT: usize = 40;

/// The run, one action a line, and what is wrong at its end.
pub fn trace_text(view: &TraceView, sources: &SourceMap, style: Style) -> String {
    let mut text = String::new();
    if !view.initial.is_empty() {
        let _ = writeln!(text, "  initially {}", initial(&view.initial).join(", "));
    }
    let number_width = view.step_count.to_string().len();
    let lines: Vec<[String; 3]> =
        view.entries.iter().map(|entry| [who(entry), place(&entry.actor), statement(entry)]).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    // One very long statement must not push all changes off the screen.
    let widths = [width(0), width(1), width(2).min(WIDEST_STATEMENT)];
    let any_grouped = view.entries.iter().any(|entry| entry.grouped);
    for (index, (entry, [who, place, statement])) in view.entries.iter().zip(&lines).enumerate() {
        let same_step = |other: Option<&EntryView>| other.is_some_and(|other| other.step == entry.step);
        let first = !same_step(index.checked_sub(1).and_then(|before| view.entries.get(before)));
        let last = !same_step(view.entries.get(index + 1));
        let number = if first { (entry.step + 1).to_string() } else { String::new() };
        let bracket = match (any_grouped, first, last) {
            (false, ..) => "",
            (true, true, true) => "  ",
            (true, true, false) => "┌ ",
            (true, false, false) => "│ ",
            (true, false, true) => "└ ",
        };
        let [who_width, place_width, statement_width] = widths;
        let what = format!("{statement:statement_width$}");
        let line = format!(
            "  {number:>number_width$}  {bracket}{who:who_width$}  {place}  {what}  {changes}",
            place = style.faint(format!("{place:place_width$}")),
            changes = changes(entry, style),
        );
        let _ = writeln!(text, "{}", line.trim_end());
        if let Some(printed) = &entry.printed {
            for printed_line in printed.lines() {
                let margin = if any_grouped && !last { "│ " } else { "  " };
                let _ = writeln!(text, "  {:>number_width$}  {margin}> {printed_line}", "");
            }
        }
    }
    text.push_str(&ending(view, sources, style));
    text
}

/// `x = 1`, and for neighbouring cells of an array with one value `a[0..7] = 0`.
fn initial(cells: &[(String, Shown)]) -> Vec<String> {
    let array_of =
        |name: &str| name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(a, _)| a.to_owned());
    cells
        .chunk_by(|(a, a_value), (b, b_value)| {
            a_value == b_value && array_of(a).is_some() && array_of(a) == array_of(b)
        })
        .map(|chunk| match chunk {
            [(first, value), .., (last, _)] => {
                let last_index = last.rsplit_once('[').map_or("]", |(_, index)| index);
                format!("{}..{last_index} = {value}", first.trim_end_matches(']'))
            }
            _ => chunk.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
        })
        .collect()
}

fn who(entry: &EntryView) -> String {
    let name = |half: &Half| match half.pid {
        Some(pid) => format!("{}({pid})", half.process),
        None => "-".to_owned(),
    };
    match &entry.peer {
        Some(peer) => format!("{} → {}", name(&entry.actor), name(peer)),
        None => name(&entry.actor),
    }
}

fn place(half: &Half) -> String {
    // The folder would be the same on every line.
    let name =
        Path::new(&half.file).file_name().map_or_else(|| half.file.clone().into(), |name| name.to_string_lossy());
    if half.line == 0 { String::new() } else { format!("{name}:{}", half.line) }
}

fn statement(entry: &EntryView) -> String {
    let mut text = entry.actor.text.clone();
    if let Some(peer) = &entry.peer
        && !peer.text.is_empty()
    {
        let _ = write!(text, " → {}", peer.text);
        if peer.line != 0 {
            let _ = write!(text, " ({})", place(peer));
        }
    }
    if !entry.choices.is_empty() {
        let choices: Vec<String> = entry.choices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = write!(text, " [{}]", choices.join(", "));
    }
    text
}

fn changes(entry: &EntryView, style: Style) -> String {
    let mut parts: Vec<String> = entry
        .changes
        .iter()
        .map(|change| match &change.before {
            Some(before) => format!("{}: {before} → {}", change.name, style.strong(&change.after)),
            None => format!("{} = {}", change.name, style.strong(&change.after)),
        })
        .collect();
    parts.extend(entry.started.iter().map(|name| format!("{name} starts")));
    parts.extend(entry.ended.iter().map(|name| format!("{name} ends")));
    parts.join(", ")
}

fn ending(view: &TraceView, sources: &SourceMap, style: Style) -> String {
    let ending = &view.ending;
    let mut text = format!("  {}", style.bad(&ending.message));
    if let (Some(file), Some(location)) = (sources.file(ending.span.file), sources.location(ending.span)) {
        let _ = writeln!(text, " at {}:{}", file.name, location.line);
        if let Some(line) = file.text.lines().nth(location.line as usize - 1) {
            let _ = writeln!(text, "  {} {}", style.faint(format!("{:>4} |", location.line)), line.trim_end());
        }
    } else {
        let last = view.entries.last().filter(|_| ending.kind != "invalid_end");
        match last {
            Some(entry) => drop(writeln!(text, " at: {}", entry.actor.text)),
            None => text.push_str(": nothing can happen, and not every process may end here\n"),
        }
    }
    for process in &ending.processes {
        let _ = writeln!(text, "    {process}");
    }
    text
}
