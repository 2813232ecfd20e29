//! What is found on disk is what is found in memory, on the whole corpus, at 1, 2 and 4 threads, with buffers of 1,997 states.
//!
//! Models of at most `LARIAT_DISK_STATES` states are looked at: as the corpus counts them, or else as a search for `safety` in memory
//! does, which is given up in the time that so many states take. Where that is not set, every twentieth model with at most 300
//! states. Compared are the verdict, and where everything was seen also states, steps and digest. Directed search must find runs as
//! long as breadth-first search in memory finds with `--shortest`.
//!
//! What is left out, refused or given up is named in the output.

use crate::support::{Row, corpus, rows, smv_table, word};
use lariat::{CheckError, CheckOptions, FairnessOptions, Limits, Model, Options, ReadOptions, Verdict};
use lariat_engine::Disk;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
/// How long it may take to count the states of a model that the corpus has no count of.
fn counting() -> Duration {
    Duration::from_millis(200 + most_states() / 100)
}
/// How long a search in memory may take for a model that is looked at: a product is larger than the model.
fn in_memory() -> Duration {
    Duration::from_millis(2000 + most_states() / 5)
}
/// And one on disk, whose buffers are small.
fn on_disk() -> Duration {
    Duration::from_millis(10_000 + most_states() / 2)
}

/// What searches must agree on.
#[derive(PartialEq, Eq, Debug)]
struct Answer {
    verdict: &'static str,
    /// States, steps and digest, if all states were seen.
    whole: Option<(u64, u64, u64)>,
    /// The steps of the run; of one that is bad whatever follows, those after which it is.
    steps: Option<usize>,
    /// Whether the search came to its end.
    is_finished: bool,
}

/// What came of a search.
enum Settled {
    Answered(Answer),
    /// Why the engine does not take the property.
    Refused(String),
    /// There was no end in time.
    TooLong,
}

fn settle(
    model: &mut Model,
    property: &str,
    fairness: &FairnessOptions,
    engine: &'static str,
    options: Options,
    time: Duration,
) -> Result<Settled, String> {
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
        Err(CheckError::Refused(refused)) => {
            // Without the name of the property, which comes first.
            let why = refused.split_once("`: ").map_or(refused.as_str(), |(_, why)| why);
            return Ok(Settled::Refused(why.to_owned()));
        }
        Err(error) => return Err(format!("{engine}: {error}")),
    };
    let report = checked.settled[0].report();
    let stats = &report.stats;
    // A run that is paused leaves its directory, also if it has met a failure before.
    if let Some(disk) = stats.disk.as_ref().filter(|disk| disk.is_paused) {
        std::fs::remove_dir_all(&disk.folder).map_err(|error| format!("{}: {error}", disk.folder.display()))?;
    }
    let steps = match &report.verdict {
        Verdict::Fails(evidence) => Some(evidence.trace.decided.unwrap_or(evidence.trace.steps.len())),
        Verdict::Undecided(_) => return Ok(Settled::TooLong),
        _ => None,
    };
    let whole = stats.digest.map(|digest| (stats.states, stats.transitions, digest));
    let is_finished = report.unfinished.is_none();
    Ok(Settled::Answered(Answer { verdict: word(&report.verdict), whole, steps, is_finished }))
}

struct Comparison {
    folder: PathBuf,
    /// How many states models have that were counted; `None` if they are too many.
    sizes: BTreeMap<String, Option<u64>>,
    compared: u32,
    whole: u32,
    directed: u32,
    /// What was not compared, and why.
    left_out: BTreeMap<String, Vec<String>>,
    wrong: Vec<String>,
}

