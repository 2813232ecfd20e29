//! What is shown of a trace: of every action who did it, where it is written, and what it changed.

use crate::control::{ControlNumbers, MOST_PLACES, control_rows};
use crate::documents::{ControlRows, GraphRows, StatementPlace};
use crate::ending::{Ending, RunEnd, fault_message};
use crate::fault::{fault_detail, truncations};
use crate::graph::run_graph;
use crate::limit::WriteLimit;
use crate::line::Columns;
use crate::names::{cell_name, contents, half_of_word, instance_name, process_name, shown, wide_shown, wide_word};
use crate::printed::printed;
use crate::results::counted;
use crate::standing::Standing;
use crate::state::{StateView, channel};
use lariat_base::{Id, SourceMap, Span};
use lariat_engine::{Event, Evidence, FailureKind, GraphRun, Loop, Story, StoryItem, TakenAction};
use lariat_system::reference::{Evaluator, Firing, Valuation};
use lariat_system::{
    Choice, Fault, Half as SystemHalf, Occasion, Owner, Place, Queue, Role, Slot, System, Update, Who,
};
use std::collections::HashSet;
use std::sync::Arc;

/// A run as people read it. What happens, action by action, is made when it is asked for.
#[derive(Clone, Debug)]
pub struct TraceView<'a> {
    system: &'a System,
    sources: &'a SourceMap,
    story: &'a Story,
    /// Where processes stand, if that is shown.
    standing: Option<Arc<(Standing, ControlNumbers)>>,
    /// Whether it goes on for ever, so that errors on the way are not what it is shown for.
    goes_on: bool,
    /// The error that it ends in.
    fault: Option<Fault>,
    /// The initial values of what is shown, channels included.
    pub initial: Vec<(String, Shown)>,
    /// The number of steps from state to state; less than the number of entries where atomic sequences are passed.
    pub step_count: usize,
    /// How it ends.
    pub ending: Ending,
    /// After so many steps of the run nothing that follows matters, if that is so.
    pub decided: Option<usize>,
    /// Of a run that goes on for ever, its loop.
    pub cycle: Option<LoopView>,
}

/// The loop of a run that goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopView {
    /// The number of its first step, from 0.
    pub start: usize,
    /// For each fairness constraint, what on the loop meets it.
    pub fairness: Vec<FairnessView>,
    /// The processes that it is unfair to: name, pid, and whether it could move at every step of the loop.
    pub unfair: Vec<(String, u8, bool)>,
}

/// Where a loop meets a fairness constraint. Steps are numbered from 1, as they are shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairnessView {
    /// `weak fairness for P(1)`.
    pub name: String,
    /// What the two lists are.
    pub kind: FairnessKind,
    /// The steps where it is enabled, or where the left side of the constraint holds.
    pub asked: Vec<usize>,
    /// The steps where it is taken, or where the condition, or the right side of the constraint, holds.
    pub given: Vec<usize>,
}

/// What a fairness constraint speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FairnessKind {
    /// Steps that are enabled and taken.
    Steps,
    /// A condition.
    Justice,
    /// Two conditions.
    Compassion,
}

impl LoopView {
    fn new(system: &System, state: &Valuation, cycle: &Loop) -> Self {
        let numbered = |steps: &[usize]| steps.iter().map(|step| step + 1).collect();
        let fairness = cycle.fairness.iter().enumerate().filter_map(|(number, steps)| {
            let constraint = &system.fairness[number];
            let kind = match constraint.as_fairness_for() {
                // Of a process that never lives there is nothing to tell.
                Some(Who::Process(position)) if usize::from(position) >= state.pool.len() && steps.asked.is_empty() => {
                    return None;
                }
                Some(_) => FairnessKind::Steps,
                None if constraint.asked == Occasion::Always => FairnessKind::Justice,
                None => FairnessKind::Compassion,
            };
            let (asked, given) = (numbered(&steps.asked), numbered(&steps.given));
            let name = system.fairness_name(number);
            let name = match constraint.as_fairness_for() {
                Some(Who::Process(position)) => {
                    name.replace(&format!("process {position}"), &process_name(system, state, position))
                }
                _ => name,
            };
            Some(FairnessView { name, kind, asked, given })
        });
        let unfair = cycle
            .unfair
            .iter()
            .map(|unfair| (process_name(system, state, unfair.position), unfair.position, unfair.always_enabled));
        Self { start: cycle.start, fairness: fairness.collect(), unfair: unfair.collect() }
    }
}

