//! `lariat check`.
//!
//! The work is done on a thread of its own, with a large stack; the main thread shows progress. What the worker made is
//! printed at the end, by the main thread.

use crate::args::CheckArgs;
use crate::deny;
use crate::exit::{Exit, start};
use crate::order_file;
use crate::output;
use crate::progress::{INTERVAL, Progress};
use crate::refusal::Refusal;
use crate::save;
use crate::saved;
use lariat::front::FrontEnds;
use lariat::{
    CheckError, CheckOptions, CheckPlan, Checked, Engines, Limits, Model, Options, Rejected, ResumedRun, RunControl,
    Verdict, WhenFull,
};
use lariat_base::Diagnostic;
use lariat_engine::Disk;
use lariat_render::{Context, Origin, Results, WriteLimit, diagnostics_text, plan_document, plans_text, run_document};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

/// The engine that has run directories.
const ON_DISK: &str = "external";

/// What the worker made of the model.
enum Work {
    Refused(String),
    Rejected(Rejected),
    Done(Model, Box<Result<Checked, CheckError>>),
    Planned(Model, Result<CheckPlan, CheckError>),
}

/// A run that is to go on.
pub(crate) struct Resumed {
    pub(crate) directory: PathBuf,
    pub(crate) run: ResumedRun,
    /// The command line of the run.
    pub(crate) command: Vec<String>,
}

/// Checks the model, or goes on with one of its properties.
pub(crate) fn run(arguments: &CheckArgs, engines: &Engines, front_ends: &FrontEnds, resumed: Option<Resumed>) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.output.json);
    if let Some(option) = arguments.later.first_given() {
        return refusal.of_request(&format!("the option `{option}` is not in this release"));
    }
    let options = match check_options(arguments, engines, resumed) {
        Ok(options) => options,
        Err(reason) => return refusal.of_request(&reason),
    };
    // Printing is left to the end: whatever goes wrong before, there is one document.
    match catch_unwind(AssertUnwindSafe(|| answer(arguments, front_ends, options, &refusal))) {
        Ok(exit) => exit,
        Err(panic) => refusal.of_panic(&*panic),
    }
}

/// What the command line asks for, as options of the library; or why that cannot be done.
pub(crate) fn check_options(
    arguments: &CheckArgs,
    engines: &Engines,
    resumed: Option<Resumed>,
) -> Result<CheckOptions, String> {
    let store = arguments.memory.store_kind()?;
    let order = arguments.search.order.as_deref().map(order_file::read).transpose()?;
    let engine = if resumed.is_some() { Some(ON_DISK) } else { arguments.search.engine.0 };
    let disk = disk(arguments, engine, resumed.as_ref());
    let resumed = resumed.map(|resumed| resumed.run);
    Ok(CheckOptions {
        properties: arguments.property.clone(),
        formulas: arguments.ltl.clone(),
        branching: arguments.ctl.clone(),
        automata: arguments.automaton.clone(),
        fairness: arguments.fairness.options(),
        engines: engines.clone(),
        engine,
        allow_deadlock: arguments.search.allow_deadlock,
        threads: arguments.search.threads,
        when_full: arguments.memory.when_full().filter(|_| resumed.is_none()),
        resumed,
        options: Options {
            store,
            keep_going: arguments.search.keep_going,
            shortest: arguments.search.shortest,
            pool_may_grow: false,
            depth_limit: arguments.search.depth,
            profile: arguments.output.profile,
            reduce: arguments.search.por,
            code: arguments.search.code,
            seed: arguments.memory.seed.unwrap_or(0),
            runs: arguments.memory.runs,
            disk,
            acceptance: arguments.search.acceptance,
            temporal_by: arguments.search.temporal_by,
            order,
            ..Options::default()
        },
    })
}

