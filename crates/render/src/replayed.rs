//! What becomes of a trace that is replayed: the run, or where it cannot go on.

use crate::json::{heading, put_loop, put_place, trace_json};
use crate::results::{Context, counted};
use crate::{Ending, EntryView, RunEnd, RunStyle, Saved, Style, TraceView, offers_text, trace_text};
use lariat_engine::retell::{Ended, Lost, Retold};
use lariat_engine::{Story, StoryStep};
use lariat_system::System;
use serde_json::Value;
use std::fmt::Write;

/// As many of the things that could happen instead are shown.
const MOST_OFFERS: usize = 20;

/// A trace that was replayed, or was not.
#[derive(Debug)]
pub struct Replayed<'a> {
    /// What is replayed: the name of the property, or of the file.
    pub name: &'a str,
    /// The property that the run is said to violate, if that is known.
    pub property: Option<&'a str>,
    /// The trace as it was read.
    pub saved: &'a Saved,
    /// The system that was run.
    pub system: &'a System,
    /// Its run.
    pub told: Result<&'a Retold, &'a Lost>,
}

impl Replayed<'_> {
    fn story(&self) -> &Story {
        match self.told {
            Ok(retold) => &retold.story,
            Err(lost) => &lost.story,
        }
    }

    fn end(&self) -> RunEnd {
        let ended = match self.told {
            Ok(retold) => retold.ended,
            Err(_) => Ended::Open,
        };
        match ended {
            Ended::Failure(kind) => RunEnd::Failure(kind),
            Ended::Properly => RunEnd::Proper,
            Ended::Cycle => RunEnd::Cycle,
            Ended::Open => RunEnd::Open,
        }
    }

    /// The run as people read it.
    pub fn view(&self, context: &Context<'_>) -> TraceView {
        let view = TraceView::of_run(self.system, context.sources, self.end(), self.story());
        let Ok(retold) = self.told else { return view };
        let mut view = view.decided_after(retold.trace.as_ref().and_then(|trace| trace.decided));
        if let (Some(property), Ended::Open | Ended::Properly) = (self.property, retold.ended)
            && self.saved.watching().is_some()
        {
            let _ = write!(view.ending.message, ", with no violation of `{property}` seen");
        }
        view
    }

    /// Why it does not replay.
    fn reason(&self, context: &Context<'_>, lost: &Lost) -> String {
        let (system, sources) = (self.system, context.sources);
        let reason = if !lost.began {
            "no initial state is the one that the trace begins in".to_owned()
        } else if let Some(entry) = self.saved.entry_text(system, lost.entries) {
            let difference = self.saved.difference(system, sources, lost.entries, &lost.offers);
            format!("{entry} {}", difference.map_or("cannot happen here".to_owned(), |what| format!("differs: {what}")))
        } else {
            let ending = |ended| {
                let (end, state) = match ended {
                    Ended::Failure(kind) => (RunEnd::Failure(kind), last_state(&lost.story.steps)),
                    Ended::Properly => (RunEnd::Proper, None),
                    Ended::Cycle | Ended::Open => return "no failure".to_owned(),
                };
                Ending::new(system, sources, state.unwrap_or(&lost.story.initial), end).message
            };
            match lost.ended {
                Some(ended) => format!("the run does not end as the trace says, but in: {}", ending(ended)),
                None if lost.objection.is_some() => lost.objection.clone().unwrap_or_default(),
                None => "the run does not come back to where its loop begins".to_owned(),
            }
        };
        if lost.gave_up { format!("{reason} (the search for a way to replay it was given up)") } else { reason }
    }
}

fn last_state(steps: &[StoryStep]) -> Option<&lariat_system::reference::Valuation> {
    steps.iter().rev().flat_map(|step| step.events.iter().rev()).find_map(|event| event.after.as_deref())
}

/// The run that was replayed, and how it ends; of `quiet`, the end alone.
pub fn replayed_text(context: &Context<'_>, replayed: &Replayed<'_>, quiet: bool, style: Style) -> String {
    let view = replayed.view(context);
    let steps = counted(view.step_count as u64, "step");
    let name = style.strong(replayed.name);
    let message = match view.cycle.as_ref().and_then(|cycle| cycle.decided) {
        // The message says when.
        Some(_) => view.ending.message.clone(),
        None if quiet => format!("{} after {steps}", view.ending.message),
        None => format!("{}, after {steps}", view.ending.message),
    };
    if quiet {
        return format!("{name}: replayed, {message}\n");
    }
    format!("{name}: {message}:\n{}", trace_text(&view, context.sources, style))
}

/// How far the trace can be replayed, why no further, and what could happen instead.
pub fn lost_text(context: &Context<'_>, replayed: &Replayed<'_>, lost: &Lost, quiet: bool, style: Style) -> String {
    let place = match replayed.saved.place_text(replayed.system, lost.entries) {
        _ if !lost.began => "at its beginning".to_owned(),
        Some(place) => format!("at {place}"),
        None => "at its end".to_owned(),
    };
    let name = style.strong(replayed.name);
    let mut text = format!("{name}: {} {place}: {}\n", style.bad("does not replay"), replayed.reason(context, lost));
    if quiet || !lost.began {
        return text;
    }
    let view = replayed.view(context);
    if !view.entries.is_empty() {
        let _ = write!(text, "up to there:\n{}", trace_text(&view, context.sources, style));
    }
    let entries: Vec<EntryView> = lost
        .offers
        .iter()
        .take(MOST_OFFERS)
        .map(|event| EntryView::new(replayed.system, context.sources, event))
        .collect();
    if entries.is_empty() {
        text.push_str("nothing can happen there\n");
    } else {
        text.push_str("what can happen there:\n");
        let run = RunStyle::new(replayed.system, context.sources, style);
        text.push_str(&offers_text(&run, &entries, lost.offers.len()));
    }
    text
}

/// The document of `replay --json`.
pub fn replayed_json(context: &Context<'_>, replayed: &Replayed<'_>) -> Value {
    let mut document = heading(context);
    let view = replayed.view(context);
    let mut put = |key: &str, value: Value| drop(document.insert(key.to_owned(), value));
    if let Some(property) = replayed.property {
        put("property", property.into());
    }
    put("replayed", replayed.told.is_ok().into());
    match replayed.told {
        Ok(_) => {
            put("kind", view.ending.kind.into());
            put("message", view.ending.message.clone().into());
            put_place(&mut put, context, &view);
            if let Some(cycle) = &view.cycle {
                put_loop(&mut put, cycle);
            }
        }
        Err(lost) => {
            put("step", (lost.entries + 1).into());
            put("reason", replayed.reason(context, lost).into());
        }
    }
    put("trace", trace_json(&view));
    Value::Object(document)
}
