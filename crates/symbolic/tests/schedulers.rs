//! Models in which a variable or an input names who acts: their one action is taken apart by it, and linear time is decided
//! without it where that makes no difference. Compared with a graph that is written out, on random models; every failure is
//! replayed.

use lariat_automata::{TranslateOptions, translate};
use lariat_base::{Id, SourceMap, Span};
use lariat_branching::Graph;
use lariat_engine::{
    Demand, Engine, Options, Property, Report, RunControl, Settled, Shortfall, SystemReplay, Task, Temporal, Verdict,
};
use lariat_logic::Propositions;
use lariat_smv::{Property as Stated, read_model};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace, StateSets, Steps};
use lariat_symbolic::{BddSets, Capacity, Diagram, Symbolic};
use lariat_system::{LabelId, System};
use lariat_testkit::Rng;
use std::sync::Arc;

const MEMORY: u64 = 256 << 20;

/// How the one who acts is named.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Naming {
    /// By a variable that is free.
    Free,
    /// By one with a first value.
    Begun,
    /// By one whose next value depends on a process.
    Bound,
    /// By an input.
    Input,
}

/// A few processes of three places and flags between them, of which one at a time acts.
fn random_model(rng: &mut Rng, naming: Naming, speaks_of_who: bool) -> String {
    let processes = 2 + rng.below(3);
    let keyword = if naming == Naming::Input { "IVAR" } else { "VAR" };
    // Without the idle 0, not all bits of the variable are a value.
    let first = if naming == Naming::Bound { 0 } else { rng.below(2) };
    let mut text = format!("MODULE main\n{keyword} who : {first}..{processes};\nVAR\n");
    (1..=processes).for_each(|n| text.push_str(&format!("  l{n} : 0..2; c{n} : boolean;\n")));
    text.push_str("ASSIGN\n");
    match naming {
        Naming::Begun => text.push_str("  init(who) := 1;\n"),
        Naming::Bound => text.push_str("  next(who) := case l1 = 2 : {1, 2}; TRUE : {0, 1, 2}; esac;\n"),
        Naming::Free | Naming::Input => {}
    }
    for n in 1..=processes {
        let other = 1 + rng.below(processes);
        let value = |rng: &mut Rng| rng.pick(&["0", "1", "2", "{0, 1}", "{1, 2}"]).to_string();
        let (first, second, third) = (value(rng), value(rng), value(rng));
        text.push_str(&format!(
            "  init(l{n}) := 0; next(l{n}) := case who != {n} : l{n}; l{n} = 0 : {first}; l{n} = 1 & c{other} : {second}; \
             l{n} = 2 : {third}; TRUE : l{n}; esac;\n"
        ));
        let (at, given) = (rng.below(3), rng.pick(&["TRUE", "FALSE"]));
        let moved = if rng.chance(30) { format!(" & next(l{n}) != l{n}") } else { String::new() };
        text.push_str(&format!(
            "  init(c{n}) := TRUE; next(c{n}) := case who = {other} & l{other} = {at}{} : {given}; TRUE : c{n}; esac;\n",
            if other == n { moved } else { String::new() }
        ));
    }
    if rng.chance(15) {
        text.push_str("TRANS !(l1 = 1 & l2 = 1 & who = 2)\n");
    }
    let condition = |rng: &mut Rng| {
        let (n, at) = (1 + rng.below(processes), rng.below(3));
        rng.pick(&[format!("l{n} = {at}"), format!("l{n} != {at}"), format!("c{n}"), format!("!c{n}")]).clone()
    };
    for _ in 0..rng.below(3) {
        text.push_str(&format!("JUSTICE {};\n", condition(rng)));
    }
    if speaks_of_who {
        text.push_str(&format!("JUSTICE who = {};\n", 1 + rng.below(processes)));
    }
    for _ in 0..rng.below(3) {
        text.push_str(&format!("COMPASSION ({}, {});\n", condition(rng), condition(rng)));
    }
    let (p, q) = (condition(rng), condition(rng));
    let formula = match rng.below(6) {
        // Whether any run is fair.
        5 => "FALSE".to_owned(),
        0 => format!("G ({p} -> F {q})"),
        1 => format!("F G {p}"),
        2 => format!("({p}) U ({q})"),
        3 => format!("G F {p} -> G F {q}"),
        _ => format!("G ({p} -> X X {q})"),
    };
    text.push_str(&format!("LTLSPEC {formula};\n"));
    text
}

