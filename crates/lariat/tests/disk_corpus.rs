//! What is found on disk is what is found in memory, on the whole corpus, at 1, 2 and 4 threads, with buffers of 1,997 states.
//!
//! Models of at most `LARIAT_DISK_STATES` states are looked at, as the corpus knows them; where it does not, those that a search in
//! memory sees all of in the time that so many states take. Where that is not set, every twentieth model with at most 300 states. Compared are the verdict, and where everything was seen also states, steps and digest. Models in SMV are
//! searched by `astar` too.

use crate::support::{corpus, rows, word};
use lariat::{CheckError, CheckOptions, FairnessOptions, Limits, Model, Options, ReadOptions, Verdict};
use lariat_engine::Disk;
use std::path::PathBuf;
use std::time::Duration;

const BUFFER_STATES: usize = 1997;
const THREADS: [usize; 3] = [1, 2, 4];

fn given_states() -> Option<u64> {
    std::env::var("LARIAT_DISK_STATES").ok().map(|limit| limit.parse().expect("a number of states"))
}
fn most_states() -> u64 {
    given_states().unwrap_or(300)
}
/// One in so many models is looked at.
fn stride() -> usize {
    if given_states().is_some() { 1 } else { 20 }
}
/// So long a search in memory takes at most for a model that is looked at.
fn in_memory() -> Duration {
    Duration::from_millis(100 + most_states() / 100)
}
/// And one on disk, whose buffers are small. A property may fail at once in memory where all of it is searched on disk.
fn on_disk() -> Duration {
    Duration::from_millis(1000 + most_states())
}

/// What searches must agree on.
#[derive(PartialEq, Eq, Debug)]
struct Answer {
    verdict: &'static str,
    /// States, steps and digest, if all states were seen.
    whole: Option<(u64, u64, u64)>,
    /// The steps of the run.
    steps: Option<usize>,
}

/// What the engine says; `None` if it does not take the property or comes to no end in time.
fn settle(
    model: &mut Model,
    property: &str,
    fairness: &FairnessOptions,
    engine: &'static str,
    options: Options,
    time: Duration,
) -> Result<Option<Answer>, String> {
    let checking = CheckOptions {
        properties: vec![property.to_owned()],
        fairness: fairness.clone(),
        engine: Some(engine),
        threads: Some(options.threads),
        options,
        ..CheckOptions::default()
    };
    let control = Limits { time: Some(time), ..Limits::default() }.control();
    let checked = match lariat::check(model, &checking, &control) {
        Ok(checked) => checked,
        Err(CheckError::Refused(_)) => return Ok(None),
        Err(error) => return Err(format!("{engine}: {error}")),
    };
    let report = checked.settled[0].report();
    let stats = &report.stats;
    // A run that is paused leaves its directory, also if it has met a failure before.
    if let Some(disk) = stats.disk.as_ref().filter(|disk| disk.is_paused) {
        std::fs::remove_dir_all(&disk.folder).map_err(|error| format!("{}: {error}", disk.folder.display()))?;
    }
    let steps = match &report.verdict {
        Verdict::Fails(evidence) => Some(evidence.trace.steps.len()),
        Verdict::Undecided(_) => return Ok(None),
        _ => None,
    };
    let whole = stats.digest.map(|digest| (stats.states, stats.transitions, digest));
    Ok(Some(Answer { verdict: word(&report.verdict), whole, steps }))
}

struct Comparison {
    folder: PathBuf,
    compared: u32,
    whole: u32,
    directed: u32,
    /// Searches on disk that were refused or came to no end.
    unanswered: u32,
    wrong: Vec<String>,
}

impl Comparison {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("lariat-disk-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        Self { folder, compared: 0, whole: 0, directed: 0, unanswered: 0, wrong: Vec::new() }
    }

