//! Which actions are taken: every engine says what the reference evaluator enumerates, also of actions that atomic sequences
//! pass by on the way to where another action has led, and of those whose only execution is an error.

use lariat_engine::{CodeKind, Engine, Options, Property, Replacement, RunControl, StoreKind, Taken, Task};
use lariat_explicit::{Bfs, Dfs};
use lariat_system::reference::{Evaluator, Outcome, Valuation};
use lariat_system::{ActionId, Fault, Position, System};
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::{BTreeSet, HashSet};

const SYSTEMS: u64 = 100;
const STATE_LIMIT: usize = 1000;

/// All that happens, found one firing at a time and without a notion of steps; `None` if there are too many states.
fn enumerated(system: &System) -> Option<Taken> {
    let evaluator = Evaluator::new(system);
    let (mut actions, mut faults) = (BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<(Valuation, Option<Position>)> = evaluator.initial().into_iter().map(|s| (s, None)).collect();
    let mut seen: HashSet<(Valuation, Option<Position>)> = open.iter().cloned().collect();
    while let Some((state, holder)) = open.pop() {
        if seen.len() > STATE_LIMIT {
            return None;
        }
        faults.extend(evaluator.guard_faults(&state, holder).into_iter().map(|(_, fault)| fault));
        for firing in evaluator.firings(&state, holder).0 {
            let (met, next) = evaluator.fire(&state, &firing);
            faults.extend(met);
            let Some(next) = next else { continue };
            actions.insert(firing.action);
            // Where the holder cannot go on, the state is an ordinary one.
            let holder = evaluator.holder_after(&firing).filter(|&holder| evaluator.firings(&next, Some(holder)).1);
            if seen.insert((next.clone(), holder)) {
                open.push((next, holder));
            }
        }
    }
    Some(Taken { actions: actions.into_iter().collect(), faults: faults.into_iter().collect() })
}

/// The actions that steps show, and the endless sequences: these are the one thing that a single firing does not tell.
fn shown_by_steps(system: &System) -> (BTreeSet<ActionId>, BTreeSet<Fault>) {
    let evaluator = Evaluator::new(system);
    let (mut actions, mut endless) = (BTreeSet::new(), BTreeSet::new());
    let mut open = evaluator.initial();
    let mut seen: HashSet<Valuation> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for step in evaluator.steps(&state) {
            match step.outcome {
                Outcome::State(next) => {
                    actions.extend(step.path.iter().map(|firing| firing.action));
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
                Outcome::Fault(fault @ Fault::EndlessAtomic(_)) => drop(endless.insert(fault)),
                Outcome::Fault(_) => {}
            }
        }
    }
    (actions, endless)
}

/// A random system in which some actions have a twin that does exactly the same.
fn system(seed: u64, knobs: &Knobs) -> System {
    let mut system = RandomSystem::generate(seed, knobs);
    for action in
        system.actions.ids().filter(|action| (u64::from(action.0) + seed).is_multiple_of(3)).collect::<Vec<_>>()
    {
        let mut twin = system.actions[action].clone();
        twin.name.push_str(" again");
        system.actions.push(twin);
    }
    system
}

#[test]
fn every_engine_tells_what_happens() {
    let engines: [(&dyn Engine, usize, StoreKind); 5] = [
        (&Bfs, 1, StoreKind::Tree),
        (&Bfs, 2, StoreKind::Tree),
        (&Bfs, 1, StoreKind::Flat),
        (&Dfs, 1, StoreKind::Tree),
        (&Dfs, 1, StoreKind::Cache { replacement: Replacement::default() }),
    ];
    let (mut passed_by, mut only_failing) = (0, 0);
    for seed in 0..SYSTEMS {
        let system = system(seed, &Knobs::default());
        let Some(mut expected) = enumerated(&system) else { continue };
        let (shown, endless) = shown_by_steps(&system);
        expected.faults.extend(endless);
        expected.faults.sort_unstable();
        passed_by += usize::from(shown.len() < expected.actions.len());
        let fails_only = |fault: &Fault| expected.actions.binary_search(&fault.action()).is_err();
        only_failing += usize::from(expected.faults.iter().any(fails_only));
        for (number, (engine, threads, store)) in engines.into_iter().enumerate() {
            // Machine code takes a development build long to make: each system has one search by it.
            let is_next = number == seed as usize % engines.len();
            let by_native = cfg!(feature = "native") && (is_next || !cfg!(debug_assertions));
            let codes: &[CodeKind] =
                if by_native { &[CodeKind::Bytecode, CodeKind::Native] } else { &[CodeKind::Bytecode] };
            for &code in codes {
                // What forgets states stops at the first failure.
                let keep_going = !matches!(store, StoreKind::Cache { .. });
                let options = Options { keep_going, threads, store, code, ..Options::default() };
                let task = Task::of_system(&system, Property::Safety { invalid_ends: keep_going }, options);
                let report = engine.settle(&task, &RunControl::new(1 << 28, None)).expect("it runs");
                assert_eq!(report.taken.is_some(), keep_going || report.failures.is_empty(), "seed {seed}");
                if let Some(told) = report.taken {
                    let how = (engine.name(), threads, store, code);
                    assert_eq!(told, expected, "seed {seed}, {how:?}\n{system}");
                }
            }
        }
    }
    assert!(passed_by > 10 && only_failing > 20, "too few cases: {passed_by}, {only_failing}");
}

#[test]
fn a_search_that_leaves_out_steps_leaves_out_no_action() {
    let knobs = Knobs { traps: false, ranks: false, invariants: false, choices: 0, ..Knobs::default() };
    let mut fewer = 0;
    for seed in 0..8 * SYSTEMS {
        let system = system(seed, &knobs);
        let Some(expected) = enumerated(&system) else { continue };
        let run = |reduce: bool| {
            let options = Options { reduce, code: crate::CODE, ..Options::default() };
            let task = Task::of_system(&system, Property::Safety { invalid_ends: false }, options);
            Bfs.settle(&task, &RunControl::new(1 << 28, None)).expect("it runs")
        };
        // Where there is a failure not everything was seen.
        let whole = run(false);
        if whole.taken.is_some() {
            let reduced = run(true);
            fewer += usize::from(reduced.stats.transitions < whole.stats.transitions);
            assert_eq!(reduced.taken, Some(expected), "seed {seed}\n{system}");
        }
    }
    assert!(fewer > 5, "only {fewer} cases");
}
