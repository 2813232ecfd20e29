//! Temporal properties of real models, and models on which a well-known checker gave a wrong answer, where the corpus is
//! at hand (`../shared` beside the project): every row in every engine that supports it.
//!
//! An engine that does not finish in time is left out of the row: `cvwy-a` sees everything before it looks for the first
//! cycle. `scc` must always answer. A release build has more patience; a development build looks
//! at every third row of real models, and leaves large ones to `auto`.

use crate::support::{Row, engine_choices, rows, sample, word};
use lariat::{CheckError, CheckOptions, Limits, Model, ProcessFairness, Questions, Verdict};
use lariat_engine::CodeKind;
use std::time::Duration;

#[test]
fn conformance() {
    compare("conformance", 3, |row| row.property != "safety");
}

#[test]
fn known_bugs() {
    compare("known-bugs", 1, |_| true);
}

/// A development build looks at one row in `stride`.
fn compare(folder: &str, stride: usize, is_asked: impl Fn(&Row) -> bool) {
    let Some(rows) = rows(folder) else { return };
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in sample(rows.iter().filter(|row| is_asked(row)).collect(), stride) {
        let is_large = cfg!(debug_assertions) && row.states.is_some_and(|states| states > LARGE);
        let mut model = row.model().unwrap_or_else(|error| panic!("{}: {error}", row.name()));
        let mut asked = CheckOptions { properties: vec![row.property.clone()], ..CheckOptions::default() };
        asked.fairness.processes = row.fairness;
        let questions = Questions::of(&mut model, &asked).unwrap_or_else(|error| panic!("{}: {error}", row.name()));
        for engine in engine_choices().into_iter().filter(|engine| engine.is_none() || !is_large) {
            match settle(row, &model, &questions, CheckOptions { engine, ..asked.clone() }) {
                Ok(None) => {}
                Ok(Some(said)) => {
                    compared += 1;
                    if said != row.verdict {
                        wrong.push(format!("{}, {engine:?}: {said}, not {}", row.name(), row.verdict));
                    }
                }
                Err(error) => wrong.push(format!("{}, {engine:?}: {error}", row.name())),
            }
        }
    }
    println!("{compared} answers compared");
    assert!(compared > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// More states than this take a development build long.
const LARGE: u64 = 2_000;

/// What the engine says; `None` if it does not take the property, or does not come to an end in time.
fn settle(
    row: &Row,
    model: &Model,
    questions: &Questions,
    mut checking: CheckOptions,
) -> Result<Option<String>, String> {
    let engine = checking.engine;
    checking.options.reduce = row.reduce == Some(true);
    if cfg!(debug_assertions) && engine.is_some() {
        // Machine code takes a development build long to make.
        checking.options.code = CodeKind::Bytecode;
    }
    let is_chosen = !matches!(engine, None | Some("scc"));
    // Sets of states take long for most of these models: those that they settle in a moment will do.
    let patience = match engine {
        Some("symbolic" | "graph") => 100,
        _ if cfg!(debug_assertions) => 300,
        _ => 600,
    };
    let time = is_chosen.then_some(Duration::from_millis(patience));
    let control = Limits { time, ..Limits::default() }.control();
    let checked = match questions.settle(model, &checking, &control) {
        Ok(checked) => checked,
        Err(CheckError::Refused(_)) if engine.is_some() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let report = checked.settled[0].report();
    // Searches by sets of states count those of the system.
    if let Some(states) = row.states
        && !matches!(engine, Some("symbolic" | "graph"))
        && report.verdict == Verdict::Holds
        && row.fairness == ProcessFairness::None
        && report.stats.states != states
    {
        return Err(format!("{} states, SPIN {states}", report.stats.states));
    }
    Ok(match &report.verdict {
        Verdict::Undecided(_) if is_chosen => None,
        Verdict::Undecided(why) => Some(format!("undecided ({why:?})")),
        verdict => Some(word(verdict).to_owned()),
    })
}
