//! What is shown of one state: variables, channels, processes.

use crate::Shown;
use crate::names::{contents, instance_name, process_name, shown};
use lariat_base::{Id, SourceMap, Span};
use lariat_system::reference::{Evaluator, Firing, Valuation};
use lariat_system::{Action, ActionId, BinaryOp, Expr, Owner, Place, Queue, Role, Slot, System};
use std::path::Path;

/// A state as people read it.
#[derive(Clone, PartialEq, Debug)]
pub struct StateView {
    /// The contents of the slots that are shown, by name.
    pub variables: Vec<(String, Shown)>,
    /// The contents of the channels, by name, and their capacities.
    pub channels: Vec<(String, Shown, u32)>,
    /// Where each process stands.
    pub processes: Vec<String>,
    /// Whether processes can live at all.
    pub has_processes: bool,
}

impl StateView {
    /// The view of a state of `system`.
    pub fn new(system: &System, sources: &SourceMap, state: &Valuation) -> Self {
        let mut variables = Vec::new();
        let mut add = |owner: &str, slots: &[Slot], values: &[Vec<i64>]| {
            for (slot, values) in slots.iter().zip(values).filter(|(slot, _)| slot.shown) {
                let cells = contents(system, slot, values).into_iter();
                variables.extend(cells.map(|(name, value)| (format!("{owner}{name}"), value)));
            }
        };
        add("", system.slots.as_slice(), &state.globals);
        for (position, instance) in state.pool.iter().enumerate() {
            let name = instance_name(system, instance.frame, position as u8);
            add(&format!("{name}."), system.frames[instance.frame].slots.as_slice(), &instance.locals);
        }
        let channels = channels(system, state)
            .map(|channel| (channel.name, channel.messages, system.queues[channel.number].capacity))
            .collect();
        let processes = whereabouts(system, sources, state);
        Self { variables, channels, processes, has_processes: !system.frames.is_empty() }
    }

    /// Variables and channels together.
    pub(crate) fn contents(self) -> Vec<(String, Shown)> {
        let channels = self.channels.into_iter().map(|(name, messages, _)| (name, messages));
        self.variables.into_iter().chain(channels).collect()
    }
}

/// A channel that exists in some state.
pub(crate) struct Channel {
    /// Among the system's queues.
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) messages: Shown,
}

/// The channels of the model, and those of the living processes.
pub(crate) fn channels<'a>(system: &'a System, state: &'a Valuation) -> impl Iterator<Item = Channel> {
    (0..system.queues.len()).filter_map(|number| channel(system, state, number))
}

/// The channel of this number, if it exists.
pub(crate) fn channel(system: &System, state: &Valuation, number: usize) -> Option<Channel> {
    let queue = &system.queues[number];
    let name = match queue.owner {
        None => queue.name.clone(),
        Some((frame, position)) => {
            state.pool.get(usize::from(position)).filter(|instance| instance.frame == frame)?;
            format!("{}.{}", instance_name(system, frame, position), queue.name)
        }
    };
    Some(Channel { number, name, messages: messages(system, state, queue) })
}

fn messages(system: &System, state: &Valuation, queue: &Queue) -> Shown {
    let length = state.globals[queue.len.index()][queue.number as usize];
    let message = |k: i64| {
        let cell = queue.number as usize * queue.capacity as usize + k as usize;
        let field = |&slot| shown(system, system.slots[slot].ty, state.globals[Id::index(slot)][cell]);
        queue.fields.iter().map(field).collect()
    };
    Shown::Messages((0..length.min(i64::from(queue.capacity))).map(message).collect())
}

/// More ways to choose in one action are not listed.
const MOST_CHOICES: u64 = 1000;

/// Where each process stands: `P(1) at m.pml:7: c!x, or 9: d?y`.
fn whereabouts(system: &System, sources: &SourceMap, state: &Valuation) -> Vec<String> {
    if state.pool.is_empty() {
        return Vec::new();
    }
    // Where steps have very many choices, listing them would take for ever: then nothing is said of what cannot happen.
    let few = |action: &Action| {
        let values =
            action.choices.iter().map(|choice| system.range(choice.ty)).map(|range| range.hi.abs_diff(range.lo));
        values.fold(1, |product: u64, more| product.saturating_mul(more.saturating_add(1))) <= MOST_CHOICES
    };
    let is_listed = system.actions.iter().all(few);
    let firings = is_listed.then(|| Evaluator::new(system).firings(state, None).0);
    (0..state.pool.len())
        .map(|position| whereabout(system, sources, state, position as u8, firings.as_deref()))
        .collect()
}

