//! Ranges for the cells of a system, learned from the first states of a search and from some long runs.

use crate::ranges::Ranges;
use lariat_engine::RunControl;
use lariat_space::{Outcome, State, StateSpace, each};
use lariat_system::reference::{ControlIndex, Evaluator, Valuation};
use lariat_system::{Layout, System};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// States of the beginning that are looked at.
const MOST_STATES: usize = 40_000;
/// Long runs, and their steps.
const RUNS: u64 = 32;
const STEPS: usize = 1000;
/// States whose atomic sequences are followed, and for how many actions.
const MOST_BEGINNINGS: usize = 2000;
const MOST_FOLLOWED: usize = 200;
/// The most time for that: half for the beginning, half for runs. Atomic sequences may take as much again.
const MOST_TIME: Duration = Duration::from_millis(300);

/// What the cells of a system hold in some of its states.
pub(crate) fn learn<S: StateSpace>(space: &S, system: &System, layout: &Layout, control: &RunControl) -> Ranges {
    let mut ranges = Ranges::blank(system);
    let mut scratch = space.scratch();
    let began = Instant::now();
    let (mut known, mut waiting): (HashSet<Vec<u64>>, Vec<Vec<u64>>) = Default::default();
    let note = |ranges: &mut Ranges, state: &State| ranges.learn(system, &layout.unpack(&state[..layout.words]));
    let _ = space.initial(&mut scratch, |state| {
        if known.insert(state.to_vec()) {
            note(&mut ranges, state);
            waiting.push(state.to_vec());
        }
        if known.len() < MOST_STATES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let first = waiting.first().cloned();
    let mut next = 0;
    let goes_on = |until: Duration| began.elapsed() < until && control.check().is_ok();
    while next < waiting.len() && known.len() < MOST_STATES && goes_on(MOST_TIME / 2) {
        let source = waiting[next].clone();
        let _ = space.steps(
            &source,
            &mut scratch,
            each(|step| {
                if let Outcome::State(target) = step.target
                    && known.insert(target.to_vec())
                {
                    note(&mut ranges, target);
                    waiting.push(target.to_vec());
                }
                if known.len() < MOST_STATES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }),
        );
        next += 1;
    }
    // The same runs each time, as far as there is time: what is learned decides about the form of keys.
    let is_all = next == waiting.len();
    for run in 0..if is_all { 0 } else { RUNS } {
        let Some(mut at) = first.clone() else { break };
        let mut random = run.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for _ in 0..STEPS {
            if !goes_on(MOST_TIME) {
                break;
            }
            let mut targets = Vec::new();
            let _ = space.steps(
                &at,
                &mut scratch,
                each(|step| {
                    if let Outcome::State(target) = step.target {
                        targets.push(target.to_vec());
                    }
                    ControlFlow::<()>::Continue(())
                }),
            );
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if targets.is_empty() {
                break;
            }
            let chosen = (random >> 33) as usize % targets.len();
            at = targets.swap_remove(chosen);
            note(&mut ranges, &at);
        }
    }
    if system.actions.iter().any(|action| action.hold.is_some()) {
        let states = waiting.iter().take(MOST_BEGINNINGS).map(|state| layout.unpack(&state[..layout.words]));
        learn_transient(&mut ranges, system, states, &goes_on);
    }
    ranges.open_control(system);
    ranges
}

/// Learns from transient states inside atomic sequences: some of those that the states lead to.
fn learn_transient(
    ranges: &mut Ranges,
    system: &System,
    states: impl Iterator<Item = Valuation>,
    goes_on: &dyn Fn(Duration) -> bool,
) {
    let index = ControlIndex::new(system);
    let evaluator = Evaluator::with_index(system, &index);
    for state in states {
        let mut waiting = vec![(state, None)];
        let mut followed = 0;
        while let Some((state, holder)) = waiting.pop() {
            if followed > MOST_FOLLOWED || !goes_on(MOST_TIME * 2) {
                break;
            }
            let (firings, is_transient) = evaluator.firings(&state, holder);
            if holder.is_some() && !is_transient {
                continue;
            }
            for firing in firings {
                if let Some(next) = evaluator.fire(&state, &firing).1 {
                    ranges.learn(system, &next);
                    followed += 1;
                    let holder = evaluator.holder_after(&firing);
                    waiting.extend(holder.map(|holder| (next, Some(holder))));
                }
            }
        }
    }
}
