//! Strongly connected components by predecessors (Courcoubetis, Vardi, Wolper, Yannakakis 1992, section 4, after Aho,
//! Hopcroft and Ullman, section 6.7).
//!
//! A first search goes through the whole graph and lists its states in the order it leaves them. A second search goes from
//! the states that were left last, against the edges: what it reaches anew is a component. The paper is given a function
//! that tells predecessors; a product has none, so the first search writes down the edges, at eight bytes each. Beside this
//! stored graph the second search needs two bits for each state. A component is accepting if the marks of the edges inside
//! satisfy the condition, which must not say `Fin`; they are listed once more to see that.
//!
//! Nothing is known before the graph is complete, so `scc` is better for whoever has a choice. What this has for it is that
//! it is so different: two searches that are right for different reasons.

use super::explorer::Explorer;
use super::goal::CycleGoal;
use super::lasso::close_lasso;
use super::nested::stem_to;
use crate::budgeted_stack::BudgetedStack;
use lariat_automata::{Acceptance, MarkSet};
use lariat_engine::{PoolTooSmall, RunControl};
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Notes};
use lariat_subject::{Cycles, Lasso, Stop};

/// The kernel. `acceptance` does not say `Fin`. `store` is empty, takes its memory from the budget of `control`, and its notes
/// may be [numbers](lariat_store::NoteWidth::Number). With `keep_going` all components are looked at, and counted.
pub fn kosaraju<S: StateSpace, T: Notes>(
    space: &S,
    acceptance: &Acceptance,
    store: &T,
    keep_going: bool,
    control: &RunControl,
) -> Result<Cycles, PoolTooSmall> {
    debug_assert!(acceptance.polarities().1.is_empty(), "more marks are never worse");
    let mut cycles = Cycles::default();
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Ok(Cycles { unfinished: Some(full.into()), ..cycles }),
    };
    let mut graph = Graph::new(&control.budget);
    let explored = graph.explore(&mut explorer);
    cycles.transitions = explorer.transitions;
    cycles.digest = explorer.found.digest;
    cycles.depth = graph.deepest;
    let mut search = BackwardSearch { acceptance, keep_going, lasso: None, count: 0 };
    cycles.end(explored.and_then(|()| search.components(&mut graph, &mut explorer)).map(|()| None))?;
    (cycles.lasso, cycles.count) = (search.lasso, search.count);
    Ok(cycles)
}

/// An edge, in a list of those that lead to the same state.
#[derive(Clone, Copy)]
struct Link {
    source: u32,
    /// The number of the next link, plus one; 0 at the end.
    next: u32,
}

/// What is known of a state beside what the store has: its note is its number here, plus one.
#[derive(Clone, Copy)]
struct Node {
    state: Handle,
    /// The number of the first link to it, plus one; 0 if there is none.
    links: u32,
}

/// A graph with its edges turned round.
struct Graph<'a> {
    budget: &'a Budget,
    nodes: BudgetedStack<'a, Node>,
    links: BudgetedStack<'a, Link>,
    /// The states in the order the first search left them.
    left: BudgetedStack<'a, u32>,
    deepest: u64,
}

/// What is to be done next in the first search.
#[derive(Clone, Copy)]
enum Next {
    Enter(u32),
    Leave(u32),
}

impl<'a> Graph<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self {
            budget,
            nodes: BudgetedStack::new(budget),
            links: BudgetedStack::new(budget),
            left: BudgetedStack::new(budget),
            deepest: 0,
        }
    }

    /// The first search: goes through everything.
    fn explore<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'a, S, T>) -> Result<(), Stop> {
        let mut next = BudgetedStack::new(self.budget);
        let mut entered = Bits::new(self.budget);
        explorer.initial()?;
        for number in (0..explorer.found.edges.len()).rev() {
            let edge = explorer.found.edges[number];
            next.push(Next::Enter(self.number(explorer, edge.target, edge.note)?))?;
        }
        let mut depth = 0;
        while let Some(step) = next.pop() {
            match step {
                Next::Leave(node) => {
                    depth -= 1;
                    self.left.push(node)?;
                }
                Next::Enter(node) if entered.insert(node)? => {
                    self.deepest = self.deepest.max(depth);
                    depth += 1;
                    next.push(Next::Leave(node))?;
                    explorer.expand(self.nodes.get(node as usize).state)?;
                    // The first step is followed first.
                    for number in (0..explorer.found.edges.len()).rev() {
                        let edge = explorer.found.edges[number];
                        let target = self.number(explorer, edge.target, edge.note)?;
                        self.link(node, target)?;
                        if !entered.contains(target) {
                            next.push(Next::Enter(target))?;
                        }
                    }
                    explorer.tell_depth(depth as usize, next.len() - depth as usize);
                }
                Next::Enter(_) => {}
            }
        }
        Ok(())
    }

    /// The number of a state that had this note when it was listed.
    fn number<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &Explorer<'a, S, T>,
        state: Handle,
        note: u32,
    ) -> Result<u32, Full> {
        let new = self.note_of(self.nodes.len())?;
        // The same state may have been listed twice.
        let note = if note == 0 { explorer.store.claim(state, new) } else { note };
        if note == 0 {
            self.nodes.push(Node { state, links: 0 })?;
        }
        Ok(if note == 0 { new - 1 } else { note - 1 })
    }

    fn link(&mut self, source: u32, target: u32) -> Result<(), Full> {
        let link = self.note_of(self.links.len())?;
        let node = self.nodes.get_mut(target as usize);
        let next = std::mem::replace(&mut node.links, link);
        self.links.push(Link { source, next })
    }

    /// One more than a number, if that is a number still.
    fn note_of(&self, number: usize) -> Result<u32, Full> {
        let note = u32::try_from(number + 1).ok().filter(|&note| note < u32::MAX);
        note.ok_or(Full { limit_bytes: self.budget.limit_bytes() })
    }

    /// The states from which an edge leads to this one.
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let link = |number: u32| number.checked_sub(1).map(|number| self.links.get(number as usize));
        let first = link(self.nodes.get(node as usize).links);
        std::iter::successors(first, move |before| link(before.next)).map(|link| link.source)
    }
}

