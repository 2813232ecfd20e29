//! From one ordinary state to the next, along a path of actions.
//!
//! A firing that leaves no holder is a step by itself. One that does leads to a state which is *transient* as long as the
//! holder can go on: it is searched depth first, without recursion, so that an atomic sequence may be as long as memory
//! allows. A transient state is kept as a row: its words, its holder, and the labels and participants of the path so
//! far, since all of these decide how it continues. A row met again while it is open is the fault "atomic never ends";
//! one that is closed has already listed all it leads to.

use crate::compile::{Program, TrapEffect};
use crate::head::Head;
use crate::memory::{Level, PathMemory};
use crate::records::RecordShape;
use crate::seen::{Met, bytes_with};
use crate::walk::Lister;
use lariat_base::Id;
use lariat_space::{Move, Outcome, PlainStep, PlainSteps, Sink, Step, StepRows, Underway};
use lariat_system::{Fault, IDLE_RANK, Position};
use std::ops::ControlFlow;

/// How many actions may be followed from transient states before the caller is asked again.
const WATCH_INTERVAL: u64 = 256;
/// Where choices can be made in very many ways: how many values are tried, and how many firings listed, before the caller is asked, and
/// how many times as many the next time.
const WIDE_TRIES: u64 = 1 << 20;
const WIDE_LISTED: u64 = 1 << 16;
const WIDE_GROWTH: u64 = 4;

/// One call: the program, who lists for it, the working memory, and where steps go.
pub(crate) struct Walk<'a, L, K> {
    pub(crate) program: &'a Program,
    pub(crate) lister: &'a L,
    pub(crate) memory: &'a mut PathMemory,
    pub(crate) sink: K,
}