/// Checks the model and tells the answer: how the program ends.
fn answer(arguments: &CheckArgs, front_ends: &FrontEnds, options: CheckOptions, refusal: &Refusal) -> Exit {
    let limits = Limits {
        memory_bytes: arguments.memory.memory.unwrap_or_else(lariat::default_memory_bytes),
        time: arguments.search.time,
    };
    let control = Arc::new(limits.control());
    stop_on_interrupt(&control);
    match work_aside(arguments, front_ends, options, &control) {
        Err(panic) => refusal.of_panic(&*panic),
        Ok(Work::Refused(reason)) => refusal.of_request(&reason),
        Ok(Work::Rejected(rejected)) => refusal.of_model(&rejected.sources, &rejected.diagnostics),
        Ok(Work::Done(model, checked)) => match *checked {
            Ok(checked) => tell(arguments, &model, &checked, &control),
            Err(error) => refusal.of_error(model.sources(), &error),
        },
        Ok(Work::Planned(model, plan)) => match plan {
            Ok(plan) if arguments.output.json => {
                let name = arguments.model.display().to_string();
                let document = plan_document(env!("CARGO_PKG_VERSION"), &name, plan);
                output::show(&format_args!("{document}\n"))
            }
            Ok(plan) => output::print(&plans_text(&plan)),
            Err(error) => refusal.of_error(model.sources(), &error),
        },
    }
}

/// Where to put what memory has no room for, and what a run directory is to say of how the run was asked for.
fn disk(arguments: &CheckArgs, engine: Option<&str>, resumed: Option<&Resumed>) -> Option<Disk> {
    let folders = arguments.memory.disk.clone();
    let absolute = |folder: PathBuf| std::path::absolute(&folder).unwrap_or(folder);
    let follows = arguments.memory.when_full() == Some(WhenFull::Engine(ON_DISK));
    (!folders.is_empty() || follows || engine == Some(ON_DISK)).then(|| Disk {
        folders: folders.into_iter().map(absolute).collect(),
        resume: resumed.map(|resumed| resumed.directory.clone()),
        command: resumed.map_or_else(|| std::env::args().skip(1).collect(), |resumed| resumed.command.clone()),
        working_folder: std::env::current_dir().unwrap_or_default(),
        buffer_states: arguments.memory.buffer_states,
        checkpoint_ms: arguments.memory.checkpoint_every.map(|every| every.as_millis() as u64),
        ..Disk::default()
    })
}

/// Reads and checks on another thread, showing progress on this one. An error if that thread panicked.
fn work_aside(
    arguments: &CheckArgs,
    front_ends: &FrontEnds,
    options: CheckOptions,
    control: &Arc<RunControl>,
) -> std::thread::Result<Work> {
    let front_ends = front_ends.clone();
    let reading = arguments.reading.options();
    let (path, wants_trail, its_control) = (arguments.model.clone(), arguments.output.trail, Arc::clone(control));
    let wants_plan = arguments.output.plan;
    aside("check", arguments.output.quiet, control, move || match Model::read_by(&front_ends, &path, &reading) {
        Err(rejected) => Work::Rejected(rejected),
        Ok(model) if wants_trail && model.spin().is_none() => Work::Refused(format!(
            "`--trail` writes a trail for SPIN, which reads only Promela; `{}` is not a Promela model",
            path.display()
        )),
        Ok(mut model) if wants_plan => {
            let plan = lariat::plan(&mut model, &options, &its_control);
            Work::Planned(model, plan)
        }
        Ok(mut model) => {
            let checked = lariat::check(&mut model, &options, &its_control);
            Work::Done(model, Box::new(checked))
        }
    })
}

/// Works on another thread, showing progress on this one. An error if that thread panicked.
pub(crate) fn aside<T: Send + 'static>(
    name: &str,
    quiet: bool,
    control: &RunControl,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::thread::Result<T> {
    let (done, is_done) = mpsc::channel::<()>();
    let work = move || {
        // Dropped at the end, after a panic too.
        let _done = done;
        work()
    };
    let worker = start(name, work);
    let mut progress = Progress::new(quiet);
    while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(INTERVAL) {
        tell_notices(&mut progress, quiet, control);
        progress.update(control);
    }
    progress.finish();
    tell_notices(&mut progress, quiet, control);
    worker.join()
}