/// A process and the statements at which its control stands, each with what it waits for if it cannot be executed.
fn whereabout(
    system: &System,
    sources: &SourceMap,
    state: &Valuation,
    position: u8,
    firings: Option<&[Firing]>,
) -> String {
    let name = process_name(system, state, position);
    let frame = state.pool[usize::from(position)].frame;
    let mut statements: Vec<(String, Span)> = Vec::new();
    let can_happen = |action: ActionId, role: Role| {
        let is_it =
            |firing: &Firing| firing.action == action && firing.scope.positions.get(role.index()) == Some(&position);
        firings.is_none_or(|firings| firings.iter().any(is_it))
    };
    // Several actions can stand for one statement.
    let mut seen: Vec<(&str, Span, Role, ActionId, bool)> = Vec::new();
    for (id, action) in system.actions.entries() {
        let alone_or_sender = (Role::ACTOR, action.name.as_str(), action.span);
        let receiver = action.peer.as_ref().map(|(text, span)| (Role::PEER, text.as_str(), *span));
        for (role, text, span) in std::iter::once(alone_or_sender).chain(receiver) {
            if action.participants.get(role.index()) == Some(&frame) && stands_at(system, state, position, role, action)
            {
                let possible = can_happen(id, role);
                match seen.iter_mut().find(|(known, place, ..)| (*known, *place) == (text, span)) {
                    Some(known) => known.4 |= possible,
                    None => seen.push((text, span, role, id, possible)),
                }
            }
        }
    }
    for (text, span, role, id, possible) in seen {
        let met = if possible { None } else { waiting(system, state, position, text, role, &system.actions[id]) };
        statements.push((met.map_or_else(|| text.to_owned(), |why| format!("{text} ({why})")), span));
    }
    statements.sort_by_key(|(_, span)| (span.file, span.start));
    let Some(((first, span), others)) = statements.split_first() else {
        return format!("{name} has no statement left");
    };
    let span = *span;
    let mut text = match sources.file(span.file) {
        Some(file) => format!("{name} at {}:{}: {first}", short_file_name(&file.name), sources.line(span)),
        None => format!("{name} at: {first}"),
    };
    for (other, its_span) in others {
        let its_span = *its_span;
        text.push_str(&match sources.line(its_span) {
            line if its_span.file == span.file && line == sources.line(span) => format!(", or {other}"),
            0 => format!(", or {other}"),
            line => format!(", or {line}: {other}"),
        });
    }
    text
}

/// Why a send or receive cannot happen: a partner is missing, or the channel is full or empty.
fn waiting(
    system: &System,
    state: &Valuation,
    position: u8,
    text: &str,
    role: Role,
    action: &Action,
) -> Option<String> {
    if action.participants.len() == 2 {
        let partner = if role == Role::ACTOR { "receiver" } else { "sender" };
        return Some(format!("waits for a {partner}"));
    }
    let (name, _) = text.split_once(['!', '?'])?;
    let local = format!("{}.{name}", process_name(system, state, position));
    let is_never = action.updates.is_empty() && action.guard.conjuncts().any(|conjunct| *conjunct == Expr::FALSE);
    let Some(found) = channels(system, state).find(|channel| channel.name == name || channel.name == local) else {
        let partner = if text.as_bytes().get(name.len()) == Some(&b'!') { "receive" } else { "send" };
        return is_never.then(|| format!("no {partner} of the model matches"));
    };
    let Shown::Messages(messages) = &found.messages else { return None };
    let sends = text.as_bytes().get(name.len()) == Some(&b'!');
    match messages.len() {
        0 if !sends => Some(format!("{name} is empty")),
        held if sends && held == system.queues[found.number].capacity as usize => Some(format!("{name} is full")),
        _ => None,
    }
}

