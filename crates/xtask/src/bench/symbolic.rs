//! SMV models beside NuSMV: default settings, all specifications of a model together, traces included.
//!
//! NuSMV is not run: its times, the best of several sets of options, are in the corpus. It decides only, and writes no trace.
//! There are two tables: examples distributed with NuSMV, and models of processes under justice and compassion.

use super::Lab;
use super::job::{Ended, run_in_turns};
use super::models::Model;
use super::subject::SECONDS;
use super::table::{ABSENT, Table};
use serde_json::{Value, json};
use std::path::Path;

/// Where the models are, beside the project.
const FOLDER: &str = "../shared/corpus/smv";
/// Folders in it with a table of NuSMV's times: the model and, in this column, the seconds.
const TABLES: [(&str, &str, usize); 2] = [("nusmv", "seconds.tsv", 1), ("fairness", "expected.tsv", 2)];
/// NuSMV's times with another algorithm than in the table, better than those, from the text beside the tables.
const BETTER: [(&str, f64); 5] = [
    ("termdet_3.smv", 0.4),
    ("termdet_4.smv", 1.6),
    ("termdet_5.smv", 4.9),
    ("termdet_6.smv", 13.7),
    ("termdet_7.smv", 49.8),
];
/// Up to this NuSMV's time is too short to be compared with, and we must be as fast as this.
const SHORT_SECONDS: f64 = 0.1;

struct Row {
    name: String,
    nusmv_seconds: f64,
    /// The verdict that the table gives.
    expected: Option<String>,
    lariat: Result<Answered, String>,
}

/// What a run said, and took.
struct Answered {
    holds: usize,
    fails: usize,
    /// The specifications without an answer.
    open: Vec<String>,
    cpu_seconds: f64,
    wall_seconds: f64,
    resident_bytes: u64,
}

impl Row {
    fn is_fast(&self) -> bool {
        let limit = self.nusmv_seconds.max(SHORT_SECONDS);
        self.lariat.as_ref().is_ok_and(|answered| answered.cpu_seconds <= limit && answered.open.is_empty())
    }
    /// What is to be said about it in a word.
    fn remark(&self, answered: &Answered) -> &'static str {
        let found = if answered.fails > 0 { "fails" } else { "holds" };
        match &self.expected {
            Some(expected) if answered.open.is_empty() && expected != found => "wrong",
            _ if self.is_fast() => "",
            _ => "slower",
        }
    }
}

/// Measures the models whose names contain `pattern`, prints, and gives it as data.
pub(super) fn run(lab: &Lab, pattern: &str) -> Value {
    let mut rows: Vec<Row> = Vec::new();
    for (name, table, column) in TABLES {
        let folder = lab.root.join(FOLDER).join(name);
        let Ok(table) = std::fs::read_to_string(folder.join(table)) else {
            println!("symbolic: no models, since there is no corpus");
            return json!({ "absent": "no corpus" });
        };
        let lines = table.lines().skip(1).filter(|line| line.contains(pattern));
        rows.extend(lines.map(|line| row(lab, &folder, line, column)));
    }
    println!(
        "SMV, all specifications of a model, default settings and 1 GiB; CPU seconds; NuSMV's best, without traces"
    );
    let mut shown = Table::new(&["model", "holds", "fails", "open", "NuSMV", "Lariat", "wall", "MiB", ""]);
    rows.iter().for_each(|row| shown.push(cells(row)));
    print!("{shown}");
    let fast = rows.iter().filter(|row| row.is_fast()).count();
    println!("  as fast as NuSMV, or within {SHORT_SECONDS} s: {fast} of {} models", rows.len());
    for row in &rows {
        match &row.lariat {
            Err(why) => println!("  {}: {why}", row.name),
            Ok(answered) if !answered.open.is_empty() => println!("  {}: open: {}", row.name, answered.open.join(", ")),
            Ok(_) => {}
        }
    }
    json!({ "models": rows.iter().map(row_json).collect::<Vec<_>>(), "fast": fast })
}

fn row(lab: &Lab, folder: &Path, line: &str, column: usize) -> Row {
    let columns: Vec<&str> = line.split('\t').collect();
    let name = columns[0].to_owned();
    let better = BETTER.iter().find(|(model, _)| *model == name).map(|(_, seconds)| *seconds);
    let known = || columns.get(column).and_then(|text| text.parse().ok());
    let nusmv_seconds = better.or_else(known).unwrap_or(0.0);
    let expected = (column > 1).then(|| columns[1].to_owned());
    lab.say(&format!("symbolic: {name}"));
    let model = Model {
        name: name.clone(),
        path: folder.join(&name),
        defines: Vec::new(),
        allow_deadlock: false,
        states: None,
    };
    let job = lab.lariat.check(&model, &["--memory", "1G"]);
    let ended = run_in_turns(&[job], lab.rounds, SECONDS).pop().expect("a result for each job");
    Row { name, nusmv_seconds, expected, lariat: ended.and_then(|ended| answered(&ended)) }
}

fn answered(ended: &Ended) -> Result<Answered, String> {
    let said = || {
        let line = ended.complaints.lines().next().unwrap_or("no output");
        format!("exit code {}: {line}", ended.code)
    };
    let document: Value = serde_json::from_str(&ended.output).map_err(|_| said())?;
    let properties = document["properties"].as_array().ok_or_else(said)?;
    let count = |verdict: &str| properties.iter().filter(|property| property["verdict"] == verdict).count();
    let is_open = |property: &&Value| property["verdict"] == "undecided";
    let name = |property: &Value| property["name"].as_str().unwrap_or_default().to_owned();
    Ok(Answered {
        holds: count("holds"),
        fails: count("fails"),
        open: properties.iter().filter(is_open).map(name).collect(),
        cpu_seconds: ended.best.cpu_seconds,
        wall_seconds: ended.best.wall_seconds,
        resident_bytes: ended.best.resident_bytes,
    })
}

fn cells(row: &Row) -> Vec<String> {
    let nusmv = format!("{:.2}", row.nusmv_seconds);
    match &row.lariat {
        Ok(answered) => vec![
            row.name.clone(),
            answered.holds.to_string(),
            answered.fails.to_string(),
            answered.open.len().to_string(),
            nusmv,
            format!("{:.2}", answered.cpu_seconds),
            format!("{:.2}", answered.wall_seconds),
            (answered.resident_bytes >> 20).to_string(),
            row.remark(answered).to_owned(),
        ],
        Err(_) => {
            let absent = || ABSENT.to_owned();
            vec![row.name.clone(), absent(), absent(), absent(), nusmv, absent(), absent(), absent(), absent()]
        }
    }
}

fn row_json(row: &Row) -> Value {
    let lariat = match &row.lariat {
        Ok(answered) => json!({ "holds": answered.holds, "fails": answered.fails, "open": answered.open,
            "cpu_seconds": answered.cpu_seconds, "wall_seconds": answered.wall_seconds,
            "resident_bytes": answered.resident_bytes }),
        Err(why) => json!({ "absent": why }),
    };
    json!({ "model": row.name, "nusmv_seconds": row.nusmv_seconds, "lariat": lariat, "fast": row.is_fast() })
}
