//! Temporal properties: the reachable product, then sets without accepting cycles are dropped (OWCTY), then the run.

use crate::engine::Run;
use crate::print::ProductShape;
use lariat_engine::{AcceptanceKind, Feature, Refusal, Report, RunError, Task, Temporal};
use lariat_space::{AutomatonObserver, Product, StateSpace};

/// A refusal unless accepting cycles of the property can be looked for on a card.
pub(crate) fn ensure_cycles(task: &Task<'_>, _temporal: &Temporal) -> Result<(), Refusal> {
    let _ = AcceptanceKind::Auto;
    let _ = task;
    Err(Refusal::of(Feature::Cycles))
}

pub(crate) fn search_cycles<S: StateSpace>(
    _run: Run<'_>,
    _product: &Product<'_, S, AutomatonObserver<'_>>,
    _shape: ProductShape,
    _system_words: usize,
    _task: &Task<'_>,
    _temporal: &Temporal,
) -> Result<Report, RunError> {
    unreachable!()
}
