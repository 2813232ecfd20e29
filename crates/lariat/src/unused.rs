//! Options that make no difference to what is checked. An engine honours an option or refuses it; some options mean something for
//! one kind of property only, and engines leave those out of the plans of others. Where no plan has such an option, it is
//! refused.

use crate::check::{CheckOptions, CoverageWanted};
use crate::job::Job;
use crate::{CheckError, Engines, Model};
use lariat_engine::{
    AcceptanceKind, Engine, FairSearch, Options, Plan, PlannedSearch, PropertyPlan, Split, StoreKind, TemporalBy,
};
use lariat_promela::Overflow;
use std::fmt;

/// An option that was given and that no search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnusedOption {
    /// As it is written on the command line or in Rust.
    pub option: &'static str,
    /// What it is for, and how to ask for that.
    pub needs: &'static str,
}

impl fmt::Display for UnusedOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, needs } = self;
        write!(f, "`{option}` has no effect here: it applies only to {needs}, or leave the option out")
    }
}

/// A refusal of the first option that was given and that no search honours.
pub(crate) fn ensure_options_used(
    model: &Model,
    options: &CheckOptions,
    jobs: &[Job],
    plans: &[PropertyPlan],
) -> Result<(), CheckError> {
    // A run that goes on has one of the properties that its command line asks for.
    if options.resumed.is_some() {
        return Ok(());
    }
    let CheckOptions { allow_deadlock, coverage, writes_order, options: search, engines, .. } = options;
    let any_search =
        |uses: &dyn Fn(&Plan) -> bool| plans.iter().flat_map(|plan| &plan.searches).any(|search| uses(&search.plan));
    let by = |plan: &Plan, what: fn(&dyn Engine) -> bool| engines.named(&plan.engine).is_ok_and(what);
    let is_split = matches!(search.store, StoreKind::Hybrid { split } if split != Split::default());
    let safety = "`safety`, which is not checked here; add `--property safety`";
    let rules = [
        ("--allow-deadlock", *allow_deadlock, jobs.iter().any(|job| job.kind.is_safety()), safety),
        ("--overflow error", model.overflow() == Overflow::Error, jobs.iter().any(|job| job.kind.is_safety()), safety),
        ("--coverage", *coverage != CoverageWanted::No, jobs.iter().any(|job| job.kind.is_safety()), safety),
        (
            "--acceptance",
            search.acceptance != AcceptanceKind::Auto,
            any_search(&|plan| plan.search.acceptance != AcceptanceKind::Auto),
            "LTL formulas and other temporal properties; ask for one with `--property` or `--ltl`",
        ),
        (
            "--temporal-by",
            search.temporal_by != TemporalBy::Automaton,
            any_search(&|plan| plan.search.temporal_by != TemporalBy::Automaton),
            "LTL formulas and other temporal properties; ask for one with `--property` or `--ltl`",
        ),
        (
            "--split",
            is_split,
            any_search(&|plan| plan.product.is_some()),
            "the product of a model with an automaton; ask for a temporal property with `--property` or `--ltl`",
        ),
        (
            "--gpu-memory",
            search.gpu_memory_bytes.is_some(),
            any_search(&|plan| by(plan, |engine| engine.uses_graphics_card())),
            "searches on a graphics card; use `--engine gpu`",
        ),
        (
            "--write-order",
            *writes_order,
            any_search(&|plan| by(plan, |engine| engine.has_variable_order())),
            "decision diagrams; use `--engine symbolic`",
        ),
    ];
    match rules.into_iter().find(|(_, is_given, is_used, _)| *is_given && !is_used) {
        // What gets no search has no use for any option: that it is undecided is the answer.
        Some(_) if plans.iter().all(|plan| plan.searches.is_empty()) => Ok(()),
        Some((option, _, _, needs)) => Err(CheckError::Unused(UnusedOption { option, needs })),
        None => Ok(()),
    }
}

/// The same for a model written in Rust, whose options are fields. What the command line itself refuses is refused here too.
pub(crate) fn ensure_fields_used(
    options: &Options,
    engines: &Engines,
    searches: &[PlannedSearch],
) -> Result<(), CheckError> {
    // All are listed: a new option must be thought about here.
    let Options {
        store,
        // Engines refuse these where they do not honour them.
        keep_going: _,
        shortest: _,
        depth_limit: _,
        profile: _,
        reduce: _,
        disk: _,
        order: _,
        heuristic: _,
        runs: _,
        code: _,
        pool_may_grow,
        threads,
        scout,
        seed,
        acceptance,
        temporal_by,
        fair,
        graph_limit,
        graph_instead,
        gpu_memory_bytes,
    } = options;
    let any_search = |uses: &dyn Fn(&Plan) -> bool| searches.iter().any(|search| uses(&search.plan));
    let is_random = |plan: &Plan| {
        let by_store = matches!(
            plan.search.store,
            Some(StoreKind::Bitstate { .. } | StoreKind::Compact | StoreKind::Cache { .. })
        );
        by_store || engines.named(&plan.engine).is_ok_and(|engine| engine.is_random())
    };
    let is_split = matches!(store, StoreKind::Hybrid { split } if *split != Split::default());
    let temporal = "formulas; ask one with `ltl`";
    let rules = [
        (
            "Options::pool_may_grow",
            *pool_may_grow,
            false,
            "models whose processes have a pool, which Rust models have not",
        ),
        ("Options::threads", *threads != 1, false, "engines; write `Check::threads` or `CheckOptions::threads`"),
        ("Options::scout", *scout, any_search(&|plan| plan.search.scouts), "breadth-first searches for failures"),
        (
            "Options::seed",
            *seed != 0,
            any_search(&is_random),
            "stores and engines in which something is random; choose such a store",
        ),
        (
            "Options::acceptance",
            *acceptance != AcceptanceKind::Auto,
            any_search(&|plan| plan.search.acceptance != AcceptanceKind::Auto),
            temporal,
        ),
        (
            "Options::temporal_by",
            *temporal_by != TemporalBy::Automaton,
            any_search(&|plan| plan.search.temporal_by != TemporalBy::Automaton),
            temporal,
        ),
        ("Options::store", is_split, any_search(&|plan| plan.product.is_some()), temporal),
        (
            "Options::fair",
            *fair != FairSearch::default(),
            any_search(&|plan| plan.search.fair.is_some()),
            "engines that go through sets of states",
        ),
        (
            "Options::gpu_memory_bytes",
            gpu_memory_bytes.is_some(),
            false,
            "searches on a graphics card, which read models as systems",
        ),
        (
            "Options::graph_limit",
            graph_limit.is_some(),
            any_search(&|plan| plan.search.graph_limit.is_some()),
            "engines that write the graph out",
        ),
        (
            "Options::graph_instead",
            graph_instead.is_some(),
            any_search(&|plan| plan.search.graph_instead.is_some()),
            "engines that go through sets of states as decision diagrams",
        ),
    ];
    match rules.into_iter().find(|(_, is_given, is_used, _)| *is_given && !is_used) {
        Some((option, _, _, needs)) => Err(CheckError::Unused(UnusedOption { option, needs })),
        None => Ok(()),
    }
}
