//! Sets of atoms, the things that actions read and write, as bits.

/// A set of atoms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Atoms {
    words: Vec<u64>,
}

impl Atoms {
    pub(super) fn insert(&mut self, atom: usize) {
        let word = atom / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (atom % 64);
    }
    /// Adds the other's atoms; whether there was a new one.
    pub(super) fn join(&mut self, other: &Atoms) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grown = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            grown |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grown
    }
    /// Whether the sets have an atom in common.
    pub(super) fn meet(&self, other: &Atoms) -> bool {
        self.words.iter().zip(&other.words).any(|(mine, theirs)| mine & theirs != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_know_what_they_have_in_common() {
        let of = |atoms: &[usize]| {
            let mut set = Atoms::default();
            atoms.iter().for_each(|&atom| set.insert(atom));
            set
        };
        let mut set = of(&[3, 200]);
        assert!(set.meet(&of(&[200])) && !set.meet(&of(&[4, 64])) && !set.meet(&of(&[])));
        assert!(set.join(&of(&[64])) && !set.join(&of(&[3, 64])));
        assert!(set.meet(&of(&[4, 64])));
    }
}
