//! `cargo xtask lengths`: shortest counterexamples are shortest.
//!
//! For each system all engines that can be asked for a shortest run (`bfs`, `external` and `astar` with every heuristic, on one
//! thread and on two, some with buffers of a few states) must report runs of the same length. No other engine may report a
//! shorter one, and the length must be the one that code without engines, products and automata finds: by going through all states
//! for `safety` and for `[] p`, and by trying all lassos of a length before any longer one. That is given up where there are too many;
//! how often is counted.
//!
//! A seed stands for two systems: one of at most ten states with four random formulas and sets of fairness constraints
//! ([`TemporalCase`]), and a larger one with `safety` and five formulas.

use lariat_automata::{TranslateOptions, translate};
use lariat_engine::{
    Demand, Disk, Engine, Feature, HeuristicKind, Options, Property, Refusal, Report, RunControl, Settled,
    SystemReplay, Task, Temporal, Verdict,
};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use lariat_testkit::oracle::{GraphLimits, RunGraph, RunLasso, nearest_failures, nearest_without};
use lariat_testkit::{Knobs, RandomSystem, Rng, TemporalCase, shrink};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const MEMORY_BYTES: u64 = 1 << 26;
/// How many paths of one length are tried to find a shortest lasso.
const PATHS: usize = 20_000;
/// How long engines for sets of states may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// The states of the larger system.
const STATES: std::ops::RangeInclusive<usize> = 5..=400;
/// Formulas of a small system.
const CASES_OF_A_SYSTEM: u64 = 4;
/// Buffers of few states are slow, as files are made: one system in so many has them.
const SMALL_BUFFERS_EVERY: u64 = 8;
const BUFFER_STATES: usize = 40;

/// What was compared.
type Counts = BTreeMap<&'static str, u64>;

/// Compares the systems of `systems` seeds from `first_seed` on.
pub(crate) fn run(first_seed: u64, systems: u64) -> ExitCode {
    let started = Instant::now();
    let counts = Mutex::new(Counts::new());
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !stopped.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= systems {
                        break;
                    }
                    if number.is_multiple_of(100) && std::io::stderr().is_terminal() {
                        eprint!("\r{number} of {systems} systems");
                    }
                    let mut of_seed = Counts::new();
                    match examine(first_seed.wrapping_add(number), &mut of_seed) {
                        Ok(()) => {
                            let mut counts = counts.lock().expect("nobody panics here");
                            of_seed.into_iter().for_each(|(what, count)| *counts.entry(what).or_default() += count);
                        }
                        Err(difference) => {
                            if !stopped.swap(true, Ordering::Relaxed) {
                                println!("seed {}: {difference}", first_seed.wrapping_add(number));
                            }
                        }
                    }
                }
            });
        }
    });
    if stopped.into_inner() {
        return ExitCode::FAILURE;
    }
    println!("{systems} seeds from {first_seed} on: all shortest runs have the same length");
    for (what, count) in counts.into_inner().expect("nobody panics here") {
        println!("{count:10} {what}");
    }
    println!("{:.1} s", started.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Compares both systems of a seed; a difference is shrunk.
fn examine(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let small_buffers = seed.is_multiple_of(SMALL_BUFFERS_EVERY);
    for case in (0..CASES_OF_A_SYSTEM).map(|number| TemporalCase::generate(CASES_OF_A_SYSTEM * seed + number)) {
        compare_case(&case, small_buffers, counts).map_err(|first| {
            let fails = |case: &TemporalCase| compare_case(case, small_buffers, &mut Counts::new()).is_err();
            format!("{first}\n\n{case}\nshrunk:\n{}", case.shrunk(fails))
        })?;
    }
    count(counts, "small systems, each with four formulas", 1);
    let system = RandomSystem::of_size(seed, &Knobs::default(), STATES)
        .unwrap_or_else(|| RandomSystem::generate(seed, &Knobs::default()));
    compare_larger(&system, seed, small_buffers, counts).map_err(|first| {
        let fails = |system: &System| compare_larger(system, seed, small_buffers, &mut Counts::new()).is_err();
        format!("{first}\n\n{system}\nshrunk:\n{}", shrink(&system, fails))
    })?;
    count(counts, "larger systems, each with `safety` and up to five formulas", 1);
    Ok(())
}

fn count(counts: &mut Counts, what: &'static str, number: u64) {
    *counts.entry(what).or_default() += number;
}

/// A panic is a difference too.
fn without_panic<T>(compare: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(compare)).unwrap_or_else(|payload| {
        let message = payload.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", message.or(payload.downcast_ref::<&str>().copied()).unwrap_or("without words")))
    })
}

