//! Numbers of steps: the least or the greatest that lead from states of one kind to states of another.
//!
//! The answer is a number or says why there is none, so such a property neither holds nor fails. The two kinds of states are
//! formulas of CTL, taken apart as those of [`Branching`] are, with a few further parts that runs show.

use crate::{Branching, PartId};
use lariat_logic::{Formula, Propositions};
use lariat_system::LabelId;
use std::fmt;

/// Which number is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// The steps of a shortest way.
    Least,
    /// The steps of a longest way.
    Greatest,
}

impl fmt::Display for Extremum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Least { "MIN" } else { "MAX" })
    }
}

/// How many steps of a fair run lead from a reachable state in which one formula holds to the next state in which another
/// does: the least or the greatest number.
#[derive(Clone, Debug)]
pub struct Distance {
    /// Which number.
    pub extremum: Extremum,
    /// The formulas.
    pub formulas: Branching,
    /// Holds where counting begins.
    pub from: PartId,
    /// Holds where counting ends.
    pub to: PartId,
    /// `to` does not hold.
    pub before: PartId,
    /// Some fair run comes to where counting begins.
    pub begins: PartId,
    /// Some fair run comes to where counting ends.
    pub arrives: PartId,
    /// Some fair run never comes to where counting ends.
    pub stays: PartId,
}

impl Distance {
    /// The number of steps from `from` to `to`; `None` if one of these is not a formula of CTL. `labels` has for each
    /// proposition the label of the system that it is, a label of states.
    pub fn new(extremum: Extremum, from: Formula, to: &Formula, labels: Vec<LabelId>) -> Option<Self> {
        let mut formulas = Branching::new(from, labels)?;
        let from = formulas.root();
        let to = formulas.read_ctl(to)?;
        let before = formulas.not(to);
        let begins = formulas.until(Branching::TRUE, from);
        let arrives = formulas.until(before, to);
        let stays = formulas.always(before);
        Some(Self { extremum, formulas, from, to, before, begins, arrives, stays })
    }
    /// The same with the texts of the propositions, to be shown to people.
    #[must_use]
    pub fn with_propositions(self, propositions: Propositions) -> Self {
        Self { formulas: self.formulas.with_propositions(propositions), ..self }
    }
}

/// As it is written in a model.
impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}, {}]", self.extremum, self.formulas.text(self.from), self.formulas.text(self.to))
    }
}

/// The answer to how many steps there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// So many.
    Steps(u64),
    /// Infinitely many: no fair run leads there.
    Unreachable,
    /// Infinitely many: there is no greatest number, or some run never comes there.
    Unbounded,
    /// No state to begin in is on a fair run. The least number is infinite then, and the greatest is undefined.
    NoStart(Extremum),
}

impl Quantity {
    /// The number, if there is one.
    pub fn steps(self) -> Option<u64> {
        if let Self::Steps(steps) = self { Some(steps) } else { None }
    }
    /// Why there is no number.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Steps(_) => None,
            Self::Unreachable => Some("no run leads there"),
            Self::Unbounded => Some("runs can take any number of steps before they come there, or never do"),
            Self::NoStart(_) => Some("there is no state to begin in"),
        }
    }
}

/// The number, `infinity` or `undefined`.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(steps) => write!(f, "{steps}"),
            Self::Unreachable | Self::Unbounded | Self::NoStart(Extremum::Least) => f.write_str("infinity"),
            Self::NoStart(Extremum::Greatest) => f.write_str("undefined"),
        }
    }
}
