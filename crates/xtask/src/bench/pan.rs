//! SPIN's verifier: made by `spin -a` and gcc, then run.
//!
//! SPIN wants to be told how deep to search and how large its table of states shall be. Both cost time where they are too
//! large, and the answer or the speed where they are too small. It gets the depth that a first run turned out to
//! need, and of two sizes of the table the one it is faster with.

use super::job::{Ended, Figures, Job};
use super::models::Model;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How deep it searches at first; twice as deep if that is not enough, and so on.
const FIRST_DEPTH: u64 = 10_000_000;
const DEEPEST: u64 = 320_000_000;
/// What each program may take.
pub(super) const SECONDS: u64 = 1200;

/// How a verifier is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recipe {
    /// Searches the same graph as we do: no reduction, no optimization that changes states.
    Pure,
    /// As SPIN comes, partial-order reduction included.
    Default,
}

/// What a verifier is asked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Question<'a> {
    /// Whether anything goes wrong.
    Safety {
        /// Invalid end states do not count.
        allow_deadlock: bool,
    },
    /// Whether there is an acceptance cycle.
    Cycles {
        /// The text to be read in place of the model.
        text: &'a Path,
        /// The name of the claim, if there are several.
        claim: Option<&'a str>,
    },
}

/// SPIN and the compiler it needs, in a folder of its own.
#[derive(Debug)]
pub(super) struct Spin {
    folder: PathBuf,
    pub(super) version: String,
}

/// A verifier that is made and known to finish.
#[derive(Debug)]
pub(super) struct Verifier {
    /// How it is made, step by step.
    pub(super) making: Vec<Job>,
    /// How it is run.
    pub(super) job: Job,
    pub(super) answer: Answer,
    /// The bits of its table; `None` is as SPIN has it.
    pub(super) table_bits: Option<u32>,
    /// What the run that decided about the table took, if there was one.
    pub(super) trial: Option<Figures>,
}

/// What a verifier says.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Answer {
    pub(super) fails: bool,
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) depth: u64,
    pub(super) too_shallow: bool,
}

impl Spin {
    /// SPIN; or what is missing.
    pub(super) fn find(folder: PathBuf) -> Result<Self, String> {
        let version = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).output();
            let output = output.map_err(|_| format!("`{program}` is not installed"))?;
            Ok::<_, String>(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
        };
        let version = format!("{}; {}", version("spin", "-V")?, version("gcc", "--version")?);
        Ok(Self { folder, version })
    }

    /// Where it works.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the verifier of a model and finds out what it needs; or why there is none.
    pub(super) fn verifier(
        &self,
        model: &Model,
        recipe: Recipe,
        question: Question<'_>,
        tables: bool,
    ) -> Result<Verifier, String> {
        let (path, kind) = match question {
            Question::Safety { allow_deadlock } => (model.path.as_path(), format!("{allow_deadlock}")),
            Question::Cycles { text, .. } => (text, "cycles".to_owned()),
        };
        let folder = self.folder.join(format!("{}-{recipe:?}-{kind}", model.name.replace(' ', "-")));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let path = path.to_string_lossy();
        let is_safety = matches!(question, Question::Safety { .. });
        let mut reading: Vec<&str> = vec!["-a"];
        let mut compiling = vec!["-O2", "-w", "-o", "pan", "pan.c"];
        // Claims are another property than safety.
        compiling.extend(is_safety.then_some("-DNOCLAIM"));
        if recipe == Recipe::Pure {
            reading.extend(["-o1", "-o2", "-o3"]);
            compiling.push("-DNOREDUCE");
            compiling.extend(is_safety.then_some("-DSAFETY"));
        }
        reading.extend(model.defines.iter().map(String::as_str));
        reading.push(&path);
        let making = vec![Job::new("spin", &reading, &folder), Job::new("gcc", &compiling, &folder)];
        for job in &making {
            let ended = job.run(SECONDS)?;
            if ended.code != 0 || !folder.join("pan.c").exists() {
                return Err(format!("`{}` fails: {}", job.program.display(), last_line(&ended)));
            }
        }
        let run = |depth: u64, table_bits: Option<u32>| {
            let mut arguments = vec![format!("-m{depth}")];
            // On beyond failures; as it comes, it stops at the first as we do.
            arguments.extend((recipe == Recipe::Pure && is_safety).then(|| "-c0".to_owned()));
            match question {
                Question::Safety { allow_deadlock } => arguments.extend(allow_deadlock.then(|| "-E".to_owned())),
                Question::Cycles { claim, .. } => {
                    arguments.push("-a".to_owned());
                    arguments.extend(claim.iter().flat_map(|name| ["-N".to_owned(), (*name).to_owned()]));
                }
            }
            arguments.extend(table_bits.map(|bits| format!("-w{bits}")));
            Job { program: "./pan".into(), arguments, folder: folder.clone() }
        };
        let answer = Self::deep_enough(&run)?;
        // A little deeper than the deepest place, which must not count as cut off.
        let depth = answer.depth + 10;
        let mut found = Verifier { making, job: run(depth, None), answer, table_bits: None, trial: None };
        if tables {
            let bits = Some(table_bits(found.answer.states));
            let sized = run(depth, bits);
            let [default_took, sized_took] = [found.job.run(SECONDS)?.best, sized.run(SECONDS)?.best];
            found.trial = Some(default_took);
            if sized_took.cpu_seconds < default_took.cpu_seconds {
                found = Verifier { job: sized, table_bits: bits, trial: Some(sized_took), ..found };
            }
        }
        Ok(found)
    }

    fn deep_enough(run: &dyn Fn(u64, Option<u32>) -> Job) -> Result<Answer, String> {
        let mut depth = FIRST_DEPTH;
        loop {
            let ended = run(depth, None).run(SECONDS)?;
            let answer = read_answer(&ended.output).ok_or_else(|| format!("`pan` fails: {}", last_line(&ended)))?;
            if !answer.too_shallow || answer.fails {
                return Ok(answer);
            }
            depth *= 2;
            if depth > DEEPEST {
                return Err(format!("SPIN's depth-first search is deeper than {DEEPEST}"));
            }
        }
    }
}

