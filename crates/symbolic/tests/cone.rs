//! What does not matter to a property can be left out: the part that matters gives the same answers as the whole, on random
//! models of SMV with constraints that may block, and where reaching all states takes long it is used.

use lariat_automata::{TranslateOptions, translate};
use lariat_branching::{FairStates, How, SpaceStepper, answer, constraints_of};
use lariat_engine::{Branching, Demand, Engine, Options, Property, Report, RunControl, Task, Temporal, Verdict};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_space::{Enumerated, GraphSets, ReferenceSpace};
use lariat_symbolic::Symbolic;
use lariat_system::{Expr, Fairness, Label, LabelId, LabelMeaning, Place, SlotId, System};
use lariat_testkit::{FormulaKnobs, Rng, random_ctl};

/// The system of a model with a label for each variable: it is 1.
fn labelled(text: &str) -> System {
    let mut sources = lariat_base::SourceMap::default();
    let model = lariat_smv::read_model(&mut sources, "cone.smv", text).expect("a model");
    let mut system = model.system().expect("it has a system");
    system.labels = Default::default();
    for (slot, declared) in system.slots.entries() {
        let is_one = Expr::Read(Place::global(slot)).equals(Expr::Const(1));
        let name = declared.name.clone();
        system.labels.push(Label { name, meaning: LabelMeaning::State(is_one), span: lariat_base::Span::NONE });
    }
    system
}

fn label(slot: usize) -> LabelId {
    LabelId(slot as u32)
}

/// A model of five variables that depend on each other here and there, and may block.
fn random_model(rng: &mut Rng) -> String {
    let mut text = String::from("MODULE main\nVAR\n");
    (0..5).for_each(|var| text.push_str(&format!("  v{var} : 0..2;\n")));
    for var in 0..5 {
        let (other, value, next) = (rng.below(5), rng.below(3), rng.below(3));
        let set = *rng.pick(&["{0, 1}", "{1, 2}", "{0, 2}"]);
        text.push_str(&match rng.below(8) {
            0 | 1 => format!("ASSIGN next(v{var}) := case v{other} = {value} : {next}; TRUE : v{var}; esac;\n"),
            2 | 3 => format!("ASSIGN init(v{var}) := {value}; next(v{var}) := case v{other} = {value} : {set}; TRUE : {next}; esac;\n"),
            4 => format!("ASSIGN init(v{var}) := {set};\n"),
            5 => format!("TRANS next(v{var}) = v{other} & v{other} != {value};\n"),
            6 => format!("TRANS v{other} = {value} -> next(v{var}) = {next};\n"),
            _ => format!("INVAR v{var} != {value} | v{other} = {next};\n"),
        });
    }
    text
}

/// Whether the formula holds on the graph that the reference evaluator writes out.
fn holds(system: &System, property: &Branching) -> Option<bool> {
    let (system, constraints) = constraints_of(system);
    let space = ReferenceSpace::new(&system).expect("small");
    let graph = Enumerated::new(&space, 300).ok()?;
    let sets = GraphSets::new(&graph);
    let Ok(states) =
        FairStates::new(&sets, sets.of(0..graph.states.len()), system.dead_ends, &constraints, How::default());
    let Ok(answered) = answer(&sets, property, states, system.dead_ends, &SpaceStepper::new(&space, &system), |_| ());
    Some(answered.verdict == Verdict::Holds)
}

#[test]
fn the_part_that_matters_gives_the_same_answers() {
    let (mut compared, mut smaller, mut held) = (0, 0, 0);
    for seed in 0..600 {
        let rng = &mut Rng::new(seed);
        let text = random_model(rng);
        let mut system = labelled(&text);
        system.fairness = match rng.below(4) {
            0 => vec![Fairness::justice(label(rng.below(5)))],
            1 => vec![Fairness::compassion(label(rng.below(5)), label(rng.below(5)))],
            _ => Vec::new(),
        };
        let labels = vec![label(rng.below(5)), label(rng.below(5))];
        let knobs = FormulaKnobs { operators: 5, props: 2, ..FormulaKnobs::default() };
        let property = Branching::new(random_ctl(rng, &knobs), labels).expect("it is of CTL");
        let cone = system.cone(&property.labels).expect("no processes");
        let (Some(whole), Some(part)) = (holds(&system, &property), holds(&cone.system, &property)) else { continue };
        assert_eq!(whole, part, "seed {seed}: {:?} of\n{text}\nwith {:?}", property.formula, cone.slots);
        compared += 1;
        smaller += usize::from(cone.slots.len() < system.slots.len());
        held += usize::from(whole);
    }
    eprintln!("{compared} formulas, {smaller} with less than everything, {held} hold");
    assert!(compared > 300 && smaller > 60 && held > 60 && held < compared, "{compared} {smaller} {held}");
}

