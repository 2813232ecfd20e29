//! Finding the run of a model that somebody wrote down.

use crate::check::next_pool_size;
use crate::{CheckError, Model};
use lariat_base::{Diagnostic, Span};
use lariat_engine::retell::{Account, Claim, Lost, Retold, retell as retell_in};
use lariat_system::{MAX_POOL_SIZE, System};

/// Traces are read from files no longer than this.
const MAX_TRACE_BYTES: u64 = 64 << 20;

/// What became of an account.
#[derive(Debug)]
pub struct Retelling {
    /// The system that was run.
    pub system: System,
    /// The run, or how far there is one.
    pub told: Result<Retold, Box<Lost>>,
}

/// What can be told of a run of any system that a model is.
pub trait Told {
    /// How the run is said to end.
    fn claim(&self) -> Claim;
    /// What is told of a run of `system`.
    fn account<'a>(&'a self, system: &'a System) -> Box<dyn Account + 'a>;
}

/// Looks for a run of the model that fits what is told and ends as claimed. The pool of processes grows where the run needs
/// more room.
pub fn retell(model: &Model, told: &dyn Told) -> Result<Retelling, CheckError> {
    let claim = told.claim();
    let mut pool_size = model.first_pool_size()?;
    loop {
        let system = model.system(pool_size).map_err(CheckError::Model)?;
        let may_grow = !model.has_fixed_pool() && pool_size < MAX_POOL_SIZE;
        let told = {
            let account = told.account(&system);
            retell_in(&system, &*account, &claim, may_grow)
                .map_err(|error| CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0004", error.to_string())]))?
        };
        match &told {
            Err(lost) if lost.pool_was_full => pool_size = next_pool_size(pool_size),
            _ => return Ok(Retelling { system, told }),
        }
    }
}

/// The text of a file that may be a trace.
pub fn read_trace(path: &std::path::Path) -> Result<String, Diagnostic> {
    crate::read::read_text_of(path, MAX_TRACE_BYTES, "traces")
}
