//! Relations followed in one pass, and saturation, against the same computed state by state, on random relations.

use super::{Capacity, Diagram, Diagrams, Transition};
use crate::{BitAlgebra, BitFunctions, Variable};
use lariat_engine::Shortfall;
use std::rc::Rc;

/// The variables of a state; each has one afterwards, and there is a variable of another kind above and below.
const BITS: usize = 4;
const STATES: usize = 1 << BITS;

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
    fn set(&mut self, percent: u64) -> Vec<bool> {
        (0..STATES).map(|_| self.below(100) < percent).collect()
    }
}

fn now(bit: usize) -> Variable {
    (1 + 2 * bit) as Variable
}

fn diagrams(nodes: usize) -> Rc<Diagrams> {
    let pairs = (0..BITS).map(|bit| vec![now(bit), now(bit) + 1]);
    let groups = [vec![0]].into_iter().chain(pairs).chain([vec![1 + 2 * BITS as Variable]]).collect();
    let full = Shortfall::Memory { limit_bytes: 0 };
    Rc::new(Diagrams::new(groups, Capacity { nodes, cache: 1 << 10 }, full, || Ok(())))
}

fn literals(state: usize, variable: impl Fn(usize) -> Variable) -> Vec<(Variable, bool)> {
    (0..BITS).map(|bit| (variable(bit), state >> bit & 1 == 1)).collect()
}

fn set_of(algebra: &Rc<Diagrams>, members: &[bool]) -> Diagram {
    let states = (0..STATES).filter(|&state| members[state]);
    states.fold(algebra.constant(false), |sum, state| {
        algebra.or(&sum, &algebra.cube(&literals(state, now)).expect("room")).expect("room")
    })
}

/// A relation that writes some bits, and its steps.
struct Relation {
    along: Transition,
    steps: Vec<(usize, usize)>,
}

impl Relation {
    fn random(algebra: &Rc<Diagrams>, dice: &mut Dice) -> Self {
        let written: Vec<usize> = (0..BITS).filter(|_| dice.below(2) == 0).collect();
        let mask = written.iter().fold(0, |mask, bit| mask | 1 << bit);
        let (mut relation, mut steps) = (algebra.constant(false), Vec::new());
        for source in 0..STATES {
            for target in (0..STATES).filter(|target| (source ^ target) & !mask == 0) {
                if dice.below(100) < 15 {
                    let later = literals(target, |bit| now(bit) + 1).into_iter();
                    let later = later.filter(|(variable, _)| written.iter().any(|bit| now(*bit) + 1 == *variable));
                    let step = [literals(source, now), later.collect()].concat();
                    relation = algebra.or(&relation, &algebra.cube(&step).expect("room")).expect("room");
                    steps.push((source, target));
                }
            }
        }
        let written: Vec<Variable> = written.into_iter().map(now).collect();
        Self { along: Transition { relation, written: algebra.variables(&written).expect("room") }, steps }
    }

    fn image(&self, of: &[bool]) -> Vec<bool> {
        let mut found = vec![false; STATES];
        self.steps.iter().filter(|(source, _)| of[*source]).for_each(|(_, target)| found[*target] = true);
        found
    }
    fn preimage(&self, of: &[bool]) -> Vec<bool> {
        let mut found = vec![false; STATES];
        self.steps.iter().filter(|(_, target)| of[*target]).for_each(|(source, _)| found[*source] = true);
        found
    }
}

/// What `step` leads to from the set, any number of times, where what is new must be in `within`.
fn closed(from: &[bool], within: &[bool], step: impl Fn(&[bool]) -> Vec<bool>) -> Vec<bool> {
    let mut found = from.to_vec();
    loop {
        let more = step(&found);
        let grown: Vec<bool> = (0..STATES).map(|state| found[state] || more[state] && within[state]).collect();
        if grown == found {
            return found;
        }
        found = grown;
    }
}

fn any(all: &[Relation], one: impl Fn(&Relation) -> Vec<bool>) -> Vec<bool> {
    let found: Vec<Vec<bool>> = all.iter().map(one).collect();
    (0..STATES).map(|state| found.iter().any(|found| found[state])).collect()
}

#[test]
fn steps_are_followed_in_one_pass() {
    let (algebra, dice) = (diagrams(1 << 16), &mut Dice(1));
    for _ in 0..400 {
        let (relation, members) = (Relation::random(&algebra, dice), dice.set(40));
        let set = set_of(&algebra, &members);
        let expected = set_of(&algebra, &relation.image(&members));
        assert!(algebra.follow(&set, &relation.along) == Ok(expected));
        let expected = set_of(&algebra, &relation.preimage(&members));
        assert!(algebra.follow_back(&set, &relation.along) == Ok(expected));
        algebra.safe_point().expect("nothing stops it");
    }
}

