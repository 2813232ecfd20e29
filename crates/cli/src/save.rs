//! Files that commands write beside their answer: traces and trails.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::output;
use crate::refusal::{Refusal, UNWRITABLE};
use lariat::{Checked, Settled};
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Evidence, Story};
use lariat_render::{Context, TrailText, WriteLimit, settled_trace_document, shortfall_text};
use lariat_system::System;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes the trace of a failure where it was asked for.
pub(crate) fn trace(
    arguments: &CheckArgs,
    context: &Context<'_>,
    settled: &Settled,
    evidence: &Evidence,
    story: &Story,
) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.output.trace else { return Ok(()) };
    let context = &Context { with_model: true, with_graphs: true, ..*context };
    let document = settled_trace_document(context, settled, evidence, story);
    write(path, &format_args!("{document}\n"))?;
    note_cut(path, context.limit);
    Ok(())
}

/// A refusal if a file that is to be written, given with its option, is one that is read, is written twice, or cannot be written:
/// a search may take long, and its results would be lost.
pub(crate) fn ensure_writable(
    outputs: &[(&str, Option<&Path>)],
    inputs: &[&Path],
    refusal: &Refusal,
) -> Result<(), Exit> {
    ensure_distinct(outputs, inputs).map_err(|reason| refusal.of_request(&reason))?;
    for &(option, path) in outputs {
        let Some(path) = path else { continue };
        if path == Path::new("-") {
            return Err(refusal.of_request(&format!(
                "`{option} -` is not possible, as answers are printed on standard output; name a file, `./-` if it is to have \
                 this name"
            )));
        }
        try_to_write(path)
            .map_err(|error| refusal.of_output(&format!("cannot write `{}` (`{option}`): {error}", path.display())))?;
    }
    Ok(())
}

/// An error if a new content cannot be put into the file.
fn try_to_write(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_special(path) {
        return Ok(());
    }
    let target = target(path);
    let unfinished = unfinished(&target);
    std::fs::File::create(&unfinished)?;
    std::fs::remove_file(&unfinished)
}

/// An error if a file that is to be written, given with its option, is one that is read, or is written twice.
fn ensure_distinct(outputs: &[(&str, Option<&Path>)], inputs: &[&Path]) -> Result<(), String> {
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
        let option =
            if model.parent() == Some(Path::new("")) { String::new() } else { format!(" -k {}", quoted(&shown)) };
        let model = quoted(&model.display().to_string());
        output::note(&format!("note: the trail is in `{shown}`; `spin -t -p{option} {model}` shows it\n"));
    }
    Ok(shown)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-._/+,:@%".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Where the trail of a model is written.
pub(crate) fn trail_name(model: &Path) -> OsString {
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
    let written = if is_special(path) { write_into(path, content) } else { replace(&target(path), content) };
    written.map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Diagnostic::error(Span::NONE, UNWRITABLE, message)
    })
}

/// Devices and pipes are written to, never replaced, and `/dev/fd/3` is one whatever it leads to.
fn is_special(path: &Path) -> bool {
    path.starts_with("/dev") || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// The file that a path leads to: a link is followed, not made a file.
fn target(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Where a content is put before it takes the place of that of the file.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    PathBuf::from(name)
}

/// Writes into a file, whatever it held.
pub(crate) fn write_into(path: &Path, content: &dyn Display) -> io::Result<()> {
    let mut file = io::BufWriter::with_capacity(1 << 16, std::fs::File::create(path)?);
    write!(file, "{content}")?;
    file.flush()
}

/// Puts a new content into the file, or leaves it as it was: nobody ever sees a part.
fn replace(path: &Path, content: &dyn Display) -> io::Result<()> {
    let unfinished = unfinished(path);
    let done = write_into(&unfinished, content).and_then(|()| std::fs::rename(&unfinished, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    done
}
