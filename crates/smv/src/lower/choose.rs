//! Sets on the right of `:=`: one choice says which element it is.
//!
//! The alternatives of a set are numbered: those of its parts one after the other. A `case` between sets has as many as
//! the largest of them, and a conjunct of the guard keeps the choice below the number of those there are.

use super::arithmetic::{Low, and, not, or};
use super::wide::{Given, Halves};
use super::{Cx, Lowering, Open, plain};
use crate::term::{Kind, Term};
use crate::types::Domain;
use lariat_system::{BinaryOp as Op, Expr, Half, Interval, Type};

/// All of a value, or a half of a wide word.
type Part = Option<Half>;

/// Sets of more elements are not looked through for elements that are the same.
const FEW: usize = 4;

impl Lowering<'_> {
    /// The value that a term gives a variable of this domain, as it is kept in a slot; a set is chosen from.
    pub(super) fn given(&self, term: &Term, name: &str, domain: &Domain, cx: Cx<'_>, open: &mut Open) -> Given {
        let count = alternatives(term);
        if count <= 1 {
            return self.whole(domain, |part| self.single(term, domain, part, cx));
        }
        let range = Interval { lo: 0, hi: count - 1 };
        let choice = open.choose(format!("next({name})"), Type::Int { lo: 0, hi: count - 1 }, range);
        open.demand(self.within(term, &choice, 0, count, cx));
        open.demand(self.difference(term, &choice, 0, domain, cx));
        self.whole(domain, |part| self.alternative(term, &choice, 0, domain, part, cx))
    }

    /// A value of this domain, of which `part` is all or a half.
    fn whole(&self, domain: &Domain, part: impl Fn(Part) -> Low) -> Given {
        match domain.base().is_wide() {
            true => Given::Halves(Halves::of(|half| part(Some(half)))),
            false => Given::Plain(part(None)),
        }
    }

    /// A single value, as it is kept in a slot.
    fn single(&self, term: &Term, domain: &Domain, part: Part, cx: Cx<'_>) -> Low {
        if let Some(half) = part {
            return self.half(term, half, cx);
        }
        let range = self.range_of(domain);
        match domain {
            Domain::List(values) if domain.base().has_symbols() => self.coded(term, values, cx).kept(range),
            _ => self.number(term, cx).kept(range),
        }
    }

    /// The alternative number `choice - from` of a term.
    fn alternative(&self, term: &Term, choice: &Low, from: i64, domain: &Domain, part: Part, cx: Cx<'_>) -> Low {
        let again = |inner: &Term| self.alternative(inner, choice, from, domain, part, cx);
        match &term.kind {
            _ if alternatives(term) == 1 && !matches!(term.kind, Kind::Set(_) | Kind::Range(..)) => {
                self.single(term, domain, part, cx)
            }
            Kind::Fits(inner, ..) => again(inner),
            Kind::Range(low, _) => self.counted(plain(*low), choice, from, domain),
            Kind::Set(items) => match self.progression(items, domain).filter(|_| part.is_none()) {
                Some(first) => {
                    let offset = choice.clone().binary(Op::Add, Low::constant(first - from));
                    offset.kept(self.range_of(domain))
                }
                None => {
                    let mut parts = Vec::new();
                    let mut at = from;
                    for item in items {
                        parts.push((at, item));
                        at += alternatives(item);
                    }
                    self.among(&parts, choice, domain, part, cx)
                }
            },
            Kind::Ite(condition, yes, no) => again(yes).or_else(self.truth(condition, cx), again(no)),
            Kind::Case(branches) => self.branches(branches, cx, &again),
            Kind::Select(index, low, items) => self.selected(index, plain(*low), items, cx, &again),
            _ => self.single(term, domain, part, cx),
        }
    }

    /// Of parts with the numbers of their first alternatives, the one that the choice falls into.
    fn among(&self, parts: &[(i64, &Term)], choice: &Low, domain: &Domain, part: Part, cx: Cx<'_>) -> Low {
        match parts {
            [] => Low::constant(0),
            [(from, only)] => self.alternative(only, choice, *from, domain, part, cx),
            _ => {
                let (first, second) = parts.split_at(parts.len() / 2);
                let below = Expr::binary(Op::Lt, choice.expr.clone(), Expr::Const(second[0].0));
                self.among(first, choice, domain, part, cx).or_else(below, self.among(second, choice, domain, part, cx))
            }
        }
    }

    /// The whole number `low + choice - from`, as it is kept in a slot.
    fn counted(&self, low: i64, choice: &Low, from: i64, domain: &Domain) -> Low {
        let range = self.range_of(domain);
        let number = choice.clone().binary(Op::Add, Low::constant(low - from));
        match domain {
            Domain::List(values) if domain.base().has_symbols() => {
                let mut chain = Low::constant(0);
                for (position, value) in values.iter().enumerate() {
                    let is_it = number.expr.clone().equals(Expr::Const(plain(*value)));
                    chain = Low::constant(position as i64).or_else(is_it, chain);
                }
                chain
            }
            _ => number.kept(range),
        }
    }

    /// If the items are constants that are kept as numbers one after the other, the first of these.
    fn progression(&self, items: &[Term], domain: &Domain) -> Option<i64> {
        let kept = |item: &Term| {
            let value = item.constant()?;
            match domain {
                Domain::List(values) if domain.base().has_symbols() => {
                    values.iter().position(|known| *known == value).map(|position| position as i64)
                }
                _ => i64::try_from(value).ok(),
            }
        };
        let first = kept(items.first()?)?;
        (first..).zip(items).all(|(wanted, item)| kept(item) == Some(wanted)).then_some(first)
    }

    /// Whether the choice is below the number of alternatives there are, of which `count` are possible.
    fn within(&self, term: &Term, choice: &Low, from: i64, count: i64, cx: Cx<'_>) -> Expr {
        if is_even(term) && alternatives(term) == count - from {
            return Expr::TRUE;
        }
        let again = |part: &Term| Low::truth(self.within(part, choice, from, count, cx));
        match &term.kind {
            Kind::Fits(part, ..) => self.within(part, choice, from, count, cx),
            Kind::Ite(condition, yes, no) => {
                super::arithmetic::choose(self.truth(condition, cx), again(yes).expr, again(no).expr)
            }
            Kind::Case(branches) => self.branches(branches, cx, &again).expr,
            Kind::Select(index, low, items) => self.selected(index, plain(*low), items, cx, &again).expr,
            Kind::Set(items) if !is_even(term) => {
                // Each part has its own numbers; of some of them not all may be there.
                let mut at = from;
                let mut parts = Vec::new();
                for item in items {
                    let next = at + alternatives(item);
                    let here = Expr::binary(Op::Lt, choice.expr.clone(), Expr::Const(next));
                    let before = Expr::binary(Op::Lt, choice.expr.clone(), Expr::Const(at));
                    parts.push(and(and(not(before), here), self.within(item, choice, at, next, cx)));
                    at = next;
                }
                Expr::any(parts)
            }
            _ => Expr::binary(Op::Lt, choice.expr.clone(), Expr::Const(from + alternatives(term))),
        }
    }

    /// Where elements of a set may be the same, only the first of them is chosen.
    fn difference(&self, term: &Term, choice: &Low, from: i64, domain: &Domain, cx: Cx<'_>) -> Expr {
        let again = |part: &Term| Low::truth(self.difference(part, choice, from, domain, cx));
        match &term.kind {
            Kind::Set(items) if items.len() <= FEW && items.iter().all(is_single) => {
                let mut all = Expr::TRUE;
                for (number, item) in items.iter().enumerate().skip(1) {
                    let not_this = not(choice.expr.clone().equals(Expr::Const(from + number as i64)));
                    for earlier in &items[..number] {
                        if item.constant().is_some() && earlier.constant().is_some() {
                            continue;
                        }
                        let same = |part: Part| {
                            let (one, other) =
                                (self.single(item, domain, part, cx), self.single(earlier, domain, part, cx));
                            one.expr.equals(other.expr)
                        };
                        let different = not(match domain.base().is_wide() {
                            true => and(same(Some(Half::Low)), same(Some(Half::High))),
                            false => same(None),
                        });
                        all = and(all, or(not_this.clone(), different));
                    }
                }
                all
            }
            Kind::Ite(condition, yes, no) if term.ty.set => {
                super::arithmetic::choose(self.truth(condition, cx), again(yes).expr, again(no).expr)
            }
            Kind::Case(branches) if term.ty.set => self.branches(branches, cx, &again).expr,
            _ => Expr::TRUE,
        }
    }
}

