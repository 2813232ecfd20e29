//! A reduced space keeps what it must keep, on random systems and random Promela models: the dead ends, the run-time errors,
//! the actions that can be taken, and the truth of every formula that counts no steps.
//!
//! `LARIAT_SEEDS=20000 cargo test --release -p lariat-space --test reduction` tries more of them, and `LARIAT_FIRST_SEED`
//! says where to begin.

mod models;

// Modules with tests of their own are compiled here once more. To compile the whole crate a second time, as its own test
// program, would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/reduction/atoms.rs"]
mod atoms;
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/natural.rs"]
mod natural;
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/steps.rs"]
mod steps;

use lariat_automata::{Automaton, Edge, Guard, Guards, MarkSet, StateId, TranslateOptions, is_empty, translate};
use lariat_base::{Id, IdVec, SourceMap};
use lariat_logic::Propositions;
use lariat_promela::{CheckedModel, ModelOptions, Observation, read_model};
use lariat_space::{
    Ample, AutomatonObserver, Observer, Outcome, Product, Reduced, ReferenceSpace, State, StateSpace, each,
};
use lariat_system::{ActionId, DeadEnds, Fault, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, RandomSystem, Rng, random_formula, shrink, with_private_steps};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// More states than this are too many for a test.
const STATES: usize = 500;

fn seeds(usually: u64) -> std::ops::Range<u64> {
    let number = |name: &str, usually: u64| std::env::var(name).map_or(usually, |text| text.parse().expect("a number"));
    let first = number("LARIAT_FIRST_SEED", 0);
    first..first + number("LARIAT_SEEDS", usually)
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
    search(space).map(|(findings, states)| (findings, states.len()))
}

/// All states of a space that has few.
fn states<S: StateSpace>(space: &S) -> Vec<Vec<u64>> {
    search(space).expect("the states were counted before").1
}

fn search<S: StateSpace>(space: &S) -> Option<(Findings, Vec<Vec<u64>>)> {
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
        let _ = space.steps(
            &source,
            &mut scratch,
            each(|step| {
                listed = true;
                match step.target {
                    Outcome::State(target) => {
                        findings.taken.extend(step.via.iter().map(|by| by.action));
                        add(&mut states, target);
                    }
                    Outcome::Fault(fault) => drop(findings.faults.insert(fault)),
                }
                ControlFlow::<()>::Continue(())
            }),
        );
        if !listed {
            findings.dead_ends.insert(source);
        }
        if states.len() > STATES {
            return None;
        }
        next += 1;
    }
    Some((findings, states))
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
    for seed in seeds(250) {
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
fn has_run<S: StateSpace>(space: &S, system: &System, bad: &Automaton, labels: &[LabelId]) -> Option<bool> {
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
        let _ = product.steps(
            &source,
            &mut scratch,
            each(|step| {
                if let Outcome::State(target) = step.target {
                    list.push(edge(number(&mut states, target), step.marks));
                }
                ControlFlow::<()>::Continue(())
            }),
        );
        if states.len() > STATES {
            return None;
        }
        edges.push(list);
    }
    let graph = Automaton::over(Vec::new(), Guards::default(), edges, StateId(0), observer.acceptance());
    Some(!is_empty(&graph))
}

/// The labels, of those that are looked at, that hold in states, and how they change from state to state: for each of them
/// there is a formula that counts no steps.
fn letters<S: StateSpace>(space: &S, labels: &[LabelId]) -> BTreeSet<(Vec<bool>, Vec<bool>)> {
    let (mut scratch, mut other) = (space.scratch(), space.scratch());
    let mut letter = |state: &State| {
        let held = space.labels(state, &mut other);
        labels.iter().map(|label| held.contains(*label)).collect::<Vec<bool>>()
    };
    let mut found = BTreeSet::new();
    for state in states(space) {
        let from = letter(&state);
        let _ = space.steps(
            &state,
            &mut scratch,
            each(|step| {
                if let Outcome::State(target) = step.target {
                    found.insert((from.clone(), letter(target)));
                }
                ControlFlow::<()>::Continue(())
            }),
        );
        found.insert((from.clone(), from));
    }
    found
}

/// Compares the truth of random formulas over these labels: how many had a run and how many had none, and whether there are
/// fewer states.
fn compare_formulas(
    system: &System,
    labels: &[LabelId],
    rng: &mut Rng,
    case: &dyn Fn() -> String,
) -> (usize, usize, bool) {
    let space = ReferenceSpace::new(system).expect("random systems are small");
    let ample = Ample::new(system, labels).expect("random systems are small");
    let reduced = Reduced::new(&space, &ample);
    let (Some((_, all)), Some((_, left))) = (explore(&space), explore(&reduced)) else { return (0, 0, false) };
    assert_eq!(letters(&space, labels), letters(&reduced, labels), "{}\nletters of {labels:?}", case());
    let names: Vec<String> = labels.iter().map(|label| system.labels[*label].name.clone()).collect();
    let propositions = Propositions::named(names.iter().map(String::as_str));
    let (mut runs, mut none) = (0, 0);
    for _ in 0..4 {
        let knobs = FormulaKnobs { operators: 5, props: labels.len() as u32, steps: false, ..FormulaKnobs::default() };
        let formula = random_formula(rng.next_u64(), &knobs);
        if !formula.counts_no_steps() {
            continue;
        }
        let bad = translate(&formula, &propositions, &TranslateOptions::default()).expect("a small formula");
        let bad = bad.over_propositions(&names);
        let Some(whole) = has_run(&space, system, &bad, labels) else { continue };
        let kept = has_run(&reduced, system, &bad, labels).expect("there are no more states than before");
        assert_eq!(whole, kept, "{}\n{formula:?} of {names:?}", case());
        if whole { runs += 1 } else { none += 1 }
    }
    (runs, none, left < all)
}

