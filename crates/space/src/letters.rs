//! An automaton as an observer: its propositions are labels of the system, of states or of steps.

use crate::{Letter, Observer, ObserverState};
use lariat_automata::{Acceptance, Automaton, MarkSet, StateId};
use lariat_system::LabelId;
use std::sync::atomic::{AtomicBool, Ordering};

/// With at most this many propositions the moves are written out for every letter.
const MOST_LISTED: usize = 10;
/// The moves are written out only if there are at most this many lists of them.
const MOST_LISTS: usize = 1 << 16;

/// An automaton that reads labels.
#[derive(Debug)]
pub struct AutomatonObserver<'a> {
    automaton: &'a Automaton,
    /// For each proposition the label that it is.
    labels: &'a [LabelId],
    /// Whether all of these are below 64, which is as good as always.
    few_labels: bool,
    reads_steps: bool,
    table: Option<Table>,
}

/// The moves from every state with every letter.
#[derive(Debug)]
struct Table {
    /// By state and letter, where its moves begin; one more at the end.
    begins: Vec<u32>,
    moves: Vec<(ObserverState, MarkSet)>,
    /// Which letters were read.
    read: Vec<AtomicBool>,
}

impl<'a> AutomatonObserver<'a> {
    /// The automaton, whose proposition `n` is the label `labels[n]`. `reads_steps` says whether any of them is one of steps.
    pub fn new(automaton: &'a Automaton, labels: &'a [LabelId], reads_steps: bool) -> Self {
        assert_eq!(automaton.propositions.len(), labels.len(), "every proposition has a label");
        let few_labels = labels.iter().all(|label| label.0 < 64);
        Self { automaton, labels, few_labels, reads_steps, table: Table::new(automaton) }
    }

    /// The letters that were read so far, bit `n` for proposition `n`; `None` if there are too many to keep track.
    pub fn letters_read(&self) -> Option<Vec<u64>> {
        let table = self.table.as_ref()?;
        let read = table.read.iter().enumerate().filter(|(_, read)| read.load(Ordering::Relaxed));
        Some(read.map(|(letter, _)| letter as u64).collect())
    }
}

impl Table {
    fn new(automaton: &Automaton) -> Option<Self> {
        let propositions = automaton.propositions.len();
        if propositions > MOST_LISTED || automaton.state_count() << propositions > MOST_LISTS {
            return None;
        }
        let (mut begins, mut moves) = (vec![0], Vec::new());
        for state in automaton.edges.ids() {
            for letter in 0..1_u64 << propositions {
                let edges = automaton.moves(state, |variable| letter >> variable & 1 == 1);
                moves.extend(edges.map(|edge| (edge.target.0, edge.marks.clone())));
                begins.push(moves.len() as u32);
            }
        }
        let read = (0..1_u64 << propositions).map(|_| AtomicBool::new(false)).collect();
        Some(Self { begins, moves, read })
    }
}

impl Observer for AutomatonObserver<'_> {
    fn states(&self) -> u32 {
        self.automaton.state_count() as u32
    }
    fn initial(&self, mut sink: impl FnMut(ObserverState)) {
        sink(self.automaton.initial.0);
    }
    fn moves(&self, from: ObserverState, letter: Letter<'_>, mut sink: impl FnMut(ObserverState, &MarkSet)) {
        if let Some(moves) = self.written_moves(from, letter) {
            return moves.iter().for_each(|(to, marks)| sink(*to, marks));
        }
        let carried = |label: LabelId| letter.state.contains(label) || letter.step.contains(label);
        let edges = self.automaton.moves(StateId(from), |variable| carried(self.labels[variable as usize]));
        edges.for_each(|edge| sink(edge.target.0, &edge.marks));
    }
    #[inline]
    fn written_moves(&self, from: ObserverState, letter: Letter<'_>) -> Option<&[(ObserverState, MarkSet)]> {
        let table = self.table.as_ref()?;
        let labels = self.labels.iter().enumerate();
        let letter = if self.few_labels {
            let carried = letter.state.first_word() | letter.step.first_word();
            labels.fold(0_usize, |bits, (number, label)| bits | ((carried >> label.0 & 1) as usize) << number)
        } else {
            let carried = |label: LabelId| letter.state.contains(label) || letter.step.contains(label);
            labels.fold(0_usize, |bits, (number, &label)| bits | usize::from(carried(label)) << number)
        };
        if !table.read[letter].load(Ordering::Relaxed) {
            table.read[letter].store(true, Ordering::Relaxed);
        }
        let at = (from as usize) << self.labels.len() | letter;
        Some(&table.moves[table.begins[at] as usize..table.begins[at + 1] as usize])
    }
    fn acceptance(&self) -> Acceptance {
        self.automaton.acceptance.clone()
    }
    fn reads_steps(&self) -> bool {
        self.reads_steps
    }
}