/// The system of the model, and its specification.
fn read(text: &str) -> (System, Temporal) {
    let model = read_model(&mut SourceMap::default(), "who.smv", text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    let Stated::Formula(formula, conditions) = &model.specifications()[0].property else { panic!("a formula") };
    let mut propositions = Propositions::default();
    for (number, condition) in conditions.iter().enumerate() {
        propositions.intern(&format!("{number}: {}", condition.text), Span::NONE);
    }
    let bad = formula.clone().negated();
    let automaton = translate(&bad, &propositions, &TranslateOptions::default()).expect("small");
    let names: Vec<String> = propositions.entries().map(|(_, known)| known.text.clone()).collect();
    let labels = (0..conditions.len()).map(LabelId::new).collect();
    let system = model.observing(conditions.clone()).system().expect("it has a system");
    let demands = vec![Demand::Satisfies(bad)];
    (system, Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false })
}

/// Whether the specification holds, by an engine; a failure has been replayed.
fn holds(engine: &dyn Engine, system: &System, temporal: &Temporal) -> Result<bool, String> {
    holds_after(engine, system, temporal, &RunControl::new(MEMORY, None))
}

/// The same with what is kept from earlier questions.
fn holds_after(
    engine: &dyn Engine,
    system: &System,
    temporal: &Temporal,
    control: &RunControl,
) -> Result<bool, String> {
    let task = Task::of_system(system, Property::Temporal(Box::new(temporal.clone())), Options::default());
    let prepared = engine.prepare(&task).map_err(|refusal| format!("{refusal:?}"))?;
    let report: Report = prepared.run(control).map_err(|error| format!("{error:?}"))?;
    let replay = SystemReplay::of_temporal(system, temporal).map_err(|error| error.to_string())?;
    let settled = Settled::new("who", engine.name(), Arc::new(system.clone()), report, &replay);
    match &settled.map_err(|error| error.to_string())?.report().verdict {
        Verdict::Holds => Ok(true),
        Verdict::Fails(_) => Ok(false),
        other => Err(format!("{other:?}")),
    }
}

fn diagrams(system: &System) -> BddSets<'_> {
    let sets = BddSets::new(system, Capacity::within(MEMORY), Shortfall::Memory { limit_bytes: MEMORY }, || Ok(()));
    sets.expect("it can be encoded").expect("there is memory")
}

#[test]
fn linear_time_is_decided_as_on_the_graph() {
    let seeds = std::env::var("LARIAT_SEEDS").map_or(160, |value| value.parse().expect("a number"));
    let (mut apart, mut held, mut failed) = (0, 0, 0);
    for seed in 0..seeds {
        let rng = &mut Rng::new(seed);
        let naming = *rng.pick(&[Naming::Free, Naming::Free, Naming::Begun, Naming::Bound, Naming::Input]);
        let speaks_of_who = rng.chance(25);
        let text = random_model(rng, naming, speaks_of_who);
        let (system, temporal) = read(&text);
        let expected = holds(&Graph, &system, &temporal);
        let found = holds(&Symbolic, &system, &temporal);
        assert_eq!(found, expected, "seed {seed}, {naming:?}:\n{text}");
        apart += u64::from(diagrams(&system).has_one_rule() == Ok(false));
        if expected == Ok(true) { held += 1 } else { failed += 1 }
    }
    eprintln!("{apart} of {seeds} taken apart, {held} hold, {failed} fail");
    assert!(apart * 2 > seeds && held * 8 > seeds && failed * 8 > seeds, "{apart} {held} {failed}");
}

