//! What is to be settled, and who can settle it.

use crate::{
    Branching, Distance, FairSearch, Feature, GraphLimit, Plan, Refusal, Report, RunControl, Split, Subject, Temporal,
};
use lariat_base::document::{Described, FieldShape, ObjectShape, Presence, Shape};
use lariat_base::words;
use lariat_store::Replacement;
use lariat_system::System;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// One property of one system or model, with everything that was asked for.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// What it is a property of.
    pub subject: Subject<'a>,
    /// What is to be settled.
    pub property: Property,
    /// How.
    pub options: Options,
}

impl<'a> Task<'a> {
    /// A property of a valid system.
    pub fn of_system(system: &'a System, property: Property, options: Options) -> Self {
        Self { subject: Subject::System(system), property, options }
    }
    /// The system, if it is about one.
    pub fn system(&self) -> Option<&'a System> {
        self.subject.system()
    }
    /// The system; a refusal if it is not about one, by an engine that needs to know what actions do.
    pub fn needed_system(&self) -> Result<&'a System, Refusal> {
        self.system().ok_or_else(|| Refusal::of(Feature::Space))
    }
}

/// What can be asked of a system.
#[derive(Clone, Debug)]
pub enum Property {
    /// No run-time error can be met, and every dead end is a proper end.
    Safety {
        /// Whether dead ends that are not proper ends are failures.
        invalid_ends: bool,
    },
    /// No fair run is bad. Run-time errors do not matter; what becomes of dead ends is said by the system.
    Temporal(Box<Temporal>),
    /// The formula of CTL* holds in every initial state, its quantifiers over fair runs. Run-time errors do not matter.
    Branching(Box<Branching>),
    /// How many steps lead from some states to others, on fair runs. Run-time errors do not matter.
    Distance(Box<Distance>),
}

impl Property {
    /// The formulas of states that it consists of, if it is one of branching time.
    pub fn state_formulas(&self) -> Option<&Branching> {
        match self {
            Self::Branching(branching) => Some(branching),
            Self::Distance(distance) => Some(&distance.formulas),
            Self::Safety { .. } | Self::Temporal(_) => None,
        }
    }
}

/// How a property is to be settled. An engine honours every one of these or refuses the task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which store.
    pub store: StoreKind,
    /// Go on past failures to the whole graph.
    pub keep_going: bool,
    /// The trace must be a shortest one.
    pub shortest: bool,
    /// The pool is only a guess: a run that finds it full says nothing, and ends there whatever else is asked for.
    pub pool_may_grow: bool,
    /// Look no deeper than this many steps. The verdict is then never *holds*.
    pub depth_limit: Option<u64>,
    /// How many threads search.
    pub threads: usize,
    /// Whether the report is to say where the states come from.
    pub profile: bool,
    /// Leave out steps whose order makes no difference. The verdict is the same, the figures are those of what is left.
    pub reduce: bool,
    /// Pause once the search has grown, and send short depth-first searches for failures that lie deep, if that changes no
    /// answer: see [`Options::sends_scouts`]. What they find is the answer; without it the search goes on, and its report is
    /// that of a search without them.
    pub scout: bool,
    /// How the system is run.
    pub code: CodeKind,
    /// For whatever is random: hash functions, and what is forgotten.
    pub seed: u64,
    /// How often to search with a store that may miss states, each time with other hash functions, up to the first failure.
    pub runs: u32,
    /// Where to put what memory has no room for.
    pub disk: Option<Disk>,
    /// How cycles are looked for that must carry several marks.
    pub acceptance: AcceptanceKind,
    /// The order of variables of decision diagrams to begin with, as lines of an order file: those on top.
    pub order: Option<Vec<String>>,
    /// What reads the runs that a formula of linear time speaks of.
    pub temporal_by: TemporalBy,
    /// How loops of fair runs are searched by sets of states.
    pub fair: FairSearch,
    /// What guides a directed search, if that is said.
    pub heuristic: Option<HeuristicKind>,
    /// Give up where the graph is larger than this, for an engine that writes it out: see [`Preference::Attempt`].
    pub graph_limit: Option<GraphLimit>,
    /// Give up where sets of states cost more than listing the states would, unless there are more states than this; for an engine
    /// that goes through sets of states as decision diagrams.
    pub graph_instead: Option<u64>,
    /// The most memory of a graphics card, in bytes, for an engine that uses one. The facade refuses it for others.
    pub gpu_memory_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: StoreKind::default(),
            keep_going: false,
            shortest: false,
            pool_may_grow: false,
            depth_limit: None,
            threads: 1,
            profile: false,
            reduce: false,
            scout: false,
            code: CodeKind::default(),
            seed: 0,
            runs: 1,
            disk: None,
            acceptance: AcceptanceKind::default(),
            order: None,
            temporal_by: TemporalBy::default(),
            fair: FairSearch::default(),
            heuristic: None,
            graph_limit: None,
            graph_instead: None,
            gpu_memory_bytes: None,
        }
    }
}

