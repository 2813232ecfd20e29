//! Checks that lenses start: each on a thread of its own, within limits, with progress, and to be cancelled.

use crate::host::{Answer, Answers, Asked, CheckRequest, Host, Outcome};
use crate::reading::{MAIN, Reading};
use crate::text::{Encoding, Text};
use crate::uri::uri_of;
use lariat::{Limits, Model, RunControl};
use lariat_base::Span;
use lsp_server::RequestId;
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, ProgressParams, ProgressParamsValue,
    Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The command of lenses: a URI, and what to check.
pub(crate) const COMMAND: &str = "lariat.check";
/// So many checks go on at once.
pub(crate) const MAX_CHECKS: usize = 4;
/// Deep expressions are walked by recursion.
const STACK_BYTES: usize = 256 << 20;

/// The limits of a check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckLimits {
    pub(crate) time: Duration,
    pub(crate) memory_bytes: u64,
}

impl CheckLimits {
    /// What the options of the client say (`checkSeconds`, `checkMegabytes`), else a minute and a quarter of the memory.
    pub(crate) fn of_options(options: Option<&Value>) -> Self {
        let number = |name: &str| options.and_then(|options| options.get(name)).and_then(Value::as_u64);
        let megabytes = number("checkMegabytes").filter(|&megabytes| megabytes > 0);
        Self {
            time: Duration::from_secs(number("checkSeconds").filter(|&seconds| seconds > 0).unwrap_or(60)),
            memory_bytes: megabytes
                .map_or_else(|| lariat::default_memory_bytes() / 4, |megabytes| megabytes.saturating_mul(1 << 20)),
        }
    }
}

/// A check that goes on.
pub(crate) struct Running {
    pub(crate) request: RequestId,
    pub(crate) uri: Uri,
    /// The text that is checked.
    pub(crate) text: Arc<str>,
    pub(crate) control: Arc<RunControl>,
    /// What the client calls its progress.
    pub(crate) token: NumberOrString,
    /// Whether the client wants to know how far it is.
    pub(crate) is_shown: bool,
}

/// What a command asks for; or what is wrong with it.
pub(crate) fn parsed(arguments: &[Value]) -> Result<(Uri, Asked), String> {
    let wrong = || format!("`{COMMAND}` takes a URI and {{\"property\": NAME}} or {{\"line\": NUMBER}}");
    let uri = arguments.first().and_then(Value::as_str).and_then(|uri| uri.parse().ok()).ok_or_else(wrong)?;
    let asked = match arguments.get(1) {
        None => Asked::Property(None),
        Some(asked) => match (asked.get("property"), asked.get("line").and_then(Value::as_u64)) {
            (_, Some(line)) => Asked::Expectation(u32::try_from(line).map_err(|_| wrong())?),
            (Some(Value::String(name)), None) => Asked::Property(Some(name.clone())),
            (Some(Value::Null), None) => Asked::Property(None),
            _ => return Err(wrong()),
        },
    };
    Ok((uri, asked))
}

/// Starts a check; `done` hears of its end, on the thread of the check.
pub(crate) fn start(
    host: Arc<dyn Host>,
    request: CheckRequest,
    limits: CheckLimits,
    done: impl FnOnce(Result<Answers, String>) + Send + 'static,
) -> Result<Arc<RunControl>, String> {
    let control = Arc::new(Limits { memory_bytes: limits.memory_bytes, time: Some(limits.time) }.control());
    let its_control = Arc::clone(&control);
    let work = move || {
        let checked = catch_unwind(AssertUnwindSafe(|| host.check(&request, &its_control)));
        done(checked.unwrap_or_else(|_| Err("internal error in the check: please report it".to_owned())));
    };
    let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES).spawn(work);
    thread.map_err(|error| format!("the system gave no thread for the check: {error}"))?;
    Ok(control)
}

pub(crate) fn begin(token: &NumberOrString, title: String) -> ProgressParams {
    let begin = WorkDoneProgressBegin { title, cancellable: Some(true), ..WorkDoneProgressBegin::default() };
    progress(token, WorkDoneProgress::Begin(begin))
}

pub(crate) fn report(running: &Running) -> ProgressParams {
    let counters = &running.control.counters;
    let states = counters.states.load(Ordering::Relaxed);
    let seconds = running.control.started.elapsed().as_secs();
    let message = if states == 0 { format!("{seconds} s") } else { format!("{states} states, {seconds} s") };
    let report = WorkDoneProgressReport { message: Some(message), ..WorkDoneProgressReport::default() };
    progress(&running.token, WorkDoneProgress::Report(report))
}

pub(crate) fn end(token: &NumberOrString, message: String) -> ProgressParams {
    progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message) }))
}

fn progress(token: &NumberOrString, value: WorkDoneProgress) -> ProgressParams {
    ProgressParams { token: token.clone(), value: ProgressParamsValue::WorkDone(value) }
}

/// The answers as the result of the command.
pub(crate) fn as_result(answers: &[Answer]) -> Value {
    let all: Vec<Value> = answers
        .iter()
        .map(|answer| {
            let outcome = match answer.outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "failed",
                Outcome::Undecided => "undecided",
            };
            json!({ "name": answer.name, "outcome": outcome, "message": answer.message, "text": answer.text })
        })
        .collect();
    json!({ "answers": all })
}

/// The answers as diagnostics, at the places that they are about.
pub(crate) fn as_diagnostics(
    answers: &Answers,
    reading: Option<&Reading>,
    uri: &Uri,
    encoding: Encoding,
) -> HashMap<Uri, Vec<lsp_types::Diagnostic>> {
    let mut all: HashMap<Uri, Vec<lsp_types::Diagnostic>> = HashMap::new();
    for answer in &answers.answers {
        let located = |span: Span| locate(answers.model.as_ref()?, span, encoding);
        let stated = || {
            let model = reading?.model()?;
            let property = model.properties().iter().find(|property| property.name == answer.name)?;
            reading?.location(property.place)
        };
        let on_line = || {
            let line = (answer.line as usize).checked_sub(1)?;
            let range = reading?.text(MAIN)?.line_range(line, encoding);
            Some(Location::new(uri.clone(), range))
        };
        let place = on_line().or_else(|| located(answer.place)).or_else(stated);
        let location = place.unwrap_or_else(|| Location::new(uri.clone(), lsp_types::Range::default()));
        let steps = answer.steps.iter().filter_map(|(span, what)| {
            Some(DiagnosticRelatedInformation { location: located(*span)?, message: what.clone() })
        });
        let steps: Vec<DiagnosticRelatedInformation> = steps.collect();
        all.entry(location.uri).or_default().push(lsp_types::Diagnostic {
            range: location.range,
            severity: Some(match answer.outcome {
                Outcome::Passed => DiagnosticSeverity::INFORMATION,
                Outcome::Failed => DiagnosticSeverity::ERROR,
                Outcome::Undecided => DiagnosticSeverity::WARNING,
            }),
            source: Some("lariat check".to_owned()),
            message: answer.message.clone(),
            related_information: (!steps.is_empty()).then_some(steps),
            ..lsp_types::Diagnostic::default()
        });
    }
    all
}

fn locate(model: &Model, span: Span, encoding: Encoding) -> Option<Location> {
    let file = model.sources().file(span.file)?;
    let path = Path::new(&file.name);
    let text = Text::new(file.text.as_str());
    let uri = uri_of(path).filter(|_| path.is_absolute())?;
    Some(Location { uri, range: text.range(span.start as usize, span.end as usize, encoding) })
}
