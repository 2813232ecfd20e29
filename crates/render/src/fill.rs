//! The documents of runs and answers, filled in.

use crate::control::{MOST_PLACES, control_rows};
use crate::documents::{
    AuditRows, AutomatonEdgeRow, AutomatonRows, CheckedTraceDocument, ClusterRows, ComputedRows, ControlRows, DiskRows,
    Document, Entry, ErrorsDocument, Failure, FairnessRow, Figures, GpuRows, Heading, LastState, LoopRows, Met,
    PackingRows, Participant, Place, Problem, PropertyResult, RememberedRows, RunDocument, SCHEMA, Shortcoming,
    SimulationDocument, SourceText, SymbolicRows, Table, Trace, TraceDocument, UnfairRow, UnreachedStatement,
    WitnessRun, WorkerRows, WrittenSteps,
};
use crate::ending::failure_message;
use crate::profile::profile_document;
use crate::results::{Context, has_runs, shortfall_word};
use crate::witness::witness_runs;
use crate::{EntryView, Half, LoopView, StateView, TraceView};
use lariat_base::{Diagnostic, Severity, SourceFile, SourceMap};
use lariat_engine::{
    Audit, AutomatonEdge, AutomatonRun, ClusterFigures, DiskFigures, Evidence, GpuFigures, Packing, Remembered,
    Settled, Shortfall, Story, SymbolicFigures, Unproven, Unreached, Verdict, WorkerFigures,
};
use lariat_store::Exactness;
use lariat_system::System;

/// The document of `--json`. What could not be written elsewhere is in `errors`.
pub fn run_document<'a>(
    context: &Context<'a>,
    settled: &'a [Settled],
    warnings: &[Diagnostic],
    errors: &[Diagnostic],
) -> Document<RunDocument<WrittenSteps<'a>>> {
    let mut properties: Vec<_> = settled.iter().map(|settled| property_result(context, settled)).collect();
    keep_few_graphs(&mut properties);
    Document(RunDocument {
        heading: heading(context),
        properties,
        trail: context.trail.map(str::to_owned),
        warnings: if_any(problems(context.sources, warnings, Severity::Warning)),
        errors: if_any(problems(context.sources, errors, Severity::Error)),
        sources: sources(context),
        control_graphs: control_graphs_of_all(context, settled),
    })
}

/// In one document, the states around more runs are not listed.
const MOST_GRAPHS: usize = 12;

/// Leaves out the graphs of states of all runs but the first.
fn keep_few_graphs<S>(properties: &mut [PropertyResult<S>]) {
    fn traces_of<'t, S>(witness: &'t mut WitnessRun<S>, found: &mut Vec<&'t mut Trace<S>>) {
        found.push(&mut witness.trace);
        witness.nested.iter_mut().for_each(|nested| traces_of(nested, found));
    }
    let mut traces = Vec::new();
    for property in properties {
        let failures = property.failure.iter_mut().chain(property.failures.iter_mut().flatten());
        traces.extend(failures.map(|failure| &mut failure.trace));
        property.witnesses.iter_mut().flatten().for_each(|witness| traces_of(witness, &mut traces));
    }
    for trace in traces.into_iter().filter(|trace| trace.graph.is_some()).skip(MOST_GRAPHS) {
        trace.graph = None;
        trace.no_graph = Some(format!("the document has those around {MOST_GRAPHS} other runs"));
    }
}

/// How control moves, if documents carry that.
fn control_graphs(context: &Context<'_>, system: &System) -> Option<Vec<ControlRows>> {
    context.with_graphs.then(|| control_rows(system, context.sources, MOST_PLACES))
}

