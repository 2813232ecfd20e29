//! `lariat report`, and the page of `lariat check --report`.

use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;
use crate::save;
use clap::Args;
use lariat_base::Diagnostic;
use lariat_render::Context;
use lariat_render::run_document;
use lariat_report::Page;
use std::path::{Path, PathBuf};

// The command line of `lariat report`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
The page is one HTML file that needs no network. It shows the run as a chart of messages, the state at every step, the source with \
where each process stands, its graph of control, the states around the run, fairness on the loop, and the property automaton.
`check --trace`, `simulate --json`, `replay --json` and `shorten --json` save all of this with the run. A document of `check \
--json` has no source text; `check --report` makes the page at once.

Exit codes: 0 the page is written, 2 usage error, or the file is not such a document, 70 an internal error.")]
pub(crate) struct ReportArgs {
    /// The trace: JSON (from `check --trace` or `--json` of `check`, `simulate`, `replay`, `shorten`)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    trace: PathBuf,
    /// Where to write the page; `-` is standard output [default: the name of the trace with `.html`]
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ReportArgs) -> Exit {
    let name = arguments.trace.display();
    let text = match std::fs::read_to_string(&arguments.trace) {
        Ok(text) => text,
        Err(error) => return refused(&format!("cannot read `{name}`: {error}")),
    };
    let page = match Page::of_text(&text) {
        Ok(page) => page,
        Err(reason) => return refused(&format!("`{name}` cannot be shown: {reason}{}", way_out(&arguments.trace))),
    };
    let path = match &arguments.output {
        Some(path) if path == Path::new("-") => PathBuf::from("/dev/stdout"),
        Some(path) => path.clone(),
        None => arguments.trace.with_extension("html"),
    };
    let refusal = Refusal::new(&arguments.trace, false);
    if let Err(exit) = save::ensure_writable(&[("--output", Some(&path))], &[&arguments.trace], &refusal) {
        return exit;
    }
    match save::write(&path, &page) {
        Ok(()) => {
            note_written(&path);
            Exit::Holds
        }
        Err(error) => refused(&error.message),
    }
}

/// What makes a page of a file that is no document.
fn way_out(path: &Path) -> &'static str {
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    match ending.as_str() {
        "trail" => "; `lariat replay MODEL TRAIL --json` makes a document of a trail",
        "pml" | "prom" | "prm" | "promela" | "spin" | "smv" | "sys" => {
            "; `lariat check MODEL --report FILE` makes a page about a model"
        }
        _ => "",
    }
}

fn refused(reason: &str) -> Exit {
    output::complain(reason);
    Exit::Usage
}

/// Says where the page is, unless it went to standard output.
pub(crate) fn note_written(path: &Path) {
    if path != Path::new("/dev/stdout") {
        output::note(&format!("note: the report is in `{}`\n", path.display()));
    }
}

/// Writes the page about the answers of a check.
pub(crate) fn write(
    path: &Path,
    context: &Context<'_>,
    settled: &[lariat::Settled],
    warnings: &[Diagnostic],
) -> Result<(), Diagnostic> {
    let context = &Context { with_model: true, with_graphs: true, ..*context };
    save::write(path, &Page::of_run(run_document(context, settled, warnings, &[])))?;
    save::note_cut(path, context.limit);
    note_written(path);
    Ok(())
}
