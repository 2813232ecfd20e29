//! Acceptance as data: a positive formula over `Inf` and `Fin`, as in HOA.

use crate::{Mark, MarkSet};

/// Which infinite runs are accepted, told by the marks seen infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// Every run.
    True,
    /// No run.
    False,
    /// The mark is seen infinitely often.
    Inf(Mark),
    /// The mark is seen finitely often.
    Fin(Mark),
    /// All of them hold.
    And(Vec<Acceptance>),
    /// One of them holds.
    Or(Vec<Acceptance>),
}

impl Acceptance {
    /// Büchi: mark 0 infinitely often.
    pub fn buchi() -> Self {
        Self::Inf(Mark(0))
    }
    /// Generalised Büchi: each of the first `count` marks infinitely often.
    pub fn generalized_buchi(count: u32) -> Self {
        Self::And((0..count).map(|mark| Self::Inf(Mark(mark))).collect())
    }
    /// Whether a cycle is accepting, given the union of the marks on its edges.
    pub fn accepts(&self, seen_forever: &MarkSet) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Inf(mark) => seen_forever.contains(*mark),
            Self::Fin(mark) => !seen_forever.contains(*mark),
            Self::And(parts) => parts.iter().all(|part| part.accepts(seen_forever)),
            Self::Or(parts) => parts.iter().any(|part| part.accepts(seen_forever)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streett_pair_wants_the_answer_only_if_asked() {
        let pair = Acceptance::Or(vec![Acceptance::Fin(Mark(0)), Acceptance::Inf(Mark(1))]);
        let set = |marks: &[u32]| marks.iter().map(|&mark| Mark(mark)).collect::<MarkSet>();
        assert!(pair.accepts(&set(&[])));
        assert!(!pair.accepts(&set(&[0])));
        assert!(pair.accepts(&set(&[0, 1])));
    }

    #[test]
    fn generalized_buchi_needs_all_of_many() {
        for count in [0, 1, 32, 64, 65, 200] {
            let acceptance = Acceptance::generalized_buchi(count);
            let all: MarkSet = (0..count).map(Mark).collect();
            assert!(acceptance.accepts(&all));
            if count > 0 {
                let but_last: MarkSet = (0..count - 1).map(Mark).collect();
                assert!(!acceptance.accepts(&but_last));
            }
        }
    }
}
