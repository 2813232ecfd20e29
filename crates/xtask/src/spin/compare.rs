//! What Lariat and SPIN say about one model, side by side.

use super::oracle::{Spin, Verifier};
use super::ours::{self, Cycles, NoAnswer};
use super::pan::{self, Figures, Safety, Temporal};
use super::reached;
use lariat::Model;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A question that both are asked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Question {
    Safety,
    /// The `ltl` block of this name.
    Formula {
        name: String,
        fair: bool,
    },
    /// Cycles through `accept` labels.
    Acceptance {
        fair: bool,
    },
    /// Cycles without `progress` labels.
    Progress {
        fair: bool,
    },
}

/// In what two answers differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Respect {
    /// We panic, or meet an internal error.
    Bug,
    /// We refuse what SPIN accepts.
    Refusal,
    Verdict,
    States,
    Transitions,
    Unreached,
}

/// What came of one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Same,
    /// There is nothing to compare, and why: one of the two does not finish, or SPIN refuses the model.
    Skipped(String),
    Differs(Difference),
}

/// Two answers that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Difference {
    pub(super) respect: Respect,
    /// Whether something fails for SPIN, and for Lariat; a shrunk model must not turn that round.
    pub(super) fails: (bool, bool),
    /// Both answers, for people.
    pub(super) answers: String,
    /// What both say about a temporal property.
    pub(super) cycles: Option<(Temporal, Cycles)>,
}

/// Asks both.
#[derive(Debug)]
pub(super) struct Comparer {
    spin: Spin,
    /// Whether statements that are never reached are compared.
    with_unreached: bool,
    /// States and failure of the last model that both searched with the same result.
    last_size: Option<(u64, bool)>,
}

impl Comparer {
    pub(super) fn new(spin: Spin, with_unreached: bool) -> Self {
        Self { spin, with_unreached, last_size: None }
    }

    /// The outcomes of all questions that `text` raises.
    pub(super) fn compare(&mut self, text: &str) -> Vec<(Question, Outcome)> {
        self.ask(text, &parts_of(text, self.spin.compiler() == "gcc"))
    }

    /// The outcome of one question.
    pub(super) fn compare_part(&mut self, text: &str, part: &Question) -> Outcome {
        let mut outcomes = self.ask(text, std::slice::from_ref(part));
        outcomes.pop().map_or_else(|| Outcome::Skipped("nothing was asked".to_owned()), |(_, outcome)| outcome)
    }

    /// States and failure of the last model, if both agree about them.
    pub(super) fn last_size(&self) -> Option<(u64, bool)> {
        self.last_size
    }

    fn ask(&mut self, text: &str, parts: &[Question]) -> Vec<(Question, Outcome)> {
        self.last_size = None;
        if let Err(reason) = self.spin.load(text) {
            return vec![(Question::Safety, Outcome::Skipped(format!("SPIN refuses: {reason}")))];
        }
        let path = self.spin.model_path();
        let mut model = match catch_unwind(AssertUnwindSafe(|| ours::read(&path))) {
            Ok(Ok(model)) => model,
            // The verifier has its own reasons to refuse.
            Ok(Err(answer)) => {
                return vec![match self.spin.search(Verifier::Plain, &["-c0"]) {
                    Ok(_) => (Question::Safety, no_answer(answer, "it accepts the model")),
                    Err(reason) => (Question::Safety, Outcome::Skipped(format!("SPIN refuses: {reason}"))),
                }];
            }
            Err(_) => return vec![(Question::Safety, bug("we panic while reading"))],
        };
        parts.iter().map(|part| (part.clone(), self.ask_part(text, &mut model, part))).collect()
    }

