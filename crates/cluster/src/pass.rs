//! Passes through a set of states by all workers together: some states are expanded, what their steps lead to is told to the worker
//! that it belongs to, and that may make further states to be expanded, until nothing is left to do anywhere.
//!
//! A worker goes on with its own states as long as it has some, so a long way without branches does not cost a round for each of its
//! states, unless they belong to different workers.

use crate::rows::{NoRows, RowReader};
use crate::search::Search;
use crate::share::{Halt, Share, Taken};
use crate::words::{common_stop, stop_words};
use lariat_automata::MarkSet;
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::Full;
use lariat_subject::{CycleGoal, Stop};
use std::ops::ControlFlow;

/// A step as a pass sees it.
pub(crate) struct Seen<'s> {
    /// The number of the source, which belongs to this worker.
    pub(crate) number: usize,
    pub(crate) source: &'s State,
    pub(crate) marks: &'s MarkSet,
    pub(crate) target: &'s State,
    /// Of the source, a bit for each pair of marks.
    bits: &'s [u64],
}

impl Seen<'_> {
    /// Whether a cycle may use the step.
    pub(crate) fn is_allowed(&self, goal: &CycleGoal) -> bool {
        goal.allows(self.source, self.marks, self.target, self.bits)
    }
}

/// What is known of the states that belong to a worker, by number.
pub(crate) struct Sets<'a> {
    /// Those that could be on an accepting cycle, or behind one.
    pub(crate) alive: Vec<bool>,
    /// Those that a pass came to.
    pub(crate) reached: Vec<bool>,
    /// How many steps lead there from such states.
    pub(crate) counts: Vec<u32>,
    /// For each pair of marks a bit: whether steps with the first may still leave the state.
    bits: Vec<u64>,
    bit_words: usize,
    /// States that are to be expanded.
    queue: Vec<u64>,
    _taken: Taken<'a>,
}

impl<'a> Sets<'a> {
    fn new(states: usize, bit_words: usize, taken: Taken<'a>) -> Self {
        Self {
            alive: vec![true; states],
            reached: vec![false; states],
            counts: vec![0; states],
            bits: vec![u64::MAX; states * bit_words],
            bit_words,
            queue: Vec::with_capacity(states),
            _taken: taken,
        }
    }
    fn bits(&self, number: usize) -> &[u64] {
        &self.bits[number * self.bit_words..][..self.bit_words]
    }
    /// A step from a state, to be asked about.
    pub(crate) fn seen<'s>(
        &'s self,
        number: usize,
        source: &'s State,
        marks: &'s MarkSet,
        target: &'s State,
    ) -> Seen<'s> {
        Seen { number, source, marks, target, bits: self.bits(number) }
    }
    /// Clears the bit of a pair, and says whether it was set.
    pub(crate) fn clear_bit(&mut self, number: usize, pair: usize) -> bool {
        let word = &mut self.bits[number * self.bit_words + pair / 64];
        let was_set = *word >> (pair % 64) & 1 == 1;
        *word &= !(1 << (pair % 64));
        was_set
    }
    pub(crate) fn len_alive(&self) -> u64 {
        self.alive.iter().filter(|alive| **alive).count() as u64
    }
}

/// A pass: which steps count, and what becomes of the states that they lead to.
pub(crate) struct Pass<'p, A> {
    /// Which states are expanded first.
    pub(crate) begin: &'p dyn Fn(&Sets<'_>, usize) -> bool,
    /// Which of their steps are told; further words go along.
    pub(crate) first: &'p dyn Fn(&Seen<'_>, &mut Vec<u64>) -> bool,
    /// The same for states that are expanded later.
    pub(crate) then: &'p dyn Fn(&Seen<'_>, &mut Vec<u64>) -> bool,
    /// How many further words.
    pub(crate) more: usize,
    /// A step leads to the state of this number: by whom, with these further words. Whether the state is to be expanded.
    pub(crate) arrive: A,
}

/// The worker and the further words of each state that is looked up.
type Along = Vec<u64>;

