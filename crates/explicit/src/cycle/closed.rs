//! The numbers of states in closed components.

use crate::budgeted_stack::BudgetedStack;
use lariat_store::{Budget, Full};

/// Some numbers, as intervals.
pub(crate) struct ClosedStates<'a> {
    /// Disjoint, ascending; each from the first to before the second.
    intervals: BudgetedStack<'a, (u32, u32)>,
    /// The last of them; nothing if there is none.
    last: (u32, u32),
}

impl<'a> ClosedStates<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { intervals: BudgetedStack::new(budget), last: (0, 0) }
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        // Most questions are about states visited lately.
        let (begin, end) = self.last;
        if number >= begin { number < end } else { self.contains_before(number) }
    }

    /// Looks from the end on, in steps that double, and halves the last of them.
    fn contains_before(&self, number: u32) -> bool {
        let begins_after = |interval: usize| self.intervals.get(interval).0 > number;
        // The first interval that is known to begin after the number.
        let mut after = self.intervals.len() - 1;
        let mut step = 1;
        while step < after && begins_after(after - step) {
            after -= step;
            step *= 2;
        }
        let mut before = after.saturating_sub(step);
        while before < after {
            let middle = usize::midpoint(before, after);
            if begins_after(middle) {
                after = middle;
            } else {
                before = middle + 1;
            }
        }
        before > 0 && number < self.intervals.get(before - 1).1
    }

    /// Everything from `begin` on, up to before `end`, is closed now; `end` is greater than all numbers so far.
    pub(crate) fn close(&mut self, mut begin: u32, end: u32) -> Result<(), Full> {
        while let Some((first, after)) = self.intervals.last() {
            if after < begin {
                break;
            }
            begin = begin.min(first);
            self.intervals.pop();
        }
        self.last = (begin, end);
        self.intervals.push(self.last)
    }

    /// The intervals that begin at the number or after it.
    pub(crate) fn since(&self, number: u32) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        let mut first = self.intervals.len();
        while first > 0 && self.intervals.get(first - 1).0 >= number {
            first -= 1;
        }
        (first..self.intervals.len()).map(|interval| self.intervals.get(interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_sets_of_numbers() {
        let budget = Budget::new(1 << 20);
        let mut random = 1_u64;
        let mut below = |bound: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % bound
        };
        for _ in 0..200 {
            let mut closed = ClosedStates::new(&budget);
            let mut twin = vec![false; 1];
            for _ in 0..below(60) {
                twin.extend(vec![false; 1 + below(4) as usize]);
                let end = twin.len();
                let most = if below(8) == 0 { end as u64 - 1 } else { 3.min(end as u64 - 1) };
                let begin = end - below(most) as usize;
                if begin < end {
                    closed.close(begin as u32, end as u32).unwrap();
                    twin[begin..].fill(true);
                }
                for (number, &is_closed) in twin.iter().enumerate() {
                    assert_eq!(closed.contains(number as u32), is_closed, "{number} of {twin:?}");
                }
                let since: u32 = closed.since(begin as u32).map(|(begin, end)| end - begin).sum();
                assert!(since as usize <= twin[begin..].iter().filter(|&&is_closed| is_closed).count());
            }
        }
    }
}