/// One action.
#[derive(Clone, PartialEq, Debug)]
pub struct EntryView {
    /// The number of the step it is part of, from 0.
    pub step: usize,
    /// Whether it belongs to one indivisible step together with its neighbours.
    pub grouped: bool,
    /// The action's number, for programs that read the trace again.
    pub action: u32,
    /// The statements by SPIN's numbers, the actor's first; see [`lariat_system::Action::trail`].
    pub trail: Vec<u32>,
    /// Who acts; in a rendezvous the sender.
    pub actor: Half,
    /// In a rendezvous the receiver.
    pub peer: Option<Half>,
    /// The values of the action's choices.
    pub choices: Vec<(String, Shown)>,
    /// What became different.
    pub changes: Vec<Change>,
    /// Processes that began, by name and position.
    pub started: Vec<String>,
    /// Processes that ended.
    pub ended: Vec<String>,
    /// What it printed.
    pub printed: Option<String>,
    /// Whether nothing happens: the state repeats, because nothing can happen in it.
    pub stutter: bool,
    /// The run-time errors that are met in it and that the run goes on past, where they are not what it is shown for.
    pub errors: Vec<&'static str>,
    /// The values that did not fit where it wrote them, and were truncated.
    pub truncated: Vec<String>,
    /// Whether it was taken. The last entry is not, if the run ends in an error at its guard.
    pub taken: bool,
    /// The first values of what belongs to processes that began, if it is shown where processes stand.
    pub appeared: Vec<(String, Shown)>,
    /// Where the processes stand afterwards whose control moved, if that is shown.
    pub standing: Vec<(String, Vec<StatementPlace>)>,
    /// Where they are then in their graphs of control.
    pub control: Vec<(String, usize)>,
}

/// One participant's part in an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Half {
    /// The frame's name; empty if nobody acts.
    pub process: String,
    /// The position, if somebody acts.
    pub pid: Option<u8>,
    /// The file's name; empty if no source spells the action.
    pub file: String,
    /// The line, from 1; 0 if no source spells the action.
    pub line: u32,
    /// Of a statement inside an `inline`: the line of the call; else 0.
    pub called_line: u32,
    /// The statement.
    pub text: String,
}

/// A cell or a channel that has other contents than before, or a cell that got the same by a rendezvous.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// `x`, `a[2]`, `P(1).v`; `q`, `P(1).q`.
    pub name: String,
    /// The value before; `None` where the process has just begun.
    pub before: Option<Shown>,
    /// The value after.
    pub after: Shown,
}

/// A value as it is shown.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Shown {
    /// A number.
    Number(i64),
    /// A number beyond those: a word of 64 bits, read back from a document.
    Large(u64),
    /// A word of SMV. In documents it is its number.
    #[serde(skip_deserializing)]
    Word(Word),
    /// The name of a value of an enumeration.
    Name(String),
    /// What a channel holds: its messages from the head on, each by fields.
    Messages(Vec<Vec<Shown>>),
}

impl Shown {
    pub(crate) fn number(&self) -> Option<i128> {
        match self {
            Self::Number(value) => Some(i128::from(*value)),
            Self::Large(value) => Some(i128::from(*value)),
            Self::Word(Word { value, .. }) => Some(*value),
            Self::Name(_) | Self::Messages(_) => None,
        }
    }
}

/// A word is its number: documents have no more of it.
impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(own), Self::Name(other)) => own == other,
            (Self::Messages(own), Self::Messages(other)) => own == other,
            _ => self.number().is_some() && self.number() == other.number(),
        }
    }
}
impl Eq for Shown {}

