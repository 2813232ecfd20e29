//! Search on disk beside search in memory: `--engine external` in 24 MiB and `--engine bfs`, one thread each, in turns.
//!
//! *Larger* is how many times all states together, uncompressed, are larger than `--memory`; *moved* is what was read and written over
//! the scan and sort bound; *speed* is the CPU time of `bfs` over that of `external`, which is the ratio of states per second.

use super::Lab;
use super::job::{Ended, Job, run_in_turns};
use super::models::{Model, shipped};
use super::subject::SECONDS;
use super::table::{Table, cell, count};
use serde_json::{Value, json};

const MEMORY: &str = "24M";
const MEMORY_BYTES: u64 = 24 << 20;
/// What the program may have beyond its limit: nothing of it grows with the states.
const BEYOND_BYTES: u64 = 8 << 20;
const MOST_MOVED: f64 = 1.5;
/// Speed with fewer layers than this, and with more.
const MANY_LAYERS: u64 = 200;
const LEAST_SPEED: [f64; 2] = [0.25, 0.1];

/// Ours, and one of the corpus with many layers; `--quick` leaves out all but the first.
const SHIPPED: [(&str, &str); 3] = [
    ("models/bench/philosophers.pml", "-DN=12"),
    ("models/bench/philosophers.pml", "-DN=14"),
    ("models/bench/filter_lock.pml", "-DN=4"),
];
const FROM_CORPUS: &str = "../shared/corpus/promela/performance/beem_iprotocol.4.pml";

/// What a run on disk said.
struct Answered {
    states: u64,
    layers: u64,
    layer_bytes: u64,
    moved: f64,
}

/// Measures the models whose names contain `pattern`, prints, and gives it as data, with whether states and verdicts are the same.
pub(super) fn run(lab: &Lab, pattern: &str, quick: bool) -> (Value, bool) {
    let mut models: Vec<Model> = SHIPPED.map(|(file, define)| shipped(&lab.root, file, define)).into();
    if quick {
        models.truncate(1);
    } else if lab.root.join(FROM_CORPUS).exists() {
        models.push(shipped(&lab.root, FROM_CORPUS, ""));
    }
    models.retain(|model| model.name.contains(pattern));
    println!("on disk: `--engine external --memory {MEMORY}` beside `--engine bfs`, one thread, CPU time, in turns");
    let mut table = Table::new(&[
        "model",
        "states",
        "layers",
        "larger",
        "disk MB",
        "moved",
        "external",
        "bfs",
        "speed",
        "resident MB",
        "",
    ]);
    let (mut rows, mut same) = (Vec::new(), true);
    for model in &models {
        lab.say(&format!("disk: {}", model.name));
        let on_disk = lab.lariat.job(model, true, &["--engine", "external", "--memory", MEMORY, "--threads", "1"]);
        let in_memory = lab.lariat.job(model, true, &["--engine", "bfs", "--memory", "8G", "--threads", "1"]);
        let ran = run_in_turns(&[on_disk, in_memory], lab.rounds, SECONDS);
        let [external, bfs] = &ran[..] else { unreachable!("two jobs") };
        let read = |ended: &Result<Ended, String>| ended.as_ref().map_err(String::clone).and_then(answered);
        let (found, expected) = match (read(external), read(bfs)) {
            (Ok(found), Ok(expected)) => (found, expected),
            (Err(why), _) | (_, Err(why)) => {
                println!("  {}: {why}", model.name);
                rows.push(json!({ "model": model.name, "absent": why }));
                same = false;
                continue;
            }
        };
        let (Ok(external), Ok(bfs)) = (external, bfs) else { continue };
        same &= found.states == expected.states;
        let words = words_of(&lab.lariat.show(model));
        let larger = words.map(|words| (8 * words * found.states) as f64 / MEMORY_BYTES as f64);
        let speed = bfs.best.cpu_seconds / external.best.cpu_seconds;
        let least_speed = LEAST_SPEED[usize::from(found.layers >= MANY_LAYERS)];
        let mut missed = Vec::new();
        missed.extend((found.states != expected.states).then_some("states differ"));
        missed.extend((found.moved > MOST_MOVED).then_some("moves too much"));
        missed.extend((speed < least_speed).then_some("too slow"));
        missed.extend((external.best.resident_bytes > MEMORY_BYTES + BEYOND_BYTES).then_some("too large"));
        let megabytes = |bytes: u64| Some(bytes as f64 / 1e6);
        table.push(vec![
            model.name.clone(),
            count(found.states),
            count(found.layers),
            cell(larger, 1),
            cell(megabytes(found.layer_bytes), 0),
            cell(Some(found.moved), 2),
            cell(Some(external.best.cpu_seconds), 1),
            cell(Some(bfs.best.cpu_seconds), 1),
            cell(Some(speed), 2),
            cell(megabytes(external.best.resident_bytes), 0),
            if missed.is_empty() { "kept".to_owned() } else { missed.join(", ") },
        ]);
        rows.push(json!({
            "model": model.name, "states": found.states, "layers": found.layers, "memory_bytes": MEMORY_BYTES,
            "times_memory": larger, "layer_bytes": found.layer_bytes, "moved_over_bound": found.moved,
            "external_seconds": external.best.cpu_seconds, "bfs_seconds": bfs.best.cpu_seconds, "speed": speed,
            "resident_bytes": external.best.resident_bytes, "missed": missed,
        }));
    }
    print!("{table}");
    println!(
        "  wanted: at most {MOST_MOVED} times the bound; speed {} of `bfs`, {} with {MANY_LAYERS} layers or more; at most {MEMORY} \
         and {} MiB resident",
        LEAST_SPEED[0],
        LEAST_SPEED[1],
        BEYOND_BYTES >> 20
    );
    (json!(rows), same)
}

