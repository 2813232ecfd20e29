//! A trace that was shortened.

use crate::documents::{Document, ShortenDocument, WrittenSteps};
use crate::fill::trace_document;
use crate::results::{Context, counted, shortfall_text, shortfall_word};
use crate::{Style, TraceText, TraceView};
use lariat_engine::Shortfall;
use std::fmt;

/// A trace that was shortened, or could not be.
#[derive(Debug)]
pub struct Shortening<'a> {
    /// What is shortened: the name of the property, or of the file.
    pub name: &'a str,
    /// The property, if the trace tells.
    pub property: Option<&'a str>,
    /// How many steps the given run has.
    pub before: usize,
    /// The run that is left.
    pub view: TraceView<'a>,
    /// Whether no shorter run exists.
    pub proven: bool,
    /// Why the search stopped.
    pub stopped: Option<Shortfall>,
}

/// The run that is left, and how much shorter it is, as text.
#[derive(Debug)]
pub struct ShorteningText<'a> {
    /// What is known beside it.
    pub context: &'a Context<'a>,
    /// The trace.
    pub shortening: &'a Shortening<'a>,
    /// Whether to leave out the run.
    pub quiet: bool,
    /// Whether there are colours.
    pub style: Style,
}

impl fmt::Display for ShorteningText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { context, shortening, quiet, style } = *self;
        let Shortening { name, before, view, proven, stopped, .. } = shortening;
        let (name, steps) = (style.strong(name), counted(view.step_count as u64, "step"));
        let is_shorter = view.step_count < *before;
        let length = if is_shorter { format!("{steps} instead of {before}") } else { steps };
        let known = known_text(is_shorter, *proven, stopped.as_ref());
        writeln!(f, "{name}: {}, {length}; {known}", view.ending.message)?;
        if quiet { Ok(()) } else { write!(f, "{}", TraceText { view, context, style }) }
    }
}

/// Whether there may be a shorter run than the one that is left, which is shorter than the given one or not.
fn known_text(is_shorter: bool, proven: bool, stopped: Option<&Shortfall>) -> String {
    if proven {
        return "no shorter run to this failure exists".to_owned();
    }
    let found =
        if is_shorter { "there may be a still shorter one" } else { "no shorter one was found, and there may be one" };
    match stopped {
        Some(shortfall) => format!("{found}: {}", shortfall_text(shortfall)),
        None => format!("{found} that has little in common with this one"),
    }
}

/// The document of `shorten --json`: that of a trace, so that it can be read again, and how much shorter it is.
pub fn shorten_document<'a>(
    context: &Context<'a>,
    shortening: &Shortening<'a>,
) -> Document<ShortenDocument<WrittenSteps<'a>>> {
    let Shortening { property, before, view, proven, stopped, .. } = shortening;
    Document(ShortenDocument {
        document: trace_document(context, *property, view).0,
        transitions_before: *before,
        transitions: view.step_count,
        shortest: *proven,
        unfinished: stopped.as_ref().map(|shortfall| shortfall_word(shortfall).to_owned()),
        trail: context.trail.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_search_that_stopped_does_not_say_that_nothing_shorter_can_be_found() {
        let limit = Shortfall::Time { limit: Duration::from_secs(10) };
        let stopped = "no shorter one was found, and there may be one: the time limit of 10.0 s was reached";
        assert_eq!(known_text(false, false, Some(&limit)), stopped);
        assert!(known_text(true, false, None).starts_with("there may be a still shorter one that has"));
        assert_eq!(known_text(false, true, Some(&limit)), "no shorter run to this failure exists");
    }
}
