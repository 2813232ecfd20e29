//! One case, settled by the oracle and by every engine that takes it.

use super::traces::{Judge, broken, trace_of};
use lariat_automata::{TranslateOptions, translate};
use lariat_engine::{
    AcceptanceKind, CodeKind, Demand, Engine, FailureKind, Feature, Options, Property, Replacement, Replay, RunControl,
    Settled, Shortfall, Split, StoreKind, SystemReplay, Task, Temporal, TemporalBy, Verdict,
};
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use lariat_testkit::{Rng, TemporalCase};
use std::sync::Arc;

const MEMORY_BYTES: u64 = 1 << 26;
/// For a table that is filled with zeros in every run.
const TABLE_BYTES: u64 = 1 << 20;
/// How many nodes the oracle may write out.
const NODES: usize = 20_000;
/// How many runs are tried one by one, and how long they are at most.
const LASSOS: (usize, usize) = (300, 7);

/// How much is done about a case.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// By machine code too.
    pub(super) native: bool,
    /// How many of the runs that are tried one by one are shown to the replay.
    pub(super) replayed: usize,
}

/// Every engine, with the number of threads: one, and two where it can make use of them.
fn engines() -> impl Iterator<Item = (&'static dyn Engine, usize)> {
    let ways = |engine: &'static dyn Engine| {
        [1, 2].into_iter().filter(|threads| *threads <= engine.most_threads()).map(move |threads| (engine, threads))
    };
    lariat::engines().into_iter().flat_map(ways)
}

/// What a case came to.
pub(super) enum Compared {
    /// The oracle or the automaton would be too large.
    TooLarge,
    /// Everybody says the same.
    Agreed(Agreement),
}

/// What everybody says, and what was met on the way.
#[derive(Default)]
pub(super) struct Agreement {
    pub(super) fails: bool,
    /// A bad run was met by trying short ones.
    pub(super) found_by_trying: bool,
    /// No run meets the constraints at all.
    pub(super) vacuous: bool,
    /// Components were taken apart for strong fairness.
    pub(super) refined: bool,
    /// The engines that did not take it.
    pub(super) refused: Vec<&'static str>,
    /// Runs of engines.
    pub(super) runs: u64,
    /// Those by a tester.
    pub(super) tested: u64,
    /// Traces that were replayed and are right.
    pub(super) right_traces: u64,
    /// Traces that were refused and are wrong.
    pub(super) wrong_traces: u64,
}

