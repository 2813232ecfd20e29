//! Standard output for what may go on for long: a reader that went away is noticed, so that the run can end.

use crate::exit::Exit;
use crate::output;
use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, Stdout, Write};

/// Standard output.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    terminal: bool,
    /// Why nothing more can be written.
    failed: Option<std::io::Error>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let out = std::io::stdout();
        Self { terminal: out.is_terminal(), out: BufWriter::new(out), failed: None }
    }

    /// Writes text; on a terminal it is seen at once.
    pub(crate) fn print(&mut self, text: &str) {
        self.write(|out| out.write_all(text.as_bytes()));
        if self.terminal {
            self.flush();
        }
    }

    /// Writes what is made while it is written.
    pub(crate) fn show(&mut self, what: &dyn Display) {
        self.write(|out| write!(out, "{what}"));
        if self.terminal {
            self.flush();
        }
    }

    /// Makes sure that everything written is seen.
    pub(crate) fn flush(&mut self) {
        self.write(Write::flush);
    }

    /// Whether somebody still reads.
    pub(crate) fn is_open(&self) -> bool {
        self.failed.is_none()
    }

    /// Says so if something could not be written, unless the reader went away.
    pub(crate) fn exit(&self) -> Exit {
        self.failed.as_ref().map_or(Exit::Holds, output::not_written)
    }

    fn write(&mut self, write: impl FnOnce(&mut BufWriter<Stdout>) -> std::io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(&mut self.out).err();
        }
    }
}
