//! What is shown of a trace: of every action who did it, where it is written, and what it changed.

use crate::names::{cell_name, instance_name, process_name, value_name, variant_name};
use lariat_base::{Id, IdVec, SourceMap, Span};
use lariat_engine::{Event, Evidence, FailureKind, Story};
use lariat_system::reference::{Evaluator, Valuation};
use lariat_system::{Action, BinaryOp, Choice, Expr, Fault, LocalId, Owner, Place, Role, Slot, SlotId, System, Type};

/// A run as people read it.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceView {
    /// The initial values of what is shown.
    pub initial: Vec<(String, Shown)>,
    /// What happens, action by action.
    pub entries: Vec<EntryView>,
    /// The number of steps from state to state; less than the number of entries where atomic sequences are passed.
    pub step_count: usize,
    /// What is wrong at the end.
    pub ending: Ending,
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
    /// Whether it was taken. The last entry is not, if the run ends in an error at its guard.
    pub taken: bool,
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
    /// The statement.
    pub text: String,
}

/// A cell that has another value than before.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// `x`, `a[2]`, `P(1).v`.
    pub name: String,
    /// The value before; `None` where the process has just begun.
    pub before: Option<Shown>,
    /// The value after.
    pub after: Shown,
}

/// A value as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// A number.
    Number(i64),
    /// The name of a value of an enumeration.
    Name(String),
}

/// What is wrong at the end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// A word for scripts: `assertion`, `invalid_end`, `index`, …
    pub kind: &'static str,
    /// The words for people.
    pub message: String,
    /// Where; [`Span::NONE`] for an invalid end.
    pub span: Span,
    /// For an invalid end: where each process stands, if an action tells.
    pub processes: Vec<String>,
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl TraceView {
    /// The view of a replayed run of `system`.
    pub fn new(system: &System, sources: &SourceMap, evidence: &Evidence, story: &Story) -> Self {
        let viewer = Viewer { system, sources };
        let mut entries = Vec::new();
        for (step, told) in story.steps.iter().enumerate() {
            let grouped = told.events.len() > 1;
            entries.extend(told.events.iter().map(|event| viewer.entry(step, grouped, event)));
        }
        Self {
            initial: viewer.cells(&story.initial),
            entries,
            step_count: story.steps.len(),
            ending: viewer.ending(evidence.kind, story),
        }
    }
}

struct Viewer<'a> {
    system: &'a System,
    sources: &'a SourceMap,
}

