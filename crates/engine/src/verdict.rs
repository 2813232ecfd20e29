//! Answers.

use crate::{Engine, GraphLimit, Packing, Profile, Quantity, Taken, Trace, Witness};
use lariat_space::Natural;
use lariat_store::{Exactness, Full};
use lariat_system::{ActionId, Fault, System};
use std::path::PathBuf;
use std::time::Duration;

/// The answer to a task.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The property holds. Built by [`Verdict::of_exhausted`], so that no lossy search can say it.
    Holds,
    /// The property fails, and here is the run that shows it.
    Fails(Evidence),
    /// The property asks for a number, and this is the answer.
    Computed(Quantity),
    /// There is no answer.
    Undecided(Shortfall),
}

impl Verdict {
    /// The verdict of a search that saw everything its store let it see, and found no failure.
    pub fn of_exhausted(exactness: Exactness) -> Self {
        match exactness {
            Exactness::Exact => Self::Holds,
            Exactness::Lossy { coverage } => Self::Undecided(Shortfall::Lossy { coverage }),
        }
    }

    /// Whether this engine, with an exact store and enough time and memory, may say this of a property that holds, or does not. For
    /// tests that go through all engines.
    pub fn may_be_said_by(&self, engine: &dyn Engine, holds: bool) -> bool {
        match self {
            Self::Holds => holds && engine.can_show_that_it_holds(),
            Self::Fails(_) => !holds,
            Self::Undecided(Shortfall::Lossy { .. }) => !engine.can_show_that_it_holds(),
            Self::Computed(_) | Self::Undecided(_) => false,
        }
    }
}

/// A failure and the run that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What fails.
    pub kind: FailureKind,
    /// The run.
    pub trace: Trace,
}

/// A run that is bad however it goes on is shown going on for ever if no more steps than this are needed: nobody would read
/// more that do not matter.
pub const MOST_FURTHER_STEPS: usize = 1000;

/// A failure that was met, but whose run could not be found again or replayed within the limits: no run shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unproven {
    /// What is said to fail.
    pub kind: FailureKind,
    /// How many steps the run has.
    pub steps: u64,
}

/// What can fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// A run-time error is met at the end of the last step.
    Fault(Fault),
    /// The last state is a dead end and no proper end.
    InvalidEnd,
    /// The run goes on for ever, and is bad and fair.
    Cycle,
    /// The run is bad however it goes on; no short way was found to go on for ever.
    BadPrefix,
    /// A formula of branching time does not hold in the initial state; the run is part of why, where runs can show it.
    Branching,
}

impl FailureKind {
    /// One word for scripts and test files; `system` is the one that fails.
    pub fn word(self, system: &System) -> &'static str {
        match self {
            Self::InvalidEnd => "invalid_end",
            Self::Cycle => "cycle",
            Self::BadPrefix => "bad_prefix",
            Self::Branching => "branching",
            Self::Fault(Fault::Trap(action, number)) => system.actions[action].traps[usize::from(number)].kind.word(),
            Self::Fault(Fault::PoolFull(_)) => "pool_full",
            Self::Fault(Fault::EndlessAtomic(_)) => "endless_atomic",
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shortfall {
    /// The memory did not suffice.
    Memory {
        /// The limit that was met.
        limit_bytes: u64,
    },
    /// The graph is larger than one that was worth writing out.
    GraphSize {
        /// The limit that was met.
        limit: GraphLimit,
    },
    /// Sets of states cost more than listing the states seems to.
    Effort,
    /// The time did not suffice.
    Time {
        /// The limit that was met.
        limit: Duration,
    },
    /// The run was interrupted.
    Interrupted,
    /// Nothing was searched: the run ended before.
    NotStarted {
        /// The time limit of the run that was over; without one the run was interrupted.
        time_limit: Option<Duration>,
    },
    /// There may be more beyond the depth that was asked for.
    Depth {
        /// The bound that was met.
        limit: u64,
    },
    /// The automaton of the property would be too large.
    Automaton,
    /// The disk could not be written or read.
    Disk,
    /// Another process of the cluster is lost, or never came.
    Cluster,
    /// No engine settles formulas of branching time.
    Branching,
    /// The search may have taken new states for known ones.
    Lossy {
        /// The share of reachable states that the search is expected to have seen.
        coverage: f64,
    },
}

impl From<Full> for Shortfall {
    fn from(full: Full) -> Self {
        Self::Memory { limit_bytes: full.limit_bytes }
    }
}

/// A verdict and how it was come by.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Whether the search could rely on its store.
    pub exactness: Exactness,
    /// The first failure of each kind, shallowest first; the first of all is the verdict's own. Without `keep_going`
    /// there is at most that one.
    pub failures: Vec<Evidence>,
    /// How many failures were met in all.
    pub failure_count: u64,
    /// Why not everything was looked at that was to be looked at. A run that stops at a failure because that was asked
    /// for is not unfinished.
    pub unfinished: Option<Shortfall>,
    /// A failure that was met, where the verdict is *undecided* because the run to it could not be told within the limits.
    pub unproven: Option<Unproven>,
    /// What happens somewhere in the graph; `None` unless the whole graph was seen.
    pub taken: Option<Taken>,
    /// Values that were seen to be truncated, ascending, each by its action and its number among the cuts of that. Only searches
    /// for `safety` that go from state to state look for them; nothing is said of what they have not seen.
    pub cuts: Vec<(ActionId, u16)>,
    /// Figures, also those of a run that ended early.
    pub stats: Stats,
    /// Where the states come from, if that was asked for.
    pub profile: Option<Profile>,
    /// Of a temporal property, what was seen by the way; `None` unless the whole product was seen.
    pub watched: Option<Watched>,
    /// Whether the limits left no room to see that.
    pub unwatched: bool,
    /// The failure was found by a scout of the engine: a short depth-first search of its own, whose figures these are.
    pub scouted: bool,
    /// Of a property of branching time: runs from one initial state that show why it holds or does not, or why the number is
    /// this one, as far as runs can.
    pub witnesses: Vec<Witness>,
    /// Whether a state without a step can be reached; `None` if that was not looked for.
    pub dead_end: Option<bool>,
    /// Of a property of branching time: no run counts, so the answer is about none.
    pub is_vacuous: bool,
    /// Whether it is known that some run counts. Where it is not, there may be one.
    pub has_runs: bool,
}

/// What a search of a whole product has seen, whatever its verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// The letters that were read: bit `n` of one is the property's proposition `n`. `None` if there are too many.
    pub letters: Option<Vec<u64>>,
    /// By number, the fairness constraints that every run meets anyway.
    pub idle_constraints: Vec<usize>,
}

