//! From the text of a model to the verdict, as each side comes: wall time of everything there is to wait for.
//!
//! For SPIN that is `spin -a`, gcc and the verifier; its verifier has no limit on states, but needs a depth, and gets the
//! one that suffices. Models with claims are asked about safety alone on both sides.

use super::Lab;
use super::job::{Ended, Figures, run_in_turns};
use super::models::Model;
use super::pan::Recipe;
use super::speed::figures_json;
use super::subject::{SECONDS, read_answer};
use super::table::{ABSENT, Ratios, Table, Wanted, cell};
use serde_json::{Value, json};

const WANTED: Wanted = Wanted { mean: 8.0, least: 0.0 };

struct Row {
    name: String,
    /// `spin -a`, gcc, the verifier.
    spin: Result<(Vec<Figures>, bool), String>,
    /// With the verdict.
    lariat: Result<(Figures, String), String>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        let (Ok((spin, _)), Ok((lariat, _))) = (&self.spin, &self.lariat) else { return None };
        Some(spin.iter().map(|part| part.wall_seconds).sum::<f64>() / lariat.wall_seconds)
    }
    /// Both sides must say the same.
    fn warning(&self) -> Option<String> {
        match (&self.spin, &self.lariat) {
            (Ok((_, fails)), Ok((_, verdict))) if *fails != (verdict == "fails") => Some(format!(
                "WARNING {}: {verdict}, for SPIN it {}",
                self.name,
                if *fails { "fails" } else { "holds" }
            )),
            _ => None,
        }
    }
}

/// Measures, prints, gives it as data, and says whether the verdicts are the same.
pub(super) fn run(lab: &Lab) -> (Value, bool) {
    let mut rows = Vec::new();
    for model in &lab.models {
        rows.push(row(lab, model, false));
        if model.allow_deadlock {
            rows.push(row(lab, model, true));
        }
    }
    println!("text to verdict, default settings; wall seconds (CPU seconds of Lariat); x is SPIN's time over ours");
    let mut table = Table::new(&["model", "verdict", "spin -a", "gcc -O2", "pan", "SPIN in all", "Lariat", "x"]);
    for row in &rows {
        let wall = |part: usize| row.spin.as_ref().ok().map(|(parts, _)| parts[part].wall_seconds);
        let sum = row.spin.as_ref().ok().map(|(parts, _)| parts.iter().map(|part| part.wall_seconds).sum());
        let (verdict, ours) = match &row.lariat {
            Ok((figures, verdict)) => {
                (verdict.clone(), format!("{:.2} ({:.2})", figures.wall_seconds, figures.cpu_seconds))
            }
            Err(_) => (ABSENT.to_owned(), ABSENT.to_owned()),
        };
        let seconds = [wall(0), wall(1), wall(2), sum].map(|seconds| cell(seconds, 2));
        let cells = [row.name.clone(), verdict].into_iter().chain(seconds).chain([ours, cell(row.ratio(), 2)]);
        table.push(cells.collect());
    }
    print!("{table}");
    let ratios: Vec<_> = rows.iter().filter_map(|row| Some((row.name.clone(), row.ratio()?))).collect();
    let ratios = Ratios::new(&ratios);
    println!("  {}", ratios.line("text to verdict, SPIN's time over ours", WANTED));
    for row in &rows {
        row.spin.as_ref().err().into_iter().for_each(|why| println!("  {}, SPIN: {why}", row.name));
        row.lariat.as_ref().err().into_iter().for_each(|why| println!("  {}, Lariat: {why}", row.name));
        row.warning().into_iter().for_each(|warning| println!("  {warning}"));
    }
    let figures = json!({ "models": rows.iter().map(row_json).collect::<Vec<_>>(), "geometric_mean": ratios.mean });
    (figures, rows.iter().all(|row| row.warning().is_none()))
}

fn row(lab: &Lab, model: &Model, allow_deadlock: bool) -> Row {
    lab.say(&format!("text: {}", model.name));
    let verifier = match &lab.spin {
        Ok(spin) => spin.verifier(model, Recipe::Default, allow_deadlock, false),
        Err(missing) => Err(missing.clone()),
    };
    let mut jobs = vec![lab.lariat.job(model, allow_deadlock, &[])];
    if let Ok(verifier) = &verifier {
        jobs.extend(verifier.making.iter().cloned());
        jobs.push(verifier.job.clone());
    }
    let mut results = run_in_turns(&jobs, lab.rounds, SECONDS).into_iter();
    let lariat = results.next().expect("a result for each job").and_then(|ended| {
        let answer = read_answer(&ended)?;
        Ok((ended.best, answer.verdict))
    });
    let spin = verifier.and_then(|verifier| {
        let parts = results.collect::<Result<Vec<Ended>, String>>()?;
        parts.last().map_or(Ok(()), |pan| verifier.confirm(pan))?;
        Ok((parts.iter().map(|part| part.best).collect(), verifier.answer.fails))
    });
    let name = if allow_deadlock { format!("{}, deadlock allowed", model.name) } else { model.name.clone() };
    Row { name, spin, lariat }
}

fn row_json(row: &Row) -> Value {
    let spin = match &row.spin {
        Ok((parts, fails)) => json!({
            "fails": fails, "spin": figures_json(&parts[0]), "gcc": figures_json(&parts[1]),
            "pan": figures_json(&parts[2]),
        }),
        Err(why) => json!({ "absent": why }),
    };
    let lariat = match &row.lariat {
        Ok((figures, verdict)) => json!({ "verdict": verdict, "took": figures_json(figures) }),
        Err(why) => json!({ "absent": why }),
    };
    json!({ "model": row.name, "spin": spin, "lariat": lariat, "ratio": row.ratio(), "warning": row.warning() })
}
