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
    /// Good news: green.
    pub fn good(self, text: impl Display) -> String {
        self.dress("1;32", text)
    }
    /// A failure: red.
    pub fn bad(self, text: impl Display) -> String {
        self.dress("1;31", text)
    }
    /// Neither good nor bad, or not certain: yellow.
    pub fn doubtful(self, text: impl Display) -> String {
        self.dress("1;33", text)
    }
    /// What the eye is to find: bold.
    pub fn strong(self, text: impl Display) -> String {
        self.dress("1", text)
    }
    /// What can be skipped: faint.
    pub fn faint(self, text: impl Display) -> String {
        self.dress("2", text)
    }
    /// What belongs to the process at a position of the pool: a colour for each of the first ones.
    pub fn process(self, position: Option<u8>, text: impl Display) -> String {
        const COLOURS: [&str; 6] = ["36", "35", "33", "34", "32", "31"];
        match position {
            Some(position) => self.dress(COLOURS[usize::from(position) % COLOURS.len()], text),
            None => text.to_string(),
        }
    }

    fn dress(self, code: &str, text: impl Display) -> String {
        match self {
            Self::Plain => text.to_string(),
            Self::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