/// The same for several properties, unless it is not the same for all that have a run.
fn control_graphs_of_all(context: &Context<'_>, settled: &[Settled]) -> Option<Vec<ControlRows>> {
    let mut graphs =
        settled.iter().filter(|settled| has_runs(settled)).map(|one| control_graphs(context, one.system()));
    let first = graphs.next()??;
    graphs.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The texts of the model, if documents carry them.
pub(crate) fn sources(context: &Context<'_>) -> Option<Vec<SourceText>> {
    let text = |file: &SourceFile| SourceText { file: file.name.clone(), text: file.text.clone() };
    context.with_model.then(|| context.sources.files().map(|(_, file)| text(file)).collect())
}

/// The document of a saved run: the run with all that is needed to read it again.
pub fn trace_document<'a>(
    context: &Context<'a>,
    property: Option<&str>,
    view: &TraceView<'a>,
) -> Document<TraceDocument<WrittenSteps<'a>>> {
    Document(TraceDocument {
        heading: heading(context),
        property: property.map(str::to_owned),
        kind: Some(view.ending.kind.to_owned()),
        message: Some(view.ending.message.clone()),
        detail: view.ending.detail.clone(),
        place: place(context, view),
        blamed: if_any(view.ending.blamed.clone()),
        decided_after: view.decided,
        channels: None,
        cycle: view.cycle.as_ref().map(loop_rows),
        last: Some(last_state(&view.last_state())),
        sources: sources(context),
        control_graphs: context.with_graphs.then(|| view.control_graphs()),
        trace: trace(context, view),
    })
}

/// The document of `--trace FILE`: the trace of a property that fails, with all that is needed to read it again and to make a
/// report of it.
pub fn settled_trace_document<'a>(
    context: &Context<'a>,
    settled: &'a Settled,
    evidence: &Evidence,
    story: &'a Story,
) -> Document<CheckedTraceDocument<WrittenSteps<'a>>> {
    let view = TraceView::new(settled.system(), context.sources, evidence, story);
    let stats = &settled.report().stats;
    Document(CheckedTraceDocument {
        document: trace_document(context, Some(settled.name()), &view).0,
        figures: Some(Figures {
            engine: settled.engine().to_owned(),
            store: (!stats.store.is_empty()).then(|| stats.store.to_owned()),
            states: stats.states,
            transitions: stats.transitions,
            depth: stats.depth,
            peak_memory_bytes: stats.peak_memory_bytes,
            seconds: rounded(stats.elapsed.as_secs_f64(), 1e6),
        }),
        automaton: automaton(context, settled, story),
        witnesses: if_any(witness_runs(context, settled)),
    })
}

/// The automaton of the property along the run, if documents carry it.
fn automaton(context: &Context<'_>, settled: &Settled, story: &Story) -> Option<AutomatonRows> {
    let AutomatonRun { states, initial, accepting, edges, acceptance, run } =
        context.with_model.then(|| AutomatonRun::new(settled, story))??;
    let edges =
        edges.into_iter().map(|AutomatonEdge { from, to, guard, marks }| AutomatonEdgeRow { from, to, guard, marks });
    Some(AutomatonRows { states, initial, accepting, edges: edges.collect(), acceptance, run })
}

fn last_state(view: &StateView) -> LastState {
    LastState {
        variables: view.variables.iter().cloned().collect(),
        channels: view.channels.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect(),
        processes: view.processes.clone(),
    }
}

/// The document of `simulate --json`: the run of the seed, how it ends, and the last state.
pub fn simulation_document<'a>(
    context: &Context<'a>,
    seed: u64,
    view: &TraceView<'a>,
    last: &StateView,
) -> Document<SimulationDocument<WrittenSteps<'a>>> {
    Document(SimulationDocument {
        heading: heading(context),
        seed,
        kind: Some(view.ending.kind.to_owned()),
        message: view.ending.message.clone(),
        place: place(context, view),
        sources: sources(context),
        control_graphs: context.with_graphs.then(|| view.control_graphs()),
        trace: trace(context, view),
        last: last_state(last),
    })
}

/// The document of `--json` for a model that could not be checked.
pub fn errors_document(
    version: &str,
    model: &str,
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
) -> Document<ErrorsDocument> {
    Document(ErrorsDocument {
        heading: Heading { schema: Some(SCHEMA), version: version.to_owned(), model: model.to_owned(), origin: None },
        properties: Vec::new(),
        errors: problems(sources, diagnostics, Severity::Error),
    })
}

