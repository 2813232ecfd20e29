//! How a system is run: the one place where that is chosen.

use crate::{CompileError, Program};
use lariat_space::{Ample, AnySpace, Reduced, StateSpace, StepsByProcess};
use lariat_system::System;

/// A way of running systems. All of them list the same steps in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Interpreted, everywhere.
    Bytecode,
    /// Machine code made in the process.
    Native,
    /// Interpreted, and later, if there is enough to do, machine code.
    Tiered,
}

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 3] = [Self::Bytecode, Self::Native, Self::Tiered];
}

/// Code that is generic over the state space: [`with_program`] calls it with the one it has made.
pub trait SpaceVisitor {
    /// The result.
    type Output;

    /// Runs on `space`. `backend` is the one that was chosen.
    fn visit<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output;
}

/// Compiles `system`, which must be valid, for the wanted backend, and uses it: all of its steps, or what a reduction leaves
/// of them. Where there is no native code, because this
/// library was built without it or the machine is not one it is made for, the bytecode does the same: behind a pointer, which
/// costs little beside interpreting.
pub fn with_program<U: SpaceVisitor>(
    system: &System,
    wanted: Backend,
    reduction: Option<&Ample>,
    what: U,
) -> Result<U::Output, CompileError> {
    with_compiled(Program::compile(system)?, system, wanted, reduction, what)
}

/// The same, and the space notes cuts: see [`Passed::cuts`](lariat_space::Passed).
pub fn with_program_noting_cuts<U: SpaceVisitor>(
    system: &System,
    wanted: Backend,
    reduction: Option<&Ample>,
    what: U,
) -> Result<U::Output, CompileError> {
    with_compiled(Program::compile_noting_cuts(system)?, system, wanted, reduction, what)
}

fn with_compiled<U: SpaceVisitor>(
    program: Program,
    system: &System,
    wanted: Backend,
    reduction: Option<&Ample>,
    what: U,
) -> Result<U::Output, CompileError> {
    Ok(match wanted {
        Backend::Bytecode => interpreted(&program, reduction, what),
        Backend::Native | Backend::Tiered => natively(program, system, wanted, reduction, what),
    })
}

/// Why `system`, which must be valid, cannot be run as native code, if that is known before it is compiled.
#[cfg(feature = "native")]
pub fn native_obstacle(system: &System) -> Option<String> {
    crate::NativeProgram::ensure_possible(system).err().map(|error| error.reason)
}

/// Why `system` cannot be run as native code.
#[cfg(not(feature = "native"))]
pub fn native_obstacle(_: &System) -> Option<String> {
    Some("this program was built without native code".to_owned())
}

fn interpreted<U: SpaceVisitor>(program: &Program, reduction: Option<&Ample>, what: U) -> U::Output {
    match reduction {
        None => what.visit(&AnySpace::new(program), Backend::Bytecode),
        Some(ample) => reduced(program, ample, Backend::Bytecode, what),
    }
}

/// What is left after a reduction goes by a pointer, which costs little beside finding out what can be left out.
fn reduced<S: StepsByProcess, U: SpaceVisitor>(space: &S, ample: &Ample, backend: Backend, what: U) -> U::Output {
    what.visit(&AnySpace::new(&Reduced::new(space, ample)), backend)
}

#[cfg(feature = "native")]
fn natively<U: SpaceVisitor>(
    program: Program,
    system: &System,
    wanted: Backend,
    reduction: Option<&Ample>,
    what: U,
) -> U::Output {
    let made = match wanted {
        Backend::Tiered => Ok(crate::Tiered::new(program, system)),
        _ => crate::Tiered::at_once(program, system),
    };
    match (made, reduction) {
        #[cfg(not(debug_assertions))]
        (Ok(tiered), None) => what.visit(&tiered, wanted),
        // A development build has each search once, for a space behind a pointer: to compile it a second time takes longer than
        // all the calls in tests.
        #[cfg(debug_assertions)]
        (Ok(tiered), None) => what.visit(&AnySpace::new(&tiered), wanted),
        (Ok(tiered), Some(ample)) => reduced(&tiered, ample, wanted, what),
        (Err(program), _) => interpreted(&program, reduction, what),
    }
}

#[cfg(not(feature = "native"))]
fn natively<U: SpaceVisitor>(
    program: Program,
    _: &System,
    _: Backend,
    reduction: Option<&Ample>,
    what: U,
) -> U::Output {
    interpreted(&program, reduction, what)
}
