//! Sets of states as decision diagrams against sets of states of a graph that the reference evaluator wrote out, on random
//! systems. `LARIAT_SEEDS=20000` for more systems than the ordinary ones, `LARIAT_FIRST=7` to begin with another seed.

use lariat_branching::{Checker, Condition, Constraint, FairStates, How, Slip, breadth_first, make_slip};
use lariat_engine::{Branching, Shortfall};
use lariat_space::{BitSet, Enumerated, Faults, GraphSets, ReferenceSpace, StateSets, Steps};
use lariat_symbolic::{BddSets, Capacity, Diagram};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use lariat_testkit::{FormulaKnobs, Knobs, Mutation, RandomSystem, Rng, random_ctl, shrink};
use std::ops::ControlFlow;

const STATE_LIMIT: usize = 120;
const STEP_LIMIT: usize = 3000;

fn from_env(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

/// What was compared.
#[derive(Default, Debug)]
struct Figures {
    systems: u64,
    states: u64,
    with_holders: u64,
    sets: u64,
    faulty: u64,
    dead: u64,
    formulas: u64,
    mixed: u64,
}

type Plain<'g> = GraphSets<'g, fn(u64) -> Result<(), std::convert::Infallible>>;

struct Pair<'p, 'a, 'g> {
    diagrams: &'p BddSets<'a>,
    graph: &'p Plain<'g>,
}

impl Pair<'_, '_, '_> {
    /// A set of states of the graph as a diagram.
    fn diagram(&self, set: &BitSet) -> Result<Diagram, Shortfall> {
        set.iter().try_fold(self.diagrams.empty(), |sum, state| {
            self.diagrams.union(&sum, &self.diagrams.only(&self.graph.graph().states[state])?)
        })
    }
    /// Whether both are the same set of reachable states.
    fn compare(&self, what: &str, found: &Diagram, expected: &BitSet) -> Result<(), String> {
        let all = self.graph.of(0..self.graph.graph().states.len());
        let stopped = |shortfall: Shortfall| format!("{what}: {shortfall:?}");
        let reachable = self.diagram(&all).map_err(stopped)?;
        let found = self.diagrams.intersect(found, &reachable).map_err(stopped)?;
        if found == self.diagram(expected).map_err(stopped)? {
            // The state that is picked is the least one: bit by bit, the first bit first.
            let states = expected.iter().map(|state| &self.graph.graph().states[state]);
            let least = states.min_by_key(|state| state.iter().map(|word| word.reverse_bits()).collect::<Vec<u64>>());
            let picked = self.diagrams.pick(&found).map_err(stopped)?;
            return match picked.as_ref() == least {
                true => Ok(()),
                false => Err(format!("{what}: {picked:x?} is picked, not {least:x?}")),
            };
        }
        let is_in = |state: usize| {
            let one = self.diagrams.only(&self.graph.graph().states[state])?;
            Ok(!self.diagrams.is_empty(&self.diagrams.intersect(&one, &found)?))
        };
        let members: Result<Vec<bool>, Shortfall> = (0..self.graph.graph().states.len()).map(is_in).collect();
        let wrong: Vec<usize> = members
            .map_err(stopped)?
            .into_iter()
            .enumerate()
            .filter(|(state, is_in)| *is_in != expected.contains(*state))
            .map(|(state, _)| state)
            .collect();
        Err(format!("{what} differs in states {wrong:?}: {:x?}", self.graph.graph().states[wrong[0]]))
    }
}

fn labels(system: &System, of_states: bool) -> Vec<LabelId> {
    let wanted = |meaning: &LabelMeaning| matches!(meaning, LabelMeaning::State(_)) == of_states;
    system.labels.entries().filter(|(_, label)| wanted(&label.meaning)).map(|(id, _)| id).collect()
}

fn infallible<T>(result: Result<T, std::convert::Infallible>) -> T {
    let Ok(value) = result;
    value
}

