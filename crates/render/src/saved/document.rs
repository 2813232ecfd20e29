//! Our own JSON documents, read.
//!
//! An entry names no action: which number an action has depends on what is observed of the system. It tells who acted, the
//! statement, where it stands and what it changed, and what happens must be like that. Texts move when a model is
//! edited, so the line and SPIN's number are only hints; what is changed is compared exactly.

use super::split::{Split, split};
use super::values::{value_of, with_values};
use crate::documents::{Entry, Failure, Participant, Pid, PropertyResult, RunDocument, SCHEMA, Steps, Table, Trace};
use crate::documents::{TraceDocument, WitnessRun, read};
use crate::fill::entry as filled_entry;
use crate::{EntryView, Origin, Shown, StateView};
use lariat_base::SourceMap;
use lariat_engine::Event;
use lariat_engine::find_run::{ClaimedEnd, EventMatch, KnownStates, RunRecord};
use lariat_system::reference::Valuation;
use lariat_system::{ActionId, Choice, ChoiceId, System, TrapKind};
use serde_json::Value;
use std::ops::Range;

/// A trace, with what its document says about it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) property: Option<String>,
    pub(super) origin: Option<Origin>,
    pub(super) claim: ClaimedEnd,
    initial: Table<Shown>,
    text: String,
    /// Where in the text the entries are. Each is read when it is asked for: there may be very many.
    entries: Vec<Range<usize>>,
    loop_start: Option<usize>,
    /// Whether the run is said to be bad at some moment, whatever follows.
    pub(super) is_decided: bool,
}

/// The value of something before and after.
type Change = (Option<Shown>, Option<Shown>);

/// A trace whose entries are elsewhere: in place of them there is the number of their list.
type ListedTrace = Trace<Steps<usize>>;

/// What is told of one trace.
struct SavedTraceRow {
    property: Option<String>,
    kind: Option<String>,
    is_decided: bool,
    origin: Option<Origin>,
    trace: ListedTrace,
}

impl Document {
    pub(super) fn read(text: &str, property: Option<&str>) -> Result<Self, String> {
        let Split { skeleton, mut lists } = split(text);
        let document: Value =
            serde_json::from_str(&skeleton).map_err(|error| format!("it is not a JSON document: {error}"))?;
        let SavedTraceRow { property, kind, is_decided, origin, trace } = row_of(&document, &skeleton, property)?;
        let list = trace.steps.steps.first().and_then(|&number| lists.get_mut(number));
        let mut entries = list.map(std::mem::take).ok_or("the trace has no list `steps`")?;
        let mut moving = entries.len();
        for (number, entry) in entries.iter().enumerate() {
            let entry =
                parsed(&text[entry.clone()]).map_err(|reason| format!("step {} of the trace: {reason}", number + 1))?;
            match entry.stutter == Some(true) {
                true => moving = moving.min(number),
                false if moving < number => {
                    return Err("something happens after a step in which nothing can happen".to_owned());
                }
                false => {}
            }
        }
        // Of a trace that was not written to its end nobody knows what it ends in.
        let is_cut = trace.steps.cut.is_some();
        let claim = kind.filter(|_| !is_cut).map_or(Ok(ClaimedEnd::Silent), |kind| claim(&kind))?;
        ensure_fitting(property.as_deref(), &claim)?;
        let mut loop_start = if is_cut { None } else { loop_start(&trace, entries.len())? };
        // Where a state repeats because nothing can happen, it does so for ever: how often that is told does not matter.
        if moving < entries.len() {
            if loop_start.is_none_or(|start| start < moving) && !is_cut && claim != ClaimedEnd::Shows {
                return Err("something happens after a step in which nothing can happen".to_owned());
            }
            entries.truncate(moving);
            loop_start = loop_start.map(|_| moving);
        }
        let text = text.to_owned();
        Ok(Self { property, origin, claim, initial: trace.initial, loop_start, text, entries, is_decided })
    }

    fn entry(&self, number: usize) -> Option<Entry> {
        let text = &self.text[self.entries.get(number)?.clone()];
        Some(parsed(text).expect("every entry was read before"))
    }

