//! Work that can be stopped before it has a result.
//!
//! Texts are read, models lowered and formulas translated by many small functions, none of which can do anything about a time
//! limit. So they do not return it: they call [`safe_point`] often, and where [`stoppable`] was told to stop, the work is
//! unwound and dropped. Nothing but the work of that thread is concerned, and what it was working on must not be used after.
//! Searches look at their limits themselves.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// So many safe points are passed between two looks at the clock.
const PASSED: u32 = 256;
/// The watch is asked so often.
const INTERVAL: Duration = Duration::from_millis(5);

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(PASSED) };
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

#[derive(Clone)]
struct Watch {
    goes_on: Rc<dyn Fn() -> bool>,
    asked: Instant,
}

/// What unwinding work carries.
struct Stopped;

/// Does `work`, unless `watch` says that it is to stop: asked now, and then at safe points, every few milliseconds.
pub fn stoppable<T, E: 'static>(watch: impl Fn() -> Result<(), E> + 'static, work: impl FnOnce() -> T) -> Result<T, E> {
    watch()?;
    let reason = Rc::new(RefCell::new(None));
    let its_reason = Rc::clone(&reason);
    let goes_on = Rc::new(move || match watch() {
        Ok(()) => true,
        Err(error) => {
            *its_reason.borrow_mut() = Some(error);
            false
        }
    });
    let outer = WATCH.replace(Some(Watch { goes_on, asked: Instant::now() }));
    let done = catch_unwind(AssertUnwindSafe(work));
    WATCH.set(outer);
    done.or_else(|panic: Box<dyn Any + Send>| match reason.take() {
        Some(reason) if panic.is::<Stopped>() => Err(reason),
        _ => resume_unwind(panic),
    })
}

/// Ends the work here if it is to stop. Costs next to nothing: to be called for every line, statement, term or state.
#[inline]
pub fn safe_point() {
    LEFT.with(|left| match left.get() {
        0 => look(left),
        more => left.set(more - 1),
    });
}

#[cold]
fn look(left: &Cell<u32>) {
    left.set(PASSED);
    let due = WATCH.with_borrow_mut(|watch| {
        let watch = watch.as_mut().filter(|watch| watch.asked.elapsed() >= INTERVAL)?;
        watch.asked = Instant::now();
        Some(Rc::clone(&watch.goes_on))
    });
    if due.is_some_and(|goes_on| !goes_on()) {
        resume_unwind(Box::new(Stopped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_for_ever() -> u64 {
        (0..u64::MAX).inspect(|_| safe_point()).max().unwrap_or_default()
    }

    #[test]
    fn work_stops_soon_after_it_is_told_to() {
        let began = Instant::now();
        let late = move || if began.elapsed() < Duration::from_millis(30) { Ok(()) } else { Err("late") };
        assert_eq!(stoppable(late, count_for_ever), Err("late"));
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_eq!(stoppable(late, || unreachable!("it is too late to begin")), Err::<(), _>("late"));
    }

    #[test]
    fn whoever_is_not_watched_goes_on() {
        assert_eq!(stoppable(|| Err::<(), _>("no"), || 1), Err("no"));
        assert_eq!(stoppable(|| Ok::<(), ()>(()), || (0..100_000).inspect(|_| safe_point()).count()), Ok(100_000));
        (0..100_000).for_each(|_| safe_point());
    }

    #[test]
    fn inner_work_stops_alone_and_other_panics_pass() {
        let began = Instant::now();
        let late = move || if began.elapsed() < Duration::from_millis(20) { Ok(()) } else { Err("late") };
        let outer = stoppable(|| Ok::<(), &str>(()), || stoppable(late, count_for_ever));
        assert_eq!(outer, Ok(Err("late")));
        let panic = catch_unwind(|| stoppable(|| Ok::<(), ()>(()), || resume_unwind(Box::new(7_u8))))
            .map(|_: Result<(), ()>| ());
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&7_u8));
    }
}