/// The name without the folder, which would be the same everywhere.
pub(crate) fn short_file_name(name: &str) -> String {
    Path::new(name).file_name().map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Whether the guard says of the control slot of `role` what is true of the process at `position`.
fn stands_at(system: &System, state: &Valuation, position: u8, role: Role, action: &Action) -> bool {
    let instance = &state.pool[usize::from(position)];
    let control = system.frames[instance.frame].control;
    action.guard.control.iter().any(|conjunct| match conjunct {
        Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Read(Place { owner: Owner::Role(of, local), index: None }), Expr::Const(value))
            | (Expr::Const(value), Expr::Read(Place { owner: Owner::Role(of, local), index: None })) => {
                *of == role && Some(*local) == control && instance.locals[local.index()] == [*value]
            }
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_system::reference::Instance;
    use lariat_system::{EnumId, EnumType, Frame, FrameId, SlotId, Type, Variant};

    #[test]
    fn words_are_shown_with_their_width_and_are_numbers_in_documents() {
        let mut system = System::empty("words");
        for signed in [false, true] {
            let ty = Type::Enum(system.enums.push(EnumType::word(signed, 8)));
            system.slots.push(Slot::new(if signed { "s" } else { "u" }, ty, 5));
        }
        // One that is called a word and has other values is none.
        let other = EnumType { hi: 7, ..EnumType::word(false, 8) };
        let other = Type::Enum(system.enums.push(other));
        system.slots.push(Slot::new("other", other, 5));
        let mut state = Valuation::blank(&system);
        state.globals = vec![vec![5], vec![-128], vec![5]];
        let view = StateView::new(&system, &SourceMap::default(), &state);
        let shown: Vec<String> = view.variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        assert_eq!(shown, ["u = 0ud8_5", "s = -0sd8_128", "other = 5"]);
        let numbers: Vec<String> =
            view.variables.iter().map(|(_, value)| serde_json::to_string(value).expect("it is a number")).collect();
        assert_eq!(numbers, ["5", "-128", "5"]);
        // What is read back is the same.
        let read: Vec<Shown> = numbers.iter().map(|text| serde_json::from_str(text).expect("it is a number")).collect();
        assert!(view.variables.iter().zip(&read).all(|((_, shown), read)| shown == read));
        assert!(Shown::Name("5".into()) != read[0] && Shown::Number(6) != read[0]);
    }

    #[test]
    fn channels_are_shown_by_messages_while_their_owner_lives() {
        let mut system = System::empty("channels");
        let variants = vec![Variant { name: "ack".into(), value: 1 }];
        system.enums.push(EnumType { name: "mtype".into(), lo: 0, hi: 255, variants });
        let frame = Frame { name: "P".into(), slots: Default::default(), control: None, span: Span::NONE };
        system.frames.push(frame);
        let byte = Type::Int { lo: 0, hi: 255 };
        system.slots.push(Slot::array("len", byte, 2, 0).hidden());
        system.slots.push(Slot::array("kind", Type::Enum(EnumId(0)), 6, 0).hidden());
        system.slots.push(Slot::array("value", byte, 6, 0).hidden());
        for (number, owner) in [(0, None), (1, Some((FrameId(0), 0)))] {
            let (len, fields, span) = (SlotId(0), vec![SlotId(1), SlotId(2)], Span::NONE);
            system.queues.push(Queue { name: "q".into(), owner, capacity: 3, len, number, fields, span });
        }
        let mut state = Valuation::blank(&system);
        state.globals = vec![vec![0, 2], vec![0, 0, 0, 1, 2, 0], vec![0, 0, 0, 7, 8, 0]];
        let shown = |state: &Valuation| -> Vec<String> {
            let view = StateView::new(&system, &SourceMap::default(), state);
            assert!(view.variables.is_empty());
            view.channels.iter().map(|(name, messages, _)| format!("{name} = {messages}")).collect()
        };
        assert_eq!(shown(&state), ["q = []"]);
        state.pool.push(Instance::new(FrameId(0), &system.frames[FrameId(0)]));
        assert_eq!(shown(&state), ["q = []", "P(0).q = [ack,7][2,8]"]);
    }
}