    pub(super) fn record<'a>(&'a self, system: &'a System, sources: &'a SourceMap) -> DocumentRecord<'a> {
        DocumentRecord { document: self, system, sources }
    }

    pub(super) fn has_entry(&self, entry: usize) -> bool {
        entry < self.entries.len()
    }

    pub(super) fn entry_text(&self, entry: usize) -> Option<String> {
        let Entry { actor, receiver, .. } = &self.entry(entry)?;
        let name = |part: &Participant| match part.pid.process() {
            Some(pid) => format!("{}({pid})", part.process.as_deref().unwrap_or("process")),
            None => "no process".to_owned(),
        };
        let place = if actor.line == 0 { String::new() } else { format!(" on line {}", actor.line) };
        let receiver = receiver.as_ref().map(|receiver| format!(" with `{}` of {}", receiver.text, name(receiver)));
        Some(format!("`{}` of {}{place}{}", actor.text, name(actor), receiver.unwrap_or_default()))
    }
}

/// What is told of the property that is wanted, or of the first with a trace. The text of the document is `skeleton`.
fn row_of(document: &Value, skeleton: &str, wanted: Option<&str>) -> Result<SavedTraceRow, String> {
    let fields = document.as_object().ok_or("the document is not an object with fields")?;
    match fields.get("schema").and_then(Value::as_u64) {
        Some(schema) if schema != u64::from(SCHEMA) => {
            return Err(format!("the document is of schema {schema}; this release reads schema {SCHEMA}"));
        }
        _ => {}
    }
    // Documents about growth have other channels.
    let results = fields.get("properties").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = std::iter::once(document).chain(results).filter_map(|given| given.get("kind")?.as_str());
    if let Some(growth) = kinds.find(|kind| *kind == GROWTH) {
        claim(growth)?;
    }
    match fields.contains_key("properties") {
        true => row_of_run(read("document", skeleton)?, wanted),
        false => row_of_trace(read("document", skeleton)?, wanted),
    }
}

fn row_of_trace(document: TraceDocument<Steps<usize>>, wanted: Option<&str>) -> Result<SavedTraceRow, String> {
    let TraceDocument { heading, property, kind, decided_after, trace, .. } = document;
    match (wanted, &property) {
        (Some(wanted), Some(name)) if wanted != name => {
            return Err(format!("the trace in it is of the property `{name}`, not of `{wanted}`"));
        }
        (Some(wanted), None) => return Err(format!("the trace in it is not said to be of the property `{wanted}`")),
        _ => {}
    }
    Ok(SavedTraceRow { property, kind, is_decided: decided_after.is_some(), origin: heading.origin, trace })
}

fn row_of_run(document: RunDocument<Steps<usize>>, wanted: Option<&str>) -> Result<SavedTraceRow, String> {
    let RunDocument { heading, properties, .. } = document;
    for PropertyResult { name, failure, witnesses, .. } in properties {
        if wanted.is_none_or(|wanted| name.as_deref() == Some(wanted))
            && let Some(Failure { kind, decided_after, trace, .. }) = failure
        {
            let is_decided = decided_after.is_some();
            return Ok(SavedTraceRow { property: name, kind, is_decided, origin: heading.origin, trace });
        }
        // One that holds, or a number, has no failure, and may have runs that show it. Of those that are asked for by name the
        // first is meant: the others may begin in the middle of it.
        if wanted.is_some_and(|wanted| name.as_deref() == Some(wanted))
            && let Some(WitnessRun { trace, .. }) = witnesses.and_then(|runs| runs.into_iter().next())
        {
            let kind = Some(BRANCHING.to_owned());
            return Ok(SavedTraceRow { property: name, kind, is_decided: false, origin: heading.origin, trace });
        }
    }
    Err(match wanted {
        Some(wanted) => format!("there is no trace of the property `{wanted}` in it"),
        None => "there is no trace in it: no property fails".to_owned(),
    })
}

/// An error if a run that ends like that says nothing about the property: `safety` fails at the end of a run, all others on
/// the whole of it.
fn ensure_fitting(property: Option<&str>, claim: &ClaimedEnd) -> Result<(), String> {
    let (Some(property), ClaimedEnd::Failure(kind)) = (property, claim) else { return Ok(()) };
    let is_of_runs = ["cycle", "bad_prefix"].contains(&kind.as_str());
    if (property == "safety") != is_of_runs {
        return Ok(());
    }
    Err(format!("a run that ends in `{kind}` says nothing about the property `{property}`"))
}

/// The kind of runs that show a channel that grows.
const GROWTH: &str = "growth";

/// The kind of runs that show a formula of branching time.
const BRANCHING: &str = "branching";

