//! When a property holds for a reason that its author may not have had in mind.

use crate::CheckError;
use crate::branching::BranchingProperty;
use crate::temporal::LinearProperty;
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Property, Report, Settled, Temporal, Verdict, Watched};
use lariat_logic::{Dialect, Formula, LassoWord, Letter, PropId, Propositions, holds, print};
use lariat_system::{DeadEnds, Who};
use std::sync::Arc;

/// What is to be said about a settled property.
#[derive(Default)]
pub(crate) struct Remarks {
    pub(crate) warnings: Vec<Diagnostic>,
    /// Why it holds for a reason that its author may not have had in mind.
    pub(crate) vacuous: Option<String>,
}

impl Remarks {
    /// The limits left no room to find out what is to be said.
    pub(crate) fn left_out(settled: &Settled) -> Self {
        if settled.report().verdict != Verdict::Holds {
            return Self::default();
        }
        let name = settled.name();
        let message = format!(
            "`{name}` holds; whether it holds vacuously was not found out: that takes longer than the answer, or than the limits \
             allow"
        );
        Self { warnings: vec![Diagnostic::warning(Span::NONE, "C0014", message)], vacuous: None }
    }
}

/// What is to be said about a settled property, beside its verdict. `search` looks for a run that an automaton accepts. Where that
/// takes too long, or the engine left no time to see what remarks need, the warning says so.
pub(crate) fn remarks(
    name: &str,
    prepared: &LinearProperty,
    settled: &Settled,
    search: impl Fn(&Temporal) -> Result<Report, CheckError>,
) -> Remarks {
    if settled.report().verdict != Verdict::Holds {
        return Remarks::default();
    }
    let system = settled.system();
    let narrowed = !system.fairness.is_empty() || prepared.narrows();
    let has_runs = settled.report().has_runs && !prepared.narrows();
    // What was moved out of a formula may be what violates it: that no run meets it means nothing then.
    let moved = prepared.moved_constraints();
    if (narrowed || system.dead_ends == DeadEnds::Cut)
        && !has_runs
        && moved == 0
        && let Ok(counting) = prepared.counting()
    {
        match search(&counting).map(|report| report.verdict) {
            Ok(Verdict::Holds) => {
                let warnings = vec![no_run(name, narrowed, &Verdict::Holds)];
                return Remarks { warnings, vacuous: Some(why_no_run(narrowed).to_owned()) };
            }
            Ok(Verdict::Fails(_)) => {}
            Ok(Verdict::Undecided(_) | Verdict::Computed(_)) | Err(_) => return Remarks::left_out(settled),
        }
    }
    if settled.report().unwatched {
        return Remarks::left_out(settled);
    }
    let mut remarks = Remarks::default();
    let watched = settled.report().watched.as_ref();
    if let Some(formula) = &prepared.formula {
        for antecedent in watched.map(|watched| never_true(formula, watched)).unwrap_or_default() {
            remarks.add_never(name, &text_of(&antecedent, prepared.propositions(), Dialect::Spin));
        }
        // A search of what is bad may stop before a state where the condition is true. Constraints that were moved leave such runs out.
        let letters = watched.and_then(|watched| watched.letters.as_ref());
        let seen = |asked: &Formula| letters.into_iter().flatten().any(|&letter| is_true(asked, letter));
        let is_read = |asked: &Formula| prepared.misreads().all(|(prop, _)| !asked.props().contains(&prop));
        for asked in of_runs(formula).into_iter().filter(|asked| moved == 0 && is_read(asked) && !seen(asked)) {
            if let Ok(met) = prepared.meeting(&asked) {
                let text = text_of(&asked, prepared.propositions(), Dialect::Spin);
                remarks.add_if_never(settled, &text, search(&met));
            }
        }
    }
    let Some(watched) = watched else { return remarks };
    let of_process = |number: &&usize| {
        // A process that nobody asked about by name, and that perhaps never lives.
        !matches!(system.fairness[**number].as_fairness_for(), Some(Who::Process(_)))
    };
    let of_system = |number: &&usize| **number < system.fairness.len() - moved;
    for number in watched.idle_constraints.iter().filter(of_system).filter(of_process) {
        let constraint = system.fairness_name(*number);
        remarks.warnings.push(Diagnostic::warning(
            Span::NONE,
            "C0007",
            format!("`{name}`: {constraint} makes no difference: every run meets it"),
        ));
    }
    remarks
}

impl Remarks {
    /// What the text says is never true, so the property says nothing.
    fn add_never(&mut self, name: &str, text: &str) {
        let message = format!("`{name}` holds, but `{text}` is never true, so the rest was never checked");
        self.warnings.push(Diagnostic::warning(Span::NONE, "C0006", message));
        self.vacuous.get_or_insert_with(|| format!("`{text}` is never true"));
    }

    /// The same, if a search found no run on which it is true; or that this was not found out.
    fn add_if_never(&mut self, settled: &Settled, text: &str, searched: Result<Report, CheckError>) {
        match searched.map(|report| report.verdict) {
            Ok(Verdict::Holds) => self.add_never(settled.name(), text),
            Ok(Verdict::Fails(_)) => {}
            // Once is enough.
            Ok(Verdict::Undecided(_) | Verdict::Computed(_)) | Err(_) => {
                let unknown = Self::left_out(settled).warnings;
                self.warnings
                    .extend(unknown.into_iter().filter(|found| !self.warnings.contains(found)).collect::<Vec<_>>());
            }
        }
    }
}

