//! The options of `check`.

use super::choices::{EngineName, engine_name, one_of};
use super::{DisplayArgs, FairnessArgs, MemoryArgs, ReadArgs};
use crate::deny::Deny;
use crate::output::Form;
use crate::units::{parse_count, parse_time_limit};
use clap::Args;
use lariat_engine::{AcceptanceKind, CodeKind, CompassionBy, FairBy, HeuristicKind, Prune, Restrict, TemporalBy};
use lariat_system::Simplifications;
use std::path::PathBuf;
use std::time::Duration;

const ACCEPTANCE: [(&str, AcceptanceKind); 3] =
    [("auto", AcceptanceKind::Auto), ("generalised", AcceptanceKind::Generalised), ("copies", AcceptanceKind::Copies)];
const TEMPORAL_BY: [(&str, TemporalBy); 2] = [("automaton", TemporalBy::Automaton), ("tester", TemporalBy::Tester)];
const FAIR_BY: [(&str, FairBy); 4] = [
    ("backward", FairBy::Backward),
    ("forward", FairBy::Forward),
    ("both", FairBy::Both),
    ("components", FairBy::Components),
];
const PRUNE: [(&str, Prune); 2] = [("all", Prune::All), ("one-step", Prune::OneStep)];
const RESTRICT: [(&str, Restrict); 2] = [("full", Restrict::Full), ("light", Restrict::Light)];
const COMPASSION: [(&str, CompassionBy); 3] =
    [("native", CompassionBy::Native), ("formula", CompassionBy::Formula), ("justice", CompassionBy::Justice)];
const HEURISTICS: [(&str, HeuristicKind); 4] = [
    ("none", HeuristicKind::None),
    ("automaton", HeuristicKind::Automaton),
    ("control", HeuristicKind::Control),
    ("both", HeuristicKind::Both),
];
const REDUCTION: [(&str, ReductionWanted); 3] =
    [("auto", ReductionWanted::Auto), ("on", ReductionWanted::On), ("off", ReductionWanted::Off)];
const SIMPLIFY: [(&str, SimplifyWanted); 5] = [
    ("auto", SimplifyWanted::Auto),
    ("on", SimplifyWanted::These(Simplifications::ALL)),
    ("off", SimplifyWanted::Off),
    ("dead", SimplifyWanted::These(Simplifications { dead: true, unread: false })),
    ("unread", SimplifyWanted::These(Simplifications { dead: false, unread: true })),
];
const CODE: [(&str, CodeKind); 3] =
    [("auto", CodeKind::Auto), ("native", CodeKind::Native), ("bytecode", CodeKind::Bytecode)];

/// When steps are left out whose order makes no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReductionWanted {
    /// In large graphs, where it is possible.
    Auto,
    On,
    Off,
}

/// When a simplified system is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SimplifyWanted {
    /// In large graphs, where steps may be left out, too.
    Auto,
    /// Always, by these passes.
    These(Simplifications),
    Off,
}

#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  lariat check mutex.pml                                    all properties
  lariat check mutex.pml --ltl '[] (p -> <> q)'             only this formula
  lariat check mutex.pml -D N=4 --memory 4G --time 10m      another size, within limits

`lariat check --help` shows all options.",
    after_long_help = "\
Examples:
  lariat check mutex.pml                                    all properties
  lariat check mutex.pml --ltl '[] (p -> <> q)'             only this formula
  lariat check mutex.pml -D N=4 --memory 4G --time 10m      another size, within limits
  lariat check mutex.pml --fairness weak --property live    only fair runs, only this property
  lariat check mutex.pml --json --trace trace.json          for scripts

Exit codes: 0 all properties hold, 1 a property fails, 2 usage or model error, 3 undecided, 70 an internal error."
)]
pub(crate) struct CheckArgs {
    /// The model
    #[arg(index = 1, value_hint = clap::ValueHint::AnyPath)]
    pub(crate) model: PathBuf,
    /// More models, checked one after the other; a folder stands for all models in it, and `-` for standard input
    #[arg(index = 2, value_name = "MORE", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) more: Vec<PathBuf>,