    fn compare(&mut self, name: &str, model: &mut Model, property: &str, fairness: &FairnessOptions) {
        let keep_going = property == "safety";
        let plain = Options { keep_going, threads: 1, ..Options::default() };
        // What a finite part of a run violates is searched by layers, and all else by components.
        let mut expected = Ok(None);
        for engine in ["bfs", "scc"] {
            if let Ok(None) = expected {
                expected = settle(model, property, fairness, engine, plain.clone(), in_memory());
            }
        }
        let expected = match expected {
            Ok(Some(answer)) => answer,
            Ok(None) => return,
            Err(error) => return self.wrong.push(format!("{name} {property}: {error}")),
        };
        if expected.whole.is_some_and(|(states, ..)| states > most_states()) {
            return;
        }
        let disk = |buffer_states| Disk { folders: vec![self.folder.clone()], buffer_states, ..Disk::default() };
        for threads in THREADS {
            let options = Options { threads, disk: Some(disk(Some(BUFFER_STATES))), ..plain.clone() };
            match settle(model, property, fairness, "external", options, on_disk()) {
                Ok(None) => self.unanswered += 1,
                Ok(Some(found)) => {
                    let (same, whole) = (found.verdict == expected.verdict, found.whole.zip(expected.whole));
                    self.compared += 1;
                    self.whole += u32::from(whole.is_some());
                    if !same || whole.is_some_and(|(found, expected)| found != expected) {
                        self.wrong.push(format!("{name} {property}, {threads} threads: {found:?}, not {expected:?}"));
                    }
                }
                Err(error) => self.wrong.push(format!("{name} {property}, {threads} threads: {error}")),
            }
        }
    }

    /// Directed search finds no longer runs than breadth-first search, which shows another one where it has no time for a shortest.
    fn compare_directed(&mut self, name: &str, model: &mut Model, property: &str) {
        let fairness = FairnessOptions::default();
        let shortest = Options { shortest: true, threads: 1, ..Options::default() };
        let Ok(Some(expected)) = settle(model, property, &fairness, "bfs", shortest, in_memory()) else { return };
        let disk = Some(Disk { folders: vec![self.folder.clone()], ..Disk::default() });
        let directed = Options { threads: 1, disk, ..Options::default() };
        match settle(model, property, &fairness, "astar", directed, on_disk()) {
            Ok(None) => self.unanswered += 1,
            Ok(Some(found)) => {
                self.directed += 1;
                if found.verdict != expected.verdict || found.steps > expected.steps {
                    self.wrong.push(format!("{name} {property}: directed {found:?}, not {expected:?}"));
                }
            }
            Err(error) => self.wrong.push(format!("{name} {property}: {error}")),
        }
    }

    fn end(self) {
        let left: Vec<_> = std::fs::read_dir(&self.folder).expect("it is there").filter_map(Result::ok).collect();
        let left = left.iter().map(|entry| entry.file_name()).collect::<Vec<_>>();
        let _ = std::fs::remove_dir_all(&self.folder);
        let Self { compared, whole, directed, unanswered, wrong, .. } = self;
        println!(
            "{compared} answers compared, {whole} with all counts, {directed} directed; {unanswered} refused or too long"
        );
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(left.is_empty(), "left behind: {left:?}");
        assert!(compared > 0);
    }
}

#[test]
fn promela() {
    let mut comparison = Comparison::new("promela");
    for folder in ["semantics", "conformance", "known-bugs"] {
        let Some(rows) = rows(folder) else { return };
        let all = given_states().is_some();
        let rows = rows.iter().filter(|row| row.states.map_or(all, |states| states <= most_states()));
        for row in rows.step_by(stride()) {
            let Ok(mut model) = row.model() else { continue };
            let fairness = FairnessOptions { processes: row.fairness, ..FairnessOptions::default() };
            comparison.compare(&row.name(), &mut model, &row.property, &fairness);
        }
    }
    comparison.end();
}

#[test]
fn smv() {
    let mut comparison = Comparison::new("smv");
    for folder in ["semantics", "fairness"] {
        let Some(path) = corpus(&format!("smv/{folder}")) else { return };
        let mut files: Vec<PathBuf> = std::fs::read_dir(&path)
            .expect("a folder")
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        files.sort();
        let files = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "smv"));
        for file in files.step_by(stride()) {
            let Ok(mut model) = Model::read(file, &ReadOptions::default()) else { continue };
            let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let own = model.properties().iter().map(|property| property.name.clone());
            let names: Vec<String> = own.filter(|name| !name.starts_with("ctl")).chain(["safety".to_owned()]).collect();
            for property in names {
                comparison.compare(&name, &mut model, &property, &FairnessOptions::default());
                comparison.compare_directed(&name, &mut model, &property);
            }
        }
    }
    assert!(comparison.directed > 0);
    comparison.end();
}
