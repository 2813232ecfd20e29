//! `cargo xtask bench`: how fast Lariat is, beside SPIN's verifier, in one run on one machine.
//!
//! Machines differ and are shared, so that only ratios mean something: both sides run in turns, several times, and the best
//! of each counts. Where SPIN is missing Lariat's own figures are printed. docs/benchmarks.md tells how to read them.

mod disk;
mod gpu;
mod instructions;
mod job;
mod liveness;
mod memory;
mod models;
mod pan;
mod roofline;
mod speed;
mod subject;
mod symbolic;
mod table;
mod text;

pub(crate) use job::measured;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is asked for.
#[derive(Debug, Args)]
pub(crate) struct BenchOptions {
    /// Only this part (repeatable)
    #[arg(long, value_enum)]
    part: Vec<Measurement>,
    /// Only models whose names contain this
    #[arg(long, value_name = "PATTERN", default_value = "")]
    models: String,
    /// Only small models
    #[arg(long)]
    quick: bool,
    /// The models in models/bench, even where the corpus is at hand
    #[arg(long)]
    shipped: bool,
    /// How often each program is run; the best run counts
    #[arg(long, value_name = "N", default_value = "3")]
    repeat: u32,
    /// Leave SPIN out
    #[arg(long)]
    no_spin: bool,
    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure this program; by default that of this project is built first
    #[arg(long, value_name = "PROGRAM")]
    lariat: Option<PathBuf>,
    /// Give Lariat this argument in every run (repeatable), as in `--with=--engine=dfs`
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    with: Vec<String>,
    /// Take the instructions that are counted as what later counts are compared with
    #[arg(long)]
    update_baseline: bool,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Measurement {
    /// States per second on one thread, exact, without reduction
    Speed,
    /// The same for models of other kinds: long atomic sequences, wide states, many processes, a thousand lines
    Kinds,
    /// From the text of the model to the verdict, default settings
    Text,
    /// Bytes per state, and a limit that is met
    Memory,
    /// Temporal properties: time beside SPIN's `-a`, and beside the plain search
    Liveness,
    /// SMV models: time beside NuSMV's
    Symbolic,
    /// Search on disk beside search in memory: speed, bytes moved, resident memory
    Disk,
    /// Search on a graphics card beside search on all cores; only if asked for
    Gpu,
    /// The share of the time that the store takes
    Roofline,
    /// Instructions by valgrind, compared with the last ones committed
    Instructions,
}

/// What all parts use.
#[derive(Debug)]
struct Lab {
    /// The folder of the project.
    root: PathBuf,
    lariat: subject::Lariat,
    /// Or why not.
    spin: Result<pan::Spin, String>,
    models: Vec<models::Model>,
    rounds: u32,
}

impl Lab {
    /// Tells what is going on, where nobody reads figures.
    fn say(&self, what: &str) {
        eprintln!("{what} …");
    }
}

/// Measures what is asked for. Fails if verdicts or numbers of states differ from SPIN's or the instructions are too many; a target
/// that is missed is said and no failure.
pub(crate) fn run(options: &BenchOptions) -> ExitCode {
    let temporary = std::env::temp_dir().join(format!("lariat-bench-{}", std::process::id()));
    let measured = std::fs::create_dir_all(&temporary)
        .map_err(|error| error.to_string())
        .and_then(|()| set_up(options, &temporary))
        .and_then(|(lab, from_corpus)| measure(&lab, options, from_corpus));
    let _ = std::fs::remove_dir_all(&temporary);
    match measured {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn set_up(options: &BenchOptions, temporary: &Path) -> Result<(Lab, bool), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().map_err(|error| error.to_string())?;
    let (models, from_corpus) = models::find(&root, &options.models, options.quick, options.shipped);
    // These parts have models of their own.
    let of_their_own = [&[Measurement::Symbolic][..], &[Measurement::Disk], &[Measurement::Kinds], &[Measurement::Gpu]];
    if models.is_empty() && !of_their_own.contains(&&options.part[..]) {
        return Err(format!("no model has `{}` in its name", options.models));
    }
    let lariat = subject::Lariat::new(options.lariat.clone(), options.with.clone(), &root, temporary)?;
    let spin = if options.no_spin { Err("not asked".to_owned()) } else { pan::Spin::find(temporary.to_owned()) };
    Ok((Lab { root, lariat, spin, models, rounds: options.repeat }, from_corpus))
}

fn measure(lab: &Lab, options: &BenchOptions, from_corpus: bool) -> Result<bool, String> {
    let wanted = |part: Measurement| options.part.is_empty() || options.part.contains(&part);
    let mut document = Map::new();
    let mut good = true;
    document.insert("schema".to_owned(), json!(1));
    document.insert("models".to_owned(), json!(models::source(from_corpus)));
    document.insert("repeat".to_owned(), json!(lab.rounds));
    document.insert("processor".to_owned(), json!(processor()));
    if options.part != [Measurement::Instructions] {
        println!("models: {}; best of {}", models::source(from_corpus), lab.rounds);
        match &lab.spin {
            Ok(spin) => println!("compared with {}", spin.version),
            Err(why) => println!("no comparison with SPIN: {why}"),
        }
        println!();
    }
    document
        .insert("spin".to_owned(), json!(lab.spin.as_ref().map_or_else(String::clone, |spin| spin.version.clone())));

    if wanted(Measurement::Speed) || wanted(Measurement::Memory) {
        let rows = speed::measure(lab, &lab.models, wanted(Measurement::Speed));
        good &= rows.iter().all(|row| row.warnings.is_empty());
        if wanted(Measurement::Speed) {
            document.insert("speed".to_owned(), speed::report(&rows));
            println!();
        }
        if wanted(Measurement::Memory) {
            document.insert("memory".to_owned(), memory::run(lab, &rows));
            println!();
        }
    }
    if wanted(Measurement::Kinds) {
        let rows = speed::measure(lab, &models::of_kinds(&lab.root, &options.models), true);
        good &= rows.iter().all(|row| row.warnings.is_empty());
        println!("models of other kinds");
        document.insert("kinds".to_owned(), speed::report(&rows));
        println!();
    }
    if wanted(Measurement::Text) {
        let (figures, same) = text::run(lab);
        println!();
        document.insert("text".to_owned(), figures);
        good &= same;
    }
    if wanted(Measurement::Liveness) {
        let (figures, same) = liveness::run(lab);
        println!();
        document.insert("liveness".to_owned(), figures);
        good &= same;
    }
    if wanted(Measurement::Symbolic) {
        document.insert("symbolic".to_owned(), symbolic::run(lab, &options.models));
        println!();
    }
    if wanted(Measurement::Disk) {
        let (figures, same) = disk::run(lab, &options.models, options.quick);
        println!();
        document.insert("disk".to_owned(), figures);
        good &= same;
    }
    if options.part.contains(&Measurement::Gpu) {
        let (figures, same) = gpu::run(lab, &options.models, options.quick);
        println!();
        document.insert("gpu".to_owned(), figures);
        good &= same;
    }
    if wanted(Measurement::Roofline) {
        document.insert("roofline".to_owned(), roofline::run(lab));
        println!();
    }
    if wanted(Measurement::Instructions) {
        let (figures, within_bounds) = instructions::run(lab, options.update_baseline);
        document.insert("instructions".to_owned(), figures);
        good &= within_bounds;
    }
    if let Some(file) = &options.json {
        let text = format!("{:#}\n", Value::Object(document));
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(good)
}

/// What the machine computes with, as far as it tells.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", name.map_or("unknown", |(_, name)| name))
}
