//! The graph of states of a small model, or the part of it around a run.

use crate::check::within;
use crate::pool::{NoAnswer, with_growing_pool};
use crate::{CheckError, Model};
use lariat_engine::{GraphLimits, GraphRun, GraphTooLarge, RunControl, StateGraph};
use lariat_subject::too_many_ways;
use lariat_system::System;
use std::sync::Arc;

/// The whole graph of a model, which must have at most `limit` states, within the time of `control`; with the system whose states
/// they are.
pub fn state_graph(model: &Model, limit: usize, control: &RunControl) -> Result<(Arc<System>, StateGraph), CheckError> {
    let first = model.system(model.first_pool_size()?).map_err(CheckError::Model)?;
    let make = |pool_size| model.system(pool_size).map_err(CheckError::Model);
    let run = |system: &Arc<System>, may_grow: bool| {
        ensure_listable(system)?;
        let graph = StateGraph::whole(system, None, limits(limit, !may_grow)).map_err(|large| {
            too_large(large, limit, "`--states` to allow more, or `--from TRACE` for the part around a trace")
        })?;
        if graph.is_pool_too_small { Err(NoAnswer::PoolTooSmall) } else { Ok(graph) }
    };
    within(control, || with_growing_pool(Arc::new(first), model.has_fixed_pool(), make, run))
}

/// The part of the graph of a system that is at most `distance` steps away from a run of it, at most `limit` states, within the time
/// of `control`.
pub fn state_graph_around(
    system: &System,
    run: GraphRun<'_>,
    distance: usize,
    limit: usize,
    control: &RunControl,
) -> Result<StateGraph, CheckError> {
    within(control, || {
        ensure_listable(system)?;
        StateGraph::around(system, run, 0, distance, limits(limit, false)).map_err(|large| {
            let less = if distance > 0 { ", or a smaller `--distance`" } else { "" };
            too_large(large, limit, &format!("`--states` to allow more{less}"))
        })
    })
}

fn limits(states: usize, has_fixed_pool: bool) -> GraphLimits {
    GraphLimits { states, steps: usize::MAX, has_fixed_pool }
}

fn ensure_listable(system: &System) -> Result<(), CheckError> {
    too_many_ways(system)
        .map_or(Ok(()), |reason| Err(CheckError::Refused(format!("the graph cannot be listed: {reason}"))))
}

fn too_large(large: GraphTooLarge, limit: usize, way_out: &str) -> CheckError {
    let what = match large {
        GraphTooLarge::States => format!("{limit} states"),
        GraphTooLarge::Steps => "can be listed".to_owned(),
    };
    CheckError::Refused(format!("the graph has more than {what}; use {way_out}"))
}
