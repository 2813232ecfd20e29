//! What keeps a dead end from being a proper one.

use crate::Shown;
use crate::names::process_name;
use crate::state::channels;
use lariat_system::reference::{Evaluator, Scope, Valuation};
use lariat_system::{BinaryOp, Expr, Owner, Place, Queue, System, UnaryOp};

/// The parts of the condition for a proper end that do not hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Blame {
    /// Some process stands where it may not end.
    pub(crate) processes: bool,
    /// Those processes by name, where the condition speaks of each.
    pub(crate) blamed: Vec<String>,
    /// Channels that are to be empty and are not, with what they hold.
    pub(crate) channels: Vec<(String, Shown)>,
    /// Something else, such as an event trace.
    pub(crate) others: bool,
}

impl Blame {
    /// What is wrong with ending in `state`.
    pub(crate) fn new(system: &System, state: &Valuation) -> Self {
        let evaluator = Evaluator::new(system);
        let mut blame = Self::default();
        let mut open = vec![&system.proper_end];
        while let Some(part) = open.pop() {
            if let Expr::Binary(BinaryOp::And, left, right) = part {
                open.extend([&**right, &**left]);
            } else if evaluator.value(part, state, &Scope::default()) == 0 {
                match emptied(system, part) {
                    Some(queue) => blame.channels.push(contents(system, state, queue)),
                    None if speaks_of_processes(part) => {
                        blame.processes = true;
                        blame.blamed.extend(breaking(system, state, part));
                    }
                    None => blame.others = true,
                }
            }
        }
        if blame.others && !speaks_of_processes(&system.proper_end) {
            // The condition says in its own way where processes may end.
            (blame.processes, blame.others) = (true, false);
        }
        blame
    }

    /// `` `q` still holds a message ``; `None` if channels are not all there is to blame.
    pub(crate) fn of_channels(&self) -> Option<String> {
        let (first, messages) = self.channels.first().filter(|_| !self.processes && !self.others)?;
        Some(match (self.channels.len() - 1, messages) {
            (0, Shown::Messages(messages)) if messages.len() > 1 => {
                format!("`{first}` still holds {} messages", messages.len())
            }
            (0, _) => format!("`{first}` still holds a message"),
            (1, _) => format!("`{first}` and `{}` still hold messages", self.channels[1].0),
            (others, _) => format!("`{first}` and {others} other channels still hold messages"),
        })
    }
}

/// The processes for which a condition on all processes of a frame, `!exists(P as p : …)`, does not hold.
fn breaking(system: &System, state: &Valuation, condition: &Expr) -> Vec<String> {
    let Expr::Unary(UnaryOp::Not, inner) = condition else { return Vec::new() };
    let Expr::Exists(frame, body) = &**inner else { return Vec::new() };
    let evaluator = Evaluator::new(system);
    let breaks = |position: u8| {
        let scope = Scope { positions: vec![position], ..Scope::default() };
        state.pool[usize::from(position)].frame == *frame && evaluator.holds(body, state, &scope)
    };
    (0..state.pool.len() as u8).filter(|&position| breaks(position)).map(|at| process_name(system, state, at)).collect()
}

/// The channel that the condition says is empty, if it says that.
fn emptied<'s>(system: &'s System, condition: &Expr) -> Option<(usize, &'s Queue)> {
    let Expr::Binary(BinaryOp::Eq, length, zero) = condition else { return None };
    let (Expr::Read(Place { owner: Owner::Global(slot), index }), Expr::Const(0)) = (&**length, &**zero) else {
        return None;
    };
    let number = index.as_ref().map_or(Some(0), |index| index.as_const())?;
    let is_it = |queue: &&Queue| queue.len == *slot && i64::from(queue.number) == number;
    system.queues.iter().enumerate().find(|(_, queue)| is_it(queue))
}

/// The channel's name and what it holds; of a channel whose process is dead the name that it was declared by.
fn contents(system: &System, state: &Valuation, (number, queue): (usize, &Queue)) -> (String, Shown) {
    let living = channels(system, state).find(|channel| channel.number == number);
    living.map_or_else(|| (queue.name.clone(), Shown::Messages(Vec::new())), |channel| (channel.name, channel.messages))
}

fn speaks_of_processes(condition: &Expr) -> bool {
    let mut speaks = matches!(condition, Expr::Exists(..));
    condition.for_each_part(|part| speaks |= speaks_of_processes(part));
    speaks
}
