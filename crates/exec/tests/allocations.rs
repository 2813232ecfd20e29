//! No step allocates once the scratch has grown to what the system needs.

#![expect(unsafe_code, reason = "an allocator that counts is an allocator")]

mod reading;

use lariat_exec::{Backend, SpaceVisitor, with_program};
use lariat_space::{Outcome, StateSpace, each};
use lariat_testkit::{Knobs, RandomSystem};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;

/// The allocator of the system, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the allocator of the system unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Lists the steps of the first states twice, and counts what the second time allocates.
struct Twice;

impl SpaceVisitor for Twice {
    type Output = (usize, u64);

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Self::Output {
        let mut scratch = space.scratch();
        let mut states: Vec<Vec<u64>> = Vec::new();
        let _ = space.initial(&mut scratch, |state| {
            states.push(state.to_vec());
            ControlFlow::<()>::Continue(())
        });
        let mut at = 0;
        while at < states.len() && states.len() < 300 {
            let source = states[at].clone();
            at += 1;
            let _ = space.steps(
                &source,
                &mut scratch,
                each(|step| {
                    if let Outcome::State(target) = step.target
                        && states.len() < 300
                        && !states.iter().any(|state| state == target)
                    {
                        states.push(target.to_vec());
                    }
                    ControlFlow::<()>::Continue(())
                }),
            );
        }
        let mut steps = 0;
        let mut list = || {
            for state in &states {
                // States with millions of paths are left out: they would be followed for minutes.
                let mut listed = 0;
                let _ = space.steps(
                    state,
                    &mut scratch,
                    each(|_| {
                        (steps, listed) = (steps + 1, listed + 1);
                        if listed < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                    }),
                );
            }
        };
        list();
        let before = ALLOCATIONS.get();
        list();
        (steps, ALLOCATIONS.get() - before)
    }
}

#[test]
fn no_step_allocates_once_warm() {
    let mut systems: Vec<lariat_system::System> = Vec::new();
    systems.extend((0..20).map(|seed| RandomSystem::generate(seed, &Knobs::default())));
    systems.extend(reading::models("models").iter().filter_map(|path| reading::system(path)));
    let mut all = 0;
    for system in &systems {
        for backend in Backend::ALL {
            let (steps, allocations) = with_program(system, backend, None, Twice).expect("it compiles");
            assert_eq!(allocations, 0, "{} with {backend:?}, {steps} steps", system.name);
            all += steps;
        }
    }
    assert!(all > 1000, "only {all} steps were listed");
}
