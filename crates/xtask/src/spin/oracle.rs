//! SPIN and the compiler of its verifiers, in a folder of their own.
//!
//! `tcc` compiles a verifier in 20 ms, `gcc -O0` takes 400 ms; the first is used where it is installed. All properties
//! of a model share two verifiers, with and without claims; non-progress cycles need a third.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// How long one search may take.
const SECONDS: &str = "3";
/// How deep SPIN searches; it says so if that was not enough.
const DEPTH: &str = "-m200000";

/// A verifier: SPIN's program, compiled in one of several ways. No way has any reduction or optimization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verifier {
    /// For safety and acceptance cycles: claims are left out.
    Plain,
    /// With the claims of `ltl` blocks.
    Claims,
    /// For non-progress cycles.
    Progress,
}

impl Verifier {
    fn program(self) -> &'static str {
        match self {
            Self::Plain => "pan-plain",
            Self::Claims => "pan-claims",
            Self::Progress => "pan-progress",
        }
    }
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["-DNOCLAIM"],
            Self::Claims => &[],
            Self::Progress => &["-DNP"],
        }
    }
}

/// SPIN with the verifiers of one model.
#[derive(Debug)]
pub(super) struct Spin {
    folder: PathBuf,
    compiler: &'static str,
    /// What became of the model that was loaded last.
    loaded: Result<(), String>,
    compiled: Vec<(Verifier, Result<(), String>)>,
}

impl Spin {
    /// SPIN and a compiler; or what is missing. `number` makes the folder differ from those of other threads.
    pub(super) fn find(number: usize, wanted: Option<&'static str>) -> Result<Self, String> {
        if !is_installed("spin", "-V") {
            return Err("`spin` is not installed".to_owned());
        }
        let candidates = wanted.map_or(vec!["tcc", "gcc"], |compiler| vec![compiler]);
        let Some(compiler) = candidates.iter().find(|compiler| is_installed(compiler, "-v")) else {
            return Err(format!("`{}` is not installed", candidates.join("` or `")));
        };
        let folder = std::env::temp_dir().join(format!("lariat-spin-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("no folder to work in: {error}"))?;
        Ok(Self { folder, compiler, loaded: Err("no model".to_owned()), compiled: Vec::new() })
    }

    /// The compiler that is used.
    pub(super) fn compiler(&self) -> &'static str {
        self.compiler
    }

    /// Where the loaded model is.
    pub(super) fn model_path(&self) -> PathBuf {
        self.folder.join("model.pml")
    }

    /// Takes another model; or why SPIN refuses it.
    pub(super) fn load(&mut self, text: &str) -> Result<(), String> {
        self.compiled.clear();
        let pan = self.folder.join("pan.c");
        let _ = std::fs::remove_file(&pan);
        std::fs::write(self.model_path(), text).expect("a file in a temporary folder can be written");
        // It goes round for ever on some models.
        let read = self.output("timeout", &[SECONDS, "spin", "-a", "-o1", "-o2", "-o3", "model.pml"]);
        // It goes on after this error.
        let misplaced = text_of(&read).contains("placed incorrectly");
        self.loaded = if read.status.success() && pan.exists() && !misplaced { Ok(()) } else { Err(complaint(&read)) };
        if self.loaded.is_ok() && text.contains("priority") {
            self.keep_whole_processes();
        }
        self.loaded.clone()
    }

    /// SPIN leaves the last bytes of a process out of a state: those that its compiler added, as SPIN thinks. In a model
    /// with priorities it forgets that the priority lies there, with single bits behind it. Those bytes are zero where
    /// they are not used, so all of them can be part of the state.
    fn keep_whole_processes(&self) {
        let header = self.folder.join("pan.h");
        let text = std::fs::read_to_string(&header).expect("SPIN wrote this file");
        let lines = text.lines().map(|line| match line.split_once('\t') {
            Some((name, _)) if name.starts_with("#define Air") => format!("{name}\t0\n"),
            _ => format!("{line}\n"),
        });
        std::fs::write(header, lines.collect::<String>()).expect("a file in a temporary folder can be written");
    }

    /// What a verifier of the loaded model prints; or why there is none.
    pub(super) fn search(&mut self, verifier: Verifier, arguments: &[&str]) -> Result<String, String> {
        self.loaded.clone()?;
        let known = self.compiled.iter().find(|(known, _)| *known == verifier);
        let compiled = match known {
            Some((_, compiled)) => compiled.clone(),
            None => {
                let compiled = self.compile(verifier);
                self.compiled.push((verifier, compiled.clone()));
                compiled
            }
        };
        compiled?;
        let program = format!("./{}", verifier.program());
        let common = [SECONDS, &program, "-w18", DEPTH];
        let output = self.output("timeout", &[&common, arguments].concat());
        const TIMED_OUT: i32 = 124;
        if output.status.code() == Some(TIMED_OUT) {
            return Err("SPIN's verifier takes too long".to_owned());
        }
        Ok(text_of(&output))
    }

    fn compile(&self, verifier: Verifier) -> Result<(), String> {
        let common = ["-w", "-DNOREDUCE", "-DNFAIR=3", "-DMEMLIM=256", "-o", verifier.program()];
        let optimize: &[&str] = if self.compiler == "gcc" { &["-O0"] } else { &[] };
        let compiled = self.output(self.compiler, &[optimize, &common, verifier.flags(), &["pan.c"]].concat());
        if compiled.status.success() { Ok(()) } else { Err(complaint(&compiled)) }
    }

    fn output(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        let output = command.args(arguments).stdin(Stdio::null()).current_dir(&self.folder).output();
        output.expect("the program was found before")
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_installed(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The line that tells the error, without places and names.
fn complaint(output: &Output) -> String {
    let text = text_of(output);
    let is_error = |line: &&str| line.to_lowercase().contains("error") && !line.contains("dubious");
    let line = text.lines().find(is_error).or_else(|| text.lines().next_back());
    line.unwrap_or_default().chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
}
