//! `lariat man`: manual pages, made of the definitions of the command line.

use crate::exit::Exit;
use crate::output;
use std::path::Path;

/// Writes a page for the program and one for each command.
pub(crate) fn run(command: clap::Command, folder: &Path) -> Exit {
    // Of an option that only the long help shows, a page would have no description.
    let in_full = |command: clap::Command| command.mut_args(|option| option.hide_short_help(false));
    // The synopsis is the usage that help has: with the arguments of options, and without brackets around what is required.
    let with_usage = |command: clap::Command| {
        let name = command.get_name().to_owned();
        let usage = command.clone().render_usage().to_string();
        let rest = usage.trim_start_matches("Usage:").trim_start();
        let rest = rest.strip_prefix(&name).unwrap_or(rest).trim_start().to_owned();
        command.override_usage(format!("lariat {name} {rest}"))
    };
    let command = in_full(command).mut_subcommands(|command| with_usage(in_full(command)));
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    match written {
        Ok(()) => Exit::Holds,
        Err(error) => {
            output::complain(&format!("cannot write manual pages into `{}`: {error}", folder.display()));
            Exit::Usage
        }
    }
}
