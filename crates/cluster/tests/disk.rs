//! What workers with their shares on disk find is what is found in memory, whatever their number and their buffers.

use crate::agree::{cases, formulas};
use crate::processes::{by_processes, free_hosts, network, options};
use crate::sim_files::SimFiles;
use crate::support::{control, essence, replay, safety, settled, systems, temporal, temporal_essence};
use lariat_cluster::Cluster;
use lariat_engine::{Disk, Engine, Options, Property, Report, RunControl, Task, Temporal, Verdict};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_system::{Fairness, System};
use lariat_testkit::{Knobs, Rng, TemporalCase, check_random_systems};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder that is there, and files that are in memory.
pub(crate) struct Shares {
    pub(crate) folder: PathBuf,
    pub(crate) files: SimFiles,
}

impl Shares {
    pub(crate) fn new(name: &str) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let (number, id) = (NUMBERS.fetch_add(1, Ordering::Relaxed), std::process::id());
        let folder = std::env::temp_dir().join(format!("lariat-shares-{name}-{id}-{number}"));
        std::fs::create_dir_all(&folder).expect("it can be made");
        Self { folder, files: SimFiles::default() }
    }
    /// Buffers for so many states, and a checkpoint whenever that is possible.
    pub(crate) fn disk(&self, buffer_states: usize) -> Option<Disk> {
        let disk = Disk::at(self.folder.clone());
        Some(Disk { buffer_states: Some(buffer_states), checkpoint_ms: Some(0), ..disk })
    }
    pub(crate) fn engine(&self) -> Cluster {
        Cluster::LOCAL.on(Arc::new(self.files.clone()))
    }
    /// What the engine says; nothing may be left of the budget, and no file when the answer is out.
    pub(crate) fn settled(&self, task: &Task<'_>) -> Result<Report, String> {
        let control = control();
        let report = self.engine().settle(task, &control).map_err(|error| error.to_string())?;
        let used = control.budget.used_bytes();
        if used != 0 {
            return Err(format!("{used} bytes of memory are not given back"));
        }
        control.answered();
        let left = self.files.list();
        if left.is_empty() { Ok(report) } else { Err(format!("left behind: {left:?}")) }
    }
    /// Nothing is left but the lock files' folders, which are gone too.
    pub(crate) fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.folder).expect("it is there").next().is_none()
    }
}

impl Drop for Shares {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn random_systems_as_in_memory() {
    let (shares, mut written) = (Shares::new("random"), 0);
    check_random_systems(0..cases(25), &Knobs::default(), |system| {
        for keep_going in [false, true] {
            let plain = Options { keep_going, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(plain.clone(), system)));
            for (threads, buffer_states) in [(1, 40), (2, 7), (3, 150)] {
                let disk = shares.disk(buffer_states);
                let report = shares.settled(&safety(Options { threads, disk, ..plain.clone() }, system))?;
                let found = essence(&report);
                if found != expected {
                    return Err(format!("{threads} workers: {found}\nin memory: {expected}"));
                }
                let figures = report.stats.disk.clone().ok_or("it was not on disk")?;
                written += figures.written_bytes;
                replay(system, None, report)?;
            }
        }
        Ok(())
    });
    assert!(written > 10_000 && shares.is_empty(), "{written}");
}

#[test]
fn runs_are_those_of_shares_in_memory() {
    let (shares, mut failed) = (Shares::new("runs"), 0);
    for system in systems(8, 100..=600) {
        let plain = Options { keep_going: true, ..Options::default() };
        let in_memory = settled(&Cluster::LOCAL, &safety(plain.clone(), &system)).failures;
        failed += in_memory.len();
        for (threads, buffer_states) in [(1, 9), (2, 31), (3, 12)] {
            let options = Options { threads, disk: shares.disk(buffer_states), ..plain.clone() };
            let report = shares.settled(&safety(options, &system)).expect("it runs");
            assert_eq!(report.failures, in_memory, "{threads} workers\n{system}");
        }
    }
    assert!(failed > 2, "{failed}");
}

