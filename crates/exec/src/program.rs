//! The program as a state space.

use crate::compile::{Program, Rank};
use crate::memory::PathMemory;
use crate::path::Walk;
use crate::records::RecordShape;
use crate::seen::{Met, Seen};
use lariat_base::Id;
use lariat_space::{LabelSet, Passed, Sink, State, StateSpace, StepsByProcess};
use lariat_system::Position;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// The working memory of one thread. After some steps it has grown to what the system needs, and no step allocates.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(crate) search: PathMemory,
    /// An initial state being made, and those already listed.
    target: Vec<u64>,
    listed: Seen,
    /// Labels of a state, as bits, where native code writes them.
    #[cfg(feature = "native")]
    pub(crate) labels: Vec<u64>,
    /// What was interpreted with it and not counted yet.
    #[cfg(feature = "native")]
    pub(crate) interpreted: u64,
}

impl StateSpace for Program {
    type Scratch = Scratch;

    fn words_per_state(&self) -> usize {
        self.layout.words
    }

    fn scratch(&self) -> Scratch {
        self.scratch_for(RecordShape::of(self))
    }

    fn scratch_with_choices(&self) -> Option<Scratch> {
        (self.max_choices > 0).then(|| self.scratch_for(RecordShape::of(self).with_choices(self.max_choices)))
    }

    fn initial<B>(&self, scratch: &mut Scratch, mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        let Scratch { search, target, listed, .. } = scratch;
        let machine = &mut search.post.machine;
        let blank = &self.init.blank;
        listed.reset(self.layout.words);
        machine.count = 0;
        self.init.guard.each(&self.code, blank, machine, |machine| {
            if machine.update(&self.code, self.init.update, blank, target)
                && self.keeps_invariants(machine, target)
                && let Met::Not { hash } = listed.find(target)
            {
                listed.insert(target, hash);
                sink(target)?;
            }
            ControlFlow::Continue(())
        })
    }

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Scratch, sink: K) -> ControlFlow<K::Break> {
        Walk { program: self, lister: self, memory: &mut scratch.search, sink }.steps(source)
    }

    fn labels(&self, state: &State, scratch: &mut Scratch) -> LabelSet {
        let machine = &mut scratch.search.post.machine;
        machine.count = self.code.pool.count(state);
        let holds = self.state_labels.iter().filter(|label| machine.holds(&self.code, label.condition, state));
        holds.map(|label| label.label).collect()
    }

    fn is_proper_end(&self, state: &State, scratch: &mut Scratch) -> bool {
        let machine = &mut scratch.search.post.machine;
        machine.count = self.code.pool.count(state);
        machine.holds(&self.code, self.proper_end, state)
    }

    fn passed(&self, scratch: &Scratch) -> Passed {
        let passed = self.actions.ids().zip(&scratch.search.passed);
        let actions = passed.filter(|(_, passed)| **passed).map(|(action, _)| action).collect();
        Passed { actions, cuts: scratch.search.cuts.clone() }
    }
}

impl StepsByProcess for Program {
    fn steps_by<K: Sink>(
        &self,
        source: &State,
        actor: Position,
        scratch: &mut Scratch,
        sink: K,
    ) -> ControlFlow<K::Break> {
        Walk { program: self, lister: self, memory: &mut scratch.search, sink }.steps_by(source, actor)
    }
}

impl Program {
    /// Fresh working memory, for records of this shape.
    pub(crate) fn scratch_for(&self, shape: RecordShape) -> Scratch {
        Scratch {
            search: self.search(shape),
            target: vec![0; self.layout.words],
            listed: Seen::default(),
            #[cfg(feature = "native")]
            labels: vec![0; crate::native::label_words(self)],
            #[cfg(feature = "native")]
            interpreted: 0,
        }
    }

    /// The code of every action, for people who look for a mistake in it.
    pub fn disassemble(&self) -> String {
        let mut text = String::new();
        let mut piece = |name: &str, entry| {
            let _ = write!(text, "  {name}:\n{}", self.code.disassemble(entry));
        };
        for (id, action) in self.actions.entries() {
            let name = |part: &str| format!("action {} {part}", id.index());
            if let Some(entry) = action.guard.before {
                piece(&name("guard"), entry);
            }
            for (number, settle) in action.guard.choices.iter().enumerate() {
                if let Some(entry) = settle.only {
                    piece(&name(&format!("choice {number} is")), entry);
                }
                if let Some(entry) = settle.check {
                    piece(&name(&format!("choice {number} check")), entry);
                }
            }
            if let Rank::Code(entry) = action.rank {
                piece(&name("rank"), entry);
            }
            for trap in action.guard_traps.iter().chain(&action.effect_traps) {
                piece(&name(&format!("trap {}", trap.number)), trap.condition);
            }
            piece(&name("update"), action.update);
        }
        text
    }
}
