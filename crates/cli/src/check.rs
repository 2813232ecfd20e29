//! `lariat check`.
//!
//! The work is done on a thread of its own, with a large stack; the main thread shows progress. What the worker made is
//! printed at the end, by the main thread.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::output;
use crate::progress::{INTERVAL, Progress};
use crate::save;
use lariat::{CheckError, CheckOptions, Checked, Limits, Model, Options, ReadOptions, Rejected, RunControl, Verdict};
use lariat_base::{Diagnostic, SourceMap};
use lariat_render::{Context, diagnostics_text, errors_json, results_text, run_json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

/// Deep expressions are walked by recursion. Only what is used of it is ever taken from the machine.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// What the worker made of the model.
enum Work {
    Refused(String),
    Rejected(Rejected),
    Done(Model, Box<Result<Checked, CheckError>>),
}

pub(crate) fn run(arguments: CheckArgs) -> Exit {
    if let Some(option) = arguments.later.first_given() {
        output::complain(&format!("the option `{option}` is not in this release"));
        return Exit::Usage;
    }
    let limits =
        Limits { memory_bytes: arguments.memory.unwrap_or_else(lariat::default_memory_bytes), time: arguments.time };
    let control = Arc::new(limits.control());
    stop_on_interrupt(&control);
    let reading = arguments.reading.options();
    let options = CheckOptions {
        properties: arguments.property.clone(),
        engine: arguments.engine,
        allow_deadlock: arguments.allow_deadlock,
        options: Options {
            store: arguments.store,
            keep_going: arguments.keep_going,
            shortest: arguments.shortest,
            depth_limit: arguments.depth,
        },
    };
    let Some(work) = work_aside(&arguments, reading, options, &control) else {
        return Exit::Bug;
    };
    let (model, checked) = match work {
        Work::Refused(reason) => {
            output::complain(&reason);
            return Exit::Usage;
        }
        Work::Rejected(rejected) => return model_error(&arguments, &rejected.sources, &rejected.diagnostics),
        Work::Done(model, checked) => (model, *checked),
    };
    match checked {
        Ok(checked) => tell(&arguments, &model, &checked),
        Err(CheckError::Model(diagnostics)) => model_error(&arguments, model.sources(), &diagnostics),
        Err(CheckError::Refused(reason)) => {
            output::complain(&reason);
            Exit::Usage
        }
        Err(CheckError::Bug(message)) => {
            output::complain_of_bug(&message);
            Exit::Bug
        }
    }
}

/// Reads and checks on another thread, showing progress on this one. `None` if that thread panicked: it has said so.
fn work_aside(
    arguments: &CheckArgs,
    reading: ReadOptions,
    options: CheckOptions,
    control: &Arc<RunControl>,
) -> Option<Work> {
    let (done, is_done) = mpsc::channel::<()>();
    let (path, wants_trail, its_control) = (arguments.model.clone(), arguments.trail, Arc::clone(control));
    let work = move || {
        // Dropped at the end, be it a panic.
        let _done = done;
        match Model::read(&path, &reading) {
            Err(rejected) => Work::Rejected(rejected),
            Ok(model) if wants_trail && !model.is_promela() => Work::Refused(format!(
                "`--trail` writes a trail for SPIN, which reads Promela alone, and `{}` is no Promela",
                path.display()
            )),
            Ok(model) => {
                let checked = lariat::check(&model, &options, &its_control);
                Work::Done(model, Box::new(checked))
            }
        }
    };
    let worker = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES).spawn(work);
    let worker = worker.expect("a thread can be started");
    let mut progress = Progress::new(arguments.quiet);
    while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(INTERVAL) {
        progress.update(control);
    }
    progress.finish();
    worker.join().ok()
}

/// The first interrupt asks the run to stop and tell what it knows; the second ends the program.
fn stop_on_interrupt(control: &Arc<RunControl>) {
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

fn model_error(arguments: &CheckArgs, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
    output::note(&diagnostics_text(sources, diagnostics, output::stderr_style()));
    if arguments.json {
        let model = arguments.model.display().to_string();
        output::print(&format!("{:#}\n", errors_json(env!("CARGO_PKG_VERSION"), &model, sources, diagnostics)));
    }
    Exit::Usage
}

fn tell(arguments: &CheckArgs, model: &Model, checked: &Checked) -> Exit {
    let model_name = arguments.model.display().to_string();
    let (trail, trail_saved) = if arguments.trail { save::trail(arguments, checked) } else { (None, Exit::Holds) };
    let context = Context {
        version: env!("CARGO_PKG_VERSION"),
        model: &model_name,
        system: &checked.system,
        sources: model.sources(),
        unreached: checked.unreached.as_deref(),
        keep_going: arguments.keep_going,
        trail: trail.as_deref(),
        peak_memory_bytes: lariat::peak_memory_bytes(),
    };
    let warnings: Vec<Diagnostic> = model.warnings().iter().chain(&checked.warnings).cloned().collect();
    output::note(&diagnostics_text(model.sources(), &warnings, output::stderr_style()));
    if !checked.unchecked.is_empty() {
        let names = checked.unchecked.join(", ");
        output::note(&format!("note: only `safety` is checked in this release; not checked: {names}\n"));
    }
    if arguments.json {
        output::print(&format!("{:#}\n", run_json(&context, &checked.settled, &warnings)));
    } else {
        output::print(&results_text(&context, &checked.settled, output::stdout_style()));
    }
    let verdicts = checked.settled.iter().map(|settled| match settled.report().verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Fails(_) => Exit::Fails,
        Verdict::Undecided(_) => Exit::Undecided,
    });
    verdicts.chain([trail_saved, save::trace(arguments, &context, checked)]).max().unwrap_or(Exit::Holds)
}
