//! The tree of a breadth-first search, gone through depth-first, every state compared with its ancestors.

use super::{GrowthEnd, Parents, lengths};
use lariat_engine::growth::{Doubt, repeats};
use lariat_engine::{RunControl, Shortfall, SystemReplay};
use lariat_space::StateSpace;
use lariat_store::{FlatStore, Handle, Origins, Recall, hash_state};
use lariat_subject::steps_along;
use lariat_system::{Layout, System, set_bits};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// So many ancestors of a state are tried, the nearest first: most loops are short.
const NEAREST: usize = 16;
/// So many candidates may turn out not to repeat before we give up looking in this tree.
const MOST_DOUBTS: usize = 200;

/// A tree of states.
pub(super) struct Tree<'a, 'b> {
    system: &'a System,
    layout: &'a Layout,
    control: &'a RunControl,
    store: &'a FlatStore<'b>,
    parents: &'a [u32],
    /// Of each state its first child; the children of a state are numbered one after the other.
    first_child: Vec<u32>,
    /// A state without what its channels hold: these bits of it.
    rest: Vec<u64>,
    taken_bytes: u64,
    doubts: usize,
    /// The first candidate that may not repeat.
    pub(super) doubt: Option<Doubt>,
}

/// A state on the way from the root.
struct Ancestor {
    number: u32,
    /// The next of its children to be looked at.
    next: u32,
    key: u64,
    lengths: Vec<usize>,
}

impl<'a, 'b> Tree<'a, 'b> {
    pub(super) fn new(
        system: &'a System,
        layout: &'a Layout,
        control: &'a RunControl,
        store: &'a FlatStore<'b>,
        parents: &'a [u32],
        depth: u64,
    ) -> Result<Self, Shortfall> {
        let ancestor_bytes = (2 * size_of::<Ancestor>() + size_of::<usize>() * system.queues.len() + 64) as u64;
        let taken_bytes = (parents.len() as u64 + 1) * size_of::<u32>() as u64 + (depth + 2) * ancestor_bytes;
        control.budget.take(taken_bytes)?;
        let mut first_child = Vec::with_capacity(parents.len() + 1);
        for (child, parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != Parents::NONE) {
            while first_child.len() <= *parent as usize {
                first_child.push(child as u32);
            }
        }
        first_child.resize(parents.len() + 1, parents.len() as u32);
        let mut rest = vec![u64::MAX; layout.words];
        let slots: BTreeSet<_> =
            system.queues.iter().flat_map(|queue| std::iter::once(queue.len).chain(queue.fields.clone())).collect();
        for field in slots.into_iter().map(|slot| layout.slots[slot]) {
            (0..field.cells as usize).for_each(|cell| set_bits(&mut rest, field.bit_of(cell), field.bits, 0));
        }
        Ok(Self { system, layout, control, store, parents, first_child, rest, taken_bytes, doubts: 0, doubt: None })
    }

    /// The growth that ends in the state that was met first.
    pub(super) fn first_growth<S: StateSpace>(
        &mut self,
        space: &S,
    ) -> Result<Option<Result<GrowthEnd, String>>, Shortfall> {
        let roots = self.parents.iter().take_while(|parent| **parent == Parents::NONE).count() as u32;
        let mut found: Option<(u32, Result<GrowthEnd, String>)> = None;
        let mut origins = Origins::new(self.layout.words);
        let mut alike: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut visited = 0_u64;
        for root in 0..roots {
            let mut way: Vec<Ancestor> = vec![self.enter(root, &mut origins)];
            alike.entry(way[0].key).or_default().push(0);
            while let Some(top) = way.last_mut() {
                let best = found.as_ref().map_or(u32::MAX, |(number, _)| *number);
                let children_end = self.first_child[top.number as usize + 1];
                if top.next >= children_end.min(best) || self.doubts >= MOST_DOUBTS {
                    let key = top.key;
                    way.pop();
                    if let Some(places) = alike.get_mut(&key) {
                        places.pop();
                        if places.is_empty() {
                            alike.remove(&key);
                        }
                    }
                    continue;
                }
                let child = top.next;
                top.next += 1;
                visited += 1;
                if visited.is_multiple_of(1024) {
                    self.control.check()?;
                }
                let state = self.enter(child, &mut origins);
                let places = alike.entry(state.key).or_default();
                let shorter = |place: &&u32| is_shorter(&way[**place as usize].lengths, &state.lengths);
                let candidates: Vec<u32> = places.iter().rev().filter(shorter).take(NEAREST).copied().collect();
                places.push(way.len() as u32);
                way.push(state);
                for place in candidates {
                    let numbers: Vec<u32> = way.iter().map(|ancestor| ancestor.number).collect();
                    if let Some(growth) = self.judge(space, &numbers, place as usize) {
                        found = Some((child, growth));
                        break;
                    }
                    self.control.check()?;
                }
            }
            alike.clear();
        }
        Ok(found.map(|(_, growth)| growth))
    }

    fn enter(&self, number: u32, origins: &mut Origins) -> Ancestor {
        self.store.recall(&[Handle(u64::from(number))], origins);
        let state = origins.state(0);
        let rest: Vec<u64> = state.iter().zip(&self.rest).map(|(word, rest)| word & rest).collect();
        Ancestor {
            number,
            next: self.first_child[number as usize],
            key: hash_state(&rest),
            lengths: lengths(self.system, self.layout, state).collect(),
        }
    }

    /// Whether the way from the state at this place of the run through `numbers` to its end can be repeated.
    fn judge<S: StateSpace>(&mut self, space: &S, numbers: &[u32], place: usize) -> Option<Result<GrowthEnd, String>> {
        let mut origins = Origins::new(self.layout.words);
        let mut state = |number: &u32| {
            self.store.recall(&[Handle(u64::from(*number))], &mut origins);
            origins.state(0).to_vec()
        };
        let states: Vec<Vec<u64>> = numbers[place..].iter().map(&mut state).collect();
        let replay = match SystemReplay::new(self.system) {
            Ok(replay) => replay,
            Err(error) => return Some(Err(error.to_string())),
        };
        let from = Arc::new(self.layout.unpack(&states[0]));
        // A growth that there is no time to tell is none that was found.
        let steps = steps_along(space, states, self.control).ok()?;
        let round = match replay.follow_steps(from, &steps) {
            Ok(round) => round,
            Err(error) => return Some(Err(error.to_string())),
        };
        let channels = match repeats(self.system, &round)? {
            Ok(channels) => channels,
            Err(doubt) => {
                self.doubts += 1;
                self.doubt = self.doubt.or(Some(doubt));
                return None;
            }
        };
        let states: Vec<Vec<u64>> = numbers[..=place].iter().map(&mut state).collect();
        let initial = self.layout.unpack(&states[0]);
        let steps = steps_along(space, states, self.control).ok()?;
        let stem = replay.follow_steps(Arc::new(initial.clone()), &steps);
        Some(stem.map(|stem| GrowthEnd::Grows { initial, stem, round, channels }).map_err(|error| error.to_string()))
    }
}

impl Drop for Tree<'_, '_> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.taken_bytes);
    }
}

/// Whether no channel is longer and one is shorter.
fn is_shorter(before: &[usize], after: &[usize]) -> bool {
    before != after && before.iter().zip(after).all(|(before, after)| before <= after)
}
