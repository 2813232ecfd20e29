//! The Python module `lariat._lariat`: a check, as the JSON document that the program writes for it.
//! What Python sees of it is made in `lariat/__init__.py`.
//!
//! A check runs on a thread of its own without the interpreter's lock, so other Python threads go on; the calling thread looks for
//! Ctrl-C ten times a second.

use lariat::{
    CheckError, CheckOptions, FairnessOptions, Limits, Model, Options, Overflow, ProcessFairness, ReadOptions,
    Rejected, RunControl,
};
use lariat_base::SourceMap;
use lariat_engine::Shortfall;
use lariat_render::{Context, Origin, Style, WriteLimit, diagnostics_text, run_document, shortfall_text};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

create_exception!(_lariat, ModelError, PyException, "The model, or a formula, has errors.");
create_exception!(_lariat, OptionError, PyValueError, "An option that cannot be honoured, or has no effect.");
create_exception!(_lariat, LimitError, PyException, "A limit was met before there was anything to search.");

/// Deep expressions are walked by recursion. Only what is used of it is ever taken from the machine.
const STACK_BYTES: usize = 256 << 20;
/// The time between two looks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(100);

/// Why there is no answer.
enum Failure {
    Model(String),
    Option(String),
    Limit(String),
    Internal(String),
}

impl Failure {
    fn of_rejected(rejected: &Rejected) -> Self {
        Self::Model(diagnostics_text(&rejected.sources, &rejected.diagnostics, Style::Plain).trim_end().to_owned())
    }
    fn of_error(sources: &SourceMap, error: &CheckError) -> Self {
        match error {
            CheckError::Model(diagnostics) => {
                Self::Model(diagnostics_text(sources, diagnostics, Style::Plain).trim_end().to_owned())
            }
            CheckError::Refused(_) | CheckError::Unused(_) => Self::Option(error.to_string()),
            CheckError::Short(shortfall) => Self::of_shortfall(shortfall),
            CheckError::Bug(reason) => Self::Internal(reason.clone()),
        }
    }
    fn of_shortfall(shortfall: &Shortfall) -> Self {
        Self::Limit(format!("{}, and nothing was searched yet", shortfall_text(shortfall)))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Model(text) => ModelError::new_err(text),
            Failure::Option(text) => OptionError::new_err(text),
            Failure::Limit(text) => LimitError::new_err(text),
            Failure::Internal(text) => PyRuntimeError::new_err(format!("internal error, please report: {text}")),
        }
    }
}

/// What a model is read with.
fn reading(defines: Vec<(String, String)>, include: Vec<PathBuf>, overflow: &str) -> Result<ReadOptions, Failure> {
    let overflow = match overflow {
        "silent" => Overflow::Silent,
        "warn" => Overflow::Warn,
        "error" => Overflow::Error,
        other => return Err(Failure::Option(format!("overflow={other:?}: use `silent`, `warn` or `error`"))),
    };
    Ok(ReadOptions { defines, include_folders: include, overflow, ..ReadOptions::default() })
}

/// What to check, as Python gives it.
struct Wanted {
    path: PathBuf,
    reading: ReadOptions,
    options: CheckOptions,
    limits: Limits,
}

/// Checks a model: the document of `lariat check --json`.
#[pyfunction]
#[pyo3(signature = (path, *, properties, ltl, ctl, fairness, justice, compassion, engine, shortest, keep_going, allow_deadlock, reduce,
    depth, threads, memory, time, defines, include, overflow))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