/// Compares the two readings of `system`; gives the first difference.
fn compare(system: &System, rng: &mut Rng, figures: &mut Figures) -> Result<(), String> {
    compare_readings(system, system, rng, figures)
}

/// Compares the graph of `system` with the diagrams of `encoded`.
fn compare_readings(system: &System, encoded: &System, rng: &mut Rng, figures: &mut Figures) -> Result<(), String> {
    let space = ReferenceSpace::new(system).expect("small");
    let Ok(whole) = Enumerated::new(&space, STATE_LIMIT) else { return Ok(()) };
    if whole.transitions() > STEP_LIMIT {
        return Ok(());
    }
    let graph = GraphSets::new(&whole);
    let capacity = Capacity { nodes: 1 << 18, cache: 1 << 12 };
    let sets = BddSets::new(encoded, capacity, Shortfall::Memory { limit_bytes: 0 }, || Ok(()))
        .expect("random systems are small")
        .map_err(|shortfall| format!("{shortfall:?}"))?;
    let pair = Pair { diagrams: &sets, graph: &graph };
    let compared = compare_sets(&pair, system, rng, figures);
    compared.unwrap_or_else(|shortfall| match shortfall {
        // Random expressions can be anything; a diagram need not be small.
        Shortfall::Memory { .. } => Ok(()),
        other => Err(format!("{other:?}")),
    })
}

/// All steps, those with each label, and some with several and without others.
fn patterns(labels: &[LabelId], rng: &mut Rng) -> Vec<Steps> {
    let mut steps: Vec<Steps> =
        [Steps::All].into_iter().chain(labels.iter().map(|&label| Steps::Carrying(label))).collect();
    for _ in 0..labels.len() {
        let mut some = || labels.iter().copied().filter(|_| rng.chance(40)).collect::<Vec<LabelId>>();
        steps.extend(Steps::matching(some(), some()));
    }
    steps
}

/// Justice or compassion, for states or steps.
fn random_constraint(rng: &mut Rng, of_states: &[LabelId], of_steps: &[LabelId]) -> Constraint {
    let mut condition = || match rng.below(6) {
        0 | 1 if !of_steps.is_empty() => Condition::Step(*rng.pick(of_steps)),
        2 if !of_steps.is_empty() => Condition::NotStep(*rng.pick(of_steps)),
        3 if !of_steps.is_empty() => Condition::Enabled(*rng.pick(of_steps)),
        _ => Condition::State(*rng.pick(of_states)),
    };
    let (asked, given) = (condition(), condition());
    if rng.chance(50) { Constraint::compassion(asked, given) } else { Constraint::justice(given) }
}

