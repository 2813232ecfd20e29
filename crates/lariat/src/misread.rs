//! Properties whose conditions cannot be read in every state: an index lies outside of its array, a divisor is 0, or a
//! variable holds no channel.
//!
//! What is read there is 0, and must not make a property hold. So a run counts as bad if it is bad for some truth value of the
//! condition in each state where that cannot be read. In `i < 3 -> a[i] == 0` nothing depends on the reading where `i` is 3 or
//! more. The same goes for what makes a run count.

use crate::temporal::LinearProperty;
use lariat_automata::Automaton;
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Demand, Replay, ReplayError, RunControl, Settled, Story, SystemReplay};
use lariat_logic::{Formula, PropId};
use lariat_system::reference::Evaluator;
use lariat_system::{LabelId, System};

/// Propositions that cannot be read in every state, each with one that is true where that is so.
pub(crate) type Misreads = [(PropId, PropId)];

/// What the demand asks for, for some truth value of what cannot be read. `names` are those of all propositions.
pub(crate) fn for_some_reading(demand: Demand, misreads: &Misreads, names: &[String]) -> Demand {
    match demand {
        _ if misreads.is_empty() => demand,
        Demand::Satisfies(formula) => Demand::Satisfies(read(&formula, misreads, true)),
        Demand::IsAccepted(automaton) => {
            Demand::is_accepted(moving_by_some_reading(automaton.over_propositions(names), misreads))
        }
    }
}

/// The formula, for all truth values of what cannot be read.
pub(crate) fn for_all_readings(formula: &Formula, misreads: &Misreads) -> Formula {
    if misreads.is_empty() { formula.clone() } else { read(formula, misreads, false) }
}

/// The formula for some truth value of what cannot be read, or for all of them.
fn read(formula: &Formula, misreads: &Misreads, some: bool) -> Formula {
    match formula {
        Formula::Prop(prop) => match misreads.iter().find(|(condition, _)| condition == prop) {
            None => formula.clone(),
            Some((_, misread)) if some => Formula::or([formula.clone(), Formula::prop(*misread)]),
            Some((_, misread)) => Formula::and([formula.clone(), Formula::prop(*misread).negated()]),
        },
        Formula::Not(_) => formula.map_operands(|part| read(part, misreads, !some)),
        Formula::Implies(left, right) => Formula::implies(read(left, misreads, !some), read(right, misreads, some)),
        Formula::Iff(left, right) if speaks_of(formula, misreads) => {
            let (left, right) = (Formula::clone(left), Formula::clone(right));
            let ways = [Formula::implies(left.clone(), right.clone()), Formula::implies(right, left)];
            read(&Formula::and(ways), misreads, some)
        }
        Formula::Xor(left, right) if speaks_of(formula, misreads) => {
            let (left, right) = (Formula::clone(left), Formula::clone(right));
            let ways = [Formula::and([left.clone(), right.negated()]), Formula::and([left.negated(), right])];
            read(&Formula::or(ways), misreads, some)
        }
        _ => formula.map_operands(|part| read(part, misreads, some)),
    }
}

fn speaks_of(formula: &Formula, misreads: &Misreads) -> bool {
    formula.props().iter().any(|prop| misreads.iter().any(|(condition, _)| condition == prop))
}

/// The automaton with moves for some truth value of what cannot be read.
fn moving_by_some_reading(mut automaton: Automaton, misreads: &Misreads) -> Automaton {
    let Automaton { guards, edges, .. } = &mut automaton;
    for edge in edges.iter_mut().flatten() {
        for &(condition, misread) in misreads {
            if guards.support(edge.guard).contains(&condition.0) {
                let either = guards.exists(edge.guard, &|variable| variable == condition.0);
                let misread = guards.variable(misread.0);
                edge.guard = guards.ite(misread, either, edge.guard);
            }
        }
    }
    automaton
}

/// A warning where the run that shows a violation would be none by what was read.
pub(crate) fn remark(
    name: &str,
    prepared: &LinearProperty,
    settled: &Settled,
    control: &RunControl,
) -> Option<Diagnostic> {
    prepared.misreads().next()?;
    let (evidence, story) = settled.failures().next()?;
    let system = settled.system();
    let as_read = prepared.temporal_as_read().ok()?;
    let replay = SystemReplay::of_temporal(system, &as_read).ok()?.within(control);
    match replay.replay(&evidence.trace, evidence.kind) {
        // It is a violation by what was read, or there is no time to find out.
        Ok(_) | Err(ReplayError { shortfall: Some(_), .. }) => return None,
        Err(_) => {}
    }
    let prop = misread_on(prepared, system, story)?;
    let text = prepared.propositions().text(prop);
    let message = format!(
        "`{name}`: on the run that is shown `{text}` cannot be read: an index lies outside of its array, a divisor is 0, or \
         there is no channel; that counts as a violation"
    );
    let help = "let the formula say when it is to be read, as in `i < 3 -> a[i] == 0`";
    Some(Diagnostic::warning(Span::NONE, "C0012", message).help(help))
}

/// The first proposition that cannot be read in a state of the run.
fn misread_on(prepared: &LinearProperty, system: &System, story: &Story) -> Option<PropId> {
    let evaluator = Evaluator::new(system);
    let states = story.events(system).map(|item| item.before).chain([story.last().clone()]);
    let misreads: Vec<(PropId, LabelId)> = prepared.misreads().collect();
    states.into_iter().find_map(|state| {
        let labels = evaluator.state_labels(&state);
        misreads.iter().find(|(_, label)| labels.contains(label)).map(|(prop, _)| *prop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_taken_for_the_worst() {
        let [small, zero, misread] = [0, 1, 2].map(PropId);
        let (guard, reading, unread) = (Formula::prop(small), Formula::prop(zero), Formula::prop(misread));
        let of = |formula: &Formula| for_all_readings(formula, &[(zero, misread)]);
        let certain = Formula::and([reading.clone(), unread.negated()]);
        let possible = Formula::or([reading.clone(), unread.clone()]);
        let guarded = Formula::globally(Formula::implies(guard.clone(), reading.clone()));
        assert_eq!(of(&guarded), Formula::globally(Formula::implies(guard.clone(), certain.clone())));
        assert_eq!(of(&reading.negated()), possible.negated());
        assert_eq!(
            of(&Formula::implies(reading.clone(), guard.clone())),
            Formula::implies(possible.clone(), guard.clone())
        );
        let same = Formula::and([Formula::implies(possible, guard.clone()), Formula::implies(guard.clone(), certain)]);
        assert_eq!(of(&Formula::Iff(reading.into(), guard.clone().into())), same);
        assert_eq!(of(&Formula::finally(guard.clone())), Formula::finally(guard));
    }
}
