//! Reductions: smaller automata for the same language.

mod acceptance;
mod simulation;
mod start;
mod trim;

pub(crate) use acceptance::necessary_marks;
pub use acceptance::simplify_acceptance;
pub use simulation::{Direction, reduce_by_simulation};
pub use start::better_start;
pub(crate) use start::better_start_within;
pub(crate) use trim::all_cycles_accept;
pub use trim::{OffCycles, settle_marks, trim};

use crate::{Automaton, TranslateOptions};

/// Applies every reduction that keeps the form of the automaton (its acceptance condition simplified; state-based if it
/// was state-based) until nothing changes or the work allowed is done. Same language.
pub fn reduce(automaton: &mut Automaton, options: &TranslateOptions) {
    let mut steps_left = options.max_reduction_steps;
    reduce_within(automaton, &mut steps_left);
}

/// The same, with the work taken from `steps_left`.
pub(crate) fn reduce_within(automaton: &mut Automaton, steps_left: &mut u64) {
    let state_based = automaton.is_state_based();
    loop {
        let before = (automaton.state_count(), automaton.edge_count());
        trim(automaton);
        if !state_based {
            simplify_acceptance(automaton);
        }
        for off_cycles in [OffCycles::Bare, OffCycles::Marked] {
            for direction in [Direction::Forward, Direction::Backward] {
                settle_marks(automaton, off_cycles, state_based);
                automaton.merge_edges();
                reduce_by_simulation(automaton, direction, state_based, steps_left);
                trim(automaton);
            }
        }
        if (automaton.state_count(), automaton.edge_count()) == before || *steps_left == 0 {
            break;
        }
    }
    settle_marks(automaton, OffCycles::Bare, state_based);
    automaton.merge_edges();
    automaton.renumber();
    automaton.compact_guards();
}
