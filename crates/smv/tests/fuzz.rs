//! Almost-models through the whole front end, for a second; and the texts on which it failed once.
//!
//! `cargo xtask fuzz --smv` does the same for longer.

use lariat_smv::fuzz::front_end;
use lariat_testkit::{Rng, mutate_text, shrink_text};
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .flatten()
        .map(|entry| (entry.path().display().to_string(), std::fs::read(entry.path()).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn what_failed_once_does_so_no_more() {
    for (name, text) in files("tests/fuzz") {
        println!("{name}");
        let start = Instant::now();
        front_end(&text);
        assert!(start.elapsed() < Duration::from_secs(10), "{name} took {:?}", start.elapsed());
    }
}

#[test]
fn almost_models_do_no_harm() {
    let mut seeds: Vec<String> = lariat_smv::fuzz::SEEDS.iter().map(|seed| seed.to_string()).collect();
    seeds.extend(files("tests/mistakes").into_iter().map(|(_, text)| String::from_utf8_lossy(&text).into_owned()));
    let mut rng = Rng::new(0);
    let start = Instant::now();
    let (mut rounds, mut systems) = (0, 0);
    while start.elapsed() < Duration::from_secs(1) {
        let text = mutate_text(&mut rng, &seeds, lariat_smv::fuzz::WORDS);
        rounds += 1;
        match catch_unwind(|| front_end(&text).system.is_some()) {
            Ok(is_model) => systems += usize::from(is_model),
            Err(_) => {
                let small = shrink_text(&text, 2000, |text| catch_unwind(|| front_end(text)).is_err());
                panic!("the front end fails on\n{}", String::from_utf8_lossy(&small));
            }
        }
    }
    assert!(rounds > 50 && systems > 0, "{rounds} rounds, {systems} models");
}
