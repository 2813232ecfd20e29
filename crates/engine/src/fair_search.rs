//! How loops of fair runs are searched by sets of states: the variants of the algorithm FEASIBLE of Kesten, Pnueli, Raviv and
//! Shahar (2006), and a search by components. All of them give the same verdict.

use lariat_base::document;
use lariat_base::document::{Described, Shape};
use serde::{Deserialize, Serialize};

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

/// How the states of fair loops are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FairBy {
    /// What has no way *to* what fairness needs is removed.
    Backward,
    /// What has no way *from* what fairness needs is removed; in the rest, backward.
    Forward,
    /// What has no way to or from what fairness needs is removed.
    Both,
    /// Strongly connected components are found one after the other.
    Components,
}

/// How often states are removed that have no step inside what is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prune {
    /// Until there are none.
    All,
    /// Once a round.
    OneStep,
}

/// What ways are restricted to while it is computed what has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restrict {
    /// To what is left, at every step.
    Full,
    /// To nothing; what was removed is taken out in the end. Once nothing changes any more, to what is left.
    Light,
}

/// What becomes of compassion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompassionBy {
    /// The search knows it.
    Native,
    /// It is a part of the formula of bad runs.
    Formula,
    /// It is turned into justice, with a variable for each constraint.
    Justice,
}

impl Described for FairBy {
    fn shape() -> Shape {
        Shape::Word(&["backward", "forward", "both", "components"])
    }
}
impl Described for Prune {
    fn shape() -> Shape {
        Shape::Word(&["all", "one_step"])
    }
}
impl Described for Restrict {
    fn shape() -> Shape {
        Shape::Word(&["full", "light"])
    }
}
impl Described for CompassionBy {
    fn shape() -> Shape {
        Shape::Word(&["native", "formula", "justice"])
    }
}
