//! Temporal properties that are a matter of reaching a state.
//!
//! Where every run is bad as soon as the automaton comes to certain states, whatever follows, there is no cycle to be looked
//! for: these states of the product are made dead ends that are no proper ends, and any search for such will do. To show
//! people a run that goes on for ever, the run to such a state is continued in some way that does.

use crate::engines::{Exploration, explore, insist_on_code};
use crate::temporal::{reads_steps, watched};
use crate::worker::Stop;
use lariat_automata::{Analysis, Automaton, ComponentKind, StateId};
use lariat_engine::{
    AcceptanceKind, EngineError, Evidence, FailureKind, Feature, ObjectivePlan, Options, ProductPlan, Refusal, Report,
    RunControl, Shortfall, StoreKind, Task, Temporal, Trace, TraceStep, Verdict,
};
use lariat_exec::{Backend, Use, with_program};
use lariat_space::{
    AnyScratch, AnySpace, AutomatonObserver, Layer, LayerScratch, ObserverState, Outcome, Product, Sink, State,
    StateSpace, each,
};
use lariat_system::{DeadEnds, Fault, System};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// An error unless every bad run of the property has a bad prefix that a search for states can find.
pub(crate) fn ensure_bad_prefix(task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
    let store = task.options.store;
    let not_for_it = |why: &str| Err(Refusal::because(Feature::Cycles, why));
    match () {
        _ if task.options.profile => Err(Refusal::because(Feature::Profile, "it is for `safety`")),
        _ if matches!(store, StoreKind::Hybrid { .. }) => {
            let why = "it does not share entries between states of a product";
            Err(Refusal::because(Feature::Store(store), why))
        }
        _ if task.options.acceptance != AcceptanceKind::Auto => not_for_it("`--acceptance` is about cycles"),
        _ if !task.system.fairness.is_empty() => not_for_it("fairness is about cycles"),
        _ if task.system.dead_ends == DeadEnds::Cut => not_for_it("only infinite runs count, so it is about cycles"),
        _ if !Analysis::of(&temporal.bad).is_terminal() => {
            not_for_it("no finite part of a run shows that it is violated, so it is about cycles")
        }
        _ => Ok(()),
    }
}

/// The product that is searched for bad prefixes.
pub(crate) fn product_plan(task: &Task<'_>, temporal: &Temporal) -> ProductPlan {
    ProductPlan {
        objective: ObjectivePlan::BadPrefix,
        automaton_states: temporal.bad.edges.len(),
        fairness_constraints: task.system.fairness.len(),
        copies: false,
    }
}

/// Which states of an automaton every run is accepted from.
fn doomed_states(automaton: &Automaton) -> Vec<bool> {
    let analysis = Analysis::of(automaton);
    let doomed = |state: StateId| analysis.kind(state) == Some(ComponentKind::Accepting);
    automaton.edges.ids().map(doomed).collect()
}

/// A product in which nothing follows on the states that doom a run.
struct Doom<'a, S> {
    product: &'a Product<'a, S, AutomatonObserver<'a>>,
    doomed: Vec<bool>,
}

impl<S: StateSpace> Doom<'_, S> {
    fn is_doomed(&self, state: &State) -> bool {
        let observed: ObserverState = self.product.split(state).1;
        self.doomed[observed as usize]
    }
}

impl<'a, S: StateSpace> Layer for Doom<'a, S> {
    type Below = Product<'a, S, AutomatonObserver<'a>>;
    type Own = ();

    fn below(&self) -> &Self::Below {
        self.product
    }
    fn own(&self) {}
    fn listed_steps<K: Sink>(
        &self,
        source: &State,
        scratch: &mut LayerScratch<Self>,
        sink: K,
    ) -> ControlFlow<K::Break> {
        match self.is_doomed(source) {
            true => ControlFlow::Continue(()),
            false => self.product.steps(source, &mut scratch.below, sink),
        }
    }
    /// Where the automaton has no move, the run is not bad.
    fn may_end(&self, state: &State, _: &mut LayerScratch<Self>) -> bool {
        !self.is_doomed(state)
    }
}

