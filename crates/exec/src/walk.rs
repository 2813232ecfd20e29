//! Which actions can happen in a state, in the defined order: actions without participants, then process by process from
//! the youngest; for each by action, by receiver from the youngest, and by the values of the choices.

use crate::compile::{Program, Rank, TrapCode};
use crate::dispatch::{Standing, StopId};
use crate::head::Head;
use crate::interpret::Machine;
use crate::records::{RecordShape, Records};
use lariat_space::Move;
use lariat_system::Position;
use std::ops::ControlFlow;

/// Working memory for one state: the machine, and where everybody stands.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) machine: Machine,
    pub(crate) standing: Standing,
}

/// Whoever can list what can happen in a state.
pub(crate) trait Lister {
    /// Appends to `records` every firing whose guard holds in `state`, which has `count` processes, unless its rank is
    /// known not to be the least, and the guard traps that hold; only those of the process at `actor` if one is given.
    fn list(&self, state: &[u64], count: u32, actor: Option<Position>, post: &mut Post, records: &mut Records);
}

impl Lister for Program {
    fn list(&self, state: &[u64], count: u32, actor: Option<Position>, post: &mut Post, records: &mut Records) {
        let Post { machine, standing } = post;
        machine.count = count;
        standing.reset();
        let mut listing = Listing { program: self, state, machine, standing, records };
        if let Some(actor) = actor {
            if u32::from(actor) < count {
                listing.process(u32::from(actor), self.dispatch.stop_at(&self.code, state, u32::from(actor)));
            }
            return;
        }
        for &id in &self.dispatch.nobodys {
            listing.action(Move { action: id, actor: None, peer: None });
        }
        listing.standing.decode(&self.dispatch, &self.code, state, count);
        for position in (0..count).rev() {
            let stop = listing.standing.stop(position);
            listing.process(position, stop);
        }
    }
}

impl Program {
    /// Working memory for a state.
    pub(crate) fn post(&self) -> Post {
        Post { machine: Machine::new(self.max_choices), standing: Standing::new(&self.dispatch, self.layout.positions) }
    }

    /// Whether every invariant holds in the state that updates have just made.
    pub(crate) fn keeps_invariants(&self, machine: &mut Machine, next: &[u64]) -> bool {
        let Some(entry) = self.invariants else { return true };
        let count = std::mem::replace(&mut machine.count, machine.next_count);
        let holds = machine.holds(&self.code, entry, next);
        machine.count = count;
        holds
    }
}

/// One listing by bytecode.
struct Listing<'a> {
    program: &'a Program,
    state: &'a [u64],
    machine: &'a mut Machine,
    standing: &'a mut Standing,
    records: &'a mut Records,
}

impl Listing<'_> {
    /// What the process at `position`, which stands at `stop`, can do.
    fn process(&mut self, position: u32, stop: StopId) {
        let program = self.program;
        let actions = program.dispatch.actions(stop);
        if actions.is_empty() {
            return;
        }
        let actor = position as Position;
        self.machine.bind(&program.code, 0, actor);
        for &action in actions {
            let by = Move { action, actor: Some(actor), peer: None };
            let Some(receivers) = program.actions[action].receivers else {
                self.action(by);
                continue;
            };
            self.standing.link(&program.dispatch, &program.code, self.state, self.machine.count);
            let mut receiver = self.standing.receiver_below(&program.dispatch, receivers, None);
            while let Some(position) = receiver {
                let peer = position as Position;
                if peer != actor {
                    self.machine.bind(&program.code, 1, peer);
                    self.action(Move { peer: Some(peer), ..by });
                }
                receiver = self.standing.receiver_below(&program.dispatch, receivers, Some(position));
            }
        }
    }

    /// The guard traps and the firings of an action whose participants are bound.
    fn action(&mut self, by: Move) {
        let Self { program, state, machine, records, .. } = self;
        let (program, state) = (*program, *state);
        let action = &program.actions[by.action];
        if !action.guard_traps.is_empty()
            && action.control.is_none_or(|entry| machine.holds(&program.code, entry, state))
        {
            guard_traps(program, by, state, machine, records);
        }
        let youngest = machine.count.checked_sub(1);
        if action.exits && by.actor.map(u32::from) != youngest {
            return;
        }
        let _ = action.guard.each(&program.code, state, machine, |machine| {
            if machine.room_left == 0 {
                machine.tries_left = 0;
                return ControlFlow::Break(());
            }
            machine.room_left -= 1;
            firing(program, by, state, machine, records);
            ControlFlow::Continue(())
        });
    }
}

