//! A search that goes on where that for the property before ended gives the same answers as one that begins anew.

use lariat_engine::{Branching, Engine, Options, Property, RunControl, Task, Verdict};
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_symbolic::Symbolic;
use lariat_system::{Fairness, Label, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_ctl};

const MEMORY: u64 = 256 << 20;

/// What is said about the answer; `None` if the engine refuses.
fn answer(system: &System, property: &Property, control: &RunControl) -> Option<(String, u64)> {
    let task = Task::of_system(system, property.clone(), Options::default());
    let report = Symbolic.prepare(&task).ok()?.run(control).expect("no pool is a guess");
    let verdict = match &report.verdict {
        // Where more states are known another failure may be the nearest.
        Verdict::Fails(_) => "fails".to_owned(),
        other => format!("{other:?}"),
    };
    Some((verdict, report.stats.states))
}

fn state_labels(system: &System) -> Vec<LabelId> {
    let is_of_states = |(id, label): (LabelId, &Label)| matches!(label.meaning, LabelMeaning::State(_)).then_some(id);
    system.labels.entries().filter_map(is_of_states).collect()
}

/// The system with one more label, the contrary of another, and perhaps with justice.
fn varied(system: &System, rng: &mut Rng) -> System {
    let mut varied = system.clone();
    let labels = state_labels(system);
    if labels.is_empty() {
        return varied;
    }
    let of = *rng.pick(&labels);
    if let LabelMeaning::State(condition) = &system.labels[of].meaning {
        let meaning = LabelMeaning::State(condition.clone().negated());
        varied.labels.push(Label { name: "contrary".to_owned(), meaning, ..system.labels[of].clone() });
    }
    varied.fairness =
        if rng.chance(50) { vec![Fairness::justice(*rng.pick(&state_labels(&varied)))] } else { Vec::new() };
    varied
}

fn property(system: &System, rng: &mut Rng) -> Property {
    let labels = state_labels(system);
    if labels.is_empty() || rng.chance(25) {
        return Property::Safety { invalid_ends: rng.chance(50) };
    }
    let knobs = FormulaKnobs { operators: 4, props: labels.len() as u32, ..FormulaKnobs::default() };
    let formula = random_ctl(rng, &knobs);
    Property::Branching(Box::new(Branching::new(formula, labels).expect("it is of CTL")))
}

#[test]
fn what_is_kept_changes_no_answer() {
    let (mut compared, mut failing) = (0, 0);
    // `.ci/run` makes a release build too.
    let seeds = if cfg!(debug_assertions) { 30 } else { 60 };
    for seed in 0..seeds {
        let rng = &mut Rng::new(seed);
        let system = RandomSystem::generate(seed, &Knobs { depth: 2, ..Knobs::default() });
        let space = ReferenceSpace::new(&system).expect("small");
        if Enumerated::new(&space, 100).is_err() {
            continue;
        }
        let one_control = RunControl::new(MEMORY, None);
        for _ in 0..4 {
            let system = varied(&system, rng);
            let property = property(&system, rng);
            let anew = answer(&system, &property, &RunControl::new(MEMORY, None));
            let kept = answer(&system, &property, &one_control);
            let (Some((anew, states)), Some((kept, kept_states))) = (anew, kept) else { continue };
            assert_eq!(anew, kept, "seed {seed}: {property:?} of\n{system}");
            assert!(kept_states >= states, "seed {seed}: fewer states with more knowledge");
            compared += 1;
            failing += u32::from(anew == "fails");
        }
    }
    assert!(compared > seeds && failing > 8, "{compared} {failing}");
}
