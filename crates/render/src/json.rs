//! The JSON documents of `--json` and `--trace`. Their fields are a contract with scripts: none goes away or changes its
//! meaning; new ones may come.

use crate::profile::profile_json;
use crate::results::{Context, shortfall_word};
use crate::view::failure_message;
use crate::witness::witnesses_json;
use crate::{EntryView, Fields, Half, Json, LoopView, Shown, StateView, TraceView};
use lariat_base::{Diagnostic, Severity, SourceMap};
use lariat_engine::{Remembered, Settled, Shortfall, Unproven, Unreached, Verdict};
use lariat_store::Exactness;
use serde_json::{Map, Value, json};

/// The number that changes when a field goes away or changes its meaning.
pub(crate) const SCHEMA: u32 = 1;

/// The document of `--json`.
pub fn run_json<'a>(context: &Context<'a>, settled: &'a [Settled], warnings: &[Diagnostic]) -> Fields<'a> {
    let mut document = heading(context);
    document.put("properties", settled.iter().map(|settled| result_json(context, settled)).collect());
    if let Some(trail) = context.trail {
        document.put("trail", trail.into());
    }
    if !warnings.is_empty() {
        document.put("warnings", diagnostics_json(context.sources, warnings, Severity::Warning).into());
    }
    document
}

/// The document of `--trace FILE`: the trace of a property that fails, with all that is needed to read it again.
pub fn trace_document_json<'a>(context: &Context<'a>, property: Option<&str>, view: &TraceView<'a>) -> Fields<'a> {
    let mut document = heading(context);
    if let Some(property) = property {
        document.put("property", property.into());
    }
    document.put("kind", view.ending.kind.into());
    if let Some(decided) = view.cycle.as_ref().and_then(|cycle| cycle.decided) {
        document.put("decided_after", decided.into());
    }
    document.put("trace", trace_json(context, view));
    document
}

/// The document of `simulate --json`: the run of the seed, how it ends, and the last state.
pub fn simulation_json<'a>(context: &Context<'a>, seed: u64, view: &TraceView<'a>, last: &StateView) -> Fields<'a> {
    let mut document = heading(context);
    let mut put = |key: &str, value: Json<'a>| document.put(key, value);
    put("seed", seed.into());
    put("kind", view.ending.kind.into());
    put("message", view.ending.message.clone().into());
    put_place(&mut put, context, view);
    put("trace", trace_json(context, view));
    let variables: Map<String, Value> =
        last.variables.iter().map(|(name, value)| (name.clone(), shown(value))).collect();
    let channels: Map<String, Value> =
        last.channels.iter().map(|(name, value, _)| (name.clone(), shown(value))).collect();
    put("last", json!({ "variables": variables, "channels": channels, "processes": last.processes }).into());
    document
}

/// The document of `--json` for a model that could not be checked.
pub fn errors_json(version: &str, model: &str, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Value {
    let errors = diagnostics_json(sources, diagnostics, Severity::Error);
    json!({ "schema": SCHEMA, "version": version, "model": model, "properties": [], "errors": errors })
}

/// The diagnostics of one severity.
pub(crate) fn diagnostics_json(sources: &SourceMap, diagnostics: &[Diagnostic], severity: Severity) -> Value {
    let shown = |diagnostic: &Diagnostic| {
        let file = sources.file(diagnostic.span.file).map(|file| file.name.clone());
        let mut object = json!({
            "code": diagnostic.code,
            "message": diagnostic.message,
            "file": file,
            "line": sources.line(diagnostic.span),
            "column": sources.location(diagnostic.span).map_or(0, |place| place.column),
        });
        if let Some(help) = &diagnostic.help {
            object["help"] = help.clone().into();
        }
        object
    };
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).map(shown).collect()
}

pub(crate) fn heading<'a>(context: &Context<'_>) -> Fields<'a> {
    let mut heading = Fields::default();
    heading.put("schema", SCHEMA.into());
    heading.put("version", context.version.into());
    heading.put("model", context.model.into());
    if let Some(origin) = context.origin {
        heading.put("origin", origin.json().into());
    }
    heading
}

