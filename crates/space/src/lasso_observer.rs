//! An observer that reads a run as stem and loop, and guesses where the loop begins.

use crate::{Letter, Observer, ObserverState};
use lariat_automata::{Acceptance, LassoReader, MarkSet};
use lariat_system::LabelId;

/// A [`LassoReader`] whose propositions are labels. At every step of a stem it goes on with the stem, or begins the loop. It
/// accepts everything: what is accepted is a matter of the state that the loop has come back to, see [`Pairs`](crate::Pairs).
#[derive(Debug)]
pub struct LassoObserver<'a> {
    reader: &'a LassoReader,
    labels: &'a [LabelId],
    reads_steps: bool,
    /// By state and class of letters, where its moves begin; one more at the end.
    begins: Vec<u32>,
    moves: Vec<(ObserverState, MarkSet)>,
}

impl<'a> LassoObserver<'a> {
    /// The machine, whose proposition `n` is the label `labels[n]`. `reads_steps` says whether any of them is one of steps.
    pub fn new(reader: &'a LassoReader, labels: &'a [LabelId], reads_steps: bool) -> Self {
        let (mut begins, mut moves) = (vec![0], Vec::new());
        for state in 0..reader.len() as ObserverState {
            for class in 0..reader.classes() {
                moves.extend(reader.next(state, class).map(|next| (next, MarkSet::EMPTY)));
                if reader.is_stem(state) {
                    moves.extend(reader.begin(state, class).map(|next| (next, MarkSet::EMPTY)));
                }
                begins.push(moves.len() as u32);
            }
        }
        Self { reader, labels, reads_steps, begins, moves }
    }
    /// The machine.
    pub fn reader(&self) -> &'a LassoReader {
        self.reader
    }
}

impl Observer for LassoObserver<'_> {
    fn states(&self) -> u32 {
        self.reader.len() as u32
    }
    fn initial(&self, sink: impl FnMut(ObserverState)) {
        self.reader.initial().into_iter().for_each(sink);
    }
    fn moves(&self, from: ObserverState, letter: Letter<'_>, mut sink: impl FnMut(ObserverState, &MarkSet)) {
        let moves = self.written_moves(from, letter).expect("all moves are written down");
        moves.iter().for_each(|(to, marks)| sink(*to, marks));
    }
    fn written_moves(&self, from: ObserverState, letter: Letter<'_>) -> Option<&[(ObserverState, MarkSet)]> {
        let carried = |label: LabelId| letter.state.contains(label) || letter.step.contains(label);
        let class = self.reader.class(|proposition| carried(self.labels[proposition as usize]));
        let at = from as usize * self.reader.classes() + class;
        Some(&self.moves[self.begins[at] as usize..self.begins[at + 1] as usize])
    }
    fn acceptance(&self) -> Acceptance {
        Acceptance::True
    }
    fn reads_steps(&self) -> bool {
        self.reads_steps
    }
}
