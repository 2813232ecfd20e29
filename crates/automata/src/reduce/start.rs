//! Another initial state: one that accepts the same, so that the first one can go.
//!
//! The first state of a tableau is often left at once for a state with the same language that can do more. Simulation
//! does not merge them, because one can do more; the complement's automaton tells that the words are the same.

use super::reduce_within;
use super::simulation::simulators;
use crate::{Automaton, TranslateOptions, intersection, is_empty};

/// Begins in another state if that makes the automaton smaller. Same language. `complement` accepts exactly the words
/// that `automaton` does not.
pub fn better_start(automaton: &mut Automaton, complement: &Automaton, options: &TranslateOptions) {
    let mut steps_left = options.max_reduction_steps;
    better_start_within(automaton, complement, options, &mut steps_left);
}

/// The same, with the work taken from `steps_left`.
pub(crate) fn better_start_within(
    automaton: &mut Automaton,
    complement: &Automaton,
    options: &TranslateOptions,
    steps_left: &mut u64,
) {
    if automaton.state_count() > MAX_STATES || automaton.state_count() <= 1 {
        return;
    }
    let initial = automaton.initial;
    for other in simulators(automaton, initial, steps_left) {
        let mut moved = automaton.clone();
        moved.initial = other;
        // It accepts at least as much, because it simulates.
        if !intersection(&moved, complement, options).is_ok_and(|both| is_empty(&both)) {
            continue;
        }
        reduce_within(&mut moved, steps_left);
        if moved.state_count() < automaton.state_count() && !moved.guards.overflowed() {
            *automaton = moved;
            return better_start_within(automaton, complement, options, steps_left);
        }
    }
}

/// Larger automata are left as they are.
const MAX_STATES: usize = 200;
