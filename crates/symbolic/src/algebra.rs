//! What a bit is.

use std::convert::Infallible;

/// A Boolean algebra in which the encoder computes.
///
/// Laws: those of Boolean algebra, for every operation that returns. An operation may fail, as a decision diagram does
/// when it runs out of nodes; nothing is then known about the result, and the algebra may be used on.
pub trait BitAlgebra {
    /// An element: a truth value, or a function to truth values.
    type Bit: Clone;
    /// Why an operation gave no result.
    type Error;

    /// The element that is true, or false, everywhere.
    fn constant(&self, value: bool) -> Self::Bit;
    /// `Some(value)` only if `bit` is that constant. `None` is always allowed: it costs time, never truth.
    fn known(&self, bit: &Self::Bit) -> Option<bool>;
    /// The complement.
    fn not(&self, a: &Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// Both.
    fn and(&self, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// One or the other or both.
    fn or(&self, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// One of both and not the other.
    fn xor(&self, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// `yes` where `condition` is true, `no` elsewhere.
    fn ite(&self, condition: &Self::Bit, yes: &Self::Bit, no: &Self::Bit) -> Result<Self::Bit, Self::Error>;

    /// `a` and the result of `b`, which is not asked for if `a` is known to be false.
    fn and_then(
        &self,
        a: Self::Bit,
        b: impl FnOnce() -> Result<Self::Bit, Self::Error>,
    ) -> Result<Self::Bit, Self::Error> {
        match self.known(&a) {
            Some(false) => Ok(a),
            Some(true) => b(),
            None => self.and(&a, &b()?),
        }
    }
    /// `a` or the result of `b`, which is not asked for if `a` is known to be true.
    fn or_else(
        &self,
        a: Self::Bit,
        b: impl FnOnce() -> Result<Self::Bit, Self::Error>,
    ) -> Result<Self::Bit, Self::Error> {
        match self.known(&a) {
            Some(true) => Ok(a),
            Some(false) => b(),
            None => self.or(&a, &b()?),
        }
    }
}

/// A number of a variable.
pub type Variable = u32;

/// A bit algebra of functions: its elements depend on variables.
///
/// Laws: two elements are equal iff they are the same function; `exists` is true where some values of the variables make
/// its operand true; `substitute` replaces all variables at once.
pub trait BitFunctions: BitAlgebra<Bit: Eq> {
    /// A set of variables, ready to be quantified.
    type Variables: Clone;
    /// A function for each of some variables, ready to be put in their places.
    type Substitution;

    /// The function that is the variable itself.
    fn variable(&self, number: Variable) -> Result<Self::Bit, Self::Error>;
    /// The set of these variables.
    fn variables(&self, numbers: &[Variable]) -> Result<Self::Variables, Self::Error>;
    /// True where some values of the variables make `f` true.
    fn exists(&self, variables: &Self::Variables, f: &Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// [`exists`](Self::exists) of both, without making both first.
    fn and_exists(&self, variables: &Self::Variables, a: &Self::Bit, b: &Self::Bit) -> Result<Self::Bit, Self::Error>;
    /// What is to be put in the places of some variables.
    fn substitution(&self, pairs: Vec<(Variable, Self::Bit)>) -> Self::Substitution;
    /// `f` with the variables of the substitution replaced.
    fn substitute(&self, f: &Self::Bit, substitution: &Self::Substitution) -> Result<Self::Bit, Self::Error>;
    /// The variables that `f` depends on, ascending.
    fn support(&self, f: &Self::Bit) -> Vec<Variable>;
    /// How much room `f` takes, in some unit.
    fn size(&self, f: &Self::Bit) -> usize;
}

/// The algebra of the two truth values: encoding a system over it evaluates the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bools;

impl BitAlgebra for Bools {
    type Bit = bool;
    type Error = Infallible;

    fn constant(&self, value: bool) -> bool {
        value
    }
    fn known(&self, bit: &bool) -> Option<bool> {
        Some(*bit)
    }
    fn not(&self, a: &bool) -> Result<bool, Infallible> {
        Ok(!a)
    }
    fn and(&self, a: &bool, b: &bool) -> Result<bool, Infallible> {
        Ok(*a && *b)
    }
    fn or(&self, a: &bool, b: &bool) -> Result<bool, Infallible> {
        Ok(*a || *b)
    }
    fn xor(&self, a: &bool, b: &bool) -> Result<bool, Infallible> {
        Ok(a != b)
    }
    fn ite(&self, condition: &bool, yes: &bool, no: &bool) -> Result<bool, Infallible> {
        Ok(if *condition { *yes } else { *no })
    }
}
