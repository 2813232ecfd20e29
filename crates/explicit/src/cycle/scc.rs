//! Strongly connected components on the fly, for any acceptance.
//!
//! Depth-first search with a stack of component roots that unite the marks inside (Couvreur 1999; Gabow 2000): a component
//! is accepting as soon as the marks of the edges seen inside satisfy the acceptance condition, since some cycle takes
//! all of these edges; the search ends there. A component that closes without that may still hide an accepting cycle if
//! the condition says `Fin`: one that stays away from some edges. That is looked for then, by [`refine`](super::refine).
//!
//! A state keeps one number, its place in the order of visits. States of closed components need no mark of their own: at
//! the moment a component closes, everything visited since its root belongs to closed components, so the closed ones are
//! a few intervals of numbers.

use super::aim::Aim;
use super::explorer::{Edge, Explorer, MarksId};
use super::lasso::{Lasso, close_lasso};
use super::refine::refine;
use crate::worker::Stop;
use lariat_automata::{Acceptance, MarkSet};
use lariat_engine::{RunControl, Shortfall};
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Notes};
use std::sync::atomic::Ordering;

/// What a search for accepting cycles has found.
pub struct Cycles {
    /// An accepting run, if there is one.
    pub lasso: Option<Lasso>,
    /// Why not everything was looked at.
    pub unfinished: Option<Shortfall>,
    /// Edges of the part that was seen.
    pub transitions: u64,
    /// The length of the longest path that was followed.
    pub depth: u64,
    /// How often components were taken apart further, for the sake of `Fin`.
    pub refinements: u64,
}

/// The kernel. `store` is empty, and takes its memory from the budget of `control`.
pub fn scc<S: StateSpace, T: Notes>(space: &S, acceptance: &Acceptance, store: &T, control: &RunControl) -> Cycles {
    let mut cycles = Cycles { lasso: None, unfinished: None, transitions: 0, depth: 0, refinements: 0 };
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Cycles { unfinished: Some(full.into()), ..cycles },
    };
    let mut search = Search::new(&control.budget, acceptance);
    let ended = search.run(&mut explorer);
    cycles.transitions = explorer.transitions;
    match ended {
        Ok(lasso) => cycles.lasso = lasso,
        Err(Stop::Short(shortfall)) => cycles.unfinished = Some(shortfall),
        Err(Stop::Failure | Stop::PoolFull) => unreachable!("a cycle is found, not failed"),
    }
    cycles.depth = search.deepest as u64;
    cycles.refinements = search.refinements;
    cycles
}

/// A state on the way from an initial state to where the search stands.
#[derive(Clone, Copy)]
struct Open {
    state: Handle,
    number: u32,
    /// Where its edges that were not followed begin.
    waiting: usize,
}

/// A component, as far as it is known.
struct Root {
    number: u32,
    /// Of the edge by which the search came in.
    entered_by: MarksId,
    /// Of all edges inside that were seen.
    inside: MarkSet,
    /// Whether there is an edge inside.
    has_cycle: bool,
}

struct Search<'a> {
    budget: &'a Budget,
    acceptance: &'a Acceptance,
    open: Vec<Open>,
    waiting: Vec<Edge>,
    roots: Vec<Root>,
    closed: Closed,
    /// The number of the next state to be visited.
    next: u32,
    deepest: usize,
    refinements: u64,
    paid_bytes: u64,
}

impl<'a> Search<'a> {
    fn new(budget: &'a Budget, acceptance: &'a Acceptance) -> Self {
        Self {
            budget,
            acceptance,
            open: Vec::new(),
            waiting: Vec::new(),
            roots: Vec::new(),
            closed: Closed::default(),
            next: 1,
            deepest: 0,
            refinements: 0,
            paid_bytes: 0,
        }
    }

    fn run<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<Option<Lasso>, Stop> {
        let mut initial = Vec::new();
        explorer.initial(|state| initial.push(state))?;
        let none = explorer.marks.id(&MarkSet::EMPTY);
        for state in initial {
            if explorer.store.note(state) == 0 {
                self.visit(explorer, Edge { target: state, marks: none })?;
                if let Some(lasso) = self.go_on(explorer)? {
                    return Ok(Some(lasso));
                }
            }
        }
        Ok(None)
    }

