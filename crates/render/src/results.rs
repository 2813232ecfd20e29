//! Verdicts and figures as text: short, one line a property.

use crate::ending::failure_message;
use crate::witness::write_witnesses;
use crate::{Origin, Style, TraceText, TraceView, WriteLimit, profile_text};
use lariat_base::SourceMap;
use lariat_engine::{
    Audit, ClusterFigures, DiskFigures, Evidence, GpuFigures, Packing, Quantity, Remembered, Settled, Shortfall,
    TraceStep, Unproven, Unreached, Verdict, WorkerFigures,
};
use std::ffi::OsStr;
use std::fmt::{self, Write};
use std::path::Path;
use std::time::Duration;

/// What every rendering of a run's results needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// The model's name, as the user gave it.
    pub model: &'a str,
    /// What made the model beside its text; documents that can be read again tell it.
    pub origin: Option<&'a Origin>,
    /// The texts it was read from.
    pub sources: &'a SourceMap,
    /// Statements that a whole search never saw executed; `None` if it was not the whole.
    pub unreached: Option<&'a [Unreached]>,
    /// Whether all failures were asked for.
    pub keep_going: bool,
    /// Whether stacks may go to a disk.
    pub has_disk: bool,
    /// Where the trail of the first failure was saved, if it was.
    pub trail: Option<&'a str>,
    /// How many lines of a trace are shown as text, if not all; the rest is left out in the middle.
    pub trace_lines: Option<usize>,
    /// When to stop writing traces, if ever.
    pub limit: Option<&'a WriteLimit<'a>>,
    /// Whether documents carry the texts of the model, where its processes stand, and the automata of its properties: all that a
    /// report shows.
    pub with_model: bool,
    /// Whether they carry graphs too: how control moves in processes, and the states around runs.
    pub with_graphs: bool,
}

/// The verdicts, the figures, the traces of what fails, and the profiles that were asked for: all that is to be read of a
/// run. Traces are made while they are written.
#[derive(Debug)]
pub struct Results<'a> {
    /// What is known beside the results.
    pub context: &'a Context<'a>,
    /// The results.
    pub settled: &'a [Settled],
    /// Whether there are colours.
    pub style: Style,
}

impl fmt::Display for Results<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, settled) in self.settled.iter().enumerate() {
            if number > 0 && has_runs(&self.settled[number - 1]) {
                writeln!(f)?;
            }
            self.write_answer(f, settled)?;
        }
        Ok(())
    }
}

/// Whether more than verdict and figures is shown of a property, so that a blank line is wanted before the next one.
pub fn has_runs(settled: &Settled) -> bool {
    !settled.witnesses().is_empty() || settled.failures().len() > 0 || settled.report().profile.is_some()
}

