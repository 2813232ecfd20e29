//! Answers by sets of states, with the runs that show them.

use super::worker::Shared;
use crate::diagrams::{Capacity, Diagram};
use crate::sets::BddSets;
use lariat_branching::{
    Answer, Condition, Constraint, Extended, FairStates, How, Invariant, LinearTime, SpaceStepper, Stepper, answer,
    failing, meaning_of, measure, path_between,
};
use lariat_engine::{
    Branching, Distance, EngineError, Evidence, FailureKind, Report, RunError, Shortfall, Stats, SymbolicFigures,
    Temporal, Trace, TraceStep, Verdict, Watched, Witness,
};
use lariat_exec::Program;
use lariat_space::{Faults, Natural, StateSets, Steps};
use lariat_store::Exactness;
use lariat_system::{DeadEnds, Label, LabelId, System};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// While a search runs, sets of more nodes are not counted: that takes time, and memory beside the budget.
const MOST_COUNTED: usize = 100_000;
/// And others not more often than this.
const COUNT_INTERVAL: Duration = Duration::from_millis(100);

/// What remarks need may take this part of the effort for the answer, and this much in any case: no time, so that the same question
/// has the same remarks on every machine.
const REMARK_PART: u64 = 4;
const REMARK_LEAST: u64 = 500_000;

/// What is asked of the system.
#[derive(Clone)]
pub(super) enum Asked {
    Safety { invalid_ends: bool },
    Invariant(Invariant),
    Temporal(Box<Temporal>, Option<Box<Extended>>),
    Ctl(Box<Branching>),
    Distance(Box<Distance>),
}

/// What is to be settled.
pub(super) struct Question {
    /// With labels for everything that its fairness speaks of.
    pub(super) system: System,
    /// Its fairness.
    pub(super) constraints: Vec<Constraint>,
    /// How many labels it has without those.
    pub(super) labels: usize,
    pub(super) asked: Asked,
    pub(super) pool_may_grow: bool,
    /// Whether a failure must be shown by a shortest run.
    pub(super) shortest: bool,
    /// The bits of states whose variables are to stand on top to begin with, in this order.
    pub(super) order: Vec<usize>,
    /// How fair loops are searched.
    pub(super) how: How,
    /// Whether to stop where reaching all states takes long.
    pub(super) is_impatient: bool,
    /// Whether to give up where listing the states seems to cost less, if there are no more than this.
    pub(super) graph_instead: Option<u64>,
}

/// Constraints, and the labels that they speak of.
type Meaning = (Vec<Constraint>, Vec<Label>);

/// What became of a question.
pub(super) enum Reply {
    Report(Box<Report>),
    /// Reaching all states takes long. The figures so far.
    OutOfPatience(Box<Stats>),
}

/// Reaching all states takes long from so many rounds on,
const LONG_ROUNDS: u64 = 1000;
/// or if what is not used was collected so often: each time many nodes had been made.
const LONG_COLLECTIONS: u64 = 4;

/// Listing the states is worth a try after this effort,
const LIST_FIRST: u64 = 1_000_000;
/// and so much for each state that was found.
const LIST_STATE: u64 = 4;
/// One round may take this effort, however many states it finds; and so may what comes before the first.
const LIST_ROUND: u64 = 4_000_000;
/// When all are known, listing them to find the answer is worth this effort for each.
const ANSWER_STATE: u64 = 16;

/// What one thread knows of a system: its sets of states, and how far they were searched.
pub(super) struct Session<'a> {
    sets: BddSets<'a>,
    /// Whether no other session has room for more.
    is_last: bool,
    reached: Option<Reached>,
    /// What constraints mean, and the fair states under them.
    fair: Option<(Meaning, FairStates<Diagram>)>,
    /// The states are counted when the effort is this.
    count_at: u64,
}

/// How far the states were searched.
#[derive(Clone)]
struct Reached {
    states: Diagram,
    /// Those that the last round added.
    newest: Diagram,
    /// How many rounds there were.
    rounds: u64,
    complete: bool,
}

