//! The lock-free queue of Michael and Scott, line by line: one thread adds the values 1, 2, 3, …, others take them.
//!
//! The queue is a list of nodes with a dummy in front; `head` points to the dummy, `tail` to the last node or the one before it.
//! Nodes that were taken are used again. So a pointer that a thread has read may point to the same node in another life, and a
//! compare-and-swap may succeed where it must not (ABA). In the right algorithm a pointer has a tag that each swap counts up; without
//! it, values are lost or come twice. (M. Michael, M. Scott: Simple, fast, and practical non-blocking and blocking concurrent
//! queue algorithms, 1996.)

use lariat::packed;
use lariat::rust::{Model, Property, Propositions};

/// How many nodes there are, the dummy included.
const NODES: usize = 3;
/// The thread that adds values; the others take them.
const PRODUCER: usize = 0;
/// No node.
const NULL: u8 = NODES as u8;

packed! {
    /// A pointer with its tag.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Pointer { node: u8, tag: u8 }
}

packed! {
    /// What a thread does next.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Line {
        /// Nothing yet.
        Start,
        ReadTail,
        ReadNext,
        /// Compares and swaps: the next node of the last one, the head, or the tail that is late.
        Swap,
        /// The new node is there; the tail follows.
        SwapTail,
    }
}

packed! {
    /// A thread, with what it has read.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Thread { line: Line, node: u8, head: Pointer, tail: Pointer, next: Pointer, value: u8 }
}

packed! {
    /// A state of everything.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct State<const THREADS: usize> {
        head: Pointer,
        tail: Pointer,
        next: [Pointer; NODES],
        values: [u8; NODES],
        is_free: [bool; NODES],
        threads: [Thread; THREADS],
        added: u8,
        taken: u8,
        /// A value was taken that was not the next one.
        is_wrong: bool,
    }
}

/// A thread executes its next line.
pub(crate) type Action = u8;

/// One producer and `THREADS - 1` consumers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue<const THREADS: usize> {
    /// Whether pointers have tags.
    pub(crate) is_tagged: bool,
    /// How many values are added.
    pub(crate) values: u8,
}

impl<const THREADS: usize> Queue<THREADS> {
    /// Values come out in the order in which they were added, each once.
    pub(crate) fn in_order() -> Property {
        Property::always("in order", "!wrong")
    }
    /// Whatever the scheduler does, some operation ends time and again: the queue is lock-free. Nothing is assumed about
    /// fairness.
    pub(crate) fn lock_free() -> Property {
        Property::ltl("lock-free", "[]<> returns || <> finished")
    }

    /// The pointer after a swap.
    fn swapped(&self, old: Pointer, node: u8) -> Pointer {
        Pointer { node, tag: if self.is_tagged { old.tag.wrapping_add(1) } else { old.tag } }
    }
}

impl<const THREADS: usize> Model for Queue<THREADS> {
    type State = State<THREADS>;
    type Action = Action;

    fn initial(&self) -> Vec<Self::State> {
        let nowhere = Pointer { node: NULL, tag: 0 };
        let dummy = Pointer { node: 0, tag: 0 };
        let thread = Thread { line: Line::Start, node: NULL, head: nowhere, tail: nowhere, next: nowhere, value: 0 };
        let mut is_free = [true; NODES];
        is_free[0] = false;
        vec![State {
            head: dummy,
            tail: dummy,
            next: [nowhere; NODES],
            values: [0; NODES],
            is_free,
            threads: [thread; THREADS],
            added: 0,
            taken: 0,
            is_wrong: false,
        }]
    }

    fn actions(&self, state: &Self::State, found: &mut Vec<Action>) {
        for (number, thread) in state.threads.iter().enumerate() {
            let may_start = match number {
                PRODUCER => state.added < self.values && state.is_free.contains(&true),
                _ => state.taken < self.values,
            };
            if thread.line != Line::Start || may_start {
                found.push(number as Action);
            }
        }
    }

