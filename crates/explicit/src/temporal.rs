//! The engines for temporal properties: the product of a system with an automaton, searched for accepting cycles.

use crate::cycle::{Cycles, Lasso, Nested, every_scc, layered_scc, magic, nested, scc};
use crate::engines::{backend_of, insist_on_code};
use crate::reduction::{self, Reducing};
use crate::retrace::states_to;
use crate::suspicion::Suspicion;
use lariat_automata::{Acceptance, Automaton, Mark, TranslateOptions, degeneralize};
use lariat_base::{Id, Span};
use lariat_engine::{
    Engine, EngineError, Evidence, FailureKind, Options, Property, Refusal, Report, RunControl, Shortfall, Stats,
    StoreKind, Task, Temporal, Trace, TraceStep, Verdict, Watched,
};
use lariat_exec::{Backend, Use, with_program};
use lariat_space::{AutomatonObserver, Constraint, Degeneralized, Observer, Outcome, Product, State, StateSpace, Who};
use lariat_store::{Exactness, FlatStore, Full, NoteWidth, Noted, Notes, TreeStore};
use lariat_system::{Expr, Fairness, Label, LabelId, LabelMeaning, System};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// An engine that looks for accepting cycles of a product while its graph is being built.
#[derive(Clone, Copy, Debug)]
pub struct CycleSearch {
    kernel: Kernel,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kernel {
    Scc,
    Nested(Nested),
    Magic,
}

impl CycleSearch {
    /// `scc`: strongly connected components; any acceptance, any fairness. Where the automaton rules cycles out, any number
    /// of threads.
    pub const SCC: Self = Self { kernel: Kernel::Scc };
    /// `ndfs`: nested depth-first search with early detection.
    pub const NDFS: Self = Self { kernel: Kernel::Nested(Nested::Ndfs) };
    /// `magic`: both searches on one stack.
    pub const MAGIC: Self = Self { kernel: Kernel::Magic };
    /// `cvwy-a`: one search after the other.
    pub const CVWY_A: Self = Self { kernel: Kernel::Nested(Nested::CvwyA) };
    /// `cvwy-b`: interleaved searches.
    pub const CVWY_B: Self = Self { kernel: Kernel::Nested(Nested::CvwyB) };
}

impl Engine for CycleSearch {
    fn name(&self) -> &'static str {
        match self.kernel {
            Kernel::Scc => "scc",
            Kernel::Magic => "magic",
            Kernel::Nested(Nested::Ndfs) => "ndfs",
            Kernel::Nested(Nested::CvwyA) => "cvwy-a",
            Kernel::Nested(Nested::CvwyB) => "cvwy-b",
        }
    }

    fn most_threads(&self) -> usize {
        if self.kernel == Kernel::Scc { usize::MAX } else { 1 }
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        let refuse = |reason: &str| Err(Refusal { reason: reason.to_owned() });
        let Property::Temporal(temporal) = &task.property else {
            return refuse("it looks for cycles; for `safety` there are `bfs` and `dfs`");
        };
        reduction::admits(task)?;
        let Options {
            store,
            keep_going,
            shortest,
            pool_may_grow: _,
            depth_limit,
            threads,
            code: _,
            profile,
            reduce: _,
        } = task.options;
        match store {
            _ if shortest => refuse("it does not find a shortest run"),
            _ if depth_limit.is_some() => {
                refuse("a depth-first search with a bound misses part of what lies within it")
            }
            _ if threads > self.most_threads() => refuse("it has one thread"),
            _ if profile => refuse("`--profile` is for `safety`"),
            _ if keep_going && self.kernel != Kernel::Scc => refuse("it ends at the first bad run; `scc` can go on"),
            StoreKind::Tree | StoreKind::Flat => Ok(()),
        }?;
        if self.kernel == Kernel::Scc {
            return Ok(());
        }
        if task.system.fairness.iter().any(is_strong) {
            return refuse("strong fairness is no Büchi acceptance; `scc` does it");
        }
        if temporal.bad.acceptance.as_generalized_buchi().is_none() {
            return refuse("the automaton's acceptance is no generalised Büchi acceptance; `scc` takes any");
        }
        Ok(())
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        let Property::Temporal(temporal) = &task.property else {
            return Err(EngineError { reason: "it looks for cycles".to_owned() });
        };
        let (system, constraints) = constraints(task.system);
        let run = Run { kernel: self.kernel, task, temporal, constraints, control };
        with_program(&system, backend_of(&task.options), Reducing { task, what: run })
            .map_err(|error| EngineError { reason: error.to_string() })?
    }
}

fn is_strong(constraint: &Fairness) -> bool {
    matches!(constraint, Fairness::Compassion(..) | Fairness::Strong(_))
}

