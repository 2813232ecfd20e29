//! Automata as never claims of SPIN.
//!
//! A claim is a process of its own that moves in step with the model; a run is accepted that passes through a label beginning
//! with `accept` for ever. So the automaton must be a Büchi automaton with accepting states.

use crate::guards::{Guard, Guards};
use crate::{Acceptance, Automaton, StateId};
use std::fmt::Write as _;

/// The claim, with `comment` in its first line; nothing if the automaton is no state-based Büchi automaton. Propositions are
/// written as they are, in parentheses.
pub fn write_never(automaton: &Automaton, comment: &str) -> Option<String> {
    let everything = automaton.acceptance == Acceptance::True;
    if !everything && !(automaton.acceptance == Acceptance::buchi() && automaton.is_state_based()) {
        return None;
    }
    let accepts = |state: StateId| everything || automaton.state_marks(state).is_some_and(|marks| !marks.is_empty());
    let label = |state: StateId| match (state == automaton.initial, accepts(state)) {
        (true, true) => "accept_init".to_owned(),
        (true, false) => "T0_init".to_owned(),
        (false, true) => format!("accept_S{}", state.0),
        (false, false) => format!("T0_S{}", state.0),
    };
    let mut guards = automaton.guards.clone();
    let mut text = format!("never {{ /* {} */\n", comment.replace("*/", "* /"));
    let others = automaton.edges.ids().filter(|&state| state != automaton.initial);
    for state in std::iter::once(automaton.initial).chain(others) {
        let edges = &automaton.edges[state];
        let _ = writeln!(text, "{}:", label(state));
        if edges.is_empty() {
            text.push_str("  false;\n");
            continue;
        }
        text.push_str("  if\n");
        for edge in edges {
            let _ = writeln!(
                text,
                "  :: ({}) -> goto {}",
                condition(&mut guards, edge.guard, &automaton.propositions),
                label(edge.target)
            );
        }
        text.push_str("  fi;\n");
    }
    text.push_str("}\n");
    Some(text)
}

/// A guard as an expression of Promela.
fn condition(guards: &mut Guards, guard: Guard, propositions: &[String]) -> String {
    let literal = |(variable, value): (u32, bool)| {
        format!("{}({})", if value { "" } else { "!" }, propositions[variable as usize])
    };
    let product = |cube: Vec<(u32, bool)>| match cube.len() {
        0 => "true".to_owned(),
        _ => cube.into_iter().map(literal).collect::<Vec<_>>().join(" && "),
    };
    match guard {
        Guard::FALSE => "false".to_owned(),
        _ => guards.cover(guard).into_iter().map(product).collect::<Vec<_>>().join(" || "),
    }
}
