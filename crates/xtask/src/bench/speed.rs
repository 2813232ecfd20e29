//! One thread, exact, no reduction: states per second beside SPIN's; and what a state takes in each store.

use super::Lab;
use super::job::{Figures, Job, run_in_turns};
use super::models::Model;
use super::pan::{Question, Recipe, Verifier};
use super::subject::{SECONDS, read_answer};
use super::table::{ABSENT, Ratios, Table, Wanted, cell, count};
use serde_json::{Value, json};

const WANTED: Wanted = Wanted { mean: 3.5, least: 2.2 };
pub(super) const STORES: [&str; 2] = ["flat", "tree"];

/// What each side took for a model.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) spin: Result<Side, String>,
    table_bits: Option<u32>,
    /// In the order of [`STORES`].
    pub(super) stores: [Result<Side, String>; 2],
    /// Numbers of states that should be equal, and are not.
    pub(super) warnings: Vec<String>,
}

/// One side's run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) states: u64,
    pub(super) figures: Figures,
    /// As the program itself counts them; SPIN does not.
    pub(super) bytes_per_state: Option<f64>,
}

impl Side {
    fn states_per_second(&self) -> f64 {
        self.states as f64 / self.figures.cpu_seconds
    }
}

/// Measures each of these models, both sides in turns.
pub(super) fn measure(lab: &Lab, models: &[Model], with_spin: bool) -> Vec<Row> {
    let plain = lab.lariat.plain_options();
    let known = STORES.map(|store| lab.lariat.accepts(&["--store", store]));
    let measure_model = |model: &Model| {
        lab.say(&format!("speed: {}", model.name));
        let verifier = match &lab.spin {
            Ok(spin) if with_spin => {
                let question = Question::Safety { allow_deadlock: model.allow_deadlock };
                spin.verifier(model, Recipe::Pure, question, true)
            }
            Ok(_) => Err("not asked".to_owned()),
            Err(missing) => Err(missing.clone()),
        };
        row(lab, model, &plain, &known, verifier)
    };
    models.iter().map(measure_model).collect()
}

fn row(
    lab: &Lab,
    model: &Model,
    plain: &[&str],
    known: &[Result<(), String>; 2],
    verifier: Result<Verifier, String>,
) -> Row {
    let job = |store: &'static str| lab.lariat.job(model, model.allow_deadlock, &[plain, &["--store", store]].concat());
    let wanted = STORES.iter().zip(known).filter(|(_, known)| known.is_ok());
    let mut jobs: Vec<Job> = wanted.map(|(store, _)| job(store)).collect();
    jobs.extend(verifier.as_ref().ok().map(|verifier| verifier.job.clone()));
    let mut results = run_in_turns(&jobs, lab.rounds, SECONDS).into_iter();
    let mut warnings = Vec::new();
    let stores = known.clone().map(|known| {
        known?;
        let ended = results.next().expect("a result for each job")?;
        let answer = read_answer(&ended)?;
        if answer.verdict != "holds" {
            return Err(answer.verdict);
        }
        let bytes_per_state = Some(answer.bytes_per_state);
        Ok(Side { states: answer.states, figures: ended.best, bytes_per_state })
    });
    let table_bits = verifier.as_ref().ok().and_then(|verifier| verifier.table_bits);
    let spin = verifier.and_then(|verifier| {
        let mut ended = results.next().expect("a result for each job")?;
        verifier.confirm(&ended)?;
        verifier.trial.iter().for_each(|trial| ended.join(trial));
        let states = verifier.answer.states;
        Ok(Side { states, figures: ended.best, bytes_per_state: None })
    });
    let expected = spin.as_ref().ok().map(|spin| spin.states).or(model.states);
    for (store, side) in STORES.iter().zip(&stores) {
        if let (Ok(side), Some(expected)) = (side, expected)
            && side.states != expected
        {
            warnings.push(format!("{}: {store} has {} states, SPIN {expected}", model.name, side.states));
        }
    }
    Row { name: model.name.clone(), spin, table_bits, stores, warnings }
}

