//! A component written down as a graph of small numbers, to be taken apart again and again.
//!
//! The states of a component have the numbers of their visits, with gaps where closed components are. Without the gaps they
//! are `0..n`, and what is known about them is in arrays. A *part* is a stretch of one array, in which its states stand
//! side by side: to take a part apart is to sort its stretch.

use super::explorer::Explorer;
use super::marks::{MarkTable, MarksId};
use crate::budgeted_stack::BudgetedStack;
use crate::worker::Buffers;
use lariat_automata::MarkSet;
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Notes};
use lariat_subject::Stop;

/// The numbers of the states of a component.
pub(crate) struct Component<'a> {
    begin: u32,
    end: u32,
    /// Gaps, ascending: each from the first number to before the second, and how long all before it are together.
    gaps: Vec<(u32, u32, u32)>,
    _paid: Buffers<'a>,
}

impl<'a> Component<'a> {
    /// All numbers from `begin` to before `end` but for the gaps, of which there are so many.
    pub(crate) fn new(
        begin: u32,
        end: u32,
        gaps: impl ExactSizeIterator<Item = (u32, u32)>,
        budget: &'a Budget,
    ) -> Result<Self, Full> {
        let paid = Buffers::new(budget, (gaps.len() * size_of::<(u32, u32, u32)>()) as u64)?;
        let mut before = 0;
        let mut list = Vec::with_capacity(gaps.len());
        for (first, after) in gaps {
            list.push((first, after, before));
            before += after - first;
        }
        Ok(Self { begin, end, gaps: list, _paid: paid })
    }

    /// How many states there are.
    fn len(&self) -> usize {
        let (first, after, before) = self.gaps.last().copied().unwrap_or_default();
        (self.end - self.begin - (before + after - first)) as usize
    }

    /// How many states of the component have smaller numbers than the one with this number; `None` if it is not one of
    /// them.
    pub(crate) fn rank(&self, number: u32) -> Option<u32> {
        if number < self.begin || number >= self.end {
            return None;
        }
        let after = self.gaps.partition_point(|&(first, _, _)| first <= number);
        match after.checked_sub(1).map(|gap| self.gaps[gap]) {
            None => Some(number - self.begin),
            Some((_, end, _)) if number < end => None,
            Some((first, end, before)) => Some(number - self.begin - (before + end - first)),
        }
    }
}

/// A range of states that are adjacent in the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StateRange {
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

#[derive(Clone, Copy)]
struct InnerEdge {
    target: u32,
    marks: MarksId,
}

/// A state on the path of a search.
#[derive(Clone, Copy)]
struct Open {
    state: u32,
    /// Its next edge to follow.
    next: u32,
    number: u32,
}

/// Beside the number of a state in the order: it is the first of its part.
const FIRST: u32 = 1 << 31;
/// In place of the beginning of a part: the state is in the stretch that is being taken apart.
const UNDERWAY: u32 = u32::MAX;
const UNKNOWN: Handle = Handle(u64::MAX);

/// The graph. Its memory is taken from a budget.
pub(crate) struct Inner<'a> {
    component: Component<'a>,
    states: Vec<Handle>,
    /// By state, where its edges begin and end.
    edges_of: Vec<(u32, u32)>,
    edges: BudgetedStack<'a, InnerEdge>,
    /// The states of each part side by side.
    order: Vec<u32>,
    /// By state, where its part begins.
    part_of: Vec<u32>,
    /// By state, the smallest number that is known to be reached on the path; 0 before it is visited.
    lowest: Vec<u32>,
    path: BudgetedStack<'a, Open>,
    /// Visited, and not known to belong to a finished part.
    stack: BudgetedStack<'a, u32>,
    sorted: Vec<u32>,
    /// By set of marks, when it was last met.
    met_at: Vec<u64>,
    now: u64,
    _paid: Buffers<'a>,
}

impl<'a> Inner<'a> {
    /// Writes a component down; `root` is one of its states.
    pub(crate) fn new<S: StateSpace, T: Notes>(
        explorer: &mut Explorer<'a, S, T>,
        root: Handle,
        component: Component<'a>,
    ) -> Result<Self, Stop> {
        let budget = &explorer.control.budget;
        let len = component.len();
        if len >= FIRST as usize {
            return Err(Full { limit_bytes: budget.limit_bytes() }.into());
        }
        let state_bytes = size_of::<Handle>() + size_of::<(u32, u32)>() + 4 * size_of::<u32>();
        let paid = Buffers::new(budget, (len * state_bytes) as u64)?;
        let mut inner = Self {
            component,
            states: vec![UNKNOWN; len],
            edges_of: vec![(0, 0); len],
            edges: BudgetedStack::new(budget),
            order: Vec::with_capacity(len),
            part_of: vec![0; len],
            lowest: vec![0; len],
            path: BudgetedStack::new(budget),
            stack: BudgetedStack::new(budget),
            sorted: Vec::with_capacity(len),
            met_at: Vec::new(),
            now: 0,
            _paid: paid,
        };
        let transitions = explorer.transitions;
        let rank = inner.component.rank(explorer.store.note(root)).expect("it is one of the states");
        inner.meet(rank, root);
        let mut next = 0;
        while let Some(&state) = inner.order.get(next) {
            next += 1;
            explorer.expand(inner.states[state as usize])?;
            explorer.transitions = transitions;
            let begin = inner.edges.len();
            for edge in &explorer.found.edges {
                if let Some(target) = inner.component.rank(edge.note) {
                    inner.edges.push(InnerEdge { target, marks: edge.marks })?;
                    inner.meet(target, edge.target);
                }
            }
            let place = |number: usize| u32::try_from(number).map_err(|_| Full { limit_bytes: budget.limit_bytes() });
            inner.edges_of[state as usize] = (place(begin)?, place(inner.edges.len())?);
        }
        debug_assert_eq!(inner.order.len(), len, "all of a component can be reached from each of its states");
        Ok(inner)
    }

