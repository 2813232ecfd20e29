//! The product of a system with an automaton, by sets of states: one set of the system's states for each state of the
//! automaton.
//!
//! Nothing is encoded anew. A step goes along an edge of the automaton whose guard is split up, once, by the labels of steps
//! that it speaks of: for each choice of these, the states of the system in which the edge may be taken. Marks of edges are
//! labels of the product's steps. A dead end of the system that repeats for ever is a step of the product.

use crate::fairness::Event;
use lariat_automata::{Analysis, Automaton, ComponentKind, Guard, Mark, MarkSet};
use lariat_base::Id;
use lariat_space::{Faults, Natural, State, StateSets, Steps};
use lariat_system::LabelId;
use std::collections::HashMap;

/// What the product is of, beside the sets of states.
pub(crate) struct Factors<'a, Set> {
    /// The states of the system.
    pub(crate) reached: &'a Set,
    /// The dead ends that repeat.
    pub(crate) stuttering: &'a Set,
    /// The automaton.
    pub(crate) automaton: &'a Automaton,
    /// What its propositions are.
    pub(crate) propositions: &'a [Proposition<Set>],
    /// Labels of the system's steps have smaller numbers.
    pub(crate) labels: usize,
}

/// What a proposition of the automaton is.
pub(crate) enum Proposition<Set> {
    /// The system is in one of these states.
    States(Set),
    /// The step carries the label.
    Step(LabelId),
}

/// The sets of states of a product. A state is one of the system, and a word with the state of the automaton.
pub(crate) struct ProductSets<'a, S: StateSets> {
    sets: &'a S,
    edges: Vec<ProductEdge<S::Set>>,
    initial: usize,
    /// For each state of the automaton, whether it is on a loop that it accepts.
    on_loops: Vec<bool>,
    reached: &'a S::Set,
    stuttering: &'a S::Set,
    /// The labels from this one on are marks.
    first_mark: usize,
}

/// An edge of the automaton.
struct ProductEdge<Set> {
    source: usize,
    target: usize,
    marks: MarkSet,
    /// The steps of the system that go along: from each of these sets, those.
    letters: Vec<Event<Set>>,
}

impl<'a, S: StateSets> ProductSets<'a, S> {
    /// The product.
    pub(crate) fn new(sets: &'a S, factors: &Factors<'a, S::Set>) -> Result<Self, S::Error> {
        let &Factors { reached, stuttering, automaton, propositions, labels } = factors;
        let mut letters = Letters { sets, automaton, propositions, reached, known: HashMap::new() };
        let mut edges = Vec::new();
        for (source, edge) in automaton.all_edges() {
            let letters = letters.of(edge.guard)?;
            let (source, target) = (source.index(), edge.target.index());
            edges.push(ProductEdge { source, target, marks: edge.marks.clone(), letters });
        }
        let mut on_loops = vec![false; automaton.state_count()];
        let analysis = Analysis::of(automaton);
        for (members, kind) in analysis.components.members().iter().zip(&analysis.kinds) {
            let accepts = matches!(kind, ComponentKind::Accepting | ComponentKind::Mixed);
            members.iter().for_each(|state| on_loops[state.index()] = accepts);
        }
        let (initial, first_mark) = (automaton.initial.index(), labels);
        Ok(Self { sets, edges, initial, on_loops, reached, stuttering, first_mark })
    }

