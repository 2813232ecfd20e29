//! Searches that end as soon as something fails, and the runs that they show: steps from what was reached last may pass transient
//! states that nothing passed before.

use lariat_automata::{TranslateOptions, translate};
use lariat_engine::{Demand, Engine, Options, Property, RunControl, Settled, SystemReplay, Task, Temporal, Verdict};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace, StateSets};
use lariat_symbolic::Symbolic;
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use lariat_testkit::{Knobs, RandomSystem};
use std::sync::Arc;

/// A state label always holds.
fn always(system: &System, label: LabelId) -> Temporal {
    let bad = Formula::globally(Formula::prop(PropId(0))).negated();
    let names = [system.labels[label].name.clone()];
    let propositions = Propositions::named(names.iter().map(String::as_str));
    let automaton = translate(&bad, &propositions, &TranslateOptions::default()).expect("the automaton is small");
    Temporal {
        bad: automaton.over_propositions(&names),
        labels: vec![label],
        demands: vec![Demand::Satisfies(bad)],
        is_of_all_states: false,
    }
}

/// Whether the label always holds, by sets of states. A run that shows the contrary is replayed.
fn holds(system: &System, label: LabelId) -> bool {
    let temporal = always(system, label);
    let task = Task::of_system(system, Property::Temporal(Box::new(temporal.clone())), Options::default());
    let prepared = Symbolic.prepare(&task).expect("an invariant");
    let report = prepared.run(&RunControl::new(256 << 20, None)).expect("no pool is a guess");
    let verdict = report.verdict.clone();
    assert!(!matches!(verdict, Verdict::Undecided(_)), "{verdict:?}");
    let replay = SystemReplay::of_temporal(system, &temporal).expect("a valid system");
    let settled = Settled::new("invariant", "symbolic", Arc::new(system.clone()), report, &replay);
    assert!(settled.is_ok(), "the run does not replay: {:?}", settled.err());
    verdict == Verdict::Holds
}

/// The state in which the label fails is found before the rules that end in a transient state were followed from those states through which a
/// shortest run leads (`xtask lengths`, seed 2142).
#[test]
fn transient_states_after_the_last_round_are_known() {
    let text = r#"system "early"
slot g : 0..2 = 0
frame P0 {
    slot v0 : -2..-1 = -2
    hidden slot pc : 0..1 = 0
}
pool 2
init { spawn P0(pc := 0) spawn P0() }
label l2 = !(g == 1)
action "a3" by P0 {
    when g
    set p0.pc := 1
}
action "a5" by P0, P0 {
    control p1.pc
    set g := 1
    hold p0
}
action "a6" { set g := 2 }
action "a8" by P0 {
    set p0.pc := 1
    set p0.v0 := 1 + -2
}
dead_ends stutter
"#;
    let mut sources = lariat_base::SourceMap::default();
    let file = sources.add("early.sys", text);
    let system = lariat_system::text::parse(text, file).expect("a system");
    assert!(!holds(&system, LabelId(0)));
}

#[test]
fn invariants_of_random_systems_are_those_of_the_graph() {
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..if cfg!(debug_assertions) { 60 } else { 400 } {
        let mut system = RandomSystem::generate(seed, &Knobs { depth: 2, ..Knobs::default() });
        (system.fairness, system.dead_ends) = (Vec::new(), DeadEnds::Stutter);
        let space = ReferenceSpace::new(&system).expect("small");
        let Ok(graph) = Enumerated::new(&space, 100) else { continue };
        let sets = GraphSets::new(&graph);
        for (label, _) in system.labels.entries().filter(|(_, label)| matches!(label.meaning, LabelMeaning::State(_))) {
            let Ok(satisfying) = sets.satisfying(label);
            let expected = sets.of(0..graph.states.len()) == satisfying;
            assert_eq!(holds(&system, label), expected, "seed {seed}, {}:\n{system}", system.labels[label].name);
            compared += 1;
            failing += u32::from(!expected);
        }
    }
    assert!(compared > 30 && failing > 15, "{compared} {failing}");
}
