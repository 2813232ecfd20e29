//! From one ordinary state to the next, along a path of actions.
//!
//! A firing that leaves no holder is a step by itself. One that does leads to a state which is *transient* as long as the
//! holder can go on: it is searched depth first, without recursion, so that an atomic sequence may be as long as memory
//! allows. A transient state is kept as a row: its words, its holder, and the labels and participants of the path so
//! far, since all of these decide how it continues. A row met again while it is open is the fault "atomic never ends";
//! one that is closed has already listed all it leads to.

use crate::compile::Program;
use crate::interpret::Machine;
use crate::seen::{Met, Seen, bytes_with};
use crate::walk::{Buffer, Post, Prepared};
use lariat_automata::{Mark, MarkSet};
use lariat_base::Id;
use lariat_space::{Move, Outcome, Step, Underway};
use lariat_system::{Fault, LabelId, Position};
use std::ops::ControlFlow;

/// How many actions may be followed from transient states before the caller is asked again.
const WATCH_INTERVAL: u64 = 256;

/// Working memory of the search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// The row being built: words of the state, holder, labels, participants.
    row: Vec<u64>,
    seen: Seen,
    levels: Vec<Level>,
    pub(crate) buffer: Buffer,
    /// The actions taken, and during a report the last one.
    path: Vec<Move>,
    post: Post,
    trial: Vec<u64>,
    shown: Shown,
    /// How many actions were followed from transient states since the call began.
    followed: u64,
}

/// A transient state whose firings are being followed.
#[derive(Clone, Copy, Debug)]
struct Level {
    row: u32,
    count: u32,
    /// How much of the buffer belongs to the levels below.
    begin: (usize, usize),
    /// The next firing to follow, and the end of them.
    next: usize,
    end: usize,
}

/// The labels of a row as a set of marks. Rebuilt only when they change.
#[derive(Clone, Debug, Default)]
struct Shown {
    words: Vec<u64>,
    marks: MarkSet,
}

impl Shown {
    fn show(&mut self, words: &[u64]) {
        // Most systems have at most one word of labels: not worth the call that slices are compared by.
        if self.words.iter().eq(words) {
            return;
        }
        self.words.clear();
        self.words.extend_from_slice(words);
        self.marks.clear();
        for (number, &word) in words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                self.marks.insert(Mark::new(number * 64 + rest.trailing_zeros() as usize));
                rest &= rest - 1;
            }
        }
    }
}

/// Where the parts of a row are.
#[derive(Clone, Copy)]
struct RowShape {
    state: usize,
    labels_end: usize,
    width: usize,
}

impl Program {
    fn row_shape(&self) -> RowShape {
        let state = self.layout.words;
        let labels_end = state + 1 + self.label_words;
        RowShape { state, labels_end, width: labels_end + self.layout.positions.div_ceil(64) }
    }

    /// Working memory for the search.
    pub(crate) fn search(&self) -> Search {
        Search {
            row: vec![0; self.row_shape().width],
            seen: Seen::default(),
            levels: Vec::new(),
            buffer: Buffer::default(),
            path: Vec::new(),
            post: self.post(),
            trial: vec![0; self.layout.words],
            shown: Shown::default(),
            followed: 0,
        }
    }

    /// Adds to `row` the labels and participants of a firing that the machine is set up for.
    fn mark(&self, by: Move, source: &[u64], machine: &mut Machine, row: &mut [u64]) {
        let shape = self.row_shape();
        let (labels, participants) = row[shape.state + 1..].split_at_mut(self.label_words);
        let mut add = |label: LabelId| labels[label.index() / 64] |= 1 << (label.index() % 64);
        let action = &self.actions[by.action];
        action.labels.iter().copied().for_each(&mut add);
        for &(label, condition) in &action.label_conditions {
            if machine.holds(&self.code, condition, source) {
                add(label);
            }
        }
        for position in by.participants().map(usize::from) {
            self.by_position[position].iter().copied().for_each(&mut add);
            participants[position / 64] |= 1 << (position % 64);
        }
    }