/// The second search.
struct BackwardSearch<'a> {
    acceptance: &'a Acceptance,
    keep_going: bool,
    lasso: Option<Lasso>,
    /// How many components are accepting.
    count: u64,
}

impl BackwardSearch<'_> {
    fn components<'g, S: StateSpace, T: Notes>(
        &mut self,
        graph: &mut Graph<'g>,
        explorer: &mut Explorer<'g, S, T>,
    ) -> Result<(), Stop> {
        let mut taken = Bits::new(graph.budget);
        let mut inside = Bits::new(graph.budget);
        let mut members = BudgetedStack::new(graph.budget);
        while let Some(root) = graph.left.pop() {
            if !taken.insert(root)? {
                continue;
            }
            members.push(root)?;
            let mut next = 0;
            while next < members.len() {
                for source in graph.predecessors(members.get(next)) {
                    if taken.insert(source)? {
                        members.push(source)?;
                    }
                }
                next += 1;
            }
            for member in members.iter() {
                inside.insert(member)?;
            }
            explorer.tell_depth(graph.deepest as usize, graph.left.len());
            self.look_inside(graph, explorer, &members, &inside)?;
            if self.lasso.is_some() && !self.keep_going {
                return Ok(());
            }
            while let Some(member) = members.pop() {
                inside.remove(member);
            }
        }
        Ok(())
    }

    /// Looks whether a component is accepting.
    fn look_inside<'g, S: StateSpace, T: Notes>(
        &mut self,
        graph: &Graph<'g>,
        explorer: &mut Explorer<'g, S, T>,
        members: &BudgetedStack<'g, u32>,
        inside: &Bits<'g>,
    ) -> Result<(), Stop> {
        let transitions = explorer.transitions;
        let (mut marks, mut has_edge) = (MarkSet::EMPTY, false);
        for member in members.iter() {
            explorer.expand(graph.nodes.get(member as usize).state)?;
            for edge in explorer.found.edges.iter().filter(|edge| inside.contains(edge.note - 1)) {
                has_edge = true;
                marks.union_with(explorer.marks.get(edge.marks));
            }
        }
        // These were counted before.
        explorer.transitions = transitions;
        if !has_edge || !self.acceptance.accepts(&marks) {
            return Ok(());
        }
        if self.lasso.is_none() {
            let goal = CycleGoal::new(self.acceptance, &marks).expect("the marks are accepted");
            let begin = graph.nodes.get(members.get(0) as usize).state;
            let mut stem = stem_to(explorer, begin)?;
            stem.push(begin);
            self.lasso = Some(close_lasso(explorer, stem, &goal, |note| inside.contains(note - 1))?);
            explorer.transitions = transitions;
        }
        self.count += 1;
        Ok(())
    }
}

/// A set of numbers, a bit for each.
struct Bits<'a>(BudgetedStack<'a, u64>);

impl<'a> Bits<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self(BudgetedStack::new(budget))
    }
    fn contains(&self, number: u32) -> bool {
        let word = number as usize / 64;
        word < self.0.len() && self.0.get(word) >> (number % 64) & 1 == 1
    }
    /// Whether it was absent.
    fn insert(&mut self, number: u32) -> Result<bool, Full> {
        let word = number as usize / 64;
        while self.0.len() <= word {
            self.0.push(0)?;
        }
        let bits = self.0.get_mut(word);
        let absent = *bits >> (number % 64) & 1 == 0;
        *bits |= 1 << (number % 64);
        Ok(absent)
    }
    fn remove(&mut self, number: u32) {
        *self.0.get_mut(number as usize / 64) &= !(1 << (number % 64));
    }
}
