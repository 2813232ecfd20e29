//! Ends without an answer: people read why on standard error, and scripts that asked for `--json` get a document on
//! standard output all the same, with what is wrong in `errors`; with `--json-lines` an event for each error, and the last one.

use crate::exit::Exit;
use crate::explain;
use crate::output::{self, Form};
use lariat::CheckError;
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_engine::Shortfall;
use lariat_render::{diagnostics_text, done_event, error_events, errors_document, shortfall_text};
use std::any::Any;
use std::path::Path;

/// The code of what this release or this command cannot do.
pub(crate) const REFUSED: &str = "C0100";
/// The code of errors about files that cannot be written.
pub(crate) const UNWRITABLE: &str = "C0102";
/// The code of a limit that was met before anything was searched.
const SHORT: &str = "C0103";
/// The code of an internal error.
const BUG: &str = "C0101";

/// Whom to tell.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    model: String,
    form: Form,
}

impl Refusal {
    pub(crate) fn new(model: &Path, form: impl Into<Form>) -> Self {
        Self { model: model.display().to_string(), form: form.into() }
    }

    /// For a model that cannot be used.
    pub(crate) fn of_model(&self, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
        output::note(&diagnostics_text(sources, diagnostics, output::stderr_style()));
        output::note(&explain::hint(diagnostics).unwrap_or_default());
        self.print(sources, diagnostics, Exit::Usage)
    }

    /// For what was asked.
    pub(crate) fn of_request(&self, reason: &str) -> Exit {
        output::complain(reason);
        self.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, REFUSED, reason)], Exit::Usage)
    }

    /// For a file that cannot be written.
    pub(crate) fn of_output(&self, reason: &str) -> Exit {
        output::complain(reason);
        self.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, UNWRITABLE, reason)], Exit::Usage)
    }

    /// For a limit that was met before there was anything to search: nothing is decided.
    pub(crate) fn of_shortfall(&self, shortfall: &Shortfall) -> Exit {
        self.of_limit(format!("undecided: {}, and nothing was searched yet", shortfall_text(shortfall)))
    }

    /// For a limit that was met before there was anything to show.
    pub(crate) fn of_limit(&self, message: String) -> Exit {
        output::complain(&message);
        self.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, SHORT, message)], Exit::Undecided)
    }

    /// For a command line that is none, which people were told already.
    pub(crate) fn of_usage(message: &str, form: Form) {
        let refusal = Self { model: String::new(), form };
        let message = message.trim_start_matches("error: ").lines().next().unwrap_or_default();
        refusal.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, REFUSED, message)], Exit::Usage);
    }

    /// For a model that was not checked or run.
    pub(crate) fn of_error(&self, sources: &SourceMap, error: &CheckError) -> Exit {
        match error {
            CheckError::Model(diagnostics) => self.of_model(sources, diagnostics),
            CheckError::Refused(reason) => self.of_request(reason),
            CheckError::Unused(option) => self.of_request(&option.to_string()),
            CheckError::Short(shortfall) => self.of_shortfall(shortfall),
            CheckError::Bug(message) => {
                output::complain_of_bug(message);
                self.print_bug(message)
            }
        }
    }

    /// After a panic, which has told people already.
    pub(crate) fn of_panic(&self, panic: &(dyn Any + Send)) -> Exit {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        self.print_bug(text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message"))
    }

    fn print_bug(&self, message: &str) -> Exit {
        let message = format!("internal error: {message}");
        self.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, BUG, message)], Exit::Bug)
    }

    /// Tells scripts; the program ends like this.
    fn print(&self, sources: &SourceMap, diagnostics: &[Diagnostic], exit: Exit) -> Exit {
        // Whether it can be written makes no difference: the program ends with an error already.
        let _ = match self.form {
            Form::Text => Exit::Holds,
            Form::Json => {
                let document = errors_document(env!("CARGO_PKG_VERSION"), &self.model, sources, diagnostics);
                output::show(&format_args!("{document}\n"))
            }
            Form::JsonLines => {
                for event in error_events(sources, diagnostics) {
                    let _ = output::show(&format_args!("{event}\n"));
                }
                output::show(&format_args!("{}\n", done_event(exit.code(), None)))
            }
        };
        exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What they print is tested from outside, as far as one can get there; nobody can ask for a bug.
    #[test]
    fn exit_codes_are_those_of_the_reason() {
        let refusal = Refusal::new("m.pml".as_ref(), false);
        let sources = SourceMap::default();
        assert_eq!(refusal.of_request("on purpose"), Exit::Usage);
        assert_eq!(refusal.of_error(&sources, &CheckError::Refused("on purpose".into())), Exit::Usage);
        assert_eq!(refusal.of_error(&sources, &CheckError::Model(Vec::new())), Exit::Usage);
        assert_eq!(refusal.of_error(&sources, &CheckError::Bug("on purpose".into())), Exit::Bug);
        for panic in [Box::new("a word") as Box<dyn Any + Send>, Box::new("a text".to_owned()), Box::new(7)] {
            assert_eq!(refusal.of_panic(&*panic), Exit::Bug);
        }
    }
}
