//! Sorted states as bytes.
//!
//! Neighbours in a sorted sequence differ in few words, and packed words in few bytes. A state is written as its difference
//! from the one before it: a bit for each word, whether it differs; then, for each that does, a byte with a bit for each
//! byte of the difference that is not zero, and those bytes. The first state of a block differs from zeros. Blocks are
//! checked before they are decoded, so what does not decode was never written by us.

/// Appends `states`, each of `words` words, to `bytes`.
pub(crate) fn encode(states: &[u64], words: usize, bytes: &mut Vec<u8>) {
    let zeros = vec![0; words];
    let mut before: &[u64] = &zeros;
    for state in states.chunks_exact(words) {
        for (group, olds) in state.chunks(8).zip(before.chunks(8)) {
            let place = bytes.len();
            bytes.push(0);
            let mut differing = 0_u8;
            for (number, (&word, &old)) in group.iter().zip(olds).enumerate() {
                let difference = word ^ old;
                if difference != 0 {
                    differing |= 1 << number;
                    push_word(difference, bytes);
                }
            }
            bytes[place] = differing;
        }
        before = state;
    }
}

#[inline]
fn push_word(word: u64, bytes: &mut Vec<u8>) {
    let place = bytes.len();
    bytes.push(0);
    let mut used = 0_u8;
    for (number, byte) in word.to_le_bytes().into_iter().enumerate() {
        if byte != 0 {
            used |= 1 << number;
            bytes.push(byte);
        }
    }
    bytes[place] = used;
}

/// Replaces `states` by `count` states of `words` words; `None` if the bytes are not such states, exactly.
pub(crate) fn decode(mut bytes: &[u8], count: usize, words: usize, states: &mut Vec<u64>) -> Option<()> {
    states.clear();
    states.resize(count.checked_mul(words)?, 0);
    for number in 0..count {
        let (before, rest) = states.split_at_mut(number * words);
        let state = &mut rest[..words];
        if number > 0 {
            state.copy_from_slice(&before[(number - 1) * words..]);
        }
        for group in state.chunks_mut(8) {
            let (&differing, rest) = bytes.split_first()?;
            bytes = rest;
            if u32::from(differing).checked_shr(group.len() as u32).unwrap_or(0) != 0 {
                return None;
            }
            let mut left = differing;
            while left != 0 {
                let place = left.trailing_zeros() as usize;
                left &= left - 1;
                group[place] ^= take_word(&mut bytes)?;
            }
        }
    }
    bytes.is_empty().then_some(())
}

#[inline]
fn take_word(bytes: &mut &[u8]) -> Option<u64> {
    let (&used, rest) = bytes.split_first()?;
    let count = used.count_ones() as usize;
    let (values, rest) = rest.split_at_checked(count)?;
    *bytes = rest;
    let (mut word, mut left) = (0, used);
    for &value in values {
        word |= u64::from(value) << (8 * left.trailing_zeros());
        left &= left - 1;
    }
    Some(word)
}

/// The most bytes that a state of so many words can take.
pub(crate) fn most_bytes(words: usize) -> usize {
    words.div_ceil(8) + 9 * words
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::Rng;

    #[test]
    fn what_is_encoded_is_decoded() {
        let mut rng = Rng::new(5);
        for words in [1, 2, 3, 7, 8, 9, 17, 40] {
            let mut states = Vec::new();
            for _ in 0..200 * words {
                states.push(rng.next_u64() >> (8 * (rng.next_u64() % 9)).min(63));
            }
            let mut bytes = Vec::new();
            encode(&states, words, &mut bytes);
            assert!(bytes.len() <= 200 * most_bytes(words));
            let mut again = Vec::new();
            decode(&bytes, 200, words, &mut again).expect("it was encoded");
            assert_eq!(again, states);
            assert_eq!(decode(&bytes, 201, words, &mut again), None);
            assert_eq!(decode(&bytes, 199, words, &mut again), None);
        }
    }
}
