//! `lariat check` of several models, of folders, and with sweeps such as `-D N=2..6`.
//!
//! Several models are checked one after the other, each as if it were alone. A sweep is a table instead: one row for each value
//! and property, with the number of states and by which factor it grew. Traces are left to a run with one value.

use crate::args::CheckArgs;
use crate::check::{self, STANDARD_INPUT};
use crate::deny;
use crate::exit::{Exit, start};
use crate::interrupt::Interrupts;
use crate::output;
use crate::refusal::Refusal;
use crate::report;
use crate::save;
use lariat::front::FrontEnds;
use lariat::{CheckError, CheckOptions, Checked, Engines, Limits, Listener, Model, Settled, Simplify, Verdict};
use lariat_base::{Diagnostic, SourceMap};
use lariat_expect::{SweepRun, model_files, runs};
use lariat_render::documents::SCHEMA;
use lariat_render::{diagnostics_text, duration_text, grouped, shortfall_text};
use lariat_report::{Page, SweepDocument, SweepRow};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Checks what the command line names.
pub(crate) fn run(arguments: Box<CheckArgs>, engines: &Engines, front_ends: &FrontEnds) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.output.form());
    let (models, swept) = match models(&arguments, front_ends).and_then(|models| Ok((models, sweep_of(&arguments)?))) {
        Ok(found) => found,
        Err(reason) => return refusal.of_request(&reason),
    };
    let interrupts = Interrupts::listen();
    if let Some(runs) = swept {
        if let Some(option) = files_of_one(&arguments).or_else(|| text_only(&arguments)) {
            return refusal.of_request(&format!("a sweep prints a table: `{option}` needs one value for each `-D`"));
        }
        if let Err(exit) = check::ensure_writable(&arguments, &refusal) {
            return exit;
        }
        let (engines, front_ends) = (engines.clone(), front_ends.clone());
        // Deep expressions are walked by recursion.
        let sweep =
            move || Sweep { arguments, engines, front_ends, interrupts, refusal, rows: Vec::new() }.run(&models, &runs);
        return start("sweep", sweep).join().unwrap_or(Exit::Bug);
    }
    let mut arguments = arguments;
    if let [only] = models.as_slice() {
        arguments.model.clone_from(only);
        return check::run(&arguments, engines, front_ends, None, &interrupts);
    }
    let is_for_one = arguments.output.report.as_ref().map(|_| "--report").or(arguments.output.json.then_some("--json"));
    if let Some(option) = files_of_one(&arguments).or(is_for_one) {
        // Files are of one model, whatever is printed.
        let prints = option == "--json";
        let help = if prints { "give one model, or use `--json-lines`" } else { "give one model, or leave it out" };
        return refusal.of_request(&format!("`{option}` is for one model, and there are {}: {help}", models.len()));
    }
    let mut worst = Exit::Holds;
    let mut ends: Vec<(PathBuf, Exit)> = Vec::new();
    let is_text = !arguments.output.json_lines;
    for model in models {
        if interrupts.any() {
            break;
        }
        if is_text {
            let gap = if ends.is_empty() { "" } else { "\n" };
            worst = worst.max(output::print(&format!("{gap}{}\n", model.display())));
        }
        arguments.model.clone_from(&model);
        let exit = check::run(&arguments, engines, front_ends, None, &interrupts);
        worst = worst.max(exit);
        ends.push((model, exit));
    }
    if is_text {
        worst = worst.max(output::print(&format!("\n{}\n", summary(&ends))));
    }
    if interrupts.any() { worst.max(Exit::Undecided) } else { worst }
}

