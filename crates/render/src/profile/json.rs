//! The profile for scripts: all rows, none summed up.

use super::advice::words;
use lariat_base::{SourceMap, Span};
use lariat_engine::profile::{Advice, ValueCount, VariableKind, advise};
use lariat_engine::{Profile, Statement};
use serde_json::{Map, Value, json};

/// The profile. States that would be there, and those a statement leads to, are estimates.
pub(crate) fn profile_json(profile: &Profile, sources: &SourceMap) -> Value {
    let phase = |phase: &lariat_engine::profile::Phase| {
        let seconds = (phase.time.as_secs_f64() * 1e6).round() / 1e6;
        json!({ "name": phase.name, "seconds": seconds, "by_threads": phase.by_threads })
    };
    let processes = profile.processes.iter().map(|process| {
        json!({ "name": process.name, "taken": process.taken, "lives_in": process.lives_in,
                "states_without": process.states_without })
    });
    let statements = profile.statements.iter().map(|share| {
        let mut object = statement(sources, &share.statement);
        object.insert("taken".into(), share.taken.into());
        object.insert("leads_to".into(), json!(share.leads_to));
        Value::Object(object)
    });
    let variables = profile.variables.iter().map(|variable| {
        let (values, exact) = match variable.values {
            ValueCount::Exactly(count) => (count, true),
            ValueCount::MoreThan(count) => (count, false),
        };
        let kind = match variable.kind {
            VariableKind::Variable => "variable",
            VariableKind::Channel => "channel",
            VariableKind::Control => "control",
        };
        json!({ "name": variable.name, "kind": kind, "line": line(sources, variable.span), "bits": variable.bits,
                "values": values, "all_values_counted": exact, "states_without": variable.states_without })
    });
    let joinable = profile.joinable.statements.iter().map(|(of, states)| {
        let mut object = statement(sources, of);
        object.insert("stands_before".into(), (*states).into());
        Value::Object(object)
    });
    let stale = profile.stale.variables.iter();
    let stale = stale.map(|(name, span, kept)| json!({ "name": name, "line": line(sources, *span), "kept": kept }));
    json!({
        "states": profile.states,
        "complete": profile.complete,
        "measured": profile.measured,
        "threads": profile.threads,
        "phases": profile.phases.iter().map(phase).collect::<Vec<_>>(),
        "processes": processes.collect::<Vec<_>>(),
        "statements": statements.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
        "joinable": { "states": profile.joinable.states, "statements": joinable.collect::<Vec<_>>() },
        "stale": { "states_without": profile.stale.states_without, "variables": stale.collect::<Vec<_>>() },
        "advice": advise(profile).iter().map(|advice| advice_json(advice, profile, sources)).collect::<Vec<_>>(),
    })
}

fn advice_json(advice: &Advice, profile: &Profile, sources: &SourceMap) -> Value {
    let kind = match advice {
        Advice::Reset { .. } => "reset",
        Advice::Join { .. } => "join",
        Advice::Costly { .. } => "costly",
        Advice::Constant { .. } => "constant",
    };
    let (text, places) = words(advice, profile, sources);
    json!({ "kind": kind, "text": text, "places": places })
}

fn statement(sources: &SourceMap, statement: &Statement) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("process".into(), statement.process.clone().into());
    object.insert("line".into(), line(sources, statement.span).into());
    object.insert("text".into(), statement.text.clone().into());
    object
}

/// 0 where there is no text.
fn line(sources: &SourceMap, span: Span) -> u32 {
    if span.is_none() { 0 } else { sources.line(span) }
}
