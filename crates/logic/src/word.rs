//! Words that a formula can be evaluated on: infinite, written as a prefix and a cycle that repeats for ever.

use crate::{PropId, Propositions};
use lariat_base::Id;
use std::fmt;

/// The propositions that hold at one position; any number of them.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter {
    /// Bit `n % 64` of word `n / 64` is proposition `n`; the last word is not 0.
    words: Vec<u64>,
}

impl Letter {
    /// No proposition holds.
    pub const fn empty() -> Self {
        Self { words: Vec::new() }
    }
    /// Lets the proposition hold.
    pub fn insert(&mut self, prop: PropId) {
        let (word, bit) = (prop.index() / 64, prop.index() % 64);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }
    /// Lets the proposition not hold.
    pub fn remove(&mut self, prop: PropId) {
        if let Some(word) = self.words.get_mut(prop.index() / 64) {
            *word &= !(1 << (prop.index() % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
    /// Whether the proposition holds.
    pub fn contains(&self, prop: PropId) -> bool {
        self.words.get(prop.index() / 64).is_some_and(|word| word >> (prop.index() % 64) & 1 == 1)
    }
    /// Whether none holds.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// The propositions that hold, in order.
    pub fn iter(&self) -> impl Iterator<Item = PropId> + '_ {
        (0..self.words.len() * 64).map(PropId::new).filter(|&prop| self.contains(prop))
    }
}

impl FromIterator<PropId> for Letter {
    fn from_iter<I: IntoIterator<Item = PropId>>(props: I) -> Self {
        let mut letter = Self::empty();
        props.into_iter().for_each(|prop| letter.insert(prop));
        letter
    }
}

impl fmt::Debug for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|prop| prop.0)).finish()
    }
}

/// The infinite word `prefix cycle cycle cycle …`. The cycle has a letter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LassoWord {
    /// The letters before the cycle.
    pub prefix: Vec<Letter>,
    /// The letters that repeat.
    pub cycle: Vec<Letter>,
}

impl LassoWord {
    /// The word; `cycle` is not empty.
    pub fn new(prefix: Vec<Letter>, cycle: Vec<Letter>) -> Self {
        assert!(!cycle.is_empty(), "the cycle of a lasso word has a letter");
        Self { prefix, cycle }
    }
    /// The letter at a position.
    pub fn letter(&self, position: usize) -> &Letter {
        match position.checked_sub(self.prefix.len()) {
            None => &self.prefix[position],
            Some(inside) => &self.cycle[inside % self.cycle.len()],
        }
    }
    /// The word in the way Spot writes it: `a & b; cycle{!a; 1}`, where a proposition that is not mentioned does not hold.
    pub fn display<'a>(&'a self, props: &'a Propositions) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            for letter in &self.prefix {
                write!(f, "{}; ", shown(letter, props))?;
            }
            let cycle: Vec<String> = self.cycle.iter().map(|letter| shown(letter, props)).collect();
            write!(f, "cycle{{{}}}", cycle.join("; "))
        })
    }
}

fn shown(letter: &Letter, props: &Propositions) -> String {
    let names: Vec<_> = letter.iter().map(|prop| props.text(prop)).collect();
    if names.is_empty() { "-".into() } else { names.join(" & ") }
}
