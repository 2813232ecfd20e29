//! `lariat replay`.

use crate::args::{DisplayArgs, ReadArgs};
use crate::exit::{Exit, start};
use crate::interrupt;
use crate::output;
use crate::refusal::Refusal;
use crate::saved::SavedRun;
use crate::units::{parse_bytes, parse_duration};
use clap::Args;
use lariat::Limits;
use lariat::front::FrontEnds;
use lariat_render::{ReplayText, Replayed, WriteLimit, replay_document};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

// The command line of `lariat replay`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
A JSON trace contains the options that it was made with. They are used unless you give others.

Exit codes: 0 it replays and ends as it says, 1 it does not, 2 usage or model error, or the file is not a trace, 3 a limit was \
reached before that was known, 70 an internal error.")]
pub(crate) struct ReplayArgs {
    /// The model
    #[arg(index = 1, value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// The trace: JSON (from `check --trace` or `check --json`), or SPIN's `.trail`
    #[arg(index = 2, value_hint = clap::ValueHint::FilePath)]
    pub(crate) trace: PathBuf,
    /// Of a document with several traces, the one of this property [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    /// Memory limit, like `512M` or `4G` [default: 80 % of available memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Time limit, like `90s` or `2h` [default: none]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    time: Option<Duration>,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Show only whether it replays, and how it ends
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    display: DisplayArgs,
}

pub(crate) fn run(arguments: ReplayArgs, front_ends: &FrontEnds) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.json);
    let its_refusal = refusal.clone();
    // Deep expressions are walked by recursion.
    let front_ends = front_ends.clone();
    let work = move || replay(&arguments, &front_ends, &its_refusal);
    start("replay", work).join().unwrap_or_else(|panic| refusal.of_panic(&*panic))
}

fn replay(arguments: &ReplayArgs, front_ends: &FrontEnds, refusal: &Refusal) -> Exit {
    let ReplayArgs { model, trace, property, reading, memory, time, json, quiet, display } = arguments;
    let run = match SavedRun::read(model, trace, property.as_deref(), reading, front_ends, refusal) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    let limits = Limits { memory_bytes: memory.unwrap_or_else(lariat::default_memory_bytes), time: *time };
    let control = Arc::new(limits.control());
    interrupt::listen(&control);
    let search = match run.find(&control) {
        Ok(search) => search,
        Err(error) => return refusal.of_error(run.model.sources(), &error),
    };
    let replayed = Replayed {
        name: run.name(),
        property: run.property(),
        saved: &run.saved,
        system: &search.system,
        found: search.found.as_ref().map_err(|no_run| &**no_run),
    };
    let limit = WriteLimit::new(&control);
    let context = run.context(None, Some(&limit), display.trace_lines());
    let printed = if *json {
        output::show(&format_args!("{}\n", replay_document(&context, &replayed)))
    } else {
        let (replayed, style) = (&replayed, output::stdout_style());
        output::show(&ReplayText { context: &context, replayed, quiet: *quiet, style })
    };
    let exit = match &search.found {
        Ok(_) => Exit::Holds,
        Err(no_run) if no_run.shortfall.is_some() => Exit::Undecided,
        Err(_) => Exit::Fails,
    };
    exit.max(printed)
}