#[test]
fn a_bound_is_met_as_in_memory() {
    let shares = Shares::new("bound");
    for system in systems(3, 50..=400) {
        for depth in [0, 1, 3, 6] {
            let plain = Options { depth_limit: Some(depth), keep_going: true, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(plain.clone(), &system)));
            let options = Options { threads: 3, disk: shares.disk(9), ..plain };
            let report = shares.settled(&safety(options, &system)).expect("it runs");
            assert_eq!(essence(&report), expected);
        }
    }
}

/// Settles the property in memory and on disk: whether it took part, and whether it fails.
fn compare(
    shares: &Shares,
    system: &System,
    temporal: &Temporal,
    ways: &[(usize, usize)],
) -> Result<Option<bool>, String> {
    let property = Property::Temporal(Box::new(temporal.clone()));
    let plain = Task::of_system(system, property.clone(), Options::default());
    let expected = CycleSearch::SCC.settle(&plain, &control()).map_err(|error| error.to_string())?;
    for &(threads, buffer_states) in ways {
        let options = Options { threads, disk: shares.disk(buffer_states), ..Options::default() };
        let task = Task::of_system(system, property.clone(), options);
        let Ok(prepared) = Cluster::LOCAL.prepare(&task) else { return Ok(None) };
        let of_cycles = prepared.plan().search.algorithm.contains("OWCTY");
        let report = shares.settled(&task)?;
        let (found, expected) = match of_cycles {
            true => (temporal_essence(&report), temporal_essence(&expected)),
            false => {
                (format!("{}", report.verdict == Verdict::Holds), format!("{}", expected.verdict == Verdict::Holds))
            }
        };
        if found != expected {
            return Err(format!("{threads} workers: {found}; in memory: {expected}"));
        }
        replay(system, Some(temporal), report)?;
    }
    Ok(Some(matches!(expected.verdict, Verdict::Fails(_))))
}

#[test]
fn random_properties_as_in_memory() {
    let shares = Shares::new("properties");
    let (mut took, mut failed, mut strong, mut strong_failed) = (0, 0, 0, 0);
    for seed in 0..cases(100) {
        let case = TemporalCase::generate(seed);
        let Some(labels) = case.labels() else { continue };
        let Some(temporal) = temporal(&case.formula, &case.propositions, labels) else { continue };
        match compare(&shares, &case.system, &temporal, &[(1, 40), (2, 5), (3, 17)]) {
            Ok(None) => {}
            Ok(Some(fails)) => {
                took += 1;
                failed += u32::from(fails);
                if case.system.fairness.iter().any(Fairness::is_strong) {
                    strong += 1;
                    strong_failed += u32::from(fails);
                }
            }
            Err(message) => panic!("seed {seed}: {message}\n{case}"),
        }
    }
    println!("{took} properties, {failed} fail; with strong fairness {strong}, {strong_failed} fail");
    assert!(took > 30 && failed > 8 && failed < took - 8, "{took} {failed}");
    assert!(strong > 5 && strong_failed > 1 && strong_failed < strong, "{strong} {strong_failed}");
}

#[test]
fn larger_systems_as_in_memory() {
    let shares = Shares::new("larger");
    let (mut took, mut failed, mut rng) = (0, 0, Rng::new(3));
    for system in systems(4, 100..=400) {
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            let temporal = temporal(&formula, &propositions, labels).expect("it is small");
            match compare(&shares, &system, &temporal, &[(2, 23)]) {
                Ok(Some(fails)) => {
                    took += 1;
                    failed += u32::from(fails);
                }
                Ok(None) => {}
                Err(message) => panic!("{message}\n{system}"),
            }
        }
    }
    assert!(took > 4 && failed > 1 && failed < took, "{took} {failed}");
}

