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
//!
//! The number of a visited state never changes, and the store tells it when the edges of a state are listed. So an edge
//! to a visited state is dealt with at once, and only those to others wait.

use super::closed::ClosedStates;
use super::explorer::Explorer;
use super::goal::CycleGoal;
use super::inner::Component;
use super::lasso::{close_lasso, path_within};
use super::marks::{MarksId, heap_bytes};
use super::refine::refine;
use crate::budgeted_stack::BudgetedStack;
use crate::scout::{Order, Scouts};
use lariat_automata::{Acceptance, MarkSet};
use lariat_engine::{PoolTooSmall, RunControl};
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Notes};
use lariat_subject::{Cycles, Lasso, Stop};

/// The kernel. `store` is empty, takes its memory from the budget of `control`, and its notes may be
/// [numbers](lariat_store::NoteWidth::Number).
pub fn scc<S: StateSpace, T: Notes>(
    space: &S,
    acceptance: &Acceptance,
    store: &T,
    control: &RunControl,
) -> Result<Cycles, PoolTooSmall> {
    scouted_scc(space, acceptance, store, control, None)
}

/// The same, by a search that sends scouts.
pub(crate) fn scouted_scc<S: StateSpace, T: Notes>(
    space: &S,
    acceptance: &Acceptance,
    store: &T,
    control: &RunControl,
    scouts: Option<&Scouts<'_>>,
) -> Result<Cycles, PoolTooSmall> {
    let mut search = SccSearch::new(&control.budget, acceptance, false);
    search.scouts = scouts;
    search.go(space, store, control, |_| {})
}

/// The same, by a scout that follows edges in this order until so much work is done. The stem is a shortest one among the
/// states that were visited.
pub(crate) fn scouting_scc<S: StateSpace, T: Notes>(
    space: &S,
    acceptance: &Acceptance,
    store: &T,
    control: &RunControl,
    (order, work): (Order, u64),
) -> Result<Cycles, PoolTooSmall> {
    let mut search = SccSearch::new(&control.budget, acceptance, false);
    search.shortens_stem = true;
    search.go(space, store, control, |explorer| explorer.limit(order, work))
}

/// The same, but the search goes through everything that can be reached, and counts the components that have an accepting
/// cycle. The run told is the first that was found.
pub fn every_scc<S: StateSpace, T: Notes>(
    space: &S,
    acceptance: &Acceptance,
    store: &T,
    control: &RunControl,
) -> Result<Cycles, PoolTooSmall> {
    SccSearch::new(&control.budget, acceptance, true).go(space, store, control, |_| {})
}

/// A state on the way from an initial state to where the search stands.
#[derive(Clone, Copy)]
struct Open {
    /// Where it is among those that were met.
    met: u32,
    /// Of its visit.
    number: u32,
}

/// What is known of the cycles inside a component.
struct Inside {
    /// Where on the path the component begins.
    root: u32,
    /// Of all edges inside that were seen.
    marks: MarkSet,
    /// Whether there is an accepting cycle.
    accepting: bool,
}

pub(super) struct SccSearch<'a> {
    budget: &'a Budget,
    acceptance: &'a Acceptance,
    keep_going: bool,
    /// Those that the search sends out.
    pub(super) scouts: Option<&'a Scouts<'a>>,
    /// How much of the explorer's work they know of.
    told_work: u64,
    /// Whether the way to a cycle is to be a shortest one among visited states.
    shortens_stem: bool,
    /// Whether the condition asks that something be avoided.
    has_fin: bool,
    path: BudgetedStack<'a, Open>,
    /// The states that are on the path or were found not visited yet when the edges of a state on the path were listed.
    met: BudgetedStack<'a, Handle>,
    /// Of the edges to these.
    met_by: BudgetedStack<'a, MarksId>,
    /// Where on the path components begin, as far as they are known.
    roots: BudgetedStack<'a, u32>,
    /// Of the components that have an edge inside, in the order of their roots.
    inside: Vec<Inside>,
    closed: ClosedStates<'a>,
    /// The number of the next state to be visited.
    next: u32,
    deepest: usize,
    refinements: u64,
    lasso: Option<Lasso>,
    count: u64,
    /// What the marks of a component take at most beside the set itself.
    heap_bytes: u64,
    /// How many components the heap was paid for.
    paid_sets: usize,
    paid_bytes: u64,
}

impl<'a> SccSearch<'a> {
    pub(super) fn new(budget: &'a Budget, acceptance: &'a Acceptance, keep_going: bool) -> Self {
        Self {
            budget,
            acceptance,
            keep_going,
            scouts: None,
            told_work: 0,
            shortens_stem: false,
            has_fin: !acceptance.polarities().1.is_empty(),
            path: BudgetedStack::new(budget),
            met: BudgetedStack::new(budget),
            met_by: BudgetedStack::new(budget),
            roots: BudgetedStack::new(budget),
            inside: Vec::new(),
            closed: ClosedStates::new(budget),
            next: 1,
            deepest: 0,
            refinements: 0,
            lasso: None,
            count: 0,
            heap_bytes: heap_bytes(&acceptance.marks()),
            paid_sets: 0,
            paid_bytes: 0,
        }
    }

