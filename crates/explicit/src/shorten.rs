//! A shorter run to the same failure, by searches that begin on a given one.
//!
//! From a state of the run a breadth-first search looks for a way to a later state of it, or to the failure itself, that
//! takes fewer steps than the run does. Each state of the run has its turn with a small bound on what the search may
//! see, and when nothing more is found the bound grows. Should the search from the initial states come to its end, then no
//! shorter run to the failure exists.
//!
//! Of a run that goes on for ever the way to the loop and the loop are shortened in the same manner; there whoever knows
//! which runs are bad decides whether what was found still is.
//!
//! States are left out from which control in the processes needs more steps to the end than the run has left (trail-directed
//! search, Edelkamp and Jabbar 2006, section 6.2): the same is found, and proven, by seeing fewer states.

use lariat_engine::{Evidence, FailureKind, RunControl, Shortfall, Trace, TraceStep};
use lariat_exec::{Backend, CompileError, SpaceVisitor, with_program};
use lariat_space::{AnySpace, Outcome, State, StateSpace, Step, each};
use lariat_subject::{ControlDistances, trace_step, work_of};
use lariat_system::{Fault, System};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What the first searches may see, and how much more the next ones.
const FIRST_BOUND: usize = 64;
const BOUND_GROWTH: usize = 8;
/// Of the ways that one search has found, as many are tried where not every one is good.
const MOST_TRIED: usize = 8;
/// Of a loop with more states than this, the nearest one is not looked for.
const MOST_GOALS: usize = 64;
/// What a state takes beside its words: its place in the table, the two counts before the words, how it was come by.
const BYTES_BESIDES: u64 = 96;

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Shortened {
    /// The run; the given one if no shorter one was found.
    pub trace: Trace,
    /// Whether no shorter run to the failure exists.
    pub proven: bool,
    /// Why the search stopped before it had nothing more to look for.
    pub stopped: Option<Shortfall>,
}

/// Looks for a shorter run of `system` to the failure of `evidence`, which has been replayed, as long as `control` allows. Of
/// a run that goes on for ever only what `is_bad` is taken. If the pool of processes may grow, then nothing is known about
/// what happens where it is full.
pub fn shorten(
    system: &System,
    evidence: &Evidence,
    pool_may_grow: bool,
    control: &RunControl,
    is_bad: &mut dyn FnMut(&Trace) -> bool,
) -> Result<Shortened, CompileError> {
    let distances = ControlDistances::new(system).filter(|known| !known.is_blind());
    with_program(system, Backend::Bytecode, None, Shorten { evidence, pool_may_grow, distances, control, is_bad })
}

struct Shorten<'a> {
    evidence: &'a Evidence,
    pool_may_grow: bool,
    distances: Option<ControlDistances>,
    control: &'a RunControl,
    is_bad: &'a mut dyn FnMut(&Trace) -> bool,
}

impl SpaceVisitor for Shorten<'_> {
    type Output = Shortened;

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Shortened {
        let Self { evidence, pool_may_grow, distances, control, is_bad } = self;
        let (kind, trace) = (evidence.kind, evidence.trace.clone());
        let space = AnySpace::new(space);
        let places = Places::of(&trace);
        let mut run = Shortening {
            space,
            kind,
            pool_may_grow,
            distances,
            control,
            is_bad,
            work: u64::MAX,
            labelled: false,
            trace,
            places,
        };
        let ended = run.shorten();
        let (proven, stopped) = match ended {
            Ok(proven) => (proven, None),
            Err(shortfall) => (false, Some(shortfall)),
        };
        Shortened { trace: run.trace, proven, stopped }
    }
}

/// A run of `space` to a failure that is no cycle, made shorter as far as so much work and `control` allow.
pub(crate) fn shorten_within(
    space: AnySpace<'_>,
    kind: FailureKind,
    trace: Trace,
    pool_may_grow: bool,
    control: &RunControl,
    work: u64,
) -> Trace {
    let is_bad = &mut |_: &Trace| false;
    let places = Places::of(&trace);
    let distances = None;
    let mut run =
        Shortening { space, kind, pool_may_grow, distances, control, is_bad, work, labelled: true, trace, places };
    // Whether it is a shortest one or the work was done makes no difference here.
    let _ = run.shorten();
    run.trace
}

