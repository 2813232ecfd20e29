//! Whether text is coloured.

use std::fmt::Display;

/// How text is dressed up: not at all, or with colours for a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Bare text.
    #[default]
    Plain,
    /// With ANSI colours.
    Coloured,
}

impl Style {
    pub(crate) fn good(self, text: impl Display) -> String {
        self.dress("1;32", text)
    }
    pub(crate) fn bad(self, text: impl Display) -> String {
        self.dress("1;31", text)
    }
    pub(crate) fn doubtful(self, text: impl Display) -> String {
        self.dress("1;33", text)
    }
    pub(crate) fn strong(self, text: impl Display) -> String {
        self.dress("1", text)
    }
    pub(crate) fn faint(self, text: impl Display) -> String {
        self.dress("2", text)
    }

    fn dress(self, code: &str, text: impl Display) -> String {
        match self {
            Self::Plain => text.to_string(),
            Self::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
