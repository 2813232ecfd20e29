//! Which states of the system a loop may go through, once all of the product was explored (Edelkamp and Jabbar, section 6: pairs are
//! pruned by the components of the product).
//!
//! A search for cycles leaves a set of states of the product that has all its accepting cycles. The states of the system in it are
//! remembered by some bits of their hashes in a table of bits (Bloom 1970): whether a state is among them is answered with *no* or with
//! *maybe*, so nothing is pruned that a loop could need. The table is small, because a search for pairs has about the square of
//! the states: where the table is too full to say *no*, there are too many pairs in any case. It is kept in the manifest, so that
//! a search that is resumed prunes the same pairs.

use lariat_space::State;
use lariat_store::hash_state;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// So many bits for each state, if that is not too many.
const BITS_OF_STATE: u64 = 16;
const MOST_BITS: u64 = 1 << 20;

/// States, each of which is *maybe* among them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StateFilter {
    /// Their number is a power of two.
    bits: Vec<u64>,
}

impl StateFilter {
    /// For so many states, at most.
    pub(crate) fn new(states: u64) -> Self {
        let bits = states.saturating_mul(BITS_OF_STATE).clamp(64, MOST_BITS).next_power_of_two();
        Self { bits: vec![0; (bits / 64) as usize] }
    }
    pub(crate) fn add(&mut self, state: &State) {
        for (word, bit) in self.places(state) {
            self.bits[word] |= bit;
        }
    }
    /// Whether the state may be one of those that were added.
    pub(crate) fn may_have(&self, state: &State) -> bool {
        self.places(state).into_iter().all(|(word, bit)| self.bits[word] & bit != 0)
    }
    fn places(&self, state: &State) -> [(usize, u64); 3] {
        let hash = hash_state(state);
        // The table has 2^20 bits at most: three times 20 bits of the hash are of no less use than three hashes.
        [0, 21, 42].map(|from| {
            let place = hash >> from;
            ((place >> 6) as usize & (self.bits.len() - 1), 1 << (place & 63))
        })
    }
}

impl Serialize for StateFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.bits.iter().map(|word| format!("{word:016x}")).collect::<String>())
    }
}

impl<'de> Deserialize<'de> for StateFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let word = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let bits: Option<Vec<u64>> = text.as_bytes().chunks(16).map(word).collect();
        let bits = bits.filter(|bits| bits.len().is_power_of_two() && text.len() == 16 * bits.len());
        bits.map(|bits| Self { bits }).ok_or_else(|| de::Error::custom("a filter of states has 16 digits a word"))
    }
}
