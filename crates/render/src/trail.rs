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

use crate::WriteLimit;
use lariat_engine::{Story, TakenAction};
use lariat_system::System;
use std::fmt;

/// What stands before the loop of a run that goes on for ever.
const LOOP: &str = "-1:-1:-1\n";
/// A line that tells of no step, as SPIN's trails have one: a file without any line would not be known for a trail.
const NO_STEPS: &str = "-4:-4:-4\n";

/// The trail of a replayed run of `system`, which must come from a Promela model. Written with
/// [`Display`](fmt::Display).
#[derive(Debug)]
pub struct TrailText<'a> {
    /// The system.
    pub system: &'a System,
    /// The run.
    pub story: &'a Story,
    /// When to stop writing, if ever.
    pub limit: Option<&'a WriteLimit<'a>>,
}

impl fmt::Display for TrailText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, story, limit } = *self;
        let loop_start = story.cycle.as_ref().map(|cycle| cycle.start);
        let not_taken = story.stops_before_last(system);
        let (mut depth, mut written) = (0, 0);
        for step in 0..story.step_count() {
            if loop_start == Some(step) {
                f.write_str(LOOP)?;
            }
            for TakenAction { by, .. } in story.actions_of(step) {
                if limit.is_some_and(|limit| limit.met(written).is_some()) {
                    return if depth == 0 { f.write_str(NO_STEPS) } else { Ok(()) };
                }
                written += 1;
                let statements = &system.actions[by.action].trail;
                for (pid, statement) in by.participants().zip(statements) {
                    if not_taken && written == story.actions().len() {
                        continue;
                    }
                    depth += 1;
                    writeln!(f, "{depth}:{pid}:{statement}")?;
                }
            }
        }
        if depth == 0 && loop_start.is_none() { f.write_str(NO_STEPS) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_engine::{Event, Loop};
    use lariat_system::reference::{Firing, Scope, Valuation};
    use lariat_system::{Action, ActionId, AfterTrap, Expr, Fault, Trap, TrapKind, TrapTime};
    use std::sync::Arc;

    fn system() -> System {
        let mut system = System::empty("trails");
        for (name, trail) in [("x = 1", vec![7]), ("c!1", vec![8, 20]), ("inside a d_step", vec![])] {
            let mut action = Action::new(name, Vec::new());
            action.trail = trail;
            let (time, kind, after) = (TrapTime::Guard, TrapKind::Division, AfterTrap::Stops);
            let span = lariat_base::Span::NONE;
            action.traps.push(Trap { time, condition: Expr::FALSE, kind, after, span });
            action.traps.push(Trap { time: TrapTime::Effect, ..action.traps[0].clone() });
            system.actions.push(action);
        }
        system
    }

    /// The trail of the actions of these steps.
    fn trail(steps: &[&[u32]], loop_start: Option<usize>, fault: Option<u16>) -> String {
        let system = system();
        let state = Arc::new(Valuation::blank(&system));
        let event = |&action: &u32| {
            let action = ActionId(action);
            let firing = Firing { action, scope: Scope { positions: vec![1, 2], choices: Vec::new() } };
            let faults = fault.map(|number| Fault::Trap(action, number)).into_iter().collect();
            let after = fault.is_none().then(|| state.clone());
            Event { firing, before: state.clone(), after, faults }
        };
        let mut story = Story::new(state.clone());
        for actions in steps {
            actions.iter().for_each(|action| story.push_event(&system, &event(action)));
            story.end_step();
        }
        story.cycle = loop_start.map(|start| Loop { start, fairness: Vec::new(), unfair: Vec::new() });
        TrailText { system: &system, story: &story, limit: None }.to_string()
    }

    #[test]
    fn a_line_for_each_participant_and_none_inside_a_d_step() {
        assert_eq!(trail(&[&[0], &[1, 2, 0]], None, None), "1:1:7\n2:1:8\n3:2:20\n4:1:7\n");
        assert_eq!(trail(&[], None, None), "-4:-4:-4\n");
    }

    #[test]
    fn loops_are_announced_also_where_nothing_happens() {
        assert_eq!(trail(&[&[0], &[0], &[1]], Some(1), None), "1:1:7\n-1:-1:-1\n2:1:7\n3:1:8\n4:2:20\n");
        assert_eq!(trail(&[&[0]], Some(0), None), "-1:-1:-1\n1:1:7\n");
        assert_eq!(trail(&[&[0], &[]], Some(1), None), "1:1:7\n-1:-1:-1\n");
    }

    #[test]
    fn an_error_in_a_guard_has_no_line() {
        assert_eq!([trail(&[&[0]], None, Some(0)), trail(&[&[0]], None, Some(1))], ["-4:-4:-4\n", "1:1:7\n"]);
    }
}
