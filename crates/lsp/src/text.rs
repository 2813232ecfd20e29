//! Texts with lines, and positions as the protocol counts them: lines, and units of UTF-16 or bytes in a line.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use std::sync::Arc;

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

/// A text that knows where its lines begin.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: Arc<str>,
    starts: Vec<usize>,
    /// Then columns need not be counted, however long a line is.
    is_ascii: bool,
}

impl Text {
    pub(crate) fn new(text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let bytes = text.as_bytes();
        // A line ends with `\n`, `\r\n`, or `\r` alone.
        let ends = |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(|&at| ends(at)).map(|at| at + 1)).collect();
        let is_ascii = text.is_ascii();
        Self { text, starts, is_ascii }
    }

    /// The line of this number without its end.
    fn line(&self, number: usize) -> &str {
        let start = self.starts[number];
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte at a position; the nearest one for a position that the text does not have.
    pub(crate) fn byte(&self, position: Position, encoding: Encoding) -> usize {
        let number = position.line as usize;
        if number >= self.starts.len() {
            return self.text.len();
        }
        let (line, wanted) = (self.line(number), position.character as usize);
        let column = match encoding {
            Encoding::Utf8 => (0..=wanted.min(line.len())).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0),
            Encoding::Utf16 => {
                let mut units = 0;
                let passed = line.char_indices().find(|(_, c)| {
                    units += c.len_utf16();
                    units > wanted
                });
                passed.map_or(line.len(), |(at, _)| at)
            }
        };
        self.starts[number] + column
    }

    /// The position of a byte.
    pub(crate) fn position(&self, byte: usize, encoding: Encoding) -> Position {
        let byte = (0..=byte.min(self.text.len())).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        let number = self.starts.partition_point(|&start| start <= byte) - 1;
        let before = &self.text[self.starts[number]..byte];
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 if self.is_ascii => before.len(),
            Encoding::Utf16 => before.encode_utf16().count(),
        };
        Position::new(number as u32, column as u32)
    }

    pub(crate) fn range(&self, start: usize, end: usize, encoding: Encoding) -> Range {
        Range::new(self.position(start, encoding), self.position(end.max(start), encoding))
    }

    /// All of a line, counted from 0; of the last one, if there are fewer.
    pub(crate) fn line_range(&self, number: usize, encoding: Encoding) -> Range {
        let number = number.min(self.starts.len() - 1);
        let start = self.starts[number];
        self.range(start, start + self.line(number).len(), encoding)
    }

    /// The text after a change of the protocol.
    pub(crate) fn changed(&self, change: &TextDocumentContentChangeEvent, encoding: Encoding) -> Self {
        let Some(range) = change.range else { return Self::new(change.text.as_str()) };
        let start = self.byte(range.start, encoding);
        let end = self.byte(range.end, encoding).max(start);
        Self::new([&self.text[..start], &change.text, &self.text[end..]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = Text::new("a\u{1F600}b\r\n\u{fc}x\rlast");
        for (line, utf16, utf8, byte) in [(0, 1, 1, 1), (0, 3, 5, 5), (0, 4, 6, 6), (1, 1, 2, 10), (2, 2, 2, 14)] {
            let (in_16, in_8) = (Position::new(line, utf16), Position::new(line, utf8));
            assert_eq!((text.byte(in_16, Encoding::Utf16), text.byte(in_8, Encoding::Utf8)), (byte, byte));
            assert_eq!(text.position(byte, Encoding::Utf16), in_16);
            assert_eq!(text.position(byte, Encoding::Utf8), in_8);
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_the_nearest_inside() {
        let text = Text::new("ab\n\u{1F600}");
        assert_eq!(text.byte(Position::new(0, 99), Encoding::Utf16), 2);
        assert_eq!(text.byte(Position::new(99, 0), Encoding::Utf16), text.text.len());
        assert_eq!(text.byte(Position::new(1, 1), Encoding::Utf16), 3, "inside of a pair");
        assert_eq!(text.byte(Position::new(1, 2), Encoding::Utf8), 3, "inside of a character");
        assert_eq!(text.position(5, Encoding::Utf16), Position::new(1, 0));
    }

    #[test]
    fn changes_replace_ranges_and_bad_ranges_do_no_harm() {
        let text = Text::new("one\ntwo\n");
        let change = |range: Option<Range>, text: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.to_owned(),
        };
        let range = |a, b, c, d| Some(Range::new(Position::new(a, b), Position::new(c, d)));
        let after = |range, new| text.changed(&change(range, new), Encoding::Utf16).text.to_string();
        assert_eq!(after(range(0, 1, 1, 1), "X"), "oXwo\n");
        assert_eq!(after(range(1, 1, 0, 1), "X"), "one\ntXwo\n", "a range that ends before it begins is empty");
        assert_eq!(after(range(9, 9, 9, 9), "X"), "one\ntwo\nX");
        assert_eq!(after(None, "all"), "all");
    }
}
