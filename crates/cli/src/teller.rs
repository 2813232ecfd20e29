//! Prints answers when they are known: each verdict with its warnings, its trace and its files, the moment its property is
//! settled. What was printed survives whatever ends the program later.

use crate::args::CheckArgs;
use crate::deny;
use crate::exit::Exit;
use crate::order_file;
use crate::output::{self, Form};
use crate::progress::{SharedProgress, aside_of};
use crate::report;
use crate::save;
use crate::saved;
use lariat::{Checked, Listener, Model, RunControl, Settled, Verdict};
use lariat_base::Diagnostic;
use lariat_engine::{Coverage, Shortfall, Unreached};
use lariat_expect::words;
use lariat_render::{
    Context, CoverageForm, Origin, Results, WriteLimit, coverage_text, diagnostics_text, done_event, has_runs,
    run_document, searching_event, settled_event, started_event, summary_text, warning_events,
};
use std::fmt::Display;
use std::sync::PoisonError;

/// What was printed and saved so far.
pub(crate) struct Record {
    /// The names of all properties.
    names: Vec<String>,
    warnings: Vec<Diagnostic>,
    /// What could not be written.
    unwritten: Vec<Diagnostic>,
    /// Where the trail of the first failure is.
    trail: Option<String>,
    /// Whether the files of the first failure were written.
    is_saved: bool,
    /// Whether a trace stands before what comes next.
    has_runs: bool,
    printed: Exit,
}

/// Prints the answers of a run while it goes on.
pub(crate) struct Teller<'a> {
    arguments: &'a CheckArgs,
    control: &'a RunControl,
    progress: &'a SharedProgress,
    record: Record,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(arguments: &'a CheckArgs, control: &'a RunControl, progress: &'a SharedProgress) -> Self {
        let record = Record {
            names: Vec::new(),
            warnings: Vec::new(),
            unwritten: Vec::new(),
            trail: None,
            is_saved: false,
            has_runs: false,
            printed: Exit::Holds,
        };
        Self { arguments, control, progress, record }
    }
    pub(crate) fn into_record(self) -> Record {
        self.record
    }

    fn form(&self) -> Form {
        self.arguments.output.form()
    }
    fn show(&mut self, what: &dyn Display) {
        let printed = aside_of(self.progress, || output::show(what));
        self.record.printed = self.record.printed.max(printed);
    }

    fn warn(&mut self, model: &Model, warnings: &[Diagnostic]) {
        let text = diagnostics_text(model.sources(), warnings, output::stderr_style());
        aside_of(self.progress, || output::note(&text));
        if self.form() == Form::JsonLines {
            for event in warning_events(model.sources(), warnings) {
                self.show(&format_args!("{event}\n"));
            }
        }
        self.record.warnings.extend_from_slice(warnings);
    }

    /// Writes the files that are asked for of the first failure.
    fn save(&mut self, context: &Context<'_>, settled: &Settled, limit: &WriteLimit<'_>) {
        let Some((evidence, story)) = settled.failures().next() else { return };
        if std::mem::replace(&mut self.record.is_saved, true) {
            return;
        }
        let arguments = self.arguments;
        let (trail, trace) = aside_of(self.progress, || {
            let trail = arguments.output.trail.then(|| {
                save::trail_of(&arguments.model, self.form() != Form::Text, settled.system(), story, Some(limit))
            });
            (trail, save::trace(arguments, context, settled, evidence, story))
        });
        match trail {
            Some(Ok(name)) => self.record.trail = Some(name),
            Some(Err(error)) => self.unwritten(error),
            None => {}
        }
        if let Err(error) = trace {
            self.unwritten(error);
        }
    }

    fn unwritten(&mut self, error: Diagnostic) {
        aside_of(self.progress, || output::complain(&error.message));
        self.record.unwritten.push(error);
    }
}