/// Where to put what memory has no room for, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Disk {
    /// Folders on different disks, which are used in turn; without any, the system's folder for temporary files.
    pub folders: Vec<PathBuf>,
    /// The run directory of a search that is to go on.
    pub resume: Option<PathBuf>,
    /// How the run was asked for, to be kept in its directory: the arguments of the program.
    pub command: Vec<String>,
    /// And where: the folder that paths among them begin in.
    pub working_folder: PathBuf,
    /// The file of the model, and the values of macros, as the run has them: of several models and of sweeps the arguments name
    /// more.
    pub model: String,
    /// Each as `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The name of the property, to be kept in its directory.
    pub property: String,
    /// For tests: buffers for so many states.
    pub buffer_states: Option<usize>,
    /// How often the state of a search is saved, in milliseconds, where that is not left to the engine.
    pub checkpoint_ms: Option<u64>,
}

impl Described for Disk {
    fn shape() -> Shape {
        Shape::Object(|| {
            let field = |name, about, shape| FieldShape::new(name, about, Presence::Always, shape);
            let count = || <Option<u64>>::shape();
            ObjectShape {
                name: "Disk",
                about: "Where to put what memory has no room for, and how.".to_owned(),
                fields: vec![
                    field("folders", "Folders, which are used in turn.", <Vec<PathBuf>>::shape()),
                    field("resume", "The run directory of a search that is to go on.", <Option<PathBuf>>::shape()),
                    field("command", "The command line, for the run directory.", <Vec<String>>::shape()),
                    field("working_folder", "The folder that paths in it begin in.", PathBuf::shape()),
                    field("model", "The file of the model, for the run directory.", String::shape()),
                    field("defines", "Values of macros, for the run directory.", <Vec<String>>::shape()),
                    field("property", "The name of the property, for the run directory.", String::shape()),
                    field("buffer_states", "For tests: buffers for this many states.", count()),
                    field("checkpoint_ms", "How often the state of the search is saved.", count()),
                ],
            }
        })
    }
}

impl Disk {
    /// The error where a file cannot be written to the folder. One that is missing is not made: its name may be a mistake.
    pub fn unusable(folder: &Path, error: &io::Error) -> EngineError {
        let is_there = folder.exists();
        let folder = folder.display();
        let reason = match error.kind() {
            io::ErrorKind::NotFound if !is_there => {
                format!("the folder `{folder}` does not exist; `mkdir -p {folder}` makes it")
            }
            _ => format!("nothing can be written to the folder `{folder}`: {error}"),
        };
        EngineError { reason }
    }
    /// Whether a folder was asked for.
    pub fn is_given(&self) -> bool {
        !self.folders.is_empty()
    }
    /// This folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folders: vec![folder.into()], ..Self::default() }
    }
}

impl Options {
    /// Whether scouts are to be sent: not where a shortest run, a bound, or the whole graph is asked for.
    pub fn sends_scouts(&self) -> bool {
        let Self { scout, keep_going, shortest, depth_limit, profile, .. } = *self;
        scout && !keep_going && !shortest && depth_limit.is_none() && !profile
    }
}

