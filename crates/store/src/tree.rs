//! The default exact store: states as trees that share their branches.
//!
//! Laarman, van de Pol and Weber (*Parallel recursive state compression for free*, 2011) cut a state in two, each part in
//! two again, and keep every part once: what is left of a state is two small numbers. Here these stand side by side in one
//! key, which is the handle; the root is a [set of keys](crate::keys), written in about five bytes each; and below the root
//! there are few values, if the cuts are good, or none, where the bits that vary are so few that they can stand in the key
//! themselves. Where cuts are good depends on the model. So the first states are kept whole, in a [`FlatStore`], and the cuts
//! are learned from them.
//!
//! The first states keep the handles that the flat store gave them: `early` knows their keys.
//!
//! A store made to be [`noted`](TreeStore::noted) keeps its notes beside the keys.

mod compressed;
mod early;
mod fields;
mod numbering;
mod packing;
mod shape;
mod variety;

use crate::memory::Receipt;
use crate::notes::Rows;
use crate::{Answer, Batch, Budget, Exactness, FlatStore, Full, Handle, NoteWidth, Notes, Origins, Recall, Store};
pub(crate) use compressed::new_id;
use compressed::{Compressed, Shortage};
use early::Early;
use shape::Shape;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use variety::Varieties;
pub(crate) use numbering::Numbering;
pub(crate) use variety::unit_bits;

/// How many states are kept whole.
const LEARN_FROM: u64 = 1 << 14;
/// How many of these the shape is learned from, at most.
const SAMPLE: usize = 1 << 12;
/// How many of them go from the flat store to the tree at once.
const COPIED_AT_ONCE: usize = 256;
/// The handle of an early state: its number in the flat store, and this. No key is that large.
const EARLY: u64 = 1 << 63;

/// Exact, states as trees, for any number of threads.
#[derive(Debug)]
pub struct TreeStore<'b> {
    budget: &'b Budget,
    words_per_state: usize,
    /// How many states are enough to learn from.
    learn_at: AtomicU64,
    phase: RwLock<Phase<'b>>,
}

#[derive(Debug)]
enum Phase<'b> {
    Learning(Box<First<'b>>),
    Learned(Box<Tree<'b>>),
}

/// The first states, whole.
#[derive(Debug)]
struct First<'b> {
    flat: FlatStore<'b>,
    notes: Option<(NoteWidth, Rows<'b>)>,
}

#[derive(Debug)]
struct Tree<'b> {
    compressed: Compressed<'b>,
    early: Early<'b>,
}