impl<L: Lister, K: Sink> Walk<'_, L, K> {
    /// Lists the steps from the ordinary state `source`.
    pub(crate) fn steps(&mut self, source: &[u64]) -> ControlFlow<K::Break> {
        self.reset();
        let memory = &mut *self.memory;
        let count = self.program.code.pool.count_near(source, memory.count);
        memory.count = count;
        if self.program.has_wide_choices {
            self.list_wide(source, count, None)?;
            return self.follow();
        }
        memory.records.expect(i64::MAX);
        memory.records.chains = true;
        self.lister.list(source, count, None, &mut memory.post, &mut memory.records);
        if memory.records.rivals && memory.records.chains_may_meet() {
            memory.records.end = 0;
            memory.records.expect(i64::MAX);
            self.lister.list(source, count, None, &mut memory.post, &mut memory.records);
        }
        self.follow()
    }

    /// Lists those steps from the ordinary state `source` that the process at `actor` begins.
    pub(crate) fn steps_by(&mut self, source: &[u64], actor: Position) -> ControlFlow<K::Break> {
        let program = self.program;
        self.reset();
        let count = program.code.pool.count(source);
        if program.has_wide_choices {
            self.list_wide(source, count, Some(actor))?;
        } else {
            let PathMemory { records, post, .. } = &mut *self.memory;
            records.expect(i64::MAX);
            self.lister.list(source, count, Some(actor), post, records);
        }
        let PathMemory { records, post, .. } = &mut *self.memory;
        // Others can be of a smaller rank only where ranks differ.
        if program.common_rank.is_none() && records.least > program.lowest_rank {
            let (end, guard_traps) = (records.end, records.guard_traps);
            records.expect(records.least);
            self.lister.list(source, count, None, post, records);
            (records.end, records.guard_traps) = (end, guard_traps);
        }
        self.follow()
    }

    /// Lists what can happen in an ordinary state where an action may have very many ways to make its choices, few of which its
    /// guard admits: after each round with so many tries the caller is asked, and the next round, from the beginning, has more.
    fn list_wide(&mut self, source: &[u64], count: u32, actor: Option<Position>) -> ControlFlow<K::Break> {
        let (mut tries, mut most_listed) = (WIDE_TRIES, WIDE_LISTED);
        loop {
            let PathMemory { records, post, .. } = &mut *self.memory;
            records.end = 0;
            records.expect(i64::MAX);
            (post.machine.tries_left, post.machine.room_left) = (tries, most_listed);
            self.lister.list(source, count, actor, post, records);
            let is_complete = post.machine.tries_left > 0;
            (post.machine.tries_left, post.machine.room_left) = (u64::MAX, u64::MAX);
            if is_complete {
                return ControlFlow::Continue(());
            }
            (tries, most_listed) = (tries.saturating_mul(WIDE_GROWTH), most_listed.saturating_mul(WIDE_GROWTH));
            records.end = 0;
            let scratch_bytes = records.bytes_with(usize::try_from(most_listed).unwrap_or(usize::MAX));
            self.sink.underway(Underway { actions: tries, scratch_bytes })?;
        }
    }

    /// Reports what the firings listed for an ordinary state lead to.
    pub(crate) fn follow(&mut self) -> ControlFlow<K::Break> {
        let program = self.program;
        let (end, least) = (self.memory.records.end, self.memory.records.least);
        // Without labels there is nothing to show, whoever acts.
        let has_choices = self.memory.records.shape.has_choices();
        let unmarked = program.label_words == 0 && !has_choices;
        if unmarked && self.memory.records.all_plain && program.common_rank.is_some() {
            if end == 0 {
                return ControlFlow::Continue(());
            }
            let PathMemory { records, path, shown, .. } = &mut *self.memory;
            let steps = PlainRecords {
                shape: records.shape,
                words: &records.words[..end],
                hops: &records.hops[..records.hops_end],
            };
            return self.sink.plain_steps(&shown.labels, path, steps);
        }
        if self.memory.records.guard_traps {
            self.memory.row.fill(0);
            self.report_guard_traps(0)?;
        }
        let (mut hops_at, mut next) = (0, 0);
        while next < end {
            let at = next;
            let PathMemory { records, path, shown, .. } = &mut *self.memory;
            let (shape, words, hops) = (records.shape, &records.words[..end], &records.hops[..]);
            let hops_of = |record: &[u64]| if shape.has_hops() { record[shape.hops] as usize } else { 0 };
            if unmarked {
                // All that follow and are plain, at once.
                let mut hops_next = hops_at;
                while let Some(record) = words.get(next..next + shape.width)
                    && Head(record[0]).is_plain()
                    && (shape.rank == shape.hops || record[shape.rank] as i64 == least)
                {
                    hops_next += hops_of(record);
                    next += shape.width;
                }
                if next > at {
                    let hops = &hops[std::mem::replace(&mut hops_at, hops_next)..hops_next];
                    let steps = PlainRecords { shape, words: &words[at..next], hops };
                    self.sink.plain_steps(&shown.labels, path, steps)?;
                    continue;
                }
            }
            let head = records.head(at);
            hops_at += records.hops_after(at);
            next += shape.width;
            if !head.has(Head::GUARD) && records.is_of_rank(at, least) {
                self.memory.path.clear();
                self.memory.chosen.clear();
                let state_end = self.memory.records.shape.words();
                self.memory.row[state_end..].fill(0);
                if !has_choices && self.is_alone(at, end, least) && self.chain(at)? {
                    continue;
                }
                self.memory.records.end = end;
                self.take(at)?;
                self.run()?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Forgets the last call, however it ended.
    pub(crate) fn reset(&mut self) {
        self.memory.seen.reset(self.program.row_shape(self.memory.records.shape).width);
        self.memory.levels.clear();
        self.memory.records.end = 0;
        self.memory.path.clear();
        self.memory.chosen.clear();
        self.memory.followed = 0;
    }

    /// Asks the caller, before anything grows for the actions to come.
    fn ask(&mut self) -> ControlFlow<K::Break> {
        // Each action opens at most one level. How many firings that level has is not known before; where they are
        // many, the records double rarely.
        let (more, has_choices) = (WATCH_INTERVAL as usize, self.memory.records.shape.has_choices());
        let scratch_bytes = self.memory.seen.bytes_with(more)
            + bytes_with(&self.memory.levels, more)
            + bytes_with(&self.memory.path, more + 1)
            + bytes_with(&self.memory.chosen, if has_choices { (more + 1) * self.program.max_choices } else { 0 })
            + self.memory.records.bytes_with(more);
        self.sink.underway(Underway { actions: self.memory.followed, scratch_bytes })
    }

    /// Follows the firings of the open levels until none is left.
    fn run(&mut self) -> ControlFlow<K::Break> {
        let shape = self.program.row_shape(self.memory.records.shape);
        while let Some(level) = self.memory.levels.last_mut() {
            if level.next == level.end {
                self.memory.seen.close(level.row);
                self.memory.records.end = level.begin;
                self.memory.path.pop();
                self.memory.levels.pop();
                continue;
            }
            let at = level.next;
            level.next += self.memory.records.shape.width;
            let (row, rank) = (level.row, level.rank);
            if self.memory.records.head(at).has(Head::GUARD) || !self.memory.records.is_of_rank(at, rank) {
                continue;
            }
            if self.memory.followed.is_multiple_of(WATCH_INTERVAL) {
                self.ask()?;
            }
            self.memory.followed += 1;
            self.memory.row[shape.state..].copy_from_slice(&self.memory.seen.row(row)[shape.state..]);
            self.take(at)?;
        }
        ControlFlow::Continue(())
    }

    /// Takes the firing recorded at `at`: reports the faults and the ordinary state it leads to, or opens a level if
    /// the state is transient. The labels and participants of the row are those of the path before.
    fn take(&mut self, at: usize) -> ControlFlow<K::Break> {
        let program = self.program;
        let head = self.memory.records.head(at);
        let by = head.by();
        if self.memory.records.shape.has_choices() {
            let PathMemory { chosen, records, levels, .. } = &mut *self.memory;
            chosen.truncate(levels.last().map_or(0, |level| level.chosen));
            chosen.extend(records.choices(at, program.actions[by.action].guard.choices.len()));
        }
        if program.marks_matter {
            program.mark(&self.memory.records, at, &mut self.memory.row);
        }
        if head.has(Head::TRAPPED) {
            for (number, trap) in program.actions[by.action].effect_traps.iter().enumerate() {
                if !self.memory.records.traps(at, number) {
                    continue;
                }
                if trap.effect == TrapEffect::Noted {
                    self.memory.note_cut(by.action, trap.number);
                } else {
                    self.report(by, Some(Fault::Trap(by.action, trap.number)))?;
                }
            }
        }
        if head.has(Head::FULL) {
            return self.report(by, Some(Fault::PoolFull(by.action)));
        }
        if !head.has(Head::LEADS_ON) {
            return ControlFlow::Continue(());
        }
        let records = &self.memory.records;
        self.memory.row[..records.shape.words()].copy_from_slice(records.state(at));
        match head.holder() {
            None => self.report(by, None),
            Some(holder) => self.land(by, holder, head.count()),
        }
    }

    /// `by` has led to the state of the row, of `count` processes, with a holder. Opens a level if it is transient.
    fn land(&mut self, by: Move, holder: Position, count: u32) -> ControlFlow<K::Break> {
        // Where all paths from here come to rows that are known, nobody else is told of this action.
        self.memory.passed[by.action.index()] = true;
        let words = self.memory.records.shape.words();
        self.memory.row[words] = u64::from(holder);
        let hash = match self.memory.seen.find(&self.memory.row) {
            Met::Open => return self.report(by, Some(Fault::EndlessAtomic(by.action))),
            Met::Closed => return ControlFlow::Continue(()),
            Met::Not { hash } => hash,
        };
        // The firings of a level that has none left to follow are in nobody's way: a long sequence keeps few records.
        if let Some(level) = self.memory.levels.last_mut()
            && level.next == level.end
        {
            self.memory.records.end = level.begin;
            (level.next, level.end) = (level.begin, level.begin);
        }
        let begin = self.memory.records.end;
        let Some(rank) = self.list_holder(holder, count) else {
            self.memory.records.end = begin;
            return self.report(by, None);
        };
        let row = self.memory.seen.insert(&self.memory.row, hash);
        let (end, chosen) = (self.memory.records.end, self.memory.chosen.len());
        self.memory.levels.push(Level { row, begin, next: begin, end, rank, chosen });
        self.memory.path.push(by);
        if self.memory.records.guard_traps {
            self.report_guard_traps(begin)?;
        }
        ControlFlow::Continue(())
    }

    /// Lists what the holder can do in the state of the row, and returns the rank of it; `None` if it does not go on.
    /// It goes on if the least rank of all is an ordinary one and some of its firings have it.
    fn list_holder(&mut self, holder: Position, count: u32) -> Option<i64> {
        let (program, lister) = (self.program, self.lister);
        let PathMemory { row, records, post, .. } = &mut *self.memory;
        let state = &row[..records.shape.words()];
        let ordinary = IDLE_RANK - 1;
        let begin = records.end;
        records.expect(ordinary);
        lister.list(state, count, Some(holder), post, records);
        let (end, least, guard_traps) = (records.end, records.least, records.guard_traps);
        let width = records.shape.width;
        let goes_on =
            (begin..end).step_by(width).any(|at| !records.head(at).has(Head::GUARD) && records.is_of_rank(at, least));
        if !goes_on {
            return None;
        }
        // Others can be of a smaller rank only where ranks differ below that of the holder.
        if program.common_rank.is_none() && least > program.lowest_rank {
            records.expect(least);
            lister.list(state, count, None, post, records);
            records.end = end;
            records.guard_traps = guard_traps;
            if records.least < least {
                return None;
            }
        }
        Some(least)
    }

    /// Reports the guard traps recorded from `begin` on, with the labels of the row, ordered by action first.
    #[cold]
    fn report_guard_traps(&mut self, begin: usize) -> ControlFlow<K::Break> {
        let mut faults = std::mem::take(&mut self.memory.faults);
        faults.clear();
        for at in (begin..self.memory.records.end).step_by(self.memory.records.shape.width) {
            let head = self.memory.records.head(at);
            if head.has(Head::GUARD) {
                let by = head.by();
                let traps = self.program.actions[by.action].guard_traps.iter().enumerate();
                let holding = traps.filter(|(number, _)| self.memory.records.traps(at, *number));
                faults.extend(holding.map(|(_, trap)| (by, Fault::Trap(by.action, trap.number))));
            }
        }
        let youngest_first = |position: Option<Position>| position.map(|position| Position::MAX - position);
        faults.sort_unstable_by_key(|(by, fault)| {
            (by.action.index(), youngest_first(by.actor), youngest_first(by.peer), *fault)
        });
        let flow = faults.iter().try_for_each(|&(by, fault)| self.report(by, Some(fault)));
        self.memory.faults = faults;
        flow
    }

    /// Reports that the path and then `last` lead to the fault, or to the state of the row.
    fn report(&mut self, last: Move, fault: Option<Fault>) -> ControlFlow<K::Break> {
        let shape = self.program.row_shape(self.memory.records.shape);
        self.memory.shown.show(&self.memory.row[shape.state + 1..shape.labels_end]);
        let target = fault.map_or(Outcome::State(&self.memory.row[..shape.state]), Outcome::Fault);
        self.memory.path.push(last);
        let step = Step::new(target, &self.memory.shown.labels, &self.memory.path);
        let flow = self.sink.step(Step { choices: &self.memory.chosen, ..step });
        self.memory.path.pop();
        flow
    }
}

/// Records of plain steps, one after the other, and the hops of all of them.
struct PlainRecords<'r> {
    shape: RecordShape,
    words: &'r [u64],
    hops: &'r [u32],
}

impl<'r> Iterator for PlainRecords<'r> {
    type Item = PlainStep<'r>;

    #[inline]
    fn next(&mut self) -> Option<PlainStep<'r>> {
        let (record, others) = self.words.split_at_checked(self.shape.width)?;
        let hops = if self.shape.has_hops() { record[self.shape.hops] as usize } else { 0 };
        let (then, other_hops) = self.hops.split_at(hops);
        (self.words, self.hops) = (others, other_hops);
        Some(PlainStep { by: Head(record[0]).by(), then, target: &record[self.shape.state..] })
    }
}

impl<'r> PlainSteps<'r> for PlainRecords<'r> {
    #[inline]
    fn rows(&self) -> StepRows<'r> {
        let hops_at = self.shape.has_hops().then_some(self.shape.hops);
        StepRows { words: self.words, width: self.shape.width, hops_at, hops: self.hops }
    }
}
