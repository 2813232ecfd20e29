//! The program `lariat`: reads the command line, calls the library, prints. Nothing else in the workspace prints.

mod args;
mod check;
mod exit;
mod later;
mod ltl;
mod output;
mod progress;
mod prompt;
mod refusal;
mod replay;
mod save;
mod saved;
mod screen;
mod shorten;
mod show;
mod simulate;
mod unbounded;
mod units;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::guard(|| {
        let arguments = match Cli::try_parse() {
            Ok(arguments) => arguments,
            Err(error) => {
                // Help and version are no mistakes; a closed pipe is nobody's.
                let _ = error.print();
                if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
                    refusal::Refusal::of_usage(&error.to_string());
                }
                return if error.use_stderr() { Exit::Usage } else { Exit::Holds };
            }
        };
        match arguments.command {
            Command::Check(arguments) => check::run(&arguments),
            Command::Simulate(arguments) => simulate::run(arguments),
            Command::Replay(arguments) => replay::run(arguments),
            Command::Shorten(arguments) => shorten::run(*arguments),
            Command::Show(arguments) => show::run(&arguments),
            Command::Ltl(arguments) => ltl::run(&arguments),
            Command::Unbounded(arguments) => unbounded::run(&arguments),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Cli::command(), "lariat", &mut script);
                output::print_bytes(&script)
            }
            Command::Later(command) => later::refuse_command(&command),
        }
    })
}
