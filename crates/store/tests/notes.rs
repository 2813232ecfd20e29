//! Notes against a plain map: random states, every width, early states and late ones, budgets that do not suffice.

use crate::support::Kind;
use lariat_store::{Batch, Budget, FlatStore, Full, Handle, NoteWidth, Noted, NotedTree, Notes, Origins};
use lariat_testkit::Rng;
use std::collections::HashMap;
use std::ops::Range;

/// Changes known states and probes the outcome, time and again; sets, claims and asks for notes in between, from the given
/// round on.
fn walk<T: Notes>(
    store: &T,
    kind: &Kind,
    width: NoteWidth,
    rounds: Range<usize>,
    random: &mut Rng,
) -> Result<(), Full> {
    let mut known: HashMap<Vec<u64>, (Handle, u32)> = HashMap::new();
    let mut order: Vec<Vec<u64>> = Vec::new();
    let (mut batch, mut origins) = (Batch::new(kind.words), Origins::new(kind.words));
    let mut ended = Ok(());
    for round in 0..rounds.end {
        let count = if order.is_empty() { 0 } else { random.below_u64(20) as usize };
        let picked: Vec<&Vec<u64>> =
            (0..count).map(|_| &order[random.below_u64(order.len() as u64) as usize]).collect();
        let handles: Vec<Handle> = picked.iter().map(|&state| known[state].0).collect();
        store.recall(&handles, &mut origins);
        batch.clear();
        for (origin, &state) in picked.iter().enumerate() {
            assert_eq!(origins.state(origin), state);
            for _ in 0..random.below_u64(6) {
                let mut state = state.clone();
                let word = random.below_u64(kind.words as u64) as usize;
                state[word] = kind.value(word, random);
                batch.push(&state, Some(origin));
            }
        }
        (0..random.below_u64(10)).for_each(|_| batch.push(&kind.state(random), None));
        ended = store.probe(&mut batch, &origins);
        assert_eq!(batch.notes.len(), batch.answers.len());
        for (number, (&answer, &note)) in batch.answers.iter().zip(&batch.notes).enumerate() {
            let state = batch.state(number).to_vec();
            let expected = known.entry(state.clone()).or_insert_with(|| {
                order.push(state);
                (answer.handle(), 0)
            });
            assert_eq!((answer.handle(), note), *expected);
        }
        if round < rounds.start && ended.is_ok() {
            continue;
        }
        store.begin()?;
        for _ in 0..random.below_u64(20).min(order.len() as u64) {
            let most = if width == NoteWidth::Byte { 256 } else { order.len() as u64 + 1 };
            let note = random.below_u64(most) as u32;
            let (handle, before) =
                known.get_mut(&order[random.below_u64(order.len() as u64) as usize]).expect("it is known");
            assert_eq!(store.note(*handle), *before);
            if random.below_u64(2) == 0 {
                store.set_note(*handle, note);
                *before = note;
            } else {
                assert_eq!(store.claim(*handle, note), *before);
                *before = if *before == 0 { note } else { *before };
            }
        }
        if ended.is_err() {
            break;
        }
    }
    for &(handle, note) in known.values() {
        assert_eq!(store.note(handle), note);
    }
    ended
}

#[test]
fn notes_are_as_a_map_has_them() {
    for seed in 1..40 {
        let mut random = Rng::new(seed * 7919);
        let kind = Kind::random(&mut random);
        let budget = Budget::new(u64::MAX);
        let flat = Noted::new(FlatStore::new(kind.words, &budget).unwrap(), &budget);
        walk(&flat, &kind, NoteWidth::Number, 0..200, &mut random.clone()).unwrap();
        drop(flat);
        for width in [NoteWidth::Byte, NoteWidth::Number] {
            let learn_from = [1, 2, 100, 1000, 100_000][random.below_u64(5) as usize];
            let store = NotedTree::learning_from(learn_from, kind.words, &budget, width).unwrap();
            walk(&store, &kind, width, 0..300, &mut random.clone()).unwrap();
            drop(store);
            let later = NotedTree::noted_later(learn_from, kind.words, &budget, width).unwrap();
            let first = random.below_u64(250) as usize;
            walk(&later, &kind, width, first..300, &mut random.clone()).unwrap();
            drop(later);
            assert_eq!(budget.used_bytes(), 0);
        }
    }
}

#[test]
fn a_budget_that_does_not_suffice_loses_no_note() {
    let mut ended = 0;
    for seed in 1..60 {
        let mut random = Rng::new(seed * 104_729);
        let kind = Kind::random(&mut random);
        let budget = Budget::new(30_000 << random.below_u64(10));
        let width = [NoteWidth::Byte, NoteWidth::Number][random.below_u64(2) as usize];
        let learn_from = [1, 2, 100, 1000][random.below_u64(4) as usize];
        let (store, first) = match random.below_u64(2) {
            0 => (NotedTree::learning_from(learn_from, kind.words, &budget, width), 0),
            _ => (NotedTree::noted_later(learn_from, kind.words, &budget, width), random.below_u64(250) as usize),
        };
        let store = store.unwrap();
        ended += u32::from(walk(&store, &kind, width, first..300, &mut random).is_err());
        assert!(budget.peak_bytes() <= budget.limit_bytes());
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
    assert!((5..55).contains(&ended), "{ended} budgets did not suffice");
}
