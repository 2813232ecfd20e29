//! Which keys are known.
//!
//! A key of few bits is an entry of a [`KeyStore`]. One of more would take an entry that is too wide: a [`TreeStore`] has keys of two words as
//! its states, with numbers for the values of their parts, and a [`PartStore`] those of more, of which each word is a part.

use lariat_space::KeyedSpace;
use lariat_store::{Batch, Budget, Full, Handle, KeyStore, Origins, PartBatch, PartStore, Store, TreeStore};

/// So many keys are looked up at once.
pub(super) const LOOKED_UP: usize = 512;
/// A tree has keys of so many words.
const TREE_WORDS: usize = 2;

/// The known keys.
#[derive(Debug)]
pub(super) enum Known<'b> {
    Keys(KeyStore<'b>),
    Tree(TreeStore<'b>),
    Parts(PartStore<'b>),
}

/// What a thread needs to look keys up.
pub(super) struct Lookup {
    batch: Batch,
    origins: Origins,
    parts: PartBatch,
    /// The new keys among those that were looked up last.
    pub(super) fresh: Vec<u64>,
    /// The same as they are to wait for their turn.
    waiting: Vec<u64>,
    /// Their numbers.
    new: Vec<u32>,
}

impl Lookup {
    pub(super) fn new(key_words: usize) -> Self {
        Self {
            batch: Batch::bare(key_words),
            origins: Origins::new(key_words),
            parts: PartBatch::default(),
            fresh: Vec::new(),
            waiting: Vec::new(),
            new: Vec::new(),
        }
    }
    pub(super) fn most_bytes(key_words: usize) -> u64 {
        Batch::most_bytes(key_words, LOOKED_UP) + PartBatch::most_bytes()
    }
    /// What is to wait of the new keys.
    pub(super) fn waiting(&self) -> &[u64] {
        if self.waiting.is_empty() { &self.fresh } else { &self.waiting }
    }
}

impl<'b> Known<'b> {
    /// A set of these keys, all different, one after the other, for so many threads; `None` if there is none for such keys.
    pub(super) fn holding(
        keyed: &dyn KeyedSpace<'_>,
        keys: &[u64],
        threads: usize,
        budget: &'b Budget,
    ) -> Result<Option<Self>, Full> {
        let words = keyed.key_words();
        let known = match keyed.is_narrow() {
            true => Self::Keys(KeyStore::new(keyed.key_bits(), threads <= 1, budget)?),
            false if words <= TREE_WORDS => Self::Tree(TreeStore::suiting(keys, words, budget)?),
            false => match PartStore::suiting(keys, words, threads <= 1, budget)? {
                Some(parts) => Self::Parts(parts),
                None => return Ok(None),
            },
        };
        let mut with = Lookup::new(words);
        for keys in keys.chunks(LOOKED_UP * words) {
            known.probe(keys, keyed, &mut with)?;
            assert_eq!(with.fresh.len(), keys.len(), "states have keys of their own");
        }
        Ok(Some(known))
    }

    /// Looks up keys, one after the other in `keys`, adds those that are absent, and notes these. If the budget does not
    /// allow to add one, those after it were not looked up.
    #[inline]
    pub(super) fn probe(&self, keys: &[u64], keyed: &dyn KeyedSpace<'_>, with: &mut Lookup) -> Result<(), Full> {
        let words = keyed.key_words();
        let Lookup { batch, origins, parts, fresh, waiting, new } = with;
        (fresh.clear(), waiting.clear(), new.clear());
        let probed = match self {
            Self::Keys(store) => store.probe(keys, words, keyed.key_bits(), new),
            Self::Tree(tree) => {
                let chunks = keys.chunks(LOOKED_UP * words);
                (0..).zip(chunks).try_for_each(|(chunk, keys)| {
                    batch.push_states(keys, None);
                    let probed = tree.probe(batch, origins);
                    new.extend(batch.fresh().map(|(number, _)| (chunk * LOOKED_UP + number) as u32));
                    batch.clear();
                    probed
                })
            }
            Self::Parts(store) => store.probe(keys, parts, new, waiting),
        };
        if words == 1 {
            fresh.extend(new.iter().map(|&number| keys[number as usize]));
        } else {
            new.iter().for_each(|&number| fresh.extend_from_slice(&keys[number as usize * words..][..words]));
        }
        probed
    }

    /// How many words a key has while it waits for its turn.
    pub(super) fn waiting_words(&self, keyed: &dyn KeyedSpace<'_>) -> usize {
        match self {
            Self::Parts(_) => PartStore::KEY_WORDS,
            _ => keyed.key_words(),
        }
    }
    /// Makes keys wait as others do.
    pub(super) fn as_waiting(&self, keys: &[u64], with: &mut Lookup) -> Result<Vec<u64>, Full> {
        match self {
            Self::Parts(store) => {
                let mut waiting = Vec::new();
                store.add_keys(keys, &mut with.parts, &mut waiting)?;
                Ok(waiting)
            }
            _ => Ok(keys.to_vec()),
        }
    }
    /// Makes `keys` those that have waited.
    pub(super) fn take_waiting(&self, waiting: &[Handle], keys: &mut Vec<u64>) {
        keys.clear();
        match self {
            Self::Parts(store) => {
                store.recall(waiting.as_chunks::<2>().0.iter().map(|[low, high]| [low.0, high.0]), keys);
            }
            _ => keys.extend(waiting.iter().map(|word| word.0)),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Keys(store) => store.len(),
            Self::Tree(store) => store.len(),
            Self::Parts(store) => store.len(),
        }
    }
    /// Whether there is no room for states in its keys, whatever the budget.
    pub(super) fn is_exhausted(&self) -> bool {
        matches!(self, Self::Parts(store) if store.is_exhausted())
    }
    /// What it takes of memory now.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Keys(store) => store.bytes(),
            Self::Tree(store) => store.bytes(),
            Self::Parts(store) => store.bytes(),
        }
    }
}