#[test]
fn steps_of_cases_are_those_of_the_action() {
    for seed in 0..60 {
        let rng = &mut Rng::new(seed);
        let naming = *rng.pick(&[Naming::Free, Naming::Begun, Naming::Bound, Naming::Input]);
        let text = random_model(rng, naming, false);
        let (system, _) = read(&text);
        let space = ReferenceSpace::new(&system).expect("small");
        let Ok(graph) = Enumerated::new(&space, 2000) else { continue };
        let (plain, sets) = (GraphSets::new(&graph), diagrams(&system));
        let diagram = |members: &[usize]| -> Diagram {
            let only = |state: &usize| sets.only(&graph.states[*state]).expect("there is memory");
            members.iter().fold(sets.empty(), |all, state| sets.union(&all, &only(state)).expect("there is memory"))
        };
        let everything: Vec<usize> = (0..graph.states.len()).collect();
        let reached = sets.reachable(&sets.initial().expect("there is memory")).expect("there is memory");
        assert!(reached == diagram(&everything), "seed {seed}: what is reached in\n{text}");
        for _ in 0..4 {
            let members: Vec<usize> = everything.iter().copied().filter(|_| rng.chance(20)).collect();
            let (set, own) = (plain.of(members.iter().copied()), diagram(&members));
            let (Ok(next), Ok(before)) = (plain.post(&set, Steps::All), plain.pre(&set, Steps::All));
            let post = sets.post(&own, Steps::All).expect("there is memory");
            let pre = sets.intersect(&sets.pre(&own, Steps::All).expect("there is memory"), &reached);
            assert!(post == diagram(&next.iter().collect::<Vec<_>>()), "seed {seed}: steps onwards in\n{text}");
            let expected = diagram(&before.iter().collect::<Vec<_>>());
            assert!(pre.expect("there is memory") == expected, "seed {seed}: steps backwards in\n{text}");
        }
    }
}

/// Two variables that name somebody who acts.
const TWO: &str = "MODULE main
VAR a : 1..3; b : 1..3; l1 : 0..2; l2 : 0..2; l3 : 0..2; m1 : boolean; m2 : boolean; m3 : boolean;
ASSIGN
  init(l1) := 0; next(l1) := case a != 1 : l1; l1 = 2 : 0; TRUE : l1 + 1; esac;
  init(l2) := 0; next(l2) := case a != 2 : l2; l2 = 2 : 0; m1 : l2 + 1; TRUE : l2; esac;
  init(l3) := 0; next(l3) := case a != 3 : l3; l3 = 2 : {0, 2}; TRUE : l3 + 1; esac;
  init(m1) := FALSE; next(m1) := case b = 1 : !m1; TRUE : m1; esac;
  init(m2) := FALSE; next(m2) := case b = 2 : l1 = 1; TRUE : m2; esac;
  init(m3) := FALSE; next(m3) := case b = 3 : m2; TRUE : m3; esac;
";

#[test]
fn what_one_property_forgets_the_next_may_speak_of() {
    let control = RunControl::new(MEMORY, None);
    let properties = [
        ("G (l1 = 1 -> F l1 = 2)", "JUSTICE l1 != 1;"),
        ("G (l1 = 1 -> F l1 = 2)", "JUSTICE a = 1;"),
        ("G (m1 -> F !m1)", "JUSTICE a = 1;"),
        ("G (m1 -> F !m1)", "JUSTICE b = 1;"),
        ("G F b = 2", "JUSTICE a = 1;"),
        ("F G a != 2", "COMPASSION (b = 1, m1);"),
        ("G (m3 -> F l2 = 1)", ""),
        ("G F l2 = 1 -> G F m1", "COMPASSION (l1 = 1, m2);"),
        ("G (a = 1 & l1 = 0 -> X l1 = 1)", ""),
    ];
    let mut held = 0;
    for (formula, fairness) in properties {
        let (system, temporal) = read(&format!("{TWO}{fairness}\nLTLSPEC {formula};\n"));
        let expected = holds(&Graph, &system, &temporal);
        assert_eq!(holds_after(&Symbolic, &system, &temporal, &control), expected, "{formula} under {fairness}");
        held += usize::from(expected == Ok(true));
    }
    assert!(held > 2 && held < 7, "{held} hold");
}
