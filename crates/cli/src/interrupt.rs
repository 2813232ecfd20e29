//! What signals do to a run.

use lariat::RunControl;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The exit code of a program that an interrupt ended at once.
const INTERRUPTED: i32 = 130;
/// The exit code of a program that was terminated at once.
const TERMINATED: i32 = 143;

/// Interrupts of a program that checks several models: they mean the one at hand, and that none follows.
#[derive(Clone, Debug)]
pub(crate) struct Interrupts {
    current: Arc<Mutex<Option<Arc<RunControl>>>>,
    /// How many there were.
    count: Arc<AtomicU32>,
}

impl Interrupts {
    /// Listens from now on.
    pub(crate) fn listen() -> Self {
        let interrupts = Self { current: Arc::default(), count: Arc::default() };
        let its = interrupts.clone();
        // Without a handler an interrupt ends the program, which is what interrupts do.
        let _ = ctrlc::set_handler(move || {
            let count = its.count.fetch_add(1, Ordering::SeqCst);
            let current = its.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match (count, current) {
                (0, Some(control)) => control.cancel(),
                (1, Some(control)) => control.end(),
                _ => std::process::exit(INTERRUPTED),
            }
        });
        interrupts
    }
    /// From now on this run is the one at hand. An interrupt that came while none was means it, too.
    pub(crate) fn tell(&self, control: &Arc<RunControl>) {
        let before = self.current.lock().unwrap_or_else(PoisonError::into_inner).replace(Arc::clone(control));
        end_by_signals(control);
        // Interrupts are counted before they look for the run at hand: one that did not find this run is seen here. A signal that came
        // before this run was registered has ended the run before.
        if self.count.load(Ordering::SeqCst) > 0 {
            control.cancel();
        }
        if before.is_some_and(|before| before.is_ended()) {
            control.end();
        }
    }
    /// Whether there were some, or the program is to end.
    pub(crate) fn any(&self) -> bool {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        self.count.load(Ordering::Relaxed) > 0 || current.as_ref().is_some_and(|control| control.is_ended())
    }
}

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
    end_by_signals(control);
}

/// Termination and a terminal that went away end the run, and the program the second time.
fn end_by_signals(control: &Arc<RunControl>) {
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

/// The signals that end a run.
#[cfg(unix)]
pub(crate) const ENDING: [i32; 2] = [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
pub(crate) const ENDING: [i32; 1] = [signal_hook::consts::SIGTERM];