/// What a word says of the end of a run.
fn claim(kind: &str) -> Result<ClaimedEnd, String> {
    let of_faults = ["pool_full", "endless_atomic", "invalid_end", "cycle", "bad_prefix"];
    match kind {
        "proper_end" => Ok(ClaimedEnd::ProperEnd),
        BRANCHING => Ok(ClaimedEnd::Shows),
        "limit" | "interrupted" | "open" => Ok(ClaimedEnd::NoFailure),
        _ if of_faults.contains(&kind) || TrapKind::ALL.iter().any(|known| known.word() == kind) => {
            Ok(ClaimedEnd::Failure(kind.to_owned()))
        }
        GROWTH => {
            Err("it shows a channel that grows without limit, which is not a run of the model with its own channels"
                .to_owned())
        }
        _ => Err(format!("a run that ends in `{kind}` is not known to this release")),
    }
}

/// Where the loop begins, of a trace with so many entries.
fn loop_start(trace: &ListedTrace, entries: usize) -> Result<Option<usize>, String> {
    let length = trace.r#loop;
    let all = trace.stem.unwrap_or(entries.saturating_sub(length)).checked_add(length);
    if all != Some(entries) {
        return Err(format!("`stem` and `loop` are not together the {entries} steps of the trace"));
    }
    Ok((length > 0).then(|| entries - length))
}

fn parsed(text: &str) -> Result<Entry, String> {
    read("steps", text)
}

/// Whether two statements are the same, however they are spaced.
fn is_same_text(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    one == other || plain(one) == plain(other)
}

/// What a document tells of a system.
pub(super) struct DocumentRecord<'a> {
    document: &'a Document,
    system: &'a System,
    sources: &'a SourceMap,
}

impl DocumentRecord<'_> {
    /// Whether the event is what the entry tells, whatever it changes; with what speaks against it.
    fn likeness(&self, entry: &Entry, event: &Event) -> Option<u8> {
        let action = &self.system.actions[event.firing.action];
        let positions = &event.firing.scope.positions;
        let is_by = |part: &Participant, role: usize| {
            part.pid == Pid::Unsaid || part.pid == Pid::from(positions.get(role).copied())
        };
        if !is_by(&entry.actor, 0) || entry.receiver.is_some() != (positions.len() > 1) {
            return None;
        }
        let trail = entry.trail.as_deref().unwrap_or_default();
        let same_trail = trail.iter().copied().eq(action.trail.iter().map(|&number| u64::from(number)));
        let same_line = entry.actor.line == u64::from(self.sources.line(action.span));
        if !is_same_text(&entry.actor.text, &action.name) {
            return None;
        }
        let mut doubt = u8::from(!same_trail) + 2 * u8::from(!same_line);
        if let Some(receiver) = &entry.receiver {
            let peer = action.peer.as_ref();
            if !is_by(receiver, 1) || peer.is_some_and(|(text, _)| !is_same_text(text, &receiver.text)) {
                return None;
            }
            doubt += 4 * u8::from(peer.is_some_and(|(_, span)| u64::from(self.sources.line(*span)) != receiver.line));
        }
        Some(doubt)
    }

    /// What the event changes, as documents tell it.
    fn entry_of(&self, event: &Event) -> Entry {
        filled_entry(&EntryView::new(self.system, self.sources, event))
    }

    /// Where one of the events is what the entry tells but for what it changes: what it changes.
    pub(super) fn difference(&self, entry: usize, offers: &[Event]) -> Option<String> {
        let entry = &self.document.entry(entry)?;
        let event = offers.iter().find(|event| self.likeness(entry, event).is_some())?;
        let list = |changes: Option<&Table<Change>>| {
            let text = |value: &Option<Shown>| serde_json::to_string(value).unwrap_or_default();
            let change =
                |(name, (before, after)): &(String, Change)| format!("{name}: {} → {}", text(before), text(after));
            let changes: Vec<String> = changes.into_iter().flat_map(|changes| &changes.0).map(change).collect();
            if changes.is_empty() { "nothing".to_owned() } else { changes.join(", ") }
        };
        let given = self.entry_of(event);
        let (here, there) = (list(given.changes.as_ref()), list(entry.changes.as_ref()));
        (here != there).then(|| format!("it would change {here}, and the trace says {there}"))
    }
}

