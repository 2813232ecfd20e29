//! How the program ends.

use crate::output;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Deep expressions are walked by recursion. Only what is used of it is ever taken from the machine.
const STACK_BYTES: usize = 256 << 20;

/// Why the program ends. Of several reasons the greatest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    /// Everything asked for holds or is a number, or there was nothing to check.
    Holds,
    /// Something is undecided.
    Undecided,
    /// Something fails.
    Fails,
    /// A usage or model error.
    Usage,
    /// An internal error.
    Bug,
}

impl Exit {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Fails => 1,
            Self::Usage => 2,
            Self::Undecided => 3,
            Self::Bug => 70,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Runs the program. A panic, on this thread or any other, is reported in one message; on this thread it ends the
/// program as [`Exit::Bug`].
pub(crate) fn guard(run: impl FnOnce() -> Exit) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
        output::complain_of_bug(&format!("{message}{}", place.unwrap_or_default()));
    }));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Bug).into()
}

/// Starts a thread with a stack for deep expressions. The program ends if the system gives none.
pub(crate) fn start<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    builder(name).spawn(work).unwrap_or_else(|error| no_thread(&error))
}

/// The same, for work that borrows.
pub(crate) fn start_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    builder(name).spawn_scoped(scope, work).unwrap_or_else(|error| no_thread(&error))
}

fn builder(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(STACK_BYTES)
}

fn no_thread(error: &std::io::Error) -> ! {
    let room = STACK_BYTES >> 20;
    output::complain(&format!(
        "the system gave no thread with a stack of {room} MiB: {error}; a limit on memory, as of `ulimit -v`, may be too low"
    ));
    std::process::exit(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_bug() {
        let code = |exit: ExitCode| format!("{exit:?}");
        assert_eq!(code(guard(|| panic!("on purpose"))), code(ExitCode::from(70)));
        assert_eq!(code(guard(|| Exit::Undecided)), code(ExitCode::from(3)));
    }

    #[test]
    fn precedence_is_bug_usage_fails_undecided() {
        let mut all = [Exit::Holds, Exit::Fails, Exit::Usage, Exit::Undecided, Exit::Bug];
        all.sort_unstable();
        assert_eq!(all, [Exit::Holds, Exit::Undecided, Exit::Fails, Exit::Usage, Exit::Bug]);
    }
}