/// `3 models: 2 hold, 1 fails (a.pml)`.
fn summary(ends: &[(PathBuf, Exit)]) -> String {
    let mut parts = Vec::new();
    let words = [
        (Exit::Holds, "holds", "hold"),
        (Exit::Fails, "fails", "fail"),
        (Exit::Undecided, "undecided", "undecided"),
        (Exit::Usage, "not checked", "not checked"),
        (Exit::Bug, "internal error", "internal errors"),
    ];
    for (exit, one, many) in words {
        let such: Vec<String> =
            ends.iter().filter(|(_, end)| *end == exit).map(|(model, _)| model.display().to_string()).collect();
        let word = if such.len() == 1 { one } else { many };
        match such.len() {
            0 => {}
            count if exit == Exit::Holds => parts.push(format!("{count} {word}")),
            count => parts.push(format!("{count} {word} ({})", such.join(", "))),
        }
    }
    format!("{} models: {}", ends.len(), parts.join(", "))
}

/// The model files that are named, those of folders included.
fn models(arguments: &CheckArgs, front_ends: &FrontEnds) -> Result<Vec<PathBuf>, String> {
    let mut models = Vec::new();
    let mut reads_input = false;
    for path in std::iter::once(&arguments.model).chain(&arguments.more) {
        if path == Path::new(STANDARD_INPUT.0) {
            if std::mem::replace(&mut reads_input, true) {
                return Err("`-` stands for standard input, which can be read once".to_owned());
            }
            models.push(PathBuf::from(STANDARD_INPUT.1));
        } else if path.is_dir() {
            let (found, unread) = model_files(path, &|path| front_ends.comment_of(path));
            if let Some(unread) = unread.first() {
                return Err(format!("cannot read the folder `{}`: {}", unread.path.display(), unread.message));
            }
            if found.is_empty() {
                let endings = front_ends.endings();
                return Err(format!("there is no model ({endings}) in the folder `{}`", path.display()));
            }
            models.extend(found.into_iter().map(|(path, _)| path));
        } else {
            models.push(path.clone());
        }
    }
    Ok(models)
}

/// The runs that the values of `-D` stand for, if some of them is a sweep.
fn sweep_of(arguments: &CheckArgs) -> Result<Option<Vec<SweepRun>>, String> {
    let defines = arguments.reading.defines();
    let words: Vec<String> = defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
    let runs = runs(&words)?;
    Ok(Some(runs).filter(|runs| runs.iter().any(|run| !run.label.is_empty())))
}

