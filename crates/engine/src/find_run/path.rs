//! The way that the search for a run has come, in little memory: states are kept only where they are asked for.

use crate::{Event, FailureKind, Story, TakenAction, Trace, TraceStep};
use lariat_system::reference::{Evaluator, Valuation};
use lariat_system::{Fault, Layout, Position, System, TrapTime};
use std::sync::Arc;

/// An event without the states around it.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    action: TakenAction,
    /// The error of its guard, because of which it is not taken.
    fault: Option<Fault>,
}

impl Taken {
    pub(super) fn new(system: &System, event: &Event) -> Self {
        let is_of_guard = |fault: &Fault| match *fault {
            Fault::Trap(action, number) => system.actions[action].traps[usize::from(number)].time == TrapTime::Guard,
            Fault::PoolFull(_) | Fault::EndlessAtomic(_) => false,
        };
        let fault = event.faults.iter().copied().find(is_of_guard).filter(|_| event.after.is_none());
        Self { action: TakenAction::of(&event.firing), fault }
    }

    /// The event, in the state `before`.
    pub(super) fn event(&self, evaluator: &Evaluator<'_>, before: Arc<Valuation>) -> Event {
        let firing = self.action.firing();
        let (faults, after) = match self.fault {
            Some(fault) => (vec![fault], None),
            None => evaluator.fire(&before, &firing),
        };
        Event { firing, before, after: after.map(Arc::new), faults }
    }
}

/// A place on the way: before the first event, and after each.
struct Place {
    matched: usize,
    /// Whether it is inside an atomic sequence.
    inside: bool,
    /// The state, where a round of the record's loop may begin.
    words: Option<Box<[u64]>>,
}

/// A way from an initial state.
pub(super) struct Path<'l> {
    layout: &'l Layout,
    loop_start: Option<usize>,
    initial: Arc<Valuation>,
    taken: Vec<Taken>,
    places: Vec<Place>,
    /// The last event, unless the way was gone back since.
    last: Option<Event>,
    mark: Option<Mark>,
}

/// A way that was marked. It has its beginning in common with the present one: what is copied for a new mark was gone since
/// the last.
struct Mark {
    taken: Vec<Taken>,
    insides: Vec<bool>,
    common: usize,
    last: Arc<Valuation>,
}

impl<'l> Path<'l> {
    /// What an event takes in memory, about.
    pub(super) const BYTES_OF_EVENT: u64 = 2 * (size_of::<Taken>() + size_of::<Place>()) as u64;

    pub(super) fn new(initial: Arc<Valuation>, layout: &'l Layout, loop_start: Option<usize>) -> Self {
        let (taken, places) = (Vec::new(), Vec::new());
        Self { layout, loop_start, initial, taken, places, last: None, mark: None }
    }

    /// An event is taken; where it leads is to be matched by [`Path::arrive`].
    pub(super) fn take(&mut self, system: &System, event: Event) {
        self.taken.push(Taken::new(system, &event));
        self.last = Some(event);
    }

    /// This is where the way has come to.
    pub(super) fn arrive(&mut self, holder: Option<Position>, matched: usize, state: &Valuation) {
        let may_begin = holder.is_none() && self.loop_start.is_some_and(|start| matched >= start);
        let words = may_begin.then(|| self.layout.pack(state).into_boxed_slice());
        self.places.push(Place { matched, inside: holder.is_some(), words });
    }

    /// Goes back to the place before.
    pub(super) fn back(&mut self) {
        self.places.pop();
        self.taken.pop();
        self.last = None;
        if let Some(mark) = &mut self.mark {
            mark.common = mark.common.min(self.taken.len());
        }
    }

    /// How many entries have been matched.
    pub(super) fn matched(&self) -> usize {
        self.places.last().map_or(0, |place| place.matched)
    }
    /// The event that led to the last place, if there is one.
    pub(super) fn last_event(&self) -> Option<&Event> {
        self.last.as_ref()
    }
    fn last_state(&self) -> &Arc<Valuation> {
        self.last.as_ref().map_or(&self.initial, |event| event.after.as_ref().unwrap_or(&event.before))
    }

    /// The number of steps to the first place at which a round may begin, by the entries matched there, and whose state is this
    /// one.
    pub(super) fn steps_to_same_state(&self, state: &Valuation, begins: impl Fn(usize) -> bool) -> Option<usize> {
        let words = self.layout.pack(state).into_boxed_slice();
        let same = |place: &Place| place.words.as_ref() == Some(&words) && begins(place.matched);
        let number = self.places.iter().position(same)?;
        Some(self.places[..number].iter().filter(|place| !place.inside).count())
    }

    /// The run as engines report it, with one more event at its end if there is one.
    pub(super) fn trace(&self, evaluator: &Evaluator<'_>, more: Option<&Event>, kind: Option<FailureKind>) -> Trace {
        let mut trace =
            Trace { initial: self.layout.pack(&self.initial), steps: Vec::new(), loop_start: None, decided: None };
        let mut state = self.initial.clone();
        let more = more.map(|event| Taken::new(evaluator.system, event));
        for (number, taken) in self.taken.iter().chain(&more).enumerate() {
            if !self.places[number].inside || trace.steps.is_empty() {
                trace.steps.push(TraceStep { via: Vec::new(), choices: Some(Vec::new()), labels: None, target: None });
            }
            let step = trace.steps.last_mut().expect("there is one by now");
            step.via.push(taken.action.by);
            step.choices.get_or_insert_default().extend(&*taken.action.choices);
            let Some(after) = taken.event(evaluator, state.clone()).after else { continue };
            state = after;
            if let Some(step) = trace.steps.last_mut()
                && self.places.get(number + 1).is_some_and(|place| !place.inside)
            {
                step.target = Some(self.layout.pack(&state));
            }
        }
        if let (Some(FailureKind::Fault(_)), Some(last)) = (kind, trace.steps.last_mut()) {
            last.target = None;
        }
        trace
    }

    /// What happens on the way.
    pub(super) fn story(&self) -> Story {
        story(&self.initial, &self.taken, self.places.iter().map(|place| place.inside), self.last_state())
    }

    /// Marks the way as it is now.
    pub(super) fn mark(&mut self) {
        let last = self.last_state().clone();
        let mut mark =
            self.mark.take().unwrap_or(Mark { taken: Vec::new(), insides: Vec::new(), common: 0, last: last.clone() });
        mark.taken.truncate(mark.common);
        mark.taken.extend_from_slice(&self.taken[mark.common..]);
        mark.insides.truncate(mark.common);
        mark.insides.extend(self.places[mark.common..].iter().map(|place| place.inside));
        mark.common = self.taken.len();
        mark.last = last;
        self.mark = Some(mark);
    }

    /// What happens on the way that was marked last, if one was.
    pub(super) fn marked(&self) -> Option<Story> {
        let mark = self.mark.as_ref()?;
        Some(story(&self.initial, &mark.taken, mark.insides.iter().copied(), &mark.last))
    }
}

/// What happens: `insides` tells of the place before each event whether it is inside an atomic sequence.
fn story(
    initial: &Arc<Valuation>,
    taken: &[Taken],
    insides: impl Iterator<Item = bool>,
    last: &Arc<Valuation>,
) -> Story {
    let mut story = Story::new(initial.clone());
    for (number, (taken, inside)) in taken.iter().zip(insides).enumerate() {
        if number > 0 && !inside {
            story.end_step();
        }
        story.push(taken.action.clone(), Some(last));
        if let Some(fault) = taken.fault {
            story.end_in(fault);
        }
    }
    if !taken.is_empty() {
        story.end_step();
    }
    story
}
