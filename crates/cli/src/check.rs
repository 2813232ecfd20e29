//! `lariat check`.
//!
//! The work is done on a thread of its own, with a large stack, which also tells answers as they come (`teller.rs`); the main
//! thread shows progress, and what is left to say at the end.

use crate::args::{CheckArgs, ReductionWanted, SimplifyWanted};
use crate::exit::{Exit, start_in};
use crate::interrupt::Interrupts;
use crate::order_file;
use crate::output::{self, Form};
use crate::progress::{INTERVAL, Progress, SharedProgress};
use crate::refusal::Refusal;
use crate::save;
use crate::teller::{self, Record, Teller};
use lariat::front::FrontEnds;
use lariat::{
    CheckError, CheckOptions, CheckPlan, Checked, Cluster, CoverageWanted, Engines, Limits, Model, Options, Rejected,
    ResumedRun, RunControl, Simplify, WhenFull,
};
use lariat_engine::{Disk, Engine as _, FairSearch, Shortfall};
use lariat_render::{plan_document, plans_text};
use lariat_system::Simplifications;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

/// The engines that have run directories; the first is taken where none is named.
pub(crate) fn engines_on_disk(engines: &Engines) -> Vec<&'static str> {
    engines.iter().filter(|engine| engine.has_run_directory()).map(|engine| engine.name()).collect()
}

/// The name of standard input on the command line, and as a file.
pub(crate) const STANDARD_INPUT: (&str, &str) = ("-", "/dev/stdin");

/// What the worker made of the model.
enum Work {
    Refused(String),
    /// The model was not even read.
    Short(Shortfall),
    Rejected(Rejected),
    Done(Model, Box<Checked>, Record),
    Failed(Model, CheckError),
    Planned(Model, Result<CheckPlan, CheckError>),
}

/// A run that is to go on.
pub(crate) struct Resumed {
    pub(crate) directory: PathBuf,
    /// Which of those on disk.
    pub(crate) engine: &'static str,
    pub(crate) run: ResumedRun,
    /// The command line of the run.
    pub(crate) command: Vec<String>,
}

/// Checks the model, or goes on with one of its properties.
pub(crate) fn run(
    arguments: &CheckArgs,
    engines: &Engines,
    front_ends: &FrontEnds,
    resumed: Option<Resumed>,
    interrupts: &Interrupts,
) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.output.form());
    if arguments.output.display.is_given() && arguments.output.form() != Form::Text {
        return refusal
            .of_request("`--trace-lines` is for traces that are shown as text; leave out `--json` or `--json-lines`");
    }
    if let Err(exit) = ensure_writable(arguments, &refusal) {
        return exit;
    }
    let options = match check_options(arguments, engines, resumed) {
        Ok(options) => options,
        Err(reason) => return refusal.of_request(&reason),
    };
    match catch_unwind(AssertUnwindSafe(|| answer(arguments, front_ends, options, &refusal, interrupts))) {
        Ok(exit) => exit,
        Err(panic) => refusal.of_panic(&*panic),
    }
}

/// A refusal if some file that is asked for cannot be written.
pub(crate) fn ensure_writable(arguments: &CheckArgs, refusal: &Refusal) -> Result<(), Exit> {
    let (output, search) = (&arguments.output, &arguments.search);
    let trail = output.trail.then(|| PathBuf::from(save::trail_name(&arguments.model)));
    let outputs = [
        ("--trail", trail.as_deref()),
        ("--trace", output.trace.as_deref()),
        ("--report", output.report.as_deref()),
        ("--coverage", output.coverage.as_deref()),
        ("--write-order", search.write_order.as_deref()),
    ];
    let models = std::iter::once(&arguments.model).chain(&arguments.more).map(PathBuf::as_path);
    save::ensure_writable(&outputs, &models.collect::<Vec<_>>(), refusal)
}

