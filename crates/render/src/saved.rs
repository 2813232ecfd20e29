//! Traces that were saved, read again: our own documents, and SPIN's trails. Which of them a text is, its content tells.
//!
//! A text may be anything. What does not look like a trace is refused with the reason, and what looks like one is an
//! [`RunRecord`]: no more than a claim about what happened.

mod document;
mod split;
mod trail;
mod values;

use document::Document;
use lariat_base::SourceMap;
use lariat_engine::Event;
use lariat_engine::find_run::{ClaimedEnd, RunRecord};
use lariat_system::System;
use trail::Trail;

use crate::Origin;

/// A saved trace.
#[derive(Debug)]
pub struct Saved {
    form: Form,
}

/// The claim that a run of SPIN's was watched by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrailClaim {
    /// The one that the model states, by SPIN's number: process types and `never` claims in the order of the text come first,
    /// then `ltl` blocks.
    Number(usize),
    /// SPIN's own, for non-progress cycles.
    Progress,
}

#[derive(Debug)]
enum Form {
    Document(Box<Document>),
    Trail(Trail),
}

impl Saved {
    /// Reads a saved trace. Of a document with the answers of a check it is the first trace, or that of `property`.
    pub fn read(text: &str, property: Option<&str>) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let form = if text.trim_start().starts_with(['{', '[']) {
            Form::Document(Box::new(Document::read(text, property)?))
        } else {
            Form::Trail(Trail::read(text)?)
        };
        Ok(Self { form })
    }

    /// Whether it is one of SPIN's trails, which speak of Promela alone.
    pub fn is_trail(&self) -> bool {
        matches!(self.form, Form::Trail(_))
    }

    /// The property that is said to fail, if the trace tells.
    pub fn property(&self) -> Option<&str> {
        match &self.form {
            Form::Document(document) => document.property.as_deref(),
            Form::Trail(_) => None,
        }
    }

    /// Of a trail, the claim that the run was watched by.
    pub fn watching(&self) -> Option<TrailClaim> {
        let Form::Trail(trail) = &self.form else { return None };
        let number = trail.claim?;
        Some(if trail.watches_progress { TrailClaim::Progress } else { TrailClaim::Number(number) })
    }

    /// Whether a run that goes on for ever is said to be bad whatever follows. Trails do not say.
    pub fn is_decided(&self) -> bool {
        matches!(&self.form, Form::Document(document) if document.is_decided)
    }

    /// The options that made the model, if the trace tells.
    pub fn origin(&self) -> Option<&Origin> {
        match &self.form {
            Form::Document(document) => document.origin.as_ref(),
            Form::Trail(_) => None,
        }
    }

    /// How it is said to end.
    pub fn claim(&self) -> ClaimedEnd {
        match &self.form {
            Form::Document(document) => document.claim.clone(),
            Form::Trail(_) => ClaimedEnd::Silent,
        }
    }

    /// What it tells of a run of `system`, which was read from `sources`.
    pub fn record<'a>(&'a self, system: &'a System, sources: &'a SourceMap) -> Box<dyn RunRecord + 'a> {
        match &self.form {
            Form::Document(document) => Box::new(document.record(system, sources)),
            Form::Trail(trail) => Box::new(trail.record(system)),
        }
    }

    /// Where in the file the entry is; `None` behind the last one.
    pub fn place_text(&self, system: &System, entry: usize) -> Option<String> {
        match &self.form {
            Form::Document(document) => document.has_entry(entry).then(|| format!("step {}", entry + 1)),
            Form::Trail(trail) => trail.line_number(system, entry).map(|number| format!("line {number} of the trail")),
        }
    }

    /// The entry of this number, in words; `None` behind the last one.
    pub fn entry_text(&self, system: &System, entry: usize) -> Option<String> {
        match &self.form {
            Form::Document(document) => document.entry_text(entry),
            Form::Trail(trail) => trail.entry_text(system, entry),
        }
    }

    /// Where an event is what the entry tells, but for what it changes: what is different.
    pub fn difference(&self, system: &System, sources: &SourceMap, entry: usize, offers: &[Event]) -> Option<String> {
        match &self.form {
            Form::Document(document) => document.record(system, sources).difference(entry, offers),
            Form::Trail(_) => None,
        }
    }
}
