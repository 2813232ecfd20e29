//! The working memory of a search for steps: the row being built, and what became of those before.

use crate::compile::Program;
use crate::records::{RecordShape, Records};
use crate::seen::Seen;
use crate::walk::Post;
use lariat_base::Id;
use lariat_space::{LabelSet, Move};
use lariat_system::{ActionId, Fault, LabelId};

/// Working memory for the search through the paths of one state.
#[derive(Clone, Debug)]
pub(crate) struct PathMemory {
    /// The row being built: words of the state, holder, labels, participants.
    pub(crate) row: Vec<u64>,
    pub(crate) seen: Seen,
    pub(crate) levels: Vec<Level>,
    pub(crate) records: Records,
    /// The guard traps being reported.
    pub(crate) faults: Vec<(Move, Fault)>,
    /// The actions taken, and during a report the last one.
    pub(crate) path: Vec<Move>,
    /// The values of the choices of all of these, where records have them.
    pub(crate) chosen: Vec<i64>,
    pub(crate) post: Post,
    pub(crate) shown: Shown,
    /// How many processes the last source had: most have as many.
    pub(crate) count: u32,
    /// How many actions were followed from transient states since the call began.
    pub(crate) followed: u64,
    /// By action: whether it has led to a state with a holder. Kept for as long as the memory lives.
    pub(crate) passed: Vec<bool>,
    /// The cuts that were met, each once. Kept for as long as the memory lives.
    pub(crate) cuts: Vec<(ActionId, u16)>,
}

impl PathMemory {
    /// A cut was met. There are few, so a list serves.
    pub(crate) fn note_cut(&mut self, action: ActionId, number: u16) {
        if !self.cuts.contains(&(action, number)) {
            self.cuts.push((action, number));
        }
    }
}

/// A transient state whose firings are being followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) row: u32,
    /// Where its records begin, the next one to follow, and where they end.
    pub(crate) begin: usize,
    pub(crate) next: usize,
    pub(crate) end: usize,
    /// The rank of its firings.
    pub(crate) rank: i64,
    /// How many values of choices belong to the actions that lead to it.
    pub(crate) chosen: usize,
}

/// The labels of a row as a set. Rebuilt only when they change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    words: Vec<u64>,
    pub(crate) labels: LabelSet,
}

impl Shown {
    #[inline]
    pub(crate) fn show(&mut self, words: &[u64]) {
        // Most systems have at most one word of labels: not worth the call that slices are compared by.
        if self.words.iter().eq(words) {
            return;
        }
        self.words.clear();
        self.words.extend_from_slice(words);
        self.labels.clear();
        for (number, &word) in words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                self.labels.insert(LabelId::new(number * 64 + rest.trailing_zeros() as usize));
                rest &= rest - 1;
            }
        }
    }
}

/// Where the parts of a row are.
#[derive(Clone, Copy)]
pub(crate) struct RowShape {
    pub(crate) state: usize,
    pub(crate) labels_end: usize,
    pub(crate) width: usize,
}

impl Program {
    /// The rows of states that records of this shape lead to.
    pub(crate) fn row_shape(&self, records: RecordShape) -> RowShape {
        let state = records.words();
        let labels_end = state + 1 + self.label_words;
        RowShape { state, labels_end, width: labels_end + self.layout.positions.div_ceil(64) }
    }

    /// Working memory for the search.
    pub(crate) fn search(&self, shape: RecordShape) -> PathMemory {
        PathMemory {
            row: vec![0; self.row_shape(shape).width],
            seen: Seen::default(),
            levels: Vec::new(),
            records: Records::new(shape),
            faults: Vec::new(),
            path: Vec::new(),
            chosen: Vec::new(),
            post: self.post(),
            shown: Shown::default(),
            count: 0,
            followed: 0,
            passed: vec![false; self.actions.len()],
            cuts: Vec::new(),
        }
    }

    /// Adds to `row` the labels and participants of the firing recorded at `at`.
    pub(crate) fn mark(&self, records: &Records, at: usize, row: &mut [u64]) {
        let by = records.head(at).by();
        let shape = self.row_shape(records.shape);
        let (labels, participants) = row[shape.state + 1..].split_at_mut(self.label_words);
        let mut add = |label: LabelId| labels[label.index() / 64] |= 1 << (label.index() % 64);
        let action = &self.actions[by.action];
        action.labels.iter().copied().for_each(&mut add);
        for (number, &(label, _)) in action.label_conditions.iter().enumerate() {
            if records.labels(at, number) {
                add(label);
            }
        }
        if let Some(actor) = by.actor {
            self.by_actor[usize::from(actor)].iter().copied().for_each(&mut add);
        }
        for position in by.participants().map(usize::from) {
            self.by_position[position].iter().copied().for_each(&mut add);
            participants[position / 64] |= 1 << (position % 64);
        }
    }
}
