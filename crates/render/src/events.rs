//! Events of `check --json-lines`, as lines.

use crate::documents::{
    DoneEvent, ErrorEvent, Line, ProgressEvent, SearchingEvent, SettledEvent, StartedEvent, WarningEvent, WrittenSteps,
};
use crate::fill::{heading, problems, property_result, rounded};
use crate::results::Context;
use lariat_base::{Diagnostic, Severity, SourceMap};
use lariat_engine::{RunControl, Settled};

/// The search begins, for properties of these names.
pub fn started_event(context: &Context<'_>, names: &[String]) -> Line<StartedEvent> {
    Line(StartedEvent { event: "started".to_owned(), heading: heading(context), properties: names.to_vec() })
}

/// The search of a property begins; numbers are from 0.
pub fn searching_event(name: &str, number: usize, of: usize) -> Line<SearchingEvent> {
    Line(SearchingEvent { event: "searching".to_owned(), name: name.to_owned(), number: number + 1, of })
}

/// How far the run is.
pub fn progress_event(name: Option<&str>, control: &RunControl) -> Line<ProgressEvent> {
    let [states, transitions, depth, waiting, _] = control.counters.shown();
    Line(ProgressEvent {
        event: "progress".to_owned(),
        name: name.map(str::to_owned),
        states,
        transitions,
        depth,
        waiting,
        memory_bytes: control.budget.used_bytes(),
        seconds: rounded(control.started.elapsed().as_secs_f64(), 1000.0),
    })
}

/// A property is settled.
pub fn settled_event<'a>(context: &Context<'a>, settled: &'a Settled) -> Line<SettledEvent<WrittenSteps<'a>>> {
    Line(SettledEvent { event: "settled".to_owned(), property: Some(property_result(context, settled)) })
}

/// A line for each warning.
pub fn warning_events(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<Line<WarningEvent>> {
    let event = |problem| Line(WarningEvent { event: "warning".to_owned(), problem });
    problems(sources, diagnostics, Severity::Warning).into_iter().map(event).collect()
}

/// A line for each error.
pub fn error_events(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<Line<ErrorEvent>> {
    let event = |problem| Line(ErrorEvent { event: "error".to_owned(), problem });
    problems(sources, diagnostics, Severity::Error).into_iter().map(event).collect()
}

/// The program ends with this exit code.
pub fn done_event(exit: u8, trail: Option<&str>) -> Line<DoneEvent> {
    Line(DoneEvent { event: "done".to_owned(), exit, trail: trail.map(str::to_owned) })
}
