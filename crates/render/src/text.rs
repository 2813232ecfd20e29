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

use crate::line::Bracket;
use crate::results::{Context, counted, shortfall_text};
use crate::{Ending, FairnessKind, FairnessView, LoopView, Shown, StateView, Style, TraceView};
use lariat_base::SourceMap;
use std::fmt::{self, Write};

/// The run, one action a line, and what is wrong at its end. Its lines are made while they are written.
#[derive(Debug)]
pub struct TraceText<'a> {
    /// The run.
    pub view: &'a TraceView<'a>,
    /// What is known beside it.
    pub context: &'a Context<'a>,
    /// Whether there are colours.
    pub style: Style,
}

impl fmt::Display for TraceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { view, context, style } = *self;
        let contents = contents_text(&view.initial);
        if !contents.is_empty() {
            writeln!(f, "  initially {}", contents.join(", "))?;
        }
        let (columns, any_grouped) = (view.columns(), view.any_grouped());
        let mut decided = view.decided;
        let mut loop_start = view.cycle.as_ref().map(|cycle| cycle.start);
        let mut entries = view.entries().enumerate().peekable();
        let mut step_before = None;
        let left_out = Elision::new(view.entry_count(), context.trace_lines);
        while let Some((number, entry)) = entries.next() {
            if let Some(shortfall) = context.limit.and_then(|limit| limit.met(number)) {
                let rest = counted((view.entry_count() - number) as u64, "more line");
                let why = shortfall_text(&shortfall);
                writeln!(f, "  {}", style.doubtful(format!("{rest} not shown: {why}")))?;
                break;
            }
            let first = step_before != Some(entry.step);
            let last = entries.peek().is_none_or(|(_, next)| next.step != entry.step);
            step_before = Some(entry.step);
            if left_out.has(number) {
                if left_out.from == number {
                    let count = counted(left_out.count() as u64, "line");
                    let text = format!("… {count} not shown; `--trace-lines all` shows them");
                    writeln!(f, "  {}", style.doubtful(text))?;
                }
                continue;
            }
            let since =
                |step: usize| if step < entry.step { format!(" (since step {})", step + 1) } else { String::new() };
            // The headline has said so of a run that is bad from the beginning.
            if let Some(decided) = decided.take_if(|decided| *decided <= entry.step).filter(|decided| *decided > 0) {
                writeln!(f, "  {}", style.strong(format!("violated, whatever follows{}:", since(decided))))?;
            }
            if let Some(start) = loop_start.take_if(|start| *start <= entry.step) {
                writeln!(f, "  {}", style.strong(format!("for ever{}:", since(start))))?;
            }
            let number = if first { (entry.step + 1).to_string() } else { String::new() };
            writeln!(f, "{}", columns.line(&number, Bracket::new(first, last), &entry, style))?;
            for printed_line in entry.printed.iter().flat_map(|printed| printed.lines()) {
                let margin = if any_grouped && !last { "│ " } else { "  " };
                writeln!(f, "  {:>width$}  {margin}> {printed_line}", "", width = columns.number)?;
            }
        }
        match &view.cycle {
            Some(cycle) => {
                f.write_str(&loop_text(cycle))?;
                f.write_str(&last_state_text("state where the loop begins", &view.last_state(), style))
            }
            None => {
                // What a witness shows is said before it.
                if view.ending.kind == "shown" {
                    return Ok(());
                }
                f.write_str(&ending_text(&view.ending, context.sources, style))?;
                f.write_str(&last_state_text("state at the end", &view.last_state(), style))
            }
        }
    }
}

/// The lines in the middle of a long trace that are left out.
struct Elision {
    from: usize,
    to: usize,
}

impl Elision {
    /// Of `count` lines at most this many are shown: a third of them from the beginning, and more from the end, where the
    /// failure is.
    fn new(count: usize, most: Option<usize>) -> Self {
        match most {
            Some(most) if count > most => {
                let head = most / 3;
                Self { from: head, to: count - (most - head) }
            }
            _ => Self { from: 0, to: 0 },
        }
    }
    fn has(&self, number: usize) -> bool {
        (self.from..self.to).contains(&number)
    }
    fn count(&self) -> usize {
        self.to - self.from
    }
}

/// The widest line of variables.
const STATE_WIDTH: usize = 100;

/// Variables, channels and processes of the state that a run ends in.
fn last_state_text(title: &str, view: &StateView, style: Style) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for item in contents_text(&view.variables) {
        if !line.is_empty() && line.chars().count() + item.chars().count() > STATE_WIDTH {
            lines.push(std::mem::take(&mut line) + ",");
        }
        line.push_str(if line.is_empty() { "" } else { ", " });
        line.push_str(&item);
    }
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    lines.extend(view.channels.iter().map(channel_text));
    lines.extend(view.processes.iter().cloned());
    if lines.is_empty() {
        return String::new();
    }
    lines.iter().fold(format!("  {}\n", style.strong(format!("{title}:"))), |text, line| text + "    " + line + "\n")
}

