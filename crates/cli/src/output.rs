//! Printing. A reader that went away is no reason to panic, nor to change the exit code; a text that could not be written
//! for another reason is lost work, and said so.

use crate::args::Colour;
use crate::exit::Exit;
use lariat::Model;
use lariat_render::{Style, diagnostics_text};
use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// How a command answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// One document.
    Json,
    /// One event in a line, as it happens.
    JsonLines,
}

/// What `--json` asks for.
impl From<bool> for Form {
    fn from(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

/// Writes to standard error which definitions of the command line have no effect on the model.
pub(crate) fn note_unused_defines(model: &Model) {
    note(&diagnostics_text(model.sources(), &model.unused_defines(), stderr_style()));
}

/// Writes to standard output; [`Exit::Usage`] if that is not possible.
pub(crate) fn print(text: &str) -> Exit {
    print_bytes(text.as_bytes())
}

/// Writes to standard output what is made while it is written; [`Exit::Usage`] if that is not possible.
pub(crate) fn show(what: &dyn Display) -> Exit {
    printed(|out| write!(out, "{what}"))
}

/// Writes to standard output; [`Exit::Usage`] if that is not possible.
pub(crate) fn print_bytes(bytes: &[u8]) -> Exit {
    printed(|out| out.write_all(bytes))
}

/// Whether another process of a cluster prints the answer. Set once, before anything is printed.
static IS_SILENT: OnceLock<()> = OnceLock::new();

/// From now on nothing is written to standard output.
pub(crate) fn leave_to_another_process() {
    // A second time changes nothing.
    let _ = IS_SILENT.set(());
}

fn printed(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Exit {
    if IS_SILENT.get().is_some() {
        return Exit::Holds;
    }
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_or_else(|error| not_written(&error), |()| Exit::Holds)
}

/// Says that standard output could not be written, unless the reader went away.
pub(crate) fn not_written(error: &std::io::Error) -> Exit {
    if error.kind() == ErrorKind::BrokenPipe {
        return Exit::Holds;
    }
    complain(&format!("cannot write to standard output: {error}"));
    Exit::Usage
}

/// Writes to standard error.
pub(crate) fn note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Says what the user's mistake is.
pub(crate) fn complain(message: &str) {
    note(&format!("error: {message}\n"));
}

/// Says that the mistake is ours.
pub(crate) fn complain_of_bug(message: &str) {
    note(&format!(
        "internal error: {message}\n\
         This is a bug in Lariat {}. Please report it, with the model and the command line.\n",
        env!("CARGO_PKG_VERSION")
    ));
}

/// Whether standard output wants colours.
pub(crate) fn stdout_style() -> Style {
    style(std::io::stdout().is_terminal())
}

/// Whether standard error wants colours.
pub(crate) fn stderr_style() -> Style {
    style(std::io::stderr().is_terminal())
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// What `--color` says. Set once, before anything is printed.
static COLOUR: OnceLock<Colour> = OnceLock::new();

/// Uses colours as the command line says.
pub(crate) fn choose_colour(colour: Colour) {
    // A second choice would change nothing.
    let _ = COLOUR.set(colour);
}

fn style(terminal: bool) -> Style {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is = |name, wanted: &str| std::env::var_os(name).is_some_and(|value| value == wanted);
    let coloured = match COLOUR.get().copied().unwrap_or_default() {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if is_set("NO_COLOR") => false,
        Colour::Auto if is_set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
        Colour::Auto => terminal && !is("TERM", "dumb") && !is("CLICOLOR", "0"),
    };
    if coloured { Style::Coloured } else { Style::Plain }
}
