//! Native code: the bytecode of a program, translated to machine code by Cranelift, in the process.
//!
//! There is one function for each frame, or for each position of a frame that has few (`spread`), and one that calls them
//! all (`module`). A function dispatches on the control slot (`actions`) and, for each action of that stop, runs the pieces
//! of bytecode (`piece`, `arithmetic`, `fields`, `pool`, `update`), now machine code, and writes a record for each firing
//! (`firing`). Atomic sequences that never branch are followed on the spot (`chains`). It calls nobody else and nothing in
//! it can unwind; `call` is the one place with `unsafe`.
//!
//! One more function (`labels`) says which labels a state has.
//!
//! Everything else is that of the bytecode: ranks, atomic sequences and reports work on the same records, and what is not
//! asked for every state (initial states, proper ends) is interpreted.

mod actions;
mod arithmetic;
mod call;
mod chains;
mod control;
mod fields;
mod firing;
mod following;
mod grouping;
mod keyed;
mod labels;
mod module;
mod packing;
mod piece;
mod pool;
mod ranges;
mod spread;
mod update;
mod writer;

pub(crate) use keyed::KeyedProgram;
pub(crate) use labels::words_of as label_words;
pub use module::NativeError;
pub use spread::Spread;

use crate::compile::{CompileError, Program};
use crate::path::Walk;
use crate::program::Scratch;
use crate::records::{RecordShape, Records};
use crate::walk::{Lister, Post};
use call::{Function, LabelFunction};
use lariat_space::{LabelSet, Passed, Sink, State, StateSpace, StepsByProcess};
use lariat_system::{FrameId, Layout, Position, System};
use module::Made;
use std::fmt;
use std::ops::ControlFlow;

/// A system that runs as machine code. It is a [`StateSpace`], and lists what [`Program`] lists, in the same order.
pub struct NativeProgram {
    program: Program,
    functions: call::Functions,
    all: Function,
    /// By position, then by frame.
    one: Vec<Option<Function>>,
    /// None if states have no labels.
    labels: Option<LabelFunction>,
}

impl fmt::Debug for NativeProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeProgram").field("program", &self.program).finish_non_exhaustive()
    }
}

impl NativeProgram {
    /// Compiles `system`, which must be valid.
    pub fn compile(system: &System) -> Result<Result<Self, NativeError>, CompileError> {
        Ok(Self::of(Program::compile(system)?, system).map_err(|(_, error)| error))
    }
    /// An error if this machine or the size of `system`, which must be valid, rules native code out.
    pub fn ensure_possible(system: &System) -> Result<(), NativeError> {
        module::ensure_machine()?;
        // What cannot be compiled at all is reported by whoever compiles it.
        Program::compile(system).map_or(Ok(()), |program| module::ensure_small(&program))
    }
    /// Native code for the program of `system`; gives the program back if there is none for this machine.
    pub fn of(program: Program, system: &System) -> Result<Self, (Box<Program>, NativeError)> {
        // Finding out where processes can be takes long in large programs too.
        if let Err(error) = module::ensure_small(&program) {
            return Err((Box::new(program), error));
        }
        let spread = Spread::new(&program, system);
        Self::spread(program, &spread)
    }
    /// The same, with functions cut in another way.
    #[doc(hidden)]
    pub fn spread(program: Program, spread: &Spread) -> Result<Self, (Box<Program>, NativeError)> {
        let Made { functions, all, one: by_place, labels } = match module::make(&program, spread, None) {
            Ok(made) => made,
            Err(error) => return Err((Box::new(program), error)),
        };
        let frames = program.layout.frames.len();
        let mut one = vec![None; frames * program.layout.positions];
        for ((frame, position), function) in by_place {
            one[position as usize * frames + frame.0 as usize] = Some(function);
        }
        Ok(Self { program, functions, all, one, labels })
    }
    /// How states are packed.
    pub fn layout(&self) -> &Layout {
        self.program.layout()
    }

    fn function_of(&self, state: &[u64], position: Position) -> Option<Function> {
        let kind = self.program.code.pool.kind_at(state, u32::from(position));
        let frame = FrameId(kind.checked_sub(1)?);
        self.one[usize::from(position) * self.program.layout.frames.len() + frame.0 as usize]
    }
}

impl Lister for NativeProgram {
    fn list(&self, state: &[u64], count: u32, actor: Option<Position>, _: &mut Post, records: &mut Records) {
        if self.program.common_rank.is_some_and(|rank| rank > records.least) {
            return;
        }
        let (function, position) = match actor {
            None => (Some(self.all), 0),
            Some(actor) if u32::from(actor) >= count => return,
            Some(actor) => (self.function_of(state, actor), u32::from(actor)),
        };
        if let Some(function) = function {
            self.functions.list(function, state, count, position, records);
        }
    }
}

impl StateSpace for NativeProgram {
    type Scratch = Scratch;

    fn words_per_state(&self) -> usize {
        self.program.words_per_state()
    }

    fn scratch(&self) -> Scratch {
        self.program.scratch_for(RecordShape::of(&self.program).with_hops())
    }

    fn initial<B>(&self, scratch: &mut Scratch, sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        self.program.initial(scratch, sink)
    }

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Scratch, sink: K) -> ControlFlow<K::Break> {
        Walk { program: &self.program, lister: self, memory: &mut scratch.search, sink }.steps(source)
    }

    fn labels(&self, state: &State, scratch: &mut Scratch) -> LabelSet {
        let Some(function) = self.labels else { return LabelSet::EMPTY };
        let words = &mut scratch.labels;
        self.functions.label(function, state, self.program.code.pool.count(state), words);
        match words[..] {
            [word] => LabelSet::of_word(word),
            _ => labels::set_of(words),
        }
    }

    fn is_proper_end(&self, state: &State, scratch: &mut Scratch) -> bool {
        self.program.is_proper_end(state, scratch)
    }

    fn passed(&self, scratch: &Scratch) -> Passed {
        self.program.passed(scratch)
    }
}

impl StepsByProcess for NativeProgram {
    fn steps_by<K: Sink>(
        &self,
        source: &State,
        actor: Position,
        scratch: &mut Scratch,
        sink: K,
    ) -> ControlFlow<K::Break> {
        Walk { program: &self.program, lister: self, memory: &mut scratch.search, sink }.steps_by(source, actor)
    }
}
