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
        let Self { moves: KeyMoves { base, moves, follows }, keys, key_words, states } = self;
        for (key, state) in keys.chunks_exact(key_words).zip(states.chunks_exact_mut(base.len().max(1))) {
            state.copy_from_slice(base);
            for moved in moves {
                state[moved.word] ^= scatter(key[moved.key_word] >> moved.shift, moved.mask);
            }
            for follow in follows {
                let leads = state[follow.leader_word] >> follow.leader_bit & 1;
                state[follow.word] ^= follow.mask & leads.wrapping_neg();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_space::{KeyFollow, KeyMove};

    #[test]
    fn bits_are_moved_where_they_belong() {
        let moves = KeyMoves {
            base: vec![0b1010, 7, 1 << 63],
            moves: vec![
                KeyMove { word: 0, mask: 0b1100_0011, key_word: 0, shift: 0 },
                KeyMove { word: 2, mask: 1 << 63 | 1, key_word: 1, shift: 60 },
                KeyMove { word: 0, mask: 0b1000, key_word: 0, shift: 4 },
            ],
            follows: vec![KeyFollow { word: 1, mask: 0b101, leader_word: 2, leader_bit: 63 }],
        };
        let mut states = vec![99; 2];
        unpack_keys(&moves, &[0, 0, 0b1_0110, 0b10 << 60], 2, &mut states);
        assert_eq!(states, [0b1010, 7, 1 << 63, 0b0100_0000, 7, 0]);
        unpack_keys(&moves, &[], 2, &mut states);
        assert!(states.is_empty());
    }
}
