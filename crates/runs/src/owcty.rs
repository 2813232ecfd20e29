//! Accepting cycles on disk: One Way to Catch Them Young (Fisler, Fraer, Kamhi, Vardi, Yang; made explicit by Černá and
//! Pelánek), with delayed duplicate detection in place of a table.
//!
//! Of the states that were reached those are kept that could be on an accepting cycle. Two things are done in turn until
//! nothing changes: for each mark, what cannot be reached from a step with this mark is dropped (*reach*); what has no
//! predecessor left is dropped, again and again (*trim*). In what is left every state has each mark, and so a state of an
//! accepting cycle, behind it; if nothing is left there is no such cycle. No pairs of states are made: every pass goes
//! through the set and its steps once.
//!
//! Strong fairness asks for pairs of marks: who carries the first must carry the second. A step with the first mark is dropped
//! where its source cannot be reached from a step with the second (Kesten, Pnueli, Raviv and Shahar drop states; here marks are on
//! steps). Each state has a bit for each pair, which says whether such steps may still leave it. In what is left, the states that
//! no other component leads to form a component which carries the second mark wherever it carries the first ([ADR 48]).
//!
//! A cycle of the product stays in one component of the automaton, so steps between components do not count, and states in
//! components without accepting cycles are dropped at once. Where the automaton is weak, its own marks need not be looked at:
//! without fairness one trim decides.
//!
//! [ADR 48]: ../../../docs/adr/0048-strong-fairness-and-lassos-on-disk.md

use crate::error::Halt;
use crate::pass::{Pass, PassGround, Seen, write_run};
use crate::run::{RunCursor, RunWriter, SortedRun};
use crate::sort::{Same, gallop};
use crate::union::{Source, Union};
use crate::visited::Visited;
use lariat_automata::Mark;
use lariat_space::{State, StateSpace};
use lariat_subject::CycleGoal;

/// The set that is made smaller.
pub struct Owcty<'a, 'g, S: StateSpace> {
    /// Where passes go.
    pub ground: PassGround<'a, S>,
    /// What is looked for.
    pub goal: &'g CycleGoal,
}

