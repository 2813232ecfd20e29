//! Memories of visited states, each against a plain set under random operations.

use lariat_store::{Bitstate, Budget, Cache, Compact, KnowsPath, Losses, Phase, Replacement, Sample, Visited};
use lariat_testkit::Rng;
use std::collections::HashSet;

/// A state of some words that only a few bits differ in.
fn state(number: u64, words: usize) -> Vec<u64> {
    (0..words as u64).map(|word| if word == number % words as u64 { number + 100 } else { word }).collect()
}

/// A walk up and down two paths, one above the other, as nested searches take them. What a memory says is compared with a
/// set of all that was entered: `must_know` says that it must not have forgotten, `may_err` that it may know too much.
fn walk(visited: &mut impl Visited, seed: u64, words: usize, must_know: bool, may_err: bool) -> (u64, u64) {
    walk_on(visited, 20_000, 3000, (seed, words), must_know, may_err)
}

/// The same with so many operations on so many states.
fn walk_on(
    visited: &mut impl Visited,
    operations: u32,
    states: u64,
    (seed, words): (u64, usize),
    must_know: bool,
    may_err: bool,
) -> (u64, u64) {
    let mut random = Rng::new(seed);
    let mut entered: [HashSet<u64>; 2] = [HashSet::new(), HashSet::new()];
    let mut paths: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
    let (mut known, mut wrong) = (0, 0);
    for _ in 0..operations {
        let phase = [Phase::First, Phase::First, Phase::Second][random.below_u64(3) as usize];
        let path = &mut paths[phase as usize];
        if random.below_u64(5) < 2 || path.len() == 20 {
            if let Some(number) = path.pop() {
                visited.leave(&state(number, words), phase);
            }
            continue;
        }
        let number = random.below_u64(states);
        let is_on_path = path.contains(&number);
        let was_entered = entered[phase as usize].contains(&number);
        let knows = visited.contains(&state(number, words), phase).expect("there is memory");
        assert!(knows || !is_on_path, "{number} is on the path of {phase:?}");
        assert!(knows || !was_entered || !must_know, "{number} is forgotten");
        assert!(!knows || was_entered || may_err, "{number} was never entered in {phase:?}");
        known += u64::from(knows);
        wrong += u64::from(knows && !was_entered);
        assert_eq!(visited.enter(&state(number, words), phase), Ok(!knows), "{number}: one answer and the other");
        if !knows {
            path.push(number);
            entered[phase as usize].insert(number);
        }
        assert_eq!(visited.contains(&state(number, words), phase), Ok(true), "it was just entered");
    }
    for (path, phase) in paths.iter().zip(Phase::ALL) {
        path.iter().rev().for_each(|&number| visited.leave(&state(number, words), phase));
    }
    (known, wrong)
}

#[test]
fn a_cache_is_a_set_while_everything_fits() {
    let budget = Budget::new(1 << 22);
    for words in [1, 3, 40] {
        let mut cache = Cache::new(words, None, Replacement::Random, 1, &budget).unwrap();
        walk(&mut cache, 7, words, true, false);
        let figures = cache.figures();
        assert!(figures.evictions == 0 && figures.insertions > 2000 && figures.losses.is_none());
        assert_eq!(cache.figures().bytes, budget.used_bytes());
        cache.clear();
        assert!(!cache.contains(&state(1, words), Phase::First).unwrap() && cache.is_empty());
    }
    assert_eq!(budget.used_bytes(), 0, "everything is given back");
}

#[test]
fn a_small_cache_forgets_but_never_what_is_on_a_path() {
    for replacement in [Replacement::Random, Replacement::Oldest, Replacement::LeastUsed] {
        for most_states in [41, 64, 500] {
            let budget = Budget::new(1 << 22);
            let mut cache = Cache::new(2, Some(most_states), replacement, 3, &budget).unwrap();
            let (known, _) = walk(&mut cache, 9, 2, false, false);
            let figures = cache.figures();
            assert!(
                cache.len() <= most_states && figures.evictions > 1000 && known > 50,
                "{replacement:?}: {figures:?}"
            );
        }
    }
}