impl Verifier {
    /// A run that was measured must have done the same work as the first.
    pub(super) fn confirm(&self, ended: &Ended) -> Result<(), String> {
        let answer = read_answer(&ended.output).ok_or_else(|| format!("`pan` fails: {}", last_line(ended)))?;
        if answer.states == self.answer.states && answer.too_shallow == self.answer.too_shallow {
            return Ok(());
        }
        Err(format!("`pan` has now {} states, and before {}", answer.states, self.answer.states))
    }
}

/// Twice as many entries as states, or a little more.
fn table_bits(states: u64) -> u32 {
    (states.max(2) - 1).ilog2() + 2
}

/// Reads what a verifier prints; `None` if it did not get to its figures.
pub(super) fn read_answer(text: &str) -> Option<Answer> {
    // Large numbers are printed with an exponent.
    let number = |text: &str| text.trim().parse::<f64>().ok().map(|number| number as u64);
    let before = |what: &str| {
        let line = text.lines().find(|line| line.contains(what))?;
        number(line.split_whitespace().next()?)
    };
    let after = |what: &str| {
        let rest = text.split_once(what)?.1;
        number(rest.split([',', '\n']).next()?)
    };
    Some(Answer {
        fails: after("errors:")? > 0,
        states: before("states, stored")?,
        // SPIN counts one for the initial state.
        transitions: before("transitions (")?.saturating_sub(1),
        depth: after("depth reached")?,
        too_shallow: text.contains("max search depth too small"),
    })
}

fn last_line(ended: &Ended) -> String {
    let text = format!("{}\n{}", ended.output, ended.complaints);
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

State-vector 52 byte, depth reached 74079, errors: 0
  2313863 states, stored
  6236530 states, matched
  8550393 transitions (= stored+matched)
        0 atomic steps
";
    const CUT: &str = "error: max search depth too small
pan:1: invalid end state (at depth 12)
State-vector 52 byte, depth reached 9999, errors: 1
 1.2345678e+08 states, stored
 1.3e+08 transitions (= stored+matched)
";

    #[test]
    fn verifiers_are_understood() {
        let expected =
            Answer { fails: false, states: 2_313_863, transitions: 8_550_392, depth: 74_079, too_shallow: false };
        assert_eq!(read_answer(WHOLE), Some(expected));
        let cut = read_answer(CUT).unwrap();
        assert_eq!((cut.fails, cut.states, cut.too_shallow), (true, 123_456_780, true));
        assert_eq!(read_answer("pan: out of memory\n"), None);
    }

    #[test]
    fn tables_have_room() {
        assert_eq!([1 << 20, (1 << 20) + 1, 10_582_900].map(table_bits), [21, 22, 25]);
    }
}
