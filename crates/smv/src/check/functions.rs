//! Functions, and bits of words.

use super::Elaborator;
use super::expr::At;
use crate::term::{Kind, Term, constant, term};
use crate::tree::{BinaryOp, Expr, Function};
use crate::types::{Base, MAX_WIDTH, Ty};
use lariat_base::{Diagnostic, Span};

impl Elaborator<'_, '_> {
    pub(super) fn call(&mut self, function: Function, arguments: &[Expr], at: At, span: Span) -> Option<Term> {
        match function {
            Function::Extend | Function::Resize => return self.widened(function, arguments, at, span),
            Function::Uwconst | Function::Swconst => return self.word_of(function, arguments, at, span),
            _ => {}
        }
        let values: Vec<Option<Term>> = arguments.iter().map(|argument| self.value(argument, at)).collect();
        let values: Vec<Term> = values.into_iter().collect::<Option<_>>()?;
        let ty = values[0].ty;
        let all = |base: Base| values.iter().all(|value| value.ty == Ty::of(base));
        let width = match ty.base {
            Base::Word { width, .. } if !ty.set => Some(width),
            _ => None,
        };
        let first = || values[0].clone();
        let made = match function {
            Function::Abs if all(Base::Int) => term(Kind::Abs(first()), Ty::INT, span),
            Function::Min | Function::Max if all(Base::Int) || width.is_some() && all(ty.base) => {
                let op = if function == Function::Min { BinaryOp::Le } else { BinaryOp::Ge };
                let (left, right) = (first(), values[1].clone());
                let wins = term(Kind::Binary(op, left.clone(), right.clone()), Ty::BOOL, span);
                term(Kind::Ite(wins, left, right), ty, span)
            }
            Function::Count if all(Base::Bool) => term(Kind::Count(values), Ty::INT, span),
            Function::Toint if all(Base::Int) => first(),
            Function::Toint if all(Base::Bool) || width.is_some_and(|width| width <= 32) => {
                term(Kind::Convert(first()), Ty::INT, span)
            }
            Function::Bool if all(Base::Bool) => first(),
            Function::Bool if all(Base::Int) || width == Some(1) => term(Kind::Truth(first()), Ty::BOOL, span),
            Function::Word1 if all(Base::Bool) => {
                term(Kind::Convert(first()), Ty::of(Base::Word { signed: false, width: 1 }), span)
            }
            Function::Signed | Function::Unsigned if width.is_some() => {
                let base = Base::Word { signed: function == Function::Signed, width: width.unwrap_or(1) };
                term(Kind::Convert(first()), Ty::of(base), span)
            }
            Function::Sizeof if width.is_some() => constant(i128::from(width.unwrap_or(1)), Ty::INT, span),
            _ => {
                let types: Vec<String> = values.iter().map(|value| value.ty.to_string()).collect();
                let message = format!("this function is not for values of type {}", types.join(" and "));
                let diagnostic = Diagnostic::error(span, "V0302", message);
                self.report.push(match function {
                    Function::Bool => diagnostic.help("`bool` is for whole numbers and for word[1]"),
                    Function::Toint => diagnostic.help("`toint` is for booleans and words of at most 32 bits"),
                    Function::Word1 | Function::Count => diagnostic.help("it is for booleans"),
                    Function::Signed | Function::Unsigned | Function::Sizeof => diagnostic.help("it is for words"),
                    _ => diagnostic.help("it is for whole numbers"),
                });
                return None;
            }
        };
        Some(made)
    }

    /// `extend` and `resize`.
    fn widened(&mut self, function: Function, arguments: &[Expr], at: At, span: Span) -> Option<Term> {
        let (word, by) = (self.value(&arguments[0], at), self.number(&arguments[1], at.scope));
        let (word, by) = (word?, by?);
        let Ty { base: Base::Word { signed, width }, set: false } = word.ty else {
            self.error(word.span, "V0302", format!("`extend` and `resize` are for words, and not for {}", word.ty));
            return None;
        };
        let wanted = if function == Function::Extend { i128::from(width) + by } else { by };
        let smallest = if function == Function::Extend { i128::from(width) } else { 1 };
        let fitting = u32::try_from(wanted).ok().filter(|wanted| *wanted <= MAX_WIDTH && wanted >= &(smallest as u32));
        let Some(wanted) = fitting else {
            let message = format!("words have 1 to {MAX_WIDTH} bits, and not {wanted}");
            self.error(arguments[1].span, "V0215", message);
            return None;
        };
        let ty = Ty::of(Base::Word { signed, width: wanted });
        // A signed word that becomes narrower keeps its sign.
        let kind = if signed && wanted < width { Kind::Narrow(word) } else { Kind::Convert(word) };
        Some(term(kind, ty, span))
    }

    /// `uwconst(v, n)`, `swconst(v, n)`
    fn word_of(&mut self, function: Function, arguments: &[Expr], at: At, span: Span) -> Option<Term> {
        let (value, width) = (self.number(&arguments[0], at.scope), self.number(&arguments[1], at.scope));
        let (value, width) = (value?, width?);
        let Some(width) = u32::try_from(width).ok().filter(|width| (1..=MAX_WIDTH).contains(width)) else {
            self.error(arguments[1].span, "V0215", format!("words have 1 to {MAX_WIDTH} bits, and not {width}"));
            return None;
        };
        let base = Base::Word { signed: function == Function::Swconst, width };
        let (low, high) = base.bounds();
        if value < low || value > high {
            self.error(arguments[0].span, "V0104", format!("{value} does not fit {width} bits: {low}..{high} does"));
            return None;
        }
        Some(constant(value, Ty::of(base), span))
    }

    /// `w[high : low]`
    pub(super) fn bits(&mut self, word: &Expr, high: &Expr, low: &Expr, at: At, span: Span) -> Option<Term> {
        let value = self.value(word, at);
        let help = "shift the word, and take its lowest bits: `(w >> i)[0:0]`";
        let (top, bottom) = (self.number_or(high, at.scope, help), self.number_or(low, at.scope, help));
        let (value, top, bottom) = (value?, top?, bottom?);
        let Ty { base: Base::Word { width, .. }, set: false } = value.ty else {
            self.error(word.span, "V0302", format!("bits are those of a word, and this is of type {}", value.ty));
            return None;
        };
        if bottom < 0 || bottom > top || top >= i128::from(width) {
            let message = format!("bits of a word[{width}] are [{}:0] or fewer, higher ones first", width - 1);
            self.error(high.span.to(low.span), "V0505", message);
            return None;
        }
        let (top, bottom) = (top as u32, bottom as u32);
        let ty = Ty::of(Base::Word { signed: false, width: top - bottom + 1 });
        Some(term(Kind::Bits(value, top, bottom), ty, span))
    }
}
