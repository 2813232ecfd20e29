//! Which keys are known.
//!
//! A key of few bits is an entry of a [`KeyStore`]. One of more would take an entry that is too wide: a [`TreeStore`] has such keys as
//! its states, with numbers for the values of their parts.

use lariat_space::KeyedSpace;
use lariat_store::{Batch, Budget, Full, KeyStore, Origins, Store, TreeStore};

/// So many keys are looked up at once.
pub(super) const LOOKED_UP: usize = 512;

/// The known keys.
#[derive(Debug)]
pub(super) enum Known<'b> {
    Keys(KeyStore<'b>),
    Tree(TreeStore<'b>),
}

/// What a thread needs to look keys up in a tree.
pub(super) struct TreeBatch {
    batch: Batch,
    origins: Origins,
}

impl TreeBatch {
    pub(super) fn new(key_words: usize) -> Self {
        Self { batch: Batch::bare(key_words), origins: Origins::new(key_words) }
    }
    pub(super) fn most_bytes(key_words: usize) -> u64 {
        Batch::most_bytes(key_words, LOOKED_UP)
    }
}

impl<'b> Known<'b> {
    /// A set of these keys, all different, one after the other, for so many threads.
    pub(super) fn holding(
        keyed: &dyn KeyedSpace<'_>,
        keys: &[u64],
        threads: usize,
        budget: &'b Budget,
    ) -> Result<Self, Full> {
        let words = keyed.key_words();
        let known = match keyed.is_narrow() {
            true => Self::Keys(KeyStore::new(keyed.key_bits(), threads <= 1, budget)?),
            false => Self::Tree(TreeStore::suiting(keys, words, budget)?),
        };
        let (mut batch, mut new) = (TreeBatch::new(words), Vec::new());
        for keys in keys.chunks(LOOKED_UP * words) {
            known.probe(keys, keyed, &mut batch, &mut new)?;
            assert_eq!(new.len() * words, keys.len(), "states have keys of their own");
        }
        Ok(known)
    }

    /// Looks up keys, one after the other in `keys`, adds those that are absent, and makes `new` their numbers. If the budget does not
    /// allow to add one, those after it were not looked up.
    #[inline]
    pub(super) fn probe(
        &self,
        keys: &[u64],
        keyed: &dyn KeyedSpace<'_>,
        with: &mut TreeBatch,
        new: &mut Vec<u32>,
    ) -> Result<(), Full> {
        new.clear();
        let words = keyed.key_words();
        let tree = match self {
            Self::Keys(store) => return store.probe(keys, words, keyed.key_bits(), new),
            Self::Tree(tree) => tree,
        };
        let TreeBatch { batch, origins } = with;
        for (part, keys) in (0..).zip(keys.chunks(LOOKED_UP * words)) {
            batch.push_states(keys, None);
            let probed = tree.probe(batch, origins);
            new.extend(batch.fresh().map(|(number, _)| (part * LOOKED_UP + number) as u32));
            batch.clear();
            probed?;
        }
        Ok(())
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Keys(store) => store.len(),
            Self::Tree(store) => store.len(),
        }
    }
    /// What it takes of memory now.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Keys(store) => store.bytes(),
            Self::Tree(store) => store.bytes(),
        }
    }
}
