//! The command line. Help, completions and parsing all come from these definitions.

use crate::later::{LaterCommand, LaterOptions};
use crate::ltl::LtlArgs;
use crate::replay::ReplayArgs;
use crate::shorten::ShortenArgs;
use crate::units::{parse_bytes, parse_duration};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use lariat::{EngineChoice, FairnessOptions, ProcessFairness, ReadOptions};
use lariat_engine::{Replacement, StoreKind};
use std::path::PathBuf;
use std::time::Duration;

/// A model checker: settles properties of models of concurrent systems
#[derive(Debug, Parser)]
#[command(
    name = "lariat",
    version,
    arg_required_else_help = true,
    after_help = "\
Exit codes: 0 everything asked for holds, 1 something fails, 2 usage or model error, 3 undecided, 70 a bug of ours."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Settle every property of a model
    Check(Box<CheckArgs>),
    /// Run a model: at random, or choosing each step at a prompt
    Simulate(SimulateArgs),
    /// Re-run a saved trace and show it
    Replay(ReplayArgs),
    /// Find a shorter trace of the same failure, beginning with a saved one
    Shorten(Box<ShortenArgs>),
    /// Print the checked model in its intermediate form
    Show(ShowArgs),
    /// Translate a formula into an automaton, or spell it otherwise
    Ltl(LtlArgs),
    /// Take channels as unbounded and look for one that can grow without limit
    Unbounded(UnboundedArgs),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    #[command(flatten)]
    Later(LaterCommand),
}

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
    pub(crate) fairness: FairnessArgs,

    /// How to search. For `safety` and formulas that fail at some moment: `bfs`, `dfs`; for all temporal properties: `scc`;
    /// without strong fairness: `ndfs`, `magic`, `cvwy-a`, `cvwy-b`, `kosaraju`; with a
    /// deterministic automaton of the good runs: `online`; or `auto`. What an engine is not for is left to `auto`,
    /// unless it is asked for by name
    #[arg(long, value_name = "E", default_value = "auto", value_parser = parse_engine)]
    pub(crate) engine: EngineChoice,
    /// How states are remembered. All of them: `tree`, `flat`, or `hybrid` (one entry for the states of a
    /// product that have the same state of the system, with some bits for each). In less memory (`dfs`, `magic`): `cache` forgets states when
    /// memory is full, which costs time; `bitstate` and `compact` (also `cvwy-a`, `cvwy-b`) may miss states, so that the
    /// answer is never *holds*
    #[arg(long, value_name = "S", default_value = "tree", value_parser = parse_store)]
    pub(crate) store: StoreName,
    /// With `bitstate`: how many bits are set for a state [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(crate) hashes: Option<u32>,
    /// With `bitstate` and `compact`: search so often, each time with other hash functions, up to the first failure
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
    /// With `cache`: which state is forgotten: `random`, `oldest`, `least-used` [default: random]
    #[arg(long, value_name = "HOW", value_parser = parse_replacement)]
    pub(crate) replace: Option<Replacement>,
    /// With `tree` and `flat`: what to do when memory is full: `stop`, or search anew with `cache` or `bitstate`
    #[arg(long, value_name = "HOW", default_value = "stop", value_parser = parse_when_full)]
    pub(crate) when_full: WhenFull,
    /// A folder for the stack of the search, where memory has no room for it
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) disk: Option<PathBuf>,
    /// With `hybrid`: what states with the same entry may differ in: `demon` (the state of the search), `claim,demon` (that of
    /// the automaton too), `claim,fairness,demon` (and which copy, where acceptance is by copies) [default:
    /// claim,fairness,demon]
    #[arg(long, value_name = "PARTS", value_parser = parse_split)]
    pub(crate) split: Option<lariat_engine::Split>,
    /// How cycles are looked for that must meet several demands: `generalised` (all at once), `copies` (one after the other,
    /// with a copy of the product for each), or `auto`: as suits the engine
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = parse_acceptance)]
    pub(crate) acceptance: lariat_engine::AcceptanceKind,

    /// How the model is run: `native` (machine code made on the spot), `bytecode` (interpreted; slower, the same answer), or
    /// `auto`: native where that is possible
    #[arg(long, value_name = "C", default_value = "auto", value_parser = parse_code)]
    pub(crate) code: lariat_engine::CodeKind,

    /// The most memory to use, like `512M` or `4G` [default: 80 % of what there is]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// The most time to use, like `90s` or `2h`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// How many threads search (`bfs` alone can use several) [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,
    /// For whatever is random: hash functions of `bitstate` and `compact`, what `cache` forgets
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) seed: u64,

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

    #[command(flatten)]
    pub(crate) reading: ReadArgs,

    /// Tell where states come from (by process, statement, variable), where time goes, and what would make the model
    /// smaller
    #[arg(long)]
    pub(crate) profile: bool,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Save the trace of the first failure as JSON
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    /// Save the trail of the first failure as `MODEL.trail` in the current folder, for `spin -t` (Promela)
    #[arg(long)]
    pub(crate) trail: bool,
    /// No progress
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) later: LaterOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Fairness: which infinite runs count")]
pub(crate) struct FairnessArgs {
    /// For every process: `weak` (it moves infinitely often, or is infinitely often unable to), `strong` (it moves
    /// infinitely often if it is infinitely often able to), or `none`
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = parse_fairness)]
    fairness: ProcessFairness,
    /// The condition holds infinitely often (repeatable)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    justice: Vec<String>,
    /// If P holds infinitely often, so does Q (repeatable)
    #[arg(long, value_name = "P => Q", allow_hyphen_values = true)]
    compassion: Vec<String>,
    /// The action is taken infinitely often, or infinitely often not enabled; its name is the text of the statement, or a
    /// label (repeatable)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    fair_action: Vec<String>,
    /// The action is taken infinitely often if it is infinitely often enabled (repeatable)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    strong_action: Vec<String>,
    /// The formula holds; `moves(1)` in it says that the next step is by process 1 (repeatable)
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    fair_ltl: Vec<String>,
    /// The automaton in the file accepts the run (repeatable)
    #[arg(long, value_name = "FILE.hoa", value_hint = clap::ValueHint::FilePath)]
    fair_automaton: Vec<String>,
}

