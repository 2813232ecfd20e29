//! Standard output for what may go on for long: a reader that went away is noticed, so that the run can end.

use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, Stdout, Write};

/// Standard output.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    terminal: bool,
    open: bool,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let out = std::io::stdout();
        Self { terminal: out.is_terminal(), out: BufWriter::new(out), open: true }
    }

    /// Writes text; on a terminal it is seen at once.
    pub(crate) fn print(&mut self, text: &str) {
        self.open = self.open && self.out.write_all(text.as_bytes()).is_ok();
        if self.terminal {
            self.flush();
        }
    }

    /// Writes what is made while it is written.
    pub(crate) fn show(&mut self, what: &dyn Display) {
        self.open = self.open && write!(self.out, "{what}").is_ok();
        if self.terminal {
            self.flush();
        }
    }

    /// Makes sure that everything written is seen.
    pub(crate) fn flush(&mut self) {
        self.open = self.open && self.out.flush().is_ok();
    }

    /// Whether somebody still reads.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }
}