/// The fairness of a system in terms of what its steps carry. Where a constraint names actions, the system gets a further
/// label that these carry.
fn constraints(system: &System) -> (Cow<'_, System>, Vec<Constraint>) {
    let mut system = Cow::Borrowed(system);
    let mut constraints = Vec::new();
    for constraint in system.fairness.clone() {
        let mark = |label: LabelId| Mark(label.0);
        let mut who = |who: &lariat_system::Who| match who {
            lariat_system::Who::Process(position) => Who::Process(*position),
            lariat_system::Who::Actions(actions) => Who::Carrying(mark(label_actions(system.to_mut(), actions))),
        };
        constraints.push(match &constraint {
            Fairness::Justice(label) => Constraint::Justice(mark(*label)),
            Fairness::Compassion(asked, given) => Constraint::Compassion(mark(*asked), mark(*given)),
            Fairness::Weak(of) => Constraint::Weak(who(of)),
            Fairness::Strong(of) => Constraint::Strong(who(of)),
        });
    }
    (system, constraints)
}

/// A new label that these actions carry.
fn label_actions(system: &mut System, actions: &[lariat_system::ActionId]) -> LabelId {
    let name = format!("fair {}", system.labels.len());
    let label = system.labels.push(Label { name, meaning: LabelMeaning::Step, span: Span::NONE });
    for &action in actions {
        system.actions[action].labels.push((label, Expr::TRUE));
    }
    label
}

/// A search of the product with whatever the system becomes.
struct Run<'a> {
    kernel: Kernel,
    task: &'a Task<'a>,
    temporal: &'a Temporal,
    constraints: Vec<Constraint>,
    control: &'a RunControl,
}

impl Use for Run<'_> {
    type Output = Result<Report, EngineError>;

    fn of<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        let Self { kernel, task, temporal, constraints, control } = self;
        insist_on_code(&task.options, backend)?;
        let bad = if kernel == Kernel::Scc || !constraints.is_empty() || is_state_buchi(&temporal.bad) {
            Cow::Borrowed(&temporal.bad)
        } else {
            let made = degeneralize(&temporal.bad, &TranslateOptions::default());
            Cow::Owned(made.map_err(|too_large| EngineError { reason: too_large.to_string() })?)
        };
        let labels: Vec<Mark> = temporal.labels.iter().map(|label| Mark(label.0)).collect();
        let of_states = |label: &LabelId| matches!(task.system.labels[*label].meaning, LabelMeaning::State(_));
        let observer = AutomatonObserver::new(&bad, &labels, !temporal.labels.iter().all(of_states));
        let is_plain = constraints.is_empty();
        let product = Product::new(space, &observer, bad.mark_count(), constraints, task.system.dead_ends)
            .with_growing_pool(task.options.pool_may_grow);
        let search = Search { kernel, task, control, system_words: space.words_per_state() };
        let mut report = match kernel {
            Kernel::Scc => search.run_suspecting(&product, &bad),
            Kernel::Nested(_) | Kernel::Magic if is_plain => search.run(&product, &Acceptance::buchi(), None),
            Kernel::Nested(_) | Kernel::Magic => {
                let copies = Degeneralized::new(&product, product.acceptance());
                let copies = copies.expect("an engine admits generalised Büchi acceptance only");
                search.run(&copies, &Acceptance::buchi(), None)
            }
        };
        report.pool_was_full = product.pool_was_full();
        if report.verdict == Verdict::Holds {
            let idle_constraints = product.idle_constraints();
            report.watched = Some(Watched { letters: observer.letters_read(), idle_constraints });
        }
        Ok(report)
    }
}

/// Whether acceptance is by states, each of which has mark 0 on all edges that leave it or on none.
fn is_state_buchi(automaton: &Automaton) -> bool {
    automaton.acceptance == Acceptance::buchi() && automaton.is_state_based()
}

/// A search of one product.
struct Search<'a> {
    kernel: Kernel,
    task: &'a Task<'a>,
    control: &'a RunControl,
    /// How much of a state of the product is a state of the system.
    system_words: usize,
}

/// Which states of a product can be on accepting cycles.
type CanAccept<'a> = &'a (dyn Fn(&State) -> bool + Sync);

