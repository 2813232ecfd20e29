//! Runs that go on for ever, out of such as need not go on to be bad.

use crate::tally::Stop;
use crate::trace_step;
use lariat_engine::{Evidence, FailureKind, MOST_FURTHER_STEPS, PoolTooSmall, RunControl, Trace, TraceStep};
use lariat_exec::{Backend, SpaceVisitor, with_program};
use lariat_space::{AnyScratch, AnySpace, Outcome, State, StateSpace, each};
use lariat_system::{Fault, System};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The run, which is bad after `decided` steps whatever follows, as evidence: going on for ever in some way if a short one is
/// found. `None` if it takes more processes than there is room for and the pool may grow.
pub fn prolonged(
    system: &System,
    trace: Trace,
    decided: usize,
    pool_may_grow: bool,
    control: &RunControl,
) -> Option<Evidence> {
    with_program(system, Backend::Bytecode, None, Prolong { trace, decided, pool_may_grow, control }).ok()?
}

struct Prolong<'a> {
    trace: Trace,
    decided: usize,
    pool_may_grow: bool,
    control: &'a RunControl,
}

impl SpaceVisitor for Prolong<'_> {
    type Output = Option<Evidence>;

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Self::Output {
        let Self { trace, decided, pool_may_grow, control } = self;
        Prolonging::new(AnySpace::new(space), pool_may_grow, control).going_on(trace, decided).ok()
    }
}

/// Makes runs that go on for ever out of such as need not go on to be bad.
pub(crate) struct Prolonging<'a> {
    space: AnySpace<'a>,
    scratch: AnyScratch<'a>,
    /// Whether steps carry the values of their choices.
    tells_choices: bool,
    pool_may_grow: bool,
    control: &'a RunControl,
}

/// Further steps of a run, and the number of the one that the last of them leads back to.
type Going = (Vec<TraceStep>, usize);

/// States are looked at for a short continuation as long as they take no more than this.
const NEARBY_BYTES: usize = 4 << 20;
/// And are no more than this.
const NEARBY: usize = 2000;

impl<'a> Prolonging<'a> {
    pub(crate) fn new(space: AnySpace<'a>, pool_may_grow: bool, control: &'a RunControl) -> Self {
        let (scratch, tells_choices) = space.scratch_for_traces();
        Self { space, scratch, tells_choices, pool_may_grow, control }
    }

    /// The run of the system that `trace` of the product begins, as evidence. `reads_steps`: whether the property speaks of
    /// steps.
    pub(crate) fn evidence(&mut self, trace: Trace, reads_steps: bool) -> Result<Evidence, PoolTooSmall> {
        let words = self.space.words_per_state();
        let cut = |state: &[u64]| state[..words].to_vec();
        let cut_step = |step: TraceStep| TraceStep { target: step.target.as_deref().map(cut), ..step };
        let steps: Vec<TraceStep> = trace.steps.into_iter().map(cut_step).collect();
        // A state is read by the step that leaves it.
        let decided = steps.len().saturating_sub(usize::from(!reads_steps));
        let trace = Trace { initial: cut(&trace.initial), steps, loop_start: None, decided: None };
        self.going_on(trace, decided)
    }

    /// The run, which is bad after `decided` steps, going on for ever if a short way to do so is found.
    fn going_on(&mut self, mut trace: Trace, decided: usize) -> Result<Evidence, PoolTooSmall> {
        trace.decided = Some(decided);
        let last = trace.steps.last().and_then(|step| step.target.as_ref()).unwrap_or(&trace.initial).clone();
        let going = self.nearby_loop(&last).and_then(|found| match found {
            Some(found) => Ok(Some(found)),
            None => self.first_loop(&last),
        });
        let kind = match going {
            Ok(Some((further, back))) => {
                trace.loop_start = Some(trace.steps.len() + back);
                trace.steps.extend(further);
                FailureKind::Cycle
            }
            Err(Stop::PoolTooSmall) => return Err(PoolTooSmall),
            // However it goes on, it is bad.
            Ok(None) | Err(_) => {
                trace.steps.truncate(decided);
                FailureKind::BadPrefix
            }
        };
        Ok(Evidence { kind, trace })
    }

    /// The first steps of a state, so many at most; a dead end repeats.
    fn steps(&mut self, source: &State, most: usize) -> Result<Vec<TraceStep>, Stop> {
        let mut steps = Vec::new();
        let flow = self.space.steps(
            source,
            &mut self.scratch,
            each(|step| {
                match step.target {
                    Outcome::State(_) => {
                        steps.push(trace_step(&step, self.tells_choices));
                        if steps.len() >= most {
                            return ControlFlow::Break(None);
                        }
                    }
                    // It is no dead end: there would be a step if the pool were larger.
                    Outcome::Fault(Fault::PoolFull(_)) if self.pool_may_grow => {
                        return ControlFlow::Break(Some(Stop::PoolTooSmall));
                    }
                    Outcome::Fault(_) => {}
                }
                ControlFlow::Continue(())
            }),
        );
        if let ControlFlow::Break(Some(stop)) = flow {
            return Err(stop);
        }
        if steps.is_empty() {
            steps.push(TraceStep::stutter(source.to_vec(), Some(Vec::new())));
        }
        Ok(steps)
    }

    /// A short way to go on for ever: breadth-first, until a step leads back to the way that it came.
    fn nearby_loop(&mut self, from: &State) -> Result<Option<Going>, Stop> {
        let most = NEARBY.min(NEARBY_BYTES / (3 * size_of_val(from)).max(1));
        // Of each state the number of the one before it and the step from there.
        let mut met: Vec<(Vec<u64>, usize, Option<TraceStep>)> = vec![(from.to_vec(), 0, None)];
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::from([(from.to_vec(), 0)]);
        let heeded = self.control.interrupts();
        let mut next = 0;
        while next < met.len() && met.len() <= most {
            self.control.check_telling(heeded).map_err(Stop::Short)?;
            for step in self.steps(&met[next].0.clone(), most)? {
                let target = step.target.clone().expect("a step of a system leads to a state");
                let Some(&known) = numbers.get(&target) else {
                    numbers.insert(target.clone(), met.len());
                    met.push((target, next, Some(step)));
                    continue;
                };
                let before = std::iter::successors(Some(next), |&at| (at > 0).then(|| met[at].1));
                let mut way: Vec<usize> = before.collect();
                way.reverse();
                if let Some(back) = way.iter().position(|&at| at == known) {
                    let mut steps: Vec<TraceStep> = way.iter().filter_map(|&at| met[at].2.clone()).collect();
                    steps.push(step);
                    return Ok(Some((steps, back)));
                }
            }
            next += 1;
        }
        Ok(None)
    }

    /// A way to go on for ever: always the first step, until a state comes again, in the time there is for telling a failure.
    fn first_loop(&mut self, from: &State) -> Result<Option<Going>, Stop> {
        let heeded = self.control.interrupts();
        let most = MOST_FURTHER_STEPS.min(NEARBY_BYTES / (3 * size_of_val(from)).max(1));
        let (mut steps, mut at) = (Vec::new(), from.to_vec());
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        while steps.len() <= most {
            if let Some(&back) = numbers.get(&at) {
                return Ok(Some((steps, back)));
            }
            self.control.check_telling(heeded).map_err(Stop::Short)?;
            numbers.insert(at.clone(), steps.len());
            let step = self.steps(&at, 1)?.swap_remove(0);
            at = step.target.clone().expect("a step of a system leads to a state");
            steps.push(step);
        }
        Ok(None)
    }
}