/// Settles the case in every way; the first difference is an error.
pub(super) fn compare(case: &TemporalCase, effort: Effort) -> Result<Compared, String> {
    let system = &case.system;
    let Some(graph) = RunGraph::new(system, &GraphLimits::default()) else { return Ok(Compared::TooLarge) };
    let labels = case.labels().ok_or("a proposition is no label")?;
    let bad = case.formula.negated();
    let Some(fails) = graph.has_fair_run(&bad, &labels, &system.fairness, NODES) else {
        return Ok(Compared::TooLarge);
    };
    let Some(temporal) = temporal_of(case) else { return Ok(Compared::TooLarge) };
    let mut agreement = Agreement { fails, ..Agreement::default() };
    agreement.vacuous =
        graph.has_fair_run(&lariat_logic::Formula::True, &labels, &system.fairness, NODES) == Some(false);

    let lassos = graph.lassos(LASSOS.0, LASSOS.1);
    let is_right: Vec<bool> =
        lassos.iter().map(|lasso| lasso.is_fair(&system.fairness) && lasso.satisfies(&bad, &labels)).collect();
    agreement.found_by_trying = is_right.contains(&true);
    if agreement.found_by_trying && !fails {
        return Err("a bad run was met by trying, and the oracle says that there is none".to_owned());
    }

    let replay = SystemReplay::of_temporal(system, &temporal).map_err(|error| error.to_string())?;
    let judge = Judge { graph: &graph, labels: &labels, bad: &bad };
    let mut rng = Rng::new(lassos.len() as u64);
    let mut numbers: Vec<usize> = (0..lassos.len()).collect();
    for _ in 0..effort.replayed.min(lassos.len()) {
        let number = numbers.swap_remove(rng.below(numbers.len()));
        let trace = trace_of(&graph, &lassos[number]);
        let replayed = replay.replay(&trace, FailureKind::Cycle);
        if replayed.is_ok() != is_right[number] {
            let replayed = replayed.map_err(|error| error.to_string()).map(|_| "it replays");
            return Err(format!("a run that is right ({}): {replayed:?}, {trace:?}", is_right[number]));
        }
        *(if is_right[number] { &mut agreement.right_traces } else { &mut agreement.wrong_traces }) += 1;
    }

    for (engine, threads) in engines() {
        let name = engine.name();
        for (store, code, acceptance, temporal_by) in ways(effort.native) {
            let options = Options { store, code, threads, acceptance, temporal_by, ..Options::default() };
            let mut task = Task::of_system(system, Property::Temporal(Box::new(temporal.clone())), options);
            // Sets of states run no code.
            if engine.prepare(&task).is_err_and(|refusal| refusal.feature == Feature::Code) && code != CodeKind::Native
            {
                task.options.code = CodeKind::Auto;
            }
            let Ok(prepared) = engine.prepare(&task) else {
                if (store, threads) == (StoreKind::Tree, 1)
                    && (code, temporal_by) == (CodeKind::Bytecode, TemporalBy::Automaton)
                {
                    agreement.refused.push(name);
                }
                continue;
            };
            agreement.runs += 1;
            agreement.tested += u64::from(temporal_by == TemporalBy::Tester);
            let said = |what: String| {
                format!("{name}, {store:?}, {code:?}, {acceptance:?}, {temporal_by:?}, {threads} threads: {what}")
            };
            let control = RunControl::new(if store.is_lossy() { TABLE_BYTES } else { MEMORY_BYTES }, None);
            let report = prepared.run(&control).map_err(|error| said(error.to_string()))?;
            match &report.verdict {
                Verdict::Holds if !fails && !store.is_lossy() => {}
                // There is room enough: that something is missed is next to impossible.
                Verdict::Undecided(Shortfall::Lossy { .. }) if !fails && store.is_lossy() => {}
                Verdict::Fails(_) if fails => {}
                other => {
                    let expected = if fails { "fails" } else { "holds" };
                    return Err(said(format!("the oracle says that it {expected}, the engine {other:?}")));
                }
            }
            agreement.refined |= report.stats.refinements > 0;
            let settled = Settled::new("case", name, Arc::new(system.clone()), report, &replay)
                .map_err(|error| said(format!("a trace does not replay: {error}")))?;
            for (evidence, _) in settled.failures() {
                if !judge.accepts(&evidence.trace) {
                    return Err(said(format!("the oracle does not believe the trace {:?}", evidence.trace)));
                }
                agreement.right_traces += 1;
                for (how, trace) in broken(&evidence.trace, &graph, &mut rng) {
                    let right = judge.accepts(&trace);
                    let replayed = replay.replay(&trace, FailureKind::Cycle);
                    if replayed.is_ok() != right {
                        let replayed = replayed.map_err(|error| error.to_string()).map(|_| "it replays");
                        return Err(said(format!("a trace {how} that is right ({right}): {replayed:?}, {trace:?}")));
                    }
                    *(if right { &mut agreement.right_traces } else { &mut agreement.wrong_traces }) += 1;
                }
            }
        }
    }
    Ok(Compared::Agreed(agreement))
}

fn ways(native: bool) -> impl Iterator<Item = (StoreKind, CodeKind, AcceptanceKind, TemporalBy)> {
    let hybrid = |split| StoreKind::Hybrid { split };
    let interpreted = [
        (StoreKind::Tree, AcceptanceKind::Auto),
        (StoreKind::Flat, AcceptanceKind::Copies),
        (hybrid(Split::ClaimFairness), AcceptanceKind::Auto),
        (hybrid(Split::Claim), AcceptanceKind::Copies),
        (StoreKind::Cache { replacement: Replacement::Random }, AcceptanceKind::Auto),
        (StoreKind::Compact, AcceptanceKind::Copies),
        (StoreKind::Bitstate { hashes: 6 }, AcceptanceKind::Auto),
    ];
    let interpreted = interpreted.into_iter().map(|(store, acceptance)| (store, CodeKind::Bytecode, acceptance));
    let all = interpreted.chain(native.then_some((StoreKind::Tree, CodeKind::Native, AcceptanceKind::Auto)));
    let by_automaton = all.map(|(store, code, acceptance)| (store, code, acceptance, TemporalBy::Automaton));
    by_automaton.chain([(StoreKind::Tree, CodeKind::Bytecode, AcceptanceKind::Auto, TemporalBy::Tester)])
}

/// The property for engines; `None` if its automaton would be too large.
pub(super) fn temporal_of(case: &TemporalCase) -> Option<Temporal> {
    let bad = case.formula.negated();
    let names: Vec<String> = case.propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect();
    let automaton = translate(&bad, &case.propositions, &TranslateOptions::default()).ok()?;
    let demands = vec![Demand::Satisfies(bad)];
    Some(Temporal {
        bad: automaton.over_propositions(&names),
        labels: case.labels()?,
        demands,
        is_of_all_states: false,
    })
}