    /// Takes a firing that the machine is set up for: calls `on_fault` for what goes wrong, and returns whether `target`
    /// now holds a next state.
    fn fire<B>(
        &self,
        by: Move,
        prepared: Prepared,
        source: &[u64],
        target: &mut [u64],
        machine: &mut Machine,
        mut on_fault: impl FnMut(Fault) -> ControlFlow<B>,
    ) -> ControlFlow<B, bool> {
        let action = &self.actions[by.action];
        for trap in &action.effect_traps {
            if machine.holds(&self.code, trap.condition, source) {
                on_fault(Fault::Trap(by.action, trap.number))?;
                if trap.stops {
                    return ControlFlow::Continue(false);
                }
            }
        }
        let leads_on = match prepared {
            Prepared::Not => machine.update(&self.code, action.update, source, target),
            Prepared::Next => true,
            Prepared::Full => false,
        };
        if !leads_on {
            on_fault(Fault::PoolFull(by.action))?;
        }
        ControlFlow::Continue(leads_on)
    }
}

impl Search {
    /// Forgets the last call, however it ended.
    pub(crate) fn reset(&mut self, program: &Program) {
        self.seen.reset(program.row_shape().width);
        self.levels.clear();
        self.buffer.truncate((0, 0));
        self.path.clear();
        self.followed = 0;
    }

    /// Asks the caller, before anything grows for the actions to come.
    fn ask<B>(&mut self, watch: &mut impl FnMut(Underway) -> ControlFlow<B>) -> ControlFlow<B> {
        // Each action opens at most one level. How many firings that level has is not known before; where they are
        // many, the buffer doubles rarely.
        let more = WATCH_INTERVAL as usize;
        let scratch_bytes = self.seen.bytes_with(more)
            + bytes_with(&self.levels, more)
            + bytes_with(&self.path, more + 1)
            + bytes_with(&self.buffer.waiting, more)
            + bytes_with(&self.buffer.choices, more);
        watch(Underway { actions: self.followed, scratch_bytes })
    }

    /// Reports the guard faults of the ordinary state `source`, of `count` processes.
    pub(crate) fn guard_faults<B>(
        &mut self,
        program: &Program,
        source: &[u64],
        count: u32,
        sink: &mut impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.row.fill(0);
        program.find_guard_faults(source, count, None, &mut self.post);
        self.report_guard_faults(program, sink)
    }

    /// Follows a firing from the ordinary state `source` and lists everything it leads to. `machine` is set up for the
    /// firing and is left as it was, but for its registers.
    #[expect(clippy::too_many_arguments, reason = "the caller's buffers, all distinct")]
    pub(crate) fn follow<B>(
        &mut self,
        program: &Program,
        by: Move,
        prepared: Prepared,
        source: &[u64],
        target: &mut [u64],
        machine: &mut Machine,
        watch: &mut impl FnMut(Underway) -> ControlFlow<B>,
        sink: &mut impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let shape = program.row_shape();
        if program.marks_matter {
            self.row[shape.state..].fill(0);
            program.mark(by, source, machine, &mut self.row);
            self.shown.show(&self.row[shape.state + 1..shape.labels_end]);
        }
        let marks = &self.shown.marks;
        let via = [by];
        let leads_on = program.fire(by, prepared, source, target, machine, |fault| {
            sink(Step { target: Outcome::Fault(fault), marks, via: &via })
        })?;
        if !leads_on {
            return ControlFlow::Continue(());
        }
        let Some(holder) = holder_after(program, by) else {
            return sink(Step { target: Outcome::State(target), marks, via: &via });
        };
        self.row[..shape.state].copy_from_slice(target);
        self.land(program, by, holder, machine.next_count, sink)?;
        self.run(program, watch, sink)
    }

