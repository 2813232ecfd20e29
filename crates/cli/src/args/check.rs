//! The options of `check`.

use super::{FairnessArgs, MemoryArgs, ReadArgs};
use crate::later::LaterOptions;
use crate::units::parse_duration;
use clap::Args;
use lariat::EngineChoice;
use lariat_engine::{AcceptanceKind, CodeKind};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The model: Promela, or a system in text form (`.sys`)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,

    /// Only this property (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Only this formula of linear time, which is to hold on all runs: `[] (p -> <> q)` (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    pub(crate) ltl: Vec<String>,
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
    /// How to search. For `safety` and formulas that fail at some moment: `bfs`, `dfs`; for all temporal properties: `scc`;
    /// without strong fairness: `ndfs`, `magic`, `cvwy-a`, `cvwy-b`, `kosaraju`; with a
    /// deterministic automaton of the good runs: `online`; or `auto`. What an engine is not for is left to `auto`,
    /// unless it is asked for by name
    #[arg(long, value_name = "E", default_value = "auto", value_parser = parse_engine)]
    pub(crate) engine: EngineChoice,
    /// How cycles are looked for that must meet several demands: `generalised` (all at once), `copies` (one after the other,
    /// with a copy of the product for each), or `auto`: as suits the engine
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = parse_acceptance)]
    pub(crate) acceptance: AcceptanceKind,
    /// Partial-order reduction: with `on`, steps whose order makes no difference are left out. The verdict is the same, the
    /// figures are those of what is left. Not with fairness, nor for properties that count steps
    #[arg(long, value_name = "on|off", default_value = "off", action = clap::ArgAction::Set, value_parser = parse_por)]
    pub(crate) por: bool,
    /// Find a shortest counterexample; breadth-first search always does, unless it is reduced
    #[arg(long)]
    pub(crate) shortest: bool,
    /// Look no deeper than this many steps (then the answer is never *holds*; not with `dfs`)
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
    #[arg(long, value_name = "C", default_value = "auto", value_parser = parse_code)]
    pub(crate) code: CodeKind,
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

fn parse_engine(text: &str) -> Result<EngineChoice, String> {
    const LATER: [&str; 4] = ["external", "astar", "cluster", "symbolic"];
    const NOW: &str = "`auto`, `bfs`, `dfs`, `scc`, `ndfs`, `magic`, `cvwy-a`, `cvwy-b`, `online`, `kosaraju`";
    match text {
        "auto" => Ok(EngineChoice::Auto),
        "bfs" => Ok(EngineChoice::Bfs),
        "dfs" => Ok(EngineChoice::Dfs),
        "scc" => Ok(EngineChoice::Scc),
        "ndfs" => Ok(EngineChoice::Ndfs),
        "magic" => Ok(EngineChoice::Magic),
        "cvwy-a" => Ok(EngineChoice::CvwyA),
        "cvwy-b" => Ok(EngineChoice::CvwyB),
        "online" => Ok(EngineChoice::Online),
        "kosaraju" => Ok(EngineChoice::Kosaraju),
        _ if LATER.contains(&text) => Err(later(&format!("the engine `{text}`"), NOW)),
        _ => Err(format!("there is no such engine; this release has {NOW}")),
    }
}

fn parse_acceptance(text: &str) -> Result<AcceptanceKind, String> {
    match text {
        "auto" => Ok(AcceptanceKind::Auto),
        "generalised" => Ok(AcceptanceKind::Generalised),
        "copies" => Ok(AcceptanceKind::Copies),
        _ => Err("acceptance is `generalised` or by `copies`, or as suits the engine: `auto`".to_owned()),
    }
}

fn parse_code(text: &str) -> Result<CodeKind, String> {
    match text {
        "auto" => Ok(CodeKind::Auto),
        "native" => Ok(CodeKind::Native),
        "bytecode" => Ok(CodeKind::Bytecode),
        _ => Err("a model is run as `native` code or as `bytecode`, or as is best: `auto`".to_owned()),
    }
}

fn parse_por(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("the reduction is `on` or `off`".to_owned()),
    }
}

/// More threads than this are a slip of the finger.
const MAX_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
        _ => Err(format!("a number of threads is 1 to {MAX_THREADS}")),
    }
}

fn later(what: &str, instead: &str) -> String {
    format!("{what} is not in this release; it has {instead}")
}
