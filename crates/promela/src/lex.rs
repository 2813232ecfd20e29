//! The lexer: bytes to lexemes, before macros are known.
//!
//! It never fails and never looks back: what cannot be read becomes a [`Lexeme::LexError`], which is reported only if it
//! reaches the parser (text that `#if` skips, or embedded C, may hold anything). Comments are space, and lines that a
//! backslash joins are one before anything is read.

use std::collections::HashSet;

use lariat_base::{FileId, Span, safe_point};

use crate::splice::Logical;
use crate::token::{Keyword, Name, Punct};

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lexeme {
    /// A name or keyword.
    Word(Name),
    /// Digits and whatever word characters follow them.
    Number(Name),
    /// The text between two quotes.
    Str(Name),
    /// A character constant.
    Char(u8),
    /// An operator or bracket.
    Punct(Punct),
    /// Not of the language.
    LexError(LexError),
    /// The end of the file.
    End,
}

/// Why a lexeme is not of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LexError {
    /// Characters that occur in no token; the first of them.
    Character(char),
    /// A string that does not end on its line.
    String,
}

/// A lexeme with its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) lexeme: Lexeme,
    pub(crate) span: Span,
    /// Where it is spelled, if `span` is where its macro is used.
    pub(crate) expanded_from: Option<Span>,
    pub(crate) newline_before: bool,
    /// Whether it is the first of its line, which a comment that began on an earlier line belongs to: only there `#` begins
    /// a directive, and only there one ends.
    pub(crate) first_of_line: bool,
    /// Whether anything but a lexeme stands before it.
    pub(crate) space_before: bool,
    /// A macro's name met inside its own expansion: never expanded again.
    pub(crate) painted: bool,
}

impl Placed {
    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.lexeme == Lexeme::Punct(punct)
    }
    pub(crate) fn word(&self) -> Option<&Name> {
        if let Lexeme::Word(name) = &self.lexeme { Some(name) } else { None }
    }
}

/// Texts kept once each.
#[derive(Default)]
pub(crate) struct Names(HashSet<Name>);

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.0.get(text) {
            return name.clone();
        }
        let name: Name = text.into();
        self.0.insert(name.clone());
        name
    }
}

/// The places of all words in a text that can be names, also where nothing reads them: in skipped text and in the bodies of
/// macros. Comments and strings have none.
pub fn words(file: FileId, text: &str) -> Vec<Span> {
    let (mut names, mut lexer) = (Names::default(), Lexer::new(file, text));
    let mut words = Vec::new();
    loop {
        let placed = lexer.next(&mut names);
        match &placed.lexeme {
            Lexeme::End => return words,
            Lexeme::Word(word) if Keyword::from_text(word).is_none() => words.push(placed.span),
            _ => {}
        }
    }
}

/// Reads one file from front to back. Copying it is a cheap way to look ahead.
#[derive(Clone)]
pub(crate) struct Lexer {
    logical: Logical,
    file: FileId,
    at: usize,
    /// Whether a line ended since the last lexeme, anywhere and outside of comments.
    newline: bool,
    line_ended: bool,
    /// Where a comment begins that does not end.
    pub(crate) open_comment: Option<Span>,
    /// The first `*/` that ends nothing. As in SPIN it counts as space: nested comments leave such.
    pub(crate) stray_end: Option<Span>,
}

