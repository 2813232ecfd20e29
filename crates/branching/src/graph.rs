//! The engine `graph`: temporal properties, formulas of CTL* and numbers of steps by sets of states of a graph that is written out.
//! Where there are not very many states and steps, that is faster than decision diagrams, and it does not depend on an order
//! of variables.

use crate::acceptance::ensure_few_cases;
use crate::written::Written;
use crate::{
    Constraint, Extended, FairStates, How, Invariant, LinearTime, SpaceStepper, Stepper, answer, constraints_of,
    ensure_linear, fair_search, measure,
};
use lariat_engine::{
    Branching, Distance, Engine, EngineError, Evidence, Feature, GraphLimit, Plan, Preference, Prepared, Property,
    Refusal, Report, RunControl, RunError, Shortfall, Stats, Task, Temporal, Verdict,
};
use lariat_exec::Program;
use lariat_space::{Enumerated, GraphSets, StateSets, graph_sets_bytes};
use lariat_store::Exactness;
use lariat_subject::ensure_listable;
use lariat_system::{DeadEnds, Fault, System};
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::Ordering;

const NAME: &str = "graph";

/// The engine `graph`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Graph;

/// Graphs that are written out in a moment.
const SMALL: GraphLimit = GraphLimit { states: 100_000, steps: 1_000_000, ways: 1 << 16, evaluated: None };
/// The same for systems without processes. On the models of NuSMV decision diagrams are faster from some thousand steps on;
/// those of processes and channels are often large.
const TINY: GraphLimit = GraphLimit { states: 2_000, steps: 10_000, ways: 1 << 8, evaluated: Some(2_000_000) };

/// What takes a few seconds: for graphs that are written out where decision diagrams turn out to be large.
const LARGE: GraphLimit = GraphLimit { states: 1 << 21, steps: 1 << 24, ways: 1 << 12, evaluated: Some(1 << 31) };

/// Where one state can have more steps than this, going from state to state takes too long.
const MOST_WAYS: u64 = 1 << 10;
/// And where states and the choices of a step have more bits together, there may be too many steps.
const MOST_BITS: u32 = 20;

/// Whether sets of states are the first choice: for properties of branching time, for what a language states as an invariant, and
/// in systems without processes, which are those of SMV, for linear time under fairness or where there may be very many states, or
/// steps from one.
pub fn is_about_sets(task: &Task<'_>) -> bool {
    let bits = |system: &System| -> u64 { system.slots.ids().map(|slot| system.bits_of(slot)).sum() };
    let is_large = |system: &System| {
        let ways = system.most_step_valuations();
        ways > MOST_WAYS || bits(system) + u64::from(ways.ilog2()) > u64::from(MOST_BITS)
    };
    let is_for_sets = |system: &System| system.frames.is_empty() && (!system.fairness.is_empty() || is_large(system));
    match &task.property {
        Property::Branching(_) | Property::Distance(_) => true,
        Property::Temporal(temporal) => temporal.is_of_all_states || task.system().is_some_and(is_for_sets),
        Property::Safety { .. } => false,
    }
}

/// A refusal if the property is one of branching time, and its formulas are none that sets of states can settle.
pub fn ensure_ctl(task: &Task<'_>) -> Result<(), Refusal> {
    let Some(formulas) = task.property.state_formulas() else { return Ok(()) };
    let system = task.needed_system()?;
    formulas.runs().try_for_each(|run| ensure_few_cases(&run.automaton.acceptance))?;
    let needs_loops = formulas.has_loops() || !system.fairness.is_empty();
    if task.options.shortest && needs_loops && matches!(task.property, Property::Branching(_)) {
        return Err(Refusal::because(Feature::Shortest, "its runs show a formula of branching time by some loop"));
    }
    match formulas.labels.iter().find(|label| !task.subject.is_of_states(**label)) {
        Some(label) => {
            let name = &system.labels[*label].name;
            let why = format!("`{name}` speaks of steps, and formulas of CTL* speak of states");
            Err(Refusal::because(Feature::of_property(&task.property), why))
        }
        None => Ok(()),
    }
}

