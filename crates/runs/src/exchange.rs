//! How records come to the worker that they belong to, where a set of states is spread over several workers.
//!
//! All workers do the same things in the same order: each call of [`Exchange`] that is not about this worker alone is one *round*, in which every
//! worker takes part. An error that a worker meets by itself is told to the others in the next round, by whoever began the work.

use crate::error::Halt;
use crate::sorter::Sorter;
use lariat_space::State;

/// Takes a record.
pub type Push<'p> = dyn FnMut(&[u64]) -> Result<(), Halt> + 'p;
/// Gives records to what it is called with.
pub type Produce<'p> = dyn FnMut(&mut Push<'_>) -> Result<(), Halt> + 'p;

/// The other workers, to one of them.
pub trait Exchange {
    /// Whether a state belongs to this worker.
    fn owns(&self, state: &State) -> bool;
    /// Collects the records that `produce` gives, and those that other workers produce, if their states belong to this worker; what belongs to
    /// others is sent. A record begins with its state. A round.
    fn collect(&self, sorter: &mut Sorter<'_>, produce: &mut Produce<'_>) -> Result<(), Halt>;
    /// The sum of what each worker has. A round.
    fn sum(&self, mine: u64) -> Result<u64, Halt>;
    /// The least of the records that workers have, which are of so many words; `None` if none has one. A round.
    fn least(&self, mine: Option<Vec<u64>>, words: usize) -> Result<Option<Vec<u64>>, Halt>;
    /// Why nothing goes on where another worker must have sent something wrong.
    fn damaged(&self) -> Halt;
}

/// One worker among others, or all there is.
#[derive(Clone, Copy)]
pub struct Among<'a>(pub Option<&'a dyn Exchange>);

impl Among<'_> {
    /// Whether a state belongs to this worker.
    pub fn owns(self, state: &State) -> bool {
        self.0.is_none_or(|others| others.owns(state))
    }
    /// The sum of what each worker has.
    pub fn sum(self, mine: u64) -> Result<u64, Halt> {
        self.0.map_or(Ok(mine), |others| others.sum(mine))
    }
    /// The least of the records that workers have, which are of so many words.
    pub fn least(self, mine: Option<Vec<u64>>, words: usize) -> Result<Option<Vec<u64>>, Halt> {
        self.0.map_or(Ok(mine.clone()), |others| others.least(mine, words))
    }
    /// The same where some worker must have one: `why` says why.
    pub fn one(self, mine: Option<Vec<u64>>, words: usize, why: &str) -> Result<Vec<u64>, Halt> {
        self.least(mine, words)?.ok_or_else(|| self.inconsistent(why))
    }
    /// What cannot be, as `why` says, unless another worker sent something wrong.
    pub fn inconsistent(self, why: &str) -> Halt {
        self.0.map_or_else(|| unreachable!("{why}"), Exchange::damaged)
    }
    /// An error unless what cannot be otherwise is so.
    pub fn ensure(self, is_so: bool, why: &str) -> Result<(), Halt> {
        if is_so { Ok(()) } else { Err(self.inconsistent(why)) }
    }
}
