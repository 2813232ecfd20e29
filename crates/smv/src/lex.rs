//! From a text to tokens.
//!
//! `-` belongs to names: `x-1` is a name, `x - 1` a difference, as in NuSMV. Only `->` right behind a name ends it, which
//! NuSMV reads otherwise and then refuses.

use crate::report::Report;
use crate::token::{SIGNS, Spanned, Token, WORDS};
use lariat_base::{Diagnostic, FileId, Span, safe_point};

mod number;

/// Signs of other languages, and what they are here.
const FOREIGN: &[(&str, &str)] = &[
    ("&&", "&"),
    ("||", "|"),
    ("==", "="),
    ("%", "mod"),
    ("//", "--"),
    ("~", "!"),
    ("/*", "/--"),
    ("[]", "G"),
    ("<>", "F"),
];

/// Signs that people write by hand, and what is written here.
const MATHEMATICAL: &[(char, Token)] = &[
    ('≤', Token::Sign("<=")),
    ('≥', Token::Sign(">=")),
    ('≠', Token::Sign("!=")),
    ('¬', Token::Sign("!")),
    ('∧', Token::Sign("&")),
    ('∨', Token::Sign("|")),
    ('→', Token::Sign("->")),
    ('⇒', Token::Sign("->")),
    ('↔', Token::Sign("<->")),
    ('∈', Token::Word("in")),
    ('□', Token::Word("G")),
    ('◇', Token::Word("F")),
];

/// The tokens of `text`; the last is [`Token::End`].
pub(crate) fn tokens(text: &str, file: FileId, report: &mut Report) -> Vec<Spanned> {
    let mut lexer = Lexer { text, file, at: 0, report, found: Vec::new() };
    while lexer.at < text.len() && !lexer.report.is_full() {
        lexer.next();
    }
    let end = text.trim_end().len();
    let end = Span::new(file, end, end);
    lexer.found.push(Spanned { token: Token::End, span: end });
    lexer.found
}

/// The places of all names in a text.
pub fn words(file: FileId, text: &str) -> Vec<Span> {
    let mut report = Report::default();
    let found = tokens(text, file, &mut report).into_iter();
    found.filter(|spanned| matches!(spanned.token, Token::Name(_))).map(|spanned| spanned.span).collect()
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    at: usize,
    report: &'a mut Report,
    found: Vec<Spanned>,
}

impl Lexer<'_> {
    fn next(&mut self) {
        safe_point();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if let Some(inside) = rest.strip_prefix("/--") {
            let length = inside.find("--/").map(|end| end + 6);
            if length.is_none() {
                self.error(3, "V0102", "this comment is not closed").help("`--/` closes it");
            }
            self.at += length.unwrap_or(rest.len());
        } else if rest.starts_with("--") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = name_length(rest);
            let text = &rest[..length];
            let token = match WORDS.binary_search(&text) {
                Ok(number) => Token::Word(WORDS[number]),
                Err(_) => Token::Name(text.into()),
            };
            self.push(token, length);
        } else if first.is_ascii_digit() {
            self.number();
        } else if let Some((foreign, ours)) = FOREIGN.iter().find(|(foreign, _)| rest.starts_with(foreign)) {
            self.error(foreign.len(), "V0101", format!("`{foreign}` is not an operator of this language")).help(
                match *ours {
                    "G" => "write `G`: always".to_owned(),
                    "F" => "write `F`: at some time from now on; different is `!=`".to_owned(),
                    ours => format!("write `{ours}`"),
                },
            );
            match *ours {
                word @ ("G" | "F") => self.push(Token::Word(word), foreign.len()),
                "--" | "/--" => self.at += rest.find('\n').unwrap_or(rest.len()),
                "mod" => self.push(Token::Word("mod"), foreign.len()),
                sign => {
                    let sign = SIGNS.iter().find(|known| **known == sign).expect("what is meant is a sign");
                    self.push(Token::Sign(sign), foreign.len());
                }
            }
        } else if first == '"' {
            self.quoted(rest);
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.push(Token::Sign(sign), sign.len());
        } else {
            let shown = if first.is_control() { first.escape_default().to_string() } else { first.to_string() };
            let message = format!("`{shown}` has no meaning here");
            let error = self.error(first.len_utf8(), "V0101", message);
            // A line for a preprocessor says nothing to this language.
            let is_directive = first == '#';
            if is_directive {
                let help = "there is no preprocessor: name a constant by `DEFINE N := 3;` inside of a module; a comment begins with `--`";
                error.help(help);
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                let meant = MATHEMATICAL.iter().find(|(sign, _)| *sign == first).map(|(_, token)| token.clone());
                match &meant {
                    Some(Token::Word(text) | Token::Sign(text)) => error.help(format!("write `{text}`")),
                    _ if first == '\'' => error.help("write `next(x)` for the value of `x` in the next state"),
                    _ => drop(error),
                }
                if let Some(token) = meant {
                    return self.push(token, first.len_utf8());
                }
                self.at += first.len_utf8();
            }
        }
    }

    /// A name in quotes.
    fn quoted(&mut self, rest: &str) {
        let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 1);
        let inside = &rest[1..end];
        let is_name = !inside.is_empty() && name_length(inside) == inside.len();
        let length = end + usize::from(rest[end..].starts_with('"'));
        self.error(length, "V0101", "names have no quotes").help(match is_name {
            true => format!("write `{inside}`"),
            false => "a constant of an enumeration is a name such as `idle`".to_owned(),
        });
        self.push(Token::Name(if is_name { inside } else { "_" }.into()), length);
    }

    fn push(&mut self, token: Token, length: usize) {
        let span = Span::new(self.file, self.at, self.at + length);
        self.found.push(Spanned { token, span });
        self.at += length;
    }

    /// An error about the next `length` bytes, to which help can be added.
    fn error(&mut self, length: usize, code: &'static str, message: impl Into<String>) -> Pending<'_> {
        let span = Span::new(self.file, self.at, self.at + length);
        Pending { report: self.report, diagnostic: Some(Diagnostic::error(span, code, message)) }
    }
}

/// An error that is reported when it goes out of scope.
struct Pending<'a> {
    report: &'a mut Report,
    diagnostic: Option<Diagnostic>,
}

impl Pending<'_> {
    fn help(mut self, help: impl Into<String>) {
        self.diagnostic = self.diagnostic.take().map(|diagnostic| diagnostic.help(help));
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(diagnostic) = self.diagnostic.take() {
            self.report.push(diagnostic);
        }
    }
}

fn name_length(rest: &str) -> usize {
    let mut length = 0;
    for (at, c) in rest.char_indices() {
        let inside = c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '-');
        if !inside || rest[at..].starts_with("->") {
            break;
        }
        length = at + c.len_utf8();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Vec<String> {
        let mut report = Report::default();
        let found = tokens(text, FileId(0), &mut report);
        assert!(!report.has_errors(), "{text}: {:?}", report.finish());
        found.iter().map(|spanned| spanned.token.described()).collect()
    }

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn names_contain_minus_signs() {
        assert_eq!(
            described("x-1 x -1 2-1 a->b"),
            ["`x-1`", "`x`", "`-`", "`1`", "`2`", "`-`", "`1`", "`a`", "`->`", "`b`", "the end of the text"]
        );
        assert_eq!(
            described("1..3 /-- x \n --/ a.b -- c"),
            ["`1`", "`..`", "`3`", "`a`", "`.`", "`b`", "the end of the text"]
        );
    }
}
