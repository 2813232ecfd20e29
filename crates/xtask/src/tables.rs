//! `cargo xtask tables`: the tables of Kesten, Pnueli, Raviv and Shahar (2006) in their layout, with today's seconds, and the
//! ratios that come out of them beside the paper's. It writes `docs/tables.md`.
//!
//! The paper's seconds are those of an old machine and of another package for decision diagrams: what can be compared are ratios.
//! A table is data: which model stands in which column, how it is checked, and what the paper says.

use crate::paper_models::{Compassion, PaperModel, Program};
use lariat::{CheckError, CheckOptions, Limits, Model, ReadOptions, Verdict};
use lariat_engine::{CompassionBy, FairBy, Prune, Restrict, TemporalBy};
use nix::sys::resource::{UsageWho, getrusage};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const MEMORY_BYTES: u64 = 2 << 30;
/// A check that is shorter is made again, so often that all together take this long: the mean is shown.
const LEAST_SECONDS: f64 = 0.2;
/// But not more often than this.
const MOST_TIMES: usize = 20;

/// How a model is checked, beside the defaults of `symbolic`.
type Change = fn(&mut CheckOptions);

/// A column: its title, the model with so many processes, and how it is checked.
struct Column {
    title: &'static str,
    model: fn(usize) -> PaperModel,
    change: Change,
}

/// A table of the paper, or one beside these.
struct Table {
    /// Its number in the paper, if it is there.
    number: Option<u32>,
    title: &'static str,
    columns: Vec<Column>,
    /// The seconds of the paper, by number of processes; empty if it has none.
    rows: Vec<(usize, Vec<f64>)>,
    /// What it shows.
    remark: &'static str,
}