/// What is known of a shortest run without any engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// There is none: the property holds.
    Holds,
    /// It has so many steps.
    Steps(usize),
    /// It has more than so many.
    MoreThan(usize),
    Nothing,
}

fn compare_case(case: &TemporalCase, small_buffers: bool, counts: &mut Counts) -> Result<(), String> {
    without_panic(|| {
        let system = &case.system;
        let Some(graph) = RunGraph::new(system, &GraphLimits::default()) else { return Ok(()) };
        let labels = case.labels().ok_or("a proposition is not a label")?;
        let Some(temporal) = temporal(&case.formula, &case.propositions, labels.clone()) else { return Ok(()) };
        let bad = case.formula.negated();
        let is_bad = |lasso: &RunLasso<'_>| lasso.is_fair(&system.fairness) && lasso.satisfies(&bad, &labels);
        let known = || match graph.has_fair_run(&bad, &labels, &system.fairness, PATHS) {
            None => Known::Nothing,
            Some(false) => Known::Holds,
            Some(true) => match graph.shortest_lasso(PATHS, is_bad) {
                Ok(steps) => Known::Steps(steps),
                Err(none) => Known::MoreThan(none),
            },
        };
        let replay = SystemReplay::of_temporal(system, &temporal).map_err(|error| error.to_string())?;
        let subject = Subject { system, property: Property::Temporal(Box::new(temporal.clone())), replay: &replay };
        compare(&subject, &known, Kind::Lasso, small_buffers, counts)
    })
}

fn compare_larger(system: &System, seed: u64, small_buffers: bool, counts: &mut Counts) -> Result<(), String> {
    without_panic(|| {
        let replay = SystemReplay::new(system).map_err(|error| error.to_string())?;
        for invalid_ends in [true, false] {
            let subject = Subject { system, property: Property::Safety { invalid_ends }, replay: &replay };
            let known = || match nearest_failures(system, 10 * STATES.end()) {
                None => Known::Nothing,
                Some(nearest) => nearest.steps(invalid_ends).map_or(Known::Holds, Known::Steps),
            };
            compare(&subject, &known, Kind::Safety, small_buffers, counts)?;
        }
        let of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let labels: Vec<LabelId> = system.labels.ids().filter(of_states).collect();
        if labels.is_empty() {
            return Ok(());
        }
        let names = labels.iter().map(|&label| system.labels[label].name.as_str());
        let propositions = Propositions::named(names);
        let mut rng = Rng::new(seed);
        let (first, second) = (rng.below(labels.len()), rng.below(labels.len()));
        let [p, q] = [first, second].map(|number| Formula::prop(PropId(number as u32)));
        let again = |formula: Formula| Formula::globally(Formula::finally(formula));
        let formulas = [
            (Formula::globally(p.clone()), true),
            (again(p.clone()), false),
            (Formula::finally(Formula::globally(p.clone())), false),
            (Formula::globally(Formula::implies(p.clone(), Formula::finally(q.clone()))), false),
            (Formula::implies(again(p), again(q)), false),
        ];
        for (formula, is_invariant) in formulas {
            let Some(temporal) = temporal(&formula, &propositions, labels.clone()) else { continue };
            let replay = SystemReplay::of_temporal(system, &temporal).map_err(|error| error.to_string())?;
            let property = Property::Temporal(Box::new(temporal.clone()));
            // Where only fair or infinite runs count, it does not help to have seen a state.
            let counts_all = system.fairness.is_empty() && system.dead_ends == DeadEnds::Stutter;
            let is_walked = is_invariant && counts_all;
            let known = || match nearest_without(system, labels[first], 10 * STATES.end()) {
                Some(nearest) if is_walked => nearest.map_or(Known::Holds, Known::Steps),
                _ => Known::Nothing,
            };
            compare(&Subject { system, property, replay: &replay }, &known, Kind::Formula, small_buffers, counts)?;
        }
        Ok(())
    })
}