    /// The system's sets of states.
    pub(crate) fn factor(&self) -> &'a S {
        self.sets
    }
    /// The steps that carry the mark.
    pub(crate) fn marked(&self, mark: Mark) -> Event<Vec<S::Set>> {
        (self.all(), Steps::Carrying(LabelId::new(self.first_mark + mark.index())))
    }
    /// The states of the system with which the automaton begins in the set.
    pub(crate) fn begun(&self, set: &[S::Set]) -> S::Set {
        set[self.initial].clone()
    }
    /// The state of the product with which the automaton begins in a state of the system.
    pub(crate) fn beginning(&self, state: &State) -> Vec<u64> {
        state.iter().copied().chain([self.initial as u64]).collect()
    }
    /// The states of the system in the set, whatever the state of the automaton.
    pub(crate) fn projected(&self, set: &[S::Set]) -> Result<S::Set, S::Error> {
        set.iter().try_fold(self.sets.empty(), |all, set| self.sets.union(&all, set))
    }
    /// The states of the set, whatever the state of the automaton.
    pub(crate) fn lifted(&self, set: &S::Set) -> Vec<S::Set> {
        vec![set.clone(); self.on_loops.len()]
    }
    /// All states.
    pub(crate) fn all(&self) -> Vec<S::Set> {
        self.lifted(self.reached)
    }

    /// The states that runs from initial states come to.
    pub(crate) fn reached(&self) -> Result<Vec<S::Set>, S::Error> {
        self.reachable(&self.initial()?)
    }

    /// The states that can be on a loop that the automaton accepts.
    pub(crate) fn loops(&self) -> Vec<S::Set> {
        let set = |on_loop: &bool| if *on_loop { self.reached.clone() } else { self.sets.empty() };
        self.on_loops.iter().map(set).collect()
    }

    /// The ways from a state to another among these steps: the steps of the system that lead along, with whether the system's
    /// state repeats.
    pub(crate) fn ways(&self, from: &State, to: &State, steps: &Steps) -> Result<Vec<Steps>, S::Error> {
        let ((state, source), (_, target)) = (split(from), split(to));
        let here = self.sets.only(state)?;
        let mut ways = Vec::new();
        for edge in self.edges.iter().filter(|edge| (edge.source, edge.target) == (source, target)) {
            let Some(own) = self.own(edge, steps) else { continue };
            for (sources, among) in &edge.letters {
                if let Some(among) = among.and(&own)
                    && !self.sets.is_empty(&self.sets.intersect(&here, sources)?)
                {
                    ways.push(among);
                }
            }
        }
        Ok(ways)
    }

    /// What such a step along the edge must be in the system; `None` if there is none because of marks.
    fn own(&self, edge: &ProductEdge<S::Set>, steps: &Steps) -> Option<Steps> {
        let is_mark = |label: &LabelId| label.index() >= self.first_mark;
        let carries = |label: LabelId| edge.marks.contains(Mark::new(label.index() - self.first_mark));
        let marks = |labels: &[LabelId]| -> Vec<LabelId> { labels.iter().copied().filter(is_mark).collect() };
        let others =
            |labels: &[LabelId]| -> Vec<LabelId> { labels.iter().copied().filter(|one| !is_mark(one)).collect() };
        let fits = marks(steps.carried()).into_iter().all(carries) && !marks(steps.missed()).into_iter().any(carries);
        fits.then(|| Steps::matching(others(steps.carried()), others(steps.missed())))?
    }

    fn by_state(
        &self,
        sets: &[S::Set],
        one: impl Fn(&S::Set) -> Result<S::Set, S::Error>,
    ) -> Result<Vec<S::Set>, S::Error> {
        sets.iter().map(one).collect()
    }
    fn by_pair(
        &self,
        (a, b): (&[S::Set], &[S::Set]),
        one: impl Fn(&S::Set, &S::Set) -> Result<S::Set, S::Error>,
    ) -> Result<Vec<S::Set>, S::Error> {
        a.iter().zip(b).map(|(a, b)| one(a, b)).collect()
    }

    /// Where these steps lead from the set, if `next` follows those of the system.
    fn post_by(
        &self,
        set: &[S::Set],
        steps: &Steps,
        next: impl Fn(&S::Set, Steps) -> Result<S::Set, S::Error>,
    ) -> Result<Vec<S::Set>, S::Error> {
        let mut found = self.empty();
        for (target, found) in found.iter_mut().enumerate() {
            // By kind of step, from where the edges to this state are taken: images of unions are unions of images.
            let mut from: Vec<(Steps, S::Set)> = Vec::new();
            for edge in self.edges.iter().filter(|edge| edge.target == target) {
                let Some(own) = self.own(edge, steps) else { continue };
                for (sources, among) in &edge.letters {
                    let Some(among) = among.and(&own) else { continue };
                    let sources = self.sets.intersect(&set[edge.source], sources)?;
                    match from.iter_mut().find(|(known, _)| *known == among) {
                        _ if self.sets.is_empty(&sources) => {}
                        Some((_, known)) => *known = self.sets.union(known, &sources)?,
                        None => from.push((among, sources)),
                    }
                }
            }
            for (steps, sources) in from {
                let onwards = self.with_repeating(next(&sources, steps.clone())?, &sources, &steps)?;
                *found = self.sets.union(found, &onwards)?;
            }
        }
        Ok(found)
    }

    /// From where these steps lead into the set, if `before` follows those of the system.
    fn pre_by(
        &self,
        set: &[S::Set],
        steps: &Steps,
        before: impl Fn(&S::Set, Steps) -> Result<S::Set, S::Error>,
    ) -> Result<Vec<S::Set>, S::Error> {
        let mut found = self.empty();
        for (target, set) in set.iter().enumerate().filter(|(_, set)| !self.sets.is_empty(set)) {
            // By kind of step, from where the system comes.
            let mut known: Vec<(Steps, S::Set)> = Vec::new();
            for edge in self.edges.iter().filter(|edge| edge.target == target) {
                let Some(own) = self.own(edge, steps) else { continue };
                for (sources, among) in &edge.letters {
                    let Some(among) = among.and(&own) else { continue };
                    let before = match known.iter().find(|(kind, _)| *kind == among) {
                        Some((_, before)) => before.clone(),
                        None => {
                            let before = self.with_repeating(before(set, among.clone())?, set, &among)?;
                            known.push((among, before.clone()));
                            before
                        }
                    };
                    let found = &mut found[edge.source];
                    *found = self.sets.union(found, &self.sets.intersect(sources, &before)?)?;
                }
            }
        }
        Ok(found)
    }

    /// The same with the states of the set that repeat, if these steps do.
    fn with_repeating(&self, found: S::Set, of: &S::Set, steps: &Steps) -> Result<S::Set, S::Error> {
        match steps.contain_stutter() {
            true => self.sets.union(&found, &self.sets.intersect(of, self.stuttering)?),
            false => Ok(found),
        }
    }
}

