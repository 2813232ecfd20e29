//! A store of parts is a set of states, and gives them back.

use lariat_store::{Budget, PartBatch, PartStore};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// A state of so many words, of which each takes up to so many values.
fn state(number: u64, words: usize, values: u64) -> Vec<u64> {
    let of = |word: u64| {
        let value = mix(number * 31 + word) % (values + word);
        // Some words have few bits, some many.
        if word % 3 == 0 { value % 200 } else { mix(value + word) >> (word % 20) }
    };
    (0..words as u64).map(of).collect()
}

fn check(words: usize, values: u64, budget_bytes: u64) -> usize {
    let budget = Budget::new(budget_bytes);
    let first: Vec<u64> = (0..50).flat_map(|number| state(number, words, 40)).collect();
    let alone = budget_bytes.is_multiple_of(3);
    let Ok(Some(store)) = PartStore::suiting(&first, words, alone, &budget) else { return 0 };
    let (mut with, mut known, mut new) = (PartBatch::default(), HashSet::new(), Vec::new());
    for batch in 0..120 {
        // More values than those it was made for.
        let most = 40 + (values - 40) * batch / 120;
        let states: Vec<Vec<u64>> = (0..700).map(|number| state(mix(batch * 400 + number) % 90_000, words, most)).collect();
        let mut keys = Vec::new();
        let probed = store.probe(&states.concat(), &mut with, &mut new, &mut keys);
        let looked_up = if probed.is_ok() { states.len() } else { new.last().map_or(0, |&last| last as usize + 1) };
        let expected: Vec<u32> =
            (0..looked_up as u32).filter(|&number| known.insert(states[number as usize].clone())).collect();
        assert_eq!(new, expected, "{words} words, batch {batch}");
        let mut recalled = Vec::new();
        store.recall(keys.as_chunks::<2>().0.iter().copied(), &mut recalled);
        assert_eq!(recalled, new.iter().flat_map(|&number| states[number as usize].clone()).collect::<Vec<_>>());
        assert_eq!((store.len(), store.bytes()), (known.len() as u64, budget.used_bytes()));
        assert!(budget.peak_bytes() <= budget_bytes);
        if probed.is_err() {
            break;
        }
        let (all, mut again) = (states.concat(), Vec::new());
        store.add_keys(&all, &mut with, &mut again).unwrap();
        let mut recalled = Vec::new();
        store.recall(again.as_chunks::<2>().0.iter().copied(), &mut recalled);
        assert_eq!(recalled, all);
    }
    drop(store);
    assert_eq!(budget.used_bytes(), 0);
    known.len()
}

#[test]
fn a_store_of_parts_is_a_set() {
    for words in 1..=8 {
        for values in [60, 500, 3000] {
            let all = check(words, values, 1 << 40);
            assert!(all > 50 || words == 8, "{words} words, {values} values: {all}");
            for budget_bytes in [20_000, 100_000, 300_000, 1_000_000] {
                check(words, values, budget_bytes);
            }
        }
    }
    let budget = Budget::new(1 << 40);
    assert!(PartStore::suiting(&[1; 90], 9, true, &budget).unwrap().is_none());
}

/// Of states that several threads add, each is new to one of them.
#[test]
fn threads_add_each_state_once() {
    let rounds = if cfg!(debug_assertions) { 6 } else { 40 };
    for round in 0..rounds {
        for words in [3, 5] {
            let budget = Budget::new(u64::MAX);
            let of = |number: u64| state(number + round * 7, words, 900);
            let first: Vec<u64> = (0..20).flat_map(of).collect();
            let store = PartStore::suiting(&first, words, false, &budget).unwrap().unwrap();
            let added = AtomicU64::new(0);
            std::thread::scope(|scope| {
                for thread in 0..2 + round % 3 {
                    let (store, added, of) = (&store, &added, &of);
                    scope.spawn(move || {
                        let (mut with, mut new) = (PartBatch::default(), Vec::new());
                        for batch in 0..40 {
                            let begin = (batch + thread % 2) * 100;
                            let states: Vec<u64> = (begin..begin + 150).flat_map(of).collect();
                            let mut keys = Vec::new();
                            store.probe(&states, &mut with, &mut new, &mut keys).unwrap();
                            added.fetch_add(new.len() as u64, Ordering::Relaxed);
                            let mut recalled = Vec::new();
                            store.recall(keys.as_chunks::<2>().0.iter().copied(), &mut recalled);
                            let found = new.iter().flat_map(|&number| of(begin + u64::from(number)));
                            assert_eq!(recalled, found.collect::<Vec<_>>());
                        }
                    });
                }
            });
            let all: HashSet<Vec<u64>> = (0..4150).map(of).collect();
            assert_eq!((added.into_inner(), store.len()), (all.len() as u64, all.len() as u64), "{words} words");
        }
    }
}
