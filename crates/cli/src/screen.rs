//! Where the text of a run goes: standard output, where a reader that went away is noticed, so that the run can end; or a text that
//! is shown elsewhere.

use crate::exit::Exit;
use crate::output;
use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, Stdout, Write};

/// Where text goes.
pub(crate) struct Screen {
    to: Target,
    /// Why nothing more can be written.
    failed: Option<std::io::Error>,
}

enum Target {
    Stdout {
        out: BufWriter<Stdout>,
        terminal: bool,
    },
    /// Text that waits to be taken.
    Kept(String),
}

impl Screen {
    /// Standard output.
    pub(crate) fn new() -> Self {
        let out = std::io::stdout();
        Self { to: Target::Stdout { terminal: out.is_terminal(), out: BufWriter::new(out) }, failed: None }
    }

    /// Keeps what is written.
    pub(crate) fn keeping() -> Self {
        Self { to: Target::Kept(String::new()), failed: None }
    }

    /// What was kept since this was last called.
    pub(crate) fn take_kept(&mut self) -> String {
        match &mut self.to {
            Target::Kept(text) => std::mem::take(text),
            Target::Stdout { .. } => String::new(),
        }
    }

    /// Writes text; on a terminal it is seen at once.
    pub(crate) fn print(&mut self, text: &str) {
        self.show(&text);
    }

    /// Writes what is made while it is written.
    pub(crate) fn show(&mut self, what: &dyn Display) {
        if self.failed.is_some() {
            return;
        }
        match &mut self.to {
            Target::Kept(text) => text.push_str(&what.to_string()),
            Target::Stdout { out, terminal } => {
                let written = write!(out, "{what}");
                self.failed = written.and_then(|()| if *terminal { out.flush() } else { Ok(()) }).err();
            }
        }
    }

    /// Makes sure that everything written is seen.
    pub(crate) fn flush(&mut self) {
        if let Target::Stdout { out, .. } = &mut self.to
            && self.failed.is_none()
        {
            self.failed = out.flush().err();
        }
    }

    /// Whether what is written is still read.
    pub(crate) fn is_open(&self) -> bool {
        self.failed.is_none()
    }

    /// Says so if something could not be written, unless the reader went away.
    pub(crate) fn exit(&self) -> Exit {
        self.failed.as_ref().map_or(Exit::Holds, output::not_written)
    }
}
