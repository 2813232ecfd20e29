//! Temporal properties: the reachable product by breadth-first search, then sets without accepting cycles are dropped, then the run.

use crate::ancestors::Ancestors;
use crate::checkpoint::Checkpoints;
use crate::disk::{FoundOnDisk, in_memory_or_on_disk, search_cycles_on_disk};
use crate::pass::Sets;
use crate::reports::{ended_of, report_lost};
use crate::search::{Search, Totals};
use crate::session::Session;
use crate::share::{Halt, Job};
use lariat_engine::{
    ClusterFigures, DiskFigures, FailureKind, Feature, PoolTooSmall, Refusal, Report, RunControl, RunError, Shortfall,
    Task, Temporal, Unproven,
};
use lariat_space::{AnySpace, AutomatonObserver, Product, StateSpace};
use lariat_store::Exactness;
use lariat_subject::{CycleGoal, Cycles, Lasso, Lift, Memory, Stop, ensure_sets_decide, report_cycles};

/// A refusal unless accepting cycles of the property can be looked for by workers.
pub(crate) fn ensure_cycles(task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
    match &task.options {
        options if options.depth_limit.is_some() => {
            Err(Refusal::because(Feature::DepthLimit, "what lies within a bound says nothing about cycles"))
        }
        options if options.shortest => {
            Err(Refusal::because(Feature::Shortest, "it drops sets of states, in no order of length"))
        }
        _ => ensure_sets_decide(task, temporal),
    }
}

/// What the workers found together.
struct Found {
    totals: Totals,
    depth: u64,
    ended: Result<Option<Lasso>, Stop>,
    /// There is a bad run, and it could not be told.
    unproven: bool,
    /// Of shares on disk.
    disk: Option<DiskFigures>,
}

/// Searches a product for accepting cycles.
pub(crate) fn search_cycles<S: StateSpace>(
    product: &Product<'_, S, AutomatonObserver<'_>>,
    system_words: usize,
    task: &Task<'_>,
    temporal: &Temporal,
    control: &RunControl,
    mut session: Session,
    checkpoints: Option<&Checkpoints>,
) -> Result<Report, RunError> {
    let space = &AnySpace::new(product);
    let job = Job { invalid_ends: false, numbers_known: true, options: &task.options, control, checkpoints };
    let goal = CycleGoal::of(product, &temporal.bad);
    let free_bytes = control.budget.limit_bytes().saturating_sub(control.budget.used_bytes());
    let found = session.run(|link, trouble| {
        in_memory_or_on_disk(
            job,
            link,
            trouble,
            |link| {
                let mut search = Search::new(space, job, link, trouble)?;
                search.share.ancestors = Some(Ancestors::new(&goal, job, search.link.me(), search.link.peers()));
                let (mut ended, mut unproven) = (Ok(None), false);
                match search_until_found(&mut search, &goal, &mut unproven) {
                    Ok(lasso) => ended = Ok(lasso),
                    Err(halt) => ended = ended.and(Err(ended_of(halt)?)),
                }
                let totals = search.totals()?;
                Ok(Found { totals, depth: search.depth, ended, unproven, disk: None })
            },
            |found| matches!(found.ended, Err(Stop::Short(Shortfall::Memory { .. }))),
            |link| {
                let found = search_cycles_on_disk(space, job, &goal, free_bytes, link, trouble)?;
                let FoundOnDisk { totals, disk, depth, ended, unproven } = found;
                Ok(Found { totals, depth, ended, unproven, disk: Some(disk) })
            },
        )
    });
    let Found { totals, depth, ended, unproven, disk } = match found {
        Ok(found) => found,
        Err(Halt::Lost) => return Ok(report_lost(&session.trouble, session.processes, control)),
        Err(Halt::Stop(Stop::Short(shortfall))) => return Ok(Report::at_once(shortfall)),
        Err(Halt::Stop(stop)) => unreachable!("nothing was searched yet: {stop:?}"),
    };
    let mut cycles =
        Cycles { transitions: totals.tally.transitions, depth, digest: totals.tally.digest, ..Cycles::default() };
    match ended {
        // The only fault that steps of a product have is a full pool, which was only a guess.
        Err(Stop::Failure | Stop::PoolTooSmall) => return Err(PoolTooSmall.into()),
        ended => cycles.end(ended)?,
    }
    let memory =
        Memory { states: totals.states, store_bytes: totals.store_bytes, exactness: Exactness::Exact, figures: None };
    let lift = Lift { words: system_words, labels: task.subject.label_count() };
    let is_short = cycles.unfinished.is_some();
    let mut report = report_cycles(*space, cycles, memory, lift, task, control);
    if unproven && is_short {
        report.unproven = report.unproven.or(Some(Unproven { kind: FailureKind::Cycle, steps: depth }));
    }
    report.stats.store = if disk.is_some() { "disk" } else { "shares" };
    report.stats.disk = disk;
    report.stats.cluster =
        Some(ClusterFigures { processes: session.processes as u64, workers: totals.workers, trouble: None });
    Ok(report)
}

/// An accepting run of the product: of what was expanded where there are signs of one, and else of the whole.
fn search_until_found<S: StateSpace>(
    search: &mut Search<'_, '_, '_, S>,
    goal: &CycleGoal,
    unproven: &mut bool,
) -> Result<Option<Lasso>, Halt> {
    let mut early = None;
    let is_early = search.run_until(|search| {
        early = match search.sets(goal) {
            Ok(sets) => look_for_cycle(search, sets, goal, unproven)?,
            // All workers know that one has no memory for its sets; the search may need none.
            Err(Halt::Stop(Stop::Short(Shortfall::Memory { .. }))) => None,
            Err(halt) => return Err(halt),
        };
        Ok(early.is_some())
    })?;
    if is_early {
        return Ok(early);
    }
    let sets = search.sets(goal)?;
    look_for_cycle(search, sets, goal, unproven)
}

/// An accepting run of the product, as far as it was expanded. `unproven` says that there is one whose states could not be told.
fn look_for_cycle<'a, S: StateSpace>(
    search: &mut Search<'a, '_, '_, S>,
    mut sets: Sets<'a>,
    goal: &CycleGoal,
    unproven: &mut bool,
) -> Result<Option<Lasso>, Halt> {
    if search.owcty(&mut sets, goal)? == 0 {
        return Ok(None);
    }
    *unproven = true;
    let cycle = search.find_cycle(&mut sets, goal)?;
    let mut stem = search.chain(&cycle.states[0], cycle.depth)?;
    stem.pop();
    *unproven = false;
    Ok(Some(Lasso { stem, cycle: cycle.states, marks: cycle.marks }))
}
