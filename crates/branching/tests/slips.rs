//! Deliberate mistakes in the searches for fair loops are noticed by the comparison with the oracle, and without a mistake all
//! answers are right. Mistakes exist in debug builds only.

use lariat_automata::{TranslateOptions, translate};
use lariat_branching::{Checker, Extended, FairStates, How, LinearTime, Slip, SpaceStepper, constraints_of, make_slip};
use lariat_engine::{
    Branching, CompassionBy, Demand, FairBy, FairSearch, Options, Prune, Replay, Restrict, SystemReplay, Temporal,
};
use lariat_logic::Formula;
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_system::Fairness;
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use lariat_testkit::{Rng, TemporalCase};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A case, and whether some fair run is bad.
struct Known {
    case: TemporalCase,
    temporal: Temporal,
    fails: bool,
    /// Whether there is a fair run at all.
    has_runs: bool,
}

fn known(seed: u64) -> Option<Known> {
    let mut case = TemporalCase::generate(seed);
    case.system.actions.iter_mut().for_each(|action| action.hold = None);
    let rng = &mut Rng::new(seed);
    let ids: Vec<_> = case.system.labels.ids().collect();
    if ids.is_empty() {
        return None;
    }
    for _ in 0..rng.below(3) {
        let constraint = Fairness::compassion(*rng.pick(&ids), *rng.pick(&ids));
        case.system.fairness.push(constraint);
    }
    let graph = RunGraph::new(&case.system, &GraphLimits::default())?;
    let (labels, bad) = (case.labels()?, case.formula.negated());
    let fails = graph.has_fair_run(&bad, &labels, &case.system.fairness, 20_000)?;
    let has_runs = graph.has_fair_run(&Formula::True, &labels, &case.system.fairness, 20_000)?;
    let automaton = translate(&bad, &case.propositions, &TranslateOptions::default()).ok()?;
    let names: Vec<String> = case.propositions.entries().map(|(_, known)| known.text.clone()).collect();
    let demands = vec![Demand::Satisfies(bad)];
    let temporal = Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false };
    Some(Known { case, temporal, fails, has_runs })
}

/// Whether fair runs go from the states from which they do.
fn has_right_states(known: &Known, how: How) -> bool {
    let (system, constraints) = constraints_of(&known.case.system);
    let space = ReferenceSpace::new(&system).expect("small");
    let graph = Enumerated::new(&space, 100).expect("small");
    let sets = GraphSets::new(&graph);
    let property = Branching::new(Formula::for_some(Formula::globally(Formula::True)), Vec::new()).expect("of CTL");
    let fair = |how| {
        let all = sets.of(0..graph.states.len());
        let Ok(states) = FairStates::new(&sets, all, system.dead_ends, &constraints, how);
        Checker::new(&sets, &property, states).fair().clone()
    };
    fair(how) == fair(How::default())
}

/// Whether the answer is right, and its run replays. `None` if the system is too large, or refused.
fn is_right(known: &Known, how: How, compassion: CompassionBy, slip: Option<Slip>) -> Option<bool> {
    let Known { case, temporal, fails, has_runs } = known;
    if slip == Some(Slip::WrongEnd) {
        // In linear time some fair loop is left if there is one: which states reach it matters to branching time.
        return Some(has_right_states(known, how));
    }
    let fair = FairSearch { compassion: Some(compassion), ..FairSearch::default() };
    let options = Options { fair, ..Options::default() };
    let extended = Extended::of(&case.system, temporal, &options).ok()?;
    let system = extended.as_ref().map_or(&case.system, |extended| &extended.system);
    let (system, constraints) = constraints_of(system);
    let space = ReferenceSpace::new(&system).ok()?;
    let graph = Enumerated::new(&space, 1500).ok()?;
    let sets = GraphSets::new(&graph);
    let all = sets.of(0..graph.states.len());
    let extended = extended.as_deref();
    let property = LinearTime { system: &system, constraints: &constraints, temporal, extended, how };
    let stepper = SpaceStepper::new(&space, &system).telling(case.system.labels.len());
    if slip == Some(Slip::BottomIsComponent) {
        let Ok(found) = property.has_fair_run(&sets, &all);
        return Some(!found || *has_runs);
    }
    // A search may find out by itself that it went astray.
    if slip != Some(Slip::ZeroStepClose) {
        // A run that is not there may be looked for without end.
        let found = catch_unwind(AssertUnwindSafe(|| property.has_bad_run(&sets, &all)));
        return Some(found.is_ok_and(|Ok(found)| found == *fails));
    }
    let found = catch_unwind(AssertUnwindSafe(|| property.bad_run(&sets, &all, &stepper)));
    let Ok(Ok(found)) = found else { return Some(false) };
    let replay = SystemReplay::of_temporal(&case.system, temporal).expect("small");
    let replays = found.as_ref().is_none_or(|found| replay.replay(&found.trace, found.kind).is_ok());
    Some(found.is_some() == *fails && replays)
}

#[test]
fn every_slip_is_noticed() {
    if !make_slip(Some(Slip::StaysLight)) {
        println!("skipped: no mistakes in a release build");
        return;
    }
    make_slip(None);
    let usual = How { by: FairBy::Backward, prune: Prune::All, restrict: Restrict::Full };
    let light = How { restrict: Restrict::Light, ..usual };
    let (forward, components) = (How { by: FairBy::Forward, ..usual }, How { by: FairBy::Components, ..usual });
    let slips = [
        (Slip::StaysLight, light),
        (Slip::JusticeUnrestricted, usual),
        (Slip::CompassionUnrestricted, usual),
        (Slip::NoPruning, usual),
        (Slip::WrongEnd, forward),
        (Slip::ZeroStepClose, usual),
        (Slip::InputOfState, usual),
        (Slip::ComponentIsReach, components),
        (Slip::BottomIsComponent, usual),
        (Slip::EmptyLoop, components),
        (Slip::NoRefinement, components),
        (Slip::GuessStaysRight, usual),
    ];
    let cases: Vec<Known> = (0..1500).filter_map(known).collect();
    // What panics on the way is caught, and need not be shown.
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcomes: Vec<(Slip, usize, usize)> = slips
        .into_iter()
        .map(|(slip, how)| {
            let compassion = if slip == Slip::GuessStaysRight { CompassionBy::Justice } else { CompassionBy::Native };
            let wrong = |slip: Option<Slip>| {
                make_slip(slip);
                let wrong = cases.iter().filter(|known| is_right(known, how, compassion, slip) == Some(false));
                wrong.count()
            };
            (slip, wrong(None), wrong(Some(slip)))
        })
        .collect();
    std::panic::set_hook(shown);
    make_slip(None);
    for (slip, without, noticed) in outcomes {
        println!("{slip:?}: noticed in {noticed} of {} cases", cases.len());
        assert_eq!(without, 0, "without {slip:?}");
        assert!(noticed > 0, "{slip:?} makes no difference");
    }
}
