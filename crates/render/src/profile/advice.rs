//! What would make a model smaller, in words.

use super::place;
use crate::results::{counted, grouped};
use lariat_base::{SourceMap, Span};
use lariat_engine::Profile;
use lariat_engine::profile::{Advice, VariableKind};
use std::fmt::Write;

/// So many variables or statements are named in one piece of advice.
const MOST_PLACES: usize = 5;
const LINE_WIDTH: usize = 108;

/// One piece of advice, on lines of its own.
pub(super) fn advice_text(advice: &Advice, profile: &Profile, sources: &SourceMap) -> String {
    let (what, places) = words(advice, profile, sources);
    let mut text = String::new();
    for (number, line) in wrapped(&what, LINE_WIDTH).iter().enumerate() {
        text.push_str(if number == 0 { "  * " } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    for place in places.iter().take(MOST_PLACES) {
        let _ = writeln!(text, "      {place}");
    }
    if places.len() > MOST_PLACES {
        let _ = writeln!(text, "      … {} more", places.len() - MOST_PLACES);
    }
    text
}

/// The advice as a sentence, and the places it is about.
pub(super) fn words(advice: &Advice, profile: &Profile, sources: &SourceMap) -> (String, Vec<String>) {
    let of_all = |left: u64| format!("{} of {}", grouped(left), counted(profile.states, "state"));
    let named = |(name, span): &(String, Span)| match place(sources, *span) {
        place if place.is_empty() => format!("`{name}`"),
        place => format!("{place}  `{name}`"),
    };
    match advice {
        Advice::Reset { states_left, variables } => (
            format!(
                "if these variables were set back to their initial values, in the same step, as soon as no process reads \
                 them any more, about {} would be left:",
                of_all(*states_left)
            ),
            variables.iter().map(named).collect(),
        ),
        Advice::Join { states_left, statements } => (
            format!(
                "in {} some process stands before a statement that touches nothing but its own variables; if these \
                 were joined with the statements before them by `atomic` or `d_step`, no process would rest there, and \
                 about {} would be left (a loop that never ends must stay outside):",
                counted(profile.states - states_left, "state"),
                grouped(*states_left)
            ),
            statements
                .iter()
                .map(|statement| {
                    let at = place(sources, statement.span);
                    format!("{at}  {}", statement.text).trim().to_owned()
                })
                .collect(),
        ),
        Advice::Costly { name, span, kind, factor } => {
            let at = place(sources, *span);
            let at = if at.is_empty() { at } else { format!(" ({at})") };
            let how = match kind {
                VariableKind::Channel => "fewer places for messages, fewer different messages, or a rendezvous",
                VariableKind::Variable | VariableKind::Control => {
                    "a smaller range, setting it back when it is not needed, or doing without it"
                }
            };
            (
                format!("without `{name}`{at} there would be about 1/{factor:.1} of the states: {how} would help"),
                Vec::new(),
            )
        }
        Advice::Constant { variables, bits } => {
            let seen = if profile.complete { "" } else { " in the part that was seen" };
            let (subject, pronoun) = if variables.len() == 1 {
                ("this variable never changes", "it")
            } else {
                ("these variables never change", "them")
            };
            (
                format!(
                    "{subject}{seen}; to write a constant instead of {pronoun} saves {} in each state, though not a state:",
                    counted(*bits, "bit")
                ),
                variables.iter().map(named).collect(),
            )
        }
    }
}

/// The text in lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
