//! `lariat replay`.

use crate::args::ReadArgs;
use crate::check::STACK_BYTES;
use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;
use crate::saved::SavedRun;
use clap::Args;
use lariat_render::{Replayed, lost_text, replayed_json, replayed_text};
use std::path::PathBuf;

/// The command line of `lariat replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
The options that the trace was made with are in a trace of ours, and are used unless others are given here.

Exit codes: 0 it replays and ends as it says, 1 it does not, 2 usage or model error, or the file is no trace, 70 a bug \
of ours.")]
pub(crate) struct ReplayArgs {
    /// The model: Promela, or a system in text form (`.sys`)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// The trace: JSON of ours (`check --trace`, `check --json`), or SPIN's `.trail`
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) trace: PathBuf,
    /// Of a document with several traces, the one of this property [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Show only whether it replays, and how it ends
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

pub(crate) fn run(arguments: ReplayArgs) -> Exit {
    let refusal = Refusal::new(&arguments.model, arguments.json);
    let its_refusal = refusal.clone();
    // Deep expressions are walked by recursion.
    let work = move || replay(&arguments, &its_refusal);
    let worker = std::thread::Builder::new().name("replay".to_owned()).stack_size(STACK_BYTES).spawn(work);
    worker.expect("a thread can be started").join().unwrap_or_else(|panic| refusal.of_panic(&*panic))
}

fn replay(arguments: &ReplayArgs, refusal: &Refusal) -> Exit {
    let ReplayArgs { model, trace, property, reading, json, quiet } = arguments;
    let run = match SavedRun::read(model, trace, property.as_deref(), reading, refusal) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    let retelling = match run.retell() {
        Ok(retelling) => retelling,
        Err(error) => return refusal.of_error(run.model.sources(), &error),
    };
    let replayed = Replayed {
        name: run.name(),
        property: run.property(),
        saved: &run.saved,
        system: &retelling.system,
        told: retelling.told.as_ref().map_err(|lost| &**lost),
    };
    let style = output::stdout_style();
    let text = run.with_context(None, |context| match &retelling.told {
        _ if *json => format!("{:#}\n", replayed_json(context, &replayed)),
        Ok(_) => replayed_text(context, &replayed, *quiet, style),
        Err(lost) => lost_text(context, &replayed, lost, *quiet, style),
    });
    let exit = if retelling.told.is_ok() { Exit::Holds } else { Exit::Fails };
    exit.max(output::print(&text))
}
