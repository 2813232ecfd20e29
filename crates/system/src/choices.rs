//! Choices that conjuncts settle, and how many ways are left to make the others.

use crate::{BinaryOp, Choice, ChoiceId, Expr, System};
use lariat_base::{Id, IdVec};

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
/// read no choice.
pub(crate) fn by_last_choice<'e>(
    choices: &IdVec<ChoiceId, Choice>,
    conjuncts: impl IntoIterator<Item = &'e Expr>,
) -> Vec<Vec<&'e Expr>> {
    let mut levels: Vec<Vec<&Expr>> = vec![Vec::new(); choices.len() + 1];
    for conjunct in conjuncts {
        let level = conjunct.greatest_choice().map_or(0, |choice| choice.index() + 1);
        levels[level].push(conjunct);
    }
    levels
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
}
