//! Files that `lariat check` writes beside its answer: traces and trails.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::output;
use lariat::{Checked, Settled};
use lariat_engine::{Evidence, Story};
use lariat_render::{Context, TraceView, trace_document_json, trail_text};
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Writes the trace of the first failure where it was asked for.
pub(crate) fn trace(arguments: &CheckArgs, context: &Context<'_>, checked: &Checked) -> Exit {
    let Some(path) = &arguments.trace else { return Exit::Holds };
    let Some((settled, evidence, story)) = first_failure(checked) else {
        output::note(&format!("note: nothing fails, so there is no trace to save in `{}`\n", path.display()));
        return Exit::Holds;
    };
    let view = TraceView::new(context.system, context.sources, evidence, story);
    let document = format!("{:#}\n", trace_document_json(context, settled.name(), &view));
    match std::fs::write(path, document) {
        Ok(()) => Exit::Holds,
        Err(error) => cannot_write(path, &error),
    }
}

/// Writes the trail of the first failure into the current folder, as SPIN's verifiers do; returns its name if there is
/// one now.
pub(crate) fn trail(arguments: &CheckArgs, checked: &Checked) -> (Option<String>, Exit) {
    let mut name = arguments.model.file_name().map(OsString::from).unwrap_or_default();
    name.push(".trail");
    let path = Path::new(&name);
    let Some((_, evidence, story)) = first_failure(checked) else {
        output::note(&format!("note: nothing fails, so there is no trail to save in `{}`\n", path.display()));
        return (None, Exit::Holds);
    };
    if let Err(error) = replace(path, &trail_text(&checked.system, evidence, story)) {
        return (None, cannot_write(path, &error));
    }
    let shown = path.display().to_string();
    if !arguments.json {
        let model = arguments.model.display();
        // SPIN writes trails into the current folder, but looks for them beside the model.
        let option =
            if arguments.model.parent() == Some(Path::new("")) { String::new() } else { format!(" -k {shown}") };
        output::note(&format!("note: the trail is in `{shown}`; `spin -t -p{option} {model}` shows it\n"));
    }
    (Some(shown), Exit::Holds)
}

fn first_failure(checked: &Checked) -> Option<(&Settled, &Evidence, &Story)> {
    checked.settled.iter().find_map(|settled| {
        let (evidence, story) = settled.failures().next()?;
        Some((settled, evidence, story))
    })
}

/// Puts a new content into the file, or leaves it as it was: nobody ever sees a part.
fn replace(path: &Path, content: &str) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let unfinished = Path::new(&name);
    let done = std::fs::write(unfinished, content).and_then(|()| std::fs::rename(unfinished, path));
    if done.is_err() {
        let _ = std::fs::remove_file(unfinished);
    }
    done
}

fn cannot_write(path: &Path, error: &io::Error) -> Exit {
    output::complain(&format!("cannot write `{}`: {error}", path.display()));
    Exit::Usage
}
