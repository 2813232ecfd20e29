//! The engines for temporal properties: the product of a system with an automaton, searched for accepting cycles.

use crate::cycle::{
    Cycles, Lasso, MOST_NOTE, Nested, every_magic, every_scc, kosaraju, layered_scc, magic, nested, scc,
};
use crate::engines::{backend_of, insist_on_code, state_bits};
use crate::reduction::{self, Reducing};
use crate::report::Memory;
use crate::retrace::states_to;
use crate::rung::{self, Abilities};
use crate::stack::{Kept, Pair, Spill, online, pair};
use crate::suspicion::Suspicion;
use lariat_automata::{
    Acceptance, Analysis, Automaton, Mark, TranslateOptions, complement_of_weak, degeneralize, follows_every_word,
};
use lariat_base::{Id, Span};
use lariat_engine::{
    AcceptanceKind, Engine, EngineError, Evidence, FailureKind, Options, Packing, Property, Refusal, Report,
    RunControl, Shortfall, Split, Stats, StoreKind, Task, Temporal, Trace, TraceStep, Verdict, Watched,
};
use lariat_exec::{Backend, Use, with_program};
use lariat_space::{
    AnySpace, AutomatonObserver, Constraint, Degeneralized, Observer, Outcome, Product, State, StateSpace, Who,
};
use lariat_store::{
    Bitstate, Cache, Compact, FlatStore, Full, Hybrid, KnowsPath, NoteWidth, Noted, NotedTree, Notes, TailWord,
    TreeStore, Visited,
};
use lariat_system::{Expr, Fairness, Label, LabelId, LabelMeaning, Position, Role, System};
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
    Online,
    Kosaraju,
}

impl Kernel {
    /// Whether it knows accepting states only, and looks for a cycle through one of them by two searches.
    fn is_nested(self) -> bool {
        matches!(self, Self::Nested(_) | Self::Magic)
    }
    /// The greatest note that it keeps with a state.
    fn most_note(self) -> u32 {
        match self {
            Self::Scc | Self::Kosaraju => u32::MAX - 1,
            Self::Nested(nested) => nested.most_note(),
            Self::Magic | Self::Online => MOST_NOTE,
        }
    }
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
    /// `kosaraju`: strongly connected components of the stored graph, by predecessors.
    pub const KOSARAJU: Self = Self { kernel: Kernel::Kosaraju };
    /// `online`: one search, with a deterministic automaton of the good runs.
    pub const ONLINE: Self = Self { kernel: Kernel::Online };
}

impl CycleSearch {
    fn abilities(&self) -> Abilities {
        const NOTES: &str = "it keeps numbers with states; `magic` keeps a stack of states instead";
        let able = |lossy, cache| Abilities { lossy, cache, own_stack: false };
        match self.kernel {
            Kernel::Scc | Kernel::Kosaraju | Kernel::Nested(Nested::Ndfs) => able(Err(NOTES), Err(NOTES)),
            Kernel::Magic => able(Ok(()), Ok(())),
            Kernel::Online => {
                let lossy = Err("it must know for certain which states are on its path");
                Abilities { lossy, cache: Ok(()), own_stack: true }
            }
            Kernel::Nested(Nested::CvwyA) => {
                able(Ok(()), Err("its queue is right only if no state is left twice; `magic` can do with it"))
            }
            Kernel::Nested(Nested::CvwyB) => able(Ok(()), Err("`magic` is the same search for it")),
        }
    }
}