#[test]
fn saturation_finds_what_steps_find() {
    let (algebra, dice) = (diagrams(1 << 16), &mut Dice(2));
    let all = vec![true; STATES];
    for round in 0..300 {
        let relations: Vec<Relation> = (0..1 + dice.below(4)).map(|_| Relation::random(&algebra, dice)).collect();
        let along = || relations.iter().map(|relation| relation.along.clone()).collect::<Vec<_>>();
        let mut events = algebra.events(along());
        for _ in 0..3 {
            let (members, within) = (dice.set(15), dice.set(70));
            let set = set_of(&algebra, &members);
            let expected = closed(&members, &all, |set| any(&relations, |one| one.image(set)));
            let (found, is_whole, _) = algebra.saturate(&set, &events).expect("room");
            assert!(is_whole && found == set_of(&algebra, &expected), "onwards in round {round}");
            let expected = closed(&members, &within, |set| any(&relations, |one| one.preimage(set)));
            let (found, is_whole, _) = algebra.saturate_back(&set, &set_of(&algebra, &within), &events).expect("room");
            assert!(is_whole && found == set_of(&algebra, &expected), "backwards in round {round}");
        }
        if round % 20 == 0 {
            algebra.reorder_now().expect("nothing stops it");
            assert!(algebra.are_stale(&events));
            events = algebra.events(along());
            assert!(!algebra.are_stale(&events));
        }
    }
}

#[test]
fn each_mistake_in_a_relation_is_noticed() {
    let (algebra, dice) = (diagrams(1 << 18), &mut Dice(3));
    let (mut one_way, mut unwritten, mut skipped, mut unconfined) = (0, 0, 0, 0);
    for _ in 0..100 {
        let (first, second) = (Relation::random(&algebra, dice), Relation::random(&algebra, dice));
        let (members, within) = (dice.set(30), dice.set(50));
        let (set, limit) = (set_of(&algebra, &members), set_of(&algebra, &within));
        let expected = set_of(&algebra, &first.image(&members));
        // Followed the wrong way round.
        one_way += u32::from(algebra.follow_back(&set, &first.along) != Ok(expected.clone()));
        // A bit afterwards that counts as one of now.
        let less = Transition { written: algebra.constant(true), ..first.along.clone() };
        unwritten += u32::from(algebra.follow(&set, &less) != Ok(expected));
        let both = [first, second];
        let closed_in = |within: &[bool], some: &[Relation]| {
            set_of(&algebra, &closed(&members, within, |set| any(some, |one| one.preimage(set))))
        };
        let events = algebra.events(both.iter().map(|one| one.along.clone()).collect());
        let (found, ..) = algebra.saturate_back(&set, &limit, &events).expect("room");
        // One event is left out; ways lead anywhere.
        skipped += u32::from(found != closed_in(&within, &both[..1]));
        unconfined += u32::from(found != closed_in(&[true; STATES], &both));
        algebra.safe_point().expect("nothing stops it");
    }
    assert!(
        one_way > 50 && unwritten > 50 && skipped > 20 && unconfined > 20,
        "{one_way} {unwritten} {skipped} {unconfined}"
    );
}

#[test]
fn a_pass_that_is_stopped_says_why() {
    let asked = Rc::new(std::cell::Cell::new(false));
    let stopped = Rc::clone(&asked);
    let watch = move || if stopped.get() { Err(Shortfall::Interrupted) } else { Ok(()) };
    let bits = 40;
    let groups = (0..bits).map(|bit| vec![2 * bit, 2 * bit + 1]).collect();
    let full = Shortfall::Memory { limit_bytes: 0 };
    let algebra = Rc::new(Diagrams::new(groups, Capacity { nodes: 1 << 18, cache: 1 << 10 }, full, watch));
    // A counter, the highest bit on top: a bit changes where all lower ones are set, and these are cleared.
    let event = |bit: u32| {
        let lower = (bit + 1..bits).flat_map(|low| [(2 * low, true), (2 * low + 1, false)]);
        let relation = lower.chain([(2 * bit, false), (2 * bit + 1, true)]).collect::<Vec<_>>();
        let written: Vec<Variable> = (bit..bits).map(|bit| 2 * bit).collect();
        let (relation, written) = (algebra.cube(&relation), algebra.variables(&written));
        Transition { relation: relation.expect("room"), written: written.expect("room") }
    };
    let events = algebra.events((0..bits).map(event).collect());
    let zero = algebra.cube(&(0..bits).map(|bit| (2 * bit, false)).collect::<Vec<_>>()).expect("room");
    let (found, is_whole, _) = algebra.saturate(&zero, &events).expect("room");
    assert!(is_whole && algebra.known(&found) == Some(true), "the counter comes to every number");
    asked.set(true);
    assert_eq!(algebra.saturate(&zero, &events).err(), Some(Shortfall::Interrupted));
}
