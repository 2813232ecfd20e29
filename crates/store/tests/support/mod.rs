//! Made-up states, and a walk through them.

use lariat_store::{Answer, Batch, Full, Handle, Origins, Recall};
use lariat_testkit::Rng;
use std::collections::HashMap;

/// Made-up states: in each word one of some values.
#[derive(Clone)]
pub(crate) struct Kind {
    pub(crate) words: usize,
    /// By word.
    pub(crate) varieties: Vec<u64>,
    /// Values are multiples of this.
    pub(crate) factor: u64,
}

impl Kind {
    pub(crate) fn random(random: &mut Rng) -> Self {
        let words = 1 + random.below_u64(40) as usize;
        let most = [2, 3, 20, 500, 100_000][random.below_u64(5) as usize];
        let varieties = (0..words).map(|_| 1 + random.below_u64(most)).collect();
        Self {
            words,
            varieties,
            factor: [1, 1 << 31, 0x0001_0001_0001_0001, random.next_u64()][random.below_u64(4) as usize],
        }
    }
    pub(crate) fn value(&self, word: usize, random: &mut Rng) -> u64 {
        random.below_u64(self.varieties[word]).wrapping_mul(self.factor)
    }
    pub(crate) fn state(&self, random: &mut Rng) -> Vec<u64> {
        (0..self.words).map(|word| self.value(word, random)).collect()
    }
}

/// Recalls known states, changes some words of each, and probes the outcome: time and again, up to `rounds` times or
/// until the budget is used up. Every answer is compared with a plain map's.
pub(crate) fn walk<T: Recall>(
    store: &T,
    kind: &Kind,
    rounds: usize,
    random: &mut Rng,
) -> (HashMap<Vec<u64>, Handle>, Result<(), Full>) {
    let mut known: HashMap<Vec<u64>, Handle> = HashMap::new();
    let mut order: Vec<(Vec<u64>, Handle)> = Vec::new();
    let (mut with_answers, mut only_new) = (Batch::new(kind.words), Batch::only_new(kind.words));
    let mut origins = Origins::new(kind.words);
    let mut ended = Ok(());
    for _ in 0..rounds {
        let has_answers = random.below_u64(2) == 0;
        let batch = if has_answers { &mut with_answers } else { &mut only_new };
        let count = if order.is_empty() { 0 } else { random.below_u64(20) as usize };
        let picked: Vec<usize> = (0..count).map(|_| random.below_u64(order.len() as u64) as usize).collect();
        let handles: Vec<Handle> = picked.iter().map(|&number| order[number].1).collect();
        store.recall(&handles, &mut origins);
        batch.clear();
        for (origin, &number) in picked.iter().enumerate() {
            assert_eq!(origins.state(origin), order[number].0);
            for _ in 0..random.below_u64(6) {
                let mut state = order[number].0.clone();
                for _ in 0..random.below_u64(4) {
                    let word = random.below_u64(kind.words as u64) as usize;
                    state[word] = kind.value(word, random);
                }
                match random.below_u64(10) {
                    0 => batch.push(&state, None),
                    1..5 => batch.push(&state, Some(origin)),
                    _ => push_row(batch, &state, origin, random),
                }
            }
        }
        for _ in 0..random.below_u64(10) {
            batch.push(&kind.state(random), None);
        }
        ended = store.probe(batch, &origins);
        if !has_answers {
            let mut fresh = batch.fresh().peekable();
            for number in 0..batch.len() {
                let state = batch.state(number);
                if let Some((_, handle)) = fresh.next_if(|&(fresh, _)| fresh == number) {
                    assert!(known.insert(state.to_vec(), handle).is_none(), "{state:?} is known");
                    order.push((state.to_vec(), handle));
                } else {
                    assert!(known.contains_key(state) || ended.is_err(), "{state:?} is not known");
                }
            }
            assert!(fresh.next().is_none());
            assert_eq!(store.len(), known.len() as u64);
            if ended.is_err() {
                break;
            }
            continue;
        }
        assert!(batch.answers.len() == batch.len() || ended.is_err());
        for (number, &answer) in batch.answers.iter().enumerate() {
            let state = batch.state(number);
            match known.get(state) {
                Some(&handle) => assert_eq!(answer, Answer::Known(handle)),
                None => {
                    assert!(matches!(answer, Answer::New(_)), "{state:?} is not known");
                    known.insert(state.to_vec(), answer.handle());
                    order.push((state.to_vec(), answer.handle()));
                }
            }
        }
        assert_eq!(store.len(), known.len() as u64);
        if ended.is_err() {
            break;
        }
    }
    (known, ended)
}

/// Pushes a state as the end of a row of words.
fn push_row(batch: &mut Batch, state: &[u64], origin: usize, random: &mut Rng) {
    let mut row = vec![random.next_u64(); random.below_u64(6) as usize + 1];
    row.extend_from_slice(state);
    let most = batch.len() + 1 + random.below_u64(2) as usize;
    assert!(batch.push_rows(&row, row.len(), origin, most).is_empty());
    assert!(batch.push_rows(&row, row.len(), origin, batch.len()).len() == row.len(), "no room for more");
    assert_eq!(batch.first_actions().last(), Some(row[0] as u32));
}
