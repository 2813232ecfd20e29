//! Runs as SPIN's trails, for `spin -t`.
//!
//! A trail is a line `depth:process:statement` for each step, the processes by pid and the statements by the numbers
//! that SPIN gives them, which the actions carry. Of a rendezvous the sender has a line and then the receiver; a `d_step`
//! has one line; the death of a process has one too, or SPIN would give pids anew that are still in use. A run that goes
//! on for ever has a line of its own before its loop. A run that ends in an error of a guard ends where control stands
//! before it: SPIN would not replay a statement that cannot be taken.
//!
//! A trail can also name the steps of a claim. We leave them out, together with the line that would announce the claim
//! and shift all pids by one: SPIN replays the system without.

use lariat_engine::{Event, Evidence, Story};
use lariat_system::{Fault, System, TrapTime};
use std::fmt::Write;

/// What stands before the loop of a run that goes on for ever.
const LOOP: &str = "-1:-1:-1\n";

/// The trail of a replayed run of `system`, which must come from a Promela model.
pub fn trail_text(system: &System, evidence: &Evidence, story: &Story) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for (number, step) in story.steps.iter().enumerate() {
        if evidence.trace.loop_start == Some(number) {
            text.push_str(LOOP);
        }
        for event in step.events.iter().filter(|event| !stands_before(system, event)) {
            let statements = &system.actions[event.firing.action].trail;
            for (pid, statement) in event.firing.scope.positions.iter().zip(statements) {
                depth += 1;
                let _ = writeln!(text, "{depth}:{pid}:{statement}");
            }
        }
    }
    text
}

/// Whether the action was not taken, because of an error in its guard.
fn stands_before(system: &System, event: &Event) -> bool {
    let of_guard = |fault: &Fault| match *fault {
        Fault::Trap(action, number) => system.actions[action].traps[usize::from(number)].time == TrapTime::Guard,
        Fault::PoolFull(_) | Fault::EndlessAtomic(_) => false,
    };
    event.after.is_none() && event.faults.iter().any(of_guard)
}
