//! Logical lines: the text without the line ends that a backslash hides, as in C's second phase of translation.
//!
//! Lines are joined before anything else is read, so a word, a string, an operator or a comment may go on behind such a
//! line end. Places are those of the text as it is written: [`Logical::span`] leads back.

use lariat_base::{FileId, Span};
use std::rc::Rc;

/// The text of a file with its lines joined.
#[derive(Clone, Debug)]
pub(crate) struct Logical {
    pub(crate) text: Rc<str>,
    /// For each join where the text goes on: here, and as it is written. In order.
    joins: Rc<[(usize, usize)]>,
}

impl Logical {
    pub(crate) fn new(written: &str) -> Self {
        let bytes = written.as_bytes();
        let mut joins = Vec::new();
        let mut text = String::new();
        let mut copied = 0;
        let mut at = 0;
        while let Some(found) = written[at..].find('\\') {
            let backslash = at + found;
            at = backslash + 1;
            if let Some(length) = hidden_line_end(&bytes[at..]) {
                text.push_str(&written[copied..backslash]);
                at += length;
                copied = at;
                joins.push((text.len(), at));
            }
        }
        if joins.is_empty() {
            return Self { text: written.into(), joins: Rc::new([]) };
        }
        text.push_str(&written[copied..]);
        Self { text: text.into(), joins: joins.into() }
    }

    /// Where byte `at` is written.
    fn written(&self, at: usize) -> usize {
        let before = self.joins.partition_point(|&(joined, _)| joined <= at);
        match before.checked_sub(1).map(|last| self.joins[last]) {
            Some((joined, written)) => written + (at - joined),
            None => at,
        }
    }

    /// Where the bytes `start..end` are written.
    pub(crate) fn span(&self, file: FileId, start: usize, end: usize) -> Span {
        let first = self.written(start);
        let end = if end > start { self.written(end - 1) + 1 } else { first };
        Span::new(file, first, end)
    }
}

/// How many bytes after a backslash belong to the line end it hides, if there is one. As in gcc there may be spaces between.
fn hidden_line_end(after: &[u8]) -> Option<usize> {
    let space = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
    (after.get(space) == Some(&b'\n')).then_some(space + 1)
}