/// Settles a question about the system, which is that of the question without labels. A small cache and few nodes are tried
/// first, since larger ones take time to be made. What earlier questions found out is in `session`.
pub(super) fn settle<'a>(
    system: &'a System,
    question: &Question,
    session: &mut Option<Session<'a>>,
    capacity: Capacity,
    full: Shortfall,
    shared: &Arc<Shared>,
) -> Result<Reply, RunError> {
    let program = Program::compile(&question.system).map_err(|error| EngineError { reason: error.to_string() })?;
    let stepper = SpaceStepper::new(&program, &question.system).telling(question.labels);
    if session.is_none() && capacity.at_first() != capacity {
        *session = Session::begin(system, &question.order, capacity.at_first(), false, full, shared)?.ok();
    }
    if let Some(known) = session {
        let reply = known.answer(question, &stepper, full, shared)?;
        if let Some(reply) = reply {
            return Ok(reply);
        }
    }
    *session = None;
    shared.check().map_or_else(
        |shortfall| Ok(Reply::Report(Box::new(Report::at_once(shortfall)))),
        |()| match Session::begin(system, &question.order, capacity, true, full, shared)? {
            Err(shortfall) => Ok(Reply::Report(Box::new(Report::at_once(shortfall)))),
            Ok(begun) => {
                let reply = session.insert(begun).answer(question, &stepper, full, shared)?;
                Ok(reply.expect("the last session has an answer"))
            }
        },
    )
}

impl<'a> Session<'a> {
    fn begin(
        system: &'a System,
        order: &[usize],
        capacity: Capacity,
        is_last: bool,
        full: Shortfall,
        shared: &Arc<Shared>,
    ) -> Result<Result<Self, Shortfall>, RunError> {
        let watched = Arc::clone(shared);
        let sets = BddSets::ordered(system, order, capacity, full, move || watched.check())
            .map_err(|_| EngineError { reason: "the system is too large to be encoded".to_owned() })?;
        Ok(sets.map(|sets| {
            sets.diagrams().reorder_when_full(is_last);
            Self { sets, is_last, reached: None, fair: None, count_at: LIST_FIRST }
        }))
    }

    /// The answer; `None` if a session with more room may have one.
    fn answer(
        &mut self,
        question: &Question,
        stepper: &impl Stepper,
        full: Shortfall,
        shared: &Shared,
    ) -> Result<Option<Reply>, RunError> {
        self.sets.speak_of(&question.system.labels);
        let is_last = self.is_last;
        let mut search = QuestionSearch { question, session: self, stepper, shared };
        let mut found = search.settle();
        search.session.sets.diagrams().limit_effort(None);
        if found.as_ref().err() == Some(&Shortfall::Interrupted) && question.graph_instead.is_some() {
            // The effort was limited, unless the run was stopped.
            found = Err(shared.check().err().unwrap_or(Shortfall::Effort));
        }
        if found.as_ref().err() == Some(&full) && !is_last {
            return Ok(None);
        }
        let stats = search.stats();
        self.make_room();
        let report = match found {
            Err(shortfall) => Report { stats, ..Report::at_once(shortfall) },
            Ok(Outcome::PoolTooSmall) => return Err(RunError::PoolTooSmall),
            Ok(Outcome::OutOfPatience) => return Ok(Some(Reply::OutOfPatience(Box::new(stats)))),
            Ok(Outcome::Found(found)) => found.report(stats),
        };
        Ok(Some(Reply::Report(Box::new(report))))
    }
}

impl Session<'_> {
    /// Drops what only makes the next evidence faster where it would be in the way.
    fn make_room(&self) {
        let diagrams = self.sets.diagrams();
        if let Some((_, states)) = &self.fair
            && diagrams.nodes() > diagrams.capacity().nodes / 4
        {
            states.forget();
        }
    }
}

/// How a search ended.
enum Outcome {
    Found(Found),
    /// The pool was a guess, and too small.
    PoolTooSmall,
    OutOfPatience,
}

/// What was found.
#[derive(Clone)]
struct Found {
    verdict: Verdict,
    witnesses: Vec<Witness>,
    /// Whether a state without a step can be reached, if that was looked for.
    dead_end: Option<bool>,
    /// Whether no run counts.
    is_vacuous: bool,
    /// Whether some run is known to count.
    has_runs: bool,
    /// Of an invariant that holds, what was seen by the way.
    watched: Option<Watched>,
    /// Whether the limits left no room to see that.
    unwatched: bool,
}

