//! The profile of a search as text: where states come from, what the time went to, what would make them fewer.

mod advice;
mod rows;
mod table;

pub(crate) use rows::profile_document;

use crate::Style;
use crate::results::{counted, duration_text, grouped};
use crate::state::short_file_name;
use lariat_base::{SourceMap, Span};
use lariat_engine::Profile;
use lariat_engine::profile::{Phase, ValueCount, advise, factor};
use std::fmt::Write;
use table::Table;

/// So many rows of each table are shown; the rest is summed up.
const ROWS: usize = 10;
const LEGEND: &str = "  taken: how often; a step through `atomic` takes several statements. leads to: how many different states such steps
  lead to. without it: how many states there would be if it were no part of them; × how many times as many there
  are. ~ is an estimate, good to a few per cent.";

/// How many of `total` rows are shown: for one alone there is room enough.
fn rows(total: usize) -> usize {
    if total <= ROWS + 1 { total } else { ROWS }
}

/// The profile of the search for the property `name`.
pub fn profile_text(name: &str, profile: &Profile, sources: &SourceMap, style: Style) -> String {
    let states = counted(profile.states, "state");
    let seen = if profile.complete { "" } else { ", the part that was seen; there may be more" };
    let mut text = format!("{}: {states}{seen}\n", style.strong(format!("profile of {name}")));
    if !profile.measured {
        text.push_str("  there was too little memory to measure everything\n");
    }
    for table in [processes(profile), statements(profile, sources), variables(profile, sources), phases(profile)] {
        if !table.is_empty() {
            let _ = write!(text, "\n{}", table.text(style));
        }
    }
    let _ = writeln!(text, "\n{LEGEND}");
    let _ = writeln!(text, "\n  {}", style.strong("what would make the model smaller"));
    let pieces = advise(profile);
    if pieces.is_empty() {
        text.push_str("    no suggestions\n");
    }
    for piece in &pieces {
        text.push_str(&advice::advice_text(piece, profile, sources));
    }
    text
}

fn processes(profile: &Profile) -> Table {
    let all = profile.processes.iter().map(|process| process.taken).sum();
    let mut table = Table::new(["process", "taken", "share", "without it", ""], 1);
    for process in profile.processes.iter().take(rows(profile.processes.len())) {
        let [without, times] = cost(profile.states, process.states_without);
        table.row([process.name.clone(), grouped(process.taken), share(process.taken, all), without, times]);
    }
    let rest: u64 = profile.processes.iter().skip(rows(profile.processes.len())).map(|process| process.taken).sum();
    table.more(profile.processes.len(), [grouped(rest), share(rest, all)]);
    table
}

fn statements(profile: &Profile, sources: &SourceMap) -> Table {
    let all = profile.statements.iter().map(|statement| statement.taken).sum();
    let mut table = Table::new(["statement", "", "", "taken", "share", "leads to"], 3);
    for share_of in profile.statements.iter().take(rows(profile.statements.len())) {
        let statement = &share_of.statement;
        table.row([
            statement.process.clone(),
            place(sources, statement.span),
            table::shortened(&statement.text),
            grouped(share_of.taken),
            share(share_of.taken, all),
            share_of.leads_to.map_or_else(String::new, |states| format!("~{}", grouped(states))),
        ]);
    }
    let rest: u64 =
        profile.statements.iter().skip(rows(profile.statements.len())).map(|statement| statement.taken).sum();
    table.more(profile.statements.len(), [grouped(rest), share(rest, all)]);
    table
}

fn variables(profile: &Profile, sources: &SourceMap) -> Table {
    let mut table = Table::new(["variable", "", "bits", "values", "without it", ""], 2);
    for variable in profile.variables.iter().take(rows(profile.variables.len())) {
        let [without, times] = cost(profile.states, variable.states_without);
        let values = match variable.values {
            ValueCount::Exactly(count) => grouped(count),
            ValueCount::MoreThan(0) => String::new(),
            ValueCount::MoreThan(count) => format!("> {}", grouped(count)),
        };
        let name = table::shortened(&variable.name);
        table.row([name, place(sources, variable.span), variable.bits.to_string(), values, without, times]);
    }
    let rest: u64 = profile.variables.iter().skip(rows(profile.variables.len())).map(|variable| variable.bits).sum();
    table.more(profile.variables.len(), [rest.to_string()]);
    table
}

fn phases(profile: &Profile) -> Table {
    let head =
        if profile.threads > 1 { format!("time, {} threads together", profile.threads) } else { "time".to_owned() };
    let mut table = Table::new([head.as_str(), "", "share"], 1);
    let all: f64 = profile.phases.iter().map(|phase| phase.time.as_secs_f64()).sum();
    for Phase { name, time, .. } in &profile.phases {
        let share = format!("{:.1} %", 100.0 * time.as_secs_f64() / all.max(f64::MIN_POSITIVE));
        let time =
            if time.as_millis() < 10 { format!("{:.1} ms", time.as_secs_f64() * 1e3) } else { duration_text(*time) };
        table.row([(*name).to_owned(), time, share]);
    }
    table
}

/// The states without something, and how many times as many there are with it.
fn cost(states: u64, without: Option<u64>) -> [String; 2] {
    match without {
        Some(without) => [format!("~{}", grouped(without)), format!("×{:.1}", factor(states, without))],
        None => [String::new(), String::new()],
    }
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// `m.pml:7`; nothing where there is no text.
fn place(sources: &SourceMap, span: Span) -> String {
    let file = sources.file(span.file).filter(|_| !span.is_none());
    file.map_or_else(String::new, |file| format!("{}:{}", short_file_name(&file.name), sources.line(span)))
}
