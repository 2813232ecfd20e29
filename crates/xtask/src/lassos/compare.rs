//! One case, settled by the oracle and by every engine that takes it.

use super::traces::{Judge, broken, trace_of};
use lariat_automata::{TranslateOptions, translate};
use lariat_engine::{
    AcceptanceKind, CodeKind, CompassionBy, Demand, Engine, FailureKind, FairBy, FairSearch, Feature, Options,
    Property, Prune, Replacement, Replay, Restrict, RunControl, Settled, Shortfall, Split, StoreKind, SystemReplay,
    Task, Temporal, TemporalBy, Verdict,
};
use lariat_testkit::oracle::{GraphLimits, RunGraph, RunLasso};
use lariat_testkit::{Rng, TemporalCase};
use std::sync::Arc;

const MEMORY_BYTES: u64 = 1 << 26;
/// For a table that is filled with zeros in every run.
const TABLE_BYTES: u64 = 1 << 20;
/// How many nodes the oracle may write out.
const NODES: usize = 20_000;
/// How many runs are tried one by one, and how long they are at most.
const LASSOS: (usize, usize) = (300, 7);
/// How many paths of one length are tried to find a shortest run.
const PATHS: usize = 3_000;

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
    /// Those with another search for fair loops than the default.
    pub(super) fair_searches: u64,
    /// Traces that were replayed and are right.
    pub(super) right_traces: u64,
    /// Traces that were refused and are wrong.
    pub(super) wrong_traces: u64,
    /// Shortest lassos that were found.
    pub(super) shortest: u64,
    /// Of these, those whose length was found by trying all runs, too.
    pub(super) proven_shortest: u64,
}