/// Measures all tables and writes them to `file`. Each check may take `limit`; rows with more processes are left out.
pub(crate) fn run(file: &Path, limit: Duration, most_processes: usize) -> ExitCode {
    match tables_text(limit, most_processes).and_then(|text| std::fs::write(file, text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

fn as_it_is(_: &mut CheckOptions) {}
fn in_formula(options: &mut CheckOptions) {
    options.options.fair.compassion = Some(CompassionBy::Formula);
}
fn by_tester(options: &mut CheckOptions) {
    options.options.temporal_by = TemporalBy::Tester;
}
fn forward(options: &mut CheckOptions) {
    options.options.fair.by = Some(FairBy::Forward);
}
fn backward(options: &mut CheckOptions) {
    options.options.fair.by = Some(FairBy::Backward);
}
fn both(options: &mut CheckOptions) {
    options.options.fair.by = Some(FairBy::Both);
}
fn components(options: &mut CheckOptions) {
    options.options.fair.by = Some(FairBy::Components);
}
fn exhaustive(options: &mut CheckOptions) {
    options.options.fair.prune = Some(Prune::All);
}
fn one_step(options: &mut CheckOptions) {
    options.options.fair.prune = Some(Prune::OneStep);
}
fn light(options: &mut CheckOptions) {
    options.options.fair.restrict = Some(Restrict::Light);
}
fn full(options: &mut CheckOptions) {
    options.options.fair.restrict = Some(Restrict::Full);
}

fn dine(processes: usize) -> PaperModel {
    PaperModel::new(Program::Dine, processes)
}
fn with_compassion(processes: usize, compassion: Compassion) -> PaperModel {
    PaperModel { compassion, ..dine(processes) }
}
fn cycle(program: Program, processes: usize, one_justice: bool) -> PaperModel {
    PaperModel { one_justice, ..PaperModel::new(program, processes) }
}

fn term_det(processes: usize) -> PaperModel {
    PaperModel::new(Program::TermDet, processes)
}

fn column(title: &'static str, model: fn(usize) -> PaperModel) -> Column {
    Column { title, model, change: as_it_is }
}
fn directions(model: fn(usize) -> PaperModel) -> Vec<Column> {
    let ways: [(&str, Change); 3] = [("Forward", forward), ("Backward", backward), ("Bi-directional", both)];
    ways.into_iter().map(|(title, change)| Column { title, model, change }).collect()
}
fn prunings(model: fn(usize) -> PaperModel) -> Vec<Column> {
    let ways: [(&str, Change); 2] = [("Exhaustive", exhaustive), ("One step", one_step)];
    ways.into_iter().map(|(title, change)| Column { title, model, change }).collect()
}
fn restrictions(model: fn(usize) -> PaperModel) -> Vec<Column> {
    let ways: [(&str, Change); 2] = [("Less restriction", light), ("Original", full)];
    ways.into_iter().map(|(title, change)| Column { title, model, change }).collect()
}
fn searches(model: fn(usize) -> PaperModel) -> Vec<Column> {
    vec![column("default", model), Column { title: "components", model, change: components }]
}

fn tables() -> Vec<Table> {
    vec![
        Table {
            number: Some(1),
            title: "Compassion as antecedent to the verified property (DINE)",
            columns: vec![
                column("DINE", dine),
                column("DINE-1", |n| with_compassion(n, Compassion::OneAntecedent)),
                column("DINE-2", |n| with_compassion(n, Compassion::Antecedents)),
            ],
            rows: vec![(3, vec![0.18, 0.45, 1.73]), (4, vec![0.66, 4.02, 51.08]), (8, Vec::new()), (12, Vec::new())],
            remark: "Levelled by us, not by the package: antecedents of this form are recognised and become \
                     compassion of the algorithm (docs/adr/0046). What an automaton of them costs is the first \
                     table below the paper's.",
        },
        Table {
            number: Some(2),
            title: "Compassion transformed into justice (DINE)",
            columns: vec![
                column("DINE", dine),
                column("DINE-1", |n| with_compassion(n, Compassion::OneJustice)),
                column("DINE-2", |n| with_compassion(n, Compassion::Justice)),
            ],
            rows: vec![
                (3, vec![0.18, 0.24, 0.34]),
                (4, vec![0.65, 1.18, 1.82]),
                (5, vec![3.24, 6.02, 12.02]),
                (6, vec![17.14, 39.69, 120.95]),
            ],
            remark: "Not levelled. The justice that compassion becomes is searched forwards, the default without compassion. \
                     Backwards, DINE-2 with five philosophers takes twenty times as long (7.1 s, 0.33 s forwards): that was the cause of \
                     ratios of 560. What is left is the variable for each of the 2 N constraints, which every step may change, so no \
                     action is local any more. Native compassion has become cheaper than it was in the paper: it takes away states, and \
                     only few.",
        },
        Table {
            number: Some(3),
            title: "Directions: termination detection (TERM-DET)",
            columns: directions(term_det),
            rows: vec![
                (2, vec![0.58, 0.36, 0.35]),
                (3, vec![2.22, 2.08, 1.42]),
                (4, vec![9.90, 11.02, 6.06]),
                (5, vec![49.63, 51.76, 31.78]),
                (6, Vec::new()),
                (7, Vec::new()),
            ],
            remark: "Mostly levelled: bidirectional and forward differ by a tenth, where the paper's \
                     bidirectional took 0.6 of the time. Forward is the default; backward takes up to 1.8 times as long as \
                     forward with up to six processes, and not longer with seven.",
        },
        Table {
            number: Some(4),
            title: "Directions: accessibility (DINE)",
            columns: directions(dine),
            rows: vec![
                (4, vec![0.66, 2.70, 1.00]),
                (5, vec![3.19, 14.89, 5.16]),
                (6, vec![17.27, 95.56, 28.13]),
                (8, Vec::new()),
                (10, Vec::new()),
                (12, Vec::new()),
            ],
            remark: "Levelled with ten processes and more. With fewer, forward is ahead as in the paper, by a \
                     factor of 1.5 at most instead of 5.",
        },
        Table {
            number: Some(5),
            title: "States without successors: TERM-DET",
            columns: prunings(term_det),
            rows: vec![(3, vec![2.32, 2.14]), (4, vec![10.20, 11.26]), (5, vec![51.01, 53.67]), (6, Vec::new())],
            remark: "As in the paper, no difference.",
        },
        Table {
            number: Some(6),
            title: "States without successors: DINE",
            columns: prunings(dine),
            rows: vec![
                (4, vec![0.65, 2.64]),
                (5, vec![3.20, 14.79]),
                (6, vec![17.15, 95.32]),
                (8, Vec::new()),
                (10, Vec::new()),
            ],
            remark: "Levelled: one step took four to five times as long in the paper, and takes as long as \
                     exhaustive removal here.",
        },
        Table {
            number: Some(7),
            title: "Restriction: TERM-DET",
            columns: restrictions(term_det),
            rows: vec![
                (2, vec![0.46, 0.57]),
                (3, vec![2.99, 2.22]),
                (4, vec![30.04, 9.79]),
                (5, vec![868.26, 50.67]),
                (6, Vec::new()),
            ],
            remark: "Levelled: with five processes light restriction took 17 times as long in the paper, and \
                     takes as long as full restriction here. Ours ends with a search under full restriction, \
                     which the printed algorithm lacks (docs/adr/0033).",
        },
        Table {
            number: Some(8),
            title: "Restriction: DINE",
            columns: restrictions(dine),
            rows: vec![
                (4, vec![0.62, 0.65]),
                (5, vec![3.12, 3.19]),
                (6, vec![16.07, 17.08]),
                (7, vec![111.55, 122.20]),
                (10, Vec::new()),
                (12, Vec::new()),
            ],
            remark: "As in the paper, hardly a difference.",
        },
        Table {
            number: Some(9),
            title: "CYCLE, six program locations",
            columns: vec![
                column("5 justice cond.", |n| cycle(Program::Cycle, n, false)),
                column("1 justice cond.", |n| cycle(Program::Cycle, n, true)),
            ],
            rows: vec![
                (10, vec![0.57, 0.26]),
                (14, vec![4.74, 4.44]),
                (18, vec![12.57, 11.62]),
                (22, vec![26.90, 26.24]),
                (26, vec![49.90, 49.58]),
                (30, vec![89.49, 87.60]),
            ],
            remark: "The paper's difference had vanished with more processes; here one constraint takes about \
                     half the time of five at every size. All of these times are below 0.02 s.",
        },
        Table {
            number: Some(10),
            title: "CYCLE, ten program locations",
            columns: vec![
                column("9 justice cond.", |n| cycle(Program::CycleTen, n, false)),
                column("1 justice cond.", |n| cycle(Program::CycleTen, n, true)),
            ],
            rows: vec![
                (6, vec![0.81, 0.23]),
                (8, vec![4.26, 3.26]),
                (10, vec![10.44, 9.11]),
                (12, vec![21.05, 18.79]),
                (14, vec![38.66, 35.74]),
                (16, vec![64.68, 60.94]),
            ],
            remark: "The same with more places: one constraint takes less than half the time of nine.",
        },
        Table {
            number: None,
            title: "Compassion in an automaton (`--compassion-by formula`): DINE",
            columns: vec![
                column("native", dine),
                Column { title: "in the automaton", model: dine, change: in_formula },
            ],
            rows: vec![(2, Vec::new()), (3, Vec::new()), (4, Vec::new())],
            remark: "As in the paper, compassion in the algorithm beats compassion in the formula; with eight constraints the \
                     automaton is too large.",
        },
        Table {
            number: None,
            title: "Automaton and tester (not in the paper): DINE",
            columns: vec![column("automaton", dine), Column { title: "tester", model: dine, change: by_tester }],
            rows: vec![(3, Vec::new()), (4, Vec::new()), (5, Vec::new())],
            remark: "The automaton is ahead, and the more so with more processes.",
        },
        Table {
            number: None,
            title: "Automaton and tester (not in the paper): TERM-DET",
            columns: vec![
                column("automaton", term_det),
                Column { title: "tester", model: term_det, change: by_tester },
            ],
            rows: vec![(2, Vec::new()), (3, Vec::new())],
            remark: "",
        },
        Table {
            number: None,
            title: "Strongly connected components (not in the paper): DINE",
            columns: searches(dine),
            rows: vec![(4, Vec::new()), (5, Vec::new()), (6, Vec::new()), (7, Vec::new())],
            remark: "",
        },
        Table {
            number: None,
            title: "Strongly connected components (not in the paper): DINE with a contrary philosopher",
            columns: searches(|n| PaperModel::new(Program::DineContrary, n)),
            rows: vec![(4, Vec::new()), (5, Vec::new()), (6, Vec::new())],
            remark: "",
        },
        Table {
            number: None,
            title: "Strongly connected components (not in the paper): TERM-DET",
            columns: searches(term_det),
            rows: vec![(2, Vec::new()), (3, Vec::new()), (4, Vec::new())],
            remark: "",
        },
    ]
}

/// What a check took.
enum Cell {
    Seconds(f64),
    /// It was stopped.
    Over(f64),
    /// It was refused: the automaton is too large.
    Refused,
}

fn tables_text(limit: Duration, most_processes: usize) -> std::io::Result<String> {
    let folder = std::env::temp_dir().join(format!("lariat-tables-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut text = INTRODUCTION.to_owned();
    for table in tables() {
        let measured = table.rows.iter().filter(|(processes, _)| *processes <= most_processes);
        let mut rows = Vec::new();
        for (processes, paper) in measured {
            let mut cells = Vec::new();
            for column in &table.columns {
                eprintln!("{}, {} processes, {}", table.title, processes, column.title);
                cells.push(measure(&(column.model)(*processes), column.change, limit, &folder)?);
            }
            rows.push((*processes, cells, paper));
        }
        write_table(&mut text, &table, &rows);
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(text)
}

const INTRODUCTION: &str = "# Tables of the paper on strong fairness

Written by `cargo xtask tables`. The programs are those of Kesten, Pnueli, Raviv and Shahar (2006), as `cargo xtask fair-model`
prints them; the engine is `symbolic` with its defaults, counterexamples included. Seconds are CPU seconds of this machine,
the mean of several checks where one is short, `>` where the limit was met. A ratio is the column divided by the first one, and
beside it stands the paper's: its seconds are those of another machine and another package for decision diagrams. Rows without a
ratio of the paper are larger than its own. Of differences below a third nothing should be concluded.
";

fn write_table(text: &mut String, table: &Table, rows: &[(usize, Vec<Cell>, &Vec<f64>)]) {
    let heading = table.number.map_or(String::new(), |number| format!("Table {number}: "));
    writeln!(text, "\n## {heading}{}\n", table.title).expect("a text grows");
    let titles: Vec<&str> = table.columns.iter().map(|column| column.title).collect();
    let has_paper = table.number.is_some();
    let mut head = vec!["N".to_owned()];
    head.extend(titles.iter().map(|&title| title.to_owned()));
    for title in &titles[1..] {
        head.push(format!("{title} / {}", titles[0]));
        if has_paper {
            head.push("paper".to_owned());
        }
    }
    writeln!(text, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len())).expect("a text grows");
    for (processes, cells, paper) in rows {
        let mut line = vec![processes.to_string()];
        line.extend(cells.iter().map(|cell| match cell {
            Cell::Seconds(seconds) => format!("{seconds:.3}"),
            Cell::Over(seconds) => format!("> {seconds:.0}"),
            Cell::Refused => "too large".to_owned(),
        }));
        for number in 1..cells.len() {
            line.push(match (&cells[0], &cells[number]) {
                (Cell::Seconds(first), Cell::Seconds(other)) if *first > 0.0 => format!("{:.1}", other / first),
                (Cell::Seconds(first), Cell::Over(other)) if *first > 0.0 => format!("> {:.0}", other / first),
                _ => String::new(),
            });
            if has_paper {
                line.push(paper.get(number).map_or(String::new(), |seconds| format!("{:.1}", seconds / paper[0])));
            }
        }
        writeln!(text, "| {} |", line.join(" | ")).expect("a text grows");
    }
    if !table.remark.is_empty() {
        writeln!(text, "\n{}", table.remark).expect("a text grows");
    }
}

/// Checks the model, as often as short times need, and says how many CPU seconds that took.
fn measure(model: &PaperModel, change: Change, limit: Duration, folder: &Path) -> std::io::Result<Cell> {
    let path: PathBuf = folder.join("model.smv");
    std::fs::write(&path, model.text())?;
    let (mut seconds, mut times) = (0.0, 0);
    while times == 0 || seconds < LEAST_SECONDS && times < MOST_TIMES {
        match measure_once(&path, change, limit)? {
            Cell::Seconds(once) => seconds += once,
            other => return Ok(other),
        }
        times += 1;
    }
    Ok(Cell::Seconds(seconds / times as f64))
}

fn measure_once(path: &Path, change: Change, limit: Duration) -> std::io::Result<Cell> {
    let wrong = |message: String| std::io::Error::other(message);
    let before = cpu_seconds()?;
    let mut model = Model::read(path, &ReadOptions::default())
        .map_err(|rejected| wrong(rejected.diagnostics.first().map_or(String::new(), |found| found.message.clone())))?;
    let mut options = CheckOptions { engine: Some("symbolic"), ..CheckOptions::default() };
    change(&mut options);
    let names: Vec<String> = model.properties().iter().map(|property| property.name.clone()).collect();
    options.properties = names;
    let control = Limits { memory_bytes: MEMORY_BYTES, time: Some(limit) }.control();
    let checked = match lariat::check(&mut model, &options, &control) {
        Ok(checked) => checked,
        Err(CheckError::Refused(_)) => return Ok(Cell::Refused),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let seconds = cpu_seconds()? - before;
    let is_open = |settled: &lariat::Settled| matches!(settled.report().verdict, Verdict::Undecided(_));
    Ok(if checked.settled.iter().any(is_open) { Cell::Over(seconds) } else { Cell::Seconds(seconds) })
}

fn cpu_seconds() -> std::io::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