#[test]
fn a_cache_that_is_all_path_is_full_and_gives_way_when_it_can() {
    let budget = Budget::new(1 << 20);
    let mut cache = Cache::new(1, Some(10), Replacement::Random, 1, &budget).unwrap();
    for number in 0..10 {
        assert_eq!(cache.enter(&[number], Phase::First), Ok(true));
    }
    assert!(cache.enter(&[10], Phase::First).is_err());
    cache.leave(&[4], Phase::First);
    assert_eq!(cache.enter(&[10], Phase::First), Ok(true));
    assert!(!cache.contains(&[4], Phase::First).unwrap() && !cache.is_open(&[4]).unwrap());
    assert!(cache.is_open(&[10]).unwrap() && !cache.give_way(), "one chunk, all of it on the path");

    let mut cache = Cache::new(1, None, Replacement::Random, 1, &budget).unwrap();
    let mut number = 0;
    while cache.figures().evictions == 0 {
        assert_eq!(cache.enter(&[number], Phase::First), Ok(true));
        if number % 10 > 0 {
            cache.leave(&[number], Phase::First);
        }
        number += 1;
    }
    let mut given = 0;
    while cache.give_way() {
        given += 1;
        for open in (0..number).step_by(10) {
            assert!(cache.is_open(&[open]).unwrap(), "{open} is on the path, whatever is given up");
        }
    }
    assert!(
        given > 5 && cache.figures().bytes < (1 << 20) / 4,
        "{given} chunks given back, {} bytes left",
        cache.figures().bytes
    );
}

#[test]
fn fingerprints_are_a_set_unless_they_collide() {
    let budget = Budget::new(1 << 22);
    let mut compact = Compact::new(Compact::MAX_FINGERPRINT_BITS, 5, &budget).unwrap();
    assert_eq!(walk(&mut compact, 7, 3, true, false).1, 0);
    let losses = compact.figures().losses.unwrap();
    assert!(losses.probability() < 1e-10 && losses.visited > 2000);
    compact.clear();
    assert!(!compact.contains(&state(1, 3), Phase::First).unwrap());

    let mut narrow = Compact::new(12, 5, &budget).unwrap();
    assert!(walk(&mut narrow, 7, 3, true, true).1 > 100, "4096 fingerprints are too few for 3000 states");
    drop((compact, narrow));
    assert_eq!(budget.used_bytes(), 0, "everything is given back");
}

#[test]
fn a_table_of_fingerprints_fills_its_budget() {
    let budget = Budget::new(1 << 17);
    let mut compact = Compact::new(Compact::MAX_FINGERPRINT_BITS, 5, &budget).unwrap();
    let mut entered: u64 = 0;
    while compact.enter(&[entered], Phase::First).is_ok() {
        entered += 1;
    }
    assert!(entered > (1 << 17) / 8 / 2, "{entered} states in 128 KiB");
    assert!((0..entered).all(|number| compact.contains(&[number], Phase::First).unwrap()));
}

#[test]
fn bits_are_a_set_that_knows_too_much() {
    let budget = Budget::new(1 << 22);
    for (words, hashes) in [(1, 1), (1, 3), (64, 2), (1 << 14, 4), (1 << 14, 8)] {
        let mut bits = Bitstate::new(words, hashes, 11, &budget).unwrap();
        let (_, wrong) = walk(&mut bits, 7, 2, true, true);
        let figures = bits.figures();
        let load = figures.load.unwrap();
        assert!(load > 0.0 && load <= 1.0 && figures.hashes == Some(hashes));
        assert_eq!(wrong > 0, words < 1 << 14, "{wrong} wrong answers of {words} words");
        bits.clear();
        assert!(!bits.contains(&state(1, 2), Phase::First).unwrap());
    }
    let other = |seed| {
        let mut bits = Bitstate::new(4, 1, seed, &budget).unwrap();
        (0..200).filter(|&number| bits.enter(&[number], Phase::First).unwrap()).collect::<Vec<u64>>()
    };
    assert_ne!(other(1), other(2), "every seed omits other states");
    assert_eq!(other(1), other(1));
    assert_eq!(budget.used_bytes(), 0, "everything is given back");
}