/// The diagnostics of one severity.
pub(crate) fn problems(sources: &SourceMap, diagnostics: &[Diagnostic], severity: Severity) -> Vec<Problem> {
    let problem = |diagnostic: &Diagnostic| Problem {
        code: diagnostic.code.to_owned(),
        message: diagnostic.message.clone(),
        file: sources.file(diagnostic.span.file).map(|file| file.name.clone()),
        line: sources.line(diagnostic.span),
        column: sources.location(diagnostic.span).map_or(0, |place| place.column),
        help: diagnostic.help.clone(),
    };
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).map(problem).collect()
}

pub(crate) fn heading(context: &Context<'_>) -> Heading {
    Heading {
        schema: Some(SCHEMA),
        version: context.version.to_owned(),
        model: context.model.to_owned(),
        origin: context.origin.cloned(),
    }
}

/// A list, unless there is nothing in it.
pub(crate) fn if_any<T>(items: Vec<T>) -> Option<Vec<T>> {
    if items.is_empty() { None } else { Some(items) }
}

/// One property.
pub(crate) fn property_result<'a>(context: &Context<'a>, settled: &'a Settled) -> PropertyResult<WrittenSteps<'a>> {
    let report = settled.report();
    let stats = &report.stats;
    let (verdict, shortcoming) = match report.verdict {
        Verdict::Holds => ("holds", None),
        Verdict::Fails(_) => ("fails", None),
        Verdict::Computed(_) => ("computed", None),
        Verdict::Undecided(shortfall) => ("undecided", Some(shortcoming(shortfall))),
    };
    let unreached = context.unreached.filter(|_| report.taken.is_some());
    let whole = stats.digest.is_some()
        || stats.is_written_out
        || stats.symbolic.as_ref().is_some_and(|figures| figures.complete);
    let passes = stats.symbolic.as_ref().and_then(|figures| figures.passes);
    let has_failures = settled.failures().len() > 0;
    let all_failures = context.keep_going && has_failures;
    let unfinished = report.unfinished.filter(|_| has_failures);
    let failures = || {
        settled.failures().map(|(evidence, story)| {
            let view = TraceView::new(settled.system(), context.sources, evidence, story);
            Failure { automaton: automaton(context, settled, story), ..failure(context, &view) }
        })
    };
    PropertyResult {
        name: Some(settled.name().to_owned()),
        verdict: verdict.to_owned(),
        vacuous: settled.vacuity().map(str::to_owned),
        unreached: unreached.map(|unreached| unreached.iter().map(|one| unreached_statement(context, one)).collect()),
        shortcoming,
        computed: computed_rows(&report.verdict),
        engine: settled.engine().to_owned(),
        store: (!stats.store.is_empty()).then(|| stats.store.to_owned()),
        exact: report.exactness == Exactness::Exact,
        complete: whole,
        reduced: stats.is_reduced.then_some(true),
        audit: stats.audit.as_ref().map(audit_rows),
        states: stats.states,
        symbolic: stats.symbolic.as_ref().map(symbolic_rows),
        transitions: stats.symbolic.is_none().then_some(stats.transitions),
        passes,
        depth: passes.is_none().then_some(stats.depth),
        bytes_per_state: rounded(stats.bytes_per_state, 10.0),
        peak_memory_bytes: stats.peak_memory_bytes,
        refinements: (stats.refinements > 0).then_some(stats.refinements),
        remembered: stats.remembered.as_ref().map(remembered_rows),
        packing: stats.packing.as_ref().map(packing_rows),
        disk: stats.disk.as_ref().map(disk_rows),
        cluster: stats.cluster.as_ref().map(cluster_rows),
        gpu: stats.gpu.as_ref().map(gpu_rows),
        seconds: rounded(stats.elapsed.as_secs_f64(), 1e6),
        digest: stats.digest.map(|digest| format!("{digest:016x}")),
        profile: report.profile.as_ref().map(|profile| profile_document(profile, context.sources)),
        met: report.unproven.map(|Unproven { kind, steps }| Met {
            kind: kind.word(settled.system()).to_owned(),
            message: failure_message(settled.system(), kind).to_owned(),
            transitions: steps,
        }),
        failure: failures().next(),
        unfinished: unfinished.map(|shortfall| shortfall_word(&shortfall).to_owned()),
        witnesses: if_any(witness_runs(context, settled)),
        failure_count: all_failures.then_some(report.failure_count),
        failures: all_failures.then(|| failures().collect()),
    }
}

