//! Estimates of the steps to a failure, for a directed search.
//!
//! H_a, H_M and H'_M of Edelkamp and Jabbar (sections 6.1 to 6.3), made admissible and monotone (ERRATA D5; see
//! `lariat_subject::ControlDistances`): an estimate is never greater than the steps that are missing, and falls by one at most
//! with every step. That is asserted of every step that a search lists.

use lariat_automata::{Automaton, LassoReader};
use lariat_base::Id;
use lariat_engine::HeuristicKind;
use lariat_space::{Pairs, State, StateSpace};
use lariat_subject::{ControlDistances, UNREACHABLE};
use std::collections::VecDeque;

/// A lower bound of the steps that are missing.
pub(crate) trait Estimate: Sync {
    /// From this state. Law: it falls by one at most with every step, and is 0 in a dead end that is a failure and at most 1
    /// before a fault.
    fn estimate(&self, state: &State) -> u64;
}

/// Whether distances of control, and in the automaton, are to be used.
pub(crate) fn uses(kind: HeuristicKind) -> (bool, bool) {
    match kind {
        HeuristicKind::None => (false, false),
        HeuristicKind::Control => (true, false),
        HeuristicKind::Automaton => (false, true),
        HeuristicKind::Both => (true, true),
    }
}

/// To failures of `safety`.
pub(crate) struct ToFailure<'a> {
    pub(crate) control: Option<&'a ControlDistances>,
    pub(crate) invalid_ends: bool,
}

impl Estimate for ToFailure<'_> {
    fn estimate(&self, state: &State) -> u64 {
        let Some(control) = self.control else { return 0 };
        let fault = control.to_fault(state);
        if self.invalid_ends { fault.min(control.to_dead_end(state)) } else { fault }
    }
}

/// To states of an automaton from which every run is bad: H_a, for the part of the product that is the automaton.
pub(crate) struct ToBadPrefix {
    /// By state of the automaton; none if it is not to be used.
    distances: Option<Vec<u64>>,
}

impl ToBadPrefix {
    pub(crate) fn new(automaton: &Automaton, is_bad: &[bool], kind: HeuristicKind) -> Self {
        let mut distances: Vec<u64> = is_bad.iter().map(|&bad| if bad { 0 } else { UNREACHABLE }).collect();
        let mut waiting: VecDeque<usize> = (0..is_bad.len()).filter(|&state| is_bad[state]).collect();
        while let Some(target) = waiting.pop_front() {
            for (source, edge) in automaton.all_edges().filter(|(_, edge)| edge.target.index() == target) {
                debug_assert_eq!(edge.target.index(), target);
                if distances[source.index()] == UNREACHABLE {
                    distances[source.index()] = distances[target] + 1;
                    waiting.push_back(source.index());
                }
            }
        }
        Self { distances: uses(kind).1.then_some(distances) }
    }
}

impl Estimate for ToBadPrefix {
    fn estimate(&self, state: &State) -> u64 {
        let observed = state.last().expect("a state of a product has one of the automaton");
        self.distances.as_ref().map_or(0, |distances| distances[*observed as usize])
    }
}

/// To the end of a lasso. Before the loop begins: H_a, by the machine that reads stems and loops. In the loop: H'_M, the larger
/// of the distance of control back to where the loop began and of that of the machine.
pub(crate) struct ToLasso<'a, S> {
    pub(crate) pairs: &'a Pairs<'a, S>,
    pub(crate) reader: &'a LassoReader,
    pub(crate) control: Option<&'a ControlDistances>,
    pub(crate) automaton: bool,
}

impl<S: StateSpace> Estimate for ToLasso<'_, S> {
    fn estimate(&self, state: &State) -> u64 {
        let observed = self.pairs.observed(state);
        let of_machine = if self.automaton { u64::from(self.reader.distance(observed)) } else { 0 };
        let of_control = match (self.control, self.pairs.seed(state)) {
            (Some(control), Some(seed)) => control.between(self.pairs.present(state), seed),
            _ => 0,
        };
        of_machine.max(of_control)
    }
}
