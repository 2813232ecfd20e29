//! Values that may be symbols: comparisons, membership, and positions in the list of a declaration.

use super::arithmetic::{Low, and, choose, or};
use super::extent::listed;
use super::wide::is_wide_word;
use super::{Cx, Lowering, plain};
use crate::term::{Kind, Term};
use crate::types::{Domain, SYMBOLS, Ty};
use lariat_system::{BinaryOp as Op, Expr, Interval};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Lowering<'_> {
    /// Whether a term has this value.
    fn is(&self, term: &Term, value: i128, cx: Cx<'_>) -> Expr {
        if let Some((known, list)) = self.computed_symbol(term, cx) {
            let position = list.iter().position(|known| *known == value);
            return position.map_or(Expr::FALSE, |position| known.expr.clone().equals(Expr::Const(position as i64)));
        }
        match &term.kind {
            Kind::Const(own) => Expr::Const(i64::from(*own == value)),
            // A choice that is settled may leave a number where a symbol could have been.
            Kind::Var(var, next) => match &*self.flat.vars[*var].domain {
                Domain::List(values) if values.iter().any(|value| *value >= SYMBOLS) => {
                    match values.iter().position(|known| *known == value) {
                        Some(position) => self.variable(*var, *next, cx).expr.equals(Expr::Const(position as i64)),
                        None => Expr::FALSE,
                    }
                }
                _ if value >= SYMBOLS => Expr::FALSE,
                _ => self.variable(*var, *next, cx).expr.equals(Expr::Const(plain(value))),
            },
            _ => match self.by_cases(term, cx, &|part| self.is(part, value, cx)) {
                Some(cases) => cases,
                None if value >= SYMBOLS => Expr::FALSE,
                None => self.number(term, cx).expr.equals(Expr::Const(plain(value))),
            },
        }
    }

    /// The position in its list of a part of the step that is computed already, and the list.
    fn computed_symbol<'c>(&'c self, term: &Term, cx: Cx<'c>) -> Option<(&'c Low, &'c [i128])> {
        let known = cx.parts?.get(&Arc::as_ptr(term))?;
        let list = self.shared?.list(term)?;
        Some((known, list))
    }

    /// The position of the value in the list. Where it is none of it, the last one: that is nowhere.
    pub(super) fn coded(&self, term: &Term, list: &[i128], cx: Cx<'_>) -> Low {
        let position = |value: i128| list.iter().position(|known| *known == value).unwrap_or(list.len() - 1);
        match &term.kind {
            _ if self.computed_symbol(term, cx).is_some_and(|(_, own)| own == list) => {
                self.computed_symbol(term, cx).expect("it is computed").0.clone()
            }
            _ if self.computed_symbol(term, cx).is_some() => self.looked_up(term, list, cx),
            Kind::Const(value) => Low::constant(position(*value) as i64),
            Kind::Var(var, next) if matches!(&*self.flat.vars[*var].domain, Domain::List(own) if **own == *list) => {
                self.variable(*var, *next, cx)
            }
            Kind::Ite(condition, yes, no) => {
                self.coded(yes, list, cx).or_else(self.truth(condition, cx), self.coded(no, list, cx))
            }
            Kind::Case(branches) => self.branches(branches, cx, &|value| self.coded(value, list, cx)),
            Kind::Select(index, low, items) => {
                self.selected(index, plain(*low), items, cx, &|item| self.coded(item, list, cx))
            }
            Kind::Fits(part, ..) => self.coded(part, list, cx),
            _ => self.looked_up(term, list, cx),
        }
    }

    /// The same by comparing the term with one value after the other.
    fn looked_up(&self, term: &Term, list: &[i128], cx: Cx<'_>) -> Low {
        let own = self.values_of(term);
        let possible = list.iter().enumerate().rev();
        let mut possible = possible.filter(|(_, value)| own.as_ref().is_none_or(|own| own.contains(value)));
        let mut chain = Low::constant(possible.next().map_or(0, |(position, _)| position as i64));
        for (position, value) in possible {
            chain = Low::constant(position as i64).or_else(self.is(term, *value, cx), chain);
        }
        chain
    }

    /// The whole number that a term is, which may be a symbol, too. Where it is one, any number: that is nowhere.
    pub(super) fn decoded(&self, term: &Term, cx: Cx<'_>) -> Low {
        let Some(values) = self.values_of(term) else {
            let again = |part: &Term| match part.constant() {
                Some(value) if value >= SYMBOLS => Low::constant(0),
                _ => self.number(part, cx),
            };
            return match &term.kind {
                Kind::Ite(condition, yes, no) => again(yes).or_else(self.truth(condition, cx), again(no)),
                Kind::Case(branches) => self.branches(branches, cx, &again),
                Kind::Select(index, low, items) => self.selected(index, plain(*low), items, cx, &again),
                Kind::Fits(part, ..) => again(part),
                // A choice that is settled may leave a sum where a symbol could have been.
                _ => self.number(&crate::term::term(term.kind.clone(), Ty::INT, term.span), cx),
            };
        };
        let mut numbers = values.into_iter().filter(|value| *value < SYMBOLS).rev();
        let mut chain = Low::constant(plain(numbers.next().unwrap_or(0)));
        for number in numbers {
            chain = Low::constant(plain(number)).or_else(self.is(term, number, cx), chain);
        }
        chain
    }

    /// Whether the value of a term is one of the domain.
    pub(super) fn fits(&self, term: &Term, domain: &Domain, cx: Cx<'_>) -> Expr {
        if matches!(domain, Domain::Word { .. }) {
            return Expr::TRUE;
        }
        if let Some(values) = self.values_of(term) {
            if values.iter().all(|value| domain.contains(*value)) {
                return Expr::TRUE;
            }
            let fitting = values.into_iter().filter(|value| domain.contains(*value));
            return Expr::any(fitting.map(|value| self.is(term, value, cx)));
        }
        if term.ty.base.has_symbols() || domain.base().has_symbols() {
            let Domain::List(values) = domain else { unreachable!("only lists have symbols") };
            return Expr::any(values.iter().map(|value| self.is(term, *value, cx)));
        }
        let value = self.number(term, cx);
        let Interval { lo, hi } = super::plain_range(domain);
        let mut fits = Expr::TRUE;
        if value.range.lo < lo {
            fits = Expr::binary(Op::Le, Expr::Const(lo), value.expr.clone());
        }
        if value.range.hi > hi {
            fits = and(fits, Expr::binary(Op::Le, value.expr.clone(), Expr::Const(hi)));
        }
        and(fits, self.without_gaps(&value, domain))
    }

    /// All values that a term may have, if they are listed.
    fn values_of(&self, term: &Term) -> Option<BTreeSet<i128>> {
        self.values_listed(term, term.ty.base.has_symbols())
    }

    fn values_listed(&self, term: &Term, with_ranges: bool) -> Option<BTreeSet<i128>> {
        if let Some(list) = self.shared.and_then(|shared| shared.list(term)) {
            return Some(list.iter().copied().collect());
        }
        let lists: Vec<_> = term.parts().into_iter().map(|part| self.values_listed(part, with_ranges)).collect();
        let lists: Vec<_> = lists.iter().map(Option::as_ref).collect();
        listed(&term.kind, with_ranges, &self.flat.vars, &lists)
    }

    /// A condition on the value of a term that is one of several, by the condition on each of those. `None` if it is none of several.
    fn by_cases(&self, term: &Term, cx: Cx<'_>, condition: &dyn Fn(&Term) -> Expr) -> Option<Expr> {
        let holds = |part: &Term| Low::truth(condition(part));
        match &term.kind {
            Kind::Ite(when, yes, no) => Some(choose(self.truth(when, cx), condition(yes), condition(no))),
            Kind::Case(branches) => Some(self.branches(branches, cx, &holds).expr),
            Kind::Select(index, low, items) => Some(self.selected(index, plain(*low), items, cx, &holds).expr),
            Kind::Fits(part, ..) => Some(condition(part)),
            _ => None,
        }
    }

    /// Whether two terms have the same value.
    pub(super) fn equal(&self, left: &Term, right: &Term, cx: Cx<'_>) -> Expr {
        if is_wide_word(left.ty) {
            return self.compared(crate::tree::BinaryOp::Eq, left, right, cx);
        }
        if !left.ty.base.has_symbols() && !right.ty.base.has_symbols() {
            return self.number(left, cx).expr.equals(self.number(right, cx).expr);
        }
        match (&left.kind, &right.kind) {
            (_, Kind::Const(value)) => return self.is(left, *value, cx),
            (Kind::Const(value), _) => return self.is(right, *value, cx),
            (Kind::Var(a, a_next), Kind::Var(b, b_next)) if self.flat.vars[*a].domain == self.flat.vars[*b].domain => {
                let (a, b) = (self.variable(*a, *a_next, cx), self.variable(*b, *b_next, cx));
                return a.expr.equals(b.expr);
            }
            _ => {}
        }
        let common = match (self.values_of(left), self.values_of(right)) {
            (Some(a), Some(b)) => a.intersection(&b).copied().collect(),
            (Some(values), None) | (None, Some(values)) => values,
            (None, None) => {
                let by_left = self.by_cases(left, cx, &|part| self.equal(part, right, cx));
                let cases = by_left.or_else(|| self.by_cases(right, cx, &|part| self.equal(left, part, cx)));
                // What is listed by no case and no variable is a number.
                return cases.unwrap_or_else(|| self.number(left, cx).expr.equals(self.number(right, cx).expr));
            }
        };
        Expr::any(common.into_iter().map(|value| and(self.is(left, value, cx), self.is(right, value, cx))))
    }

    /// Whether every value of `some` is one of `all`.
    pub(super) fn subset(&self, some: &Term, all: &Term, cx: Cx<'_>) -> Expr {
        match &some.kind {
            Kind::Set(items) => Expr::all(items.iter().map(|item| self.subset(item, all, cx))),
            Kind::Range(low, high) => {
                let numbers =
                    (*low..=*high).map(|value| crate::term::constant(value, crate::types::Ty::INT, some.span));
                Expr::all(numbers.map(|number| self.member(&number, all, cx)))
            }
            Kind::Ite(condition, yes, no) if some.ty.set => {
                choose(self.truth(condition, cx), self.subset(yes, all, cx), self.subset(no, all, cx))
            }
            Kind::Case(branches) if some.ty.set => {
                self.branches(branches, cx, &|value| Low::truth(self.subset(value, all, cx))).expr
            }
            Kind::Select(index, low, items) if some.ty.set => {
                self.selected(index, plain(*low), items, cx, &|item| Low::truth(self.subset(item, all, cx))).expr
            }
            _ => self.member(some, all, cx),
        }
    }

    /// Whether a number is one of these.
    fn between(&self, value: &Term, low: i128, high: i128, cx: Cx<'_>) -> Expr {
        let value = self.number(value, cx);
        let above = Expr::binary(Op::Le, Expr::Const(plain(low)), value.expr.clone());
        and(above, Expr::binary(Op::Le, value.expr, Expr::Const(plain(high))))
    }

    /// Whether a value is one of `all`.
    fn member(&self, value: &Term, all: &Term, cx: Cx<'_>) -> Expr {
        match &all.kind {
            Kind::Set(items) => {
                let found = items.iter().map(|item| self.member(value, item, cx));
                found.reduce(or).unwrap_or(Expr::FALSE)
            }
            Kind::Range(low, high) if value.ty.base.has_symbols() => match self.values_of(value) {
                Some(listed) => {
                    let numbers = listed.into_iter().filter(|number| (low..=high).contains(&number));
                    Expr::any(numbers.map(|number| self.is(value, number, cx)))
                }
                None => {
                    let cases = self.by_cases(value, cx, &|part| self.member(part, all, cx));
                    cases.unwrap_or_else(|| self.between(value, *low, *high, cx))
                }
            },
            Kind::Range(low, high) => self.between(value, *low, *high, cx),
            Kind::Ite(condition, yes, no) if all.ty.set => {
                choose(self.truth(condition, cx), self.member(value, yes, cx), self.member(value, no, cx))
            }
            Kind::Case(branches) if all.ty.set => {
                self.branches(branches, cx, &|set| Low::truth(self.member(value, set, cx))).expr
            }
            Kind::Select(index, low, items) if all.ty.set => {
                self.selected(index, plain(*low), items, cx, &|item| Low::truth(self.member(value, item, cx))).expr
            }
            Kind::Fits(part, ..) if all.ty.set => self.member(value, part, cx),
            _ => self.equal(value, all, cx),
        }
    }
}
