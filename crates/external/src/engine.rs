//! The engine `external`: what it takes, and how its searches become reports.

use crate::cycles::{ensure_cycles, search_cycles};
use crate::directory::{Directory, ensure_writable};
use crate::error::{DiskError, Halt};
use crate::files::{Files, RealFiles};
use crate::search::{Ground, Progress, Search};
use crate::share::Shares;
use crate::worker::Job;
use lariat_engine::{
    DiskFigures, Engine, EngineError, FailureKind, Feature, ObjectivePlan, Options, Plan, Prepared, ProductPlan,
    Property, Refusal, Report, RunControl, RunError, Shortfall, StoreKind, Task, Temporal, TemporalBy,
};
use lariat_space::StateSpace;
use lariat_store::Exactness;
use lariat_subject::{
    Ending, Keep, Memory, OverSpace, Stop, Tally, Traces, bad_prefix, ensure_searchable, report, with_product,
    with_space,
};
use std::sync::Arc;

/// The engine `external`.
#[derive(Clone, Default)]
pub struct External {
    files: Option<Arc<dyn Files>>,
}

impl External {
    /// On the file system of the machine.
    pub const REAL: Self = Self { files: None };

    /// On another file system.
    pub fn on(files: Arc<dyn Files>) -> Self {
        Self { files: Some(files) }
    }
    fn files(&self) -> Arc<dyn Files> {
        self.files.clone().unwrap_or_else(|| Arc::new(RealFiles))
    }
}

impl Engine for External {
    fn name(&self) -> &'static str {
        "external"
    }
    fn about(&self) -> &'static str {
        "breadth-first search on disk: `safety`, and temporal properties without strong fairness; constant memory, can be resumed"
    }
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        ensure_searchable(task)?;
        let Options {
            store,
            keep_going: _,
            shortest: _,
            pool_may_grow: _,
            depth_limit: _,
            threads: _,
            profile,
            reduce: _,
            // It is asked for where memory is short, and scouts need memory.
            scout: _,
            code: _,
            seed: _,
            runs,
            disk: _,
            acceptance: _,
            ref order,
            temporal_by,
            graph_limit,
        } = task.options;
        match () {
            _ if order.is_some() => return Err(Refusal::of_order()),
            _ if temporal_by == TemporalBy::Tester && matches!(task.property, Property::Temporal(_)) => {
                return Err(Refusal::of_tester());
            }
            _ if graph_limit.is_some() => return Err(Refusal::of_graph_limit()),
            _ if store != StoreKind::Tree => {
                return Err(Refusal::because(Feature::Store(store), "it keeps states on disk"));
            }
            _ if profile => return Err(Refusal::because(Feature::Profile, "it keeps states on disk")),
            _ if runs > 1 => return Err(Refusal::because(Feature::Runs, "it misses no state")),
            () => {}
        }
        let objective = match &task.property {
            Property::Safety { invalid_ends } => Objective::Safety { invalid_ends: *invalid_ends },
            Property::Temporal(temporal) => match bad_prefix::ensure_bad_prefix(task, temporal) {
                Ok(()) => Objective::BadPrefix(temporal),
                Err(_) => {
                    ensure_cycles(task, temporal)?;
                    Objective::Cycles(temporal)
                }
            },
            Property::Branching(_) | Property::Distance(_) => {
                return Err(Refusal::because(Feature::of_property(&task.property), "it follows single runs"));
            }
        };
        let (algorithm, product) = match objective {
            Objective::Safety { .. } => ("breadth first, layers on disk", None),
            Objective::BadPrefix(temporal) => {
                ("breadth first, layers on disk", Some(bad_prefix::product_plan(task, temporal)))
            }
            Objective::Cycles(temporal) => {
                let plan = ProductPlan {
                    objective: ObjectivePlan::AcceptingCycle,
                    ..bad_prefix::product_plan(task, temporal)
                };
                ("breadth first, layers on disk; then sets without cycles are dropped (OWCTY)", Some(plan))
            }
        };
        let mut plan = Plan::new(self.name(), task, algorithm);
        plan.search.store = None;
        plan.product = product;
        Ok(Box::new(PreparedExternal { task, objective, plan, files: self.files() }))
    }
}

/// What is to be reached or not.
#[derive(Clone, Copy)]
enum Objective<'t> {
    Safety { invalid_ends: bool },
    BadPrefix(&'t Temporal),
    Cycles(&'t Temporal),
}

struct PreparedExternal<'t> {
    task: &'t Task<'t>,
    objective: Objective<'t>,
    plan: Plan,
    files: Arc<dyn Files>,
}

impl Prepared for PreparedExternal<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }
    fn ensure_ready(&self) -> Result<(), EngineError> {
        ensure_writable(self.task.options.disk.as_ref(), &*self.files)
    }
    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let Self { task, objective, plan: _, files } = *self;
        with_space(task, ExternalRun { task, objective, files, control })
    }
}

struct ExternalRun<'a> {
    task: &'a Task<'a>,
    objective: Objective<'a>,
    files: Arc<dyn Files>,
    control: &'a RunControl,
}

