//! CTL* with past by sets of states, against the oracle of testkit, which knows neither automata nor fixpoints: the states in
//! which formulas hold, and the runs that show them, each replayed. On formulas of CTL and of LTL the algorithms for these say
//! the same. Deliberate mistakes are noticed.

use crate::linear::{MISTAKES, Mistake, Mistaken, mistaken};
use lariat_automata::{TranslateOptions, translate};
use lariat_branching::{Checker, FairStates, How, LinearTime, SpaceStepper, answer, constraints_of};
use lariat_engine::{Branching, Demand, Property, Replay, SystemReplay, Temporal, Verdict, Witness};
use lariat_logic::{Formula, Logic};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_system::LabelId;
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use lariat_testkit::{FormulaKnobs, Rng, TemporalCase, random_ctl, random_formula};

/// For so many seeds nothing differs without a mistake.
const SEEDS: u64 = 1500;
/// How many nodes the oracle may write out for one quantifier.
const NODES: usize = 6000;

/// The property of a case; `None` if it is too large.
fn property_of(case: &TemporalCase, formula: &Formula) -> Option<Branching> {
    let read = Branching::of_star(formula.clone(), case.labels()?).ok()?;
    Some(read.expect("it is one of states").with_propositions(case.propositions.clone()))
}

/// All ways of searching take turns.
pub(crate) fn how_of(seed: u64) -> How {
    let all: Vec<How> = How::all().collect();
    all[(seed % all.len() as u64) as usize]
}

/// The states in which the formula holds, as they are packed, with a mistake.
fn values(case: &TemporalCase, property: &Branching, mistake: Mistake, how: How) -> Vec<Vec<u64>> {
    let (system, constraints) = constraints_of(&case.system);
    let constraints = mistaken(constraints, mistake);
    let space = ReferenceSpace::new(&system).expect("small");
    let graph = Enumerated::new(&space, 100).expect("small");
    let plain = GraphSets::new(&graph);
    let sets = Mistaken { sets: &plain, mistake };
    let all = plain.of(0..graph.states.len());
    let Ok(states) = FairStates::new(&sets, all, system.dead_ends, &constraints, how);
    let Ok(found) = Checker::new(&sets, property, states).value(property.root());
    found.iter().map(|state| graph.states[state].clone()).collect()
}

/// What a case came to.
struct Answered {
    holds: bool,
    is_vacuous: bool,
    witnesses: Vec<Witness>,
}

/// The answer to the property. Its runs replay.
fn answered(case: &TemporalCase, property: &Branching, how: How) -> Answered {
    let (system, constraints) = constraints_of(&case.system);
    let space = ReferenceSpace::new(&system).expect("small");
    let graph = Enumerated::new(&space, 100).expect("small");
    let sets = GraphSets::new(&graph);
    let all = sets.of(0..graph.states.len());
    let stepper = SpaceStepper::new(&space, &system).telling(case.system.labels.len());
    let Ok(states) = FairStates::new(&sets, all, system.dead_ends, &constraints, how);
    let Ok(answer) = answer(&sets, property, states, system.dead_ends, &stepper, |_| ());
    let asked = Property::Branching(Box::new(property.clone()));
    let replay = SystemReplay::of_branching(&case.system, &asked).expect("small");
    if let Verdict::Fails(evidence) = &answer.verdict {
        replay.replay(&evidence.trace, evidence.kind).expect("the run replays");
    }
    let replayed = replay.replay_witnesses(&answer.verdict, &answer.witnesses);
    assert!(replayed.is_ok(), "{:?}: {:?}\n{case}", replayed.err(), answer.witnesses);
    wrong_runs_are_refused(&replay, &answer.verdict, &answer.witnesses, case);
    Answered { holds: answer.verdict == Verdict::Holds, is_vacuous: answer.is_vacuous, witnesses: answer.witnesses }
}

/// Runs that were broken do not replay.
fn wrong_runs_are_refused(replay: &SystemReplay<'_>, verdict: &Verdict, witnesses: &[Witness], case: &TemporalCase) {
    for number in 0..witnesses.len() {
        let mut no_loop = witnesses.to_vec();
        if no_loop[number].loop_start.take().is_some() {
            assert!(replay.replay_witnesses(verdict, &no_loop).is_err(), "a run without its loop\n{case}");
        }
        let mut denied = witnesses.to_vec();
        if let Some(claim) = denied[number].claims.first_mut() {
            claim.holds = !claim.holds;
            // What is denied is needed, unless it holds by another claim as well.
            assert!(replay.replay_witnesses(verdict, &denied).is_err(), "a run with a wrong claim\n{case}");
        }
        let mut moved = witnesses.to_vec();
        moved[number].past += 1;
        assert!(replay.replay_witnesses(verdict, &moved).is_err(), "a run about another state\n{case}");
    }
}

fn with_nested(witnesses: &[Witness]) -> usize {
    witnesses.iter().map(|witness| witness.nested.len()).sum()
}

