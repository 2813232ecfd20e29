//! `cargo xtask spin`: Lariat and SPIN say the same about random Promela models.
//!
//! Each model is searched in full by both. Compared are the kinds of failures, the numbers of states and transitions,
//! the statements that are never reached, and the verdicts about `ltl` blocks, acceptance cycles and non-progress cycles,
//! with and without weak fairness. SPIN is asked without any of its optimizations, which change the numbers. A model on
//! which the two differ is shrunk. A difference that a rule of [`known`] explains is counted, any other is printed.
//!
//! Where several ways through an `atomic` lead through one state, we take the rest of the way once and SPIN takes it each
//! time, so with `atomic` transitions are not compared. Where SPIN goes astray behind a mistake, only the verdicts are.

mod compare;
mod features;
mod generate;
mod known;
mod oracle;
mod ours;
mod pan;
mod reached;
mod shrink;
mod tally;
mod text;

use clap::Args;
use compare::{Comparer, Difference, Outcome, Question};
use generate::Theme;
use known::{Finding, Rule};
use oracle::Spin;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tally::Tally;
use text::Node;

/// What `cargo xtask spin` takes.
#[derive(Debug, Args)]
pub(crate) struct SpinOptions {
    /// How many models
    #[arg(long, default_value = "200")]
    models: u64,
    /// The seed of the first; the others follow it
    #[arg(long, default_value = "0")]
    seed: u64,
    /// How many models to compare at once
    #[arg(long, default_value = "2")]
    threads: usize,
    /// Themes to leave out, by name: `--without priorities,wide`; a wrong name lists all
    #[arg(long, value_delimiter = ',', value_parser = theme)]
    without: Vec<Theme>,
    /// Whether to compare the lists of statements that are never reached
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    unreached: bool,
    /// Compile SPIN's verifiers with gcc also where tcc is installed
    #[arg(long)]
    gcc: bool,
    /// A folder for the shrunk models of new differences, one file each
    #[arg(long)]
    save: Option<PathBuf>,
    /// Print the model of the first seed and what both say about it
    #[arg(long)]
    show: bool,
    /// Say which models cannot be compared, and why
    #[arg(long)]
    verbose: bool,
}

fn theme(name: &str) -> Result<Theme, String> {
    let names = || generate::THEMES.map(|(_, name, _)| name).join(", ");
    generate::theme_of_name(name).ok_or_else(|| format!("there is no theme `{name}`; the themes are {}", names()))
}

/// What came of one model.
struct Examined {
    features: Vec<bool>,
    outcomes: Vec<(Question, Outcome)>,
    states: Option<(u64, bool)>,
    explained: Vec<Explained>,
}

/// A difference, shrunk, with the rule that explains it.
struct Explained {
    part: Question,
    difference: Difference,
    text: String,
    rule: Option<&'static Rule>,
}

/// Compares the models of a range of seeds.
pub(crate) fn run(options: &SpinOptions) -> ExitCode {
    let mut comparers = Vec::new();
    for number in 0..options.threads.max(1) {
        match Spin::find(number, options.gcc.then_some("gcc")) {
            Ok(spin) => comparers.push(Comparer::new(spin, options.unreached)),
            Err(missing) => {
                println!("skipped: {missing}");
                return ExitCode::SUCCESS;
            }
        }
    }
    if options.show {
        return show(&mut comparers[0], &generate::model(options.seed, &options.without));
    }
    let next = AtomicU64::new(options.seed);
    let end = options.seed.saturating_add(options.models);
    let printer =
        Mutex::new(Printer { options, next: options.seed, waiting: BTreeMap::new(), tally: Tally::default() });
    std::thread::scope(|scope| {
        for mut comparer in comparers {
            let (next, printer) = (&next, &printer);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let result = examine(&mut comparer, generate::model(seed, &options.without));
                    printer.lock().expect("no printer panics").take(seed, result);
                }
            });
        }
    });
    let tally = printer.into_inner().expect("no printer panics").tally;
    print!("{} models from seed {} on\n{tally}", options.models, options.seed);
    if tally.new_differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn examine(comparer: &mut Comparer, model: Vec<Node>) -> Examined {
    let outcomes = comparer.compare(&text::print(&model));
    let states = comparer.last_size();
    let mut explained: Vec<Explained> = Vec::new();
    for (part, outcome) in &outcomes {
        if let Outcome::Differs(difference) = outcome {
            explained.push(explain(comparer, &model, part, difference));
        }
    }
    Examined { features: features::features(&model).to_vec(), states, outcomes, explained }
}

