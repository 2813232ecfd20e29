//! The engine on random systems: figures as enumerated, and every trace replays by the reference evaluator.

use lariat_engine::{Engine, Options, Property, RunControl, Settled, SystemReplay, Task, Verdict};
use lariat_explicit::Bfs;
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_testkit::{Knobs, RandomSystem};
use std::sync::Arc;

const SYSTEMS: u64 = 150;
const STATE_LIMIT: usize = 2000;

#[test]
fn figures_are_those_of_the_enumeration_and_traces_replay() {
    let mut with_failures = 0;
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let space = ReferenceSpace::new(&system).unwrap();
        let Ok(whole) = Enumerated::new(&space, STATE_LIMIT) else { continue };
        for keep_going in [false, true] {
            let options = Options { keep_going, code: crate::CODE, ..Options::default() };
            let task = Task::of_system(&system, Property::Safety { invalid_ends: true }, options);
            let report = Bfs.settle(&task, &RunControl::new(1 << 26, None)).unwrap();
            if keep_going || report.verdict == Verdict::Holds {
                assert_eq!(report.stats.states, whole.states.len() as u64, "seed {seed}");
                assert_eq!(report.stats.transitions, whole.transitions() as u64, "seed {seed}");
            }
            let replay = SystemReplay::new(&system).unwrap();
            let settled = Settled::new("safety", "bfs", Arc::new(system.clone()), report, &replay)
                .unwrap_or_else(|error| panic!("seed {seed}: a trace does not replay: {error}"));
            with_failures += usize::from(settled.failures().len() > 0);
        }
    }
    assert!(with_failures > 20, "only {with_failures} runs with failures");
}
