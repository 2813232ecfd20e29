//! Real models with SPIN's verdicts and state counts, where the corpus is at hand (`../shared` beside the project).
//!
//! Rows of at most `LARIAT_CORPUS_STATES` states are looked at, 5,000 if it is not set. Without a corpus there is nothing
//! to compare, which is a failure only where `LARIAT_NEEDS_CORPUS=1` says so. Deviations that we stand by are
//! listed below and explained in docs/differences.md.

use crate::support::{Row, rows, word};
use lariat::{CheckOptions, Limits, Options};

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

fn compare(folder: &str) {
    let Some(rows) = rows(folder) else { return };
    let limit = std::env::var("LARIAT_CORPUS_STATES").map_or(5_000, |limit| limit.parse().expect("a number of states"));
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in rows.iter().filter(|row| row.property == "safety" && !DEVIATIONS.contains(&row.file_name().as_str())) {
        let Some(states) = row.states.filter(|&states| states <= limit) else { continue };
        compared += 1;
        // A search that leaves out steps whose order makes no difference, and one of everything.
        match settle(row, &|options| options.reduce = true) {
            Ok((verdict, ..)) if verdict == row.verdict => {}
            got => wrong.push(format!("{}: SPIN {}, reduced {got:?}", row.name(), row.verdict)),
        }
        match settle(row, &|options| options.keep_going = true) {
            Ok((verdict, seen, steps)) if verdict == row.verdict && seen == states && Some(steps) == row.steps => {}
            got => wrong.push(format!("{}: SPIN {} {states} {:?}, we {got:?}", row.name(), row.verdict, row.steps)),
        }
    }
    println!("{compared} models compared with SPIN");
    assert!(compared > 0, "no row of {folder} is about safety and has at most {limit} states");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The verdict on safety, the states and the steps.
fn settle(row: &Row, change: &dyn Fn(&mut Options)) -> Result<(&'static str, u64, u64), String> {
    let mut checking = CheckOptions { properties: vec!["safety".to_owned()], ..CheckOptions::default() };
    change(&mut checking.options);
    let checked = lariat::check(&mut row.model()?, &checking, &Limits::default().control());
    let checked = checked.map_err(|error| error.to_string())?;
    let report = checked.settled[0].report();
    Ok((word(&report.verdict), report.stats.states, report.stats.transitions))
}