fn temporal(formula: &Formula, propositions: &Propositions, labels: Vec<LabelId>) -> Option<Temporal> {
    let bad = formula.negated();
    let names: Vec<String> = propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect();
    let automaton = translate(&bad, propositions, &TranslateOptions::default()).ok()?;
    let demands = vec![Demand::Satisfies(bad)];
    Some(Temporal { bad: automaton.over_propositions(&names), labels, demands, is_of_all_states: false })
}

/// What is settled.
struct Subject<'a> {
    system: &'a System,
    property: Property,
    replay: &'a SystemReplay<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Safety,
    /// Tried by all lassos.
    Lasso,
    /// Of a larger system.
    Formula,
}

/// How long a run is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Length {
    /// Steps in all.
    Run(usize),
    /// Steps after which it is bad, whatever follows.
    Prefix(usize),
}

/// The length of the run that shows a failure; `None` if it holds.
fn length(report: &Report) -> Result<Option<Length>, String> {
    match &report.verdict {
        Verdict::Holds => Ok(None),
        Verdict::Fails(evidence) => Ok(Some(match evidence.trace.decided {
            Some(decided) => Length::Prefix(decided),
            None => Length::Run(evidence.trace.steps.len()),
        })),
        other => Err(format!("{other:?}")),
    }
}

impl Subject<'_> {
    /// The length that an engine reports, whose run replays; `None` if it refuses.
    fn settled(&self, engine: &dyn Engine, options: Options) -> Result<Option<Option<Length>>, String> {
        let said = |what: String| {
            let Options { threads, shortest, heuristic, .. } = &options;
            let buffer = options.disk.as_ref().and_then(|disk| disk.buffer_states);
            let name = engine.name();
            format!("{name}, {threads} threads, shortest {shortest}, {heuristic:?}, buffers {buffer:?}: {what}")
        };
        let task = Task::of_system(self.system, self.property.clone(), options.clone());
        let Ok(prepared) = engine.prepare(&task) else { return Ok(None) };
        // Sets of states of a random system may take more than anyone has.
        let may_give_up = ["symbolic", "graph"].contains(&engine.name());
        let control = RunControl::new(MEMORY_BYTES, may_give_up.then_some(PATIENCE));
        let report = prepared.run(&control).map_err(|error| said(error.to_string()))?;
        control.answered();
        if may_give_up && matches!(report.verdict, Verdict::Undecided(_)) {
            return Ok(None);
        }
        let length = length(&report).map_err(said)?;
        Settled::new("case", engine.name(), Arc::new(self.system.clone()), report, self.replay)
            .map_err(|error| said(format!("a trace does not replay: {error}")))?;
        Ok(Some(length))
    }
}

/// Every way to ask for a shortest run.
fn shortest_ways(small_buffers: bool) -> Vec<(&'static dyn Engine, Options)> {
    let mut ways = Vec::new();
    for engine in lariat::engines() {
        let is_directed = engine.name() == "astar";
        let on_disk = engine.has_run_directory();
        let heuristics: &[Option<HeuristicKind>] = match is_directed {
            true => &[
                Some(HeuristicKind::None),
                Some(HeuristicKind::Automaton),
                Some(HeuristicKind::Control),
                Some(HeuristicKind::Both),
            ],
            false => &[None],
        };
        for &heuristic in heuristics {
            let plain = Options { shortest: true, threads: 1, heuristic, ..Options::default() };
            ways.push((engine, plain.clone()));
            if engine.most_threads() > 1 && !is_directed {
                ways.push((engine, Options { threads: 2, ..plain.clone() }));
            }
            if on_disk && small_buffers {
                let disk = Disk { buffer_states: Some(BUFFER_STATES), ..Disk::default() };
                ways.push((engine, Options { threads: 2, disk: Some(disk), ..plain }));
            }
        }
    }
    ways
}