impl Engine for CycleSearch {
    fn name(&self) -> &'static str {
        match self.kernel {
            Kernel::Scc => "scc",
            Kernel::Magic => "magic",
            Kernel::Online => "online",
            Kernel::Kosaraju => "kosaraju",
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
            store: _,
            keep_going,
            shortest,
            pool_may_grow: _,
            depth_limit,
            threads,
            code: _,
            profile,
            reduce: _,
            seed: _,
            runs: _,
            disk: _,
            acceptance,
        } = task.options;
        match () {
            _ if shortest => refuse("it does not find a shortest run"),
            _ if depth_limit.is_some() => {
                refuse("a depth-first search with a bound misses part of what lies within it")
            }
            _ if threads > self.most_threads() => refuse("it has one thread"),
            _ if profile => refuse("`--profile` is for `safety`"),
            _ if keep_going && (self.kernel == Kernel::Online || matches!(self.kernel, Kernel::Nested(_))) => {
                refuse("it ends at the first bad run; `scc`, `kosaraju` and `magic` can go on")
            }
            _ if keep_going && self.kernel == Kernel::Magic && !task.options.store.keeps_all() => {
                refuse("with a store that does not keep all states it ends at the first bad run")
            }
            () => rung::admits(&task.options, self.abilities()),
        }?;
        let has_fairness = !task.system.fairness.is_empty();
        let is_strong = task.system.fairness.iter().any(is_strong);
        let is_generalised = temporal.bad.acceptance.as_generalized_buchi().is_some();
        if self.kernel == Kernel::Online {
            return match () {
                _ if has_fairness => {
                    refuse("under fairness no deterministic Büchi automaton tells good runs; `scc` does it")
                }
                _ if acceptance == AcceptanceKind::Copies => refuse("it has no copies; `scc` can do with them"),
                _ if !Analysis::of(&temporal.bad).is_weak() => refuse(
                    "no deterministic Büchi automaton of the good runs is at hand: that of the bad runs is not weak; \
                     `scc` takes any",
                ),
                () => Ok(()),
            };
        }
        match acceptance {
            AcceptanceKind::Generalised
                if self.kernel.is_nested() && (has_fairness || !is_state_buchi(&temporal.bad)) =>
            {
                refuse(
                    "it knows one set of accepting states, and this property needs copies; `scc` and `kosaraju` do without",
                )
            }
            _ if self.kernel.is_nested() && is_strong => {
                refuse("strong fairness is no Büchi acceptance; `scc` does it")
            }
            _ if self.kernel.is_nested() && !is_generalised => {
                refuse("the automaton's acceptance is no generalised Büchi acceptance; `scc` takes any")
            }
            AcceptanceKind::Copies if is_strong => {
                refuse("strong fairness has no copies, being no Büchi acceptance; `--acceptance generalised` does it")
            }
            AcceptanceKind::Copies if !is_generalised => {
                refuse("only generalised Büchi acceptance has copies, and that of the automaton is another")
            }
            _ if self.kernel == Kernel::Kosaraju
                && (is_strong || !temporal.bad.acceptance.polarities().1.is_empty()) =>
            {
                refuse(
                    "acceptance says what must not happen for ever, for which components are taken apart; `scc` does that",
                )
            }
            _ => Ok(()),
        }
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
/// label that these carry; and one for who acts, where paths that differ in that alone could be taken for one.
fn constraints(system: &System) -> (Cow<'_, System>, Vec<Constraint>) {
    let mut system = Cow::Borrowed(system);
    let mut constraints = Vec::new();
    for constraint in system.fairness.clone() {
        let mark = |label: LabelId| Mark(label.0);
        let mut who = |who: &lariat_system::Who| match who {
            lariat_system::Who::Process(position) => {
                if system.actions.iter().any(|action| action.hold.is_some() && action.participants.len() > 1) {
                    label_actor(system.to_mut(), *position);
                }
                Who::Process(*position)
            }
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

fn new_label(system: &mut System) -> LabelId {
    let name = format!("fair {}", system.labels.len());
    system.labels.push(Label { name, meaning: LabelMeaning::Step, span: Span::NONE })
}

/// Gives the system a label that every action carries in which this process is the acting one. Paths through an atomic
/// sequence that come to the same state with the same labels and participants are followed as one: after a rendezvous it
/// may be that on one of them the process acted and on the other it was only met.
fn label_actor(system: &mut System, position: Position) {
    let label = new_label(system);
    let acts = Expr::Position(Role::ACTOR).equals(Expr::Const(i64::from(position)));
    for action in system.actions.iter_mut().filter(|action| !action.participants.is_empty()) {
        action.labels.push((label, acts.clone()));
    }
}

/// A new label that these actions carry.
fn label_actions(system: &mut System, actions: &[lariat_system::ActionId]) -> LabelId {
    let label = new_label(system);
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
        insist_on_code(&self.task.options, backend)?;
        if self.kernel == Kernel::Online {
            return self.of_good_runs(space);
        }
        let Self { kernel, task, temporal, constraints, control } = self;
        let by_copies = kernel.is_nested() || task.options.acceptance == AcceptanceKind::Copies;
        let bad = if !by_copies || !constraints.is_empty() || is_state_buchi(&temporal.bad) {
            Cow::Borrowed(&temporal.bad)
        } else {
            let made = degeneralize(&temporal.bad, &TranslateOptions::default());
            Cow::Owned(made.map_err(|too_large| EngineError { reason: too_large.to_string() })?)
        };
        let labels = marks_of(&temporal.labels);
        let observer = AutomatonObserver::new(&bad, &labels, reads_steps(task.system, temporal));
        let is_plain = constraints.is_empty();
        let product = Product::new(space, &observer, bad.mark_count(), constraints, task.system.dead_ends)
            .with_growing_pool(task.options.pool_may_grow);
        let shape = Shape {
            system_words: space.words_per_state(),
            system_bits: state_bits(task)?,
            claims: u64::from(observer.states()),
            levels: 1,
        };
        let spill = rung::spill_of(&task.options)?;
        let search = Search { kernel, task, control, spill: spill.as_ref(), shape };
        let whole = AnySpace::new(&product);
        let mut report = match kernel {
            Kernel::Online => unreachable!("it has a product of its own"),
            _ if by_copies && is_plain => search.run(whole, whole, &Acceptance::buchi(), None),
            _ if by_copies => {
                let copies = Degeneralized::new(&product, product.acceptance());
                let copies = copies.expect("an engine admits generalised Büchi acceptance only");
                let shape = Shape { levels: copies.levels(), ..search.shape };
                let copies = AnySpace::new(&copies);
                Search { shape, ..search }.run(copies, copies, &Acceptance::buchi(), None)
            }
            Kernel::Scc => search.run_suspecting(&product, &bad),
            _ => search.run(whole, whole, product.acceptance(), None),
        };
        if report.verdict == Verdict::Holds {
            report.watched = watched(&bad, &observer, product.idle_constraints());
        }
        Ok(report)
    }
}

impl Run<'_> {
    /// A search of the product with an automaton of the good runs.
    fn of_good_runs<S: StateSpace>(self, space: &S) -> Result<Report, EngineError> {
        let Self { kernel, task, temporal, control, .. } = self;
        let good = match complement_of_weak(&temporal.bad, &TranslateOptions::default()) {
            Ok(good) => good.expect("an engine admits weak automata only"),
            Err(_) => return Ok(Report::at_once(Shortfall::Automaton)),
        };
        let labels = marks_of(&temporal.labels);
        let observer = AutomatonObserver::new(&good, &labels, reads_steps(task.system, temporal));
        let product = Product::new(space, &observer, good.mark_count(), Vec::new(), task.system.dead_ends)
            .with_growing_pool(task.options.pool_may_grow);
        let spill = rung::spill_of(&task.options)?;
        let shape = Shape {
            system_words: space.words_per_state(),
            system_bits: state_bits(task)?,
            claims: u64::from(observer.states()),
            levels: 1,
        };
        let search = Search { kernel, task, control, spill: spill.as_ref(), shape };
        let (whole, words, budget) = (AnySpace::new(&product), product.words_per_state(), &control.budget);
        let mut report = match task.options.store {
            StoreKind::Flat => {
                let store = FlatStore::new(words, budget).map(|store| Noted::new(store, budget));
                search.run_online(whole, store.and_then(|store| Kept::new(store, words, budget)))
            }
            StoreKind::Cache { replacement } => {
                search.run_online(whole, Cache::new(words, None, replacement, task.options.seed, budget))
            }
            StoreKind::Tree | StoreKind::Hybrid { .. } | StoreKind::Bitstate { .. } | StoreKind::Compact => {
                let store = TreeStore::noted(words, budget, NoteWidth::Byte);
                search.run_online(whole, store.and_then(|store| Kept::new(store, words, budget)))
            }
        };
        if report.verdict == Verdict::Holds {
            report.watched = watched(&good, &observer, Vec::new());
        }
        Ok(report)
    }
}

/// The labels as the product knows them.
pub(crate) fn marks_of(labels: &[LabelId]) -> Vec<Mark> {
    labels.iter().map(|label| Mark(label.0)).collect()
}

/// Whether the property speaks of steps.
pub(crate) fn reads_steps(system: &System, temporal: &Temporal) -> bool {
    let of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
    !temporal.labels.iter().all(of_states)
}

/// What a search of a whole product has seen, if the automaton goes along with every run: else it has seen a part of them.
pub(crate) fn watched(
    bad: &Automaton,
    observer: &AutomatonObserver<'_>,
    idle_constraints: Vec<usize>,
) -> Option<Watched> {
    follows_every_word(bad).then(|| Watched { letters: observer.letters_read(), idle_constraints })
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
    spill: Option<&'a Spill>,
    shape: Shape,
}

/// What a state of a product is made of: a state of the system, of the automaton in one more word, and where there are
/// levels a level in another.
#[derive(Clone, Copy)]
struct Shape {
    system_words: usize,
    /// Those that carry information.
    system_bits: u64,
    /// How many states the automaton has.
    claims: u64,
    levels: u64,
}

impl Shape {
    /// Which words of a state of so many are its tail.
    fn tail(self, words: usize, split: Split) -> Vec<TailWord> {
        let claim = TailWord { place: self.system_words, values: self.claims };
        let level = TailWord { place: self.system_words + 1, values: self.levels };
        let claim = split.has_claim().then_some(claim);
        let level = (split.has_fairness() && words > level.place).then_some(level);
        claim.into_iter().chain(level).collect()
    }

    /// What became of so many states, with so many states of the demon.
    fn packing(self, split: Split, demons: u64, packets: u64, states: u64) -> Packing {
        let parts = [(self.claims, split.has_claim()), (self.levels, split.has_fairness()), (demons, true)];
        let bits = |values: u64| u64::from(values.max(1).next_power_of_two().ilog2());
        let in_head = parts.iter().filter(|(_, in_tail)| !in_tail).map(|&(values, _)| bits(values));
        let in_tail = parts.iter().filter(|(_, in_tail)| *in_tail).map(|&(values, _)| values.max(1));
        Packing { packets, states, head_bits: self.system_bits + in_head.sum::<u64>(), tails: in_tail.product() }
    }
}

/// Which states of a product can be on accepting cycles.
type CanAccept<'a> = &'a (dyn Fn(&State) -> bool + Sync);

impl Search<'_> {
    /// Looks for cycles only in components of the automaton that are under suspicion.
    fn run_suspecting<S: StateSpace, O: Observer>(&self, product: &Product<'_, S, O>, bad: &Automaton) -> Report {
        let (acceptance, told) = (product.acceptance(), AnySpace::new(product));
        let mut suspicion = Suspicion::new(bad, acceptance);
        loop {
            if suspicion.is_general() {
                return self.run_components(product, told, acceptance, None);
            }
            let watched = suspicion.watch(product, acceptance);
            let can_accept = |state: &State| suspicion.suspects(product.split(state).1);
            let report = self.run_components(&watched, told, acceptance, Some(&can_accept));
            match watched.guilty() {
                Some(component) => suspicion.add(component),
                None => return report,
            }
        }
    }

    /// Searches `product`, and tells a run of `told`, which is the same but for what goes on while it is searched. What most
    /// people ask for has code of its own for each kind of space; the rest goes by a pointer to it.
    fn run_components<P: StateSpace>(
        &self,
        product: &P,
        told: AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
    ) -> Report {
        let (control, options) = (self.control, &self.task.options);
        if options.store != StoreKind::Tree || options.keep_going && can_accept.is_none() {
            return self.run(AnySpace::new(product), told, acceptance, can_accept);
        }
        let words = product.words_per_state();
        // Most properties that hold are never under suspicion, and nothing is noted.
        let store = match can_accept {
            Some(_) => TreeStore::noted_later(words, &control.budget, NoteWidth::Number),
            None => TreeStore::noted(words, &control.budget, NoteWidth::Number),
        };
        let search = |store: &NotedTree<'_>| match can_accept {
            Some(can_accept) => layered_scc(product, can_accept, acceptance, store, options, control),
            None => scc(product, acceptance, store, control),
        };
        self.run_over(store, told, can_accept.is_some(), search, |_| None)
    }