/// One property.
pub fn result_json<'a>(context: &Context<'a>, settled: &'a Settled) -> Json<'a> {
    let report = settled.report();
    let stats = &report.stats;
    let mut result = Fields::default();
    let mut put = |key: &str, value: Json<'a>| result.put(key, value);
    put("name", settled.name().into());
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Undecided(_) => "undecided",
    };
    put("verdict", verdict.into());
    if let Some(unreached) = context.unreached.filter(|_| report.taken.is_some()) {
        put("unreached", unreached.iter().map(|one| unreached_json(context, one)).collect());
    }
    if let Verdict::Undecided(shortfall) = report.verdict {
        put_shortfall(&mut put, shortfall);
    }
    put("engine", settled.engine().into());
    if !stats.store.is_empty() {
        put("store", stats.store.into());
    }
    put("exact", (report.exactness == Exactness::Exact).into());
    let whole = stats.digest.is_some() || stats.symbolic.as_ref().is_some_and(|figures| figures.complete);
    put("complete", whole.into());
    put("states", stats.states.into());
    if let Some(figures) = &stats.symbolic {
        // A number of any size, for programs whose numbers are not.
        put("states_exact", figures.states.to_string().into());
        put("variables", figures.variables.into());
        put("nodes", figures.nodes.into());
        put("peak_nodes", figures.peak_nodes.into());
        put("images", figures.images.into());
        put("reorderings", figures.reorderings.into());
    } else {
        put("transitions", stats.transitions.into());
    }
    match stats.symbolic.as_ref().and_then(|figures| figures.passes) {
        Some(passes) => put("passes", passes.into()),
        None => put("depth", stats.depth.into()),
    }
    put("bytes_per_state", ((stats.bytes_per_state * 10.0).round() / 10.0).into());
    put("peak_memory_bytes", context.peak_memory_bytes.unwrap_or(stats.peak_budget_bytes).into());
    if stats.refinements > 0 {
        put("refinements", stats.refinements.into());
    }
    if let Some(remembered) = &stats.remembered {
        put_remembered(&mut put, remembered);
    }
    if let Some(packing) = &stats.packing {
        let share = |share: f64| (share * 10_000.0).round() / 10_000.0;
        put("packets", packing.packets.into());
        put("classical_states", packing.states.into());
        put("head_bits", packing.head_bits.into());
        put("tails", packing.tails.into());
        put("classical_bytes", packing.classical_bytes().into());
        put("hybrid_bytes", packing.hybrid_bytes().into());
        put("matched", share(packing.matched()).into());
        put("break_even", share(packing.break_even()).into());
    }
    put("seconds", ((stats.elapsed.as_secs_f64() * 1000.0).round() / 1000.0).into());
    if let Some(digest) = stats.digest {
        put("digest", format!("{digest:016x}").into());
    }
    if let Some(profile) = &report.profile {
        put("profile", profile_json(profile, context.sources).into());
    }
    if let Some(Unproven { kind, steps }) = report.unproven {
        let (word, message) = (kind.word(settled.system()), failure_message(settled.system(), kind));
        put("met", json!({ "kind": word, "message": message, "transitions": steps }).into());
    }
    let views: Vec<TraceView<'a>> =
        settled.failures().map(|(e, story)| TraceView::new(settled.system(), context.sources, e, story)).collect();
    if let Some(first) = views.first() {
        put_failure(&mut put, context, first);
        if let Some(shortfall) = report.unfinished {
            put("unfinished", shortfall_word(&shortfall).into());
        }
    }
    if !settled.witnesses().is_empty() {
        put("witnesses", witnesses_json(context, settled));
    }
    if context.keep_going && !views.is_empty() {
        put("failure_count", report.failure_count.into());
        let failure = |view: &TraceView<'a>| {
            let mut failure = Fields::default();
            put_failure(&mut |key, value| failure.put(key, value), context, view);
            Json::from(failure)
        };
        put("failures", views.iter().map(failure).collect());
    }
    result.into()
}

/// A statement that is never executed, and whether control stands before it somewhere.
fn unreached_json(context: &Context<'_>, Unreached { statement, blocked }: &Unreached) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    put("process", statement.process.clone().into());
    if let Some(file) = context.sources.file(statement.span.file) {
        put("file", file.name.clone().into());
    }
    put("line", context.sources.line(statement.span).into());
    put("text", statement.text.clone().into());
    put("blocked", (*blocked).into());
    Value::Object(object)
}

pub(crate) fn put_shortfall<'a>(put: &mut impl FnMut(&str, Json<'a>), shortfall: Shortfall) {
    put("reason", shortfall_word(&shortfall).into());
    match shortfall {
        Shortfall::Memory { limit_bytes } => put("limit_bytes", limit_bytes.into()),
        Shortfall::Time { limit } => put("limit_seconds", limit.as_secs_f64().into()),
        Shortfall::Depth { limit } => put("limit_depth", limit.into()),
        Shortfall::Lossy { coverage } => put("coverage", coverage.into()),
        Shortfall::Interrupted | Shortfall::Automaton | Shortfall::Disk | Shortfall::Branching => {}
    }
}

/// What a memory that forgets, or that may take new states for known ones, has to tell. Its coverage is told with the verdict:
/// it is that of a search that came to its end.
fn put_remembered<'a>(put: &mut impl FnMut(&str, Json<'a>), remembered: &Remembered) {
    put("insertions", remembered.insertions.into());
    put("evictions", remembered.evictions.into());
    if let Some(of_each) = remembered.insertions_of_each {
        put("insertions_per_state", of_each.into());
    }
    if remembered.omission_probability.is_some() {
        put("runs", remembered.runs.into());
    }
    if let Some(runs) = remembered.runs_compared {
        put("runs_compared", runs.into());
    }
    let figures = [
        ("missed_states", remembered.missed_states),
        ("omission_probability", remembered.omission_probability),
        ("load", remembered.load),
    ];
    for (name, figure) in figures {
        if let Some(figure) = figure {
            put(name, figure.into());
        }
    }
    if let Some(hashes) = remembered.hashes {
        put("hashes", hashes.into());
        put("folds", remembered.folds.into());
    }
}