impl Results<'_> {
    /// The verdict and the figures of a property, its traces, and its profile.
    fn write_answer(&self, f: &mut fmt::Formatter<'_>, settled: &Settled) -> fmt::Result {
        let Self { context, style, .. } = *self;
        writeln!(f, "{}: {}", style.strong(settled.name()), verdict_text(context, settled, style))?;
        if matches!(settled.report().verdict, Verdict::Undecided(Shortfall::NotStarted { .. })) {
            return Ok(());
        }
        self.write_figures(f, settled)?;
        if settled.witnesses().is_empty() {
            self.write_failures(f, settled)?;
        } else {
            write_witnesses(f, context, settled, style)?;
        }
        if let Some(profile) = &settled.report().profile {
            write!(f, "\n{}", profile_text(settled.name(), profile, context.sources, style))?;
        }
        Ok(())
    }

    fn write_figures(&self, f: &mut fmt::Formatter<'_>, settled: &Settled) -> fmt::Result {
        let Self { context, .. } = *self;
        writeln!(f, "  {}", figures_text(settled))?;
        if let Some(remembered) = &settled.report().stats.remembered {
            let mut line = remembered_text(remembered);
            let is_full = matches!(settled.report().verdict, Verdict::Undecided(Shortfall::Memory { .. }));
            if is_full && !context.has_disk {
                line.push_str(" (the stack can be on a disk: `--disk`)");
            }
            writeln!(f, "  {line}")?;
        }
        if let Some(audit) = &settled.report().stats.audit {
            writeln!(f, "  {}", audit_text(audit))?;
        }
        if let Some(packing) = &settled.report().stats.packing {
            writeln!(f, "  {}", packing_text(packing))?;
        }
        if let Some(disk) = &settled.report().stats.disk {
            write_disk(f, disk)?;
        }
        if let Some(cluster) = &settled.report().stats.cluster {
            write_cluster(f, cluster)?;
        }
        if let Some(gpu) = &settled.report().stats.gpu {
            write_gpu(f, gpu)?;
        }
        if settled.report().taken.is_some() {
            f.write_str(&unreached_text(context))?;
        }
        Ok(())
    }

    fn write_failures(&self, f: &mut fmt::Formatter<'_>, settled: &Settled) -> fmt::Result {
        let Self { context, style, .. } = *self;
        for (evidence, story) in settled.failures() {
            let view = TraceView::new(settled.system(), context.sources, evidence, story);
            let message = &view.ending.message;
            match &view.cycle {
                // The message says when.
                _ if view.decided.is_some() => {
                    writeln!(f, "\n{}: {message}:", settled.name())?;
                }
                Some(cycle) => {
                    let (stem, steps) = (cycle.start as u64, (view.step_count - cycle.start) as u64);
                    let (stem, steps) = (counted(stem, "step"), counted(steps, "step"));
                    let actions = actions_text(evidence, cycle.start);
                    writeln!(f, "\n{}: {message}: {stem}, then {steps} for ever{actions}:", settled.name())?;
                }
                None => {
                    let steps = counted(view.step_count as u64, "step");
                    writeln!(f, "\n{}: {message}, after {steps}:", settled.name())?;
                }
            }
            write!(f, "{}", TraceText { view: &view, context, style })?;
        }
        Ok(())
    }
}

