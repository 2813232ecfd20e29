//! Temporal properties on disk: the reachable product by breadth-first search, then [`Owcty`], then the run.

use crate::checkpoint::Progress;
use crate::directory::Directory;
use crate::filter::StateFilter;
use crate::reports::{FEW_BYTES, is_pause, not_begun};
use crate::search::{Ground, LayeredSearch};
use crate::worker::Job;
use lariat_engine::{
    DiskFigures, FailureKind, Feature, PoolTooSmall, Refusal, Report, RunControl, RunError, Shortfall, Task, Temporal,
    Unproven, Verdict,
};
use lariat_runs::error::{DiskError, Halt};
use lariat_runs::exchange::Among;
use lariat_runs::lasso::find_cycle;
use lariat_runs::owcty::Owcty;
use lariat_runs::pass::PassGround;
use lariat_runs::run::{RunCursor, RunInfo};
use lariat_runs::share::Shares;
use lariat_space::{AnySpace, AutomatonObserver, Product, StateSpace};
use lariat_store::Exactness;
use lariat_subject::{CycleGoal, Cycles, Lasso, Lift, Memory, Stop, ensure_sets_decide, report_cycles};

/// A refusal unless accepting cycles of the property can be looked for on disk.
pub(crate) fn ensure_cycles(task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
    match task.options.depth_limit {
        Some(_) => Err(Refusal::because(Feature::DepthLimit, "what lies within a bound says nothing about cycles")),
        None => ensure_sets_decide(task, temporal),
    }
}

/// Searches a product for accepting cycles. If there are some, `can_loop` gets the states of the system that they can go through.
#[allow(clippy::too_many_arguments)]
pub(crate) fn search_cycles<S: StateSpace>(
    product: &Product<'_, S, AutomatonObserver<'_>>,
    system_words: usize,
    task: &Task<'_>,
    temporal: &Temporal,
    control: &RunControl,
    directory: &mut Directory,
    progress: Option<Progress>,
    can_loop: Option<&mut Option<StateFilter>>,
) -> Result<Report, RunError> {
    let space = &AnySpace::new(product);
    let job = Job { invalid_ends: false, options: &task.options, control, guide: None, most_states: None };
    let shares = Shares::of(task, product.words_per_state(), control);
    let (path, is_resumed, folders) =
        (directory.path().to_owned(), directory.has_manifest(), directory.folders.clone());
    let mut figures = DiskFigures { folder: path, is_resumed, ..DiskFigures::default() };
    let ground = match Ground::new(&shares, progress.as_ref(), &control.budget) {
        Ok(ground) => ground,
        Err(full) => {
            (figures.is_paused, figures.trouble) = (is_resumed, Some(FEW_BYTES.to_owned()));
            return Ok(not_begun(full.into(), figures));
        }
    };
    let goal = CycleGoal::of(product, &temporal.bad);
    let bit_words = goal.demands.bit_words();
    let mut cycles = Cycles::default();
    let mut search = match LayeredSearch::new(space, job, shares, directory, &ground, progress) {
        Ok(search) => search,
        Err(halt) => {
            figures.is_paused = is_resumed;
            return Ok(not_begun(end_of(halt, &mut figures)?, figures));
        }
    };
    let (mut unproven, mut ended) = (None, search.run());
    if ended.is_ok() {
        let ground = PassGround {
            space,
            folders: &folders,
            names: ground.names(),
            shares,
            control,
            bit_words,
            among: Among(None),
        };
        let keep = |left: &RunInfo| {
            if let Some(can_loop) = can_loop {
                *can_loop = Some(filter_of(product, ground, left)?);
            }
            Ok(())
        };
        ended = match look_for_cycle(&mut search, ground, &goal, keep, &mut unproven) {
            Ok(lasso) => {
                cycles.end(Ok(lasso))?;
                Ok(())
            }
            Err(halt) => {
                search.pause();
                Err(halt)
            }
        };
    }
    if let Err(halt) = ended {
        cycles.unfinished = Some(end_of(halt, &mut figures)?);
    }
    cycles.transitions = search.tally.transitions;
    (cycles.depth, cycles.digest) = (search.depth, search.tally.digest);
    (figures.read_bytes, figures.written_bytes) = search.moved();
    figures.layers = search.depth + u64::from(search.reached.states > 0);
    figures.layer_bytes = search.layer_bytes();
    figures.expanded = search.expanded_states;
    let has_manifest = search.has_manifest();
    figures.is_paused = has_manifest && is_pause(cycles.unfinished);
    let memory = Memory {
        states: search.reached.states,
        store_bytes: figures.layer_bytes,
        exactness: Exactness::Exact,
        figures: None,
    };
    drop(search);
    let lift = Lift { words: system_words, labels: task.subject.label_count() };
    let mut report = report_cycles(*space, cycles, memory, lift, task, control);
    report.unproven = report.unproven.or(unproven);
    if let Verdict::Undecided(shortfall) = report.verdict {
        // Also where a lasso was found and its run could not be followed to the end.
        figures.is_paused |= has_manifest && is_pause(Some(shortfall));
    }
    report.stats.store = "disk";
    report.stats.disk = Some(figures);
    Ok(report)
}

