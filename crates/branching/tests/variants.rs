//! Variants of FEASIBLE: what the paper's light restriction gets wrong, and compassion said in other ways, against the oracle.

use crate::errata::{fair_run, graph};
use crate::star::how_of;
use lariat_automata::{TranslateOptions, translate};
use lariat_branching::{Condition, Constraint, Extended, How, LinearTime, SpaceStepper, constraints_of};
use lariat_engine::{CompassionBy, Demand, FairSearch, Feature, Options, Replay, SystemReplay, Temporal, TemporalBy};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_system::{Fairness, LabelId, Strength};
use lariat_testkit::TemporalCase;
use lariat_testkit::oracle::{GraphLimits, RunGraph};

#[test]
fn light_restriction_does_not_keep_ways_through_what_was_removed() {
    // 0 asks for p's answer, which 2 gives, and the only way there is through 1, which asks for what nobody gives. Not even the
    // loop at 0 is fair. As printed, light restriction leaves 0 and 2.
    let [asks, gives, asks_other, gives_other] = [0, 1, 2, 3].map(LabelId);
    let edges: &[(usize, usize, &[_])] = &[(0, 0, &[]), (0, 1, &[]), (1, 2, &[]), (2, 0, &[])];
    let graph = graph(edges, &[&[asks], &[asks_other], &[gives]]);
    let compassion = |asked, given| Constraint::compassion(Condition::State(asked), Condition::State(given));
    let both = [compassion(asks, gives), compassion(asks_other, gives_other)];
    assert_eq!(fair_run(&graph, &both), None);
    assert!(fair_run(&graph, &both[..1]).is_some());
    assert_eq!(fair_run(&graph, &both[1..]), Some((vec![0, 0], 0)));
}

/// How many seeds are tried.
const SEEDS: u64 = 100;
/// How many nodes the oracle may write out.
const NODES: usize = 20_000;
/// The most states that are written out of an extended system.
const STATES: usize = 600;

/// Whether a bad run is found in the extended system. It replays on the system itself. `None` if that is too large.
fn finds_bad_run(case: &TemporalCase, temporal: &Temporal, extended: &Extended, how: How) -> Option<bool> {
    extended.system.validate().expect("an extended system is valid");
    let (both, constraints) = constraints_of(&extended.system);
    let space = ReferenceSpace::new(&both).expect("small");
    let graph = Enumerated::new(&space, STATES).ok()?;
    let sets = GraphSets::new(&graph);
    let all = sets.of(0..graph.states.len());
    let property = LinearTime { system: &both, constraints: &constraints, temporal, extended: Some(extended), how };
    let stepper = SpaceStepper::new(&space, &both).telling(case.system.labels.len());
    let Ok(found) = property.bad_run(&sets, &all, &stepper);
    if let Some(evidence) = &found {
        let replay = SystemReplay::of_temporal(&case.system, temporal).expect("small");
        let replayed = replay.replay(&evidence.trace, evidence.kind);
        assert!(replayed.is_ok(), "{:?}, {:?}\n{case}", replayed.err(), evidence.trace);
    }
    Some(found.is_some())
}

#[test]
fn compassion_said_in_other_ways_means_the_same() {
    let ways = [CompassionBy::Formula, CompassionBy::Justice];
    let (mut compared, mut failing, mut refused) = ([0; 2], [0; 2], 0);
    for seed in 0..SEEDS {
        let mut case = TemporalCase::generate(seed);
        if seed % 8 != 0 {
            case.system.actions.iter_mut().for_each(|action| action.hold = None);
        }
        // Compassion only, between labels, so that there is some that can be said otherwise.
        let ids: Vec<_> = case.system.labels.ids().collect();
        if ids.is_empty() {
            continue;
        }
        let pick = |number: u64| ids[(seed.wrapping_mul(number) / 7) as usize % ids.len()];
        case.system.fairness.retain(|one| one.strength != Strength::Strong);
        for number in 1..2 + seed % 2 {
            let (asked, given) = (pick(3 * number), pick(5 * number + 1));
            case.system.fairness.push(Fairness::compassion(asked, given));
        }
        let Some(graph) = RunGraph::new(&case.system, &GraphLimits::default()) else { continue };
        let (Some(labels), bad) = (case.labels(), case.formula.negated()) else { continue };
        let Some(fails) = graph.has_fair_run(&bad, &labels, &case.system.fairness, NODES) else { continue };
        let Ok(automaton) = translate(&bad, &case.propositions, &TranslateOptions::default()) else { continue };
        let names: Vec<String> = case.propositions.entries().map(|(_, known)| known.text.clone()).collect();
        let demands = vec![Demand::Satisfies(bad)];
        let temporal = Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false };
        for (number, compassion) in ways.into_iter().enumerate() {
            let fair = FairSearch { compassion: Some(compassion), ..FairSearch::default() };
            let temporal_by = if seed % 3 == 0 { TemporalBy::Tester } else { TemporalBy::Automaton };
            let options = Options { fair, temporal_by, ..Options::default() };
            let extended = match Extended::of(&case.system, &temporal, &options) {
                Ok(extended) => extended.expect("something is asked for"),
                Err(refusal) => {
                    let is_known =
                        matches!(refusal.feature, Feature::Tester | Feature::FairSearch(_) | Feature::Acceptance);
                    assert!(is_known, "{refusal}");
                    refused += 1;
                    continue;
                }
            };
            let Some(found) = finds_bad_run(&case, &temporal, &extended, how_of(seed)) else { continue };
            assert_eq!(found, fails, "seed {seed}, {compassion:?}: the oracle says {fails}\n{case}");
            compared[number] += 1;
            failing[number] += usize::from(fails);
        }
    }
    println!("{compared:?} cases, {failing:?} fail, {refused} refused");
    assert!(compared.iter().all(|count| *count > 15) && failing.iter().all(|count| *count > 3), "{compared:?}");
}
