//! SMV models by decision diagrams: NuSMV's numbers of states, and its answers, where the corpus is at
//! hand (`../shared` beside the project). What the default engines answer is compared in `smv_corpus.rs`.

use crate::support::{corpus, smv_table};
use lariat::front::PropertyKind;
use lariat::{CheckOptions, Limits, Model, ReadOptions, Verdict};
use lariat_engine::Shortfall;
use lariat_space::StateSets;
use lariat_symbolic::{BddSets, Capacity};
use std::path::Path;
use std::time::Duration;

/// The number of states that can be reached, in decimal.
fn states(model: &Model) -> Result<String, String> {
    let system = model.system(0).map_err(|found| found[0].message.clone())?;
    let full = Shortfall::Memory { limit_bytes: 0 };
    let sets = BddSets::new(&system, Capacity { nodes: 1 << 20, cache: 1 << 16 }, full, || Ok(()));
    let sets = sets.map_err(|reason| format!("{reason:?}"))?.map_err(|shortfall| format!("{shortfall:?}"))?;
    let count = || sets.count(&sets.reachable(&sets.initial()?)?);
    count().map(|count| count.to_string()).map_err(|shortfall| format!("{shortfall:?}"))
}

/// How long properties of linear time are waited for: some take NuSMV longer.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 1 } else { 20 });

fn verdict(model: &mut Model, name: &str) -> Result<String, String> {
    verdict_within(model, name, "symbolic", name.starts_with("ltl_").then_some(PATIENCE))
}

fn verdict_within(
    model: &mut Model,
    name: &str,
    engine: &'static str,
    time: Option<Duration>,
) -> Result<String, String> {
    let control = Limits { memory_bytes: 1 << 30, time }.control();
    let options = CheckOptions { properties: vec![name.to_owned()], engine: Some(engine), ..CheckOptions::default() };
    let checked = lariat::check(model, &options, &control).map_err(|error| error.to_string())?;
    Ok(match checked.settled[0].report().verdict {
        Verdict::Holds => "holds".to_owned(),
        Verdict::Fails(_) => "fails".to_owned(),
        Verdict::Computed(quantity) => quantity.to_string(),
        Verdict::Undecided(_) => "undecided".to_owned(),
    })
}

/// Whether a number of states is the one in the table, which has six digits of it where it is large.
fn is_count(found: &str, value: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().expect("a number");
    found == value || value.contains('e') && (number(found) / number(value) - 1.0).abs() < 1e-5
}

/// Whether a named specification is one of branching time that this engine settles.
fn is_about_sets(model: &Model, name: &str) -> bool {
    let kind = model.properties().iter().find(|property| property.name == name).map(|property| property.kind);
    matches!(kind, Some(PropertyKind::CtlStar | PropertyKind::Distance))
}

/// Compares one file; gives the number of answers that were compared.
fn compare(
    folder: &Path,
    file: &str,
    rows: &[(String, String)],
    wrong: &mut Vec<String>,
    left_out: &mut Vec<String>,
) -> usize {
    let mut model = Model::read(&folder.join(file), &ReadOptions::default()).expect("it is a model");
    let own = |prefix: &str| -> Vec<String> {
        let names = model.properties().iter().map(|property| property.name.clone());
        names.filter(|name| name.starts_with(prefix)).collect()
    };
    let names = [own("ctl_"), own("ltl_"), own("invar_")].concat();
    let mut compared = 0;
    for (what, value) in rows {
        let found = match what.split_once(' ') {
            Some(("spec", number)) => {
                let name = &names[number.parse::<usize>().expect("a number") - 1];
                match verdict(&mut model, name) {
                    Ok(found) if found == "undecided" && name.starts_with("ltl_") => {
                        left_out.push(format!("{file} {what}"));
                        continue;
                    }
                    found => found,
                }
            }
            Some(("name", name)) if is_about_sets(&model, name) => verdict(&mut model, name),
            _ if what == "states" && !value.is_empty() => states(&model),
            _ => continue,
        };
        compared += 1;
        match found {
            Ok(found) if found == *value || what == "states" && is_count(&found, value) => {}
            found => wrong.push(format!("{file} {what}: {value}, by diagrams {found:?}")),
        }
    }
    compared
}