#[test]
fn what_may_block_belongs_to_the_part_that_matters() {
    let slots = |text: &str| -> Vec<u32> {
        let cone = labelled(text).cone(&[label(0)]).expect("no processes");
        cone.slots.into_iter().map(|SlotId(slot)| slot).collect()
    };
    let model =
        |rest: &str| format!("MODULE main\nVAR a : 0..1; b : 0..3; c : 0..3;\nASSIGN next(a) := 1 - a;\n{rest}");
    assert_eq!(slots(&model("ASSIGN next(b) := {1, 2}; next(c) := b;")), [0]);
    assert_eq!(slots(&model("ASSIGN next(b) := case a = 1 : {0, 3}; TRUE : c; esac;")), [0]);
    // A constraint may have no solution, an invariant may forbid every step.
    assert_eq!(slots(&model("TRANS next(b) = b & b < 2;")), [0, 1]);
    assert_eq!(
        slots(&model("TRANS c < 3; ASSIGN next(c) := b; next(b) := case b < 3 : b + 1; TRUE : b; esac;")),
        [0, 1, 2]
    );
    assert_eq!(slots(&model("INVAR b != 2;")), [0, 1]);
    let without_beginning = labelled(&model("INIT b = 1; INIT b = c; INIT c = 2;"));
    let nothing = Branching::new(Formula::False, vec![label(0)]).expect("it is of CTL");
    let cone = without_beginning.cone(&nothing.labels).expect("no processes");
    assert_eq!((holds(&without_beginning, &nothing), holds(&cone.system, &nothing)), (Some(true), Some(true)));
}

/// A counter that takes very many rounds beside a small model.
const SLOW: &str = "MODULE main
VAR a : 0..2; n : 0..1000000;
ASSIGN init(a) := 0; next(a) := case a = 2 : 0; TRUE : a + 1; esac;
  init(n) := 0; next(n) := case n < 1000000 : n + 1; TRUE : 0; esac;
";

fn report(text: &str, formula: Formula, slots: &[usize]) -> Report {
    let system = labelled(text);
    let labels = slots.iter().map(|slot| label(*slot)).collect();
    let property = Property::Branching(Box::new(Branching::new(formula, labels).expect("it is of CTL")));
    let task = Task::of_system(&system, property, Options::default());
    let control = RunControl::new(256 << 20, None);
    Symbolic.prepare(&task).expect("it is of CTL").run(&control).expect("an answer")
}

#[test]
fn where_the_whole_takes_long_the_part_decides() {
    let one = || Formula::prop(PropId(0));
    let always_again = Formula::for_all(Formula::globally(Formula::for_all(Formula::finally(one()))));
    let found = report(SLOW, always_again, &[0]);
    assert_eq!(found.verdict, Verdict::Holds);
    let figures = found.stats.symbolic.expect("figures of diagrams");
    let cone = figures.cone.expect("the whole takes a million rounds");
    assert_eq!((cone.variables, cone.states.to_u64(), figures.complete), (2, Some(3), false));
}

/// The same for a formula of linear time.
fn linear_report(text: &str, formula: &Formula, slots: &[usize], fairness: Vec<Fairness>) -> Report {
    let mut system = labelled(text);
    system.fairness = fairness;
    let labels: Vec<LabelId> = slots.iter().map(|slot| label(*slot)).collect();
    let names: Vec<String> = labels.iter().map(|label| system.labels[*label].name.clone()).collect();
    let bad = formula.clone().negated();
    let automaton =
        translate(&bad, &Propositions::named(names.iter().map(String::as_str)), &TranslateOptions::default());
    let bad_runs = automaton.expect("the automaton is small").over_propositions(&names);
    let temporal = Temporal { bad: bad_runs, labels, demands: vec![Demand::Satisfies(bad)], is_of_all_states: false };
    let task = Task::of_system(&system, Property::Temporal(Box::new(temporal)), Options::default());
    let control = RunControl::new(256 << 20, None);
    Symbolic.prepare(&task).expect("it is of linear time").run(&control).expect("an answer")
}

#[test]
fn the_part_decides_formulas_of_linear_time() {
    let again = || Formula::globally(Formula::finally(Formula::prop(PropId(0))));
    let figures = |report: Report| report.stats.symbolic.expect("figures of diagrams");
    let found = linear_report(SLOW, &again(), &[0], Vec::new());
    assert_eq!(found.verdict, Verdict::Holds);
    let cone = figures(found).cone.expect("the whole takes a million rounds");
    assert_eq!((cone.variables, cone.states.to_u64()), (2, Some(3)));
    // What fairness speaks of matters: here that is everything.
    let short = SLOW.replace("1000000", "3000");
    let found = linear_report(&short, &again(), &[0], vec![Fairness::compassion(label(0), label(1))]);
    assert_eq!(found.verdict, Verdict::Holds);
    assert!(figures(found).cone.is_none());
    // A run to be shown is one of the whole.
    let found = linear_report(&short, &again().negated(), &[0], Vec::new());
    let Verdict::Fails(evidence) = &found.verdict else { panic!("{:?}", found.verdict) };
    assert!(evidence.trace.loop_start.is_some());
    assert!(figures(found).cone.is_none());
}

#[test]
fn a_run_that_is_shown_is_one_of_the_whole() {
    // The counter is short enough to be searched to the end, but not at once.
    let text = SLOW.replace("1000000", "3000");
    let never = Formula::for_all(Formula::globally(Formula::prop(PropId(0)).negated()));
    let found = report(&text, never, &[0]);
    let Verdict::Fails(evidence) = &found.verdict else { panic!("{:?}", found.verdict) };
    assert_eq!(evidence.trace.steps.len(), 1);
    let figures = found.stats.symbolic.expect("figures of diagrams");
    assert!(figures.cone.is_none() && figures.complete, "{figures:?}");
    assert_eq!(figures.states.to_u64(), Some(3 * 3001), "3 and 3001 have no common divisor");
}
