//! Terms: expressions whose names are resolved, whose types are known, and whose constants are folded.
//!
//! A term speaks of the variables of the whole model, now and in the next state. Definitions are written out, but parts
//! are shared: a term is a graph, and `size` counts it as the tree it stands for.

use crate::tree::BinaryOp;
use crate::types::{Base, Domain, Ty};
use crate::value::binary_value;
use lariat_base::{Span, define_id, safe_point};
use std::sync::Arc;

define_id! {
    /// A variable of the model.
    VarId
}
define_id! {
    /// A process of the model; 0 is `main`.
    ProcessId
}

/// A shared term.
pub type Term = Arc<TermNode>;

/// A term.
#[derive(Debug)]
pub struct TermNode {
    /// What it is.
    pub kind: Kind,
    /// What values it has.
    pub ty: Ty,
    /// Where it stands in the text.
    pub span: Span,
    /// How many nodes it has as a tree.
    pub size: u64,
    /// How deep it is.
    pub depth: u32,
    /// Whether some part has no value for some values of the variables.
    pub partial: bool,
    /// What it speaks of beside the state now.
    pub reach: Reach,
}

/// What a term speaks of beside the state now.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reach {
    /// The next state.
    pub next: bool,
    /// Inputs, or which process runs.
    pub input: bool,
}

impl Reach {
    /// Whether it is a matter of the step, not of the state.
    pub fn is_step(self) -> bool {
        self.next || self.input
    }
    fn with(self, other: Reach) -> Self {
        Self { next: self.next || other.next, input: self.input || other.input }
    }
}

/// What a term is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A value.
    Const(i128),
    /// A variable now, or in the next state if the flag is set.
    Var(VarId, bool),
    /// Whether this process runs.
    Running(ProcessId),
    /// `!`, of truth values or bits.
    Not(Term),
    /// `-`
    Minus(Term),
    /// Any operator between two operands but `union` and `in`.
    Binary(BinaryOp, Term, Term),
    /// `if .0 then .1 else .2`
    Ite(Term, Term, Term),
    /// The value of the first branch whose condition holds. There may be none.
    Case(Vec<(Term, Term)>),
    /// The element of this number, from the given one on.
    Select(Term, i128, Vec<Term>),
    /// Bits from the first number down to the second.
    Bits(Term, u32, u32),
    /// The same value, or the same bits, as a value of the term's own type.
    Convert(Term),
    /// The low bits with the sign bit before them.
    Narrow(Term),
    /// Whether it is not 0.
    Truth(Term),
    /// `abs`
    Abs(Term),
    /// How many hold.
    Count(Vec<Term>),
    /// One of these, which may be sets themselves.
    Set(Vec<Term>),
    /// One of these numbers.
    Range(i128, i128),
    /// Every value of the first is one of the second.
    In(Term, Term),
    /// The value, which must be one that the variable can have.
    Fits(Term, VarId, Arc<Domain>),
}

impl TermNode {
    /// The value, if it is known.
    pub fn constant(&self) -> Option<i128> {
        if let Kind::Const(value) = self.kind { Some(value) } else { None }
    }
    /// The direct parts.
    pub fn parts(&self) -> Vec<&Term> {
        match &self.kind {
            Kind::Const(_) | Kind::Var(..) | Kind::Running(_) | Kind::Range(..) => Vec::new(),
            Kind::Not(part)
            | Kind::Minus(part)
            | Kind::Bits(part, ..)
            | Kind::Convert(part)
            | Kind::Narrow(part)
            | Kind::Truth(part)
            | Kind::Abs(part)
            | Kind::Fits(part, ..) => vec![part],
            Kind::Binary(_, left, right) | Kind::In(left, right) => vec![left, right],
            Kind::Ite(condition, yes, no) => vec![condition, yes, no],
            Kind::Case(branches) => branches.iter().flat_map(|(when, then)| [when, then]).collect(),
            Kind::Select(index, _, items) => std::iter::once(index).chain(items).collect(),
            Kind::Count(parts) | Kind::Set(parts) => parts.iter().collect(),
        }
    }
}