/// A word of SMV: `0ud8_5` is shown for 5 in `unsigned word[8]`, `-0sd8_5` for -5 in `signed word[8]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// Its number.
    pub value: i128,
    /// Whether it is signed.
    pub signed: bool,
    /// How many bits it has.
    pub width: u32,
}

impl serde::Serialize for Word {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.value) {
            Ok(value) => to.serialize_i64(value),
            Err(_) => to.serialize_u64(self.value as u64),
        }
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, kind) = (if self.value < 0 { "-" } else { "" }, if self.signed { 's' } else { 'u' });
        write!(f, "{sign}0{kind}d{}_{}", self.width, self.value.unsigned_abs())
    }
}

/// What is said of these errors, each once.
fn messages(system: &System, faults: impl Iterator<Item = Fault>) -> Vec<&'static str> {
    let mut messages: Vec<_> = faults.map(|fault| fault_message(system, fault)).collect();
    messages.sort_unstable();
    messages.dedup();
    messages
}

/// The run-time errors that are met in trying to leave the state.
fn faults_in(system: &System, state: &Valuation) -> Vec<Fault> {
    let evaluator = Evaluator::new(system);
    let of_guards = evaluator.guard_faults(state, None).into_iter().map(|(_, fault)| fault);
    let of_effects = evaluator.firings(state, None).0.into_iter().flat_map(|firing| evaluator.fire(state, &firing).0);
    of_guards.chain(of_effects).collect()
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Large(value) => write!(f, "{value}"),
            Self::Word(word) => write!(f, "{word}"),
            Self::Name(name) => f.write_str(name),
            Self::Messages(messages) if messages.is_empty() => f.write_str("[]"),
            Self::Messages(messages) => messages.iter().try_for_each(|fields| {
                let fields: Vec<String> = fields.iter().map(Self::to_string).collect();
                write!(f, "[{}]", fields.join(","))
            }),
        }
    }
}

/// How the run ends, in as much detail as is known.
fn ending(system: &System, sources: &SourceMap, story: &Story, end: RunEnd) -> Ending {
    let ending = Ending::new(system, story.last(), end);
    match end {
        RunEnd::Failure(FailureKind::Fault(fault)) => {
            Ending { detail: fault_detail(system, sources, story, fault), ..ending }
        }
        _ => ending,
    }
}

impl<'a> TraceView<'a> {
    /// The view of a replayed run of `system`.
    pub fn new(system: &'a System, sources: &'a SourceMap, evidence: &Evidence, story: &'a Story) -> Self {
        Self::of_run(system, sources, RunEnd::Failure(evidence.kind), story).decided_after(evidence.trace.decided)
    }

    /// The same run, which is bad after so many steps, whatever follows.
    pub(crate) fn decided_after(mut self, decided: Option<usize>) -> Self {
        if let Some(decided) = decided {
            self.decided = Some(decided);
            // It does not matter how the run goes on, be it unfair.
            if let Some(cycle) = &mut self.cycle {
                cycle.unfair.clear();
            }
            self.ending.message = format!("violated after {}, whatever follows", counted(decided as u64, "step"));
        }
        self
    }

    /// The view of a run that the reference evaluator made itself.
    pub fn of_run(system: &'a System, sources: &'a SourceMap, end: RunEnd, story: &'a Story) -> Self {
        Self {
            system,
            sources,
            story,
            standing: None,
            fault: match end {
                RunEnd::Failure(FailureKind::Fault(fault)) => Some(fault),
                _ => None,
            },
            goes_on: matches!(end, RunEnd::Cycle | RunEnd::Failure(FailureKind::Cycle | FailureKind::BadPrefix)),
            initial: StateView::new(system, sources, story.initial()).contents(),
            step_count: story.step_count(),
            ending: ending(system, sources, story, end),
            decided: None,
            cycle: story.cycle.as_ref().map(|cycle| LoopView::new(system, story.last(), cycle)),
        }
    }

    /// The same run, showing where processes stand.
    pub(crate) fn with_standing(self) -> Self {
        let standing = (Standing::new(self.system, self.sources), ControlNumbers::new(self.system));
        Self { standing: Some(Arc::new(standing)), ..self }
    }

