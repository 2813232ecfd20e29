//! The steps of one process alone, which a reduction asks for: in bytecode and in native code they are those that the
//! reference evaluator lists, and none that nobody lists.
//!
//! `LARIAT_SEEDS=20000 cargo test --release -p lariat-exec --test all steps_by::` tries more random systems.

#[cfg(feature = "native")]
use lariat_exec::NativeProgram;
use lariat_exec::Program;
use lariat_space::{Outcome, ReferenceSpace, State, StateSpace, Step, StepsByProcess, each};
use lariat_system::{Fault, Position, System};
use lariat_testkit::{Knobs, RandomSystem, Rng, with_private_steps};
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

const STATES: usize = 60;

/// A step as a value.
type Listed = (Vec<u32>, Result<Vec<u64>, Fault>);

fn listed(step: &Step<'_>) -> Listed {
    let target = match step.target {
        Outcome::State(target) => Ok(target.to_vec()),
        Outcome::Fault(fault) => Err(fault),
    };
    (step.via.iter().map(|by| by.action.0).collect(), target)
}

fn steps_of<S: StateSpace>(space: &S, source: &State, scratch: &mut S::Scratch) -> BTreeSet<Listed> {
    let mut found = BTreeSet::new();
    let sink = each(|step| {
        found.insert(listed(&step));
        ControlFlow::<()>::Continue(())
    });
    let _ = space.steps(source, scratch, sink);
    found
}

fn steps_by<S: StepsByProcess>(
    space: &S,
    source: &State,
    actor: Position,
    scratch: &mut S::Scratch,
) -> BTreeSet<Listed> {
    let mut found = BTreeSet::new();
    let sink = each(|step| {
        assert_eq!(step.via.first().and_then(|first| first.actor), Some(actor), "another process is first");
        found.insert(listed(&step));
        ControlFlow::<()>::Continue(())
    });
    let _ = space.steps_by(source, actor, scratch, sink);
    found
}

/// How a program differs from the reference evaluator, in the first states.
fn difference<S: StepsByProcess>(system: &System, space: &S) -> Option<String> {
    let reference = ReferenceSpace::new(system).expect("random systems are small");
    let (mut scratch, mut theirs) = (space.scratch(), reference.scratch());
    let (mut states, mut known): (Vec<Vec<u64>>, HashSet<Vec<u64>>) = (Vec::new(), HashSet::new());
    let _ = reference.initial(&mut theirs, |state| {
        states.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    let mut at = 0;
    while at < states.len() && at < STATES {
        let source = states[at].clone();
        at += 1;
        let all = steps_of(&reference, &source, &mut theirs);
        for actor in 0..system.pool_size as Position {
            let wanted = steps_by(&reference, &source, actor, &mut theirs);
            let found = steps_by(space, &source, actor, &mut scratch);
            // Sequences that others begin may hide the rest of one of its own from the reference evaluator: by what
            // it leads to, every step is among all of them.
            let lost = wanted.difference(&found).next();
            let added = found.iter().find(|(_, target)| !all.iter().any(|(_, other)| other == target));
            if let Some(step) = lost.or(added) {
                return Some(format!("process {actor} in {source:?}: {step:?}"));
            }
        }
        for (_, target) in all {
            if let Ok(target) = target
                && known.insert(target.clone())
            {
                states.push(target);
            }
        }
    }
    None
}

#[test]
fn the_steps_of_one_process() {
    let seeds = std::env::var("LARIAT_SEEDS").map_or(60, |seeds| seeds.parse().expect("a number of seeds"));
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let knobs = Knobs { ranks: rng.chance(30), invariants: rng.chance(20), ..Knobs::default() };
        let system = RandomSystem::generate(seed, &knobs);
        let system = with_private_steps(&system, &mut rng).unwrap_or(system);
        let program = Program::compile(&system).expect("random systems compile");
        assert_eq!(difference(&system, &program), None, "seed {seed}\n{system}");
        #[cfg(feature = "native")]
        if let Ok(native) = NativeProgram::of(program, &system) {
            assert_eq!(difference(&system, &native), None, "native code, seed {seed}\n{system}");
        }
    }
}
