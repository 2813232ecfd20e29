//! Accepting cycles by sets: One Way to Catch Them Young (Fisler, Fraer, Kamhi, Vardi, Yang; made explicit by Černá and Pelánek),
//! with the states of the sets at the workers they belong to.
//!
//! As in the engine `external` ([ADR 48]): in turn, for each mark, what cannot be reached from a step with this mark is dropped
//! (*reach*), and what has no predecessor left is dropped, again and again (*trim*). Strong fairness drops steps: a step with the first
//! mark of a pair may be used while the second one lies behind its source. In what is left every state has an accepting cycle behind
//! it; if nothing is left there is none.
//!
//! [ADR 48]: ../../../docs/adr/0048-strong-fairness-and-lassos-on-disk.md

use crate::pass::{Pass, Sets};
use crate::search::Search;
use crate::share::Halt;
use lariat_automata::Mark;
use lariat_space::StateSpace;
use lariat_subject::CycleGoal;

impl<'a, S: StateSpace> Search<'a, '_, '_, S> {
    /// Drops what has no accepting cycle behind it: how many states are left, of all workers.
    pub(crate) fn owcty(&mut self, sets: &mut Sets<'a>, goal: &CycleGoal) -> Result<u64, Halt> {
        let mut left = self.trim(sets, goal)?;
        loop {
            let (before, mut cleared) = (left, 0);
            for &mark in &goal.demands.marks {
                if left == 0 {
                    return Ok(0);
                }
                self.reach(sets, goal, mark)?;
                sets.alive.copy_from_slice(&sets.reached);
                left = self.trim(sets, goal)?;
            }
            for (pair, &(_, given)) in goal.demands.pairs.iter().enumerate() {
                if left == 0 {
                    return Ok(0);
                }
                self.reach(sets, goal, given)?;
                let mut mine = 0;
                for number in 0..sets.alive.len() {
                    if sets.alive[number] && !sets.reached[number] && sets.clear_bit(number, pair) {
                        mine += 1;
                    }
                }
                let more = self.sum(mine)?;
                if more > 0 {
                    cleared += more;
                    left = self.trim(sets, goal)?;
                }
            }
            if left == before && cleared == 0 {
                return Ok(left);
            }
        }
    }

    /// Notes what can be reached, inside the set, from steps with this mark.
    fn reach(&mut self, sets: &mut Sets<'a>, goal: &CycleGoal, mark: Mark) -> Result<(), Halt> {
        sets.reached.fill(false);
        self.pass(
            sets,
            Pass {
                begin: &|sets, number| sets.alive[number],
                first: &|seen, _| seen.marks.contains(mark) && seen.is_allowed(goal),
                then: &|seen, _| seen.is_allowed(goal),
                more: 0,
                arrive: |sets: &mut Sets<'a>, number: usize, _: usize, _: &[u64]| {
                    let is_new = sets.alive[number] && !sets.reached[number];
                    sets.reached[number] |= is_new;
                    is_new
                },
            },
        )
    }

    /// Drops what has no predecessor that has one, and so on for ever: how many states are left, of all workers.
    fn trim(&mut self, sets: &mut Sets<'a>, goal: &CycleGoal) -> Result<u64, Halt> {
        sets.counts.fill(0);
        self.pass(
            sets,
            Pass {
                begin: &|sets, number| sets.alive[number],
                first: &|seen, _| seen.is_allowed(goal),
                then: &|_, _| unreachable!("steps are counted once"),
                more: 0,
                arrive: |sets: &mut Sets<'a>, number: usize, _: usize, _: &[u64]| {
                    sets.counts[number] += u32::from(sets.alive[number]);
                    false
                },
            },
        )?;
        for number in 0..sets.alive.len() {
            // Those that go first; `reached` says which, as they are no longer alive.
            sets.reached[number] = sets.alive[number] && sets.counts[number] == 0;
            sets.alive[number] &= !sets.reached[number];
        }
        self.pass(
            sets,
            Pass {
                begin: &|sets, number| sets.reached[number],
                first: &|seen, _| seen.is_allowed(goal),
                then: &|seen, _| seen.is_allowed(goal),
                more: 0,
                arrive: |sets: &mut Sets<'a>, number: usize, _: usize, _: &[u64]| {
                    if !sets.alive[number] {
                        return false;
                    }
                    sets.counts[number] -= 1;
                    sets.alive[number] = sets.counts[number] > 0;
                    !sets.alive[number]
                },
            },
        )?;
        self.sum(sets.len_alive())
    }
}