/// All verdicts in one line, by name where a property does not hold. `None` for a single property: its own line says it.
pub fn summary_text(settled: &[Settled], style: Style) -> Option<String> {
    if settled.len() < 2 {
        return None;
    }
    let group = |is_it: fn(&Verdict) -> bool| -> Vec<&str> {
        settled.iter().filter(|settled| is_it(&settled.report().verdict)).map(Settled::name).collect()
    };
    let named = |names: &[&str], word: String| match names.len() {
        0 => None,
        count => Some(format!("{count} {word} ({})", names.join(", "))),
    };
    let holding = group(|verdict| matches!(verdict, Verdict::Holds)).len();
    let failing = group(|verdict| matches!(verdict, Verdict::Fails(_)));
    let undecided = group(|verdict| matches!(verdict, Verdict::Undecided(_)));
    let numbers = group(|verdict| matches!(verdict, Verdict::Computed(_))).len();
    let fail = if failing.len() == 1 { "fails" } else { "fail" };
    let parts = [
        (holding > 0).then(|| format!("{holding} {}", style.good(if holding == 1 { "holds" } else { "hold" }))),
        named(&failing, style.bad(fail)),
        named(&undecided, style.doubtful("undecided")),
        (numbers > 0).then(|| format!("{numbers} computed")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(format!("{} properties: {}\n", settled.len(), parts.join(", ")))
}

/// ` (196 actions, then 2)` for a run whose steps have several actions, as atomic sequences do.
fn actions_text(evidence: &Evidence, loop_start: usize) -> String {
    let steps = &evidence.trace.steps;
    let count = |steps: &[TraceStep]| steps.iter().map(|step| step.via.len() as u64).sum::<u64>();
    if loop_start > steps.len() || steps.iter().all(|step| step.via.len() <= 1) {
        return String::new();
    }
    let (stem, cycle) = steps.split_at(loop_start);
    format!(" ({}, then {})", counted(count(stem), "action"), count(cycle))
}

/// The statements that are never executed, as many of them as people would read.
fn unreached_text(context: &Context<'_>) -> String {
    const SHOWN: usize = 20;
    let unreached = context.unreached.unwrap_or_default();
    let mut text = String::new();
    if !unreached.is_empty() {
        text.push_str("  never reached:\n");
    }
    let width = unreached.iter().take(SHOWN).map(|one| one.statement.process.chars().count()).max().unwrap_or(0);
    for Unreached { statement, blocked } in unreached.iter().take(SHOWN) {
        let place = match context.sources.file(statement.span.file) {
            Some(file) => {
                let name =
                    Path::new(&file.name).file_name().map_or_else(|| file.name.as_str().into(), OsStr::to_string_lossy);
                format!("{name}:{}  ", context.sources.line(statement.span))
            }
            None => String::new(),
        };
        let blocked = if *blocked { "  (always blocked)" } else { "" };
        let _ = writeln!(text, "    {:width$}  {place}{}{blocked}", statement.process, statement.text);
    }
    if unreached.len() > SHOWN {
        let _ = writeln!(text, "    and {} more (all of them with --json)", unreached.len() - SHOWN);
    }
    text
}

fn verdict_text(context: &Context<'_>, settled: &Settled, style: Style) -> String {
    let report = settled.report();
    match &report.verdict {
        Verdict::Holds => match settled.vacuity() {
            Some(why) => format!("{} (vacuously: {why})", style.good("holds")),
            None => style.good("holds"),
        },
        Verdict::Computed(quantity) => quantity_text(*quantity, style),
        Verdict::Undecided(shortfall) => {
            let mut text = format!("{}, {}", style.doubtful("undecided"), shortfall_text(shortfall));
            if let Some(Unproven { kind, steps }) = report.unproven {
                let message = failure_message(settled.system(), kind);
                let steps = counted(steps, "step");
                let _ =
                    write!(text, "; a failure was met ({message}, after {steps}), but its run could not be replayed");
            }
            text
        }
        Verdict::Fails(_) => {
            let first = settled.failures().next();
            let ending = first
                .map(|(evidence, story)| TraceView::new(settled.system(), context.sources, evidence, story).ending);
            let (message, detail) = ending.map(|ending| (ending.message, ending.detail)).unwrap_or_default();
            let mut text = format!("{}, {message}", style.bad("fails"));
            if let Some(detail) = detail {
                let _ = write!(text, " ({detail})");
            }
            if context.keep_going {
                let kinds = settled.failures().len() as u64;
                let _ = write!(text, " ({}, {})", counted(report.failure_count, "failure"), counted(kinds, "kind"));
                if let Some(shortfall) = &report.unfinished {
                    let _ = write!(text, "; not everything was seen: {}", shortfall_text(shortfall));
                }
            }
            text
        }
    }
}

/// A number of steps, or why there is none.
fn quantity_text(quantity: Quantity, style: Style) -> String {
    let value = match quantity.steps() {
        Some(steps) => counted(steps, "step"),
        None => quantity.to_string(),
    };
    let reason = quantity.reason().map_or(String::new(), |reason| format!(", {reason}"));
    format!("{}{reason}", style.strong(value))
}

/// The limit that was met, in words.
pub fn shortfall_text(shortfall: &Shortfall) -> String {
    match shortfall {
        Shortfall::Memory { limit_bytes } => format!("the memory limit of {} was reached", bytes_text(*limit_bytes)),
        Shortfall::GraphSize { limit } => format!(
            "the graph has more than {} or {}, or takes long to write out",
            counted(limit.states as u64, "state"),
            counted(limit.steps as u64, "step")
        ),
        Shortfall::Effort => "decision diagrams cost more than listing the states would".to_owned(),
        Shortfall::Time { limit } => format!("the time limit of {} was reached", duration_text(*limit)),
        Shortfall::Interrupted => "interrupted".to_owned(),
        Shortfall::NotStarted { time_limit: None } => "not started: the run was interrupted".to_owned(),
        Shortfall::NotStarted { time_limit: Some(limit) } => {
            format!("not started: the time limit of {} was reached", duration_text(*limit))
        }
        Shortfall::Depth { limit } => format!("the search was bounded to depth {limit}"),
        Shortfall::Automaton => {
            "the formula, with fairness formulas if there are any, is too large to be made an automaton".to_owned()
        }
        Shortfall::Disk => "the disk could not be written or read".to_owned(),
        Shortfall::Cluster => "another process of the cluster is lost".to_owned(),
        Shortfall::Branching => {
            "formulas of branching time go neither with `--fair-ltl` and `--fair-automaton` nor with propositions about steps"
                .to_owned()
        }
        Shortfall::Lossy { coverage } => {
            format!("no failure was found; estimated coverage at most {} %", percent_text(*coverage))
        }
    }
}

/// What a search on disk did, and how it can go on.
fn write_disk(f: &mut fmt::Formatter<'_>, disk: &DiskFigures) -> fmt::Result {
    let moved = disk.read_bytes + disk.written_bytes;
    let resumed = if disk.is_resumed { ", resumed" } else { "" };
    let bound = match disk.bound_bytes {
        0 => String::new(),
        bound => format!(": {:.2} times the scan and sort bound", moved as f64 / bound as f64),
    };
    let layers = format!("{}, {} expanded", counted(disk.layers, "layer"), counted(disk.expanded, "state"));
    if moved == 0 {
        writeln!(f, "  {layers}, nothing went to the disk{resumed}")?;
    } else {
        writeln!(
            f,
            "  {layers}, {} on disk, {} written, {} read{bound}{resumed}",
            bytes_text(disk.layer_bytes),
            bytes_text(disk.written_bytes),
            bytes_text(disk.read_bytes),
        )?;
    }
    if let Some(trouble) = &disk.trouble {
        writeln!(f, "  {trouble}")?;
    }
    if disk.may_be_longer {
        writeln!(f, "  the run may not be a shortest one: the search was stopped before it had seen all shorter ones")?;
    }
    if disk.is_paused {
        let path = disk.folder.display();
        let first = if disk.trouble.is_some() { "when that is mended, " } else { "" };
        writeln!(f, "  paused: {first}go on with `lariat resume {path}`, or delete that folder")?;
    }
    Ok(())
}

/// What a graphics card did.
fn write_gpu(f: &mut fmt::Formatter<'_>, gpu: &GpuFigures) -> fmt::Result {
    let GpuFigures { card, compile_time, is_compiled_before, search_time, key_bits, restarts, punts, memory_bytes } =
        gpu;
    let compiled = match is_compiled_before {
        true => "kernels compiled before".to_owned(),
        false => format!("kernels compiled in {:.1} s", compile_time.as_secs_f64()),
    };
    let (searched, bytes) = (search_time.as_secs_f64(), bytes_text(*memory_bytes));
    writeln!(f, "  {card}: searched in {searched:.3} s, {compiled}, states of {key_bits} bits, {bytes} of the card")?;
    if *restarts > 0 {
        let restarts = counted(*restarts, "time");
        writeln!(f, "  began again {restarts}, because values did not fit the keys that were tried")?;
    }
    if *punts > 0 {
        writeln!(f, "  of {} the processor listed steps", counted(*punts, "state"))?;
    }
    Ok(())
}

/// What workers that share the states did.
fn write_cluster(f: &mut fmt::Formatter<'_>, cluster: &ClusterFigures) -> fmt::Result {
    if let Some(trouble) = &cluster.trouble {
        return writeln!(f, "  {trouble}");
    }
    let workers = counted(cluster.workers.len() as u64, "worker");
    let processes = match cluster.processes {
        1 => String::new(),
        processes => format!(" in {processes} processes"),
    };
    let sent = |of: fn(&WorkerFigures) -> u64| cluster.workers.iter().map(of).sum::<u64>();
    let (states, bytes) = (sent(|worker| worker.sent_states), sent(|worker| worker.sent_bytes));
    writeln!(
        f,
        "  {workers}{processes}, {} ({}) sent, imbalance {:.2}",
        counted(states, "state"),
        bytes_text(bytes),
        cluster.imbalance()
    )?;
    if cluster.workers.len() > 1 {
        for (number, worker) in cluster.workers.iter().enumerate() {
            let (states, sent) = (counted(worker.states, "state"), bytes_text(worker.sent_bytes));
            writeln!(f, "    worker {number}: {states}, {} stored, {sent} sent", bytes_text(worker.store_bytes))?;
        }
    }
    Ok(())
}

/// The word for scripts.
pub(crate) fn shortfall_word(shortfall: &Shortfall) -> &'static str {
    match shortfall {
        Shortfall::Memory { .. } => "memory",
        Shortfall::GraphSize { .. } => "graph_size",
        Shortfall::Effort => "effort",
        Shortfall::Time { .. } => "time",
        Shortfall::Interrupted => "interrupted",
        Shortfall::NotStarted { .. } => "not_started",
        Shortfall::Depth { .. } => "depth",
        Shortfall::Automaton => "formula",
        Shortfall::Disk => "disk",
        Shortfall::Cluster => "cluster",
        Shortfall::Branching => "branching",
        Shortfall::Lossy { .. } => "lossy",
    }
}

/// So many states, of any number; `small` if it is one of 64 bits.
fn states_text(small: Option<u64>, states: impl fmt::Display) -> String {
    small.map_or_else(|| format!("{} states", grouped(states)), |states| counted(states, "state"))
}

fn figures_text(settled: &Settled) -> String {
    let stats = &settled.report().stats;
    let memory = stats.peak_memory_bytes;
    if let Some(figures) = &stats.symbolic {
        let states = match &figures.cone {
            None => states_text(figures.states.to_u64(), &figures.states),
            Some(cone) => format!(
                "decided by {} of {} variables: {}; in all at least {}",
                cone.variables,
                figures.variables,
                states_text(cone.states.to_u64(), &cone.states),
                states_text(figures.states.to_u64(), &figures.states)
            ),
        };
        let depth = match figures.passes {
            Some(1) => "1 pass".to_owned(),
            Some(passes) => format!("{} passes", grouped(passes)),
            None => format!("depth {}", grouped(stats.depth)),
        };
        return format!(
            "{states}, {depth}, {}, at most {}, {}, {} ({})",
            counted(figures.nodes, "node"),
            grouped(figures.peak_nodes),
            duration_text(stats.elapsed),
            bytes_text(memory),
            settled.engine(),
        );
    }
    format!(
        "{}, {}, depth {}, {}, {} ({}{})",
        counted(stats.states, "state"),
        counted(stats.transitions, "transition"),
        grouped(stats.depth),
        duration_text(stats.elapsed),
        bytes_text(memory),
        settled.engine(),
        if stats.is_reduced { ", reduced" } else { "" },
    )
}

/// What an audit compared.
fn audit_text(audit: &Audit) -> String {
    let verdict = if audit.verdicts { "the same verdict" } else { "verdicts not compared: one is undecided" };
    let Some(graphs) = &audit.graphs else {
        return format!("audit: {verdict}; the graphs were not compared: a limit was met");
    };
    let letters = graphs.letters.map(|count| format!(", {}", counted(count, "letter"))).unwrap_or_default();
    format!(
        "audit: {} of {}; {verdict}, {}, {}, {} taken{letters}",
        grouped(graphs.left),
        counted(graphs.states, "state"),
        counted(graphs.dead_ends, "dead end"),
        counted(graphs.faults, "run-time error"),
        counted(graphs.actions, "action"),
    )
}

/// Above this share of bits that are set, nothing that is measured tells how much was missed: too many ways are cut off.
const TELLING_LOAD: f64 = 0.5;

/// What a memory that forgets, or that may take new states for known ones, has to tell.
fn remembered_text(remembered: &Remembered) -> String {
    let mut parts = Vec::new();
    if let Some(missed) = remembered.missed_states
        && missed >= 0.5
    {
        let how = match remembered.runs_compared {
            Some(runs) => format!(" (by what {runs} runs saw)"),
            // One run cannot see what hangs on what it missed.
            None if missed >= 1.0 && remembered.load.is_some() => " (`--runs 3` measures it)".to_owned(),
            None => String::new(),
        };
        parts.push(format!("at least about {} missed{how}", counted(missed.round() as u64, "state")));
    }
    if let Some(probability) = remembered.omission_probability
        && probability > 0.0
    {
        parts.push(match probability {
            0.0 => "no state was taken for another".to_owned(),
            ..0.001 => format!("some state was taken for another with probability {probability:.0e}"),
            _ => format!("some state was taken for another with probability {probability:.3}"),
        });
    }
    if let (Some(load), Some(hashes)) = (remembered.load, remembered.hashes) {
        parts.push(format!("{:.2} % of the bits set by {}", load * 100.0, counted(u64::from(hashes), "hash function")));
    }
    if remembered.load.is_some_and(|load| load > TELLING_LOAD) {
        parts.push("with a table as full as this far more may be missing".to_owned());
    }
    if remembered.folds > 0 {
        let times = counted(u64::from(remembered.folds), "time");
        parts.push(format!("half of the table went to the stack {times} (`--disk` spares it)"));
    }
    if remembered.omission_probability.is_none() {
        parts.push(counted(remembered.insertions, "insertion"));
        parts.push(counted(remembered.evictions, "eviction"));
        if let Some(of_each) = remembered.insertions_of_each.filter(|_| remembered.evictions > 0) {
            parts.push(format!("each state inserted about {of_each:.2} times"));
        }
    }
    if remembered.runs > 1 {
        parts.push(format!("{} runs", remembered.runs));
    }
    parts.join(", ")
}

/// A share, such that 100 is said only of all.
fn percent_text(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        ..99.9 => format!("{percent:.1}"),
        ..99.99999 => format!("{:.5}", (percent * 1e5).floor() / 1e5),
        _ if share < 1.0 => "99.99999".to_owned(),
        _ => "100".to_owned(),
    }
}

