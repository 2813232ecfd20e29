//! The flat store against a plain set: random states, several threads, budgets that do not suffice.

use lariat_store::{Answer, Batch, Budget, FlatStore, Full, Handle, Origins, Recall, Store};
use lariat_testkit::Rng;
use std::collections::HashMap;

/// One of `variety` states.
fn some_state(random: &mut Rng, words: usize, variety: u64) -> Vec<u64> {
    let number = random.below_u64(variety);
    (0..words as u64).map(|word| if word == 0 { number } else { number * 31 + word }).collect()
}

#[test]
fn answers_as_a_set_does() {
    for seed in 1..30 {
        let mut random = Rng::new(seed);
        let words = 1 + random.below_u64(5) as usize;
        let variety = 1 + random.below_u64(5000);
        let budget = Budget::new(1 << 24);
        let store = FlatStore::new(words, &budget).unwrap();
        let mut known: HashMap<Vec<u64>, Handle> = HashMap::new();
        let mut batch = Batch::new(words);
        let none = Origins::new(words);
        for _ in 0..100 {
            batch.clear();
            for _ in 0..random.below_u64(200) {
                batch.push(&some_state(&mut random, words, variety), None);
            }
            store.probe(&mut batch, &none).unwrap();
            assert_eq!(batch.answers.len(), batch.len());
            for number in 0..batch.len() {
                let next = Handle(known.len() as u64);
                let expected = match known.get(batch.state(number)) {
                    Some(&handle) => Answer::Known(handle),
                    None => {
                        known.insert(batch.state(number).to_vec(), next);
                        Answer::New(next)
                    }
                };
                assert_eq!(batch.answers[number], expected, "seed {seed}");
            }
            assert_eq!(store.len(), known.len() as u64);
            assert_eq!(store.bytes(), budget.used_bytes());
        }
        let mut origins = Origins::new(words);
        for (expected, &handle) in &known {
            store.recall(&[handle], &mut origins);
            assert_eq!(origins.state(0), expected);
        }
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
}

#[test]
fn of_several_threads_one_is_told_new() {
    const VARIETY: u64 = 20_000;
    let budget = Budget::new(1 << 24);
    let store = FlatStore::new(2, &budget).unwrap();
    let found = |seed: u64| {
        let mut random = Rng::new(seed);
        let mut batch = Batch::new(2);
        let none = Origins::new(2);
        let mut found = Vec::new();
        for _ in 0..400 {
            batch.clear();
            (0..100).for_each(|_| batch.push(&some_state(&mut random, 2, VARIETY), None));
            store.probe(&mut batch, &none).unwrap();
            for (number, &answer) in batch.answers.iter().enumerate() {
                found.push((batch.state(number).to_vec(), answer));
            }
        }
        found
    };
    let all: Vec<(Vec<u64>, Answer)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..5).map(|seed| scope.spawn(move || found(seed * 7919))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut handles: HashMap<Vec<u64>, Handle> = HashMap::new();
    let mut told_new = vec![0; store.len() as usize];
    for (state, answer) in all {
        let handle = match answer {
            Answer::New(handle) => {
                told_new[handle.0 as usize] += 1;
                handle
            }
            Answer::Known(handle) => handle,
        };
        assert_eq!(*handles.entry(state).or_insert(handle), handle, "one state, one handle");
    }
    assert!(told_new.iter().all(|&count| count == 1), "handles are dense, and new once");
    assert_eq!(handles.len() as u64, store.len());
}

#[test]
fn a_budget_that_does_not_suffice_ends_the_answers_and_nothing_else() {
    let too_small = Budget::new(100);
    assert_eq!(FlatStore::new(1, &too_small).err(), Some(Full { limit_bytes: 100 }));
    assert_eq!(too_small.used_bytes(), 0);

    for limit_bytes in [576, 600, 1100, 2000, 5000, 10_000, 100_000, 3_000_000] {
        // However the states are batched, the same number of them fits.
        let fitting = [1, 7, 1000].map(|batch_len| {
            let budget = Budget::new(limit_bytes);
            let store = FlatStore::new(2, &budget).unwrap();
            let mut batch = Batch::new(2);
            let none = Origins::new(2);
            let mut next = 0_u64;
            loop {
                batch.clear();
                for number in next..next + batch_len {
                    batch.push(&[number, !number], None);
                }
                let probed = store.probe(&mut batch, &none);
                next += batch.answers.len() as u64;
                assert!(budget.peak_bytes() <= limit_bytes);
                if probed.is_err() {
                    break;
                }
            }
            assert_eq!(store.len(), next);
            // What is there can still be looked up.
            batch.clear();
            (0..next).for_each(|number| batch.push(&[number, !number], None));
            store.probe(&mut batch, &none).unwrap();
            assert!(batch.answers.iter().enumerate().all(|(n, &answer)| answer == Answer::Known(Handle(n as u64))));
            next
        });
        assert_eq!(fitting[0], fitting[1]);
        assert_eq!(fitting[0], fitting[2]);
        assert!(limit_bytes < 1_000_000 || fitting[0] * 80 > limit_bytes, "{} in {limit_bytes}", fitting[0]);
    }
}