/// Writes what the run has to say to standard error.
fn tell_notices(progress: &mut Progress, quiet: bool, control: &RunControl) {
    for notice in control.take_notices() {
        if !quiet {
            progress.finish();
            output::note(&format!("{notice}\n"));
        }
    }
}

/// The first interrupt asks the run to stop and tell what it knows; the second ends the program.
pub(crate) fn stop_on_interrupt(control: &Arc<RunControl>) {
    let control = Arc::clone(control);
    let asked = AtomicBool::new(false);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        control.cancel();
    };
    // Without a handler an interrupt ends the program, which is what interrupts do.
    let _ = ctrlc::set_handler(handler);
}

fn tell(arguments: &CheckArgs, model: &Model, checked: &Checked, control: &RunControl) -> Exit {
    let model_name = arguments.model.display().to_string();
    let limit = WriteLimit::new(control);
    let (trail, trail_error) = match arguments.output.trail.then(|| save::trail(arguments, checked, &limit)) {
        None => (None, None),
        Some(Ok(trail)) => (trail, None),
        Some(Err(error)) => (None, Some(error)),
    };
    let origin = Origin {
        ltl: arguments.ltl.clone(),
        automata: arguments.automaton.clone(),
        fairness: saved::fairness_texts(&arguments.fairness.options()),
        ..saved::origin(model, &arguments.reading.options())
    };
    let context = Context {
        version: env!("CARGO_PKG_VERSION"),
        model: &model_name,
        origin: Some(&origin),
        sources: model.sources(),
        unreached: checked.unreached.as_deref(),
        keep_going: arguments.search.keep_going,
        has_disk: !arguments.memory.disk.is_empty(),
        trail: trail.as_deref(),
        peak_memory_bytes: lariat::peak_memory_bytes(),
        trace_lines: arguments.output.display.trace_lines(),
        limit: Some(&limit),
    };
    let own = model.warnings().iter().filter(|warning| !is_spoken_of(arguments, warning));
    let warnings: Vec<Diagnostic> = own.chain(&checked.warnings).cloned().collect();
    output::note(&diagnostics_text(model.sources(), &warnings, output::stderr_style()));
    let unwritten: Vec<Diagnostic> = trail_error
        .into_iter()
        .chain(save::trace(arguments, &context, checked).err())
        .chain(order_file::save(arguments, checked).err())
        .collect();
    unwritten.iter().for_each(|error| output::complain(&error.message));
    let printed = if arguments.output.json {
        let document = run_document(&context, &checked.settled, &warnings, &unwritten);
        output::show(&format_args!("{document}\n"))
    } else {
        output::show(&Results { context: &context, settled: &checked.settled, style: output::stdout_style() })
    };
    let verdicts = checked.settled.iter().map(|settled| match settled.report().verdict {
        // A number is information.
        Verdict::Holds | Verdict::Computed(_) => Exit::Holds,
        Verdict::Fails(_) => Exit::Fails,
        Verdict::Undecided(_) => Exit::Undecided,
    });
    let denied = deny::met(&arguments.output.deny, &checked.settled, &warnings);
    denied.iter().for_each(|line| output::complain(line));
    let verdicts = verdicts.chain(denied.iter().map(|_| Exit::Fails));
    verdicts.chain(unwritten.iter().map(|_| Exit::Usage)).max().unwrap_or(Exit::Holds).max(printed)
}

/// Whether a warning says that something is not used which the command line speaks of.
fn is_spoken_of(arguments: &CheckArgs, warning: &Diagnostic) -> bool {
    let name = warning.message.split('`').nth(1).unwrap_or_default();
    let speaks = |text: &String| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    matches!(warning.code, "P0602" | "P0603" | "P0608")
        && arguments.ltl.iter().chain(&arguments.ctl).chain(arguments.fairness.texts()).any(speaks)
}
