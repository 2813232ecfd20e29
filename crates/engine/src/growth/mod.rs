//! Channels that grow without limit: when a run shows that one does.
//!
//! Take a system whose channels have room for whatever is sent. A run leads to a state *s* and from there, by a loop of
//! actions, to a state *s'* that differs from *s* by more messages alone. Is that a proof of growth? Not by itself: the loop
//! must be possible again from *s'*, and again and again. [`repeats`] decides that, by a condition that is sufficient and
//! is proved in `docs/unbounded.md`; the idea is that of Jard and Jéron (*On-line model-checking*, and Jéron's *Testing for
//! unboundedness of fifo channels*). [`Growth::of`] believes nothing of it: it runs the loop several times with the
//! reference evaluator, in a system with enough room, and only what it saw is shown to people.

mod partial_state;
mod repeat;

pub use repeat::{Doubt, DoubtKind, GrowingQueue, repeats};

use crate::{Event, ReplayError, Shortfall, Stats, Story};
use lariat_base::Id;
use lariat_system::reference::{Evaluator, Firing, Valuation};
use lariat_system::{Queue, System};
use std::sync::Arc;

/// A message: its fields.
pub type Message = Vec<i64>;

/// What a channel holds, from the head on.
pub fn contents(queue: &Queue, state: &Valuation) -> Vec<Message> {
    let number = queue.number as usize;
    let cell = |k: usize| number * queue.capacity as usize + k;
    let message = |k: usize| queue.fields.iter().map(|slot| state.globals[slot.index()][cell(k)]).collect();
    (0..length(queue, state)).map(message).collect()
}

/// How many messages a channel holds.
pub fn length(queue: &Queue, state: &Valuation) -> usize {
    let length = state.globals[queue.len.index()][queue.number as usize];
    usize::try_from(length).unwrap_or(0).min(queue.capacity as usize)
}

/// Whether the channel exists in a state: it is nobody's, or its owner lives.
pub fn exists(queue: &Queue, state: &Valuation) -> bool {
    queue.owner.is_none_or(|(frame, position)| {
        state.pool.get(usize::from(position)).is_some_and(|instance| instance.frame == frame)
    })
}

/// The state with all channels empty.
fn emptied(system: &System, state: &Valuation) -> Valuation {
    let mut emptied = state.clone();
    for slot in system.queues.iter().flat_map(|queue| std::iter::once(&queue.len).chain(&queue.fields)) {
        emptied.globals[slot.index()].fill(0);
    }
    emptied
}

/// A run that goes round a loop several times, with more messages in some channel after each round. It can be built only by
/// running it.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    system: Arc<System>,
    story: Story,
    stem: usize,
    round: usize,
    channels: Vec<ChannelGrowth>,
}

/// The lengths of a channel that grows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelGrowth {
    /// Its number among the system's queues.
    pub queue: usize,
    /// Before the first round, and after each.
    pub lengths: Vec<usize>,
}