/// What the command line asks for, as options of the library; or why that cannot be done.
pub(crate) fn check_options(
    arguments: &CheckArgs,
    engines: &Engines,
    resumed: Option<Resumed>,
) -> Result<CheckOptions, String> {
    let search = &arguments.search;
    let is_random = |name: &str| engines.iter().any(|engine| engine.name() == name && engine.is_random());
    let store = arguments.memory.store_kind(arguments.search.engine.0.is_some_and(is_random))?;
    let has_workers = |name: &str| engines.iter().any(|engine| engine.name() == name && engine.has_workers());
    if search.workers.is_some() && !search.engine.0.is_some_and(has_workers) {
        let names = engines.iter().filter(|engine| engine.has_workers()).map(|engine| engine.name());
        let names: Vec<String> = names.map(|name| format!("`--engine {name}`")).collect();
        return Err(format!("`--workers` needs {}; other engines take `--threads`", names.join(" or ")));
    }
    if search.audit && search.por == ReductionWanted::Off {
        return Err("`--audit` compares a reduced search with the whole graph: leave out `--por off`".to_owned());
    }
    let order = arguments.search.order.as_deref().map(order_file::read).transpose()?;
    let engine = resumed.as_ref().map(|resumed| resumed.engine).or(arguments.search.engine.0);
    let goes_to_disk = may_go_to_disk(arguments, engine);
    let mut on_disk = engines_on_disk(engines);
    if !arguments.memory.disk.is_empty() {
        // With a folder its processes keep what they have finished.
        on_disk.extend(engines.iter().filter(|engine| engine.has_workers()).map(|engine| engine.name()));
    }
    let disk = match disk(arguments, engine, &on_disk, resumed.as_ref())? {
        // What cannot be kept in a run directory stops when memory is full.
        None if goes_to_disk => run_on_disk(arguments, None).ok(),
        disk => disk,
    };
    let when_full = arguments.memory.when_full().or((goes_to_disk && disk.is_some()).then_some(WhenFull::Disk));
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
        threads: search.workers.or(search.threads),
        when_full: when_full.filter(|_| resumed.is_none()),
        resumed,
        coverage: match (&arguments.output.coverage, arguments.output.profile) {
            (None, _) => CoverageWanted::No,
            (Some(_), false) => CoverageWanted::Only,
            (Some(_), true) => CoverageWanted::BesideProfile,
        },
        writes_order: arguments.search.write_order.is_some(),
        reduce_if_possible: search.por == ReductionWanted::Auto,
        simplify: match (search.simplify, search.por) {
            (SimplifyWanted::Auto, ReductionWanted::Auto) => Simplify::WhereLarge(Simplifications::ALL),
            (SimplifyWanted::Auto | SimplifyWanted::Off, _) => Simplify::Never,
            (SimplifyWanted::These(what), _) => Simplify::Always(what),
        },
        audit: search.audit,
        options: Options {
            store,
            keep_going: arguments.search.keep_going,
            shortest: arguments.search.shortest,
            pool_may_grow: false,
            depth_limit: arguments.search.depth,
            profile: arguments.output.profile || arguments.output.coverage.is_some(),
            reduce: search.por == ReductionWanted::On || search.audit,
            code: arguments.search.code,
            seed: arguments.memory.seed.unwrap_or(0),
            runs: arguments.memory.runs,
            disk,
            acceptance: arguments.search.acceptance,
            temporal_by: arguments.search.temporal_by,
            fair: FairSearch {
                by: arguments.search.fair_search,
                prune: arguments.search.fair_prune,
                restrict: arguments.search.fair_restrict,
                compassion: arguments.search.compassion_by,
            },
            heuristic: arguments.search.heuristic,
            gpu_memory_bytes: arguments.memory.gpu_memory,
            order,
            ..Options::default()
        },
    })
}