fn compare_sets(
    pair: &Pair<'_, '_, '_>,
    system: &System,
    rng: &mut Rng,
    figures: &mut Figures,
) -> Result<Result<(), String>, Shortfall> {
    macro_rules! same {
        ($what:expr, $found:expr, $expected:expr) => {
            figures.sets += 1;
            if let Err(difference) = pair.compare($what, &$found, &infallible($expected)) {
                return Ok(Err(difference));
            }
        };
    }
    let Pair { diagrams: sets, graph } = *pair;
    let states = graph.graph().states.len();
    let (of_states, of_steps) = (labels(system, true), labels(system, false));
    let all = graph.of(0..states);
    let subset = |rng: &mut Rng| graph.of((0..states).filter(|_| rng.chance(40)));
    let steps = patterns(&of_steps, rng);
    // Backwards before anything is known about what can be reached.
    if rng.chance(30) {
        let (some, steps) = (subset(rng), rng.pick(&steps).clone());
        same!("pre at first", sets.pre(&pair.diagram(&some)?, steps.clone())?, graph.pre(&some, steps));
    }
    same!("initial", sets.initial()?, graph.initial());
    // What chaining learns on its way is all that sets are confined to, as in the engine.
    if rng.chance(50) {
        let reached = sets.reachable(&sets.initial()?)?;
        sets.confine(&reached)?;
        for steps in &steps {
            let some = subset(rng);
            let (found, by) = (sets.pre(&pair.diagram(&some)?, steps.clone())?, steps.clone());
            same!(&format!("pre after chaining of {some:?} by {steps:?}"), found, graph.pre(&some, by));
        }
    }
    let rings = breadth_first(sets, |_, _, _| Ok(ControlFlow::Continue(())))?;
    let plain_rings = infallible(breadth_first(graph, |_, _, _| Ok(ControlFlow::Continue(()))));
    if rings.rings.len() != plain_rings.rings.len() {
        return Ok(Err(format!("{} rings instead of {}", rings.rings.len(), plain_rings.rings.len())));
    }
    let (count, expected) = (sets.count(&rings.reached)?, states as u64);
    if count.to_u64() != Some(expected) {
        return Ok(Err(format!("{count} states instead of {expected}")));
    }
    same!("reached", rings.reached, Ok(all.clone()));
    if sets.reachable(&sets.initial()?)? != rings.reached {
        return Ok(Err("chaining reaches something else".to_owned()));
    }
    for confined in [false, true] {
        if confined {
            sets.confine(&rings.reached)?;
        }
        for steps in &steps {
            let some = subset(rng);
            let diagram = pair.diagram(&some)?;
            let by = || steps.clone();
            same!(&format!("post of {some:?} by {steps:?}"), sets.post(&diagram, by())?, graph.post(&some, by()));
            same!(&format!("pre of {some:?} by {steps:?}"), sets.pre(&diagram, by())?, graph.pre(&some, by()));
        }
    }
    // However much `grown_back` takes at once, in the end it is all from which the set can be reached.
    let (some, within) = (subset(rng), subset(rng));
    let (mut found, limit) = (pair.diagram(&some)?, pair.diagram(&within)?);
    let mut expected = some.clone();
    loop {
        let (grown, plain) = (sets.grown_back(&found, &limit)?, infallible(graph.grown_back(&expected, &within)));
        if grown == found && plain == expected {
            break;
        }
        (found, expected) = (grown, plain);
    }
    same!(&format!("all before {some:?} within {within:?}"), found, Ok(expected));
    for &label in &of_states {
        same!("label", sets.satisfying(label)?, graph.satisfying(label));
    }
    same!("proper ends", sets.proper_ends()?, graph.proper_ends());
    let some = subset(rng);
    let diagram = pair.diagram(&some)?;
    same!("dead ends", sets.dead_ends(&diagram)?, graph.dead_ends(&some));
    same!("all dead ends", sets.dead_ends(&rings.reached)?, graph.dead_ends(&all));
    for faults in [Faults::Any, Faults::PoolFull] {
        same!(&format!("faults {faults:?}"), sets.faulty(&diagram, faults)?, graph.faulty(&some, faults));
    }
    same!("union", sets.union(&diagram, &sets.initial()?)?, graph.union(&some, &infallible(graph.initial())));
    same!("minus", sets.minus(&rings.reached, &diagram)?, graph.minus(&all, &some));
    if let Some(picked) = sets.pick(&diagram)? {
        let least = some.iter().map(|state| &graph.graph().states[state]).map(|state| reversed(state)).min();
        if Some(reversed(&picked)) != least {
            return Ok(Err(format!("picked {picked:x?} of {some:?}")));
        }
    } else if some.iter().next().is_some() {
        return Ok(Err("nothing picked".to_owned()));
    }
    figures.systems += 1;
    figures.states += states as u64;
    figures.with_holders += u64::from(system.actions.iter().any(|action| action.hold.is_some()));
    figures.faulty += u64::from(infallible(graph.faulty(&all, Faults::Any)).iter().next().is_some());
    figures.dead += u64::from(infallible(graph.dead_ends(&all)).iter().next().is_some());
    if of_states.is_empty() {
        return Ok(Ok(()));
    }
    let constraints: Vec<Constraint> =
        (0..rng.below(3)).map(|_| random_constraint(rng, &of_states, &of_steps)).collect();
    let dead_ends = if rng.chance(30) { DeadEnds::Cut } else { DeadEnds::Stutter };
    let knobs = FormulaKnobs { operators: 5, props: of_states.len() as u32, ..FormulaKnobs::default() };
    let ways: Vec<How> = How::all().collect();
    for _ in 0..2 {
        let formula = random_ctl(rng, &knobs);
        let property = Branching::new(formula.clone(), of_states.clone()).expect("it is of CTL");
        let mut plain = Checker::new(
            graph,
            &property,
            infallible(FairStates::new(graph, all.clone(), dead_ends, &constraints, How::default())),
        );
        let how = ways[rng.below(ways.len())];
        let mut checker =
            Checker::new(sets, &property, FairStates::new(sets, rings.reached.clone(), dead_ends, &constraints, how)?);
        let expected = infallible(plain.value(property.root()));
        let members = expected.iter().count();
        figures.formulas += 1;
        figures.mixed += u64::from(members > 0 && members < states);
        same!(&format!("{formula:?} under {constraints:?}"), checker.value(property.root())?, Ok(expected));
        sets.safe_point()?;
    }
    Ok(Ok(()))
}

