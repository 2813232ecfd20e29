//! Another initial state: one that accepts the same, so that the first one can go.
//!
//! The first state of a tableau is often left at once for a state with the same language that can do more. Simulation
//! does not merge them, because one can do more; the complement's automaton tells that the words are the same.

use super::simulation::simulators;
use crate::{Automaton, TranslateOptions, intersection, is_empty, reduce};

/// Begins in another state if that makes the automaton smaller. Same language. `complement` accepts exactly the words
/// that `automaton` does not.
pub fn better_start(automaton: &mut Automaton, complement: &Automaton, options: &TranslateOptions) {
    if automaton.state_count() > MAX_STATES || automaton.state_count() <= 1 {
        return;
    }
    let mut steps_left = options.max_reduction_steps;
    let initial = automaton.initial;
    for other in simulators(automaton, initial, &mut steps_left) {
        let mut moved = automaton.clone();
        moved.initial = other;
        // It accepts at least as much, because it simulates.
        if !intersection(&moved, complement, options).is_ok_and(|both| is_empty(&both)) {
            continue;
        }
        reduce(&mut moved, options);
        if moved.state_count() < automaton.state_count() {
            *automaton = moved;
            return better_start(automaton, complement, options);
        }
    }
}

/// Larger automata are left as they are.
const MAX_STATES: usize = 200;
