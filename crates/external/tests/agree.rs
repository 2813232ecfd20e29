//! What is found on disk is what is found in memory, whatever the buffers, folders and threads.

use crate::sim_files::SimFiles;
use crate::support::{control, essence, in_memory, on_disk, replay, safety, small_disk, systems};
use lariat_engine::{Engine, Options};
use lariat_external::External;
use lariat_system::System;
use lariat_testkit::{Knobs, check_random_systems};
use std::sync::Arc;

#[test]
fn random_systems_as_in_memory() {
    check_random_systems(0..150, &Knobs::default(), |system| {
        for keep_going in [false, true] {
            let plain = Options { keep_going, ..Options::default() };
            let expected = essence(&in_memory(system, &plain));
            for (threads, buffer_states, folders) in [(1, 40, 1), (2, 150, 2), (4, 1997, 3)] {
                let disk = Some(small_disk(buffer_states, folders));
                let files = SimFiles::default();
                let report = on_disk(system, &Options { threads, disk, ..plain.clone() }, &files);
                let found = essence(&report);
                if found != expected {
                    return Err(format!("{threads} threads, {buffer_states} states: {found}\nin memory: {expected}"));
                }
                replay(system, report)?;
                if !files.list().is_empty() {
                    return Err(format!("left behind: {:?}", files.list()));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_bound_is_met_as_in_memory() {
    for system in systems(10, 50..=400) {
        for depth in [0, 1, 3, 6] {
            let plain = Options { depth_limit: Some(depth), keep_going: true, ..Options::default() };
            let expected = essence(&in_memory(&system, &plain));
            let disk = Some(small_disk(9, 2));
            let found = essence(&on_disk(&system, &Options { disk, ..plain }, &SimFiles::default()));
            assert_eq!(found, expected);
        }
    }
}

/// The bytes of the layers, after a search by so many threads. Files stay until the answer is out.
fn layers(system: &System, threads: usize, buffer_states: usize) -> Vec<(String, Vec<u8>)> {
    let files = SimFiles::default();
    let options = Options { threads, keep_going: true, disk: Some(small_disk(buffer_states, 2)), ..Options::default() };
    let control = control();
    External::on(Arc::new(files.clone())).settle(&safety(options, system), &control).expect("it runs");
    let named = |(path, bytes): (&std::path::PathBuf, &Vec<u8>)| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let disk = path.components().nth(1)?.as_os_str().to_string_lossy().into_owned();
        name.starts_with("layers").then(|| (format!("{disk} {name}"), bytes.clone()))
    };
    let found = files.contents().iter().filter_map(named).collect();
    control.answered();
    assert!(files.list().is_empty(), "left behind: {:?}", files.list());
    found
}

#[test]
fn layers_have_the_same_bytes_for_any_number_of_threads() {
    let mut compared = 0;
    for system in systems(8, 200..=800) {
        let alone = layers(&system, 1, 12);
        assert!(alone.iter().any(|(name, bytes)| name.ends_with("layers.seg") && bytes.len() > 1000));
        for threads in [2, 3, 4, 7] {
            assert_eq!(layers(&system, threads, 12), alone, "{threads} threads\n{system}");
            compared += alone.len();
        }
    }
    println!("{compared} files compared");
}
