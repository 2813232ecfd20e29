//! What workers find is what is found in memory, on the whole corpus, with 1, 2 and 3 workers in one process, and with 2 and 3
//! processes, which are threads of this one here and talk over loopback.
//!
//! Models of at most `LARIAT_CLUSTER_STATES` states are looked at; where that is not set, every hundredth model with at most 200 states.
//! `LARIAT_CLUSTER_TOLD=1` names each question before it is asked, and says what was compared until then; `LARIAT_CLUSTER_PART=2/8` asks the
//! third of eight parts of the questions, so that several programs can share them. Each question is asked of workers with their shares in
//! memory and with shares on disk, whose buffers have 1,997 states; `LARIAT_CLUSTER_SHARES=memory` or `disk` asks one kind. Compared are the verdict, the steps of a run of `safety`,
//! and where everything was seen also states, steps and digest.

use crate::support::{Row, corpus, rows, word};
use lariat::{
    CheckError, CheckOptions, Cluster, Engines, FairnessOptions, Limits, Model, Network, NetworkOptions, Options,
    ReadOptions, Times, Verdict, engines,
};
use lariat_engine::{Disk, Shortfall};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn given_states() -> Option<u64> {
    std::env::var("LARIAT_CLUSTER_STATES").ok().map(|limit| limit.parse().expect("a number of states"))
}
fn most_states() -> u64 {
    given_states().unwrap_or(200)
}
/// One in so many models is looked at.
fn stride() -> usize {
    if given_states().is_some() { 1 } else { 100 }
}

/// Where the shares of the workers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shares {
    Memory,
    Disk,
}

/// Of shares on disk.
const BUFFER_STATES: usize = 1997;

impl Shares {
    fn asked() -> Vec<Self> {
        match std::env::var("LARIAT_CLUSTER_SHARES").as_deref() {
            Ok("memory") => vec![Self::Memory],
            Ok("disk") => vec![Self::Disk],
            Ok(other) => panic!("no shares are in {other}"),
            Err(_) => vec![Self::Memory, Self::Disk],
        }
    }
    fn disk(self, folder: &Path) -> Option<Disk> {
        let disk = Disk { buffer_states: Some(BUFFER_STATES), ..Disk::at(folder.to_owned()) };
        (self == Self::Disk).then_some(disk)
    }
}

/// What searches must agree on.
#[derive(PartialEq, Eq, Debug)]
struct Answer {
    verdict: &'static str,
    /// States, steps and digest, if all states were seen.
    whole: Option<(u64, u64, u64)>,
    /// The steps of the run, of `safety`.
    steps: Option<usize>,
}

/// A property of a model.
#[derive(Clone)]
struct Question {
    file: PathBuf,
    reading: ReadOptions,
    property: String,
    fairness: FairnessOptions,
}

/// What the engine says; `None` if it does not take the property or comes to no end in time.
fn settle(
    question: &Question,
    engines: Engines,
    engine: &'static str,
    threads: usize,
    disk: Option<Disk>,
) -> Result<Option<Answer>, String> {
    let Ok(mut model) = Model::read(&question.file, &question.reading) else { return Ok(None) };
    let is_safety = question.property == "safety";
    let checking = CheckOptions {
        properties: vec![question.property.clone()],
        fairness: question.fairness.clone(),
        engines,
        engine: Some(engine),
        threads: Some(threads),
        options: Options { keep_going: is_safety, disk, ..Options::default() },
        ..CheckOptions::default()
    };
    // A property may fail at once in memory where workers search all of it.
    let time =
        if engine == "cluster" { Duration::from_secs(10) } else { Duration::from_millis(500 + most_states() / 100) };
    let control = Limits { time: Some(time), memory_bytes: 1 << 28 }.control();
    let checked = match lariat::check(&mut model, &checking, &control) {
        Ok(checked) => checked,
        Err(CheckError::Refused(_)) => return Ok(None),
        Err(error) => return Err(format!("{engine}: {error}")),
    };
    control.answered();
    let report = checked.settled[0].report();
    let stats = &report.stats;
    let steps = match &report.verdict {
        Verdict::Fails(evidence) => Some(evidence.trace.steps.len()),
        Verdict::Undecided(Shortfall::Cluster) => return Err(format!("{engine}: {:?}", stats.cluster)),
        Verdict::Undecided(_) => return Ok(None),
        _ => None,
    };
    let whole = stats.digest.map(|digest| (stats.states, stats.transitions, digest));
    Ok(Some(Answer { verdict: word(&report.verdict), whole, steps: steps.filter(|_| is_safety) }))
}

/// The processes of a cluster, which are threads here.
fn processes(count: usize) -> Vec<Engines> {
    let held: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let hosts: Vec<String> = held.iter().map(|held| held.local_addr().expect("an address").to_string()).collect();
    drop(held);
    let times = Times { connect: Duration::from_secs(120), silence: Duration::from_secs(120) };
    let process = |process: usize| {
        let (hosts, secret) = (hosts.clone(), b"a secret of sixteen".to_vec());
        let options = NetworkOptions { hosts, process, bind: None, secret, workers: 1, times };
        let network: &'static Network = Box::leak(Box::new(Network::listen(options).expect("the port is free")));
        engines().replacing(Box::leak(Box::new(Cluster::over(network))))
    };
    (0..count).map(process).collect()
}

struct Comparison {
    clusters: Vec<Vec<Engines>>,
    shares: Vec<Shares>,
    /// For shares on disk.
    folder: PathBuf,
    /// Which part of the questions is asked, of how many.
    part: (u32, u32),
    asked: u32,
    compared: u32,
    whole: u32,
    /// How often a process came so late that another one did not wait for it.
    late: u32,
    wrong: Vec<String>,
}

