//! `lariat show`.

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;
use lariat::front::FrontEnds;
use lariat::{CheckError, Model};
use lariat_render::diagnostics_text;
use lariat_system::{Layout, System};
use std::fmt::Write;

pub(crate) fn run(arguments: &ShowArgs, front_ends: &FrontEnds) -> Exit {
    let refusal = Refusal::new(&arguments.model, false);
    let model = match Model::read_by(front_ends, &arguments.model, &arguments.reading.options()) {
        Ok(model) => model,
        Err(rejected) => return refusal.of_model(&rejected.sources, &rejected.diagnostics),
    };
    let made = model.first_pool_size().and_then(|size| model.system(size).map_err(CheckError::Model));
    let system = match made {
        Ok(system) => system,
        Err(error) => return refusal.of_error(model.sources(), &error),
    };
    output::note(&diagnostics_text(model.sources(), model.warnings(), output::stderr_style()));
    output::note_unused_defines(&model);
    if !arguments.stats {
        return output::print(&format!("{system}"));
    }
    match Layout::new(&system) {
        Ok(layout) => output::print(&stats_text(&system, &layout, model.pool_bound().is_some())),
        Err(error) => refusal.of_request(&error.to_string()),
    }
}

fn stats_text(system: &System, layout: &Layout, bounded: bool) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    let locals: usize = system.frames.iter().map(|frame| frame.slots.len()).sum();
    let cells: usize = system.slots.iter().map(lariat_system::Slot::cells).sum();
    line("system", system.name.clone());
    line("slots", format!("{} ({cells} cells), and {locals} of processes", system.slots.len()));
    line("bits", format!("{} used, {} words", layout.used_bits(), layout.words));
    line("actions", system.actions.len().to_string());
    line(
        "processes",
        match system.frames.len() {
            1 => "1 kind".to_owned(),
            kinds => format!("{kinds} kinds"),
        },
    );
    line("pool", format!("{}{}", system.pool_size, if bounded { "" } else { " (the model gives no bound)" }));
    line("labels", system.labels.len().to_string());
    line("fairness", system.fairness.len().to_string());
    text
}