#[test]
fn formulas_hold_where_the_oracle_says_and_every_mistake_is_noticed() {
    let seeds: u64 = std::env::var("LARIAT_SEEDS").map_or(SEEDS, |seeds| seeds.parse().expect("a number"));
    let (mut compared, mut mixed, mut failing, mut runs, mut nested, mut recalling, mut vacuous) =
        (0, 0, 0, 0, 0, 0, 0);
    let mut cases = Vec::new();
    for seed in 0..seeds {
        let case = TemporalCase::generate_star(seed);
        let Some(graph) = RunGraph::new(&case.system, &GraphLimits::default()) else { continue };
        let Some(labels) = case.labels() else { continue };
        let fairness = &case.system.fairness;
        let Some(expected) = graph.states_satisfying(&case.formula, &labels, fairness, NODES) else { continue };
        let Some(property) = property_of(&case, &case.formula) else { continue };
        let is_expected = |state: &usize| expected[*state];
        let expected: Vec<Vec<u64>> =
            (0..graph.states.len()).filter(is_expected).map(|state| graph.packed(state)).collect();
        let found = values(&case, &property, Mistake::None, how_of(seed));
        let is_same = found.len() == expected.len() && expected.iter().all(|state| found.contains(state));
        assert!(is_same, "seed {seed}: {found:?}, and the oracle says {expected:?}\n{case}");
        let (holds, is_vacuous) =
            graph.satisfies(&case.formula, &labels, fairness, NODES).expect("it was not too large");
        let answered = answered(&case, &property, how_of(seed));
        assert_eq!((answered.holds, answered.is_vacuous), (holds, is_vacuous), "seed {seed}\n{case}");
        compared += 1;
        mixed += usize::from(!expected.is_empty() && expected.len() < graph.states.len());
        failing += usize::from(!holds);
        vacuous += usize::from(is_vacuous);
        runs += answered.witnesses.len();
        nested += with_nested(&answered.witnesses);
        recalling += usize::from(property.recalls());
        cases.push((case, property, expected));
    }
    println!(
        "{compared} formulas, {mixed} with both answers, {failing} fail, {vacuous} without runs, {recalling} recall; {runs} \
         runs, {nested} inside of others"
    );
    assert!(compared > seeds as usize * 3 / 5 && mixed > compared / 8 && failing > compared / 8, "{compared} {mixed}");
    assert!(
        runs > compared / 8 && nested > 10 && recalling > 50 && vacuous > 10,
        "{runs} {nested} {recalling} {vacuous}"
    );
    for mistake in MISTAKES {
        let is_noticed = |(case, property, expected): &&(TemporalCase, Branching, Vec<Vec<u64>>)| {
            let found = values(case, property, mistake, How::default());
            found.len() != expected.len() || !expected.iter().all(|state| found.contains(state))
        };
        let noticed = cases.iter().filter(is_noticed).count();
        println!("{mistake:?}: noticed in {noticed} cases");
        assert!(noticed > 0, "{mistake:?} makes no difference");
    }
}

/// The formula in which every quantifier stands before a formula that is not of CTL, though it says the same.
fn by_runs(formula: &Formula) -> Formula {
    let changed = formula.map_operands(by_runs);
    match &changed {
        Formula::ForSome(path) => Formula::for_some(Formula::and([Formula::True, (**path).clone()])),
        Formula::ForAll(path) => Formula::for_all(Formula::and([Formula::True, (**path).clone()])),
        _ => changed,
    }
}

#[test]
fn formulas_of_ctl_and_ltl_come_out_as_by_their_own_algorithms() {
    let (mut of_ctl, mut of_ltl) = (0, 0);
    for seed in 0..SEEDS / 2 {
        let mut case = TemporalCase::generate_star(seed);
        let rng = &mut Rng::new(seed);
        let knobs = FormulaKnobs { operators: 5, props: case.propositions.len() as u32, ..FormulaKnobs::default() };
        case.formula = random_ctl(rng, &knobs);
        if case.formula.logic() == Logic::Ctl
            && let Some(star) = property_of(&case, &by_runs(&case.formula))
        {
            let plain = property_of(&case, &case.formula).expect("it is of CTL");
            assert!(plain.runs().next().is_none() && star.runs().next().is_some(), "{case}");
            assert_eq!(
                values(&case, &plain, Mistake::None, how_of(seed)),
                values(&case, &star, Mistake::None, how_of(seed / 2)),
                "seed {seed}\n{case}"
            );
            assert_eq!(
                answered(&case, &plain, how_of(seed)).holds,
                answered(&case, &star, how_of(seed / 2)).holds,
                "seed {seed}\n{case}"
            );
            of_ctl += 1;
        }
        let linear = random_formula(rng.next_u64(), &knobs);
        case.formula = Formula::for_all(Formula::and([Formula::True, linear.clone()]));
        let (Some(star), Some(labels)) = (property_of(&case, &case.formula), case.labels()) else { continue };
        let Some(fails) = has_bad_run(&case, &linear, labels) else { continue };
        assert_eq!(answered(&case, &star, how_of(seed)).holds, !fails, "seed {seed}\n{case}");
        of_ltl += 1;
    }
    println!("{of_ctl} formulas of CTL, {of_ltl} of LTL");
    assert!(of_ctl > 300 && of_ltl > 300, "{of_ctl} {of_ltl}");
}

/// Whether some fair run violates the formula of linear time, by the algorithm for these.
fn has_bad_run(case: &TemporalCase, formula: &Formula, labels: Vec<LabelId>) -> Option<bool> {
    let bad = formula.negated();
    let names: Vec<String> = case.propositions.entries().map(|(_, known)| known.text.clone()).collect();
    let automaton = translate(&bad, &case.propositions, &TranslateOptions::default()).ok()?;
    let demands = vec![Demand::Satisfies(bad)];
    let temporal = Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false };
    let (system, constraints) = constraints_of(&case.system);
    let space = ReferenceSpace::new(&system).expect("small");
    let graph = Enumerated::new(&space, 100).expect("small");
    let sets = GraphSets::new(&graph);
    let property = LinearTime {
        system: &system,
        constraints: &constraints,
        temporal: &temporal,
        extended: None,
        how: How::default(),
    };
    let Ok(found) = property.has_bad_run(&sets, &sets.of(0..graph.states.len()));
    Some(found)
}
