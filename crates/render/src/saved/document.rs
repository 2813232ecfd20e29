//! Our own JSON documents, read.
//!
//! An entry names no action: which number an action has depends on what is observed of the system. It tells who acted, the
//! statement, where it stands and what it changed, and what happens must be like that. Texts move when a model is
//! edited, so the line and SPIN's number are only hints; what is changed is compared exactly.

use super::split::{Split, split};
use crate::json::{SCHEMA, entry_json, shown};
use crate::{EntryView, Origin, StateView};
use lariat_base::SourceMap;
use lariat_engine::Event;
use lariat_engine::retell::{Account, Claim, Telling};
use lariat_system::reference::Valuation;
use lariat_system::{Position, System, TrapKind};
use serde_json::{Map, Value};
use std::ops::Range;

/// A trace, with what its document says about it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) property: Option<String>,
    pub(super) origin: Option<Origin>,
    pub(super) claim: Claim,
    initial: Map<String, Value>,
    text: String,
    /// Where in the text the entries are. Each is read when it is asked for: there may be very many.
    entries: Vec<Range<usize>>,
    loop_start: Option<usize>,
}

/// What is told of an action.
#[derive(Debug)]
struct Entry {
    actor: Part,
    receiver: Option<Part>,
    changes: Option<Map<String, Value>>,
    choices: Option<Value>,
    taken: bool,
    stutters: bool,
    trail: Vec<u64>,
}

/// What is told of one participant.
#[derive(Debug)]
struct Part {
    /// Nothing if the document does not say.
    pid: Option<Option<Position>>,
    process: String,
    text: String,
    line: u64,
}

impl Document {
    pub(super) fn read(text: &str, property: Option<&str>) -> Result<Self, String> {
        let Split { skeleton, mut lists } = split(text);
        let document: Value = serde_json::from_str(&skeleton)
            .map_err(|error| format!("it is no JSON document that can be read: {error}"))?;
        let document = document.as_object().ok_or("the document is no object with fields")?;
        match field(document, "schema", "a number", Value::as_u64)? {
            Some(schema) if schema != u64::from(SCHEMA) => {
                return Err(format!("the document is of schema {schema}; this release reads schema {SCHEMA}"));
            }
            _ => {}
        }
        let (named, told) = told_of(document, property)?;
        let trace = field(told, "trace", "an object", Value::as_object)?
            .ok_or("there is no trace in it: the field `trace` is missing")?;
        let steps = field(trace, "steps", "a list", Value::as_array)?.ok_or("the trace has no list `steps`")?;
        let list =
            steps.first().and_then(Value::as_u64).and_then(|number| lists.get_mut(usize::try_from(number).ok()?));
        let mut entries = list.map(std::mem::take).ok_or("the trace has no list `steps`")?;
        let mut moving = entries.len();
        for (number, entry) in entries.iter().enumerate() {
            let entry = Entry::parse(&text[entry.clone()])
                .map_err(|reason| format!("step {} of the trace: {reason}", number + 1))?;
            match entry.stutters {
                true => moving = moving.min(number),
                false if moving < number => {
                    return Err("something happens after a step in which nothing can happen".to_owned());
                }
                false => {}
            }
        }
        let kind = field(told, "kind", "a text", Value::as_str)?;
        // Of a trace that was not written to its end nobody knows what it ends in.
        let is_cut = trace.contains_key("cut");
        let claim = kind.filter(|_| !is_cut).map_or(Ok(Claim::Silent), claim)?;
        let mut loop_start = if is_cut { None } else { loop_start(trace, entries.len())? };
        // Where a state repeats because nothing can happen, it does so for ever: how often that is told does not matter.
        if moving < entries.len() {
            if loop_start.is_none_or(|start| start < moving) && !is_cut {
                return Err("something happens after a step in which nothing can happen".to_owned());
            }
            entries.truncate(moving);
            loop_start = loop_start.map(|_| moving);
        }
        let origin = field(document, "origin", "an object", Value::as_object)?;
        Ok(Self {
            property: named,
            origin: origin.map(Origin::read).transpose()?,
            claim,
            initial: field(trace, "initial", "an object", Value::as_object)?.cloned().unwrap_or_default(),
            loop_start,
            text: text.to_owned(),
            entries,
        })
    }

    fn entry(&self, number: usize) -> Option<Entry> {
        let text = &self.text[self.entries.get(number)?.clone()];
        Some(Entry::parse(text).expect("every entry was read before"))
    }