/// An option that writes a file about one model.
fn files_of_one(arguments: &CheckArgs) -> Option<&'static str> {
    let given = [
        ("--trace", arguments.output.trace.is_some()),
        ("--trail", arguments.output.trail),
        ("--coverage", arguments.output.coverage.is_some()),
        ("--order", arguments.search.order.is_some()),
        ("--write-order", arguments.search.write_order.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

/// An option that prints something else than a table.
fn text_only(arguments: &CheckArgs) -> Option<&'static str> {
    let output = &arguments.output;
    let given = [
        ("--json", output.json),
        ("--json-lines", output.json_lines),
        ("--plan", output.plan),
        ("--profile", output.profile),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

/// Rows are printed when a run is over.
struct Later;

impl Listener for Later {
    fn has_told(&self) -> bool {
        false
    }
}

/// A table of runs.
struct Sweep {
    arguments: Box<CheckArgs>,
    engines: Engines,
    front_ends: FrontEnds,
    interrupts: Interrupts,
    refusal: Refusal,
    /// The rows of the report.
    rows: Vec<SweepRow>,
}

/// The widths of the columns of a table, without the first.
const WIDTHS: [usize; 5] = [16, 11, 15, 8, 15];

impl Sweep {
    fn run(mut self, models: &[PathBuf], runs: &[SweepRun]) -> Exit {
        let exit = self.print(models, runs);
        let Some(path) = self.arguments.output.report.take() else { return exit };
        let names: Vec<String> = models.iter().map(|model| model.display().to_string()).collect();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let document = SweepDocument { schema: SCHEMA, version, model: names.join(", "), sweep: self.rows };
        match save::write(&path, &Page::of_sweep(&document)) {
            Ok(()) => {
                report::note_written(&path);
                exit
            }
            Err(error) => {
                output::complain(&error.message);
                exit.max(Exit::Usage)
            }
        }
    }

    /// Prints the tables.
    fn print(&mut self, models: &[PathBuf], runs: &[SweepRun]) -> Exit {
        let mut worst = Exit::Holds;
        let width = runs.iter().map(|run| run.label.len()).max().unwrap_or(0);
        for (number, model) in models.iter().enumerate() {
            let gap = if number == 0 { "" } else { "\n" };
            let name = if models.len() > 1 { format!("{gap}{}\n", model.display()) } else { String::new() };
            let heads = ["property", "verdict", "states", "growth", "transitions"];
            worst = worst.max(output::print(&format!("{name}{}\n", row(width, "", heads, "time"))));
            let mut before: Option<(&SweepRun, Checked)> = None;
            for run in runs {
                if self.interrupts.any() {
                    return worst.max(Exit::Undecided);
                }
                let (exit, checked) = self.row_of(model, run, before.as_ref(), width);
                worst = worst.max(exit);
                before = checked.map(|checked| (run, checked));
            }
        }
        worst
    }

    /// Checks with one value, and prints the rows of that.
    fn row_of(
        &mut self,
        path: &Path,
        run: &SweepRun,
        before: Option<&(&SweepRun, Checked)>,
        width: usize,
    ) -> (Exit, Option<Checked>) {
        self.arguments.reading.set_defines(run.defines.clone().into_iter().collect());
        let options = match check::check_options(&self.arguments, &self.engines, None) {
            // The table is about how the whole graph grows.
            Ok(options) => {
                let simplify = match options.simplify {
                    Simplify::WhereLarge(_) => Simplify::Never,
                    asked => asked,
                };
                CheckOptions { reduce_if_possible: false, simplify, ..options }
            }
            Err(reason) => return (self.refusal.of_request(&reason), None),
        };
        let limits = Limits {
            memory_bytes: self.arguments.memory.memory.unwrap_or_else(lariat::default_memory_bytes),
            time: self.arguments.search.time,
        };
        let mut control = limits.control().of_program(lariat::allocated_memory_bytes);
        control.property_time_limit = self.arguments.search.time_per_property;
        let control = Arc::new(control);
        self.interrupts.tell(&control);
        let wrong = |what: String| (output::print(&format!("{:width$}  {what}\n", run.label)).max(Exit::Usage), None);
        let complain = |sources: &SourceMap, found: &[Diagnostic]| {
            output::note(&diagnostics_text(sources, found, output::stderr_style()));
        };
        let read = Model::read_within(&self.front_ends, path, &self.arguments.reading.options(), &control);
        let mut model = match read {
            Ok(Ok(model)) => model,
            Ok(Err(rejected)) => {
                complain(&rejected.sources, &rejected.diagnostics);
                return wrong("not a model".to_owned());
            }
            Err(shortfall) => {
                let why = format!("undecided: {}", shortfall_text(&shortfall));
                return (output::print(&format!("{:width$}  {why}\n", run.label)).max(Exit::Undecided), None);
            }
        };
        let checked = match lariat::check_with(&mut model, &options, &control, &mut Later) {
            Ok(checked) => checked,
            Err(CheckError::Model(found)) => {
                complain(model.sources(), &found);
                return wrong("not a model".to_owned());
            }
            Err(CheckError::Bug(message)) => {
                output::complain_of_bug(&message);
                return (Exit::Bug, None);
            }
            Err(error) => return wrong(error.to_string()),
        };
        let (mut exit, mut printed) = (Exit::Holds, Exit::Holds);
        for settled in &checked.settled {
            let earlier = before.and_then(|(earlier, checked)| {
                let is_next = prefix_of(&earlier.label) == prefix_of(&run.label);
                checked.settled.iter().find(|other| is_next && other.name() == settled.name())
            });
            printed = printed.max(output::print(&format!("{}\n", property_row(width, &run.label, settled, earlier))));
            self.rows.push(report_row(path, &run.label, settled, earlier));
            exit = exit.max(match settled.report().verdict {
                Verdict::Holds | Verdict::Computed(_) => Exit::Holds,
                Verdict::Fails(_) => Exit::Fails,
                Verdict::Undecided(_) => Exit::Undecided,
            });
        }
        // What was searched on disk stays there until its row is written.
        match printed {
            Exit::Holds => control.answered(),
            _ => control.unanswered(),
        }
        exit = exit.max(printed);
        for settled in &checked.settled {
            if let Some(disk) = settled.report().stats.disk.as_ref().filter(|disk| disk.is_paused) {
                let (label, name, path) = (&run.label, settled.name(), disk.folder.display());
                let first = disk.trouble.as_ref().map_or_else(String::new, |trouble| format!("{trouble}; "));
                output::note(&format!("{label}, {name}: paused: {first}go on with `lariat resume {path}`\n"));
            }
        }
        let warnings: Vec<Diagnostic> = model.warnings().iter().chain(&checked.warnings).cloned().collect();
        let denied = deny::met(&self.arguments.output.deny, &checked.settled, &warnings);
        denied.iter().for_each(|line| output::complain(&format!("{}: {line}", run.label)));
        (if denied.is_empty() { exit } else { exit.max(Exit::Fails) }, Some(checked))
    }
}

/// What is the same in runs that follow each other: all but the last value.
fn prefix_of(label: &str) -> &str {
    label.rsplit_once(", ").map_or("", |(prefix, _)| prefix)
}

fn verdict_word(settled: &Settled) -> &'static str {
    match settled.report().verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Undecided(_) => "undecided",
        Verdict::Computed(_) => "computed",
    }
}

/// How many times as many states there are as before. Only whole graphs are compared.
fn growth(settled: &Settled, before: Option<&Settled>) -> Option<f64> {
    let whole = |settled: &Settled| {
        let stats = &settled.report().stats;
        let is_whole = settled.report().verdict == Verdict::Holds && stats.symbolic.is_none() && stats.states > 0;
        is_whole.then_some(stats.states)
    };
    Some(whole(settled)? as f64 / before.and_then(whole)? as f64)
}

fn property_row(width: usize, label: &str, settled: &Settled, before: Option<&Settled>) -> String {
    let stats = &settled.report().stats;
    let growth = growth(settled, before).map(|growth| format!("×{growth:.2}")).unwrap_or_default();
    let (states, transitions) = (grouped(stats.states), grouped(stats.transitions));
    let cells = [settled.name(), verdict_word(settled), &states, &growth, &transitions];
    row(width, label, cells, &duration_text(stats.elapsed))
}

fn report_row(model: &Path, label: &str, settled: &Settled, before: Option<&Settled>) -> SweepRow {
    let stats = &settled.report().stats;
    SweepRow {
        model: model.display().to_string(),
        values: label.to_owned(),
        property: settled.name().to_owned(),
        verdict: verdict_word(settled).to_owned(),
        states: stats.states,
        transitions: stats.transitions,
        growth: growth(settled, before),
        peak_memory_bytes: stats.peak_memory_bytes,
        seconds: stats.elapsed.as_secs_f64(),
    }
}

fn row(width: usize, label: &str, cells: [&str; 5], time: &str) -> String {
    let [property, verdict, states, growth, transitions] = cells;
    let [a, b, c, d, e] = WIDTHS;
    let line = format!("{label:width$}  {property:a$}{verdict:b$}{states:>c$}{growth:>d$}{transitions:>e$}  {time:>9}");
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_counted_by_how_they_end() {
        let ends = [("a.pml", Exit::Holds), ("b.pml", Exit::Fails), ("c.pml", Exit::Fails)];
        let ends: Vec<(PathBuf, Exit)> = ends.into_iter().map(|(name, exit)| (name.into(), exit)).collect();
        assert_eq!(summary(&ends), "3 models: 1 holds, 2 fail (b.pml, c.pml)");
    }

    #[test]
    fn growth_is_that_of_the_last_value() {
        assert_eq!(prefix_of("N=2"), "");
        assert_eq!(prefix_of("N=2, M=3"), "N=2");
    }
}
