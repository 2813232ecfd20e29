//! Help in two sizes: `-h` shows the options of a working day, `--help` all of them.

use clap::Command;

/// The options that `-h` shows, by command. Commands that are not listed have few options, and show them all.
const DAILY: [(&str, &[&str]); 6] = [
    (
        "check",
        &[
            "model", "property", "ltl", "ctl", "defines", "fairness", "engine", "shortest", "threads", "time",
            "memory", "json", "trace", "report", "quiet",
        ],
    ),
    (
        "cluster",
        &[
            "hosts", "process", "local", "secret", "bind", "model", "property", "ltl", "defines", "fairness",
            "workers", "time", "memory", "json", "trace", "quiet",
        ],
    ),
    ("simulate", &["model", "seed", "steps", "interactive", "defines", "json", "quiet"]),
    ("replay", &["model", "trace", "property", "defines", "time", "json", "quiet"]),
    ("shorten", &["model", "given", "property", "defines", "time", "json", "trace", "quiet"]),
    ("unbounded", &["model", "channel_bound", "defines", "time", "memory", "json", "trace", "quiet"]),
];

/// The command of this name, with what `-h` leaves out marked.
pub(crate) fn in_two_sizes(command: Command, name: &str) -> Command {
    match DAILY.iter().find(|(listed, _)| *listed == name) {
        Some((_, daily)) => command.mut_args(|arg| {
            let is_daily = daily.contains(&arg.get_id().as_str());
            arg.hide_short_help(!is_daily)
        }),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn daily_options_exist() {
        let mut command = Cli::command();
        command.build();
        for (name, daily) in DAILY {
            let subcommand = command.find_subcommand(name).expect("a command");
            for id in daily {
                assert!(subcommand.get_arguments().any(|arg| arg.get_id() == *id), "{name} has no {id}");
            }
        }
    }
}
