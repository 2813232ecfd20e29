//! Temporal properties: the time of a check beside that of SPIN's verifier with `-a`, on the same model and formula, and
//! beside the plain search of the model.
//!
//! All of these hold, so that both sides see everything. The automata are each side's own, so that numbers of product
//! states may differ: times are compared, not states per second. One thread on both sides, no reduction.

use super::Lab;
use super::job::{Ended, Figures, run_in_turns};
use super::models::Model;
use super::pan::{Question, Recipe};
use super::speed::{figures_json, print_reasons};
use super::subject::{Answer, SECONDS, read_answer};
use super::table::{ABSENT, Ratios, Table, Wanted, cell, count};
use serde_json::{Value, json};

const WANTED: Wanted = Wanted { mean: 3.5, least: 2.2 };

/// What is asked of a model.
enum Asked {
    /// A property that its text states.
    Own(&'static str),
    /// A formula.
    Formula(&'static str),
}

/// By parts of names: what is asked of the models of the corpus, and of our own.
const ASKED: [(&str, Asked); 11] = [
    ("at.4", Asked::Formula("[] (x == 0 -> <> (y == 255 || y < 5))")),
    ("bakery", Asked::Formula("[] (choosing[0] == 1 -> <> (number[0] < 7))")),
    ("fischer", Asked::Formula("<>[] (id < 9)")),
    ("iprotocol", Asked::Formula("[] (Consumer@consume -> <> (Consumer:message < 8))")),
    ("szymanski", Asked::Formula("[] (s[0] == 1 -> <> (w[0] < 2))")),
    ("brp", Asked::Own("never")),
    ("leader", Asked::Own("p0")),
    ("qrcu", Asked::Formula("<>[] (ctr[0] < 5)")),
    ("philosophers", Asked::Formula("<>[] (taken[0] < 2)")),
    ("filter_lock", Asked::Formula("<>[] (inside < 2)")),
    ("election", Asked::Formula("<>[] (leaders < 2)")),
];

struct Row {
    name: String,
    asked: String,
    spin: Result<(Figures, bool, u64), String>,
    ours: Result<(Figures, Answer), String>,
    /// The plain search on one thread, by the same store.
    plain: Result<(Figures, Answer), String>,
}

impl Row {
    fn over_spin(&self) -> Option<f64> {
        let (Ok((spin, ..)), Ok((ours, _))) = (&self.spin, &self.ours) else { return None };
        Some(spin.cpu_seconds / ours.cpu_seconds)
    }
    /// Our time for a product state over that for a state of the plain search.
    fn over_plain(&self) -> Option<f64> {
        let (Ok((plain, states)), Ok((ours, product))) = (&self.plain, &self.ours) else { return None };
        Some(ours.cpu_seconds / product.states as f64 / (plain.cpu_seconds / states.states as f64))
    }
    /// What a product state takes more than a state of the plain search.
    fn extra_bytes(&self) -> Option<f64> {
        let (Ok((_, plain)), Ok((_, product))) = (&self.plain, &self.ours) else { return None };
        Some(product.bytes_per_state - plain.bytes_per_state)
    }
    fn warning(&self) -> Option<String> {
        match (&self.spin, &self.ours) {
            (Ok((_, fails, _)), Ok((_, answer))) if *fails != (answer.verdict == "fails") => Some(format!(
                "{}: {}, for SPIN it {}",
                self.name,
                answer.verdict,
                if *fails { "fails" } else { "holds" }
            )),
            (_, Ok((_, answer))) if answer.verdict != "holds" => Some(format!("{}: {}", self.name, answer.verdict)),
            _ => None,
        }
    }
}

/// Measures, prints, gives it as data, and says whether the verdicts are the same.
pub(super) fn run(lab: &Lab) -> (Value, bool) {
    let asked = |model: &Model| ASKED.iter().find(|(part, _)| model.name.contains(part)).map(|(_, asked)| asked);
    let rows: Vec<Row> = lab.models.iter().filter_map(|model| Some(row(lab, model, asked(model)?))).collect();
    println!("temporal properties, one thread, no reduction; CPU seconds; x is SPIN's time over ours;");
    println!("/ is our time for a product state over that for a state of the plain search, + the bytes it takes more");
    let mut table = Table::new(&["model", "property", "SPIN", "states", "Lariat", "states", "x", "/", "+"]);
    for row in &rows {
        let seconds = |figures: &Figures| format!("{:.2}", figures.cpu_seconds);
        let absent = || ABSENT.to_owned();
        table.push(vec![
            row.name.clone(),
            row.asked.clone(),
            row.spin.as_ref().map_or_else(|_| absent(), |(figures, ..)| seconds(figures)),
            row.spin.as_ref().map_or_else(|_| absent(), |(_, _, states)| count(*states)),
            row.ours.as_ref().map_or_else(|_| absent(), |(figures, _)| seconds(figures)),
            row.ours.as_ref().map_or_else(|_| absent(), |(_, answer)| count(answer.states)),
            cell(row.over_spin(), 2),
            cell(row.over_plain(), 2),
            cell(row.extra_bytes(), 1),
        ]);
    }
    print!("{table}");
    let ratios: Vec<_> = rows.iter().filter_map(|row| Some((row.name.clone(), row.over_spin()?))).collect();
    let mean = Ratios::new(&ratios);
    println!("  {}", mean.line("SPIN's time over ours", WANTED));
    print_reasons("SPIN", rows.iter().map(|row| (row.name.as_str(), row.spin.as_ref().err())));
    print_reasons("Lariat", rows.iter().map(|row| (row.name.as_str(), row.ours.as_ref().err())));
    rows.iter().filter_map(Row::warning).for_each(|warning| println!("  WARNING {warning}"));
    let models: Vec<Value> = rows.iter().map(row_json).collect();
    (json!({ "models": models, "geometric_mean": mean.mean }), rows.iter().all(|row| row.warning().is_none()))
}

fn row(lab: &Lab, model: &Model, asked: &Asked) -> Row {
    lab.say(&format!("liveness: {}", model.name));
    let plainly = lab.lariat.plain_options();
    let mut options: Vec<&str> = match asked {
        Asked::Own(name) => vec!["--property", name],
        Asked::Formula(formula) => vec!["--ltl", formula],
    };
    options.extend(&plainly);
    let verifier = lab.spin.as_ref().map_err(Clone::clone).and_then(|spin| {
        let text = model.path.canonicalize().map_err(|error| error.to_string())?;
        let (text, claim) = match asked {
            Asked::Own(name) => (text, (*name != "never").then_some(*name)),
            Asked::Formula(formula) => {
                let file = spin.folder().join(format!("{}.pml", model.name.replace(' ', "-")));
                let with_formula = format!("#include \"{}\"\nltl asked {{ {formula} }}\n", text.display());
                std::fs::write(&file, with_formula).map_err(|error| error.to_string())?;
                (file, None)
            }
        };
        spin.verifier(model, Recipe::Pure, Question::Cycles { text: &text, claim }, false)
    });
    let plain = lab.lariat.job(model, model.allow_deadlock, &plainly);
    let mut jobs = vec![lab.lariat.check(model, &options), plain];
    jobs.extend(verifier.as_ref().ok().map(|verifier| verifier.job.clone()));
    let mut results = run_in_turns(&jobs, lab.rounds, SECONDS).into_iter();
    let mut answered = || {
        let ended: Ended = results.next().expect("a result for each job")?;
        Ok((ended.best, read_answer(&ended)?))
    };
    let (ours, plain) = (answered(), answered());
    let spin = verifier.and_then(|verifier| {
        let ended = results.next().expect("a result for each job")?;
        verifier.confirm(&ended)?;
        Ok((ended.best, verifier.answer.fails, verifier.answer.states))
    });
    let asked = match asked {
        Asked::Own(name) => (*name).to_owned(),
        Asked::Formula(formula) => (*formula).to_owned(),
    };
    Row { name: model.name.clone(), asked, spin, ours, plain }
}

fn row_json(row: &Row) -> Value {
    let ours = |side: &Result<(Figures, Answer), String>| match side {
        Ok((figures, answer)) => {
            json!({ "states": answer.states, "bytes_per_state": answer.bytes_per_state, "took": figures_json(figures) })
        }
        Err(why) => json!({ "absent": why }),
    };
    let spin = match &row.spin {
        Ok((figures, _, states)) => json!({ "states": states, "took": figures_json(figures) }),
        Err(why) => json!({ "absent": why }),
    };
    json!({ "model": row.name, "property": row.asked, "spin": spin, "ours": ours(&row.ours), "plain": ours(&row.plain),
        "over_spin": row.over_spin(), "over_plain": row.over_plain(), "extra_bytes": row.extra_bytes() })
}
