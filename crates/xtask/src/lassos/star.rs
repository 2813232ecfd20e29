//! One case with a formula of CTL*, settled by the oracle and by every engine for sets of states.

use super::compare::{Agreement, Compared, random_fair_search, temporal_of};
use lariat_engine::{
    Branching, Engine, FairSearch, Options, Property, Report, RunControl, Settled, SystemReplay, Task, Temporal,
    Verdict, WitnessStory,
};
use lariat_logic::Formula;
use lariat_system::LabelMeaning;
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use lariat_testkit::{Rng, TemporalCase};
use std::sync::Arc;

const MEMORY_BYTES: u64 = 1 << 26;
/// How many nodes the oracle may write out for one quantifier.
const NODES: usize = 10_000;

/// Settles the case in every way; the first difference is an error.
pub(super) fn compare(case: &TemporalCase) -> Result<Compared, String> {
    let system = &case.system;
    let Some(graph) = RunGraph::new(system, &GraphLimits::default()) else { return Ok(Compared::TooLarge) };
    let labels = case.labels().ok_or("a proposition is not a label")?;
    if labels.iter().any(|&label| !matches!(system.labels[label].meaning, LabelMeaning::State(_))) {
        return Ok(Compared::TooLarge);
    }
    let Some((holds, vacuous)) = graph.satisfies(&case.formula, &labels, &system.fairness, NODES) else {
        return Ok(Compared::TooLarge);
    };
    let mut agreement = Agreement { fails: !holds, vacuous, ..Agreement::default() };
    let mut rng = Rng::new(case.to_string().len() as u64);
    for formula in [case.formula.clone(), by_runs(&case.formula)] {
        let Ok(Some(property)) = Branching::of_star(formula, labels.clone()) else { return Ok(Compared::TooLarge) };
        let property = property.with_propositions(case.propositions.clone());
        let property = Property::Branching(Box::new(property));
        let replay = SystemReplay::of_branching(system, &property).map_err(|error| error.to_string())?;
        for engine in lariat::engines() {
            let name = engine.name();
            let said = |what: String| format!("{name}: {what}");
            let Some(report) = run(engine, case, &property, FairSearch::default()).map_err(said)? else {
                agreement.refused.push(name);
                continue;
            };
            agreement.runs += 1;
            if (report.verdict == Verdict::Holds, report.is_vacuous) != (holds, vacuous) {
                return Err(said(format!("{:?}, and the oracle says that it holds: {holds}", report.verdict)));
            }
            let settled = Settled::new("case", name, Arc::new(system.clone()), report, &replay)
                .map_err(|error| said(format!("a run does not replay: {error}")))?;
            agreement.right_traces += settled.witnesses().iter().map(count).sum::<u64>();
            let fair = FairSearch { compassion: None, ..random_fair_search(&mut rng) };
            let said = |what: String| format!("{name}, {fair:?}: {what}");
            if let Some(report) = run(engine, case, &property, fair).map_err(said)? {
                agreement.fair_searches += 1;
                if (report.verdict == Verdict::Holds, report.is_vacuous) != (holds, vacuous) {
                    return Err(said(format!("{:?}, and the oracle says that it holds: {holds}", report.verdict)));
                }
                Settled::new("case", name, Arc::new(system.clone()), report, &replay)
                    .map_err(|error| said(format!("a run does not replay: {error}")))?;
            }
        }
    }
    compare_as_linear(case, holds, &mut agreement)?;
    Ok(Compared::Agreed(agreement))
}

/// Where all runs are to satisfy a formula of linear time, the engines for these say the same.
fn compare_as_linear(case: &TemporalCase, holds: bool, agreement: &mut Agreement) -> Result<(), String> {
    let Formula::ForAll(path) = &case.formula else { return Ok(()) };
    if path.has_quantifier() {
        return Ok(());
    }
    let Some(temporal) = temporal_of(&TemporalCase { formula: (**path).clone(), ..case.clone() }) else {
        return Ok(());
    };
    let property: Box<Temporal> = Box::new(temporal);
    let mut taken = 0;
    for engine in lariat::engines() {
        let said = |what: String| format!("{}, as linear time: {what}", engine.name());
        let report = run(engine, case, &Property::Temporal(property.clone()), FairSearch::default()).map_err(said)?;
        let Some(report) = report else { continue };
        taken += 1;
        if (report.verdict == Verdict::Holds) != holds {
            return Err(said(format!("{:?}, and as CTL* it holds: {holds}", report.verdict)));
        }
    }
    agreement.runs += taken;
    // One that goes from state to state, and one by sets of states.
    if taken < 2 { Err(format!("as linear time it is taken by {taken} engines")) } else { Ok(()) }
}

/// What the engine says; `None` if it does not take the property.
fn run(
    engine: &dyn Engine,
    case: &TemporalCase,
    property: &Property,
    fair: FairSearch,
) -> Result<Option<Report>, String> {
    let task = Task::of_system(&case.system, property.clone(), Options { fair, ..Options::default() });
    let Ok(prepared) = engine.prepare(&task) else { return Ok(None) };
    let control = RunControl::new(MEMORY_BYTES, None);
    let report = prepared.run(&control).map_err(|error| error.to_string())?;
    // What was searched on disk can go.
    control.answered();
    match report.verdict {
        Verdict::Holds | Verdict::Fails(_) => Ok(Some(report)),
        other => Err(format!("{other:?}")),
    }
}

/// How many runs there are, those inside of it included.
fn count(witness: &WitnessStory) -> u64 {
    1 + witness.nested.iter().map(|(_, nested)| count(nested)).sum::<u64>()
}

/// The formula in which every quantifier stands before a formula that is not of CTL, though it says the same.
fn by_runs(formula: &Formula) -> Formula {
    let changed = formula.map_operands(by_runs);
    let with_more = |path: &Formula| Formula::and([Formula::True, path.clone()]);
    match &changed {
        Formula::ForSome(path) => Formula::for_some(with_more(path)),
        Formula::ForAll(path) => Formula::for_all(with_more(path)),
        _ => changed,
    }
}
