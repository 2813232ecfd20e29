//! From an accepting component to a run that shows it.

use super::aim::Aim;
use super::explorer::{Edge, Explorer};
use crate::worker::Stop;
use lariat_automata::MarkSet;
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use std::collections::{HashMap, VecDeque};

/// A run that goes on for ever: the states of the stem, and those of the loop. The loop's first state follows the last of
/// the stem, and follows the loop's last state again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The states before the loop; none if an initial state is on it.
    pub stem: Vec<Vec<u64>>,
    /// The loop, at least one state.
    pub cycle: Vec<Vec<u64>>,
    /// Of each step of the loop, the marks; those of the last lead back to the first state.
    pub marks: Vec<MarkSet>,
}

/// Closes a lasso: `stem` leads to a state of a strongly connected set in which, within the edges that carry nothing that
/// is to be avoided, everything that the aim wants can be had.
pub(crate) fn close_lasso<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    mut stem: Vec<Handle>,
    aim: &Aim,
    member: impl Fn(&T, Handle) -> bool,
) -> Result<Lasso, Stop> {
    let start = stem.pop().expect("the stem ends where the loop begins");
    let mut missing = aim.carry.clone();
    let mut cycle = Vec::new();
    let mut at = start;
    // The nearest edge that carries something missing, again and again, and then the way home. At least one edge.
    while !missing.is_empty() {
        let wanted = missing.clone();
        let found = nearest(explorer, at, aim, &member, |marks, _| wanted.iter().any(|mark| marks.contains(mark)))?;
        for (source, edge) in found.expect("what is inside can be reached inside") {
            let marks = explorer.marks.get(edge.marks).clone();
            missing = missing.iter().filter(|&mark| !marks.contains(mark)).collect();
            cycle.push((source, marks));
            at = edge.target;
        }
    }
    if at != start || cycle.is_empty() {
        let found = nearest(explorer, at, aim, &member, |_, target| target == start)?;
        for (source, edge) in found.expect("what is inside can be reached inside") {
            cycle.push((source, explorer.marks.get(edge.marks).clone()));
        }
    }
    let marks = cycle.iter().map(|(_, marks)| marks.clone()).collect();
    Ok(Lasso {
        stem: stem.into_iter().map(|state| explorer.state(state)).collect(),
        cycle: cycle.into_iter().map(|(state, _)| explorer.state(state)).collect(),
        marks,
    })
}

/// The lasso along a path from an initial state that goes on to `back_to`, a state of the path.
pub(crate) fn lasso_along<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    path: &[Handle],
    back_to: Handle,
) -> Result<Lasso, Stop> {
    // The last time: the stem may come through there too.
    let begin = path.iter().rposition(|&state| state == back_to).expect("it is on the path");
    let mut marks = Vec::new();
    for (number, &state) in path.iter().enumerate().skip(begin) {
        let target = path.get(number + 1).copied().unwrap_or(back_to);
        let mut of_edge = None;
        explorer.edges(state, |edge| {
            if edge.target == target {
                of_edge.get_or_insert(edge.marks);
            }
        })?;
        marks.push(explorer.marks.get(of_edge.expect("there is an edge to the next state")).clone());
    }
    let mut words = |states: &[Handle]| states.iter().map(|&state| explorer.state(state)).collect();
    Ok(Lasso { stem: words(&path[..begin]), cycle: words(&path[begin..]), marks })
}

/// A shortest way from `from` to `to` inside a set, both included.
pub(crate) fn path_within<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    from: Handle,
    to: Handle,
    member: impl Fn(&T, Handle) -> bool,
) -> Result<Vec<Handle>, Stop> {
    if from == to {
        return Ok(vec![to]);
    }
    let found = nearest(explorer, from, &Aim::default(), &member, |_, target| target == to)?;
    let way = found.expect("what is inside can be reached inside");
    Ok(way.into_iter().map(|(source, _)| source).chain([to]).collect())
}

/// A shortest way inside a set to an edge that is wanted, that edge last: the edges, each with its source.
fn nearest<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    from: Handle,
    aim: &Aim,
    member: &impl Fn(&T, Handle) -> bool,
    wanted: impl Fn(&MarkSet, Handle) -> bool,
) -> Result<Option<Vec<(Handle, Edge)>>, Stop> {
    let mut came_by: HashMap<Handle, Option<(Handle, Edge)>> = HashMap::from([(from, None)]);
    let mut queue = VecDeque::from([from]);
    let mut edges = Vec::new();
    let transitions = explorer.transitions;
    while let Some(source) = queue.pop_front() {
        edges.clear();
        explorer.edges(source, |edge| edges.push(edge))?;
        for &edge in &edges {
            let marks = explorer.marks.get(edge.marks);
            if !member(explorer.store, edge.target) || aim.avoid.iter().any(|mark| marks.contains(mark)) {
                continue;
            }
            if wanted(marks, edge.target) {
                explorer.transitions = transitions;
                let mut way = vec![(source, edge)];
                let mut at = source;
                while let Some((before, edge)) = came_by[&at] {
                    way.push((before, edge));
                    at = before;
                }
                way.reverse();
                return Ok(Some(way));
            }
            if let std::collections::hash_map::Entry::Vacant(place) = came_by.entry(edge.target) {
                place.insert(Some((source, edge)));
                queue.push_back(edge.target);
            }
        }
    }
    explorer.transitions = transitions;
    Ok(None)
}