fn audit_rows(audit: &Audit) -> AuditRows {
    let graphs = audit.graphs.as_ref();
    AuditRows {
        verdicts: audit.verdicts,
        graphs: graphs.is_some(),
        states: graphs.map(|graphs| graphs.states),
        left: graphs.map(|graphs| graphs.left),
        dead_ends: graphs.map(|graphs| graphs.dead_ends),
        faults: graphs.map(|graphs| graphs.faults),
        actions: graphs.map(|graphs| graphs.actions),
        letters: graphs.and_then(|graphs| graphs.letters),
    }
}

/// The number with as many parts of one.
pub(crate) fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

/// A statement that is never executed, and whether control stands before it somewhere.
fn unreached_statement(context: &Context<'_>, Unreached { statement, blocked }: &Unreached) -> UnreachedStatement {
    UnreachedStatement {
        process: statement.process.clone(),
        file: context.sources.file(statement.span.file).map(|file| file.name.clone()),
        line: context.sources.line(statement.span),
        text: statement.text.clone(),
        blocked: *blocked,
    }
}

pub(crate) fn shortcoming(shortfall: Shortfall) -> Shortcoming {
    let mut shortcoming = Shortcoming {
        reason: shortfall_word(&shortfall).to_owned(),
        limit_bytes: None,
        limit_seconds: None,
        limit_depth: None,
        coverage: None,
    };
    match shortfall {
        Shortfall::Memory { limit_bytes } => shortcoming.limit_bytes = Some(limit_bytes),
        Shortfall::Time { limit } => shortcoming.limit_seconds = Some(limit.as_secs_f64()),
        Shortfall::NotStarted { time_limit } => shortcoming.limit_seconds = time_limit.map(|limit| limit.as_secs_f64()),
        Shortfall::Depth { limit } => shortcoming.limit_depth = Some(limit),
        Shortfall::Lossy { coverage } => shortcoming.coverage = Some(coverage),
        Shortfall::GraphSize { .. }
        | Shortfall::Effort
        | Shortfall::Interrupted
        | Shortfall::Automaton
        | Shortfall::Disk
        | Shortfall::Cluster
        | Shortfall::Branching => {}
    }
    shortcoming
}

fn computed_rows(verdict: &Verdict) -> Option<ComputedRows> {
    let Verdict::Computed(quantity) = verdict else { return None };
    Some(ComputedRows {
        value: quantity.to_string(),
        steps: quantity.steps(),
        why: quantity.reason().map(str::to_owned),
    })
}

fn symbolic_rows(figures: &SymbolicFigures) -> SymbolicRows {
    SymbolicRows {
        states_exact: figures.states.to_string(),
        variables: figures.variables,
        nodes: figures.nodes,
        peak_nodes: figures.peak_nodes,
        images: figures.images,
        reorderings: figures.reorderings,
        cone_variables: figures.cone.as_ref().map(|cone| cone.variables),
        cone_states: figures.cone.as_ref().map(|cone| cone.states.to_string()),
    }
}

