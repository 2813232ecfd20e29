//! Formulas: the tree, and how it is built.
//!
//! A formula speaks about an infinite word of letters (which propositions hold) and a position in it. With `w, i` for
//! the position, `i` counted from 0:
//!
//! ```text
//! X f   f at i+1                                 Y f   i > 0 and f at i-1
//! F f   f at some j >= i                         Z f   i = 0 or f at i-1
//! G f   f at all j >= i                          O f   f at some j <= i
//! f U g g at some j >= i, f at all k, i <= k < j H f   f at all j <= i
//! f W g f U g, or G f                            f S g g at some j <= i, f at all k, j < k <= i
//! f R g not (not f U not g)                      f T g not (not f S not g)
//! f M g g U (f and g)                            E, A  some run, all runs from here
//! ```
//!
//! Parts are shared by `Arc`, so that formulas go between threads and copies are cheap.

use lariat_base::define_id;
use std::sync::Arc;

define_id! {
    /// A proposition of a formula: what its [`Propositions`](crate::Propositions) have a text for.
    PropId
}

/// A formula of LTL with past or, with [`Formula::ForSome`] and [`Formula::ForAll`], of CTL*.
///
/// `And` and `Or` have two parts or more, none of which is of the same kind; the constructors see to that. Equality is
/// that of trees: `a & b` is not `b & a`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Formula {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// The proposition holds now.
    Prop(PropId),
    /// `!f`
    Not(Arc<Formula>),
    /// All parts hold.
    And(Vec<Formula>),
    /// Some part holds.
    Or(Vec<Formula>),
    /// `f -> g`
    Implies(Arc<Formula>, Arc<Formula>),
    /// `f <-> g`
    Iff(Arc<Formula>, Arc<Formula>),
    /// `f xor g`
    Xor(Arc<Formula>, Arc<Formula>),
    /// `X f`
    Next(Arc<Formula>),
    /// `F f`
    Finally(Arc<Formula>),
    /// `G f`
    Globally(Arc<Formula>),
    /// `f U g`
    Until(Arc<Formula>, Arc<Formula>),
    /// `f W g`
    WeakUntil(Arc<Formula>, Arc<Formula>),
    /// `f R g`: `g` holds up to and including the first position where `f` does; SPIN's and NuSMV's `V`.
    Release(Arc<Formula>, Arc<Formula>),
    /// `f M g`: `f R g`, and `f` does hold some time.
    StrongRelease(Arc<Formula>, Arc<Formula>),
    /// `Y f`: false at the first position.
    Yesterday(Arc<Formula>),
    /// `Z f`: true at the first position.
    WeakYesterday(Arc<Formula>),
    /// `O f`
    Once(Arc<Formula>),
    /// `H f`
    Historically(Arc<Formula>),
    /// `f S g`
    Since(Arc<Formula>, Arc<Formula>),
    /// `f T g`
    Trigger(Arc<Formula>, Arc<Formula>),
    /// `E f`: on some run from here.
    ForSome(Arc<Formula>),
    /// `A f`: on all runs from here.
    ForAll(Arc<Formula>),
}

/// Constructors of one part.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident => $kind:ident,)*) => {
        $($(#[$doc])* pub fn $name(part: Formula) -> Self { Self::$kind(Arc::new(part)) })*
    };
}
/// Constructors of two parts.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident => $kind:ident,)*) => {
        $($(#[$doc])* pub fn $name(left: Formula, right: Formula) -> Self {
            Self::$kind(Arc::new(left), Arc::new(right))
        })*
    };
}

#[allow(clippy::should_implement_trait, reason = "`not` builds a formula as the other constructors do")]
impl Formula {
    unary! {
        /// `!f`, as it stands; see [`Formula::negated`].
        not => Not,
        /// `X f`
        next => Next,
        /// `F f`
        finally => Finally,
        /// `G f`
        globally => Globally,
        /// `Y f`
        yesterday => Yesterday,
        /// `Z f`
        weak_yesterday => WeakYesterday,
        /// `O f`
        once => Once,
        /// `H f`
        historically => Historically,
        /// `E f`
        for_some => ForSome,
        /// `A f`
        for_all => ForAll,
    }
    binary! {
        /// `f -> g`
        implies => Implies,
        /// `f <-> g`
        iff => Iff,
        /// `f xor g`
        xor => Xor,
        /// `f U g`
        until => Until,
        /// `f W g`
        weak_until => WeakUntil,
        /// `f R g`
        release => Release,
        /// `f M g`
        strong_release => StrongRelease,
        /// `f S g`
        since => Since,
        /// `f T g`
        trigger => Trigger,
    }