/// A search for doomed states of the product with whatever the system becomes.
pub(crate) struct Reach<'a> {
    pub(crate) exploration: Exploration,
    pub(crate) task: &'a Task<'a>,
    pub(crate) temporal: &'a Temporal,
    pub(crate) control: &'a RunControl,
}

impl Use for Reach<'_> {
    type Output = Result<Report, EngineError>;

    fn of<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        let Self { exploration, task, temporal, control } = self;
        insist_on_code(&task.options, backend)?;
        let bad = &temporal.bad;
        let observer = AutomatonObserver::new(bad, &temporal.labels, reads_steps(task.system, temporal));
        let product = Product::new(space, &observer, bad.mark_count(), Vec::new(), task.system.dead_ends)
            .with_growing_pool(task.options.pool_may_grow);
        let doom = Doom { product: &product, doomed: doomed_states(bad) };
        let mut report = explore(exploration, &doom, task, control)?;
        report.taken = None;
        if report.verdict == Verdict::Holds {
            report.watched = watched(bad, &observer, Vec::new());
        }
        let space = AnySpace::new(space);
        let mut prolonging = Prolonging {
            space,
            scratch: space.scratch(),
            options: &task.options,
            control,
            reads_steps: reads_steps(task.system, temporal),
        };
        let failures = std::mem::take(&mut report.failures);
        match failures.into_iter().map(|found| prolonging.evidence(found.trace)).collect::<Result<Vec<_>, _>>() {
            Ok(failures) => {
                if let Some(first) = failures.first() {
                    report.verdict = Verdict::Fails(first.clone());
                }
                report.failures = failures;
            }
            Err(stop) => {
                report.pool_was_full = matches!(stop, Stop::PoolFull);
                let shortfall = if let Stop::Short(shortfall) = stop { shortfall } else { Shortfall::Interrupted };
                (report.verdict, report.unfinished) = (Verdict::Undecided(shortfall), Some(shortfall));
                report.failure_count = 0;
            }
        }
        Ok(report)
    }
}

/// The run, which ends in no failure, going on for ever in some way from its last state on: the same steps and further ones.
/// `None` if that takes more than `control` allows, or more processes than there is room for and the pool may grow.
pub fn prolonged(system: &System, trace: Trace, pool_may_grow: bool, control: &RunControl) -> Option<Trace> {
    let options = Options { pool_may_grow, ..Options::default() };
    with_program(system, Backend::Bytecode, None, Prolong { trace, options, control }).ok()?
}

struct Prolong<'a> {
    trace: Trace,
    options: Options,
    control: &'a RunControl,
}

impl Use for Prolong<'_> {
    type Output = Option<Trace>;

    fn of<S: StateSpace>(self, space: &S, _: Backend) -> Self::Output {
        let Self { trace, options, control } = self;
        let space = AnySpace::new(space);
        let mut prolonging =
            Prolonging { space, scratch: space.scratch(), options: &options, control, reads_steps: false };
        Some(Trace { decided: None, ..prolonging.evidence(trace).ok()?.trace })
    }
}

/// Makes runs that go on for ever out of such as need not go on to be bad.
struct Prolonging<'a> {
    space: AnySpace<'a>,
    scratch: AnyScratch<'a>,
    options: &'a Options,
    control: &'a RunControl,
    /// Whether the property speaks of steps.
    reads_steps: bool,
}

/// Further steps of a run, and the number of the one that the last of them leads back to.
type Going = (Vec<TraceStep>, usize);

/// States are looked at for a short continuation as long as they take no more than this.
const NEARBY_BYTES: usize = 4 << 20;
/// And are no more than this.
const NEARBY: usize = 2000;

