//! Tokens of formulas, common to all dialects.

use super::Dialect;
use super::grammar::Grammar;
use super::mistakes::foreign_operator;
use lariat_base::{Diagnostic, FileId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Letters and digits, a letter first.
    Word,
    /// Digits.
    Number,
    /// A text in quotes; the token's text is what stands between them, as spelled.
    Quoted,
    /// An operator or bracket.
    Symbol,
}

/// A token: bytes `start..end` of the formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Longer ones first, so that `<->` is not `<` and `->`.
const SYMBOLS: &[&str] = &[
    "<-->", "<->", "<=>", "-->", "[]", "<>", "->", "=>", "&&", "||", "/\\", "\\/", "==", "!=", "<=", ">=", "<<", ">>",
    "..", "::", "??", "(", ")", "[", "]", "{", "}", "<", ">", "=", "!", "&", "|", "^", "~", "+", "-", "*", "/", "%",
    "?", ":", "@", ".", ",", ";", "$",
];

/// The tokens of a text.
pub(super) fn tokens(text: &str, file: FileId) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
        let (kind, length) = if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        } else if first.is_ascii_alphabetic() || first == '_' {
            (Kind::Word, rest.find(|c| !is_word(c)).unwrap_or(rest.len()))
        } else if first.is_ascii_digit() {
            (Kind::Number, rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
        } else if first == '"' {
            match closing_quote(rest) {
                Some(close) => (Kind::Quoted, close + 1),
                None => {
                    let span = Span::new(file, start, text.len());
                    return Err(Diagnostic::error(span, "L0102", "this quote does not end").help("close it by `\"`"));
                }
            }
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Kind::Symbol, symbol.len())
        } else {
            let span = Span::new(file, start, start + first.len_utf8());
            let error = Diagnostic::error(span, "L0102", format!("`{first}` is not part of any formula"));
            return Err(Diagnostic { help: foreign_operator(first), ..error });
        };
        let end = start + length;
        let inner = if kind == Kind::Quoted { start + 1..end - 1 } else { start..end };
        tokens.push(Token { kind, text: &text[inner], start, end });
        start = end;
    }
    Ok(tokens)
}

/// Where the quote that `rest` begins with is closed.
fn closing_quote(rest: &str) -> Option<usize> {
    let mut escaped = false;
    rest.bytes().enumerate().skip(1).find_map(|(at, byte)| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes.then_some(at)
    })
}

/// Takes operators apart that are written without a space. Spot reads `GFa` as `G F a`: no name begins with `F`, `G` or
/// `X`, unless a digit follows. Where the dialect was guessed, only words such as `GF`, `FGp` or `Xp1` are taken apart, and
/// none where something shows that the text is SPIN's or NuSMV's: there a name is a name.
pub(super) fn split_words<'a>(tokens: Vec<Token<'a>>, grammar: &Grammar) -> Vec<Token<'a>> {
    if grammar.dialect != Dialect::Spot {
        return tokens;
    }
    let mut split = Vec::with_capacity(tokens.len());
    for token in tokens {
        let letters = if token.kind == Kind::Word { glued_operators(token.text, grammar.open) } else { 0 };
        for at in 0..letters {
            let start = token.start + at;
            split.push(Token { text: &token.text[at..=at], start, end: start + 1, ..token });
        }
        if letters < token.text.len() || token.kind != Kind::Word {
            split.push(Token { text: &token.text[letters..], start: token.start + letters, ..token });
        }
    }
    split
}

/// How many operators a word begins with that are to be taken apart from it.
fn glued_operators(word: &str, guessed: bool) -> usize {
    let bytes = word.as_bytes();
    let is_operator = |byte: &u8| matches!(byte, b'F' | b'G' | b'X');
    let mut letters = bytes.iter().take_while(|byte| is_operator(byte)).count();
    if bytes.get(letters).is_some_and(u8::is_ascii_digit) {
        letters = letters.saturating_sub(1);
    }
    let rest = &bytes[letters..];
    let plain = match rest {
        [] => letters > 1,
        [first, digits @ ..] => first.is_ascii_lowercase() && digits.iter().all(u8::is_ascii_digit),
    };
    if letters == word.len() && letters < 2 || guessed && !plain { 0 } else { letters }
}

/// For each opening bracket the position of the one that closes it.
pub(super) fn groups(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut groups = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Symbol) {
        let opener = match token.text {
            "(" | "[" | "{" => {
                open.push(at);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        if open.last().is_some_and(|&last| tokens[last].text == opener)
            && let Some(last) = open.pop()
        {
            groups[last] = Some(at);
        }
    }
    groups
}