/// Prints the comparison, and gives it as data.
pub(super) fn report(rows: &[Row]) -> Value {
    println!("one thread, exact, no reduction; CPU seconds (wall seconds); x is states per second over SPIN's");
    let header = ["model", "states", "SPIN", "-w", "flat", "x", "tree", "x"];
    let mut table = Table::new(&header);
    let seconds = |side: &Result<Side, String>| match side {
        Ok(Side { figures, .. }) => format!("{:.2} ({:.2})", figures.cpu_seconds, figures.wall_seconds),
        Err(_) => ABSENT.to_owned(),
    };
    let mut ratios = [Vec::new(), Vec::new()];
    let mut models = Vec::new();
    for row in rows {
        let states = row.stores.iter().chain([&row.spin]).find_map(|side| side.as_ref().ok()).map(|side| side.states);
        let bits = row.table_bits.map_or_else(|| "24".to_owned(), |bits| bits.to_string());
        let mut cells = vec![row.name.clone(), states.map_or_else(|| ABSENT.to_owned(), count), seconds(&row.spin)];
        cells.push(if row.spin.is_ok() { bits } else { ABSENT.to_owned() });
        for (side, ratios) in row.stores.iter().zip(&mut ratios) {
            let ratio = ratio(side, &row.spin);
            ratios.extend(ratio.map(|ratio| (row.name.clone(), ratio)));
            cells.extend([seconds(side), cell(ratio, 2)]);
        }
        table.push(cells);
        models.push(json!({
            "model": row.name, "spin": side_json(&row.spin), "spin_table_bits": row.table_bits.unwrap_or(24),
            "flat": side_json(&row.stores[0]), "tree": side_json(&row.stores[1]),
            "flat_ratio": ratio(&row.stores[0], &row.spin), "tree_ratio": ratio(&row.stores[1], &row.spin),
            "warnings": row.warnings,
        }));
    }
    print!("{table}");
    let means = ratios.map(|ratios| Ratios::new(&ratios));
    for (store, ratios) in STORES.iter().zip(&means) {
        println!("  {}", ratios.line(&format!("{store}, states per second over SPIN's"), WANTED));
    }
    print_absences(rows);
    json!({ "models": models, "flat_geometric_mean": means[0].mean, "tree_geometric_mean": means[1].mean })
}

/// Says why figures are missing, and which do not fit together.
pub(super) fn print_absences(rows: &[Row]) {
    rows.iter().flat_map(|row| &row.warnings).for_each(|warning| println!("  WARNING {warning}"));
    print_reasons("SPIN", rows.iter().map(|row| (row.name.as_str(), row.spin.as_ref().err())));
    for (number, store) in STORES.iter().enumerate() {
        print_reasons(store, rows.iter().map(|row| (row.name.as_str(), row.stores[number].as_ref().err())));
    }
}

/// Says for which models one side has no figures, and why; once, if it is the same for all.
pub(super) fn print_reasons<'a>(side: &str, reasons: impl Iterator<Item = (&'a str, Option<&'a String>)>) {
    let reasons: Vec<_> = reasons.collect();
    match reasons[..] {
        [(_, Some(first)), ..] if reasons.iter().all(|&(_, reason)| reason == Some(first)) => {
            println!("  {side}: {first}");
        }
        _ => {
            for (model, reason) in reasons {
                reason.into_iter().for_each(|reason| println!("  {side}, {model}: {reason}"));
            }
        }
    }
}

fn ratio(side: &Result<Side, String>, spin: &Result<Side, String>) -> Option<f64> {
    let (side, spin) = (side.as_ref().ok()?, spin.as_ref().ok()?);
    Some(side.states_per_second() / spin.states_per_second())
}

pub(super) fn figures_json(figures: &Figures) -> Value {
    json!({
        "cpu_seconds": figures.cpu_seconds, "wall_seconds": figures.wall_seconds,
        "resident_bytes": figures.resident_bytes,
    })
}

fn side_json(side: &Result<Side, String>) -> Value {
    match side {
        Err(why) => json!({ "absent": why }),
        Ok(side) => json!({
            "states": side.states, "states_per_second": side.states_per_second(),
            "bytes_per_state": side.bytes_per_state, "took": figures_json(&side.figures),
        }),
    }
}
