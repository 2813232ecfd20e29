//! Ends without an answer: people read why on standard error, and scripts that asked for `--json` get a document on
//! standard output all the same, with what is wrong in `errors`.

use crate::exit::Exit;
use crate::explain;
use crate::output;
use lariat::CheckError;
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_render::{diagnostics_text, errors_document};
use std::any::Any;
use std::path::Path;

/// The code of what this release or this command cannot do.
pub(crate) const REFUSED: &str = "C0100";
/// The code of an internal error.
const BUG: &str = "C0101";

/// Whom to tell.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    model: String,
    json: bool,
}

impl Refusal {
    pub(crate) fn new(model: &Path, json: bool) -> Self {
        Self { model: model.display().to_string(), json }
    }

    /// For a model that cannot be used.
    pub(crate) fn of_model(&self, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
        output::note(&diagnostics_text(sources, diagnostics, output::stderr_style()));
        output::note(&explain::hint(diagnostics).unwrap_or_default());
        self.print(sources, diagnostics);
        Exit::Usage
    }

    /// For what was asked.
    pub(crate) fn of_request(&self, reason: &str) -> Exit {
        output::complain(reason);
        self.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, REFUSED, reason)]);
        Exit::Usage
    }

    /// For a command line that is none, which people were told already.
    pub(crate) fn of_usage(message: &str) {
        let refusal = Self { model: String::new(), json: true };
        let message = message.trim_start_matches("error: ").lines().next().unwrap_or_default();
        refusal.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, REFUSED, message)]);
    }

    /// For a model that was not checked or run.
    pub(crate) fn of_error(&self, sources: &SourceMap, error: &CheckError) -> Exit {
        match error {
            CheckError::Model(diagnostics) => self.of_model(sources, diagnostics),
            CheckError::Refused(reason) => self.of_request(reason),
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
        self.print(&SourceMap::default(), &[Diagnostic::error(Span::NONE, BUG, message)]);
        Exit::Bug
    }

    fn print(&self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        if self.json {
            let document = errors_document(env!("CARGO_PKG_VERSION"), &self.model, sources, diagnostics);
            // The program ends with an error already.
            let _ = output::show(&format_args!("{document}\n"));
        }
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
