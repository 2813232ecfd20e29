//! What we tell a user about a mistake in a text: where, what, why, and the way out.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// The text can be used, but probably does not mean what its author thinks.
    Warning,
}

/// A further place, or a remark without one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The place; may be [`Span::NONE`].
    pub span: Span,
    /// What is to be said about it.
    pub message: String,
}

/// A message about a place in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable code such as `P0102`, for documents and scripts.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// Where; may be [`Span::NONE`].
    pub span: Span,
    /// What to write beside the caret; may be empty.
    pub label: String,
    /// Further places and remarks.
    pub notes: Vec<Note>,
    /// The way out, if there is an obvious one.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            label: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }
    /// A warning at `span`.
    pub fn warning(span: Span, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, code, message) }
    }
    /// Adds the words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
    /// Adds a further place or remark.
    #[must_use]
    pub fn note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push(Note { span, message: message.into() });
        self
    }
    /// Adds the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// Whether the text cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
