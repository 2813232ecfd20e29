//! The variables of a system, and where each is in a packed state.
//!
//! A *variable* is what its author declared: a slot with all of its cells, a channel or an array of channels, a slot of a
//! frame in all processes of that frame; and for each frame where its processes stand. In a state it consists of
//! [`VariablePart`]s, one for each place where it is kept. A part of a process is there only while such a process lives.

use super::sketch::mix;
use lariat_base::{Id, Span};
use lariat_engine::profile::VariableKind;
use lariat_space::State;
use lariat_system::{Field, FrameId, Layout, LocalId, Queue, SlotId, System, TooLarge};
use std::collections::{BTreeSet, HashMap};

#[derive(Debug)]
pub(crate) struct Variables {
    pub(crate) list: Vec<Variable>,
    /// The parts that are always there.
    pub(crate) globals: Vec<VariablePart>,
    /// By position and frame, see [`Variables::home`]: the parts of a process there.
    pub(crate) locals: Vec<Vec<VariablePart>>,
    pub(crate) layout: Layout,
    /// How many parts there are.
    pub(crate) parts: usize,
    frames: usize,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) kind: VariableKind,
    pub(crate) bits: u64,
}

/// Some bits of a state that belong to one variable.
#[derive(Debug)]
pub(crate) struct VariablePart {
    pub(crate) variable: usize,
    /// Among all parts.
    pub(crate) number: usize,
    /// For a slot of a process, which one.
    pub(crate) local: Option<LocalId>,
    /// The words it is in, and which bits of them.
    words: Vec<(usize, u64)>,
}

impl VariablePart {
    /// What it holds: for a single cell, the number of its value; for more than one word, a hash.
    pub(crate) fn value(&self, state: &State) -> u64 {
        match self.words.as_slice() {
            [] => 0,
            [(word, mask)] => (state[*word] & mask) >> mask.trailing_zeros(),
            words => words.iter().fold(0, |hash, (word, mask)| mix(hash ^ (state[*word] & mask))),
        }
    }
    /// Its share in the hash of a state.
    pub(crate) fn hash(&self, value: u64) -> u64 {
        mix(value ^ mix(self.number as u64))
    }
}

impl Variables {
    pub(crate) fn new(system: &System) -> Result<Self, TooLarge> {
        let layout = Layout::new(system)?;
        let homes = layout.positions * system.frames.len();
        let mut found = Self {
            list: Vec::new(),
            globals: Vec::new(),
            locals: (0..homes).map(|_| Vec::new()).collect(),
            layout,
            parts: 0,
            frames: system.frames.len(),
        };
        let of_channels: BTreeSet<SlotId> =
            system.queues.iter().flat_map(|queue| queue.fields.iter().copied().chain([queue.len])).collect();
        for (id, slot) in system.slots.entries().filter(|(id, _)| !of_channels.contains(id)) {
            let field = found.layout.slots[id];
            let variable = found.declare(slot.name.clone(), slot.span, VariableKind::Variable);
            found.add(variable, None, None, &[(0, field, 0..field.cells as usize)]);
        }
        found.add_channels(system);
        for frame in system.frames.ids() {
            found.add_locals(system, frame);
        }
        Ok(found)
    }

    /// The number of a process's position and frame among all.
    pub(crate) fn home(&self, position: usize, frame: FrameId) -> usize {
        position * self.frames + frame.index()
    }
    /// How many positions and frames there are.
    pub(crate) fn homes(&self) -> usize {
        self.locals.len()
    }
    /// The position and frame of such a number.
    pub(crate) fn at_home(&self, home: usize) -> (usize, FrameId) {
        (home / self.frames, FrameId::new(home % self.frames))
    }

    fn declare(&mut self, name: String, span: Span, kind: VariableKind) -> usize {
        self.list.push(Variable { name, span, kind, bits: 0 });
        self.list.len() - 1
    }

    /// Channels of one name and owner are one variable: `q[0]`, `q[1]`, … and those of every process of the frame.
    fn add_channels(&mut self, system: &System) {
        let mut known: HashMap<String, usize> = HashMap::new();
        for queue in &system.queues {
            let base = queue.name.split('[').next().unwrap_or(&queue.name);
            let name = match queue.owner {
                Some((frame, _)) => format!("{}.{base}", system.frames[frame].name),
                None => base.to_owned(),
            };
            let variable = match known.get(&name) {
                Some(&variable) => variable,
                None => self.declare(name.clone(), queue.span, VariableKind::Channel),
            };
            known.insert(name, variable);
            let home = queue.owner.map(|(frame, position)| self.home(usize::from(position), frame));
            self.add(variable, home, None, &fields_of(queue, &self.layout));
        }
    }

    fn add_locals(&mut self, system: &System, frame: FrameId) {
        let Some(declared) = system.frames.get(frame) else { return };
        for (local, slot) in declared.slots.entries() {
            let is_control = declared.control == Some(local);
            let variable = if is_control {
                self.declare(format!("control of {}", declared.name), declared.span, VariableKind::Control)
            } else {
                self.declare(format!("{}.{}", declared.name, slot.name), slot.span, VariableKind::Variable)
            };
            let field = self.layout.frames[frame][local];
            for position in 0..self.layout.positions {
                let (base, home) = (self.layout.region(position), self.home(position, frame));
                self.add(variable, Some(home), Some(local), &[(base, field, 0..field.cells as usize)]);
            }
        }
    }

    /// Adds a part: cells of some fields, each in a region that begins at a bit.
    fn add(
        &mut self,
        variable: usize,
        home: Option<usize>,
        local: Option<LocalId>,
        cells: &[(usize, Field, std::ops::Range<usize>)],
    ) {
        let mut words: Vec<(usize, u64)> = Vec::new();
        for (base, field, range) in cells.iter().filter(|(_, field, _)| field.bits > 0) {
            for bit in range.clone().map(|cell| base + field.bit_of(cell)) {
                let mask = u64::MAX >> (64 - field.bits) << (bit % 64);
                match words.last_mut() {
                    Some((word, masks)) if *word == bit / 64 => *masks |= mask,
                    _ => words.push((bit / 64, mask)),
                }
            }
        }
        self.list[variable].bits += words.iter().map(|(_, mask)| u64::from(mask.count_ones())).sum::<u64>();
        let part = VariablePart { variable, number: self.parts, local, words };
        self.parts += 1;
        match home {
            Some(home) => self.locals[home].push(part),
            None => self.globals.push(part),
        }
    }

    /// What all of this takes of memory, about.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.globals.iter().chain(self.locals.iter().flatten());
        let words: usize = parts.map(|part| part.words.capacity()).sum();
        let parts = 2 * self.parts * size_of::<VariablePart>();
        (words * size_of::<(usize, u64)>() + parts + self.locals.len() * size_of::<Vec<VariablePart>>()) as u64
    }
}

/// Where a channel's length and messages are.
fn fields_of(queue: &Queue, layout: &Layout) -> Vec<(usize, Field, std::ops::Range<usize>)> {
    let (number, capacity) = (queue.number as usize, queue.capacity as usize);
    let len = (0, layout.slots[queue.len], number..number + 1);
    let fields = queue.fields.iter().map(|&field| (0, layout.slots[field], number * capacity..(number + 1) * capacity));
    std::iter::once(len).chain(fields).collect()
}