    pub(super) fn account<'a>(&'a self, system: &'a System, sources: &'a SourceMap) -> DocumentAccount<'a> {
        DocumentAccount { document: self, system, sources }
    }

    pub(super) fn has_entry(&self, entry: usize) -> bool {
        entry < self.entries.len()
    }

    pub(super) fn entry_text(&self, entry: usize) -> Option<String> {
        let Entry { actor, receiver, .. } = &self.entry(entry)?;
        let name = |part: &Part| match part.pid.flatten() {
            Some(pid) => format!("{}({pid})", part.process),
            None => "nobody".to_owned(),
        };
        let place = if actor.line == 0 { String::new() } else { format!(" on line {}", actor.line) };
        let receiver = receiver.as_ref().map(|receiver| format!(" with `{}` of {}", receiver.text, name(receiver)));
        Some(format!("`{}` of {}{place}{}", actor.text, name(actor), receiver.unwrap_or_default()))
    }
}

/// The property that is told of, and the object with its trace.
fn told_of<'d>(
    document: &'d Map<String, Value>,
    wanted: Option<&str>,
) -> Result<(Option<String>, &'d Map<String, Value>), String> {
    let Some(properties) = field(document, "properties", "a list", Value::as_array)? else {
        let name = field(document, "property", "a text", Value::as_str)?;
        return match (wanted, name) {
            (Some(wanted), Some(name)) if wanted != name => {
                Err(format!("the trace in it is of the property `{name}`, not of `{wanted}`"))
            }
            (Some(wanted), None) => Err(format!("the trace in it is not said to be of the property `{wanted}`")),
            _ => Ok((name.map(str::to_owned), document)),
        };
    };
    for property in properties {
        let property = property.as_object().ok_or("a property in `properties` is no object")?;
        let name = field(property, "name", "a text", Value::as_str)?;
        if wanted.is_none_or(|wanted| name == Some(wanted)) && property.contains_key("trace") {
            return Ok((name.map(str::to_owned), property));
        }
    }
    Err(match wanted {
        Some(wanted) => format!("there is no trace of the property `{wanted}` in it"),
        None => "there is no trace in it: no property fails".to_owned(),
    })
}

/// What a word says of the end of a run.
fn claim(kind: &str) -> Result<Claim, String> {
    let of_faults = ["pool_full", "endless_atomic", "invalid_end", "cycle"];
    match kind {
        "proper_end" => Ok(Claim::ProperEnd),
        "limit" | "interrupted" | "open" => Ok(Claim::NoFailure),
        _ if of_faults.contains(&kind) || TrapKind::ALL.iter().any(|known| known.word() == kind) => {
            Ok(Claim::Failure(kind.to_owned()))
        }
        "growth" => {
            Err("it shows a channel that grows without limit, which is no run of the model with its own channels"
                .to_owned())
        }
        _ => Err(format!("a run that ends in `{kind}` is not known to this release")),
    }
}

/// Where the loop begins, of a trace with so many entries.
fn loop_start(trace: &Map<String, Value>, entries: usize) -> Result<Option<usize>, String> {
    let number = |key: &str| field(trace, key, "a number", Value::as_u64);
    let (stem, length) = (number("stem")?, number("loop")?.unwrap_or(0));
    let all = stem.unwrap_or((entries as u64).saturating_sub(length)).checked_add(length);
    if all != Some(entries as u64) {
        return Err(format!("`stem` and `loop` are not together the {entries} steps of the trace"));
    }
    Ok((length > 0).then(|| entries - length as usize))
}

/// The field, if it is there; an error if it is not what it should be.
pub(crate) fn field<'v, T>(
    object: &'v Map<String, Value>,
    key: &str,
    what: &str,
    read: impl Fn(&'v Value) -> Option<T>,
) -> Result<Option<T>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).map(Some).ok_or_else(|| format!("the field `{key}` is not {what}")),
    }
}

impl Entry {
    fn parse(text: &str) -> Result<Self, String> {
        let step: Value = serde_json::from_str(text).map_err(|error| format!("it cannot be read: {error}"))?;
        Self::read(&step)
    }

