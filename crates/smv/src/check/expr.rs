//! From expressions of an instance to terms of the whole model.

use super::Elaborator;
use super::instance::ScopeId;
use crate::term::{Kind, Term, TermNode, constant, term};
use crate::tree::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{Base, Ty};
use lariat_base::{Diagnostic, Span};
use std::collections::HashSet;
use std::sync::Arc;

/// How deep definitions and parameters are followed from one to the next.
const MAX_NESTING: usize = 400;
/// The deepest nesting of an expression with all definitions written out.
const MAX_WRITTEN_OUT: u32 = 4000;

/// Whether a range is part of a set is found out number by number.
const MAX_LEFT_OF_IN: i128 = 1024;

/// Where an expression is read: in which instance, and whether it speaks of the next state.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) scope: ScopeId,
    pub(super) next: bool,
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Value(Term),
    /// By index, from the given one on.
    Array(i128, Vec<Entity>),
    Instance(ScopeId),
}

impl Entity {
    /// The same, at another place in the text: where a definition or a parameter is used.
    pub(super) fn at(self, span: Span) -> Self {
        match self {
            Self::Value(value) if is_leaf(&value) && value.span != span => Self::Value(Arc::new(TermNode {
                kind: value.kind.clone(),
                ty: value.ty,
                span,
                size: value.size,
                depth: value.depth,
                partial: value.partial,
                reach: value.reach,
            })),
            other => other,
        }
    }
}

/// How many numbers the widest range has that a set is made of.
fn widest_range(set: &Term) -> i128 {
    let (mut widest, mut seen, mut waiting) = (1, HashSet::new(), vec![set]);
    while let Some(part) = waiting.pop() {
        match &part.kind {
            Kind::Range(low, high) => widest = widest.max(high - low + 1),
            _ if part.ty.set && seen.insert(Arc::as_ptr(part)) => waiting.extend(part.parts()),
            _ => {}
        }
    }
    widest
}

fn is_leaf(value: &Term) -> bool {
    matches!(value.kind, Kind::Const(_) | Kind::Var(..) | Kind::Running(_))
}

