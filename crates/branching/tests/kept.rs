//! A graph that was written out for the property before gives the same answers as one that is written out anew.

use lariat_branching::Graph;
use lariat_engine::{Branching, Engine, GraphLimit, Options, Property, Report, RunControl, Shortfall, Task, Verdict};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace, StateSets};
use lariat_system::{ActionId, Fairness, Label, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_ctl};

const MEMORY: u64 = 256 << 20;

fn report(limit: Option<GraphLimit>, system: &System, property: &Property, control: &RunControl) -> Report {
    let task = Task::of_system(system, property.clone(), Options { graph_limit: limit, ..Options::default() });
    let report = Graph.prepare(&task).expect("justice only").run(control).expect("no pool is a guess");
    assert_eq!(control.budget.used_bytes() > 0, report.stats.states > 0, "what is kept is in the budget");
    report
}

fn state_labels(system: &System) -> Vec<LabelId> {
    let is_of_states = |(id, label): (LabelId, &Label)| matches!(label.meaning, LabelMeaning::State(_)).then_some(id);
    system.labels.entries().filter_map(is_of_states).collect()
}

/// The system with a further label of states, or of steps, and perhaps with justice for it.
fn varied(system: &System, rng: &mut Rng) -> System {
    let mut varied = system.clone();
    let label = if rng.chance(50) {
        let actions: Vec<ActionId> = system.actions.ids().filter(|_| rng.chance(50)).collect();
        varied.label_actions("some", &actions)
    } else {
        let of = *rng.pick(&state_labels(system));
        let LabelMeaning::State(condition) = &system.labels[of].meaning else { unreachable!("it is of states") };
        let meaning = LabelMeaning::State(condition.clone().negated());
        varied.labels.push(Label { name: "contrary".to_owned(), meaning, ..system.labels[of].clone() })
    };
    varied.fairness = if rng.chance(60) { vec![Fairness::justice(label)] } else { Vec::new() };
    varied
}

fn property(system: &System, rng: &mut Rng) -> Property {
    let labels = state_labels(system);
    let knobs = FormulaKnobs { operators: 4, props: labels.len() as u32, ..FormulaKnobs::default() };
    Property::Branching(Box::new(Branching::new(random_ctl(rng, &knobs), labels).expect("it is of CTL")))
}

#[test]
fn a_kept_graph_changes_no_answer() {
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..80 {
        let rng = &mut Rng::new(seed);
        let system = RandomSystem::generate(seed, &Knobs::default());
        let is_small = Enumerated::new(&ReferenceSpace::new(&system).expect("small"), 100).is_ok();
        if !is_small || state_labels(&system).is_empty() {
            continue;
        }
        let one_control = RunControl::new(MEMORY, None);
        for _ in 0..6 {
            let system = varied(&system, rng);
            let property = property(&system, rng);
            let anew = report(None, &system, &property, &RunControl::new(MEMORY, None));
            let kept = report(None, &system, &property, &one_control);
            assert_eq!(anew.verdict, kept.verdict, "seed {seed}: {property:?} of\n{system}");
            assert_eq!((anew.stats.states, anew.witnesses), (kept.stats.states, kept.witnesses), "seed {seed}");
            compared += 1;
            failing += u32::from(matches!(anew.verdict, Verdict::Fails(_)));
        }
    }
    assert!(compared > 150 && failing > 30, "{compared} {failing}");
}

/// Whether both hold, or both fail.
fn is_alike(one: &Verdict, other: &Verdict) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

#[test]
fn sets_are_in_the_budget() {
    let (mut compared, mut stopped) = (0, 0);
    for seed in 0..40 {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let space = ReferenceSpace::new(&system).expect("small");
        let Ok(graph) = Enumerated::new(&space, 100) else { continue };
        if state_labels(&system).is_empty() || graph.states.is_empty() {
            continue;
        }
        let sets = GraphSets::new(&graph);
        assert_eq!(sets.set_bytes(), 0);
        let one = sets.of(0..1);
        let Ok(both) = sets.union(&one, &one.clone());
        assert_eq!(sets.set_bytes(), 2 * 8 * graph.states.len().div_ceil(64) as u64);
        drop((one, both));
        assert_eq!(sets.set_bytes(), 0);
        let property = property(&system, &mut Rng::new(seed));
        let control = RunControl::new(MEMORY, None);
        let found = report(None, &system, &property, &control).verdict;
        // With a byte less than it took there is an answer no more.
        let (peak, kept) = (control.budget.peak_bytes(), control.budget.used_bytes());
        assert!(peak > kept, "seed {seed}: the sets take memory beside the graph");
        let again = report(None, &system, &property, &RunControl::new(peak, None)).verdict;
        assert_eq!(again, found, "seed {seed}");
        let task = Task::of_system(&system, property.clone(), Options::default());
        let short = Graph.prepare(&task).expect("justice only").run(&RunControl::new(peak - 1, None));
        let short = short.expect("no pool is a guess").verdict;
        let is_stopped = short == Verdict::Undecided(Shortfall::Memory { limit_bytes: peak - 1 });
        // What is not enough for a run that shows the answer may be enough for the answer.
        assert!(is_stopped || is_alike(&short, &found), "seed {seed}: {short:?}");
        compared += 1;
        stopped += usize::from(is_stopped);
    }
    assert!(compared > 10 && stopped * 3 > compared, "{stopped} of {compared}");
}

#[test]
fn that_a_graph_is_too_large_holds_for_its_limit_alone() {
    let property = |system: &System| property(system, &mut Rng::new(7));
    let systems = (0..200).map(|seed| RandomSystem::generate(seed, &Knobs::default()));
    let states = |system: &System| {
        Enumerated::new(&ReferenceSpace::new(system).expect("small"), 100).map_or(0, |graph| graph.states.len())
    };
    let system = systems.into_iter().find(|system| states(system) > 4 && !state_labels(system).is_empty());
    let system = system.expect("there are larger systems");
    let control = RunControl::new(MEMORY, None);
    let limit = |states| GraphLimit { states, steps: 1 << 20, ways: 1 << 20, evaluated: Some(1 << 40) };
    for _ in 0..2 {
        let found = report(Some(limit(2)), &system, &property(&system), &control);
        assert_eq!(found.verdict, Verdict::Undecided(Shortfall::GraphSize { limit: limit(2) }));
    }
    let found = report(Some(limit(100)), &system, &property(&system), &control);
    assert!(!matches!(found.verdict, Verdict::Undecided(_)));
}
