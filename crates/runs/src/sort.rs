//! Sorting states in memory.

/// What becomes of several records with the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Same {
    /// They are one: a record is a state.
    One,
    /// The last word of a record is a number, and they are added up.
    Sum,
}

impl Same {
    /// How many words of a record are the state.
    pub fn key_words(self, words: usize) -> usize {
        words - usize::from(self == Self::Sum)
    }
}

/// Sorts records of `words` words, and makes those of the same state one.
pub fn sort_records(states: &mut Vec<u64>, words: usize, same: Same) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match words {
                $($width => states.as_chunks_mut::<$width>().0.sort_unstable(),)*
                _ => sort_wide(states, words),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12);
    join_same(states, words, same);
}

/// Whether sorting such states takes as much memory again.
pub fn sorts_beside(words: usize) -> bool {
    words > 12
}

fn sort_wide(states: &mut Vec<u64>, words: usize) {
    let of = |number: &u32| &states[*number as usize * words..][..words];
    let mut order: Vec<u32> = (0..(states.len() / words) as u32).collect();
    order.sort_unstable_by(|a, b| of(a).cmp(of(b)));
    *states = order.iter().flat_map(of).copied().collect();
}

fn join_same(states: &mut Vec<u64>, words: usize, same: Same) {
    let (count, key) = (states.len() / words, same.key_words(words));
    let mut kept = 0;
    for number in 0..count {
        let place = number * words;
        if kept == 0 || states[place..place + key] != states[(kept - 1) * words..][..key] {
            states.copy_within(place..place + words, kept * words);
            kept += 1;
        } else if same == Same::Sum {
            states[kept * words - 1] += states[place + key];
        }
    }
    states.truncate(kept * words);
}

/// The first of the sorted states, from number `from` on, that is not less than `state`. Near ones are found fast.
pub fn gallop(states: &[u64], words: usize, from: usize, state: &[u64]) -> usize {
    let count = states.len() / words;
    let less = |number: usize| &states[number * words..][..words] < state;
    let (mut low, mut step) = (from, 1);
    while low + step <= count && less(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step - 1).min(count);
    while low < high {
        let middle = low + (high - low) / 2;
        if less(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::Rng;

    #[test]
    fn sorted_without_repetitions_and_found_again() {
        let mut rng = Rng::new(1);
        for words in [1, 2, 3, 12, 13, 30] {
            let mut states: Vec<u64> = Vec::new();
            for _ in 0..500 {
                states.extend((0..words).map(|word| if word + 2 < words { 0 } else { rng.below_u64(12) }));
            }
            let mut plain: Vec<Vec<u64>> = states.chunks(words).map(<[u64]>::to_vec).collect();
            plain.sort();
            plain.dedup();
            sort_records(&mut states, words, Same::One);
            assert_eq!(states.chunks(words).map(<[u64]>::to_vec).collect::<Vec<_>>(), plain);
            for _ in 0..300 {
                let wanted: Vec<u64> =
                    (0..words).map(|word| if word + 2 < words { 0 } else { rng.below_u64(13) }).collect();
                let place = plain.partition_point(|state| *state < wanted);
                let from = if place == 0 { 0 } else { rng.below(place + 1) };
                assert_eq!(gallop(&states, words, from, &wanted), place);
            }
        }
    }
}