impl FairnessArgs {
    /// What speaks of the model.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.justice, &self.compassion, &self.fair_action, &self.strong_action, &self.fair_ltl];
        lists.into_iter().flatten()
    }
    /// What the library is told.
    pub(crate) fn options(&self) -> FairnessOptions {
        FairnessOptions {
            processes: self.fairness,
            justice: self.justice.clone(),
            compassion: self.compassion.clone(),
            weak_actions: self.fair_action.clone(),
            strong_actions: self.strong_action.clone(),
            formulas: self.fair_ltl.clone(),
            automata: self.fair_automaton.clone(),
        }
    }
}

fn parse_fairness(text: &str) -> Result<ProcessFairness, String> {
    match text {
        "none" => Ok(ProcessFairness::None),
        "weak" => Ok(ProcessFairness::Weak),
        "strong" => Ok(ProcessFairness::Strong),
        _ => Err("fairness is `none`, `weak` or `strong`".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without -i each step is chosen at random, all that can happen being equally likely; the same seed makes the same run. \
With -i type `h` at the prompt.

Exit codes: 0 the run ended properly, or somebody or the limit stopped it; 1 it met a run-time error or an invalid end \
state; 2 usage or model error; 70 a bug of ours.")]
pub(crate) struct SimulateArgs {
    /// The model: Promela, or a system in text form (`.sys`)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// For the random choices; by default some number, which is told
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// End the run after this many steps
    #[arg(long, value_name = "N", default_value = "10000", conflicts_with = "interactive")]
    pub(crate) steps: u64,
    /// Choose each step at a prompt
    #[arg(long, short)]
    pub(crate) interactive: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    /// One JSON document on standard output and nothing else there
    #[arg(long, conflicts_with = "interactive")]
    pub(crate) json: bool,
    /// Show only what the model prints and how the run ends
    #[arg(long, short, conflicts_with_all = ["interactive", "json"])]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 no channel grows without limit; 1 one does, and here is how; 2 usage or model error; 3 undecided; 70 a bug \
of ours.")]
pub(crate) struct UnboundedArgs {
    /// The model (Promela)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// Look no further than channels of this many messages, 2 to 255 [default: 255]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=i64::from(lariat::MAX_CHANNEL_BOUND)))]
    pub(crate) channel_bound: Option<u32>,
    /// The most memory to use, like `512M` or `4G` [default: 80 % of what there is]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// The most time to use, like `90s` or `2h`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Look no deeper than this many steps
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u64>,
    #[command(flatten)]
    pub(crate) reading: PreprocessArgs,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Save the trace of the growth as JSON
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    /// No progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The model: Promela, or a system in text form (`.sys`)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// Figures instead of text: slots, bits, actions, processes
    #[arg(long)]
    pub(crate) stats: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    preprocess: PreprocessArgs,
    /// A send to a full channel drops the message (Promela; SPIN's `-m`)
    #[arg(long)]
    lose_messages: bool,
    /// Messages left in a channel where a run ends are a failure (Promela; SPIN's `-q`)
    #[arg(long)]
    empty_channels: bool,
}

impl ReadArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            lose_messages: self.lose_messages,
            empty_channels: self.empty_channels,
            ..self.preprocess.options()
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PreprocessArgs {
    /// Define a name for the preprocessor (Promela)
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    defines: Vec<(String, String)>,
    /// Look here for included files (Promela)
    #[arg(short = 'I', value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    include_folders: Vec<PathBuf>,
}

impl PreprocessArgs {
    /// What the library is told.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            defines: self.defines.clone(),
            include_folders: self.include_folders.clone(),
            ..ReadOptions::default()
        }
    }
}

/// `NAME` means `NAME=1`, as for every preprocessor.
fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
        Ok((name.to_owned(), value.to_owned()))
    } else {
        Err(format!("`{name}` is no name"))
    }
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

/// A store, as it is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StoreName {
    Tree,
    Flat,
    Hybrid,
    Bitstate,
    Compact,
    Cache,
}