/// What a run says; the figures of the disk are 0 of a run in memory.
fn answered(ended: &Ended) -> Result<Answered, String> {
    let said = || format!("exit code {}: {}", ended.code, ended.complaints.lines().next().unwrap_or("no output"));
    let document: Value = serde_json::from_str(&ended.output).map_err(|_| said())?;
    let property = &document["properties"][0];
    if property["verdict"].as_str() != Some("holds") {
        return Err(format!("{}: {}", said(), property["verdict"]));
    }
    let disk = |name: &str| property["disk"][name].as_u64().unwrap_or(0);
    let moved = (disk("read_bytes") + disk("written_bytes")) as f64 / disk("bound_bytes").max(1) as f64;
    let states = property["states"].as_u64().ok_or_else(said)?;
    Ok(Answered { states, layers: disk("layers"), layer_bytes: disk("layer_bytes"), moved })
}

/// The words of a state, as `lariat show --stats` has them.
fn words_of(job: &Job) -> Option<u64> {
    let ended = job.run(SECONDS).ok()?;
    let line = ended.output.lines().find(|line| line.starts_with("bits"))?.to_owned();
    words_in(&line)
}

fn words_in(line: &str) -> Option<u64> {
    let before = line.strip_suffix(" words").or_else(|| line.strip_suffix(" word"))?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::job::Figures;

    #[test]
    fn figures_are_read() {
        let output = r#"{ "schema": 1, "properties": [ { "name": "safety", "verdict": "holds", "states": 38,
            "disk": { "layers": 7, "layer_bytes": 90, "read_bytes": 10, "written_bytes": 20, "bound_bytes": 60 } } ] }"#;
        let best = Figures { wall_seconds: 1.0, cpu_seconds: 1.0, resident_bytes: 1 };
        let ended = Ended { code: 0, output: output.to_owned(), complaints: String::new(), best };
        let found = answered(&ended).unwrap();
        assert_eq!((found.states, found.layers, found.layer_bytes, found.moved), (38, 7, 90, 0.5));
        assert_eq!(words_in("bits       294 used, 8 words"), Some(8));
    }
}
