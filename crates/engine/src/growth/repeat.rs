//! Whether a loop that makes channels grow can be taken for ever.
//!
//! The condition, for a loop from *s* to *s'* where *s'* is *s* but for longer channels:
//!
//! 1. A channel of the same contents in *s* and *s'* may be used in any way. The others grow, and the loop uses them *first
//!    in, first out*: it takes messages from the head and adds them at the end.
//! 2. For each growing channel let *w* be its contents in *s*, *x* what the loop takes from it and *y* what it adds, in
//!    order. Either *x* is empty, or *x x x …* = *w y y y …*, as infinite words.
//! 3. At every point of the loop, what happens next can happen, comes first by rank, and writes the same values, whatever
//!    messages follow those that a growing channel holds there in the first round. That is what a [`PartialState`] sees.
//!
//! Then round after round the same actions can be taken, with the same choices. Let *z* be what a growing channel holds at
//! some point of the first round. By 1 and 2 it holds *z* and more at the same point of every later round: where *x* is
//! empty it holds *w y … y y'* with *y'* a beginning of *y*; otherwise it holds a piece of *x x x …* that begins at the same
//! place and is longer. By 3 nothing in the loop can tell the difference. `docs/unbounded.md` has the proof in full.

use super::partial_state::{PartialState, QueueSlots, Seen, Spot, actor, bindings};
use super::{Message, contents, emptied, exists};
use crate::{Event, StoryStep};
use lariat_base::Id;
use lariat_system::reference::{Scope, Valuation};
use lariat_system::{
    Action, ActionId, AfterTrap, Expr, IDLE_RANK, Position, SlotId, System, TrapKind, TrapTime, Update,
};
use std::collections::BTreeMap;

/// A channel that a loop makes longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GrowingQueue {
    /// Its number among the system's queues.
    pub queue: usize,
    /// How many messages it gains in a round.
    pub gain: usize,
    /// The most messages it holds in the first round.
    pub most: usize,
}

/// Why a loop may not repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// What is in doubt.
    pub kind: DoubtKind,
    /// The action that it is about.
    pub action: ActionId,
    /// A channel that the loop makes longer.
    pub queue: usize,
}

/// What may be otherwise in a later round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DoubtKind {
    /// Whether the action can happen.
    Guard,
    /// Whether something else comes first, or interrupts.
    Order,
    /// What the action writes.
    Value,
    /// Messages are taken or added elsewhere than first in, first out.
    Place,
    /// The messages that the loop takes are not those that it adds, in the same order.
    Messages,
    /// A channel changes otherwise than by growing, or something else is different.
    State,
}

/// The most ways of choosing that are looked at one by one.
const MOST_CHOICES: i64 = 4096;

/// The channels that the loop `round` of `system` makes longer each time, if it is sure that it can be taken for ever.
/// `None` if no channel is longer after it.
pub fn repeats(system: &System, round: &[StoryStep]) -> Option<Result<Vec<GrowingQueue>, Doubt>> {
    let first = round.first().and_then(|step| step.events.first())?;
    let after = round.last().and_then(|step| step.events.last()).and_then(|event| event.after.as_deref())?;
    let before: &Valuation = &first.before;
    let mut growing = Vec::new();
    let mut other_change = emptied(system, before) != emptied(system, after) || !system.invariants.is_empty();
    for (number, queue) in system.queues.iter().enumerate().filter(|(_, queue)| exists(queue, before)) {
        let (old, new) = (contents(queue, before), contents(queue, after));
        if new.len() > old.len() {
            growing.push(number);
        } else {
            other_change |= old != new;
        }
    }
    let &queue = growing.first()?;
    if other_change {
        return Some(Err(Doubt { kind: DoubtKind::State, action: first.firing.action, queue }));
    }
    let slots = QueueSlots::new(system, &growing);
    Some(Round { system, slots: &slots, growing: &growing }.judge(round, before))
}

/// What an action does to a growing channel.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Transfer {
    Adds(Message),
    Takes(Message),
}

struct Round<'a> {
    system: &'a System,
    slots: &'a QueueSlots,
    growing: &'a [usize],
}

