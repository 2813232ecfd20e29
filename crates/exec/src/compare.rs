//! Whether two state spaces are the same, state by state and step by step.

use lariat_space::{LabelSet, Move, Outcome, PlainSteps, Sink, State, StateSpace, Step, each};
use lariat_system::Fault;
use std::collections::HashSet;
use std::fmt::Debug;
use std::ops::ControlFlow;

/// A step that can be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Listed {
    target: Result<Vec<u64>, Fault>,
    marks: LabelSet,
    via: Vec<Move>,
}

/// Walks the states reachable in `a`, at most `limit` of them, and describes the first respect in which `b` differs:
/// initial states, steps with their marks and paths, faults, labels, proper ends, or the order of any of them. `None` if
/// there is no difference.
pub fn first_difference<A: StateSpace, B: StateSpace>(a: &A, b: &B, limit: usize) -> Option<String> {
    if a.words_per_state() != b.words_per_state() {
        return Some(format!("words per state: {} and {}", a.words_per_state(), b.words_per_state()));
    }
    let (mut in_a, mut in_b) = (a.scratch(), b.scratch());
    let initial = initial(a, &mut in_a);
    if let Some(found) = unequal("initial state", &initial, &self::initial(b, &mut in_b)) {
        return Some(found);
    }
    let mut known: HashSet<Vec<u64>> = initial.iter().cloned().collect();
    if known.len() < initial.len() {
        return Some("an initial state is listed twice".into());
    }
    let mut waiting = initial;
    let mut at = 0;
    while at < waiting.len().min(limit) {
        let state = waiting[at].clone();
        at += 1;
        let steps = steps(a, &state, &mut in_a);
        let found = unequal("step", &steps, &self::steps(b, &state, &mut in_b))
            .or_else(|| stop_early(b, &state, &mut in_b, steps.len()));
        if let Some(found) = found {
            return Some(format!("state {state:x?}: {found}"));
        }
        let (labels_a, labels_b) = (a.labels(&state, &mut in_a), b.labels(&state, &mut in_b));
        if labels_a != labels_b {
            return Some(format!("state {state:x?}: labels {labels_a:?} and {labels_b:?}"));
        }
        let (end_a, end_b) = (a.is_proper_end(&state, &mut in_a), b.is_proper_end(&state, &mut in_b));
        if end_a != end_b {
            return Some(format!("state {state:x?}: proper end {end_a} and {end_b}"));
        }
        for step in steps {
            if let Ok(target) = step.target
                && known.len() < limit
                && known.insert(target.clone())
            {
                waiting.push(target);
            }
        }
    }
    None
}

fn initial<S: StateSpace>(space: &S, scratch: &mut S::Scratch) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    let _ = space.initial(scratch, |state| {
        found.push(state.to_vec());
        ControlFlow::<()>::Continue(())
    });
    found
}

fn steps<S: StateSpace>(space: &S, state: &State, scratch: &mut S::Scratch) -> Vec<Listed> {
    let mut found = Vec::new();
    let _ = space.steps(state, scratch, Listing { source: state, found: &mut found });
    found
}

/// Keeps the steps from a state, and looks whether rows say the same.
struct Listing<'a> {
    source: &'a State,
    found: &'a mut Vec<Listed>,
}

impl Sink for Listing<'_> {
    type Break = ();

    fn step(&mut self, step: Step<'_>) -> ControlFlow<()> {
        let target = match step.target {
            Outcome::State(target) => Ok(target.to_vec()),
            Outcome::Fault(fault) => Err(fault),
        };
        self.found.push(Listed { target, marks: step.labels.clone(), via: step.via.to_vec() });
        ControlFlow::Continue(())
    }

    fn plain_steps<'s>(
        &mut self,
        labels: &LabelSet,
        via: &mut Vec<Move>,
        steps: impl PlainSteps<'s>,
    ) -> ControlFlow<()> {
        let rows = steps.rows();
        let (mut first_actions, mut states, mut hops) = (Vec::new(), Vec::new(), 0);
        for row in rows.words.chunks_exact(rows.width) {
            states.push(&row[rows.width - self.source.len()..]);
            first_actions.push(row[0] as u32);
            hops += rows.hops_at.map_or(0, |at| row[at] as usize);
        }
        assert_eq!(hops, rows.hops.len(), "as many hops as the rows say");
        for ((step, first), state) in steps.zip(first_actions).zip(states) {
            assert_eq!((step.by.action.0, step.target), (first, state), "the step that the row says");
            step.write_moves(via);
            self.step(Step::new(Outcome::State(step.target), labels, via))?;
        }
        ControlFlow::Continue(())
    }
}

/// A sink that breaks in the middle ends the list there. Whatever that leaves in the scratch, the next call must not
/// notice.
fn stop_early<S: StateSpace>(space: &S, state: &State, scratch: &mut S::Scratch, steps: usize) -> Option<String> {
    let wanted = steps.div_ceil(2);
    let mut listed = 0;
    let flow = space.steps(
        state,
        scratch,
        each(|_| {
            listed += 1;
            if listed == wanted { ControlFlow::Break(listed) } else { ControlFlow::Continue(()) }
        }),
    );
    let right = if wanted == 0 { flow.is_continue() && listed == 0 } else { flow == ControlFlow::Break(wanted) };
    (!right).then(|| format!("a break after {wanted} steps gave {flow:?} after {listed}"))
}

fn unequal<T: PartialEq + Debug>(what: &str, a: &[T], b: &[T]) -> Option<String> {
    let at = (0..a.len().max(b.len())).find(|&at| a.get(at) != b.get(at))?;
    let show = |list: &[T]| list.get(at).map_or("nothing".into(), |item| format!("{item:x?}"));
    Some(format!("{what} {at} of {}, {}:\n  {}\n  {}", a.len(), b.len(), show(a), show(b)))
}
