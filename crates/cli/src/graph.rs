//! `lariat graph`: the states of a small model, those around a trace, or how control moves in its processes, as a picture.

use crate::args::{ReadArgs, one_of};
use crate::exit::{Exit, start};
use crate::interrupt;
use crate::output;
use crate::refusal::Refusal;
use crate::save;
use crate::saved::SavedRun;
use crate::units::parse_duration;
use clap::Args;
use lariat::front::FrontEnds;
use lariat::{CheckError, Limits, Model, StateGraph};
use lariat_base::{Diagnostic, SourceMap};
use lariat_engine::find_run::FoundEnd;
use lariat_engine::{FailureKind, GraphRun};
use lariat_render::{control_rows, diagnostics_text, graph_rows, shortfall_text};
use lariat_report::{Dot, GraphMl, Picture, Svg, control_picture, states_picture};
use lariat_system::System;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

// The command line of `lariat graph`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lariat graph mutex.pml -o mutex.svg                     all states of a small model
  lariat graph mutex.pml --from trace.json -o part.svg    the states of a trace, and what else could happen there
  lariat graph mutex.pml --control --format dot           how control moves in each process

A node of the graph of states shows the variables that are not the same in all states, and the lines that the processes are at. \
A step that ends in a run-time error leads to a node with its message.

Exit codes: 0 the graph is written, 2 usage or model error, or the graph is too large, 3 the time limit was met, 70 an internal error.")]
pub(crate) struct GraphArgs {
    /// The model
    #[arg(value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,
    /// How control moves in each process, instead of the states of the model
    #[arg(long, conflicts_with_all = ["from", "distance", "states"])]
    control: bool,
    /// With `--control`: only this type of process
    #[arg(long, value_name = "NAME", requires = "control")]
    process: Option<String>,
    /// Only the states of this trace and those near them
    #[arg(long, value_name = "TRACE", value_hint = clap::ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// With `--from`: how many steps away from the trace
    #[arg(long, value_name = "N", default_value = "1", requires = "from")]
    distance: usize,
    /// The most states
    #[arg(long, value_name = "N", default_value = "300")]
    states: usize,
    /// Time limit, like `90s` or `2h`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    time: Option<Duration>,
    /// `dot` (Graphviz), `graphml` or `svg` [default: as FILE ends, else `dot`]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS))]
    format: Option<Format>,
    /// Where to write the graph; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Dot,
    GraphMl,
    Svg,
}

const FORMATS: [(&str, Format); 3] = [("dot", Format::Dot), ("graphml", Format::GraphMl), ("svg", Format::Svg)];

pub(crate) fn run(mut arguments: GraphArgs, front_ends: &FrontEnds) -> Exit {
    arguments.output = arguments.output.filter(|path| path != Path::new("-"));
    let refusal = Refusal::new(&arguments.model, false);
    let its_refusal = refusal.clone();
    let front_ends = front_ends.clone();
    // Deep expressions are walked by recursion.
    let work = move || match ensure_writable(&arguments, &its_refusal)
        .and_then(|()| picture(&arguments, &front_ends, &its_refusal))
    {
        Ok(picture) => write(&arguments, &picture, &its_refusal),
        Err(exit) => exit,
    };
    start("graph", work).join().unwrap_or_else(|panic| refusal.of_panic(&*panic))
}

fn ensure_writable(arguments: &GraphArgs, refusal: &Refusal) -> Result<(), Exit> {
    let inputs: Vec<&Path> = std::iter::once(&arguments.model).chain(&arguments.from).map(PathBuf::as_path).collect();
    save::ensure_writable(&[("--output", arguments.output.as_deref())], &inputs, refusal)
}

/// The code of warnings about options that have no effect.
const NO_EFFECT: &str = "C0015";

fn write(arguments: &GraphArgs, picture: &Picture, refusal: &Refusal) -> Exit {
    let ending = arguments.output.as_ref().and_then(|path| path.extension()?.to_str());
    let named = FORMATS.iter().find(|(word, _)| Some(*word) == ending).map(|(_, format)| *format);
    if let Some(ending) = ending.filter(|ending| arguments.format.is_none() && named.is_none() && *ending != "gv") {
        output::note(&format!(
            "note: `.{ending}` is no format of graphs, so DOT is written; `--format` chooses another\n"
        ));
    }
    let content: Box<dyn Display> = match arguments.format.or(named).unwrap_or(Format::Dot) {
        Format::Dot => Box::new(Dot(picture)),
        Format::GraphMl => Box::new(GraphMl(picture)),
        Format::Svg => match Svg::alone(picture) {
            Ok(svg) => Box::new(svg),
            Err(error) => return refusal.of_request(&format!("{error}; use `--format dot` or `--format graphml`")),
        },
    };
    match &arguments.output {
        None => output::show(&content),
        Some(path) => match save::write(path, &content) {
            Ok(()) => Exit::Holds,
            Err(error) => refusal.of_request(&error.message),
        },
    }
}

