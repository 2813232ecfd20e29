//! Runs that show why a formula of branching time holds or does not: runs from states of runs.

use crate::json::{put_loop, trace_json};
use crate::{RunEnd, Style, TraceView, trace_text};
use lariat_base::SourceMap;
use lariat_engine::{Settled, WitnessStory};
use lariat_system::System;
use serde_json::{Map, Value};
use std::fmt::Write;

/// The runs of a settled property, each with the formula it shows.
pub(crate) fn witnesses_text(settled: &Settled, sources: &SourceMap, style: Style) -> String {
    let mut text = String::new();
    for witness in settled.witnesses() {
        let _ = writeln!(text, "\n{}: a run from an initial state shows {}:", settled.name(), witness.claim);
        let name = settled.name();
        add_text(&mut text, name, settled.system(), witness, sources, style);
    }
    text
}

fn add_text(text: &mut String, name: &str, system: &System, witness: &WitnessStory, sources: &SourceMap, style: Style) {
    text.push_str(&trace_text(&view(system, witness, sources), sources, style));
    for (at, nested) in &witness.nested {
        let place = match at {
            0 => "the beginning of that run".to_owned(),
            _ => format!("the state after its step {at}"),
        };
        let _ = writeln!(text, "\n{name}: a run from {place} shows {}:", nested.claim);
        add_text(text, name, system, nested, sources, style);
    }
}

fn view(system: &System, witness: &WitnessStory, sources: &SourceMap) -> TraceView {
    TraceView::of_run(system, sources, RunEnd::Shown, &witness.story)
}

/// The same for scripts.
pub(crate) fn witnesses_json(settled: &Settled, sources: &SourceMap) -> Value {
    settled.witnesses().iter().map(|witness| witness_json(settled.system(), witness, sources)).collect()
}

fn witness_json(system: &System, witness: &WitnessStory, sources: &SourceMap) -> Value {
    let view = view(system, witness, sources);
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    put("shows", witness.claim.clone().into());
    if let Some(cycle) = &view.cycle {
        put("loop_start", cycle.start.into());
        put_loop(&mut put, cycle);
    }
    put("trace", trace_json(&view));
    let nested = witness.nested.iter().map(|(at, nested)| {
        let mut nested = witness_json(system, nested, sources);
        nested["after_steps"] = (*at).into();
        nested
    });
    put("nested", nested.collect());
    Value::Object(object)
}