/// States that are offered one after the other, each once: what is expected to be omitted against what is.
#[test]
fn what_is_expected_to_be_omitted_is_near_the_truth() {
    let budget = Budget::new(1 << 24);
    let near = |losses: Losses, offered: u64| {
        let omitted = (offered - losses.visited) as f64;
        assert!(losses.omitted > 0.8 * omitted && losses.omitted < 1.25 * omitted, "{losses:?}, but {omitted} omitted");
        assert!(losses.probability() > 0.99);
    };
    for (words, hashes) in [(2000, 1), (2000, 2), (3000, 3), (5000, 3), (4000, 6)] {
        let mut bits = Bitstate::new(words, hashes, 1, &budget).unwrap();
        for number in 0..50_000 {
            bits.enter(&[number], Phase::First).unwrap();
        }
        near(bits.figures().losses.unwrap(), 50_000);
    }
    for fingerprint_bits in [16, 20, 24] {
        let mut compact = Compact::new(fingerprint_bits, 1, &budget).unwrap();
        for number in 0..50_000 {
            compact.enter(&[number], Phase::First).unwrap();
        }
        near(compact.figures().losses.unwrap(), 50_000);
    }
}

/// A table that is folded again and again knows everything that it knew before, and gives memory back.
#[test]
fn a_table_that_gives_way_forgets_nothing() {
    for words in [1 << 12, (1 << 13) + 1000, 99_999] {
        let budget = Budget::new(1 << 22);
        let mut bits = Bitstate::new(words, 3, 5, &budget).unwrap();
        let (mut known, mut folds, mut next) = (Vec::new(), 0, 0_u64);
        loop {
            for number in next..next + 20 {
                for phase in Phase::ALL {
                    bits.enter(&[number, 7], phase).unwrap();
                }
                known.push(number);
            }
            next += 20;
            let (before, load) = (budget.used_bytes(), bits.figures().load.unwrap());
            if !bits.give_way() {
                break;
            }
            folds += 1;
            assert!(budget.used_bytes() <= before / 2 + 64 * 64, "{} of {before} bytes", budget.used_bytes());
            assert_eq!(bits.figures().bytes, budget.used_bytes());
            assert!(bits.figures().load.unwrap() > load);
            for phase in Phase::ALL {
                assert!(known.iter().all(|&number| bits.contains(&[number, 7], phase).unwrap()), "after {folds} folds");
            }
        }
        assert!(folds == 6 && bits.figures().folds == folds, "{folds} folds");
        drop(bits);
        assert_eq!(budget.used_bytes(), 0, "everything is given back");
    }
    let budget = Budget::new(1 << 22);
    let mut bits = Bitstate::new(1 << 12, 3, 5, &budget).unwrap();
    for number in 0..40_000 {
        bits.enter(&[number], Phase::First).unwrap();
    }
    assert!(!bits.give_way(), "nothing is gained by a table that knows everything");
    drop(bits);
    // The share that a table of the lesser size would have had.
    let load_of = |words, folds| {
        let mut bits = Bitstate::new(words, 3, 5, &budget).unwrap();
        for number in 0..10_000 {
            bits.enter(&[number], Phase::First).unwrap();
        }
        (0..folds).for_each(|_| assert!(bits.give_way()));
        bits.figures().load.unwrap()
    };
    let (folded, small) = (load_of(1 << 14, 2), load_of(1 << 12, 0));
    assert!((folded - small).abs() < 0.01, "{folded} and {small}");
}

/// States of which each search misses some: the sample tells how many, within a fifth, however small it is.
#[test]
fn what_searches_saw_tells_what_they_missed() {
    for (states, len, share, searches) in
        [(50_000, 1 << 14, 10, 2), (50_000, 1 << 11, 3, 2), (200_000, 1 << 13, 4, 4), (3000, 1 << 13, 2, 3)]
    {
        let budget = Budget::new(1 << 20);
        let sample = Sample::with_len(len, &budget).unwrap();
        let mut random = Rng::new(7);
        let mut visited = Vec::new();
        for search in 0..searches {
            sample.begin(search);
            assert_eq!(sample.recaptured(search, 0).is_some(), search >= 2);
            let mut seen = 0;
            for number in 0..states {
                if random.below_u64(share) > 0 {
                    // Again and again is as good as once.
                    (0..1 + number % 2).for_each(|_| sample.see(&[number, 1]));
                    seen += 1;
                }
            }
            visited.push(seen);
        }
        // One more that does not come to its end.
        sample.begin(searches);
        (0..states / 3).for_each(|number| sample.see(&[number, 2]));
        for (search, &seen) in (0..).zip(&visited) {
            let recaptured = sample.recaptured(searches, search).unwrap();
            let (missed, expected) = (states - seen, recaptured.missed(seen));
            assert!(
                expected > 0.8 * missed as f64 && expected < 1.25 * missed as f64,
                "{missed} missed, {recaptured:?}"
            );
            assert_eq!(recaptured.searches, searches);
        }
        drop(sample);
        assert_eq!(budget.used_bytes(), 0, "everything is given back");
    }
}