impl OverSpace for ExternalRun<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let Self { task, objective, files, control } = self;
        match objective {
            Objective::Safety { invalid_ends } => {
                let job = Job { invalid_ends, options: &task.options, control };
                in_directory(task, space.words_per_state(), files, |directory, progress| {
                    explore(space, task, job, directory, progress)
                })
            }
            Objective::BadPrefix(temporal) => bad_prefix::search(space, task, temporal, control, |ending| {
                let job = Job { invalid_ends: true, options: &task.options, control };
                in_directory(task, ending.words_per_state(), files, |directory, progress| {
                    explore(ending, task, job, directory, progress)
                })
            }),
            Objective::Cycles(temporal) => {
                let words = space.words_per_state();
                with_product(space, task, temporal, &temporal.bad, |product| {
                    in_directory(task, product.words_per_state(), files, |directory, progress| {
                        search_cycles(product, words, task, temporal, control, directory, progress)
                    })
                })
            }
        }
    }
}

/// Opens the run directory, searches, and removes the directory unless the search can go on from there.
fn in_directory(
    task: &Task<'_>,
    words: usize,
    files: Arc<dyn Files>,
    search: impl FnOnce(&mut Directory, Option<Progress>) -> Result<Report, RunError>,
) -> Result<Report, RunError> {
    let resume = task.options.disk.as_ref().and_then(|disk| disk.resume.as_deref());
    let (mut directory, progress) = match resume {
        None => (Directory::new(task, words, files), None),
        Some(path) => {
            let (directory, progress) = Directory::reopen(path, task, words, files)?;
            (directory, Some(progress))
        }
    };
    let report = search(&mut directory, progress);
    let is_over = match &report {
        Ok(report) => report.stats.disk.as_ref().is_none_or(|figures| !figures.is_paused),
        Err(RunError::PoolTooSmall) => true,
        Err(RunError::Engine(_)) => false,
    };
    if is_over {
        directory.remove();
    }
    report
}

/// Whether a search that ended so can go on.
pub(crate) fn is_pause(unfinished: Option<Shortfall>) -> bool {
    matches!(
        unfinished,
        Some(Shortfall::Interrupted | Shortfall::Time { .. } | Shortfall::Memory { .. } | Shortfall::Disk)
    )
}

/// The report of a search that could not begin.
pub(crate) fn not_begun(shortfall: Shortfall, figures: DiskFigures) -> Report {
    let mut report = Report::at_once(shortfall);
    report.stats.disk = Some(figures);
    report
}

/// Searches a space for failures.
fn explore<S: StateSpace>(
    space: &S,
    task: &Task<'_>,
    job: Job<'_>,
    directory: &mut Directory,
    progress: Option<Progress>,
) -> Result<Report, RunError> {
    let control = job.control;
    let shares = Shares::of(task, space.words_per_state(), control);
    let ground = match Ground::new(&shares, progress.as_ref(), &control.budget) {
        Ok(ground) => ground,
        Err(full) => return Ok(Report::at_once(full.into())),
    };
    let (path, is_resumed) = (directory.path().to_owned(), progress.is_some());
    let mut trouble = None;
    let mut short = |halt: Halt| match halt {
        Halt::Stop(stop) => stop,
        Halt::Disk(error) => {
            trouble = Some(error);
            Stop::Short(Shortfall::Disk)
        }
    };
    let mut search = match Search::new(space, job, shares, directory, &ground, progress) {
        Ok(search) => search,
        Err(halt) => match short(halt) {
            Stop::Short(shortfall) => {
                let trouble = trouble.as_ref().map(DiskError::to_string);
                let figures = DiskFigures { folder: path, is_paused: is_resumed, trouble, ..DiskFigures::default() };
                return Ok(not_begun(shortfall, figures));
            }
            stop => unreachable!("nothing was searched yet: {stop:?}"),
        },
    };
    let ended = search.run().map_err(&mut short);
    let mut told: Vec<_> = search.tally.failures.of_kind.clone();
    let steps = |kind: FailureKind, depth: u64| depth + u64::from(kind != FailureKind::InvalidEnd);
    told.sort_by_key(|sighting| (steps(sighting.kind, sighting.depth), sighting.kind));
    if !task.options.keep_going {
        told.truncate(1);
    }
    let traces = Traces::of(told.iter().map(|sighting| search.trace(sighting, &mut trouble)));
    if traces.lost.is_some() {
        search.pause();
    }
    let tally = std::mem::replace(&mut search.tally, Tally::new(Keep::Least));
    let (read_bytes, written_bytes) = search.moved();
    let layer_bytes = search.layer_bytes();
    let states = search.states;
    let of_state = layer_bytes as f64 / states.max(1) as f64;
    let mut figures = DiskFigures {
        folder: path,
        layers: search.depth + u64::from(states > 0),
        layer_bytes,
        read_bytes,
        written_bytes,
        bound_bytes: (search.bound_states_with(tally.transitions) as f64 * of_state) as u64,
        is_resumed,
        is_paused: false,
        trouble: trouble.as_ref().map(DiskError::to_string),
    };
    let memory = Memory { states, store_bytes: layer_bytes, exactness: Exactness::Exact, figures: None };
    let ending = Ending::of(memory, search.depth, ended)?;
    let has_manifest = search.has_manifest();
    drop(search);
    let mut report = report(tally, traces, &ending, &task.options, control);
    report.stats.store = "disk";
    figures.is_paused = has_manifest && is_pause(report.unfinished);
    report.stats.disk = Some(figures);
    Ok(report)
}
