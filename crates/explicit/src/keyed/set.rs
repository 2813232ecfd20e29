//! Which keys are known.
//!
//! A key of few bits is an entry of a [`KeyStore`] and waits for its turn as it is. One of more would take an entry that is
//! too wide: a [`TreeStore`] has such keys as its states, with numbers for the values of their parts, and they wait by handle.

use crate::frontier::Frontier;
use lariat_space::KeyedSpace;
use lariat_store::{Batch, Budget, Full, Handle, KeyStore, Origins, Store, TreeStore};

/// So many keys are added at once to begin with.
const BEGIN_LEN: usize = 1024;

/// The known keys.
#[derive(Debug)]
pub(super) enum Known<'b> {
    Keys(KeyStore<'b>),
    Tree(TreeStore<'b>),
}

impl<'b> Known<'b> {
    /// A set of these keys, all different, one after the other. If they wait by handle, these.
    pub(super) fn holding(
        keyed: &dyn KeyedSpace<'_>,
        keys: &[u64],
        budget: &'b Budget,
    ) -> Result<(Self, Option<Vec<Handle>>), Full> {
        let words = keyed.key_words();
        if keyed.is_narrow() {
            let (store, mut new) = (KeyStore::new(keyed.key_bits(), budget)?, Vec::new());
            for keys in keys.chunks(BEGIN_LEN * words) {
                store.probe(keys, words, keyed.key_bits(), &mut new)?;
            }
            assert_eq!(new.len() * words, keys.len(), "states have keys of their own");
            return Ok((Self::Keys(store), None));
        }
        let store = TreeStore::suiting(keys, words, budget)?;
        let (mut batch, origins) = (Batch::bare(words), Origins::new(words));
        let mut handles = Vec::with_capacity(keys.len() / words);
        for keys in keys.chunks(BEGIN_LEN * words) {
            batch.push_states(keys, None);
            store.probe(&mut batch, &origins)?;
            handles.extend(batch.fresh().map(|(_, handle)| handle));
            batch.clear();
        }
        assert_eq!(handles.len() * words, keys.len(), "states have keys of their own");
        Ok((Self::Tree(store), Some(handles)))
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

/// Lets a key wait as it is.
pub(super) fn push_key(frontier: &mut Frontier<'_>, key: &[u64]) -> Result<(), Full> {
    key.iter().try_for_each(|&word| frontier.push(Handle(word)))
}