impl Comparison {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("lariat-disk-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        Self {
            folder,
            sizes: BTreeMap::new(),
            compared: 0,
            whole: 0,
            directed: 0,
            left_out: BTreeMap::new(),
            wrong: Vec::new(),
        }
    }

    fn leave_out(&mut self, why: &str, what: String) {
        self.left_out.entry(why.to_owned()).or_default().push(what);
    }

    /// Whether the model, of this name, has few enough states. Where the corpus does not know, they are counted, once for each model.
    fn is_small(&mut self, name: &str, known: Option<u64>, model: &mut Model) -> bool {
        if known.is_some() {
            self.sizes.insert(name.to_owned(), known);
        }
        if !self.sizes.contains_key(name) {
            let options = Options { keep_going: true, threads: 1, ..Options::default() };
            let fairness = FairnessOptions::default();
            let states = match settle(model, "safety", &fairness, "bfs", options, counting()) {
                Ok(Settled::Answered(answer)) => answer.whole.map(|(states, ..)| states),
                Ok(_) => None,
                Err(error) => {
                    self.wrong.push(format!("{name}: {error}"));
                    None
                }
            };
            self.sizes.insert(name.to_owned(), states);
        }
        self.sizes[name].is_some_and(|states| states <= most_states())
    }

    fn disk(&self, buffer_states: Option<usize>) -> Option<Disk> {
        Some(Disk { folders: vec![self.folder.clone()], buffer_states, ..Disk::default() })
    }

    /// What the first engine in memory that takes the property says.
    fn expected(
        &mut self,
        name: &str,
        model: &mut Model,
        property: &str,
        fairness: &FairnessOptions,
        options: &Options,
    ) -> Option<Answer> {
        // What a finite part of a run violates is searched by layers, and all else by components.
        let mut refused = String::new();
        for engine in ["bfs", "scc"] {
            match settle(model, property, fairness, engine, options.clone(), in_memory()) {
                Ok(Settled::Answered(answer)) => return Some(answer),
                Ok(Settled::Refused(why)) => refused = why,
                Ok(Settled::TooLong) => {
                    self.leave_out("too long in memory", format!("{name} {property}"));
                    return None;
                }
                Err(error) => {
                    self.wrong.push(format!("{name} {property}: {error}"));
                    return None;
                }
            }
        }
        self.leave_out(&format!("refused in memory: {refused}"), format!("{name} {property}"));
        None
    }

    fn compare(&mut self, name: &str, model: &mut Model, property: &str, fairness: &FairnessOptions) {
        let plain = Options { keep_going: property == "safety", threads: 1, ..Options::default() };
        let Some(expected) = self.expected(name, model, property, fairness, &plain) else { return };
        for threads in THREADS {
            let options = Options { threads, disk: self.disk(Some(BUFFER_STATES)), ..plain.clone() };
            match settle(model, property, fairness, "external", options, on_disk()) {
                Ok(Settled::Refused(why)) => self.leave_out(&format!("refused: {why}"), format!("{name} {property}")),
                Ok(Settled::TooLong) => {
                    self.leave_out("too long on disk", format!("{name} {property}, {threads} threads"));
                }
                Ok(Settled::Answered(found)) => {
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

    /// Directed search finds runs as long as breadth-first search.
    fn compare_directed(&mut self, name: &str, model: &mut Model, property: &str, fairness: &FairnessOptions) {
        let shortest = Options { shortest: true, threads: 1, ..Options::default() };
        let what = || format!("{name} {property}, directed");
        let expected = match settle(model, property, fairness, "bfs", shortest.clone(), in_memory()) {
            // A search that was cut short shows some run and not a shortest one.
            Ok(Settled::Answered(answer)) if answer.is_finished => answer,
            Ok(Settled::Refused(why)) => return self.leave_out(&format!("refused in memory: {why}"), what()),
            Ok(_) => return self.leave_out("too long in memory", what()),
            Err(error) => return self.wrong.push(format!("{}: {error}", what())),
        };
        let directed = Options { shortest: false, disk: self.disk(None), ..shortest };
        match settle(model, property, fairness, "astar", directed, on_disk()) {
            Ok(Settled::Refused(why)) => self.leave_out(&format!("refused: {why}"), what()),
            Ok(Settled::Answered(found)) if found.is_finished => {
                self.directed += 1;
                if (found.verdict, found.steps) != (expected.verdict, expected.steps) {
                    self.wrong.push(format!("{}: {found:?}, not {expected:?}", what()));
                }
            }
            Ok(_) => self.leave_out("too long on disk", what()),
            Err(error) => self.wrong.push(format!("{}: {error}", what())),
        }
    }

    fn end(self) {
        let left: Vec<_> = std::fs::read_dir(&self.folder).expect("it is there").filter_map(Result::ok).collect();
        let left = left.iter().map(|entry| entry.file_name()).collect::<Vec<_>>();
        let _ = std::fs::remove_dir_all(&self.folder);
        let Self { compared, whole, directed, left_out, wrong, .. } = self;
        println!("{compared} answers compared, {whole} with all counts, {directed} directed");
        for (why, what) in left_out {
            println!("  {}, {why}: {}", what.len(), what.join("; "));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(left.is_empty(), "left behind: {left:?}");
        assert!(compared > 0 && directed > 0);
    }
}

#[test]
fn promela() {
    let mut comparison = Comparison::new("promela");
    for folder in ["semantics", "conformance", "known-bugs"] {
        let Some(rows) = rows(folder) else { return };
        let key = |row: &Row| format!("{} {:?}", row.file.display(), row.defines);
        // The count of another property of the same model tells how large it is.
        let counts: BTreeMap<String, u64> = rows.iter().filter_map(|row| Some((key(row), row.states?))).collect();
        for row in rows.iter().step_by(stride()) {
            let Ok(mut model) = row.model() else {
                comparison.leave_out("not read", row.name());
                continue;
            };
            let known = counts.get(&key(row)).copied();
            if !comparison.is_small(&key(row), known, &mut model) {
                comparison.leave_out("larger", row.name());
                continue;
            }
            let fairness = FairnessOptions { processes: row.fairness, ..FairnessOptions::default() };
            comparison.compare(&row.name(), &mut model, &row.property, &fairness);
            comparison.compare_directed(&row.name(), &mut model, &row.property, &fairness);
        }
    }
    comparison.end();
}

/// How many states the models of a table have, by file.
fn smv_counts(table: &Path) -> BTreeMap<String, u64> {
    let rows = smv_table(table).into_iter();
    let states = |cells: Vec<(String, String)>| cells.into_iter().find(|(what, _)| what == "states")?.1.parse().ok();
    rows.filter_map(|(file, cells)| Some((Path::new(&file).file_name()?.to_str()?.to_owned(), states(cells)?)))
        .collect()
}

#[test]
fn smv() {
    let mut comparison = Comparison::new("smv");
    for folder in ["semantics", "known-bugs", "nusmv", "fairness"] {
        let Some(path) = corpus(&format!("smv/{folder}")) else { return };
        // The table of the examples of NuSMV is beside their folder.
        let tables = [path.join("expected.tsv"), path.join("../expected.tsv")];
        let counts: BTreeMap<String, u64> =
            tables.iter().filter(|table| table.exists()).flat_map(|table| smv_counts(table)).collect();
        let mut files: Vec<PathBuf> = std::fs::read_dir(&path)
            .expect("a folder")
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        files.sort();
        let files = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "smv"));
        for file in files.step_by(stride()) {
            let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let Ok(mut model) = Model::read(file, &ReadOptions::default()) else {
                comparison.leave_out("not read", name);
                continue;
            };
            if !comparison.is_small(&name, counts.get(&name).copied(), &mut model) {
                comparison.leave_out("larger", name);
                continue;
            }
            let own = model.properties().iter().map(|property| property.name.clone());
            let names: Vec<String> = own.filter(|name| !name.starts_with("ctl")).chain(["safety".to_owned()]).collect();
            for property in names {
                comparison.compare(&name, &mut model, &property, &FairnessOptions::default());
                comparison.compare_directed(&name, &mut model, &property, &FairnessOptions::default());
            }
        }
    }
    comparison.end();
}
