//! What the command line will have and this release has not. Such options and commands are refused by name: a script that
//! uses one learns why, and nothing is silently ignored.

use crate::exit::Exit;
use crate::output;
use clap::{Args, Subcommand};

/// Options of `check` that are not in this release.
#[derive(Debug, Args)]
pub(crate) struct LaterOptions {
    #[arg(long, hide = true)]
    workers: Option<String>,
}

impl LaterOptions {
    /// The first option that was given and cannot be honoured.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [("--workers", self.workers.is_some())];
        given.into_iter().find(|&(_, given)| given).map(|(name, _)| name)
    }
}

/// Commands that are not in this release; they take any arguments, in order to be refused.
#[derive(Debug, Subcommand)]
pub(crate) enum LaterCommand {
    #[command(hide = true, disable_help_flag = true)]
    Cluster(Anything),
}

#[derive(Debug, Args)]
pub(crate) struct Anything {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<std::ffi::OsString>,
}

/// Says that the command is not there yet.
pub(crate) fn refuse_command(command: &LaterCommand) -> Exit {
    let name = match command {
        LaterCommand::Cluster(_) => "cluster",
    };
    output::complain(&format!("the command `{name}` is not in this release\n\n`lariat help` lists all commands."));
    Exit::Usage
}
