//! Which operators are for which types.

use super::Elaborator;
use crate::term::{Kind, Term, term};
use crate::tree::BinaryOp;
use crate::types::{Base, MAX_WIDTH, Ty};
use lariat_base::{Diagnostic, Span};

impl Elaborator<'_, '_> {
    pub(super) fn binary(&mut self, op: BinaryOp, left: Term, right: Term, span: Span) -> Option<Term> {
        match op {
            BinaryOp::Union => return self.union(left, right, span),
            BinaryOp::In => return self.membership(left, right, span),
            _ => {}
        }
        let Some(ty) = result(op, left.ty, right.ty) else {
            self.mismatch(op, &left, &right, span);
            return None;
        };
        match (op, ty.base, right.constant()) {
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, Base::Word { width, .. }, Some(by))
                if by < 0 || by > i128::from(width) =>
            {
                self.error(
                    span,
                    "V0504",
                    format!("a word of {width} bits is shifted by 0 to {width}, and not by {by}"),
                );
                return None;
            }
            (BinaryOp::Concat, Base::Word { width, .. }, _) if width > MAX_WIDTH => {
                self.error(span, "V0215", format!("words have 1 to {MAX_WIDTH} bits, and not {width}"));
                return None;
            }
            _ => {}
        }
        Some(term(Kind::Binary(op, left, right), ty, span))
    }

    pub(super) fn mismatch(&mut self, op: BinaryOp, left: &Term, right: &Term, span: Span) {
        let is_comparison = matches!(op.sign(), "=" | "!=" | "<" | "<=" | ">" | ">=");
        let can = if is_comparison { "compare" } else { "take" };
        let message = format!("`{}` cannot {can} {} and {}", op.sign(), left.ty, right.ty);
        let diagnostic = Diagnostic::error(span, "V0302", message);
        self.report.push(match help(op, left, right) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

/// The type of `left op right`, if the operator is for these types.
fn result(op: BinaryOp, left: Ty, right: Ty) -> Option<Ty> {
    if left.set || right.set {
        return None;
    }
    let is_word = |base: Base| matches!(base, Base::Word { .. });
    let same = left.base == right.base;
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Xnor | BinaryOp::Implies | BinaryOp::Iff => {
            (same && (left == Ty::BOOL || is_word(left.base))).then_some(left)
        }
        BinaryOp::Eq | BinaryOp::Ne => left.base.is_comparable(right.base).then_some(Ty::BOOL),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            (same && (left == Ty::INT || is_word(left.base))).then_some(Ty::BOOL)
        }
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
            (same && (left == Ty::INT || is_word(left.base))).then_some(left)
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let by = right == Ty::INT || matches!(right.base, Base::Word { signed: false, .. });
            (is_word(left.base) && by).then_some(left)
        }
        BinaryOp::Concat => match (left.base, right.base) {
            (Base::Word { width: high, .. }, Base::Word { width: low, .. }) => {
                Some(Ty::of(Base::Word { signed: false, width: high + low }))
            }
            _ => None,
        },
        BinaryOp::Union | BinaryOp::In => None,
    }
}

/// The way out of a mismatch, if there is an obvious one.
fn help(op: BinaryOp, left: &Term, right: &Term) -> Option<String> {
    use BinaryOp::{And, Eq, Ge, Gt, Iff, Implies, Le, Lt, Ne, Or, Xnor, Xor};
    if left.ty.set || right.ty.set {
        return Some("sets stand behind `:=`, in `union` and on the sides of `in`".to_owned());
    }
    let compares = matches!(op, Eq | Ne | Lt | Le | Gt | Ge);
    let number = |one: &Term, other: &Term| one.ty.base == Base::Bool && other.ty.base == Base::Int;
    if compares && (number(left, right) || number(right, left)) {
        let (condition, value) = if left.ty.base == Base::Bool { (left, right) } else { (right, left) };
        if matches!(condition.kind, Kind::Binary(Eq | Ne | Lt | Le | Gt | Ge, ..)) {
            return Some("comparisons do not chain: join two of them by `&`".to_owned());
        }
        return Some(match value.constant() {
            Some(1) => "write `TRUE` for the truth value".to_owned(),
            Some(0) => "write `FALSE` for the truth value".to_owned(),
            _ => "`toint(b)` is 0 or 1, `bool(i)` is true unless the number is 0".to_owned(),
        });
    }
    let logical = matches!(op, And | Or | Xor | Xnor | Implies | Iff);
    match (left.ty.base, right.ty.base) {
        (Base::Word { .. }, Base::Bool) | (Base::Bool, Base::Word { .. }) if logical => Some(
            "comparisons bind tighter than logical operators: use parentheses; `bool(w)` of a word[1] is a truth \
                  value"
                .to_owned(),
        ),
        (Base::Word { .. }, Base::Int) => {
            Some("`toint(w)` is the number, `uwconst(v, n)` and `0ud8_5` are words".to_owned())
        }
        (Base::Int, Base::Word { .. }) => {
            Some("`toint(w)` is the number, `uwconst(v, n)` and `0ud8_5` are words".to_owned())
        }
        (Base::Word { signed: one, .. }, Base::Word { signed: other, .. }) if one != other => {
            Some("`signed(w)` and `unsigned(w)` read the same bits the other way".to_owned())
        }
        (Base::Word { .. }, Base::Word { .. }) => Some("`extend(w, n)` and `resize(w, n)` change the width".to_owned()),
        (Base::Int, Base::Bool) | (Base::Bool, Base::Int) | (Base::Int, Base::Int) if logical => {
            Some("`bool(i)` is true unless the number is 0; conditions are boolean, not 0 or 1".to_owned())
        }
        (Base::Int, Base::Bool) | (Base::Bool, Base::Int) => Some("`toint(b)` is 0 or 1".to_owned()),
        (Base::Word { .. }, Base::Bool) if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) => {
            Some("a word is shifted by a number, such as `toint(b)`, or by a word without sign".to_owned())
        }
        (Base::Word { .. }, Base::Bool) | (Base::Bool, Base::Word { .. }) => {
            Some("`word1(b)` is a word[1], and `bool(w)` of a word[1] is a truth value".to_owned())
        }
        (Base::Symbol, Base::Symbol) if compares => {
            Some("symbols have no order: name the values, as in `x in {a, b}`, or use numbers".to_owned())
        }
        (Base::Symbol, Base::Int) | (Base::Int, Base::Symbol) => {
            Some("symbols and numbers are different; an enumeration may have both".to_owned())
        }
        (Base::Mixed, _) | (_, Base::Mixed) => {
            Some("values of an enumeration with symbols are compared, and not computed with".to_owned())
        }
        _ => None,
    }
}
