//! The engine `gpu`: what it takes, and what it will do.

use crate::card::{self, Card, Processor};
use crate::cycles::search_cycles;
use crate::learn::learn;
use crate::packing::{Packing, TooWide};
use crate::print::{self, NoTable, ProductShape, Purpose};
use crate::ranges::Ranges;
use crate::search::{Halt, Job, Search};
use lariat_engine::{
    CodeKind, Disk, Engine, EngineError, Feature, GpuFigures, Options, Plan, Prepared, Refusal, Report, RunControl,
    RunError, Shortfall, StoreKind, Task, Temporal, Verdict,
};
use lariat_space::{AnySpace, StateSpace};
use lariat_store::Exactness;
use lariat_subject::{
    Ending, Memory, Objective, OverSpace, Stop, Traces, bad_prefix, ensure_search_options, ensure_searchable,
    ensure_sets_decide, ensure_undirected, report, trace_along, with_product, with_space,
};
use lariat_system::{DeadEnds, Layout, System};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The engine `gpu`: breadth-first search on a graphics card.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gpu {
    machine: Machine,
}

/// What runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Machine {
    /// A card; but this processor, if the environment says so (`LARIAT_GPU=processor`).
    #[default]
    Card,
    /// This processor, with kernels made by a C compiler.
    Processor,
}

/// What the processor may use in place of a card's memory.
const PROCESSOR_BYTES: u64 = 4 << 30;
/// Entries of the first table: few where tests shall see it grow.
const FIRST_SLOTS: u64 = 1 << 28;
const FIRST_SLOTS_OF_PROCESSOR: u64 = 1 << 10;
/// A search in memory with this many states has taken longer than compiling kernels. Few where tests shall see a search taken over.
const TAKEN_OVER: u64 = 5_000_000;
const TAKEN_OVER_OF_PROCESSOR: u64 = 1 << 12;
/// What drivers make where there is a card.
const DEVICES: [&str; 2] = ["/dev/nvidiactl", "/dev/dxg"];
/// Processes that take part are bits of a word.
const MOST_POSITIONS: u16 = 64;
/// How often keys are made anew because something did not fit.
const MOST_RESTARTS: usize = 64;

impl Gpu {
    /// On a card.
    pub const CARD: Self = Self { machine: Machine::Card };
    /// With the same kernels on this processor, for tests on machines without a card.
    pub const PROCESSOR: Self = Self { machine: Machine::Processor };

    fn is_processor(self) -> bool {
        self.machine == Machine::Processor || std::env::var_os("LARIAT_GPU").is_some_and(|value| value == "processor")
    }
    /// A machine, or why there is none.
    fn open(self) -> Result<Arc<dyn Card>, card::CardError> {
        match self.is_processor() {
            true => Ok(Arc::new(Processor::open(PROCESSOR_BYTES, PROCESSOR_BYTES)?)),
            false => card::open(0),
        }
    }
    /// A refusal if there is no card.
    fn ensure_card(self) -> Result<(), Refusal> {
        if self.is_processor() {
            return Ok(());
        }
        // To ask the driver takes as long as a small search: where it has made its devices, that is left to the run.
        if has_driver() {
            return Ok(());
        }
        card::count().map(|_| ()).map_err(|error| Refusal::because(Feature::Machine, error.to_string()))
    }
}

/// Whether a driver has made its devices.
fn has_driver() -> bool {
    cfg!(feature = "gpu") && DEVICES.iter().any(|device| Path::new(device).exists())
}

