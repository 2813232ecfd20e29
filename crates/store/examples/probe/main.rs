//! What the stores cost on a real model: `cargo run --release -p lariat-store --example probe -- [--flat] [--tree] FILE…`.
//!
//! Each Promela file is walked once and the walk recorded (a file `.rec` is such a recording, made by `--record MODEL
//! FILE`). Then every store is given the recorded transitions in order, as breadth-first search would, and the time spent
//! inside `probe` and `recall` is taken. Later passes probe again, when all states are known.

mod recording;

use lariat_store::{Answer, Batch, Budget, FlatStore, Handle, Origins, Recall, TreeStore};
use recording::Recording;
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::Duration;

/// States expanded together, and states probed together at least.
const ORIGINS: usize = 32;
const BATCH: usize = 128;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, model, file] = &arguments[..]
        && flag == "--record"
    {
        return Recording::of_model(Path::new(model), u64::MAX).write(Path::new(file)).expect("a file to write");
    }
    let (options, files): (Vec<String>, Vec<String>) = arguments.into_iter().partition(|a| a.starts_with("--"));
    let wanted = |store: &str| options.is_empty() || options.iter().any(|option| option[2..] == *store);
    println!(
        "store | model | states | transitions | ns/probe, filling | ns/probe, full | ns/recall | longest probe ms | bytes/state | peak bytes/state"
    );
    for file in &files {
        let path = Path::new(file);
        let recording = match path.extension() {
            Some(extension) if extension == "rec" => Recording::read(path).expect("a recording"),
            _ => Recording::of_model(path, u64::MAX),
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let words = recording.words_per_state;
        if wanted("flat") {
            let budget = Budget::new(u64::MAX);
            measure(&format!("flat | {name}"), &recording, &FlatStore::new(words, &budget).expect("memory"), &budget);
        }
        if wanted("tree") {
            let budget = Budget::new(u64::MAX);
            measure(&format!("tree | {name}"), &recording, &TreeStore::new(words, &budget).expect("memory"), &budget);
        }
    }
}

fn measure(title: &str, recording: &Recording, store: &impl Recall, budget: &Budget) {
    let states = recording.target_ends.len();
    let mut handles = vec![Handle(0); states];
    let mut batch = Batch::new(recording.words_per_state);
    let mut origins = Origins::new(recording.words_per_state);
    let initial = (0..states).take_while(|&number| number == 0).count();
    for (number, handle) in handles.iter_mut().enumerate().take(initial) {
        batch.clear();
        batch.push(recording.state(number), None);
        store.probe(&mut batch, &origins).expect("memory");
        *handle = batch.answers[0].handle();
    }
    let mut spent = [Pass::default(); 5];
    // What it costs to look at the clock.
    let (start, looks) = (now(), 10_000);
    let look = (0..looks).fold(start, |_, _| now()) - start;
    let look = look / looks;
    let mut targets = Vec::new();
    for pass in &mut spent {
        for first in (0..states).step_by(ORIGINS) {
            let group = first..states.min(first + ORIGINS);
            let start = now();
            store.recall(&handles[group.clone()], &mut origins);
            pass.recall += (now() - start).saturating_sub(look);
            batch.clear();
            targets.clear();
            for source in group.clone() {
                for &target in recording.targets_of(source) {
                    batch.push(recording.state(target as usize), Some(source - first));
                    targets.push(target as usize);
                }
                if batch.len() >= BATCH || source + 1 == group.end {
                    let start = now();
                    store.probe(&mut batch, &origins).expect("memory");
                    let elapsed = (now() - start).saturating_sub(look);
                    pass.probe += elapsed;
                    pass.longest = pass.longest.max(elapsed);
                    for (&target, answer) in targets.iter().zip(&batch.answers) {
                        if let Answer::New(handle) = *answer {
                            handles[target] = handle;
                        }
                        assert_eq!(handles[target], answer.handle());
                    }
                    batch.clear();
                    targets.clear();
                }
            }
        }
    }
    assert_eq!(store.len(), states as u64);
    let transitions = recording.targets.len();
    let filling = &spent[0];
    // The least of several: others share the processor and its caches.
    let full = |time: fn(&Pass) -> Duration| spent[1..].iter().map(time).min().unwrap_or_default().as_nanos() as f64;
    println!(
        "{title} | {states} | {transitions} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2}",
        filling.probe.as_nanos() as f64 / transitions as f64,
        full(|pass| pass.probe) / transitions as f64,
        full(|pass| pass.recall) / states as f64,
        filling.longest.as_secs_f64() * 1000.0,
        store.bytes() as f64 / states as f64,
        budget.peak_bytes() as f64 / states as f64,
    );
}

#[derive(Clone, Copy, Default)]
struct Pass {
    probe: Duration,
    longest: Duration,
    recall: Duration,
}

/// The time that this thread had a processor: others may share it.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