    /// The same by a pointer, with whatever is asked for.
    fn run(
        &self,
        product: AnySpace<'_>,
        told: AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
    ) -> Report {
        let (words, budget) = (product.words_per_state(), &self.control.budget);
        let is_cut = can_accept.is_some();
        match self.task.options.store {
            StoreKind::Tree => {
                let width = if self.kernel.is_nested() { NoteWidth::Byte } else { NoteWidth::Number };
                let search = |store: &NotedTree<'_>| self.cycles(&product, acceptance, can_accept, store);
                self.run_over(TreeStore::noted(words, budget, width), told, is_cut, search, |_| None)
            }
            StoreKind::Flat => {
                let store = FlatStore::new(words, budget).map(|store| Noted::new(store, budget));
                let search = |store: &Noted<'_, _>| self.cycles(&product, acceptance, can_accept, store);
                self.run_over(store, told, is_cut, search, |_| None)
            }
            StoreKind::Hybrid { split } => {
                let store = Hybrid::new(words, self.shape.tail(words, split), self.kernel.most_note(), budget);
                let search = |store: &Hybrid<'_>| self.cycles(&product, acceptance, can_accept, store);
                self.run_over(store, told, is_cut, search, |store| Some((split, store.packets())))
            }
            StoreKind::Bitstate { hashes } => rung::in_runs(&self.task.options, budget, true, |seed, sample| {
                let bits = Bitstate::most_of(budget, hashes, seed).map(|bits| bits.with_sample(sample));
                self.run_stack(product, bits)
            }),
            StoreKind::Compact => rung::in_runs(&self.task.options, budget, false, |seed, _| {
                self.run_stack(product, Compact::new(Compact::MAX_FINGERPRINT_BITS, seed, budget))
            }),
            StoreKind::Cache { replacement } => {
                self.run_stack(product, Cache::new(words, None, replacement, self.task.options.seed, budget))
            }
        }
    }