fn check(
    py: Python<'_>,
    path: PathBuf,
    properties: Vec<String>,
    ltl: Vec<String>,
    ctl: Vec<String>,
    fairness: &str,
    justice: Vec<String>,
    compassion: Vec<String>,
    engine: Option<&str>,
    shortest: bool,
    keep_going: bool,
    allow_deadlock: bool,
    reduce: bool,
    depth: Option<u64>,
    threads: Option<usize>,
    memory: Option<u64>,
    time: Option<f64>,
    defines: Vec<(String, String)>,
    include: Vec<PathBuf>,
    overflow: &str,
) -> PyResult<String> {
    let engines = lariat::engines();
    let engine = match engine.filter(|name| *name != "auto") {
        None => None,
        Some(name) => Some(engines.names().find(|known| *known == name).ok_or_else(|| {
            let names: Vec<&str> = engines.names().collect();
            OptionError::new_err(format!("there is no engine `{name}`; there are {}", names.join(", ")))
        })?),
    };
    let processes = match fairness {
        "none" => ProcessFairness::None,
        "weak" => ProcessFairness::Weak,
        "strong" => ProcessFairness::Strong,
        other => return Err(OptionError::new_err(format!("fairness={other:?}: use `none`, `weak` or `strong`"))),
    };
    let time = match time {
        None => None,
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .map_err(|error| OptionError::new_err(format!("time={seconds}: {error}")))?,
        ),
    };
    let wanted = Wanted {
        path,
        reading: reading(defines, include, overflow)?,
        options: CheckOptions {
            properties,
            formulas: ltl,
            branching: ctl,
            fairness: FairnessOptions { processes, justice, compassion, ..FairnessOptions::default() },
            engines,
            engine,
            allow_deadlock,
            threads,
            options: Options { keep_going, shortest, depth_limit: depth, reduce, ..Options::default() },
            ..CheckOptions::default()
        },
        limits: Limits { memory_bytes: memory.unwrap_or_else(lariat::default_memory_bytes), time },
    };
    let control = Arc::new(wanted.limits.control().of_program(lariat::allocated_memory_bytes));
    let its_control = Arc::clone(&control);
    aside(py, &control, move || settle(&wanted, &its_control))
}

fn settle(wanted: &Wanted, control: &RunControl) -> Result<String, Failure> {
    let mut model = Model::read(&wanted.path, &wanted.reading).map_err(|rejected| Failure::of_rejected(&rejected))?;
    let checked = lariat::check(&mut model, &wanted.options, control)
        .map_err(|error| Failure::of_error(model.sources(), &error))?;
    let name = wanted.path.display().to_string();
    let origin = Origin {
        fingerprint: Some(format!("{:016x}", model.fingerprint())),
        defines: wanted.reading.defines.iter().cloned().map(define).collect(),
        include_folders: wanted.reading.include_folders.iter().map(|folder| folder.display().to_string()).collect(),
        overflow_fails: wanted.reading.overflow == Overflow::Error,
        ltl: wanted.options.formulas.clone(),
        fairness: fairness_texts(&wanted.options.fairness),
        ..Origin::default()
    };
    let limit = WriteLimit::new(control);
    let context = Context {
        version: env!("CARGO_PKG_VERSION"),
        model: &name,
        origin: Some(&origin),
        sources: model.sources(),
        unreached: checked.unreached.as_deref(),
        trail: None,
        keep_going: wanted.options.options.keep_going,
        has_disk: false,
        trace_lines: None,
        limit: Some(&limit),
        with_model: true,
        with_graphs: true,
    };
    let warnings: Vec<_> = model.warnings().iter().chain(&checked.warnings).cloned().collect();
    Ok(run_document(&context, &checked.settled, &warnings, &[]).to_string())
}

fn define((name, value): (String, String)) -> lariat_render::documents::Define {
    lariat_render::documents::Define { name, value }
}

fn fairness_texts(options: &FairnessOptions) -> lariat_render::documents::Table<Vec<String>> {
    let processes = match options.processes {
        ProcessFairness::None => Vec::new(),
        ProcessFairness::Weak => vec!["weak".to_owned()],
        ProcessFairness::Strong => vec!["strong".to_owned()],
    };
    let given =
        [("fairness", processes), ("justice", options.justice.clone()), ("compassion", options.compassion.clone())];
    given.into_iter().filter(|(_, values)| !values.is_empty()).map(|(name, values)| (name.to_owned(), values)).collect()
}

/// Does work on a thread with a large stack while this one looks for Ctrl-C, which ends the work.
fn aside(
    py: Python<'_>,
    control: &Arc<RunControl>,
    work: impl FnOnce() -> Result<String, Failure> + Send + 'static,
) -> PyResult<String> {
    let (send, done) = mpsc::channel();
    let done = Mutex::new(done);
    let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES).spawn(move || {
        // Without a receiver nobody waits for the answer any more.
        let _ = send.send(work());
    })?;
    loop {
        let waited = py.detach(|| done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(INTERVAL));
        match waited {
            Ok(answer) => return Ok(answer?),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    control.cancel();
                    control.end();
                    // It stops soon, and its memory is free then.
                    let _ = py.detach(|| thread.join());
                    return Err(interrupt);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Internal("the check ended without an answer".to_owned()).into());
            }
        }
    }
}

/// The functions.
#[pymodule]
fn _lariat(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ModelError", module.py().get_type::<ModelError>())?;
    module.add("OptionError", module.py().get_type::<OptionError>())?;
    module.add("LimitError", module.py().get_type::<LimitError>())?;
    module.add_function(wrap_pyfunction!(check, module)?)
}
