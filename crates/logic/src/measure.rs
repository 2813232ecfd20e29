//! What can be read off a formula: how large it is, and which operators it has.

use crate::{Formula, PropId};
use std::collections::BTreeSet;

impl Formula {
    /// The operators, propositions and constants in it. A conjunction of `n` parts has `n - 1` operators.
    pub fn size(&self) -> usize {
        let own = match self {
            Self::And(parts) | Self::Or(parts) => parts.len() - 1,
            _ => 1,
        };
        own + self.operands().into_iter().map(Self::size).sum::<usize>()
    }
    /// The longest way down: 1 for a proposition or a constant.
    pub fn depth(&self) -> usize {
        1 + self.operands().into_iter().map(Self::depth).max().unwrap_or(0)
    }
    /// The most past operators on a way down. On a lasso word, the truth of a formula repeats with the loop after so many
    /// times round it.
    pub fn past_depth(&self) -> usize {
        usize::from(self.is_past_operator()) + self.operands().into_iter().map(Self::past_depth).max().unwrap_or(0)
    }
    /// The propositions in it.
    pub fn props(&self) -> BTreeSet<PropId> {
        let mut found = BTreeSet::new();
        self.visit(&mut |part| {
            if let Self::Prop(id) = part {
                found.insert(*id);
            }
        });
        found
    }
    /// Calls `see` with the formula and all its parts, outermost first.
    pub fn visit(&self, see: &mut impl FnMut(&Formula)) {
        see(self);
        for part in self.operands() {
            part.visit(see);
        }
    }
    /// Whether `test` holds of the formula or a part of it.
    pub fn any(&self, test: &impl Fn(&Formula) -> bool) -> bool {
        test(self) || self.operands().into_iter().any(|part| part.any(test))
    }
    /// Whether the outermost operator speaks of earlier positions.
    pub fn is_past_operator(&self) -> bool {
        matches!(
            self,
            Self::Yesterday(_)
                | Self::WeakYesterday(_)
                | Self::Once(_)
                | Self::Historically(_)
                | Self::Since(..)
                | Self::Trigger(..)
        )
    }
    /// Whether the outermost operator speaks of later positions.
    pub fn is_future_operator(&self) -> bool {
        matches!(
            self,
            Self::Next(_)
                | Self::Finally(_)
                | Self::Globally(_)
                | Self::Until(..)
                | Self::WeakUntil(..)
                | Self::Release(..)
                | Self::StrongRelease(..)
        )
    }
    /// Whether it holds in a state or does not: each temporal operator in it has a quantifier around it.
    pub fn is_of_states(&self) -> bool {
        match self {
            Self::ForSome(_) | Self::ForAll(_) => true,
            _ if self.is_future_operator() || self.is_past_operator() => false,
            _ => self.operands().into_iter().all(Self::is_of_states),
        }
    }
    /// Whether an operator in it speaks of earlier positions.
    pub fn has_past(&self) -> bool {
        self.any(&Self::is_past_operator)
    }
    /// Whether an operator in it speaks of later positions.
    pub fn has_future(&self) -> bool {
        self.any(&Self::is_future_operator)
    }
    /// Whether there is a path quantifier in it: a formula without one is of LTL.
    pub fn has_quantifier(&self) -> bool {
        self.any(&|part| matches!(part, Self::ForSome(_) | Self::ForAll(_)))
    }
    /// Whether it speaks of the position at hand only: propositions and boolean operators.
    pub fn is_boolean(&self) -> bool {
        !self.any(&|part| {
            part.is_past_operator() || part.is_future_operator() || matches!(part, Self::ForSome(_) | Self::ForAll(_))
        })
    }
}
