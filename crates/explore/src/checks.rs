//! Checks that the page starts: at most two at a time, each on a thread of its own. The answers of the last ones are kept.

use crate::requests::{CheckRequest, WalkText};
use crate::server::Served;
use lariat::{CheckError, Limits, Listener, Model, RunControl, Settled, Verdict, Walk};
use lariat_base::Diagnostic;
use lariat_engine::{FailureKind, Unreached};
use lariat_render::{Context, TraceView, WriteLimit, run_document, shortfall_text};
use lariat_report::Page;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// As many checks run at once.
const MOST_RUNNING: usize = 2;
/// The answers of as many checks are kept.
const MOST_KEPT: usize = 16;
/// A page that is larger is not kept.
const MOST_PAGE_BYTES: usize = 32 << 20;
/// As many samples of a check are kept; of more, every second one goes.
const MOST_SAMPLES: usize = 400;
/// The time between two samples, to begin with.
const INTERVAL: Duration = Duration::from_millis(100);
/// After an answer, so much time is spent on making it a walk.
const PATIENCE: Duration = Duration::from_secs(20);

/// The checks, by number.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    list: Mutex<Numbered>,
}

#[derive(Debug, Default)]
struct Numbered {
    last: u64,
    checks: BTreeMap<u64, Arc<Check>>,
}

/// A check that runs or has run.
#[derive(Debug)]
struct Check {
    title: String,
    control: Arc<RunControl>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The property that is searched: its name, its number and how many there are.
    searched: Option<(String, usize, usize)>,
    /// Seconds, states, states that wait, bytes.
    samples: Vec<[f64; 4]>,
    results: Vec<Value>,
    warnings: Vec<String>,
    error: Option<String>,
    is_done: bool,
    page: Option<Arc<str>>,
}

impl Check {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> [f64; 4] {
        let [states, _, _, waiting, _] = self.control.counters.shown();
        let bytes = self.control.budget.used_bytes();
        [self.control.started.elapsed().as_secs_f64(), states as f64, waiting as f64, bytes as f64]
    }

    /// What the page shows of it.
    fn shown(&self) -> Value {
        let now = self.now();
        let depth = self.control.counters.shown()[2];
        let state = self.state();
        let searched =
            state.searched.as_ref().map(|(name, number, of)| json!({ "name": name, "number": number, "of": of }));
        let samples: Vec<&[f64; 4]> = state.samples.iter().chain((!state.is_done).then_some(&now)).collect();
        json!({
            "title": self.title,
            "running": !state.is_done,
            "searched": searched,
            "depth": depth,
            "memory_limit_bytes": self.control.budget.limit_bytes(),
            "samples": samples,
            "results": state.results,
            "warnings": state.warnings,
            "error": state.error,
            "has_page": state.page.is_some(),
        })
    }

    /// Takes samples until the check is done.
    fn watch(&self) {
        let mut interval = INTERVAL;
        loop {
            std::thread::sleep(interval);
            let sample = self.now();
            let mut state = self.state();
            if state.is_done {
                return;
            }
            state.samples.push(sample);
            if state.samples.len() > MOST_SAMPLES {
                let mut number = 0;
                state.samples.retain(|_| {
                    number += 1;
                    number % 2 == 0
                });
                interval *= 2;
            }
        }
    }
}

