//! Temporal properties of real models, and models on which a well-known checker gave a wrong answer, where the corpus is
//! at hand (`../shared` beside the project): every row in every engine that admits it.
//!
//! An engine that does not finish within a few seconds is left out of the row: `cvwy-a` sees everything before it looks
//! for the first cycle. `scc` must always answer.

use crate::support::corpus;
use lariat::{CheckError, CheckOptions, Limits, Model, ProcessFairness, ReadOptions, Verdict};
use std::path::{Path, PathBuf};
use std::time::Duration;

const ENGINES: [Option<&'static str>; 6] =
    [None, Some("scc"), Some("ndfs"), Some("magic"), Some("cvwy-a"), Some("cvwy-b")];

/// One property of one model.
struct Row {
    file: PathBuf,
    defines: Vec<(String, String)>,
    property: String,
    fairness: ProcessFairness,
    reduce: bool,
    verdict: String,
    /// The number of product states, where the claim is the model's own.
    states: Option<u64>,
}

#[test]
fn conformance() {
    // file, flags, property and perhaps `--fairness weak`, verdict, states
    compare("conformance", |folder, cells| {
        let mut asked = cells[2].split_whitespace();
        let property = asked.next().unwrap_or_default().to_owned();
        if property == "safety" {
            return None;
        }
        let fairness = asked.nth(1).unwrap_or("none");
        let states = cells[4].parse().ok();
        Some(row(folder, cells[0], cells[1], &property, fairness, cells[3], states))
    });
}

#[test]
fn known_bugs() {
    // file, options, property, verdict, why
    compare("known-bugs", |folder, cells| {
        let fairness = match cells[1] {
            "--por on" | "--por off" => "none",
            options => options.strip_prefix("--fairness ").expect("a row is about fairness or reduction"),
        };
        let row = row(folder, cells[0], "", cells[2], fairness, cells[3], None);
        Some(Row { reduce: cells[1] == "--por on", ..row })
    });
}

fn row(
    folder: &Path,
    file: &str,
    flags: &str,
    property: &str,
    fairness: &str,
    verdict: &str,
    states: Option<u64>,
) -> Row {
    let define = |flag: &str| {
        let define = flag.strip_prefix("-D").expect("flags define names");
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        (name.to_owned(), value.to_owned())
    };
    let fairness = match fairness {
        "none" => ProcessFairness::None,
        "weak" => ProcessFairness::Weak,
        "strong" => ProcessFairness::Strong,
        other => panic!("there is no {other} fairness"),
    };
    Row {
        file: folder.join(file),
        defines: flags.split_whitespace().map(define).collect(),
        property: property.to_owned(),
        fairness,
        reduce: false,
        verdict: verdict.to_owned(),
        states,
    }
}

fn compare(folder: &str, read: impl Fn(&Path, &[&str]) -> Option<Row>) {
    let Some(folder) = corpus(&format!("promela/{folder}")) else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("a table");
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in rows.filter_map(|cells| read(&folder, &cells)) {
        for engine in ENGINES {
            match settle(&row, engine) {
                Ok(None) => {}
                Ok(Some(said)) => {
                    compared += 1;
                    if said != row.verdict {
                        wrong.push(format!("{}, {engine:?}: {said}, not {}", name(&row), row.verdict));
                    }
                }
                Err(error) => wrong.push(format!("{}, {engine:?}: {error}", name(&row))),
            }
        }
    }
    println!("{compared} answers compared");
    assert!(compared > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

fn name(row: &Row) -> String {
    let file = row.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("{file} {} {:?}", row.property, row.fairness)
}

/// What the engine says; `None` if it does not take the property, or does not come to an end in time.
fn settle(row: &Row, engine: Option<&'static str>) -> Result<Option<String>, String> {
    let reading = ReadOptions { defines: row.defines.clone(), ..ReadOptions::default() };
    let mut model = Model::read(&row.file, &reading).map_err(|rejected| rejected.diagnostics[0].message.clone())?;
    let mut checking = CheckOptions { properties: vec![row.property.clone()], engine, ..CheckOptions::default() };
    checking.fairness.processes = row.fairness;
    checking.options.reduce = row.reduce;
    let is_chosen = !matches!(engine, None | Some("scc"));
    let time = is_chosen.then_some(Duration::from_secs(2));
    let control = Limits { time, ..Limits::default() }.control();
    let checked = match lariat::check(&mut model, &checking, &control) {
        Ok(checked) => checked,
        Err(CheckError::Refused(_)) if engine.is_some() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let report = checked.settled[0].report();
    if let Some(states) = row.states
        && report.verdict == Verdict::Holds
        && row.fairness == ProcessFairness::None
        && report.stats.states != states
    {
        return Err(format!("{} states, SPIN {states}", report.stats.states));
    }
    Ok(match &report.verdict {
        Verdict::Holds => Some("holds".to_owned()),
        Verdict::Fails(_) => Some("fails".to_owned()),
        Verdict::Computed(quantity) => Some(quantity.to_string()),
        Verdict::Undecided(_) if is_chosen => None,
        Verdict::Undecided(why) => Some(format!("undecided ({why:?})")),
    })
}