impl Prolonging<'_> {
    /// The run of the system that `trace` of the product begins, going on for ever.
    fn evidence(&mut self, trace: Trace) -> Result<Evidence, Stop> {
        let words = self.space.words_per_state();
        let cut = |state: &[u64]| state[..words].to_vec();
        let cut_step = |step: TraceStep| TraceStep { target: step.target.as_deref().map(cut), ..step };
        let mut steps: Vec<TraceStep> = trace.steps.into_iter().map(cut_step).collect();
        let initial = cut(&trace.initial);
        let last = steps.last().and_then(|step| step.target.clone()).unwrap_or_else(|| initial.clone());
        let (further, back) = match self.nearby_loop(&last)? {
            Some(found) => found,
            None => self.first_loop(&last)?,
        };
        // A state is read by the step that leaves it.
        let decided = steps.len().saturating_sub(usize::from(!self.reads_steps));
        let loop_start = steps.len() + back;
        steps.extend(further);
        Ok(Evidence {
            kind: FailureKind::Cycle,
            trace: Trace { initial, steps, loop_start: Some(loop_start), decided: Some(decided) },
        })
    }

    /// The steps of a state; a dead end repeats.
    fn steps(&mut self, source: &State) -> Result<Vec<TraceStep>, Stop> {
        let mut steps = Vec::new();
        let flow = self.space.steps(
            source,
            &mut self.scratch,
            each(|step| {
                match step.target {
                    Outcome::State(target) => {
                        let labels = step.labels.iter().collect();
                        let target = Some(target.to_vec());
                        steps.push(TraceStep { via: step.via.to_vec(), labels: Some(labels), target });
                    }
                    // It is no dead end: there would be a step if the pool were larger.
                    Outcome::Fault(Fault::PoolFull(_)) if self.options.pool_may_grow => {
                        return ControlFlow::Break(Stop::PoolFull);
                    }
                    Outcome::Fault(_) => {}
                }
                ControlFlow::Continue(())
            }),
        );
        if let ControlFlow::Break(stop) = flow {
            return Err(stop);
        }
        if steps.is_empty() {
            steps.push(TraceStep { via: Vec::new(), labels: Some(Vec::new()), target: Some(source.to_vec()) });
        }
        Ok(steps)
    }

    /// A short way to go on for ever: breadth-first, until a step leads back to the way that it came.
    fn nearby_loop(&mut self, from: &State) -> Result<Option<Going>, Stop> {
        let most = NEARBY.min(NEARBY_BYTES / (3 * size_of_val(from)).max(1));
        // Of each state the number of the one before it and the step from there.
        let mut met: Vec<(Vec<u64>, usize, Option<TraceStep>)> = vec![(from.to_vec(), 0, None)];
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::from([(from.to_vec(), 0)]);
        let mut next = 0;
        while next < met.len() && met.len() <= most {
            for step in self.steps(&met[next].0.clone())? {
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

    /// A way to go on for ever: always the first step, until a state comes again. A failure that was met in time is told,
    /// whatever the clock says; an interrupt that comes now is heeded.
    fn first_loop(&mut self, from: &State) -> Result<Going, Stop> {
        let heeded = self.control.interrupts();
        let (mut steps, mut at) = (Vec::new(), from.to_vec());
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        // A state is kept twice, with its step and its place in the table.
        let one_bytes = (2 * size_of_val(from) + size_of::<TraceStep>() + 64) as u64;
        let going = loop {
            if let Some(&back) = numbers.get(&at) {
                break Ok((steps, back));
            }
            let allowed = self.control.check_interrupt(heeded).map_err(Stop::Short);
            if let Err(stop) = allowed.and_then(|()| Ok(self.control.budget.take(one_bytes)?)) {
                break Err(stop);
            }
            numbers.insert(at.clone(), steps.len());
            let step = match self.steps(&at) {
                Ok(mut steps) => steps.swap_remove(0),
                Err(stop) => break Err(stop),
            };
            at = step.target.clone().expect("a step of a system leads to a state");
            steps.push(step);
        };
        self.control.budget.give_back(one_bytes * numbers.len() as u64);
        going
    }
}
