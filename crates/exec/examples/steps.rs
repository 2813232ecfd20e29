//! What steps cost: `cargo run --release -p lariat-exec --features native --example steps -- [-s STATES] [-n] MODEL.pml...`.
//!
//! Walks a model breadth first up to a number of states, then lists the steps of all of them again and times only that,
//! with every backend, or with `-n` with native code alone. One line a model and backend: states, transitions, actions on their paths, words per state,
//! milliseconds to compile, nanoseconds per transition.

#[path = "../tests/reading/mod.rs"]
mod reading;

use lariat_exec::{Backend, CompileError, SpaceVisitor, with_program};
use lariat_space::{Outcome, StateSpace, each};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::ops::ControlFlow;
use std::path::Path;

/// The time is the least of so many rounds: the machine is not ours alone.
const ROUNDS: usize = 5;

fn main() {
    let mut states = 300_000;
    let mut backends = Backend::ALL.to_vec();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "-s" {
            states = arguments.next().and_then(|number| number.parse().ok()).expect("-s takes a number");
            continue;
        }
        if argument == "-n" {
            backends = vec![Backend::Native];
            continue;
        }
        let system = reading::system(Path::new(&argument)).expect("the model makes a system");
        for &backend in &backends {
            let begun = busy_nanos();
            let name = Path::new(&argument).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let bench = Bench { name, backend, states, begun };
            with_program(&system, backend, None, bench).unwrap_or_else(|error: CompileError| println!("{error}"));
        }
    }
}

struct Bench {
    name: String,
    backend: Backend,
    states: usize,
    begun: u128,
}

impl SpaceVisitor for Bench {
    type Output = ();

    fn visit<S: StateSpace>(self, space: &S, backend: Backend) {
        if backend != self.backend {
            return println!("{:24} {:?} is not to be had", self.name, self.backend);
        }
        let compiled = busy_nanos() - self.begun;
        let states = breadth_first(space, self.states);
        let words = space.words_per_state();
        let mut scratch = space.scratch();
        let mut best = f64::INFINITY;
        let (mut transitions, mut actions) = (0u64, 0u64);
        for _ in 0..ROUNDS {
            (transitions, actions) = (0, 0);
            let begun = busy_nanos();
            for state in states.chunks_exact(words) {
                let _ = space.steps(
                    state,
                    &mut scratch,
                    each(|step| {
                        transitions += u64::from(matches!(step.target, Outcome::State(_)));
                        actions += step.via.len() as u64;
                        ControlFlow::<()>::Continue(())
                    }),
                );
            }
            best = best.min((busy_nanos() - begun) as f64);
        }
        println!(
            "{:24} {:9} states {:7} transitions {transitions:8} actions {actions:8} words {words:3} \
             compile {:7.2} ms  {:6.1} ns/transition {:6.1} ns/state",
            self.name,
            format!("{backend:?}"),
            states.len() / words,
            compiled as f64 / 1e6,
            best / transitions as f64,
            best / (states.len() / words) as f64,
        );
    }
}

/// How long this thread has run. Elsewhere than on Linux the time of day must do.
fn busy_nanos() -> u128 {
    let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let busy = scheduled.and_then(|text| text.split(' ').next()?.parse().ok());
    busy.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos()))
}

fn breadth_first<S: StateSpace>(space: &S, limit: usize) -> Vec<u64> {
    let words = space.words_per_state();
    let mut scratch = space.scratch();
    let mut known: HashSet<Box<[u64]>, BuildHasherDefault<DefaultHasher>> = HashSet::default();
    let mut states: Vec<u64> = Vec::new();
    let mut offer = |state: &[u64], states: &mut Vec<u64>| {
        if known.len() < limit && known.insert(state.into()) {
            states.extend_from_slice(state);
        }
        ControlFlow::<()>::Continue(())
    };
    let _ = space.initial(&mut scratch, |state| offer(state, &mut states));
    let mut at = 0;
    while at < states.len() {
        let source = states[at..at + words].to_vec();
        at += words;
        let _ = space.steps(
            &source,
            &mut scratch,
            each(|step| match step.target {
                Outcome::State(target) => offer(target, &mut states),
                Outcome::Fault(_) => ControlFlow::Continue(()),
            }),
        );
    }
    states
}