impl Growth {
    /// Runs `stem` and then `rounds` times `round`, each a list of steps, from the initial state `initial` of `system`. An
    /// error says what did not happen as it should: then whoever found the loop is wrong.
    pub fn of(
        system: Arc<System>,
        initial: &Valuation,
        stem: &[Vec<Firing>],
        round: &[Vec<Firing>],
        rounds: usize,
    ) -> Result<Self, ReplayError> {
        let wrong = |step: usize, reason: &str| Err(ReplayError::wrong(step, reason));
        let evaluator = Evaluator::new(&system);
        if !evaluator.initial().contains(initial) {
            return wrong(0, "the run does not begin in an initial state");
        }
        let mut state = Arc::new(initial.clone());
        let mut story = Story::new(state.clone());
        let all = stem.iter().chain(std::iter::repeat_n(round, rounds).flatten());
        let mut milestones = Vec::new();
        for step in all {
            if story.step_count() >= stem.len() && (story.step_count() - stem.len()).is_multiple_of(round.len()) {
                milestones.push(state.clone());
            }
            let Some(events) = taken(&evaluator, &state, step) else {
                return wrong(story.step_count(), "this cannot happen here");
            };
            if let Some(after) = events.last().and_then(|event| event.after.as_ref()) {
                state = after.clone();
            }
            events.iter().for_each(|event| story.push_event(&system, event));
            story.end_step();
        }
        milestones.push(state);
        let end = story.step_count();
        let first = emptied(&system, &milestones[0]);
        if milestones.len() != rounds + 1 || milestones.iter().any(|state| emptied(&system, state) != first) {
            return wrong(end, "after a round more is different than messages");
        }
        let mut channels = Vec::new();
        for (queue, known) in system.queues.iter().enumerate().filter(|(_, known)| exists(known, &milestones[0])) {
            let lengths: Vec<usize> = milestones.iter().map(|state| length(known, state)).collect();
            if lengths.is_sorted_by(|before, after| before < after) {
                channels.push(ChannelGrowth { queue, lengths });
            } else if milestones.iter().any(|state| contents(known, state) != contents(known, &milestones[0])) {
                return wrong(end, "a channel changes and does not grow");
            }
        }
        if channels.is_empty() || rounds < 2 {
            return wrong(end, "no channel grows");
        }
        Ok(Self { system, story, stem: stem.len(), round: round.len(), channels })
    }
    /// The system that was run.
    pub fn system(&self) -> &System {
        &self.system
    }
    /// What happened.
    pub fn story(&self) -> &Story {
        &self.story
    }
    /// The number of steps before the first round.
    pub fn stem(&self) -> usize {
        self.stem
    }
    /// The number of steps of a round.
    pub fn round(&self) -> usize {
        self.round
    }
    /// The channels that grow: at least one.
    pub fn channels(&self) -> &[ChannelGrowth] {
        &self.channels
    }
}

/// What happens when the firings are taken one after the other as one step; `None` if they are not one.
fn taken(evaluator: &Evaluator<'_>, state: &Arc<Valuation>, step: &[Firing]) -> Option<Vec<Event>> {
    let mut events: Vec<Event> = Vec::new();
    let mut now = (state.clone(), None);
    for firing in step {
        let (firings, transient) = evaluator.firings(&now.0, now.1);
        if transient == events.is_empty() || !firings.contains(firing) {
            return None;
        }
        let (faults, after) = evaluator.fire(&now.0, firing);
        let after = Arc::new(after?);
        events.push(Event { firing: firing.clone(), before: now.0, after: Some(after.clone()), faults });
        now = (after, evaluator.holder_after(firing));
    }
    let ends = now.1.is_none() || !evaluator.firings(&now.0, now.1).1;
    (ends && !events.is_empty()).then_some(events)
}

/// The answer to the question whether a channel can grow without limit.
#[derive(Clone, PartialEq, Debug)]
pub struct Boundedness {
    /// The answer itself.
    pub verdict: BoundednessVerdict,
    /// The room that channels had in the last search.
    pub channel_bound: u32,
    /// A loop that makes a channel grow, but may not repeat: the first one that was met.
    pub doubt: Option<(Doubt, Arc<System>)>,
    /// Figures of the last search.
    pub stats: Stats,
}

/// Whether a channel can grow without limit.
#[derive(Clone, PartialEq, Debug)]
pub enum BoundednessVerdict {
    /// One can, and here is how.
    Grows(Box<Growth>),
    /// None can: the whole graph was seen, and this is the most that each channel, by name, ever held.
    Bounded(Vec<(String, usize)>),
    /// Neither could be shown.
    Undecided(Unsettled),
}

/// Why it is not known whether a channel can grow without limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unsettled {
    /// A limit of the search was met.
    Short(Shortfall),
    /// A channel was filled to the bound, and no loop was found that is sure to repeat.
    ChannelBound,
    /// So many processes can be created that the pool has no room for them.
    PoolFull,
    /// With larger channels the system cannot be made any more.
    TooLarge,
}
