//! What a search keeps on the card.

use crate::card::{Block, CardError, Place};
use crate::search::{CHUNK, COUNTER_BYTES, ENDS_ROOM, INPUT_KEYS, Job, PUNTS_ROOM, bytes_of};

/// The most keys in the ring of states that wait. Few in development builds, so that tests meet states without a place in it.
const RING_KEYS: u64 = if cfg!(debug_assertions) { 64 } else { 1 << 26 };
/// The ring takes at most this part of the memory.
const RING_PART: u64 = 32;
/// A set of states on the card, or of what is known of them.
pub(crate) struct Memory {
    pub(crate) table: Block,
    /// A power of two.
    pub(crate) slots: u64,
    pub(crate) order: Block,
    pub(crate) is_wide: bool,
    pub(crate) counters: Block,
    pub(crate) alive: Block,
    pub(crate) noted: Block,
    pub(crate) seen: Block,
    pub(crate) kinds: Block,
    pub(crate) punts: Block,
    pub(crate) ends: Block,
    pub(crate) input: Block,
    pub(crate) target: Block,
    /// The keys of a launch, where several lanes read them.
    pub(crate) gathered: Option<Block>,
    /// The keys of states that wait, by their place in the order.
    pub(crate) ring: Block,
    /// A power of two.
    pub(crate) ring_keys: u64,
}

impl Memory {
    pub(crate) fn new(job: &Job<'_>) -> Result<Self, CardError> {
        let (card, source) = (job.card, job.source);
        let key_bytes = 8 * job.packing.words as u64;
        let block = |bytes: u64| card.alloc(bytes.max(8), Place::Card);
        let slots = job.first_slots;
        let seen = block(16 * source.sites.len() as u64)?;
        let is_wide = slots > 1 << 32;
        let ring_keys = (1 << (job.memory_bytes / RING_PART / key_bytes).max(64).ilog2()).min(RING_KEYS);
        let memory = Self {
            table: block(slots * key_bytes)?,
            slots,
            order: block(slots * if is_wide { 8 } else { 4 })?,
            is_wide,
            counters: block(COUNTER_BYTES)?,
            alive: block(CHUNK)?,
            noted: block(source.notes as u64)?,
            seen,
            kinds: block(8 * job.packing.positions.len() as u64)?,
            punts: block(16 * PUNTS_ROOM)?,
            ends: block(8 * ENDS_ROOM)?,
            input: block(INPUT_KEYS as u64 * (key_bytes + 16))?,
            target: block(INPUT_KEYS as u64 * (key_bytes + 16))?,
            gathered: (source.launched_lanes() > 1).then(|| block(CHUNK * key_bytes)).transpose()?,
            ring: block(ring_keys * key_bytes)?,
            ring_keys,
        };
        let limits: Vec<u64> = source.sites.iter().flat_map(|_| [i64::MAX as u64, i64::MIN as u64]).collect();
        card.write(&memory.seen, 0, &bytes_of(&limits))?;
        Ok(memory)
    }
}
