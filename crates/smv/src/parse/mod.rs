//! From tokens to the tree.
//!
//! A mistake inside an entry of a section is told, and reading goes on behind its `;` or with the next section, so that
//! several are told in one go.

mod bounds;
mod expressions;
mod hints;
mod sections;

use crate::lex::tokens;
use crate::report::Report;
use crate::token::{Spanned, Token};
use crate::tree::{Expr, Ident, Tree};
use lariat_base::{Diagnostic, FileId, Span};

/// The deepest nesting of an expression in the text.
pub const MAX_DEPTH: usize = 100;

/// Reading stopped inside an entry; the mistake was told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

/// What was read, unless a mistake was met.
type Read<T> = Result<T, Stopped>;

struct Parser<'a> {
    tokens: Vec<Spanned>,
    at: usize,
    depth: usize,
    /// How many `case` are open.
    open_cases: usize,
    /// Whether a formula of CTL is read, where `A [p U q]` is one operator.
    is_ctl: bool,
    /// Whether `U` ends an expression: the left side of such an operator.
    ends_at_until: bool,
    report: &'a mut Report,
}

/// The tree of `text`, as far as it can be read.
pub(crate) fn parse(text: &str, file: FileId, report: &mut Report) -> Tree {
    let tokens = tokens(text, file, report);
    let mut parser = Parser { tokens, at: 0, depth: 0, open_cases: 0, is_ctl: false, ends_at_until: false, report };
    parser.whole()
}

/// The formula that `text` is.
pub(crate) fn parse_formula(text: &str, file: FileId, report: &mut Report) -> Read<Expr> {
    let tokens = tokens(text, file, report);
    let mut parser = Parser { tokens, at: 0, depth: 0, open_cases: 0, is_ctl: false, ends_at_until: false, report };
    let formula = parser.expression()?;
    let _ = parser.takes(";");
    match parser.token() {
        Token::End if !parser.report.has_errors() => Ok(formula),
        Token::End => Err(Stopped),
        _ => parser.unexpected("the end of the formula"),
    }
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at].token
    }
    fn token_after(&self, more: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + more).min(last)].token
    }
    fn span(&self) -> Span {
        self.tokens[self.at].span
    }
    /// The place of the token before.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }
    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }
    fn is(&self, text: &str) -> bool {
        matches!(self.token(), Token::Word(found) | Token::Sign(found) if *found == text)
    }
    /// Goes past the word or sign if it stands here.
    fn takes(&mut self, text: &str) -> bool {
        let here = self.is(text);
        if here {
            self.advance();
        }
        here
    }
    fn expect(&mut self, text: &str) -> Read<()> {
        if self.takes(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }
    /// The same, with the place of what it closes.
    fn close(&mut self, text: &str, opened: Span) -> Read<()> {
        if self.takes(text) {
            return Ok(());
        }
        let diagnostic = self.unexpected_here(&format!("`{text}`")).note(opened, "to close what was opened here");
        self.report.push(diagnostic);
        Err(Stopped)
    }
    fn name(&mut self, what: &str) -> Read<Ident> {
        match self.token().clone() {
            Token::Name(name) => {
                let span = self.span();
                self.advance();
                Ok(Ident { name, span })
            }
            Token::Word(word) => {
                let message = format!("`{word}` is a word of the language and cannot be {what}");
                let diagnostic = Diagnostic::error(self.span(), "V0105", message);
                let is_assigned = matches!(word, "init" | "next") && *self.token_after(1) == Token::Sign("(");
                self.report.push(match is_assigned {
                    true => diagnostic.help(format!("`{word}(…) := …` stands in a section `ASSIGN`")),
                    false => diagnostic.help(format!("choose another name, such as `{word}_1`")),
                });
                Err(Stopped)
            }
            _ => self.unexpected(what),
        }
    }
    fn unexpected_here(&self, wanted: &str) -> Diagnostic {
        let found = self.token().described();
        let mut diagnostic = Diagnostic::error(self.span(), "V0106", format!("expected {wanted}, found {found}"));
        if wanted == "`;`" {
            diagnostic = diagnostic.note(self.last_span(), "every entry ends with `;`");
        }
        let spot = hints::Spot { tokens: &self.tokens, at: self.at, wanted, in_case: self.open_cases > 0 };
        match spot.hint() {
            Some(hint) => diagnostic.help(hint),
            None => diagnostic,
        }
    }
    fn unexpected<T>(&mut self, wanted: &str) -> Read<T> {
        let diagnostic = self.unexpected_here(wanted);
        self.report.push(diagnostic);
        Err(Stopped)
    }
    /// Reads something inside something else.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} deep");
            self.report.push(Diagnostic::error(self.span(), "V0107", message).help("a `DEFINE` can name a part of it"));
            return Err(Stopped);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }
    /// Goes to the end of an entry: behind the next `;`, or to the next section.
    fn skip_entry(&mut self) {
        let mut cases = std::mem::take(&mut self.open_cases);
        while !matches!(self.token(), Token::End) {
            match self.token() {
                Token::Word(word) if sections::begins_section(word) => return,
                Token::Word("case") => cases += 1,
                Token::Word("esac") => cases = cases.saturating_sub(1),
                Token::Sign(";") if cases == 0 => return self.advance(),
                _ => {}
            }
            self.advance();
        }
    }
}
