//! Laws of the system crate on random systems: intervals hold all values, and packing loses nothing.

use lariat_base::Id;
use lariat_base::IdVec;
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_system::reference::{ControlIndex, Evaluator, Firing, Outcome, Scope, Valuation, Wanted};
use lariat_system::{ActionId, Choice, ChoiceId, Expr, FrameId, Interval, Layout, Position, Update};
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::HashSet;
use std::ops::ControlFlow;

const SYSTEMS: u64 = 150;
const STATES: usize = 60;

fn some_states(evaluator: &Evaluator<'_>) -> Vec<Valuation> {
    let mut states = evaluator.initial();
    let mut seen: HashSet<Valuation> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < STATES {
        for step in evaluator.steps(&states[next].clone()) {
            if let Outcome::State(target) = step.outcome
                && seen.insert(target.clone())
            {
                states.push(target);
            }
        }
        next += 1;
    }
    states
}

#[test]
fn a_state_that_is_packed_and_unpacked_is_the_same() {
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let layout = Layout::new(&system).expect("random systems are small");
        let states = some_states(&Evaluator::new(&system));
        let packed: HashSet<Vec<u64>> = states.iter().map(|state| layout.pack(state)).collect();
        assert_eq!(packed.len(), states.len(), "seed {seed}: two states are packed alike");
        for state in states {
            assert_eq!(layout.unpack(&layout.pack(&state)), state, "seed {seed}");
        }
    }
}

/// An index by control leaves out only what cannot be, and changes no order.
#[test]
fn with_an_index_the_same_can_happen() {
    let mut firings = 0;
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let index = ControlIndex::new(&system);
        let (plain, indexed) = (Evaluator::new(&system), Evaluator::with_index(&system, &index));
        for state in some_states(&plain) {
            assert_eq!(plain.enabled(&state), indexed.enabled(&state), "seed {seed}");
            let holders = (0..state.pool.len()).map(|position| Some(position as Position));
            for holder in holders.chain([None]) {
                assert_eq!(plain.firings(&state, holder), indexed.firings(&state, holder), "seed {seed}");
                assert_eq!(plain.guard_faults(&state, holder), indexed.guard_faults(&state, holder), "seed {seed}");
                firings += plain.firings(&state, holder).0.len();
            }
            assert_eq!(plain.steps(&state), indexed.steps(&state), "seed {seed}");
        }
    }
    assert!(firings > 1000, "{firings}");
}

/// What is found by where it leads is what the list of everything has there.
#[test]
fn directed_firings_are_those_of_the_list() {
    let mut found = [0; 3];
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let index = ControlIndex::new(&system);
        let (plain, evaluator) = (Evaluator::new(&system), Evaluator::with_index(&system, &index));
        let (states, initial) = (some_states(&plain), plain.initial());
        for state in &states {
            assert_eq!(evaluator.is_initial(state), initial.contains(state), "seed {seed}");
            let holders = (0..state.pool.len()).map(|position| Some(position as Position));
            for holder in holders.chain([None]) {
                found[0] += compare_directed(&plain, &evaluator, state, holder, seed);
                found[1] += compare_some(&plain, &evaluator, state, holder, seed);
            }
            for next in states.iter().step_by(12) {
                let leads_there = |firing: &Firing| {
                    plain.holder_after(firing).is_none() && plain.fire(state, firing).1.as_ref() == Some(next)
                };
                let listed = plain.firings(state, None).0.into_iter().any(|firing| leads_there(&firing));
                let between = evaluator.firing_between(state, next, |_| true);
                assert_eq!(between.is_some(), listed, "seed {seed}");
                assert!(between.is_none_or(|firing| leads_there(&firing)), "seed {seed}");
                found[2] += usize::from(listed);
            }
        }
    }
    assert!(found.iter().all(|&found| found > 300), "{found:?}");
}

fn directed(
    evaluator: &Evaluator<'_>,
    state: &Valuation,
    holder: Option<Position>,
    like: &Firing,
    wanted: Wanted<'_>,
) -> Vec<Firing> {
    let mut firings = Vec::new();
    let _ = evaluator.each_firing_of(state, holder, like.action, &like.scope.positions, wanted, |firing| {
        firings.push(firing);
        ControlFlow::<()>::Continue(())
    });
    firings
}

