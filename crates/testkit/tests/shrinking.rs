//! Shrinking keeps the failure, keeps validity, and comes down to what the failure is about.

use lariat_system::reference::{Evaluator, Outcome};
use lariat_system::{Fault, System};
use lariat_testkit::{Knobs, RandomSystem, shrink};

type Wanted = fn(Fault) -> bool;

/// Whether a fault of the wanted kind is met among the first states.
fn meets(system: &System, wanted: Wanted) -> bool {
    let evaluator = Evaluator::new(system);
    let mut seen = evaluator.initial();
    let mut next = 0;
    while next < seen.len() && seen.len() < 30 {
        for step in evaluator.steps(&seen[next].clone()) {
            match step.outcome {
                Outcome::Fault(fault) if wanted(fault) => return true,
                Outcome::State(target) if !seen.contains(&target) => seen.push(target),
                _ => {}
            }
        }
        next += 1;
    }
    false
}

#[test]
fn a_failure_shrinks_to_its_core() {
    let kinds: [(&str, Wanted); 3] = [
        ("full pool", |fault| matches!(fault, Fault::PoolFull(_))),
        ("endless atomic", |fault| matches!(fault, Fault::EndlessAtomic(_))),
        ("trap", |fault| matches!(fault, Fault::Trap(..))),
    ];
    for (name, wanted) in kinds {
        let (mut shrunk, mut actions, mut conjuncts) = (0, 0, 0);
        for seed in 0..40 {
            let system = RandomSystem::generate(seed, &Knobs::default());
            if !meets(&system, wanted) {
                continue;
            }
            let small = shrink(&system, |candidate| meets(candidate, wanted));
            assert!(meets(&small, wanted) && small.validate().is_ok());
            assert!(small.labels.is_empty() && small.fairness.is_empty() && small.invariants.is_empty(), "{small:#?}");
            // A local minimum need not be the smallest, but it is near.
            assert!(small.actions.len() <= 3, "a {name} takes one action: seed {seed}, {small:#?}");
            actions += small.actions.len();
            conjuncts += small.actions.iter().flat_map(|action| action.guard.conjuncts()).count();
            shrunk += 1;
        }
        assert!(shrunk > 3, "{name}: {shrunk} systems");
        assert!(actions * 2 < shrunk * 3, "{name}: {actions} actions in {shrunk} systems");
        assert!(conjuncts < shrunk, "{name}: {conjuncts} conjuncts in {shrunk} systems");
    }
}