impl<'b> TreeStore<'b> {
    /// An empty store of states of `words_per_state` words that takes its memory from `budget`.
    pub fn new(words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        Self::learning_from(LEARN_FROM, words_per_state, budget)
    }
    /// The same, with notes.
    pub fn noted(words_per_state: usize, budget: &'b Budget, width: NoteWidth) -> Result<NotedTree<'b>, Full> {
        NotedTree::learning_from(LEARN_FROM, words_per_state, budget, width)
    }
    /// An empty store with that many states to learn from.
    pub fn learning_from(states: u64, words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        Self::with_width(states, words_per_state, budget, None)
    }
    /// The same, with notes of this width after their [beginning](Notes::begin), and until then no memory for them.
    pub fn noted_later(words_per_state: usize, budget: &'b Budget, width: NoteWidth) -> Result<NotedTree<'b>, Full> {
        NotedTree::noted_later(LEARN_FROM, words_per_state, budget, width)
    }
    fn with_width(
        states: u64,
        words_per_state: usize,
        budget: &'b Budget,
        width: Option<NoteWidth>,
    ) -> Result<Self, Full> {
        let notes = width.map(|width| (width, Rows::new(budget)));
        let first = First { flat: FlatStore::new(words_per_state, budget)?, notes };
        let phase = RwLock::new(Phase::Learning(Box::new(first)));
        Ok(Self { budget, words_per_state, learn_at: AtomicU64::new(states), phase })
    }

    /// An empty store that suits these states, one after the other. It has nothing to learn.
    pub fn suiting(states: &[u64], words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        let len = states.len() / words_per_state;
        let mut scratch = Receipt::new(budget);
        scratch.add(Varieties::most_bytes(words_per_state, SAMPLE))?;
        let sample: Vec<_> = states.chunks_exact(words_per_state).step_by(len.div_ceil(SAMPLE).max(1)).collect();
        let compressed = Compressed::new(Shape::learned(&sample), None, len as u64, budget)?;
        let phase = RwLock::new(Phase::Learned(Box::new(Tree { compressed, early: Early::new(0, budget)? })));
        Ok(Self { budget, words_per_state, learn_at: AtomicU64::new(u64::MAX), phase })
    }

    /// All states, one after the other, in the order of their handles, as long as they are kept whole; `None` if they are not. To be
    /// called while nobody adds any.
    pub fn whole_states(&self) -> Option<Vec<u64>> {
        let phase = self.read();
        let Phase::Learning(first) = &*phase else { return None };
        let len = first.flat.len();
        let mut states = vec![0; len as usize * self.words_per_state];
        for (number, state) in (0..len).zip(states.chunks_exact_mut(self.words_per_state.max(1))) {
            first.flat.read_state(number, state);
        }
        Some(states)
    }
    /// The place of a state among the [whole ones](Self::whole_states).
    pub fn whole_number(handle: Handle) -> usize {
        (handle.0 & !EARLY) as usize
    }
    /// No more states are kept whole than usual from now on.
    pub fn learn_as_usual(&self) {
        self.learn_at.fetch_min(LEARN_FROM, Ordering::Relaxed);
    }

    // As with the flat store, poisoning is no news.
    fn read(&self) -> RwLockReadGuard<'_, Phase<'b>> {
        self.phase.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds the tree, if nobody has yet. Without memory for it all remains as it is.
    fn learn(&self) -> Result<(), Full> {
        let mut phase = self.phase.write().unwrap_or_else(PoisonError::into_inner);
        if let Phase::Learning(first) = &*phase {
            // Should it be in vain, it is not tried again soon.
            self.learn_at.store(first.flat.len() * 2, Ordering::Relaxed);
            if self.words_per_state == 0 || first.flat.is_empty() {
                return Err(Full { limit_bytes: self.budget.limit_bytes() });
            }
            let tree = Tree::learned(first, self.words_per_state, self.budget)?;
            *phase = Phase::Learned(Box::new(tree));
        }
        Ok(())
    }

    fn make_room(&self, lack: Shortage) -> Result<(), Full> {
        match &mut *self.phase.write().unwrap_or_else(PoisonError::into_inner) {
            Phase::Learning(_) => unreachable!("what was learned is not forgotten"),
            Phase::Learned(tree) => tree.compressed.make_room(lack),
        }
    }
}

impl First<'_> {
    fn probe(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Full> {
        let Some((_, rows)) = &self.notes else { return self.flat.probe(batch, origins) };
        rows.probe(&self.flat, batch, origins)
    }

    fn notes(&self) -> &Rows<'_> {
        &self.notes.as_ref().expect("a store with notes").1
    }
}

impl<'b> Tree<'b> {
    /// A tree that suits the states in the store, with these states.
    fn learned(first: &First<'_>, words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        let First { flat, notes } = first;
        let width = notes.as_ref().map(|(width, _)| *width);
        let mut tree = Self {
            compressed: Compressed::new(learned_shape(flat, words_per_state, budget)?, width, flat.len(), budget)?,
            early: Early::new(flat.len(), budget)?,
        };
        let mut scratch = Receipt::new(budget);
        let most = |bytes: fn(usize, usize) -> u64| bytes(words_per_state, COPIED_AT_ONCE);
        scratch.add(most(Batch::most_bytes) + most(Origins::most_bytes))?;
        let (mut batch, mut origins) = (Batch::new(words_per_state), Origins::new(words_per_state));
        for first in (0..flat.len() as usize).step_by(COPIED_AT_ONCE) {
            let last = (first + COPIED_AT_ONCE).min(flat.len() as usize);
            flat.recall_numbers((first..last).map(|number| number as u64), &mut origins);
            batch.clear();
            batch.keys.clear();
            (0..last - first).for_each(|number| batch.push(origins.state(number), None));
            while let Err(lack) = tree.probe(&mut batch, &origins) {
                tree.compressed.make_room(lack)?;
            }
            for (&key, number) in batch.keys.iter().zip(first..) {
                tree.early.add(key)?;
                if let Some((_, notes)) = notes {
                    tree.compressed.keys.note(key, |_| Some(notes.get(number as u64)));
                }
            }
        }
        Ok(tree)
    }

    /// Answers the states that have no answer yet, up to the first that there is no room for.
    fn probe(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Shortage> {
        let named = self.compressed.name(batch, origins);
        let Batch { keys, answers, news, without_answer, notes, only_new, .. } = batch;
        let first = answers.len() + *without_answer;
        let keys = keys.get(first..).unwrap_or_default();
        let probed = if *only_new {
            self.probe_for_new(keys, first, news, without_answer)
        } else {
            answers.reserve(keys.len());
            self.compressed.probe(keys, |key, is_new, note| {
                answers.push(match is_new {
                    true => Answer::New(Handle(key)),
                    false => Answer::Known(self.handle(key)),
                });
                if let Some(note) = note {
                    notes.push(note);
                }
            })
        };
        probed.and(named)
    }

    /// The same for keys of which only those matter that are new. The first has the number `first`.
    fn probe_for_new(
        &self,
        keys: &[u64],
        first: usize,
        news: &mut Vec<(u32, Handle)>,
        without_answer: &mut usize,
    ) -> Result<(), Shortage> {
        // Whether a key is new cannot be guessed: it is written down in any case, and counts if it is.
        let begin = news.len();
        news.resize(begin + keys.len(), (0, Handle(0)));
        let (mut number, mut end) = (first as u32, begin);
        let probed = self.compressed.probe(keys, |key, is_new, _| {
            news[end] = (number, Handle(key));
            end += usize::from(is_new);
            number += 1;
        });
        news.truncate(end);
        *without_answer += number as usize - first;
        probed
    }

    #[inline(always)]
    fn handle(&self, key: u64) -> Handle {
        match self.early.number(key) {
            Some(number) => Handle(EARLY | u64::from(number)),
            None => Handle(key),
        }
    }

    #[inline(always)]
    fn key(&self, handle: Handle) -> u64 {
        if handle.0 & EARLY != 0 { self.early.key(handle.0 as u32) } else { handle.0 }
    }
}

/// A shape that suits the states in the store.
fn learned_shape(flat: &FlatStore<'_>, words_per_state: usize, budget: &Budget) -> Result<Shape, Full> {
    let mut scratch = Receipt::new(budget);
    scratch.add(Origins::most_bytes(words_per_state, SAMPLE) + Varieties::most_bytes(words_per_state, SAMPLE))?;
    let mut origins = Origins::new(words_per_state);
    let len = flat.len() as usize;
    let stride = len.div_ceil(SAMPLE).max(1);
    flat.recall_numbers((0..len).step_by(stride).map(|number| number as u64), &mut origins);
    let sample: Vec<_> = (0..origins.len()).map(|number| origins.state(number)).collect();
    Ok(Shape::learned(&sample))
}

impl Store for TreeStore<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn probe(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Full> {
        let mut named_by_tree = false;
        loop {
            let phase = self.read();
            match &*phase {
                Phase::Learning(first) => {
                    let probed = first.probe(batch, origins);
                    for answer in &mut batch.answers {
                        let (Answer::New(handle) | Answer::Known(handle)) = answer;
                        handle.0 |= EARLY;
                    }
                    let learn = probed.is_err() || first.flat.len() >= self.learn_at.load(Ordering::Relaxed);
                    drop(phase);
                    // If there is no memory to learn, there may still be some for whole states. And if there is none for
                    // these, there may be some for trees.
                    let learned = learn && self.learn().is_ok();
                    if probed.is_ok() || !learned {
                        return probed;
                    }
                }
                Phase::Learned(tree) => {
                    if !named_by_tree {
                        batch.keys.clear();
                        named_by_tree = true;
                    }
                    let Err(lack) = tree.probe(batch, origins) else { return Ok(()) };
                    drop(phase);
                    self.make_room(lack)?;
                }
            }
        }
    }

    fn len(&self) -> u64 {
        match &*self.read() {
            Phase::Learning(first) => first.flat.len(),
            Phase::Learned(tree) => tree.compressed.keys.len(),
        }
    }

    fn bytes(&self) -> u64 {
        match &*self.read() {
            Phase::Learning(first) => first.flat.bytes() + first.notes.as_ref().map_or(0, |(_, rows)| rows.bytes()),
            Phase::Learned(tree) => tree.compressed.bytes() + tree.early.bytes(),
        }
    }
}

impl Recall for TreeStore<'_> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        match &*self.read() {
            Phase::Learning(first) => {
                first.flat.recall_numbers(handles.iter().map(|handle| handle.0 & !EARLY), origins);
            }
            Phase::Learned(tree) => {
                tree.compressed.recall(handles.iter().map(|&handle| tree.key(handle)), origins);
            }
        }
    }
}

