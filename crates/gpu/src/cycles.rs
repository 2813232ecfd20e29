//! Temporal properties: the reachable product by breadth-first search, then sets without accepting cycles are dropped, then the run.

use crate::engine::Run;
use crate::lasso::FoundCycle;
use crate::print::ProductShape;
use crate::search::{Halt, Search};
use lariat_engine::{FailureKind, PoolTooSmall, Report, RunError, Task, Temporal, Unproven};
use lariat_space::{AnySpace, AutomatonObserver, Product, StateSpace};
use lariat_store::Exactness;
use lariat_subject::{CycleGoal, Cycles, Keep, Lasso, Lift, Memory, Stop, Tally, report_cycles};

/// Searches a product for accepting cycles.
pub(crate) fn search_cycles<S: StateSpace>(
    run: Run<'_>,
    product: &Product<'_, S, AutomatonObserver<'_>>,
    mut shape: ProductShape,
    system_words: usize,
    task: &Task<'_>,
    temporal: &Temporal,
) -> Result<Report, RunError> {
    let control = run.control;
    let space = &AnySpace::new(product);
    let goal = CycleGoal::of(product, &temporal.bad);
    shape.components.clone_from(&goal.components);
    shape.pairs.clone_from(&goal.demands.pairs);
    let found = run.search(space, Some(&shape), shape.stutters, |search| {
        let mut unproven = false;
        let looked = search.run().and_then(|()| look_for_cycle(search, &goal, &mut unproven));
        let ended = match looked {
            Ok(lasso) => Ok(lasso),
            Err(Halt::Stop(stop)) => Err(stop),
            Err(halt) => return Err(halt),
        };
        search.finish(ended.is_ok())?;
        let tally = std::mem::replace(&mut search.tally, Tally::new(Keep::Least));
        Ok((tally, ended, search.depth, search.states, search.store_bytes(), unproven))
    })?;
    let ((tally, ended, depth, states, store_bytes, unproven), figures) = match found {
        Ok(found) => found,
        Err(shortfall) => return Ok(Report::at_once(shortfall)),
    };
    let mut cycles = Cycles { transitions: tally.transitions, depth, digest: tally.digest, ..Cycles::default() };
    match ended {
        // The only fault that steps of a product have is a full pool, which was only a guess.
        Err(Stop::Failure | Stop::PoolTooSmall) => return Err(PoolTooSmall.into()),
        ended => cycles.end(ended)?,
    }
    let memory = Memory { states, store_bytes, exactness: Exactness::Exact, figures: None };
    let lift = Lift { words: system_words, labels: task.subject.label_count() };
    let is_short = cycles.unfinished.is_some();
    let mut report = report_cycles(*space, cycles, memory, lift, task, control);
    if unproven && is_short {
        report.unproven = report.unproven.or(Some(Unproven { kind: FailureKind::Cycle, steps: depth }));
    }
    report.stats.store = "card";
    report.stats.gpu = Some(figures);
    report.unwatched = report.watched.is_none();
    Ok(report)
}

/// An accepting run of the product, all of which was seen. `unproven` says that there is one that could not be found in time.
fn look_for_cycle<S: StateSpace>(
    search: &mut Search<'_, S>,
    goal: &CycleGoal,
    unproven: &mut bool,
) -> Result<Option<Lasso>, Halt> {
    let mut sets = search.sets(goal)?;
    if search.owcty(&mut sets, goal)? == 0 {
        return Ok(None);
    }
    *unproven = true;
    let FoundCycle { states, marks, depth } = search.find_cycle(&mut sets, goal)?;
    let mut stem = search.chain(&states[0], depth)?;
    stem.pop();
    *unproven = false;
    Ok(Some(Lasso { stem, cycle: states, marks }))
}