/// A run that is being shortened, and what is known about the failure.
struct Shortening<'a> {
    space: AnySpace<'a>,
    kind: FailureKind,
    pool_may_grow: bool,
    /// How far control is from where it must come, if that is known.
    distances: Option<ControlDistances>,
    control: &'a RunControl,
    is_bad: &'a mut dyn FnMut(&Trace) -> bool,
    /// So much work may be done from now on.
    work: u64,
    /// Whether steps tell their labels.
    labelled: bool,
    trace: Trace,
    /// Where the states of the run are.
    places: Places,
}

/// By state of a run, the last place where the run comes through it. The last state is left out where a run-time error takes
/// its place.
struct Places(HashMap<Arc<State>, usize>);

impl Places {
    fn of(trace: &Trace) -> Self {
        let targets = trace.steps.iter().filter_map(|step| step.target.as_deref());
        let states = std::iter::once(trace.initial.as_slice()).chain(targets);
        Self(states.enumerate().map(|(place, state)| (Arc::from(state), place)).collect())
    }

    /// The last place of a state, if it is behind this one.
    fn behind(&self, place: usize, state: &State) -> Option<usize> {
        self.0.get(state).copied().filter(|&at| at > place)
    }
}

/// A way that is shorter than the run's.
struct Shortcut {
    /// So many steps fewer.
    gain: usize,
    /// The last state of the way, by number.
    node: usize,
    to: Target,
}

enum Target {
    /// A state of the run, by its place.
    Place(usize),
    /// The failure: the step to it, if it takes one.
    Failure(Option<TraceStep>),
}

/// What a search has seen.
struct Seen {
    nodes: Vec<Node>,
    shortcuts: Vec<Shortcut>,
    /// Whether there is nothing more to be seen that could be of use.
    complete: bool,
}

struct Node {
    state: Arc<State>,
    parent: usize,
    depth: usize,
}

