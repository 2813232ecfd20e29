//! What a search for failures of `safety` costs: `cargo run --release -p lariat-explicit --features native --example safety --
//! [-t THREADS] [-c bytecode|native] [-m MEBIBYTES] [-d DEPTH] MODEL.pml...`.
//!
//! The engine `bfs` as `lariat check` runs it, without the rest of the program. One line a model: states, transitions,
//! digest, depth, seconds, bytes a state in the store.

#[path = "../../exec/tests/reading/mod.rs"]
mod reading;

use lariat_engine::{CodeKind, Engine, Options, Property, RunControl, Task};
use lariat_explicit::Bfs;
use std::path::Path;
use std::time::Instant;

fn main() {
    let mut options = Options { keep_going: true, ..Options::default() };
    let (mut limit_bytes, mut seen) = (8 << 30, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|number| number.parse::<u64>().ok()).expect("a number follows");
        match argument.as_str() {
            "-t" => options.threads = number() as usize,
            "-m" => limit_bytes = number() << 20,
            "-d" => options.depth_limit = Some(number()),
            "-c" => {
                options.code = match arguments.next().as_deref() {
                    Some("bytecode") => CodeKind::Bytecode,
                    Some("native") => CodeKind::Native,
                    _ => panic!("-c takes a kind of code"),
                }
            }
            _ => {
                seen = true;
                let system = reading::system(Path::new(&argument)).expect("the model makes a system");
                let name = Path::new(&argument).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let task = Task::of_system(&system, Property::Safety { invalid_ends: false }, options.clone());
                let begun = Instant::now();
                let report = Bfs.settle(&task, &RunControl::new(limit_bytes, None)).expect("it is searched");
                let stats = &report.stats;
                println!(
                    "{name:20} states {:9} transitions {:10} digest {:?} depth {:6} {:7.3} s {:6.2} bytes a state{}",
                    stats.states,
                    stats.transitions,
                    stats.digest,
                    stats.depth,
                    begun.elapsed().as_secs_f64(),
                    stats.bytes_per_state,
                    if report.unfinished.is_none() { "" } else { " unfinished" },
                );
            }
        }
    }
    assert!(seen, "name a model");
}