    /// Follows the firings of the open levels until none is left.
    fn run<B>(
        &mut self,
        program: &Program,
        watch: &mut impl FnMut(Underway) -> ControlFlow<B>,
        sink: &mut impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let shape = program.row_shape();
        while let Some(&level) = self.levels.last() {
            if level.next == level.end {
                self.seen.close(level.row);
                self.buffer.truncate(level.begin);
                self.path.pop();
                self.levels.pop();
                continue;
            }
            if self.followed.is_multiple_of(WATCH_INTERVAL) {
                self.ask(watch)?;
            }
            self.followed += 1;
            let waiting = self.buffer.waiting[level.next];
            self.levels.last_mut().expect("a level is open").next += 1;
            let by = waiting.by;
            let machine = &mut self.post.machine;
            machine.count = level.count;
            program.recall(waiting, &self.buffer, machine);
            let from = self.seen.row(level.row);
            let source = &from[..shape.state];
            self.row[shape.state..].copy_from_slice(&from[shape.state..]);
            program.mark(by, source, machine, &mut self.row);
            self.shown.show(&self.row[shape.state + 1..shape.labels_end]);
            self.path.push(by);
            let (path, marks) = (&self.path, &self.shown.marks);
            let target = &mut self.row[..shape.state];
            let leads_on = program.fire(by, Prepared::Not, source, target, machine, |fault| {
                sink(Step { target: Outcome::Fault(fault), marks, via: path })
            })?;
            let holder = holder_after(program, by);
            if leads_on && holder.is_none() {
                sink(Step { target: Outcome::State(target), marks, via: path })?;
            }
            self.path.pop();
            if leads_on && let Some(holder) = holder {
                let count = self.post.machine.next_count;
                self.land(program, by, holder, count, sink)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// `by` has led to the state of the row, of `count` processes, with a holder. Opens a level if it is transient.
    fn land<B>(
        &mut self,
        program: &Program,
        by: Move,
        holder: Position,
        count: u32,
        sink: &mut impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let words = program.layout.words;
        self.row[words] = u64::from(holder);
        let hash = match self.seen.find(&self.row) {
            Met::Open => return self.report(program, by, Some(Fault::EndlessAtomic(by.action)), sink),
            Met::Closed => return ControlFlow::Continue(()),
            Met::Not { hash } => hash,
        };
        let begin = self.buffer.lengths();
        let state = &self.row[..words];
        program.collect(state, count, Some(holder), &mut self.post, &mut self.trial, &mut self.buffer);
        let end = self.buffer.waiting.len();
        if begin.0 == end {
            return self.report(program, by, None, sink);
        }
        let row = self.seen.insert(&self.row, hash);
        self.levels.push(Level { row, count, begin, next: begin.0, end });
        self.path.push(by);
        if program.has_guard_traps {
            program.find_guard_faults(&self.row[..words], count, Some(holder), &mut self.post);
            self.report_guard_faults(program, sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Reports the guard faults that were found, with the labels of the row.
    fn report_guard_faults<B>(
        &mut self,
        program: &Program,
        sink: &mut impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for number in 0..self.post.faults.len() {
            let (by, fault) = self.post.faults[number];
            self.report(program, by, Some(fault), sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Reports that the path and then `last` lead to the fault, or to the state of the row.
    fn report<B>(
        &mut self,
        program: &Program,
        last: Move,
        fault: Option<Fault>,
        sink: &mut impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let shape = program.row_shape();
        self.shown.show(&self.row[shape.state + 1..shape.labels_end]);
        let target = fault.map_or(Outcome::State(&self.row[..shape.state]), Outcome::Fault);
        self.path.push(last);
        let flow = sink(Step { target, marks: &self.shown.marks, via: &self.path });
        self.path.pop();
        flow
    }
}

/// The process that holds control after a firing, if one does.
fn holder_after(program: &Program, by: Move) -> Option<Position> {
    let role = program.actions[by.action].hold?;
    by.participants().nth(role.index())
}