impl Shortening<'_> {
    /// Shortens the run until nothing more is found; whether it is then known to be a shortest one.
    fn shorten(&mut self) -> Result<bool, Shortfall> {
        let mut bound = FIRST_BOUND;
        loop {
            let (mut place, mut complete) = (0, true);
            while place < self.trace.steps.len() {
                let seen = self.search(place, bound)?;
                complete &= seen.complete;
                if self.take_best(place, &seen) {
                    continue;
                }
                if place == 0 && seen.complete && !self.is_temporal() {
                    return Ok(true);
                }
                place += 1;
            }
            if complete {
                // Shorter than one step is a run whose first state is bad.
                return Ok(self.trace.steps.len() <= usize::from(self.trace.loop_start.is_some()));
            }
            bound = bound.saturating_mul(BOUND_GROWTH);
        }
    }

    /// The state of the run at a place before its end.
    fn state(&self, place: usize) -> &State {
        match place.checked_sub(1) {
            None => &self.trace.initial,
            Some(step) => self.trace.steps[step].target.as_deref().expect("only the last step may lead to an error"),
        }
    }

    /// What can be seen from the state at this place, in so many states at most. The first place stands for all initial
    /// states.
    fn search(&mut self, place: usize, bound: usize) -> Result<Seen, Shortfall> {
        let (length, loop_start) = (self.trace.steps.len(), self.trace.loop_start);
        // Beyond this many steps nothing is gained: on the way to a loop the loop is the end.
        let end = loop_start.filter(|&start| place < start).unwrap_or(length);
        let most_steps = end - place;
        let goals = self.goals(place);
        // Of the places of one state the last one is worth most; on a loop none before the search may be used.
        let places = &self.places;
        let source = self.state(place);
        let mut work = 0;
        let mut seen = Seen { nodes: Vec::new(), shortcuts: Vec::new(), complete: true };
        let mut known: HashMap<Arc<State>, usize> = HashMap::new();
        let mut taken = Taken { control: self.control, bytes: 0 };
        let mut scratch = self.space.scratch();
        let mut begin = |state: &State| {
            let state: Arc<State> = Arc::from(state);
            known.insert(state.clone(), seen.nodes.len());
            seen.nodes.push(Node { state, parent: usize::MAX, depth: 0 });
        };
        if place == 0 {
            let _ = self.space.initial(&mut scratch, |state| {
                begin(state);
                ControlFlow::<()>::Continue(())
            });
        } else {
            begin(source);
        }
        // An initial state may itself be further on the run.
        for number in 0..seen.nodes.len() {
            let at = places.behind(place, &seen.nodes[number].state);
            seen.shortcuts.extend(at.and_then(|at| self.shortcut(place, number, 0, at)));
        }
        let (mut next, mut came_back) = (0, false);
        while next < seen.nodes.len() {
            self.control.check()?;
            if work >= self.work {
                return Err(Shortfall::Interrupted);
            }
            let (state, depth) = (seen.nodes[next].state.clone(), seen.nodes[next].depth);
            if depth >= most_steps {
                break;
            }
            if seen.nodes.len() >= bound {
                seen.complete = false;
                break;
            }
            let mut anything = false;
            let mut failed = None;
            let _ = self.space.steps(
                &state,
                &mut scratch,
                each(|step| {
                    anything = true;
                    work += work_of(step.via);
                    match step.target {
                        Outcome::Fault(fault) if self.kind == FailureKind::Fault(fault) => {
                            failed = Some((fault, step.via.to_vec()));
                            return ControlFlow::Break(());
                        }
                        Outcome::Fault(Fault::PoolFull(_)) if self.pool_may_grow => seen.complete = false,
                        Outcome::Fault(_) => {}
                        Outcome::State(target) => {
                            // Only a loop may be shortened to where it begins.
                            let is_source = target == source && loop_start == Some(place) && !came_back;
                            came_back |= is_source;
                            let further = self.estimate(target, &goals);
                            let is_near = ((depth + 1) as u64).saturating_add(further) < most_steps as u64;
                            let may_gain =
                                depth + 1 < most_steps && (is_near || places.behind(place, target).is_some());
                            if may_gain && (is_source || !known.contains_key(target)) {
                                let state: Arc<State> = Arc::from(target);
                                let number = seen.nodes.len();
                                known.entry(state.clone()).or_insert(number);
                                let at = places.behind(place, target);
                                seen.nodes.push(Node { state, parent: next, depth: depth + 1 });
                                seen.shortcuts.extend(at.and_then(|at| self.shortcut(place, number, depth + 1, at)));
                            }
                        }
                    }
                    ControlFlow::Continue(())
                }),
            );
            let failed = failed.and_then(|(fault, via)| {
                self.step_where(&state, |step| step.target == Outcome::Fault(fault) && step.via == via)
            });
            let is_end = || !anything && !self.space.is_proper_end(&state, &mut self.space.scratch());
            if failed.is_some() || self.kind == FailureKind::InvalidEnd && is_end() {
                let steps = place + depth + usize::from(failed.is_some());
                if steps < length {
                    seen.shortcuts.push(Shortcut { gain: length - steps, node: next, to: Target::Failure(failed) });
                }
                // Whatever is seen later is further away.
                break;
            }
            taken.up_to(seen.nodes.len() as u64 * (self.space.words_per_state() as u64 * 8 + BYTES_BESIDES))?;
            next += 1;
        }
        self.work -= work.min(self.work);
        Ok(seen)
    }

    /// The states that a search from this place must come to at last, if they are few: of a run with a loop, those of the loop
    /// for the way there, and the one where it begins for the loop itself.
    fn goals(&self, place: usize) -> Vec<Vec<u64>> {
        match self.trace.loop_start {
            Some(start) if place < start && self.trace.steps.len() - start <= MOST_GOALS => {
                (start..self.trace.steps.len()).map(|at| self.state(at).to_vec()).collect()
            }
            Some(start) if place >= start => vec![self.state(start).to_vec()],
            _ => Vec::new(),
        }
    }

    /// At least so many steps lead from a state to the end: the estimates of trail-directed search (Edelkamp and Jabbar 2006,
    /// section 6.2). Where that is more than what is left of the run, nothing is gained by going there.
    fn estimate(&self, state: &State, goals: &[Vec<u64>]) -> u64 {
        let Some(distances) = &self.distances else { return 0 };
        match self.kind {
            FailureKind::Fault(Fault::Trap(..)) => distances.to_fault(state),
            FailureKind::InvalidEnd => distances.to_dead_end(state),
            FailureKind::Cycle => goals.iter().map(|goal| distances.between(state, goal)).min().unwrap_or(0),
            FailureKind::Fault(_) | FailureKind::BadPrefix | FailureKind::Branching => 0,
        }
    }

    /// The way of `depth` steps from the state at `place` to that at `at`, if it is shorter.
    fn shortcut(&self, place: usize, node: usize, depth: usize, at: usize) -> Option<Shortcut> {
        let on_run = match self.trace.loop_start {
            // Whichever state of the loop is met, the loop begins there.
            Some(start) if place < start => at.min(start) - place,
            _ => at - place,
        };
        let is_loop = self.trace.loop_start.is_some_and(|start| place == start && at == self.trace.steps.len());
        let gain = on_run.checked_sub(depth).filter(|&gain| gain > 0)?;
        (!is_loop || depth > 0).then_some(Shortcut { gain, node, to: Target::Place(at) })
    }

    /// Whether not every run to the last state is bad.
    fn is_temporal(&self) -> bool {
        matches!(self.kind, FailureKind::Cycle | FailureKind::BadPrefix)
    }

    /// Goes the best way that was found and is good.
    fn take_best(&mut self, place: usize, seen: &Seen) -> bool {
        let mut shortcuts: Vec<&Shortcut> = seen.shortcuts.iter().collect();
        shortcuts.sort_by_key(|shortcut| std::cmp::Reverse(shortcut.gain));
        for shortcut in shortcuts.into_iter().take(MOST_TRIED) {
            let trace = self.with(place, seen, shortcut);
            debug_assert_eq!(trace.steps.len() + shortcut.gain, self.trace.steps.len(), "as much shorter as was said");
            if !self.is_temporal() || (self.is_bad)(&trace) {
                self.places = Places::of(&trace);
                self.work -= self.work.min(trace.steps.len() as u64);
                self.trace = trace;
                return true;
            }
        }
        false
    }

    /// The run with the shortcut in it.
    fn with(&self, place: usize, seen: &Seen, shortcut: &Shortcut) -> Trace {
        let mut way = vec![shortcut.node];
        while seen.nodes[way[way.len() - 1]].parent != usize::MAX {
            way.push(seen.nodes[way[way.len() - 1]].parent);
        }
        way.reverse();
        let states: Vec<&State> = way.iter().map(|&number| &*seen.nodes[number].state).collect();
        let initial = if place == 0 { states[0].to_vec() } else { self.trace.initial.clone() };
        let old = &self.trace.steps;
        let mut steps: Vec<TraceStep> = old[..place].to_vec();
        steps.extend(states.windows(2).map(|pair| self.step_between(pair[0], pair[1])));
        let mut loop_start = self.trace.loop_start;
        match (&shortcut.to, self.trace.loop_start) {
            (Target::Failure(last), _) => steps.extend(last.clone()),
            (Target::Place(at), Some(start)) if place < start && *at >= start => {
                loop_start = Some(steps.len());
                steps.extend(old[*at..].iter().chain(&old[start..*at]).cloned());
            }
            (Target::Place(at), _) => {
                loop_start = loop_start.map(|start| if place < start { start - shortcut.gain } else { start });
                steps.extend(old[*at..].iter().cloned());
            }
        }
        Trace { initial, steps, loop_start, decided: None }
    }

    /// A step from one state to the next.
    fn step_between(&self, source: &State, target: &State) -> TraceStep {
        let found = self.step_where(source, |step| step.target == Outcome::State(target));
        let mut step = found.expect("a state has a step to the next one of a way");
        step.labels = step.labels.filter(|_| self.labelled);
        step
    }

    /// The first step that fits, as traces say it.
    fn step_where(&self, source: &State, fits: impl Fn(&Step<'_>) -> bool) -> Option<TraceStep> {
        let (mut scratch, tells_choices) = self.space.scratch_for_traces();
        let found = self.space.steps(
            source,
            &mut scratch,
            each(|step| match fits(&step) {
                true => ControlFlow::Break(trace_step(&step, tells_choices)),
                false => ControlFlow::Continue(()),
            }),
        );
        found.break_value()
    }
}

/// Memory that was taken from the budget, given back in the end.
struct Taken<'a> {
    control: &'a RunControl,
    bytes: u64,
}

impl Taken<'_> {
    /// So much is needed now.
    fn up_to(&mut self, bytes: u64) -> Result<(), Shortfall> {
        let more = bytes.saturating_sub(self.bytes);
        self.control.budget.take(more)?;
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.bytes);
    }
}
