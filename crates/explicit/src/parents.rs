//! From which state each state was first reached.

use lariat_store::{Budget, Full, Handle};

const BLOCK_LEN: usize = 1 << 10;
const BLOCK_BYTES: u64 = (BLOCK_LEN * 5 + 2 * size_of::<Box<[u8]>>()) as u64;

/// The parent of every state of a dense store, in order; an initial state is its own. Five bytes a state, taken from
/// the budget: the low 32 bits of the handle and the 8 above them.
pub(crate) struct Parents<'a> {
    budget: &'a Budget,
    blocks: Vec<Block>,
    len: u64,
}

struct Block {
    low: Vec<u32>,
    high: Vec<u8>,
}

impl<'a> Parents<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, blocks: Vec::new(), len: 0 }
    }

    /// Makes room for `count` more.
    pub(crate) fn reserve(&mut self, count: usize) -> Result<(), Full> {
        while (self.blocks.len() * BLOCK_LEN) as u64 - self.len < count as u64 {
            self.budget.take(BLOCK_BYTES)?;
            let mut block = Block { low: Vec::new(), high: Vec::new() };
            let reserved =
                block.low.try_reserve_exact(BLOCK_LEN).and_then(|()| block.high.try_reserve_exact(BLOCK_LEN));
            if reserved.is_err() {
                self.budget.give_back(BLOCK_BYTES);
                return Err(Full { limit_bytes: self.budget.limit_bytes() });
            }
            self.blocks.push(block);
        }
        Ok(())
    }

    /// Notes the parent of the next state. There is room for it.
    pub(crate) fn push(&mut self, parent: Handle) {
        debug_assert!(parent.0 < 1 << 40, "handles have 40 bits");
        let block = &mut self.blocks[self.len as usize / BLOCK_LEN];
        block.low.push(parent.0 as u32);
        block.high.push((parent.0 >> 32) as u8);
        self.len += 1;
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.len() as u64 * BLOCK_BYTES
    }

    /// The parent of a state; `None` for an initial one.
    pub(crate) fn get(&self, state: Handle) -> Option<Handle> {
        let (block, at) = (&self.blocks[state.0 as usize / BLOCK_LEN], state.0 as usize % BLOCK_LEN);
        let parent = Handle(u64::from(block.high[at]) << 32 | u64::from(block.low[at]));
        (parent != state).then_some(parent)
    }

    /// The way from an initial state to `state`, both included.
    pub(crate) fn path_to(&self, state: Handle) -> Vec<Handle> {
        let mut path: Vec<Handle> = std::iter::successors(Some(state), |&state| self.get(state)).collect();
        path.reverse();
        path
    }
}

impl Drop for Parents<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_ends_at_an_initial_state() {
        let budget = Budget::new(1 << 20);
        let mut parents = Parents::new(&budget);
        parents.reserve(10_000).unwrap();
        (0..10_000).for_each(|n| parents.push(Handle(if n < 3 { n } else { n / 2 })));
        assert_eq!(parents.path_to(Handle(9)), [2, 4, 9].map(Handle));
        assert_eq!(parents.get(Handle(1)), None);
        assert_eq!(parents.get(Handle(9_999)), Some(Handle(4_999)));
        assert!(parents.reserve(1 << 20).is_err());
        drop(parents);
        assert_eq!(budget.used_bytes(), 0);
    }
}
