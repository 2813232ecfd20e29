//! What becomes of a trace that is replayed: the run, or where it cannot go on.

use crate::json::{heading, put_loop, put_place, trace_json};
use crate::results::{Context, counted, shortfall_text, shortfall_word};
use crate::{Ending, EntryView, Fields, Json, RunEnd, RunStyle, Saved, Style, TraceText, TraceView, offers_text};
use lariat_engine::Story;
use lariat_engine::retell::{Ended, Lost, Retold};
use lariat_system::System;
use std::fmt;

/// As many of the things that could happen instead are shown.
const MOST_OFFERS: usize = 20;

/// A trace that was replayed, or was not.
#[derive(Debug)]
pub struct Replayed<'a> {
    /// What is replayed: the name of the property, or of the file.
    pub name: &'a str,
    /// The trace as it was read.
    pub saved: &'a Saved,
    /// The system that was run.
    pub system: &'a System,
    /// Its run.
    pub told: Result<&'a Retold, &'a Lost>,
}

impl<'a> Replayed<'a> {
    fn story(&self) -> &'a Story {
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
    pub fn view(&self, context: &Context<'a>) -> TraceView<'a> {
        TraceView::of_run(self.system, context.sources, self.end(), self.story())
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
                let end = match ended {
                    Ended::Failure(kind) => RunEnd::Failure(kind),
                    Ended::Properly => RunEnd::Proper,
                    Ended::Cycle | Ended::Open => return "no failure".to_owned(),
                };
                Ending::new(system, sources, lost.story.last(), end).message
            };
            match lost.ended {
                Some(ended) => format!("the run does not end as the trace says, but in: {}", ending(ended)),
                None if lost.objection.is_some() => lost.objection.clone().unwrap_or_default(),
                None => "the run does not come back to where its loop begins".to_owned(),
            }
        };
        match lost.shortfall {
            Some(shortfall) => {
                format!("{reason} (the search for a way to replay it was given up: {})", shortfall_text(&shortfall))
            }
            None if lost.gave_up => format!("{reason} (the search for a way to replay it was given up)"),
            None => reason,
        }
    }
}

/// What became of the trace, as text.
#[derive(Debug)]
pub struct ReplayText<'a> {
    /// What is known beside it.
    pub context: &'a Context<'a>,
    /// The trace.
    pub replayed: &'a Replayed<'a>,
    /// Whether to leave out the run.
    pub quiet: bool,
    /// Whether there are colours.
    pub style: Style,
}

impl fmt::Display for ReplayText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.replayed.told {
            Ok(_) => write_replayed(f, self),
            Err(lost) => write_lost(f, self, lost),
        }
    }
}

/// The run that was replayed, and how it ends; of `quiet`, the end alone.
fn write_replayed(f: &mut fmt::Formatter<'_>, told: &ReplayText<'_>) -> fmt::Result {
    let ReplayText { context, replayed, quiet, style } = *told;
    let view = replayed.view(context);
    let steps = counted(view.step_count as u64, "step");
    let name = style.strong(replayed.name);
    if quiet {
        return writeln!(f, "{name}: replayed, {} after {steps}", view.ending.message);
    }
    let trace = TraceText { view: &view, context, style };
    write!(f, "{name}: {}, after {steps}:\n{trace}", view.ending.message)
}

/// How far the trace can be replayed, why no further, and what could happen instead.
fn write_lost(f: &mut fmt::Formatter<'_>, told: &ReplayText<'_>, lost: &Lost) -> fmt::Result {
    let ReplayText { context, replayed, quiet, style } = *told;
    let place = match replayed.saved.place_text(replayed.system, lost.entries) {
        _ if !lost.began => "at its beginning".to_owned(),
        Some(place) => format!("at {place}"),
        None => "at its end".to_owned(),
    };
    let name = style.strong(replayed.name);
    writeln!(f, "{name}: {} {place}: {}", style.bad("does not replay"), replayed.reason(context, lost))?;
    if quiet || !lost.began {
        return Ok(());
    }
    let view = replayed.view(context);
    if view.entry_count() > 0 {
        write!(f, "up to there:\n{}", TraceText { view: &view, context, style })?;
    }
    let entries: Vec<EntryView> = lost
        .offers
        .iter()
        .take(MOST_OFFERS)
        .map(|event| EntryView::new(replayed.system, context.sources, event))
        .collect();
    if entries.is_empty() {
        f.write_str("nothing can happen there\n")
    } else {
        let run = RunStyle::new(replayed.system, context.sources, style);
        write!(f, "what can happen there:\n{}", offers_text(&run, &entries, lost.offers.len()))
    }
}

/// The document of `replay --json`.
pub fn replayed_json<'a>(context: &Context<'a>, replayed: &Replayed<'a>) -> Fields<'a> {
    let mut document = heading(context);
    let view = replayed.view(context);
    let mut put = |key: &str, value: Json<'a>| document.put(key, value);
    if let Some(property) = replayed.saved.property() {
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
            if let Some(shortfall) = lost.shortfall {
                put("unfinished", shortfall_word(&shortfall).into());
            }
        }
    }
    put("trace", trace_json(context, &view));
    document
}