/// What hybrid storage comes to.
fn packing_text(packing: &Packing) -> String {
    let smaller = if packing.matched() > packing.break_even() { "smaller" } else { "no smaller" };
    format!(
        "{} for {}, {} bytes for {} ({smaller}: {:.1} % share a packet, and {:.1} % break even)",
        counted(packing.packets, "packet"),
        counted(packing.states, "state"),
        grouped(packing.hybrid_bytes()),
        grouped(packing.classical_bytes()),
        packing.matched() * 100.0,
        packing.break_even() * 100.0,
    )
}

/// `1 state`, `2 states`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// `1,234,567`.
pub fn grouped(number: impl fmt::Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration, with as many digits as people want.
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        ..1.0 => format!("{:.0} ms", seconds * 1000.0),
        ..60.0 => format!("{seconds:.1} s"),
        ..3600.0 => format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60),
        _ => format!("{} h {:02} min", duration.as_secs() / 3600, duration.as_secs() / 60 % 60),
    }
}

/// `1.5 GiB`.
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return counted(bytes, "byte");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(amount < 100.0 && amount.fract() >= 0.05);
    format!("{amount:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([512, 2048, 1536 << 20].map(bytes_text), ["512 bytes", "2 KiB", "1.5 GiB"]);
        assert_eq!(duration_text(Duration::from_millis(90_500)), "1 min 30 s");
        assert_eq!(duration_text(Duration::from_millis(12)), "12 ms");
        assert_eq!([0.5, 0.99912, 0.999_999_999_9, 1.0].map(percent_text), ["50.0", "99.91200", "99.99999", "100"]);
    }
}
