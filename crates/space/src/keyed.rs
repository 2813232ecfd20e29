//! A space whose states are keys: a few words with the bits that vary.

use crate::State;
use std::fmt;

/// The same states and steps as those of another space, where a state is a *key* of a few words. Which bits of states a key has
/// was learned from some states: others may not fit.
///
/// Laws:
/// * Equal keys are equal states. Not every state has a key.
/// * What is listed for a key are the keys of the states that its state's steps lead to, one for each step. A state with a
///   fault, with a step that leads to a state without a key, or with anything else that is not said by keys alone, is left
///   to the space that knows states.
pub trait KeyedSpace<'p>: fmt::Debug + Sync {
    /// The number of words of a key.
    fn key_words(&self) -> usize;
    /// Whether keys have one word or two, of which few enough bits have a meaning that a set of keys can have them as entries. If
    /// not, [widening](Self::widened) leaves the number of words as it is.
    fn is_narrow(&self) -> bool;
    /// How many bits of a narrow key have a meaning. In all words but the last these are all.
    fn key_bits(&self) -> u32;
    /// Adds the key of a state, if it has one: whether it has.
    fn pack(&self, state: &State, keys: &mut Vec<u64>) -> bool;
    /// Adds the states of keys.
    fn unpack(&self, keys: &[u64], states: &mut Vec<u64>);
    /// How states are made of keys, for who does so in his own way.
    fn moves(&self) -> &KeyMoves;
    /// Who lists steps, for one thread.
    fn lister(&self) -> Box<dyn KeyLister + '_>;
    /// The same space with keys for these states too; `None` if there is none. What were keys are keys of the same states, with
    /// words of 0 behind them if keys have more words now.
    fn widened(&self, states: &[u64]) -> Option<Box<dyn KeyedSpace<'p> + 'p>>;
}

/// What a space answers that is asked for a [`KeyedSpace`].
#[derive(Debug)]
pub enum Keys<'p> {
    /// Here it is.
    Now(Box<dyn KeyedSpace<'p> + 'p>),
    /// There may be one after more steps, or for more states to learn from.
    Later,
    /// There is none.
    Never,
}

/// How a state is made of a key: bits of this change bits of what states mostly are.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct KeyMoves {
    /// The state of the key 0.
    pub base: Vec<u64>,
    /// Each is about other bits.
    pub moves: Vec<KeyMove>,
    /// What follows these.
    pub follows: Vec<KeyFollow>,
}

/// Bits of a word of a state that are other ones than they would be otherwise where another bit of the state is 1, which itself follows
/// none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyFollow {
    /// The word.
    pub word: usize,
    /// Which bits of it these are.
    pub mask: u64,
    /// The word that has the other bit.
    pub leader_word: usize,
    /// Which one it is there.
    pub leader_bit: u32,
}

/// Bits of a word of a key that change bits of a word of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyMove {
    /// The word of the state.
    pub word: usize,
    /// Which bits of it these are. Where there is a 1 in the key, the bit is another one than in the base.
    pub mask: u64,
    /// The word of the key.
    pub key_word: usize,
    /// Where the bits stand there, side by side in the same order.
    pub shift: u32,
}

/// Lists steps from key to key.
pub trait KeyLister: Send {
    /// Lists the steps from some of these states, at least one and the first of them. How many, and what was found, is in `steps`.
    fn list(&mut self, sources: &[u64], steps: &mut KeyedSteps);
}

/// Steps from key to key.
#[derive(Debug, Default)]
pub struct KeyedSteps {
    /// How many sources were looked at.
    pub sources: usize,
    /// The keys that steps lead to, one after the other.
    pub targets: Vec<u64>,
    /// The numbers of the sources that have no steps.
    pub dead_ends: Vec<u32>,
    /// The numbers of those that were left out.
    pub left_out: Vec<u32>,
    /// How many steps there are, and of all of them a measure of the actions after the first, see [`KeyedSteps::LONG`].
    pub count: u64,
    /// The sum of that measure.
    pub long: u64,
    /// By action: whether one of the steps has it.
    pub taken: Vec<bool>,
}

impl KeyedSteps {
    /// A step of so many actions counts as one more in [`long`](Self::long).
    pub const LONG: u64 = 8;

    /// Forgets all but which actions were taken.
    pub fn clear(&mut self) {
        (self.sources, self.count, self.long) = (0, 0, 0);
        self.targets.clear();
        self.dead_ends.clear();
        self.left_out.clear();
    }
}
