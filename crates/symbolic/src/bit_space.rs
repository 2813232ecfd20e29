//! A system walked by evaluating the bit functions of its encoder: a state space that shares no line with the reference
//! evaluator, to be compared with it.

use crate::{Binding, Bools, ChoiceValue, Encoder};
use lariat_space::{LabelSet, Move, Outcome, Sink, State, StateSpace, Step};
use lariat_system::{Fault, LabelMeaning, Layout, Position, System, TooLarge};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// The space of a system, by its bit functions.
#[derive(Debug)]
pub struct BitSpace<'a> {
    encoder: Encoder<'a, Bools>,
    /// In the order in which firings are listed.
    bindings: Vec<Binding>,
    /// In the order in which guard faults are listed.
    by_action: Vec<Binding>,
}

impl<'a> BitSpace<'a> {
    /// The space of `system`, which must be valid.
    pub fn new(system: &'a System) -> Result<Self, TooLarge> {
        let encoder = Encoder::new(system, Bools)?;
        let bindings = encoder.bindings();
        let by_action = system.actions.ids().flat_map(|action| encoder.bindings_of(action)).collect();
        Ok(Self { encoder, bindings, by_action })
    }
    /// The functions it evaluates.
    pub fn encoder(&self) -> &Encoder<'a, Bools> {
        &self.encoder
    }
    /// How states are packed.
    pub fn layout(&self) -> &Layout {
        &self.encoder.layout
    }
}

/// What can be observed of a path so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Seen {
    labels: LabelSet,
    participants: BTreeSet<Position>,
}

/// A state inside an atomic sequence, with all that its continuation depends on.
type Node = (Vec<bool>, Position, Seen);

/// Whether the search below a node is still going on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Open,
    Closed,
}

/// One enumeration of the steps of a state.
struct Walk<'w, 'a, K> {
    space: &'w BitSpace<'a>,
    path: Vec<Move>,
    visits: HashMap<Node, Visit>,
    sink: K,
}

