//! A fast hash for the small integer keys of guards and state tables. The default hash of the standard library resists
//! attackers who choose keys; here the keys are our own numbers, and the tables are bounded by limits anyway.
//! The mixing step is a multiplication by 2^64 / phi (Knuth, TAOCP 6.4) after a rotation.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Mixes words; the same keys give the same hash on every machine.
#[derive(Clone, Default, Debug)]
pub(crate) struct WordHasher(u64);

impl WordHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }
    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }
    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }
    fn finish(&self) -> u64 {
        // The table takes the low bits, the multiplication is strongest in the high ones.
        self.0 ^ (self.0 >> 32)
    }
}

pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;