/// `q = [1][2]  (2 of 4)`
pub(crate) fn channel_text((name, messages, capacity): &(String, Shown, u32)) -> String {
    let count = if let Shown::Messages(messages) = messages { messages.len() } else { 0 };
    format!("{name} = {messages}  ({count} of {capacity})")
}

/// Where the run goes on, where the loop meets the fairness constraints, and whom it is unfair to.
fn loop_text(cycle: &LoopView) -> String {
    let mut text = format!("  and so on from step {}\n", cycle.start + 1);
    for fairness in &cycle.fairness {
        let FairnessView { name, kind, asked, given } = fairness;
        let said = match (kind, places_text(asked), places_text(given)) {
            (FairnessKind::Steps, None, _) => "never enabled".to_owned(),
            (FairnessKind::Steps, Some(asked), Some(given)) => format!("enabled {asked}, taken {given}"),
            (FairnessKind::Steps, Some(asked), None) => format!("enabled {asked}, not taken"),
            (FairnessKind::Justice, _, Some(given)) => format!("holds {given}"),
            (FairnessKind::Justice, _, None) => "never holds".to_owned(),
            (FairnessKind::Compassion, None, _) => "the left side never holds".to_owned(),
            (FairnessKind::Compassion, Some(asked), Some(given)) => {
                format!("the left side holds {asked}, the right side {given}")
            }
            (FairnessKind::Compassion, Some(asked), None) => {
                format!("the left side holds {asked}, the right side never")
            }
        };
        let _ = writeln!(text, "    {name}: {said}");
    }
    for always in [true, false] {
        let names: Vec<&str> =
            cycle.unfair.iter().filter(|(_, _, own)| *own == always).map(|(name, _, _)| name.as_str()).collect();
        if !names.is_empty() {
            let (how, option) = if always { ("at any time", "weak") } else { ("time and again", "strong") };
            let names = names.join(", ");
            let _ = writeln!(
                text,
                "  note: unfair to {names}, able to move {how} and never moving; `--fairness {option}` leaves such runs out"
            );
        }
    }
    text
}

/// `at step 3`, `at steps 3, 4 and 7`; nothing if there is none. Of very many the first ones.
fn places_text(steps: &[usize]) -> Option<String> {
    const SHOWN: usize = 8;
    let (last, others) = steps.split_last()?;
    let list = |steps: &[usize]| steps.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    Some(match others.len() {
        0 => format!("at step {last}"),
        1..SHOWN => format!("at steps {} and {last}", list(others)),
        more => format!("at steps {} and {} more", list(&others[..SHOWN]), more + 1 - SHOWN),
    })
}

/// `x = 1`, and for neighbouring cells of an array with one value `a[0..7] = 0`. Empty channels are not worth a word.
pub(crate) fn contents_text(cells: &[(String, Shown)]) -> Vec<String> {
    let array_of =
        |name: &str| name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(a, _)| a.to_owned());
    let cells: Vec<&(String, Shown)> =
        cells.iter().filter(|(_, value)| *value != Shown::Messages(Vec::new())).collect();
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

/// What is wrong at the end, and where.
fn ending_text(ending: &Ending, sources: &SourceMap, style: Style) -> String {
    let mut text = format!("  {}", style.bad(&ending.message));
    if let Some(detail) = &ending.detail {
        let _ = write!(text, " ({})", style.strong(detail));
    }
    if ending.kind == "invalid_end" {
        text.push_str(ending.reason);
        text.push('\n');
    } else if ending.span.is_none() && ending.statement.is_empty() {
        text = format!("  {}\n", ending.message);
    } else {
        text.push_str(&place_text(ending, sources, style));
    }
    for (name, messages) in &ending.channels {
        let _ = writeln!(text, "    {name} = {messages}");
    }
    text
}

/// ` at m.pml:7`, and the line of the source; without one the statement.
pub(crate) fn place_text(ending: &Ending, sources: &SourceMap, style: Style) -> String {
    let place = sources.file(ending.span.file).zip(sources.location(ending.span));
    let Some((file, location)) = place else { return format!(" at: {}\n", ending.statement) };
    let mut text = format!(" at {}:{}\n", file.name, location.line);
    if let Some(line) = file.text.lines().nth(location.line as usize - 1) {
        let _ = writeln!(text, "  {} {}", style.faint(format!("{:>4} |", location.line)), line.trim_end());
    }
    text
}