impl Engine for Graph {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "temporal properties, formulas of CTL*, and `COMPUTE`, on a graph that is written out"
    }

    fn preference(&self, task: &Task<'_>) -> Preference {
        match task.system() {
            Some(system) if is_about_sets(task) => {
                Preference::Attempt(if system.frames.is_empty() { TINY } else { SMALL })
            }
            _ => Preference::Usual,
        }
    }

    fn relieves(&self, task: &Task<'_>) -> Option<GraphLimit> {
        // In linear time engines that go from state to state do not mind how long ways are.
        let is_for_graphs = match &task.property {
            Property::Temporal(temporal) => {
                task.system().is_some_and(|system| Invariant::of(temporal, system).is_some())
            }
            Property::Branching(_) | Property::Distance(_) => true,
            Property::Safety { .. } => false,
        };
        is_for_graphs.then_some(LARGE)
    }

    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let question = Question::of(task)?;
        let fair = fair_search(task)?;
        if let Some(feature) = task.options.unsupported_by_sets() {
            return Err(Refusal::of(feature));
        }
        if task.options.order.is_some() {
            return Err(Refusal::of_order());
        }
        if task.options.graph_instead.is_some() {
            return Err(Refusal::of_graph_instead());
        }
        let system = match &question {
            Question::Temporal(_, Some(extended)) => &extended.system,
            _ => task.needed_system()?,
        };
        ensure_ctl(task)?;
        ensure_listable(system)?;
        if let Some(limit) = task.options.graph_limit {
            ensure_few_ways(system, limit.ways)?;
        }
        let mut algorithm = "fixpoints over sets of states of a graph that is written out".to_owned();
        if let Question::Temporal(_, Some(extended)) = &question {
            algorithm.push_str(extended.about());
        }
        let plan = Plan::of_sets(self.name(), task, algorithm).with_fair_search(fair);
        let (system, constraints) = match &question {
            Question::Temporal(_, Some(extended)) => {
                let (system, constraints) = constraints_of(&extended.system);
                (Cow::Owned(system.into_owned()), constraints)
            }
            _ => constraints_of(task.needed_system()?),
        };
        Ok(Box::new(OnGraph { task, system, constraints, question, plan }))
    }
}

