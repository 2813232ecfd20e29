//! Searches of a reduced space: when one will do.

use lariat_engine::{Demand, EngineError, Feature, Options, Property, Refusal, Task};
use lariat_space::{Ample, Obstacle};
use lariat_system::{LabelId, System};

/// An error if the task is to be settled on a reduced space and cannot be.
pub fn ensure_sound(task: &Task<'_>) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::because(Feature::Reduction, format!("it leaves out steps, and {why}")));
    let Options { reduce, shortest, depth_limit, keep_going, profile, .. } = task.options;
    match &task.property {
        _ if !reduce => Ok(()),
        _ if task.system().is_none() => refuse("what the steps of a model written in Rust read and write is not known"),
        _ if shortest => refuse("a shortest run may be among those that are left out"),
        _ if depth_limit.is_some() => refuse("with them runs that are no longer than the bound"),
        _ if keep_going => refuse("failures could not be counted"),
        _ if profile => refuse("`--profile` counts all steps"),
        Property::Safety { invalid_ends: _ } => Ok(()),
        Property::Branching(_) => refuse("a formula of branching time may distinguish them"),
        Property::Distance(_) => refuse("they are to be counted"),
        Property::Temporal(_) if !task.subject.fairness().is_empty() => {
            refuse("fairness asks of every step what else could have been taken")
        }
        Property::Temporal(temporal) => {
            if let Some(&label) = temporal.labels.iter().find(|label| !task.subject.is_of_states(**label)) {
                let name = task.subject.label_name(label);
                return refuse(&format!("`{name}` depends on which step is taken"));
            }
            let is_automaton = |demand: &Demand| matches!(demand, Demand::IsAccepted(_));
            match () {
                _ if temporal.demands.iter().any(is_automaton) => refuse(
                    "whether a never claim or an automaton counts them is not known: state the property as a formula",
                ),
                _ if !temporal.ignores_repetition() => {
                    refuse("the property may count them: a formula without `X` and `Y` does not")
                }
                () => Ok(()),
            }
        }
    }
}

/// Why nothing of the system can be left out while the property is checked, where its form tells.
pub fn reduction_obstacle(system: &System, property: &Property) -> Option<Obstacle> {
    Ample::new(system, observed(property)).ok()?.obstacle(system)
}

/// The labels that the property speaks of.
pub(crate) fn observed(property: &Property) -> &[LabelId] {
    match property {
        Property::Safety { .. } => &[],
        Property::Temporal(temporal) => &temporal.labels,
        Property::Branching(branching) => &branching.labels,
        Property::Distance(distance) => &distance.formulas.labels,
    }
}

/// What may be left out of the system of the task, if that is asked for.
pub(crate) fn ample_of(task: &Task<'_>, system: &System) -> Result<Option<Ample>, EngineError> {
    let ample = task.options.reduce.then(|| Ample::new(system, observed(&task.property))).transpose();
    ample.map_err(|error| EngineError { reason: error.to_string() })
}