    /// Follows everything that can be reached from the one open state.
    fn go_on<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<Option<Lasso>, Stop> {
        while let Some(&top) = self.open.last() {
            if self.waiting.len() == top.waiting {
                self.open.pop();
                if self.roots.last().is_some_and(|root| root.number == top.number)
                    && let Some(lasso) = self.close(explorer, top)?
                {
                    return Ok(Some(lasso));
                }
                continue;
            }
            let edge = self.waiting.pop().expect("there is one above those of the states below");
            let number = explorer.store.note(edge.target);
            if number == 0 {
                self.visit(explorer, edge)?;
            } else if !self.closed.contains(number) {
                let grown = self.unite(number, explorer.marks.get(edge.marks), explorer);
                let root = self.roots.last().expect("an open state has a root");
                if grown && let Some(aim) = Aim::new(self.acceptance, &root.inside) {
                    let (root, closed) = (root.number, &self.closed);
                    let stem: Vec<Handle> =
                        self.open.iter().take_while(|open| open.number <= root).map(|open| open.state).collect();
                    let member = |store: &T, state: Handle| {
                        let number = store.note(state);
                        number >= root && !closed.contains(number)
                    };
                    return close_lasso(explorer, stem, &aim, member).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn visit<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>, edge: Edge) -> Result<(), Stop> {
        self.reserve()?;
        let number = self.next;
        self.next = number.checked_add(1).ok_or(Full { limit_bytes: self.budget.limit_bytes() })?;
        explorer.store.set_note(edge.target, number);
        self.open.push(Open { state: edge.target, number, waiting: self.waiting.len() });
        self.roots.push(Root { number, entered_by: edge.marks, inside: MarkSet::EMPTY, has_cycle: false });
        self.deepest = self.deepest.max(self.open.len() - 1);
        let begin = self.waiting.len();
        let (waiting, budget, paid) = (&mut self.waiting, self.budget, &mut self.paid_bytes);
        let mut kept = Ok(());
        explorer.edges(edge.target, |edge| {
            kept = kept.and_then(|()| {
                *paid += crate::dfs::reserve(waiting, budget)?;
                waiting.push(edge);
                Ok::<(), Full>(())
            });
        })?;
        kept?;
        // The first step is followed first.
        self.waiting[begin..].reverse();
        let counters = &explorer.control.counters;
        counters.depth.store(self.open.len() as u64, Ordering::Relaxed);
        counters.waiting.store(self.waiting.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn reserve(&mut self) -> Result<(), Full> {
        self.paid_bytes += crate::dfs::reserve(&mut self.open, self.budget)?;
        self.paid_bytes += crate::dfs::reserve(&mut self.roots, self.budget)?;
        self.paid_bytes += crate::dfs::reserve(&mut self.closed.intervals, self.budget)?;
        Ok(())
    }

    /// An edge leads back to the open component with `number` in it: all components since then are one. Whether there is
    /// now something inside that was not there before.
    fn unite<S: StateSpace, T: Notes>(&mut self, number: u32, marks: &MarkSet, explorer: &Explorer<'_, S, T>) -> bool {
        let mut inside = marks.clone();
        while self.roots.last().is_some_and(|root| root.number > number) {
            let root = self.roots.pop().expect("there is one");
            inside.union_with(&root.inside);
            inside.union_with(explorer.marks.get(root.entered_by));
        }
        let root = self.roots.last_mut().expect("an open state has a root");
        let grown = !root.has_cycle || inside.iter().any(|mark| !root.inside.contains(mark));
        root.inside.union_with(&inside);
        root.has_cycle = true;
        grown
    }

    /// Everything that can be reached from the component of `top` was seen.
    fn close<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        top: Open,
    ) -> Result<Option<Lasso>, Stop> {
        let root = self.roots.pop().expect("an open state has a root");
        if root.has_cycle {
            let closed = &self.closed;
            let member = |store: &T, state: Handle| {
                let number = store.note(state);
                number >= root.number && !closed.contains(number)
            };
            let found = refine(explorer, self.acceptance, &root.inside, top.state, member, &mut self.refinements)?;
            if let Some((start, aim, members)) = found {
                // The way from the root to the cycle leads through the component.
                let mut stem: Vec<Handle> = self.open.iter().map(|open| open.state).collect();
                stem.extend(super::lasso::path_within(explorer, top.state, start, member)?);
                return close_lasso(explorer, stem, &aim, |_, state| members.contains(&state)).map(Some);
            }
        }
        self.closed.close(root.number, self.next);
        Ok(None)
    }
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}

/// The numbers of states in closed components.
#[derive(Default)]
struct Closed {
    /// Disjoint, ascending; each from the first to before the second.
    intervals: Vec<(u32, u32)>,
}

impl Closed {
    fn contains(&self, number: u32) -> bool {
        // Most questions are about states visited lately.
        if self.intervals.last().is_none_or(|&(_, end)| number >= end) {
            return false;
        }
        let after = self.intervals.partition_point(|&(begin, _)| begin <= number);
        after > 0 && number < self.intervals[after - 1].1
    }

    /// Everything from `begin` on, up to before `end`, is closed now.
    fn close(&mut self, begin: u32, end: u32) {
        while self.intervals.last().is_some_and(|&(other, _)| other >= begin) {
            self.intervals.pop();
        }
        match self.intervals.last_mut() {
            Some((_, last)) if *last == begin => *last = end,
            _ => self.intervals.push((begin, end)),
        }
    }
}
