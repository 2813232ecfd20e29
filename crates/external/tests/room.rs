//! Searches in a folder that nobody named leave room to others.

use crate::sim_files::SimFiles;
use crate::support::{answered, control, essence, on_disk, safety, small_disk, systems};
use lariat_engine::{Disk, Engine, Options, Shortfall};
use lariat_external::{External, Room, default_folder};
use std::path::PathBuf;
use std::sync::Arc;

const GIB: u64 = 1 << 30;

fn room(free_bytes: u64, total_bytes: u64) -> Option<Room> {
    Some(Room { free_bytes, total_bytes, is_in_memory: false })
}

/// A search without `--disk` that meets the reserve is paused, with all that it has; with room it goes on to the same answer.
#[test]
fn what_stays_free_pauses_a_search() {
    for system in &systems(3, 60..=120) {
        let plain = Options { keep_going: true, disk: Some(small_disk(6, 1)), ..Options::default() };
        let expected = essence(&on_disk(system, &plain, &SimFiles::default()));
        let files = SimFiles::default();
        let unnamed = |resume: Option<PathBuf>| {
            let disk = Some(Disk { folders: Vec::new(), resume, ..small_disk(6, 1) });
            safety(Options { keep_going: true, disk, ..Options::default() }, system)
        };
        // A tenth of 40 GiB stays free.
        files.set_room(room(4 * GIB - 1, 40 * GIB));
        let engine = External::on(Arc::new(files.clone()));
        let report = engine.settle(&unnamed(None), &control()).expect("it runs");
        assert_eq!(report.unfinished, Some(Shortfall::Disk));
        let figures = report.stats.disk.expect("it is on disk");
        let trouble = figures.trouble.expect("it is told");
        assert!(trouble.contains("4.0 GiB are free") && trouble.contains("move that folder"), "{trouble}");
        assert!(figures.is_paused && trouble.contains(&figures.folder.display().to_string()), "{trouble}");
        // Still none.
        let again = engine.settle(&unnamed(Some(figures.folder.clone())), &control()).expect("it runs");
        assert_eq!(again.unfinished, Some(Shortfall::Disk));
        files.set_room(room(4 * GIB, 40 * GIB));
        assert_eq!(essence(&answered(&engine, &unnamed(Some(figures.folder)))), expected);
        // A folder that was named is filled.
        let files = SimFiles::default();
        files.set_room(room(1, 40 * GIB));
        assert_eq!(essence(&on_disk(system, &plain, &files)), expected);
    }
}

#[test]
fn a_folder_that_nobody_named_is_on_a_disk_with_room() {
    let files = SimFiles::default();
    files.put(&std::env::temp_dir().join("something"), b"");
    assert!(default_folder(0, &files).is_err_and(|why| why.contains("has unknown room")));
    files.set_room(room(100 * GIB, 1000 * GIB));
    assert!(default_folder(1, &files).is_err_and(|why| why.contains("100.0 GiB free, of which 100.0 GiB stay free")));
    files.set_room(room(102 * GIB, 1000 * GIB));
    assert_eq!(default_folder(2 * GIB, &files), Ok(std::env::temp_dir()));
    // Of a small disk 1 GiB stays free.
    files.set_room(room(2 * GIB, 3 * GIB));
    assert!(default_folder(GIB + 1, &files).is_err());
    assert!(default_folder(GIB, &files).is_ok());
    files.set_room(Some(Room { free_bytes: 900 * GIB, total_bytes: 1000 * GIB, is_in_memory: true }));
    let why = default_folder(0, &files).expect_err("it is in memory");
    assert!(why.contains(&format!("`{}` is in memory", std::env::temp_dir().display())), "{why}");
}
