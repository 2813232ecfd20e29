//! A reduced space keeps what it must keep, on random systems and random Promela models: the dead ends, the run-time errors,
//! the actions that can be taken, and the truth of every formula that counts no steps.
//!
//! `LARIAT_SEEDS=20000 cargo test --release -p lariat-space --test reduction` tries more of them.

use lariat_automata::{Automaton, Edge, Guard, Guards, Mark, MarkSet, StateId, TranslateOptions, is_empty, translate};
use lariat_base::{Id, IdVec, SourceMap};
use lariat_logic::Propositions;
use lariat_promela::{ModelOptions, read_model};
use lariat_space::{Ample, AutomatonObserver, Observer, Outcome, Product, Reduced, ReferenceSpace, State, StateSpace};
use lariat_system::{ActionId, Fault, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_formula, shrink, with_private_steps};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// More states than this are too many for a test.
const STATES: usize = 500;

fn seeds(usually: u64) -> u64 {
    std::env::var("LARIAT_SEEDS").map_or(usually, |seeds| seeds.parse().expect("a number of seeds"))
}

/// What a search of a space would find.
#[derive(Default, PartialEq, Eq, Debug)]
struct Findings {
    dead_ends: BTreeSet<Vec<u64>>,
    faults: BTreeSet<Fault>,
    taken: BTreeSet<ActionId>,
}

/// The findings, and the number of states; `None` if there are too many.
fn explore<S: StateSpace>(space: &S) -> Option<(Findings, usize)> {
    let mut scratch = space.scratch();
    let (mut states, mut known): (Vec<Vec<u64>>, BTreeSet<Vec<u64>>) = (Vec::new(), BTreeSet::new());
    let mut add = |states: &mut Vec<Vec<u64>>, state: &State| {
        if known.insert(state.to_vec()) {
            states.push(state.to_vec());
        }
    };
    let _ = space.initial(&mut scratch, |state| {
        add(&mut states, state);
        ControlFlow::<()>::Continue(())
    });
    let mut findings = Findings::default();
    let mut next = 0;
    while next < states.len() {
        let source = states[next].clone();
        let mut listed = false;
        let _ = space.steps(&source, &mut scratch, |step| {
            listed = true;
            match step.target {
                Outcome::State(target) => {
                    findings.taken.extend(step.via.iter().map(|by| by.action));
                    add(&mut states, target);
                }
                Outcome::Fault(fault) => drop(findings.faults.insert(fault)),
            }
            ControlFlow::<()>::Continue(())
        });
        if !listed {
            findings.dead_ends.insert(source);
        }
        if states.len() > STATES {
            return None;
        }
        next += 1;
    }
    Some((findings, states.len()))
}

/// How many states there are, and how many are left.
#[derive(Default, Debug)]
struct Tally {
    all: usize,
    left: usize,
    smaller: usize,
}

/// What is lost by the reduction, if anything is.
fn lost(system: &System, tally: &mut Tally) -> Option<String> {
    let space = ReferenceSpace::new(system).ok()?;
    let (whole, all) = explore(&space)?;
    let ample = Ample::new(system, &[]).expect("it fitted before");
    let (reduced, left) = explore(&Reduced::new(&space, &ample)).expect("there are no more states than before");
    tally.all += all;
    tally.left += left;
    tally.smaller += usize::from(left < all);
    (whole != reduced).then(|| format!("{all} states, of which {left} are left\n{whole:?}\n{reduced:?}"))
}

#[test]
fn nothing_that_safety_asks_for_is_lost() {
    let mut tally = Tally::default();
    for seed in 0..seeds(250) {
        let mut rng = Rng::new(seed);
        let knobs = Knobs { ranks: rng.chance(20), invariants: rng.chance(20), ..Knobs::default() };
        let system = RandomSystem::generate(seed, &knobs);
        let system = with_private_steps(&system, &mut rng).unwrap_or(system);
        if let Some(found) = lost(&system, &mut tally) {
            let small = shrink(&system, |candidate| lost(candidate, &mut Tally::default()).is_some());
            panic!("seed {seed}: {found}\nshrunk:\n{small}");
        }
    }
    println!("{tally:?}");
    assert!(tally.smaller > 20, "hardly anything was reduced: {tally:?}");
}

/// Whether the space has a run that the automaton accepts; `None` if there are too many states.
fn has_run<S: StateSpace>(space: &S, system: &System, bad: &Automaton, labels: &[Mark]) -> Option<bool> {
    let observer = AutomatonObserver::new(bad, labels, false);
    let product = Product::new(space, &observer, bad.mark_count(), Vec::new(), system.dead_ends);
    let mut scratch = product.scratch();
    let mut numbers: HashMap<Vec<u64>, StateId> = HashMap::new();
    let mut states: Vec<Vec<u64>> = Vec::new();
    let mut number = |states: &mut Vec<Vec<u64>>, state: &State| {
        *numbers.entry(state.to_vec()).or_insert_with(|| {
            states.push(state.to_vec());
            // State 0 is before the beginning.
            StateId::new(states.len())
        })
    };
    let mut begin = Vec::new();
    let edge = |target: StateId, marks: &MarkSet| Edge { target, guard: Guard::TRUE, marks: marks.clone() };
    let _ = product.initial(&mut scratch, |state| {
        begin.push(edge(number(&mut states, state), MarkSet::none()));
        ControlFlow::<()>::Continue(())
    });
    let mut edges: IdVec<StateId, Vec<Edge>> = IdVec::new();
    edges.push(begin);
    while edges.len() <= states.len() {
        let source = states[edges.len() - 1].clone();
        let mut list = Vec::new();
        let _ = product.steps(&source, &mut scratch, |step| {
            if let Outcome::State(target) = step.target {
                list.push(edge(number(&mut states, target), step.marks));
            }
            ControlFlow::<()>::Continue(())
        });
        if states.len() > STATES {
            return None;
        }
        edges.push(list);
    }
    let graph = Automaton::over(Vec::new(), Guards::default(), edges, StateId(0), observer.acceptance());
    Some(!is_empty(&graph))
}