impl<'a, S: StateSpace> Owcty<'a, '_, S> {
    /// The states of the set that have an accepting cycle behind them, each with its bits; and how many all workers have.
    pub fn run(&self, set: SortedRun) -> Result<(SortedRun, u64), Halt> {
        let among = self.ground.among;
        let mut set = self.with_bits(set)?;
        set = self.trimmed(set)?;
        let mut left = among.sum(set.info.states)?;
        loop {
            let (before, mut cleared) = (left, 0);
            for &mark in &self.goal.demands.marks {
                if left == 0 {
                    return Ok((set, 0));
                }
                let reached = self.reached(&set, mark)?;
                self.remove(std::mem::replace(&mut set, reached));
                set = self.trimmed(set)?;
                left = among.sum(set.info.states)?;
            }
            for (number, &(_, given)) in self.goal.demands.pairs.iter().enumerate() {
                if left == 0 {
                    return Ok((set, 0));
                }
                let more = self.clear_bits(&mut set, number, given)?;
                let more = among.sum(more)?;
                if more > 0 {
                    cleared += more;
                    set = self.trimmed(set)?;
                    left = among.sum(set.info.states)?;
                }
            }
            if left == before && cleared == 0 {
                return Ok((set, left));
            }
        }
    }

    fn words(&self) -> usize {
        self.ground.space.words_per_state()
    }
    /// Words of a record of a set: a state and its bits.
    fn record_words(&self) -> usize {
        self.ground.record_words()
    }
    fn remove(&self, run: SortedRun) {
        // What stays takes room and does no harm.
        let _ = self.ground.folders.remove(&run.info.segment);
    }
    fn check(&self, met: &mut u32) -> Result<(), Halt> {
        *met = met.wrapping_add(1);
        if *met & 0xfff == 0 { Ok(self.ground.control.check()?) } else { Ok(()) }
    }

    /// The set with all bits for all of its states.
    fn with_bits(&self, set: SortedRun) -> Result<SortedRun, Halt> {
        let ground = self.ground;
        if ground.bit_words == 0 {
            return Ok(set);
        }
        let words = self.words();
        let mut states = RunCursor::new(&set.info, ground.folders, words)?;
        let (mut record, mut met) = (vec![u64::MAX; self.record_words()], 0);
        let marked = write_run(ground, self.record_words(), |writer| {
            while let Some(state) = states.state() {
                self.check(&mut met)?;
                record[..words].copy_from_slice(state);
                writer.push(&record)?;
                states.advance()?;
            }
            Ok(())
        })?;
        drop(states);
        self.remove(set);
        Ok(marked)
    }

    /// Clears the bits of this pair where the second mark of the pair does not lie behind the state: how many.
    fn clear_bits(&self, set: &mut SortedRun, number: usize, given: Mark) -> Result<u64, Halt> {
        let (ground, words) = (self.ground, self.words());
        let reached = self.reached(set, given)?;
        let (word, bit) = (words + number / 64, 1_u64 << (number % 64));
        let (mut cleared, mut met, mut record) = (0, 0, Vec::new());
        let marked = {
            let mut all = RunCursor::new(&set.info, ground.folders, self.record_words())?;
            let mut behind = RunCursor::new(&reached.info, ground.folders, self.record_words())?;
            write_run(ground, self.record_words(), |writer| {
                while let Some(next) = all.state() {
                    self.check(&mut met)?;
                    record.clear();
                    record.extend_from_slice(next);
                    if behind.state() == Some(next) {
                        behind.advance()?;
                    } else {
                        cleared += u64::from(record[word] & bit != 0);
                        record[word] &= !bit;
                    }
                    writer.push(&record)?;
                    all.advance()?;
                }
                Ok(())
            })?
        };
        self.remove(reached);
        self.remove(std::mem::replace(set, marked));
        Ok(cleared)
    }

    /// What can be reached, inside the set, from steps with this mark.
    fn reached(&self, set: &SortedRun, mark: Mark) -> Result<SortedRun, Halt> {
        let ground = self.ground;
        let (words, record_words) = (self.words(), self.record_words());
        let mut pass = Pass::new(ground, words, Same::One)?;
        let mut visited = Visited::new(ground.folders, record_words, &ground.shares, ground.names, ground.control);
        pass.expand(&set.info, &|seen, target| {
            target.extend_from_slice(seen.target);
            seen.marks.contains(mark) && seen.is_allowed(self.goal)
        })?;
        loop {
            let mut new = Vec::new();
            let mut is_small = true;
            let layer = {
                let mut collected = pass.collected()?;
                let mut known = visited.lookups(&[]);
                let mut inside = set.lookup(ground.folders);
                let (mut state, mut met) = (Vec::new(), 0);
                write_run(ground, record_words, |writer| {
                    while collected.next(&mut state)? {
                        self.check(&mut met)?;
                        let record = inside.find(&state)?.filter(|record| record.starts_with(&state));
                        if let Some(record) = record
                            && !known.contain(record)?
                        {
                            writer.push(record)?;
                            is_small &= new.len() + record_words <= ground.shares.layer_words;
                            if is_small {
                                new.extend_from_slice(record);
                            }
                        }
                    }
                    Ok(())
                })?
            };
            pass.clear();
            if ground.among.sum(layer.info.states)? == 0 {
                self.remove(layer);
                break;
            }
            pass.expand(&layer.info, &|seen, target| {
                target.extend_from_slice(seen.target);
                seen.is_allowed(self.goal)
            })?;
            if is_small {
                self.remove(layer);
                visited.add(new)?;
            } else {
                drop(new);
                visited.add_run(layer)?;
            }
            // No manifest speaks of what a pass makes.
            visited.remove_outdated();
        }
        drop(pass);
        let reached = visited.collect(&[], |_| true)?;
        visited.remove();
        Ok(reached)
    }

    /// What has a predecessor that has one, and so on for ever.
    fn trimmed(&self, set: SortedRun) -> Result<SortedRun, Halt> {
        let ground = self.ground;
        let (words, record_words) = (self.words(), self.record_words());
        let (goal, mut pass) = (self.goal, Pass::new(ground, words + 1, Same::Sum)?);
        pass.expand(&set.info, &|seen, record| count(goal, seen, record))?;
        // How many steps lead to each state from inside; those without any go first.
        let mut gone = None;
        let mut counts = {
            let mut collected = pass.collected()?;
            let mut states = RunCursor::new(&set.info, ground.folders, record_words)?;
            let (mut record, mut counted, mut met) = (Vec::new(), Vec::new(), 0);
            let mut has_record = collected.next(&mut record)?;
            let mut gone_writer = |writer: &mut RunWriter<'_>| -> Result<SortedRun, Halt> {
                write_run(ground, record_words, |gone| {
                    while let Some(inside) = states.state() {
                        self.check(&mut met)?;
                        let state = &inside[..words];
                        // What is collected and not in the set does not count.
                        while has_record && record[..words] < *state {
                            has_record = collected.next(&mut record)?;
                        }
                        match has_record && record[..words] == *state {
                            true => {
                                counted.clear();
                                counted.extend_from_slice(inside);
                                counted.push(record[words]);
                                writer.push(&counted)?
                            }
                            false => gone.push(inside)?,
                        };
                        states.advance()?;
                    }
                    Ok(())
                })
            };
            write_run(ground, record_words + 1, |writer| {
                gone = Some(gone_writer(writer)?);
                Ok(())
            })?
        };
        pass.clear();
        self.remove(set);
        let mut gone = gone.expect("it was written");
        // Steps that were taken back, and are still counted.
        let mut less: Vec<Vec<u64>> = Vec::new();
        while ground.among.sum(gone.info.states)? > 0 {
            pass.expand(&gone.info, &|seen, record| count(goal, seen, record))?;
            self.remove(gone);
            gone = {
                let mut collected = pass.collected()?;
                write_run(ground, record_words, |gone| {
                    while let Some(taken) = self.take_back(&mut collected, &counts, &less, gone)? {
                        less.push(taken);
                        merge_small(&mut less, words + 1);
                        if less.iter().map(Vec::len).sum::<usize>() > ground.shares.recent_words {
                            let recounted = self.recounted(&counts, &less)?;
                            let old = std::mem::replace(&mut counts, recounted);
                            self.remove(old);
                            less.clear();
                        }
                    }
                    Ok(())
                })?
            };
            pass.clear();
        }
        self.remove(gone);
        drop(pass);
        // What is left, without numbers.
        let mut cursor = RunCursor::new(&counts.info, ground.folders, record_words + 1)?;
        let mut places = vec![0; less.len()];
        let mut met = 0;
        let trimmed = write_run(ground, record_words, |writer| {
            while let Some(record) = cursor.state() {
                self.check(&mut met)?;
                let (inside, count) = record.split_at(record_words);
                if taken_before(&less, &mut places, &inside[..words]) < count[0] {
                    writer.push(inside)?;
                }
                cursor.advance()?;
            }
            Ok(())
        })?;
        self.remove(counts);
        Ok(trimmed)
    }

    /// Takes back steps as they were collected, as many as memory has room for: which, or none if there are none left. States
    /// without any step left go to `gone`.
    fn take_back(
        &self,
        collected: &mut Union<'_>,
        counts: &SortedRun,
        less: &[Vec<u64>],
        gone: &mut RunWriter<'_>,
    ) -> Result<Option<Vec<u64>>, Halt> {
        let (words, record_words) = (self.words(), self.record_words());
        let mut counted = counts.lookup(self.ground.folders);
        let mut places = vec![0; less.len()];
        let (mut taken, mut record, mut met) = (Vec::new(), Vec::new(), 0);
        while taken.len() <= self.ground.shares.layer_words {
            if !collected.next(&mut record)? {
                break;
            }
            self.check(&mut met)?;
            let (state, steps) = record.split_at(words);
            let Some(count) = counted.find(state)?.filter(|found| found.starts_with(state)) else { continue };
            let earlier = taken_before(less, &mut places, state);
            let is_once = earlier + steps[0] <= count[record_words];
            self.ground.among.ensure(is_once, "no step is taken back twice")?;
            if earlier + steps[0] == count[record_words] {
                gone.push(&count[..record_words])?;
            }
            taken.extend_from_slice(&record);
        }
        Ok(Some(taken).filter(|taken| !taken.is_empty()))
    }

    /// The counts without the steps that were taken back.
    fn recounted(&self, counts: &SortedRun, less: &[Vec<u64>]) -> Result<SortedRun, Halt> {
        let (words, record_words) = (self.words(), self.record_words());
        let mut cursor = RunCursor::new(&counts.info, self.ground.folders, record_words + 1)?;
        let mut places = vec![0; less.len()];
        let mut met = 0;
        let recounted = write_run(self.ground, record_words + 1, |writer| {
            let mut left = Vec::new();
            while let Some(record) = cursor.state() {
                self.check(&mut met)?;
                let (inside, count) = record.split_at(record_words);
                let taken = taken_before(less, &mut places, &inside[..words]);
                if taken < count[0] {
                    left.clear();
                    left.extend_from_slice(inside);
                    left.push(count[0] - taken);
                    writer.push(&left)?;
                }
                cursor.advance()?;
            }
            Ok(())
        })?;
        Ok(recounted)
    }
}

