//! A product searched for accepting cycles, with whatever kernel and store are asked for.

use super::{AcceptingMethod, KeptAlgorithm, OnlineStore};
use crate::candidates::CandidateComponents;
use crate::cycle::{
    CanAccept, every_magic, every_scc, kosaraju, magic, nested, scouted_layered_scc, scouted_scc, scouting_scc,
};
use crate::keyed::keyed_layers;
use crate::repeat::{self, lossy_runs};
use crate::retrace::way_to;
use crate::scout::{Order, Scouts};
use crate::stack::{Kept, Pair, Spill, online, pair};
use crate::storage::{Keeping, Visiting};
use crate::worker::Job;
use lariat_automata::{Acceptance, Automaton};
use lariat_engine::{Packing, PoolTooSmall, Report, RunControl, Shortfall, Split, Task};
use lariat_space::{AnySpace, Observer, Product, State, StateSpace};
use lariat_store::{
    Bitstate, Compact, Figures, FlatStore, Full, Hybrid, NoteWidth, Noted, NotedTree, Notes, Sample, TailWord,
    TreeStore, Visited,
};
use lariat_subject::{Cycles, Lasso, Lift, Memory, report_cycles};

/// A search of one product.
pub(super) struct ProductSearch<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) control: &'a RunControl,
    pub(super) spill: Option<&'a Spill>,
    pub(super) shape: Shape,
    /// Those that the search sends out, where it is one that does.
    pub(super) scouts: Option<&'a Scouts<'a>>,
}

/// What a state of a product is made of: a state of the system, of the automaton in one more word, and where there are
/// levels a level in another.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) system_words: usize,
    /// Those that carry information.
    pub(super) system_bits: u64,
    /// How many states the automaton has.
    pub(super) claims: u64,
    pub(super) levels: u64,
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