impl<K: Sink> Walk<'_, '_, K> {
    /// Lists the guard faults of `state` and what its firings lead to. `holder` runs on alone, if there is one.
    fn expand(&mut self, state: &[bool], holder: Option<Position>, seen: &Seen) -> ControlFlow<K::Break> {
        let encoder = &self.space.encoder;
        for binding in self.space.by_action.iter().filter(|binding| holder.is_none() || binding.actor() == holder) {
            let Ok(traps) = encoder.guard_traps(state, binding);
            for (number, _) in traps.into_iter().filter(|(_, met)| *met) {
                self.path.push(moved(binding));
                self.report(Outcome::Fault(Fault::Trap(binding.action, number)), seen)?;
                self.path.pop();
            }
        }
        let Ok(contest) = encoder.contest(state, holder);
        for binding in &self.space.bindings {
            let Ok(at_control) = encoder.at_control(state, binding);
            if !at_control {
                continue;
            }
            for values in encoder.choice_values(&encoder.system.actions[binding.action].choices) {
                let choices = encoder.choices_of(&values);
                let Ok(fires) = encoder.fires(state, &contest, binding, &choices);
                if fires {
                    self.path.push(moved(binding));
                    self.fire(state, binding, &choices, seen)?;
                    self.path.pop();
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes the last move of the path.
    fn fire(
        &mut self,
        state: &[bool],
        binding: &Binding,
        choices: &[ChoiceValue<bool>],
        seen: &Seen,
    ) -> ControlFlow<K::Break> {
        let encoder = &self.space.encoder;
        let action = &encoder.system.actions[binding.action];
        let seen = self.space.seen_after(seen, state, binding, choices);
        let Ok(traps) = encoder.effect_traps(state, binding, choices);
        for (number, _) in traps.into_iter().filter(|(_, met)| *met) {
            self.report(Outcome::Fault(Fault::Trap(binding.action, number)), &seen)?;
        }
        let Ok(pool_full) = encoder.pool_full(state, binding, choices);
        if pool_full {
            self.report(Outcome::Fault(Fault::PoolFull(binding.action)), &seen)?;
        }
        let Ok(goes_on) = encoder.goes_on(state, binding, choices);
        if !goes_on {
            return ControlFlow::Continue(());
        }
        let Ok(next) = encoder.successor(state, binding, choices);
        let holder = action.hold.map(|role| binding.positions[role.index()]);
        let transient = holder.is_some_and(|holder| {
            let Ok(contest) = encoder.contest(&next, Some(holder));
            let Ok(contested) = encoder.is_contested(&contest);
            contested
        });
        let Some(holder) = holder.filter(|_| transient) else {
            return self.report(Outcome::State(&words_of(&next)), &seen);
        };
        let node = (next, holder, seen);
        match self.visits.get(&node) {
            Some(Visit::Open) => self.report(Outcome::Fault(Fault::EndlessAtomic(binding.action)), &node.2),
            Some(Visit::Closed) => ControlFlow::Continue(()),
            None => {
                self.visits.insert(node.clone(), Visit::Open);
                self.expand(&node.0, Some(holder), &node.2)?;
                self.visits.insert(node, Visit::Closed);
                ControlFlow::Continue(())
            }
        }
    }

    fn report(&mut self, target: Outcome<'_>, seen: &Seen) -> ControlFlow<K::Break> {
        self.sink.step(Step::new(target, &seen.labels, &self.path))
    }
}

impl BitSpace<'_> {
    /// `seen`, and what taking the action in `state` adds to it.
    fn seen_after(&self, seen: &Seen, state: &[bool], binding: &Binding, choices: &[ChoiceValue<bool>]) -> Seen {
        let mut seen = seen.clone();
        seen.participants.extend(&binding.positions);
        let Ok(listed) = self.encoder.step_labels(state, binding, choices);
        for (label, _) in listed.into_iter().filter(|(_, carried)| *carried) {
            seen.labels.insert(label);
        }
        for (id, label) in self.encoder.system.labels.entries() {
            let is_meant = match label.meaning {
                LabelMeaning::By(position) => binding.positions.contains(&position),
                LabelMeaning::Acting(position) => binding.actor() == Some(position),
                LabelMeaning::State(_) | LabelMeaning::Step => false,
            };
            if is_meant {
                seen.labels.insert(id);
            }
        }
        seen
    }
}

fn moved(binding: &Binding) -> Move {
    Move { action: binding.action, actor: binding.actor(), peer: binding.positions.get(1).copied() }
}

/// The packed words of a state.
fn words_of(state: &[bool]) -> Vec<u64> {
    let word = |bits: &[bool]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
    state.chunks(64).map(word).collect()
}

impl StateSpace for BitSpace<'_> {
    type Scratch = ();

    fn words_per_state(&self) -> usize {
        self.encoder.layout.words
    }
    fn scratch(&self) -> Self::Scratch {}

    fn initial<B>(&self, (): &mut (), mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut listed = BTreeSet::new();
        for values in self.encoder.choice_values(&self.encoder.system.init.choices) {
            let choices = self.encoder.choices_of(&values);
            let Ok(exists) = self.encoder.initial_guard(&choices);
            if !exists {
                continue;
            }
            let Ok(state) = self.encoder.initial_state(&choices);
            let state = words_of(&state);
            if listed.insert(state.clone()) {
                sink(&state)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn steps<K: Sink>(&self, source: &State, (): &mut (), sink: K) -> ControlFlow<K::Break> {
        let visits = HashMap::new();
        let mut walk = Walk { space: self, path: Vec::new(), visits, sink };
        walk.expand(&self.encoder.state_of(source), None, &Seen::default())
    }

    fn labels(&self, state: &State, (): &mut ()) -> LabelSet {
        let state = self.encoder.state_of(state);
        let holds = |label: &_| {
            let Ok(holds) = self.encoder.state_label(&state, &self.encoder.system.labels[*label]);
            holds
        };
        self.encoder.system.labels.ids().filter(holds).collect()
    }

    fn is_proper_end(&self, state: &State, (): &mut ()) -> bool {
        let Ok(proper) = self.encoder.proper_end(&self.encoder.state_of(state));
        proper
    }
}