/// A target with the number 1, for a step that counts.
fn count(goal: &CycleGoal, seen: &Seen<'_>, record: &mut Vec<u64>) -> bool {
    record.extend_from_slice(seen.target);
    record.push(1);
    seen.is_allowed(goal)
}

/// How many steps to a state were taken back, by records in ascending order, which are gone through once.
fn taken_before(less: &[Vec<u64>], places: &mut [usize], state: &State) -> u64 {
    let words = state.len() + 1;
    let mut taken = 0;
    for (records, place) in less.iter().zip(places) {
        *place = gallop(records, words, *place, state);
        if let Some(record) = records.get(*place * words..(*place + 1) * words)
            && record.starts_with(state)
        {
            taken += record[state.len()];
        }
    }
    taken
}

/// Merges the last lists until each is at least twice as large as the next.
fn merge_small(less: &mut Vec<Vec<u64>>, words: usize) {
    while let [.., before, last] = &less[..]
        && before.len() < 2 * last.len()
    {
        let both = [less.pop().unwrap_or_default(), less.pop().unwrap_or_default()];
        let mut union = Union::of(Same::Sum, both.iter().map(|records| Source::memory(records, words)));
        let (mut all, mut record) = (Vec::with_capacity(both[0].len() + both[1].len()), Vec::new());
        while union.next(&mut record).expect("nothing of it is on disk") {
            all.extend_from_slice(&record);
        }
        less.push(all);
    }
}