    fn run_online<V: KnowsPath>(&self, product: AnySpace<'_>, visited: Result<V, Full>) -> Report {
        let visited = match visited {
            Ok(visited) => visited,
            Err(full) => return Report::at_once(full.into()),
        };
        let (cycles, figures) = online(&product, visited, self.control, self.spill);
        let memory = Memory::of(figures, self.control.budget.peak_bytes(), cycles.transitions);
        self.report(product, cycles, memory)
    }

    /// The same with a stack of whole states.
    fn run_stack<V: Visited>(&self, product: AnySpace<'_>, visited: Result<V, Full>) -> Report {
        let visited = match visited {
            Ok(visited) => visited,
            Err(full) => return Report::at_once(full.into()),
        };
        let which = match self.kernel {
            Kernel::Nested(Nested::CvwyA) => Pair::InTurn,
            _ => Pair::Interleaved,
        };
        let (cycles, figures) = pair(which, &product, visited, self.control, self.spill);
        let memory = Memory::of(figures, self.control.budget.peak_bytes(), cycles.transitions);
        self.report(product, cycles, memory)
    }

    fn cycles<T: Notes>(
        &self,
        product: &AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
        store: &T,
    ) -> Cycles {
        let (control, options) = (self.control, &self.task.options);
        match (self.kernel, can_accept) {
            (Kernel::Scc, Some(can_accept)) => layered_scc(product, can_accept, acceptance, store, options, control),
            (Kernel::Scc, None) if options.keep_going => every_scc(product, acceptance, store, control),
            (Kernel::Scc, None) => scc(product, acceptance, store, control),
            (Kernel::Nested(which), _) => nested(which, product, store, control),
            (Kernel::Magic, _) if options.keep_going => every_magic(product, store, control),
            (Kernel::Magic, _) => magic(product, store, control),
            (Kernel::Online, _) => unreachable!("it has a product of its own"),
            (Kernel::Kosaraju, _) => kosaraju(product, acceptance, store, options.keep_going, control),
        }
    }