fn compare_all(part: &str, least: usize) {
    let Some(folder) = corpus("smv") else { return };
    let folder = folder.join(part);
    let (mut compared, mut wrong, mut left_out) = (0, Vec::new(), Vec::new());
    for (file, rows) in smv_table(&folder.join("expected.tsv")) {
        if !rows.iter().any(|(what, _)| what == "error") {
            compared += compare(&folder, &file, &rows, &mut wrong, &mut left_out);
        }
    }
    println!("{compared} answers compared; without an answer in time: {left_out:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= least, "only {compared} answers compared");
}

#[test]
fn small_models() {
    compare_all("semantics", 400);
}

#[test]
fn distributed_models() {
    compare_all("", 45);
}

#[test]
fn known_bugs() {
    compare_all("known-bugs", 10);
}

/// What has justice and compassion: all rows in a release build, and else as far as it takes NuSMV a moment. Rows without an answer
/// within the limit are named.
#[test]
fn fairness() {
    let Some(folder) = corpus("smv") else { return };
    let folder = folder.join("fairness");
    let is_quick = cfg!(debug_assertions);
    let patience = if is_quick { PATIENCE } else { Duration::from_secs(30) };
    let (mut compared, mut left_out) = (0, Vec::new());
    for (file, rows) in smv_table(&folder.join("expected.tsv")) {
        let [(expected, seconds)] = &rows[..] else { panic!("{file} has one row") };
        if is_quick && !seconds.parse::<f64>().is_ok_and(|seconds| seconds < 0.2) {
            left_out.push(file);
            continue;
        }
        let mut model = Model::read(&folder.join(&file), &ReadOptions::default()).expect("it is a model");
        match verdict_within(&mut model, "ltl_1", "symbolic", Some(patience)) {
            Ok(found) if found == "undecided" => left_out.push(file),
            found => {
                assert_eq!(found.as_ref(), Ok(expected), "{file}");
                compared += 1;
            }
        }
    }
    println!("{compared} answers compared; left out: {left_out:?}");
    assert!(compared >= if is_quick { 4 } else { 20 }, "only {compared} answers compared");
}

/// One server of `clients`, with compassion for each. That the last one is served again and again holds by its own constraint; a
/// run that violates the second property must serve all of them.
fn server(clients: usize, by_input: bool) -> String {
    let (input, next) = match by_input {
        true => (format!("IVAR chosen : 0..{clients};\n"), "chosen".to_owned()),
        false => (String::new(), format!("0..{clients}")),
    };
    let given = |client: usize| match by_input {
        true => format!("at = 0 & chosen = {client}"),
        false => format!("at = {client}"),
    };
    let compassion: String = (1..=clients).map(|client| format!("COMPASSION (at = 0, {})\n", given(client))).collect();
    format!(
        "MODULE main\n{input}VAR at : 0..{clients};\nASSIGN init(at) := 0; next(at) := at = 0 ? {next} : 0;\n\
         LTLSPEC G F at = {clients}\nLTLSPEC F G at != {clients}\n{compassion}"
    )
}

/// Constraints whose conditions speak of inputs are met by steps, and not by states from which there is such a step.
#[test]
fn many_constraints_of_compassion() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("server.smv");
    let sizes: &[usize] = if cfg!(debug_assertions) { &[1, 3, 40] } else { &[1, 3, 40, 200] };
    for &clients in sizes {
        for by_input in [false, true] {
            std::fs::write(&path, server(clients, by_input)).expect("the folder can be written");
            let mut model = Model::read(&path, &ReadOptions::default()).expect("it is a model");
            for engine in ["symbolic", "graph", "scc"] {
                for (name, expected) in [("ltl_1", "holds"), ("ltl_2", "fails")] {
                    let found = verdict_within(&mut model, name, engine, None);
                    assert_eq!(found.as_deref(), Ok(expected), "{clients} clients, {by_input}, {engine}, {name}");
                }
            }
        }
    }
}

#[test]
fn a_model_with_forty_inputs_is_settled_and_its_failures_are_shown() {
    let inputs: String = (0..40).map(|number| format!("  i{number} : boolean;\n")).collect();
    let all = (0..40).map(|number| format!("i{number}")).collect::<Vec<_>>().join(" & ");
    let text = format!(
        "MODULE main\nIVAR\n{inputs}VAR\n  x : 0..7;\nASSIGN\n  init(x) := 0;\n  next(x) := ({all} & x < 7) ? x + 1 : x;\n\
         CTLSPEC AG x < 5\nCTLSPEC AG x < 8\nINVARSPEC x < 4\nINVARSPEC x < 8\nCTLSPEC AG EF x = 7\n"
    );
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("inputs.smv");
    std::fs::write(&path, text).expect("the folder can be written");
    let mut model = Model::read(&path, &ReadOptions::default()).expect("it is a model");
    let checked = lariat::check(&mut model, &CheckOptions::default(), &Limits::default().control()).expect("an answer");
    let found: Vec<(&str, bool, usize)> = checked
        .settled
        .iter()
        .map(|settled| {
            let steps = match &settled.report().verdict {
                Verdict::Fails(evidence) => evidence.trace.decided.unwrap_or(evidence.trace.steps.len()),
                _ => 0,
            };
            (settled.name(), settled.report().verdict == Verdict::Holds, steps)
        })
        .collect();
    let expected =
        [("ctl_1", false, 5), ("ctl_2", true, 0), ("ctl_3", true, 0), ("invar_1", false, 4), ("invar_2", true, 0)];
    for expected in expected {
        assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
    }
}
