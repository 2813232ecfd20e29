//! The command line. Help, completions and parsing all come from these definitions.

mod check;
mod choices;
mod display;
mod fairness;
mod help;
mod memory;

pub(crate) use check::{CheckArgs, ReductionWanted, SimplifyWanted};
pub(crate) use choices::{engine_name, model_help, one_of, when_full};
pub(crate) use display::{Colour, ColourArgs, DisplayArgs};
pub(crate) use fairness::FairnessArgs;
pub(crate) use help::in_two_sizes;
pub(crate) use memory::MemoryArgs;

use crate::cluster::ClusterArgs;
use crate::explain::ExplainArgs;
use crate::explore::ExploreArgs;
use crate::graph::GraphArgs;
use crate::ltl::LtlArgs;
use crate::replay::ReplayArgs;
use crate::report::ReportArgs;
use crate::resume::ResumeArgs;
use crate::shorten::ShortenArgs;
use crate::test::TestArgs;
use crate::units::{parse_bytes, parse_count, parse_duration};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use lariat::{Overflow, ReadOptions};
use std::path::PathBuf;
use std::time::Duration;

/// Adds the options of a command to its definition.
type Define = fn(clap::Command) -> clap::Command;

/// The commands of which a part is defined when engines and languages are known, or that have a short help.
pub(crate) const ADAPTED: [(&str, Define); 9] = [
    ("check", CheckArgs::augment_args),
    ("cluster", ClusterArgs::augment_args),
    ("simulate", SimulateArgs::augment_args),
    ("replay", ReplayArgs::augment_args),
    ("shorten", ShortenArgs::augment_args),
    ("show", ShowArgs::augment_args),
    ("graph", GraphArgs::augment_args),
    ("explore", ExploreArgs::augment_args),
    ("unbounded", UnboundedArgs::augment_args),
];
/// Those that read a model of any language.
pub(crate) const READERS: [&str; 8] = ["check", "cluster", "simulate", "replay", "shorten", "show", "graph", "explore"];
/// Those that take the options of `check`.
pub(crate) const CHECKERS: [&str; 2] = ["check", "cluster"];

/// A model checker: checks properties of models of concurrent systems
#[derive(Debug, Parser)]
#[command(
    name = "lariat",
    arg_required_else_help = true,
    after_help = "\
Examples:
  lariat check mutex.pml            check all properties of a model
  lariat simulate -i mutex.pml      run it step by step
  lariat explain P0405              what an error means and how to correct it

`lariat COMMAND -h` shows the common options of a command, `lariat COMMAND --help` all of them.

Exit codes: 0 all properties hold, 1 a property fails, 2 usage or model error, 3 undecided, 70 an internal error."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) colour: ColourArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Check the properties of a model
    Check(Box<CheckArgs>),
    /// Run a model: at random, or choosing each step
    Simulate(SimulateArgs),
    /// Re-run a saved trace and show it
    Replay(ReplayArgs),
    /// Find a shorter trace of the same failure, beginning with a saved one
    Shorten(Box<ShortenArgs>),
    /// Print the system that a model becomes (its intermediate form), or its size
    Show(ShowArgs),
    /// Translate a formula into an automaton, or into the notation of another tool
    Ltl(LtlArgs),
    /// Check a model by several processes, on one machine or on several
    Cluster(Box<ClusterArgs>),
    /// Go on with a search on disk that was paused or cut off
    Resume(ResumeArgs),
    /// Treat channels as unbounded and search for one that can grow without limit
    Unbounded(UnboundedArgs),
    /// Check models that state their own answers, and compare
    Test(TestArgs),
    /// Show a saved trace as an HTML page
    Report(ReportArgs),
    /// Walk through a model in a browser: take steps, go back, run checks from any state
    Explore(Box<ExploreArgs>),
    /// Draw the states of a small model, those around a trace, or how control moves in its processes
    Graph(Box<GraphArgs>),
    /// Say what the code of an error or warning means, with an example and how to correct it
    Explain(ExplainArgs),
    /// Serve an editor: diagnostics, definitions, renaming and checks, over the Language Server Protocol
    Lsp(LspArgs),
    /// Write manual pages into a folder
    Man {
        /// The folder
        #[arg(value_hint = clap::ValueHint::DirPath)]
        folder: PathBuf,
    },
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lariat simulate mutex.pml             a random run; its seed is printed
  lariat simulate mutex.pml --seed 7    the same run every time
  lariat simulate -i mutex.pml          choose each step; `h` shows the keys and commands
  lariat simulate -i mutex.pml --from trace.json:12    begin after step 12 of a saved run

Without -i each step is chosen at random, every possible step with the same probability.

