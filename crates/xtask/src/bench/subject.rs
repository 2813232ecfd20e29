//! Lariat, as a program that is measured.

use super::job::{Ended, Job};
use super::models::Model;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What one run may take.
pub(super) const SECONDS: u64 = 1200;

/// The program.
#[derive(Debug)]
pub(super) struct Lariat {
    program: PathBuf,
    /// Where it is run.
    folder: PathBuf,
    /// Given in every run.
    extra: Vec<String>,
    trivial: Model,
}

/// What it says about a property.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Answer {
    pub(super) verdict: String,
    /// For `undecided`.
    pub(super) reason: Option<String>,
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) bytes_per_state: f64,
}

impl Lariat {
    /// The given program, or else that of this project, which is built first.
    pub(super) fn new(
        program: Option<PathBuf>,
        extra: Vec<String>,
        root: &Path,
        temporary: &Path,
    ) -> Result<Self, String> {
        let program = match program {
            Some(program) => program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?,
            None => build(root)?,
        };
        let path = temporary.join("trivial.pml");
        std::fs::write(&path, "active proctype P() { skip }\n").map_err(|error| error.to_string())?;
        let trivial =
            Model { name: "trivial".to_owned(), path, defines: Vec::new(), allow_deadlock: false, states: Some(2) };
        Ok(Self { program, folder: root.to_owned(), extra, trivial })
    }

    /// A check of safety with these options.
    pub(super) fn job(&self, model: &Model, allow_deadlock: bool, options: &[&str]) -> Job {
        let mut all = vec!["--property", "safety"];
        all.extend(allow_deadlock.then_some("--allow-deadlock"));
        all.extend(options);
        self.check(model, &all)
    }

    /// A check with these options, which say what is checked.
    pub(super) fn check(&self, model: &Model, options: &[&str]) -> Job {
        let mut arguments = ["check", "--quiet", "--json"].map(str::to_owned).to_vec();
        arguments.extend(options.iter().map(|&option| option.to_owned()));
        arguments.extend(self.extra.iter().cloned());
        arguments.extend(model.defines.iter().cloned());
        let path = model.path.strip_prefix(&self.folder).unwrap_or(&model.path);
        arguments.push(path.to_string_lossy().into_owned());
        Job { program: self.program.clone(), arguments, folder: self.folder.clone() }
    }

    /// Shows what the model has: slots, bits, actions.
    pub(super) fn show(&self, model: &Model) -> Job {
        let mut arguments = ["show", "--stats"].map(str::to_owned).to_vec();
        arguments.extend(model.defines.iter().cloned());
        let path = model.path.strip_prefix(&self.folder).unwrap_or(&model.path);
        arguments.push(path.to_string_lossy().into_owned());
        Job { program: self.program.clone(), arguments, folder: self.folder.clone() }
    }

    /// Whether it knows these options; if not, what it says.
    pub(super) fn accepts(&self, options: &[&str]) -> Result<(), String> {
        let ended = self.job(&self.trivial, false, options).run(SECONDS)?;
        if ended.code == 2 {
            let said = ended.complaints.lines().next().unwrap_or_default();
            return Err(format!("not available: {said}"));
        }
        read_answer(&ended).map(|_| ())
    }

    /// The options by which a run is on one thread and without reduction; those that this program does not know yet are
    /// what it does anyway.
    pub(super) fn plain_options(&self) -> Vec<&'static str> {
        let candidates = [["--threads", "1"], ["--por", "off"]];
        candidates.into_iter().filter(|options| self.accepts(options).is_ok()).flatten().collect()
    }

    /// The memory it takes for a model of no size, with options that it knows.
    pub(super) fn floor_bytes(&self, options: &[&str]) -> Option<u64> {
        let ended = self.job(&self.trivial, false, options).run(SECONDS).ok()?;
        read_answer(&ended).ok().map(|_| ended.best.resident_bytes)
    }
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--quiet", "--release", "--package", "lariat-cli", "--bin", "lariat"];
    let built = Command::new(cargo).args(arguments).current_dir(root).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the program could not be built".to_owned());
    }
    // We were built into the same folder.
    let ourselves = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = ourselves.with_file_name("lariat");
    if program.exists() { Ok(program) } else { Err(format!("no program at {}", program.display())) }
}

/// Reads the document about a single property; or says what there is instead.
pub(super) fn read_answer(ended: &Ended) -> Result<Answer, String> {
    let said = || {
        let line = ended.complaints.lines().next().unwrap_or("no output");
        format!("exit code {}: {line}", ended.code)
    };
    let document: Value = serde_json::from_str(&ended.output).map_err(|_| said())?;
    let property = &document["properties"][0];
    let text = |name: &str| property[name].as_str().map(str::to_owned);
    Ok(Answer {
        verdict: text("verdict").ok_or_else(said)?,
        reason: text("reason"),
        states: property["states"].as_u64().unwrap_or(0),
        transitions: property["transitions"].as_u64().unwrap_or(0),
        bytes_per_state: property["bytes_per_state"].as_f64().unwrap_or(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::super::job::Figures;
    use super::*;

    fn ended(code: i32, output: &str, complaints: &str) -> Ended {
        let best = Figures { wall_seconds: 1.0, cpu_seconds: 1.0, resident_bytes: 1 };
        Ended { code, output: output.to_owned(), complaints: complaints.to_owned(), best }
    }

    #[test]
    fn answers_are_understood() {
        let output = r#"{ "schema": 1, "properties": [ { "name": "safety", "verdict": "undecided", "reason": "memory",
            "states": 38, "transitions": 64, "bytes_per_state": 8.4 } ] }"#;
        let answer = read_answer(&ended(3, output, "")).unwrap();
        let reason = Some("memory".to_owned());
        let expected =
            Answer { verdict: "undecided".to_owned(), reason, states: 38, transitions: 64, bytes_per_state: 8.4 };
        assert_eq!(answer, expected);
        assert_eq!(read_answer(&ended(2, "", "error: what?\n")), Err("exit code 2: error: what?".to_owned()));
    }
}