impl Found {
    fn plain(verdict: Verdict) -> Self {
        let (witnesses, dead_end, watched) = (Vec::new(), None, None);
        Self { verdict, witnesses, dead_end, is_vacuous: false, has_runs: false, watched, unwatched: false }
    }
    fn of_branching(answer: &Answer<Shortfall>) -> Self {
        let Answer { verdict, witnesses, dead_end, is_vacuous, .. } = answer.clone();
        Self { witnesses, dead_end, is_vacuous, ..Self::plain(verdict) }
    }
    fn of_linear(report: &Report, dead_end: Option<bool>) -> Self {
        let Report { verdict, watched, unwatched, has_runs, .. } = report.clone();
        Self { watched, unwatched, dead_end, has_runs, ..Self::plain(verdict) }
    }

    fn report(self, stats: Stats) -> Report {
        let Self { verdict, witnesses, dead_end, is_vacuous, has_runs, watched, unwatched } = self;
        let failures: Vec<Evidence> =
            if let Verdict::Fails(evidence) = &verdict { vec![evidence.clone()] } else { Vec::new() };
        Report {
            verdict,
            failure_count: failures.len() as u64,
            failures,
            unfinished: None,
            witnesses,
            dead_end,
            is_vacuous,
            has_runs,
            watched,
            unwatched,
            stats,
            ..Report::at_once(Shortfall::Interrupted)
        }
    }
}

struct QuestionSearch<'s, 'a, T> {
    question: &'s Question,
    session: &'s mut Session<'a>,
    stepper: &'s T,
    shared: &'s Shared,
}

/// Why the search ends before all is reached.
enum Early {
    PoolFull,
    /// It takes long.
    OutOfPatience,
    /// What is asked for fails in these states.
    Failing(Diagram),
}

impl<T: Stepper> QuestionSearch<'_, '_, T> {
    fn settle(&mut self) -> Result<Outcome, Shortfall> {
        match &self.question.asked {
            Asked::Safety { invalid_ends } => self.safety(*invalid_ends),
            Asked::Invariant(invariant) => self.invariant(invariant),
            Asked::Temporal(temporal, extended) => self.linear(temporal, extended.as_deref()),
            Asked::Ctl(property) => self.branching(|search, states, dead_ends| {
                let known = |found: &Answer<Shortfall>| search.publish(Found::of_branching(found));
                answer(&search.session.sets, property, states, dead_ends, search.stepper, known)
            }),
            Asked::Distance(distance) => self.branching(|search, states, dead_ends| {
                let known = |found: &Answer<Shortfall>| search.publish(Found::of_branching(found));
                measure(&search.session.sets, distance, states, dead_ends, search.stepper, known)
            }),
        }
    }

    /// Whether each round adds the states that are one step further away, no others.
    fn goes_by_rings(&self) -> bool {
        self.question.shortest || self.session.sets.has_one_rule().unwrap_or(false)
    }

