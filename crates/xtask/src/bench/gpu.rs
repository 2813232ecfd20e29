//! Search on a graphics card beside search on all cores: `--engine gpu` and `--engine bfs`, or `scc`, of the same models.
//!
//! *States/s* is by the time that the card searched, start and compiling left out; *first* is the wall time of the whole program with an empty
//! cache of kernels, *again* with what the first run compiled.

use super::Lab;
use super::job::{Ended, Job};
use super::models::shipped;
use super::subject::SECONDS;
use super::table::{Table, cell, count};
use serde_json::{Value, json};
use std::path::Path;

/// What is searched: the file, a macro, and options that say what for. The last ones are temporal.
const MODELS: [(&str, &str, &[&str]); 8] = [
    ("models/bench/filter_lock.pml", "-DN=4", &["--property", "safety"]),
    ("models/bench/filter_lock.pml", "-DN=5", &["--property", "safety"]),
    ("models/bench/waiting_room.pml", "-DN=5", &["--property", "safety"]),
    ("models/bench/philosophers.pml", "-DN=16", &["--property", "safety", "--allow-deadlock"]),
    ("models/bench/parcels.pml", "-DN=10", &["--property", "safety", "--allow-deadlock"]),
    ("models/bench/crowd.pml", "", &["--property", "safety"]),
    ("models/bench/filter_lock.pml", "-DN=4", &["--fairness", "weak", "--ltl", "[]<> (inside == 1)"]),
    ("models/bench/filter_lock.pml", "-DN=5", &["--fairness", "weak", "--ltl", "[]<> (inside == 1)"]),
];
/// What the processor may take; where that is too short, only the card's figures are shown.
const MOST_SECONDS: &str = "60s";
/// `--quick` leaves out models that take long on a processor.
const QUICK: usize = 1;

/// What a run on the card said.
struct Answered {
    verdict: String,
    states: u64,
    transitions: u64,
    digest: Value,
    gpu: Value,
}

/// Measures the models whose names contain `pattern`, prints, and gives it as data, with whether both engines say the same.
pub(super) fn run(lab: &Lab, pattern: &str, quick: bool) -> (Value, bool) {
    println!("on a graphics card: `--engine gpu` beside `--engine bfs` (or `scc`) on all cores, without reduction");
    let mut table = Table::new(&[
        "model",
        "states",
        "bits",
        "M states/s",
        "M steps/s",
        "bytes/state",
        "compiled",
        "first",
        "again",
        "cores",
        "x",
        "",
    ]);
    let (mut rows, mut same) = (Vec::new(), true);
    let models = MODELS.into_iter().take(if quick { QUICK } else { MODELS.len() });
    for (file, define, asked) in models {
        let model = shipped(&lab.root, file, define);
        if !model.name.contains(pattern) {
            continue;
        }
        lab.say(&format!("gpu: {} {}", model.name, asked.join(" ")));
        let on_card: Vec<&str> = asked.iter().chain(&["--engine", "gpu"]).copied().collect();
        let engine = if asked.contains(&"--ltl") { "scc" } else { "bfs" };
        let on_cores: Vec<&str> =
            asked.iter().chain(&["--engine", engine, "--por", "off", "--time", MOST_SECONDS]).copied().collect();
        let cache = std::env::temp_dir().join(format!("lariat-bench-kernels-{}", std::process::id()));
        let job = with_cache(lab.lariat.check(&model, &on_card), &cache);
        let first = job.run(SECONDS);
        let again = job.run(SECONDS);
        let _ = std::fs::remove_dir_all(&cache);
        let read = |ended: &Result<Ended, String>| ended.as_ref().map_err(String::clone).and_then(answered);
        let (first_said, said) = match (read(&first), read(&again)) {
            (Ok(first_said), Ok(said)) => (first_said, said),
            (Err(why), _) | (_, Err(why)) => {
                println!("  {}: {why}", model.name);
                rows.push(json!({ "model": model.name, "absent": why }));
                continue;
            }
        };
        let cores = lab.lariat.check(&model, &on_cores).run(SECONDS);
        let expected = read(&cores);
        let (Ok(first), Ok(again), Ok(cores)) = (first, again, cores) else { continue };
        let mut missed = Vec::new();
        match &expected {
            Ok(expected) if said.is_same(expected) => {}
            Ok(expected) if expected.verdict == "undecided" => missed.push(format!("not finished in {MOST_SECONDS}")),
            Ok(_) => {
                missed.push("answers differ".to_owned());
                same = false;
            }
            Err(why) => missed.push(why.clone()),
        }
        let seconds = said.gpu["search_seconds"].as_f64().unwrap_or(0.0);
        let rate = |what: u64| Some(what as f64 / seconds.max(1e-9) / 1e6);
        let bytes = said.gpu["memory_bytes"].as_f64().map(|bytes| bytes / said.states.max(1) as f64);
        let compiled = first_said.gpu["compile_seconds"].as_f64();
        let wall = |ended: &Ended| Some(ended.best.wall_seconds);
        table.push(vec![
            format!("{} {}", model.name, asked.last().unwrap_or(&"")),
            count(said.states),
            said.gpu["key_bits"].to_string(),
            cell(rate(said.states), 0),
            cell(rate(said.transitions), 0),
            cell(bytes, 1),
            cell(compiled, 2),
            cell(wall(&first), 2),
            cell(wall(&again), 2),
            cell(wall(&cores), 2),
            cell(Some(cores.best.wall_seconds / again.best.wall_seconds), 1),
            if missed.is_empty() { "same".to_owned() } else { missed.join(", ") },
        ]);
        rows.push(json!({
            "model": model.name, "asked": asked, "states": said.states, "transitions": said.transitions, "gpu": said.gpu,
            "compile_seconds": compiled, "first_seconds": wall(&first), "again_seconds": wall(&again),
            "cores_seconds": wall(&cores), "missed": missed,
        }));
    }
    print!("{table}");
    println!(
        "  wanted: 1,000 M states/s on two models of more than 50 million states, 300 with channels, 200 of a product; under 3 s from the text"
    );
    (json!(rows), same)
}

/// The job with another folder for what it compiles.
fn with_cache(job: Job, cache: &Path) -> Job {
    let mut arguments = vec![format!("XDG_CACHE_HOME={}", cache.display()), job.program.display().to_string()];
    arguments.extend(job.arguments);
    Job { program: "env".into(), arguments, folder: job.folder }
}

impl Answered {
    fn is_same(&self, other: &Self) -> bool {
        (&self.verdict, self.states, self.transitions, &self.digest)
            == (&other.verdict, other.states, other.transitions, &other.digest)
    }
}

fn answered(ended: &Ended) -> Result<Answered, String> {
    let said = || format!("exit code {}: {}", ended.code, ended.complaints.lines().next().unwrap_or("no output"));
    let document: Value = serde_json::from_str(&ended.output).map_err(|_| said())?;
    let property = &document["properties"][0];
    Ok(Answered {
        verdict: property["verdict"].as_str().ok_or_else(said)?.to_owned(),
        states: property["states"].as_u64().ok_or_else(said)?,
        transitions: property["transitions"].as_u64().unwrap_or(0),
        digest: property["digest"].clone(),
        gpu: property["gpu"].clone(),
    })
}
