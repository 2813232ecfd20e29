//! A store of keys is a set of numbers.

use lariat_store::{Budget, KeyStore};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// The words of a key of so many bits.
fn key(number: u64, bits: u32, key_words: usize) -> Vec<u64> {
    let [low, high] = [mix(number), mix(number ^ 0x5555_5555)];
    let below = |bits: u32| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    [low & below(bits), high & below(bits.saturating_sub(64))][..key_words].to_vec()
}

/// Adds keys whose bits become more, by batches; the answers are those of a set. How many there are in the end.
fn check(first_bits: u32, last_bits: u32, batches: u64, budget_bytes: u64) -> usize {
    let budget = Budget::new(budget_bytes);
    let Ok(store) = KeyStore::new(first_bits, budget_bytes.is_multiple_of(3), &budget) else { return 0 };
    let mut known: HashSet<Vec<u64>> = HashSet::new();
    for batch in 0..batches {
        let bits = first_bits + ((u64::from(last_bits - first_bits) * batch) / batches) as u32;
        let key_words = if bits > 64 { 2 } else { 1 };
        let keys: Vec<Vec<u64>> =
            (0..257).map(|number| key(mix(batch * 200 + number) % 60_000, bits, key_words)).collect();
        let mut new = Vec::new();
        let probed = store.probe(&keys.concat(), key_words, bits, &mut new);
        let looked_up = if probed.is_ok() { keys.len() } else { new.last().map_or(0, |&last| last as usize + 1) };
        let mut expected = Vec::new();
        for (number, key) in keys[..looked_up].iter().enumerate() {
            let as_two = [&key[..], &[0]].concat()[..2].to_vec();
            if known.insert(as_two) {
                expected.push(number as u32);
            }
        }
        assert_eq!(new, expected, "{first_bits} to {last_bits} bits, batch {batch}");
        assert_eq!((store.len(), store.bytes()), (known.len() as u64, budget.used_bytes()));
        assert!(budget.peak_bytes() <= budget_bytes);
        if probed.is_err() {
            break;
        }
    }
    drop(store);
    assert_eq!(budget.used_bytes(), 0);
    known.len()
}

#[test]
fn a_store_of_keys_is_a_set() {
    for (first_bits, last_bits) in
        [(1, 30), (20, 50), (34, 34), (40, 45), (44, 60), (52, 64), (60, 70), (64, 64), (65, 72)]
    {
        let all = check(first_bits, last_bits, 300, u64::MAX);
        assert!(all > 1000, "{all}");
        for budget_bytes in [10_000, 50_000, 200_000, 400_000] {
            check(first_bits, last_bits, 300, budget_bytes);
        }
    }
}

/// Of keys that several threads add, each is new to one of them.
#[test]
fn threads_add_each_key_once() {
    let rounds = if cfg!(debug_assertions) { 12 } else { 60 };
    for round in 0..rounds {
        for (bits, key_words) in [(30, 1), (45, 1), (52, 1), (60, 1), (68, 2)] {
            let budget = Budget::new(u64::MAX);
            let store = KeyStore::new(bits, false, &budget).unwrap();
            let added = AtomicU64::new(0);
            std::thread::scope(|scope| {
                for thread in 0..2 + round % 3 {
                    let (store, added) = (&store, &added);
                    scope.spawn(move || {
                        for batch in 0..40 {
                            let begin = (batch + thread % 2) * 100;
                            let keys: Vec<u64> = (begin..begin + 150)
                                .flat_map(|number| key(number + round * 7, bits, key_words))
                                .collect();
                            let mut new = Vec::new();
                            store.probe(&keys, key_words, bits, &mut new).unwrap();
                            added.fetch_add(new.len() as u64, Ordering::Relaxed);
                        }
                    });
                }
            });
            let all: HashSet<Vec<u64>> = (0..4150).map(|number| key(number + round * 7, bits, key_words)).collect();
            assert_eq!((added.into_inner(), store.len()), (all.len() as u64, all.len() as u64), "{bits} bits");
        }
    }
}