/// The two halves of a state.
fn split(state: &State) -> (&State, usize) {
    let (observed, own) = state.split_last().expect("a state of a product has a word for the automaton");
    (own, *observed as usize)
}

impl<S: StateSets> StateSets for ProductSets<'_, S> {
    type Set = Vec<S::Set>;
    type Error = S::Error;

    fn empty(&self) -> Vec<S::Set> {
        self.lifted(&self.sets.empty())
    }
    fn initial(&self) -> Result<Vec<S::Set>, S::Error> {
        let mut initial = self.empty();
        initial[self.initial] = self.sets.initial()?;
        Ok(initial)
    }
    fn satisfying(&self, label: LabelId) -> Result<Vec<S::Set>, S::Error> {
        Ok(self.lifted(&self.sets.satisfying(label)?))
    }
    fn proper_ends(&self) -> Result<Vec<S::Set>, S::Error> {
        Ok(self.lifted(&self.sets.proper_ends()?))
    }
    fn dead_ends(&self, of: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        self.minus(of, &self.pre(&self.all(), Steps::All)?)
    }
    fn faulty(&self, of: &Vec<S::Set>, faults: Faults) -> Result<Vec<S::Set>, S::Error> {
        self.by_state(of, |of| self.sets.faulty(of, faults))
    }
    fn union(&self, a: &Vec<S::Set>, b: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        self.by_pair((a, b), |a, b| self.sets.union(a, b))
    }
    fn intersect(&self, a: &Vec<S::Set>, b: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        self.by_pair((a, b), |a, b| self.sets.intersect(a, b))
    }
    fn minus(&self, a: &Vec<S::Set>, b: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        self.by_pair((a, b), |a, b| self.sets.minus(a, b))
    }
    fn post(&self, set: &Vec<S::Set>, steps: Steps) -> Result<Vec<S::Set>, S::Error> {
        self.post_by(set, &steps, |from, steps| self.sets.post(from, steps))
    }
    fn pre(&self, set: &Vec<S::Set>, steps: Steps) -> Result<Vec<S::Set>, S::Error> {
        self.pre_by(set, &steps, |to, steps| self.sets.pre(to, steps))
    }
    fn parts(&self) -> Result<Vec<usize>, S::Error> {
        self.sets.parts()
    }
    fn post_part(&self, part: usize, set: &Vec<S::Set>, steps: Steps) -> Result<Vec<S::Set>, S::Error> {
        self.post_by(set, &steps, |from, steps| self.sets.post_part(part, from, steps))
    }
    fn pre_part(&self, part: usize, set: &Vec<S::Set>, steps: Steps) -> Result<Vec<S::Set>, S::Error> {
        self.pre_by(set, &steps, |to, steps| self.sets.pre_part(part, to, steps))
    }
    fn effort(&self) -> u64 {
        self.sets.effort()
    }
    fn pick(&self, set: &Vec<S::Set>) -> Result<Option<Vec<u64>>, S::Error> {
        for (observed, set) in set.iter().enumerate() {
            if let Some(mut state) = self.sets.pick(set)? {
                state.push(observed as u64);
                return Ok(Some(state));
            }
        }
        Ok(None)
    }
    fn only(&self, state: &State) -> Result<Vec<S::Set>, S::Error> {
        let (own, observed) = split(state);
        let mut only = self.empty();
        only[observed] = self.sets.only(own)?;
        Ok(only)
    }
    fn contains(&self, set: &Vec<S::Set>, state: &State) -> Result<bool, S::Error> {
        let (own, observed) = split(state);
        self.sets.contains(&set[observed], own)
    }
    fn count(&self, set: &Vec<S::Set>) -> Result<Natural, S::Error> {
        let counts = set.iter().map(|set| self.sets.count(set)).collect::<Result<Vec<_>, _>>()?;
        Ok(counts.into_iter().fold(Natural::default(), |sum, count| sum + count))
    }
    fn is_empty(&self, set: &Vec<S::Set>) -> bool {
        set.iter().all(|set| self.sets.is_empty(set))
    }
    fn grown(&self, set: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        self.grown_forth(set, &self.all())
    }
    fn grown_forth(&self, set: &Vec<S::Set>, within: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        let mut grown = set.clone();
        for edge in self.edges.iter().filter(|edge| edge.source == edge.target) {
            let here = edge.source;
            for (sources, _) in edge.letters.iter().filter(|(_, steps)| *steps == Steps::All) {
                let from = self.sets.intersect(&grown[here], sources)?;
                if !self.sets.is_empty(&from) {
                    let through = self.sets.intersect(&within[here], sources)?;
                    grown[here] = self.sets.union(&grown[here], &self.sets.grown_forth(&from, &through)?)?;
                }
            }
        }
        self.union(&grown, &self.intersect(&self.post(&grown, Steps::All)?, within)?)
    }
    fn grown_back(&self, set: &Vec<S::Set>, within: &Vec<S::Set>) -> Result<Vec<S::Set>, S::Error> {
        let mut grown = set.clone();
        // While the automaton stays where it is, the system may go far.
        for edge in &self.edges {
            let (source, target) = (edge.source, edge.target);
            if self.sets.is_empty(&within[source]) {
                continue;
            }
            for (sources, steps) in &edge.letters {
                let within = self.sets.intersect(sources, &within[source])?;
                grown[source] = match source == target && *steps == Steps::All {
                    true => self.sets.grown_back(&grown[source], &within)?,
                    _ if self.sets.is_empty(&set[target]) || self.sets.is_empty(&within) => continue,
                    false => {
                        let to = &set[target];
                        let before = self.with_repeating(self.sets.pre(to, steps.clone())?, to, steps)?;
                        let before = self.sets.intersect(&before, &within)?;
                        self.sets.union(&grown[source], &before)?
                    }
                };
            }
        }
        Ok(grown)
    }
    fn safe_point(&self) -> Result<(), S::Error> {
        self.sets.safe_point()
    }
}