/// A [`TreeStore`] with notes.
#[derive(Debug)]
pub struct NotedTree<'b> {
    tree: TreeStore<'b>,
    /// The width of notes that have not begun when the store is made.
    later: Option<NoteWidth>,
}

impl<'b> NotedTree<'b> {
    /// An empty store with that many states to learn from.
    pub fn learning_from(
        states: u64,
        words_per_state: usize,
        budget: &'b Budget,
        width: NoteWidth,
    ) -> Result<Self, Full> {
        Ok(Self { tree: TreeStore::with_width(states, words_per_state, budget, Some(width))?, later: None })
    }
    /// The same, without memory for notes before these [begin](Notes::begin).
    pub fn noted_later(
        states: u64,
        words_per_state: usize,
        budget: &'b Budget,
        width: NoteWidth,
    ) -> Result<Self, Full> {
        Ok(Self { tree: TreeStore::with_width(states, words_per_state, budget, None)?, later: Some(width) })
    }
}

impl Store for NotedTree<'_> {
    fn exactness(&self) -> Exactness {
        self.tree.exactness()
    }
    fn probe(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Full> {
        let probed = self.tree.probe(batch, origins);
        // Notes that have not begun are 0.
        batch.notes.resize(batch.answers.len(), 0);
        probed
    }
    fn len(&self) -> u64 {
        self.tree.len()
    }
    fn bytes(&self) -> u64 {
        self.tree.bytes()
    }
}

