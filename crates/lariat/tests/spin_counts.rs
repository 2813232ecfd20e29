//! Real models with SPIN's verdicts and state counts, where the corpus is at hand (`../shared` beside the project).
//!
//! Rows of at most `LARIAT_CORPUS_STATES` states are looked at, 20,000 if it is not set. Without a corpus there is nothing
//! to compare, which is a failure only where `LARIAT_NEEDS_CORPUS=1` says so. Deviations that we stand by are
//! listed below and explained in docs/differences.md.

use crate::support::corpus;
use lariat::{CheckOptions, Limits, Model, Options, ReadOptions, Verdict};
use std::path::Path;

/// Where SPIN is wrong, by file: `hidden` variables make its answer depend on the order of the search.
const DEVIATIONS: [&str; 1] = ["e08.pml"];

#[test]
fn semantics() {
    compare("semantics");
}

#[test]
fn conformance() {
    compare("conformance");
}

struct Row {
    file: String,
    flags: String,
    verdict: String,
    states: u64,
    steps: String,
}

fn compare(folder: &str) {
    let Some(folder) = corpus(&format!("promela/{folder}")) else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("a table");
    let limit =
        std::env::var("LARIAT_CORPUS_STATES").map_or(20_000, |limit| limit.parse().expect("a number of states"));
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in rows(&table).filter(|row| row.states <= limit && !DEVIATIONS.contains(&row.file.as_str())) {
        compared += 1;
        match verdict_of_reduced(&folder.join(&row.file), &row.flags) {
            Ok(verdict) if verdict == row.verdict => {}
            got => wrong.push(format!("{} {}: SPIN {}, reduced {got:?}", row.file, row.flags, row.verdict)),
        }
        match count(&folder.join(&row.file), &row.flags) {
            Ok((verdict, states, steps))
                if verdict == row.verdict && states == row.states && steps.to_string() == row.steps => {}
            got => wrong.push(format!(
                "{} {}: SPIN {} {} {}, we {got:?}",
                row.file, row.flags, row.verdict, row.states, row.steps
            )),
        }
    }
    println!("{compared} models compared with SPIN");
    assert!(compared > 0, "no row of {} is about safety and has at most {limit} states", folder.display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rows about safety whose states are known.
fn rows(table: &str) -> impl Iterator<Item = Row> + '_ {
    table.lines().skip(1).filter_map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let (file, flags, property) = (cells.next()?, cells.next()?, cells.next()?);
        let (verdict, states, steps) = (cells.next()?, cells.next()?, cells.next()?);
        (property == "safety").then_some(Row { file, flags, verdict, states: states.parse().ok()?, steps })
    })
}

/// The verdict of a search that leaves out steps whose order makes no difference.
fn verdict_of_reduced(path: &Path, flags: &str) -> Result<&'static str, String> {
    settle(path, flags, &|options| options.reduce = true).map(|(verdict, ..)| verdict)
}

fn count(path: &Path, flags: &str) -> Result<(&'static str, u64, u64), String> {
    settle(path, flags, &|options| options.keep_going = true)
}

fn settle(path: &Path, flags: &str, change: &dyn Fn(&mut Options)) -> Result<(&'static str, u64, u64), String> {
    let mut reading = ReadOptions::default();
    for flag in flags.split_whitespace() {
        let define = flag.strip_prefix("-D").ok_or("only -D is known here")?;
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        reading.defines.push((name.to_owned(), value.to_owned()));
    }
    let mut model = Model::read(path, &reading).map_err(|rejected| rejected.diagnostics[0].message.clone())?;
    let mut checking = CheckOptions { properties: vec!["safety".to_owned()], ..CheckOptions::default() };
    change(&mut checking.options);
    let checked =
        lariat::check(&mut model, &checking, &Limits::default().control()).map_err(|error| error.to_string())?;
    let report = checked.settled[0].report();
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Computed(_) => "computed",
        Verdict::Undecided(_) => "undecided",
    };
    Ok((verdict, report.stats.states, report.stats.transitions))
}
