//! Collects diagnostics: each once, and a limited number of errors.

use std::collections::HashSet;

use lariat_base::{Diagnostic, Span};

/// Reading stops after this many errors: further ones mostly follow from them.
const MAX_ERRORS: usize = 20;

/// The diagnostics of one reading. No two have the same place, code and message.
#[derive(Default)]
pub(crate) struct Report {
    list: Vec<Diagnostic>,
    seen: HashSet<(Span, &'static str, String)>,
    errors: usize,
}

impl Report {
    /// Adds a diagnostic, unless it is known or there are too many errors already.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.is_full() || !self.seen.insert((diagnostic.span, diagnostic.code, diagnostic.message.clone())) {
            return;
        }
        self.errors += usize::from(diagnostic.is_error());
        let span = diagnostic.span;
        self.list.push(diagnostic);
        if self.is_full() {
            let message = format!("stopped after {MAX_ERRORS} errors");
            self.list.push(Diagnostic::error(span, "P0199", message));
        }
    }
    /// Whether further diagnostics would be dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.errors >= MAX_ERRORS
    }
    /// The diagnostics in the order they were found.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        self.list
    }
}