    fn meet(&mut self, state: u32, handle: Handle) {
        let known = &mut self.states[state as usize];
        if *known == UNKNOWN {
            *known = handle;
            self.order.push(state);
        }
    }

    /// All states.
    pub(crate) fn all(&self) -> StateRange {
        StateRange { begin: 0, end: self.order.len() as u32 }
    }
    /// The first state of a part.
    pub(crate) fn first(&self, part: StateRange) -> Handle {
        self.states[(self.order[part.begin as usize] & !FIRST) as usize]
    }
    /// Whether the state with this number of its visit is in a part that nobody has taken apart.
    pub(crate) fn is_in(&self, number: u32, part: StateRange) -> bool {
        self.component.rank(number).is_some_and(|state| self.part_of[state as usize] == part.begin)
    }
    /// The part that begins here, inside of a greater one that was taken apart.
    pub(crate) fn part_at(&self, begin: u32, whole: StateRange) -> Option<StateRange> {
        let rest = self.order.get(begin as usize + 1..whole.end as usize)?;
        let len = 1 + rest.iter().take_while(|&&state| state & FIRST == 0).count();
        Some(StateRange { begin, end: begin + len as u32 })
    }

    /// The marks of the edges inside a part that are not avoided; `None` if there are no such edges.
    pub(crate) fn marks_inside(
        &mut self,
        part: StateRange,
        avoided: &[bool],
        marks: &MarkTable<'_>,
    ) -> Option<MarkSet> {
        self.met_at.resize(avoided.len(), 0);
        self.now += 1;
        let mut inside = None;
        for &state in &self.order[part.begin as usize..part.end as usize] {
            let (begin, end) = self.edges_of[(state & !FIRST) as usize];
            for edge in (begin..end).map(|edge| self.edges.get(edge as usize)) {
                let id = edge.marks.0 as usize;
                let is_inside = self.part_of[edge.target as usize] == part.begin;
                if is_inside && !avoided[id] && self.met_at[id] < self.now {
                    self.met_at[id] = self.now;
                    inside.get_or_insert(MarkSet::EMPTY).union_with(marks.get(edge.marks));
                }
            }
        }
        inside
    }

    /// Takes a part apart into components, as if the edges that carry avoided sets of marks were not there (Tarjan 1972).
    pub(crate) fn take_apart(&mut self, whole: StateRange, avoided: &[bool]) -> Result<(), Full> {
        self.sorted.clear();
        for number in whole.begin..whole.end {
            let state = (self.order[number as usize] & !FIRST) as usize;
            (self.lowest[state], self.part_of[state]) = (0, UNDERWAY);
        }
        let mut next = 1;
        for number in whole.begin..whole.end {
            let start = self.order[number as usize] & !FIRST;
            if self.lowest[start as usize] == 0 {
                self.take_apart_from(start, whole, avoided, &mut next)?;
            }
        }
        self.order[whole.begin as usize..whole.end as usize].copy_from_slice(&self.sorted);
        Ok(())
    }

    fn take_apart_from(&mut self, start: u32, whole: StateRange, avoided: &[bool], next: &mut u32) -> Result<(), Full> {
        self.enter(start, next)?;
        while let Some(top) = self.path.last_mut() {
            let Open { state, number, .. } = *top;
            if top.next < self.edges_of[state as usize].1 {
                let edge = self.edges.get(top.next as usize);
                top.next += 1;
                if avoided[edge.marks.0 as usize] || self.part_of[edge.target as usize] != UNDERWAY {
                    continue;
                }
                match self.lowest[edge.target as usize] {
                    0 => self.enter(edge.target, next)?,
                    other => self.lowest[state as usize] = self.lowest[state as usize].min(other),
                }
                continue;
            }
            self.path.pop();
            let lowest = self.lowest[state as usize];
            if lowest < number {
                let below = self.path.last().expect("something of a smaller number is on the path").state;
                self.lowest[below as usize] = self.lowest[below as usize].min(lowest);
                continue;
            }
            // What is on the stack since then is a component.
            let begin = whole.begin + self.sorted.len() as u32;
            let mut flag = FIRST;
            while let Some(member) = self.stack.pop() {
                self.part_of[member as usize] = begin;
                self.sorted.push(member | std::mem::take(&mut flag));
                if member == state {
                    break;
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, state: u32, next: &mut u32) -> Result<(), Full> {
        self.lowest[state as usize] = *next;
        self.stack.push(state)?;
        self.path.push(Open { state, next: self.edges_of[state as usize].0, number: *next })?;
        *next += 1;
        Ok(())
    }
}
