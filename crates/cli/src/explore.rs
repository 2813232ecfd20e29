//! `lariat explore`: reads the model and serves it; the server is the crate `explore`.

use crate::args::ReadArgs;
use crate::exit::{Exit, start};
use crate::output;
use crate::refusal::Refusal;
use crate::saved::{self, SavedRun};
use crate::units::parse_bytes;
use clap::Args;
use lariat::front::FrontEnds;
use lariat::{CheckError, Explorer, Limits, Model, NoWalk, Walk};
use lariat_engine::FailureKind;
use lariat_engine::find_run::FoundEnd;
use lariat_explore::{Served, Server};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

// The command line of `lariat explore`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lariat explore mutex.pml                      print an address; open it in a browser
  lariat explore mutex.pml --open               open it at once
  lariat explore mutex.pml --from trace.json    begin at the end of a saved run

The page shows the run so far as `lariat report` does, and lists what can happen at each of its states. Checks can be started \
from any state. Each tab is at a place of its own, which its address says.
Only this machine can reach the page, and only with the token in its address: treat the address as a password.
Ctrl-C ends it, and so does the button `End Lariat`.

Exit codes: 0 it was ended, 2 usage or model error, or the port is taken, 70 an internal error.")]
pub(crate) struct ExploreArgs {
    /// The model
    #[arg(value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,
    /// Begin at the end of this saved run: a trace of `check --trace`, a walk that the page saved, or a trail of SPIN
    #[arg(long, value_name = "TRACE", value_hint = clap::ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// The port to listen at [default: one that is free]
    #[arg(long, value_name = "PORT", default_value = "0", hide_default_value = true)]
    port: u16,
    /// Open the page in the default browser
    #[arg(long)]
    open: bool,
    /// End when the last tab with the page is closed
    #[arg(long)]
    end_when_closed: bool,
    /// Memory limit for the checks that the page starts, like `512M` or `4G` [default: 80 % of available memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    #[command(flatten)]
    reading: ReadArgs,
}

pub(crate) fn run(arguments: ExploreArgs, front_ends: &FrontEnds) -> Exit {
    let stop = Arc::new(AtomicBool::new(false));
    let its_stop = Arc::clone(&stop);
    // Without a handler an interrupt ends the program, which is what interrupts do.
    let _ = ctrlc::set_handler(move || {
        if its_stop.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    for signal in crate::interrupt::ENDING {
        let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
    }
    let refusal = Refusal::new(&arguments.model, false);
    let its_refusal = refusal.clone();
    let front_ends = front_ends.clone();
    // Deep expressions are walked by recursion.
    let work = move || serve(&arguments, &front_ends, &its_refusal, &stop).unwrap_or_else(|exit| exit);
    start("explore", work).join().unwrap_or_else(|panic| refusal.of_panic(&*panic))
}

fn serve(
    arguments: &ExploreArgs,
    front_ends: &FrontEnds,
    refusal: &Refusal,
    stop: &Arc<AtomicBool>,
) -> Result<Exit, Exit> {
    let (explorer, begin, reading) = match &arguments.from {
        None => {
            let options = arguments.reading.options();
            let model = Model::read_by(front_ends, &arguments.model, &options)
                .map_err(|rejected| refusal.of_model(&rejected.sources, &rejected.diagnostics))?;
            output::note_unused_defines(&model);
            (explorer(model, refusal)?, Walk::default(), options)
        }
        Some(trace) => {
            let run = SavedRun::read(&arguments.model, trace, None, &arguments.reading, front_ends, refusal)?;
            let control = Limits { memory_bytes: lariat::default_memory_bytes(), time: None }.control();
            let search = run.find(&control).map_err(|error| refusal.of_error(run.model.sources(), &error))?;
            let shown = trace.display();
            let Ok(found) = search.found else {
                return Err(refusal.of_request(&format!("`{shown}` does not replay; see `lariat replay`")));
            };
            let fault = match found.ended {
                FoundEnd::Failure(FailureKind::Fault(fault)) => Some(fault),
                _ => None,
            };
            let reading = run.reading().clone();
            let explorer = explorer(run.model, refusal)?;
            let walk = explorer.walk_of(&found.story, fault, &control);
            let walk = walk.map_err(|error: NoWalk| refusal.of_request(&format!("`{shown}`: {error}")))?;
            (explorer, walk, reading)
        }
    };
    let server = Server::bind(arguments.port).map_err(|reason| refusal.of_request(&reason))?;
    let address = server.address();
    let served = Served {
        origin: saved::origin(explorer.model(), &reading),
        explorer,
        model_name: arguments.model.display().to_string(),
        begin,
        version: env!("CARGO_PKG_VERSION"),
        memory_bytes: arguments.memory.unwrap_or_else(lariat::default_memory_bytes),
    };
    output::print(&format!("{address}\n"));
    output::note("note: open this address in a browser; Ctrl-C ends\n");
    if arguments.open
        && let Err(error) = open(&address)
    {
        output::note(&format!("warning: no browser could be opened: {error}\n"));
    }
    server.run(served, stop, arguments.end_when_closed).map_err(|reason| refusal.of_request(&reason))?;
    Ok(Exit::Holds)
}

fn explorer(model: Model, refusal: &Refusal) -> Result<Explorer, Exit> {
    let sources = model.sources().clone();
    Explorer::new(model).map_err(|error: CheckError| refusal.of_error(&sources, &error))
}

/// Opens an address as the desktop does.
fn open(address: &str) -> std::io::Result<()> {
    let (program, arguments): (&str, &[&str]) = match () {
        () if cfg!(target_os = "macos") => ("open", &[]),
        () if cfg!(windows) => ("cmd", &["/c", "start", ""]),
        () => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
