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
use lariat::{CheckError, Limits, Model, StateGraph, StepEnd};
use lariat_base::{Diagnostic, SourceMap};
use lariat_engine::Event;
use lariat_render::{EntryView, Shown, Standing, StateView, diagnostics_text, fault_message};
use lariat_report::{Dot, Edge, GraphMl, Node, NodeKind, Picture, Svg};
use lariat_system::reference::{Evaluator, Firing, Valuation};
use lariat_system::{ControlEdge, FrameId, Role, System};
use std::collections::{BTreeMap, BTreeSet};
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
        let failed = |error: CheckError| refusal.of_error(run.model.sources(), &error);
        let search = run.find(&control).map_err(failed)?;
        let Ok(found) = search.found else {
            return Err(refusal.of_request(&format!("`{}` does not replay; see `lariat replay`", trace.display())));
        };
        let system = Arc::new(search.system);
        let graph = lariat::state_graph_around(&system, &found.story, arguments.distance, arguments.states, &control);
        return Ok(states_picture(&graph.map_err(failed)?, run.model.sources()));
    }
    let model = Model::read_by(front_ends, &arguments.model, &arguments.reading.options())
        .map_err(|rejected| refusal.of_model(&rejected.sources, &rejected.diagnostics))?;
    let odd: Vec<Diagnostic> = model.warnings().iter().filter(|found| found.code == NO_EFFECT).cloned().collect();
    output::note(&diagnostics_text(model.sources(), &odd, output::stderr_style()));
    output::note_unused_defines(&model);
    let failed = |error: CheckError| refusal.of_error(model.sources(), &error);
    if !arguments.control {
        let graph = lariat::state_graph(&model, arguments.states, &control).map_err(failed)?;
        return Ok(states_picture(&graph, model.sources()));
    }
    let made = model.first_pool_size().and_then(|size| model.system(size).map_err(CheckError::Model));
    let system = made.map_err(failed)?;
    control_picture(&system, model.sources(), arguments.process.as_deref()).map_err(|why| refusal.of_request(&why))
}

/// The graph of states.
fn states_picture(graph: &StateGraph, sources: &SourceMap) -> Picture {
    let system = &*graph.system;
    let standing = Standing::new(system, sources);
    let views: Vec<StateView> = graph.states.iter().map(|state| StateView::new(system, sources, state)).collect();
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, value) in views.iter().flat_map(contents) {
        values.entry(name).or_default().insert(value.to_string());
    }
    let count = |name: &str| views.iter().filter(|view| contents(view).any(|(own, _)| own == name)).count();
    let is_shown: BTreeSet<&str> =
        values.iter().filter(|(name, all)| all.len() > 1 || count(name) < views.len()).map(|(name, _)| *name).collect();
    let evaluator = Evaluator::new(system);
    let mut nodes: Vec<Node> = Vec::new();
    let has_steps: BTreeSet<usize> = graph.steps.iter().map(|step| step.from).collect();
    for (number, (state, view)) in graph.states.iter().zip(&views).enumerate() {
        let shown = contents(view).filter(|(name, _)| is_shown.contains(name));
        let lines = shown.map(|(name, value)| format!("{name} = {value}")).chain(standing.short(system, state));
        let lines = lines.collect::<Vec<_>>();
        let label = if lines.is_empty() { format!("state {number}") } else { lines.join("\n") };
        let kind = match number {
            _ if graph.open.contains(&number) => NodeKind::Open,
            _ if !has_steps.contains(&number) && !evaluator.is_proper_end(state) => NodeKind::Failure,
            _ if !has_steps.contains(&number) => NodeKind::End,
            _ if graph.on_run.contains(&number) => NodeKind::OnTrace,
            _ => NodeKind::Plain,
        };
        nodes.push(Node { label, is_initial: graph.initial.contains(&number), kind });
    }
    let mut edges: Vec<Edge> = Vec::new();
    let mut known: BTreeSet<(usize, usize, String)> = BTreeSet::new();
    for step in &graph.steps {
        let state = Arc::new(graph.states[step.from].clone());
        let actions: Vec<String> =
            step.path.iter().map(|firing| action_text(system, sources, &state, firing)).collect();
        let to = match step.to {
            StepEnd::State(to) => to,
            StepEnd::Fault(fault) => {
                let label = fault_message(system, fault).to_owned();
                nodes.push(Node { label, is_initial: false, kind: NodeKind::Failure });
                nodes.len() - 1
            }
        };
        let edge = Edge { from: step.from, to, label: actions.join("\n"), is_on_trace: step.is_on_run };
        if known.insert((edge.from, edge.to, edge.label.clone())) {
            edges.push(edge);
        }
    }
    Picture { title: format!("States of {}", system.name), nodes, edges }
}