/// How visited states are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StoreKind {
    /// As trees that share their branches.
    #[default]
    Tree,
    /// Whole states.
    Flat,
    /// Some bits each in a table; states may be missed.
    Bitstate {
        /// How many bits.
        hashes: u32,
    },
    /// A fingerprint each; with a small probability states are missed.
    Compact,
    /// Whole states as long as there is room; others are forgotten then.
    Cache {
        /// Which.
        replacement: Replacement,
    },
    /// One entry for all states that differ in a small part only.
    Hybrid {
        /// Which part that is.
        split: Split,
    },
}

impl Described for StoreKind {
    fn shape() -> Shape {
        Shape::Object(|| {
            let kinds = Shape::Word(&Self::NAMES);
            // Written by `lariat-store`, which knows no documents; a test of `render` compares.
            let replacements = Shape::Word(&["random", "oldest", "least_used"]);
            ObjectShape {
                name: "StoreKind",
                about: "How visited states are remembered.".to_owned(),
                fields: vec![
                    FieldShape::new("kind", "The name of the store.", Presence::Required, kinds),
                    FieldShape::new("hashes", "How many bits, with `bitstate`.", Presence::Optional, u32::shape()),
                    FieldShape::new(
                        "replacement",
                        "What is forgotten, with `cache`.",
                        Presence::Optional,
                        replacements,
                    ),
                    FieldShape::new("split", "Which part differs, with `hybrid`.", Presence::Optional, Split::shape()),
                ],
            }
        })
    }
}

impl StoreKind {
    /// The bits of a state where nobody says how many.
    pub const DEFAULT_HASHES: u32 = 3;
    /// All of them, with their default options.
    pub const ALL: [Self; 6] = [
        Self::Tree,
        Self::Flat,
        Self::Hybrid { split: Split::ClaimFairness },
        Self::Bitstate { hashes: Self::DEFAULT_HASHES },
        Self::Compact,
        Self::Cache { replacement: Replacement::Random },
    ];
    /// Their names.
    pub const NAMES: [&str; 6] = {
        let (mut names, mut number) = ([""; 6], 0);
        while number < names.len() {
            names[number] = Self::ALL[number].name();
            number += 1;
        }
        names
    };

    /// Whether every state is kept, and can be had back.
    pub fn keeps_all(self) -> bool {
        matches!(self, Self::Tree | Self::Flat | Self::Hybrid { .. })
    }
    /// Whether states may be missed.
    pub fn is_lossy(self) -> bool {
        matches!(self, Self::Bitstate { .. } | Self::Compact)
    }
    /// The name by which it is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Flat => "flat",
            Self::Hybrid { .. } => "hybrid",
            Self::Bitstate { .. } => "bitstate",
            Self::Compact => "compact",
            Self::Cache { .. } => "cache",
        }
    }
}

words! {
    /// How cycles are looked for that must carry several marks, or marks on steps.
    #[derive(Default)]
    pub enum AcceptanceKind {
        /// As the engine does it best.
        #[default]
        Auto = "auto",
        /// All marks at once.
        Generalised = "generalised",
        /// One mark after the other, with a copy of the product for each.
        Copies = "copies",
    }
}

words! {
    /// What reads runs to see whether they satisfy a formula of linear time.
    #[derive(Default)]
    pub enum TemporalBy {
        /// An automaton, in the product with the system.
        #[default]
        Automaton = "automaton",
        /// A tester: further variables of the system, one or two for each temporal operator.
        Tester = "tester",
    }
}

words! {
    /// What tells a directed search how far a failure is at least.
    #[derive(Default)]
    pub enum HeuristicKind {
        /// Nothing: the search is breadth first.
        None = "none",
        /// How far the automaton of the property is from accepting.
        Automaton = "automaton",
        /// How far control in the processes is from where it must come.
        Control = "control",
        /// The larger of both.
        #[default]
        Both = "both",
    }
}

words! {
    /// How a system is run. The steps are the same, in the same order.
    #[derive(Default)]
    pub enum CodeKind {
        /// Interpreted, and after some hundred thousand steps as machine code, where that is possible.
        #[default]
        Auto = "auto",
        /// As machine code made in the process.
        Native = "native",
        /// Interpreted.
        Bytecode = "bytecode",
    }
}