impl Round<'_> {
    fn judge(&self, round: &[StoryStep], before: &Valuation) -> Result<Vec<GrowingQueue>, Doubt> {
        let mut taken: BTreeMap<usize, (Vec<Message>, Vec<Message>)> =
            self.growing.iter().map(|&queue| (queue, Default::default())).collect();
        let mut most: BTreeMap<usize, usize> = BTreeMap::new();
        for step in round {
            for event in &step.events {
                let partial = self.at(&event.before);
                self.can_happen(&partial, event)?;
                for (queue, transfer) in self.writes(&partial, event)? {
                    let (takes, adds) = taken.get_mut(&queue).expect("transfers are those of growing channels");
                    match transfer {
                        Transfer::Adds(message) => adds.push(message),
                        Transfer::Takes(message) => takes.push(message),
                    }
                }
                for &queue in self.growing {
                    let held = event.after.as_deref().map_or(0, |after| self.at(after).least(queue));
                    let most = most.entry(queue).or_insert(0);
                    *most = held.max(*most);
                }
            }
            self.ends(step)?;
        }
        let last = round.last().and_then(|step| step.events.last()).expect("a round has an action");
        let mut grown = Vec::new();
        for (queue, (takes, adds)) in taken {
            if !goes_on_for_ever(&contents(&self.system.queues[queue], before), &takes, &adds) {
                return Err(Doubt { kind: DoubtKind::Messages, action: last.firing.action, queue });
            }
            grown.push(GrowingQueue { queue, gain: adds.len() - takes.len(), most: most[&queue] });
        }
        Ok(grown)
    }

    fn at<'s>(&'s self, state: &'s Valuation) -> PartialState<'s> {
        PartialState { system: self.system, slots: self.slots, state }
    }

    fn doubt(&self, kind: DoubtKind, action: ActionId) -> Doubt {
        Doubt { kind, action, queue: self.growing[0] }
    }

    /// Makes sure that the action of the event can happen whatever follows, and that nothing comes before it.
    fn can_happen(&self, partial: &PartialState<'_>, event: &Event) -> Result<(), Doubt> {
        let (id, scope) = (event.firing.action, &event.firing.scope);
        let action = &self.system.actions[id];
        if partial.enables(action, scope) != Some(true) {
            return Err(self.doubt(DoubtKind::Guard, id));
        }
        let stops = |trap: &&lariat_system::Trap| {
            trap.time == TrapTime::Effect && trap.after == AfterTrap::Stops && trap.kind != TrapKind::ChannelBound
        };
        if action.traps.iter().filter(stops).any(|trap| partial.holds(&trap.condition, scope) != Some(false)) {
            return Err(self.doubt(DoubtKind::Guard, id));
        }
        let Seen::Known(rank) = partial.look(&action.rank, scope) else {
            return Err(self.doubt(DoubtKind::Order, id));
        };
        // What could come first must be impossible. Most actions are of one rank, and nothing has to be looked at.
        for (_, other) in self.system.actions.entries() {
            if other.rank.as_const().is_some_and(|other| other >= rank) {
                continue;
            }
            for scope in self.scopes(other, partial.state) {
                let first = !matches!(partial.look(&other.rank, &scope), Seen::Known(other) if other >= rank);
                if first && partial.enables(other, &scope) != Some(false) {
                    return Err(self.doubt(DoubtKind::Order, id));
                }
            }
        }
        Ok(())
    }

    /// Makes sure that the step ends where it does: if its process stands inside an atomic sequence, it cannot go on.
    fn ends(&self, step: &StoryStep) -> Result<(), Doubt> {
        let Some(event) = step.events.last() else { return Ok(()) };
        let (firing, Some(after)) = (&event.firing, event.after.as_deref()) else { return Ok(()) };
        let Some(hold) = self.system.actions[firing.action].hold else { return Ok(()) };
        let holder = firing.scope.positions[hold.index()];
        let partial = self.at(after);
        for (_, action) in self.system.actions.entries() {
            if action.rank.as_const().is_some_and(|rank| rank >= IDLE_RANK) {
                continue;
            }
            let mut its = self.scopes(action, after).into_iter();
            if its
                .any(|scope| actor(&scope.positions) == Some(holder) && partial.enables(action, &scope) != Some(false))
            {
                return Err(self.doubt(DoubtKind::Order, firing.action));
            }
        }
        Ok(())
    }

    /// Every way in which the action could be taken, as far as its participants and choices go. Very many choices are left
    /// open.
    fn scopes(&self, action: &Action, state: &Valuation) -> Vec<Scope> {
        let ranges: Vec<_> = action.choices.iter().map(|choice| self.system.range(choice.ty)).collect();
        let count =
            ranges.iter().fold(1_i64, |count, range| count.saturating_mul((range.hi - range.lo).saturating_add(1)));
        let values: Vec<Vec<i64>> = if count > MOST_CHOICES {
            vec![Vec::new()]
        } else {
            ranges.iter().fold(vec![Vec::new()], |prefixes, range| {
                let longer = |prefix: &Vec<i64>, value: i64| [prefix.as_slice(), &[value]].concat();
                prefixes
                    .iter()
                    .flat_map(|prefix| (range.lo..=range.hi).map(move |value| longer(prefix, value)))
                    .collect()
            })
        };
        let with = |positions: Vec<Position>| {
            values.iter().map(move |choices| Scope { positions: positions.clone(), choices: choices.clone() })
        };
        bindings(action, state).into_iter().flat_map(with).collect()
    }

    /// What the action of the event does to growing channels; makes sure that all else it writes is known.
    fn writes(&self, partial: &PartialState<'_>, event: &Event) -> Result<Vec<(usize, Transfer)>, Doubt> {
        let (id, scope) = (event.firing.action, &event.firing.scope);
        let open = || self.doubt(DoubtKind::Value, id);
        let mut changes: BTreeMap<usize, Change> = BTreeMap::new();
        for update in &self.system.actions[id].updates {
            match update {
                Update::Exit => {}
                Update::Spawn { arguments, .. } => {
                    if arguments.iter().any(|argument| !matches!(partial.look(&argument.value, scope), Seen::Known(_)))
                    {
                        return Err(open());
                    }
                }
                Update::Set(place, value) => match partial.spot(place, scope) {
                    Spot::Open => return Err(open()),
                    Spot::Nowhere => {}
                    Spot::Global { slot, cell: Seen::Known(cell) } => {
                        let cell = usize::try_from(cell).unwrap_or(usize::MAX);
                        if let Some(queue) = self.slots.of_length(slot, cell) {
                            // A length is cut to the bits that the capacity takes, and would be to more if there were more.
                            let whole = if let Expr::Wrap { value, .. } = value { value } else { value };
                            changes.entry(queue).or_default().length = Some(partial.look(whole, scope));
                        } else if let Some((queue, k)) = self.slots.of_field(slot, cell) {
                            changes
                                .entry(queue)
                                .or_default()
                                .cells
                                .insert((slot.index(), k), partial.look(value, scope));
                        } else if !matches!(partial.look(value, scope), Seen::Known(_)) {
                            return Err(open());
                        }
                    }
                    Spot::Global { slot, cell: Seen::Length { queue, plus } } => {
                        let Some(field) = self.end_field(queue, slot, plus) else { return Err(open()) };
                        let Seen::Known(value) = partial.look(value, scope) else { return Err(open()) };
                        changes.entry(queue).or_default().end.insert(field, value);
                    }
                    Spot::Global { .. } => return Err(open()),
                    Spot::Local { .. } => {
                        if !matches!(partial.look(value, scope), Seen::Known(_)) {
                            return Err(open());
                        }
                    }
                },
            }
        }
        let mut transfers = Vec::new();
        for (queue, change) in changes {
            match self.transfer(partial, queue, &change) {
                Some(transfer) => transfers.push((queue, transfer)),
                None => return Err(Doubt { kind: DoubtKind::Place, action: id, queue }),
            }
        }
        Ok(transfers)
    }

    /// The number of the field, if the cell `length + plus` of the slot is that of the message behind the last one.
    fn end_field(&self, queue: usize, slot: SlotId, plus: i64) -> Option<usize> {
        let known = &self.system.queues[queue];
        let first = i64::from(known.number) * i64::from(known.capacity);
        known.fields.iter().position(|field| *field == slot).filter(|_| plus == first)
    }

    /// What the change of a growing channel is, if it is one of the two that keep the order of its messages.
    fn transfer(&self, partial: &PartialState<'_>, queue: usize, change: &Change) -> Option<Transfer> {
        let known = &self.system.queues[queue];
        let capacity = known.capacity as usize;
        let Some(Seen::Length { queue: of, plus }) = change.length else { return None };
        match plus {
            1 if of == queue && change.cells.is_empty() && change.end.len() == known.fields.len() => {
                Some(Transfer::Adds(change.end.values().copied().collect()))
            }
            -1 if of == queue && change.end.is_empty() && change.cells.len() == known.fields.len() * capacity => {
                let moved_up = known.fields.iter().all(|field| {
                    (0..capacity).all(|k| {
                        let next = known.number as usize * capacity + k + 1;
                        let wanted =
                            if k + 1 < capacity { partial.read_global(*field, next as i64) } else { Seen::Known(0) };
                        change.cells.get(&(field.index(), k)) == Some(&wanted)
                    })
                });
                let head = contents(known, partial.state).into_iter().next();
                head.filter(|_| moved_up).map(Transfer::Takes)
            }
            _ => None,
        }
    }
}