impl Report {
    /// The report of a run that had to stop before it began.
    pub fn at_once(shortfall: Shortfall) -> Self {
        Self {
            verdict: Verdict::Undecided(shortfall),
            exactness: Exactness::Exact,
            failures: Vec::new(),
            failure_count: 0,
            unfinished: Some(shortfall),
            unproven: None,
            taken: None,
            cuts: Vec::new(),
            stats: Stats::default(),
            profile: None,
            watched: None,
            unwatched: false,
            scouted: false,
            witnesses: Vec::new(),
            dead_end: None,
            is_vacuous: false,
            has_runs: false,
        }
    }
}

/// Figures of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// Distinct states seen.
    pub states: u64,
    /// Steps taken between them.
    pub transitions: u64,
    /// The length of the longest path the search followed (breadth-first: of the longest shortest path).
    pub depth: u64,
    /// What remembering a state takes, at the end: the store and what goes with it, for each state.
    pub bytes_per_state: f64,
    /// The most memory at any time of the search: what was taken from the budget, or of the whole program where the machine
    /// says that.
    pub peak_memory_bytes: u64,
    /// The order-free sum of the states' hashes; `None` unless the whole graph was seen by an exact search. Exact
    /// explicit engines agree on it, at any number of threads, files or machines.
    pub digest: Option<u64>,
    /// Whether the whole graph was written out before it was searched.
    pub is_written_out: bool,
    /// Whether steps were left out whose order makes no difference: then these are figures of what is left.
    pub is_reduced: bool,
    /// What an audit of that compared.
    pub audit: Option<Audit>,
    /// How long it took.
    pub elapsed: Duration,
    /// How often components of a product were taken apart further, for the sake of strong fairness.
    pub refinements: u64,
    /// The name of the store that was used, if anybody says so.
    pub store: &'static str,
    /// Of a search that keeps its own stack: what its memory of visited states did.
    pub remembered: Option<Remembered>,
    /// Of a hybrid store, its packets.
    pub packing: Option<Packing>,
    /// Of a search by sets of states.
    pub symbolic: Option<SymbolicFigures>,
    /// Of a search on disk.
    pub disk: Option<DiskFigures>,
    /// Of a search by several workers with a share of the states each.
    pub cluster: Option<ClusterFigures>,
    /// Of a search on a graphics card.
    pub gpu: Option<GpuFigures>,
}

/// What an audit compared: a search of the graph that a reduction leaves with one of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Audit {
    /// Whether both searches had a verdict; then it was the same.
    pub verdicts: bool,
    /// Both graphs, gone through from end to end; `None` if a limit was met. Then all of these were the same but the states.
    pub graphs: Option<AuditedGraphs>,
}

/// What was the same in both graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AuditedGraphs {
    /// States of the whole graph.
    pub states: u64,
    /// States that the reduction leaves.
    pub left: u64,
    /// States without steps.
    pub dead_ends: u64,
    /// Run-time errors, each counted once.
    pub faults: u64,
    /// Actions that are taken.
    pub actions: u64,
    /// How letters, the observed labels of states, follow each other; `None` if there are too many labels.
    pub letters: Option<u64>,
}