impl Engine for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }
    fn about(&self) -> &'static str {
        "breadth-first search on an NVIDIA graphics card: `safety`, and temporal properties with any fairness"
    }
    fn uses_graphics_card(&self) -> bool {
        true
    }
    fn takes_over_at(&self) -> Option<u64> {
        match self.is_processor() {
            true => Some(TAKEN_OVER_OF_PROCESSOR),
            false => has_driver().then_some(TAKEN_OVER),
        }
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        ensure_undirected(task)?;
        ensure_searchable(task)?;
        ensure_search_options(task)?;
        let Options { store, profile, runs, depth_limit, reduce, code, threads, ref disk, .. } = task.options;
        let Some(system) = task.system() else {
            return Err(Refusal::because(Feature::Space, "kernels are made of systems"));
        };
        match () {
            _ if store != StoreKind::Tree => {
                return Err(Refusal::because(Feature::Store(store), "the card has a table of its own"));
            }
            _ if code != CodeKind::Auto => return Err(Refusal::because(Feature::Code, "it has code for the card")),
            _ if threads > 1 => return Err(Refusal::of(Feature::Threads)),
            _ if profile => return Err(Refusal::because(Feature::Profile, "the card keeps none")),
            _ if runs > 1 => return Err(Refusal::because(Feature::Runs, "it misses no state")),
            _ if depth_limit.is_some() => return Err(Refusal::of(Feature::DepthLimit)),
            _ if reduce => return Err(Refusal::because(Feature::Reduction, "the card lists all steps")),
            _ if disk.as_ref().is_some_and(Disk::is_given) => {
                return Err(Refusal::because(Feature::Disk, "its states are in the card's memory"));
            }
            _ if system.has_wide_choices() => {
                return Err(Refusal::because(Feature::Choices, "a thread of the card would take too long"));
            }
            _ if system.actions.iter().any(|action| action.participants.len() > 2) => {
                return Err(Refusal::because(Feature::Size, "an action has more than two participants"));
            }
            _ if print::step_labels(system).len() > 64 => {
                return Err(Refusal::because(Feature::Size, "it has more than 64 labels of steps"));
            }
            _ if system.frames.len() > 63 => {
                return Err(Refusal::because(Feature::Size, "it has more than 63 kinds of processes"));
            }
            () => {}
        }
        let objective = Objective::of(task, |temporal| match task.options.shortest {
            true => Err(Refusal::because(Feature::Shortest, "it drops sets of states, in no order of length")),
            false => ensure_sets_decide(task, temporal),
        })?;
        if let Some(temporal) = objective.temporal() {
            product_shape(system, temporal).map_err(|none| {
                let why = match none {
                    NoTable::Moves => "the automaton of the property is too large for the card",
                    NoTable::Marks => "the property and fairness have more than 64 acceptance sets together",
                    NoTable::Labels => "the property and fairness read more than 64 labels",
                };
                Refusal::because(Feature::Size, why)
            })?;
        }
        self.ensure_card()?;
        let then = match objective {
            Objective::Cycles(_) => "; then sets without cycles are dropped (OWCTY)",
            Objective::Safety { .. } | Objective::BadPrefix(_) => "",
        };
        let mut plan = Plan::new(self.name(), task, format!("breadth first on a graphics card{then}"));
        plan.search.store = None;
        plan.product = objective.product_plan(task);
        Ok(Box::new(PreparedGpu { task, objective, plan, gpu: *self }))
    }
}

/// The automaton and the fairness of a product.
fn product_shape(system: &System, temporal: &Temporal) -> Result<ProductShape, NoTable> {
    ProductShape::new(system, &temporal.bad, &temporal.labels, system.dead_ends == DeadEnds::Stutter)
}

struct PreparedGpu<'t> {
    task: &'t Task<'t>,
    objective: Objective<'t>,
    plan: Plan,
    gpu: Gpu,
}

impl Prepared for PreparedGpu<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }
    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let card = self.gpu.open().map_err(|error| EngineError { reason: error.to_string() })?;
        let first_slots = if self.gpu.is_processor() { FIRST_SLOTS_OF_PROCESSOR } else { FIRST_SLOTS };
        with_space(self.task, Run { task: self.task, objective: self.objective, control, card: &*card, first_slots })
    }
}

/// A run on a card.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    task: &'a Task<'a>,
    objective: Objective<'a>,
    pub(crate) control: &'a RunControl,
    card: &'a dyn Card,
    first_slots: u64,
}

impl OverSpace for Run<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let system = self.task.system().expect("others were refused");
        let shape = |temporal: &Temporal| product_shape(system, temporal).expect("others were refused");
        let space = &AnySpace::new(space);
        match self.objective {
            Objective::Safety { invalid_ends } => self.explore(space, None, invalid_ends),
            Objective::BadPrefix(temporal) => bad_prefix::search(space, self.task, temporal, self.control, |ending| {
                let mut shape = shape(temporal);
                shape.bad = ending.bad_states().to_vec();
                self.explore(&AnySpace::new(ending), Some(&shape), true)
            }),
            Objective::Cycles(temporal) => with_product(space, self.task, temporal, &temporal.bad, |product| {
                search_cycles(self, product, shape(temporal), space.words_per_state(), self.task, temporal)
            }),
        }
    }
}