/// Variables and channels by name.
fn contents(view: &StateView) -> impl Iterator<Item = (&str, &Shown)> {
    let channels = view.channels.iter().map(|(name, value, _)| (name.as_str(), value));
    view.variables.iter().map(|(name, value)| (name.as_str(), value)).chain(channels)
}

/// An action as it is written beside an edge: `P(1): x = 1`.
fn action_text(system: &System, sources: &SourceMap, before: &Arc<Valuation>, firing: &Firing) -> String {
    let event = Event { firing: firing.clone(), before: before.clone(), after: None, faults: Vec::new() };
    let entry = EntryView::new(system, sources, &event);
    let mut text = match entry.actor.pid {
        Some(pid) => format!("{}({pid}): {}", entry.actor.process, entry.actor.text),
        None => entry.actor.text,
    };
    if let Some(peer) = entry.peer {
        let pid = peer.pid.map(|pid| format!("({pid})")).unwrap_or_default();
        text.push_str(&format!(" → {}{pid}: {}", peer.process, peer.text));
    }
    for (name, value) in entry.choices {
        text.push_str(&format!(" [{name} = {value}]"));
    }
    text
}

/// The places that control can come to by the form of the actions, from the first.
fn reached_from(first: i64, edges: &[ControlEdge]) -> BTreeSet<i64> {
    let mut reached = BTreeSet::from([first]);
    let mut waiting = vec![first];
    while let Some(place) = waiting.pop() {
        let next = edges.iter().filter(|edge| edge.from == place).filter_map(|edge| edge.to);
        waiting.extend(next.filter(|&to| reached.insert(to)));
    }
    reached
}

/// How control moves in each type of process; or why that is not known.
fn control_picture(system: &System, sources: &SourceMap, wanted: Option<&str>) -> Result<Picture, String> {
    let standing = Standing::new(system, sources);
    let mut picture = Picture { title: format!("Control of {}", system.name), ..Picture::default() };
    let is_wanted = |frame: &FrameId| wanted.is_none_or(|name| system.frames[*frame].name == name);
    let frames: Vec<FrameId> = system.frames.ids().filter(is_wanted).collect();
    match (frames.is_empty(), wanted) {
        (true, Some(name)) => return Err(format!("the model has no type of process `{name}`")),
        (true, None) => {
            return Err("the model has no processes; leave `--control` out for the graph of states".to_owned());
        }
        (false, _) => {}
    }
    for frame in frames {
        let (name, control) = (&system.frames[frame].name, system.frames[frame].control);
        let Some((control, found)) = control.zip(system.control_edges(frame)) else {
            return Err(format!("it is not known how control moves in `{name}`"));
        };
        let first = system.frames[frame].slots[control].initial_of(0);
        // The nodes of this frame, by place of control; the end has none.
        let mut numbers: BTreeMap<Option<i64>, usize> = BTreeMap::new();
        let mut number = |place: Option<i64>, picture: &mut Picture| {
            *numbers.entry(place).or_insert_with(|| {
                let lines = place.map(|place| standing.lines(frame, place)).unwrap_or_default();
                let is_initial = place == Some(first);
                let label = match (place, is_initial) {
                    (None, _) => "ended".to_owned(),
                    (Some(_), true) => format!("{name}\n{lines}"),
                    (Some(place), false) if lines.is_empty() => format!("place {place}"),
                    (Some(_), false) => lines,
                };
                let kind = if place.is_none() { NodeKind::End } else { NodeKind::Plain };
                picture.nodes.push(Node { label, is_initial, kind });
                picture.nodes.len() - 1
            })
        };
        number(Some(first), &mut picture);
        let reached = reached_from(first, &found);
        for edge in found.into_iter().filter(|edge| reached.contains(&edge.from)) {
            let action = &system.actions[edge.action];
            let label = match (&action.peer, edge.role) {
                (Some((text, _)), Role::PEER) => text.clone(),
                _ => action.name.clone(),
            };
            let (from, to) = (number(Some(edge.from), &mut picture), number(edge.to, &mut picture));
            let edge = Edge { from, to, label, is_on_trace: false };
            if !picture.edges.contains(&edge) {
                picture.edges.push(edge);
            }
        }
    }
    Ok(picture)
}