pub(crate) fn put_failure<'a>(put: &mut impl FnMut(&str, Json<'a>), context: &Context<'a>, view: &TraceView<'a>) {
    put("kind", view.ending.kind.into());
    put("message", view.ending.message.clone().into());
    put_place(put, context, view);
    if !view.ending.channels.is_empty() {
        let channels = view.ending.channels.iter().map(|(name, messages)| (name.clone(), shown(messages)));
        put("channels", Value::Object(channels.collect()).into());
    }
    // Only replayed traces become views of settled properties.
    put("replayed", true.into());
    if let Some(cycle) = &view.cycle {
        put_loop(put, cycle);
    }
    put("trace", trace_json(context, view));
}

/// Where a loop meets fairness, by numbers of steps as `step` has them, and whom it is unfair to.
pub(crate) fn put_loop<'a>(put: &mut impl FnMut(&str, Json<'a>), cycle: &LoopView) {
    let places = |steps: &[usize]| -> Value { steps.iter().map(|step| step - 1).collect() };
    let fairness = cycle.fairness.iter().map(|fairness| {
        let (enabled, taken) = (places(&fairness.asked), places(&fairness.given));
        json!({ "constraint": fairness.name, "enabled": enabled, "taken": taken })
    });
    if let Some(decided) = cycle.decided {
        put("decided_after", decided.into());
    }
    put("fairness", fairness.collect());
    let unfair = cycle.unfair.iter().map(|(process, pid, always)| {
        json!({ "process": process, "pid": pid, "leave_out_by": if *always { "weak" } else { "strong" } })
    });
    put("unfair_to", unfair.collect());
}

pub(crate) fn put_place<'a>(put: &mut impl FnMut(&str, Json<'a>), context: &Context<'_>, view: &TraceView<'_>) {
    if let Some(file) = context.sources.file(view.ending.span.file) {
        put("file", file.name.clone().into());
        put("line", context.sources.line(view.ending.span).into());
    }
}

/// A trace: one entry for each action, `stem` of them before the loop and `loop` in it; those of one indivisible step
/// have the same number `step`.
pub fn trace_json<'a>(context: &Context<'a>, view: &TraceView<'a>) -> Json<'a> {
    let start = view.cycle.as_ref().map_or(view.step_count, |cycle| cycle.start);
    let stem = view.entries_before(start);
    trace_fields(context, view, stem, view.entry_count() - stem).into()
}

/// The fields of a trace with so many entries before the loop and in it.
pub(crate) fn trace_fields<'a>(context: &Context<'a>, view: &TraceView<'a>, stem: usize, round: usize) -> Fields<'a> {
    let initial: Map<String, Value> = view.initial.iter().map(|(name, value)| (name.clone(), shown(value))).collect();
    let mut trace = Fields::default();
    trace.put("stem", stem.into());
    trace.put("loop", round.into());
    trace.put("transitions", view.step_count.into());
    trace.put("initial", initial.into());
    trace.put("steps", Json::Entries(Box::new(view.clone()), context.limit));
    trace
}

pub(crate) fn entry_json(entry: &EntryView) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    put_half(&mut put, &entry.actor);
    let change = |change: &crate::Change| {
        let before = change.before.as_ref().map_or(Value::Null, shown);
        (change.name.clone(), json!([before, shown(&change.after)]))
    };
    put("changes", Value::Object(entry.changes.iter().map(change).collect()));
    if let Some(peer) = &entry.peer {
        let mut receiver = Map::new();
        put_half(&mut |key, value| drop(receiver.insert(key.to_owned(), value)), peer);
        put("receiver", Value::Object(receiver));
    }
    if !entry.choices.is_empty() {
        put("choices", Value::Object(entry.choices.iter().map(|(name, value)| (name.clone(), shown(value))).collect()));
    }
    for (key, names) in [("started", &entry.started), ("ended", &entry.ended)] {
        if !names.is_empty() {
            put(key, names.clone().into());
        }
    }
    if let Some(printed) = &entry.printed {
        put("printed", printed.clone().into());
    }
    if !entry.errors.is_empty() {
        put("errors", entry.errors.clone().into());
    }
    if !entry.taken {
        put("taken", false.into());
    }
    put("step", entry.step.into());
    if entry.stutter {
        put("stutter", true.into());
    } else {
        put("action", entry.action.into());
        if !entry.trail.is_empty() {
            put("trail", entry.trail.clone().into());
        }
    }
    Value::Object(object)
}

fn put_half(put: &mut impl FnMut(&str, Value), half: &Half) {
    put("process", half.process.clone().into());
    put("pid", half.pid.into());
    if !half.file.is_empty() {
        put("file", half.file.clone().into());
    }
    put("line", half.line.into());
    put("text", half.text.clone().into());
}

pub(crate) fn shown(value: &Shown) -> Value {
    match value {
        Shown::Number(value) => (*value).into(),
        Shown::Name(name) => name.clone().into(),
        Shown::Messages(messages) => {
            messages.iter().map(|fields| fields.iter().map(shown).collect::<Value>()).collect()
        }
    }
}
