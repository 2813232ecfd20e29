//! What is found on disk is what is found in memory, whatever the buffers, folders and threads.

use crate::sim_files::SimFiles;
use crate::support::{essence, in_memory, on_disk, replay, small_disk, systems};
use lariat_engine::Options;
use lariat_testkit::{Knobs, check_random_systems};

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
