//! How many instructions Lariat takes for a few small models, by valgrind: figures that noise cannot fool. They are
//! compared with those that were committed, and more than a little more is a failure.
//!
//! They differ a little from run to run, as the seeds of hash tables do, and with the compiler and the C library. A
//! program that generates code is counted with the code it generates.

use super::Lab;
use super::job::Job;
use super::models::shipped;
use super::subject::read_answer;
use super::table::{ABSENT, Table, count};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

const BASELINE: &str = "crates/xtask/baseline/instructions.json";
/// Worse than this is a failure.
const MOST_GROWTH: f64 = 0.01;
/// What valgrind may take for a model.
const SECONDS: u64 = 600;

/// Each with the code it runs as. The first is so small that it says what a start costs; the next two are long enough to say
/// what machine code costs, and too short to get it unless it is asked for.
const MODELS: [(&str, &str, &str); 4] = [
    ("models/alternating_bit.pml", "", "auto"),
    ("models/bench/philosophers.pml", "-DN=8", "native"),
    ("models/bench/filter_lock.pml", "-DN=3", "native"),
    ("models/bench/election.pml", "-DN=6", "auto"),
];

/// Measures, prints, gives it as data, and says whether all is within bounds. With `update` what is found is the new
/// baseline.
pub(super) fn run(lab: &Lab, update: bool) -> (Value, bool) {
    let installed = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if installed.is_err() {
        println!("instructions: skipped, `valgrind` is not installed");
        return (json!({ "absent": "`valgrind` is not installed" }), true);
    }
    let path = lab.root.join(BASELINE);
    let baseline = read_baseline(&path);
    println!("instructions on one thread, by valgrind; change is against {BASELINE}");
    let mut table = Table::new(&["model", "states", "transitions", "instructions", "per transition", "change"]);
    let (mut models, mut wrong, mut improved) = (Map::new(), Vec::new(), false);
    // How large a table may grow shall not depend on the machine.
    let options = [lab.lariat.plain_options(), vec!["--memory", "256M"]].concat();
    for (file, define, code) in MODELS {
        let options = [&options[..], &["--code", code]].concat();
        let model = shipped(&lab.root, file, define);
        lab.say(&format!("instructions: {}", model.name));
        let counted = match counted(&lab.lariat.job(&model, false, &options)) {
            Ok(counted) => counted,
            Err(why) => {
                wrong.push(format!("{}: {why}", model.name));
                continue;
            }
        };
        let change = compare(&counted, &baseline[&model.name]);
        table.push(vec![
            model.name.clone(),
            count(counted.states),
            count(counted.transitions),
            count(counted.instructions),
            count(counted.instructions / counted.transitions.max(1)),
            change.as_ref().map_or_else(|_| ABSENT.to_owned(), |growth| format!("{:+.2} %", growth * 100.0)),
        ]);
        match change {
            _ if update => {}
            Ok(growth) if growth > MOST_GROWTH => {
                wrong.push(format!("{}: {:.1} % more instructions", model.name, growth * 100.0));
            }
            Ok(growth) => improved |= growth < -MOST_GROWTH,
            Err(why) => wrong.push(format!("{}: {why}; see `--update-baseline`", model.name)),
        }
        models.insert(
            model.name,
            json!({
                "states": counted.states, "transitions": counted.transitions, "instructions": counted.instructions,
                "instructions_per_transition": counted.instructions / counted.transitions.max(1),
            }),
        );
    }
    print!("{table}");
    let models = Value::Object(models);
    if update && wrong.is_empty() {
        match write_baseline(&path, &models) {
            Ok(()) => println!("  this is the baseline now"),
            Err(error) => wrong.push(format!("{BASELINE}: {error}")),
        }
    }
    let verdict = if wrong.is_empty() { "kept" } else { "FAILED" };
    println!("  wanted at most {} % more than the baseline: {verdict}", MOST_GROWTH * 100.0);
    if improved {
        println!("  some take much less: `--update-baseline` keeps it so");
    }
    wrong.iter().for_each(|wrong| println!("  FAILED {wrong}"));
    (json!({ "models": models, "failed": wrong }), wrong.is_empty())
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Counted {
    states: u64,
    transitions: u64,
    instructions: u64,
}

fn counted(job: &Job) -> Result<Counted, String> {
    let tool = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
    let arguments = tool.iter().map(|&argument| argument.to_owned());
    let arguments = arguments.chain([job.program.to_string_lossy().into_owned()]).chain(job.arguments.iter().cloned());
    let job = Job { program: "valgrind".into(), arguments: arguments.collect(), folder: job.folder.clone() };
    let ended = job.run(SECONDS)?;
    let answer = read_answer(&ended)?;
    let instructions = read_instructions(&ended.complaints).ok_or("valgrind does not say how many instructions")?;
    Ok(Counted { states: answer.states, transitions: answer.transitions, instructions })
}

/// From the line `==123== I   refs:      2,918,985`.
fn read_instructions(text: &str) -> Option<u64> {
    let is_count = |line: &&str| line.split_whitespace().skip(1).take(2).eq(["I", "refs:"]);
    let line = text.lines().find(is_count)?;
    line.split_whitespace().last()?.replace(',', "").parse().ok()
}

/// By how much there are more instructions, 0.01 being one percent; or why that cannot be said.
fn compare(counted: &Counted, baseline: &Value) -> Result<f64, &'static str> {
    let field = |name: &str| baseline[name].as_u64().ok_or("there is no baseline");
    let (states, transitions, instructions) = (field("states")?, field("transitions")?, field("instructions")?);
    if (states, transitions) != (counted.states, counted.transitions) {
        return Err("the graph is not that of the baseline");
    }
    Ok(counted.instructions as f64 / instructions as f64 - 1.0)
}

fn read_baseline(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn write_baseline(path: &Path, models: &Value) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, format!("{models:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_from_change() {
        let text = "==7== Cachegrind\n==7== \n==7== I   refs:      2,918,985\n";
        assert_eq!(read_instructions(text), Some(2_918_985));
        assert_eq!(read_instructions("==7== D   refs:  1\n"), None);
        let baseline = json!({ "states": 10, "transitions": 20, "instructions": 1000 });
        let counted = Counted { states: 10, transitions: 20, instructions: 1050 };
        assert!((compare(&counted, &baseline).unwrap() - 0.05).abs() < 1e-9);
        assert!(compare(&counted, &Value::Null).is_err());
        assert!(compare(&Counted { states: 11, ..counted }, &baseline).is_err());
    }
}