impl<'a, S: StateSpace> Search<'a, '_, '_, S> {
    /// The sets of this worker: all states that were expanded and could be on an accepting cycle are alive.
    pub(crate) fn sets(&mut self, goal: &CycleGoal) -> Result<Sets<'a>, Halt> {
        let (states, bit_words) = (self.share.len() as usize, goal.demands.bit_words());
        let bytes = states as u64 * (1 + 1 + 4 + 8 + 8 * bit_words as u64);
        let taken: Result<Taken<'a>, Full> = Taken::new(&self.share.job.control.budget, bytes);
        self.agree(taken.as_ref().err().map(|full| Stop::from(*full)))?;
        let taken = taken.map_err(|full| Halt::Stop(full.into()))?;
        let mut sets = Sets::new(states, bit_words, taken);
        sets.alive[self.expanded() as usize..].fill(false);
        for portion in Share::<S>::portions(0..self.expanded()) {
            self.share.recall(portion.clone());
            for (place, number) in portion.enumerate() {
                sets.alive[number as usize] = goal.component(self.share.origins.state(place)).is_some();
            }
        }
        Ok(sets)
    }

    /// All stop if one of them has a reason to.
    pub(crate) fn agree(&mut self, stop: Option<Stop>) -> Result<(), Halt> {
        let said = self.link.gather(&stop_words(stop))?;
        match common_stop(&said).ok_or_else(|| self.trouble.damaged())? {
            Some(stop) => Err(stop.into()),
            None => Ok(()),
        }
    }
    /// The sum of what each worker has.
    pub(crate) fn sum(&mut self, mine: u64) -> Result<u64, Halt> {
        let said = self.link.gather(&[mine])?;
        let sum = said.iter().map(|words| words.first()).sum::<Option<u64>>();
        sum.ok_or_else(|| self.trouble.damaged().into())
    }

    /// Goes through the pass to its end.
    pub(crate) fn pass(
        &mut self,
        sets: &mut Sets<'a>,
        mut pass: Pass<'_, impl FnMut(&mut Sets<'a>, usize, usize, &[u64]) -> bool>,
    ) -> Result<(), Halt> {
        let mut is_first = true;
        let mut stop: Option<Stop> = None;
        loop {
            let sent_before = self.share.outgoing.sent_states;
            if stop.is_none() {
                stop = match self.wave(sets, &mut pass, is_first) {
                    Ok(()) => None,
                    Err(Halt::Stop(stop)) => {
                        // Where it stopped in the middle of a source, states wait whose further words are gone.
                        self.share.discard_batch();
                        Some(stop)
                    }
                    Err(Halt::Lost) => return Err(Halt::Lost),
                };
            }
            is_first = false;
            if stop.is_some() {
                self.share.outgoing.clear();
                self.link.halt();
            }
            let [why, detail] = stop_words(stop);
            self.link.close(&[why, detail, self.share.outgoing.sent_states - sent_before]);
            let said = loop {
                // All states are known, so that nothing but damage can go wrong here.
                while let Some((from, words)) = self.link.receive() {
                    self.arrived(sets, &mut pass, from, &words)?;
                }
                if let Some(said) = self.link.ended()? {
                    break said;
                }
                self.link.pump(true)?;
            };
            if let Some(stop) = common_stop(&said).ok_or_else(|| self.trouble.damaged())? {
                return Err(stop.into());
            }
            let sent = said.iter().map(|words| words.get(2)).sum::<Option<u64>>();
            if sent.ok_or_else(|| self.trouble.damaged())? == 0 {
                debug_assert!(sets.queue.is_empty(), "what was expanded last sent nothing");
                return Ok(());
            }
        }
    }

    /// Expands what is to be expanded, and what that makes to be expanded, as far as it belongs to this worker.
    fn wave<A>(&mut self, sets: &mut Sets<'a>, pass: &mut Pass<'_, A>, is_first: bool) -> Result<(), Halt>
    where
        A: FnMut(&mut Sets<'a>, usize, usize, &[u64]) -> bool,
    {
        if is_first {
            for portion in Share::<S>::portions(0..sets.alive.len() as u64) {
                let numbers: Vec<u64> = portion.filter(|&number| (pass.begin)(sets, number as usize)).collect();
                self.expand_some(sets, pass, &numbers, true)?;
            }
        }
        while !sets.queue.is_empty() {
            let rest = sets.queue.len().saturating_sub(256);
            let numbers = sets.queue.split_off(rest);
            self.expand_some(sets, pass, &numbers, false)?;
            if sets.queue.is_empty() {
                self.exchange_records(sets, pass, false)?;
            }
        }
        self.exchange_records(sets, pass, true)
    }

    fn expand_some<A>(
        &mut self,
        sets: &mut Sets<'a>,
        pass: &mut Pass<'_, A>,
        numbers: &[u64],
        is_first: bool,
    ) -> Result<(), Halt>
    where
        A: FnMut(&mut Sets<'a>, usize, usize, &[u64]) -> bool,
    {
        if numbers.is_empty() || self.link.is_halted() {
            return Ok(());
        }
        self.share.job.control.check().map_err(Stop::Short)?;
        self.share.recall(numbers.iter().copied());
        let choose = if is_first { pass.first } else { pass.then };
        let (mut along, mut more): (Along, Vec<u64>) = (Vec::new(), Vec::new());
        for (place, &number) in numbers.iter().enumerate() {
            let number = number as usize;
            let Share { space, scratch, limits, origins, batch, outgoing, .. } = &mut self.share;
            let (source, bits) = (origins.state(place), sets.bits(number));
            let flow = space.steps(
                source,
                scratch,
                limits.limiting(Stop::Short, |step| {
                    let Outcome::State(target) = step.target else { return ControlFlow::Continue(()) };
                    more.clear();
                    if !choose(&Seen { number, source, marks: step.marks, target, bits }, &mut more) {
                        return ControlFlow::Continue(());
                    }
                    let owner = outgoing.owner(target);
                    if owner == outgoing.me {
                        batch.push(target, Some(place));
                        along.extend_from_slice(&more);
                    } else {
                        outgoing.push(owner, target, &more);
                    }
                    ControlFlow::Continue(())
                }),
            );
            if let ControlFlow::Break(stop) = flow {
                return Err(stop.into());
            }
            if self.share.batch.len() >= 256 {
                self.look_up(sets, pass, self.link.me(), &mut along)?;
            }
        }
        self.look_up(sets, pass, self.link.me(), &mut along)?;
        self.exchange_records(sets, pass, false)
    }

    /// Tells of the states in the batch, which all are known.
    fn look_up<A>(
        &mut self,
        sets: &mut Sets<'a>,
        pass: &mut Pass<'_, A>,
        from: usize,
        along: &mut Along,
    ) -> Result<(), Halt>
    where
        A: FnMut(&mut Sets<'a>, usize, usize, &[u64]) -> bool,
    {
        let Share { store, batch, origins, found, .. } = &mut self.share;
        // A step leads to a state that was reached before; otherwise another worker has sent something else.
        if store.find(batch, origins, found).is_none() {
            batch.clear();
            return Err(self.trouble.damaged().into());
        }
        for (place, &number) in found.iter().enumerate() {
            if (pass.arrive)(sets, number as usize, from, &along[place * pass.more..][..pass.more]) {
                sets.queue.push(number);
            }
        }
        batch.clear();
        along.clear();
        Ok(())
    }

    fn arrived<A>(
        &mut self,
        sets: &mut Sets<'a>,
        pass: &mut Pass<'_, A>,
        from: usize,
        records: &[u64],
    ) -> Result<(), Halt>
    where
        A: FnMut(&mut Sets<'a>, usize, usize, &[u64]) -> bool,
    {
        let words = self.share.words();
        let (mut rows, mut along) = (RowReader::new(records, words + pass.more), Vec::new());
        while let Some(record) = rows.next().map_err(|NoRows| self.trouble.damaged())? {
            self.share.batch.push(&record[..words], None);
            along.extend_from_slice(&record[words..]);
            if self.share.batch.len() == 256 {
                self.look_up(sets, pass, from, &mut along)?;
            }
        }
        self.look_up(sets, pass, from, &mut along)
    }

    fn exchange_records<A>(&mut self, sets: &mut Sets<'a>, pass: &mut Pass<'_, A>, all: bool) -> Result<(), Halt>
    where
        A: FnMut(&mut Sets<'a>, usize, usize, &[u64]) -> bool,
    {
        for to in 0..self.link.peers() {
            while self.share.outgoing.is_worth_sending(to, all) {
                while !self.link.has_room(to) {
                    self.link.pump(true)?;
                    while let Some((from, words)) = self.link.receive() {
                        self.arrived(sets, pass, from, &words)?;
                    }
                }
                let words = self.share.outgoing.take(to);
                self.link.send(to, words);
            }
        }
        if self.link.peers() > 1 {
            self.link.pump(false)?;
            while let Some((from, words)) = self.link.receive() {
                self.arrived(sets, pass, from, &words)?;
            }
        }
        Ok(())
    }
}
