//! Bytecode first, machine code when it pays.
//!
//! To make machine code takes as long as interpreting some hundred thousand firings: most models of a textbook have fewer. So
//! a search begins with bytecode, what it lists is counted, and when that was as much work as making machine code is, one
//! thread makes it while the others go on. So at most twice as much is spent as with the better of the two. Both list the same
//! steps in the same order. The bytecode lists its steps by a pointer, which costs little beside interpreting: searches are
//! compiled for machine code alone.

use crate::compile::Program;
use crate::native::{KeyedProgram, NativeProgram};
use crate::path::Walk;
use crate::program::Scratch;
use crate::records::RecordShape;
use lariat_space::{KeyedSpace, Keys, LabelSet, Passed, Sink, State, StateSpace, StepsByProcess, list_by_pointer};
use lariat_system::{Position, System};
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Making machine code takes as long as interpreting so many firings for each instruction of the bytecode.
const FIRINGS_PER_INSTRUCTION: u64 = 150;
/// No fewer than this. Few in tests, that machine code be met there.
const FEWEST_FIRINGS: u64 = if cfg!(debug_assertions) { 300 } else { 20_000 };
/// A thread counts so many for itself before it tells the others.
const COUNTED_ALONE: u64 = if cfg!(debug_assertions) { 16 } else { 1024 };

/// How many times as long machine code for states waits where code for keys is expected.
const KEYED_PATIENCE: u64 = 2;

/// A system that is interpreted first and runs as machine code later.
#[derive(Debug)]
pub struct Tiered<'s> {
    program: Program,
    system: &'s System,
    /// Machine code, once it was tried to make some.
    native: OnceLock<Option<NativeProgram>>,
    is_made: AtomicBool,
    /// How many firings were interpreted.
    interpreted: AtomicU64,
    /// Whether there was machine code from the beginning.
    was_made_at_once: bool,
    /// Whether machine code for keys is to be made in place of that for states, which waits.
    will_be_keyed: AtomicBool,
}

impl<'s> Tiered<'s> {
    /// The program of `system`.
    pub fn new(program: Program, system: &'s System) -> Self {
        Self {
            program,
            system,
            native: OnceLock::new(),
            is_made: AtomicBool::new(false),
            interpreted: AtomicU64::new(0),
            was_made_at_once: false,
            will_be_keyed: AtomicBool::new(false),
        }
    }
    /// As if almost enough had been interpreted to make machine code, for tests of the change.
    #[doc(hidden)]
    #[must_use]
    pub fn about_to_change(self) -> Self {
        self.interpreted.store(self.worthwhile() - 2 * COUNTED_ALONE, Ordering::Relaxed);
        self
    }
    /// Keys of one kind, for tests.
    #[doc(hidden)]
    pub fn keys_of_kind<'p>(&'p self, kind: usize, states: &[u64]) -> Option<Box<dyn KeyedSpace<'p> + 'p>> {
        Some(Box::new(KeyedProgram::of_kind(&self.program, self.system, states, kind)?))
    }
    /// Whether there is machine code by now.
    pub fn is_native(&self) -> bool {
        self.native().is_some()
    }
    /// The same as machine code from the beginning; gives the program back if there is none for this machine.
    pub fn at_once(program: Program, system: &'s System) -> Result<Self, Box<Program>> {
        let tiered = Self { was_made_at_once: true, ..Self::new(program, system) };
        tiered.make_native();
        match tiered.native.get() {
            Some(Some(_)) => Ok(tiered),
            _ => Err(Box::new(tiered.program)),
        }
    }

    /// Machine code, if there is some.
    #[inline(always)]
    fn native(&self) -> Option<&NativeProgram> {
        self.native.get()?.as_ref()
    }

    /// Machine code, if there is some and records are as it writes them: it does not write the values of choices.
    #[inline(always)]
    fn native_for(&self, scratch: &Scratch) -> Option<&NativeProgram> {
        self.native().filter(|_| !scratch.search.records.shape.has_choices())
    }

    /// After so many firings machine code is made.
    fn worthwhile(&self) -> u64 {
        FEWEST_FIRINGS.max(FIRINGS_PER_INSTRUCTION * self.program.code.ops.len() as u64)
    }

    /// Counts what was interpreted in one call.
    fn count(&self, scratch: &mut Scratch) {
        let records = &scratch.search.records;
        scratch.interpreted += 1 + (records.end / records.shape.width) as u64 + scratch.search.followed;
        if scratch.interpreted >= COUNTED_ALONE {
            let more = std::mem::take(&mut scratch.interpreted);
            let all = self.interpreted.fetch_add(more, Ordering::Relaxed) + more;
            let patience = if self.will_be_keyed.load(Ordering::Relaxed) { KEYED_PATIENCE } else { 1 };
            if all >= patience * self.worthwhile() {
                self.make_native();
            }
        }
    }

    /// Makes machine code, unless another thread does.
    #[cold]
    fn make_native(&self) {
        if !self.is_made.swap(true, Ordering::Relaxed) {
            let made = NativeProgram::of(self.program.clone(), self.system).ok();
            self.native.set(made).expect("one thread makes it");
        }
    }
}

