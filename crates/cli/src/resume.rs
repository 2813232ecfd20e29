//! `lariat resume`.

use crate::args::Command;
use crate::check::{self, Resumed};
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::output::Form;
use crate::refusal::Refusal;
use crate::units::{parse_bytes, parse_duration};
use clap::{Args, FromArgMatches};
use lariat::front::FrontEnds;
use lariat::{Engines, Manifest, RealFiles, ResumedRun, read_manifest};
use std::path::{Path, PathBuf};
use std::time::Duration;

// The command line of `lariat resume`; what the command is for stands in `Command`.
#[derive(Debug, Args)]
#[command(after_help = "\
The model and all options come from the saved run; options given here replace them. A model or property that changed is \
refused.

Exit codes: as those of `check`.")]
pub(crate) struct ResumeArgs {
    /// The run directory, or a folder with one run directory in it
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: PathBuf,
    /// Another memory limit
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Another number of threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Time limit from now on; without it there is none
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    time: Option<Duration>,
    /// One JSON document on standard output and nothing else there
    #[arg(long)]
    json: bool,
    /// One JSON event per line on standard output, as it happens
    #[arg(long, conflicts_with = "json")]
    json_lines: bool,
    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(arguments: &ResumeArgs, engines: &Engines, front_ends: &FrontEnds) -> Exit {
    match go_on(arguments, engines, front_ends) {
        Ok(exit) => exit,
        Err(reason) => {
            let form = if arguments.json_lines { Form::JsonLines } else { arguments.json.into() };
            Refusal::new(&arguments.directory, form).of_request(&reason)
        }
    }
}

fn go_on(arguments: &ResumeArgs, engines: &Engines, front_ends: &FrontEnds) -> Result<Exit, String> {
    let directory = run_directory(&arguments.directory)?;
    let manifest: Manifest<serde_json::Value> =
        read_manifest(&directory, &RealFiles).map_err(|error| error.to_string())?;
    if manifest.command.is_empty() {
        return Err("the run was not begun by this program, so it does not know what to go on with".to_owned());
    }
    let program = std::iter::once("lariat".to_owned()).chain(manifest.command.iter().cloned());
    let parsed = crate::command(engines, front_ends, Some("check"))
        .try_get_matches_from(program)
        .and_then(|mut given| crate::args::Cli::from_arg_matches_mut(&mut given));
    let engine = check::engines_on_disk(engines).into_iter().find(|name| *name == manifest.engine);
    let (Ok(Command::Check(mut check)), Some(engine)) = (parsed.map(|given| given.command), engine) else {
        return Err("this version does not understand the command line in the manifest".to_owned());
    };
    std::env::set_current_dir(&manifest.working_folder).map_err(|error| {
        format!("the run was begun in `{}`, which cannot be entered: {error}", manifest.working_folder.display())
    })?;
    // The command line may name several models, or several values.
    check.model = PathBuf::from(manifest.model);
    check.more.clear();
    let split = |define: &String| define.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    check.reading.set_defines(manifest.defines.iter().filter_map(split).collect());
    check.memory.memory = arguments.memory.or(check.memory.memory);
    check.search.threads = arguments.threads.map(usize::from).or(check.search.threads);
    check.search.time = arguments.time;
    if arguments.json || arguments.json_lines {
        (check.output.json, check.output.json_lines) = (arguments.json, arguments.json_lines);
    }
    check.output.quiet |= arguments.quiet;
    let run = ResumedRun { property: manifest.property, pool_size: manifest.pool_size };
    let resumed = Resumed { directory, engine, run, command: manifest.command };
    Ok(check::run(&check, engines, front_ends, Some(resumed), &Interrupts::listen()))
}

/// The directory itself, or the only run directory in it.
fn run_directory(given: &Path) -> Result<PathBuf, String> {
    let given = std::path::absolute(given).map_err(|error| format!("`{}`: {error}", given.display()))?;
    if given.join("manifest.json").exists() {
        return Ok(given);
    }
    let inside = std::fs::read_dir(&given).map_err(|error| format!("cannot read `{}`: {error}", given.display()))?;
    let mut runs: Vec<PathBuf> = inside
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.join("manifest.json").exists())
        .collect();
    runs.sort();
    match runs.len() {
        0 => Err(format!("there is no run in `{}`: it has no `manifest.json`", given.display())),
        1 => Ok(runs.remove(0)),
        _ => {
            let names: Vec<String> = runs.iter().map(|path| format!("`{}`", path.display())).collect();
            Err(format!("there are several runs in `{}`: {}", given.display(), names.join(", ")))
        }
    }
}