/// Checks the model and tells the answer: how the program ends.
fn answer(
    arguments: &CheckArgs,
    front_ends: &FrontEnds,
    options: CheckOptions,
    refusal: &Refusal,
    interrupts: &Interrupts,
) -> Exit {
    let limits = Limits {
        memory_bytes: arguments.memory.memory.unwrap_or_else(lariat::default_memory_bytes),
        time: arguments.search.time,
    };
    let mut control = limits.control().of_program(lariat::allocated_memory_bytes);
    control.property_time_limit = arguments.search.time_per_property;
    let control = Arc::new(control);
    interrupts.tell(&control);
    let (quiet, form) = (arguments.output.quiet, arguments.output.form());
    match aside("check", quiet, form, &control, |progress| work(arguments, front_ends, &options, &control, progress)) {
        Err(panic) => refusal.of_panic(&*panic),
        Ok(Work::Refused(reason)) => refusal.of_request(&reason),
        Ok(Work::Short(shortfall)) => refusal.of_shortfall(&shortfall),
        Ok(Work::Rejected(rejected)) => refusal.of_model(&rejected.sources, &rejected.diagnostics),
        Ok(Work::Done(model, checked, record)) => teller::finish(arguments, &model, &checked, &control, record),
        Ok(Work::Failed(model, error)) => refusal.of_error(model.sources(), &error),
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

/// Whether a search in memory may go on, on disk, without being asked to. That needs a model which `lariat resume` can read again.
fn may_go_to_disk(arguments: &CheckArgs, engine: Option<&str>) -> bool {
    let is_file = arguments.model != Path::new(STANDARD_INPUT.1);
    arguments.memory.may_go_to_disk() && engine.is_none() && is_file
}

/// Where to put what memory has no room for, and what a run directory is to say of how the run was asked for; or which option
/// has no effect.
fn disk(
    arguments: &CheckArgs,
    engine: Option<&str>,
    on_disk: &[&str],
    resumed: Option<&Resumed>,
) -> Result<Option<Disk>, String> {
    let memory = &arguments.memory;
    let has_runs = |name: &str| on_disk.contains(&name);
    let then = memory.when_full();
    let keeps_run = engine.is_some_and(has_runs) || matches!(then, Some(WhenFull::Engine(name)) if has_runs(name));
    let given = [
        ("--checkpoint-every", memory.checkpoint_every.is_some()),
        ("--buffer-states", memory.buffer_states.is_some() && !may_go_to_disk(arguments, engine)),
    ];
    if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given && !keeps_run) {
        let ways: Vec<String> = on_disk.iter().map(|name| format!("`--engine {name}`, `--when-full {name}`")).collect();
        return Err(format!("`{option}` is for searches on disk; use one of {}", ways.join(", ")));
    }
    if engine == Some(Cluster::LOCAL.name()) && !memory.disk.is_empty() && memory.stops_when_full() {
        return Err(
            "`cluster` with `--disk` goes on there when memory is full: leave out `--when-full stop` or `--disk`"
                .to_owned(),
        );
    }
    if memory.disk.is_empty() && !keeps_run {
        return Ok(None);
    }
    // `auto` takes a search on disk where a folder is given.
    if (keeps_run || engine.is_none()) && arguments.model == Path::new(STANDARD_INPUT.1) {
        return Err(
            "`lariat resume` reads the model again, so a search on disk needs a model file and not `-`".to_owned()
        );
    }
    run_on_disk(arguments, resumed).map(Some)
}

/// The same for a search on disk.
fn run_on_disk(arguments: &CheckArgs, resumed: Option<&Resumed>) -> Result<Disk, String> {
    let memory = &arguments.memory;
    let working_folder = std::env::current_dir().unwrap_or_default();
    let named = [&arguments.model, &working_folder, &std::env::temp_dir()].map(|path| path.to_str().is_some());
    let ([true, true, true], Some(model)) = (named, arguments.model.to_str()) else {
        return Err(
            "a run directory cannot keep names that are not UTF-8: of the model, of the folder that the program is \
                    started in, or of the folder for temporary files"
                .to_owned(),
        );
    };
    let absolute = |folder: PathBuf| std::path::absolute(&folder).unwrap_or(folder);
    let command = match resumed {
        Some(resumed) => resumed.command.clone(),
        None => {
            let words = std::env::args_os().skip(1).map(OsString::into_string).collect::<Result<_, _>>();
            words.map_err(|word| format!("a run directory cannot keep the argument {word:?}: it is not UTF-8"))?
        }
    };
    Ok(Disk {
        folders: memory.disk.iter().cloned().map(absolute).collect(),
        resume: resumed.map(|resumed| resumed.directory.clone()),
        command,
        working_folder,
        model: model.to_owned(),
        defines: arguments.reading.defines().iter().map(|(name, value)| format!("{name}={value}")).collect(),
        buffer_states: memory.buffer_states,
        checkpoint_ms: memory.checkpoint_every.map(|every| every.as_millis() as u64),
        ..Disk::default()
    })
}

/// Reads and checks the model.
fn work(
    arguments: &CheckArgs,
    front_ends: &FrontEnds,
    options: &CheckOptions,
    control: &RunControl,
    progress: &SharedProgress,
) -> Work {
    let path = &arguments.model;
    let mut model = match Model::read_within(front_ends, path, &arguments.reading.options(), control) {
        Ok(Ok(model)) => model,
        Ok(Err(rejected)) => return Work::Rejected(rejected),
        Err(shortfall) => return Work::Short(shortfall),
    };
    if arguments.output.trail && model.spin().is_none() {
        return Work::Refused(format!(
            "`--trail` writes a trail for SPIN, which reads only Promela; `{}` is not a Promela model",
            path.display()
        ));
    }
    if arguments.output.plan {
        let plan = lariat::plan(&mut model, options, control);
        return Work::Planned(model, plan);
    }
    let mut teller = Teller::new(arguments, control, progress);
    match lariat::check_with(&mut model, options, control, &mut teller) {
        Ok(checked) => Work::Done(model, Box::new(checked), teller.into_record()),
        Err(error) => Work::Failed(model, error),
    }
}

/// Works on another thread, showing progress on this one. An error if that thread panicked.
pub(crate) fn aside<T: Send>(
    name: &str,
    quiet: bool,
    form: Form,
    control: &RunControl,
    work: impl FnOnce(&SharedProgress) -> T + Send,
) -> std::thread::Result<T> {
    let progress = Mutex::new(Progress::new(quiet, form));
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let worker = start_in(scope, name, || {
            // Dropped at the end, after a panic too.
            let _done = done;
            work(&progress)
        });
        while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(INTERVAL) {
            // While the worker prints there is nothing to be shown.
            if let Ok(mut progress) = progress.try_lock() {
                progress.update(control);
            }
        }
        let result = worker.join();
        progress.lock().unwrap_or_else(PoisonError::into_inner).finish(control);
        result
    })
}