#[test]
fn processes_find_what_is_found_in_memory() {
    let shares = Shares::new("processes");
    for (processes, workers) in [(2, 1), (3, 1), (2, 2)] {
        let hosts = free_hosts(processes);
        let networks: Vec<_> = (0..processes).map(|process| network(options(&hosts, process, workers))).collect();
        for system in systems(2, 50..=400) {
            let expected = essence(&settled(&Bfs, &safety(Options::default(), &system)));
            let task = safety(Options { threads: workers, disk: shares.disk(19), ..Options::default() }, &system);
            for report in by_processes(&networks, &task) {
                assert_eq!(essence(&report), expected, "{processes} processes\n{system}");
                assert!(report.stats.disk.is_some(), "it is on disk");
                replay(&system, None, report).expect("its runs are runs");
            }
        }
        let mut took = 0;
        for seed in 0..40 {
            let case = TemporalCase::generate(seed);
            let Some(labels) = case.labels() else { continue };
            let Some(temporal) = temporal(&case.formula, &case.propositions, labels) else { continue };
            let property = Property::Temporal(Box::new(temporal.clone()));
            let disk = shares.disk(11);
            let task =
                Task::of_system(&case.system, property, Options { threads: workers, disk, ..Options::default() });
            let Ok(prepared) = Cluster::over(networks[0]).prepare(&task) else { continue };
            if !prepared.plan().search.algorithm.contains("OWCTY") || took >= 6 {
                continue;
            }
            took += 1;
            let plain = Task { options: Options::default(), ..task.clone() };
            let expected = temporal_essence(&CycleSearch::SCC.settle(&plain, &control()).expect("it runs"));
            for report in by_processes(&networks, &task) {
                assert_eq!(temporal_essence(&report), expected, "{processes} processes, seed {seed}\n{case}");
                replay(&case.system, Some(&temporal), report).expect("its runs are runs");
            }
        }
        assert!(took > 3, "{took}");
    }
}

/// Three counters.
pub(crate) fn grid(size: u32) -> System {
    let axis =
        |name: &str| format!("action \"{name}\" {{\n    when {name} < {size}\n    set {name} := {name} + 1\n}}\n");
    let slots = ["x", "y", "z"].map(|name| format!("slot {name} : 0..{size} = 0\n")).concat();
    let text = format!("system grid\ndead_ends stutter\n{slots}{}", ["x", "y", "z"].map(axis).concat());
    lariat_system::text::parse(&text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Memory that has no room for the states is enough where there is a disk, and what is taken of it never exceeds the limit.
#[test]
fn a_full_memory_goes_on_on_disk() {
    let shares = Shares::new("full");
    let system = grid(80);
    let states = 81_u64.pow(3);
    let expected = essence(&settled(&Bfs, &safety(Options { keep_going: true, ..Options::default() }, &system)));
    for (threads, limit_bytes) in [(1, 8 << 20), (2, 20 << 20)] {
        let options = Options { threads, keep_going: true, ..Options::default() };
        let without = RunControl::new(limit_bytes, None);
        let report = Cluster::LOCAL.settle(&safety(options.clone(), &system), &without).expect("it runs");
        let disk = Some(Disk::at(shares.folder.clone()));
        let control = RunControl::new(limit_bytes, None);
        let on_disk = shares.engine().settle(&safety(Options { disk, ..options }, &system), &control).expect("it runs");
        let notices = control.take_notices();
        if threads == 1 {
            assert!(matches!(report.verdict, Verdict::Undecided(_)), "{:?}", report.verdict);
            assert!(notices.iter().any(|notice| notice.contains("begins again on disk")), "{notices:?}");
            assert!(on_disk.stats.disk.is_some());
        }
        assert_eq!(essence(&on_disk), expected, "{notices:?}");
        let (peak, used) = (control.budget.peak_bytes(), control.budget.used_bytes());
        println!("{threads} workers: {states} states, {peak} of {limit_bytes} bytes, {:?}", on_disk.stats.disk);
        assert!(peak <= limit_bytes && used == 0, "{peak} {used}");
        control.answered();
        assert!(shares.is_empty() && shares.files.list().is_empty(), "{:?}", shares.files.list());
    }
}
