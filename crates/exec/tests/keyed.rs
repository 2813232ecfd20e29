//! Keys: what is listed from key to key is what the program lists from state to state.
#![cfg(feature = "native")]

use lariat_exec::{Program, Tiered};
use lariat_space::{KeyMoves, KeyedSpace, KeyedSteps, Outcome, StateSpace, each};
use lariat_system::System;
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The states of a program, up to about so many, in breadth-first order.
fn states_of(program: &Program, most: usize) -> Vec<Vec<u64>> {
    let mut scratch = program.scratch();
    let mut states: Vec<Vec<u64>> = Vec::new();
    let mut known = BTreeSet::new();
    let _ = program.initial(&mut scratch, |state| {
        known.insert(state.to_vec());
        states.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    let mut next = 0;
    while next < states.len() && states.len() < most {
        let source = states[next].clone();
        next += 1;
        let _ = program.steps(
            &source,
            &mut scratch,
            each(|step| {
                if let Outcome::State(target) = step.target
                    && known.insert(target.to_vec())
                {
                    states.push(target.to_vec());
                }
                ControlFlow::<()>::Continue(())
            }),
        );
    }
    states
}

/// The state of a key, bit by bit.
fn moved(moves: &KeyMoves, key: &[u64]) -> Vec<u64> {
    let mut state = moves.base.clone();
    for moved in &moves.moves {
        let bits = (0..64).filter(|bit| moved.mask >> bit & 1 == 1);
        for (number, bit) in (moved.shift..).zip(bits) {
            state[moved.word] ^= (key[moved.key_word] >> number & 1) << bit;
        }
    }
    for follow in &moves.follows {
        if state[follow.leader_word] >> follow.leader_bit & 1 == 1 {
            state[follow.word] ^= follow.mask;
        }
    }
    state
}

/// What a state leads to: the states, the actions on the way, and whether nothing went wrong.
fn steps_of(program: &Program, source: &[u64]) -> (Vec<Vec<u64>>, BTreeSet<usize>, u64, bool) {
    let (mut targets, mut taken, mut long, mut plain) = (Vec::new(), BTreeSet::new(), 0, true);
    let mut scratch = program.scratch();
    let _ = program.steps(
        source,
        &mut scratch,
        each(|step| {
            match step.target {
                Outcome::State(target) => {
                    targets.push(target.to_vec());
                    taken.extend(step.via.iter().map(|by| by.action.0 as usize));
                    long += step.via.len() as u64 / KeyedSteps::LONG;
                }
                Outcome::Fault(_) => plain = false,
            }
            ControlFlow::<()>::Continue(())
        }),
    );
    taken.extend(program.passed(&scratch).actions.iter().map(|action| action.0 as usize));
    (targets, taken, long, plain)
}

/// Compares for all states that have a key. How many were listed by keys, and which states have no key.
fn compare(program: &Program, keyed: &dyn KeyedSpace<'_>, states: &[Vec<u64>], name: &str) -> (usize, Vec<u64>) {
    let (mut listed, mut without_key) = (0, Vec::new());
    for state in states {
        let mut key = Vec::new();
        if !keyed.pack(state, &mut key) {
            without_key.extend_from_slice(state);
            continue;
        }
        let mut again = Vec::new();
        keyed.unpack(&key, &mut again);
        assert_eq!(&again, state, "{name}: a key is its state");
        assert_eq!(&moved(keyed.moves(), &key), state, "{name}: and its bits are moved there");
        let mut steps = KeyedSteps::default();
        keyed.lister().list(&key, &mut steps);
        assert_eq!(steps.sources, 1);
        let (targets, taken, long, plain) = steps_of(program, state);
        let mut keys = Vec::new();
        let fits = targets.iter().all(|target| keyed.pack(target, &mut keys));
        match (&steps.left_out[..], &steps.dead_ends[..]) {
            ([0], []) => continue,
            ([], [0]) => assert!(targets.is_empty() && plain, "{name}"),
            _ => assert_eq!((&steps.left_out[..], &steps.dead_ends[..]), (&[][..], &[][..])),
        }
        assert!(plain && fits, "{name}: faults, and states without key, are left out");
        assert_eq!(steps.targets, keys, "{name}");
        assert_eq!((steps.count, steps.long), (targets.len() as u64, long), "{name}");
        let told: BTreeSet<usize> = (0..steps.taken.len()).filter(|&action| steps.taken[action]).collect();
        assert_eq!(told, taken, "{name}");
        listed += 1;
    }
    (listed, without_key)
}

/// How many kinds of keys there are.
const KINDS: usize = 5;

/// Compares a system whose keys of this kind are learned from so many states, and widened again and again. How many states were
/// listed by keys in the end, and how often keys were widened; `None` if there are no keys.
fn check(system: &System, most: usize, learned: usize, kind: usize, name: &str) -> Option<(usize, usize)> {
    let program = Program::compile(system).ok()?;
    let states = states_of(&program, most);
    let tiered = Tiered::new(program.clone(), system);
    if !tiered.will_be_keyed() {
        return None;
    }
    let first = states.iter().take(learned).flatten().copied().collect::<Vec<_>>();
    let mut keyed = tiered.keys_of_kind(kind, &first)?;
    let mut known: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
    let mut widened = 0;
    loop {
        let (listed, without_key) = compare(&program, &*keyed, &states, name);
        for (state, key) in &known {
            let mut now = Vec::new();
            assert!(keyed.pack(state, &mut now), "{name}: what has a key keeps it");
            assert!(now.starts_with(key) && now[key.len()..].iter().all(|&word| word == 0), "{name}");
        }
        let Some(first) = without_key.get(..program.words_per_state()) else { return Some((listed, widened)) };
        let mut key = Vec::new();
        known = states
            .iter()
            .filter_map(|state| {
                key.clear();
                keyed.pack(state, &mut key).then(|| (state.clone(), key.clone()))
            })
            .collect();
        // All at once after a while.
        let wider = keyed.widened(if widened < 4 { first } else { &without_key });
        let Some(wider) = wider else { return Some((listed, widened)) };
        keyed = wider;
        widened += 1;
    }
}

#[test]
fn from_key_to_key_goes_what_goes_from_state_to_state() {
    for kind in 0..KINDS {
        let mut sum = (0, 0, 0);
        for seed in 0..60 {
            let system = RandomSystem::generate(seed + 60 * kind as u64, &Knobs::default());
            // Few are learned from, so that others do not fit.
            for learned in [1, 20] {
                let name = format!("seed {seed}, kind {kind}, {learned} learned");
                if let Some((listed, widened)) = check(&system, 400, learned, kind, &name) {
                    sum = (sum.0 + 1, sum.1 + listed, sum.2 + widened);
                }
            }
        }
        assert!(sum.0 > 50 && sum.1 > 100 && sum.2 > 80, "kind {kind}: {sum:?}");
    }
}

#[test]
fn so_it_does_in_models() {
    for kind in 0..KINDS {
        let mut sum = (0, 0, 0);
        for path in ["models", "crates/lariat/tests/models"].into_iter().flat_map(crate::reading::models) {
            let Some(system) = crate::reading::system(&path) else { continue };
            let name = format!("{}, kind {kind}", path.display());
            for learned in [10, 300] {
                if let Some((listed, widened)) = check(&system, 500, learned, kind, &name) {
                    sum = (sum.0 + 1, sum.1 + listed, sum.2 + widened);
                }
            }
        }
        assert!(sum.0 > 10 && sum.1 > 1000 && sum.2 > 20, "kind {kind}: {sum:?}");
    }
}

#[test]
fn zz_look() {
    let Ok(path) = std::env::var("LOOK_MODEL") else { return };
    let system = crate::reading::system(std::path::Path::new(&path)).expect("a model");
    let program = Program::compile(&system).unwrap();
    let states = states_of(&program, 400_000);
    let tiered = Tiered::new(program.clone(), &system);
    let first: Vec<u64> = states.iter().take(35_641).flatten().copied().collect();
    let mut keyed = tiered.keys_of_kind(4, &first).expect("keys");
    println!("{} words, {:?}", keyed.key_words(), keyed);
    for (chunk, states) in states.chunks(20_000).enumerate() {
        let (mut without, mut left) = (Vec::new(), 0);
        let mut lister = keyed.lister();
        let mut steps = KeyedSteps::default();
        for state in states {
            let mut key = Vec::new();
            if keyed.pack(state, &mut key) {
                steps.clear();
                lister.list(&key, &mut steps);
                left += steps.left_out.len();
            } else {
                without.extend_from_slice(state);
            }
        }
        drop(lister);
        println!("{chunk}: {} without key, {left} left out", without.len() / program.words_per_state());
        if !without.is_empty() {
            match keyed.widened(&without) {
                Some(wider) => keyed = wider,
                None => {
                    println!("no wider");
                    let words = program.words_per_state();
                    let mut differ = vec![0; words];
                    for state in without.chunks_exact(words) {
                        for word in 0..words {
                            differ[word] |= state[word] ^ without[word];
                        }
                    }
                    println!("{differ:x?}");
                    return;
                }
            }
        }
    }
}