/// What a memory that forgets, or that may take new states for known ones, has to tell. Its coverage is told with the verdict:
/// it is that of a search that came to its end.
fn remembered_rows(remembered: &Remembered) -> RememberedRows {
    RememberedRows {
        insertions: remembered.insertions,
        evictions: remembered.evictions,
        insertions_per_state: remembered.insertions_of_each,
        runs: remembered.omission_probability.map(|_| remembered.runs),
        runs_compared: remembered.runs_compared,
        missed_states: remembered.missed_states,
        omission_probability: remembered.omission_probability,
        load: remembered.load,
        hashes: remembered.hashes,
        folds: remembered.hashes.map(|_| remembered.folds),
    }
}

fn disk_rows(disk: &DiskFigures) -> DiskRows {
    DiskRows {
        folder: disk.folder.display().to_string(),
        paused: disk.is_paused,
        resumed: disk.is_resumed,
        may_be_longer: disk.may_be_longer.then_some(true),
        layers: disk.layers,
        expanded: disk.expanded,
        layer_bytes: disk.layer_bytes,
        read_bytes: disk.read_bytes,
        written_bytes: disk.written_bytes,
        bound_bytes: disk.bound_bytes,
        trouble: disk.trouble.clone(),
    }
}

fn cluster_rows(cluster: &ClusterFigures) -> ClusterRows {
    let worker = |worker: &WorkerFigures| WorkerRows {
        states: worker.states,
        transitions: worker.transitions,
        store_bytes: worker.store_bytes,
        sent_states: worker.sent_states,
        sent_bytes: worker.sent_bytes,
        parcels: worker.parcels,
    };
    ClusterRows {
        processes: cluster.processes,
        imbalance: rounded(cluster.imbalance(), 1000.0),
        workers: cluster.workers.iter().map(worker).collect(),
        trouble: cluster.trouble.clone(),
    }
}

fn gpu_rows(gpu: &GpuFigures) -> GpuRows {
    GpuRows {
        card: gpu.card.clone(),
        compile_seconds: rounded(gpu.compile_time.as_secs_f64(), 1e6),
        compiled_before: gpu.is_compiled_before,
        search_seconds: rounded(gpu.search_time.as_secs_f64(), 1e6),
        key_bits: gpu.key_bits,
        restarts: gpu.restarts,
        listed_by_processor: gpu.punts,
        memory_bytes: gpu.memory_bytes,
    }
}

fn packing_rows(packing: &Packing) -> PackingRows {
    PackingRows {
        packets: packing.packets,
        classical_states: packing.states,
        head_bits: packing.head_bits,
        tails: packing.tails,
        classical_bytes: packing.classical_bytes(),
        hybrid_bytes: packing.hybrid_bytes(),
        matched: rounded(packing.matched(), 10_000.0),
        break_even: rounded(packing.break_even(), 10_000.0),
    }
}

fn failure<'a>(context: &Context<'a>, view: &TraceView<'a>) -> Failure<WrittenSteps<'a>> {
    Failure {
        kind: Some(view.ending.kind.to_owned()),
        message: view.ending.message.clone(),
        detail: view.ending.detail.clone(),
        place: place(context, view),
        blamed: if_any(view.ending.blamed.clone()),
        channels: view.ending.channels.iter().cloned().collect::<Table<_>>().if_any(),
        // Only replayed traces become views of settled properties.
        replayed: true,
        decided_after: view.decided,
        cycle: view.cycle.as_ref().map(loop_rows),
        last: Some(last_state(&view.last_state())),
        automaton: None,
        trace: trace(context, view),
    }
}

/// Where a loop meets fairness, by numbers of steps as `step` has them, and whom it is unfair to.
pub(crate) fn loop_rows(cycle: &LoopView) -> LoopRows {
    let places = |steps: &[usize]| steps.iter().map(|step| step - 1).collect();
    let fairness = cycle.fairness.iter().map(|fairness| FairnessRow {
        constraint: fairness.name.clone(),
        enabled: places(&fairness.asked),
        taken: places(&fairness.given),
    });
    let unfair = cycle.unfair.iter().map(|(process, pid, always)| UnfairRow {
        process: process.clone(),
        pid: *pid,
        leave_out_by: if *always { "weak" } else { "strong" }.to_owned(),
    });
    LoopRows { fairness: fairness.collect(), unfair_to: unfair.collect() }
}