    fn ask_part(&mut self, text: &str, model: &mut Model, part: &Question) -> Outcome {
        // Beyond assertions that fail.
        let onward: &[&str] = if text.contains("assert(") { &["-c0"] } else { &[] };
        let outcome = catch_unwind(AssertUnwindSafe(|| match part {
            Question::Safety => self.safety(text, model),
            Question::Formula { .. } | Question::Progress { .. } if text.contains("_nr_pr") => {
                Err("SPIN's `_nr_pr` counts the claim".to_owned())
            }
            Question::Formula { .. } if has_label(text, "accept") => {
                Err("SPIN looks for cycles through `accept` labels of the model too".to_owned())
            }
            Question::Formula { name, fair } => {
                // A single claim needs no name.
                let named = ["-N", name];
                let name_of_claim = if text.matches("ltl ").count() > 1 { &named[..] } else { &[] };
                self.cycles(model, name, *fair, Verifier::Claims, &[&["-a"], name_of_claim, onward].concat())
            }
            Question::Acceptance { fair } => self.cycles(model, "accept", *fair, Verifier::Plain, &["-a", "-c0"]),
            Question::Progress { fair } => {
                // The verifier has room for one claim, and this one is its own.
                self.spin.load(&without_formulas(text))?;
                let outcome = self.cycles(model, "np_", *fair, Verifier::Progress, &[&["-l"], onward].concat());
                self.spin.load(text)?;
                outcome
            }
        }));
        match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(reason)) => Outcome::Skipped(reason),
            Err(_) => bug("we panic"),
        }
    }

    fn safety(&mut self, text: &str, model: &mut Model) -> Result<Outcome, String> {
        let theirs = pan::read_safety(&self.spin.search(Verifier::Plain, &["-c0"])?)?;
        let ours = match ours::safety(model) {
            Ok(ours) => ours,
            Err(answer) => return Ok(no_answer(answer, &format!("{theirs:?}"))),
        };
        let we_fail = !ours.failures.is_empty();
        let (respect, they_fail, answers) = match &theirs {
            Safety::Astray if !we_fail => (Respect::Verdict, true, format!("SPIN: fails, Lariat: {}", brief(&ours))),
            Safety::Astray => return Ok(Outcome::Same),
            Safety::Figures(theirs) => {
                let respect = if theirs.failures != ours.failures {
                    Respect::Verdict
                } else if theirs.states != ours.states {
                    Respect::States
                } else if theirs.transitions != ours.transitions && !text.contains("atomic") {
                    Respect::Transitions
                } else if self.with_unreached
                    && let Some(difference) = reached::difference(text, &theirs.unreached, &ours.unreached)
                {
                    let (respect, fails) = (Respect::Unreached, (we_fail, we_fail));
                    return Ok(Outcome::Differs(Difference { respect, fails, answers: difference, cycles: None }));
                } else {
                    self.last_size = Some((ours.states, we_fail));
                    return Ok(Outcome::Same);
                };
                let answers = format!("SPIN: {}, Lariat: {}", brief(theirs), brief(&ours));
                (respect, !theirs.failures.is_empty(), answers)
            }
        };
        Ok(Outcome::Differs(Difference { respect, fails: (they_fail, we_fail), answers, cycles: None }))
    }

    fn cycles(
        &mut self,
        model: &mut Model,
        name: &str,
        fair: bool,
        verifier: Verifier,
        arguments: &[&str],
    ) -> Result<Outcome, String> {
        let fairness: &[&str] = if fair { &["-E", "-f"] } else { &["-E"] };
        let theirs = pan::read_cycles(&self.spin.search(verifier, &[arguments, fairness].concat())?)?;
        let ours = match ours::cycles(model, name, fair) {
            Ok(ours) => ours,
            Err(answer) => return Ok(no_answer(answer, &format!("{theirs:?}"))),
        };
        let fails = (theirs != Temporal::Holds, ours.bad);
        if fails.0 == fails.1 {
            return Ok(Outcome::Same);
        }
        let (fairly, word) = (if fair { " under weak fairness" } else { "" }, if ours.bad { "fails" } else { "holds" });
        let answers = format!("`{name}`{fairly}: SPIN: {theirs:?}, Lariat: {word}");
        Ok(Outcome::Differs(Difference { respect: Respect::Verdict, fails, answers, cycles: Some((theirs, ours)) }))
    }
}

/// The questions that a model raises. `one_verifier` leaves out what would need more than one compiled program.
fn parts_of(text: &str, one_verifier: bool) -> Vec<Question> {
    let mut parts = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("ltl ").and_then(|rest| rest.split_whitespace().next()) {
            parts.extend([false, true].map(|fair| Question::Formula { name: name.to_owned(), fair }));
        }
    }
    if one_verifier && !parts.is_empty() {
        return parts;
    }
    parts.insert(0, Question::Safety);
    if has_label(text, "accept") {
        parts.extend([false, true].map(|fair| Question::Acceptance { fair }));
    }
    if has_label(text, "progress") && !one_verifier {
        parts.extend([false, true].map(|fair| Question::Progress { fair }));
    }
    parts
}

fn has_label(text: &str, prefix: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(prefix) && line.ends_with(':'))
}

fn without_formulas(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("ltl ")).map(|line| format!("{line}\n")).collect()
}

fn bug(answers: &str) -> Outcome {
    let (respect, fails) = (Respect::Bug, (false, false));
    Outcome::Differs(Difference { respect, fails, answers: answers.to_owned(), cycles: None })
}

fn no_answer(ours: NoAnswer, theirs: &str) -> Outcome {
    let (respect, ours) = match ours {
        NoAnswer::Unfinished => return Outcome::Skipped("Lariat takes too long".to_owned()),
        NoAnswer::Bug(bug) => (Respect::Bug, bug),
        NoAnswer::Refused(reason) => (Respect::Refusal, reason),
    };
    let answers = format!("SPIN: {theirs}, Lariat: {ours}");
    Outcome::Differs(Difference { respect, fails: (false, false), answers, cycles: None })
}

/// Figures for people.
fn brief(figures: &Figures) -> String {
    let failures: Vec<&str> = figures.failures.iter().map(String::as_str).collect();
    let failures = if failures.is_empty() { "holds".to_owned() } else { failures.join(" and ") };
    format!("{failures}, {} states, {} transitions", figures.states, figures.transitions)
}
