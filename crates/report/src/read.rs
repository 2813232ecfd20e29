//! Saved documents, read as far as a page needs before it shows them: what is no document of a run is refused here, with the
//! reason, and not by a page that stays empty.

use lariat_render::documents::{
    AutomatonRows, BoundednessDocument, CheckedTraceDocument, Entry, RunDocument, SCHEMA, SimulationDocument, Steps,
    read_document,
};
use serde_json::Value;

/// What a page needs to know of its document beside the text.
pub(crate) struct Content {
    pub(crate) model: String,
    /// For each property, its automaton.
    pub(crate) automata: Vec<Option<AutomatonRows>>,
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
    let has = |name: &str| fields.contains_key(name);
    if has("properties") && has("errors") && fields["properties"].as_array().is_some_and(Vec::is_empty) {
        return Err("it has no answer: the model could not be checked".to_owned());
    }
    if has("properties") {
        let is_of_growth =
            fields["properties"].as_array().into_iter().flatten().any(|one| one.get("channel_bound").is_some());
        if is_of_growth {
            let document: BoundednessDocument<ReadSteps> = read_document(text)?;
            let automata = document.properties.iter().map(|_| None).collect();
            return Ok(Content { model: document.heading.model, automata });
        }
        let document: RunDocument<ReadSteps> = read_document(text)?;
        let automata = document.properties.into_iter().map(|property| property.failure.and_then(|one| one.automaton));
        return Ok(Content { model: document.heading.model, automata: automata.collect() });
    }
    if !has("trace") {
        return Err("there is no run in it".to_owned());
    }
    if has("seed") {
        let document: SimulationDocument<ReadSteps> = read_document(text)?;
        return Ok(Content { model: document.heading.model, automata: vec![None] });
    }
    // What `replay` and `shorten` print has these fields too.
    let document: CheckedTraceDocument<ReadSteps> = read_document(text)?;
    Ok(Content { model: document.document.heading.model, automata: vec![document.automaton] })
}