impl Comparison {
    fn new() -> Self {
        let part = std::env::var("LARIAT_CLUSTER_PART").unwrap_or_else(|_| "0/1".to_owned());
        let part = part.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        let part = part.expect("a part and how many there are");
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let (id, number) = (std::process::id(), NUMBERS.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("lariat-cluster-corpus-{id}-{number}"));
        std::fs::create_dir_all(&folder).expect("it can be made");
        Self {
            clusters: vec![processes(2), processes(3)],
            shares: Shares::asked(),
            folder,
            part,
            asked: 0,
            compared: 0,
            whole: 0,
            late: 0,
            wrong: Vec::new(),
        }
    }

    fn compare(&mut self, name: &str, question: &Question) {
        self.asked += 1;
        if self.asked % self.part.1 != self.part.0 {
            return;
        }
        if std::env::var_os("LARIAT_CLUSTER_TOLD").is_some() {
            let Self { compared, whole, wrong, .. } = self;
            println!("{compared} compared, {whole} whole, {} wrong; now {name} {}", wrong.len(), question.property);
        }
        // What a finite part of a run violates is searched by levels, and all else by components.
        let in_memory = |engine| settle(question, engines(), engine, 1, None);
        let expected = match in_memory("bfs") {
            Ok(None) => in_memory("scc"),
            answer => answer,
        };
        let Ok(Some(expected)) = expected else { return };
        if expected.whole.is_some_and(|(states, ..)| states > most_states()) {
            return;
        }
        for shares in self.shares.clone() {
            self.compare_with(name, question, shares, &expected);
        }
    }

    fn compare_with(&mut self, name: &str, question: &Question, shares: Shares, expected: &Answer) {
        let disk = shares.disk(&self.folder);
        let disk = || disk.clone();
        for workers in [1, 2, 3] {
            let found = settle(question, engines(), "cluster", workers, disk());
            self.note(&format!("{name} {}, {workers} workers, {shares:?}", question.property), found, expected);
        }
        for number in 0..self.clusters.len() {
            let found: Vec<_> = std::thread::scope(|scope| {
                let process = |engines: &Engines| {
                    let (engines, disk) = (engines.clone(), disk());
                    scope.spawn(move || settle(question, engines, "cluster", 1, disk))
                };
                let started: Vec<_> = self.clusters[number].iter().map(process).collect();
                started.into_iter().map(|process| process.join().expect("no process panics")).collect()
            });
            let is_late =
                |found: &Result<_, String>| found.as_ref().is_err_and(|why| why.contains("within the limits"));
            if found.iter().any(is_late) {
                self.late += 1;
                self.clusters[number] = processes(number + 2);
                continue;
            }
            for found in found {
                let what = format!("{name} {}, {} processes, {shares:?}", question.property, number + 2);
                self.note(&what, found, expected);
            }
        }
    }

    fn note(&mut self, what: &str, found: Result<Option<Answer>, String>, expected: &Answer) {
        match found {
            Ok(None) => {}
            Ok(Some(found)) => {
                self.compared += 1;
                let whole = found.whole.zip(expected.whole);
                self.whole += u32::from(whole.is_some());
                let same = (found.verdict, found.steps) == (expected.verdict, expected.steps);
                if !same || whole.is_some_and(|(found, expected)| found != expected) {
                    self.wrong.push(format!("{what}: {found:?}, not {expected:?}"));
                }
            }
            Err(error) => self.wrong.push(format!("{what}: {error}")),
        }
    }

    fn end(self) {
        let Self { compared, whole, late, wrong, folder, .. } = self;
        let _ = std::fs::remove_dir_all(folder);
        println!("{compared} answers compared, {whole} with all counts; {late} times a process was late");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(compared > 0 && whole > 0 && late <= compared / 100, "{compared} {whole} {late}");
    }
}

#[test]
fn promela() {
    let mut comparison = Comparison::new();
    for folder in ["semantics", "conformance", "known-bugs"] {
        let Some(rows) = rows(folder) else { return };
        let all = given_states().is_some();
        let small: Vec<&Row> =
            rows.iter().filter(|row| row.states.map_or(all, |states| states <= most_states())).collect();
        for row in small.into_iter().step_by(stride()) {
            let fairness = FairnessOptions { processes: row.fairness, ..FairnessOptions::default() };
            let question = Question {
                file: row.file.clone(),
                reading: ReadOptions { defines: row.defines.clone(), ..ReadOptions::default() },
                property: row.property.clone(),
                fairness,
            };
            comparison.compare(&row.name(), &question);
        }
    }
    comparison.end();
}

#[test]
fn smv() {
    let mut comparison = Comparison::new();
    for folder in ["semantics", "fairness"] {
        let Some(path) = corpus(&format!("smv/{folder}")) else { return };
        let mut files: Vec<PathBuf> = std::fs::read_dir(&path)
            .expect("a folder")
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        files.sort();
        let files = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "smv"));
        for file in files.step_by(stride()) {
            compare_all(&mut comparison, file);
        }
    }
    comparison.end();
}

fn compare_all(comparison: &mut Comparison, file: &Path) {
    let Ok(model) = Model::read(file, &ReadOptions::default()) else { return };
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let own = model.properties().iter().map(|property| property.name.clone());
    for property in own.filter(|name| !name.starts_with("ctl")).chain(["safety".to_owned()]) {
        let (reading, fairness) = (ReadOptions::default(), FairnessOptions::default());
        comparison.compare(&name, &Question { file: file.to_owned(), reading, property, fairness });
    }
}
