//! The program `lariat` as a library: reads the command line, calls the library `lariat`, prints. Nothing else in the
//! workspace prints. Engines and front ends are given, so that a program with further ones is made of one line.

mod args;
mod check;
mod cluster;
mod codes;
mod deny;
mod exit;
mod explain;
mod explore;
mod graph;
mod interrupt;
mod lsp;
mod ltl;
mod man;
mod order_file;
mod output;
mod panes;
mod progress;
mod prompt;
mod refusal;
mod replay;
mod report;
mod resume;
mod save;
mod saved;
mod screen;
mod several;
mod shorten;
mod show;
mod simulate;
mod teller;
mod test;
mod trend;
mod unbounded;
mod units;
mod version;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use exit::Exit;
use lariat::Engines;
use lariat::front::FrontEnds;
use std::io::Write;
use std::process::ExitCode;

/// The command line of this command, or of all commands if none is given, with these engines to choose from, for models in these
/// languages. Options of other commands are defined only if clap comes to need them: most of what a short run takes would be that.
fn command(engines: &Engines, front_ends: &FrontEnds, only: Option<&str>) -> clap::Command {
    let command = Cli::command().version(version::SHORT).long_version(version::LONG);
    let adapted = args::ADAPTED.iter().filter(|(name, _)| only.is_none_or(|only| only == *name));
    adapted.fold(command, |command, &(name, define)| {
        command.mut_subcommand(name, |subcommand| {
            // All is defined here, so nothing is left to be defined later.
            let subcommand = args::in_two_sizes(define(subcommand.defer(|defined| defined)), name);
            let subcommand = match args::READERS.contains(&name) {
                true => subcommand.mut_arg("model", |model| model.help(args::model_help(front_ends))),
                false => subcommand,
            };
            if !args::CHECKERS.contains(&name) {
                return subcommand;
            }
            subcommand
                .mut_arg("engine", |engine| engine.value_parser(args::engine_name(engines)))
                .mut_arg("when_full", |option| option.value_parser(args::when_full(engines)))
        })
    })
}

/// Does what the command line of this process asks for, by these engines, with models in these languages.
pub fn main(engines: &Engines, front_ends: &FrontEnds) -> ExitCode {
    interrupt::survive_file_size_limit();
    exit::guard(|| {
        let first = std::env::args_os().nth(1).unwrap_or_default();
        let only = args::ADAPTED.iter().map(|(name, _)| *name).find(|name| first == *name);
        let parsed = command(engines, front_ends, only)
            .try_get_matches()
            .and_then(|mut given| Cli::from_arg_matches_mut(&mut given));
        let arguments = match parsed {
            Ok(arguments) => arguments,
            Err(error) => {
                // Help and version are no mistakes; a closed pipe is nobody's.
                let printed = error.print().and_then(|()| std::io::stdout().flush());
                let asked = |form: &str| std::env::args_os().any(|argument| argument == form);
                if error.use_stderr() && asked("--json-lines") {
                    refusal::Refusal::of_usage(&error.to_string(), output::Form::JsonLines);
                } else if error.use_stderr() && asked("--json") {
                    refusal::Refusal::of_usage(&error.to_string(), output::Form::Json);
                }
                return match printed {
                    _ if error.use_stderr() => Exit::Usage,
                    Ok(()) => Exit::Holds,
                    Err(error) => output::not_written(&error),
                };
            }
        };
        output::choose_colour(arguments.colour.color);
        match arguments.command {
            Command::Check(arguments) => several::run(arguments, engines, front_ends),
            Command::Resume(arguments) => resume::run(&arguments, engines, front_ends),
            Command::Simulate(arguments) => simulate::run(arguments, front_ends),
            Command::Replay(arguments) => replay::run(arguments, front_ends),
            Command::Shorten(arguments) => shorten::run(*arguments, front_ends),
            Command::Show(arguments) => show::run(&arguments, front_ends),
            Command::Ltl(arguments) => ltl::run(&arguments),
            Command::Unbounded(arguments) => unbounded::run(&arguments),
            Command::Test(arguments) => test::run(arguments, engines, front_ends),
            Command::Graph(arguments) => graph::run(*arguments, front_ends),
            Command::Explore(arguments) => explore::run(*arguments, front_ends),
            Command::Report(arguments) => report::run(&arguments),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Lsp(_) => lsp::run(engines, front_ends),
            Command::Man { folder } => man::run(command(engines, front_ends, None), &folder),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut command(engines, front_ends, None), "lariat", &mut script);
                output::print_bytes(&script)
            }
            Command::Cluster(arguments) => cluster::run(*arguments, engines, front_ends),
        }
    })
}
