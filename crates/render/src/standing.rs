//! Where processes stand in the texts of a model: the statements that control is before.

use crate::documents::StatementPlace;
use crate::names::instance_name;
use lariat_base::{Id, SourceMap, Span};
use lariat_system::reference::{Instance, Valuation};
use lariat_system::{FrameId, Position, Role, System};
use std::collections::HashMap;

/// For each place of control of each frame, its statements.
#[derive(Debug)]
pub struct Standing {
    places: HashMap<(FrameId, i64), Vec<StatementPlace>>,
}

impl Standing {
    /// Of the processes of a system.
    pub fn new(system: &System, sources: &SourceMap) -> Self {
        let mut places: HashMap<(FrameId, i64), Vec<StatementPlace>> = HashMap::new();
        for frame in system.frames.ids() {
            for edge in system.control_edges(frame).into_iter().flatten() {
                let action = &system.actions[edge.action];
                let span = match (&action.peer, edge.role) {
                    (Some((_, span)), Role::PEER) => *span,
                    _ => action.span,
                };
                let list = places.entry((frame, edge.from)).or_default();
                list.extend(statement_place(sources, span));
            }
        }
        for list in places.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        Self { places }
    }

    /// Where the process at the position stands; nothing where that is not known, or where it has no statement left.
    fn of(&self, system: &System, state: &Valuation, position: usize) -> Vec<StatementPlace> {
        let Some(instance) = state.pool.get(position) else { return Vec::new() };
        let control = system.frames[instance.frame].control;
        let value = control.and_then(|control| instance.locals[control.index()].first().copied());
        value.and_then(|value| self.places.get(&(instance.frame, value)).cloned()).unwrap_or_default()
    }

    /// The lines of the statements that stand at a place of control: `7`, or `7,9`.
    pub fn lines(&self, frame: FrameId, control: i64) -> String {
        let places = self.places.get(&(frame, control)).map_or(&[][..], Vec::as_slice);
        let mut lines: Vec<u32> = places.iter().map(|place| place[1]).collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        lines.join(",")
    }

    /// Where each process stands, by lines: `P(1):7`.
    pub fn short(&self, system: &System, state: &Valuation) -> Vec<String> {
        let place = |(position, instance): (usize, &Instance)| {
            let name = instance_name(system, instance.frame, position as Position);
            let control = system.frames[instance.frame].control;
            let value = control.and_then(|control| instance.locals[control.index()].first().copied());
            match value.map(|value| self.lines(instance.frame, value)) {
                Some(lines) if !lines.is_empty() => format!("{name}:{lines}"),
                _ => name,
            }
        };
        state.pool.iter().enumerate().map(place).collect()
    }

    /// The statements that each process stands before, by the name of the process.
    pub fn places(&self, system: &System, state: &Valuation) -> Vec<(String, Vec<StatementPlace>)> {
        self.moved(system, None, state)
    }

    /// Where each process stands whose control is not where it was before.
    pub(crate) fn moved(
        &self,
        system: &System,
        before: Option<&Valuation>,
        after: &Valuation,
    ) -> Vec<(String, Vec<StatementPlace>)> {
        let place = |state: &Valuation, position: usize| {
            let instance = state.pool.get(position)?;
            let control = system.frames[instance.frame].control?;
            Some((instance.frame, instance.locals[control.index()].clone()))
        };
        let has_moved =
            |position: &usize| before.is_none_or(|before| place(before, *position) != place(after, *position));
        let told = |position: usize| {
            let name = instance_name(system, after.pool[position].frame, position as Position);
            (name, self.of(system, after, position))
        };
        (0..after.pool.len()).filter(has_moved).map(told).collect()
    }
}

/// The place of a statement; `None` if no text spells it. Of one with several lines it is the first.
fn statement_place(sources: &SourceMap, span: Span) -> Option<StatementPlace> {
    let begin = sources.location(span)?;
    let first_line = sources.text(span).lines().next().unwrap_or_default();
    let length = first_line.trim_end().chars().count() as u32;
    Some([span.file.0, begin.line, begin.column, begin.column + length])
}
