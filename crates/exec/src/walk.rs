//! Which actions can happen in a state, in the defined order: actions without participants, then process by process from
//! the youngest; for each by action, by receiver from the youngest, and by the values of the choices.

use crate::compile::{ActionCode, Program, Rank};
use crate::dispatch::Standing;
use crate::interpret::Machine;
use lariat_base::Id;
use lariat_space::Move;
use lariat_system::{ActionId, Fault, Position};
use std::ops::ControlFlow;

/// Working memory for one state: the machine, and where everybody stands.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) machine: Machine,
    pub(crate) standing: Standing,
    /// The guard traps that hold.
    pub(crate) faults: Vec<(Move, Fault)>,
}

/// Whether the updates of a firing were already run, since invariants had to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prepared {
    /// No.
    Not,
    /// Yes, and the buffer holds the next state.
    Next,
    /// Yes, and the pool was full.
    Full,
}

/// An enabled firing that waits for its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Waiting {
    pub(crate) by: Move,
    /// Where in the buffer of choices its values begin.
    pub(crate) choices: u32,
}

/// The enabled firings of the least rank, and the values of their choices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) choices: Vec<i64>,
}

impl Buffer {
    /// Forgets everything from these lengths on.
    pub(crate) fn truncate(&mut self, (waiting, choices): (usize, usize)) {
        self.waiting.truncate(waiting);
        self.choices.truncate(choices);
    }
    /// What [`truncate`](Self::truncate) takes.
    pub(crate) fn lengths(&self) -> (usize, usize) {
        (self.waiting.len(), self.choices.len())
    }
}

impl Program {
    /// Working memory for a state.
    pub(crate) fn post(&self) -> Post {
        Post {
            machine: Machine::new(self.max_choices),
            standing: Standing::new(&self.dispatch, self.layout.positions),
            faults: Vec::new(),
        }
    }

