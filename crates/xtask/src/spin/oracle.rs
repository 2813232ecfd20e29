//! SPIN, asked for the verdict and the size of a model.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SECONDS: &str = "2";
/// How deep SPIN searches; it says so if that was not enough.
const DEPTH: &str = "-m100000";
const STATES: u64 = 20_000;

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Figures {
    pub(super) fails: bool,
    pub(super) states: u64,
    pub(super) transitions: u64,
}

/// What SPIN says about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It refuses the model or does not finish, and why.
    None(String),
    /// It stopped at a mistake; the numbers mean nothing.
    Fails,
    Figures(Figures),
}

/// Messages after which SPIN's search stops or goes astray: it uses channels and memory that are not there.
const STRAY: [&str; 9] = [
    "aborting",
    "uninitialized chan",
    "bad queue",
    "was deleted",
    "wrong nr of msg fields",
    "too many fields",
    "invalid array index",
    "assignment to hidden",
    "in d_step",
];

/// A SPIN that works in a folder of its own.
#[derive(Debug)]
pub(super) struct Spin {
    folder: PathBuf,
}

impl Spin {
    /// SPIN and the compiler it needs; or what is missing.
    pub(super) fn find() -> Result<Self, String> {
        for (program, argument) in [("spin", "-V"), ("gcc", "--version")] {
            let found = Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
            if found.is_err() {
                return Err(format!("`{program}` is not installed"));
            }
        }
        let folder = std::env::temp_dir().join(format!("lariat-spin-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("no folder to work in: {error}"))?;
        Ok(Self { folder })
    }

    /// Where the last model that was asked about is.
    pub(super) fn model_path(&self) -> PathBuf {
        self.folder.join("model.pml")
    }

    /// Searches the whole model as it is: no optimization, no reduction, on beyond failures.
    pub(super) fn ask(&self, text: &str) -> Answer {
        let pan = self.folder.join("pan.c");
        let _ = std::fs::remove_file(&pan);
        std::fs::write(self.model_path(), text).expect("a file in a temporary folder can be written");
        let read = self.output("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"]);
        if !read.status.success() || !pan.exists() {
            return Answer::None(last_line(&read));
        }
        let compile = ["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"];
        let compiled = self.output("gcc", &compile);
        if !compiled.status.success() {
            return Answer::None(last_line(&compiled));
        }
        let output = self.output("timeout", &[SECONDS, "./pan", "-c0", "-e", DEPTH]);
        read_answer(&text_of(&output))
    }

    fn output(&self, program: &str, arguments: &[&str]) -> Output {
        let output = Command::new(program).args(arguments).current_dir(&self.folder).output();
        output.expect("the program was found before")
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn read_answer(text: &str) -> Answer {
    let number_before = |what: &str| {
        let line = text.lines().find(|line| line.contains(what))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    if text.contains("max search depth too small") {
        return Answer::None("too deep".to_owned());
    }
    if STRAY.iter().any(|stray| text.contains(stray)) {
        return Answer::Fails;
    }
    let fails = !text.contains("errors: 0");
    match (number_before("states, stored"), number_before("transitions (")) {
        (Some(states), Some(transitions)) if states <= STATES && text.contains("errors:") => {
            // SPIN counts one for the initial state.
            Answer::Figures(Figures { fails, states, transitions: transitions.saturating_sub(1) })
        }
        (Some(_), _) => Answer::None("too large".to_owned()),
        _ => Answer::None(text.lines().next().unwrap_or("out of time").to_owned()),
    }
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn last_line(output: &Output) -> String {
    text_of(output).lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}
