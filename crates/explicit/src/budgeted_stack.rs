//! A stack under a budget.
//!
//! In blocks, so that nothing on it ever moves and there is no more than a block or two to spare, however high it grows.

use lariat_store::{Budget, Full};

const BLOCK_BITS: u32 = 10;
const BLOCK_LEN: usize = 1 << BLOCK_BITS;

/// A stack whose memory is taken from a budget, and given back as it shrinks.
#[derive(Debug)]
pub(crate) struct BudgetedStack<'a, X> {
    budget: &'a Budget,
    /// All full but the last one or two, of which the very last may be empty.
    blocks: Vec<Vec<X>>,
    len: usize,
}

impl<'a, X: Copy> BudgetedStack<'a, X> {
    const BLOCK_BYTES: u64 = (BLOCK_LEN * size_of::<X>() + 2 * size_of::<Vec<X>>()) as u64;

    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, blocks: Vec::new(), len: 0 }
    }
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    #[inline]
    pub(crate) fn push(&mut self, item: X) -> Result<(), Full> {
        let number = self.len >> BLOCK_BITS;
        if number == self.blocks.len() {
            self.add_block()?;
        }
        self.blocks[number].push(item);
        self.len += 1;
        Ok(())
    }
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<X> {
        let last = self.len.checked_sub(1)?;
        let number = last >> BLOCK_BITS;
        let item = self.blocks[number].pop();
        self.len = last;
        // An empty block is kept for a while: a stack may go up and down where two of them meet.
        if number + 2 < self.blocks.len() {
            self.drop_block();
        }
        item
    }
    #[inline]
    pub(crate) fn last(&self) -> Option<X> {
        self.len.checked_sub(1).map(|last| self.get(last))
    }
    /// The item above so many others.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> X {
        self.blocks[number >> BLOCK_BITS][number & (BLOCK_LEN - 1)]
    }
    /// The item above so many others, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> &mut X {
        &mut self.blocks[number >> BLOCK_BITS][number & (BLOCK_LEN - 1)]
    }
    #[inline]
    pub(crate) fn last_mut(&mut self) -> Option<&mut X> {
        let last = self.len.checked_sub(1)?;
        self.blocks[last >> BLOCK_BITS].last_mut()
    }
    /// All items, the lowest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = X> + '_ {
        self.blocks.iter().flatten().copied()
    }

    #[inline(never)]
    fn add_block(&mut self) -> Result<(), Full> {
        self.budget.take(Self::BLOCK_BYTES)?;
        let mut block = Vec::new();
        if block.try_reserve_exact(BLOCK_LEN).is_err() {
            self.budget.give_back(Self::BLOCK_BYTES);
            return Err(Full { limit_bytes: self.budget.limit_bytes() });
        }
        self.blocks.push(block);
        Ok(())
    }
    #[inline(never)]
    fn drop_block(&mut self) {
        self.blocks.pop();
        self.budget.give_back(Self::BLOCK_BYTES);
    }
}

impl<X> Drop for BudgetedStack<'_, X> {
    fn drop(&mut self) {
        let block_bytes = BLOCK_LEN * size_of::<X>() + 2 * size_of::<Vec<X>>();
        self.budget.give_back((self.blocks.len() * block_bytes) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_a_vector() {
        let budget = Budget::new(1 << 20);
        let mut stack = BudgetedStack::new(&budget);
        let mut twin = Vec::new();
        let mut random = 1_u64;
        for number in 0..40_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Up for a while, then down.
            if random >> 60 < if number < 20_000 { 10 } else { 6 } {
                stack.push(number).unwrap();
                twin.push(number);
            } else {
                assert_eq!(stack.pop(), twin.pop());
            }
            assert_eq!((stack.len(), stack.last()), (twin.len(), twin.last().copied()));
            assert_eq!(stack.last_mut(), twin.last_mut());
            if let Some(&middle) = twin.get(twin.len() / 2) {
                assert_eq!(stack.get(twin.len() / 2), middle);
                assert_eq!(*stack.get_mut(twin.len() / 2), middle);
            }
            let blocks = twin.len() / BLOCK_LEN + 3;
            assert!(budget.used_bytes() <= blocks as u64 * BudgetedStack::<u64>::BLOCK_BYTES);
        }
        assert_eq!(stack.iter().collect::<Vec<_>>(), twin);
        drop(stack);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn a_full_budget_is_told() {
        let budget = Budget::new(BudgetedStack::<u64>::BLOCK_BYTES);
        let mut stack = BudgetedStack::new(&budget);
        (0..BLOCK_LEN as u64).for_each(|number| stack.push(number).unwrap());
        assert!(stack.push(0).is_err());
        assert_eq!(stack.len(), BLOCK_LEN);
    }
}