impl StateSpace for Tiered<'_> {
    type Scratch = Scratch;

    fn words_per_state(&self) -> usize {
        self.program.words_per_state()
    }

    fn scratch(&self) -> Scratch {
        self.program.scratch_for(RecordShape::of(&self.program).with_hops())
    }

    fn scratch_with_choices(&self) -> Option<Scratch> {
        self.program.scratch_with_choices()
    }

    fn initial<B>(&self, scratch: &mut Scratch, sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        self.program.initial(scratch, sink)
    }

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Scratch, sink: K) -> ControlFlow<K::Break> {
        if let Some(native) = self.native_for(scratch) {
            return native.steps(source, scratch, sink);
        }
        list_by_pointer(sink, |sink| {
            let memory = &mut scratch.search;
            let listed = Walk { program: &self.program, lister: &self.program, memory, sink }.steps(source);
            self.count(scratch);
            listed
        })
    }

    fn labels(&self, state: &State, scratch: &mut Scratch) -> LabelSet {
        match self.native() {
            Some(native) => native.labels(state, scratch),
            None => self.program.labels(state, scratch),
        }
    }

    fn is_proper_end(&self, state: &State, scratch: &mut Scratch) -> bool {
        self.program.is_proper_end(state, scratch)
    }

    fn passed(&self, scratch: &Scratch) -> Passed {
        self.program.passed(scratch)
    }

    fn will_be_keyed(&self) -> bool {
        let will = KeyedProgram::is_possible(&self.program);
        self.will_be_keyed.store(will, Ordering::Relaxed);
        will
    }

    fn keyed<'p>(&'p self, steps: u64, at_once: bool, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        // Where machine code for states was made at the beginning, code for keys is a second compilation: it needs a larger graph.
        if !at_once && (self.was_made_at_once || steps < self.worthwhile() / 2) {
            return Keys::Later;
        }
        let keyed = KeyedProgram::learned(&self.program, self.system, &states(), at_once);
        if !matches!(keyed, Keys::Later) {
            self.will_be_keyed.store(false, Ordering::Relaxed);
        }
        keyed
    }
}

impl StepsByProcess for Tiered<'_> {
    fn steps_by<K: Sink>(
        &self,
        source: &State,
        actor: Position,
        scratch: &mut Scratch,
        sink: K,
    ) -> ControlFlow<K::Break> {
        if let Some(native) = self.native_for(scratch) {
            return native.steps_by(source, actor, scratch, sink);
        }
        list_by_pointer(sink, |sink| {
            let memory = &mut scratch.search;
            let listed = Walk { program: &self.program, lister: &self.program, memory, sink }.steps_by(source, actor);
            self.count(scratch);
            listed
        })
    }
}
