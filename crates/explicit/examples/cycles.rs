//! What looking for cycles costs: `cargo run --release -p lariat-explicit --features native --example cycles -- [-k KERNEL]
//! [-m MEBIBYTES] MODEL.pml...`.
//!
//! The product of a model with an observer that accepts nothing is searched to its end, by the plain searches and by those
//! for cycles, all with the tree store. One line a model and kernel: states, transitions, depth, seconds, states a second,
//! bytes a state in the store, bytes a state in all when that was most.

#[path = "../../exec/tests/reading/mod.rs"]
mod reading;

use lariat_engine::{Options, RunControl};
use lariat_exec::{Backend, SpaceVisitor, with_program};
use lariat_explicit::{Nested, NoRecorder, bfs, dfs, magic, nested, scc};
use lariat_space::{Nothing, Product, StateSpace};
use lariat_store::{NoteWidth, Store, TreeStore};
use lariat_system::DeadEnds;
use std::path::Path;
use std::time::Instant;

const KERNELS: [&str; 7] = ["bfs", "dfs", "scc", "ndfs", "cvwy-a", "cvwy-b", "magic"];

fn main() {
    let mut kernels = KERNELS.map(str::to_owned).to_vec();
    let mut limit_bytes = 8 << 30;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-k" => kernels = vec![arguments.next().expect("-k takes a kernel")],
            "-m" => {
                let number = arguments.next().and_then(|number| number.parse::<u64>().ok());
                limit_bytes = number.expect("-m takes a number") << 20;
            }
            _ => {
                let system = reading::system(Path::new(&argument)).expect("the model makes a system");
                let name = Path::new(&argument).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                for kernel in &kernels {
                    let bench = Bench { name: &name, kernel, limit_bytes };
                    with_program(&system, Backend::Native, None, bench).expect("the system becomes a program");
                }
            }
        }
    }
}

struct Bench<'a> {
    name: &'a str,
    kernel: &'a str,
    limit_bytes: u64,
}

/// What a search has seen, and taken.
struct Seen {
    states: u64,
    transitions: u64,
    depth: u64,
    store_bytes: u64,
    finished: bool,
}

impl SpaceVisitor for Bench<'_> {
    type Output = ();

    fn visit<S: StateSpace>(self, space: &S, _: Backend) {
        let space = Product::new(space, &Nothing, 0, Vec::new(), DeadEnds::Stutter);
        let control = RunControl::new(self.limit_bytes, None);
        let begun = Instant::now();
        let seen = match self.kernel {
            "bfs" | "dfs" => plain(&space, self.kernel, &control),
            _ => for_cycles(&space, self.kernel, &control),
        };
        let seconds = begun.elapsed().as_secs_f64();
        let per_state = |bytes: u64| bytes as f64 / seen.states as f64;
        println!(
            "{:20} {:6} states {:9} transitions {:10} depth {:8} {seconds:7.3} s {:7.3} M/s store {:6.2} peak {:6.2}{}",
            self.name,
            self.kernel,
            seen.states,
            seen.transitions,
            seen.depth,
            seen.states as f64 / seconds / 1e6,
            per_state(seen.store_bytes),
            per_state(control.budget.peak_bytes()),
            if seen.finished { "" } else { " unfinished" },
        );
    }
}

fn plain<S: StateSpace>(space: &S, kernel: &str, control: &RunControl) -> Seen {
    let make_store = || TreeStore::new(space.words_per_state(), &control.budget);
    let options = Options::default();
    let (report, _) = match kernel {
        "bfs" => bfs(space, make_store, false, &options, control, NoRecorder).expect("the pool is no guess"),
        _ => dfs(space, make_store, false, &options, control, NoRecorder).expect("the pool is no guess"),
    };
    let stats = &report.stats;
    Seen {
        states: stats.states,
        transitions: stats.transitions,
        depth: stats.depth,
        store_bytes: (stats.bytes_per_state * stats.states as f64) as u64,
        finished: report.unfinished.is_none(),
    }
}

fn for_cycles<S: StateSpace>(space: &S, kernel: &str, control: &RunControl) -> Seen {
    let width = if kernel == "scc" { NoteWidth::Number } else { NoteWidth::Byte };
    let store =
        TreeStore::noted(space.words_per_state(), &control.budget, width).expect("there is memory to begin with");
    let cycles = match kernel {
        "scc" => scc(space, &lariat_automata::Acceptance::False, &store, control).expect("the pool is no guess"),
        "ndfs" => nested(Nested::Ndfs, space, &store, control).expect("the pool is no guess"),
        "cvwy-a" => nested(Nested::CvwyA, space, &store, control).expect("the pool is no guess"),
        "cvwy-b" => nested(Nested::CvwyB, space, &store, control).expect("the pool is no guess"),
        "magic" => magic(space, &store, control).expect("the pool is no guess"),
        other => panic!("no kernel is called `{other}`"),
    };
    Seen {
        states: store.len(),
        transitions: cycles.transitions,
        depth: cycles.depth,
        store_bytes: store.bytes(),
        finished: cycles.unfinished.is_none(),
    }
}
