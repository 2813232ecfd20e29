//! Accepting cycles by sets: One Way to Catch Them Young (Fisler, Fraer, Kamhi, Vardi, Yang; made explicit by Černá and Pelánek), with
//! sets of entries of the card's table. No edge is kept: states are expanded again in every pass.
//!
//! As in the engines `external` and `cluster` ([ADR 48]): in turn, for each mark, what cannot be reached from a step with this mark is
//! dropped (*reach*), and what has no predecessor left is dropped, again and again (*trim*). Strong fairness drops steps: a step
//! with the first mark of a pair may be used while the second one lies behind its source. In what is left every state has an accepting
//! cycle behind it; if nothing is left there is none.
//!
//! [ADR 48]: ../../../docs/adr/0048-strong-fairness-and-lassos-on-disk.md

use crate::card::{Block, CardError, Place};
use crate::search::{CHUNK, Halt, Pass, Search, counter};
use lariat_automata::Mark;
use lariat_engine::Shortfall;
use lariat_space::StateSpace;
use lariat_subject::CycleGoal;

/// What is known of the entries of the table.
pub(crate) struct Sets {
    /// Bits: those that could be on an accepting cycle, or behind one; those that a pass came to.
    pub(crate) set: Block,
    pub(crate) reached: Block,
    /// How many steps of the set lead to an entry, or its distance.
    pub(crate) counts: Block,
    /// For each pair of marks a bit: whether steps with the first may still leave the state.
    pub(crate) had: Option<Block>,
    /// Entries that are to be expanded.
    queue: Block,
}

/// The bit of a mark.
pub(crate) fn bit_of(mark: Mark) -> u64 {
    1 << mark.0
}

impl<S: StateSpace> Search<'_, S> {
    /// The sets: all states that could be on an accepting cycle are in.
    pub(crate) fn sets(&mut self, goal: &CycleGoal) -> Result<Sets, Halt> {
        let slots = self.memory.slots;
        let pairs = goal.demands.pairs.len();
        let made = self.make_sets(slots, pairs > 0);
        let sets = match made {
            Ok(sets) => sets,
            Err(CardError::NoMemory) => {
                return Err(Shortfall::Memory { limit_bytes: self.job.memory_bytes }.into());
            }
            Err(error) => return Err(error.into()),
        };
        self.set("SET", sets.set.address());
        self.set("REACHED", sets.reached.address());
        self.set("COUNTS", sets.counts.address());
        self.set("QUEUE", sets.queue.address());
        if let Some(had) = &sets.had {
            self.job.card.fill(had, 0..had.bytes(), 0xff)?;
            self.set("HAD", had.address());
        }
        self.over_all("begin_set")?;
        Ok(sets)
    }

    fn make_sets(&self, slots: u64, has_pairs: bool) -> Result<Sets, CardError> {
        let block = |bytes: u64| self.job.card.alloc(bytes.next_multiple_of(8).max(8), Place::Card);
        Ok(Sets {
            set: block(slots.div_ceil(8))?,
            reached: block(slots.div_ceil(8))?,
            counts: block(4 * slots)?,
            had: if has_pairs { Some(block(8 * slots)?) } else { None },
            queue: block(8 * self.states)?,
        })
    }

    /// Runs a kernel for every state, and returns what it counted.
    pub(crate) fn over_all(&mut self, kernel: &str) -> Result<u64, Halt> {
        self.clear_counters()?;
        for first in (0..self.states).step_by(CHUNK as usize) {
            self.set("FIRST", first);
            self.launch(kernel, CHUNK.min(self.states - first), 1)?;
            self.job.control.check()?;
        }
        Ok(self.counters()?[counter("SET")])
    }

    /// Expands all states of the set, and then what is queued.
    fn pass(&mut self, first: Option<(Pass, u64)>, then: Option<(Pass, u64)>) -> Result<(), Halt> {
        if let Some((pass, marks)) = first {
            self.set("MARKS", marks);
            self.set("FROM_QUEUE", 0);
            self.expand_all(0, self.states, pass)?;
        }
        if let Some((pass, marks)) = then {
            self.set("MARKS", marks);
            self.set("FROM_QUEUE", 1);
            let mut from = 0;
            loop {
                let end = self.counters()?[counter("QUEUE")];
                if from == end {
                    break;
                }
                self.expand_all(from, end, pass)?;
                from = end;
            }
        }
        self.set("MARKS", 0);
        self.set("FROM_QUEUE", 0);
        Ok(())
    }

    /// Expands states from `first` on, chunk by chunk.
    pub(crate) fn expand_all(&mut self, first: u64, end: u64, pass: Pass) -> Result<(), Halt> {
        // A chunk of these passes cannot be expanded again; what is not left to the processor once never is.
        let chunk = if self.has_punts { self.least_chunk() } else { CHUNK };
        let mut at = first;
        while at < end {
            at += self.expand(at, end.min(at + chunk), pass, 0)?;
            self.job.control.check()?;
        }
        Ok(())
    }

    /// Begins a queue.
    pub(crate) fn clear_queue(&self) -> Result<(), Halt> {
        let at = 8 * counter("QUEUE") as u64;
        Ok(self.job.card.fill(&self.memory.counters, at..at + 8, 0)?)
    }

    /// Drops what has no accepting cycle behind it: how many states are left.
    pub(crate) fn owcty(&mut self, sets: &mut Sets, goal: &CycleGoal) -> Result<u64, Halt> {
        let mut left = self.trim(sets)?;
        loop {
            let (before, mut cleared) = (left, 0);
            for &mark in &goal.demands.marks {
                if left == 0 {
                    return Ok(0);
                }
                self.reach(sets, mark)?;
                self.over_all("keep_reached")?;
                left = self.trim(sets)?;
            }
            for (pair, &(_, given)) in goal.demands.pairs.iter().enumerate() {
                if left == 0 {
                    return Ok(0);
                }
                self.reach(sets, given)?;
                self.set("MARKS", 1 << pair);
                let more = self.over_all("note_had")?;
                self.set("MARKS", 0);
                if more > 0 {
                    cleared += more;
                    left = self.trim(sets)?;
                }
            }
            if left == before && cleared == 0 {
                return Ok(left);
            }
        }
    }

    /// Notes what can be reached, inside the set, from steps with this mark.
    fn reach(&mut self, sets: &Sets, mark: Mark) -> Result<(), Halt> {
        self.job.card.fill(&sets.reached, 0..sets.reached.bytes(), 0)?;
        self.clear_queue()?;
        self.pass(Some((Pass::Reach, bit_of(mark))), Some((Pass::Reach, 0)))
    }

    /// Drops what has no predecessor that has one, and so on for ever: how many states are left.
    fn trim(&mut self, sets: &Sets) -> Result<u64, Halt> {
        self.job.card.fill(&sets.counts, 0..sets.counts.bytes(), 0)?;
        self.clear_queue()?;
        self.pass(Some((Pass::Count, 0)), None)?;
        self.over_all("drop_uncounted")?;
        self.pass(None, Some((Pass::Drop, 0)))?;
        self.over_all("count_set")
    }
}
