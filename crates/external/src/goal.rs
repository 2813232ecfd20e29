//! What a cycle must carry, and which steps it may use.

use crate::pass::Seen;
use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_space::State;

/// What is looked for.
pub(crate) struct Goal<'a> {
    /// The component of the automaton that a state of the product is in.
    pub(crate) component: &'a (dyn Fn(&State) -> Option<usize> + Sync),
    /// What a cycle must carry.
    pub(crate) demands: Demands,
}

/// Acceptance that can be decided on disk: marks that a cycle must carry, and pairs of marks of which it must carry the second if
/// it carries the first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Demands {
    pub(crate) marks: Vec<Mark>,
    pub(crate) pairs: Vec<(Mark, Mark)>,
}

impl Demands {
    /// What the condition asks for, if it can be said so.
    pub(crate) fn of(acceptance: &Acceptance) -> Option<Self> {
        let mut demands = Self::default();
        demands.add(acceptance).then_some(demands)
    }

    fn add(&mut self, acceptance: &Acceptance) -> bool {
        match acceptance {
            Acceptance::True => true,
            Acceptance::Inf(mark) => {
                if !self.marks.contains(mark) {
                    self.marks.push(*mark);
                }
                true
            }
            Acceptance::And(parts) => parts.iter().all(|part| self.add(part)),
            Acceptance::Or(parts) => match &parts[..] {
                [Acceptance::Fin(asked), Acceptance::Inf(given)] | [Acceptance::Inf(given), Acceptance::Fin(asked)] => {
                    self.pairs.push((*asked, *given));
                    true
                }
                _ => false,
            },
            Acceptance::False | Acceptance::Fin(_) => false,
        }
    }

    /// Words with a bit for each pair.
    pub(crate) fn bit_words(&self) -> usize {
        self.pairs.len().div_ceil(64)
    }
    /// Words with a bit for each mark that may have to be carried: those that must be, then the second ones of pairs.
    pub(crate) fn carried_words(&self) -> usize {
        (self.marks.len() + self.pairs.len()).div_ceil(64)
    }
    /// These marks as bits, behind `record`.
    pub(crate) fn push_carried(&self, marks: &MarkSet, record: &mut Vec<u64>) {
        let first = record.len();
        record.resize(first + self.carried_words(), 0);
        let all = self.marks.iter().chain(self.pairs.iter().map(|(_, given)| given));
        for (number, _) in all.enumerate().filter(|(_, mark)| marks.contains(**mark)) {
            record[first + number / 64] |= 1 << (number % 64);
        }
    }
}

impl Goal<'_> {
    /// Whether a cycle may use the step: it stays in one component of the automaton, and where it carries the first mark of a pair,
    /// the second one lies behind its source, as the bits of the source say.
    pub(crate) fn allows(&self, seen: &Seen<'_>) -> bool {
        let bits = &seen.record[seen.source.len()..];
        let is_asked_in_vain = |(number, (asked, _)): (usize, &(Mark, Mark))| {
            seen.marks.contains(*asked) && bits[number / 64] >> (number % 64) & 1 == 0
        };
        let component = (self.component)(seen.target);
        component.is_some()
            && component == (self.component)(seen.source)
            && !self.demands.pairs.iter().enumerate().any(is_asked_in_vain)
    }
}