    /// Searches with this store. Should the search be `cut`, then the stem of a lasso does not begin in an initial state.
    fn run_over<T: Notes>(
        &self,
        store: Result<T, Full>,
        told: AnySpace<'_>,
        is_cut: bool,
        search: impl FnOnce(&T) -> Cycles,
        packets: impl FnOnce(&T) -> Option<(Split, u64)>,
    ) -> Report {
        let control = self.control;
        let store = match store {
            Ok(store) => store,
            Err(full) => return Report::at_once(full.into()),
        };
        let mut cycles = search(&store);
        let (states, store_bytes, exactness) = (store.len(), store.bytes(), store.exactness());
        let memory = Memory { states, store_bytes, exactness, figures: None };
        let packing = packets(&store).map(|(split, packets)| match self.kernel.is_nested() {
            true => self.shape.packing(split, 2, packets, cycles.searched.iter().sum()),
            false => self.shape.packing(split, 1, packets, states),
        });
        // What the search took is free again for finding the way to the cycle.
        drop(store);
        if is_cut
            && let Some(lasso) = &mut cycles.lasso
            && let Err(shortfall) = lead_to(&told, lasso, control)
        {
            (cycles.lasso, cycles.count, cycles.unfinished) = (None, 0, Some(shortfall));
        }
        let mut report = self.report(told, cycles, memory);
        report.stats.packing = packing;
        report
    }

