//! Acceptance that sets of states can decide: marks that a cycle must carry, and pairs of marks.

use lariat_automata::{Acceptance, Mark, MarkSet};

/// Marks that a cycle must carry, and pairs of marks of which it must carry the second if it carries the first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Demands {
    /// Marks that a cycle must carry.
    pub marks: Vec<Mark>,
    /// Pairs: who carries the first must carry the second.
    pub pairs: Vec<(Mark, Mark)>,
}

impl Demands {
    /// What the condition asks for, if it can be said so.
    pub fn of(acceptance: &Acceptance) -> Option<Self> {
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
    pub fn bit_words(&self) -> usize {
        self.pairs.len().div_ceil(64)
    }
    /// Words with a bit for each mark that may have to be carried: those that must be, then the second ones of pairs.
    pub fn carried_words(&self) -> usize {
        (self.marks.len() + self.pairs.len()).div_ceil(64)
    }
    /// These marks as bits, behind `record`.
    pub fn push_carried(&self, marks: &MarkSet, record: &mut Vec<u64>) {
        let first = record.len();
        record.resize(first + self.carried_words(), 0);
        let all = self.marks.iter().chain(self.pairs.iter().map(|(_, given)| given));
        for (number, _) in all.enumerate().filter(|(_, mark)| marks.contains(**mark)) {
            record[first + number / 64] |= 1 << (number % 64);
        }
    }
    /// Whether a step with these marks asks for something, by the first mark of a pair, that the bits of its source say is not
    /// to be had.
    pub fn asks_in_vain(&self, marks: &MarkSet, bits: &[u64]) -> bool {
        let is_asked_in_vain = |(number, (asked, _)): (usize, &(Mark, Mark))| {
            marks.contains(*asked) && bits[number / 64] >> (number % 64) & 1 == 0
        };
        self.pairs.iter().enumerate().any(is_asked_in_vain)
    }
}