pub(crate) fn place(context: &Context<'_>, view: &TraceView<'_>) -> Place {
    let file = context.sources.file(view.ending.span.file).map(|file| file.name.clone());
    let line = file.as_ref().map(|_| context.sources.line(view.ending.span));
    Place { file, line }
}

/// A trace: one entry for each action, `stem` of them before the loop and `loop` in it; those of one indivisible step
/// have the same number `step`.
pub(crate) fn trace<'a>(context: &Context<'a>, view: &TraceView<'a>) -> Trace<WrittenSteps<'a>> {
    let start = view.cycle.as_ref().map_or(view.step_count, |cycle| cycle.start);
    let stem = view.entries_before(start);
    let (graph, no_graph) = match context.with_graphs.then(|| view.graph(context.limit)) {
        Some(Ok(graph)) => (Some(graph), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    Trace { graph, no_graph, ..trace_with(context, view, stem, view.entry_count() - stem) }
}

/// A trace with so many entries before the loop and in it.
pub(crate) fn trace_with<'a>(
    context: &Context<'a>,
    view: &TraceView<'a>,
    stem: usize,
    round: usize,
) -> Trace<WrittenSteps<'a>> {
    let view = if context.with_model { view.clone().with_standing() } else { view.clone() };
    let capacities = || view.capacities().into_iter().collect::<Table<_>>().if_any();
    Trace {
        stem: Some(stem),
        r#loop: round,
        transitions: view.step_count,
        initial: view.initial.iter().cloned().collect(),
        rounds: None,
        standing: view.first_standing().and_then(|standing| standing.into_iter().collect::<Table<_>>().if_any()),
        capacities: context.with_model.then(capacities).flatten(),
        control: view.first_control().and_then(|control| control.into_iter().collect::<Table<_>>().if_any()),
        graph: None,
        no_graph: None,
        steps: WrittenSteps { view: Box::new(view), limit: context.limit },
    }
}

/// The entries of a run as documents have them.
pub fn story_entries(view: &TraceView<'_>) -> Vec<Entry> {
    view.entries().map(|view| entry(&view)).collect()
}

pub(crate) fn entry(entry: &EntryView) -> Entry {
    let change = |change: &crate::Change| (change.name.clone(), (change.before.clone(), Some(change.after.clone())));
    let trail = entry.trail.iter().map(|&number| number.into()).collect();
    Entry {
        actor: participant(&entry.actor),
        changes: Some(entry.changes.iter().map(change).collect()),
        receiver: entry.peer.as_ref().map(participant),
        choices: entry.choices.iter().cloned().collect::<Table<_>>().if_any(),
        started: if_any(entry.started.clone()),
        ended: if_any(entry.ended.clone()),
        printed: entry.printed.clone(),
        called_line: Some(entry.actor.called_line).filter(|line| *line != 0),
        errors: if_any(entry.errors.iter().map(|&error| error.to_owned()).collect()),
        truncated: if_any(entry.truncated.clone()),
        taken: (!entry.taken).then_some(false),
        step: entry.step,
        stutter: entry.stutter.then_some(true),
        action: (!entry.stutter).then_some(entry.action),
        trail: if entry.stutter { None } else { if_any(trail) },
        appeared: entry.appeared.iter().cloned().collect::<Table<_>>().if_any(),
        standing: entry.standing.iter().cloned().collect::<Table<_>>().if_any(),
        control: entry.control.iter().cloned().collect::<Table<_>>().if_any(),
    }
}

fn participant(half: &Half) -> Participant {
    Participant {
        process: Some(half.process.clone()),
        pid: half.pid.into(),
        file: (!half.file.is_empty()).then(|| half.file.clone()),
        line: half.line.into(),
        text: half.text.clone(),
    }
}