impl Checks {
    fn list(&self) -> MutexGuard<'_, Numbered> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a check; its number, or why there is none.
    pub(crate) fn start(&self, served: &Arc<Served>, request: CheckRequest) -> Result<u64, String> {
        request.options()?;
        let limits = Limits { memory_bytes: served.memory_bytes / MOST_RUNNING as u64, time: request.time() };
        let check = Arc::new(Check {
            title: request.title().to_owned(),
            control: Arc::new(limits.control()),
            state: Mutex::default(),
        });
        let number = {
            let mut list = self.list();
            let running = list.checks.values().filter(|check| !check.state().is_done).count();
            if running >= MOST_RUNNING {
                return Err(format!("{MOST_RUNNING} checks are running; stop one of them, or wait"));
            }
            list.last += 1;
            let number = list.last;
            list.checks.insert(number, Arc::clone(&check));
            while list.checks.len() > MOST_KEPT {
                let oldest = list.checks.iter().find(|(_, check)| check.state().is_done).map(|(&number, _)| number);
                let Some(oldest) = oldest else { break };
                list.checks.remove(&oldest);
            }
            number
        };
        let (its, served) = (Arc::clone(&check), Arc::clone(served));
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| run(&served, &its, request)));
            let mut state = its.state();
            match done {
                Ok(Ok(())) => {}
                Ok(Err(error)) => state.error = Some(error),
                Err(_) => state.error = Some("internal error, please report; the terminal says more".to_owned()),
            }
            state.is_done = true;
        };
        let watched = Arc::clone(&check);
        let started =
            std::thread::Builder::new().name("check".to_owned()).stack_size(crate::server::STACK_BYTES).spawn(work);
        let started =
            started.and_then(|_| std::thread::Builder::new().name("watch".to_owned()).spawn(move || watched.watch()));
        if let Err(error) = started {
            check.control.end();
            self.list().checks.remove(&number);
            return Err(format!("the system gave no thread: {error}"));
        }
        Ok(number)
    }

    fn find(&self, number: u64) -> Option<Arc<Check>> {
        self.list().checks.get(&number).cloned()
    }

    /// What the page shows of a check.
    pub(crate) fn shown(&self, number: u64) -> Option<Value> {
        self.find(number).map(|check| check.shown())
    }

    /// The page about its answers.
    pub(crate) fn page(&self, number: u64) -> Option<Arc<str>> {
        self.find(number)?.state().page.clone()
    }

    /// Stops a check; whether there is one.
    pub(crate) fn stop(&self, number: u64) -> bool {
        let check = self.find(number);
        if let Some(check) = &check {
            check.control.end();
        }
        check.is_some()
    }

    /// Stops all, and waits a moment for them.
    pub(crate) fn stop_all(&self) {
        let checks: Vec<Arc<Check>> = self.list().checks.values().cloned().collect();
        checks.iter().for_each(|check| check.control.end());
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(2) && checks.iter().any(|check| !check.state().is_done) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Checks, and keeps what comes of it.
fn run(served: &Arc<Served>, check: &Arc<Check>, request: CheckRequest) -> Result<(), String> {
    let options = request.options()?;
    let walk = Walk::from(request.walk.clone());
    let begin = if request.here { walk } else { Walk::default() };
    let mut model = match request.here {
        true => served.explorer.begun_at(&begin, &check.control),
        // The walk of no steps in the first initial state would be one of several.
        false => Ok(served.explorer.model().again()),
    }
    .map_err(|error| error.to_string())?;
    let mut heard = Heard { check, served, walk: request.here.then_some(&begin) };
    let checked = lariat::check_with(&mut model, &options, &check.control, &mut heard);
    let checked = checked.map_err(|error| error_text(&model, &error))?;
    let limit = WriteLimit::new(&check.control);
    let context = Context {
        unreached: checked.unreached.as_deref(),
        limit: Some(&limit),
        with_graphs: true,
        ..served.context(model.sources())
    };
    let document = run_document(&context, &checked.settled, &checked.warnings, &[]);
    let page = Page::of_run(document).to_string();
    if page.len() <= MOST_PAGE_BYTES {
        check.state().page = Some(page.into());
    }
    Ok(())
}

/// The words of an error, with the place in the text that was typed in.
fn error_text(model: &Model, error: &CheckError) -> String {
    let CheckError::Model(diagnostics) = error else { return error.to_string() };
    let text = |found: &Diagnostic| {
        let help = found.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let place = model.sources().text(found.span);
        let is_said = place.is_empty() || place.len() > 60 || found.message.contains(place);
        let place = if is_said { String::new() } else { format!(" at `{place}`") };
        format!("{}{place}{help} ({})", found.message, found.code)
    };
    diagnostics.iter().filter(|found| found.is_error()).map(text).collect::<Vec<_>>().join("\n")
}

/// Hears of answers.
struct Heard<'a> {
    check: &'a Check,
    served: &'a Served,
    /// Where the check began, unless everywhere.
    walk: Option<&'a Walk>,
}

impl Heard<'_> {
    /// The run of a failure, from the beginning, as a walk; or why there is none.
    fn walk(&self, settled: &Settled) -> Option<Result<WalkText, String>> {
        let (evidence, story) = settled.failures().next()?;
        let fault = match evidence.kind {
            FailureKind::Fault(fault) => Some(fault),
            _ => None,
        };
        let control = Limits { memory_bytes: 1 << 30, time: Some(PATIENCE) }.control();
        let explorer = &self.served.explorer;
        let found = match self.walk {
            Some(walk) => explorer.extended(walk, story, fault, &control),
            None => explorer.walk_of(story, fault, &control),
        };
        Some(found.map(WalkText::from).map_err(|error| error.to_string()))
    }
}

impl Listener for Heard<'_> {
    fn begins(&mut self, _: &Model, names: &[&str]) {
        let name = names.first().map_or(String::new(), |&name| name.to_owned());
        self.check.state().searched = Some((name, 1, names.len()));
    }

    fn searches(&mut self, number: usize) {
        if let Some(searched) = &mut self.check.state().searched {
            searched.1 = number + 1;
        }
    }

    fn warns(&mut self, _: &Model, warnings: &[Diagnostic]) {
        let texts = warnings.iter().map(|warning| format!("{} ({})", warning.message, warning.code));
        self.check.state().warnings.extend(texts);
    }

    fn settles(&mut self, model: &Model, settled: &Settled, _: Option<&[Unreached]>, _: usize) {
        let report = settled.report();
        let (verdict, reason) = match &report.verdict {
            Verdict::Holds => ("holds", None),
            Verdict::Fails(_) => ("fails", None),
            Verdict::Undecided(shortfall) => ("undecided", Some(shortfall_text(shortfall))),
            Verdict::Computed(_) => ("computed", None),
        };
        let message = settled.failures().next().map(|(evidence, story)| {
            let ending = TraceView::new(settled.system(), model.sources(), evidence, story).ending;
            match ending.detail {
                Some(detail) => format!("{} ({detail})", ending.message),
                None => ending.message,
            }
        });
        let (walk, no_walk) = match self.walk(settled) {
            None => (None, None),
            Some(Ok(walk)) => (Some(walk), None),
            Some(Err(error)) => (None, Some(error)),
        };
        let stats = &report.stats;
        self.check.state().results.push(json!({
            "name": settled.name(),
            "verdict": verdict,
            "message": message.or(reason),
            "vacuous": settled.vacuity(),
            "states": stats.states,
            "transitions": stats.transitions,
            "seconds": stats.elapsed.as_secs_f64(),
            "memory_bytes": stats.peak_memory_bytes,
            "engine": settled.engine(),
            "from": self.walk.map(|walk| walk.steps.len()),
            "walk": walk,
            "no_walk": no_walk,
        }));
    }
}