impl Search<'_> {
    /// Looks for cycles only in components of the automaton that are under suspicion.
    fn run_suspecting<S: StateSpace, O: Observer>(&self, product: &Product<'_, S, O>, bad: &Automaton) -> Report {
        let acceptance = product.acceptance();
        let mut suspicion = Suspicion::new(bad, acceptance);
        loop {
            if suspicion.is_general() {
                return self.run(product, acceptance, None);
            }
            let watched = suspicion.watch(product, acceptance);
            let can_accept = |state: &State| suspicion.suspects(product.split(state).1);
            let report = self.run(&watched, acceptance, Some(&can_accept));
            match watched.guilty() {
                Some(component) => suspicion.add(component),
                None => return report,
            }
        }
    }

    fn run<P: StateSpace>(&self, product: &P, acceptance: &Acceptance, can_accept: Option<CanAccept<'_>>) -> Report {
        let (words, budget) = (product.words_per_state(), &self.control.budget);
        match self.task.options.store {
            StoreKind::Tree => {
                let width = if self.kernel == Kernel::Scc { NoteWidth::Number } else { NoteWidth::Byte };
                self.run_over(product, acceptance, can_accept, TreeStore::noted(words, budget, width))
            }
            StoreKind::Flat => {
                let store = FlatStore::new(words, budget).map(|store| Noted::new(store, budget));
                self.run_over(product, acceptance, can_accept, store)
            }
        }
    }

    fn run_over<P: StateSpace, T: Notes>(
        &self,
        product: &P,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
        store: Result<T, Full>,
    ) -> Report {
        let (control, options) = (self.control, &self.task.options);
        let store = match store {
            Ok(store) => store,
            Err(full) => return Report::at_once(full.into()),
        };
        let mut cycles = match (self.kernel, can_accept) {
            (Kernel::Scc, Some(can_accept)) => layered_scc(product, can_accept, acceptance, &store, options, control),
            (Kernel::Scc, None) if options.keep_going => every_scc(product, acceptance, &store, control),
            (Kernel::Scc, None) => scc(product, acceptance, &store, control),
            (Kernel::Nested(which), _) => nested(which, product, &store, control),
            (Kernel::Magic, _) => magic(product, &store, control),
        };
        let (states, bytes, exactness) = (store.len(), store.bytes(), store.exactness());
        // What the search took is free again for finding the way to the cycle.
        drop(store);
        if can_accept.is_some()
            && let Some(lasso) = &mut cycles.lasso
            && let Err(shortfall) = lead_to(product, lasso, control)
        {
            (cycles.lasso, cycles.unfinished) = (None, Some(shortfall));
        }
        self.report(product, cycles, states, bytes, exactness)
    }

    fn report<P: StateSpace>(
        &self,
        product: &P,
        cycles: Cycles,
        states: u64,
        bytes: u64,
        exactness: Exactness,
    ) -> Report {
        let Cycles { lasso, unfinished, transitions, depth, refinements, count, digest } = cycles;
        let evidence = lasso.map(|lasso| Evidence { kind: FailureKind::Cycle, trace: self.trace(product, &lasso) });
        let verdict = match (&evidence, unfinished) {
            (Some(evidence), _) => Verdict::Fails(evidence.clone()),
            (None, Some(shortfall)) => Verdict::Undecided(shortfall),
            (None, None) => Verdict::of_exhausted(exactness),
        };
        let whole = verdict == Verdict::Holds || self.task.options.keep_going && unfinished.is_none();
        Report {
            verdict,
            exactness,
            failure_count: count,
            failures: evidence.into_iter().collect(),
            pool_was_full: false,
            unfinished,
            taken: None,
            stats: Stats {
                states,
                transitions,
                depth,
                bytes_per_state: bytes as f64 / states.max(1) as f64,
                peak_budget_bytes: self.control.budget.peak_bytes(),
                digest: whole.then_some(digest),
                elapsed: self.control.started.elapsed(),
                refinements,
            },
            profile: None,
            watched: None,
        }
    }

    /// The run of the system that a lasso of the product is.
    fn trace<P: StateSpace>(&self, product: &P, lasso: &Lasso) -> Trace {
        let words = self.system_words;
        let labels = self.task.system.labels.len();
        let mut scratch = product.scratch();
        let states: Vec<&Vec<u64>> = lasso.stem.iter().chain(&lasso.cycle).collect();
        let loop_start = lasso.stem.len();
        let steps = states.iter().enumerate().map(|(number, source)| {
            let target = states.get(number + 1).unwrap_or(&states[loop_start]);
            // On the loop marks count: of several steps to the same state it is the one that carries them.
            let wanted = number.checked_sub(loop_start).map(|number| &lasso.marks[number]);
            let found = product.steps(source, &mut scratch, |step| {
                let fits = step.target == Outcome::State(target) && wanted.is_none_or(|marks| marks == step.marks);
                if fits {
                    ControlFlow::Break((step.via.to_vec(), step.labels.clone()))
                } else {
                    ControlFlow::Continue(())
                }
            });
            let (via, carried) = found.break_value().expect("a state has a step to the next one of the run");
            let own = carried.iter().map(|mark| LabelId(mark.0)).filter(|label| label.index() < labels);
            TraceStep { via, labels: Some(own.collect()), target: Some(target[..words].to_vec()) }
        });
        Trace { initial: states[0][..words].to_vec(), steps: steps.collect(), loop_start: Some(loop_start) }
    }
}

/// Puts before the stem of a lasso the way from an initial state to where it begins.
fn lead_to<P: StateSpace>(product: &P, lasso: &mut Lasso, control: &RunControl) -> Result<(), Shortfall> {
    let first = lasso.stem.first().unwrap_or(&lasso.cycle[0]);
    let make_store = || TreeStore::new(product.words_per_state(), &control.budget);
    let mut way = states_to(product, &make_store, first, control)?;
    way.pop();
    lasso.stem.splice(..0, way);
    Ok(())
}
