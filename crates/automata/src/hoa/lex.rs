//! Tokens of the format.

use super::error;
use lariat_base::{Diagnostic, FileId, Span};
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `name:`
    Header(String),
    Identifier(String),
    /// `@name`
    Alias(String),
    Text(String),
    Number(u64),
    And,
    Or,
    Not,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    /// `--BODY--`
    Body,
    /// `--END--`
    Finish,
    /// `--ABORT--`
    Abort,
    /// The end of the text.
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "`{name}:`"),
            Self::Identifier(name) => write!(f, "`{name}`"),
            Self::Alias(name) => write!(f, "`@{name}`"),
            Self::Text(_) => write!(f, "a string"),
            Self::Number(number) => write!(f, "`{number}`"),
            Self::And => write!(f, "`&`"),
            Self::Or => write!(f, "`|`"),
            Self::Not => write!(f, "`!`"),
            Self::Open => write!(f, "`(`"),
            Self::Close => write!(f, "`)`"),
            Self::OpenBracket => write!(f, "`[`"),
            Self::CloseBracket => write!(f, "`]`"),
            Self::OpenBrace => write!(f, "`{{`"),
            Self::CloseBrace => write!(f, "`}}`"),
            Self::Body => write!(f, "`--BODY--`"),
            Self::Finish => write!(f, "`--END--`"),
            Self::Abort => write!(f, "`--ABORT--`"),
            Self::End => write!(f, "the end of the text"),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, file: FileId) -> Self {
        Self { text, file, at: 0 }
    }
    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
    /// The next token and its place.
    pub(super) fn next(&mut self) -> Result<(Token, Span), Diagnostic> {
        self.skip_blank()?;
        let start = self.at;
        let Some(byte) = self.peek() else { return Ok((Token::End, self.span(start))) };
        let token = match byte {
            b'&' => self.single(Token::And),
            b'|' => self.single(Token::Or),
            b'!' => self.single(Token::Not),
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'[' => self.single(Token::OpenBracket),
            b']' => self.single(Token::CloseBracket),
            b'{' => self.single(Token::OpenBrace),
            b'}' => self.single(Token::CloseBrace),
            b'"' => self.string()?,
            b'0'..=b'9' => self.number()?,
            b'@' => {
                self.at += 1;
                let name = self.word();
                if name.is_empty() {
                    return Err(error(self.span(start), "A0101", "an alias needs a name after `@`"));
                }
                Token::Alias(name)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let name = self.word();
                if self.peek() == Some(b':') { self.single(Token::Header(name)) } else { Token::Identifier(name) }
            }
            _ => {
                let ends = [("--BODY--", Token::Body), ("--END--", Token::Finish), ("--ABORT--", Token::Abort)];
                let rest = &self.text[start..];
                let Some((spelling, token)) = ends.into_iter().find(|(spelling, _)| rest.starts_with(spelling)) else {
                    let character = rest.chars().next().unwrap_or(' ');
                    self.at += character.len_utf8();
                    let message = format!("`{}` means nothing here", character.escape_default());
                    return Err(error(self.span(start), "A0101", message));
                };
                self.at += spelling.len();
                token
            }
        };
        Ok((token, self.span(start)))
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }
    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            self.at += 1;
        }
        self.text[start..self.at].to_owned()
    }
    fn number(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        digits.parse().map(Token::Number).map_err(|_| error(self.span(start), "A0101", "this number is too large"))
    }
    fn string(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += offset + 1;
                    return Ok(Token::Text(text));
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        self.at = start + 1;
        Err(error(self.span(start), "A0101", "this string does not end"))
    }
    fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            if !self.text[self.at..].starts_with("/*") {
                return Ok(());
            }
            // Comments nest.
            let (start, mut depth) = (self.at, 0);
            loop {
                let rest = &self.text.as_bytes()[self.at..];
                match rest {
                    [b'/', b'*', ..] => (depth, self.at) = (depth + 1, self.at + 2),
                    [b'*', b'/', ..] => (depth, self.at) = (depth - 1, self.at + 2),
                    [] => {
                        self.at = start + 2;
                        return Err(error(self.span(start), "A0101", "this comment does not end"));
                    }
                    _ => self.at += 1,
                }
                if depth == 0 {
                    break;
                }
            }
        }
    }
}
