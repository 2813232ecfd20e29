//! `cargo xtask directed`: tables 1 to 4 of Edelkamp and Jabbar ("Large-Scale Directed Model Checking LTL", 2006) in their
//! layout, with our models, our figures, and the paper's beside them. It writes `docs/directed.md`.
//!
//! The authors' models are lost; ours have the same subjects (`models/directed`). What can be compared is the shape: A* and
//! breadth-first search find lassos of the same length, A* expands no more, and nested depth-first search finds longer ones.

use lariat::{CheckOptions, FairnessOptions, Limits, Model, ProcessFairness, ReadOptions, Verdict};
use nix::sys::resource::{UsageWho, getrusage};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const MEMORY_BYTES: u64 = 1 << 30;
/// For 128 philosophers.
const LONG: Duration = Duration::from_secs(300);

/// What is measured: a model of `models/directed` with a value of its parameter.
#[derive(Clone, Copy)]
struct Subject {
    file: &'static str,
    property: &'static str,
    parameter: (&'static str, u32),
    fairness: ProcessFairness,
}

/// A row of the paper: expanded (transitions for SPIN), inserted (stored), time, length.
type PaperRow = [&'static str; 4];

struct Table {
    title: &'static str,
    subject: Subject,
    /// External A*, External BFS, nested depth-first search.
    paper: [PaperRow; 3],
}

const PHILOSOPHERS: Subject =
    Subject { file: "philosophers.pml", property: "response", parameter: ("N", 64), fairness: ProcessFairness::None };

fn tables() -> Vec<Table> {
    vec![
        Table {
            title: "Table 1: two elevators (3 floors, weak fairness)",
            subject: Subject {
                file: "elevator.pml",
                property: "first_answers",
                parameter: ("F", 3),
                fairness: ProcessFairness::Weak,
            },
            paper: [
                ["2,090,933", "2,275,778", "1m18s", "67 + 34"],
                ["2,642,575", "2,827,073", "2m4s", "67 + 34"],
                ["33,900", "11,149", "0.06s", "109 + 100"],
            ],
        },
        Table {
            title: "Table 2: an operator procedure and its plant",
            subject: Subject {
                file: "procedure.pml",
                property: "recovers",
                parameter: ("L", 6),
                fairness: ProcessFairness::None,
            },
            paper: [
                ["178", "369", "1.3s", "15 + 5"],
                ["1,343", "1,427", "0.8s", "15 + 5"],
                ["155,963", "8,500", "1m47s", "18 + 5"],
            ],
        },
        Table {
            title: "Table 3: 64 dining philosophers",
            subject: PHILOSOPHERS,
            paper: [
                ["2,298", "127,813", "6.1s", "196 + 2"],
                ["2,298", "47,118", "13.5s", "196 + 2"],
                ["out of memory", "out of memory", "-", "-"],
            ],
        },
    ]
}

/// Measures everything and writes it to `file`. Each check may take `limit`.
pub(crate) fn run(file: &Path, models: &Path, limit: Duration) -> ExitCode {
    match tables_text(models, limit).and_then(|text| std::fs::write(file, text).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

const INTRODUCTION: &str = "# Directed search: the tables of the paper

Written by `cargo xtask directed`. The tables have the layout of Edelkamp and Jabbar (2006). Their models are lost; ours, in
`models/directed`, have the same subjects, so that figures cannot be compared one by one. What can be compared: A* and
breadth-first search find lassos of the same length, A* expands no more states, and nested depth-first search finds longer lassos.

`astar` is External A*, `external --shortest` is External BFS, `ndfs` is nested depth-first search. For these three *expanded* are the
states that were expanded (for `ndfs` the transitions, as in the paper), *inserted* those that were kept. Of the first two they are
pairs of states. Time is CPU time. Lengths are stem + loop in steps, and in brackets in actions: an atomic sequence is one
step of many actions, and the paper's lengths seem to be in actions. *Disk* is what was written; a search that fits into memory (1 GiB
here) writes nothing. A search that was stopped says after how long, and how many states it had expanded in whole layers; its length, if
there is one, is that of a lasso which is known to be shortest. The paper's figures stand in *italics*, beside one worker.
";

fn tables_text(models: &Path, limit: Duration) -> Result<String, String> {
    let mut text = INTRODUCTION.to_owned();
    for Table { title, subject, paper } in tables() {
        let _ = write!(
            text,
            "\n## {title}\n\n| search | workers | expanded | inserted | time | disk | length | | | | |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
        );
        for ((engine, name), paper) in
            [("astar", "External A*"), ("external", "External BFS"), ("ndfs", "Nested DFS")].into_iter().zip(paper)
        {
            // Nested depth-first search has one thread.
            for workers in if engine == "ndfs" { 1..=1 } else { 1..=3 } {
                let row = measure(models, subject, engine, workers, limit)?;
                let paper =
                    if workers == 1 { paper.map(|cell| format!("*{cell}*")).join(" | ") } else { " | | |".to_owned() };
                let (expanded, inserted, time, disk) = (&row.expanded, &row.inserted, row.time(), &row.disk);
                let length = &row.length;
                let _ = writeln!(
                    text,
                    "| {name} | {workers} | {expanded} | {inserted} | {time} | {disk} | {length} | {paper} |"
                );
            }
        }
    }
    text.push_str("\n## Table 4: 128 dining philosophers, A* with several workers\n\n| workers | time | disk | length | | | |\n|---|---|---|---|---|---|---|\n");
    let paper = [["-", "-", "-"], ["5m54s", "4.7 GB", "388 + 2"], ["4m7s", "5.28 GB", "388 + 2"]];
    for (workers, paper) in (1..).zip(paper) {
        let row =
            measure(models, Subject { parameter: ("N", 128), ..PHILOSOPHERS }, "astar", workers, limit.max(LONG))?;
        let paper = paper.map(|cell| format!("*{cell}*"));
        let _ =
            writeln!(text, "| {workers} | {} | {} | {} | {} |", row.elapsed(), row.disk, row.length, paper.join(" | "));
    }
    text.push_str("\nTime is elapsed time here.\n\n## Philosophers: lengths and expansions\n\n| N | A*: expanded | breadth first: expanded | A*: length | breadth first: length |\n|---|---|---|---|---|\n");
    let mut stems = Vec::new();
    for philosophers in [4, 8, 16, 32, 64, 128] {
        let subject = Subject { parameter: ("N", philosophers), ..PHILOSOPHERS };
        // Directed search is to find the lasso of 128; breadth-first search takes longer than anyone waits.
        let [directed, blind] = [("astar", limit.max(LONG)), ("external", limit)]
            .map(|(engine, limit)| measure(models, subject, engine, 1, limit));
        let (directed, blind) = (directed?, blind?);
        let _ = writeln!(
            text,
            "| {philosophers} | {} | {} | {} | {} |",
            directed.expanded, blind.expanded, directed.length, blind.length
        );
        // What these tables are to show.
        if blind.lasso.is_some() && blind.lasso != directed.lasso {
            return Err(format!("{philosophers} philosophers: {}, breadth first {}", directed.length, blind.length));
        }
        if !blind.stopped && blind.expanded_states < directed.expanded_states {
            return Err(format!("{philosophers} philosophers: A* expands {}, which is more", directed.expanded));
        }
        stems.extend(directed.lasso.map(|lasso| (philosophers as usize, lasso)));
    }
    let _ = writeln!(text, "\n{}", in_actions(&stems));
    Ok(text)
}

/// How the lengths in actions grow with the number of philosophers.
fn in_actions(lassos: &[(usize, Lasso)]) -> String {
    let [(first, one), (second, other), ..] = lassos else { return "Too few lassos were found.".to_owned() };
    let slope = (other.stem_actions - one.stem_actions) / (second - first);
    let rest = one.stem_actions - slope * first;
    let is_linear = |(count, lasso): &(usize, Lasso)| {
        lasso.stem_actions == slope * count + rest && lasso.loop_actions == one.loop_actions
    };
    match lassos.iter().all(is_linear) {
        true => format!("In actions the stem has {slope} N + {rest}, the loop {}, for every N.", one.loop_actions),
        false => "The lengths in actions are not linear in N.".to_owned(),
    }
}

/// A lasso in steps and in actions.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Lasso {
    stem: usize,
    cycle: usize,
    stem_actions: usize,
    loop_actions: usize,
}

struct Row {
    expanded_states: u64,
    lasso: Option<Lasso>,
    expanded: String,
    inserted: String,
    seconds: f64,
    elapsed_seconds: f64,
    disk: String,
    length: String,
    stopped: bool,
}

impl Row {
    fn time(&self) -> String {
        format!("{}{:.2} s", if self.stopped { "stopped after " } else { "" }, self.seconds)
    }
    fn elapsed(&self) -> String {
        format!("{}{:.2} s", if self.stopped { "stopped after " } else { "" }, self.elapsed_seconds)
    }
}

fn measure(
    models: &Path,
    subject: Subject,
    engine: &'static str,
    threads: usize,
    limit: Duration,
) -> Result<Row, String> {
    let Subject { file, property, parameter: (name, value), fairness } = subject;
    eprintln!("{file} {name}={value}, {engine}, {threads} workers");
    let mut read = ReadOptions::default();
    read.defines.push((name.to_owned(), value.to_string()));
    let mut model = Model::read(&models.join(file), &read)
        .map_err(|rejected| rejected.diagnostics.first().map_or(String::new(), |found| found.message.clone()))?;
    let mut options = CheckOptions {
        engine: Some(engine),
        properties: vec![property.to_owned()],
        threads: Some(threads),
        fairness: FairnessOptions { processes: fairness, ..FairnessOptions::default() },
        ..CheckOptions::default()
    };
    options.options.shortest = engine == "external";
    let (before, began) = (cpu_seconds()?, Instant::now());
    let control = Limits { memory_bytes: MEMORY_BYTES, time: Some(limit) }.control();
    let checked = lariat::check(&mut model, &options, &control).map_err(|error| error.to_string())?;
    let (seconds, elapsed_seconds) = (cpu_seconds()? - before, began.elapsed().as_secs_f64());
    let report = checked.settled[0].report();
    // A search that meets a lasso and is stopped in the same layer has not counted that layer.
    let stopped = report.unfinished.is_some();
    let disk = report.stats.disk.as_ref();
    if let Some(paused) = disk.filter(|disk| disk.is_paused) {
        std::fs::remove_dir_all(&paused.folder).map_err(|error| format!("{}: {error}", paused.folder.display()))?;
    }
    let lasso = match &report.verdict {
        Verdict::Fails(_) if disk.is_some_and(|disk| disk.may_be_longer) => None,
        Verdict::Fails(evidence) => {
            let (steps, start) = (&evidence.trace.steps, evidence.trace.loop_start.unwrap_or(0));
            let actions = |steps: &[lariat_engine::TraceStep]| steps.iter().map(|step| step.via.len()).sum::<usize>();
            let (stem, cycle) = steps.split_at(start);
            let (stem_actions, loop_actions) = (actions(stem), actions(cycle));
            Some(Lasso { stem: stem.len(), cycle: cycle.len(), stem_actions, loop_actions })
        }
        Verdict::Undecided(_) => None,
        other => return Err(format!("{file}: {other:?}")),
    };
    let length = lasso.map_or("-".to_owned(), |Lasso { stem, cycle, stem_actions, loop_actions }| {
        format!("{stem} + {cycle} ({stem_actions} + {loop_actions})")
    });
    let expanded_states = disk.map_or(report.stats.transitions, |disk| disk.expanded);
    Ok(Row {
        expanded_states,
        lasso,
        expanded: format!("{}{}", if stopped { "over " } else { "" }, grouped(expanded_states)),
        inserted: grouped(report.stats.states),
        disk: disk.map_or("-".to_owned(), |disk| format!("{:.1} MB", disk.written_bytes as f64 / 1e6)),
        seconds,
        elapsed_seconds,
        length,
        stopped,
    })
}

/// With commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
    groups.join(",")
}

fn cpu_seconds() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(|error| error.to_string())?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
