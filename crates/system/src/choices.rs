//! Choices that conjuncts settle, and how many ways are left to make the others.

use crate::{Action, BinaryOp, Choice, ChoiceId, Expr, System};
use lariat_base::{Id, IdVec};
use std::collections::BTreeSet;

impl Expr {
    /// The last of the choices that it reads.
    pub fn greatest_choice(&self) -> Option<ChoiceId> {
        if let Self::Choice(choice) = self {
            return Some(*choice);
        }
        let mut greatest = None;
        self.for_each_part(|part| greatest = greatest.max(part.greatest_choice()));
        greatest
    }
    /// The choices that it reads.
    pub fn choices(&self) -> BTreeSet<ChoiceId> {
        fn gather(expr: &Expr, found: &mut BTreeSet<ChoiceId>) {
            if let Expr::Choice(choice) = expr {
                found.insert(*choice);
            }
            expr.for_each_part(|part| gather(part, found));
        }
        let mut found = BTreeSet::new();
        gather(self, &mut found);
        found
    }
    /// What `choice` must equal for this to hold, if it says so outright by earlier choices and the state.
    pub fn bound_value(&self, choice: ChoiceId) -> Option<&Expr> {
        let Self::Binary(BinaryOp::Eq, left, right) = self else { return None };
        let earlier = |expr: &Expr| expr.greatest_choice().is_none_or(|greatest| greatest < choice);
        match (&**left, &**right) {
            (Self::Choice(bound), value) | (value, Self::Choice(bound)) if *bound == choice && earlier(value) => {
                Some(value)
            }
            _ => None,
        }
    }
}

/// For each choice the conjuncts that can be looked at once it and all before it are settled; before them those that
/// read no choice. A conjunction counts as its parts: expressions are total, so the order in which they are looked at does not
/// matter.
pub(crate) fn by_last_choice<'e>(
    choices: &IdVec<ChoiceId, Choice>,
    conjuncts: impl IntoIterator<Item = &'e Expr>,
) -> Vec<Vec<&'e Expr>> {
    let mut levels: Vec<Vec<&Expr>> = vec![Vec::new(); choices.len() + 1];
    for conjunct in conjuncts {
        let mut open = vec![conjunct];
        while let Some(expr) = open.pop() {
            if let Expr::Binary(BinaryOp::And, left, right) = expr {
                open.extend([&**right, &**left]);
                continue;
            }
            let level = expr.greatest_choice().map_or(0, |choice| choice.index() + 1);
            levels[level].push(expr);
        }
    }
    levels
}

/// The most ways to make the choices of one action, or of the beginning, that are listed one by one.
pub const MOST_LISTED_WAYS: u64 = 1 << 20;
/// The most ways that are tried to find the initial states.
pub const MOST_TRIED_BEGINNINGS: u64 = 1 << 26;

impl Expr {
    /// How many values of `choice`, at most, make this hold, whatever the state and the earlier choices are; `None` if its form
    /// does not say.
    fn most_values(&self, choice: ChoiceId) -> Option<u64> {
        match self {
            Self::Const(0) => Some(0),
            _ if self.bound_value(choice).is_some() => Some(1),
            Self::Binary(BinaryOp::And, left, right) => {
                left.most_values(choice).into_iter().chain(right.most_values(choice)).min()
            }
            Self::Binary(BinaryOp::Or, left, right) => {
                Some(left.most_values(choice)?.saturating_add(right.most_values(choice)?))
            }
            Self::Ite(parts) => {
                let [condition, then, otherwise] = &**parts;
                let (then, otherwise) = (then.most_values(choice)?, otherwise.most_values(choice)?);
                let reads_it = condition.greatest_choice().is_some_and(|greatest| greatest >= choice);
                Some(if reads_it { then.saturating_add(otherwise) } else { then.max(otherwise) })
            }
            _ => None,
        }
    }
}

impl System {
    /// In how many ways those choices can be made of which no conjunct says anything once they and the earlier ones are
    /// settled; at most `u64::MAX`. Each of them is a step, unless an invariant forbids it.
    pub fn free_valuations<'e>(
        &self,
        choices: &IdVec<ChoiceId, Choice>,
        conjuncts: impl IntoIterator<Item = &'e Expr>,
    ) -> u64 {
        let levels = by_last_choice(choices, conjuncts);
        let free = choices.iter().zip(&levels[1..]).filter(|(_, conjuncts)| conjuncts.is_empty());
        free.map(|(choice, _)| self.range(choice.ty).count()).fold(1, u64::saturating_mul)
    }

    /// In how many ways, at most, the choices can be made, each conjunct being tested once its choices are made; at most `u64::MAX`.
    /// A choice counts with all its values unless the form of a conjunct says that few of them can do.
    pub fn most_valuations<'e>(
        &self,
        choices: &IdVec<ChoiceId, Choice>,
        conjuncts: impl IntoIterator<Item = &'e Expr>,
    ) -> u64 {
        let levels = by_last_choice(choices, conjuncts);
        let ways = choices.entries().zip(&levels[1..]).map(|((id, choice), conjuncts)| {
            let stated = conjuncts.iter().filter_map(|conjunct| conjunct.most_values(id));
            stated.chain([self.range(choice.ty).count()]).min().expect("the range is one of them")
        });
        ways.fold(1, u64::saturating_mul)
    }

    /// The most ways in which one action, or the beginning, leaves its choices open: one state has about as many steps.
    pub fn most_ways(&self) -> u64 {
        let of_init = self.free_valuations(&self.init.choices, &self.init.guard);
        let of_actions =
            self.actions.iter().map(|action| self.free_valuations(&action.choices, action.guard.conjuncts()));
        of_actions.fold(of_init, u64::max)
    }

    /// The most ways in which the choices of one action may be made, at least one. Unlike [`Self::most_ways`] it counts choices that
    /// conjuncts of the guard speak of, unless these say that few values will do.
    pub fn most_step_valuations(&self) -> u64 {
        let ways = |action: &Action| self.most_valuations(&action.choices, action.guard.conjuncts());
        self.actions.iter().map(ways).fold(1, u64::max)
    }

    /// Whether there may be more ways to try for one action than are listed.
    pub fn has_wide_choices(&self) -> bool {
        self.most_step_valuations() > MOST_LISTED_WAYS
    }
}
