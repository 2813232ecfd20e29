//! How a system is run: the one place where that is chosen.

use crate::{CompileError, Program};
use lariat_space::{AnySpace, StateSpace};
use lariat_system::System;

/// A way of running systems. All of them list the same steps in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Interpreted, everywhere.
    Bytecode,
    /// Machine code made in the process.
    Native,
}

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 2] = [Self::Bytecode, Self::Native];
}

/// What is to be done with a state space, whichever it is.
pub trait Use {
    /// What comes of it.
    type Output;

    /// Does it. `backend` is the one that was taken in the end.
    fn of<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output;
}

/// Compiles `system`, which must be valid, for the wanted backend, and uses it. Where there is no native code, because this
/// library was built without it or the machine is not one it is made for, the bytecode does the same: behind a pointer, which
/// costs little beside interpreting.
pub fn with_program<U: Use>(system: &System, wanted: Backend, what: U) -> Result<U::Output, CompileError> {
    let program = Program::compile(system)?;
    match wanted {
        Backend::Bytecode => Ok(what.of(&AnySpace::new(&program), Backend::Bytecode)),
        Backend::Native => Ok(natively(program, system, what)),
    }
}

#[cfg(feature = "native")]
fn natively<U: Use>(program: Program, system: &System, what: U) -> U::Output {
    match crate::NativeProgram::of(program, system) {
        Ok(native) => what.of(&native, Backend::Native),
        Err((program, _)) => what.of(&AnySpace::new(&*program), Backend::Bytecode),
    }
}

#[cfg(not(feature = "native"))]
fn natively<U: Use>(program: Program, _: &System, what: U) -> U::Output {
    what.of(&AnySpace::new(&program), Backend::Bytecode)
}