fn picture(arguments: &GraphArgs, front_ends: &FrontEnds, refusal: &Refusal) -> Result<Picture, Exit> {
    let control = Arc::new(Limits { memory_bytes: lariat::default_memory_bytes(), time: arguments.time }.control());
    interrupt::listen(&control);
    if let Some(trace) = &arguments.from {
        let run = SavedRun::read(&arguments.model, trace, None, &arguments.reading, front_ends, refusal)?;
        let failed = |error: CheckError| refused(refusal, run.model.sources(), &error);
        let search = run.find(&control).map_err(failed)?;
        let Ok(found) = search.found else {
            return Err(refusal.of_request(&format!("`{}` does not replay; see `lariat replay`", trace.display())));
        };
        let system = search.system;
        let ends_in = match found.ended {
            FoundEnd::Failure(FailureKind::Fault(fault)) => Some(fault),
            _ => None,
        };
        let found_run = GraphRun { story: &found.story, ends_in };
        let graph = lariat::state_graph_around(&system, found_run, arguments.distance, arguments.states, &control);
        return Ok(picture_of(&system, run.model.sources(), &graph.map_err(failed)?));
    }
    let model = Model::read_by(front_ends, &arguments.model, &arguments.reading.options())
        .map_err(|rejected| refusal.of_model(&rejected.sources, &rejected.diagnostics))?;
    let odd: Vec<Diagnostic> = model.warnings().iter().filter(|found| found.code == NO_EFFECT).cloned().collect();
    output::note(&diagnostics_text(model.sources(), &odd, output::stderr_style()));
    output::note_unused_defines(&model);
    let failed = |error: CheckError| refused(refusal, model.sources(), &error);
    if !arguments.control {
        let (system, graph) = lariat::state_graph(&model, arguments.states, &control).map_err(failed)?;
        return Ok(picture_of(&system, model.sources(), &graph));
    }
    let made = model.first_pool_size().and_then(|size| model.system(size).map_err(CheckError::Model));
    let system = made.map_err(failed)?;
    picture_of_control(&system, model.sources(), arguments.process.as_deref()).map_err(|why| refusal.of_request(&why))
}

fn refused(refusal: &Refusal, sources: &SourceMap, error: &CheckError) -> Exit {
    match error {
        CheckError::Short(shortfall) => {
            refusal.of_limit(format!("the graph is not finished: {}", shortfall_text(shortfall)))
        }
        _ => refusal.of_error(sources, error),
    }
}

/// The graph of states.
fn picture_of(system: &System, sources: &SourceMap, graph: &StateGraph) -> Picture {
    let rows = graph_rows(system, sources, graph, false, usize::MAX);
    states_picture(&rows, format!("States of {}", system.name))
}

/// How control moves in each type of process; or why that is not known.
fn picture_of_control(system: &System, sources: &SourceMap, wanted: Option<&str>) -> Result<Picture, String> {
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| name == wanted);
    let names: Vec<&str> =
        system.frames.iter().map(|frame| frame.name.as_str()).filter(|name| is_wanted(name)).collect();
    match (names.is_empty(), wanted) {
        (true, Some(name)) => {
            let known: Vec<&str> = system.frames.iter().map(|frame| frame.name.as_str()).collect();
            let has = if known.is_empty() { String::new() } else { format!("; it has: {}", known.join(", ")) };
            return Err(format!("the model has no type of process `{name}`{has}"));
        }
        (true, None) => {
            return Err("the model has no processes; leave `--control` out for the graph of states".to_owned());
        }
        (false, _) => {}
    }
    let mut graphs = control_rows(system, sources, usize::MAX);
    graphs.retain(|rows| is_wanted(&rows.process));
    match names.iter().find(|name| graphs.iter().all(|rows| rows.process != **name)) {
        Some(name) => Err(format!("it is not known how control moves in `{name}`")),
        None => Ok(control_picture(&graphs, format!("Control of {}", system.name))),
    }
}
