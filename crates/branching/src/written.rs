//! A graph that is written out for a property, and kept for the next property of the model.
//!
//! Only labels differ between the properties of a model. Those of states are read anew; steps are listed again only if steps
//! have other labels. That a graph is too large is kept too.

use lariat_engine::{GraphLimit, RunControl, Shortfall};
use lariat_space::{Enumerated, StateSpace};
use lariat_system::{Action, Expr, LabelId, LabelMeaning, System, Update};
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// The states expanded before it is guessed how many steps there are.
const SAMPLE: usize = 16;
/// A guess counts if it is so many times the steps there may be.
const MARGIN: usize = 2;

/// What became of writing a graph out.
pub(crate) struct Written {
    /// The system without the labels of a property.
    system: System,
    /// The labels of steps that `graph` knows.
    step_labels: Vec<(LabelId, LabelMeaning)>,
    limit: Option<GraphLimit>,
    /// The limit if it is larger than that.
    pub(crate) graph: Result<Enumerated, GraphLimit>,
    /// The memory that the graph takes.
    pub(crate) bytes: u64,
}

/// Why a graph was not written out.
enum Stopped {
    TooLarge(GraphLimit),
    Short(Shortfall),
}

impl From<Shortfall> for Stopped {
    fn from(shortfall: Shortfall) -> Self {
        Self::Short(shortfall)
    }
}

impl Written {
    /// The graph of `space`, which is that of `system`; what `kept` knows is used. Its bytes are taken from the budget.
    pub(crate) fn new<S: StateSpace>(
        kept: Option<Self>,
        space: &S,
        system: &System,
        limit: Option<GraphLimit>,
        control: &RunControl,
    ) -> Result<Self, Shortfall> {
        let suitable = kept.filter(|kept| kept.suits(system, limit));
        if let Some(mut kept) = suitable.filter(|kept| control.budget.take(kept.bytes).is_ok()) {
            kept.relabel(space);
            return Ok(kept);
        }
        let taken = Cell::new(0);
        let graph = match write(space, limit.map(|limit| (limit, Weight::of(system))), control, &taken) {
            Ok(graph) => Ok(graph),
            Err(stopped) => {
                control.budget.give_back(taken.replace(0));
                match stopped {
                    Stopped::TooLarge(limit) => Err(limit),
                    Stopped::Short(shortfall) => return Err(shortfall),
                }
            }
        };
        Ok(Self { system: system.unlabelled(), step_labels: step_labels(system), limit, graph, bytes: taken.get() })
    }

    /// Whether the graph is that of the system, but for labels of states.
    ///
    /// A graph that is small enough was written out whatever its limit was, and one that is too large for a limit is so for less.
    fn suits(&self, system: &System, limit: Option<GraphLimit>) -> bool {
        let fits = self.limit == limit
            || match &self.graph {
                Ok(graph) => limit.is_none_or(|limit| is_within(graph, limit)),
                Err(least) => limit.is_some_and(|limit| is_at_most(limit, *least)),
            };
        fits && (self.graph.is_err() || self.step_labels == step_labels(system)) && self.system == system.unlabelled()
    }

    /// Whether this is the graph of the system, but for labels of states, and larger than the limit.
    pub(crate) fn exceeds(&self, system: &System, limit: Option<GraphLimit>) -> Option<GraphLimit> {
        let graph = self.graph.as_ref().ok()?;
        let limit = limit.filter(|limit| Some(*limit) != self.limit && !is_within(graph, *limit))?;
        (self.system == system.unlabelled()).then_some(limit)
    }

    /// Reads the labels of states.
    fn relabel<S: StateSpace>(&mut self, space: &S) {
        if let Ok(graph) = &mut self.graph {
            let scratch = &mut space.scratch();
            graph.labels = graph.states.iter().map(|state| space.labels(state, scratch)).collect();
        }
    }
}

fn step_labels(system: &System) -> Vec<(LabelId, LabelMeaning)> {
    let is_of_steps = |meaning: &LabelMeaning| !matches!(meaning, LabelMeaning::State(_));
    let labels = system.labels.entries().filter(|(_, label)| is_of_steps(&label.meaning));
    labels.map(|(id, label)| (id, label.meaning.clone())).collect()
}

