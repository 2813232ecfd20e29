//! Texts that speak of a model: the formulas of `ltl` blocks, and those that come from elsewhere.
//!
//! Who reads formulas does not know Promela's macros, and Promela does not know formulas. So a formula is handed over as a
//! text with its macros expanded, a [`Phrase`]; what is said about a part of that text can be turned into a place of the
//! source, and a part that is a proposition can be handed back to be observed.

use crate::token::{Token, TokenKind};
use lariat_base::{Diagnostic, Note, Span};
use std::ops::Range;

/// Tokens after macro expansion, as a text and with their places.
#[derive(Clone, Debug)]
pub struct Phrase {
    text: String,
    tokens: Vec<Token>,
    /// Where each token stands in the text.
    ranges: Vec<Range<usize>>,
    /// The place behind the last one, as far as it is known.
    end: Span,
}

impl Phrase {
    /// The phrase of these tokens; an end behind them is no part of it.
    pub(crate) fn new(tokens: impl IntoIterator<Item = Token>) -> Self {
        let mut phrase = Self { text: String::new(), tokens: Vec::new(), ranges: Vec::new(), end: Span::NONE };
        for token in tokens {
            phrase.end = Span { start: token.span.end, ..token.span };
            if token.kind == TokenKind::End {
                break;
            }
            // What was written without a space stays so: `=>` are two tokens here, but one elsewhere.
            let together = phrase.tokens.last().is_some_and(|before| {
                before.span.file == token.span.file
                    && before.span.end == token.span.start
                    && before.expanded_from.is_none()
                    && token.expanded_from.is_none()
            });
            if !together && !phrase.tokens.is_empty() {
                phrase.text.push(' ');
            }
            let start = phrase.text.len();
            phrase.text.push_str(&token.kind.to_string());
            phrase.ranges.push(start..phrase.text.len());
            phrase.tokens.push(token);
        }
        phrase
    }
    /// The text, macros expanded.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Where in the model, or in the text given, the bytes `range` of [`Phrase::text`] come from.
    pub fn place(&self, range: Range<usize>) -> Span {
        let touched = self.touched(&range);
        let spans = self.tokens[touched].iter().map(|token| token.span);
        match spans.reduce(|all, next| all.to(next)) {
            Some(span) => span,
            // Between tokens, or behind all of them.
            None => {
                let before = self.ranges.partition_point(|own| own.start < range.start);
                let near = before.checked_sub(1).and_then(|at| self.tokens.get(at)).or(self.tokens.first());
                near.map_or(self.end, |token| Span { start: token.span.end, ..token.span })
            }
        }
    }
    /// A diagnostic about [`Phrase::text`], in which places are bytes of it, as one about the source.
    #[must_use]
    pub fn relocated(&self, diagnostic: Diagnostic) -> Diagnostic {
        let place = |span: Span| self.place(span.start as usize..span.end as usize);
        let notes = diagnostic.notes.into_iter().map(|note| Note { span: place(note.span), ..note }).collect();
        Diagnostic { span: place(diagnostic.span), notes, ..diagnostic }
    }
    /// The phrase with its places changed.
    #[must_use]
    pub(crate) fn moved(mut self, to: impl Fn(Span) -> Span) -> Self {
        self.tokens.iter_mut().for_each(|token| token.span = to(token.span));
        self.end = to(self.end);
        self
    }
    /// The tokens that the bytes `range` of [`Phrase::text`] touch, as a phrase.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Phrase {
        Phrase::new(self.tokens[self.touched(&range)].iter().cloned())
    }
    fn touched(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.ranges.partition_point(|own| own.end <= range.start);
        let end = self.ranges.partition_point(|own| own.start < range.end);
        first..end.max(first)
    }
    /// The tokens, with an end.
    pub(crate) fn tokens(&self) -> Vec<Token> {
        let end = Token { kind: TokenKind::End, span: self.end, expanded_from: None, newline_before: false };
        self.tokens.iter().cloned().chain([end]).collect()
    }
    /// The text between the quotes, if the phrase is a string.
    pub(crate) fn quoted(&self) -> Option<&str> {
        match &self.tokens[..] {
            [Token { kind: TokenKind::Str(text), .. }] => Some(text),
            _ => None,
        }
    }
    /// Its place as a whole.
    pub fn span(&self) -> Span {
        self.place(0..self.text.len())
    }
}

/// An `ltl` block. The formula is to hold on all runs, as in SPIN.
#[derive(Clone, Debug)]
pub struct LtlBlock {
    /// Its name, or `ltl_0`, `ltl_1`, … as SPIN counts them.
    pub name: String,
    /// The formula.
    pub formula: Phrase,
    /// The place between the braces.
    pub span: Span,
}

/// Something to be observed in the states of a model: a condition of Promela.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The name of the label that the system gets for it; no two have the same.
    pub name: String,
    /// The condition.
    pub condition: Phrase,
}
