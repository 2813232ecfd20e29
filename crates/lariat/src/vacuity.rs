//! When a property holds for a reason that its author may not have had in mind.

use crate::CheckError;
use crate::temporal::Prepared;
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Report, Settled, StoryStep, Temporal, Verdict, Watched};
use lariat_logic::{Dialect, Formula, LassoWord, Letter, PropId, holds, print};
use lariat_system::reference::Evaluator;
use lariat_system::{DeadEnds, LabelId, Who};
use std::collections::BTreeSet;

/// What is to be said about a settled property, beside its verdict. `search` looks for a run that an automaton accepts.
pub(crate) fn remarks(
    name: &str,
    prepared: &Prepared,
    settled: &Settled,
    search: impl FnOnce(&Temporal) -> Result<Report, CheckError>,
) -> Vec<Diagnostic> {
    let warning = |code, message: String| Diagnostic::warning(Span::NONE, code, message);
    if settled.report().verdict != Verdict::Holds {
        let misread = misread(prepared, settled).map(|text| {
            let message = format!(
                "`{name}`: on the run that is shown `{text}` cannot be read, as an index lies outside of its array or a \
                 divisor is 0; that counts as a violation"
            );
            warning("C0012", message).help("let the formula say when it is to be read, as in `i < 3 -> a[i] == 0`")
        });
        return misread.into_iter().collect();
    }
    let system = settled.system();
    let narrowed = !system.fairness.is_empty() || prepared.narrows();
    if (narrowed || system.dead_ends == DeadEnds::Cut)
        && let Ok(counting) = prepared.counting()
        && search(&counting).is_ok_and(|report| report.verdict == Verdict::Holds)
    {
        let why = if narrowed { "no run meets the fairness constraints" } else { "no run goes on for ever" };
        return vec![warning("C0004", format!("`{name}` holds vacuously: {why}, so everything holds"))];
    }
    let mut remarks = Vec::new();
    let Some(watched) = &settled.report().watched else { return remarks };
    if let Some(formula) = &prepared.formula {
        for antecedent in never_true(formula, watched) {
            let text = match &antecedent {
                Formula::Prop(prop) => prepared.propositions().text(*prop).into_owned(),
                formula => print(formula, prepared.propositions(), Dialect::Spin),
            };
            let message =
                format!("`{name}` holds, but `{text}` is never true: what follows from it was never asked for");
            remarks.push(warning("C0006", message));
        }
    }
    let of_process = |number: &&usize| {
        // A process that nobody asked about by name, and that perhaps never lives.
        !matches!(system.fairness[**number].as_fairness_for(), Some(Who::Process(_)))
    };
    for number in watched.idle_constraints.iter().filter(of_process) {
        let constraint = system.fairness_name(*number);
        remarks.push(warning("C0007", format!("`{name}`: {constraint} makes no difference: every run meets it")));
    }
    remarks
}

/// A proposition that cannot be read in the state in which the run that is shown has become bad, or anywhere on a run that
/// has no such state.
fn misread(prepared: &Prepared, settled: &Settled) -> Option<String> {
    let (evidence, story) = settled.failures().next()?;
    let system = settled.system();
    prepared.misreads().next()?;
    let steps = story.in_full(system);
    let after = |step: &StoryStep| step.events.iter().rev().find_map(|event| event.after.clone());
    let mut states = vec![story.initial().clone()];
    states.extend(steps.iter().take(evidence.trace.decided.unwrap_or(usize::MAX)).filter_map(after));
    if evidence.trace.decided.is_some() {
        states.drain(..states.len() - 1);
    }
    let evaluator = Evaluator::new(system);
    let labels: BTreeSet<LabelId> = states.iter().flat_map(|state| evaluator.state_labels(state)).collect();
    let mut misreads = prepared.misreads().filter(|(_, label)| labels.contains(label));
    misreads.next().map(|(prop, _)| prepared.propositions().text(prop).into_owned())
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

/// Whether a formula about one position holds at a letter.
fn is_true(formula: &Formula, letter: u64) -> bool {
    let letter: Letter = (0..64).filter(|number| letter >> number & 1 == 1).map(PropId).collect();
    holds(formula, &LassoWord::new(Vec::new(), vec![letter]))
}
