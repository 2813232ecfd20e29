//! `cargo xtask fuzz`: almost-models through a whole front end, that of Promela or of SMV, and what comes out through the
//! compiler and the renderer.
//!
//! A text on which something panics, or takes long, is shrunk and kept in a file, ready to become a test in
//! `tests/fuzz` of the front end's crate. The text at hand is kept in a file as well, for the case that the stack overflows and
//! takes the whole program with it.

use lariat_base::{Diagnostic, SourceMap};
use lariat_exec::Program;
use lariat_promela::fuzz as promela;
use lariat_render::{Style, diagnostics_text};
use lariat_smv::fuzz as smv;
use lariat_system::System;
use lariat_testkit::{Rng, mutate_text, shrink_text};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Where texts are kept.
const FOLDER: &str = "target/fuzz";
/// What a text of a few thousand bytes may take.
const MAX_TIME: Duration = Duration::from_secs(2);
const SHRINK_ATTEMPTS: usize = 3000;
/// That of the program: what fits there must fit here.
const STACK_BYTES: usize = 256 << 20;

/// What became of a text: its sources, what it was told, and the system if it is a model.
type Outcome = (SourceMap, Vec<Diagnostic>, Option<System>);

/// A front end.
pub(crate) struct Front {
    extension: &'static str,
    seeds: &'static [&'static str],
    words: &'static [&'static str],
    read: fn(&[u8]) -> Outcome,
}

/// That of Promela.
pub(crate) const PROMELA: Front = Front {
    extension: "pml",
    seeds: promela::SEEDS,
    words: promela::WORDS,
    read: |text| {
        let outcome = promela::front_end(text);
        (outcome.sources, outcome.diagnostics, outcome.system)
    },
};

/// That of SMV.
pub(crate) const SMV: Front = Front {
    extension: "smv",
    seeds: smv::SEEDS,
    words: smv::WORDS,
    read: |text| {
        let outcome = smv::front_end(text);
        (outcome.sources, outcome.diagnostics, outcome.system)
    },
};

/// Fuzzes for so many seconds, from this seed on.
pub(crate) fn run(seed: u64, seconds: u64, front: &'static Front) -> ExitCode {
    let work = move || fuzz(seed, Duration::from_secs(seconds), front);
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("a thread can be started");
    worker.join().unwrap_or(ExitCode::FAILURE)
}

fn fuzz(seed: u64, time: Duration, front: &Front) -> ExitCode {
    let folder = Path::new(FOLDER);
    std::fs::create_dir_all(folder).expect("a folder for texts");
    let mut current =
        Current::new(&folder.join(format!("current.{}", front.extension))).expect("a file for the text at hand");
    let seeds = seeds(front);
    let mut rng = Rng::new(seed);
    let start = Instant::now();
    let (mut texts, mut models) = (0_u64, 0_u64);
    while start.elapsed() < time {
        let text = mutate_text(&mut rng, &seeds, front.words);
        current.keep(&text).expect("a text can be kept");
        texts += 1;
        match attempt(&text, front) {
            Ok(is_model) => models += u64::from(is_model),
            Err(why) => {
                std::panic::set_hook(Box::new(|_| {}));
                let small = shrink_text(&text, SHRINK_ATTEMPTS, |text| attempt(text, front).is_err());
                let kept = folder.join(format!("failure-{seed}-{texts}.{}", front.extension));
                std::fs::write(&kept, &small).expect("a text can be kept");
                println!("{why}\nafter {texts} texts, on\n{}", String::from_utf8_lossy(&small));
                println!("kept in {}", kept.display());
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{texts} texts from seed {seed} on, {models} of them models: nothing fails");
    ExitCode::SUCCESS
}

/// The file with the text at hand. It keeps its length, which is filled up with line ends: changing that of a file a
/// thousand times a second is what takes time.
struct Current {
    file: File,
    bytes: Vec<u8>,
}

impl Current {
    fn new(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: File::create(path)?, bytes: Vec::new() })
    }
    fn keep(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.bytes.fill(b'\n');
        self.bytes.resize(self.bytes.len().max(text.len()), b'\n');
        self.bytes[..text.len()].copy_from_slice(text);
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.bytes)
    }
}

/// Whether the text is a model; or what goes wrong.
fn attempt(text: &[u8], front: &Front) -> Result<bool, String> {
    let start = Instant::now();
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let (sources, diagnostics, system) = (front.read)(text);
        diagnostics_text(&sources, &diagnostics, Style::Plain);
        system.as_ref().inspect(|system| drop(Program::compile(system))).is_some()
    }));
    match tried {
        Err(payload) => Err(match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
            (Some(message), _) => format!("panic: {message}"),
            (None, Some(message)) => format!("panic: {message}"),
            (None, None) => "panic".to_owned(),
        }),
        Ok(_) if start.elapsed() > MAX_TIME => Err(format!("it takes {:?}", start.elapsed())),
        Ok(is_model) => Ok(is_model),
    }
}

/// The models of all tests, and a few that use all of the language.
fn seeds(front: &Front) -> Vec<String> {
    let mut seeds: Vec<String> = front.seeds.iter().map(|seed| (*seed).to_owned()).collect();
    let mut folders: Vec<PathBuf> = vec![PathBuf::from("crates")];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == front.extension) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    seeds.extend(paths.into_iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_texts_do_no_harm() {
        for front in [&PROMELA, &SMV] {
            let seeds = seeds(front);
            let mut rng = Rng::new(1);
            for _ in 0..50 {
                let text = mutate_text(&mut rng, &seeds, front.words);
                assert!(attempt(&text, front).is_ok(), "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}
