//! Merges what no continuation tells apart (Moore's algorithm), and leaves out what leads to nothing.

use super::build::Built;
use super::letters::Letters;
use super::{LassoReader, NOWHERE, ReaderState};
use std::collections::HashMap;

pub(super) fn merged(mut built: Built, letters: Letters) -> LassoReader {
    let classes = letters.classes();
    let states = built.accepting.len();
    // Whatever leads to nothing becomes nowhere.
    let distance = distances(&built, classes);
    let live = |target: ReaderState| target != NOWHERE && distance[target as usize] != u32::MAX;
    for target in built.next.iter_mut().chain(&mut built.begin) {
        if !live(*target) {
            *target = NOWHERE;
        }
    }
    // Blocks are split until all of a block lead to the same blocks.
    let mut blocks: Vec<u32> = (0..states)
        .map(|state| match (distance[state] == u32::MAX, state < built.stems) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2 + u32::from(built.accepting[state]),
        })
        .collect();
    let mut count = 0;
    loop {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let block_of = |target: ReaderState| if target == NOWHERE { NOWHERE } else { blocks[target as usize] };
        let split: Vec<u32> = (0..states)
            .map(|state| {
                let row = |table: &[ReaderState]| -> Vec<u32> {
                    table[state * classes..(state + 1) * classes].iter().map(|&target| block_of(target)).collect()
                };
                let mut signature = vec![blocks[state]];
                signature.extend(row(&built.next));
                if state < built.stems {
                    signature.extend(row(&built.begin));
                }
                let number = known.len() as u32;
                *known.entry(signature).or_insert(number)
            })
            .collect();
        blocks = split;
        if known.len() == count {
            break;
        }
        count = known.len();
    }
    renumbered(&built, &blocks, &distance, letters)
}

/// The fewest letters until a loop is accepted; the greatest number if none can be.
fn distances(built: &Built, classes: usize) -> Vec<u32> {
    let mut distance: Vec<u32> = built.accepting.iter().map(|&it| if it { 0 } else { u32::MAX }).collect();
    loop {
        let mut changed = false;
        for state in (0..distance.len()).rev() {
            let row = state * classes..(state + 1) * classes;
            let begin: &[ReaderState] = if state < built.stems { &built.begin[row.clone()] } else { &[] };
            let targets = built.next[row].iter().chain(begin).filter(|&&target| target != NOWHERE);
            let nearest = targets.map(|&target| distance[target as usize]).min().unwrap_or(u32::MAX);
            let better = nearest.saturating_add(1);
            if better < distance[state] {
                distance[state] = better;
                changed = true;
            }
        }
        if !changed {
            return distance;
        }
    }
}

/// One state for each block, in the order in which they are met first: stems, then loops.
fn renumbered(built: &Built, blocks: &[u32], distance: &[u32], letters: Letters) -> LassoReader {
    let classes = letters.classes();
    let mut number: HashMap<u32, ReaderState> = HashMap::new();
    let mut members: Vec<usize> = Vec::new();
    for state in (0..blocks.len()).filter(|&state| distance[state] != u32::MAX) {
        number.entry(blocks[state]).or_insert_with(|| {
            members.push(state);
            members.len() as ReaderState - 1
        });
    }
    let stems = members.iter().take_while(|&&state| state < built.stems).count();
    let place = |&target: &ReaderState| match target {
        NOWHERE => NOWHERE,
        target => number[&blocks[target as usize]],
    };
    let row = |table: &[ReaderState], state: usize| -> Vec<ReaderState> {
        table[state * classes..(state + 1) * classes].iter().map(place).collect()
    };
    LassoReader {
        stems,
        next: members.iter().flat_map(|&state| row(&built.next, state)).collect(),
        begin: members[..stems].iter().flat_map(|&state| row(&built.begin, state)).collect(),
        accepting: members.iter().map(|&state| built.accepting[state]).collect(),
        distance: members.iter().map(|&state| distance[state]).collect(),
        initial: (built.stems > 0 && distance[0] != u32::MAX).then_some(0),
        letters,
    }
}