/// A term of this kind, type and place. Constants are folded.
pub fn term(kind: Kind, ty: Ty, span: Span) -> Term {
    safe_point();
    // What a constant condition chooses speaks of what it did.
    let chosen = match &kind {
        Kind::Ite(condition, yes, no) => {
            condition.constant().map(|value| if value == 1 { yes.reach } else { no.reach })
        }
        _ => None,
    };
    let kind = folded(kind, ty.base);
    let own = match &kind {
        Kind::Binary(BinaryOp::Div | BinaryOp::Mod, _, right) => right.constant().is_none_or(|divisor| divisor == 0),
        Kind::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _, by) => by.constant().is_none(),
        Kind::Case(branches) => branches.last().is_none_or(|(when, _)| when.constant() != Some(1)),
        Kind::Select(..) | Kind::Fits(..) => true,
        _ => false,
    };
    let reach = match &kind {
        Kind::Var(_, next) => Reach { next: *next, input: chosen.is_some_and(|reach| reach.input) },
        Kind::Running(_) => Reach { next: false, input: true },
        _ => Reach::default(),
    };
    let mut node = TermNode { kind, ty, span, size: 1, depth: 1, partial: own, reach };
    let (mut size, mut depth, mut partial, mut reach) = (1u64, 0, own, node.reach);
    for part in node.parts() {
        size = size.saturating_add(part.size);
        depth = depth.max(part.depth);
        partial |= part.partial;
        reach = reach.with(part.reach);
    }
    (node.size, node.depth, node.partial, node.reach) = (size, depth + 1, partial, reach);
    Arc::new(node)
}

/// An input; it has no next state.
pub fn input(var: VarId, ty: Ty, span: Span) -> Term {
    let reach = Reach { next: false, input: true };
    Arc::new(TermNode { kind: Kind::Var(var, false), ty, span, size: 1, depth: 1, partial: false, reach })
}

/// A value.
pub fn constant(value: i128, ty: Ty, span: Span) -> Term {
    term(Kind::Const(value), ty, span)
}

fn folded(kind: Kind, base: Base) -> Kind {
    let value = match &kind {
        Kind::Not(part) => part.constant().map(|value| match base {
            Base::Bool => 1 - value,
            _ => base.wrap(!value),
        }),
        Kind::Minus(part) => part.constant().map(|value| base.wrap(-value)),
        Kind::Binary(op, left, right) => match (left.constant(), right.constant()) {
            (Some(a), Some(b)) => binary_value(*op, left.ty.base, base, right.ty.base, a, b).ok(),
            _ => None,
        },
        Kind::Ite(condition, yes, no) => match condition.constant() {
            Some(1) => return yes.kind.clone(),
            Some(_) => return no.kind.clone(),
            None => None,
        },
        Kind::Bits(part, high, low) => part.constant().map(|value| bits_of(value, *high, *low)),
        Kind::Convert(part) => part.constant().map(|value| base.wrap(value)),
        Kind::Narrow(part) => part.constant().map(|value| narrowed(value, base)),
        Kind::Truth(part) => part.constant().map(|value| i128::from(value != 0)),
        Kind::Abs(part) => part.constant().map(|value| base.wrap(value.abs())),
        Kind::Count(parts) => parts.iter().map(|part| part.constant()).sum(),
        _ => None,
    };
    value.map_or(kind, Kind::Const)
}

/// Bits `high` down to `low` of a word.
pub(crate) fn bits_of(value: i128, high: u32, low: u32) -> i128 {
    value >> low & ((1i128 << (high - low + 1)) - 1)
}

/// The sign bit and the low bits of a signed word, as a narrower one.
pub(crate) fn narrowed(value: i128, to: Base) -> i128 {
    let Base::Word { width, .. } = to else { return value };
    let low = value & ((1i128 << (width - 1)) - 1);
    if value < 0 { low - (1i128 << (width - 1)) } else { low }
}

/// Whether both say the same, wherever they stand in the text.
pub fn same(a: &Term, b: &Term) -> bool {
    if Arc::ptr_eq(a, b) {
        return true;
    }
    if a.size != b.size || a.ty != b.ty || a.reach != b.reach {
        return false;
    }
    let alike = match (&a.kind, &b.kind) {
        (Kind::Const(a), Kind::Const(b)) => a == b,
        (Kind::Var(a, next), Kind::Var(b, other)) => a == b && next == other,
        (Kind::Running(a), Kind::Running(b)) => a == b,
        (Kind::Binary(a, ..), Kind::Binary(b, ..)) => a == b,
        (Kind::Select(_, a, _), Kind::Select(_, b, _)) => a == b,
        (Kind::Bits(_, a, c), Kind::Bits(_, b, d)) => (a, c) == (b, d),
        (Kind::Range(a, c), Kind::Range(b, d)) => (a, c) == (b, d),
        (Kind::Fits(_, a, _), Kind::Fits(_, b, _)) => a == b,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    };
    let (of_a, of_b) = (a.parts(), b.parts());
    alike && of_a.len() == of_b.len() && of_a.into_iter().zip(of_b).all(|(a, b)| same(a, b))
}

/// The conjuncts that a condition is made of.
pub fn conjuncts(condition: &Term) -> Vec<Term> {
    let (mut found, mut waiting) = (Vec::new(), vec![condition.clone()]);
    while let Some(next) = waiting.pop() {
        match &next.kind {
            Kind::Binary(BinaryOp::And, left, right) if next.ty == Ty::BOOL => {
                waiting.push(right.clone());
                waiting.push(left.clone());
            }
            Kind::Const(1) => {}
            _ => found.push(next),
        }
    }
    found
}
