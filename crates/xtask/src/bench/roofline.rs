//! How much of a search is its store: the same states go through the same kind of store once more, in the same order and in
//! batches, but the successors are written down beforehand and cost nothing. What is left of the time of the real search
//! is what successors and bookkeeping take; no improvement of those makes the search faster than the roofline.
//!
//! Models too large to write down are searched up to the last depth whose steps are. The real search then looks
//! at the states of that depth, too, to see whether they are dead ends; its time is a little too long by that.

use super::Lab;
use super::job::own_cpu_seconds;
use super::models::Model;
use super::table::{Table, cell, count, geometric_mean};
use lariat::{CheckOptions, Limits, Options, ReadOptions, Verdict};
use lariat_engine::StoreKind;
use lariat_exec::Program;
use lariat_space::{Outcome, StateSpace, each};
use lariat_store::{Answer, Batch, Budget, FlatStore, Full, Handle, Origins, Recall, Store, TreeStore};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What the written steps may take.
const STREAM_BYTES: usize = 1 << 30;
/// As many as in a real search.
const BATCH_LEN: usize = 256;
/// How many origins are recalled at once, as in a real search.
const ORIGINS_LEN: usize = 64;

/// The steps of a breadth-first search, in order.
struct Stream {
    words_per_state: usize,
    initial: Vec<u64>,
    /// How many steps each state has, in the order the states were first met.
    step_counts: Vec<u32>,
    targets: Vec<u64>,
    /// The states of this depth are not expanded; `None` if all are.
    depth: Option<u64>,
}