/// Shrinks the model of a difference and looks for the rule that explains it.
fn explain(comparer: &mut Comparer, model: &[Node], part: &Question, difference: &Difference) -> Explained {
    if let Some(rule) = known::explain(&Finding { model, part, difference }, false) {
        let text = text::print(model);
        return Explained { part: part.clone(), difference: difference.clone(), text, rule: Some(rule) };
    }
    let cell = std::cell::RefCell::new(comparer);
    let difference_of = |nodes: &[Node]| match cell.borrow_mut().compare_part(&text::print(nodes), part) {
        Outcome::Differs(now) if (now.respect, now.fails) == (difference.respect, difference.fails) => Some(now),
        _ => None,
    };
    // What is left must not be explained by evidence that the whole model does not have.
    let still_differs = |nodes: &[Node]| {
        difference_of(nodes)
            .is_some_and(|now| known::explain(&Finding { model: nodes, part, difference: &now }, false).is_none())
    };
    let small = shrink::shrink(model.to_vec(), still_differs);
    let now = difference_of(&small).unwrap_or_else(|| difference.clone());
    let rule = known::explain(&Finding { model: &small, part, difference: &now }, true);
    Explained { part: part.clone(), difference: now, text: text::print(&small), rule }
}

/// Prints results in the order of their seeds.
struct Printer<'a> {
    options: &'a SpinOptions,
    next: u64,
    waiting: BTreeMap<u64, Examined>,
    tally: Tally,
}

impl Printer<'_> {
    fn take(&mut self, seed: u64, result: Examined) {
        self.waiting.insert(seed, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            self.print(self.next, &result);
            self.next += 1;
        }
    }

    fn print(&mut self, seed: u64, result: &Examined) {
        self.tally.model(&result.features, &result.outcomes);
        if let Some((states, fails)) = result.states {
            self.tally.size(states, fails);
        }
        if self.options.verbose {
            for (part, outcome) in &result.outcomes {
                if let Outcome::Skipped(reason) = outcome {
                    println!("seed {seed}: {part:?} not compared: {reason}");
                }
            }
        }
        for Explained { part, difference, text, rule } in &result.explained {
            let Difference { respect, answers, .. } = difference;
            match rule {
                Some(rule) => {
                    self.tally.known(rule.name);
                    if self.options.verbose {
                        println!("seed {seed}: known: {}: {answers}\n\n{text}", rule.name);
                    }
                }
                None => {
                    self.tally.new_difference();
                    println!("seed {seed}: {respect:?}: {answers}\n\n{text}");
                    self.save(seed, part, &format!("/* seed {seed}: {part:?} {respect:?}: {answers} */\n{text}"));
                }
            }
        }
    }

    fn save(&self, seed: u64, part: &Question, text: &str) {
        let Some(folder) = &self.options.save else { return };
        let part: String = format!("{part:?}").chars().filter(char::is_ascii_alphanumeric).collect();
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(folder.join(format!("{seed}-{part}.pml")), text));
        if let Err(error) = written {
            println!("seed {seed}: not saved: {error}");
        }
    }
}

fn show(comparer: &mut Comparer, model: &[Node]) -> ExitCode {
    let text = text::print(model);
    println!("{text}");
    for (part, outcome) in comparer.compare(&text) {
        println!("{part:?}: {outcome:?}");
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lariat_and_spin_agree_on_a_few_models() {
        let Ok(spin) = Spin::find(0, None) else {
            println!("skipped: no SPIN");
            return;
        };
        let mut comparer = Comparer::new(spin, true);
        for seed in 0..8 {
            for explained in examine(&mut comparer, generate::model(seed, &[])).explained {
                let Explained { difference, text, rule, .. } = explained;
                assert!(rule.is_some(), "seed {seed}: {}\n{text}", difference.answers);
            }
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_model() {
        for seed in 0..50 {
            assert_eq!(generate::model(seed, &[]), generate::model(seed, &[]));
        }
    }
}
