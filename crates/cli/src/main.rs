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
mod save;
mod screen;
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
                return if error.use_stderr() { Exit::Usage } else { Exit::Holds };
            }
        };
        match arguments.command {
            Command::Check(arguments) => check::run(&arguments),
            Command::Simulate(arguments) => simulate::run(arguments),
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
