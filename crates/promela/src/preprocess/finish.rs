//! From lexemes to tokens: keywords are told from names, and what is not of the language is reported and left out.
//!
//! Embedded C is cut out here, where its text is still only brackets: of `c_code { … }` the keyword alone remains.

use lariat_base::{Diagnostic, Span};

use crate::lex::{LexError, Lexeme, Placed};
use crate::report::Report;
use crate::token::{Keyword, Punct, Token, TokenKind};

/// The tokens, with an end at `end`.
pub(super) fn finish(lexemes: Vec<Placed>, end: Span, report: &mut Report) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(lexemes.len() + 1);
    let mut lexemes = lexemes.into_iter().peekable();
    while let Some(placed) = lexemes.next() {
        if let Some((number, keyword)) = number_and_keyword(&placed) {
            tokens.extend([number, keyword]);
            continue;
        }
        let Some(kind) = kind(&placed, report) else { continue };
        let embedded = matches!(
            kind,
            TokenKind::Keyword(Keyword::CCode | Keyword::CExpr | Keyword::CDecl | Keyword::CState | Keyword::CTrack)
        );
        let Placed { span, expanded_from, newline_before, .. } = placed;
        tokens.push(Token { kind, span, expanded_from, newline_before });
        if embedded {
            skip_c(&mut lexemes);
        }
    }
    tokens.push(Token { kind: TokenKind::End, span: end, expanded_from: None, newline_before: true });
    tokens
}

/// `1od`, which SPIN reads as two tokens.
fn number_and_keyword(placed: &Placed) -> Option<(Token, Token)> {
    let Lexeme::Number(text) = &placed.lexeme else { return None };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let keyword = Keyword::from_text(&text[digits..])?;
    let number = text[..digits].parse().ok()?;
    let Placed { span, expanded_from, newline_before, .. } = *placed;
    let (mut first, mut second) = (span, span);
    if expanded_from.is_none() {
        first.end = span.start + digits as u32;
        second.start = first.end;
    }
    let token = |kind, span, newline_before| Token { kind, span, expanded_from, newline_before };
    let number = token(TokenKind::Number(number), first, newline_before);
    Some((number, token(TokenKind::Keyword(keyword), second, false)))
}

fn kind(placed: &Placed, report: &mut Report) -> Option<TokenKind> {
    let diagnostic = match &placed.lexeme {
        Lexeme::Word(name) => {
            return Some(match Keyword::from_text(name) {
                Some(keyword) => TokenKind::Keyword(keyword),
                None => TokenKind::Name(name.clone()),
            });
        }
        Lexeme::Number(digits) => match digits.parse() {
            Ok(number) => return Some(TokenKind::Number(number)),
            Err(_) => number_trouble(digits, placed.span),
        },
        Lexeme::Str(text) => return Some(TokenKind::Str(text.clone())),
        Lexeme::Char(byte) => return Some(TokenKind::Char(*byte)),
        Lexeme::Punct(punct @ (Punct::Hash | Punct::HashHash)) => {
            let message = format!("`{}` has no meaning here", punct.text());
            Diagnostic::error(placed.span, "P0001", message).help("a directive begins a line")
        }
        Lexeme::Punct(punct) => return Some(TokenKind::Punct(*punct)),
        Lexeme::LexError(LexError::Character('\'')) => {
            Diagnostic::error(placed.span, "P0005", "a character constant is one character between quotes")
        }
        Lexeme::LexError(LexError::Character(first)) => {
            let message = format!("`{}` is not a character of Promela", first.escape_debug());
            let diagnostic = Diagnostic::error(placed.span, "P0001", message);
            if first.is_alphabetic() {
                diagnostic.help("names consist of the letters a to z and A to Z, digits and `_`")
            } else {
                diagnostic
            }
        }
        Lexeme::LexError(LexError::String) => {
            Diagnostic::error(placed.span, "P0002", "this string does not end on its line").help("close it by `\"`")
        }
        Lexeme::End => return None,
    };
    report.push(diagnostic);
    // Something stays in place, lest its absence be taken for a second mistake.
    match placed.lexeme {
        Lexeme::Number(_) => Some(TokenKind::Number(0)),
        Lexeme::LexError(LexError::String) => Some(TokenKind::Str("".into())),
        _ => None,
    }
}

fn number_trouble(digits: &str, span: Span) -> Diagnostic {
    let shown: String = digits.chars().take(40).collect();
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("the number {shown} does not fit into 32 bits");
        return Diagnostic::error(span, "P0004", message);
    }
    let diagnostic = Diagnostic::error(span, "P0004", format!("`{shown}` is not a number"));
    match digits.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(value) => diagnostic.help(format!("numbers are decimal: write {value}")),
        None => diagnostic,
    }
}

/// Skips strings, one `[…]` and one `{…}`.
fn skip_c(lexemes: &mut std::iter::Peekable<std::vec::IntoIter<Placed>>) {
    while lexemes.next_if(|next| matches!(next.lexeme, Lexeme::Str(_))).is_some() {}
    for (open, close) in [(Punct::LBracket, Punct::RBracket), (Punct::LBrace, Punct::RBrace)] {
        if !lexemes.peek().is_some_and(|next| next.is(open)) {
            continue;
        }
        let mut depth = 0_usize;
        for next in lexemes.by_ref() {
            depth += usize::from(next.is(open));
            depth -= usize::from(next.is(close));
            if depth == 0 {
                break;
            }
        }
    }
}
