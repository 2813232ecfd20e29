//! What kernels find, on this processor, is what is found in memory.

use crate::support::{essence, replay, safety, settled};
use lariat_engine::Options;
use lariat_explicit::Bfs;
use lariat_gpu::Gpu;
use lariat_testkit::{Knobs, check_random_systems};

/// So many random systems and properties: `LARIAT_GPU_CASES`, or few.
fn cases(few: u64) -> u64 {
    std::env::var("LARIAT_GPU_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

#[test]
fn random_systems_as_in_memory() {
    check_random_systems(0..cases(100), &Knobs::default(), |system| {
        for keep_going in [false, true] {
            let options = Options { keep_going, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(options.clone(), system)));
            let report = settled(&Gpu::PROCESSOR, &safety(options, system));
            let found = essence(&report);
            if found != expected {
                return Err(format!("gpu: {found}\nin memory: {expected}"));
            }
            replay(system, None, report)?;
        }
        Ok(())
    });
}
