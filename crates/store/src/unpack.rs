//! States made of keys, many at once.

use crate::bits::{BitWork, do_work};
use lariat_space::KeyMoves;

/// Makes `states` those of the keys, which are of so many words, one after the other.
pub fn unpack_keys(moves: &KeyMoves, keys: &[u64], key_words: usize, states: &mut Vec<u64>) {
    // What was there before is overwritten.
    states.resize(keys.len() / key_words * moves.base.len(), 0);
    do_work(UnpackKeys { moves, keys, key_words, states });
}

struct UnpackKeys<'a> {
    moves: &'a KeyMoves,
    keys: &'a [u64],
    key_words: usize,
    states: &'a mut [u64],
}

impl BitWork for UnpackKeys<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, scatter: impl Fn(u64, u64) -> u64) {
        let Self { moves: KeyMoves { base, moves }, keys, key_words, states } = self;
        for (key, state) in keys.chunks_exact(key_words).zip(states.chunks_exact_mut(base.len().max(1))) {
            state.copy_from_slice(base);
            for moved in moves {
                state[moved.word] ^= scatter(key[moved.key_word] >> moved.shift, moved.mask);
            }
        }
    }
}