    /// Where each process stands at first, if that is shown.
    pub(crate) fn first_standing(&self) -> Option<Vec<(String, Vec<StatementPlace>)>> {
        self.standing.as_ref().map(|shown| shown.0.moved(self.system, None, self.story.initial()))
    }

    /// Where each process is at first in its graph of control, if that is shown.
    pub(crate) fn first_control(&self) -> Option<Vec<(String, usize)>> {
        self.standing.as_ref().map(|shown| shown.1.moved(self.system, None, self.story.initial()))
    }

    /// The states around the run; or why they are not listed.
    pub(crate) fn graph(&self, limit: Option<&WriteLimit<'_>>) -> Result<GraphRows, String> {
        run_graph(self.system, self.sources, GraphRun { story: self.story, ends_in: self.fault }, limit)
    }

    /// How control moves in the processes of the model.
    pub(crate) fn control_graphs(&self) -> Vec<ControlRows> {
        control_rows(self.system, self.sources, MOST_PLACES)
    }

    /// How many messages each channel has room for that is there at first.
    pub(crate) fn capacities(&self) -> Vec<(String, u32)> {
        let first = StateView::new(self.system, self.sources, self.story.initial());
        first.channels.into_iter().map(|(name, _, capacity)| (name, capacity)).collect()
    }

    /// What happens, action by action.
    pub fn entries(&self) -> impl Iterator<Item = EntryView> + '_ {
        let Self { system, sources, story, goes_on, .. } = *self;
        let moved = |event: &Event| match (&self.standing, &event.after) {
            (Some(shown), Some(after)) => {
                (shown.0.moved(system, Some(&event.before), after), shown.1.moved(system, Some(&event.before), after))
            }
            _ => (Vec::new(), Vec::new()),
        };
        let appeared = |started: &[String], event: &Event| match (&self.standing, &event.after) {
            (Some(_), Some(after)) if !started.is_empty() => {
                let is_new = |name: &str| started.iter().any(|owner| name.starts_with(&format!("{owner}.")));
                let contents = StateView::new(system, sources, after).contents();
                contents.into_iter().filter(|(name, _)| is_new(name)).collect()
            }
            _ => Vec::new(),
        };
        story.events(system).map(move |StoryItem { step, grouped, event, before }| match event {
            Some(event) => {
                let faults = if goes_on && event.after.is_some() { &event.faults[..] } else { &[] };
                let errors = messages(system, faults.iter().copied());
                let entry = EntryView::new(system, sources, &event);
                let appeared = appeared(&entry.started, &event);
                let (standing, control) = moved(&event);
                EntryView { step, grouped, errors, appeared, standing, control, ..entry }
            }
            None => {
                let errors = messages(system, faults_in(system, &before).into_iter());
                EntryView { errors, ..EntryView::stutter(step) }
            }
        })
    }

    /// The state at the end; of a run that goes on for ever, the one that its loop begins and ends in.
    pub fn last_state(&self) -> StateView {
        StateView::new(self.system, self.sources, self.story.last())
    }

    /// How many entries there are.
    pub fn entry_count(&self) -> usize {
        self.story.entry_count()
    }
    /// How many of them are of steps before the given one.
    pub fn entries_before(&self, step: usize) -> usize {
        self.story.entries_before(step)
    }
    /// Whether some step has several actions.
    pub(crate) fn any_grouped(&self) -> bool {
        (0..self.step_count).any(|step| self.story.actions_of(step).len() > 1)
    }

    /// Columns as wide as the entries need. Who does what is known without the states in between.
    pub(crate) fn columns(&self) -> Columns {
        let mut columns = Columns::new(self.step_count, self.any_grouped());
        let viewer = Viewer { system: self.system, sources: self.sources };
        let mut known: HashSet<&TakenAction> = HashSet::new();
        for action in self.story.actions().iter().filter(|action| known.insert(action)) {
            columns.widen(&viewer.entry_of(&action.firing()));
        }
        if self.entry_count() > self.story.actions().len() {
            columns.widen(&EntryView::stutter(0));
        }
        columns
    }
}