impl Listener for Teller<'_> {
    fn begins(&mut self, model: &Model, names: &[&str]) {
        self.record.names = names.iter().map(|&name| name.to_owned()).collect();
        if self.form() == Form::JsonLines {
            let (model_name, origin) = (self.arguments.model.display().to_string(), origin(self.arguments, model));
            let context = context(self.arguments, &model_name, Some(&origin), model);
            let event = started_event(&context, &self.record.names);
            self.show(&format_args!("{event}\n"));
        }
        let own = model.warnings().iter().filter(|warning| !is_spoken_of(self.arguments, warning));
        let own: Vec<Diagnostic> = own.cloned().collect();
        self.warn(model, &own);
    }

    fn searches(&mut self, number: usize) {
        let of = self.record.names.len();
        let name = self.record.names.get(number).cloned().unwrap_or_default();
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).begin_property(&name, number, of);
        if self.form() == Form::JsonLines {
            self.show(&format_args!("{}\n", searching_event(&name, number, of)));
        }
    }

    fn warns(&mut self, model: &Model, warnings: &[Diagnostic]) {
        if !warnings.is_empty() {
            self.warn(model, warnings);
        }
    }

    fn settles(&mut self, model: &Model, settled: &Settled, unreached: Option<&[Unreached]>, number: usize) {
        let model_name = self.arguments.model.display().to_string();
        // Text does not say it.
        let is_needed = self.form() == Form::JsonLines || self.arguments.output.trace.is_some();
        let origin = is_needed.then(|| origin(self.arguments, model));
        let limit = WriteLimit::new(self.control);
        let context =
            Context { unreached, limit: Some(&limit), ..context(self.arguments, &model_name, origin.as_ref(), model) };
        self.save(&context, settled, &limit);
        match self.form() {
            Form::Text => {
                let gap = if self.record.has_runs { "\n" } else { "" };
                let results = Results {
                    context: &context,
                    settled: std::slice::from_ref(settled),
                    style: output::stdout_style(),
                };
                self.show(&format_args!("{gap}{results}"));
                self.record.has_runs = has_runs(settled);
            }
            // One document, at the end.
            Form::Json => {}
            Form::JsonLines => self.show(&format_args!("{}\n", settled_event(&context, settled))),
        }
        let is_interrupted = matches!(settled.report().verdict, Verdict::Undecided(Shortfall::Interrupted));
        if let Some(next) = self.record.names.get(number + 1).filter(|_| is_interrupted && !self.control.is_ended()) {
            let note = format!("note: going on with `{next}`; another Ctrl-C ends the run\n");
            aside_of(self.progress, || output::note(&note));
        }
    }

    fn has_told(&self) -> bool {
        self.form() != Form::Json && self.record.printed == Exit::Holds
    }

    fn covers(&mut self, model: &Model, coverage: &Coverage) {
        let Some(path) = &self.arguments.output.coverage else { return };
        let ending = path.extension().and_then(|ending| ending.to_str());
        let form = if matches!(ending, Some("info" | "lcov")) { CoverageForm::Lcov } else { CoverageForm::Text };
        let text = coverage_text(model.sources(), coverage, form);
        if let Err(error) = aside_of(self.progress, || save::write(path, &text)) {
            return self.unwritten(error);
        }
        if !coverage.is_complete {
            let note = format!(
                "note: `{}`: not all states were seen, so what is 0 there may yet be reached\n",
                path.display()
            );
            aside_of(self.progress, || output::note(&note));
        }
    }
}

/// What made the model beside its text.
fn origin(arguments: &CheckArgs, model: &Model) -> Origin {
    Origin {
        ltl: arguments.ltl.clone(),
        automata: arguments.automaton.clone(),
        fairness: saved::fairness_texts(&arguments.fairness.options()),
        ..saved::origin(model, &arguments.reading.options())
    }
}

fn context<'c>(
    arguments: &CheckArgs,
    model_name: &'c str,
    origin: Option<&'c Origin>,
    model: &'c Model,
) -> Context<'c> {
    Context {
        version: env!("CARGO_PKG_VERSION"),
        model: model_name,
        origin,
        sources: model.sources(),
        unreached: None,
        keep_going: arguments.search.keep_going,
        has_disk: !arguments.memory.disk.is_empty(),
        trail: None,
        trace_lines: arguments.output.display.trace_lines(),
        limit: None,
        with_model: false,
        with_graphs: false,
    }
}

