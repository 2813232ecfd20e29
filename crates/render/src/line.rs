//! One action, one line: number, who, where, what, and what became of it.

use crate::state::short_file_name;
use crate::{EntryView, Half, Style};
use lariat_base::{SourceMap, Span};
use lariat_system::System;
use std::fmt::Write;

/// One very long statement must not push all changes off the screen.
const WIDEST_STATEMENT: usize = 40;

/// The widths of the columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) number: usize,
    brackets: bool,
    who: usize,
    place: usize,
    statement: usize,
}

/// The place of an action among those of its indivisible step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bracket {
    Alone,
    First,
    Inner,
    Last,
}

impl Bracket {
    pub(crate) fn new(first: bool, last: bool) -> Self {
        match (first, last) {
            (true, true) => Self::Alone,
            (true, false) => Self::First,
            (false, false) => Self::Inner,
            (false, true) => Self::Last,
        }
    }
    fn sign(self) -> &'static str {
        match self {
            Self::Alone => "  ",
            Self::First => "┌ ",
            Self::Inner => "│ ",
            Self::Last => "└ ",
        }
    }
}

impl Columns {
    /// For no entry yet; the last one has this number.
    pub(crate) fn new(count: usize, brackets: bool) -> Self {
        Self { number: count.to_string().len(), brackets, who: 0, place: 0, statement: 0 }
    }

    /// As wide as these entries need, of which there are `count`.
    pub(crate) fn of_entries(entries: &[EntryView], count: usize, brackets: bool) -> Self {
        let mut columns = Self::new(count, brackets);
        entries.iter().for_each(|entry| columns.widen(entry));
        columns
    }

    /// Makes them as wide as this entry needs.
    pub(crate) fn widen(&mut self, entry: &EntryView) {
        let width = |text: String| text.chars().count();
        self.who = self.who.max(width(who(entry)));
        self.place = self.place.max(width(place(&entry.actor)));
        self.statement = self.statement.max(width(statement(entry)).min(WIDEST_STATEMENT));
    }

    /// As wide as any run of the system needs, as long as there are less than ten processes and ten thousand actions.
    pub(crate) fn of_system(system: &System, sources: &SourceMap) -> Self {
        let width = |text: &str| text.chars().count();
        let place_width = |span: Span| {
            let file = sources.file(span.file)?;
            Some(width(&short_file_name(&file.name)) + 1 + sources.line(span).to_string().len())
        };
        let mut columns = Self { number: 4, brackets: false, who: 1, place: 0, statement: 0 };
        for action in system.actions.iter() {
            let names = action.participants.iter().map(|&frame| width(&system.frames[frame].name) + "(1)".len());
            let arrows = " → ".chars().count() * action.participants.len().saturating_sub(1);
            let receives = action.peer.as_ref().map_or(0, |(text, span)| {
                " → ".chars().count() + width(text) + place_width(*span).map_or(0, |place| place + " ()".len())
            });
            columns.brackets |= action.hold.is_some();
            columns.who = columns.who.max(names.sum::<usize>() + arrows);
            let call = match sources.line(action.called_at) {
                0 => 0,
                line => " (from )".len() + line.to_string().len(),
            };
            columns.place = columns.place.max(place_width(action.span).map_or(0, |place| place + call));
            columns.statement = columns.statement.max(width(&action.name) + receives);
        }
        columns.statement = columns.statement.min(WIDEST_STATEMENT);
        columns
    }

    /// The line of an action, without an end of line.
    pub(crate) fn line(&self, number: &str, bracket: Bracket, entry: &EntryView, style: Style) -> String {
        let Self { number: number_width, brackets, who: who_width, place: place_width, statement: width } = *self;
        let who = style.process(entry.actor.pid, format!("{:who_width$}", who(entry)));
        let place = style.faint(format!("{:place_width$}", place(&entry.actor)));
        // Of a model without processes and places neither is shown.
        let actor = match (who_width, place_width) {
            (..=1, 0) => String::new(),
            (_, 0) => format!("{who}  "),
            _ => format!("{who}  {place}  "),
        };
        let line = format!(
            "  {number:>number_width$}  {bracket}{actor}{what:width$}  {changes}",
            bracket = if brackets { bracket.sign() } else { "" },
            what = statement(entry),
            changes = changes(entry, style),
        );
        line.trim_end().to_owned()
    }
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
    match (half.line, half.called_line) {
        (0, _) => String::new(),
        (line, 0) => format!("{}:{line}", short_file_name(&half.file)),
        // A statement of an `inline`, and where that is called.
        (line, call) => format!("{}:{line} (from {call})", short_file_name(&half.file)),
    }
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
    parts.extend(entry.errors.iter().map(|message| format!("({})", style.doubtful(message))));
    parts.extend(entry.truncated.iter().map(|message| format!("({})", style.doubtful(message))));
    parts.join(", ")
}