/// Settles the case in every way; the first difference is an error.
pub(super) fn compare(case: &TemporalCase, effort: Effort) -> Result<Compared, String> {
    let system = &case.system;
    let Some(graph) = RunGraph::new(system, &GraphLimits::default()) else { return Ok(Compared::TooLarge) };
    let labels = case.labels().ok_or("a proposition is not a label")?;
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

    // The steps of the shortest lasso of any engine.
    let mut fewest = usize::MAX;
    for (engine, threads) in engines() {
        let name = engine.name();
        let fair = (0..FAIR_SEARCHES).map(|_| random_fair_search(&mut rng));
        let fair = fair.map(|fair| Options { fair, code: CodeKind::Bytecode, ..Options::default() });
        for options in ways(effort.native).chain(fair.collect::<Vec<_>>()) {
            let options = Options { threads, ..options };
            let Options { store, code, acceptance, temporal_by, fair, .. } = options;
            let mut task = Task::of_system(system, Property::Temporal(Box::new(temporal.clone())), options);
            // Sets of states run no code.
            if engine.prepare(&task).is_err_and(|refusal| refusal.feature == Feature::Code) && code != CodeKind::Native
            {
                task.options.code = CodeKind::Auto;
            }
            let Ok(prepared) = engine.prepare(&task) else {
                if (store, threads) == (StoreKind::Tree, 1)
                    && (code, temporal_by) == (CodeKind::Bytecode, TemporalBy::Automaton)
                    && fair.given().is_none()
                {
                    agreement.refused.push(name);
                }
                continue;
            };
            agreement.runs += 1;
            agreement.tested += u64::from(temporal_by == TemporalBy::Tester);
            agreement.fair_searches += u64::from(fair.given().is_some());
            let said = |what: String| {
                format!(
                    "{name}, {store:?}, {code:?}, {acceptance:?}, {temporal_by:?}, {fair:?}, {threads} threads: {what}"
                )
            };
            let control = RunControl::new(if store.is_lossy() { TABLE_BYTES } else { MEMORY_BYTES }, None);
            let report = prepared.run(&control).map_err(|error| said(error.to_string()))?;
            // What was searched on disk can go.
            control.answered();
            match &report.verdict {
                // There is room enough: that something is missed is next to impossible.
                Verdict::Undecided(Shortfall::Lossy { .. }) if !fails && store.is_lossy() => {}
                verdict if !store.is_lossy() && verdict.may_be_said_by(engine, !fails) => {}
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
                if evidence.trace.loop_start.is_some() {
                    fewest = fewest.min(evidence.trace.steps.len());
                }
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
    let tried = || {
        let is_bad = |lasso: &RunLasso<'_>| lasso.is_fair(&system.fairness) && lasso.satisfies(&bad, &labels);
        graph.shortest_lasso(PATHS, is_bad)
    };
    compare_shortest(case, &temporal, &replay, fails.then(tried), fewest, &mut agreement)?;
    Ok(Compared::Agreed(agreement))
}

/// Settles the case with `--shortest`: no lasso is longer than that of any other engine, and none is longer or shorter than what
/// was found by trying all runs, if that could be done. Properties that a finite part of a run violates have no shortest
/// lasso but a shortest such part.
fn compare_shortest(
    case: &TemporalCase,
    temporal: &Temporal,
    replay: &SystemReplay<'_>,
    tried: Option<Result<usize, usize>>,
    fewest: usize,
    agreement: &mut Agreement,
) -> Result<(), String> {
    for (engine, threads) in engines() {
        let options = Options { threads, shortest: true, ..Options::default() };
        let task = Task::of_system(&case.system, Property::Temporal(Box::new(temporal.clone())), options);
        let Ok(prepared) = engine.prepare(&task) else { continue };
        let said = |what: String| format!("{}, shortest, {threads} threads: {what}", engine.name());
        let control = RunControl::new(MEMORY_BYTES, None);
        let report = prepared.run(&control).map_err(|error| said(error.to_string()))?;
        control.answered();
        match (&report.verdict, tried) {
            (Verdict::Holds, None) => continue,
            (Verdict::Fails(evidence), Some(tried)) if evidence.trace.decided.is_none() => {
                let steps = evidence.trace.steps.len();
                match tried {
                    Ok(known) if known != steps => {
                        return Err(said(format!("{steps} steps, and by trying all runs {known}")));
                    }
                    Err(none) if steps <= none => {
                        return Err(said(format!("{steps} steps, and by trying all runs there is none of {none}")));
                    }
                    _ if steps > fewest => return Err(said(format!("{steps} steps, and another engine has {fewest}"))),
                    _ => {}
                }
                agreement.shortest += 1;
                agreement.proven_shortest += u64::from(tried.is_ok());
            }
            (Verdict::Fails(_), Some(_)) => {}
            (other, _) => return Err(said(format!("{other:?}"))),
        }
        Settled::new("case", engine.name(), Arc::new(case.system.clone()), report, replay)
            .map_err(|error| said(format!("a trace does not replay: {error}")))?;
    }
    Ok(())
}

/// How many ways to search for fair loops each engine is asked for.
const FAIR_SEARCHES: usize = 2;

/// Some way to search for fair loops.
pub(super) fn random_fair_search(rng: &mut Rng) -> FairSearch {
    let by = *rng.pick(&[FairBy::Backward, FairBy::Forward, FairBy::Both, FairBy::Components]);
    let restrict = if by == FairBy::Components || rng.chance(50) { Restrict::Full } else { Restrict::Light };
    let prune = *rng.pick(&[Prune::All, Prune::OneStep]);
    let compassion = *rng.pick(&[None, Some(CompassionBy::Formula), Some(CompassionBy::Justice)]);
    FairSearch { by: Some(by), prune: Some(prune), restrict: Some(restrict), compassion }
}

fn ways(native: bool) -> impl Iterator<Item = Options> {
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
    let all = by_automaton.chain([(StoreKind::Tree, CodeKind::Bytecode, AcceptanceKind::Auto, TemporalBy::Tester)]);
    all.map(|(store, code, acceptance, temporal_by)| Options {
        store,
        code,
        acceptance,
        temporal_by,
        ..Options::default()
    })
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
