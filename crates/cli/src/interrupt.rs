//! What signals do to a run.

use lariat::RunControl;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The exit code of a program that an interrupt ended at once.
const INTERRUPTED: i32 = 130;
/// The exit code of a program that was terminated at once.
const TERMINATED: i32 = 143;

/// The first interrupt ends the search of the property at hand, the second the run; the answers so far are printed. The third
/// ends the program. Termination and a terminal that went away end the run, and the program the second time.
pub(crate) fn listen(control: &Arc<RunControl>) {
    let its_control = Arc::clone(control);
    let count = AtomicU32::new(0);
    // Without a handler an interrupt ends the program, which is what interrupts do.
    let _ = ctrlc::set_handler(move || match count.fetch_add(1, Ordering::Relaxed) {
        0 => its_control.cancel(),
        1 => its_control.end(),
        _ => std::process::exit(INTERRUPTED),
    });
    for signal in ENDING {
        // In this order, so that the first signal does not yet find what it sets.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, TERMINATED, Arc::clone(control.ended()));
        let _ = signal_hook::flag::register(signal, Arc::clone(control.ended()));
    }
}

/// A file that would become larger than the shell's limit (`ulimit -f`) is an error of its writer, which says so, and no signal
/// that ends the program without a word.
#[cfg(unix)]
pub(crate) fn survive_file_size_limit() {
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}
#[cfg(not(unix))]
pub(crate) fn survive_file_size_limit() {}

#[cfg(unix)]
const ENDING: [i32; 2] = [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDING: [i32; 1] = [signal_hook::consts::SIGTERM];