impl Run<'_> {
    /// Searches a space for failures.
    fn explore<S: StateSpace>(
        self,
        space: &S,
        product: Option<&ProductShape>,
        invalid_ends: bool,
    ) -> Result<Report, RunError> {
        let (task, control) = (self.task, self.control);
        let found = self.search(space, product, invalid_ends || product.is_some(), |search| {
            let ended = match search.run() {
                Ok(()) => Ok(()),
                Err(Halt::Stop(stop)) => Err(stop),
                Err(halt) => return Err(halt),
            };
            search.finish(ended.is_ok())?;
            let mut shown = search.tally.failures.shown(task.options.keep_going);
            if matches!(ended, Err(Stop::PoolTooSmall)) {
                shown.clear();
            }
            let (mut chains, mut lost) = (Vec::new(), None);
            for sighting in shown {
                match search.chain(&sighting.state, sighting.depth) {
                    Ok(states) => chains.push((sighting, states)),
                    Err(Halt::Stop(Stop::Short(shortfall))) => {
                        lost = Some(shortfall);
                        break;
                    }
                    Err(halt) => return Err(halt),
                }
            }
            let tally = std::mem::replace(&mut search.tally, lariat_subject::Tally::new(lariat_subject::Keep::Least));
            Ok((tally, ended, search.depth, search.states, search.store_bytes(), chains, lost))
        })?;
        let ((tally, ended, depth, states, store_bytes, chains, lost), figures) = match found {
            Ok(found) => found,
            Err(shortfall) => return Ok(Report::at_once(shortfall)),
        };
        let runs = chains.into_iter().map(|(sighting, states)| {
            trace_along(space, states, &sighting, control).map(|trace| (sighting.kind, trace))
        });
        let traces = Traces::of(runs.chain(lost.map(Err)));
        let memory = Memory { states, store_bytes, exactness: Exactness::Exact, figures: None };
        let ending = Ending::of(memory, depth, ended)?;
        let mut report = report(tally, traces, &ending, &task.options, control);
        report.stats.store = "card";
        report.stats.gpu = Some(figures);
        debug_assert!(ended.is_ok() || report.verdict != Verdict::Holds, "a search that stopped shows nothing");
        Ok(report)
    }

    /// Searches on the card, and begins again with other keys as long as something does not fit. The inner error is a limit that was met
    /// before there was a search.
    pub(crate) fn search<S: StateSpace, R>(
        self,
        space: &S,
        product: Option<&ProductShape>,
        looks_at_ends: bool,
        mut run: impl FnMut(&mut Search<'_, S>) -> Result<R, Halt>,
    ) -> Result<Result<(R, GpuFigures), Shortfall>, RunError> {
        let Self { task, control, card, .. } = self;
        let system = task.system().expect("others were refused");
        let failed = |reason: String| RunError::from(EngineError { reason });
        let layout = Layout::new(system).map_err(|error| failed(error.to_string()))?;
        let mut ranges = learn(space, system, &layout, control);
        let (mut changes, mut compile_time, mut is_compiled_before) = (0, Duration::ZERO, true);
        loop {
            if let Err(shortfall) = control.check() {
                return Ok(Err(shortfall));
            }
            let observers = product.map(|product| product.states);
            let packing = Packing::roomy(system, &ranges, observers).map_err(|TooWide { bits }| {
                failed(format!("a state takes {bits} bits; `gpu` packs at most 504. `--engine bfs` has no such limit"))
            })?;
            if packing.positions.iter().skip(usize::from(MOST_POSITIONS)).any(|position| !position.frames.is_empty()) {
                return Err(failed("`gpu` supports at most 64 processes; `--engine bfs` has no such limit".to_owned()));
            }
            let purpose = Purpose { faults: product.is_none(), product };
            let source = print::print(system, &packing, &layout, purpose).map_err(|code| {
                failed(format!(
                    "the model has more than {} ways for processes to take actions, too many for `gpu`; `--engine bfs` has no such limit",
                    code.copies
                ))
            })?;
            if let Some(path) = std::env::var_os("LARIAT_GPU_SOURCE") {
                // For people who look for a mistake in kernels; that it cannot be written is no matter of the search.
                let _ = std::fs::write(path, &source.text);
            }
            let kernels = card.load(&source.text).map_err(|error| failed(error.to_string()))?;
            compile_time += kernels.compile_time;
            is_compiled_before &= kernels.is_from_cache;
            let free = card.free_bytes().map_err(|error| failed(error.to_string()))?;
            let entry_bytes = 8 * packing.words as u64 + 4;
            let mut first_slots = self.first_slots;
            while first_slots > 1 << 10
                && first_slots * entry_bytes > task.options.gpu_memory_bytes.unwrap_or(free).min(free) / 4
            {
                first_slots /= 2;
            }
            let job = Job {
                card,
                kernels: &kernels,
                source: &source,
                packing: &packing,
                layout: &layout,
                system,
                options: &task.options,
                control,
                looks_at_ends,
                memory_bytes: task.options.gpu_memory_bytes.unwrap_or(free).min(free),
                first_slots,
            };
            let ran = Search::new(job, space).and_then(|mut search| {
                let found = run(&mut search)?;
                Ok((found, search.figures()))
            });
            match ran {
                Ok((found, figures)) => {
                    let figures = GpuFigures { compile_time, is_compiled_before, restarts: changes as u64, ..figures };
                    return Ok(Ok((found, figures)));
                }
                Err(Halt::Stop(Stop::Short(shortfall))) => return Ok(Err(shortfall)),
                Err(Halt::Stop(Stop::PoolTooSmall)) => return Err(RunError::PoolTooSmall),
                Err(Halt::Stop(Stop::Failure)) => unreachable!("the search tells of its failures"),
                Err(Halt::Card(why)) => return Err(failed(why)),
                Err(Halt::NoMemory) => return Ok(Err(Shortfall::Memory { limit_bytes: job.memory_bytes })),
                Err(Halt::Misfit(misfit)) => {
                    changes += 1;
                    if changes > MOST_RESTARTS {
                        return Err(failed("internal error: keys never fit; please report it".to_owned()));
                    }
                    widen(&mut ranges, system, &misfit);
                }
            }
        }
    }
}

fn widen(ranges: &mut Ranges, system: &System, misfit: &crate::search::Misfit) {
    for &(site, seen) in &misfit.values {
        ranges.widen(system, site, seen.lo, seen.hi);
    }
    for &(position, kind) in &misfit.kinds {
        ranges.expect(system, position, kind);
    }
    ranges.open_control(system);
}