    /// Searches everything that can be reached.
    fn go<S: StateSpace, T: Notes>(
        mut self,
        space: &'a S,
        store: &'a T,
        control: &'a RunControl,
        set_up: impl FnOnce(&mut Explorer<'a, S, T>),
    ) -> Result<Cycles, PoolTooSmall> {
        let mut cycles = Cycles::default();
        let mut explorer = match Explorer::new(space, store, control) {
            Ok(explorer) => explorer,
            Err(full) => return Ok(Cycles { unfinished: Some(full.into()), ..cycles }),
        };
        set_up(&mut explorer);
        let ended = self.run(&mut explorer).map(|()| None);
        cycles.end(ended)?;
        self.tell(&explorer, &mut cycles);
        Ok(cycles)
    }

    fn run<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'a, S, T>) -> Result<(), Stop> {
        explorer.initial()?;
        for edge in std::mem::take(&mut explorer.found.edges) {
            self.run_from(explorer, edge.target)?;
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes through what can be reached from a state.
    pub(super) fn run_from<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'a, S, T>,
        state: Handle,
    ) -> Result<(), Stop> {
        self.meet(state, MarksId::NONE)?;
        self.go_on(explorer)
    }

    /// Tells what was found.
    pub(super) fn tell<S: StateSpace, T: Notes>(&mut self, explorer: &Explorer<'a, S, T>, cycles: &mut Cycles) {
        cycles.transitions = explorer.transitions;
        cycles.digest = explorer.found.digest;
        cycles.lasso = self.lasso.take();
        cycles.count = self.count;
        cycles.depth = self.deepest as u64;
        cycles.refinements = self.refinements;
    }

    pub(super) fn is_over(&self) -> bool {
        self.lasso.is_some() && !self.keep_going
    }

    /// Follows everything that can be reached from the one state that was met.
    fn go_on<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'a, S, T>) -> Result<(), Stop> {
        while let Some(state) = self.met.last() {
            if let Some(top) = self.path.last()
                && self.met.len() == top.met as usize + 1
            {
                self.leave(explorer, top, state)?;
            } else {
                match explorer.store.claim(state, self.next) {
                    0 => self.visit(explorer, state)?,
                    // Something else has led there meanwhile.
                    number => {
                        self.met.pop();
                        let marks = self.met_by.pop().expect("there is one for each");
                        self.look_back(explorer, number, marks)?;
                    }
                }
            }
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn meet(&mut self, state: Handle, by: MarksId) -> Result<(), Full> {
        self.met.push(state)?;
        self.met_by.push(by)
    }

    /// Goes on to the state that was met last. It has its number.
    fn visit<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'a, S, T>, state: Handle) -> Result<(), Stop> {
        let too_many = Full { limit_bytes: self.budget.limit_bytes() };
        let met = u32::try_from(self.met.len() - 1).map_err(|_| too_many)?;
        self.roots.push(self.path.len() as u32)?;
        self.path.push(Open { met, number: self.next })?;
        self.next = self.next.checked_add(1).ok_or(too_many)?;
        self.deepest = self.deepest.max(self.path.len() - 1);
        explorer.expand(state)?;
        if let Some(scouts) = self.scouts {
            let more = explorer.work - std::mem::replace(&mut self.told_work, explorer.work);
            // Scouts list edges with an explorer of their own.
            scouts.worked(more)?;
        }
        // The first step is followed first.
        for number in (0..explorer.found.edges.len()).rev() {
            let edge = explorer.found.edges[number];
            if edge.note == 0 {
                self.meet(edge.target, edge.marks)?;
            } else if !self.closed.contains(edge.note) && self.unite(explorer, edge.note, edge.marks)? {
                // To tell the run, edges are listed anew.
                let edges = std::mem::take(&mut explorer.found.edges);
                self.accept(explorer)?;
                explorer.found.edges = edges;
                if self.is_over() {
                    return Ok(());
                }
            }
        }
        explorer.tell_depth(self.path.len(), self.met.len() - self.path.len());
        Ok(())
    }

    /// An edge leads from the top to a state that was visited before, or since.
    fn look_back<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'a, S, T>,
        number: u32,
        marks: MarksId,
    ) -> Result<(), Stop> {
        // An initial state may have been reached from another: then there is no top.
        if self.path.len() > 0 && !self.closed.contains(number) && self.unite(explorer, number, marks)? {
            self.accept(explorer)?;
        }
        Ok(())
    }