impl Elaborator<'_, '_> {
    /// A single value or a set of values.
    pub(super) fn value(&mut self, expr: &Expr, at: At) -> Option<Term> {
        match self.entity(expr, at)? {
            Entity::Value(value) => Some(value),
            Entity::Array(..) => {
                let help = "take an element of it, as in `v[0]`";
                self.report.push(Diagnostic::error(expr.span, "V0306", "a whole array is not a value here").help(help));
                None
            }
            Entity::Instance(_) => {
                let message = "an instance of a module is not a value";
                let help = "name a variable of it, as in `a.x`";
                self.report.push(Diagnostic::error(expr.span, "V0309", message).help(help));
                None
            }
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, expr: &Expr, at: At) -> Option<Term> {
        let value = self.value(expr, at)?;
        if value.ty == Ty::BOOL {
            return Some(value);
        }
        let diagnostic =
            Diagnostic::error(expr.span, "V0301", format!("a condition is a boolean, and not {}", value.ty));
        self.report.push(match (value.ty.base, value.constant()) {
            (Base::Int, Some(1)) => diagnostic.help("write `TRUE`"),
            (Base::Int, Some(0)) => diagnostic.help("write `FALSE`"),
            _ if value.ty.set => diagnostic.help("what may be so or not is an input: `IVAR b : boolean;`"),
            (Base::Word { width: 1, .. }, _) => diagnostic.help("`bool(w)` is the truth value of a word[1]"),
            (Base::Int, _) if !value.ty.set => diagnostic.help("`bool(…)` is true unless the number is 0"),
            _ => diagnostic,
        });
        None
    }

    /// Whatever the expression stands for.
    pub(super) fn entity(&mut self, expr: &Expr, at: At) -> Option<Entity> {
        if self.depth >= MAX_NESTING {
            let message = "definitions and parameters stand for each other too many levels deep here";
            self.error(expr.span, "V0107", message);
            return None;
        }
        self.depth += 1;
        let found = self.entity_inside(expr, at);
        self.depth -= 1;
        if let Some(Entity::Value(value)) = &found
            && value.depth > MAX_WRITTEN_OUT
        {
            let message = format!("with all definitions written out this is nested more than {MAX_WRITTEN_OUT} deep");
            let help = "make a variable of one of the definitions: `x := …`";
            self.report.push(Diagnostic::error(expr.span, "V0107", message).help(help));
            return None;
        }
        found
    }

    fn entity_inside(&mut self, expr: &Expr, at: At) -> Option<Entity> {
        let span = expr.span;
        if let Some((owner, name)) = self.long_name(expr, at.scope) {
            self.note_use_in(owner, &name, span);
            return self.part(owner, &name, span, at);
        }
        let value = match &expr.kind {
            ExprKind::Name(name) => return self.named(name, span, at),
            ExprKind::SelfInstance => return Some(Entity::Instance(at.scope)),
            ExprKind::Dot(owner, name) => {
                return match self.entity(owner, at)? {
                    Entity::Instance(scope) => {
                        self.note_use_in(scope, &name.name, name.span);
                        self.part(scope, &name.name, span, at)
                    }
                    Entity::Value(_) | Entity::Array(..) => {
                        self.error(owner.span, "V0209", "this is not an instance of a module");
                        None
                    }
                };
            }
            ExprKind::Index(array, index) => return self.element(array, index, at),
            ExprKind::Array(items) => {
                let items: Vec<Option<Entity>> = items.iter().map(|item| self.entity(item, at)).collect();
                return Some(Entity::Array(0, items.into_iter().collect::<Option<_>>()?));
            }
            ExprKind::Next(inner) => {
                if at.next {
                    self.error(span, "V0303", "`next` stands inside of `next`: there is one next state");
                    return None;
                }
                return self.entity(inner, At { next: true, ..at });
            }
            ExprKind::Bool(value) => Some(constant(i128::from(*value), Ty::BOOL, span)),
            ExprKind::Number(value) => Some(constant(*value, Ty::INT, span)),
            ExprKind::Word(word) => {
                let ty = Ty::of(Base::Word { signed: word.signed, width: word.width });
                Some(constant(word.value, ty, span))
            }
            ExprKind::Bits(word, high, low) => self.bits(word, high, low, at, span),
            ExprKind::Unary(op, part) => {
                let part = self.value(part, at)?;
                self.unary(*op, part, span)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left, at), self.value(right, at));
                self.binary(*op, left?, right?, span)
            }
            ExprKind::Ite(parts) => self.ite(parts, at, span),
            ExprKind::Case(branches) => self.case(branches, at, span),
            ExprKind::Set(elements) => self.set(elements, at, span),
            ExprKind::Range(low, high) => {
                let (low, high) = (self.number(low, at.scope), self.number(high, at.scope));
                let (low, high) = (low?, high?);
                if low > high {
                    self.empty_range(low, high, span);
                    return None;
                }
                Some(match low == high {
                    true => constant(low, Ty::INT, span),
                    false => term(Kind::Range(low, high), Ty::INT.as_set(), span),
                })
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, at, span),
            ExprKind::Temporal(..) | ExprKind::Until(..) | ExprKind::Quantified(..) => {
                let diagnostic = Diagnostic::error(span, "V0108", "a temporal operator cannot stand here");
                self.report.push(diagnostic.help("only `! & | xor xnor -> <->` join temporal formulas"));
                None
            }
        };
        value.map(Entity::Value)
    }

    fn unary(&mut self, op: UnaryOp, part: Term, span: Span) -> Option<Term> {
        let ty = part.ty;
        match (op, ty.base) {
            (UnaryOp::Not, Base::Bool | Base::Word { .. }) if !ty.set => Some(term(Kind::Not(part), ty, span)),
            (UnaryOp::Minus, Base::Int | Base::Word { .. }) if !ty.set => Some(term(Kind::Minus(part), ty, span)),
            _ => {
                let sign = if op == UnaryOp::Not { "!" } else { "-" };
                let diagnostic = Diagnostic::error(span, "V0302", format!("`{sign}` is not for values of type {ty}"));
                self.report.push(match op {
                    UnaryOp::Not if ty.base != Base::Bool => {
                        diagnostic.help("`!` binds tighter than `=`: write `!(x = 1)` or `x != 1`")
                    }
                    _ => diagnostic,
                });
                None
            }
        }
    }

    fn ite(&mut self, parts: &[Expr; 3], at: At, span: Span) -> Option<Term> {
        let condition = self.condition(&parts[0], at);
        let (yes, no) = (self.value(&parts[1], at), self.value(&parts[2], at));
        let (condition, yes, no) = (condition?, yes?, no?);
        let ty = self.joined(&[yes.clone(), no.clone()], "the values of `? :`", span)?;
        Some(term(Kind::Ite(condition, yes, no), ty, span))
    }

    fn case(&mut self, branches: &[(Expr, Expr)], at: At, span: Span) -> Option<Term> {
        let mut made = Vec::new();
        for (condition, value) in branches {
            made.push((self.condition(condition, at), self.value(value, at)));
        }
        let made: Option<Vec<(Term, Term)>> = made.into_iter().map(|(when, then)| Some((when?, then?))).collect();
        let mut made = made?;
        let values: Vec<Term> = made.iter().map(|(_, value)| value.clone()).collect();
        let ty = self.joined(&values, "the values of this `case`", span)?;
        // What stands behind a condition that always holds does not matter, nor does one that never does.
        made.retain(|(when, _)| when.constant() != Some(0));
        if let Some(last) = made.iter().position(|(when, _)| when.constant() == Some(1)) {
            made.truncate(last + 1);
        }
        if let [(when, then)] = &made[..]
            && when.constant() == Some(1)
        {
            return Some(term(then.kind.clone(), ty, span));
        }
        Some(term(Kind::Case(made), ty, span))
    }

    fn set(&mut self, elements: &[Expr], at: At, span: Span) -> Option<Term> {
        let made: Vec<Option<Term>> = elements.iter().map(|element| self.value(element, at)).collect();
        let made: Vec<Term> = made.into_iter().collect::<Option<_>>()?;
        // A set of one element is that element.
        if let [only] = &made[..] {
            return Some(only.clone());
        }
        let ty = self.joined(&made, "the elements of this set", span)?;
        Some(term(Kind::Set(made), ty.as_set(), span))
    }

    /// A type for values of all of these.
    fn joined(&mut self, values: &[Term], what: &str, span: Span) -> Option<Ty> {
        let mut ty = values.first()?.ty;
        for value in values {
            let Some(base) = ty.base.join(value.ty.base) else {
                let message = format!("{what} are of different types: {} and {}", ty.base, value.ty.base);
                let diagnostic = Diagnostic::error(value.span, "V0305", message);
                self.report.push(diagnostic.note(span, "all of them must be of one type"));
                return None;
            };
            ty = Ty { base, set: ty.set || value.ty.set };
        }
        Some(ty)
    }

    fn element(&mut self, array: &Expr, index: &Expr, at: At) -> Option<Entity> {
        let (found, number) = (self.entity(array, at), self.value(index, at));
        let (found, number) = (found?, number?);
        let span = array.span.to(index.span);
        let Entity::Array(low, items) = found else {
            let diagnostic = Diagnostic::error(array.span, "V0306", "this is not an array");
            self.report.push(match &found {
                Entity::Value(value) if matches!(value.ty.base, Base::Word { .. }) => {
                    diagnostic.help("one bit of a word is `w[3:3]`")
                }
                _ => diagnostic,
            });
            return None;
        };
        if number.ty != Ty::INT {
            let unsigned = matches!(number.ty, Ty { base: Base::Word { signed: false, .. }, set: false });
            if !unsigned {
                self.error(index.span, "V0302", format!("an index is a whole number, and not of type {}", number.ty));
                return None;
            }
        }
        if let Some(number) = number.constant() {
            let item = usize::try_from(number - low).ok().and_then(|number| items.get(number)).cloned();
            if item.is_none() {
                self.out_of_bounds(number, low, items.len(), index.span);
            }
            return item;
        }
        self.selected(&number, low, items, span)
    }

    /// The element that the index says; of arrays of arrays an array.
    fn selected(&mut self, index: &Term, low: i128, items: Vec<Entity>, span: Span) -> Option<Entity> {
        if let Some(Entity::Array(inner_low, inner)) = items.first() {
            let (inner_low, length) = (*inner_low, inner.len());
            let mut columns = vec![Vec::new(); length];
            for item in items {
                let Entity::Array(its_low, its_items) = item else { return self.uneven(span) };
                if its_low != inner_low || its_items.len() != length {
                    return self.uneven(span);
                }
                columns.iter_mut().zip(its_items).for_each(|(column, item)| column.push(item));
            }
            let chosen: Vec<Option<Entity>> =
                columns.into_iter().map(|column| self.selected(index, low, column, span)).collect();
            return Some(Entity::Array(inner_low, chosen.into_iter().collect::<Option<_>>()?));
        }
        let values: Option<Vec<Term>> = items
            .into_iter()
            .map(|item| match item {
                Entity::Value(value) => Some(value),
                _ => None,
            })
            .collect();
        let Some(values) = values else {
            self.error(span, "V0307", "the index of an array of instances is a constant");
            return None;
        };
        let ty = self.joined(&values, "the elements of this array", span)?;
        Some(Entity::Value(term(Kind::Select(index.clone(), low, values), ty, span)))
    }

    fn uneven(&mut self, span: Span) -> Option<Entity> {
        self.error(span, "V0306", "the elements of this array are not alike");
        None
    }

    /// Values for `union`: the sets of both sides as one.
    pub(super) fn union(&mut self, left: Term, right: Term, span: Span) -> Option<Term> {
        let ty = self.joined(&[left.clone(), right.clone()], "the sides of `union`", span)?;
        Some(term(Kind::Set(vec![left, right]), ty.as_set(), span))
    }

    /// `in`: every value of the left side is one of the right side.
    pub(super) fn membership(&mut self, left: Term, right: Term, span: Span) -> Option<Term> {
        if !left.ty.base.is_comparable(right.ty.base) {
            self.mismatch(BinaryOp::In, &left, &right, span);
            return None;
        }
        if widest_range(&left) > MAX_LEFT_OF_IN {
            let message = format!("on the left of `in` a range has at most {MAX_LEFT_OF_IN} numbers");
            self.report.push(Diagnostic::error(left.span, "V0312", message).help("compare its ends"));
            return None;
        }
        Some(term(Kind::In(left, right), Ty::BOOL, span))
    }
}