/// Every memory for a short while, and all that it does: `cargo +nightly miri test -p lariat-store short_while` takes minutes.
#[test]
fn every_memory_for_a_short_while() {
    let budget = Budget::new(1 << 20);
    let short = |visited: &mut dyn FnMut() -> (u64, u64)| assert!(visited().0 > 10);
    short(&mut || {
        let mut cache = Cache::new(2, Some(50), Replacement::LeastUsed, 1, &budget).unwrap();
        let met = walk_on(&mut cache, 500, 80, (3, 2), false, false);
        assert!(cache.figures().evictions > 0);
        cache.clear();
        met
    });
    short(&mut || {
        let mut compact = Compact::new(Compact::MAX_FINGERPRINT_BITS, 1, &budget).unwrap();
        walk_on(&mut compact, 500, 80, (3, 2), true, false)
    });
    short(&mut || {
        let sample = Sample::with_len(64, &budget).unwrap();
        let mut bits = Bitstate::new(1 << 12, 3, 1, &budget).unwrap().with_sample(Some(&sample));
        let met = walk_on(&mut bits, 500, 80, (3, 2), true, true);
        assert!(bits.give_way());
        bits.clear();
        sample.begin(1);
        walk_on(&mut bits, 500, 80, (3, 2), true, true);
        assert!(sample.recaptured(2, 0).is_some());
        met
    });
    assert_eq!(budget.used_bytes(), 0);
}

/// How often a cache was told of each state, within a tenth, however small the sample is.
#[test]
fn a_sample_tells_how_often_a_cache_does_its_work_again() {
    for (len, most_states) in [(1 << 12, 500), (1 << 8, 500), (1 << 9, 2000), (1 << 9, 3000)] {
        let budget = Budget::new(1 << 20);
        let sample = Sample::with_len(len, &budget).unwrap();
        let cache = Cache::new(1, Some(most_states), Replacement::Random, 3, &budget).unwrap();
        let mut cache = cache.with_sample(Some(&sample));
        let mut random = Rng::new(5);
        for _ in 0..60_000 {
            let number = random.below_u64(3000);
            if cache.enter(&[number], Phase::First).unwrap() {
                cache.leave(&[number], Phase::First);
            }
        }
        let figures = cache.figures();
        let (truth, told) = (figures.insertions as f64 / 3000.0, figures.insertions_of_each.unwrap());
        assert!(told > 0.9 * truth && told < 1.1 * truth, "{told}, but {truth}");
        assert_eq!(figures.evictions == 0, most_states == 3000);
    }
}

/// Seeds that are neighbours, and states that differ in one bit: once the one made up for the other, and a second search took
/// states for known that only the first had seen (`m3.pml` of the corpus).
#[test]
fn neighbouring_states_and_seeds_have_nothing_in_common() {
    let budget = Budget::new(1 << 22);
    for words in 1..6 {
        let states: Vec<Vec<u64>> =
            (0..64_u64).map(|number| (0..words).map(|word| number >> word & 7).collect()).collect();
        for seed in 0..4 {
            let mut bits = Bitstate::new(1 << 16, 3, seed, &budget).unwrap();
            let entered = states.iter().filter(|state| bits.enter(state, Phase::First).unwrap()).count();
            let different: HashSet<_> = states.iter().collect();
            assert_eq!(entered, different.len());
            assert!(
                states.iter().all(|state| !bits.contains(state, Phase::Second).unwrap()),
                "{words} words, seed {seed}"
            );
        }
    }
}