/// What is to be said about a formula of branching time that holds: of its demands `A G (a -> b)` with `a` about single states, those
/// `a` that are true in no state of a run that counts. `search` looks for a run that an automaton accepts.
pub(crate) fn remarks_of_branching(
    prepared: &BranchingProperty,
    settled: &Settled,
    search: impl Fn(&Temporal) -> Result<Report, CheckError>,
) -> Remarks {
    let mut remarks = Remarks::default();
    let Property::Branching(property) = &prepared.property else { return remarks };
    if settled.report().verdict != Verdict::Holds || !prepared.reads_all {
        return remarks;
    }
    let mut conditions = Vec::new();
    collect_of_all(&property.formula, &mut conditions);
    for asked in conditions {
        if let Ok(met) = prepared.meeting(&asked, property) {
            let text = text_of(&asked, &prepared.propositions, Dialect::Auto);
            remarks.add_if_never(settled, &text, search(&met));
        }
    }
    remarks
}

/// What is to be said about a property of branching time that was asked of no run.
pub(crate) fn without_runs(settled: &Settled) -> Diagnostic {
    no_run(settled.name(), !settled.system().fairness.is_empty(), &settled.report().verdict)
}

/// The warning that no run counts; `narrowed` says whether that may be for want of fair ones.
fn no_run(name: &str, narrowed: bool, verdict: &Verdict) -> Diagnostic {
    let why = why_no_run(narrowed);
    let message = match verdict {
        Verdict::Computed(_) => format!("`{name}`: {why}, so there are no steps to count"),
        _ => format!("`{name}` holds vacuously: {why}, so everything holds"),
    };
    Diagnostic::warning(Span::NONE, "C0004", message)
}

/// Why no run counts; `narrowed` says whether that may be for want of fair ones.
pub(crate) fn why_no_run(narrowed: bool) -> &'static str {
    if narrowed { "no run meets the fairness constraints" } else { "no run goes on for ever" }
}

/// Of the demands `[](a -> b)` with `a` about single positions, those `a` that are true nowhere.
fn never_true(formula: &Formula, watched: &Watched) -> Vec<Formula> {
    let Some(letters) = &watched.letters else { return Vec::new() };
    let mut antecedents = Vec::new();
    collect(formula, &mut antecedents);
    antecedents.retain(|antecedent| !letters.iter().any(|&letter| is_true(antecedent, letter)));
    antecedents
}

fn collect(formula: &Formula, antecedents: &mut Vec<Formula>) {
    match formula {
        Formula::And(parts) => parts.iter().for_each(|part| collect(part, antecedents)),
        Formula::Globally(part) => match &**part {
            Formula::Implies(asked, _) if asked.is_boolean() => antecedents.push((**asked).clone()),
            Formula::And(parts) => {
                parts.iter().for_each(|part| collect(&Formula::globally(part.clone()), antecedents));
            }
            inner @ Formula::Globally(_) => collect(inner, antecedents),
            _ => {}
        },
        _ => {}
    }
}

/// Of the demands `a -> b` and `[](a -> b)` the conditions of single positions without which `a` is false on every run: `p` in `<> p`,
/// `[]<> p` and `<>[] p`.
fn of_runs(formula: &Formula) -> Vec<Formula> {
    fn of_antecedent(asked: &Formula, found: &mut Vec<Formula>) {
        let inner: &Formula = match asked {
            Formula::And(parts) => return parts.iter().for_each(|part| of_antecedent(part, found)),
            Formula::Finally(inner) | Formula::Globally(inner) => inner,
            _ => return,
        };
        let condition = match inner {
            Formula::Finally(again) | Formula::Globally(again) => again,
            inner if matches!(asked, Formula::Finally(_)) => inner,
            _ => return,
        };
        if condition.is_boolean() && !found.contains(condition) {
            found.push(condition.clone());
        }
    }
    fn of_demand(demand: &Formula, found: &mut Vec<Formula>) {
        match demand {
            Formula::And(parts) => parts.iter().for_each(|part| of_demand(part, found)),
            Formula::Globally(inner) => of_demand(inner, found),
            Formula::Implies(asked, _) => of_antecedent(asked, found),
            _ => {}
        }
    }
    let mut found = Vec::new();
    of_demand(formula, &mut found);
    found
}

/// The `a` of demands `A G (a -> b)` with `a` about single states.
fn collect_of_all(formula: &Formula, conditions: &mut Vec<Formula>) {
    match formula {
        Formula::And(parts) => parts.iter().for_each(|part| collect_of_all(part, conditions)),
        Formula::ForAll(of_runs) => {
            let Formula::Globally(inner) = &**of_runs else { return };
            match &**inner {
                Formula::Implies(asked, _) if asked.is_boolean() && !conditions.contains(asked) => {
                    conditions.push((**asked).clone());
                }
                Formula::And(parts) => parts.iter().for_each(|part| {
                    collect_of_all(&Formula::ForAll(Arc::new(Formula::globally(part.clone()))), conditions);
                }),
                inner => collect_of_all(inner, conditions),
            }
        }
        _ => {}
    }
}

/// The condition as people write it: a proposition by itself is not quoted.
fn text_of(condition: &Formula, propositions: &Propositions, dialect: Dialect) -> String {
    match condition {
        Formula::Prop(prop) => propositions.text(*prop).into_owned(),
        condition => print(condition, propositions, dialect),
    }
}

/// Whether a formula about one position holds at a letter.
fn is_true(formula: &Formula, letter: u64) -> bool {
    let letter: Letter = (0..64).filter(|number| letter >> number & 1 == 1).map(PropId).collect();
    holds(formula, &LassoWord::new(Vec::new(), vec![letter]))
}
