//! Options that make no difference to what is checked. An engine honours an option or refuses it; some options mean something for
//! one kind of property only, and engines leave those out of the plans of others. Where no plan has such an option, it is
//! refused.

use crate::CheckError;
use crate::check::{CheckOptions, CoverageWanted};
use crate::job::Job;
use lariat_engine::{AcceptanceKind, Plan, PropertyPlan, Split, StoreKind, TemporalBy};

/// A refusal of the first option that was given and that no search honours.
pub(crate) fn ensure_options_used(
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
    let has_order = |plan: &Plan| engines.named(&plan.engine).is_ok_and(|engine| engine.has_variable_order());
    let is_split = matches!(search.store, StoreKind::Hybrid { split } if split != Split::default());
    let safety = "`safety`, which is not asked for; add `--property safety`";
    let rules = [
        ("--allow-deadlock", *allow_deadlock, jobs.iter().any(|job| job.kind.is_safety()), safety),
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
        ("--write-order", *writes_order, any_search(&has_order), "decision diagrams; use `--engine symbolic`"),
    ];
    match rules.into_iter().find(|(_, is_given, is_used, _)| *is_given && !is_used) {
        // What gets no search has no use for any option: that it is undecided is the answer.
        Some(_) if plans.iter().all(|plan| plan.searches.is_empty()) => Ok(()),
        Some((option, _, _, needs)) => Err(CheckError::Refused(format!(
            "`{option}` has no effect here: it is for {needs}, or leave the option out"
        ))),
        None => Ok(()),
    }
}
