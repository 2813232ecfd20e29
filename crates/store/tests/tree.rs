//! The tree store against a plain map: random states, several threads, budgets that do not suffice.

use crate::support::{Kind, walk};
use lariat_store::{Answer, Batch, Budget, FlatStore, Full, Handle, Origins, Recall, Store, TreeStore};
use lariat_testkit::Rng;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

fn check<T: Recall>(store: &T, budget: &Budget, kind: &Kind, rounds: usize, random: &mut Rng) {
    let (known, _) = walk(store, kind, rounds, random);
    assert_eq!(store.bytes(), budget.used_bytes());
    assert!(budget.peak_bytes() <= budget.limit_bytes());
    let mut origins = Origins::new(kind.words);
    for (state, &handle) in &known {
        store.recall(&[handle], &mut origins);
        assert_eq!(origins.state(0), state);
    }
    let handles: HashSet<_> = known.values().collect();
    assert_eq!(handles.len(), known.len(), "different states, different handles");
}

#[test]
fn answers_as_a_map_does() {
    for seed in 1..60 {
        let mut random = Rng::new(seed * 7919);
        let kind = Kind::random(&mut random);
        let budget = Budget::new(u64::MAX);
        check(&FlatStore::new(kind.words, &budget).unwrap(), &budget, &kind, 300, &mut random.clone());
        assert_eq!(budget.used_bytes(), 0);
        let learn_from = [1, 2, 100, 1000][random.below_u64(4) as usize];
        let store = TreeStore::learning_from(learn_from, kind.words, &budget).unwrap();
        check(&store, &budget, &kind, 300, &mut random);
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
}

/// Whatever the budget, what it does not allow is not taken, and what is there is found again.
#[test]
fn a_budget_that_does_not_suffice_ends_the_answers_and_nothing_else() {
    let too_small = Budget::new(100);
    assert_eq!(TreeStore::new(1, &too_small).err(), Some(Full { limit_bytes: 100 }));
    assert_eq!(too_small.used_bytes(), 0);

    let mut ended = 0;
    for seed in 1..80 {
        let mut random = Rng::new(seed * 104_729);
        let kind = Kind::random(&mut random);
        let budget = Budget::new(2000 << random.below_u64(14));
        let learn_from = [1, 2, 100, 1000][random.below_u64(4) as usize];
        let store = TreeStore::learning_from(learn_from, kind.words, &budget).unwrap();
        let (known, result) = walk(&store, &kind, 300, &mut random);
        ended += usize::from(result.is_err());
        assert!(budget.peak_bytes() <= budget.limit_bytes());
        let mut batch = Batch::new(kind.words);
        let none = Origins::new(kind.words);
        for (state, &handle) in &known {
            batch.clear();
            batch.push(state, None);
            store.probe(&mut batch, &none).unwrap();
            assert_eq!(batch.answers, [Answer::Known(handle)]);
        }
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
    assert!((20..60).contains(&ended), "{ended} budgets did not suffice");
}

#[test]
fn of_several_threads_one_is_told_new() {
    for seed in 1..6 {
        let kind = Kind { words: 1 + seed as usize * 3, varieties: vec![5; 40], factor: 1 << (seed * 7) };
        let budget = Budget::new(u64::MAX);
        let value = |word: usize, _: u32, random: &mut Rng| kind.value(word, random);
        several_threads(&TreeStore::learning_from(500, kind.words, &budget).unwrap(), kind.words, value, seed);
        several_threads(&FlatStore::new(kind.words, &budget).unwrap(), kind.words, value, seed);
        // Few bits vary at first, and one more in every few rounds: they find places one by one, and are put in order while
        // others ask.
        let value = |word: usize, round: u32, random: &mut Rng| {
            (random.next_u64() & (u64::MAX >> (63 - round / 5))).rotate_left(word as u32 * 11)
        };
        several_threads(&TreeStore::learning_from(20, kind.words, &budget).unwrap(), kind.words, value, seed);
        assert_eq!(budget.used_bytes(), 0);
    }
}

/// Threads that all change the same states in the same few ways: `value` is one of a word in a round.
fn several_threads(
    store: &impl Recall,
    words: usize,
    value: impl Fn(usize, u32, &mut Rng) -> u64 + Copy + Send,
    seed: u64,
) {
    let first = Rng::new(seed * 7919).next_u64();
    let walk = move |thread: u64| {
        let mut random = Rng::new(first ^ thread);
        let mut batch = Batch::new(words);
        let mut origins = Origins::new(words);
        batch.push(&vec![0; words], None);
        store.probe(&mut batch, &origins).expect("memory");
        let mut met: Vec<(Vec<u64>, Answer)> = vec![(vec![0; words], batch.answers[0])];
        for round in 0..300 {
            let picked: Vec<usize> = (0..8).map(|_| random.below_u64(met.len() as u64) as usize).collect();
            let handles: Vec<Handle> = picked.iter().map(|&number| met[number].1.handle()).collect();
            store.recall(&handles, &mut origins);
            batch.clear();
            for (origin, &number) in picked.iter().enumerate() {
                assert_eq!(origins.state(origin), met[number].0);
                for _ in 0..8 {
                    let mut state = met[number].0.clone();
                    let word = random.below_u64(words as u64) as usize;
                    state[word] = value(word, round, &mut random);
                    batch.push(&state, Some(origin));
                }
            }
            store.probe(&mut batch, &origins).expect("memory");
            met.extend((0..batch.len()).map(|number| (batch.state(number).to_vec(), batch.answers[number])));
        }
        met
    };
    let all: Vec<(Vec<u64>, Answer)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..5).map(|thread| scope.spawn(move || walk(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut handles: HashMap<Vec<u64>, Handle> = HashMap::new();
    let mut states: HashMap<Handle, Vec<u64>> = HashMap::new();
    let mut new = HashSet::new();
    for (state, answer) in all {
        if let Answer::New(handle) = answer {
            assert!(new.insert(handle), "new once");
        }
        assert_eq!(*handles.entry(state.clone()).or_insert(answer.handle()), answer.handle(), "one state, one handle");
        assert_eq!(*states.entry(answer.handle()).or_insert(state.clone()), state, "one handle, one state");
    }
    assert_eq!((handles.len() as u64, new.len() as u64), (store.len(), store.len()));
}

/// Bits that none of the first states shows find places later, and so many that leaves overflow.
#[test]
fn what_was_not_learned_is_met_later() {
    let budget = Budget::new(u64::MAX);
    let words = 6;
    let store = TreeStore::learning_from(10, words, &budget).unwrap();
    let mut batch = Batch::new(words);
    let mut origins = Origins::new(words);
    let mut met: Vec<(Vec<u64>, Handle)> = Vec::new();
    for round in 0..64 * words as u64 {
        batch.clear();
        for number in 0..20 {
            let mut state = vec![number; words];
            (0..=round).for_each(|bit| state[bit as usize / 64] ^= ((bit * number + round) % 3 % 2) << (bit % 64));
            batch.push(&state, (!met.is_empty()).then_some(0));
        }
        if let Some((_, handle)) = met.last() {
            store.recall(&[*handle], &mut origins);
        }
        store.probe(&mut batch, &origins).unwrap();
        met.extend((0..20).map(|number| (batch.state(number).to_vec(), batch.answers[number].handle())));
    }
    let handles: Vec<Handle> = met.iter().map(|(_, handle)| *handle).collect();
    store.recall(&handles, &mut origins);
    for (number, (state, _)) in met.iter().enumerate() {
        assert_eq!(origins.state(number), state);
    }
    let distinct: HashSet<_> = met.iter().map(|(state, _)| state).collect();
    assert_eq!(distinct.len() as u64, store.len());
}

/// Two threads that ask about the same states at about the same time: each state is new to one of them.
#[test]
fn of_two_threads_in_step_one_is_told_new() {
    const STATES: u64 = 60_000;
    const TOGETHER: u64 = 8;
    for round in 0..4_u64 {
        let state = |number: u64| [(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ round) % 250, number / 240];
        let budget = Budget::new(u64::MAX);
        let store = TreeStore::learning_from(64, 2, &budget).expect("memory");
        let gate = AtomicU64::new(0);
        let ask = || {
            let (mut batch, origins) = (Batch::new(2), Origins::new(2));
            let mut new = 0;
            for first in (0..STATES).step_by(TOGETHER as usize) {
                batch.clear();
                (first..first + TOGETHER).for_each(|number| batch.push(&state(number), None));
                let arrived = gate.fetch_add(1, Ordering::Relaxed) + 1;
                let mut patience = 2000;
                while gate.load(Ordering::Relaxed) < arrived.next_multiple_of(2) && patience > 0 {
                    std::hint::spin_loop();
                    patience -= 1;
                }
                store.probe(&mut batch, &origins).expect("memory");
                new += batch.answers.iter().filter(|answer| matches!(answer, Answer::New(_))).count();
            }
            new
        };
        let new: usize = std::thread::scope(|scope| {
            let threads = [scope.spawn(ask), scope.spawn(ask)];
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        let distinct: HashSet<[u64; 2]> = (0..STATES).map(state).collect();
        assert_eq!((new, store.len()), (distinct.len(), distinct.len() as u64), "round {round}");
    }
}
