//! Files that commands write beside their answer: traces and trails.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::output;
use lariat::{Checked, Settled};
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Evidence, Story};
use lariat_render::{Context, TrailText, WriteLimit, settled_trace_document, shortfall_text};
use lariat_system::System;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

/// Writes the trace of a failure where it was asked for.
pub(crate) fn trace(
    arguments: &CheckArgs,
    context: &Context<'_>,
    settled: &Settled,
    evidence: &Evidence,
    story: &Story,
) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.output.trace else { return Ok(()) };
    let context = &Context { with_model: true, ..*context };
    let document = settled_trace_document(context, settled, evidence, story);
    write(path, &format_args!("{document}\n"))?;
    note_cut(path, context.limit);
    Ok(())
}

/// An error if a file that is to be written, given with its option, is one that is read, or is written twice.
pub(crate) fn ensure_distinct(outputs: &[(&str, Option<&Path>)], inputs: &[&Path]) -> Result<(), String> {
    // Standard output and its like are no files that could be lost.
    let given = || {
        outputs.iter().filter_map(|&(option, path)| Some((option, path?))).filter(|(_, path)| !path.starts_with("/dev"))
    };
    for (number, (option, path)) in given().enumerate() {
        if inputs.iter().any(|input| is_same(path, input)) {
            let path = path.display();
            return Err(format!("`{option} {path}` would overwrite a file that is read; name another file"));
        }
        if let Some((other, _)) = given().take(number).find(|(_, other)| is_same(path, other)) {
            let path = path.display();
            return Err(format!("`{other}` and `{option}` would both write `{path}`; name two files"));
        }
    }
    Ok(())
}

fn is_same(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

/// Says that files were asked for and not written: there was no failure.
pub(crate) fn note_missing(arguments: &CheckArgs, checked: &Checked) {
    let why = match checked.settled.iter().any(|settled| settled.report().unproven.is_some()) {
        true => "the run to the failure could not be replayed",
        false => "nothing fails",
    };
    if arguments.output.trail {
        let name = trail_name(&arguments.model);
        let path = Path::new(&name);
        output::note(&format!("note: {why}, so there is no trail to save in `{}`\n", path.display()));
    }
    if let Some(path) = &arguments.output.trace {
        output::note(&format!("note: {why}, so there is no trace to save in `{}`\n", path.display()));
    }
}

/// Says if what was written into the file is not the whole.
pub(crate) fn note_cut(path: &Path, limit: Option<&WriteLimit<'_>>) {
    if let Some(shortfall) = limit.and_then(WriteLimit::take_cut) {
        let why = shortfall_text(&shortfall);
        output::note(&format!("warning: `{}` holds the beginning of the trace alone: {why}\n", path.display()));
    }
}

/// Writes the trail of a run of the model into the current folder; returns its name.
pub(crate) fn trail_of(
    model: &Path,
    json: bool,
    system: &System,
    story: &Story,
    limit: Option<&WriteLimit<'_>>,
) -> Result<String, Diagnostic> {
    let name = trail_name(model);
    let path = Path::new(&name);
    write(path, &TrailText { system, story, limit })?;
    note_cut(path, limit);
    let shown = path.display().to_string();
    if !json {
        // SPIN writes trails into the current folder, but looks for them beside the model.
        let option = if model.parent() == Some(Path::new("")) { String::new() } else { format!(" -k {shown}") };
        let model = model.display();
        output::note(&format!("note: the trail is in `{shown}`; `spin -t -p{option} {model}` shows it\n"));
    }
    Ok(shown)
}

fn trail_name(model: &Path) -> OsString {
    let mut name = model.file_name().map(OsString::from).unwrap_or_default();
    name.push(".trail");
    name
}

/// Puts a new content into the file, or says why it cannot. It is made while it is written.
pub(crate) fn write(path: &Path, content: &dyn Display) -> Result<(), Diagnostic> {
    if path == Path::new("/dev/stdout") {
        // It may be a file that others write to through the same place, which opening it anew would lose.
        let printed = output::show(content);
        debug_assert!(printed <= Exit::Usage, "printing ends in no worse way");
        return Ok(());
    }
    // Devices and pipes are written to, never replaced, and `/dev/fd/3` is one whatever it leads to.
    let is_special = path.starts_with("/dev") || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    // A link is followed, not made a file.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let written = if is_special { write_into(path, content) } else { replace(&target, content) };
    written.map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Diagnostic::error(Span::NONE, "C0102", message)
    })
}

/// Writes into a file, whatever it held.
pub(crate) fn write_into(path: &Path, content: &dyn Display) -> io::Result<()> {
    let mut file = io::BufWriter::with_capacity(1 << 16, std::fs::File::create(path)?);
    write!(file, "{content}")?;
    file.flush()
}

/// Puts a new content into the file, or leaves it as it was: nobody ever sees a part.
fn replace(path: &Path, content: &dyn Display) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let unfinished = Path::new(&name);
    let done = write_into(unfinished, content).and_then(|()| std::fs::rename(unfinished, path));
    if done.is_err() {
        let _ = std::fs::remove_file(unfinished);
    }
    done
}
