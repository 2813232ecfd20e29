//! Testers against the oracle of testkit, which knows neither testers nor fixpoints, and against the evaluator of formulas on
//! words; every run that is found replays on the system without its tester.

use lariat_base::Span;
use lariat_branching::{Extended, How, LinearTime, SpaceStepper, constraints_of};
use lariat_engine::{Demand, Feature, Replay, SystemReplay, Temporal};
use lariat_logic::{Formula, LassoWord, holds};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_system::{
    Action, BinaryOp, DeadEnds, Expr, Label, LabelId, LabelMeaning, Place, Slot, System, Type, Update,
};
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use lariat_testkit::{FormulaKnobs, Rng, TemporalCase, random_formula, random_word};

/// How many seeds are tried.
const SEEDS: u64 = 500;
/// How many nodes the oracle may write out.
const NODES: usize = 20_000;
/// The most states that are written out of a system with its tester.
const STATES: usize = 1500;

/// Whether a fair run is found that satisfies the formula. It replays. `None` if there are too many states.
fn finds_run(system: &System, tested: &Extended, formula: &Formula, labels: &[LabelId]) -> Option<bool> {
    tested.system.validate().expect("a system with a tester is valid");
    let (both, constraints) = constraints_of(&tested.system);
    let space = ReferenceSpace::new(&both).expect("small");
    let graph = Enumerated::new(&space, STATES).ok()?;
    let sets = GraphSets::new(&graph);
    let all = sets.of(0..graph.states.len());
    let automaton = lariat_automata::Automaton::empty(Vec::new(), lariat_automata::Acceptance::False);
    let demands = vec![Demand::Satisfies(formula.clone())];
    let temporal = Temporal { bad: automaton, labels: labels.to_vec(), demands, is_of_all_states: false };
    let property = LinearTime {
        system: &both,
        constraints: &constraints,
        temporal: &temporal,
        extended: Some(tested),
        how: How::default(),
    };
    let stepper = SpaceStepper::new(&space, &both).telling(system.labels.len());
    let Ok(found) = property.bad_run(&sets, &all, &stepper);
    let Ok(has) = property.has_bad_run(&sets, &all);
    assert_eq!(found.is_some(), has);
    if let Some(evidence) = &found {
        let replay = SystemReplay::of_temporal(system, &temporal).expect("small");
        let replayed = replay.replay(&evidence.trace, evidence.kind);
        assert!(replayed.is_ok(), "{:?}, {:?}\n{system}", replayed.err(), evidence.trace);
    }
    Some(has)
}

#[test]
fn testers_find_bad_runs_where_there_are_some() {
    let (mut compared, mut failing, mut stuttering, mut blocking, mut refused) = (0, 0, 0, 0, 0);
    for seed in 0..SEEDS {
        let mut case = TemporalCase::generate(seed);
        // Steps of several actions are refused.
        if seed % 8 != 0 {
            case.system.actions.iter_mut().for_each(|action| action.hold = None);
        }
        // Ranks beyond that of the tester's own action are refused where it has one.
        if seed % 5 == 1
            && let Some(action) = case.system.actions.iter_mut().next()
        {
            action.rank = Expr::Const(600);
        }
        let Some(graph) = RunGraph::new(&case.system, &GraphLimits::default()) else { continue };
        let (Some(labels), bad) = (case.labels(), case.formula.negated()) else { continue };
        let Some(fails) = graph.has_fair_run(&bad, &labels, &case.system.fairness, NODES) else { continue };
        let tested = match Extended::tested(&case.system, &bad, &labels) {
            Ok(tested) => tested,
            Err(refusal) => {
                assert_eq!(refusal.feature, Feature::Tester);
                refused += 1;
                continue;
            }
        };
        let Some(found) = finds_run(&case.system, &tested, &bad, &labels) else { continue };
        assert_eq!(found, fails, "seed {seed}: the oracle says {fails}\n{case}\n{}", tested.system);
        compared += 1;
        failing += usize::from(fails);
        stuttering += usize::from(case.system.dead_ends == DeadEnds::Stutter);
        blocking += usize::from(case.system.dead_ends == DeadEnds::Cut);
    }
    println!("{compared} cases, {failing} fail, {stuttering} repeat dead ends, {blocking} cut them; {refused} refused");
    assert!(compared > 150 && failing > 40 && stuttering > 50 && blocking > 30, "{compared} {failing} {stuttering}");
}

/// The system with one run, on which the letters of the word are told by labels.
fn system_of(word: &LassoWord, props: u32) -> (System, Vec<LabelId>) {
    let places = word.prefix.len() + word.cycle.len();
    let mut system = System::empty("word");
    let at = system.slots.push(Slot::new("at", Type::Int { lo: 0, hi: places as i64 - 1 }, 0));
    let at = || Place::global(at);
    let mut labels = Vec::new();
    for prop in 0..props {
        let has = |place: &usize| word.letter(*place).iter().any(|letter| letter.0 == prop);
        let holds = (0..places).filter(has).map(|place| at().read().equals(Expr::Const(place as i64)));
        let meaning = LabelMeaning::State(Expr::any(holds.collect::<Vec<_>>()));
        labels.push(system.labels.push(Label { name: format!("p{prop}"), meaning, span: Span::NONE }));
    }
    let mut action = Action::new("next", Vec::new());
    let last = at().read().equals(Expr::Const(places as i64 - 1));
    let after = Expr::binary(BinaryOp::Rem, at().read().plus(Expr::Const(1)), Expr::Const(places as i64));
    action.updates.push(Update::Set(at(), last.ite(Expr::Const(word.prefix.len() as i64), after)));
    system.actions.push(action);
    (system, labels)
}

#[test]
fn testers_read_words_as_the_evaluator_does() {
    let (mut satisfied, mut compared) = (0, 0);
    let knobs = FormulaKnobs { operators: 6, props: 2, ..FormulaKnobs::default() };
    for seed in 0..600 {
        let rng = &mut Rng::new(seed ^ 0x7465_7374);
        let formula = random_formula(rng.next_u64(), &knobs);
        let word = random_word(rng, 2, 4, 3);
        let (mut system, labels) = system_of(&word, 2);
        // A wrong guess is remembered, or it disables the step.
        system.dead_ends = if rng.chance(50) { DeadEnds::Cut } else { DeadEnds::Stutter };
        let tested = Extended::tested(&system, &formula, &labels).expect("there is a tester");
        let Some(found) = finds_run(&system, &tested, &formula, &labels) else { continue };
        let expected = holds(&formula, &word);
        assert_eq!(found, expected, "seed {seed}: {formula:?} on {word:?}\n{}", tested.system);
        compared += 1;
        satisfied += usize::from(expected);
    }
    println!("{compared} words, {satisfied} satisfy their formula");
    assert!(compared > 500 && satisfied > 150 && satisfied < compared - 150, "{compared} {satisfied}");
}
