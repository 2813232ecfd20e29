//! A trace that was shortened.

use crate::json::trace_document_json;
use crate::results::{Context, counted, shortfall_text, shortfall_word};
use crate::{Fields, Style, TraceText, TraceView};
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
        let length = if view.step_count < *before {
            format!("{steps} instead of {before}")
        } else {
            format!("{steps}, is already as short as can be found")
        };
        let known = match stopped {
            _ if *proven => "no shorter run to this failure exists".to_owned(),
            Some(shortfall) => format!("there may be a shorter one: {}", shortfall_text(shortfall)),
            None => "there may be a shorter one that has little in common with this one".to_owned(),
        };
        writeln!(f, "{name}: {}, {length}; {known}", view.ending.message)?;
        if quiet { Ok(()) } else { write!(f, "{}", TraceText { view, context, style }) }
    }
}

/// The document of `shorten --json`: that of a trace, so that it can be read again, and how much shorter it is.
pub fn shortened_json<'a>(context: &Context<'a>, shortening: &Shortening<'a>) -> Fields<'a> {
    let Shortening { property, before, view, proven, stopped, .. } = shortening;
    let mut document = trace_document_json(context, *property, view);
    document.put("message", view.ending.message.clone().into());
    document.put("transitions_before", (*before).into());
    document.put("transitions", view.step_count.into());
    document.put("shortest", (*proven).into());
    if let Some(shortfall) = stopped {
        document.put("unfinished", shortfall_word(shortfall).into());
    }
    if let Some(trail) = context.trail {
        document.put("trail", trail.into());
    }
    document
}
