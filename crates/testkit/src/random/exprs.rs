//! Random expressions that are valid where they stand.

use super::Builder;
use lariat_base::{Id, IdVec};
use lariat_system::{BinaryOp, Choice, ChoiceId, Expr, FrameId, Half, Interval, Role, UnaryOp, WideOp};

/// Values beyond this are cut at once, so that nothing comes near the range that expressions are allowed.
const LARGE: i64 = 1 << 44;

/// What an expression may speak of beside the slots.
#[derive(Default)]
pub(super) struct Context {
    /// The frames of the roles in scope.
    pub(super) roles: Vec<FrameId>,
    /// The choices in scope.
    pub(super) choices: IdVec<ChoiceId, Choice>,
}

impl Context {
    pub(super) fn new(roles: Vec<FrameId>, choices: &IdVec<ChoiceId, Choice>) -> Self {
        Self { roles, choices: choices.clone() }
    }
}

impl Builder<'_> {
    /// An expression with whatever values.
    pub(super) fn number(&mut self, depth: u32, context: &mut Context) -> Expr {
        if depth == 0 || self.rng.chance(25) {
            return self.leaf(depth, context);
        }
        let expr = match self.rng.below(12) {
            0 => {
                let op = *self.rng.pick(&[UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot]);
                Expr::Unary(op, Box::new(self.number(depth - 1, context)))
            }
            1..8 => {
                let op = *self.rng.pick(&BinaryOp::ALL);
                let left = self.number(depth - 1, context);
                let right = match op {
                    BinaryOp::Shl | BinaryOp::Shr => Expr::Const(self.rng.between(-1, 3)),
                    _ => self.number(depth - 1, context),
                };
                Expr::Binary(op, Box::new(left), Box::new(right))
            }
            8 | 9 => {
                let condition = self.truth(depth - 1, context);
                let yes = self.number(depth - 1, context);
                let no = self.number(depth - 1, context);
                Expr::Ite(Box::new([condition, yes, no]))
            }
            10 if self.knobs.halves && self.rng.chance(20) => {
                let op = *self.rng.pick(&WideOp::ALL);
                let half = *self.rng.pick(&Half::ALL);
                Expr::Wide(op, half, Box::new(std::array::from_fn(|_| self.number(depth - 1, context))))
            }
            10 => self.wrapped(depth - 1, context),
            _ => self.truth(depth - 1, context),
        };
        let range = self.range_of(&expr, context);
        if range.is_none_or(|range| range.lo < -LARGE || range.hi > LARGE) {
            return match expr {
                // The operands are fine, the result is not: another operator always is.
                Expr::Binary(_, left, right) => Expr::Binary(BinaryOp::BitXor, left, right),
                _ => self.leaf(0, context),
            };
        }
        expr
    }

    fn wrapped(&mut self, depth: u32, context: &mut Context) -> Expr {
        let value = Box::new(self.number(depth, context));
        let bits = if self.rng.chance(10) { 40 } else { 1 + self.rng.below(4) as u8 };
        Expr::Wrap { bits, signed: self.rng.chance(50), value }
    }

    fn leaf(&mut self, depth: u32, context: &mut Context) -> Expr {
        match self.rng.below(12) {
            0..3 => Expr::Const(self.rng.between(-2, 4)),
            3..5 if !context.choices.is_empty() => Expr::Choice(ChoiceId::new(self.rng.below(context.choices.len()))),
            5 if !context.roles.is_empty() => Expr::Position(Role(self.rng.below(context.roles.len()) as u8)),
            6 => Expr::PoolCount,
            _ => self.place(depth, context).read(),
        }
    }

    /// An expression that is meant as a position: often there, sometimes not.
    pub(super) fn position(&mut self, depth: u32, context: &mut Context) -> Expr {
        match self.rng.below(4) {
            0 if depth > 0 => self.number(depth - 1, context),
            1 if !context.roles.is_empty() => Expr::Position(Role(self.rng.below(context.roles.len()) as u8)),
            2 => Expr::PoolCount.plus(Expr::Const(self.rng.between(-2, 0))),
            _ => Expr::Const(self.rng.between(-1, i64::from(self.system.pool_size))),
        }
    }

    /// A condition.
    pub(super) fn truth(&mut self, depth: u32, context: &mut Context) -> Expr {
        if depth == 0 || self.rng.chance(35) {
            return self.test(context);
        }
        match self.rng.below(10) {
            0 => Expr::Unary(UnaryOp::Not, Box::new(self.truth(depth - 1, context))),
            1..4 => {
                let op = *self.rng.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Eq, BinaryOp::Ne]);
                let left = self.truth(depth - 1, context);
                Expr::Binary(op, Box::new(left), Box::new(self.truth(depth - 1, context)))
            }
            4 => {
                let op = *self.rng.pick(&[BinaryOp::Le, BinaryOp::Lt, BinaryOp::Ne, BinaryOp::Eq]);
                let left = self.number(depth - 1, context);
                Expr::Binary(op, Box::new(left), Box::new(self.number(depth - 1, context)))
            }
            5 if !self.system.frames.is_empty() => {
                let frame = FrameId::new(self.rng.below(self.system.frames.len()));
                Expr::Lives(frame, Box::new(self.position(depth - 1, context)))
            }
            6 | 7 if !self.system.frames.is_empty() && context.roles.len() < 4 => {
                let frame = FrameId::new(self.rng.below(self.system.frames.len()));
                context.roles.push(frame);
                let body = self.truth(depth - 1, context);
                context.roles.pop();
                Expr::Exists(frame, Box::new(body))
            }
            8 => self.number(depth - 1, context),
            _ => self.test(context),
        }
    }

    /// A comparison of a cell or a choice with a value it can have: conditions that are neither true nor false for ever.
    fn test(&mut self, context: &mut Context) -> Expr {
        let read = if !context.choices.is_empty() && self.rng.chance(30) {
            Expr::Choice(ChoiceId::new(self.rng.below(context.choices.len())))
        } else {
            self.place(1, context).read()
        };
        let range = self.range_of(&read, context).unwrap_or(Interval::BOOL);
        let value = Expr::Const(self.rng.between(range.lo.max(-3).min(range.hi), range.hi.min(range.lo.max(-3) + 3)));
        match self.rng.below(5) {
            0 | 1 => Expr::Binary(BinaryOp::Eq, Box::new(read), Box::new(value)),
            2 => Expr::Binary(BinaryOp::Ne, Box::new(read), Box::new(value)),
            3 => Expr::Binary(BinaryOp::Le, Box::new(read), Box::new(value)),
            _ => Expr::Binary(BinaryOp::Lt, Box::new(value), Box::new(read)),
        }
    }

    /// `value`, folded into `range` if it could lie outside.
    pub(super) fn fitted(&mut self, value: Expr, range: Interval, context: &mut Context) -> Expr {
        let inside = |found: Option<Interval>| found.is_some_and(|found| range.includes(found));
        if inside(self.range_of(&value, context)) {
            return value;
        }
        if range == Interval::BOOL && self.rng.chance(50) {
            return value.truth();
        }
        for (bits, signed) in [(1, false), (2, false), (1, true), (2, true), (3, true)] {
            if Interval::of_wrap(bits, signed) == range && self.rng.chance(60) {
                return Expr::Wrap { bits, signed, value: Box::new(value) };
            }
        }
        let cut = Expr::Wrap { bits: 6, signed: false, value: Box::new(value) };
        let count = i64::try_from(range.count()).expect("only small ranges are fitted");
        let folded = Expr::Binary(BinaryOp::Rem, Box::new(cut), Box::new(Expr::Const(count)));
        if range.lo == 0 {
            folded
        } else {
            Expr::Binary(BinaryOp::Add, Box::new(folded), Box::new(Expr::Const(range.lo)))
        }
    }

    fn range_of(&self, expr: &Expr, context: &mut Context) -> Option<Interval> {
        Interval::of(expr, &self.system, &mut context.roles, &context.choices)
    }
}