/// What an action writes into a growing channel.
#[derive(Debug, Default)]
struct Change {
    length: Option<Seen>,
    /// By field: what is written behind the last message.
    end: BTreeMap<usize, i64>,
    /// By slot and place from the head.
    cells: BTreeMap<(usize, usize), Seen>,
}

/// Whether a channel that holds `held` can be used for ever by taking `takes` and adding `adds`, round after round:
/// `takes takes …` must be `held adds adds …`. Behind `held` both are periodic, and words with periods *p* and *q* that agree
/// on *p + q* letters agree for ever.
fn goes_on_for_ever(held: &[Message], takes: &[Message], adds: &[Message]) -> bool {
    if takes.is_empty() {
        return true;
    }
    if adds.len() < takes.len() {
        return false;
    }
    let letters = held.len() + takes.len() + adds.len();
    let sent = held.iter().chain(adds.iter().cycle());
    takes.iter().cycle().zip(sent).take(letters).all(|(taken, sent)| taken == sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying: whether so many rounds are possible.
    fn possible(held: &str, takes: &str, adds: &str, rounds: usize) -> bool {
        let mut content = held.to_owned();
        (0..rounds).all(|_| {
            content += adds;
            let rest = content.strip_prefix(takes).map(str::to_owned);
            content = rest.clone().unwrap_or_default();
            rest.is_some()
        })
    }

    fn words(letters: &str, most: usize) -> Vec<String> {
        let mut words = vec![String::new()];
        for from in 0.. {
            let Some(word) = words.get(from).filter(|word| word.len() < most).cloned() else { break };
            words.extend(letters.chars().map(|letter| format!("{word}{letter}")));
        }
        words
    }

    #[test]
    fn the_condition_on_messages_is_exact() {
        let (mut yes, mut no) = (0, 0);
        for held in words("ab", 3) {
            for takes in words("ab", 3) {
                for adds in words("ab", 4).into_iter().filter(|adds| adds.len() >= takes.len()) {
                    let letters = |word: &str| word.bytes().map(|letter| vec![i64::from(letter)]).collect::<Vec<_>>();
                    let found = goes_on_for_ever(&letters(&held), &letters(&takes), &letters(&adds));
                    assert_eq!(found, possible(&held, &takes, &adds, 40), "{held} {takes} {adds}");
                    *(if found { &mut yes } else { &mut no }) += 1;
                }
            }
        }
        assert!(yes > 100 && no > 100, "{yes} {no}");
    }

    #[test]
    fn contents_that_begin_alike_are_not_enough() {
        let letters = |word: &str| word.bytes().map(|letter| vec![i64::from(letter)]).collect::<Vec<_>>();
        // From `a` to `ab` by taking `a` and adding `ab`: `a` is a beginning of `ab`, and the third round finds `b`.
        assert!(possible("a", "a", "ab", 2) && !possible("a", "a", "ab", 3));
        assert!(!goes_on_for_ever(&letters("a"), &letters("a"), &letters("ab")));
    }
}
