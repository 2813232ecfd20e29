//! Words, numbers, quoted texts and signs.

use lariat_base::{Diagnostic, FileId, Span};

/// A piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A word, or words joined by dots.
    Word(String),
    /// A number without its sign.
    Number(u64),
    /// A quoted text, escapes resolved.
    Quoted(String),
    /// Anything else.
    Sign(&'static str),
    /// Nothing more.
    End,
}

/// Longer signs first.
const SIGNS: [&str; 36] = [
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", ":=", "..", "->", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%",
    "!", "~", "(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "?", ".", "@",
];

/// The pieces of `text` with their places; the last is [`Token::End`].
pub(super) fn tokens(text: &str, file: FileId) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if c.is_ascii_alphabetic() || c == '_' {
            let length = word_length(rest);
            (Token::Word(rest[..length].to_string()), length)
        } else if c.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..length].parse().map_err(|_| {
                Diagnostic::error(Span::new(file, at, at + length), "S0001", "a number of more than 64 bits")
            })?;
            (Token::Number(number), length)
        } else if c == '"' {
            quoted(rest).map_err(|(offset, message)| {
                Diagnostic::error(Span::new(file, at + offset, at + offset + 1), "S0001", message)
            })?
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            let span = Span::new(file, at, at + c.len_utf8());
            return Err(Diagnostic::error(span, "S0001", format!("`{}` has no meaning here", c.escape_default())));
        };
        found.push((token, Span::new(file, at, at + length)));
        at += length;
    }
    found.push((Token::End, Span::new(file, at, at)));
    Ok(found)
}

fn word_length(rest: &str) -> usize {
    let mut end = 0;
    loop {
        let word = &rest[end..];
        end += word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let after_dot = rest[end..].strip_prefix('.').and_then(|rest| rest.chars().next());
        if after_dot.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            end += 1;
        } else {
            return end;
        }
    }
}

/// The text in quotes at the beginning of `rest`, and how long it is with them; or where and what is wrong.
fn quoted(rest: &str) -> Result<(Token, usize), (usize, &'static str)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Quoted(text), at + 1)),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                Some((_, 'u')) => {
                    let code: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').collect();
                    let number = code.strip_prefix('{').and_then(|code| u32::from_str_radix(code, 16).ok());
                    text.push(number.and_then(char::from_u32).ok_or((at, "no such character"))?);
                }
                _ => return Err((at, "an escape is one of \\n, \\t, \\\", \\\\ and \\u{…}")),
            },
            c => text.push(c),
        }
    }
    Err((0, "the quote is not closed"))
}
