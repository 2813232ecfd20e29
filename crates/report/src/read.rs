//! Saved documents, read as far as a page needs before it shows them: what is no document of a run is refused here, with the
//! reason, and not by a page that stays empty.

use crate::page::Pictures;
use lariat_render::documents::{
    BoundednessDocument, CheckedTraceDocument, Entry, RunDocument, SCHEMA, SimulationDocument, Steps, read_document,
};
use serde_json::Value;

/// What a page needs to know of its document beside the text.
pub(crate) struct Content {
    pub(crate) model: String,
    /// The pictures that it shows.
    pub(crate) pictures: Pictures,
}

type ReadSteps = Steps<Entry>;

/// What is in the document; an error if it has no run and no answer.
pub(crate) fn content(text: &str) -> Result<Content, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not a JSON document: {error}"))?;
    let fields = value.as_object().ok_or("the document is not an object with fields")?;
    match fields.get("schema").and_then(Value::as_u64) {
        Some(schema) if schema != u64::from(SCHEMA) => {
            return Err(format!("the document is of schema {schema}; this release reads schema {SCHEMA}"));
        }
        _ => {}
    }
    let mut pictures = Pictures::default();
    let has = |name: &str| fields.contains_key(name);
    if has("properties") && has("errors") && fields["properties"].as_array().is_some_and(Vec::is_empty) {
        return Err("it has no answer: the model could not be checked".to_owned());
    }
    if has("properties") {
        let is_of_growth =
            fields["properties"].as_array().into_iter().flatten().any(|one| one.get("channel_bound").is_some());
        if is_of_growth {
            let document: BoundednessDocument<ReadSteps> = read_document(text)?;
            return Ok(Content { model: document.heading.model, pictures });
        }
        let document: RunDocument<ReadSteps> = read_document(text)?;
        pictures.add_control(document.control_graphs.as_deref().unwrap_or_default());
        pictures.add_properties(&document.properties);
        return Ok(Content { model: document.heading.model, pictures });
    }
    if !has("trace") {
        return Err("there is no run in it".to_owned());
    }
    if has("seed") {
        let document: SimulationDocument<ReadSteps> = read_document(text)?;
        pictures.add_control(document.control_graphs.as_deref().unwrap_or_default());
        pictures.add_run("0-0", &document.trace);
        return Ok(Content { model: document.heading.model, pictures });
    }
    // What `replay` and `shorten` print has these fields too.
    let document: CheckedTraceDocument<ReadSteps> = read_document(text)?;
    pictures.add_control(document.document.control_graphs.as_deref().unwrap_or_default());
    pictures.add_automaton(0, document.automaton.as_ref());
    match &document.witnesses {
        Some(witnesses) => pictures.add_witnesses("0", witnesses),
        None => pictures.add_run("0-0", &document.document.trace),
    }
    Ok(Content { model: document.document.heading.model, pictures })
}
