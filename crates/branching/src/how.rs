//! How fair loops are searched: what is asked for, and what is chosen where nothing is.

use crate::Invariant;
use crate::compassion::is_compassion;
use lariat_engine::{
    CompassionBy, FairBy, FairSearch, Feature, Property, Prune, Refusal, Restrict, StateFormula, Task, TemporalBy,
};
use lariat_system::{DeadEnds, Strength, System};

/// How fair loops are searched. For the default, and how to measure others, see
/// docs/adr/0033-variants-of-feasible.md.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct How {
    /// In which direction.
    pub by: FairBy,
    /// How often states without a step inside are removed.
    pub prune: Prune,
    /// What ways are restricted to.
    pub restrict: Restrict,
}

impl Default for How {
    fn default() -> Self {
        Self { by: FairBy::Backward, prune: Prune::OneStep, restrict: Restrict::Full }
    }
}

impl How {
    /// What the task asks for, and otherwise what is fastest as a rule: in linear time without compassion forwards, and else
    /// backwards. The system is that of the task, or what it was extended to.
    pub fn of(task: &Task<'_>, system: &System) -> Self {
        let (asked, usual) = (&task.options.fair, Self::default());
        let is_native = asked.compassion.unwrap_or(CompassionBy::Native) == CompassionBy::Native;
        let has_compassion = is_native && system.fairness.iter().any(is_compassion);
        let is_linear = matches!(task.property, Property::Temporal(_));
        let by = if is_linear && !has_compassion { FairBy::Forward } else { usual.by };
        Self {
            by: asked.by.unwrap_or(by),
            prune: asked.prune.unwrap_or(usual.prune),
            restrict: asked.restrict.unwrap_or(usual.restrict),
        }
    }
    /// All ways that there are.
    pub fn all() -> impl Iterator<Item = Self> {
        let by = [FairBy::Backward, FairBy::Forward, FairBy::Both, FairBy::Components];
        by.into_iter().flat_map(|by| {
            let restrict = [Restrict::Full, Restrict::Light].into_iter().filter(move |one| fits(by, *one));
            restrict.flat_map(move |restrict| {
                [Prune::All, Prune::OneStep].into_iter().map(move |prune| Self { by, prune, restrict })
            })
        })
    }
}

/// Whether the direction has this kind of restriction.
fn fits(by: FairBy, restrict: Restrict) -> bool {
    by != FairBy::Components || restrict == Restrict::Full
}

/// How loops of fair runs will be searched, if the property has some to search for; a refusal if that cannot be done as it is
/// asked for.
pub fn fair_search(task: &Task<'_>) -> Result<Option<FairSearch>, Refusal> {
    let asked = task.options.fair;
    let system = task.needed_system()?;
    let refuse = |option: &'static str, why: &str| Err(Refusal::because(Feature::FairSearch(option), why));
    if !has_loops(task, system) {
        return match asked.given() {
            Some(option) => refuse(option, "it has no fair loop to search for; choose others with `--property`"),
            None => Ok(None),
        };
    }
    let How { by, prune, restrict } = How::of(task, system);
    if !fits(by, restrict) {
        return refuse("--fair-restrict", "`components` are always searched inside what is left");
    }
    let compassion = asked.compassion.unwrap_or(CompassionBy::Native);
    if compassion != CompassionBy::Native {
        if !matches!(task.property, Property::Temporal(_)) {
            return refuse("--compassion-by", "it is for formulas of linear time");
        }
        if !system.fairness.iter().any(|one| one.strength == Strength::Strong) {
            return refuse("--compassion-by", "the model has no compassion (strong fairness)");
        }
    }
    Ok(Some(FairSearch { by: Some(by), prune: Some(prune), restrict: Some(restrict), compassion: Some(compassion) }))
}

/// Whether the property is settled by searching for loops.
fn has_loops(task: &Task<'_>, system: &System) -> bool {
    // Runs that end do not count: the others have loops.
    let by_system = !system.fairness.is_empty() || system.dead_ends == DeadEnds::Cut;
    match &task.property {
        Property::Safety { .. } => false,
        Property::Temporal(temporal) => {
            task.options.temporal_by == TemporalBy::Tester || Invariant::of(temporal, system).is_none()
        }
        Property::Branching(property) => {
            let is_loop = |part| matches!(property.part(part), StateFormula::Always(_) | StateFormula::Run(_));
            by_system || (0..property.len()).any(is_loop)
        }
        Property::Distance(_) => by_system,
    }
}