    fn read(step: &Value) -> Result<Self, String> {
        let step = step.as_object().ok_or("it is no object")?;
        let receiver = field(step, "receiver", "an object", Value::as_object)?;
        let trail = field(step, "trail", "a list", Value::as_array)?.map(Vec::as_slice).unwrap_or_default();
        Ok(Self {
            actor: Part::read(step)?,
            receiver: receiver.map(Part::read).transpose()?,
            changes: field(step, "changes", "an object", Value::as_object)?.cloned(),
            choices: field(step, "choices", "an object", |value| value.is_object().then(|| value.clone()))?,
            stutters: field(step, "stutter", "`true` or `false`", Value::as_bool)?.unwrap_or(false),
            taken: field(step, "taken", "`true` or `false`", Value::as_bool)?.unwrap_or(true),
            trail: trail
                .iter()
                .map(|number| number.as_u64().ok_or("`trail` holds more than numbers"))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Part {
    fn read(object: &Map<String, Value>) -> Result<Self, String> {
        let pid = match object.get("pid") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(pid) => {
                let pid = pid.as_u64().and_then(|pid| Position::try_from(pid).ok());
                Some(Some(pid.ok_or("the field `pid` is no number of a process")?))
            }
        };
        let text = |key| field(object, key, "a text", Value::as_str);
        Ok(Self {
            pid,
            process: text("process")?.unwrap_or("process").to_owned(),
            text: text("text")?.ok_or("the field `text` is missing")?.to_owned(),
            line: field(object, "line", "a number", Value::as_u64)?.unwrap_or(0),
        })
    }
}

/// Whether two statements are the same, however they are spaced.
fn is_same_text(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    one == other || plain(one) == plain(other)
}

/// What a document tells of a system.
pub(super) struct DocumentAccount<'a> {
    document: &'a Document,
    system: &'a System,
    sources: &'a SourceMap,
}

impl DocumentAccount<'_> {
    /// Whether the event is what the entry tells, whatever it changes; with what speaks against it.
    fn likeness(&self, entry: &Entry, event: &Event) -> Option<u8> {
        let action = &self.system.actions[event.firing.action];
        let positions = &event.firing.scope.positions;
        let is_by = |part: &Part, role: usize| part.pid.is_none_or(|pid| pid == positions.get(role).copied());
        if !is_by(&entry.actor, 0) || entry.receiver.is_some() != (positions.len() > 1) {
            return None;
        }
        let same_trail = entry.trail.iter().copied().eq(action.trail.iter().map(|&number| u64::from(number)));
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
    fn told(&self, event: &Event) -> Value {
        entry_json(&EntryView::new(self.system, self.sources, event))
    }

    /// Where one of the events is what the entry tells but for what it changes: what it changes.
    pub(super) fn difference(&self, entry: usize, offers: &[Event]) -> Option<String> {
        let entry = &self.document.entry(entry)?;
        let event = offers.iter().find(|event| self.likeness(entry, event).is_some())?;
        let list = |changes: Option<&Map<String, Value>>| {
            let change = |(name, values): (&String, &Value)| format!("{name}: {} → {}", values[0], values[1]);
            let changes: Vec<String> = changes.into_iter().flatten().map(change).collect();
            if changes.is_empty() { "nothing".to_owned() } else { changes.join(", ") }
        };
        let told = self.told(event);
        let (here, there) = (list(told["changes"].as_object()), list(entry.changes.as_ref()));
        (here != there).then(|| format!("it would change {here}, and the trace says {there}"))
    }
}

impl Account for DocumentAccount<'_> {
    fn entry_count(&self) -> usize {
        self.document.entries.len()
    }

    fn loop_start(&self) -> Option<usize> {
        self.document.loop_start
    }

    fn may_begin(&self, state: &Valuation) -> bool {
        let contents = StateView::new(self.system, self.sources, state).contents();
        contents.iter().all(|(name, value)| self.document.initial.get(name).is_none_or(|told| *told == shown(value)))
    }

    fn telling(&self, entry: usize, event: &Event) -> Option<Telling> {
        let entry = &self.document.entry(entry)?;
        let doubt = self.likeness(entry, event)?;
        if event.after.is_none() == entry.taken {
            return None;
        }
        let told = self.told(event);
        let same_changes = || entry.changes.as_ref().is_none_or(|changes| told["changes"].as_object() == Some(changes));
        let same_choices = || entry.choices.as_ref().is_none_or(|choices| told.get("choices") == Some(choices));
        ((!entry.taken || same_changes()) && same_choices()).then_some(Telling { doubt, entries: 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_trace_is_refused_with_the_reason() {
        let deep = "[".repeat(100_000);
        for (text, reason) in [
            ("[]", "no object"),
            ("{", "no JSON"),
            (deep.as_str(), "no JSON"),
            ("{}", "`trace` is missing"),
            (r#"{"schema": 7}"#, "schema 7"),
            (r#"{"schema": -1}"#, "`schema` is not a number"),
            (r#"{"properties": []}"#, "no property fails"),
            (r#"{"properties": [3]}"#, "no object"),
            (r#"{"trace": 3}"#, "`trace` is not"),
            (r#"{"trace": {}}"#, "`steps`"),
            (r#"{"trace": {"steps": [7]}}"#, "step 1"),
            (r#"{"trace": {"steps": [{}]}}"#, "`text` is missing"),
            (r#"{"trace": {"steps": [{"text": "x", "pid": 256}]}}"#, "`pid`"),
            (r#"{"trace": {"steps": [{"text": "x", "pid": 1e99}]}}"#, "`pid`"),
            (r#"{"trace": {"steps": [{"text": "x", "changes": []}]}}"#, "`changes`"),
            (r#"{"trace": {"steps": [], "stem": 18446744073709551615, "loop": 18446744073709551615}}"#, "together"),
            (r#"{"kind": "magic", "trace": {"steps": []}}"#, "`magic`"),
            (r#"{"origin": {"defines": [1]}, "trace": {"steps": []}}"#, "no name"),
        ] {
            let error = Document::read(text, None).expect_err(text);
            assert!(error.contains(reason), "{error}");
        }
    }
}