fn is_within(graph: &Enumerated, limit: GraphLimit) -> bool {
    graph.states.len() <= limit.states && graph.transitions() <= limit.steps
}

/// Whether a limit is another one or less in all.
fn is_at_most(less: GraphLimit, limit: GraphLimit) -> bool {
    let evaluated = |limit: GraphLimit| limit.evaluated.unwrap_or(usize::MAX);
    less.states <= limit.states && less.steps <= limit.steps && evaluated(less) <= evaluated(limit)
}

/// A graph that may not be large is given up where the choices of one state are tried more often.
const MOST_TRIES: u64 = 1 << 20;

fn write<S: StateSpace>(
    space: &S,
    limit: Option<(GraphLimit, Weight)>,
    control: &RunControl,
    taken: &Cell<u64>,
) -> Result<Enumerated, Stopped> {
    let looks = Cell::new(0_usize);
    Enumerated::watched(space, |graph, bytes, underway| {
        if let Some(underway) = underway.filter(|underway| underway.actions > 0) {
            control.check()?;
            // Whose steps are that many to try has no small graph.
            let is_long = |&(limit, weight): &(GraphLimit, Weight)| {
                let evaluated = weight.conjunct.saturating_mul(underway.actions as usize);
                underway.actions > MOST_TRIES || limit.evaluated.is_some_and(|most| evaluated > most)
            };
            if let Some((limit, _)) = limit.filter(is_long) {
                return Err(Stopped::TooLarge(limit));
            }
        }
        // It is called for each initial state, and then for each step.
        looks.set(looks.get() + 1);
        let steps = if graph.initial == 0 { 0 } else { looks.get() - graph.initial };
        if looks.get().is_multiple_of(256) {
            control.check()?;
            control.counters.states.store(graph.states.len() as u64, Ordering::Relaxed);
        }
        if bytes > taken.get() {
            let more = (bytes - taken.get()).max(1 << 16);
            control.budget.take(more).map_err(Shortfall::from)?;
            taken.set(taken.get() + more);
        }
        match limit {
            Some((limit, weight)) if is_larger(graph, steps, weight, limit) => Err(Stopped::TooLarge(limit)),
            _ => Ok(()),
        }
    })
}

/// Whether the graph, of which so many steps were listed, is larger; or seems to become so, if the states that wait have as
/// many steps as those that were expanded.
fn is_larger(graph: &Enumerated, steps: usize, weight: Weight, limit: GraphLimit) -> bool {
    let (states, expanded) = (graph.states.len(), graph.expanded());
    let guess = if expanded < SAMPLE { steps } else { steps / expanded * states / MARGIN };
    let evaluated = expanded.saturating_mul(weight.all).saturating_add(steps.saturating_mul(weight.step));
    states > limit.states || steps.max(guess) > limit.steps || limit.evaluated.is_some_and(|most| evaluated > most)
}

/// How many parts the expressions of actions have.
#[derive(Clone, Copy)]
struct Weight {
    /// Those of all actions.
    all: usize,
    /// On average, those that are evaluated for one more step with other choices: the effect of the action and one conjunct.
    step: usize,
    /// On average, those of a conjunct of a guard.
    conjunct: usize,
}

impl Weight {
    fn of(system: &System) -> Self {
        let of_update = |update: &Update| if let Update::Set(_, value) = update { parts(value) } else { 1 };
        let conjuncts = || system.actions.iter().flat_map(|action: &Action| action.guard.conjuncts());
        let guards: usize = conjuncts().map(parts).sum();
        let effects: usize = system.actions.iter().flat_map(|action| &action.updates).map(of_update).sum();
        let conjunct = guards / conjuncts().count().max(1);
        Self { all: guards + effects, step: effects / system.actions.len().max(1) + conjunct, conjunct }
    }
}

fn parts(expr: &Expr) -> usize {
    let mut count = 1;
    expr.for_each_part(|part| count += parts(part));
    count
}
