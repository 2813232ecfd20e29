//! `lariat shorten`.

use crate::args::{DisplayArgs, ReadArgs};
use crate::exit::{Exit, start};
use crate::interrupt;
use crate::output;
use crate::refusal::Refusal;
use crate::save;
use crate::saved::SavedRun;
use crate::units::{parse_bytes, parse_duration};
use clap::Args;
use lariat::Limits;
use lariat::front::FrontEnds;
use lariat_engine::find_run::ClaimedEnd;
use lariat_render::{
    ReplayText, Replayed, Shortening, ShorteningText, TraceView, WriteLimit, replay_document, shorten_document,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

// The command line of `lariat shorten`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
A JSON trace contains the options that it was made with. They are used unless you give others. What is shown \
is never longer than the given trace, and has been replayed.

Exit codes: 0 there is a trace no longer than the given one, 1 the given one does not replay, 2 usage or model error, or \
the file is not a trace, 3 a limit was reached before the given one was replayed, 70 an internal error.")]
pub(crate) struct ShortenArgs {
    /// The model
    #[arg(index = 1, value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,
    /// The trace: JSON (from `check --trace` or `check --json`), or SPIN's `.trail`
    #[arg(index = 2, value_hint = clap::ValueHint::FilePath)]
    given: PathBuf,
    /// Of a document with several traces, the one of this property [default: the first]; of a trail, the property that its
    /// cycle breaks
    #[arg(long, value_name = "NAME")]
    property: Option<String>,
    #[command(flatten)]
    reading: ReadArgs,
    /// Memory limit, like `512M` or `4G` [default: 80 % of available memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Time limit of the search, like `90s` or `2h`
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_duration)]
    time: Duration,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    json: bool,
    /// Save the shorter trace as JSON
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    trace: Option<PathBuf>,
    /// Save the shorter trail as `MODEL.trail` in the current folder, for `spin -t` (Promela)
    #[arg(long)]
    trail: bool,
    /// Show only how long it is, and whether it is a shortest one
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    display: DisplayArgs,
}

pub(crate) fn run(arguments: ShortenArgs, front_ends: &FrontEnds) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.json);
    let its_refusal = refusal.clone();
    // Deep expressions are walked by recursion.
    let front_ends = front_ends.clone();
    let work = move || shorten(&arguments, &front_ends, &its_refusal);
    start("shorten", work).join().unwrap_or_else(|panic| refusal.of_panic(&*panic))
}

fn shorten(arguments: &ShortenArgs, front_ends: &FrontEnds, refusal: &Refusal) -> Exit {
    let ShortenArgs { model, given, property, reading, memory, time, json, trace, trail, quiet, display } = arguments;
    let trail_name = trail.then(|| PathBuf::from(save::trail_name(model)));
    let outputs = [("--trace", trace.as_deref()), ("--trail", trail_name.as_deref())];
    // The given trace may be replaced by the shorter one.
    if let Err(exit) = save::ensure_writable(&outputs, &[model], refusal) {
        return exit;
    }
    let run = match SavedRun::read(model, given, property.as_deref(), reading, front_ends, refusal) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    if *trail && run.model.spin().is_none() {
        return refusal.of_request("`--trail` writes a trail for SPIN, which reads only Promela");
    }
    let limits = Limits { memory_bytes: memory.unwrap_or_else(lariat::default_memory_bytes), time: Some(*time) };
    let control = Arc::new(limits.control());
    interrupt::listen(&control);
    let search = match run.find(&control) {
        Ok(search) => search,
        Err(error) => return refusal.of_error(run.model.sources(), &error),
    };
    let style = output::stdout_style();
    let system = &search.system;
    let found = match &search.found {
        Ok(found) => found,
        Err(no_run) => {
            let limit = WriteLimit::new(&control);
            let context = run.context(None, Some(&limit), display.trace_lines());
            let replayed =
                Replayed { name: run.name(), property: run.property(), saved: &run.saved, system, found: Err(no_run) };
            let printed = match json {
                true => output::show(&format_args!("{}\n", replay_document(&context, &replayed))),
                false => output::show(&ReplayText { context: &context, replayed: &replayed, quiet: *quiet, style }),
            };
            let exit = if no_run.shortfall.is_some() { Exit::Undecided } else { Exit::Fails };
            return exit.max(printed);
        }
    };
    if run.saved.claim() == ClaimedEnd::Shows {
        let reason = "the trace shows a formula of branching time, and `shorten` is for runs that end in a failure; \
                      `replay` shows it";
        return refusal.of_request(reason);
    }
    let shorter = match lariat::shorten(&run.model, &search, &control) {
        Ok(shorter) => shorter,
        Err(error) => return refusal.of_error(run.model.sources(), &error),
    };
    // The search may have used all of its time, and what it found is to be seen.
    let written = trail.then(|| save::trail_of(model, *json, system, &shorter.story, None)).transpose();
    let trail_name = written.as_ref().ok().and_then(Option::as_deref);
    let shortening = Shortening {
        name: run.name(),
        property: run.property(),
        before: found.story.step_count(),
        view: TraceView::new(system, run.model.sources(), &shorter.evidence, &shorter.story),
        proven: shorter.proven,
        stopped: shorter.stopped,
    };
    let context = run.context(trail_name, None, display.trace_lines());
    let document = shorten_document(&context, &shortening);
    let saved = trace.as_ref().map(|path| save::write(path, &format_args!("{document}\n"))).transpose();
    let mut exit = Exit::Holds;
    for error in [written.as_ref().err(), saved.as_ref().err()].into_iter().flatten() {
        output::complain(&error.message);
        exit = Exit::Usage;
    }
    exit.max(match json {
        true => output::show(&format_args!("{document}\n")),
        false => output::show(&ShorteningText { context: &context, shortening: &shortening, quiet: *quiet, style }),
    })
}