/// Figures of a search by several workers, each with its share of the states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClusterFigures {
    /// How many processes there are.
    pub processes: u64,
    /// Of each worker; none if some are lost.
    pub workers: Vec<WorkerFigures>,
    /// Which process is lost, and how that was noticed.
    pub trouble: Option<String>,
}

impl ClusterFigures {
    /// How many times as many states as on average the worker with the most of them has.
    pub fn imbalance(&self) -> f64 {
        let most = self.workers.iter().map(|worker| worker.states).max().unwrap_or(0);
        let all: u64 = self.workers.iter().map(|worker| worker.states).sum();
        if all == 0 { 1.0 } else { (most * self.workers.len() as u64) as f64 / all as f64 }
    }
}

/// Figures of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkerFigures {
    /// States that belong to it.
    pub states: u64,
    /// Steps from these.
    pub transitions: u64,
    /// What its states take.
    pub store_bytes: u64,
    /// States that it sent to others.
    pub sent_states: u64,
    /// Bytes that it sent to others; those of timely itself are not counted.
    pub sent_bytes: u64,
    /// Parcels that these were in.
    pub parcels: u64,
}

/// Figures of a search on a graphics card.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GpuFigures {
    /// The card.
    pub card: String,
    /// How long kernels were compiled, all times together.
    pub compile_time: Duration,
    /// Whether they had been compiled before.
    pub is_compiled_before: bool,
    /// How long the card searched, the last time.
    pub search_time: Duration,
    /// Bits of a key.
    pub key_bits: u64,
    /// How often keys were made anew, because something did not fit.
    pub restarts: u64,
    /// States of which the processor listed some steps.
    pub punts: u64,
    /// The memory of the card that the search took.
    pub memory_bytes: u64,
}

/// Figures of a search on disk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiskFigures {
    /// The run directory. It is removed when the search is over.
    pub folder: PathBuf,
    /// How many layers of states there are.
    pub layers: u64,
    /// How many states were expanded.
    pub expanded: u64,
    /// What they take on disk.
    pub layer_bytes: u64,
    /// What was read.
    pub read_bytes: u64,
    /// What was written.
    pub written_bytes: u64,
    /// The bound for both together: each successor sorted by one merge, each layer written and read, and for each layer all
    /// earlier ones read once, at the bytes that a state takes on average.
    pub bound_bytes: u64,
    /// Whether the search went on from a run directory.
    pub is_resumed: bool,
    /// Whether it can go on from there: the directory stays.
    pub is_paused: bool,
    /// Whether there may be a shorter run than the one that was found, because the search was stopped.
    pub may_be_longer: bool,
    /// What is wrong with the disk.
    pub trouble: Option<String>,
}

/// Figures of a search by sets of states. Steps are not counted by such a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SymbolicFigures {
    /// Distinct states reached.
    pub states: Natural,
    /// Whether these are all.
    pub complete: bool,
    /// How often all actions were applied to what was reached before; `None` if that was done ring by ring, so that the depth
    /// is known.
    pub passes: Option<u64>,
    /// Variables of a state.
    pub variables: u64,
    /// Nodes of the set of reached states.
    pub nodes: u64,
    /// The most nodes of all diagrams together.
    pub peak_nodes: u64,
    /// Images and preimages of sets under single actions.
    pub images: u64,
    /// How often variables were reordered.
    pub reorderings: u64,
    /// The order of variables at the end, topmost first, by name.
    pub order: Vec<String>,
    /// If the answer comes from the part of the system that matters to the property, that part. All other figures are those of
    /// the whole system, as far as it was searched.
    pub cone: Option<ConeFigures>,
}

/// Figures of the part of a system that matters to a property.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConeFigures {
    /// Variables of a state that matter.
    pub variables: u64,
    /// Distinct states as far as these variables tell; all of them.
    pub states: Natural,
}

/// Figures of a memory that forgets, or that takes new states for known ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Remembered {
    /// How often a state was new, as far as was remembered. Where states were forgotten, they are counted each time.
    pub insertions: u64,
    /// How often a state was forgotten to make room.
    pub evictions: u64,
    /// Where states are forgotten: how often each was new on average, as far as a sample tells.
    pub insertions_of_each: Option<f64>,
    /// How many hash functions there were.
    pub hashes: Option<u32>,
    /// The share of the table of bits that was set in the end.
    pub load: Option<f64>,
    /// How often half of that table was given up for the stack.
    pub folds: u32,
    /// The probability that some state was taken for known when it was new.
    pub omission_probability: Option<f64>,
    /// How many states are expected to have been missed, at least: how much hangs on what was missed cannot be seen in one
    /// run.
    pub missed_states: Option<f64>,
    /// How many searches there were, each with other hash functions. All other figures are those of the one that failed, or
    /// else of the one that saw most.
    pub runs: u32,
    /// How many of them were compared to measure what was missed, if some were.
    pub runs_compared: Option<u32>,
}
