//! Properties whose conditions cannot be read in every state: an index lies outside of its array, or a divisor is 0.
//!
//! What is read there is 0, and must decide nothing: a run that comes to a state in which the property depends on such a
//! reading violates it. In `i < 3 -> a[i] == 0` nothing depends on the reading where `i` is 3 or more.

use crate::temporal::Prepared;
use lariat_automata::{Automaton, Edge, Guard};
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Demand, Settled, StoryStep};
use lariat_logic::{Formula, PropId};
use lariat_system::LabelId;
use lariat_system::reference::Evaluator;
use std::collections::BTreeSet;

/// What makes a run bad, or that the demand depends on a reading that cannot be made. `misreads` has propositions, each with
/// one that is true where it cannot be read; `names` are those of all propositions.
pub(crate) fn or_misread(bad: Demand, misreads: &[(PropId, PropId)], names: &[String]) -> Demand {
    match bad {
        _ if misreads.is_empty() => bad,
        Demand::Satisfies(formula) => {
            let misread = Formula::finally(somewhere(&formula, misreads));
            Demand::Satisfies(Formula::or([formula, misread]))
        }
        Demand::IsAccepted(automaton) => {
            Demand::is_accepted(accepting_misreads(automaton.over_propositions(names), misreads))
        }
    }
}

/// That some part of the formula that speaks of a single state depends on a misreading now.
fn somewhere(formula: &Formula, misreads: &[(PropId, PropId)]) -> Formula {
    match now(formula, misreads) {
        Some(misread) => misread,
        None => any(formula.operands().into_iter().map(|part| somewhere(part, misreads))),
    }
}

/// Where the truth of a formula about a single state depends on a misreading; `None` if it is about more.
fn now(formula: &Formula, misreads: &[(PropId, PropId)]) -> Option<Formula> {
    let both = |left: &Formula, right: &Formula| Some(any([now(left, misreads)?, now(right, misreads)?]));
    match formula {
        Formula::True | Formula::False => Some(Formula::False),
        Formula::Prop(prop) => {
            let known = misreads.iter().find(|(condition, _)| condition == prop);
            Some(known.map_or(Formula::False, |(_, misread)| Formula::prop(*misread)))
        }
        Formula::Not(part) => now(part, misreads),
        Formula::And(parts) => undecided(parts, misreads, Formula::clone),
        Formula::Or(parts) => undecided(parts, misreads, Formula::negated),
        Formula::Implies(left, right) => undecided(&[left.negated(), (**right).clone()], misreads, Formula::negated),
        Formula::Iff(left, right) | Formula::Xor(left, right) => both(left, right),
        _ => None,
    }
}

/// Where a part is misread, and all others that can be read are `open`: they do not decide by themselves.
fn undecided(parts: &[Formula], misreads: &[(PropId, PropId)], open: impl Fn(&Formula) -> Formula) -> Option<Formula> {
    let of_parts: Vec<Formula> = parts.iter().map(|part| now(part, misreads)).collect::<Option<_>>()?;
    let readable = parts.iter().zip(&of_parts).filter(|(_, misread)| **misread == Formula::False);
    let all_open = Formula::and(readable.map(|(part, _)| open(part)));
    Some(match any(of_parts) {
        Formula::False => Formula::False,
        misread => Formula::and([misread, all_open]),
    })
}

/// That one of them holds; those that never hold are left out.
fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
    Formula::or(parts.into_iter().filter(|part| *part != Formula::False))
}

/// The automaton, which also accepts where a move depends on a misreading.
fn accepting_misreads(mut automaton: Automaton, misreads: &[(PropId, PropId)]) -> Automaton {
    let accepting = automaton.acceptance.marks();
    let anything = automaton.edges.push(Vec::new());
    automaton.edges[anything].push(Edge { target: anything, guard: Guard::TRUE, marks: accepting });
    for state in automaton.edges.ids().filter(|&state| state != anything) {
        for &(condition, misread) in misreads {
            let reads = |edge: &Edge| automaton.guards.support(edge.guard).contains(&condition.0);
            if automaton.edges[state].iter().any(reads) {
                let guard = automaton.guards.variable(misread.0);
                automaton.edges[state].push(Edge { target: anything, guard, marks: Default::default() });
            }
        }
    }
    automaton
}

/// A warning where the run that shows a violation depends on a reading that cannot be made.
pub(crate) fn remark(name: &str, prepared: &Prepared, settled: &Settled) -> Option<Diagnostic> {
    let text = misread(prepared, settled)?;
    let message = format!(
        "`{name}`: on the run that is shown `{text}` cannot be read, as an index lies outside of its array or a divisor is \
         0; that counts as a violation"
    );
    let help = "let the formula say when it is to be read, as in `i < 3 -> a[i] == 0`";
    Some(Diagnostic::warning(Span::NONE, "C0012", message).help(help))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guarded_readings_do_not_matter() {
        let [small, zero, misread] = [0, 1, 2].map(PropId);
        let (guard, reading) = (Formula::prop(small), Formula::prop(zero));
        let of = |formula: &Formula| somewhere(formula, &[(zero, misread)]);
        let open = Formula::and([Formula::prop(misread), guard.clone()]);
        assert_eq!(of(&Formula::globally(Formula::implies(guard.clone(), reading.clone()))), open);
        assert_eq!(of(&Formula::and([guard.clone(), reading.clone()])), open);
        assert_eq!(of(&Formula::until(guard.clone(), reading.clone())), Formula::prop(misread));
        assert_eq!(of(&Formula::finally(guard)), Formula::False);
    }
}