    /// An edge leads back to the open component with `number` in it: all components since then are one. Whether that is
    /// accepting, and was not known to be.
    #[inline]
    fn unite<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &Explorer<'a, S, T>,
        number: u32,
        marks: MarksId,
    ) -> Result<bool, Full> {
        let root = self.roots.last().expect("an open state has a root");
        let is_inside = self.path.get(root as usize).number <= number;
        if let Some(inside) = self.inside.last()
            && is_inside
            && inside.root == root
            && explorer.marks.get(marks).is_subset(&inside.marks)
        {
            return Ok(false);
        }
        self.unite_more(explorer, number, marks)
    }

    #[inline(never)]
    fn unite_more<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &Explorer<'a, S, T>,
        number: u32,
        marks: MarksId,
    ) -> Result<bool, Full> {
        let mut inside = explorer.marks.get(marks).clone();
        let mut accepting = false;
        let root = loop {
            let root = self.roots.last().expect("an open state has a root");
            let Open { met, number: first } = self.path.get(root as usize);
            if first <= number {
                break root;
            }
            self.roots.pop();
            inside.union_with(explorer.marks.get(self.met_by.get(met as usize)));
            if let Some(part) = self.inside.pop_if(|part| part.root == root) {
                inside.union_with(&part.marks);
                accepting |= part.accepting;
            }
        };
        let grown = match self.inside.last_mut() {
            Some(all) if all.root == root => {
                let grown = !inside.is_subset(&all.marks);
                all.marks.union_with(&inside);
                all.accepting |= accepting;
                grown
            }
            _ => {
                self.paid_bytes += crate::dfs::reserve(&mut self.inside, self.budget)?;
                if self.inside.len() == self.paid_sets {
                    self.budget.take(self.heap_bytes)?;
                    self.paid_bytes += self.heap_bytes;
                    self.paid_sets += 1;
                }
                self.inside.push(Inside { root, marks: inside, accepting });
                true
            }
        };
        let all = self.inside.last().expect("that of the top");
        Ok(grown && !all.accepting && self.acceptance.accepts(&all.marks))
    }

    /// The component of the top is accepting.
    fn accept<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'a, S, T>) -> Result<(), Stop> {
        let inside = self.inside.last_mut().expect("that of the top");
        inside.accepting = true;
        if self.lasso.is_some() {
            return Ok(());
        }
        let goal = CycleGoal::new(self.acceptance, &inside.marks).expect("the marks are accepted");
        let begin = inside.root as usize;
        let first = self.path.get(begin).number;
        let (path, met) = (&self.path, &self.met);
        let stem = explorer.list((0..=begin).map(|number| met.get(path.get(number).met as usize)))?;
        explorer.lift_limit();
        let stem = if self.shortens_stem { shorter(explorer, stem)? } else { stem };
        let lasso = close_lasso(explorer, stem, &goal, |number| number >= first && !self.closed.contains(number))?;
        self.lasso = Some(lasso);
        self.count += u64::from(!self.keep_going);
        Ok(())
    }

    /// All edges of the top were followed.
    fn leave<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'a, S, T>,
        top: Open,
        state: Handle,
    ) -> Result<(), Stop> {
        let at = self.path.len() as u32 - 1;
        if self.roots.last() == Some(at) {
            self.close(explorer, top, state, at)?;
            if self.is_over() {
                return Ok(());
            }
            self.roots.pop();
        }
        self.path.pop();
        self.met.pop();
        self.met_by.pop();
        Ok(())
    }

    /// Everything that can be reached from the component of the top, which is its root, was seen.
    fn close<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'a, S, T>,
        top: Open,
        state: Handle,
        at: u32,
    ) -> Result<(), Stop> {
        if let Some(inside) = self.inside.pop_if(|inside| inside.root == at) {
            let accepting = inside.accepting || self.look_inside(explorer, &inside.marks, top.number, state)?;
            self.count += u64::from(accepting);
        }
        Ok(self.closed.close(top.number, self.next)?)
    }

    /// Whether some cycle of the component that begins with this number and state is accepting because of what it avoids.
    fn look_inside<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'a, S, T>,
        marks: &MarkSet,
        first: u32,
        state: Handle,
    ) -> Result<bool, Stop> {
        if !self.has_fin {
            return Ok(false);
        }
        let component = Component::new(first, self.next, self.closed.since(first), self.budget)?;
        let found = refine(explorer, self.acceptance, marks, state, component, &mut self.refinements)?;
        let Some(found) = found else { return Ok(false) };
        if self.lasso.is_none() {
            // The way from the root to the cycle leads through the component.
            let member = |number| number >= first && !self.closed.contains(number);
            explorer.lift_limit();
            let way = path_within(explorer, state, found.start, member)?;
            let (path, met) = (&self.path, &self.met);
            let before = (0..path.len() - 1).map(|number| met.get(path.get(number).met as usize));
            let stem = explorer.list(before.chain(way))?;
            let stem = if self.shortens_stem { shorter(explorer, stem)? } else { stem };
            self.lasso = Some(close_lasso(explorer, stem, &found.goal, |number| found.contains(number))?);
        }
        Ok(true)
    }
}

/// A shortest way among visited states that begins and ends where the given one does.
fn shorter<S: StateSpace, T: Notes>(explorer: &mut Explorer<'_, S, T>, way: Vec<Handle>) -> Result<Vec<Handle>, Stop> {
    let (first, last) = (way[0], way[way.len() - 1]);
    path_within(explorer, first, last, |number| number != 0)
}

impl Drop for SccSearch<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}