impl Viewer<'_> {
    fn entry(&self, step: usize, grouped: bool, event: &Event) -> EntryView {
        let action = &self.system.actions[event.firing.action];
        let positions = &event.firing.scope.positions;
        let half = |role: usize, text: &str, span: Span| {
            let process = action.participants.get(role).map(|&frame| self.system.frames[frame].name.clone());
            Half {
                process: process.unwrap_or_default(),
                pid: positions.get(role).copied(),
                file: self.sources.file(span.file).map(|file| file.name.clone()).unwrap_or_default(),
                line: self.sources.line(span),
                text: text.to_owned(),
            }
        };
        let choice = |(choice, &value): (&Choice, &i64)| (choice.name.clone(), self.shown(choice.ty, value));
        let mut entry = EntryView {
            step,
            grouped,
            action: event.firing.action.0,
            actor: half(0, &action.name, action.span),
            peer: (positions.len() > 1).then(|| match &action.peer {
                Some((text, span)) => half(1, text, *span),
                None => half(1, "", Span::NONE),
            }),
            choices: action.choices.iter().zip(&event.firing.scope.choices).map(choice).collect(),
            changes: Vec::new(),
            started: Vec::new(),
            ended: Vec::new(),
            printed: None,
            taken: event.after.is_some(),
        };
        if let Some(after) = &event.after {
            self.compare(&event.before, after, &mut entry);
            entry.printed = self.printed(event);
        }
        entry
    }

    fn compare(&self, before: &Valuation, after: &Valuation, entry: &mut EntryView) {
        let slots = self.system.slots.as_slice();
        self.compare_cells("", slots, Some(&before.globals), &after.globals, &mut entry.changes);
        // An exit pops the youngest and a spawn pushes; both in one action happen in that order of updates: spawned
        // first, then the youngest leaves. What is at the same position with the same frame is the same process.
        let lasting = before.pool.len().min(after.pool.len());
        for (position, instance) in after.pool.iter().enumerate() {
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
        for (number, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.shown) {
            for (cell, &value) in after[number].iter().enumerate() {
                let old = before.map(|before| before[number][cell]);
                // Of a process that has just begun, what stands at its initial value is no news.
                if old.unwrap_or_else(|| slot.initial_of(cell)) != value {
                    changes.push(Change {
                        name: format!("{owner}{}", cell_name(slot, cell)),
                        before: old.map(|old| self.shown(slot.ty, old)),
                        after: self.shown(slot.ty, value),
                    });
                }
            }
        }
    }

    fn cells(&self, state: &Valuation) -> Vec<(String, Shown)> {
        let mut cells = Vec::new();
        let mut add = |owner: &str, slots: &[Slot], values: &[Vec<i64>]| {
            for (slot, values) in slots.iter().zip(values).filter(|(slot, _)| slot.shown) {
                for (cell, &value) in values.iter().enumerate() {
                    cells.push((format!("{owner}{}", cell_name(slot, cell)), self.shown(slot.ty, value)));
                }
            }
        };
        let globals: &IdVec<SlotId, Slot> = &self.system.slots;
        add("", globals.as_slice(), &state.globals);
        for (position, instance) in state.pool.iter().enumerate() {
            let name = instance_name(self.system, instance.frame, position as u8);
            let locals: &IdVec<LocalId, Slot> = &self.system.frames[instance.frame].slots;
            add(&format!("{name}."), locals.as_slice(), &instance.locals);
        }
        cells
    }

    fn shown(&self, ty: Type, value: i64) -> Shown {
        variant_name(self.system, ty, value).map_or(Shown::Number(value), |name| Shown::Name(name.to_owned()))
    }

    /// The line that the action prints, its directives replaced by the arguments as they were before it.
    fn printed(&self, event: &Event) -> Option<String> {
        let action = &self.system.actions[event.firing.action];
        let print = action.print.as_ref()?;
        let evaluator = Evaluator::new(self.system);
        let mut arguments = print.arguments.iter();
        let mut text = String::new();
        let mut rest = print.format.as_str();
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            let mut characters = rest[at + 1..].chars();
            let directive = characters.next();
            rest = characters.as_str();
            match directive {
                Some(letter @ ('d' | 'i' | 'u' | 'x' | 'o' | 'c' | 'e')) => {
                    let Some(argument) = arguments.next() else { continue };
                    let value = evaluator.value(argument, &event.before, &event.firing.scope);
                    let name = || value_name(self.system, &action.participants, argument, value);
                    match letter {
                        'x' => text.push_str(&format!("{value:x}")),
                        'o' => text.push_str(&format!("{value:o}")),
                        'c' => text.extend(u8::try_from(value & 0xff).ok().map(char::from)),
                        'u' => text.push_str(&(value as u32).to_string()),
                        'e' => text.push_str(&name().map_or_else(|| value.to_string(), str::to_owned)),
                        _ => text.push_str(&value.to_string()),
                    }
                }
                Some('%') => text.push('%'),
                Some(other) => text.extend(['%', other]),
                None => text.push('%'),
            }
        }
        text.push_str(rest);
        Some(text)
    }

    fn ending(&self, kind: FailureKind, story: &Story) -> Ending {
        let fault = match kind {
            FailureKind::Fault(fault) => fault,
            FailureKind::InvalidEnd => return self.invalid_end(kind, story),
        };
        let action = &self.system.actions[fault.action()];
        let (message, span) = match fault {
            Fault::Trap(_, number) => {
                let trap = &action.traps[usize::from(number)];
                (trap.kind.message(), if trap.span.is_none() { action.span } else { trap.span })
            }
            Fault::PoolFull(_) => ("too many processes", action.span),
            Fault::EndlessAtomic(_) => ("an atomic sequence can run for ever", action.span),
        };
        Ending { kind: kind.word(self.system), message: message.to_owned(), span, processes: Vec::new() }
    }

    fn invalid_end(&self, kind: FailureKind, story: &Story) -> Ending {
        let last = story.steps.iter().rev().flat_map(|step| step.events.iter().rev()).find_map(|e| e.after.as_ref());
        let state = last.unwrap_or(&story.initial);
        let processes = (0..state.pool.len()).map(|position| self.stuck(state, position as u8)).collect();
        let message = "invalid end state".to_owned();
        Ending { kind: kind.word(self.system), message, span: Span::NONE, processes }
    }

    /// `P(1) at m.pml:7: c!x`: a process and the first statement at which its control stands.
    fn stuck(&self, state: &Valuation, position: u8) -> String {
        let name = process_name(self.system, state, position);
        let frame = state.pool[usize::from(position)].frame;
        let halves = self.system.actions.iter().flat_map(|action| {
            let sender_or_alone = (Role::ACTOR, action, action.name.as_str(), action.span);
            let receiver = action.peer.as_ref().map(|(text, span)| (Role::PEER, action, text.as_str(), *span));
            std::iter::once(sender_or_alone).chain(receiver)
        });
        let at_control = |&(role, action, _, _): &(Role, &Action, &str, Span)| {
            action.participants.get(role.index()) == Some(&frame) && self.stands_at(state, position, role, action)
        };
        match halves.into_iter().find(at_control) {
            Some((_, _, text, span)) if !span.is_none() => {
                let file = self.sources.file(span.file).map_or("", |file| file.name.as_str());
                format!("{name} at {file}:{}: {text}", self.sources.line(span))
            }
            Some((_, _, text, _)) => format!("{name} at: {text}"),
            None => format!("{name} has no statement left"),
        }
    }

    /// Whether the guard says of the control slot of `role` what is true of the process at `position`.
    fn stands_at(&self, state: &Valuation, position: u8, role: Role, action: &Action) -> bool {
        let instance = &state.pool[usize::from(position)];
        let control = self.system.frames[instance.frame].control;
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
}