/// The bits, the lowest first: what is picked is the least in this sense.
fn reversed(state: &[u64]) -> Vec<u64> {
    state.iter().map(|word| word.reverse_bits()).collect()
}

fn knobs(rng: &mut Rng) -> Knobs {
    let knobs = Knobs { depth: 2, ..Knobs::default() };
    match rng.below(8) {
        0 => Knobs { pool_size: 4, dynamic: true, ..knobs },
        1 => Knobs { depth: 3, wide_percent: 20, ..knobs },
        2 => Knobs { choices: 3, actions: 8, ..knobs },
        _ => knobs,
    }
}

#[test]
fn diagrams_and_graphs_agree() {
    let (first, seeds) =
        (from_env("LARIAT_FIRST", 0), from_env("LARIAT_SEEDS", if cfg!(debug_assertions) { 60 } else { 150 }));
    let mut figures = Figures::default();
    for seed in first..first + seeds {
        let rng = &mut Rng::new(!seed);
        let system = RandomSystem::generate(seed, &knobs(rng));
        if let Err(difference) = compare(&system, rng, &mut figures) {
            let differs = |system: &System| compare(system, &mut Rng::new(!seed), &mut Figures::default()).is_err();
            let small = if differs(&system) { shrink(&system, differs) } else { system };
            panic!("seed {seed}: {difference}\nshrunk:\n{small}");
        }
    }
    eprintln!("{figures:?}");
    assert!(figures.systems * 2 > seeds && figures.mixed * 8 > figures.formulas, "{figures:?}");
    assert!(figures.with_holders > 0 && figures.faulty > 0 && figures.dead > 0, "{figures:?}");
}

#[test]
fn every_misread_system_is_caught() {
    for mutation in Mutation::ALL {
        let caught = (0..40).find(|&seed| {
            let rng = &mut Rng::new(!seed);
            let system = RandomSystem::generate(seed, &knobs(rng));
            compare_readings(&system, &mutation.apply(&system), rng, &mut Figures::default()).is_err()
        });
        assert!(caught.is_some(), "{mutation:?} is not caught");
    }
}