    /// Calls `on` for every firing whose guard holds in `state`, which has `count` processes, whatever the ranks; only
    /// those of the process at `actor` if one is given. `trial` is for next states.
    pub(crate) fn each_enabled<B>(
        &self,
        state: &[u64],
        count: u32,
        actor: Option<Position>,
        post: &mut Post,
        trial: &mut [u64],
        mut on: impl FnMut(&mut Machine, &mut [u64], Move, Prepared) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Post { machine, standing, .. } = post;
        machine.count = count;
        if let Some(actor) = actor {
            standing.reset();
            if u32::from(actor) >= count {
                return ControlFlow::Continue(());
            }
            let stop = self.dispatch.stop_at(&self.code, state, u32::from(actor));
            machine.bind(&self.code, 0, actor);
            let actions = self.dispatch.actions(stop);
            return actions
                .iter()
                .try_for_each(|&id| self.each_receiver(id, Some(actor), state, machine, standing, trial, &mut on));
        }
        for &id in &self.dispatch.nobodys {
            self.each_choice(id, None, None, state, machine, trial, &mut on)?;
        }
        standing.reset();
        standing.decode(&self.dispatch, &self.code, state, count);
        for position in (0..count).rev() {
            let actions = self.dispatch.actions(standing.stop(position));
            if actions.is_empty() {
                continue;
            }
            let actor = position as Position;
            machine.bind(&self.code, 0, actor);
            for &id in actions {
                self.each_receiver(id, Some(actor), state, machine, standing, trial, &mut on)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[expect(clippy::too_many_arguments, reason = "the inner of two nested loops over one set of buffers")]
    fn each_receiver<B>(
        &self,
        id: ActionId,
        actor: Option<Position>,
        state: &[u64],
        machine: &mut Machine,
        standing: &mut Standing,
        trial: &mut [u64],
        on: &mut impl FnMut(&mut Machine, &mut [u64], Move, Prepared) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(receivers) = self.actions[id].receivers else {
            return self.each_choice(id, actor, None, state, machine, trial, on);
        };
        standing.link(&self.dispatch, &self.code, state, machine.count);
        let mut receiver = standing.receiver_below(&self.dispatch, receivers, None);
        while let Some(position) = receiver {
            let peer = position as Position;
            if Some(peer) != actor {
                machine.bind(&self.code, 1, peer);
                self.each_choice(id, actor, Some(peer), state, machine, trial, on)?;
            }
            receiver = standing.receiver_below(&self.dispatch, receivers, Some(position));
        }
        ControlFlow::Continue(())
    }

    #[expect(clippy::too_many_arguments, reason = "the inner of two nested loops over one set of buffers")]
    fn each_choice<B>(
        &self,
        action: ActionId,
        actor: Option<Position>,
        peer: Option<Position>,
        state: &[u64],
        machine: &mut Machine,
        trial: &mut [u64],
        on: &mut impl FnMut(&mut Machine, &mut [u64], Move, Prepared) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let compiled = &self.actions[action];
        let youngest = machine.count.checked_sub(1);
        if compiled.exits && actor.map(u32::from) != youngest {
            return ControlFlow::Continue(());
        }
        let by = Move { action, actor, peer };
        compiled.guard.each(&self.code, state, machine, |machine| {
            let prepared = match self.invariants {
                None => Prepared::Not,
                // An action that finds the pool full is enabled: it is taken, and that is the fault.
                Some(_) if !machine.update(&self.code, compiled.update, state, trial) => Prepared::Full,
                Some(_) if self.keeps_invariants(machine, trial) => Prepared::Next,
                Some(_) => return ControlFlow::Continue(()),
            };
            on(machine, trial, by, prepared)
        })
    }

    /// Whether every invariant holds in the state that updates have just made.
    pub(crate) fn keeps_invariants(&self, machine: &mut Machine, next: &[u64]) -> bool {
        let Some(entry) = self.invariants else { return true };
        let count = std::mem::replace(&mut machine.count, machine.next_count);
        let holds = machine.holds(&self.code, entry, next);
        machine.count = count;
        holds
    }

    /// Appends to `buffer` the enabled firings of the least rank. With a holder: only the holder's, and only if the least
    /// rank of all is an ordinary one and some of them have it.
    pub(crate) fn collect(
        &self,
        state: &[u64],
        count: u32,
        holder: Option<Position>,
        post: &mut Post,
        trial: &mut [u64],
        buffer: &mut Buffer,
    ) {
        let begin = buffer.lengths();
        let mut least = if holder.is_some() { lariat_system::IDLE_RANK - 1 } else { i64::MAX };
        let _ = self.each_enabled(state, count, holder, post, trial, |machine, _, by, _| {
            let action = &self.actions[by.action];
            let rank = self.rank_of(by.action, state, machine);
            if rank < least {
                least = rank;
                buffer.truncate(begin);
            }
            if rank == least {
                let choices = buffer.choices.len() as u32;
                buffer.choices.extend_from_slice(&machine.choices[..action.guard.choices.len()]);
                buffer.waiting.push(Waiting { by, choices });
            }
            ControlFlow::<()>::Continue(())
        });
        // Others can be of a smaller rank only where ranks differ below that of the holder.
        if holder.is_some() && buffer.lengths() != begin && least > self.lowest_rank {
            let interrupted = self.each_enabled(state, count, None, post, trial, |machine, _, by, _| {
                if self.rank_of(by.action, state, machine) < least {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            if interrupted.is_break() {
                buffer.truncate(begin);
            }
        }
    }

    fn rank_of(&self, action: ActionId, state: &[u64], machine: &mut Machine) -> i64 {
        match self.actions[action].rank {
            Rank::Const(rank) => rank,
            Rank::Code(entry) => machine.value(&self.code, entry, state),
        }
    }

    /// Puts a waiting firing back into the machine.
    pub(crate) fn recall(&self, waiting: Waiting, buffer: &Buffer, machine: &mut Machine) {
        for (role, position) in waiting.by.participants().enumerate() {
            machine.bind(&self.code, role as u8, position);
        }
        let choices = self.actions[waiting.by.action].guard.choices.len();
        machine.choices[..choices].copy_from_slice(&buffer.choices[waiting.choices as usize..][..choices]);
    }

    /// Finds the guard traps that hold in `state`, of the holder only if there is one, ordered by action first.
    pub(crate) fn find_guard_faults(&self, state: &[u64], count: u32, holder: Option<Position>, post: &mut Post) {
        let Post { machine, standing, faults } = post;
        faults.clear();
        machine.count = count;
        if holder.is_none() {
            for &id in &self.dispatch.nobodys_trapped {
                self.trap(id, None, None, state, machine, faults);
            }
        }
        standing.reset();
        let positions = holder.map_or(0..count, |holder| u32::from(holder)..(u32::from(holder) + 1).min(count));
        for position in positions.rev() {
            let actor = position as Position;
            let trapped = self.dispatch.trapped(self.dispatch.stop_at(&self.code, state, position));
            if trapped.is_empty() {
                continue;
            }
            machine.bind(&self.code, 0, actor);
            for &id in trapped {
                let Some(receivers) = self.actions[id].receivers else {
                    self.trap(id, Some(actor), None, state, machine, faults);
                    continue;
                };
                standing.link(&self.dispatch, &self.code, state, count);
                let mut receiver = standing.receiver_below(&self.dispatch, receivers, None);
                while let Some(position) = receiver {
                    let peer = position as Position;
                    if peer != actor {
                        machine.bind(&self.code, 1, peer);
                        self.trap(id, Some(actor), Some(peer), state, machine, faults);
                    }
                    receiver = standing.receiver_below(&self.dispatch, receivers, Some(position));
                }
            }
        }
        let youngest_first = |position: Option<Position>| position.map(|position| Position::MAX - position);
        faults.sort_unstable_by_key(|(by, fault)| {
            (by.action.index(), youngest_first(by.actor), youngest_first(by.peer), *fault)
        });
    }

    fn trap(
        &self,
        action: ActionId,
        actor: Option<Position>,
        peer: Option<Position>,
        state: &[u64],
        machine: &mut Machine,
        faults: &mut Vec<(Move, Fault)>,
    ) {
        let compiled: &ActionCode = &self.actions[action];
        if compiled.control.is_some_and(|entry| !machine.holds(&self.code, entry, state)) {
            return;
        }
        for trap in &compiled.guard_traps {
            if machine.holds(&self.code, trap.condition, state) {
                faults.push((Move { action, actor, peer }, Fault::Trap(action, trap.number)));
            }
        }
    }
}
