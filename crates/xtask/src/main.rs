//! Automation of the project: `cargo xtask COMMAND`.

mod agree;
mod audit;
mod automata;
mod bench;
mod book;
mod curves;
mod directed;
mod dist;
mod fuzz;
mod lassos;
mod lengths;
#[cfg(test)]
mod mutations;
mod paper_models;
mod spin;
mod table1;
mod tables;

use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Automation of the project
#[derive(Debug, Parser)]
enum Xtask {
    /// Compare every reading of random systems with the reference evaluator
    Agree {
        /// How many systems
        #[arg(long, default_value = "1000")]
        systems: u64,
        /// The seed of the first; the others follow it
        #[arg(long, default_value = "0")]
        seed: u64,
        /// Compare in one respect only: `program`, `native`, `bits`, `engines` or `sets`
        #[arg(long)]
        only: Option<String>,
    },
    /// Compare what the partial-order reduction leaves with the whole space, on random systems and random Promela models
    Audit {
        /// How many systems
        #[arg(long, default_value = "10000")]
        systems: u64,
        /// How many models for `safety`, and how many with formulas
        #[arg(long, default_value = "200")]
        models: u64,
        /// The seed of the first; the others follow it
        #[arg(long, default_value = "0")]
        seed: u64,
    },
    /// Compare automata of random formulas with the direct evaluator on random words
    Automata {
        /// How many formulas
        #[arg(long, default_value = "10000")]
        formulas: u64,
        /// The seed of the first; the others follow it
        #[arg(long, default_value = "0")]
        seed: u64,
        /// How many words for each formula
        #[arg(long, default_value = "10")]
        words: usize,
    },
    /// Compare what engines say about temporal properties of random small systems with an oracle
    Lassos {
        /// Formulas of CTL* instead of LTL
        #[arg(long)]
        star: bool,
        /// How many cases: systems, formulas, fairness
        #[arg(long, default_value = "2000")]
        cases: u64,
        /// The seed of the first; the others follow it
        #[arg(long, default_value = "0")]
        seed: u64,
    },
    /// Compare the lengths of shortest counterexamples, by every engine that finds them, with each other and with an oracle
    Lengths {
        /// How many seeds, each of a small and a larger system
        #[arg(long, default_value = "500")]
        systems: u64,
        /// The first seed; the others follow it
        #[arg(long, default_value = "0")]
        seed: u64,
    },
    /// Build the program for a release and pack it: with manual pages, completions, licences and a checksum
    Dist(dist::DistOptions),
    /// Compare what Lariat and SPIN say about random Promela models
    Spin(spin::SpinOptions),
    /// Put almost-models through the front end of Promela or SMV, and shrink the first on which it fails
    Fuzz {
        /// For how long
        #[arg(long, default_value = "60")]
        seconds: u64,
        /// Where to begin
        #[arg(long, default_value = "0")]
        seed: u64,
        /// SMV instead of Promela
        #[arg(long)]
        smv: bool,
    },
    /// Measure depth-first search with replacement against memory, on random graphs; write the data and a plot
    Curves {
        /// How many states the graphs have, about
        #[arg(long, default_value = "200000")]
        states: usize,
        /// Where `replacement.csv` and `replacement.svg` go
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
    },
    /// Print a model of the paper on strong fairness in SMV: DINE, TERM-DET or CYCLE with any number of processes
    FairModel {
        /// Which program
        #[arg(value_enum)]
        program: paper_models::Program,
        /// How many processes
        #[arg(long, default_value = "3")]
        processes: usize,
        /// How DINE says what is to be given to those who ask again and again
        #[arg(long, value_enum, default_value = "native")]
        compassion: paper_models::Compassion,
        /// Of CYCLE: one justice requirement for each process
        #[arg(long)]
        one_justice: bool,
    },
    /// Measure what the tables of the paper on strong fairness compare, and write it beside the paper's ratios
    Tables {
        /// Where they go
        #[arg(long, default_value = "docs/tables.md")]
        file: PathBuf,
        /// Seconds for each check
        #[arg(long, default_value = "60")]
        seconds: u64,
        /// Rows with more processes are left out
        #[arg(long, default_value = "100")]
        processes: usize,
    },
    /// Measure what the tables of the paper on directed search compare, and write it beside the paper's figures
    Directed {
        /// Where they go
        #[arg(long, default_value = "docs/directed.md")]
        file: PathBuf,
        /// Where the models are
        #[arg(long, default_value = "models/directed")]
        models: PathBuf,
        /// Seconds for each check
        #[arg(long, default_value = "25")]
        seconds: u64,
    },
    /// Compute table 1 of the paper on magic search and hybrid storage; docs/table1.md is what this prints
    Table1,
    /// Build the book from docs/book and the other documents; needs `mdbook`
    Book {
        /// Where it goes
        #[arg(long, default_value = "target/book")]
        folder: PathBuf,
    },
    /// Measure Lariat, beside SPIN where it is installed
    Bench(bench::BenchOptions),
    /// Run a program and write what it takes to a file
    #[command(hide = true)]
    Measured {
        file: PathBuf,
        seconds: u64,
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    match Xtask::parse() {
        Xtask::Agree { systems, seed, only } => agree::run(seed, systems, only.as_deref()),
        Xtask::Audit { systems, models, seed } => audit::run(seed, systems, models),
        Xtask::Automata { formulas, seed, words } => automata::run(seed, formulas, words),
        Xtask::Lassos { star, cases, seed } => {
            lassos::run(seed, cases, if star { lassos::Kind::Star } else { lassos::Kind::Ltl })
        }
        Xtask::Lengths { systems, seed } => lengths::run(seed, systems),
        Xtask::Spin(options) => spin::run(&options),
        Xtask::Fuzz { seconds, seed, smv } => fuzz::run(seed, seconds, if smv { &fuzz::SMV } else { &fuzz::PROMELA }),
        Xtask::Curves { states, folder } => curves::run(states, &folder),
        Xtask::FairModel { program, processes, compassion, one_justice } => {
            print!("{}", paper_models::PaperModel { program, processes, compassion, one_justice }.text());
            ExitCode::SUCCESS
        }
        Xtask::Tables { file, seconds, processes } => tables::run(&file, Duration::from_secs(seconds), processes),
        Xtask::Directed { file, models, seconds } => directed::run(&file, &models, Duration::from_secs(seconds)),
        Xtask::Table1 => table1::run(),
        Xtask::Dist(options) => dist::run(".".as_ref(), &options),
        Xtask::Book { folder } => book::run(".".as_ref(), &folder),
        Xtask::Bench(options) => bench::run(&options),
        Xtask::Measured { file, seconds, command } => bench::measured(&file, seconds, &command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_documents_show_are_there() {
        let document = include_str!("../../../docs/benchmarks.md");
        let commands: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("cargo xtask ")).collect();
        assert!(!commands.is_empty(), "the document has examples");
        for command in commands {
            let command = command.split('#').next().unwrap_or_default();
            let parsed = Xtask::try_parse_from(["xtask"].into_iter().chain(command.split_whitespace()));
            assert!(parsed.is_ok(), "{command}: {parsed:?}");
        }
    }
}
