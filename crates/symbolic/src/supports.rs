//! What functions depend on, without making them: the algebra of sets of variables.

use crate::BitAlgebra;
use lariat_base::safe_point;
use std::convert::Infallible;
use std::rc::Rc;

/// The algebra in which an element is a constant, or the set of variables that a function may depend on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Supports;

/// What a function may depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Support {
    Known(bool),
    /// Bit `n` of the words is variable `n`.
    On(Rc<Vec<u64>>),
}

impl Support {
    pub(crate) fn variable(number: usize) -> Self {
        let mut words = vec![0; number / 64 + 1];
        words[number / 64] |= 1 << (number % 64);
        Self::On(Rc::new(words))
    }
    /// The variables, ascending.
    pub(crate) fn variables(&self) -> Vec<usize> {
        let Self::On(words) = self else { return Vec::new() };
        (0..words.len() * 64).filter(|variable| words[variable / 64] >> (variable % 64) & 1 == 1).collect()
    }
    fn with(&self, other: &Self) -> Self {
        safe_point();
        match (self, other) {
            (Self::Known(_), other) => other.clone(),
            (own, Self::Known(_)) => own.clone(),
            (Self::On(a), Self::On(b)) if Rc::ptr_eq(a, b) => self.clone(),
            (Self::On(a), Self::On(b)) => {
                let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
                let mut words = long.as_ref().clone();
                words.iter_mut().zip(short.iter()).for_each(|(word, more)| *word |= more);
                Self::On(Rc::new(words))
            }
        }
    }
}

impl BitAlgebra for Supports {
    type Bit = Support;
    type Error = Infallible;

    fn constant(&self, value: bool) -> Support {
        Support::Known(value)
    }
    fn known(&self, bit: &Support) -> Option<bool> {
        if let Support::Known(value) = bit { Some(*value) } else { None }
    }
    fn not(&self, a: &Support) -> Result<Support, Infallible> {
        Ok(if let Support::Known(value) = a { Support::Known(!value) } else { a.clone() })
    }
    fn and(&self, a: &Support, b: &Support) -> Result<Support, Infallible> {
        Ok(match (a, b) {
            (Support::Known(false), _) | (_, Support::Known(false)) => Support::Known(false),
            _ => a.with(b),
        })
    }
    fn or(&self, a: &Support, b: &Support) -> Result<Support, Infallible> {
        Ok(match (a, b) {
            (Support::Known(true), _) | (_, Support::Known(true)) => Support::Known(true),
            _ => a.with(b),
        })
    }
    fn xor(&self, a: &Support, b: &Support) -> Result<Support, Infallible> {
        Ok(match (a, b) {
            (Support::Known(a), Support::Known(b)) => Support::Known(a != b),
            _ => a.with(b),
        })
    }
    fn ite(&self, condition: &Support, yes: &Support, no: &Support) -> Result<Support, Infallible> {
        Ok(match condition {
            Support::Known(true) => yes.clone(),
            Support::Known(false) => no.clone(),
            Support::On(_) if yes == no => yes.clone(),
            Support::On(_) => condition.with(&yes.with(no)),
        })
    }
}