/// What is asked of the graph.
enum Question<'t> {
    Ctl(&'t Branching),
    Distance(&'t Distance),
    Invariant(Invariant),
    Temporal(&'t Temporal, Option<Box<Extended>>),
}

impl<'t> Question<'t> {
    fn of(task: &'t Task<'t>) -> Result<Self, Refusal> {
        Ok(match &task.property {
            Property::Branching(property) => Self::Ctl(property),
            Property::Distance(distance) => Self::Distance(distance),
            Property::Temporal(temporal) => match Invariant::of(temporal, task.needed_system()?) {
                _ if let Some(extended) = Extended::of(task.needed_system()?, temporal, &task.options)? => {
                    Self::Temporal(temporal, Some(extended))
                }
                Some(invariant) => Self::Invariant(invariant),
                None => {
                    ensure_linear(temporal, &task.options)?;
                    Self::Temporal(temporal, None)
                }
            },
            Property::Safety { .. } => {
                let why = "it checks temporal properties, formulas of CTL*, and `COMPUTE`";
                return Err(Refusal::because(Feature::Safety, why));
            }
        })
    }
}

/// A refusal if an action, or the beginning, leaves more ways open.
fn ensure_few_ways(system: &System, most: u64) -> Result<(), Refusal> {
    match system.most_ways() {
        ways if ways > most => {
            let why = format!("one step leaves {ways} ways open, and there are more than {most} only in large graphs");
            Err(Refusal::because(Feature::Choices, why))
        }
        _ => Ok(()),
    }
}

/// A property, ready to be checked on a graph.
struct OnGraph<'t> {
    task: &'t Task<'t>,
    /// With labels for everything that its fairness speaks of.
    system: Cow<'t, System>,
    constraints: Vec<Constraint>,
    question: Question<'t>,
    plan: Plan,
}

impl Prepared for OnGraph<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let (task, system) = (self.task, &*self.system);
        let program = Program::compile(system).map_err(|error| EngineError { reason: error.to_string() })?;
        let mut kept = control.take_kept::<Written>(NAME);
        // A larger graph that was written out for an earlier property waits until this one may take as much.
        let exceeded = kept.as_ref().and_then(|kept| kept.exceeds(system, task.options.graph_limit));
        if let Some(limit) = exceeded
            && let Some(whole) = kept.take()
        {
            let bytes = whole.bytes;
            control.keep(NAME, whole, bytes);
            let mut report = cut_short(Shortfall::GraphSize { limit }, control);
            report.stats.elapsed = control.started.elapsed();
            return Ok(report);
        }
        let mut report = match Written::new(kept, &program, system, task.options.graph_limit, control) {
            Err(shortfall) => cut_short(shortfall, control),
            Ok(written) => {
                let bytes = written.bytes;
                if written.graph.as_ref().is_ok_and(|graph| pool_was_full(graph, task)) {
                    control.budget.give_back(bytes);
                    return Err(RunError::PoolTooSmall);
                }
                let report = self.report(&written, &program, control);
                control.budget.give_back(bytes);
                control.keep(NAME, written, bytes);
                report
            }
        };
        report.stats.peak_memory_bytes = control.budget.peak_bytes();
        report.stats.elapsed = control.started.elapsed();
        Ok(report)
    }
}

impl OnGraph<'_> {
    /// What is found on the graph.
    fn report(&self, written: &Written, program: &Program, control: &RunControl) -> Report {
        let graph = match &written.graph {
            Ok(graph) => graph,
            Err(limit) => return cut_short(Shortfall::GraphSize { limit: *limit }, control),
        };
        let mut report = self.settle(graph, program, control);
        report.stats = Stats {
            states: graph.states.len() as u64,
            transitions: graph.transitions() as u64,
            depth: graph.depth() as u64,
            is_written_out: true,
            bytes_per_state: written.bytes as f64 / graph.states.len().max(1) as f64,
            ..Stats::default()
        };
        report
    }

    fn settle(&self, graph: &Enumerated, program: &Program, control: &RunControl) -> Report {
        let taken = Cell::new(0);
        let take = |bytes: u64| {
            if bytes > taken.get() {
                control.budget.take(bytes - taken.get())?;
                taken.set(bytes);
            }
            Ok::<(), Shortfall>(())
        };
        let own = graph_sets_bytes(graph);
        let effort = Effort::of(graph);
        let report = take(own).map_or_else(Report::at_once, |()| {
            let watch = |bytes: u64| effort.check().and_then(|()| control.check()).and_then(|()| take(own + bytes));
            self.settle_by(&GraphSets::watched(graph, watch), program, &effort)
        });
        control.budget.give_back(taken.get());
        report
    }

    fn settle_by<W: Fn(u64) -> Result<(), Shortfall>>(
        &self,
        sets: &GraphSets<'_, W>,
        program: &Program,
        effort: &Effort,
    ) -> Report {
        let graph = sets.graph();
        let all = sets.of(0..graph.states.len());
        let Self { system, constraints, question, .. } = self;
        let stepper = SpaceStepper::new(program, system).telling(self.task.subject.label_count());
        let how = How::of(self.task, system);
        let fair_states = |reached| FairStates::new(sets, reached, system.dead_ends, constraints, how);
        let dead_ends = system.dead_ends;
        let found = match question {
            Question::Ctl(property) => {
                fair_states(all).and_then(|states| answer(sets, property, states, dead_ends, &stepper, |_| ()))
            }
            Question::Distance(distance) => {
                fair_states(all).and_then(|states| measure(sets, distance, states, dead_ends, &stepper, |_| ()))
            }
            Question::Invariant(invariant) => {
                return settle_invariant(sets, invariant, &all, dead_ends, &stepper).unwrap_or_else(Report::at_once);
            }
            Question::Temporal(temporal, extended) => {
                let extended = extended.as_deref();
                let property = LinearTime { system, constraints, temporal, extended, how };
                return property.report(sets, &all, &stepper, |_| effort.limit()).unwrap_or_else(Report::at_once);
            }
        };
        match found {
            Err(shortfall) => Report::at_once(shortfall),
            Ok(found) => {
                let failures: Vec<Evidence> =
                    if let Verdict::Fails(evidence) = &found.verdict { vec![evidence.clone()] } else { Vec::new() };
                Report {
                    verdict: found.verdict,
                    failure_count: failures.len() as u64,
                    failures,
                    unfinished: None,
                    witnesses: found.witnesses,
                    dead_end: found.dead_end,
                    is_vacuous: found.is_vacuous,
                    ..Report::at_once(Shortfall::Interrupted)
                }
            }
        }
    }
}