/// Tells what is left to tell at the end, and how the program ends.
pub(crate) fn finish(
    arguments: &CheckArgs,
    model: &Model,
    checked: &Checked,
    control: &RunControl,
    record: Record,
) -> Exit {
    let Record { warnings, mut unwritten, trail, is_saved, printed, .. } = record;
    if !is_saved {
        save::note_missing(arguments, checked);
    }
    if let Err(error) = order_file::save(arguments, checked) {
        output::complain(&error.message);
        unwritten.push(error);
    }
    if let Err(error) = save_report(arguments, model, checked, control, &warnings) {
        output::complain(&error.message);
        unwritten.push(error);
    }
    if arguments.output.form() == Form::Text {
        note_stated_options(model, checked);
        note_long_runs(arguments, checked);
    }
    let denied = deny::met(&arguments.output.deny, &checked.settled, &warnings);
    denied.iter().for_each(|line| output::complain(line));
    let verdicts = checked.settled.iter().map(|settled| match settled.report().verdict {
        // A number is information.
        Verdict::Holds | Verdict::Computed(_) => Exit::Holds,
        Verdict::Fails(_) => Exit::Fails,
        Verdict::Undecided(_) => Exit::Undecided,
    });
    let verdicts = verdicts.chain(denied.iter().map(|_| Exit::Fails));
    let exit = verdicts.chain(unwritten.iter().map(|_| Exit::Usage)).max().unwrap_or(Exit::Holds);
    let last = match arguments.output.form() {
        Form::Text if checked.settled.iter().any(has_runs) => {
            let summary = summary_text(&checked.settled, output::stdout_style());
            summary.map_or(Exit::Holds, |summary| output::print(&format!("\n{summary}")))
        }
        Form::Text => Exit::Holds,
        Form::Json => {
            let (model_name, origin) = (arguments.model.display().to_string(), origin(arguments, model));
            let limit = WriteLimit::new(control);
            let context = Context {
                unreached: checked.unreached.as_deref(),
                trail: trail.as_deref(),
                limit: Some(&limit),
                ..context(arguments, &model_name, Some(&origin), model)
            };
            let document = run_document(&context, &checked.settled, &warnings, &unwritten);
            output::show(&format_args!("{document}\n"))
        }
        Form::JsonLines => {
            let event = done_event(exit.max(printed).code(), trail.as_deref());
            output::show(&format_args!("{event}\n"))
        }
    };
    if printed.max(last) == Exit::Holds {
        control.answered();
    }
    exit.max(printed).max(last)
}

/// A run of this many steps is hard to read.
const MANY_STEPS: usize = 1000;

/// Says how to get a shorter run where an infinite one is long.
fn note_long_runs(arguments: &CheckArgs, checked: &Checked) {
    let steps = |settled: &Settled| {
        let (evidence, _) = settled.failures().next()?;
        Some(evidence.trace.steps.len()).filter(|steps| evidence.trace.loop_start.is_some() && *steps >= MANY_STEPS)
    };
    let longest = checked.settled.iter().filter_map(steps).max();
    if let Some(steps) = longest.filter(|_| !arguments.search.shortest) {
        output::note(&format!(
            "note: the run has {steps} steps; `--shortest` searches for a shortest one, and `lariat shorten` makes a saved one shorter\n"
        ));
    }
}

/// Says, where a property fails, that the model states options for `lariat test` that were not given here.
fn note_stated_options(model: &Model, checked: &Checked) {
    if !checked.settled.iter().any(|settled| matches!(settled.report().verdict, Verdict::Fails(_))) {
        return;
    }
    let Some((_, file)) = model.sources().files().find(|(_, file)| !file.name.starts_with('<')) else { return };
    let comment = |line: &'_ str| {
        let line = line.trim_start();
        line.strip_prefix("//").or_else(|| line.strip_prefix("--")).map(|rest| rest.trim().to_owned())
    };
    let stated: Vec<String> = file
        .text
        .lines()
        .filter_map(comment)
        .filter_map(|text| Some(text.strip_prefix("with:")?.trim().to_owned()))
        .collect();
    let given: Vec<String> = std::env::args().collect();
    let is_given = |line: &String| words(line).is_ok_and(|words| words.iter().all(|word| given.contains(word)));
    if !stated.iter().all(is_given) {
        let line = stated.join(" ");
        output::note(&format!(
            "note: the model has `with: {line}`, which `lariat test` uses and `lariat check` does not; give these options here \
             to check the same\n"
        ));
    }
}

/// Writes the page if it is asked for.
fn save_report(
    arguments: &CheckArgs,
    model: &Model,
    checked: &Checked,
    control: &RunControl,
    warnings: &[Diagnostic],
) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.output.report else { return Ok(()) };
    let (model_name, origin) = (arguments.model.display().to_string(), origin(arguments, model));
    let limit = WriteLimit::new(control);
    let context = Context {
        unreached: checked.unreached.as_deref(),
        limit: Some(&limit),
        ..context(arguments, &model_name, Some(&origin), model)
    };
    report::write(path, &context, &checked.settled, warnings)
}

/// Whether a warning says that something is not used which the command line speaks of.
fn is_spoken_of(arguments: &CheckArgs, warning: &Diagnostic) -> bool {
    let name = warning.message.split('`').nth(1).unwrap_or_default();
    let speaks = |text: &String| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    matches!(warning.code, "P0602" | "P0603" | "P0608")
        && arguments.ltl.iter().chain(&arguments.ctl).chain(arguments.fairness.texts()).any(speaks)
}