    /// A proposition.
    pub fn prop(id: PropId) -> Self {
        Self::Prop(id)
    }
    /// `True` or `False`.
    pub fn constant(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
    /// All of them: conjunctions among the parts are merged, nothing else is changed. None at all is `True`, one is
    /// itself.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut merged = Vec::new();
        for part in parts {
            match part {
                Self::And(inner) if merged.is_empty() => merged = inner,
                Self::And(inner) => merged.extend(inner),
                other => merged.push(other),
            }
        }
        match merged.len() {
            0 => Self::True,
            1 => merged.swap_remove(0),
            _ => Self::And(merged),
        }
    }
    /// One of them: disjunctions among the parts are merged, nothing else is changed. None at all is `False`, one is
    /// itself.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut merged = Vec::new();
        for part in parts {
            match part {
                Self::Or(inner) if merged.is_empty() => merged = inner,
                Self::Or(inner) => merged.extend(inner),
                other => merged.push(other),
            }
        }
        match merged.len() {
            0 => Self::False,
            1 => merged.swap_remove(0),
            _ => Self::Or(merged),
        }
    }
    /// The negation: a constant's opposite, what a negation negates, else `!f`. At most one operator larger, and
    /// `f.negated().negated() == f` unless `f` is `!!g` or the negation of a constant.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(part) => (**part).clone(),
            other => Self::not(other.clone()),
        }
    }
    /// The parts, in order.
    pub fn operands(&self) -> Vec<&Formula> {
        match self {
            Self::True | Self::False | Self::Prop(_) => Vec::new(),
            Self::And(parts) | Self::Or(parts) => parts.iter().collect(),
            Self::Not(part)
            | Self::Next(part)
            | Self::Finally(part)
            | Self::Globally(part)
            | Self::Yesterday(part)
            | Self::WeakYesterday(part)
            | Self::Once(part)
            | Self::Historically(part)
            | Self::ForSome(part)
            | Self::ForAll(part) => vec![part],
            Self::Implies(left, right)
            | Self::Iff(left, right)
            | Self::Xor(left, right)
            | Self::Until(left, right)
            | Self::WeakUntil(left, right)
            | Self::Release(left, right)
            | Self::StrongRelease(left, right)
            | Self::Since(left, right)
            | Self::Trigger(left, right) => vec![left, right],
        }
    }
    /// The formula with proposition `props[n]` in place of proposition `n`.
    #[must_use]
    pub fn renamed(&self, props: &[PropId]) -> Self {
        match self {
            Self::Prop(prop) => Self::Prop(props[prop.0 as usize]),
            other => other.map_operands(|part| part.renamed(props)),
        }
    }
    /// The same operator over other parts, which `change` makes from the old ones in order.
    #[must_use]
    pub fn map_operands(&self, mut change: impl FnMut(&Formula) -> Formula) -> Self {
        macro_rules! rebuild {
            ($($one:ident)* ; $($two:ident)*) => {
                match self {
                    Self::True | Self::False | Self::Prop(_) => self.clone(),
                    Self::And(parts) => Self::and(parts.iter().map(change)),
                    Self::Or(parts) => Self::or(parts.iter().map(change)),
                    $(Self::$one(part) => Self::$one(Arc::new(change(part))),)*
                    $(Self::$two(left, right) => {
                        let left = change(left);
                        Self::$two(Arc::new(left), Arc::new(change(right)))
                    })*
                }
            };
        }
        rebuild!(Not Next Finally Globally Yesterday WeakYesterday Once Historically ForSome ForAll;
            Implies Iff Xor Until WeakUntil Release StrongRelease Since Trigger)
    }
}
