//! Acceptance as data: a positive formula over `Inf` and `Fin`, as in HOA.

use crate::{Mark, MarkSet};
use std::fmt;

/// Which infinite runs are accepted, told by the marks seen infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// Every run.
    True,
    /// No run.
    False,
    /// The mark is seen infinitely often.
    Inf(Mark),
    /// The mark is seen finitely often.
    Fin(Mark),
    /// All of them hold.
    And(Vec<Acceptance>),
    /// One of them holds.
    Or(Vec<Acceptance>),
}

impl Acceptance {
    /// Büchi: mark 0 infinitely often.
    pub fn buchi() -> Self {
        Self::Inf(Mark(0))
    }
    /// Generalised Büchi: each of the first `count` marks infinitely often.
    pub fn generalized_buchi(count: u32) -> Self {
        Self::And((0..count).map(|mark| Self::Inf(Mark(mark))).collect())
    }
    /// Every mark of `marks` infinitely often, in the plainest form.
    pub fn all_of(marks: &MarkSet) -> Self {
        let mut parts: Vec<Self> = marks.iter().map(Self::Inf).collect();
        match parts.len() {
            0 => Self::True,
            1 => parts.remove(0),
            _ => Self::And(parts),
        }
    }
    /// The marks that the condition mentions.
    pub fn marks(&self) -> MarkSet {
        let mut marks = MarkSet::EMPTY;
        self.visit(&mut |part| {
            if let Self::Inf(mark) | Self::Fin(mark) = part {
                marks.insert(*mark);
            }
        });
        marks
    }
    /// The marks of `Inf` and the marks of `Fin`.
    pub fn polarities(&self) -> (MarkSet, MarkSet) {
        let (mut inf, mut fin) = (MarkSet::EMPTY, MarkSet::EMPTY);
        self.visit(&mut |part| match part {
            Self::Inf(mark) => inf.insert(*mark),
            Self::Fin(mark) => fin.insert(*mark),
            _ => {}
        });
        (inf, fin)
    }
    /// The marks that must be seen infinitely often, if the condition says that and nothing else.
    pub fn as_generalized_buchi(&self) -> Option<MarkSet> {
        match self {
            Self::True => Some(MarkSet::EMPTY),
            Self::Inf(mark) => Some(std::iter::once(*mark).collect()),
            Self::And(parts) => parts.iter().try_fold(MarkSet::EMPTY, |all, part| {
                let part = part.as_generalized_buchi()?;
                Some(all.union(&part))
            }),
            _ => None,
        }
    }
    /// The condition with each `Inf` and `Fin` replaced by what `replace` says; constants are worked out.
    #[must_use]
    pub fn map(&self, replace: &dyn Fn(&Acceptance) -> Acceptance) -> Acceptance {
        match self {
            Self::Inf(_) | Self::Fin(_) => replace(self),
            Self::True | Self::False => self.clone(),
            Self::And(parts) => Self::join(parts.iter().map(|part| part.map(replace)), true),
            Self::Or(parts) => Self::join(parts.iter().map(|part| part.map(replace)), false),
        }
    }
    /// The condition over other marks.
    #[must_use]
    pub fn rename(&self, rename: impl Fn(Mark) -> Mark) -> Acceptance {
        self.map(&|part| match part {
            Self::Inf(mark) => Self::Inf(rename(*mark)),
            Self::Fin(mark) => Self::Fin(rename(*mark)),
            _ => part.clone(),
        })
    }
    /// The condition that holds exactly where this one does not.
    #[must_use]
    pub fn complement(&self) -> Acceptance {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Inf(mark) => Self::Fin(*mark),
            Self::Fin(mark) => Self::Inf(*mark),
            Self::And(parts) => Self::join(parts.iter().map(Self::complement), false),
            Self::Or(parts) => Self::join(parts.iter().map(Self::complement), true),
        }
    }
    /// The conjunction, or else the disjunction, of `parts`, without constants, nesting of the same kind or repetition.
    pub fn join(parts: impl IntoIterator<Item = Acceptance>, conjunction: bool) -> Acceptance {
        let (unit, zero) = if conjunction { (Self::True, Self::False) } else { (Self::False, Self::True) };
        let mut flat: Vec<Acceptance> = Vec::new();
        for part in parts {
            let inner = match part {
                Self::And(inner) if conjunction => inner,
                Self::Or(inner) if !conjunction => inner,
                other => vec![other],
            };
            for part in inner {
                if part == zero {
                    return zero;
                }
                if part != unit && !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        match flat.len() {
            0 => unit,
            1 => flat.remove(0),
            _ if conjunction => Self::And(flat),
            _ => Self::Or(flat),
        }
    }
    /// Calls `visitor` for the condition and its parts.
    pub fn visit(&self, visitor: &mut dyn FnMut(&Acceptance)) {
        visitor(self);
        if let Self::And(parts) | Self::Or(parts) = self {
            parts.iter().for_each(|part| part.visit(visitor));
        }
    }
    /// Whether a cycle is accepting, given the union of the marks on its edges.
    pub fn accepts(&self, seen_forever: &MarkSet) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Inf(mark) => seen_forever.contains(*mark),
            Self::Fin(mark) => !seen_forever.contains(*mark),
            Self::And(parts) => parts.iter().all(|part| part.accepts(seen_forever)),
            Self::Or(parts) => parts.iter().any(|part| part.accepts(seen_forever)),
        }
    }
}

impl fmt::Display for Acceptance {
    /// As in HOA: `Inf(0)&(Fin(1)|Inf(2))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut join = |parts: &[Acceptance], by: &str| {
            for (at, part) in parts.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { by })?;
                match part {
                    Self::And(inner) | Self::Or(inner) if inner.len() > 1 => write!(f, "({part})")?,
                    _ => write!(f, "{part}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::True => f.write_str("t"),
            Self::False => f.write_str("f"),
            Self::Inf(mark) => write!(f, "Inf({})", mark.0),
            Self::Fin(mark) => write!(f, "Fin({})", mark.0),
            Self::And(parts) if parts.is_empty() => f.write_str("t"),
            Self::Or(parts) if parts.is_empty() => f.write_str("f"),
            Self::And(parts) => join(parts, "&"),
            Self::Or(parts) => join(parts, "|"),
        }
    }
}
