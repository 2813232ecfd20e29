//! Answers about random terms against what an evaluator finds by trying all values.

use lariat_base::{Id, IdVec, Span};
use lariat_smv::check::{Var, always_has_value};
use lariat_smv::term::{Kind, Term, VarId, term};
use lariat_smv::tree::{BinaryOp, VarKind};
use lariat_smv::types::{Base, Domain, Ty};
use lariat_smv::value::binary_value;
use lariat_testkit::Rng;
use std::sync::Arc;

const WORD: Base = Base::Word { signed: false, width: 7 };
const SIGNED: Base = Base::Word { signed: true, width: 7 };

/// The value of a term; `None` if it has none. One side of `&`, `|` and `->` may decide whatever the other is.
fn value(term: &Term, values: &[i128]) -> Option<i128> {
    let base = term.ty.base;
    Some(match &term.kind {
        Kind::Const(value) => *value,
        Kind::Var(var, _) => values[var.index()],
        Kind::Not(part) if base == Base::Bool => 1 - value(part, values)?,
        Kind::Not(part) => base.wrap(!value(part, values)?),
        Kind::Minus(part) => base.wrap(-value(part, values)?),
        Kind::Bits(part, high, low) => value(part, values)? >> low & ((1 << (high - low + 1)) - 1),
        Kind::Convert(part) => base.wrap(value(part, values)?),
        Kind::Ite(condition, yes, no) => value(if value(condition, values)? == 1 { yes } else { no }, values)?,
        Kind::Case(branches) => {
            for (when, then) in branches {
                if value(when, values)? == 1 {
                    return value(then, values);
                }
            }
            return None;
        }
        Kind::Select(index, low, items) => {
            let number = usize::try_from(value(index, values)? - low).ok()?;
            value(items.get(number)?, values)?
        }
        Kind::Fits(part, _, domain) => value(part, values).filter(|value| domain.contains(*value))?,
        Kind::Binary(op, left, right) => {
            let (a, b) = (value(left, values), value(right, values));
            match op {
                BinaryOp::And if base == Base::Bool && (a == Some(0) || b == Some(0)) => 0,
                BinaryOp::Or if base == Base::Bool && (a == Some(1) || b == Some(1)) => 1,
                BinaryOp::Implies if base == Base::Bool && (a == Some(0) || b == Some(1)) => 1,
                _ => binary_value(*op, left.ty.base, base, right.ty.base, a?, b?).ok()?,
            }
        }
        _ => unreachable!("no such terms are made"),
    })
}

struct Maker {
    rng: Rng,
    /// Terms made before, which come again.
    known: Vec<Term>,
}

impl Maker {
    fn make(&mut self, base: Base, depth: u32) -> Term {
        let again: Vec<Term> = self.known.iter().filter(|term| term.ty.base == base).cloned().collect();
        if !again.is_empty() && self.rng.chance(35) {
            return self.rng.pick(&again).clone();
        }
        let made = self.anew(base, depth);
        self.known.push(made.clone());
        made
    }

    fn anew(&mut self, base: Base, depth: u32) -> Term {
        let of = |kind: Kind| term(kind, Ty::of(base), Span::default());
        if depth == 0 || self.rng.chance(10) {
            let constant = match base {
                Base::Bool => self.rng.between(0, 1),
                Base::Int => self.rng.between(-3, 9),
                _ => self.rng.between(0, 9),
            };
            return match base {
                WORD if self.rng.chance(60) => of(Kind::Var(VarId::new(0), false)),
                Base::Int if self.rng.chance(60) => of(Kind::Var(VarId::new(1), false)),
                _ => of(Kind::Const(constant.into())),
            };
        }
        let number = [WORD, Base::Int, SIGNED][self.rng.below(3)];
        match self.rng.below(if base == Base::Bool { 8 } else { 7 }) {
            0 => {
                let condition = self.make(Base::Bool, depth - 1);
                of(Kind::Ite(condition, self.make(base, depth - 1), self.make(base, depth - 1)))
            }
            1 => {
                let branches = (0..self.rng.below(3) + 1)
                    .map(|_| (self.make(Base::Bool, depth - 1), self.make(base, depth - 1)))
                    .collect();
                of(Kind::Case(branches))
            }
            2 if base == Base::Bool => of(Kind::Not(self.make(base, depth - 1))),
            2 => of(Kind::Minus(self.make(base, depth - 1))),
            3 => {
                let items = (0..3).map(|_| self.make(base, depth - 1)).collect();
                of(Kind::Select(self.make(Base::Int, depth - 1), self.rng.between(-1, 1).into(), items))
            }
            _ if base == Base::Bool && self.rng.chance(50) => {
                let op = *self.rng.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Implies, BinaryOp::Xor]);
                of(Kind::Binary(op, self.make(base, depth - 1), self.make(base, depth - 1)))
            }
            _ if base == Base::Bool => {
                let op = *self.rng.pick(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Ge]);
                of(Kind::Binary(op, self.make(number, depth - 1), self.make(number, depth - 1)))
            }
            4 if base == Base::Int => {
                let domain = Arc::new(Domain::Range(-5, 60));
                of(Kind::Fits(self.make(base, depth - 1), VarId::new(1), domain))
            }
            4 if base == WORD && self.rng.chance(50) => of(Kind::Not(self.make(base, depth - 1))),
            4 => of(Kind::Convert(self.make(if base == WORD { SIGNED } else { WORD }, depth - 1))),
            5 if base != Base::Int => {
                let op = *self.rng.pick(&[
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Xor,
                    BinaryOp::ShiftLeft,
                    BinaryOp::ShiftRight,
                ]);
                let right = match op {
                    BinaryOp::ShiftLeft | BinaryOp::ShiftRight => *self.rng.pick(&[Base::Int, WORD]),
                    _ => base,
                };
                of(Kind::Binary(op, self.make(base, depth - 1), self.make(right, depth - 1)))
            }
            _ => {
                let op = *self.rng.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Mod]);
                of(Kind::Binary(op, self.make(base, depth - 1), self.make(base, depth - 1)))
            }
        }
    }
}

#[test]
fn answers_are_those_of_trying_all_values() {
    let mut vars: IdVec<VarId, Var> = IdVec::default();
    for domain in [Domain::Word { signed: false, width: 7 }, Domain::Range(-20, 70)] {
        let (name, kind) = ("v".to_owned(), VarKind::State);
        vars.push(Var { name, domain: Arc::new(domain), kind, span: Span::default() });
    }
    let (mut always, mut fails, mut guarded) = (0, 0, 0);
    for seed in 0..200 {
        let mut maker = Maker { rng: Rng::new(seed), known: Vec::new() };
        let term = maker.make(Base::Bool, 4);
        if !term.partial || term.size > 120 {
            continue;
        }
        let fits = (0..128).all(|word| (-20..=70).all(|number| value(&term, &[word, number]).is_some()));
        for with_guards in [false, true] {
            let (answer, helped) = always_has_value(&vars, 1, &term, with_guards);
            assert_eq!(answer, Some(fits), "seed {seed}, {with_guards}: {term:?}");
            guarded += u32::from(fits && helped > 0);
        }
        always += u32::from(fits);
        fails += u32::from(!fits);
    }
    assert!(always > 5 && fails > 20 && guarded > 1, "{always} {fails} {guarded}");
}