fn compare(
    subject: &Subject<'_>,
    known: &dyn Fn() -> Known,
    kind: Kind,
    small_buffers: bool,
    counts: &mut Counts,
) -> Result<(), String> {
    let mut shortest: Option<(&'static str, Option<Length>)> = None;
    let mut directed = 0;
    for (engine, options) in shortest_ways(small_buffers) {
        if options.heuristic.is_some() {
            let task = Task::of_system(subject.system, subject.property.clone(), options.clone());
            // Not every heuristic means something for every property.
            if matches!(engine.prepare(&task), Err(Refusal { feature: Feature::Heuristic, .. })) {
                continue;
            }
        }
        let Some(found) = subject.settled(engine, options)? else { continue };
        count(counts, "runs of engines that were asked for a shortest run", 1);
        directed += u64::from(engine.name() == "astar");
        match shortest {
            None => shortest = Some((engine.name(), found)),
            Some((first, expected)) if expected != found => {
                return Err(format!("{} reports {found:?}, and {first} {expected:?}", engine.name()));
            }
            Some(_) => {}
        }
    }
    let Some((_, shortest)) = shortest else {
        count(counts, "refused by all", 1);
        return Ok(());
    };
    count(counts, "runs of A* among these", directed);
    for engine in lariat::engines() {
        let Some(found) = subject.settled(engine, Options::default())? else { continue };
        count(counts, "runs of engines that were not asked for a shortest run", 1);
        let name = engine.name();
        match (shortest, found) {
            (None, None) => {}
            (Some(Length::Run(ours)), Some(Length::Run(theirs))) if theirs < ours => {
                return Err(format!("{name} has {theirs} steps, and a shortest run {ours}"));
            }
            (Some(Length::Prefix(ours)), Some(Length::Prefix(theirs))) if theirs < ours => {
                return Err(format!("{name} is decided after {theirs} steps, and a shortest prefix after {ours}"));
            }
            (Some(_), Some(_)) => {}
            _ => return Err(format!("{name} reports {found:?}, and others {shortest:?}")),
        }
    }
    let (holds, fails, proven) = match (kind, shortest) {
        (Kind::Safety, _) => ("`safety`: holds", "`safety`: fails", "`safety`: fails, length by all states"),
        (_, Some(Length::Prefix(_))) => ("", "prefix: fails", "prefix: fails, length by all states"),
        (Kind::Lasso, _) => ("small lasso: holds", "small lasso: fails", "small lasso: fails, length by all lassos"),
        (Kind::Formula, _) => ("larger lasso: holds", "larger lasso: fails", ""),
    };
    count(counts, if shortest.is_some() { fails } else { holds }, 1);
    // How long a prefix of a random formula is has no oracle, but whether there is one has.
    let is_untried = kind == Kind::Lasso && matches!(shortest, Some(Length::Prefix(_)));
    match (known(), shortest) {
        (Known::Nothing, _) | (Known::Holds, None) => {}
        (Known::Steps(_) | Known::MoreThan(_), Some(_)) if is_untried => {}
        (Known::Steps(known), Some(Length::Run(steps) | Length::Prefix(steps))) if known == steps => {
            count(counts, proven, 1);
        }
        (Known::MoreThan(none), Some(Length::Run(steps))) if steps > none => {
            count(counts, "small lasso: fails, longer than all lassos that could be tried", 1);
        }
        (known, found) => return Err(format!("without engines {known:?}, and engines say {found:?}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `symbolic --shortest` showed a fault where a dead end was as near, which is one step less.
    #[test]
    fn a_dead_end_is_nearer_than_a_fault() {
        let text = r#"system "a pool that is full, and processes that wait"
frame P0 {
    hidden slot pc : 0..2 = 0
    slot v1 : 0..1 = 1
}
pool 2
init {
    spawn P0()
    spawn P0()
}
action "a0" by P0 {
    control p0.pc == 0
    set p0.pc := 1
}
action "a3" by P0, P0 {
    control p0.pc
    control p1.pc
    exit
    set p1.pc := 2
}
action "a4" by P0 {
    control p0.pc == 1
    set p0.pc := 2
    set p0.v1 := 0
}
action "a5" by P0 {
    control p0.pc == 1
    when P0[0].v1 == 0
    spawn P0()
}
dead_ends stutter
proper_end 0
"#;
        let system =
            lariat_system::text::parse(text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"));
        compare_larger(&system, 0, true, &mut Counts::new()).unwrap_or_else(|difference| panic!("{difference}"));
    }

    /// A short run of `cargo xtask lengths`.
    #[test]
    fn shortest_runs_of_a_few_systems() {
        let mut counts = Counts::new();
        for seed in 0..if cfg!(debug_assertions) { 6 } else { 40 } {
            examine(seed, &mut counts).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        }
        println!("{counts:?}");
        for what in ["`safety`: fails, length by all states", "small lasso: fails, length by all lassos"] {
            assert!(counts.get(what).is_some_and(|&count| count > 2), "{what}: {counts:?}");
        }
    }
}