/// One way of settling properties.
pub trait Engine: Send + Sync {
    /// The name by which it is chosen.
    fn name(&self) -> &'static str;
    /// What it is for, in one line of help.
    fn about(&self) -> &'static str;
    /// How many threads it can make use of.
    fn most_threads(&self) -> usize {
        1
    }
    /// Whether it can say that a property holds, with an exact store. One that cannot, such as random walks, is *undecided* where it
    /// finds no failure, because it is lossy.
    fn can_show_that_it_holds(&self) -> bool {
        true
    }
    /// Whether it makes use of a seed, whatever the store is.
    fn is_random(&self) -> bool {
        false
    }
    /// Whether it keeps a run directory, so that a run that was cut off can go on.
    fn has_run_directory(&self) -> bool {
        false
    }
    /// Whether its threads are workers with a share of the states each (`--workers`).
    fn has_workers(&self) -> bool {
        false
    }
    /// Whether its reports have an order of variables, as decision diagrams do.
    fn has_variable_order(&self) -> bool {
        false
    }
    /// Whether it searches on a graphics card, whose memory can be limited.
    fn uses_graphics_card(&self) -> bool {
        false
    }
    /// Whether it takes over from a search in memory that has met this many states, where no engine is asked for by name. Whether it can
    /// may turn out when it runs: then a search in memory follows.
    fn takes_over_at(&self) -> Option<u64> {
        None
    }
    /// The graphs for which it follows an engine that prefers the task but gave up because listing the states seems to cost less; for
    /// graphs that are larger, that engine goes on to the end. `None` if it does not do that.
    fn relieves(&self, _task: &Task<'_>) -> Option<GraphLimit> {
        None
    }
    /// Which place it has among the engines that support the task, where none is asked for by name.
    fn preference(&self, _task: &Task<'_>) -> Preference {
        Preference::Usual
    }
    /// What it will do for the task, honouring every detail of it; or what it does not support. Nothing is searched yet, and
    /// nothing is asked of the machine but whether it has what the engine cannot do without, such as a graphics card: then engines
    /// that can do without are named. What may be missing for a moment, like a folder, is left to [`Prepared::ensure_ready`].
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal>;
    /// Prepares the task and runs it at once; a refusal is an error.
    fn settle(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, RunError> {
        self.prepare(task).map_err(|refusal| EngineError { reason: refusal.to_string() })?.run(control)
    }
}

/// Which place an engine has among those that support a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preference {
    /// Its place in the list of engines.
    Usual,
    /// Before all engines with their usual place.
    Best,
    /// The same; and where the task turns out to be expensive, an engine that [relieves](Engine::relieves) it is asked before it
    /// goes on: it is asked with [`Options::graph_instead`] first.
    BestAtFirst,
    /// First of all, as long as the graph is not larger than this: it is asked with [`Options::graph_limit`], and ends with
    /// [`Shortfall::GraphSize`](crate::Shortfall::GraphSize) where it is. Without that limit it has its usual place.
    Attempt(GraphLimit),
}

/// A task that an engine has found a way to settle: what was prepared can be run.
pub trait Prepared {
    /// What will be done.
    fn plan(&self) -> &Plan;
    /// An error if something is missing that the run will need of the machine, like a folder that can be written to.
    fn ensure_ready(&self) -> Result<(), EngineError> {
        Ok(())
    }
    /// Does it. Running out of memory, time or patience is a verdict, not an error.
    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError>;
}

/// A task cannot be run at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineError {
    /// The reason.
    pub reason: String,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for EngineError {}

/// Why a run has no report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The pool of processes was only a guess, and too small: all that was seen says nothing.
    PoolTooSmall,
    /// It cannot be run.
    Engine(EngineError),
}

/// The pool of processes was only a guess, and too small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolTooSmall;

impl From<PoolTooSmall> for RunError {
    fn from(_: PoolTooSmall) -> Self {
        Self::PoolTooSmall
    }
}

impl From<EngineError> for RunError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PoolTooSmall => f.write_str("there are more processes than there is room for"),
            Self::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}
