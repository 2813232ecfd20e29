//! The options of `check`.

use super::choices::{EngineName, engine_name, one_of};
use super::{FairnessArgs, MemoryArgs, ReadArgs};
use crate::later::LaterOptions;
use crate::units::parse_duration;
use clap::Args;
use lariat_engine::{AcceptanceKind, CodeKind, TemporalBy};
use std::path::PathBuf;
use std::time::Duration;

const ACCEPTANCE: [(&str, AcceptanceKind); 3] =
    [("auto", AcceptanceKind::Auto), ("generalised", AcceptanceKind::Generalised), ("copies", AcceptanceKind::Copies)];
const TEMPORAL_BY: [(&str, TemporalBy); 2] = [("automaton", TemporalBy::Automaton), ("tester", TemporalBy::Tester)];
const REDUCTION: [(&str, bool); 2] = [("on", true), ("off", false)];
const CODE: [(&str, CodeKind); 3] =
    [("auto", CodeKind::Auto), ("native", CodeKind::Native), ("bytecode", CodeKind::Bytecode)];

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The model
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,

    /// Only this property (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Only this formula of linear time, which is to hold on all runs: `[] (p -> <> q)` (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    pub(crate) ltl: Vec<String>,
    /// Only this formula of branching time (CTL*), which is to hold in all initial states: `AG (p -> EF q)`, `A (G F p -> E G q)` (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    pub(crate) ctl: Vec<String>,
    /// Only the property whose bad runs the automaton in this file accepts, in the format HOA (repeatable)
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
    #[command(flatten)]
    pub(crate) later: LaterOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// How to search. Properties that this engine cannot check use `auto` instead, unless you name them with `--property`.
    /// When a search by `auto` has seen some hundred thousand states it sends scouts: short depth-first searches for
    /// failures that lie deep. A failure found by one is reported with the engine `scout`
    #[arg(long, value_name = "E", default_value = "auto", value_parser = engine_name(&lariat::engines()))]
    pub(crate) engine: EngineName,
    /// How to search for cycles when there are several acceptance sets: `generalised` (all at once), `copies` (one after the
    /// other, with a copy of the product for each), or `auto`: as suits the engine
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = one_of(&ACCEPTANCE))]
    pub(crate) acceptance: AcceptanceKind,
    /// What reads the runs that a formula of linear time speaks of: `automaton`, in the product with the model, or `tester`,
    /// further variables of the model, one or two for each temporal operator (with `symbolic` and `graph`)
    #[arg(long, value_name = "HOW", default_value = "automaton", value_parser = one_of(&TEMPORAL_BY))]
    pub(crate) temporal_by: TemporalBy,
    /// Partial-order reduction: with `on`, steps whose order makes no difference are left out. The verdict is the same, the
    /// figures are those of what is left. Not with fairness, nor for properties that count steps
    #[arg(long, value_name = "WHEN", default_value = "off", action = clap::ArgAction::Set, value_parser = one_of(&REDUCTION))]
    pub(crate) por: bool,
    /// Find a shortest counterexample; breadth-first search always does, unless it is reduced
    #[arg(long)]
    pub(crate) shortest: bool,
    /// Look no deeper than this many steps (with `bfs`; then the answer is never *holds*)
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u64>,
    /// Go on past failures to the whole graph, counting them and keeping the first of each kind
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Invalid end states are no failure
    #[arg(long)]
    pub(crate) allow_deadlock: bool,
    /// How the model is run: `native` (machine code made on the spot), `bytecode` (interpreted; slower, the same answer), or
    /// `auto`: native where that is possible
    #[arg(long, value_name = "C", default_value = "auto", value_parser = one_of(&CODE))]
    pub(crate) code: CodeKind,
    /// With `symbolic`: the order of variables to begin with, from a file with one name in a line, topmost first (`x`, or
    /// `x.0` for one bit). Variables that it does not name come below
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) order: Option<PathBuf>,
    /// With `symbolic`: save the order of variables at the end of the search, for `--order`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) write_order: Option<PathBuf>,
    /// How many threads search (`bfs`, and `scc` where the automaton rules cycles out, can use
    /// several) [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,
    /// Time limit for all properties together, like `90s` or `2h`. Replaying and showing a failure that was met in time may
    /// take a tenth longer; a trace that takes more is cut, and without a replay the answer is *undecided*
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Say what will be done for each property, and why, and do nothing
    #[arg(long, conflicts_with_all = ["trace", "trail", "profile"])]
    pub(crate) plan: bool,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Tell where states come from (by process, statement, variable), where time goes, and what would make the model
    /// smaller
    #[arg(long)]
    pub(crate) profile: bool,
    /// Save the trace of the first failure as JSON
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    /// Save the trail of the first failure as `MODEL.trail` in the current folder, for `spin -t` (Promela)
    #[arg(long)]
    pub(crate) trail: bool,
    /// No progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// More threads than this are a slip of the finger.
const MAX_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
        _ => Err(format!("a number of threads is 1 to {MAX_THREADS}")),
    }
}