impl Recall for NotedTree<'_> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        self.tree.recall(handles, origins);
    }
}

impl Notes for NotedTree<'_> {
    fn begin(&self) -> Result<(), Full> {
        let Some(width) = self.later else { return Ok(()) };
        match &mut *self.tree.phase.write().unwrap_or_else(PoisonError::into_inner) {
            Phase::Learning(first) if first.notes.is_none() => {
                let rows = Rows::new(self.tree.budget);
                rows.reserve(first.flat.len())?;
                first.notes = Some((width, rows));
                Ok(())
            }
            Phase::Learning(_) => Ok(()),
            Phase::Learned(tree) => tree.compressed.keys.begin_notes(width),
        }
    }
    fn note(&self, state: Handle) -> u32 {
        match &*self.tree.read() {
            Phase::Learning(first) => first.notes().get(state.0 & !EARLY),
            Phase::Learned(tree) => tree.compressed.keys.note(tree.key(state), |_| None),
        }
    }
    fn set_note(&self, state: Handle, note: u32) {
        match &*self.tree.read() {
            Phase::Learning(first) => first.notes().set(state.0 & !EARLY, note),
            Phase::Learned(tree) => {
                tree.compressed.keys.note(tree.key(state), |_| Some(note));
            }
        }
    }
    fn claim(&self, state: Handle, note: u32) -> u32 {
        match &*self.tree.read() {
            Phase::Learning(first) => first.notes().claim(state.0 & !EARLY, note),
            Phase::Learned(tree) => tree.compressed.keys.note(tree.key(state), |before| (before == 0).then_some(note)),
        }
    }
}
