//! Packets against a plain map: random tails, every width of notes, threads, budgets that do not suffice.

use crate::support::{Kind, walk};
use lariat_store::{Answer, Batch, Budget, Full, Handle, Hybrid, Notes, Origins, Recall, Store, TailWord};
use lariat_testkit::Rng;
use std::collections::{HashMap, HashSet};

/// States some words of which have few values.
fn kind(random: &mut Rng) -> (Kind, Vec<TailWord>) {
    let words = 1 + random.below_u64(6) as usize;
    let mut tail = Vec::new();
    let varieties = (0..words).map(|place| {
        let values = 1 + random.below_u64(7);
        match random.below_u64(3) {
            0 => 1 + random.below_u64(100),
            _ if tail.len() == 3 => values,
            _ => {
                tail.push(TailWord { place, values });
                values
            }
        }
    });
    (Kind { words, varieties: varieties.collect(), factor: 1 }, tail)
}

fn heads(states: impl Iterator<Item = Vec<u64>>, tail: &[TailWord]) -> u64 {
    let head = |mut state: Vec<u64>| {
        tail.iter().for_each(|word| state[word.place] = 0);
        state
    };
    states.map(head).collect::<HashSet<_>>().len() as u64
}

#[test]
fn packets_are_as_a_map_has_them() {
    for seed in 1..60 {
        let mut random = Rng::new(seed * 7919);
        let (kind, tail) = kind(&mut random);
        let budget = Budget::new(u64::MAX);
        let store = Hybrid::new(kind.words, tail.clone(), 0, &budget).unwrap();
        let (known, ended) = walk(&store, &kind, 200, &mut random);
        assert_eq!(ended, Ok(()));
        assert_eq!(store.packets(), heads(known.into_keys(), &tail), "seed {seed}: {tail:?}");
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
}

#[test]
fn a_budget_that_does_not_suffice_loses_nothing() {
    let mut ended = 0;
    for seed in 1..60 {
        let mut random = Rng::new(seed * 104_729);
        let (kind, tail) = kind(&mut random);
        let budget = Budget::new(20_000 << random.below_u64(4));
        let Ok(store) = Hybrid::new(kind.words, tail, 3, &budget) else { continue };
        ended += u32::from(walk(&store, &kind, 2000, &mut random).1.is_err());
        assert!(budget.peak_bytes() <= budget.limit_bytes());
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
    assert!((5..55).contains(&ended), "{ended} budgets did not suffice");
}

/// Sets, claims and asks for notes.
fn note<T: Notes>(store: &T, most: u32, states: &[Vec<u64>], random: &mut Rng) {
    let (mut batch, origins) = (Batch::new(states[0].len()), Origins::new(states[0].len()));
    let mut known: HashMap<Handle, u32> = HashMap::new();
    for round in 0..2000 {
        batch.clear();
        (0..1 + random.below_u64(9))
            .for_each(|_| batch.push(&states[random.below_u64(states.len() as u64) as usize], None));
        store.probe(&mut batch, &origins).expect("there is memory");
        for (answer, &note) in batch.answers.iter().zip(&batch.notes) {
            assert_eq!(known.get(&answer.handle()).copied().unwrap_or(0), note, "in round {round}");
        }
        let handle = batch.answers[0].handle();
        let next = random.below_u64(u64::from(most) + 1) as u32;
        let after = if random.below_u64(2) == 0 {
            store.set_note(handle, next);
            next
        } else {
            let before = store.claim(handle, next);
            if before == 0 { next } else { before }
        };
        assert_eq!(store.note(handle), after);
        known.insert(handle, after);
    }
}

#[test]
fn notes_of_every_width_are_kept() {
    for (seed, most) in (1..).zip([0, 1, 2, 3, 6, 7, 15, 255, 65_535, u32::MAX - 1]) {
        let mut random = Rng::new(seed * 15_485_863);
        let (kind, tail) = kind(&mut random);
        let budget = Budget::new(1 << 24);
        let store = Hybrid::new(kind.words, tail, most, &budget).unwrap();
        let states: Vec<Vec<u64>> = (0..100).map(|_| kind.state(&mut random)).collect();
        note(&store, most, &states, &mut random);
    }
}

#[test]
fn a_state_is_new_once_for_all_threads() {
    let budget = Budget::new(1 << 26);
    let tail = vec![TailWord { place: 1, values: 5 }, TailWord { place: 2, values: 3 }];
    let store = Hybrid::new(4, tail, 3, &budget).unwrap();
    let new: u64 = std::thread::scope(|scope| {
        let search = |seed: u64| {
            let (store, mut random) = (&store, Rng::new(seed));
            let (mut batch, mut origins) = (Batch::new(4), Origins::new(4));
            let mut new = 0;
            for _ in 0..2000 {
                batch.clear();
                for _ in 0..20 {
                    let state = [random.below_u64(40), random.below_u64(5), random.below_u64(3), random.below_u64(10)];
                    batch.push(&state, None);
                }
                store.probe(&mut batch, &origins).unwrap();
                new += batch.answers.iter().filter(|answer| matches!(answer, Answer::New(_))).count() as u64;
                let handles: Vec<Handle> = batch.answers.iter().map(|answer| answer.handle()).collect();
                store.recall(&handles, &mut origins);
                (0..20).for_each(|number| assert_eq!(origins.state(number), batch.state(number)));
            }
            new
        };
        let threads: Vec<_> = (1..5).map(|seed| scope.spawn(move || search(seed * 7919))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!((new, store.len(), store.packets()), (40 * 5 * 3 * 10, 40 * 5 * 3 * 10, 400));
}

#[test]
fn more_tails_than_can_be_numbered_are_too_many() {
    let budget = Budget::new(1 << 20);
    let tail = |values| vec![TailWord { place: 0, values }, TailWord { place: 1, values }];
    let limit_bytes = budget.limit_bytes();
    assert_eq!(Hybrid::new(2, tail(1 << 33), 0, &budget).err(), Some(Full { limit_bytes }));
    assert!(Hybrid::new(2, tail(3), 0, &budget).is_ok());
}
