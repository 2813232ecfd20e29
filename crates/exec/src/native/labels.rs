//! Which labels a state has, as bits: label `n` is bit `n % 64` of word `n / 64`.

use super::writer::Writer;
use crate::compile::Program;
use lariat_base::Id;
use lariat_space::LabelSet;
use lariat_system::LabelId;

/// How many words the labels of states take.
pub(crate) fn words_of(program: &Program) -> usize {
    program.state_labels.iter().map(|label| label.label.index() / 64 + 1).max().unwrap_or(0)
}

/// The labels that the bits say.
#[inline]
pub(super) fn set_of(words: &[u64]) -> LabelSet {
    if let [word] = *words {
        return LabelSet::of_word(word);
    }
    let bits = (0..words.len() * 64).filter(|bit| words[bit / 64] >> (bit % 64) & 1 == 1);
    bits.map(LabelId::new).collect()
}

impl Writer<'_, '_> {
    /// Writes the labels of the state where records would go.
    pub(super) fn state_labels(&mut self) {
        let program = self.program;
        let masks = self.masks(64 * words_of(program));
        for label in &program.state_labels {
            let (yes, no) = (self.block(), self.block());
            self.branch_entry(label.condition, yes, no);
            self.b.switch_to_block(yes);
            self.set_bit(&masks, label.label.index());
            self.go_into(no);
        }
        self.store_all(&masks, 0);
    }
}
