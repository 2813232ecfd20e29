//! How loops of fair runs are searched by sets of states: the variants of the algorithm FEASIBLE of Kesten, Pnueli, Raviv and
//! Shahar (2006), and a search by components. All of them give the same verdict.

use lariat_base::{document, words};

document! {
    /// How loops of fair runs are searched by sets of states. The engine chooses what is not given.
    pub struct FairSearch {
        /// In which direction, or by components.
        optional by: FairBy,
        /// How often states without a step inside are removed.
        optional prune: Prune,
        /// What the search is restricted to.
        optional restrict: Restrict,
        /// What becomes of compassion.
        optional compassion: CompassionBy,
    }
}

impl Copy for FairSearch {}
impl Eq for FairSearch {}

#[expect(clippy::derivable_impls, reason = "a document derives nothing else")]
impl Default for FairSearch {
    fn default() -> Self {
        Self { by: None, prune: None, restrict: None, compassion: None }
    }
}

impl FairSearch {
    /// The first option of the command line that asks for something, if one does.
    pub fn given(&self) -> Option<&'static str> {
        let Self { by, prune, restrict, compassion } = self;
        match () {
            () if by.is_some() => Some("--fair-search"),
            () if prune.is_some() => Some("--fair-prune"),
            () if restrict.is_some() => Some("--fair-restrict"),
            () if compassion.is_some() => Some("--compassion-by"),
            () => None,
        }
    }
}

words! {
    /// How the states of fair loops are found.
    pub enum FairBy {
        /// What has no way *to* what fairness needs is removed.
        Backward = "backward",
        /// What has no way *from* what fairness needs is removed; in the rest, backward.
        Forward = "forward",
        /// What has no way to or from what fairness needs is removed.
        Both = "both",
        /// Strongly connected components are found one after the other.
        Components = "components",
    }
}

words! {
    /// How often states are removed that have no step inside what is left.
    pub enum Prune {
        /// Until there are none.
        All = "all",
        /// Once a round.
        OneStep = "one_step",
    }
}

words! {
    /// What ways are restricted to while it is computed what has one.
    pub enum Restrict {
        /// To what is left, at every step.
        Full = "full",
        /// To nothing; what was removed is taken out in the end. Once nothing changes any more, to what is left.
        Light = "light",
    }
}

words! {
    /// What becomes of compassion.
    pub enum CompassionBy {
        /// The search knows it.
        Native = "native",
        /// It is a part of the formula of bad runs.
        Formula = "formula",
        /// It is turned into justice, with a variable for each constraint.
        Justice = "justice",
    }
}
