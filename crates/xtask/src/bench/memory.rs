//! What a state takes in memory, and whether a limit is kept.
//!
//! *Entries* is what the search itself counts; *resident* is the most that the process had, less what it has for a model of
//! no size, by state.

use super::Lab;
use super::models::Model;
use super::speed::{Row, STORES, Side, print_absences};
use super::subject::{SECONDS, read_answer};
use super::table::{Table, cell, count, geometric_mean};
use serde_json::{Value, json};

const MOST_ENTRY_BYTES: f64 = 8.5;
const MOST_RESIDENT_BYTES: f64 = 12.0;
const MOST_TIME: f64 = 1.3;

/// The limit of the run that meets one.
const LIMIT_BYTES: u64 = 64 << 20;
/// What the process may have beyond its limit: nothing of it grows with the states.
const BEYOND_BYTES: u64 = 8 << 20;

/// Prints what rows of the speed part say about memory, runs into a limit, and gives all that as data.
pub(super) fn run(lab: &Lab, rows: &[Row]) -> Value {
    let floors = STORES.map(|store| lab.lariat.floor_bytes(&["--store", store]));
    println!("bytes per state: entries and resident; time is CPU time of tree over flat");
    let header = ["model", "states", "flat entries", "flat resident", "tree entries", "tree resident", "time"];
    let mut table = Table::new(&header);
    let mut models = Vec::new();
    for row in rows {
        let entries = [0, 1].map(|store: usize| row.stores[store].as_ref().ok().and_then(|side| side.bytes_per_state));
        let resident =
            [0, 1].map(|store: usize| row.stores[store].as_ref().ok().map(|side| resident(side, floors[store])));
        let time = match &row.stores {
            [Ok(flat), Ok(tree)] => Some(tree.figures.cpu_seconds / flat.figures.cpu_seconds),
            _ => None,
        };
        let states = row.stores.iter().find_map(|side| side.as_ref().ok()).map_or(0, |side| side.states);
        table.push(vec![
            row.name.clone(),
            count(states),
            cell(entries[0], 1),
            cell(resident[0], 1),
            cell(entries[1], 1),
            cell(resident[1], 1),
            cell(time, 2),
        ]);
        models.push(json!({
            "model": row.name, "states": states, "flat_entry_bytes": entries[0], "flat_resident_bytes": resident[0],
            "tree_entry_bytes": entries[1], "tree_resident_bytes": resident[1], "tree_over_flat_time": time,
        }));
    }
    print!("{table}");
    let most = |name: &str| models.iter().filter_map(|model| model[name].as_f64()).reduce(f64::max);
    let times: Vec<f64> = models.iter().filter_map(|model| model["tree_over_flat_time"].as_f64()).collect();
    print_bound("tree, most bytes per state in entries", most("tree_entry_bytes"), MOST_ENTRY_BYTES);
    print_bound("tree, most bytes per state resident", most("tree_resident_bytes"), MOST_RESIDENT_BYTES);
    print_bound("tree over flat, most time", most("tree_over_flat_time"), MOST_TIME);
    print_bound("tree over flat, geometric mean of times", geometric_mean(&times), MOST_TIME);
    print_absences(rows);
    let limited = largest(lab, rows).map(|(model, needs)| limited(lab, model, needs));
    json!({ "models": models, "floor_bytes": floors, "limited": limited })
}

fn print_bound(what: &str, figure: Option<f64>, bound: f64) {
    match figure {
        Some(figure) => {
            let kept = if figure <= bound { "kept" } else { "missed" };
            println!("  {what}: {figure:.2}; wanted at most {bound}: {kept}");
        }
        None => println!("  {what}: no figures"),
    }
}

fn resident(side: &Side, floor_bytes: Option<u64>) -> f64 {
    let floor_bytes = floor_bytes.unwrap_or(0);
    side.figures.resident_bytes.saturating_sub(floor_bytes) as f64 / side.states.max(1) as f64
}

/// The model that takes most memory, and how much.
fn largest<'a>(lab: &'a Lab, rows: &[Row]) -> Option<(&'a Model, u64)> {
    let taken = |row: &Row| row.stores.iter().flatten().map(|side| side.figures.resident_bytes).max();
    let sizes = lab.models.iter().zip(rows).filter_map(|(model, row)| Some((model, taken(row)?)));
    sizes.max_by_key(|&(_, bytes)| bytes)
}

/// A search that must end at its limit, honestly.
fn limited(lab: &Lab, model: &Model, needs_bytes: u64) -> Value {
    lab.say(&format!("memory: {} under a limit", model.name));
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let limit = format!("{}M", LIMIT_BYTES >> 20);
    let title = format!("--memory {limit} on {}, which takes {:.0} MiB without", model.name, mebibytes(needs_bytes));
    let ran = lab.lariat.job(model, model.allow_deadlock, &["--memory", &limit]).run(SECONDS);
    match ran.and_then(|ended| Ok((read_answer(&ended)?, ended))) {
        Err(why) => {
            println!("  {title}: {why}");
            json!({ "model": model.name, "absent": why })
        }
        Ok((answer, ended)) => {
            let resident = ended.best.resident_bytes;
            let honest = ended.code == 3 && answer.verdict == "undecided" && answer.reason.as_deref() == Some("memory");
            let kept = match answer.verdict.as_str() {
                "holds" if resident <= LIMIT_BYTES => "not met, the model is too small",
                _ if honest && resident <= LIMIT_BYTES + BEYOND_BYTES => "kept",
                _ => "missed",
            };
            println!(
                "  {title}: {} at {} states, exit code {}, {:.1} MiB resident; wanted at most {limit} and {} MiB: {kept}",
                answer.verdict,
                count(answer.states),
                ended.code,
                mebibytes(resident),
                BEYOND_BYTES >> 20,
            );
            json!({
                "model": model.name, "limit_bytes": LIMIT_BYTES, "beyond_bytes": BEYOND_BYTES, "code": ended.code,
                "verdict": answer.verdict, "reason": answer.reason, "states": answer.states,
                "resident_bytes": resident, "unlimited_bytes": needs_bytes,
            })
        }
    }
}
