//! Which searches a property may get, one after the other, and by which engine.

use crate::check::{CheckError, CheckOptions};
use crate::engines::{Chosen, EngineRequest, Others};
use crate::job::{Job, What};
use lariat_branching::Graph;
use lariat_engine::{Engine, Options, Property, StoreKind, Subject};
use lariat_symbolic::Symbolic;
use lariat_system::System;

/// Which search of a property: the first one, or the one that follows when memory is full.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum SearchStage {
    /// On a graph that is small enough to be written out in a moment.
    Small,
    First,
    WhenFull(StoreKind),
}

/// Whether sets of states are the first choice: for properties of branching time, and for what a language states as invariants.
/// A small graph is written out; for a larger one there are decision diagrams.
fn is_about_sets(property: &Property, job: &Job) -> bool {
    match (property, &job.what) {
        (Property::Branching(_) | Property::Distance(_), _) => true,
        (Property::Temporal(_), What::Temporal(prepared, _)) => prepared.all_states(),
        _ => false,
    }
}

/// The graph that is worth writing out before decision diagrams are tried.
fn graph_for(system: &System) -> &'static dyn Engine {
    if system.frames.is_empty() { &Graph::TINY } else { &Graph::SMALL }
}

pub(crate) fn not_when_full(stage: SearchStage, error: CheckError) -> CheckError {
    match (stage, error) {
        (SearchStage::WhenFull(store), CheckError::Refused(reason)) => {
            CheckError::Refused(format!("`--when-full {}` is not possible: {reason}", store.name()))
        }
        (_, error) => error,
    }
}

impl CheckOptions {
    /// Which search of a property comes first.
    pub(crate) fn first_stage(&self, property: &Property, job: &Job) -> SearchStage {
        match self.engine {
            None if is_about_sets(property, job) => SearchStage::Small,
            _ => SearchStage::First,
        }
    }

    /// Finds the engine that settles the property of a system, and goes on with it.
    pub(crate) fn choose<R>(
        &self,
        stage: SearchStage,
        property: &Property,
        job: &Job,
        pool_may_grow: bool,
        system: &System,
        then: impl FnOnce(Chosen<'_>) -> Result<R, CheckError>,
    ) -> Result<R, CheckError> {
        // An engine that is asked for works alone.
        let scout = self.engine.is_none();
        let mut options = Options { pool_may_grow, scout, ..self.options.clone() };
        match stage {
            SearchStage::WhenFull(store) => options.store = store,
            // These are for what follows.
            SearchStage::First | SearchStage::Small if self.when_full.is_some() => {
                (options.runs, options.disk) = (1, None)
            }
            SearchStage::First | SearchStage::Small => {}
        }
        if let Some(disk) = &mut options.disk {
            disk.property.clone_from(&job.name);
            // With more room for processes the search begins anew.
            if self.resumed.as_ref().is_some_and(|resumed| resumed.pool_size != system.pool_size) {
                disk.resume = None;
            }
        }
        // Below the exact stores others may have to do the work.
        let asked_for = self.engine.map(|name| self.engines.named(name)).transpose()?;
        let others = if job.is_named { Others::Never } else { Others::ForOtherProperties };
        let threads = self.threads;
        let (first, others): (Vec<&'static dyn Engine>, _) = match stage {
            SearchStage::Small => (vec![graph_for(system), &Symbolic], Others::Always),
            SearchStage::First if asked_for.is_none() && is_about_sets(property, job) => {
                (vec![&Symbolic], Others::Always)
            }
            SearchStage::First => (asked_for.into_iter().collect(), others),
            SearchStage::WhenFull(_) => (Vec::new(), others),
        };
        let asked = EngineRequest { engines: &self.engines, property, options: &options, threads, first, others };
        asked.choose(Subject::System(system), then).map_err(|error| match error {
            CheckError::Refused(mut reason) => {
                if matches!(property, Property::Temporal(_)) && !job.is_named {
                    reason.push_str("; `--property safety` asks for safety alone");
                }
                CheckError::Refused(reason)
            }
            other => other,
        })
    }
}
