//! A trace that was shortened.

use crate::json::trace_document_json;
use crate::results::{Context, counted, shortfall_text, shortfall_word};
use crate::{Style, TraceView, trace_text};
use lariat_engine::Shortfall;
use serde_json::Value;

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
    pub view: TraceView,
    /// Whether no shorter run exists.
    pub proven: bool,
    /// Why the search stopped.
    pub stopped: Option<Shortfall>,
}

/// The run that is left, and how much shorter it is; of `quiet`, the latter alone.
pub fn shortened_text(context: &Context<'_>, shortening: &Shortening<'_>, quiet: bool, style: Style) -> String {
    let Shortening { name, before, view, proven, stopped, .. } = shortening;
    let (name, steps) = (style.strong(name), counted(view.step_count as u64, "step"));
    let length = if view.step_count < *before { format!("{steps} instead of {before}") } else { steps };
    let (shorter, found) =
        if view.step_count < *before { ("a still shorter", "") } else { ("a shorter", "none was found, but ") };
    let known = match stopped {
        _ if *proven => "no shorter run to this failure exists".to_owned(),
        Some(shortfall) => format!("{found}there may be {shorter} one: {}", shortfall_text(shortfall)),
        None => format!("{found}there may be {shorter} one that has little in common with this one"),
    };
    let summary = format!("{name}: {}, {length}; {known}\n", view.ending.message);
    if quiet { summary } else { summary + &trace_text(view, context.sources, style) }
}

/// The document of `shorten --json`: that of a trace, so that it can be read again, and how much shorter it is.
pub fn shortened_json(context: &Context<'_>, shortening: &Shortening<'_>) -> Value {
    let Shortening { property, before, view, proven, stopped, .. } = shortening;
    let mut document = trace_document_json(context, property.unwrap_or_default(), view);
    if property.is_none()
        && let Some(object) = document.as_object_mut()
    {
        object.shift_remove("property");
    }
    document["message"] = view.ending.message.clone().into();
    document["transitions_before"] = (*before).into();
    document["transitions"] = view.step_count.into();
    document["shortest"] = (*proven).into();
    if let Some(shortfall) = stopped {
        document["unfinished"] = shortfall_word(shortfall).into();
    }
    if let Some(trail) = context.trail {
        document["trail"] = trail.into();
    }
    document
}
