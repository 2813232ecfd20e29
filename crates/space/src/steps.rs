//! Which steps are looked at.

use lariat_system::LabelId;
use std::slice;

/// Some of the steps, by the labels that they carry. Made by [`Steps::matching`] it is the plainest of its kind, so that equal
/// steps are equal values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Steps {
    /// All of them.
    All,
    /// Those that carry the step label.
    Carrying(LabelId),
    /// Those that carry all of some step labels and none of others.
    Matching {
        /// Those that they carry, ascending.
        carried: Vec<LabelId>,
        /// Those that they do not carry, ascending.
        missed: Vec<LabelId>,
    },
}

impl Steps {
    /// The steps that carry all of the first labels and none of the second; `None` if there can be none.
    pub fn matching(mut carried: Vec<LabelId>, mut missed: Vec<LabelId>) -> Option<Self> {
        for labels in [&mut carried, &mut missed] {
            labels.sort_unstable();
            labels.dedup();
        }
        if carried.iter().any(|label| missed.contains(label)) {
            return None;
        }
        Some(match (&carried[..], &missed[..]) {
            ([], []) => Self::All,
            ([label], []) => Self::Carrying(*label),
            _ => Self::Matching { carried, missed },
        })
    }
    /// The steps that do not carry the label.
    pub fn missing(label: LabelId) -> Self {
        Self::Matching { carried: Vec::new(), missed: vec![label] }
    }

    /// The labels that all of them carry.
    pub fn carried(&self) -> &[LabelId] {
        match self {
            Self::All => &[],
            Self::Carrying(label) => slice::from_ref(label),
            Self::Matching { carried, .. } => carried,
        }
    }
    /// The labels that none of them carries.
    pub fn missed(&self) -> &[LabelId] {
        match self {
            Self::All | Self::Carrying(_) => &[],
            Self::Matching { missed, .. } => missed,
        }
    }
    /// The steps that are among both; `None` if there can be none.
    pub fn and(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::All, some) | (some, Self::All) => Some(some.clone()),
            _ => {
                let carried = [self.carried(), other.carried()].concat();
                Self::matching(carried, [self.missed(), other.missed()].concat())
            }
        }
    }
    /// Whether a step is among them of which `carries` says what labels it carries.
    pub fn contain(&self, carries: impl Fn(LabelId) -> bool) -> bool {
        self.carried().iter().all(|&label| carries(label)) && !self.missed().iter().any(|&label| carries(label))
    }
    /// Whether a stutter step, which carries nothing, is among them.
    pub fn contain_stutter(&self) -> bool {
        self.carried().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_plain_and_never_contradict_themselves() {
        let (a, b) = (LabelId(0), LabelId(1));
        assert_eq!(Steps::All.and(&Steps::Carrying(a)), Some(Steps::Carrying(a)));
        assert_eq!(Steps::Carrying(a).and(&Steps::Carrying(a)), Some(Steps::Carrying(a)));
        assert_eq!(Steps::Carrying(a).and(&Steps::missing(a)), None);
        let both = Steps::Carrying(b).and(&Steps::Carrying(a)).unwrap();
        assert_eq!(both, Steps::matching(vec![a, b], Vec::new()).unwrap());
        assert!(both.contain(|_| true) && !both.contain(|label| label == a) && !both.contain_stutter());
        assert!(Steps::missing(a).contain(|label| label == b) && Steps::missing(a).contain_stutter());
        assert!(!Steps::missing(a).contain(|label| label == a));
    }
}
