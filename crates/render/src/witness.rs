//! Runs that show why a formula of branching time holds or does not, or a number of steps: runs from states of runs.

use crate::documents::{WitnessRun, WrittenSteps};
use crate::fill::{loop_rows, trace};
use crate::results::Context;
use crate::{RunEnd, Style, TraceText, TraceView};
use lariat_engine::{Settled, WitnessStory};
use lariat_system::System;
use std::fmt;

/// Writes the runs of a settled property, each with what it shows.
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
        match nested.past {
            0 => writeln!(f, "\n{name}: a run from {place} shows {}:", nested.claim)?,
            past => writeln!(
                f,
                "\n{name}: a run from an initial state, which after its step {past} is in {place}, shows there {}:",
                nested.claim
            )?,
        }
        write_witness(f, name, context, system, nested, style)?;
    }
    Ok(())
}

fn view<'a>(context: &Context<'a>, system: &'a System, witness: &'a WitnessStory) -> TraceView<'a> {
    TraceView::of_run(system, context.sources, RunEnd::Shown, &witness.story)
}

/// The same for scripts.
pub(crate) fn witness_runs<'a>(context: &Context<'a>, settled: &'a Settled) -> Vec<WitnessRun<WrittenSteps<'a>>> {
    settled.witnesses().iter().map(|witness| witness_run(context, settled.system(), witness, None)).collect()
}

/// One of them, which begins after so many steps of another if that is given.
fn witness_run<'a>(
    context: &Context<'a>,
    system: &'a System,
    witness: &'a WitnessStory,
    after_steps: Option<usize>,
) -> WitnessRun<WrittenSteps<'a>> {
    let view = view(context, system, witness);
    let nested = witness.nested.iter().map(|(at, nested)| witness_run(context, system, nested, Some(*at)));
    WitnessRun {
        shows: witness.claim.clone(),
        loop_start: view.cycle.as_ref().map(|cycle| cycle.start),
        cycle: view.cycle.as_ref().map(loop_rows),
        trace: trace(context, &view),
        nested: nested.collect(),
        after_steps,
        past_steps: (witness.past > 0).then_some(witness.past),
    }
}