/// What remarks need may take this part of the effort for the answer, and in any case this much: no time, so that the same
/// question has the same remarks on every machine.
const REMARK_PART: u64 = 4;
const REMARK_LEAST: u64 = 200_000_000;

/// How much was done on a graph: for each safe point as much as all states and steps.
struct Effort {
    round: u64,
    so_far: Cell<u64>,
    most: Cell<u64>,
}

impl Effort {
    fn of(graph: &Enumerated) -> Self {
        let round = (graph.states.len() + graph.transitions()) as u64;
        Self { round, so_far: Cell::new(0), most: Cell::new(u64::MAX) }
    }
    fn check(&self) -> Result<(), Shortfall> {
        self.so_far.set(self.so_far.get() + self.round);
        if self.so_far.get() > self.most.get() { Err(Shortfall::Interrupted) } else { Ok(()) }
    }
    /// The property is known to hold; from now on it is about remarks.
    fn limit(&self) {
        self.most.set(self.so_far.get() + (self.so_far.get() / REMARK_PART).max(REMARK_LEAST));
    }
}

/// The report of a graph that was not written out: the states that were found say how far it came.
fn cut_short(shortfall: Shortfall, control: &RunControl) -> Report {
    let states = control.counters.states.load(Ordering::Relaxed);
    Report { stats: Stats { states, ..Stats::default() }, ..Report::at_once(shortfall) }
}

fn pool_was_full(graph: &Enumerated, task: &Task<'_>) -> bool {
    task.options.pool_may_grow && graph.faults.iter().flatten().any(|fault| matches!(fault, Fault::PoolFull(_)))
}

/// Settles an invariant; `reached` are all states.
fn settle_invariant<S: StateSets<Error = Shortfall>>(
    sets: &S,
    invariant: &Invariant,
    reached: &S::Set,
    dead_ends: DeadEnds,
    stepper: &impl Stepper,
) -> Result<Report, Shortfall> {
    let bad = invariant.violations(sets, reached)?;
    let failures = match sets.is_empty(&bad) {
        true => Vec::new(),
        false => vec![invariant.evidence(sets, reached, &bad, stepper)?],
    };
    let verdict = failures
        .first()
        .map_or_else(|| Verdict::of_exhausted(Exactness::Exact), |evidence| Verdict::Fails(evidence.clone()));
    let watched = invariant.watched(sets, reached).ok();
    let ends = if dead_ends == DeadEnds::Cut { sets.dead_ends(reached).ok() } else { None };
    Ok(Report {
        verdict,
        failure_count: failures.len() as u64,
        failures,
        unfinished: None,
        unwatched: watched.is_none(),
        watched,
        dead_end: ends.map(|ends| !sets.is_empty(&ends)),
        ..Report::at_once(Shortfall::Interrupted)
    })
}
