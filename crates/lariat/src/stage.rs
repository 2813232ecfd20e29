//! Which searches a property may get, one after the other, and by which engine.

use crate::check::{CheckError, CheckOptions};
use crate::engines::{Chosen, EngineRequest};
use crate::job::Job;
use lariat_branching::Graph;
use lariat_engine::{Engine, Options, Property, StoreKind, Subject};
use lariat_system::System;

/// Which search of a property: the first one, or the one that follows when memory is full.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum SearchStage {
    /// On a graph that is small enough to be written out in a moment.
    Small,
    First,
    WhenFull(StoreKind),
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
    pub(crate) fn first_stage(&self, property: &Property) -> SearchStage {
        match property {
            Property::Branching(_) if self.engine.is_none() => SearchStage::Small,
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
        // Below the exact stores others may have to do the work.
        let engine = match stage {
            SearchStage::First => self.engine.map(|name| self.engines.named(name)).transpose()?,
            SearchStage::Small => Some(&Graph::SMALL as &dyn Engine),
            SearchStage::WhenFull(_) => None,
        };
        let threads = if stage == SearchStage::Small { Some(1) } else { self.threads };
        let may_leave_it = !job.is_named;
        let asked =
            EngineRequest { engines: &self.engines, property, options: &options, threads, engine, may_leave_it };
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