impl Lexer {
    pub(crate) fn new(file: FileId, text: &str) -> Self {
        let logical = Logical::new(text);
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { logical, file, at, newline: true, line_ended: true, open_comment: None, stray_end: None }
    }
    pub(crate) fn file(&self) -> FileId {
        self.file
    }
    /// The whole text, lines joined.
    pub(crate) fn text(&self) -> &str {
        &self.logical.text
    }
    /// Whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.text().len()
    }
    /// The end of the line.
    pub(crate) fn end_of_line(&self) -> Span {
        let end = self.at + self.rest_of_line().len();
        self.logical.span(self.file, end, end)
    }
    /// The rest of the line as it is spelled, lines joined.
    pub(crate) fn rest_of_line(&self) -> &str {
        self.text()[self.at..].lines().next().unwrap_or("")
    }

    /// The next lexeme.
    pub(crate) fn next(&mut self, names: &mut Names) -> Placed {
        safe_point();
        let before = self.at;
        self.skip_space();
        let start = self.at;
        let lexeme = self.lexeme(names);
        let newline_before = std::mem::take(&mut self.newline);
        let first_of_line = std::mem::take(&mut self.line_ended);
        let span = self.logical.span(self.file, start, self.at);
        let space_before = start > before;
        Placed { lexeme, span, expanded_from: None, newline_before, first_of_line, space_before, painted: false }
    }

    /// Goes to the next `#` that begins a line, or to the end. What comes before need not be of the language, but comments
    /// and strings in it are such, also those that do not end on their line.
    pub(crate) fn skip_to_directive(&mut self) {
        loop {
            self.skip_space();
            match self.byte(0) {
                b'#' if self.line_ended => return,
                _ if self.at >= self.text().len() => return,
                _ => self.skip_rest_of_line(),
            }
        }
    }

    /// Goes to the end of the line, behind comments that begin on it.
    pub(crate) fn skip_rest_of_line(&mut self) {
        self.line_ended = false;
        loop {
            self.skip_space();
            if self.line_ended || self.at >= self.text().len() {
                return;
            }
            match self.byte(0) {
                quote @ (b'"' | b'\'') => match self.closing(quote) {
                    Some(end) => self.at = end + 1,
                    None => self.at += self.rest_of_line().len(),
                },
                _ => self.at += self.text()[self.at..].chars().next().map_or(0, char::len_utf8),
            }
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text().as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Where the quote that stands here is closed, if that is on its line.
    fn closing(&self, quote: u8) -> Option<usize> {
        let bytes = self.text().as_bytes();
        let mut end = self.at + 1;
        loop {
            match *bytes.get(end)? {
                b'\n' => return None,
                b'\\' if bytes.get(end + 1).is_some_and(|&byte| byte != b'\n') => end += 2,
                byte if byte == quote => return Some(end),
                _ => end += 1,
            }
        }
    }

    fn skip_space(&mut self) {
        let text = self.logical.text.clone();
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.newline = true;
                    self.line_ended = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => self.at += self.rest_of_line().len(),
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                    let body = &text[self.at + 2..];
                    let length = body.find("*/");
                    if length.is_none() {
                        self.open_comment = Some(self.logical.span(self.file, self.at, self.at + 2));
                    }
                    let end = length.map_or(body.len(), |length| length + 2);
                    self.newline |= body[..end].contains('\n');
                    self.at += 2 + end;
                }
                b'*' if bytes.get(self.at + 1) == Some(&b'/') && bytes.get(self.at + 2) != Some(&b'*') => {
                    self.stray_end.get_or_insert(self.logical.span(self.file, self.at, self.at + 2));
                    self.at += 2;
                }
                _ => return,
            }
        }
    }

    fn lexeme(&mut self, names: &mut Names) -> Lexeme {
        let start = self.at;
        let Some(first) = self.text()[start..].chars().next() else { return Lexeme::End };
        match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                self.skip_word();
                Lexeme::Word(names.intern(&self.text()[start..self.at]))
            }
            '0'..='9' => {
                self.skip_word();
                Lexeme::Number(names.intern(&self.text()[start..self.at]))
            }
            '"' => self.string(names),
            '\'' => self.character(),
            _ => match self.punct() {
                Some(punct) => Lexeme::Punct(punct),
                None => {
                    self.skip_foreign();
                    Lexeme::LexError(LexError::Character(first))
                }
            },
        }
    }

    fn skip_word(&mut self) {
        while self.byte(0).is_ascii_alphanumeric() || self.byte(0) == b'_' {
            self.at += 1;
        }
    }

    fn string(&mut self, names: &mut Names) -> Lexeme {
        let start = self.at + 1;
        let Some(end) = self.closing(b'"') else {
            self.at = start + open_string_length(self.text()[start..].lines().next().unwrap_or("").as_bytes());
            return Lexeme::LexError(LexError::String);
        };
        self.at = end + 1;
        // An escape never ends inside a character: what follows a backslash is skipped bytewise, but continuation
        // bytes are neither quotes, backslashes nor line ends.
        Lexeme::Str(names.intern(&self.text()[start..end]))
    }

    fn character(&mut self) -> Lexeme {
        let escaped = self.byte(1) == b'\\';
        let length = if escaped { 4 } else { 3 };
        let byte = self.byte(length - 2);
        if self.byte(length - 1) != b'\'' || !(b' '..0x7f).contains(&byte) {
            self.at += 1;
            return Lexeme::LexError(LexError::Character('\''));
        }
        self.at += length;
        Lexeme::Char(match (escaped, byte) {
            (true, b'n') => b'\n',
            (true, b't') => b'\t',
            (true, b'r') => b'\r',
            (true, b'0') => 0,
            _ => byte,
        })
    }

    fn punct(&mut self) -> Option<Punct> {
        let (punct, length) = match [self.byte(0), self.byte(1), self.byte(2)] {
            [b'<', b'-', b'>'] => (Punct::Iff, 3),
            [b'/', b'\\', _] => (Punct::AndAnd, 2),
            [b'\\', b'/', _] => (Punct::OrOr, 2),
            [b'[', b']', _] => (Punct::Always, 2),
            [b'<', b'>', _] => (Punct::Eventually, 2),
            [b':', b':', _] => (Punct::ColonColon, 2),
            [b'.', b'.', _] => (Punct::DotDot, 2),
            [b'-', b'>', _] => (Punct::Arrow, 2),
            [b'#', b'#', _] => (Punct::HashHash, 2),
            [b'=', b'=', _] => (Punct::Eq, 2),
            [b'!', b'=', _] => (Punct::Ne, 2),
            [b'<', b'=', _] => (Punct::Le, 2),
            [b'>', b'=', _] => (Punct::Ge, 2),
            [b'<', b'<', _] => (Punct::Shl, 2),
            [b'>', b'>', _] => (Punct::Shr, 2),
            [b'!', b'!', _] => (Punct::BangBang, 2),
            [b'?', b'?', _] => (Punct::QueryQuery, 2),
            [b'+', b'+', _] => (Punct::PlusPlus, 2),
            [b'-', b'-', _] => (Punct::MinusMinus, 2),
            [b'&', b'&', _] => (Punct::AndAnd, 2),
            [b'|', b'|', _] => (Punct::OrOr, 2),
            [byte, ..] if byte.is_ascii() => (Punct::from_text((byte as char).encode_utf8(&mut [0; 4]))?, 1),
            _ => return None,
        };
        self.at += length;
        Some(punct)
    }

    /// Skips a run of characters that begin no lexeme, so that a binary file gives few complaints.
    fn skip_foreign(&mut self) {
        let rest = self.text()[self.at..].char_indices().skip(1);
        let foreign = |c: char| (c.is_control() && !c.is_ascii_whitespace()) || !c.is_ascii() || c == '$' || c == '`';
        let end = rest.skip_while(|&(_, c)| foreign(c)).map(|(at, _)| at).next();
        self.at = end.map_or(self.text().len(), |end| self.at + end);
    }
}

/// How much of a line belongs to a string that does not end on it: what comes before the `)` of its `printf`, if that
/// can be told, so that one mistake does not look like several.
fn open_string_length(line: &[u8]) -> usize {
    let ends_call = |at: usize| {
        let after = line[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        line[at] == b')' && after.is_none_or(|byte| matches!(byte, b';' | b'}' | b'-' | b':'))
    };
    (0..line.len()).find(|&at| ends_call(at)).unwrap_or(line.len())
}
