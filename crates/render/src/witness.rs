//! Runs that show why a formula of branching time holds or does not: runs from states of runs.

use crate::json::{put_loop, trace_json};
use crate::results::Context;
use crate::{Fields, Json, RunEnd, Style, TraceText, TraceView};
use lariat_engine::{Settled, WitnessStory};
use lariat_system::System;
use std::fmt;

/// Writes the runs of a settled property, each with the formula it shows.
pub(crate) fn write_witnesses(
    f: &mut fmt::Formatter<'_>,
    context: &Context<'_>,
    settled: &Settled,
    style: Style,
) -> fmt::Result {
    for witness in settled.witnesses() {
        let name = settled.name();
        writeln!(f, "\n{name}: a run from an initial state shows {}:", witness.claim)?;
        write_witness(f, name, context, settled.system(), witness, style)?;
    }
    Ok(())
}

fn write_witness(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    context: &Context<'_>,
    system: &System,
    witness: &WitnessStory,
    style: Style,
) -> fmt::Result {
    write!(f, "{}", TraceText { view: &view(context, system, witness), context, style })?;
    for (at, nested) in &witness.nested {
        let place = match at {
            0 => "the beginning of that run".to_owned(),
            _ => format!("the state after its step {at}"),
        };
        writeln!(f, "\n{name}: a run from {place} shows {}:", nested.claim)?;
        write_witness(f, name, context, system, nested, style)?;
    }
    Ok(())
}

fn view<'a>(context: &Context<'a>, system: &'a System, witness: &'a WitnessStory) -> TraceView<'a> {
    TraceView::of_run(system, context.sources, RunEnd::Shown, &witness.story)
}

/// The same for scripts.
pub(crate) fn witnesses_json<'a>(context: &Context<'a>, settled: &'a Settled) -> Json<'a> {
    let witnesses = settled.witnesses().iter();
    witnesses.map(|witness| Json::from(witness_json(context, settled.system(), witness))).collect()
}

fn witness_json<'a>(context: &Context<'a>, system: &'a System, witness: &'a WitnessStory) -> Fields<'a> {
    let view = view(context, system, witness);
    let mut object = Fields::default();
    let mut put = |key: &str, value: Json<'a>| object.put(key, value);
    put("shows", witness.claim.clone().into());
    if let Some(cycle) = &view.cycle {
        put("loop_start", cycle.start.into());
        put_loop(&mut put, cycle);
    }
    put("trace", trace_json(context, &view));
    let nested = witness.nested.iter().map(|(at, nested)| {
        let mut nested = witness_json(context, system, nested);
        nested.put("after_steps", (*at).into());
        Json::from(nested)
    });
    put("nested", nested.collect());
    object
}
