//! `lariat lsp`: what the language server leaves to the program. Models are checked as `lariat test` checks them, with the
//! options of their `with:` lines.

use crate::args::CheckArgs;
use crate::check::check_options;
use crate::exit::{Exit, start};
use crate::test::By;
use crate::test::observe::{arguments, checked, observe};
use lariat::front::FrontEnds;
use lariat::{Engines, Model, ReadOptions, Rejected, RunControl, Settled, Verdict};
use lariat_base::{SourceMap, Span};
use lariat_expect::{Case, Expectation, SweepRun, stated_options};
use lariat_lsp::{Answer, Answers, Asked, CheckRequest, Host, Outcome, serve};
use lariat_render::{Context, Results, Style, TraceView};
use std::io::{BufReader, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

/// So many steps at the end of a run are shown where they are written; all of them are in the text.
const LAST_STEPS: usize = 30;
/// So many lines of a trace are in the text.
const TRACE_LINES: usize = 500;

pub(crate) fn run(engines: &Engines, front_ends: &FrontEnds) -> Exit {
    let host = Arc::new(Program { engines: engines.clone(), front_ends: front_ends.clone() });
    // Deep expressions are walked by recursion.
    let server = start("lsp", move || serve(host, BufReader::new(stdin()), stdout()));
    match server.join() {
        Ok(true) => Exit::Holds,
        Ok(false) => Exit::Fails,
        Err(_) => Exit::Bug,
    }
}

struct Program {
    engines: Engines,
    front_ends: FrontEnds,
}

impl Program {
    /// The runs that the options of a model stand for; one without options if they cannot be read.
    fn runs_of(&self, path: &Path, text: &str) -> Vec<SweepRun> {
        let comment = self.front_ends.reading(path).comment();
        let runs = lariat_expect::runs(&stated_options(comment, text)).unwrap_or_default();
        if runs.is_empty() { lariat_expect::runs(&[]).unwrap_or_default() } else { runs }
    }

    fn by(&self, request: Option<&CheckRequest>, control: Option<Arc<RunControl>>) -> By {
        By {
            engines: self.engines.clone(),
            front_ends: self.front_ends.clone(),
            unsaved: request.map(|request| request.unsaved.clone()).unwrap_or_default(),
            control,
            interrupts: None,
        }
    }

    /// The answers about properties, with each of the values that the options sweep over.
    fn properties(&self, request: &CheckRequest, name: Option<&str>, text: &str, by: &By) -> Result<Answers, String> {
        let (mut answers, mut last) = (Vec::new(), None);
        for run in self.runs_of(&request.path, text) {
            let arguments = arguments(&request.path, &run.options, by)?;
            let mut options = check_options(&arguments, &self.engines, None)?;
            if let Some(name) = name {
                options.properties = vec![name.to_owned()];
                (options.formulas, options.branching, options.automata) = (Vec::new(), Vec::new(), Vec::new());
            }
            let sources = SourceMap::reading(by.unsaved.clone());
            let read = Model::read_in(&self.front_ends, &request.path, &arguments.reading.options(), sources);
            let mut model = read.map_err(|rejected| first_error(&rejected))?;
            let checked = checked(&mut model, &options, &arguments, by).map_err(|error| error.to_string())?;
            answers.extend(checked.settled.iter().map(|settled| answer(&model, &arguments, settled, &run.label)));
            last = Some(model);
        }
        Ok(Answers { answers, model: last })
    }

    /// Whether what a line states is so, in each run that it is about.
    fn expectation(&self, request: &CheckRequest, line: u32, text: &str, by: &By) -> Result<Answers, String> {
        let comment = self.front_ends.reading(&request.path).comment();
        let case = Case::parse(&request.path, comment, text.to_owned()).map_err(|wrong| {
            wrong.first().map_or_else(String::new, |first| format!("line {}: {}", first.line, first.message))
        })?;
        let mut answers = Vec::new();
        for (run, mut case) in case.runs() {
            case.expectations.retain(|stated: &Expectation| stated.line == line);
            let Some(stated) = case.expectations.first() else { continue };
            let stated = stated.expected.to_string();
            let properties = case.properties().into_iter().map(str::to_owned).collect();
            let observed = observe(&case, by, properties)?;
            let wrong = case.compare(&observed);
            let with = if run.label.is_empty() { String::new() } else { format!(" with {}", run.label) };
            let (outcome, what) = match wrong.first() {
                None => (Outcome::Passed, format!("as stated: {stated}")),
                Some(wrong) if observed.is_undecided() => (Outcome::Undecided, wrong.message.clone()),
                Some(wrong) => (Outcome::Failed, wrong.message.clone()),
            };
            let name = format!("line {line}");
            let message = format!("{name}: {what}{with}");
            let text = message.clone();
            answers.push(Answer { name, outcome, message, text, line, place: Span::NONE, steps: Vec::new() });
        }
        if answers.is_empty() {
            return Err(format!("line {line} states no answer"));
        }
        Ok(Answers { answers, model: None })
    }
}

impl Host for Program {
    fn front_ends(&self) -> &FrontEnds {
        &self.front_ends
    }

    fn read_options(&self, path: &Path, text: &str) -> ReadOptions {
        let first = self.runs_of(path, text).into_iter().next();
        let arguments = first.and_then(|run| arguments(path, &run.options, &self.by(None, None)).ok());
        arguments.map(|arguments| arguments.reading.options()).unwrap_or_default()
    }

    fn check(&self, request: &CheckRequest, control: &Arc<RunControl>) -> Result<Answers, String> {
        let by = self.by(Some(request), Some(Arc::clone(control)));
        let text = match request.unsaved.get(&request.path) {
            Some(text) => text.to_owned(),
            None => {
                let bytes = std::fs::read(&request.path).map_err(|error| error.to_string())?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        match &request.asked {
            Asked::Property(name) => self.properties(request, name.as_deref(), &text, &by),
            Asked::Expectation(line) => self.expectation(request, *line, &text, &by),
        }
    }
}

fn first_error(rejected: &Rejected) -> String {
    let first = rejected.diagnostics.iter().find(|found| found.is_error());
    first.map_or_else(String::new, |first| {
        let line = rejected.sources.line(first.span);
        format!("the model has errors: {} ({}, line {line})", first.message, first.code)
    })
}

/// What was found about a property.
fn answer(model: &Model, arguments: &CheckArgs, settled: &Settled, label: &str) -> Answer {
    let name = arguments.model.display().to_string();
    let context = Context {
        version: env!("CARGO_PKG_VERSION"),
        model: &name,
        origin: None,
        sources: model.sources(),
        unreached: None,
        keep_going: arguments.search.keep_going,
        has_disk: false,
        trail: None,
        with_model: false,
        with_graphs: false,
        trace_lines: Some(TRACE_LINES),
        limit: None,
    };
    let text = Results { context: &context, settled: std::slice::from_ref(settled), style: Style::Plain }.to_string();
    let with = if label.is_empty() { String::new() } else { format!(" (with {label})") };
    let first = text.lines().next().unwrap_or_default();
    let failure = settled.failures().next();
    let steps = failure.map_or_else(Vec::new, |(_, story)| {
        let (actions, system) = (story.actions(), settled.system());
        let first = actions.len().saturating_sub(LAST_STEPS);
        let step = |(number, taken): (usize, &lariat_engine::TakenAction)| {
            let action = &system.actions[taken.by.action];
            (action.span, format!("{}. {}", first + number + 1, action.name))
        };
        actions[first..].iter().enumerate().map(step).collect()
    });
    let place = failure.map_or(Span::NONE, |(evidence, story)| {
        TraceView::new(settled.system(), model.sources(), evidence, story).ending.span
    });
    Answer {
        name: settled.name().to_owned(),
        outcome: match settled.report().verdict {
            Verdict::Holds | Verdict::Computed(_) => Outcome::Passed,
            Verdict::Fails(_) => Outcome::Failed,
            Verdict::Undecided(_) => Outcome::Undecided,
        },
        message: format!("{first}{with}"),
        line: 0,
        text,
        place,
        steps,
    }
}
