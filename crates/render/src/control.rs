//! How control moves in the processes of a model, as a graph: places, and the statements between them.

use crate::documents::{ControlPlaceRow, ControlRows, ControlStepRow, Rows};
use crate::names::instance_name;
use crate::standing::Standing;
use lariat_base::{Id, SourceMap};
use lariat_system::reference::{Instance, Valuation};
use lariat_system::{ControlEdge, FrameId, Position, Role, System};
use std::collections::{BTreeSet, HashMap};

/// In documents, graphs of control with more places are not listed.
pub const MOST_PLACES: usize = 400;

/// The numbers of the places of control: of each frame from 0, in the order in which they are met from the first place on.
#[derive(Debug)]
pub(crate) struct ControlNumbers {
    numbers: HashMap<(FrameId, i64), usize>,
    /// The number behind the last, which a process has that has ended.
    ends: HashMap<FrameId, usize>,
}

impl ControlNumbers {
    pub(crate) fn new(system: &System) -> Self {
        let mut found = Self { numbers: HashMap::new(), ends: HashMap::new() };
        for (frame, edges) in frames_with_control(system) {
            let first = first_place(system, frame);
            let mut count = 0;
            let mut meet = |place: i64, found: &mut Self| {
                found.numbers.entry((frame, place)).or_insert_with(|| {
                    count += 1;
                    count - 1
                });
            };
            meet(first, &mut found);
            for edge in reached_edges(first, edges) {
                meet(edge.from, &mut found);
                if let Some(to) = edge.to {
                    meet(to, &mut found);
                }
            }
            found.ends.insert(frame, count);
        }
        found
    }

    fn of(&self, frame: FrameId, place: Option<i64>) -> Option<usize> {
        match place {
            Some(place) => self.numbers.get(&(frame, place)).copied(),
            None => self.ends.get(&frame).copied(),
        }
    }

    /// Where the processes are whose control is not where it was before, by their names.
    pub(crate) fn moved(&self, system: &System, before: Option<&Valuation>, after: &Valuation) -> Vec<(String, usize)> {
        let place = |instance: &Instance| {
            let control = system.frames[instance.frame].control?;
            Some((instance.frame, *instance.locals[control.index()].first()?))
        };
        let moved = |(position, instance): (usize, &Instance)| {
            let (frame, now) = place(instance)?;
            if before.and_then(|before| place(before.pool.get(position)?)) == Some((frame, now)) {
                return None;
            }
            Some((instance_name(system, frame, position as Position), self.of(frame, Some(now))?))
        };
        after.pool.iter().enumerate().filter_map(moved).collect()
    }
}

/// The graphs of control of all types of processes for which it is known how control moves. Of those with more than `most` places
/// only the number is told.
pub fn control_rows(system: &System, sources: &SourceMap, most: usize) -> Vec<ControlRows> {
    let standing = Standing::new(system, sources);
    let numbers = ControlNumbers::new(system);
    let frames = frames_with_control(system);
    frames.map(|(frame, edges)| rows_of(system, &standing, &numbers, frame, edges, most)).collect()
}

fn rows_of(
    system: &System,
    standing: &Standing,
    numbers: &ControlNumbers,
    frame: FrameId,
    edges: Vec<ControlEdge>,
    most: usize,
) -> ControlRows {
    let process = system.frames[frame].name.clone();
    let end = numbers.ends[&frame];
    if end > most {
        return ControlRows { process, places: Rows(Vec::new()), steps: Rows(Vec::new()), left_out: Some(end) };
    }
    let mut places: Vec<ControlPlaceRow> =
        (0..end).map(|_| ControlPlaceRow { text: String::new(), end: None }).collect();
    for (&(_, place), &number) in numbers.numbers.iter().filter(|((own, _), _)| *own == frame) {
        let lines = standing.lines(frame, place);
        places[number].text = if lines.is_empty() { format!("place {place}") } else { lines };
    }
    let mut steps: Vec<ControlStepRow> = Vec::new();
    let mut ends = false;
    for edge in reached_edges(first_place(system, frame), edges) {
        let action = &system.actions[edge.action];
        let text = match (&action.peer, edge.role) {
            (Some((text, _)), Role::PEER) => text.clone(),
            _ => action.name.clone(),
        };
        ends |= edge.to.is_none();
        let [from, to] = [Some(edge.from), edge.to].map(|place| numbers.of(frame, place).unwrap_or(end));
        let step = ControlStepRow { from, to, text };
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    if ends {
        places.push(ControlPlaceRow { text: "ended".to_owned(), end: Some(true) });
    }
    ControlRows { process, places: Rows(places), steps: Rows(steps), left_out: None }
}

fn frames_with_control(system: &System) -> impl Iterator<Item = (FrameId, Vec<ControlEdge>)> + '_ {
    system.frames.ids().filter_map(|frame| Some((frame, system.control_edges(frame)?)))
}

/// Where a process of the frame begins.
fn first_place(system: &System, frame: FrameId) -> i64 {
    let Some(control) = system.frames[frame].control else { return 0 };
    system.frames[frame].slots[control].initial_of(0)
}

/// The edges from the places that control can come to by the form of the actions, from the first.
fn reached_edges(first: i64, edges: Vec<ControlEdge>) -> Vec<ControlEdge> {
    let mut leaving: HashMap<i64, Vec<i64>> = HashMap::new();
    for edge in &edges {
        leaving.entry(edge.from).or_default().extend(edge.to);
    }
    let mut reached = BTreeSet::from([first]);
    let mut waiting = vec![first];
    while let Some(place) = waiting.pop() {
        let next = leaving.get(&place).into_iter().flatten();
        waiting.extend(next.filter(|&&to| reached.insert(to)));
    }
    edges.into_iter().filter(|edge| reached.contains(&edge.from)).collect()
}
