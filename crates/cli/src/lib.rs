//! The program `lariat` as a library: reads the command line, calls the library `lariat`, prints. Nothing else in the
//! workspace prints. Engines and front ends are given, so that a program with further ones is made of one line.

mod args;
mod check;
mod codes;
mod deny;
mod exit;
mod explain;
mod explore;
mod graph;
mod interrupt;
mod later;
mod lsp;
mod ltl;
mod man;
mod order_file;
mod output;
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
mod unbounded;
mod units;
mod version;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use exit::Exit;
use lariat::Engines;
use lariat::front::FrontEnds;
use std::process::ExitCode;

/// The commands that read a model of any language.
const READERS: [&str; 7] = ["check", "simulate", "replay", "shorten", "show", "graph", "explore"];

/// The command line, with these engines to choose from, for models in these languages.
fn command(engines: &Engines, front_ends: &FrontEnds) -> clap::Command {
    let help = args::model_help(front_ends);
    let (engine_name, when_full) = (args::engine_name(engines), args::when_full(engines));
    let command = Cli::command().version(version::SHORT).long_version(version::LONG);
    let command = READERS.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |reader| reader.mut_arg("model", |model| model.help(help.clone())))
    });
    args::in_two_sizes(command.mut_subcommand("check", |check| {
        check
            .mut_arg("engine", |engine| engine.value_parser(engine_name))
            .mut_arg("when_full", |option| option.value_parser(when_full))
    }))
}

/// Does what the command line of this process asks for, by these engines, with models in these languages.
pub fn main(engines: &Engines, front_ends: &FrontEnds) -> ExitCode {
    interrupt::survive_file_size_limit();
    exit::guard(|| {
        let parsed =
            command(engines, front_ends).try_get_matches().and_then(|mut given| Cli::from_arg_matches_mut(&mut given));
        let arguments = match parsed {
            Ok(arguments) => arguments,
            Err(error) => {
                // Help and version are no mistakes; a closed pipe is nobody's.
                let _ = error.print();
                let asked = |form: &str| std::env::args_os().any(|argument| argument == form);
                if error.use_stderr() && asked("--json-lines") {
                    refusal::Refusal::of_usage(&error.to_string(), output::Form::JsonLines);
                } else if error.use_stderr() && asked("--json") {
                    refusal::Refusal::of_usage(&error.to_string(), output::Form::Json);
                }
                return if error.use_stderr() { Exit::Usage } else { Exit::Holds };
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
            Command::Man { folder } => man::run(command(engines, front_ends), &folder),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut command(engines, front_ends), "lariat", &mut script);
                output::print_bytes(&script)
            }
            Command::Later(command) => later::refuse_command(&command),
        }
    })
}
