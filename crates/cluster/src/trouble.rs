//! Why workers cannot go on: another one is lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The others are lost: [`Trouble`] says why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lost;

/// Shared by all workers of a process, and by the threads that watch its connections.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    is_lost: AtomicBool,
    why: Mutex<Option<String>>,
}

impl Trouble {
    /// From now on nothing goes on. The first reason is the one that is told.
    pub(crate) fn lose(&self, why: impl Into<String>) -> Lost {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.into());
        self.is_lost.store(true, Ordering::SeqCst);
        Lost
    }
    /// What was received cannot have been sent by a worker of this run.
    pub(crate) fn damaged(&self) -> Lost {
        self.lose("what another process sent was damaged")
    }
    /// An error if the others are lost.
    pub(crate) fn check(&self) -> Result<(), Lost> {
        if self.is_lost.load(Ordering::Relaxed) { Err(Lost) } else { Ok(()) }
    }
    /// Why they are, if they are.
    pub(crate) fn why(&self) -> Option<String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