#[test]
fn formulas_that_count_no_steps_keep_their_truth() {
    let (mut runs, mut none, mut smaller) = (0, 0, 0);
    for seed in seeds(150) {
        let mut rng = Rng::new(seed);
        let knobs = Knobs { ranks: false, fairness: false, locals: 1, globals: 2, ..Knobs::default() };
        let system = RandomSystem::generate(seed, &knobs);
        let system = with_private_steps(&system, &mut rng).unwrap_or(system);
        let of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let labels: Vec<LabelId> = system.labels.ids().filter(of_states).collect();
        if labels.is_empty() {
            continue;
        }
        let (ran, did_not, left_out) =
            compare_formulas(&system, &labels, &mut rng, &|| format!("seed {seed}\n{system}"));
        (runs, none, smaller) = (runs + ran, none + did_not, smaller + usize::from(left_out));
    }
    println!("{runs} formulas with a run, {none} without, {smaller} systems smaller");
    assert!(runs > 50 && none > 50 && smaller > 8, "{runs} {none} {smaller}");
}

/// The model of a seed; now and then messages to a full channel are lost.
fn model_of(seed: u64, sources: &mut SourceMap) -> (CheckedModel, String) {
    let mut rng = Rng::new(seed);
    let text = models::random_model(&mut rng);
    let mut loader = |_: &str, _: &str| Err("nothing is included".to_owned());
    let options = ModelOptions { lose_messages: rng.chance(5), ..ModelOptions::default() };
    let model = read_model(sources, "random.pml", &text, &options, &mut loader)
        .unwrap_or_else(|found| panic!("seed {seed}: {found:?}\n{text}"));
    (model, text)
}

/// The size of the pool for these models: now and then one that is too small.
fn pool_size(seed: u64) -> u16 {
    if seed.is_multiple_of(7) { 4 } else { 6 }
}

#[test]
fn models_lose_nothing() {
    let mut tally = Tally::default();
    for seed in seeds(250) {
        let (model, text) = model_of(seed, &mut SourceMap::default());
        let system = model.system(pool_size(seed)).unwrap_or_else(|found| panic!("seed {seed}: {found:?}\n{text}"));
        if let Some(found) = lost(&system, &mut tally) {
            panic!("seed {seed}: {found}\n{text}");
        }
    }
    println!("{tally:?}");
    assert!(tally.smaller > 20, "hardly anything was reduced: {tally:?}");
}

/// The models that were written to lose something by one wrong assumption each.
#[test]
fn models_whose_orders_matter_lose_nothing() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../lariat/tests/orders");
    let mut tally = Tally::default();
    for entry in std::fs::read_dir(folder).expect("the project has models") {
        let path = entry.expect("a folder can be read").path();
        let text = std::fs::read_to_string(&path).expect("a model can be read");
        let options = ModelOptions { lose_messages: text.contains("--lose-messages"), ..ModelOptions::default() };
        let mut loader = |_: &str, _: &str| Err("nothing is included".to_owned());
        let model = read_model(&mut SourceMap::default(), "order.pml", &text, &options, &mut loader);
        let system = model.and_then(|model| model.system(6)).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
        if let Some(found) = lost(&system, &mut tally) {
            panic!("{}: {found}\n{text}", path.display());
        }
    }
    println!("{tally:?}");
    assert!(tally.smaller > 10, "hardly anything was reduced: {tally:?}");
}

#[test]
fn formulas_about_models_keep_their_truth() {
    let (mut runs, mut none, mut smaller) = (0, 0, 0);
    for seed in seeds(120) {
        let mut rng = Rng::new(!seed);
        let mut sources = SourceMap::default();
        let (model, text) = model_of(seed, &mut sources);
        let mut conditions: Vec<&str> = (0..1 + rng.below(2)).map(|_| *rng.pick(&models::CONDITIONS)).collect();
        if rng.chance(30) {
            // Steps of two processes that only the formula brings together.
            conditions = vec!["P0[1]:x == 1", *rng.pick(&["P0[2]:x == 1", "P0[2]@M", "P0[3]:x == 0"])];
        }
        conditions.sort_unstable();
        conditions.dedup();
        let observations: Vec<Observation> = conditions
            .iter()
            .map(|name| {
                let condition = model.phrase(&mut sources, "condition", name).expect("conditions are made of tokens");
                Observation { name: (*name).to_owned(), condition }
            })
            .collect();
        let observed = model.observing(&mut sources, &observations);
        let observed = match observed {
            Ok(observed) => observed,
            // Not every model has as many processes, or a label that control rests at.
            Err(found) if found.iter().all(|error| ["P0456", "P0461"].contains(&error.code)) => continue,
            Err(found) => panic!("seed {seed}: {found:?}\n{text}"),
        };
        let mut system = observed.system(pool_size(seed)).expect("it could be made before");
        if rng.chance(30) {
            system.dead_ends = DeadEnds::Cut;
        }
        let labels: Vec<LabelId> = (0..conditions.len()).map(LabelId::new).collect();
        let (ran, did_not, left_out) = compare_formulas(&system, &labels, &mut rng, &|| format!("seed {seed}\n{text}"));
        (runs, none, smaller) = (runs + ran, none + did_not, smaller + usize::from(left_out));
    }
    println!("{runs} formulas with a run, {none} without, {smaller} models smaller");
    assert!(runs > 20 && none > 20 && smaller > 8, "{runs} {none} {smaller}");
}
