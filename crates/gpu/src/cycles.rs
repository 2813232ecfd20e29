//! Temporal properties: the reachable product by breadth-first search, then sets without accepting cycles are dropped, then the run.

use crate::engine::Run;
use crate::lasso::FoundCycle;
use crate::owcty::Goal;
use crate::print::ProductShape;
use crate::search::{Halt, Search};
use lariat_automata::{Acceptance, Analysis, ComponentKind, StateId};
use lariat_base::Id;
use lariat_engine::{
    AcceptanceKind, FailureKind, Feature, PoolTooSmall, Refusal, Report, RunError, Task, Temporal, Unproven,
};
use lariat_space::{AnySpace, AutomatonObserver, Product, StateSpace};
use lariat_store::Exactness;
use lariat_subject::{Cycles, Demands, Keep, Lasso, Lift, Memory, Stop, Tally, report_cycles};

/// A refusal unless accepting cycles of the property can be looked for on a card.
pub(crate) fn ensure_cycles(task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
    let options = &task.options;
    match () {
        _ if options.keep_going => Err(Refusal::because(Feature::KeepGoing, "it ends at the first bad run")),
        _ if options.shortest => {
            Err(Refusal::because(Feature::Shortest, "it drops sets of states, in no order of length"))
        }
        _ if options.acceptance == AcceptanceKind::Copies => Err(Refusal::of(Feature::AcceptanceBy("copies"))),
        _ if Demands::of(&temporal.bad.acceptance).is_none() && !Analysis::of(&temporal.bad).is_weak() => {
            Err(Refusal::because(Feature::Acceptance, "it is neither generalised Büchi nor Streett acceptance"))
        }
        () => Ok(()),
    }
}

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
    let analysis = Analysis::of(&temporal.bad);
    shape.components = (0..shape.states as usize)
        .map(|state| {
            let component = analysis.components.component(StateId::new(state))?;
            let can_accept = matches!(analysis.kinds[component], ComponentKind::Accepting | ComponentKind::Mixed);
            can_accept.then_some(component)
        })
        .collect();
    // Where all cycles of a component are accepting, or none is, only fairness is left to be looked at.
    let demands = match product.acceptance() {
        // The first part is that of the automaton.
        Acceptance::And(parts) if analysis.is_weak() => Demands::of(&Acceptance::And(parts[1..].to_vec())),
        acceptance => Demands::of(acceptance),
    };
    let demands = demands.expect("others were refused");
    shape.pairs.clone_from(&demands.pairs);
    let goal = Goal { components: shape.components.clone(), demands };
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
    goal: &Goal,
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