fn guard_traps(program: &Program, by: Move, state: &[u64], machine: &mut Machine, records: &mut Records) {
    records.make_room();
    let traps = &program.actions[by.action].guard_traps;
    if set_traps(program, traps, false, state, machine, records) {
        records.guard_traps = true;
        records.commit(Head::new(program, by).0 | Head::GUARD | Head::TRAPPED);
    }
}

/// Writes the record of a firing whose guard holds and for which the machine is set up.
fn firing(program: &Program, by: Move, state: &[u64], machine: &mut Machine, records: &mut Records) {
    let action = &program.actions[by.action];
    let rank = match action.rank {
        Rank::Const(rank) => rank,
        Rank::Code(entry) => machine.value(&program.code, entry, state),
    };
    if rank > records.least {
        return;
    }
    records.make_room();
    let RecordShape { labels, rank: rank_at, hops, choices, state: state_at, width, .. } = records.shape;
    let at = records.end;
    let update = |machine: &mut Machine, records: &mut Records| {
        let target = &mut records.words[at + state_at..at + width];
        if machine.update(&program.code, action.update, state, target) {
            Head::LEADS_ON | u64::from(machine.next_count) << Head::COUNT
        } else {
            Head::FULL
        }
    };
    // An action that finds the pool full is enabled: it is taken, and that is the fault.
    let mut outcome = None;
    if program.invariants.is_some() {
        let found = update(machine, records);
        if found != Head::FULL && !program.keeps_invariants(machine, &records.words[at + state_at..at + width]) {
            return;
        }
        outcome = Some(found);
    }
    records.least = rank;
    if rank_at != hops {
        records.words[at + rank_at] = rank as u64;
    }
    if choices != state_at {
        let chosen = &machine.choices[..action.guard.choices.len()];
        for (word, &value) in records.words[at + choices..].iter_mut().zip(chosen) {
            *word = value as u64;
        }
    }
    for (number, &(_, condition)) in action.label_conditions.iter().enumerate() {
        let holds = machine.holds(&program.code, condition, state);
        set_bit(&mut records.words[at + labels..], number, holds);
    }
    let mut head = Head::new(program, by).0;
    if !action.effect_traps.is_empty() && set_traps(program, &action.effect_traps, true, state, machine, records) {
        head |= Head::TRAPPED;
        let traps = action.effect_traps.iter().enumerate();
        if traps.filter(|(number, _)| records.traps(at, *number)).any(|(_, trap)| trap.stops()) {
            outcome = Some(0);
        }
    }
    head |= outcome.unwrap_or_else(|| update(machine, records));
    records.commit(head);
}

/// Writes into the record to come which of the traps hold, up to the first one that stops where those `end`; returns
/// whether one does.
fn set_traps(
    program: &Program,
    traps: &[TrapCode],
    end: bool,
    state: &[u64],
    machine: &mut Machine,
    records: &mut Records,
) -> bool {
    let at = records.end + records.shape.traps;
    records.words[at..at + traps.len().div_ceil(64)].fill(0);
    let mut any = false;
    for (number, trap) in traps.iter().enumerate() {
        if machine.holds(&program.code, trap.condition, state) {
            set_bit(&mut records.words[at..], number, true);
            any = true;
            if end && trap.stops() {
                break;
            }
        }
    }
    any
}

fn set_bit(words: &mut [u64], number: usize, value: bool) {
    let bit = 1 << (number % 64);
    let word = &mut words[number / 64];
    *word = if value { *word | bit } else { *word & !bit };
}