    fn next(&self, state: &Self::State, &number: &Action) -> Option<Self::State> {
        let mut next = state.clone();
        let own = usize::from(number);
        match own {
            PRODUCER => self.add(&mut next),
            _ => self.take(&mut next, own),
        }
        Some(next)
    }

    fn process(&self, &number: &Action) -> Option<u8> {
        Some(number)
    }

    fn processes(&self) -> u8 {
        THREADS as u8
    }

    fn may_end(&self, state: &Self::State) -> bool {
        state.taken == self.values
    }

    fn propositions(&self, found: &mut Propositions<Self>) {
        found.state("wrong", |_, state| state.is_wrong);
        found.state("finished", |model, state| {
            state.taken == model.values && state.threads.iter().all(|thread| thread.line == Line::Start)
        });
        // An operation ends where its thread comes back to the start.
        found.step("returns", |model, state, action| {
            let own = usize::from(*action);
            let after = model.next(state, action).expect("a thread that can move does");
            state.threads[own].line != Line::Start && after.threads[own].line == Line::Start
        });
    }
}

impl<const THREADS: usize> Queue<THREADS> {
    /// The next line of the producer.
    fn add(&self, state: &mut State<THREADS>) {
        let Thread { line, node, tail, next, .. } = state.threads[PRODUCER];
        let end = usize::from(tail.node);
        let thread = &mut state.threads[PRODUCER];
        match line {
            Line::Start => {
                let node = state.is_free.iter().position(|free| *free).expect("it starts with a free node");
                state.added += 1;
                state.is_free[node] = false;
                state.values[node] = state.added;
                state.next[node].node = NULL;
                (thread.node, thread.line) = (node as u8, Line::ReadTail);
            }
            Line::ReadTail => (thread.tail, thread.line) = (state.tail, Line::ReadNext),
            Line::ReadNext => (thread.next, thread.line) = (state.next[end], Line::Swap),
            Line::Swap if state.tail != tail => thread.line = Line::ReadTail,
            Line::Swap if next.node == NULL => {
                thread.line = Line::ReadTail;
                if state.next[end] == next {
                    state.next[end] = self.swapped(next, node);
                    thread.line = Line::SwapTail;
                }
            }
            Line::Swap => {
                // The tail is late: help.
                state.tail = self.swapped(tail, next.node);
                thread.line = Line::ReadTail;
            }
            Line::SwapTail => {
                if state.tail == tail {
                    state.tail = self.swapped(tail, node);
                }
                *thread = done();
            }
        }
    }

    /// The next line of a consumer.
    fn take(&self, state: &mut State<THREADS>, own: usize) {
        let Thread { line, head, tail, next, value, .. } = state.threads[own];
        let thread = &mut state.threads[own];
        match line {
            Line::Start => (thread.head, thread.line) = (state.head, Line::ReadTail),
            Line::ReadTail => (thread.tail, thread.line) = (state.tail, Line::ReadNext),
            Line::ReadNext => {
                let next = state.next[usize::from(head.node)];
                let value = if next.node == NULL { 0 } else { state.values[usize::from(next.node)] };
                (thread.next, thread.value, thread.line) = (next, value, Line::Swap);
            }
            // Something changed, or the queue is empty: the operation ends, or begins anew.
            Line::Swap if state.head != head => *thread = Thread { line: Line::ReadTail, head: state.head, ..done() },
            Line::Swap if head.node == tail.node && next.node == NULL => *thread = done(),
            Line::Swap if head.node == tail.node => {
                if state.tail == tail {
                    state.tail = self.swapped(tail, next.node);
                }
                *thread = Thread { line: Line::ReadTail, head: state.head, ..done() };
            }
            Line::Swap | Line::SwapTail => {
                state.is_wrong |= value != state.taken + 1;
                state.taken += 1;
                state.head = self.swapped(head, next.node);
                state.is_free[usize::from(head.node)] = true;
                *thread = done();
            }
        }
    }
}

/// A thread that has forgotten what it read.
fn done() -> Thread {
    let nowhere = Pointer { node: NULL, tag: 0 };
    Thread { line: Line::Start, node: NULL, head: nowhere, tail: nowhere, next: nowhere, value: 0 }
}
