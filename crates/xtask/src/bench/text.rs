//! From the text of a model to the verdict, as each side comes: wall time of everything there is to wait for.
//!
//! For SPIN that is `spin -a`, gcc and the verifier, which needs to be told a depth and gets the one that suffices. Models
//! with claims are asked about safety alone on both sides.

use super::Lab;
use super::job::{Ended, Figures, run_in_turns};
use super::models::Model;
use super::pan::{Question, Recipe};
use super::speed::{figures_json, print_reasons};
use super::subject::{SECONDS, read_answer};
use super::table::{ABSENT, Ratios, Table, Wanted, cell};
use serde_json::{Value, json};

const WANTED: Wanted = Wanted { mean: 8.0, least: 0.0 };

/// Which time of a run is looked at.
type Time = fn(&Figures) -> f64;
const WALL: Time = |figures| figures.wall_seconds;
const CPU: Time = |figures| figures.cpu_seconds;

struct Row {
    name: String,
    /// `spin -a`, gcc, the verifier.
    spin: Result<(Vec<Figures>, bool), String>,
    /// With the verdict.
    lariat: Result<(Figures, String), String>,
}

impl Row {
    /// SPIN's time over ours, by wall time or by another.
    fn ratio(&self, time: Time) -> Option<f64> {
        let (Ok((spin, _)), Ok((lariat, _))) = (&self.spin, &self.lariat) else { return None };
        Some(spin.iter().map(time).sum::<f64>() / time(lariat))
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
    println!("text to verdict, default settings; wall seconds (CPU seconds); x is SPIN's time over ours");
    let mut table =
        Table::new(&["model", "verdict", "spin -a", "gcc -O2", "pan", "SPIN in all", "Lariat", "x", "x by CPU"]);
    for row in &rows {
        table.push(cells(row));
    }
    print!("{table}");
    let ratios = |time: Time| {
        let ratios: Vec<_> = rows.iter().filter_map(|row| Some((row.name.clone(), row.ratio(time)?))).collect();
        Ratios::new(&ratios)
    };
    let (by_wall, by_cpu) = (ratios(WALL), ratios(CPU));
    println!("  {}", by_wall.line("text to verdict, SPIN's time over ours", WANTED));
    println!("  {}", by_cpu.line("the same by CPU time", WANTED));
    print_reasons("SPIN", rows.iter().map(|row| (row.name.as_str(), row.spin.as_ref().err())));
    print_reasons("Lariat", rows.iter().map(|row| (row.name.as_str(), row.lariat.as_ref().err())));
    rows.iter().filter_map(Row::warning).for_each(|warning| println!("  {warning}"));
    let figures = json!({ "models": rows.iter().map(row_json).collect::<Vec<_>>(), "geometric_mean": by_wall.mean,
        "cpu_geometric_mean": by_cpu.mean });
    (figures, rows.iter().all(|row| row.warning().is_none()))
}

fn row(lab: &Lab, model: &Model, allow_deadlock: bool) -> Row {
    lab.say(&format!("text: {}", model.name));
    let verifier = match &lab.spin {
        Ok(spin) => spin.verifier(model, Recipe::Default, Question::Safety { allow_deadlock }, false),
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
        match answer.verdict.as_str() {
            "holds" | "fails" => Ok((ended.best, answer.verdict)),
            _ => Err(format!("{}, {}", answer.verdict, answer.reason.as_deref().unwrap_or("no reason"))),
        }
    });
    let spin = verifier.and_then(|verifier| {
        let parts = results.collect::<Result<Vec<Ended>, String>>()?;
        parts.last().map_or(Ok(()), |pan| verifier.confirm(pan))?;
        Ok((parts.iter().map(|part| part.best).collect(), verifier.answer.fails))
    });
    let name = if allow_deadlock { format!("{}, deadlock allowed", model.name) } else { model.name.clone() };
    Row { name, spin, lariat }
}

fn cells(row: &Row) -> Vec<String> {
    let both = |wall: f64, cpu: f64| format!("{wall:.2} ({cpu:.2})");
    let (verdict, ours) = match &row.lariat {
        Ok((figures, verdict)) => (verdict.clone(), both(WALL(figures), CPU(figures))),
        Err(_) => (ABSENT.to_owned(), ABSENT.to_owned()),
    };
    let mut cells = vec![row.name.clone(), verdict];
    match &row.spin {
        Ok((parts, _)) => {
            cells.extend(parts.iter().map(|part| format!("{:.2}", WALL(part))));
            cells.push(both(parts.iter().map(WALL).sum(), parts.iter().map(CPU).sum()));
        }
        Err(_) => cells.extend([ABSENT; 4].map(str::to_owned)),
    }
    cells.extend([ours, cell(row.ratio(WALL), 2), cell(row.ratio(CPU), 2)]);
    cells
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
    json!({ "model": row.name, "spin": spin, "lariat": lariat, "ratio": row.ratio(WALL), "cpu_ratio": row.ratio(CPU),
        "warning": row.warning() })
}
