//! SMV models with NuSMV's state counts and truth values, where the corpus is at hand (`../shared` beside the project).
//!
//! Looked at are numbers of states up to `LARIAT_CORPUS_STATES`, 30,000 if it is not set, and every specification that the
//! explicit engines take: invariants, and formulas without path quantifiers.

use crate::support::{corpus, smv_table};
use lariat::{CheckOptions, Limits, Model, Options, ReadOptions, Verdict};
use std::path::Path;

fn most_states() -> u64 {
    std::env::var("LARIAT_CORPUS_STATES").map_or(30_000, |limit| limit.parse().expect("a number of states"))
}

fn settle(model: &mut Model, name: &str, keep_going: bool) -> Result<(Verdict, u64), String> {
    let control = Limits { memory_bytes: 1 << 30, time: None }.control();
    let options = CheckOptions {
        properties: vec![name.to_owned()],
        allow_deadlock: keep_going,
        options: Options { keep_going, ..Options::default() },
        ..CheckOptions::default()
    };
    let checked = lariat::check(model, &options, &control).map_err(|error| error.to_string())?;
    let report = checked.settled[0].report();
    Ok((report.verdict.clone(), report.stats.states))
}

/// The specifications in the order of the tables: by kind, CTL first, then linear time, then invariants.
fn names(model: &Model) -> Vec<String> {
    let own = |prefix: &'static str| {
        let is_own = move |name: &&String| name.starts_with(prefix);
        model.properties().iter().map(|property| &property.name).filter(is_own).cloned().collect::<Vec<_>>()
    };
    [own("ctl_"), own("ltl_"), own("invar_")].concat()
}

fn compare(folder: &Path, file: &str, rows: &[(String, String)], wrong: &mut Vec<String>) -> usize {
    let mut model = match Model::read(&folder.join(file), &ReadOptions::default()) {
        Ok(model) => model,
        Err(rejected) => {
            wrong.push(format!("{file} is refused: {}", rejected.diagnostics[0].message));
            return 0;
        }
    };
    let names = names(&model);
    let mut compared = 0;
    for (what, value) in rows {
        let name = match what.split_once(' ') {
            Some(("spec", number)) => match names.get(number.parse::<usize>().expect("a number") - 1) {
                Some(name) => name.clone(),
                None => {
                    wrong.push(format!("{file}: there is no {what} among {names:?}"));
                    continue;
                }
            },
            Some(("name", name)) => name.to_owned(),
            _ if what == "states" => {
                let Ok(states) = value.parse::<u64>() else { continue };
                if states > most_states() {
                    continue;
                }
                compared += 1;
                match settle(&mut model, "safety", true) {
                    Ok((_, found)) if found == states => {}
                    got => wrong.push(format!("{file}: {states} states, we {got:?}")),
                }
                continue;
            }
            _ => continue,
        };
        match settle(&mut model, &name, false) {
            Ok((Verdict::Holds, _)) if value == "holds" => compared += 1,
            Ok((Verdict::Fails(_), _)) if value == "fails" => compared += 1,
            Ok((Verdict::Computed(quantity), _)) if *value == quantity.to_string() => compared += 1,
            got => wrong.push(format!("{file} {what} ({name}): {value}, we {got:?}")),
        }
    }
    compared
}

#[test]
fn small_models_mean_what_they_mean_to_nusmv() {
    let Some(folder) = corpus("smv") else { return };
    let folder = folder.join("semantics");
    let (mut compared, mut wrong) = (0, Vec::new());
    for (file, rows) in smv_table(&folder.join("expected.tsv")) {
        if rows.iter().any(|(what, _)| what == "error") {
            continue;
        }
        compared += compare(&folder, &file, &rows, &mut wrong);
    }
    println!("{compared} answers compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 200, "only {compared} answers compared");
}

#[test]
fn distributed_models_have_their_states() {
    let Some(folder) = corpus("smv") else { return };
    let (mut compared, mut wrong) = (0, Vec::new());
    for (file, rows) in smv_table(&folder.join("expected.tsv")) {
        let small = |(what, value): &&(String, String)| {
            what == "states" && value.parse::<u64>().is_ok_and(|states| states <= most_states())
        };
        if rows.iter().any(|row| small(&row)) {
            compared += compare(&folder, &file, &rows, &mut wrong);
        }
    }
    println!("{compared} answers compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 10, "only {compared} answers compared");
}

#[test]
fn known_bugs_are_not_ours() {
    let Some(folder) = corpus("smv") else { return };
    let folder = folder.join("known-bugs");
    let (mut compared, mut wrong) = (0, Vec::new());
    for (file, rows) in smv_table(&folder.join("expected.tsv")) {
        compared += compare(&folder, &file, &rows, &mut wrong);
    }
    println!("{compared} answers compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