/// Measures, prints and gives it as data.
pub(super) fn run(lab: &Lab) -> Value {
    println!("roofline: the search's time if successors were free (tree store); CPU seconds");
    let mut table = Table::new(&["model", "depth", "states", "transitions", "search", "roofline", "share"]);
    let (mut models, mut shares, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    for model in &lab.models {
        lab.say(&format!("roofline: {}", model.name));
        match measure(model, lab.rounds) {
            Err(why) => absent.push(format!("{}: {why}", model.name)),
            Ok(found) => {
                let share = found.roofline_seconds / found.search_seconds;
                shares.push(share);
                table.push(vec![
                    model.name.clone(),
                    found.depth.map_or_else(|| "all".to_owned(), |depth| depth.to_string()),
                    count(found.states),
                    count(found.transitions),
                    cell(Some(found.search_seconds), 2),
                    cell(Some(found.roofline_seconds), 2),
                    cell(Some(share), 2),
                ]);
                models.push(json!({
                    "model": model.name, "depth": found.depth, "states": found.states,
                    "transitions": found.transitions, "search_seconds": found.search_seconds,
                    "roofline_seconds": found.roofline_seconds, "share": share,
                }));
            }
        }
    }
    print!("{table}");
    println!("  share of the roofline, geometric mean: {}", cell(geometric_mean(&shares), 2));
    absent.iter().for_each(|why| println!("  {why}"));
    json!({ "store": "tree", "models": models, "geometric_mean": geometric_mean(&shares), "absent": absent })
}

struct Found {
    depth: Option<u64>,
    states: u64,
    transitions: u64,
    search_seconds: f64,
    roofline_seconds: f64,
}

fn measure(model: &Model, rounds: u32) -> Result<Found, String> {
    let split = |define: &String| {
        let define = define.trim_start_matches("-D");
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        (name.to_owned(), value.to_owned())
    };
    let reading = ReadOptions { defines: model.defines.iter().map(split).collect(), ..ReadOptions::default() };
    let mut read = lariat::Model::read(&model.path, &reading).map_err(|_| "the model is refused".to_owned())?;
    let mut check = |depth_limit: Option<u64>| {
        let options = CheckOptions {
            properties: vec!["safety".to_owned()],
            engine: Some("bfs"),
            allow_deadlock: model.allow_deadlock,
            threads: Some(1),
            options: Options { store: StoreKind::Tree, depth_limit, ..Options::default() },
            ..CheckOptions::default()
        };
        lariat::check(&mut read, &options, &Limits::default().control()).map_err(|error| error.to_string())
    };
    // The system depends on how large its pool of processes had to grow, so one search comes first.
    let system = Arc::clone(check(None)?.settled[0].system());
    let program = Program::compile(&system).map_err(|error| error.to_string())?;
    let stream = record(&program, STREAM_BYTES).map_err(|_| "no memory".to_owned())?;
    let (mut search_seconds, mut roofline_seconds) = (f64::INFINITY, f64::INFINITY);
    let mut states = 0;
    for _ in 0..rounds.max(1) {
        let before = own_cpu_seconds();
        let checked = check(stream.depth)?;
        search_seconds = search_seconds.min(own_cpu_seconds() - before);
        let report = checked.settled[0].report();
        if let Verdict::Fails(_) = report.verdict {
            return Err("it fails: there is no whole search".to_owned());
        }
        let before = own_cpu_seconds();
        let budget = Budget::new(u64::MAX);
        let store = TreeStore::new(stream.words_per_state, &budget).map_err(|_| "no memory".to_owned())?;
        states = replay(&stream, &store).map_err(|_| "no memory".to_owned())?;
        roofline_seconds = roofline_seconds.min(own_cpu_seconds() - before);
        if states != report.stats.states {
            return Err(format!("{states} states, the real search has {}", report.stats.states));
        }
    }
    let transitions = stream.step_counts.iter().map(|&steps| u64::from(steps)).sum();
    Ok(Found { depth: stream.depth, states, transitions, search_seconds, roofline_seconds })
}

/// Writes down the steps of a breadth-first search, as many whole levels as fit into `limit_bytes`.
fn record<S: StateSpace>(space: &S, limit_bytes: usize) -> Result<Stream, Full> {
    let words = space.words_per_state();
    let budget = Budget::new(u64::MAX);
    let store = FlatStore::new(words, &budget)?;
    let mut scratch = space.scratch();
    let mut stream = Stream {
        words_per_state: words,
        initial: Vec::new(),
        step_counts: Vec::new(),
        targets: Vec::new(),
        depth: None,
    };
    let never = space.initial(&mut scratch, |state| {
        stream.initial.extend_from_slice(state);
        ControlFlow::<()>::Continue(())
    });
    assert!(never.is_continue(), "the sink never breaks off");
    let mut batch = Batch::new(words);
    let mut origins = Origins::new(words);
    stream.initial.chunks_exact(words).for_each(|state| batch.push(state, None));
    store.probe(&mut batch, &origins)?;
    let (mut next, mut depth) = (0, 0);
    while next < store.len() {
        let level_end = store.len();
        let (states_before, words_before) = (stream.step_counts.len(), stream.targets.len());
        for source in next..level_end {
            store.recall(&[Handle(source)], &mut origins);
            batch.clear();
            let _ = space.steps(
                origins.state(0),
                &mut scratch,
                each(|step| {
                    if let Outcome::State(target) = step.target {
                        batch.push(target, Some(0));
                    }
                    ControlFlow::<()>::Continue(())
                }),
            );
            (0..batch.len()).for_each(|number| stream.targets.extend_from_slice(batch.state(number)));
            stream.step_counts.push(batch.len() as u32);
            store.probe(&mut batch, &origins)?;
            if stream.targets.len() * size_of::<u64>() > limit_bytes {
                stream.step_counts.truncate(states_before);
                stream.targets.truncate(words_before);
                stream.depth = Some(depth);
                return Ok(stream);
            }
        }
        next = level_end;
        depth += 1;
    }
    Ok(stream)
}

/// Puts the states of a stream into an empty store, as a breadth-first search does, and says how many there are.
fn replay<T: Recall>(stream: &Stream, store: &T) -> Result<u64, Full> {
    let words = stream.words_per_state;
    let mut batch = Batch::new(words);
    let mut origins = Origins::new(words);
    let mut met = Vec::new();
    stream.initial.chunks_exact(words).for_each(|state| batch.push(state, None));
    flush(store, &mut batch, &origins, &mut met)?;
    let mut targets = stream.targets.chunks_exact(words);
    let mut next = 0;
    while next < stream.step_counts.len() {
        let portion = next..met.len().min(stream.step_counts.len()).min(next + ORIGINS_LEN);
        store.recall(&met[portion.clone()], &mut origins);
        for (origin, &count) in stream.step_counts[portion.clone()].iter().enumerate() {
            for target in targets.by_ref().take(count as usize) {
                batch.push(target, Some(origin));
                if batch.len() == BATCH_LEN {
                    flush(store, &mut batch, &origins, &mut met)?;
                }
            }
        }
        flush(store, &mut batch, &origins, &mut met)?;
        next = portion.end;
    }
    Ok(store.len())
}

/// Probes the batch; what is new was met.
fn flush<T: Store>(store: &T, batch: &mut Batch, origins: &Origins, met: &mut Vec<Handle>) -> Result<(), Full> {
    store.probe(batch, origins)?;
    met.extend(batch.answers.iter().filter_map(|answer| match answer {
        Answer::New(handle) => Some(*handle),
        Answer::Known(_) => None,
    }));
    batch.clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_leads_to_the_same_states() {
        let mut model =
            lariat::Model::read("../../models/alternating_bit.pml".as_ref(), &ReadOptions::default()).unwrap();
        let checked = lariat::check(&mut model, &CheckOptions::default(), &Limits::default().control()).unwrap();
        let states = checked.settled[0].report().stats.states;
        let program = Program::compile(checked.settled[0].system()).unwrap();
        for (limit_bytes, whole) in [(1 << 20, true), (400, false)] {
            let stream = record(&program, limit_bytes).unwrap();
            let budget = Budget::new(1 << 30);
            let store = FlatStore::new(stream.words_per_state, &budget).unwrap();
            let found = replay(&stream, &store).unwrap();
            assert_eq!((found == states, stream.depth.is_none()), (whole, whole), "{found} of {states}");
        }
    }
}
