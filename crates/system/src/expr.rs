//! Expressions: total functions from a state, the roles in scope and the choices of an action to a whole number.
//!
//! Truth values are 0 and 1; a condition holds if it is not 0. Nothing is undefined: a read outside an array gives 0,
//! a read of a process that is not there gives 0, division by 0 gives 0. Whether such a thing is a mistake is told by
//! traps, not by expressions.

use crate::{ChoiceId, FrameId, Half, LocalId, Role, SlotId, WideOp};

/// A total expression. Values are 64-bit; validation refuses expressions whose values could leave that range.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number.
    Const(i64),
    /// The value of a choice of the action.
    Choice(ChoiceId),
    /// The content of a cell.
    Read(Place),
    /// The position in the pool at which a role is bound.
    Position(Role),
    /// The number of living processes.
    PoolCount,
    /// 1 if the position given by the expression holds a process of the frame, else 0.
    Lives(FrameId, Box<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if .0 then .1 else .2`.
    Ite(Box<[Expr; 3]>),
    /// The value cut to `bits` bits, read as two's complement if `signed`.
    Wrap {
        /// How many low bits are kept: 1 to 62, or 63 with a sign.
        bits: u8,
        /// Whether the highest of them is the sign.
        signed: bool,
        /// What is cut.
        value: Box<Expr>,
    },
    /// Half of the result of an operation on two numbers of 64 bits, of each of which the high, then the low half is given.
    Wide(WideOp, Half, Box<[Expr; 4]>),
    /// 1 if some living process of the frame, bound to the next free role, makes the body true. The roles already in
    /// scope are not excluded.
    Exists(FrameId, Box<Expr>),
}

/// Operators on one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// 1 if the operand is 0, else 0.
    Not,
    /// Arithmetic negation.
    Neg,
    /// Bitwise complement.
    BitNot,
}

/// Operators on two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, cut towards 0; 0 if the divisor is 0.
    Div,
    /// Remainder with the sign of the dividend; 0 if the divisor is 0.
    Rem,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Shift to the left by the low five bits of the right operand.
    Shl,
    /// Arithmetic shift to the right by the low five bits of the right operand.
    Shr,
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Both are not 0.
    And,
    /// One is not 0.
    Or,
}

/// A cell: a slot, and for an array which of its cells.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Whose slot it is.
    pub owner: Owner,
    /// Which cell of an array. Outside the array a read gives 0 and a write does nothing.
    pub index: Option<Box<Expr>>,
}

/// Where a slot is found.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// A slot of the system.
    Global(SlotId),
    /// A slot of the process bound to a role.
    Role(Role, LocalId),
    /// A slot of the process at the position given by the expression, if a process of that frame lives there; else a
    /// read gives 0 and a write does nothing.
    At(FrameId, LocalId, Box<Expr>),
}

impl Place {
    /// A slot of the system that is a single cell.
    pub fn global(slot: SlotId) -> Self {
        Self { owner: Owner::Global(slot), index: None }
    }
    /// A single cell of the process bound to a role.
    pub fn local(role: Role, local: LocalId) -> Self {
        Self { owner: Owner::Role(role, local), index: None }
    }
    /// The cell at `index` of the array that `self` names.
    #[must_use]
    pub fn at(self, index: Expr) -> Self {
        Self { index: Some(Box::new(index)), ..self }
    }
    /// Its content.
    pub fn read(self) -> Expr {
        Expr::Read(self)
    }
}

impl Expr {
    /// Truth.
    pub const TRUE: Expr = Expr::Const(1);
    /// Falsehood.
    pub const FALSE: Expr = Expr::Const(0);

    /// The value, if it is written as a number.
    pub fn as_const(&self) -> Option<i64> {
        if let Self::Const(value) = self { Some(*value) } else { None }
    }
    /// A binary expression; constants are folded.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Self {
        match (&left, &right) {
            (Self::Const(a), Self::Const(b)) => Self::Const(op.apply(*a, *b)),
            _ => Self::Binary(op, Box::new(left), Box::new(right)),
        }
    }
    /// A unary expression; constants are folded.
    pub fn unary(op: UnaryOp, value: Expr) -> Self {
        match value {
            Self::Const(value) => Self::Const(op.apply(value)),
            value => Self::Unary(op, Box::new(value)),
        }
    }
    /// `self == other`.
    #[must_use]
    pub fn equals(self, other: Expr) -> Self {
        Self::binary(BinaryOp::Eq, self, other)
    }
    /// `self < other`.
    #[must_use]
    pub fn less(self, other: Expr) -> Self {
        Self::binary(BinaryOp::Lt, self, other)
    }
    /// `self + other`.
    #[must_use]
    pub fn plus(self, other: Expr) -> Self {
        Self::binary(BinaryOp::Add, self, other)
    }
    /// Both hold; constants disappear.
    #[must_use]
    pub fn and(self, other: Expr) -> Self {
        match (self.as_const(), other.as_const()) {
            (Some(0), _) | (_, Some(0)) => Self::FALSE,
            (Some(_), _) => other.truth(),
            (_, Some(_)) => self.truth(),
            _ => Self::Binary(BinaryOp::And, Box::new(self), Box::new(other)),
        }
    }
    /// One of both holds; constants disappear.
    #[must_use]
    pub fn or(self, other: Expr) -> Self {
        match (self.as_const(), other.as_const()) {
            (Some(0), _) => other.truth(),
            (_, Some(0)) => self.truth(),
            (Some(_), _) | (_, Some(_)) => Self::TRUE,
            _ => Self::Binary(BinaryOp::Or, Box::new(self), Box::new(other)),
        }
    }
    /// 1 if it does not hold, else 0.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Unary(UnaryOp::Not, inner) if inner.is_truth() => *inner,
            other => Self::unary(UnaryOp::Not, other),
        }
    }
    /// 1 if it holds, else 0.
    #[must_use]
    pub fn truth(self) -> Self {
        if self.is_truth() { self } else { Self::binary(BinaryOp::Ne, self, Self::Const(0)) }
    }
    /// Whether the form alone shows that the value is 0 or 1.
    pub fn is_truth(&self) -> bool {
        match self {
            Self::Const(value) => matches!(value, 0 | 1),
            Self::Unary(UnaryOp::Not, _) | Self::Lives(..) | Self::Exists(..) => true,
            Self::Binary(op, ..) => op.is_truth(),
            Self::Ite(parts) => parts[1].is_truth() && parts[2].is_truth(),
            _ => false,
        }
    }
    /// `if self then yes else no`; a constant condition chooses at once.
    #[must_use]
    pub fn ite(self, yes: Expr, no: Expr) -> Self {
        match self.as_const() {
            Some(0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => Self::Ite(Box::new([self, yes, no])),
        }
    }
    /// Half of the result of an operation on numbers of 64 bits; constants are folded.
    pub fn wide(op: WideOp, half: Half, parts: [Expr; 4]) -> Self {
        match parts.each_ref().map(Expr::as_const) {
            [Some(a), Some(b), Some(c), Some(d)] => Self::Const(op.half_of(half, [a, b, c, d])),
            _ => Self::Wide(op, half, Box::new(parts)),
        }
    }
    /// All conjuncts hold. The tree is balanced, so that many of them are no deep expression.
    pub fn all(conjuncts: impl IntoIterator<Item = Expr>) -> Self {
        balanced(conjuncts.into_iter().collect(), Self::and).unwrap_or(Self::TRUE)
    }
    /// One of the disjuncts holds. The tree is balanced, so that many of them are no deep expression.
    pub fn any(disjuncts: impl IntoIterator<Item = Expr>) -> Self {
        balanced(disjuncts.into_iter().collect(), Self::or).unwrap_or(Self::FALSE)
    }
    /// Every living process of the frame, bound to the next free role, makes the body true.
    pub fn for_all(frame: FrameId, body: Expr) -> Self {
        Self::Exists(frame, Box::new(body.negated())).negated()
    }
    /// Calls `visit` on each direct part, place indices and positions included.
    pub fn for_each_part(&self, mut visit: impl FnMut(&Expr)) {
        match self {
            Self::Const(_) | Self::Choice(_) | Self::Position(_) | Self::PoolCount => {}
            Self::Read(place) => place.for_each_part(visit),
            Self::Lives(_, part) | Self::Unary(_, part) | Self::Wrap { value: part, .. } | Self::Exists(_, part) => {
                visit(part);
            }
            Self::Binary(_, left, right) => {
                visit(left);
                visit(right);
            }
            Self::Ite(parts) => parts.iter().for_each(visit),
            Self::Wide(_, _, parts) => parts.iter().for_each(visit),
        }
    }
}

impl Expr {
    /// Calls `visit` on each direct part, place indices and positions included, to be changed.
    pub fn for_each_part_mut(&mut self, mut visit: impl FnMut(&mut Expr)) {
        match self {
            Self::Const(_) | Self::Choice(_) | Self::Position(_) | Self::PoolCount => {}
            Self::Read(place) => place.for_each_part_mut(visit),
            Self::Lives(_, part) | Self::Unary(_, part) | Self::Wrap { value: part, .. } | Self::Exists(_, part) => {
                visit(part);
            }
            Self::Binary(_, left, right) => {
                visit(left);
                visit(right);
            }
            Self::Ite(parts) => parts.iter_mut().for_each(visit),
            Self::Wide(_, _, parts) => parts.iter_mut().for_each(visit),
        }
    }
}

impl Place {
    /// Calls `visit` on the expressions that the place is found by, to be changed.
    pub fn for_each_part_mut(&mut self, mut visit: impl FnMut(&mut Expr)) {
        if let Owner::At(_, _, position) = &mut self.owner {
            visit(position);
        }
        if let Some(index) = &mut self.index {
            visit(index);
        }
    }
    /// Calls `visit` on the expressions that the place is found by.
    pub fn for_each_part(&self, mut visit: impl FnMut(&Expr)) {
        if let Owner::At(_, _, position) = &self.owner {
            visit(position);
        }
        if let Some(index) = &self.index {
            visit(index);
        }
    }
}

impl UnaryOp {
    /// The meaning.
    pub fn apply(self, value: i64) -> i64 {
        match self {
            Self::Not => i64::from(value == 0),
            Self::Neg => value.wrapping_neg(),
            Self::BitNot => !value,
        }
    }
}

impl BinaryOp {
    /// All of them, for tests and tables.
    pub const ALL: [BinaryOp; 16] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::Shl,
        Self::Shr,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::And,
        Self::Or,
    ];

    /// The meaning.
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::Mul => a.wrapping_mul(b),
            Self::Div => a.checked_div(b).unwrap_or(0),
            Self::Rem => a.checked_rem(b).unwrap_or(0),
            Self::BitAnd => a & b,
            Self::BitOr => a | b,
            Self::BitXor => a ^ b,
            Self::Shl => a.wrapping_shl(b as u32 & 31),
            Self::Shr => a.wrapping_shr(b as u32 & 31),
            Self::Eq => i64::from(a == b),
            Self::Ne => i64::from(a != b),
            Self::Lt => i64::from(a < b),
            Self::Le => i64::from(a <= b),
            Self::And => i64::from(a != 0 && b != 0),
            Self::Or => i64::from(a != 0 || b != 0),
        }
    }
    /// Whether the value is always 0 or 1.
    pub fn is_truth(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::And | Self::Or)
    }
}

/// Joins neighbours until one expression is left; `None` if there are none.
fn balanced(mut parts: Vec<Expr>, join: fn(Expr, Expr) -> Expr) -> Option<Expr> {
    while parts.len() > 1 {
        let mut pairs = parts.into_iter();
        let mut joined = Vec::new();
        while let Some(left) = pairs.next() {
            joined.push(match pairs.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
        parts = joined;
    }
    parts.pop().map(Expr::truth)
}

/// The meaning of [`Expr::Wrap`].
pub fn wrap(bits: u8, signed: bool, value: i64) -> i64 {
    let unused = 64 - u32::from(bits);
    if signed { value << unused >> unused } else { ((value as u64) << unused >> unused) as i64 }
}
