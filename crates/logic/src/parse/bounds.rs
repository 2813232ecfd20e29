//! Operators with numbers: Spot's `X[3]`, `F[2:5]`, `G[1..]`, and NuSMV's `F [2,5]`, `G`, `O` and `H`. They are written out, as both
//! programs do. In the past that is done with `Y`, which is false at the beginning: `H [0,1] p` is `p & Y p`, and false there.

use super::grammar::Prefix;
use super::lexer::Kind;
use super::{Built, Dialect, MAX_DEPTH, Parse, Parser};
use crate::Formula;
use lariat_base::Diagnostic;

/// How far an operator looks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bounds {
    /// No numbers are given.
    None,
    /// `X[n]`
    Times(usize),
    /// `F[from:to]`; without an end if `to` is absent.
    Range(usize, Option<usize>),
}

impl Parser<'_> {
    /// The bounds behind the operator just read.
    pub(super) fn bounds(&mut self, operator: Prefix) -> Parse<Bounds> {
        let open = self.at;
        let of_spot = self.grammar.dialect == Dialect::Spot || self.grammar.open;
        let of_nusmv = self.grammar.dialect == Dialect::Nusmv || self.grammar.open;
        let takes = match operator {
            Prefix::Next => of_spot,
            Prefix::Finally | Prefix::Globally => of_spot || of_nusmv,
            Prefix::Once | Prefix::Historically => of_nusmv,
            _ => false,
        };
        if !takes || self.word(open) != "[" {
            return Ok(Bounds::None);
        }
        self.at += 1;
        let separator = if self.grammar.dialect == Dialect::Nusmv { "`,`" } else { "`:`" };
        let of_past = matches!(operator, Prefix::Once | Prefix::Historically);
        let bounds = match (operator, self.word(self.at)) {
            (Prefix::Next, "!") => {
                self.at += 1;
                Bounds::None
            }
            (Prefix::Next, _) => match self.number()? {
                Some(times) => Bounds::Times(times),
                None => return Err(self.expected("a number")),
            },
            _ => {
                let from = self.number()?;
                let both_needed = match self.word(self.at) {
                    "," if of_nusmv => true,
                    ":" | ".." if of_spot && !of_past => false,
                    _ => return Err(self.expected(separator)),
                };
                self.at += 1;
                let is_open = self.word(self.at) == "$" && !both_needed;
                let to = if is_open { None } else { self.number()? };
                self.at += usize::from(is_open);
                if both_needed && (from.is_none() || to.is_none()) {
                    return Err(self.expected("a number, as in `[0, 3]`"));
                }
                let from = from.unwrap_or(0);
                if to.is_some_and(|to| to < from) {
                    let span = self.span(open).to(self.span(self.at));
                    return Err(Diagnostic::error(span, "L0105", "the second number is smaller than the first"));
                }
                Bounds::Range(from, to)
            }
        };
        if self.word(self.at) != "]" {
            return Err(self.expected("`]`").note(self.span(open), "to close this `[`"));
        }
        self.at += 1;
        Ok(bounds)
    }

    fn number(&mut self) -> Parse<Option<usize>> {
        let Some(token) = self.token(self.at).filter(|token| token.kind == Kind::Number) else { return Ok(None) };
        let value = token.text.parse().ok().filter(|&value: &usize| value <= MAX_DEPTH);
        let Some(value) = value else {
            let message = format!("formulas look at most {MAX_DEPTH} steps ahead");
            return Err(Diagnostic::error(self.span(self.at), "L0105", message));
        };
        self.at += 1;
        Ok(Some(value))
    }

    /// The operator over the formula, as often as the bounds say: `F[1:2] f` is `X (f | X f)`.
    pub(super) fn bounded(&self, operator: Prefix, bounds: Bounds, built: Built, token: usize) -> Parse<Built> {
        match bounds {
            Bounds::None => self.apply(operator, built, token),
            Bounds::Times(times) => self.delayed(Prefix::Next, times, built, token),
            Bounds::Range(from, None) => {
                let whole = self.apply(operator, built, token)?;
                self.delayed(Prefix::Next, from, whole, token)
            }
            Bounds::Range(from, Some(to)) => {
                let (part, depth, size) = (built.formula.clone(), built.depth, built.size);
                let mut window = built;
                let of_past = matches!(operator, Prefix::Once | Prefix::Historically);
                let step = if of_past { Prefix::Yesterday } else { Prefix::Next };
                let is_some = matches!(operator, Prefix::Finally | Prefix::Once);
                for _ in from..to {
                    let later = self.apply(step, window, token)?;
                    let (depth, size) = (later.depth.max(depth) + 1, later.size + size + 1);
                    let parts = [part.clone(), later.formula];
                    let formula = if is_some { Formula::or(parts) } else { Formula::and(parts) };
                    window = self.within_limits(Built { formula, depth, size }, token)?;
                }
                self.delayed(step, from, window, token)
            }
        }
    }

    fn delayed(&self, step: Prefix, times: usize, built: Built, token: usize) -> Parse<Built> {
        (0..times).try_fold(built, |later, _| self.apply(step, later, token))
    }
}
