//! Workers that were stopped go on from the levels that they had finished.

use crate::agree::formulas;
use crate::support::{MEMORY_BYTES, control, essence, replay, safety, settled, systems, temporal, temporal_essence};
use lariat_cluster::Cluster;
use lariat_engine::{Disk, Engine, Options, Property, Report, RunControl, Shortfall, Task};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_system::System;
use lariat_testkit::Rng;
use std::path::{Path, PathBuf};
use std::time::Duration;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lariat-cluster-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("it can be made");
        Self(path)
    }
    /// The files in the folders of searches.
    fn parts(&self) -> Vec<PathBuf> {
        let inside = |path: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(path).expect("it is there").map(|entry| entry.expect("it is there").path()).collect()
        };
        let all = inside(&self.0).iter().flat_map(|search| inside(search)).collect::<Vec<_>>();
        all.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "levels")).collect()
    }
    fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.0).expect("it is there").next().is_none()
    }
    fn options(&self, workers: usize, keep_going: bool) -> Options {
        let disk = Disk { checkpoint_ms: Some(0), ..Disk::at(self.0.clone()) };
        Options { threads: workers, keep_going, disk: Some(disk), ..Options::default() }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// So many levels that a search is stopped between them.
fn grid(size: u32) -> System {
    let axis =
        |name: &str| format!("action \"{name}\" {{\n    when {name} < {size}\n    set {name} := {name} + 1\n}}\n");
    let text = format!(
        "system grid\ndead_ends stutter\nslot x : 0..{size} = 0\nslot y : 0..{size} = 0\nslot z : 0..{size} = 0\n{}{}{}",
        axis("x"),
        axis("y"),
        axis("z")
    );
    lariat_system::text::parse(&text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Searches with more and more memory until there is an answer: how often it went on.
fn step_by_step(task: &Task<'_>, folder: &Folder) -> (Report, u32) {
    let undisturbed = control();
    Cluster::LOCAL.settle(task, &undisturbed).expect("it runs");
    undisturbed.answered();
    assert!(folder.is_empty(), "it is removed when the answer is out");
    let (peak, mut resumed) = (undisturbed.budget.peak_bytes(), 0);
    for limit in (peak / 2..).step_by(1 + peak as usize / 30) {
        let control = RunControl::new(limit, None);
        let report = Cluster::LOCAL.settle(task, &control).expect("it runs");
        let went_on = control.take_notices().iter().any(|notice| notice.contains("goes on from level"));
        resumed += u32::from(went_on);
        if report.unfinished.is_none() {
            control.answered();
            assert!(folder.is_empty(), "it is removed when the answer is out");
            return (report, resumed);
        }
        assert!(matches!(report.unfinished, Some(Shortfall::Memory { .. })), "{:?}", report.unfinished);
    }
    unreachable!("there is enough memory in the end")
}

#[test]
fn levels_that_are_finished_are_not_searched_again() {
    let folder = Folder::new("levels");
    let mut resumed = 0;
    let systems = [vec![grid(12), grid(17)], systems(4, 300..=1500)].concat();
    for (number, system) in systems.into_iter().enumerate() {
        for workers in [1, 2, 3] {
            let keep_going = number % 2 == 0;
            let plain = Options { keep_going, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(plain, &system)));
            let task = safety(folder.options(workers, keep_going), &system);
            let (report, times) = step_by_step(&task, &folder);
            assert_eq!(essence(&report), expected, "{workers} workers\n{system}");
            replay(&system, None, report).expect("its runs are runs");
            resumed += times;
        }
    }
    println!("{resumed} searches went on");
    assert!(resumed > 5, "{resumed}");
}

#[test]
fn searches_for_cycles_go_on_too() {
    let folder = Folder::new("cycles");
    let (mut took, mut resumed) = (0, 0);
    let mut rng = Rng::new(3);
    for (number, system) in systems(5, 300..=1200).into_iter().enumerate() {
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            let temporal = temporal(&formula, &propositions, labels).expect("it is small");
            let property = Property::Temporal(Box::new(temporal.clone()));
            let task = Task::of_system(&system, property, folder.options(1 + number % 3, false));
            let Ok(prepared) = Cluster::LOCAL.prepare(&task) else { continue };
            if !prepared.plan().search.algorithm.contains("OWCTY") {
                continue;
            }
            took += 1;
            let plain = Task { options: Options::default(), ..task.clone() };
            let expected = temporal_essence(&CycleSearch::SCC.settle(&plain, &control()).expect("it runs"));
            let (report, times) = step_by_step(&task, &folder);
            assert_eq!(temporal_essence(&report), expected, "{system}");
            replay(&system, Some(&temporal), report).expect("its runs are runs");
            resumed += times;
        }
    }
    println!("{took} properties, {resumed} searches went on");
    assert!(took > 5 && resumed > 0, "{took} {resumed}");
}

/// A part that was damaged, cut or lost does not count, nor what follows it, for any worker.
#[test]
fn damaged_parts_are_not_used() {
    let folder = Folder::new("damaged");
    let system = grid(15);
    let expected = essence(&settled(&Bfs, &safety(Options { keep_going: true, ..Options::default() }, &system)));
    let task = safety(folder.options(2, true), &system);
    let undisturbed = control();
    Cluster::LOCAL.settle(&task, &undisturbed).expect("it runs");
    undisturbed.answered();
    let peak = undisturbed.budget.peak_bytes();
    // Stopped as late as may be.
    for limit in (peak / 2..peak).rev().step_by(1 + peak as usize / 40) {
        let control = RunControl::new(limit, None);
        let report = Cluster::LOCAL.settle(&task, &control).expect("it runs");
        control.answered();
        if report.unfinished.is_some() && folder.parts().len() > 3 {
            let notices = control.take_notices();
            assert!(notices.iter().any(|notice| notice.contains("the same command goes on from there")), "{notices:?}");
            break;
        }
    }
    let parts = folder.parts();
    assert!(parts.len() > 3, "{parts:?}");
    let contents: Vec<Vec<u8>> = parts.iter().map(|path| std::fs::read(path).expect("it is there")).collect();
    let folder_of_parts = parts[0].parent().expect("a folder").to_owned();
    let mut told = 0;
    for (number, bytes) in contents.iter().enumerate().step_by(9) {
        for place in (0..bytes.len()).step_by(1 + bytes.len() / 3) {
            std::fs::create_dir_all(&folder_of_parts).expect("it can be made");
            parts.iter().zip(&contents).for_each(|(path, bytes)| std::fs::write(path, bytes).expect("it is written"));
            let mut damaged = bytes.clone();
            match place % 3 {
                0 => damaged[place] ^= 1 << (place % 8),
                1 => damaged.truncate(place),
                _ => damaged.push(0),
            }
            std::fs::write(&parts[number], damaged).expect("it is written");
            let control = RunControl::new(MEMORY_BYTES, Some(Duration::from_secs(600)));
            let report = Cluster::LOCAL.settle(&task, &control).expect("it runs");
            let notices = control.take_notices();
            let name = parts[number].display().to_string();
            told += u32::from(notices.iter().any(|notice| notice.contains(&name) && notice.contains("damaged")));
            assert_eq!(essence(&report), expected, "{name} at {place}: {notices:?}");
            control.answered();
        }
    }
    println!("{} parts, {told} damaged ones told", parts.len());
    assert!(told > 10, "{told}");
}