Exit codes: 0 the run ended properly, or you or the step limit stopped it; 1 it met a run-time error or an invalid end \
state; 2 usage or model error; 70 an internal error.")]
pub(crate) struct SimulateArgs {
    /// The model
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// Seed for the random choices [default: a random one, which is printed]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// End the run after this many steps
    #[arg(long, value_name = "N", default_value = "10000", conflicts_with = "interactive")]
    pub(crate) steps: u64,
    /// Choose each step: in panes on a terminal, else at a prompt
    #[arg(long, short)]
    pub(crate) interactive: bool,
    /// With -i: a prompt for lines instead of panes
    #[arg(long, requires = "interactive")]
    pub(crate) prompt: bool,
    /// Begin at the end of a saved run, or after the given number of its steps
    #[arg(long, value_name = "TRACE[:STEP]", value_hint = clap::ValueHint::FilePath)]
    pub(crate) from: Option<String>,
    /// End a random run where this condition of the model's language holds
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with = "interactive")]
    pub(crate) until: Option<String>,
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
Exit codes: 0 no channel grows without limit; 1 a channel does, and a run shows how; 2 usage or model error; 3 undecided; 70 an \
internal error.")]
pub(crate) struct UnboundedArgs {
    /// The model (Promela)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// Stop when a channel holds this many messages, 2 to 255 [default: 255]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=i64::from(lariat::MAX_CHANNEL_BOUND)))]
    pub(crate) channel_bound: Option<u32>,
    /// Memory limit, like `512M` or `4G` [default: 80 % of available memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// Time limit, like `90s` or `2h`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Depth limit of the search, in steps
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
    /// The model
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) model: PathBuf,
    /// Figures instead of text: slots, bits, actions, processes
    #[arg(long)]
    pub(crate) stats: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
An editor starts this program; docs/editors.md says how for VS Code, Neovim, Helix and Emacs.

Options of a model are those of its `// with:` lines, as for `lariat test`. Checks that the editor starts end after 60 s; its \
initialization options `checkSeconds` and `checkMegabytes` set other limits.

Exit codes: 0 the editor ended it properly, 1 it went away.")]
pub(crate) struct LspArgs {
    /// Talk over standard input and output, which is the only way (editors give this option)
    #[arg(long)]
    stdio: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    preprocess: PreprocessArgs,
    /// Sending to a full channel loses the message instead of waiting (Promela; SPIN's `-m`)
    #[arg(long)]
    lose_messages: bool,
    /// Messages left in a channel at the end of a run are a failure (Promela; SPIN's `-q`)
    #[arg(long)]
    empty_channels: bool,
    /// What to do when a value does not fit its variable or message and is truncated (Promela)
    ///
    /// `warn` reports each such statement once, as far as the search for `safety` saw it (not with `--engine symbolic` or
    /// `graph`), and marks it in traces and simulations. `error` makes it a failure of `safety`, for every engine. `silent`
    /// says nothing, as SPIN's verifier does. Arithmetic itself wraps at 32 bits, as in C: `x = 2147483647; x = x + 1` is not
    /// seen.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    overflow: OverflowChoice,
}

/// The words for [`Overflow`].
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum OverflowChoice {
    Silent,
    #[default]
    Warn,
    Error,
}

impl ReadArgs {
    /// What is defined for the preprocessor.
    pub(crate) fn defines(&self) -> &[(String, String)] {
        &self.preprocess.defines
    }
    /// Defines these in place of what is defined.
    pub(crate) fn set_defines(&mut self, defines: Vec<(String, String)>) {
        self.preprocess.defines = defines;
    }
    /// The same as options of the library.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            lose_messages: self.lose_messages,
            empty_channels: self.empty_channels,
            overflow: match self.overflow {
                OverflowChoice::Silent => Overflow::Silent,
                OverflowChoice::Warn => Overflow::Warn,
                OverflowChoice::Error => Overflow::Error,
            },
            ..self.preprocess.options()
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PreprocessArgs {
    /// Define a macro for the preprocessor; it replaces a `#define` of the same name in the model (Promela). `check -D N=2..6`
    /// checks with each value and prints a table
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    defines: Vec<(String, String)>,
    /// Search this folder for included files (Promela)
    #[arg(short = 'I', value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    include_folders: Vec<PathBuf>,
    /// Refuse to include files outside this folder (Promela)
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    include_root: Option<PathBuf>,
}

impl PreprocessArgs {
    /// The same as options of the library.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            defines: self.defines.clone(),
            include_folders: self.include_folders.clone(),
            include_root: self.include_root.clone(),
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
        Err(format!("`{name}` is not a name"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    /// Options that are added here are those that clap would add later.
    #[test]
    fn adapted_commands_have_their_own_options() {
        for (name, define) in ADAPTED {
            let mut all = Cli::command();
            all.build();
            let subcommand = all.find_subcommand(name).expect("a command");
            let names = |command: &clap::Command| -> Vec<String> {
                let ids = command.get_arguments().map(|argument| argument.get_id().to_string());
                ids.filter(|id| !["help", "color"].contains(&id.as_str())).collect()
            };
            assert_eq!(names(&define(clap::Command::new(name))), names(subcommand), "{name}");
        }
    }

    #[test]
    fn defines_are_names_with_values() {
        assert_eq!(parse_define("N"), Ok(("N".into(), "1".into())));
        assert_eq!(parse_define("N="), Ok(("N".into(), String::new())));
        assert_eq!(parse_define("N_2=a=b"), Ok(("N_2".into(), "a=b".into())));
        assert!(parse_define("2N").is_err() && parse_define("=3").is_err() && parse_define("").is_err());
    }
}