/// Splits guards up.
struct Letters<'a, S: StateSets> {
    sets: &'a S,
    automaton: &'a Automaton,
    propositions: &'a [Proposition<S::Set>],
    reached: &'a S::Set,
    known: HashMap<Guard, Vec<Event<S::Set>>>,
}

impl<S: StateSets> Letters<'_, S> {
    /// The steps of the system that satisfy the guard. No step is among two of them.
    fn of(&mut self, guard: Guard) -> Result<Vec<Event<S::Set>>, S::Error> {
        if let Some(known) = self.known.get(&guard) {
            return Ok(known.clone());
        }
        let mut found: Vec<Event<S::Set>> = Vec::new();
        match self.automaton.guards.branch(guard) {
            None if guard == Guard::TRUE => found.push((self.reached.clone(), Steps::All)),
            None => {}
            Some((variable, low, high)) => {
                let proposition = &self.propositions[variable as usize];
                for (branch, holds) in [(low, false), (high, true)] {
                    for event in self.of(branch)? {
                        self.add(&mut found, event, proposition, holds)?;
                    }
                }
            }
        }
        self.known.insert(guard, found.clone());
        Ok(found)
    }

    /// Adds the steps of an event at which the proposition holds, or does not.
    fn add(
        &self,
        found: &mut Vec<Event<S::Set>>,
        (sources, steps): Event<S::Set>,
        proposition: &Proposition<S::Set>,
        holds: bool,
    ) -> Result<(), S::Error> {
        let (sources, steps) = match (proposition, holds) {
            (Proposition::States(states), true) => (self.sets.intersect(&sources, states)?, Some(steps)),
            (Proposition::States(states), false) => (self.sets.minus(&sources, states)?, Some(steps)),
            (Proposition::Step(label), true) => (sources, steps.and(&Steps::Carrying(*label))),
            (Proposition::Step(label), false) => (sources, steps.and(&Steps::missing(*label))),
        };
        let Some(steps) = steps.filter(|_| !self.sets.is_empty(&sources)) else { return Ok(()) };
        match found.iter_mut().find(|(_, known)| *known == steps) {
            Some((known, _)) => *known = self.sets.union(known, &sources)?,
            None => found.push((sources, steps)),
        }
        Ok(())
    }
}