    fn report(&self, product: AnySpace<'_>, cycles: Cycles, memory: Memory) -> Report {
        let Cycles { lasso, unfinished, transitions, depth, refinements, count, digest, pool_was_full, searched: _ } =
            cycles;
        let evidence = lasso.map(|lasso| Evidence { kind: FailureKind::Cycle, trace: self.trace(product, &lasso) });
        let verdict = match (&evidence, unfinished) {
            (Some(evidence), _) => Verdict::Fails(evidence.clone()),
            (None, Some(shortfall)) => Verdict::Undecided(shortfall),
            (None, None) => Verdict::of_exhausted(memory.exactness),
        };
        let whole = verdict == Verdict::Holds || self.task.options.keep_going && unfinished.is_none();
        Report {
            verdict,
            exactness: memory.exactness,
            failure_count: count,
            failures: evidence.into_iter().collect(),
            pool_was_full,
            unfinished,
            taken: None,
            stats: Stats {
                states: memory.states,
                transitions,
                depth,
                bytes_per_state: memory.store_bytes as f64 / memory.states.max(1) as f64,
                peak_budget_bytes: self.control.budget.peak_bytes(),
                digest: (whole && memory.kept_all()).then_some(digest),
                elapsed: self.control.started.elapsed(),
                refinements,
                store: self.task.options.store.name(),
                remembered: memory.remembered(transitions),
                packing: None,
            },
            profile: None,
            watched: None,
        }
    }

    /// The run of the system that a lasso of the product is.
    fn trace(&self, product: AnySpace<'_>, lasso: &Lasso) -> Trace {
        let words = self.shape.system_words;
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
        Trace {
            initial: states[0][..words].to_vec(),
            steps: steps.collect(),
            loop_start: Some(loop_start),
            decided: None,
        }
    }
}

/// Puts before the stem of a lasso the way from an initial state to where it begins.
fn lead_to(product: &AnySpace<'_>, lasso: &mut Lasso, control: &RunControl) -> Result<(), Shortfall> {
    let first = lasso.stem.first().unwrap_or(&lasso.cycle[0]);
    let make_store = || TreeStore::new(product.words_per_state(), &control.budget);
    let mut way = states_to(product, &make_store, first, control)?;
    way.pop();
    lasso.stem.splice(..0, way);
    Ok(())
}
