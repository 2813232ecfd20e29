//! The tree store against a plain map: random states, several threads, budgets that do not suffice.

mod support;

use lariat_store::{Budget, FlatStore, Origins, Recall, TreeStore};
use std::collections::HashSet;
use support::{Kind, Random, walk};

fn check<T: Recall>(store: &T, budget: &Budget, kind: &Kind, rounds: usize, random: &mut Random) {
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
        let mut random = Random(seed * 7919);
        let kind = Kind::random(&mut random);
        let budget = Budget::new(u64::MAX);
        check(&FlatStore::new(kind.words, &budget).unwrap(), &budget, &kind, 300, &mut random.clone());
        assert_eq!(budget.used_bytes(), 0);
        let learn_from = [1, 2, 100, 1000][random.below(4) as usize];
        let store = TreeStore::learning_from(learn_from, kind.words, &budget).unwrap();
        check(&store, &budget, &kind, 300, &mut random);
        drop(store);
        assert_eq!(budget.used_bytes(), 0);
    }
}
