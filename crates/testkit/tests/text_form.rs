//! Printing and parsing random systems.

use lariat_base::FileId;
use lariat_system::text;
use lariat_testkit::{Knobs, RandomSystem};

#[test]
fn what_is_printed_parses_back_to_the_same_system() {
    for seed in 0..600 {
        let system = RandomSystem::generate(seed, &Knobs { depth: 5, halves: seed % 2 == 0, ..Knobs::default() });
        let printed = system.to_string();
        match text::parse(&printed, FileId(0)) {
            Ok(parsed) => assert_eq!(parsed.without_spans(), system, "seed {seed}\n{printed}"),
            Err(error) => panic!("seed {seed}: {error:?}\n{printed}"),
        }
    }
}