#[test]
fn formulas_that_count_no_steps_keep_their_truth() {
    let (mut runs, mut none, mut smaller) = (0, 0, 0);
    for seed in 0..seeds(150) {
        let mut rng = Rng::new(seed);
        let knobs = Knobs { ranks: false, fairness: false, locals: 1, globals: 2, ..Knobs::default() };
        let system = RandomSystem::generate(seed, &knobs);
        let system = with_private_steps(&system, &mut rng).unwrap_or(system);
        let of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let labels: Vec<LabelId> = system.labels.ids().filter(of_states).collect();
        if labels.is_empty() {
            continue;
        }
        let space = ReferenceSpace::new(&system).expect("random systems are small");
        let ample = Ample::new(&system, &labels).expect("random systems are small");
        let reduced = Reduced::new(&space, &ample);
        let (Some((_, all)), Some((_, left))) = (explore(&space), explore(&reduced)) else { continue };
        smaller += usize::from(left < all);
        let marks: Vec<Mark> = labels.iter().map(|label| Mark(label.0)).collect();
        let propositions = Propositions::named(labels.iter().map(|label| system.labels[*label].name.as_str()));
        for _ in 0..4 {
            let knobs =
                FormulaKnobs { operators: 5, props: labels.len() as u32, steps: false, ..FormulaKnobs::default() };
            let formula = random_formula(rng.next_u64(), &knobs);
            if !formula.counts_no_steps() {
                continue;
            }
            let bad = translate(&formula, &propositions, &TranslateOptions::default()).expect("a small formula");
            let names: Vec<String> = labels.iter().map(|label| system.labels[*label].name.clone()).collect();
            let bad = bad.over_propositions(&names);
            let Some(whole) = has_run(&space, &system, &bad, &marks) else { continue };
            let kept = has_run(&reduced, &system, &bad, &marks).expect("there are no more states than before");
            assert_eq!(whole, kept, "seed {seed}: {formula:?}\n{system}");
            if whole { runs += 1 } else { none += 1 }
        }
    }
    println!("{runs} formulas with a run, {none} without, {smaller} systems smaller");
    assert!(runs > 50 && none > 50 && smaller > 8, "{runs} {none} {smaller}");
}

/// A model of processes that talk through channels, some of which have one sender and one receiver.
fn random_model(rng: &mut Rng) -> String {
    let capacity = 1 + rng.below(2);
    let mut text = format!("byte g;\nchan q[3] = [{capacity}] of {{ byte }};\n");
    let kinds = 1 + rng.below(2);
    for kind in 0..kinds {
        text += &format!("proctype P{kind}(chan in; chan out) {{\n  byte x;\n");
        let looped = rng.chance(30);
        if looped {
            text += "  do ::\n";
        }
        for _ in 0..2 + rng.below(4) {
            let statement = statement(rng);
            text += &match rng.below(8) {
                0 => format!("  atomic {{ {statement}; {} }};\n", self::statement(rng)),
                1 => format!("  if :: {statement} :: {} fi;\n", self::statement(rng)),
                2 => format!("  if :: {statement} :: else fi;\n"),
                _ => format!("  {statement};\n"),
            };
        }
        if looped {
            text += "  :: x > 1 -> break od\n";
        }
        text += "}\n";
    }
    text += "init {\n  atomic {\n";
    for _ in 0..2 + rng.below(2) {
        let (kind, first, second) = (rng.below(kinds), rng.below(3), rng.below(3));
        text += &format!("    run P{kind}(q[{first}], q[{second}]);\n");
    }
    if rng.chance(30) {
        text += &format!("    g = {};\n", rng.below(2));
    }
    text + "  }\n}\n"
}

fn statement(rng: &mut Rng) -> String {
    let value = rng.below(2);
    match rng.below(14) {
        0..3 => format!("out!{value}"),
        3 => "out!x".to_owned(),
        4..7 => "in?x".to_owned(),
        7 => format!("in?{value}"),
        8 => "x = (x + 1) % 3".to_owned(),
        9 => format!("g = {value}"),
        10 => format!("g == {value}"),
        11 => format!("assert(x != {value})"),
        12 => (*rng.pick(&["len(in) < 1", "nempty(in)", "nfull(out)", "in?[1]", "_nr_pr < 3"])).to_owned(),
        _ => (*rng.pick(&["skip", "timeout", "x > 0", "q[0]!1", "in??1"])).to_owned(),
    }
}

#[test]
fn channels_lose_nothing() {
    let mut tally = Tally::default();
    for seed in 0..seeds(150) {
        let text = random_model(&mut Rng::new(seed));
        let mut loader = |_: &str, _: &str| Err("nothing is included".to_owned());
        let options = ModelOptions::default();
        let model = read_model(&mut SourceMap::default(), "random.pml", &text, &options, &mut loader)
            .unwrap_or_else(|found| panic!("seed {seed}: {found:?}\n{text}"));
        let system = model.system(5).unwrap_or_else(|found| panic!("seed {seed}: {found:?}\n{text}"));
        if let Some(found) = lost(&system, &mut tally) {
            panic!("seed {seed}: {found}\n{text}");
        }
    }
    println!("{tally:?}");
    assert!(tally.smaller > 20, "hardly anything was reduced: {tally:?}");
}