fn is_single(term: &Term) -> bool {
    !term.ty.set
}

/// How many alternatives a term has at most.
fn alternatives(term: &Term) -> i64 {
    if !term.ty.set {
        return 1;
    }
    match &term.kind {
        Kind::Set(items) => items.iter().map(alternatives).sum(),
        Kind::Range(low, high) => plain(high - low + 1),
        Kind::Ite(_, yes, no) => alternatives(yes).max(alternatives(no)),
        Kind::Case(branches) => branches.iter().map(|(_, value)| alternatives(value)).max().unwrap_or(1),
        Kind::Select(_, _, items) => items.iter().map(alternatives).max().unwrap_or(1),
        Kind::Fits(part, ..) => alternatives(part),
        _ => 1,
    }
}

/// Whether it always has as many alternatives as at most.
fn is_even(term: &Term) -> bool {
    if !term.ty.set {
        return true;
    }
    let alike =
        |parts: Vec<&Term>| parts.into_iter().all(|part| is_even(part) && alternatives(part) == alternatives(term));
    match &term.kind {
        Kind::Set(items) => items.iter().all(is_even),
        Kind::Ite(_, yes, no) => alike(vec![yes, no]),
        Kind::Case(branches) => alike(branches.iter().map(|(_, value)| value).collect()),
        Kind::Select(_, _, items) => alike(items.iter().collect()),
        Kind::Fits(part, ..) => is_even(part),
        _ => true,
    }
}