    /// The reachable states; or fewer, and why: a state was found that `failing_in` gives, or in which the pool is full that was
    /// only a guess. The search goes on where that for an earlier question ended.
    fn reach(
        &mut self,
        failing_in: impl Fn(&BddSets<'_>, &Diagram) -> Result<Diagram, Shortfall>,
    ) -> Result<(Diagram, Option<Early>), Shortfall> {
        // What steps are is found out first, and that alone may take long.
        let may_give_up = self.question.graph_instead.is_some() && self.session.reached.is_none();
        self.session.sets.diagrams().limit_effort(may_give_up.then_some(LIST_ROUND));
        let (by_rings, sets) = (self.goes_by_rings(), &self.session.sets);
        let mut reached = match &self.session.reached {
            Some(known) => known.clone(),
            None => {
                let initial = sets.initial()?;
                let complete = sets.is_empty(&initial);
                Reached { states: initial.clone(), newest: initial, rounds: 0, complete }
            }
        };
        // What was reached for another question was not looked at for this one.
        let mut new = reached.states.clone();
        let mut counted = Instant::now();
        let early = loop {
            self.tell(&reached, &mut counted)?;
            let early = self.look(&new, &failing_in)?;
            self.session.reached = Some(reached.clone());
            if early.is_some() || reached.complete {
                break early;
            }
            if self.costs_more_than_listing(&reached)? {
                return Err(Shortfall::Effort);
            }
            if self.question.is_impatient && self.takes_long(&reached) {
                return Ok((reached.states, Some(Early::OutOfPatience)));
            }
            let sets = &self.session.sets;
            // One round may reach very much, or take very long.
            let most = self.question.graph_instead.filter(|_| self.session.count_at < u64::MAX);
            sets.diagrams().limit_effort(most.map(|_| LIST_ROUND));
            sets.safe_point()?;
            let grown = match by_rings {
                true => {
                    let from = sets.handier(&reached.newest, &reached.states);
                    sets.union(&reached.states, &sets.post(from, Steps::All)?)?
                }
                false => sets.grown(&reached.states)?,
            };
            new = sets.minus(&grown, &reached.states)?;
            if sets.is_empty(&new) {
                reached.complete = true;
            } else {
                reached = Reached { states: grown, newest: new.clone(), rounds: reached.rounds + 1, complete: false };
            }
        };
        let sets = &self.session.sets;
        // A search that ends early has not taken every step from what it reached, and a run to the failure may need one of
        // these: the transient states on the way must be known before sets are confined.
        if matches!(early, Some(Early::Failing(_))) && sets.has_transient_states() {
            sets.post(&reached.states, Steps::All)?;
        }
        sets.confine(&reached.states)?;
        if let Some(most) = self.question.graph_instead.filter(|_| early.is_none()) {
            let states = sets.count(&reached.states)?.to_u64().filter(|states| *states <= most);
            sets.diagrams().limit_effort(states.map(|states| LIST_FIRST + ANSWER_STATE * states));
        } else {
            sets.diagrams().limit_effort(None);
        }
        Ok((reached.states, early))
    }

    /// Whether listing the states found so far would have cost less. They are counted now and then.
    fn costs_more_than_listing(&mut self, reached: &Reached) -> Result<bool, Shortfall> {
        let (sets, effort) = (&self.session.sets, self.session.sets.diagrams().effort());
        let Some(most) = self.question.graph_instead.filter(|_| effort >= self.session.count_at) else {
            return Ok(false);
        };
        let states = sets.count(&reached.states)?.to_u64().filter(|states| *states <= most);
        self.session.count_at = states.map_or(u64::MAX, |_| effort + effort / 2);
        Ok(states.is_some_and(|states| effort > LIST_FIRST + LIST_STATE * states))
    }

    fn takes_long(&self, reached: &Reached) -> bool {
        let collections = self.session.sets.diagrams().figures().collections;
        reached.rounds >= LONG_ROUNDS || collections >= LONG_COLLECTIONS
    }

    /// Whether there is reason to stop among states that were not looked at before.
    fn look(
        &self,
        new: &Diagram,
        failing_in: impl Fn(&BddSets<'_>, &Diagram) -> Result<Diagram, Shortfall>,
    ) -> Result<Option<Early>, Shortfall> {
        let sets = &self.session.sets;
        if self.question.pool_may_grow && !sets.is_empty(&sets.faulty(new, Faults::PoolFull)?) {
            return Ok(Some(Early::PoolFull));
        }
        let failing = failing_in(sets, new)?;
        Ok((!sets.is_empty(&failing)).then_some(Early::Failing(failing)))
    }

    /// Tells how far the search is, now and then with the number of states.
    fn tell(&self, reached: &Reached, counted: &mut Instant) -> Result<(), Shortfall> {
        let sets = &self.session.sets;
        let is_time = counted.elapsed() >= COUNT_INTERVAL;
        let countable = is_time && sets.diagrams().size_of(&reached.states) <= MOST_COUNTED;
        if is_time {
            *counted = Instant::now();
        }
        let states = countable.then(|| sets.count(&reached.states)).transpose()?;
        let states = states.map(|states| states.to_u64().unwrap_or(u64::MAX));
        self.shared.tell(states, reached.rounds, sets.diagrams().bytes());
        Ok(())
    }

    fn safety(&mut self, invalid_ends: bool) -> Result<Outcome, Shortfall> {
        let (reached, failing) = match self.reach(|sets, new| failing(sets, new, invalid_ends))? {
            (_, None) => return Ok(Outcome::Found(Found::plain(Verdict::of_exhausted(Exactness::Exact)))),
            (_, Some(Early::PoolFull)) => return Ok(Outcome::PoolTooSmall),
            (_, Some(Early::OutOfPatience)) => return Ok(Outcome::OutOfPatience),
            (reached, Some(Early::Failing(failing))) => (reached, failing),
        };
        let sets = &self.session.sets;
        let path_to = |goal: &Diagram| path_between(sets, &sets.initial()?, &reached, goal);
        let mut states = path_to(&failing)?.expect("what was reached is reached from an initial state");
        // One more step leads from a state to its fault: a dead end that is as near is nearer.
        let ends = sets.minus(&failing, &sets.faulty(&failing, Faults::Any)?)?;
        if self.question.shortest && !sets.is_empty(&ends) {
            states = path_to(&ends)?.filter(|nearer| nearer.len() <= states.len()).unwrap_or(states);
        }
        let end = &states[states.len() - 1];
        let mut steps: Vec<TraceStep> = states.windows(2).map(|ends| self.step(&ends[0], &ends[1])).collect();
        let kind = match self.stepper.fault(end) {
            Some((step, fault)) => {
                steps.push(step);
                FailureKind::Fault(fault)
            }
            None => FailureKind::InvalidEnd,
        };
        let trace = Trace { initial: states[0].clone(), steps, loop_start: None, decided: None };
        Ok(Outcome::Found(Found::plain(Verdict::Fails(Evidence { kind, trace }))))
    }

    fn invariant(&mut self, invariant: &Invariant) -> Result<Outcome, Shortfall> {
        let (reached, early) = self.reach(|sets, new| invariant.violations(sets, new))?;
        let sets = &self.session.sets;
        Ok(match early {
            Some(Early::PoolFull) => Outcome::PoolTooSmall,
            Some(Early::OutOfPatience) => Outcome::OutOfPatience,
            Some(Early::Failing(bad)) => {
                let evidence = invariant.evidence(sets, &reached, &bad, self.stepper)?;
                Outcome::Found(Found::plain(Verdict::Fails(evidence)))
            }
            None => {
                let holds = Found::plain(Verdict::of_exhausted(Exactness::Exact));
                self.publish(Found { unwatched: true, ..holds.clone() });
                let watched = invariant.watched(sets, &reached).ok();
                // Asked for after the last property in any case.
                let is_cut = self.question.system.dead_ends == DeadEnds::Cut;
                let ends = if is_cut { sets.dead_ends(&reached).ok() } else { None };
                let dead_end = ends.map(|ends| !sets.is_empty(&ends));
                Outcome::Found(Found { unwatched: watched.is_none(), watched, dead_end, ..holds })
            }
        })
    }

    /// A property of linear time, perhaps of a system that was extended for it.
    fn linear(&mut self, temporal: &Temporal, extended: Option<&Extended>) -> Result<Outcome, Shortfall> {
        let (reached, early) = self.reach(|sets, _| Ok(sets.empty()))?;
        match early {
            None => {}
            Some(Early::OutOfPatience) => return Ok(Outcome::OutOfPatience),
            Some(Early::PoolFull | Early::Failing(_)) => return Ok(Outcome::PoolTooSmall),
        }
        let &Question { ref system, ref constraints, how, .. } = self.question;
        let sets = &self.session.sets;
        // A tester may end where the system goes on.
        let dead_end = match extended {
            Some(_) => None,
            None => Some(!sets.is_empty(&sets.dead_ends(&reached)?)),
        };
        let property = LinearTime { system, constraints, temporal, extended, how };
        let diagrams = sets.diagrams();
        let before = diagrams.effort();
        let known = |report: &Report| {
            self.publish(Found::of_linear(report, dead_end));
            diagrams.limit_effort(Some(((diagrams.effort() - before) / REMARK_PART).max(REMARK_LEAST)));
        };
        let settle = |reached: &Diagram| property.report(sets, reached, self.stepper, known);
        let labels = extended.is_none().then(|| self.labels_of_states(temporal)).flatten();
        let report = match labels {
            Some(labels) => sets.without_forgettable(&labels, &reached, settle),
            None => settle(&reached),
        };
        diagrams.limit_effort(None);
        Ok(Outcome::Found(Found::of_linear(&report?, dead_end)))
    }

    /// What is found is the answer, whatever becomes of the search from now on.
    fn publish(&self, found: Found) {
        self.shared.publish(found.report(self.stats()));
    }

    /// The labels by which the property tells runs apart; `None` if it looks at what else is possible.
    fn labels_of_states(&self, temporal: &Temporal) -> Option<Vec<LabelId>> {
        let Question { system, constraints, .. } = self.question;
        let conditions: Vec<Condition> = constraints.iter().flat_map(Constraint::conditions).collect();
        let is_possibility = |one: &Condition| matches!(one, Condition::Enabled(_) | Condition::NotEnabled(_));
        if system.dead_ends == DeadEnds::Stutter || conditions.iter().any(is_possibility) {
            return None;
        }
        Some(temporal.labels.iter().copied().chain(conditions.into_iter().filter_map(Condition::label)).collect())
    }

    fn step(&self, from: &[u64], to: &[u64]) -> TraceStep {
        self.stepper.step(from, to, &Steps::All).expect("neighbours on a way are joined by a step")
    }

    /// Reaches all states, and then finds the answer about them.
    fn branching(
        &mut self,
        answer: impl FnOnce(&Self, FairStates<Diagram>, DeadEnds) -> Result<Answer<Shortfall>, Shortfall>,
    ) -> Result<Outcome, Shortfall> {
        let (reached, early) = self.reach(|sets, _| Ok(sets.empty()))?;
        match early {
            None => {}
            Some(Early::OutOfPatience) => return Ok(Outcome::OutOfPatience),
            Some(Early::PoolFull | Early::Failing(_)) => return Ok(Outcome::PoolTooSmall),
        }
        let states = self.fair_states(reached)?;
        let found = answer(self, states, self.question.system.dead_ends)?;
        match found.unexplained {
            Some(shortfall @ Shortfall::Memory { .. }) if !self.session.is_last => Err(shortfall),
            // Only the effort was limited: a graph may have the run, too.
            Some(shortfall @ Shortfall::Interrupted)
                if self.question.graph_instead.is_some() && self.shared.check().is_ok() =>
            {
                Err(shortfall)
            }
            _ => Ok(Outcome::Found(Found::of_branching(&found))),
        }
    }

    /// The states of fair runs; those of an earlier question if the constraints are the same. All states were reached.
    fn fair_states(&mut self, reached: Diagram) -> Result<FairStates<Diagram>, Shortfall> {
        let system = &self.question.system;
        let constraints = &self.question.constraints;
        let meaning = meaning_of(constraints, system);
        if let Some((known, states)) = &self.session.fair
            && *known == meaning
        {
            return states.renamed(&self.session.sets, constraints);
        }
        let states = FairStates::new(&self.session.sets, reached, system.dead_ends, constraints, self.question.how)?;
        self.session.fair = Some((meaning, states.clone()));
        Ok(states)
    }

    fn stats(&self) -> Stats {
        let Session { sets, reached, .. } = &*self.session;
        let none = sets.empty();
        let (seen, rounds) = reached.as_ref().map_or((&none, 0), |reached| (&reached.states, reached.rounds));
        let states: Natural = sets.count(seen).unwrap_or_default();
        let figures = sets.diagrams().figures();
        let bytes = sets.diagrams().bytes();
        let whole = states.to_u64().unwrap_or(u64::MAX);
        let depth = if self.goes_by_rings() { rounds } else { 0 };
        self.shared.tell(Some(whole), depth, bytes);
        Stats {
            states: whole,
            depth,
            bytes_per_state: bytes as f64 / whole.max(1) as f64,
            symbolic: Some(SymbolicFigures {
                states,
                complete: reached.as_ref().is_some_and(|reached| reached.complete),
                passes: (!self.goes_by_rings()).then_some(rounds),
                variables: sets.state_variables() as u64,
                nodes: sets.diagrams().size_of(seen) as u64,
                peak_nodes: figures.peak_nodes as u64,
                images: sets.images(),
                reorderings: figures.reorderings,
                order: sets.named_order(),
                cone: None,
            }),
            ..Stats::default()
        }
    }
}