impl RunRecord for DocumentRecord<'_> {
    fn known_states(&self) -> Option<&dyn KnownStates> {
        Some(self)
    }

    fn entry_count(&self) -> usize {
        self.document.entries.len()
    }

    fn loop_start(&self) -> Option<usize> {
        self.document.loop_start
    }

    fn may_begin(&self, state: &Valuation) -> bool {
        let contents = StateView::new(self.system, self.sources, state).contents();
        contents.iter().all(|(name, value)| self.document.initial.get(name).is_none_or(|given| given == value))
    }

    fn match_event(&self, entry: usize, event: &Event) -> Option<EventMatch> {
        let entry = &self.document.entry(entry)?;
        let doubt = self.likeness(entry, event)?;
        let taken = entry.taken.unwrap_or(true);
        if event.after.is_none() == taken {
            return None;
        }
        let given = self.entry_of(event);
        let same_changes = || entry.changes.is_none() || entry.changes == given.changes;
        let same_choices = || entry.choices.is_none() || entry.choices == given.choices;
        ((!taken || same_changes()) && same_choices()).then_some(EventMatch { doubt, entries: 1 })
    }
}

impl KnownStates for DocumentRecord<'_> {
    fn initial_state(&self) -> Option<Valuation> {
        let given = self.document.initial.0.iter().map(|(name, value)| (name.as_str(), value));
        let state = with_values(self.system, &Valuation::blank(self.system), given)?;
        let view = StateView::new(self.system, self.sources, &state).contents();
        view.iter().all(|(name, _)| self.document.initial.get(name).is_some()).then_some(state)
    }

    fn state_after(&self, entry: usize, before: &Valuation) -> Option<Valuation> {
        let Entry { changes, started, ended, receiver, taken, .. } = self.document.entry(entry)?;
        if started.is_some() || ended.is_some() || receiver.is_some() || taken == Some(false) {
            return None;
        }
        let changes = changes?.0;
        let values: Option<Vec<_>> =
            changes.iter().map(|(name, (_, after))| Some((name.as_str(), after.as_ref()?))).collect();
        with_values(self.system, before, values?)
    }

    fn choices(&self, entry: usize, action: ActionId) -> Vec<(ChoiceId, i64)> {
        let Some(given) = self.document.entry(entry).and_then(|entry| entry.choices) else { return Vec::new() };
        let value = |(id, choice): (ChoiceId, &Choice)| {
            given.get(&choice.name).and_then(|shown| value_of(self.system, choice.ty, shown)).map(|value| (id, value))
        };
        self.system.actions[action].choices.entries().filter_map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_trace_is_refused_with_the_reason() {
        let deep = "[".repeat(100_000);
        for (text, reason) in [
            ("[]", "not an object"),
            ("{", "not a JSON"),
            (deep.as_str(), "not a JSON"),
            ("{}", "`trace` is missing"),
            (r#"{"schema": 7}"#, "schema 7"),
            (r#"{"schema": -1}"#, "`schema` is not a number"),
            (r#"{"properties": []}"#, "no property fails"),
            (r#"{"properties": [3]}"#, "`properties` is not an object"),
            (r#"{"trace": 3}"#, "`trace` is not"),
            (r#"{"trace": {}}"#, "`steps`"),
            (r#"{"trace": {"steps": [7]}}"#, "step 1"),
            (r#"{"trace": {"steps": [{}]}}"#, "`text` is missing"),
            (r#"{"trace": {"steps": [{"text": "x", "pid": 256}]}}"#, "`pid`"),
            (r#"{"trace": {"steps": [{"text": "x", "pid": 1e99}]}}"#, "`pid`"),
            (r#"{"trace": {"steps": [{"text": "x", "changes": []}]}}"#, "`changes`"),
            (r#"{"trace": {"steps": [], "stem": 18446744073709551615, "loop": 18446744073709551615}}"#, "together"),
            (r#"{"kind": "magic", "trace": {"steps": []}}"#, "`magic`"),
            (r#"{"property": "p", "kind": "assertion", "trace": {"steps": []}}"#, "nothing about the property `p`"),
            (
                r#"{"property": "safety", "kind": "cycle", "trace": {"steps": []}}"#,
                "nothing about the property `safety`",
            ),
            (r#"{"origin": {"defines": [1]}, "trace": {"steps": []}}"#, "`defines` is not an object"),
        ] {
            let error = Document::read(text, None).expect_err(text);
            assert!(error.contains(reason), "{error}");
        }
    }
}