fn parse_store(text: &str) -> Result<StoreName, String> {
    const NOW: &str = "`tree`, `flat`, `hybrid`, `bitstate`, `compact`, `cache`";
    match text {
        "tree" => Ok(StoreName::Tree),
        "flat" => Ok(StoreName::Flat),
        "bitstate" => Ok(StoreName::Bitstate),
        "compact" => Ok(StoreName::Compact),
        "cache" => Ok(StoreName::Cache),
        "hybrid" => Ok(StoreName::Hybrid),
        _ => Err(format!("there is no such store; this release has {NOW}")),
    }
}

fn parse_split(text: &str) -> Result<lariat_engine::Split, String> {
    match text {
        "demon" => Ok(lariat_engine::Split::Demon),
        "claim,demon" => Ok(lariat_engine::Split::Claim),
        "claim,fairness,demon" => Ok(lariat_engine::Split::ClaimFairness),
        _ => Err("states are split by `demon`, `claim,demon` or `claim,fairness,demon`".to_owned()),
    }
}

fn parse_acceptance(text: &str) -> Result<lariat_engine::AcceptanceKind, String> {
    match text {
        "auto" => Ok(lariat_engine::AcceptanceKind::Auto),
        "generalised" => Ok(lariat_engine::AcceptanceKind::Generalised),
        "copies" => Ok(lariat_engine::AcceptanceKind::Copies),
        _ => Err("acceptance is `generalised` or by `copies`, or as suits the engine: `auto`".to_owned()),
    }
}

fn parse_replacement(text: &str) -> Result<Replacement, String> {
    match text {
        "random" => Ok(Replacement::Random),
        "oldest" => Ok(Replacement::Oldest),
        "least-used" => Ok(Replacement::LeastUsed),
        _ => Err("what is forgotten is `random`, `oldest` or `least-used`".to_owned()),
    }
}

fn parse_when_full(text: &str) -> Result<WhenFull, String> {
    match text {
        "stop" => Ok(WhenFull::Stop),
        "cache" => Ok(WhenFull::Cache),
        "bitstate" => Ok(WhenFull::Bitstate),
        _ => Err("when memory is full a search can `stop`, or go on as `cache` or `bitstate`".to_owned()),
    }
}

impl CheckArgs {
    /// The store with what was said about it; why not, if something was said that it has no use for.
    pub(crate) fn store_kind(&self) -> Result<StoreKind, String> {
        let bits = self.store == StoreName::Bitstate || self.when_full == WhenFull::Bitstate;
        let cached = self.store == StoreName::Cache || self.when_full == WhenFull::Cache;
        if self.hashes.is_some() && !bits {
            return Err(
                "`--hashes` says how many bits are set for a state; there are some with `--store bitstate`".into()
            );
        }
        if self.replace.is_some() && !cached {
            return Err("`--replace` says which states are forgotten; some are with `--store cache`".into());
        }
        if self.split.is_some() && self.store != StoreName::Hybrid {
            return Err(
                "`--split` says what states in one entry differ in; there are such with `--store hybrid`".into()
            );
        }
        if self.when_full != WhenFull::Stop && !matches!(self.store, StoreName::Tree | StoreName::Flat) {
            return Err(
                "`--when-full` is for `--store tree` and `--store flat`; the other stores have their own way".into()
            );
        }
        Ok(match self.store {
            StoreName::Tree => StoreKind::Tree,
            StoreName::Flat => StoreKind::Flat,
            StoreName::Hybrid => StoreKind::Hybrid { split: self.split.unwrap_or_default() },
            StoreName::Bitstate => self.bitstate(),
            StoreName::Compact => StoreKind::Compact,
            StoreName::Cache => self.cache(),
        })
    }
    /// What to go on with when memory is full.
    pub(crate) fn next_rung(&self) -> Option<StoreKind> {
        match self.when_full {
            WhenFull::Stop => None,
            WhenFull::Cache => Some(self.cache()),
            WhenFull::Bitstate => Some(self.bitstate()),
        }
    }

    fn bitstate(&self) -> StoreKind {
        StoreKind::Bitstate { hashes: self.hashes.unwrap_or(StoreKind::DEFAULT_HASHES) }
    }
    fn cache(&self) -> StoreKind {
        StoreKind::Cache { replacement: self.replace.unwrap_or_default() }
    }
}

/// What to do when an exact store is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhenFull {
    Stop,
    Cache,
    Bitstate,
}

fn parse_code(text: &str) -> Result<lariat_engine::CodeKind, String> {
    match text {
        "auto" => Ok(lariat_engine::CodeKind::Auto),
        "native" => Ok(lariat_engine::CodeKind::Native),
        "bytecode" => Ok(lariat_engine::CodeKind::Bytecode),
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn defines_are_names_with_values() {
        assert_eq!(parse_define("N"), Ok(("N".into(), "1".into())));
        assert_eq!(parse_define("N="), Ok(("N".into(), String::new())));
        assert_eq!(parse_define("N_2=a=b"), Ok(("N_2".into(), "a=b".into())));
        assert!(parse_define("2N").is_err() && parse_define("=3").is_err() && parse_define("").is_err());
    }
}