impl EntryView {
    /// The view of an action of a run of `system`, as if it were a step of its own and the first.
    pub fn new(system: &System, sources: &SourceMap, event: &Event) -> Self {
        Viewer { system, sources }.entry(event)
    }

    /// The view of a step in which nothing happens.
    fn stutter(step: usize) -> Self {
        let text = "nothing can happen, and the state repeats".to_owned();
        Self {
            step,
            grouped: false,
            action: 0,
            trail: Vec::new(),
            actor: Half { process: String::new(), pid: None, file: String::new(), line: 0, called_line: 0, text },
            peer: None,
            choices: Vec::new(),
            changes: Vec::new(),
            started: Vec::new(),
            ended: Vec::new(),
            printed: None,
            stutter: true,
            errors: Vec::new(),
            truncated: Vec::new(),
            taken: true,
            appeared: Vec::new(),
            standing: Vec::new(),
            control: Vec::new(),
        }
    }
}

struct Viewer<'a> {
    system: &'a System,
    sources: &'a SourceMap,
}

impl Viewer<'_> {
    fn entry(&self, event: &Event) -> EntryView {
        let mut entry = self.entry_of(&event.firing);
        entry.taken = event.after.is_some();
        if let Some(after) = &event.after {
            self.compare(&event.before, after, &mut entry);
            self.add_received(event, &mut entry.changes);
            entry.printed = printed(self.system, event);
            entry.truncated = truncations(self.system, self.sources, event);
        }
        entry
    }

    /// Who does what, without what comes of it.
    fn entry_of(&self, firing: &Firing) -> EntryView {
        let action = &self.system.actions[firing.action];
        let positions = &firing.scope.positions;
        let half = |role: usize, text: &str, span: Span, called_at: Span| {
            let process = action.participants.get(role).map(|&frame| self.system.frames[frame].name.clone());
            Half {
                process: process.unwrap_or_default(),
                pid: positions.get(role).copied(),
                file: self.sources.file(span.file).map(|file| file.name.clone()).unwrap_or_default(),
                line: self.sources.line(span),
                called_line: self.sources.line(called_at),
                text: text.to_owned(),
            }
        };
        let value_of = |id: usize| firing.scope.choices[id];
        let choice = |(id, choice): (usize, &Choice)| {
            let value = match half_of_word(self.system, choice.ty) {
                // The other half follows.
                Some((signed, width, SystemHalf::Low)) => wide_shown((signed, width), value_of(id), value_of(id + 1)),
                Some((_, _, SystemHalf::High)) => return None,
                None => shown(self.system, choice.ty, value_of(id)),
            };
            Some((choice.name.clone(), value))
        };
        // The next value of a variable shows in what becomes different.
        let is_shown = |(_, choice): &(usize, &Choice)| !choice.name.starts_with("next(");
        EntryView {
            step: 0,
            grouped: false,
            action: firing.action.0,
            trail: action.trail.clone(),
            actor: half(0, &action.name, action.span, action.called_at),
            peer: (positions.len() > 1).then(|| match &action.peer {
                Some((text, span)) => half(1, text, *span, Span::NONE),
                None => half(1, "", Span::NONE, Span::NONE),
            }),
            choices: action.choices.iter().enumerate().filter(is_shown).filter_map(choice).collect(),
            changes: Vec::new(),
            started: Vec::new(),
            ended: Vec::new(),
            printed: None,
            stutter: false,
            errors: Vec::new(),
            truncated: Vec::new(),
            taken: true,
            appeared: Vec::new(),
            standing: Vec::new(),
            control: Vec::new(),
        }
    }

    /// What a rendezvous hands over is told even if the receiver had it before: no channel shows it.
    fn add_received(&self, event: &Event, changes: &mut Vec<Change>) {
        let action = &self.system.actions[event.firing.action];
        let scope = &event.firing.scope;
        let Some(&receiver) = scope.positions.get(Role::PEER.index()) else { return };
        let evaluator = Evaluator::new(self.system);
        for update in &action.updates {
            let Update::Set(place @ Place { owner: Owner::Role(Role::PEER, _), index }, value) = update else {
                continue;
            };
            let slot = self.system.slot_of(place, &action.participants);
            let cell = index.as_ref().map_or(0, |index| evaluator.value(index, &event.before, scope));
            let owner = process_name(self.system, &event.before, receiver);
            let name = format!("{owner}.{}", cell_name(slot, usize::try_from(cell).unwrap_or(0)));
            if slot.shown && !changes.iter().any(|change| change.name == name) {
                let same = shown(self.system, slot.ty, evaluator.value(value, &event.before, scope));
                changes.push(Change { name, before: Some(same.clone()), after: same });
            }
        }
    }

    fn compare(&self, before: &Valuation, after: &Valuation, entry: &mut EntryView) {
        let slots = self.system.slots.as_slice();
        self.compare_cells("", slots, Some(&before.globals), &after.globals, &mut entry.changes);
        self.compare_channels(before, after, &mut entry.changes);
        // An exit pops the youngest and a spawn pushes; both in one action happen in that order of updates: spawned
        // first, then the youngest leaves. What is at the same position with the same frame is the same process.
        let lasting = before.pool.len().min(after.pool.len());
        for (position, instance) in after.pool.iter().enumerate() {
            if position < lasting && before.pool[position] == *instance {
                continue;
            }
            let name = instance_name(self.system, instance.frame, position as u8);
            let old = (position < lasting).then(|| &before.pool[position]).filter(|old| old.frame == instance.frame);
            let slots = self.system.frames[instance.frame].slots.as_slice();
            let old_cells = old.map(|old| old.locals.as_slice());
            self.compare_cells(&format!("{name}."), slots, old_cells, &instance.locals, &mut entry.changes);
            if old.is_none() {
                entry.started.push(name);
            }
        }
        for (position, instance) in before.pool.iter().enumerate() {
            if after.pool.get(position).is_none_or(|now| now.frame != instance.frame) {
                entry.ended.push(instance_name(self.system, instance.frame, position as u8));
            }
        }
    }

    fn compare_cells(
        &self,
        owner: &str,
        slots: &[Slot],
        before: Option<&[Vec<i64>]>,
        after: &[Vec<i64>],
        changes: &mut Vec<Change>,
    ) {
        let same = |number: usize| before.is_some_and(|before| before[number] == after[number]);
        for (number, slot) in slots.iter().enumerate().filter(|&(number, slot)| slot.shown && !same(number)) {
            if wide_word(self.system, slot).is_some() {
                let old = before.and_then(|before| contents(self.system, slot, &before[number]).pop());
                changes.extend(contents(self.system, slot, &after[number]).into_iter().map(|(name, after)| Change {
                    name: format!("{owner}{name}"),
                    before: old.as_ref().map(|(_, old)| old.clone()),
                    after,
                }));
                continue;
            }
            for (cell, &value) in after[number].iter().enumerate() {
                let old = before.map(|before| before[number][cell]);
                // Of a process that has just begun, what stands at its initial value is no news.
                if old.unwrap_or_else(|| slot.initial_of(cell)) != value {
                    changes.push(Change {
                        name: format!("{owner}{}", cell_name(slot, cell)),
                        before: old.map(|old| shown(self.system, slot.ty, old)),
                        after: shown(self.system, slot.ty, value),
                    });
                }
            }
        }
    }

    /// Channels that came or went with their process are no news: they are empty then, or nobody sees them any more.
    fn compare_channels(&self, before: &Valuation, after: &Valuation, changes: &mut Vec<Change>) {
        let slots = |queue: &Queue| queue.fields.iter().copied().chain([queue.len]).collect::<Vec<_>>();
        for (number, queue) in self.system.queues.iter().enumerate() {
            if slots(queue).iter().all(|slot| before.globals[slot.index()] == after.globals[slot.index()]) {
                continue;
            }
            let (old, new) = (channel(self.system, before, number), channel(self.system, after, number));
            if let (Some(old), Some(new)) = (old, new)
                && old.messages != new.messages
            {
                changes.push(Change { name: new.name, before: Some(old.messages), after: new.messages });
            }
        }
    }
}