/// Compares the firings of each action that is enabled, and those of them that lead to one state; how many there are.
fn compare_directed(
    plain: &Evaluator<'_>,
    evaluator: &Evaluator<'_>,
    state: &Valuation,
    holder: Option<Position>,
    seed: u64,
) -> usize {
    let (listed, transient) = plain.firings(state, holder);
    // With a holder only those are asked for that leave the state transient.
    let listed = if holder.is_none() || transient { listed } else { Vec::new() };
    let is_like =
        |one: &Firing, other: &Firing| (one.action, &one.scope.positions) == (other.action, &other.scope.positions);
    for (_, like) in plain.enabled(state) {
        let alike: Vec<Firing> = listed.iter().filter(|firing| is_like(firing, &like)).cloned().collect();
        assert_eq!(directed(evaluator, state, holder, &like, Wanted::default()), alike, "seed {seed}");
        let valued: Vec<(ChoiceId, i64)> =
            like.scope.choices.iter().enumerate().map(|(number, &value)| (ChoiceId::new(number), value)).collect();
        let last = &valued[valued.len().saturating_sub(1)..];
        let has_last = |firing: &&Firing| firing.scope.choices.last() == like.scope.choices.last();
        let chosen: Vec<Firing> = alike.iter().filter(has_last).cloned().collect();
        let wanted = Wanted { choices: last, ..Wanted::default() };
        assert_eq!(directed(evaluator, state, holder, &like, wanted), chosen, "seed {seed}");
        if let Some(goal) = plain.fire(state, &like).1 {
            let there = |firing: &Firing| plain.fire(state, firing).1.as_ref() == Some(&goal);
            let alike: Vec<Firing> = alike.into_iter().filter(there).collect();
            let wanted = Wanted { goal: Some(&goal), ..Wanted::default() };
            assert_eq!(directed(evaluator, state, holder, &like, wanted), alike, "seed {seed}");
            let is_same = |firing: &Firing| firing.scope.choices == like.scope.choices;
            let same: Vec<Firing> = alike.into_iter().filter(is_same).collect();
            let wanted = Wanted { goal: Some(&goal), choices: &valued };
            assert_eq!(directed(evaluator, state, holder, &like, wanted), same, "seed {seed}");
        }
    }
    listed.len()
}

/// Compares what is done by some of the firings with what is done by all; how many there are.
fn compare_some(
    plain: &Evaluator<'_>,
    evaluator: &Evaluator<'_>,
    state: &Valuation,
    holder: Option<Position>,
    seed: u64,
) -> usize {
    let done = |firings: &[Firing]| -> HashSet<(ActionId, Vec<Position>, bool)> {
        let leads_on = |firing: &Firing| plain.fire(state, firing).1.is_some();
        firings.iter().map(|firing| (firing.action, firing.scope.positions.clone(), leads_on(firing))).collect()
    };
    let ((all, transient), (some, still)) = (plain.firings(state, holder), evaluator.some_firings(state, holder));
    assert_eq!(transient, still, "seed {seed}");
    let (all_done, some_done) = (done(&all), done(&some));
    assert!(some_done.is_subset(&all_done), "seed {seed}");
    let moves =
        |done: &HashSet<(ActionId, Vec<Position>, bool)>, leading: bool| -> HashSet<(ActionId, Vec<Position>)> {
            done.iter().filter(|done| !leading || done.2).map(|(action, by, _)| (*action, by.clone())).collect()
        };
    assert_eq!(moves(&all_done, false), moves(&some_done, false), "seed {seed}");
    assert_eq!(moves(&all_done, true), moves(&some_done, true), "seed {seed}");
    some.len()
}

#[test]
fn every_value_lies_in_its_interval() {
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs { depth: 5, ..Knobs::default() });
        let evaluator = Evaluator::new(&system);
        for state in some_states(&evaluator) {
            for (_, firing) in evaluator.enabled(&state) {
                let action = &system.actions[firing.action];
                let written = action.updates.iter().filter_map(|update| match update {
                    Update::Set(_, value) => Some(value),
                    Update::Spawn { .. } | Update::Exit => None,
                });
                let roles = &mut action.participants.clone();
                for expr in action.guard.conjuncts().chain(written).chain([&action.rank]) {
                    check(&evaluator, expr, &state, &firing.scope, (roles, &action.choices));
                }
            }
        }
    }
}

/// Checks `expr` and its parts; bodies of `Exists` are left out, since their role is not bound in the scope.
fn check(
    evaluator: &Evaluator<'_>,
    expr: &Expr,
    state: &Valuation,
    scope: &Scope,
    (roles, choices): (&mut Vec<FrameId>, &IdVec<ChoiceId, Choice>),
) {
    let interval = Interval::of(expr, evaluator.system, roles, choices).expect("the system is valid");
    let value = evaluator.value(expr, state, scope);
    assert!(interval.contains(value), "{expr:?} is {value}, not in {interval:?}");
    if !matches!(expr, Expr::Exists(..)) {
        expr.for_each_part(|part| check(evaluator, part, state, scope, (&mut *roles, choices)));
    }
}

#[test]
fn the_packed_space_has_the_states_of_the_evaluator() {
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let space = ReferenceSpace::new(&system).expect("random systems are small");
        let states = some_states(&space.evaluator);
        if states.len() < STATES {
            let graph = Enumerated::new(&space, STATES).expect("there are fewer states");
            let packed: Vec<Vec<u64>> = states.iter().map(|state| space.layout.pack(state)).collect();
            assert_eq!(graph.states, packed, "seed {seed}");
        }
    }
}
