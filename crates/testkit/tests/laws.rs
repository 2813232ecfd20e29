//! Laws of the system crate on random systems: intervals hold all values, and packing loses nothing.

use lariat_base::IdVec;
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_system::reference::{ControlIndex, Evaluator, Outcome, Scope, Valuation};
use lariat_system::{Choice, ChoiceId, Expr, FrameId, Interval, Layout, Position, Update};
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::HashSet;

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
