//! What there is to be written down about a system: the same for all threads.

use super::memory::ProfileMemory;
use super::variables::Variables;
use lariat_engine::profile::Places;
use lariat_engine::{Statement, statements_of};
use lariat_system::{LocalId, System, TooLarge};
use std::collections::HashMap;

#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(super) system: &'a System,
    pub(super) variables: Variables,
    pub(super) places: Places,
    /// The statements, each once.
    pub(super) statements: Vec<Statement>,
    /// By action: its statements.
    pub(super) statements_of: Vec<Vec<usize>>,
    /// By frame: the control slot.
    pub(super) control: Vec<Option<LocalId>>,
    /// By frame: how many values the control slot can have.
    pub(super) points: Vec<usize>,
    /// By frame and slot: the number of the initial value.
    pub(super) initial: Vec<Vec<u64>>,
    /// Whether there was memory for it; if not, nothing more is to be taken.
    pub(super) memory: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(system: &'a System, memory: &mut ProfileMemory<'_>) -> Result<Self, TooLarge> {
        let mut numbers: HashMap<Statement, usize> = HashMap::new();
        let mut statements = Vec::new();
        let statements_of = system.actions.ids().map(|action| {
            let mut number = |statement: Statement| {
                *numbers.entry(statement.clone()).or_insert_with(|| {
                    statements.push(statement);
                    statements.len() - 1
                })
            };
            statements_of(system, action).map(&mut number).collect()
        });
        let statements_of = statements_of.collect();
        let frames = || system.frames.iter();
        let places = Places::new(system);
        let initial = frames().map(|frame| {
            let number = |slot: &lariat_system::Slot| slot.initial_of(0).wrapping_sub(system.range(slot.ty).lo) as u64;
            frame.slots.iter().map(number).collect()
        });
        let mut plan = Self {
            system,
            variables: Variables::new(system)?,
            statements,
            statements_of,
            control: frames().map(|frame| frame.control).collect(),
            points: system.frames.ids().map(|frame| places.count(frame)).collect(),
            initial: initial.collect(),
            places,
            memory: false,
        };
        // It is small beside the system itself.
        plan.memory = memory.take(plan.bytes());
        Ok(plan)
    }

    /// What it takes of memory, about.
    fn bytes(&self) -> u64 {
        self.variables.bytes() + (self.statements.len() * size_of::<Statement>()) as u64
    }
}