    /// Check only this property (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Check only this LTL formula, on all runs: `[] (p -> <> q)` (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    pub(crate) ltl: Vec<String>,
    /// Check only this CTL* formula, in all initial states: `AG (p -> EF q)`, `A (G F p -> E G q)` (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    pub(crate) ctl: Vec<String>,
    /// Check only that no run is accepted by the automaton in this file, in the format HOA (repeatable)
    #[arg(long, value_name = "FILE.hoa", value_hint = clap::ValueHint::FilePath)]
    pub(crate) automaton: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) fairness: FairnessArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// How to search
    ///
    /// Properties that this engine cannot check use `auto` instead, unless you name them with `--property`. When a search by
    /// `auto` has seen some hundred thousand states, it also starts short depth-first searches for failures that are deep;
    /// a failure found by one of them is reported with the engine `scout`
    #[arg(long, value_name = "E", default_value = "auto", value_parser = engine_name(&lariat::engines()))]
    pub(crate) engine: EngineName,
    /// How to search for cycles when there are several acceptance sets: `generalised` (all at once), `copies` (one after the
    /// other, with a copy of the product for each), or `auto` (the engine chooses)
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = one_of(&ACCEPTANCE))]
    pub(crate) acceptance: AcceptanceKind,
    /// How LTL formulas are checked: by an `automaton` in the product with the model, or by a `tester`, which adds one or two
    /// variables for each temporal operator to the model (for engines that go through sets of states)
    #[arg(long, value_name = "HOW", default_value = "automaton", value_parser = one_of(&TEMPORAL_BY))]
    pub(crate) temporal_by: TemporalBy,
    /// How fair loops are searched (by engines that go through sets of states): remove states that cannot reach what fairness needs
    /// (`backward`), or that it cannot reach (`forward`), or `both`; or find strongly connected `components`
    ///
    /// The verdict is the same with each of these options; the time differs. See docs/branching.md
    #[arg(long, value_name = "HOW", value_parser = one_of(&FAIR_BY))]
    pub(crate) fair_search: Option<FairBy>,
    /// How many states without a successor are removed in each round of that search: `all`, or those of `one-step`
    #[arg(long, value_name = "HOW", value_parser = one_of(&PRUNE))]
    pub(crate) fair_prune: Option<Prune>,
    /// Whether each step of that search is restricted to the states that are left (`full`), or only its result (`light`)
    #[arg(long, value_name = "HOW", value_parser = one_of(&RESTRICT))]
    pub(crate) fair_restrict: Option<Restrict>,
    /// How compassion is handled by that search: as it is (`native`), as part of the `formula`, or turned into `justice`
    /// with one more variable for each constraint
    #[arg(long, value_name = "HOW", value_parser = one_of(&COMPASSION))]
    pub(crate) compassion_by: Option<CompassionBy>,
    /// For directed search: what guides it. `automaton`: how far the automaton of the property is from accepting; `control`: how
    /// far the processes are from the statements where they must come; `both`: the larger of the two; `none`: nothing, the
    /// search is breadth first [default: both]
    #[arg(long, value_name = "WHAT", value_parser = one_of(&HEURISTICS))]
    pub(crate) heuristic: Option<HeuristicKind>,
    /// Partial-order reduction: leave out steps whose order makes no difference. `on`: always, or not at all where that is not
    /// possible; `auto`: where it is possible, in graphs of more than 20000 states
    ///
    /// The verdict is the same; the numbers of states and transitions are those of the reduced graph, and the answer says
    /// `reduced`. Not possible with fairness, for properties that count steps, and with options that ask for the whole graph or
    /// for counts of it: `--keep-going`, `--profile`, `--coverage`, `--shortest`, `--depth`. `--plan` says whether it is done, and
    /// why not. See docs/reduction.md
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = one_of(&REDUCTION))]
    pub(crate) por: ReductionWanted,
    /// Search an equivalent system with fewer states: reset variables of processes where they are written before they are read again
    /// (`dead`), and do not keep variables that nothing reads (`unread`). `auto`: both, in graphs of more than 20000 states, and
    /// only if `--por` is `auto`; `on`: both, from the beginning
    ///
    /// Verdicts and runs are those of the model; the numbers of states and transitions are smaller, and the answer says
    /// `reduced`. Possible with every property and fairness, for engines that keep states in memory one by one; not with options that
    /// ask for the whole graph: `--keep-going`, `--profile`, `--coverage`, `--depth`, and `--shortest` for infinite runs. A search that
    /// follows when memory is full is of the model as it is. `--plan` lists the variables. See docs/reduction.md
    #[arg(long, value_name = "WHAT", default_value = "auto", value_parser = one_of(&SIMPLIFY))]
    pub(crate) simplify: SimplifyWanted,
    /// Compare each reduced search with one of the whole graph: verdict, dead ends, run-time errors, actions taken, letters
    ///
    /// Implies `--por on`. A difference is an internal error (exit code 70)
    #[arg(long, conflicts_with = "plan")]
    pub(crate) audit: bool,
    /// Find a shortest counterexample (breadth-first search always does, except where steps are left out: `--por`)
    ///
    /// For properties that only infinite runs violate: no such run has fewer steps in stem and loop together
    #[arg(long)]
    pub(crate) shortest: bool,
    /// Depth limit in steps, for breadth-first search; if it is reached, the answer is *undecided*
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub(crate) depth: Option<u64>,
    /// Do not stop at the first failure: search the whole graph, count failures and show the first of each kind
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Do not report invalid end states (deadlocks)
    #[arg(long)]
    pub(crate) allow_deadlock: bool,
    /// How the model is executed: `native` (compiled to machine code), `bytecode` (interpreted; slower, the same answer), or
    /// `auto` (bytecode first, native once that pays and where it is possible)
    #[arg(long, value_name = "C", default_value = "auto", value_parser = one_of(&CODE))]
    pub(crate) code: CodeKind,
    /// For decision diagrams: the initial variable order, from a file with one name per line, topmost first (`x`, or `x.0` for one
    /// bit). Variables that the file does not name come below
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) order: Option<PathBuf>,
    /// For decision diagrams: save the variable order at the end of the search, for `--order`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) write_order: Option<PathBuf>,
    /// Number of threads [default: the number of cores]
    ///
    /// Breadth-first searches use them, in memory and on disk, and `scc` where the automaton excludes cycles
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,
    /// Number of workers of `--engine cluster`, in this process [default: the number of cores]
    ///
    /// Each worker is a thread with a share of the states. See docs/cluster.md
    #[arg(long, value_name = "N", value_parser = parse_threads, conflicts_with = "threads")]
    pub(crate) workers: Option<usize>,
    /// Time limit for all properties together, like `90s` or `2h`
    ///
    /// Replaying and showing a failure that was found in time may take a tenth longer; a trace that takes more is cut, and
    /// without a replay the answer is *undecided*
    #[arg(long, value_name = "DURATION", value_parser = parse_time_limit, allow_negative_numbers = true)]
    pub(crate) time: Option<Duration>,
    /// Time limit for each property, like `90s` or `2h`; the next one begins when it is over
    #[arg(long, value_name = "DURATION", value_parser = parse_time_limit, allow_negative_numbers = true)]
    pub(crate) time_per_property: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Show how each property would be checked, and why, without checking it
    #[arg(long, conflicts_with_all = ["trace", "trail", "profile", "coverage", "report", "write_order", "trace_lines", "deny"])]
    pub(crate) plan: bool,
    /// Print one JSON document on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Print one JSON event per line on standard output, as it happens, and nothing else there: the search begins, progress, a
    /// property is settled, done
    #[arg(long, conflicts_with_all = ["json", "plan"])]
    pub(crate) json_lines: bool,
    /// Show where states come from (by process, statement, variable), where time goes, and what would make the model
    /// smaller
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write how often each statement is executed: the annotated source, or lcov if FILE ends in `.info` or `.lcov`
    ///
    /// Counts are those of the search for `safety`; use `--keep-going` to go on past failures. See docs/coverage.md
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) coverage: Option<PathBuf>,
    /// Save the trace of the first failure as JSON
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    /// Save the trail of the first failure as `MODEL.trail` in the current folder, for `spin -t` (Promela)
    #[arg(long)]
    pub(crate) trail: bool,
    /// Write the answers and their runs as one HTML page, to be opened in a browser. With a sweep such as `-D N=2..6`: a chart of
    /// how the model grows
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,
    /// Exit with 1 also for: `vacuous` (a property holds only because nothing was asked of any run), `undecided`, `warnings`
    /// (separated by commas, or repeated)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = crate::deny::parser())]
    pub(crate) deny: Vec<Deny>,
    /// Do not show progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
}

impl OutputArgs {
    /// How the answer is printed.
    pub(crate) fn form(&self) -> Form {
        if self.json_lines { Form::JsonLines } else { self.json.into() }
    }
}

/// More threads than this are a typing mistake.
const MAX_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
        _ => Err(format!("a number of threads is 1 to {MAX_THREADS}")),
    }
}
