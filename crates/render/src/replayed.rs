//! What becomes of a trace that is replayed: the run, or where it cannot go on.

use crate::documents::{Document, Place, ReplayDocument, WrittenSteps};
use crate::fill::{heading, loop_rows, place, sources, trace};
use crate::results::{Context, counted, shortfall_text, shortfall_word};
use crate::{Ending, EntryView, RunEnd, RunStyle, Saved, Style, TraceText, TraceView, offers_text};
use lariat_engine::find_run::{ClaimedEnd, FoundEnd, FoundRun, NoRun};
use lariat_engine::{FailureKind, Story};
use lariat_system::System;
use std::fmt::{self, Write as _};

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
    pub found: Result<&'a FoundRun, &'a NoRun>,
}

impl<'a> Replayed<'a> {
    fn story(&self) -> &'a Story {
        match self.found {
            Ok(found) => &found.story,
            Err(no_run) => &no_run.story,
        }
    }

    fn end(&self) -> RunEnd {
        let ended = match self.found {
            Ok(found) => found.ended,
            Err(_) => FoundEnd::Open,
        };
        match ended {
            FoundEnd::Failure(kind) => RunEnd::Failure(kind),
            FoundEnd::Properly => RunEnd::Proper,
            FoundEnd::Cycle => RunEnd::Cycle,
            FoundEnd::Open => RunEnd::Open,
        }
    }

    /// The run as people read it.
    pub fn view(&self, context: &Context<'a>) -> TraceView<'a> {
        let view = TraceView::of_run(self.system, context.sources, self.end(), self.story());
        let Ok(found) = self.found else { return view };
        let mut view = view.decided_after(found.trace.as_ref().and_then(|trace| trace.decided));
        if self.saved.claim() == ClaimedEnd::Shows {
            let message = "a run of the model, as claimed; one run alone does not settle a formula of branching time";
            (view.ending.kind, view.ending.message) = (FailureKind::Branching.word(self.system), message.to_owned());
        }
        if let (Some(property), FoundEnd::Open | FoundEnd::Properly) = (self.property, found.ended)
            && self.saved.watching().is_some()
        {
            let _ = write!(view.ending.message, ", with no violation of `{property}` seen");
        }
        view
    }

    /// Why it does not replay.
    fn reason(&self, context: &Context<'_>, no_run: &NoRun) -> String {
        let (system, sources) = (self.system, context.sources);
        let reason = if !no_run.began {
            "no initial state is the one that the trace begins in".to_owned()
        } else if let Some(entry) = self.saved.entry_text(system, no_run.entries) {
            let difference = self.saved.difference(system, sources, no_run.entries, &no_run.offers);
            format!("{entry} {}", difference.map_or("cannot happen here".to_owned(), |what| format!("differs: {what}")))
        } else {
            let ending = |ended| {
                let end = match ended {
                    FoundEnd::Failure(kind) => RunEnd::Failure(kind),
                    FoundEnd::Properly => RunEnd::Proper,
                    FoundEnd::Cycle | FoundEnd::Open => return "no failure".to_owned(),
                };
                Ending::new(system, no_run.story.last(), end).message
            };
            match no_run.ended {
                Some(ended) => format!("the run does not end as the trace says, but in: {}", ending(ended)),
                None if no_run.objection.is_some() => no_run.objection.clone().unwrap_or_default(),
                None => "the run does not come back to where its loop begins".to_owned(),
            }
        };
        match no_run.shortfall {
            Some(shortfall) => {
                format!("{reason} (the search for a way to replay it was given up: {})", shortfall_text(&shortfall))
            }
            None if no_run.gave_up => format!("{reason} (the search for a way to replay it was given up)"),
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
        match self.replayed.found {
            Ok(_) => write_replayed(f, self),
            Err(no_run) => write_no_run(f, self, no_run),
        }
    }
}

/// The run that was replayed, and how it ends; of `quiet`, the end alone.
fn write_replayed(f: &mut fmt::Formatter<'_>, replay_text: &ReplayText<'_>) -> fmt::Result {
    let ReplayText { context, replayed, quiet, style } = *replay_text;
    let view = replayed.view(context);
    let steps = counted(view.step_count as u64, "step");
    let name = style.strong(replayed.name);
    let message = match view.decided {
        // The message says when.
        Some(_) => view.ending.message.clone(),
        None if quiet => format!("{} after {steps}", view.ending.message),
        None => format!("{}, after {steps}", view.ending.message),
    };
    if quiet {
        return writeln!(f, "{name}: replayed, {message}");
    }
    let trace = TraceText { view: &view, context, style };
    write!(f, "{name}: {message}:\n{trace}")
}

/// How far the trace can be replayed, why no further, and what could happen instead.
fn write_no_run(f: &mut fmt::Formatter<'_>, replay_text: &ReplayText<'_>, no_run: &NoRun) -> fmt::Result {
    let ReplayText { context, replayed, quiet, style } = *replay_text;
    let place = match replayed.saved.place_text(replayed.system, no_run.entries) {
        _ if !no_run.began => "at its beginning".to_owned(),
        Some(place) => format!("at {place}"),
        None => "at its end".to_owned(),
    };
    let name = style.strong(replayed.name);
    writeln!(f, "{name}: {} {place}: {}", style.bad("does not replay"), replayed.reason(context, no_run))?;
    if quiet || !no_run.began {
        return Ok(());
    }
    let view = replayed.view(context);
    if view.entry_count() > 0 {
        write!(f, "up to there:\n{}", TraceText { view: &view, context, style })?;
    }
    let entries: Vec<EntryView> = no_run
        .offers
        .iter()
        .take(MOST_OFFERS)
        .map(|event| EntryView::new(replayed.system, context.sources, event))
        .collect();
    if entries.is_empty() {
        f.write_str("nothing can happen there\n")
    } else {
        let run = RunStyle::new(replayed.system, context.sources, style);
        write!(f, "what can happen there:\n{}", offers_text(&run, &entries, no_run.offers.len()))
    }
}

/// The document of `replay --json`.
pub fn replay_document<'a>(
    context: &Context<'a>,
    replayed: &Replayed<'a>,
) -> Document<ReplayDocument<WrittenSteps<'a>>> {
    let view = replayed.view(context);
    let mut document = ReplayDocument {
        heading: heading(context),
        property: replayed.property.map(str::to_owned),
        replayed: replayed.found.is_ok(),
        kind: None,
        message: None,
        place: Place { file: None, line: None },
        decided_after: None,
        cycle: None,
        step: None,
        reason: None,
        unfinished: None,
        sources: sources(context),
        control_graphs: context.with_graphs.then(|| view.control_graphs()),
        trace: trace(context, &view),
    };
    match replayed.found {
        Ok(_) => {
            document.kind = Some(view.ending.kind.to_owned());
            document.message = Some(view.ending.message.clone());
            document.place = place(context, &view);
            document.decided_after = view.decided;
            document.cycle = view.cycle.as_ref().map(loop_rows);
        }
        Err(no_run) => {
            document.step = Some(no_run.entries + 1);
            document.reason = Some(replayed.reason(context, no_run));
            document.unfinished = no_run.shortfall.map(|shortfall| shortfall_word(&shortfall).to_owned());
        }
    }
    Document(document)
}