#[test]
fn reordering_changes_no_set() {
    let mut reordered = 0;
    for seed in 0..30 {
        let system = RandomSystem::generate(seed, &Knobs { depth: 3, wide_percent: 20, ..Knobs::default() });
        let space = ReferenceSpace::new(&system).expect("small");
        let Ok(whole) = Enumerated::new(&space, 400) else { continue };
        let full = Shortfall::Memory { limit_bytes: 0 };
        let made = BddSets::new(&system, Capacity { nodes: 1 << 19, cache: 1 << 14 }, full, || Ok(()));
        let Ok(Ok(sets)) = made else { continue };
        let mut reach = || {
            // Trying all orders takes long in a development build: once for each system. `.ci/run` makes a release build too.
            let mut left = if cfg!(debug_assertions) { 1 } else { usize::MAX };
            let rings = breadth_first(&sets, |_, _, depth| {
                if depth % 2 == 0 && left > 0 {
                    sets.diagrams().reorder_now()?;
                    (reordered, left) = (reordered + 1, left - 1);
                }
                Ok(ControlFlow::Continue(()))
            })?;
            let order = sets.diagrams().order();
            let pairs = sets.order_of_bits();
            assert_eq!(pairs.len(), sets.state_variables());
            assert!(order.windows(2).all(|pair| pair[0] != pair[1]));
            sets.count(&rings.reached)
        };
        match reach() {
            Ok(count) => assert_eq!(count.to_u64(), Some(whole.states.len() as u64), "seed {seed}"),
            Err(shortfall) => assert_eq!(shortfall, full),
        }
    }
    let least = if cfg!(debug_assertions) { 10 } else { 20 };
    assert!(reordered > least, "only {reordered} reorderings");
}

#[test]
fn running_out_of_nodes_is_a_value() {
    let mut full = 0;
    for seed in 0..20 {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let limit = Shortfall::Memory { limit_bytes: 7 };
        let Ok(made) = BddSets::new(&system, Capacity { nodes: 600, cache: 64 }, limit, || Ok(())) else { continue };
        let reached = made.and_then(|sets| breadth_first(&sets, |_, _, _| Ok(ControlFlow::Continue(()))).map(|_| ()));
        full += u32::from(reached == Err(limit));
    }
    assert!(full > 5, "only {full} ran out of nodes");
}

#[test]
fn a_search_that_is_told_to_stop_stops() {
    let system = RandomSystem::generate(1, &Knobs::default());
    let asked = std::rc::Rc::new(std::cell::Cell::new(0));
    let counter = asked.clone();
    let watch = move || {
        counter.set(counter.get() + 1);
        if counter.get() > 3 { Err(Shortfall::Interrupted) } else { Ok(()) }
    };
    let full = Shortfall::Memory { limit_bytes: 0 };
    let sets = BddSets::new(&system, Capacity { nodes: 1 << 18, cache: 1 << 10 }, full, watch).expect("small");
    let reached = sets.and_then(|sets| breadth_first(&sets, |_, _, _| Ok(ControlFlow::Continue(()))).map(|_| ()));
    assert_eq!(reached, Err(Shortfall::Interrupted));
}

/// Each deliberate mistake in a fixpoint of these sets makes them differ from those of the graph on some system.
#[test]
fn every_slip_in_a_fixpoint_is_noticed() {
    if !make_slip(Some(Slip::EventLost)) {
        println!("skipped: no mistakes in a release build");
        return;
    }
    make_slip(None);
    let slips = [
        Slip::InnerEndsEarly,
        Slip::InnerBackEndsEarly,
        Slip::RanksIgnored,
        Slip::CarriedForgotten,
        Slip::EventLost,
        Slip::PathEndsEarly,
    ];
    for slip in slips {
        let notices = |seed: &u64| {
            let system = RandomSystem::generate(*seed, &Knobs { depth: 2, ..Knobs::default() });
            make_slip(Some(slip));
            let compared = compare(&system, &mut Rng::new(*seed), &mut Figures::default());
            make_slip(None);
            compared.is_err()
        };
        let seed = (0..300).find(notices);
        println!("{slip:?}: first noticed with seed {seed:?}");
        assert!(seed.is_some(), "{slip:?} makes no difference");
    }
}