impl ProductSearch<'_> {
    /// Looks for cycles only in the components of the automaton that can have accepting ones.
    pub(super) fn run_on_candidates<S: StateSpace, O: Observer>(
        &self,
        keeping: Keeping,
        product: &Product<'_, S, O>,
        bad: &Automaton,
    ) -> Result<Report, PoolTooSmall> {
        let (acceptance, trace_space) = (product.acceptance(), AnySpace::new(product));
        let mut candidates = CandidateComponents::new(bad, acceptance);
        let send = |order: Order, work: u64| self.scout(trace_space, acceptance, order, work);
        let scouts = |orders| self.task.options.sends_scouts().then(|| Scouts::new(orders, &send, self.control));
        let mut rounds = 0;
        loop {
            if candidates.has_every_component() {
                // The search goes forward itself.
                let scouts = scouts(&Order::OTHERS).map(|scouts| scouts.of_search(rounds, &|| true));
                let search = ProductSearch { scouts: scouts.as_ref(), ..*self };
                let report = search.run_whole(keeping, product, trace_space, acceptance);
                return scouts.and_then(|scouts| scouts.take_found()).unwrap_or(report);
            }
            let watched = candidates.watch(product, acceptance);
            let is_of_use = || watched.shown_component().is_none();
            let can_accept = |state: &State| candidates.is_candidate(product.split(state).1);
            let scouts = scouts(&Order::ALL).map(|scouts| scouts.of_search(rounds, &is_of_use));
            let search = ProductSearch { scouts: scouts.as_ref(), ..*self };
            let report = search.run_layered(keeping, &watched, trace_space, acceptance, &can_accept);
            if let Some(found) = scouts.as_ref().and_then(Scouts::take_found) {
                return found;
            }
            rounds = scouts.map_or(0, |scouts| scouts.rounds());
            match watched.shown_component() {
                Some(component) => candidates.add(component),
                None => return report,
            }
        }
    }

    /// Searches depth first in an order until so much work is done.
    fn scout(
        &self,
        product: AnySpace<'_>,
        acceptance: &Acceptance,
        order: Order,
        work: u64,
    ) -> Result<Report, PoolTooSmall> {
        let (words, control) = (product.words_per_state(), self.control);
        let store = TreeStore::noted(words, &control.budget, NoteWidth::Number);
        let search = |store: &NotedTree<'_>| scouting_scc(&product, acceptance, store, control, (order, work));
        self.run_over(store, product, false, false, search, |_| None)
    }

    /// Searches all of `product` depth first. What most people ask for has code of its own for each kind of space; the rest
    /// goes by a pointer to it.
    fn run_whole<P: StateSpace>(
        &self,
        keeping: Keeping,
        product: &P,
        trace_space: AnySpace<'_>,
        acceptance: &Acceptance,
    ) -> Result<Report, PoolTooSmall> {
        let control = self.control;
        if keeping != Keeping::Tree || self.task.options.keep_going {
            let product = AnySpace::new(product);
            return self.run_kept(KeptAlgorithm::Scc, keeping, product, trace_space, acceptance, None);
        }
        let store = TreeStore::noted(product.words_per_state(), &control.budget, NoteWidth::Number);
        let search = |store: &NotedTree<'_>| scouted_scc(product, acceptance, store, control, self.scouts);
        self.run_over(store, trace_space, false, false, search, |_| None)
    }

    /// Searches `product` level by level, and depth first where a state can be on an accepting cycle. The run is one of
    /// `trace_space`, which is the same but for what goes on while `product` is searched.
    fn run_layered<P: StateSpace>(
        &self,
        keeping: Keeping,
        product: &P,
        trace_space: AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: CanAccept<'_>,
    ) -> Result<Report, PoolTooSmall> {
        let (control, options) = (self.control, &self.task.options);
        if keeping != Keeping::Tree {
            let product = AnySpace::new(product);
            return self.run_kept(KeptAlgorithm::Scc, keeping, product, trace_space, acceptance, Some(can_accept));
        }
        let job = Job { invalid_ends: false, options, control };
        if let Some((cycles, memory)) = keyed_layers(product, can_accept, acceptance, job, self.scouts)? {
            return Ok(self.report_of(cycles, memory, trace_space, true));
        }
        // Most properties that hold never get a candidate component, and then nothing is noted.
        let store = TreeStore::noted_later(product.words_per_state(), &control.budget, NoteWidth::Number);
        let search = |store: &NotedTree<'_>| {
            scouted_layered_scc(product, can_accept, acceptance, store, options, control, self.scouts)
        };
        self.run_over(store, trace_space, true, false, search, |_| None)
    }

    /// Searches by a pointer, with whatever is asked for.
    pub(super) fn run(
        &self,
        method: AcceptingMethod,
        product: AnySpace<'_>,
        trace_space: AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
    ) -> Result<Report, PoolTooSmall> {
        match method {
            AcceptingMethod::Kept(algorithm, keeping) => {
                self.run_kept(algorithm, keeping, product, trace_space, acceptance, can_accept)
            }
            AcceptingMethod::OnStack(which, visiting) => self.run_on_stack(which, visiting, product),
        }
    }

    fn run_kept(
        &self,
        algorithm: KeptAlgorithm,
        keeping: Keeping,
        product: AnySpace<'_>,
        trace_space: AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
    ) -> Result<Report, PoolTooSmall> {
        let (words, budget) = (product.words_per_state(), &self.control.budget);
        let is_cut = can_accept.is_some();
        let is_nested = matches!(algorithm, KeptAlgorithm::Nested(_) | KeptAlgorithm::Magic);
        match keeping {
            Keeping::Tree => {
                let width = if is_nested { NoteWidth::Byte } else { NoteWidth::Number };
                let search = |store: &NotedTree<'_>| self.cycles(algorithm, &product, acceptance, can_accept, store);
                self.run_over(TreeStore::noted(words, budget, width), trace_space, is_cut, is_nested, search, |_| None)
            }
            Keeping::Flat => {
                let store = FlatStore::new(words, budget).map(|store| Noted::new(store, budget));
                let search = |store: &Noted<'_, _>| self.cycles(algorithm, &product, acceptance, can_accept, store);
                self.run_over(store, trace_space, is_cut, is_nested, search, |_| None)
            }
            Keeping::Hybrid(split) => {
                let store = Hybrid::new(words, self.shape.tail(words, split), algorithm.most_note(), budget);
                let search = |store: &Hybrid<'_>| self.cycles(algorithm, &product, acceptance, can_accept, store);
                self.run_over(store, trace_space, is_cut, is_nested, search, |store| Some((split, store.packets())))
            }
        }
    }

    /// Searches with a stack of whole states, by two searches.
    fn run_on_stack(&self, which: Pair, visiting: Visiting, product: AnySpace<'_>) -> Result<Report, PoolTooSmall> {
        let (words, budget) = (product.words_per_state(), &self.control.budget);
        match visiting {
            Visiting::Bitstate { hashes } => lossy_runs(&self.task.options, budget, true, |seed, sample| {
                let bits = Bitstate::most_of(budget, hashes, seed).map(|bits| bits.with_sample(sample));
                self.run_pair(which, product, bits)
            }),
            Visiting::Compact => lossy_runs(&self.task.options, budget, false, |seed, _| {
                self.run_pair(which, product, Compact::new(Compact::MAX_FINGERPRINT_BITS, seed, budget))
            }),
            Visiting::Cache(replacement) => {
                let sample = Sample::new(budget);
                let cache = repeat::cache(words, replacement, self.task.options.seed, &sample, budget);
                self.run_pair(which, product, cache)
            }
        }
    }

    fn run_pair<V: Visited>(
        &self,
        which: Pair,
        product: AnySpace<'_>,
        visited: Result<V, Full>,
    ) -> Result<Report, PoolTooSmall> {
        self.run_visiting(product, visited, |visited| pair(which, &product, visited, self.control, self.spill))
    }

    /// Searches a product with an automaton of the good runs.
    pub(super) fn run_online(&self, memory: OnlineStore, product: AnySpace<'_>) -> Result<Report, PoolTooSmall> {
        let (words, budget) = (product.words_per_state(), &self.control.budget);
        match memory {
            OnlineStore::Tree => {
                let store = TreeStore::noted(words, budget, NoteWidth::Byte);
                let kept = store.and_then(|store| Kept::new(store, words, budget));
                self.run_visiting(product, kept, |kept| online(&product, kept, self.control, self.spill))
            }
            OnlineStore::Flat => {
                let store = FlatStore::new(words, budget).map(|store| Noted::new(store, budget));
                let kept = store.and_then(|store| Kept::new(store, words, budget));
                self.run_visiting(product, kept, |kept| online(&product, kept, self.control, self.spill))
            }
            OnlineStore::Cache(replacement) => {
                let sample = Sample::new(budget);
                let cache = repeat::cache(words, replacement, self.task.options.seed, &sample, budget);
                self.run_visiting(product, cache, |cache| online(&product, cache, self.control, self.spill))
            }
        }
    }

    fn run_visiting<V>(
        &self,
        product: AnySpace<'_>,
        visited: Result<V, Full>,
        search: impl FnOnce(V) -> Result<(Cycles, Figures), PoolTooSmall>,
    ) -> Result<Report, PoolTooSmall> {
        let visited = match visited {
            Ok(visited) => visited,
            Err(full) => return Ok(Report::at_once(full.into())),
        };
        let (cycles, figures) = search(visited)?;
        let memory = Memory::of(figures, cycles.transitions);
        Ok(self.report(product, cycles, memory))
    }

    fn cycles<T: Notes>(
        &self,
        algorithm: KeptAlgorithm,
        product: &AnySpace<'_>,
        acceptance: &Acceptance,
        can_accept: Option<CanAccept<'_>>,
        store: &T,
    ) -> Result<Cycles, PoolTooSmall> {
        let (control, options) = (self.control, &self.task.options);
        match (algorithm, can_accept) {
            (KeptAlgorithm::Scc, Some(can_accept)) => {
                scouted_layered_scc(product, can_accept, acceptance, store, options, control, self.scouts)
            }
            (KeptAlgorithm::Scc, None) if options.keep_going => every_scc(product, acceptance, store, control),
            (KeptAlgorithm::Scc, None) => scouted_scc(product, acceptance, store, control, self.scouts),
            (KeptAlgorithm::Nested(which), _) => nested(which, product, store, control),
            (KeptAlgorithm::Magic, _) if options.keep_going => every_magic(product, store, control),
            (KeptAlgorithm::Magic, _) => magic(product, store, control),
            (KeptAlgorithm::Kosaraju, _) => kosaraju(product, acceptance, store, options.keep_going, control),
        }
    }

    /// Searches with this store. Should the search be `cut`, then the stem of a lasso does not begin in an initial state.
    fn run_over<T: Notes>(
        &self,
        store: Result<T, Full>,
        trace_space: AnySpace<'_>,
        is_cut: bool,
        is_nested: bool,
        search: impl FnOnce(&T) -> Result<Cycles, PoolTooSmall>,
        packets: impl FnOnce(&T) -> Option<(Split, u64)>,
    ) -> Result<Report, PoolTooSmall> {
        let store = match store {
            Ok(store) => store,
            Err(full) => return Ok(Report::at_once(full.into())),
        };
        let cycles = search(&store)?;
        let memory = Memory::of_store(&store);
        let packing = packets(&store).map(|(split, packets)| match is_nested {
            // What the first search stored, and once more what the second searched.
            true => self.shape.packing(split, 2, packets, memory.states + cycles.searched[1]),
            false => self.shape.packing(split, 1, packets, memory.states),
        });
        // What the search took is free again for finding the way to the cycle.
        drop(store);
        let mut report = self.report_of(cycles, memory, trace_space, is_cut);
        report.stats.packing = packing;
        Ok(report)
    }

    /// The report of a search whose store is gone. Should the search be `cut`, then the stem of a lasso does not begin in an initial
    /// state.
    fn report_of(&self, mut cycles: Cycles, memory: Memory, trace_space: AnySpace<'_>, is_cut: bool) -> Report {
        if is_cut
            && let Some(lasso) = &mut cycles.lasso
            && let Err(shortfall) = lead_to(&trace_space, lasso, self.control)
        {
            (cycles.lasso, cycles.count, cycles.unfinished) = (None, 0, Some(shortfall));
        }
        self.report(trace_space, cycles, memory)
    }

    fn report(&self, product: AnySpace<'_>, cycles: Cycles, memory: Memory) -> Report {
        let lift = Lift { words: self.shape.system_words, labels: self.task.subject.label_count() };
        report_cycles(product, cycles, memory, lift, self.task, self.control)
    }
}

/// Puts before the stem of a lasso the way from an initial state to where it begins.
fn lead_to(product: &AnySpace<'_>, lasso: &mut Lasso, control: &RunControl) -> Result<(), Shortfall> {
    let first = lasso.stem.first().unwrap_or(&lasso.cycle[0]);
    let way = way_to(product, first, control)?;
    lasso.stem.splice(..0, way);
    Ok(())
}