/// Why the search is unfinished; what is wrong with the disk is told in the figures.
fn end_of(halt: Halt, figures: &mut DiskFigures) -> Result<Shortfall, PoolTooSmall> {
    match halt {
        Halt::Stop(Stop::Short(shortfall)) => Ok(shortfall),
        Halt::Stop(Stop::PoolTooSmall) => Err(PoolTooSmall),
        Halt::Stop(Stop::Failure) => unreachable!("steps of a product have no faults but a full pool"),
        Halt::Disk(error) => {
            figures.trouble = Some(DiskError::to_string(&error));
            Ok(Shortfall::Disk)
        }
    }
}

/// The states of the system in a set of the product.
fn filter_of<S: StateSpace>(
    product: &Product<'_, S, AutomatonObserver<'_>>,
    ground: PassGround<'_, impl StateSpace>,
    set: &RunInfo,
) -> Result<StateFilter, Halt> {
    let mut filter = StateFilter::new(set.states);
    let mut records = RunCursor::new(set, ground.folders, ground.record_words())?;
    let mut met = 0_u32;
    while let Some(record) = records.state() {
        met = met.wrapping_add(1);
        if met & 0xfff == 0 {
            ground.control.check()?;
        }
        filter.add(product.split(&record[..product.words_per_state()]).0);
        records.advance()?;
    }
    Ok(filter)
}

/// An accepting run of the product, all of which was seen. `unproven` says that there is one whose states could not be told.
fn look_for_cycle<S: StateSpace>(
    search: &mut LayeredSearch<'_, S>,
    ground: PassGround<'_, S>,
    goal: &CycleGoal,
    keep: impl FnOnce(&RunInfo) -> Result<(), Halt>,
    unproven: &mut Option<Unproven>,
) -> Result<Option<Lasso>, Halt> {
    let set = search.take_set(|state| goal.component(state).is_some())?;
    let (left, states) = Owcty { ground, goal }.run(set)?;
    if states == 0 {
        return Ok(None);
    }
    *unproven = Some(Unproven { kind: FailureKind::Cycle, steps: search.depth });
    keep(&left.info)?;
    let cycle = find_cycle(ground, &left, goal)?;
    // What stays takes room and does no harm.
    let _ = ground.folders.remove(&left.info.segment);
    let depth = search.layer_of(&cycle.states[0])?;
    let mut stem = search.way_to(&cycle.states[0], depth)?;
    stem.pop();
    *unproven = None;
    Ok(Some(Lasso { stem, cycle: cycle.states, marks: cycle.marks }))
}
