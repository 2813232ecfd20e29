//! What a cycle must carry, and which steps it may use.

use crate::pass::Seen;
use lariat_space::State;
pub use lariat_subject::Demands;

/// What is looked for.
pub struct Goal<'a> {
    /// The component of the automaton that a state of the product is in.
    pub component: &'a (dyn Fn(&State) -> Option<usize> + Sync),
    /// What a cycle must carry.
    pub demands: Demands,
}

impl Goal<'_> {
    /// Whether a cycle may use the step: it stays in one component of the automaton, and where it carries the first mark of a pair,
    /// the second one lies behind its source, as the bits of the source say.
    pub fn allows(&self, seen: &Seen<'_>) -> bool {
        let bits = &seen.record[seen.source.len()..];
        let component = (self.component)(seen.target);
        component.is_some()
            && component == (self.component)(seen.source)
            && !self.demands.asks_in_vain(seen.marks, bits)
    }
}
