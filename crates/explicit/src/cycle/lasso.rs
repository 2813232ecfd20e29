//! From an accepting component to a run that shows it.

use super::explorer::Explorer;
use super::goal::CycleGoal;
use super::marks::{MarksId, meet};
use super::ways::{Departure, EdgeUse, Ways};
use lariat_automata::MarkSet;
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use lariat_subject::{Lasso, Stop};

/// Closes a lasso: `stem` leads to a state of a strongly connected set in which, within the edges that carry nothing that
/// is to be avoided, everything that the goal wants can be had. The members of the set are told by their notes.
pub(crate) fn close_lasso<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    mut stem: Vec<Handle>,
    goal: &CycleGoal,
    member: impl Fn(u32) -> bool,
) -> Result<Lasso, Stop> {
    let start = stem.pop().expect("the stem ends where the loop begins");
    let mut missing = goal.carry.clone();
    let mut cycle: Vec<Departure> = Vec::new();
    let mut at = start;
    // The nearest edge that carries something missing, again and again, and then the way home. At least one edge.
    while !missing.is_empty() {
        let (way, end) = nearest(explorer, at, goal, &member, Some(&missing), None)?;
        for (_, marks) in &way {
            missing.subtract(explorer.marks.get(*marks));
        }
        cycle.extend(way);
        at = end;
    }
    if at != start || cycle.is_empty() {
        cycle.extend(nearest(explorer, at, goal, &member, None, Some(start))?.0);
    }
    Ok(Lasso {
        stem: explorer.words(stem.into_iter())?,
        marks: cycle.iter().map(|&(_, marks)| explorer.marks.get(marks).clone()).collect(),
        cycle: explorer.words(cycle.into_iter().map(|(state, _)| state))?,
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
        let transitions = explorer.transitions;
        explorer.expand(state)?;
        explorer.transitions = transitions;
        let edge = explorer.found.edges.iter().find(|edge| edge.target == target);
        marks.push(explorer.marks.get(edge.expect("there is an edge to the next state").marks).clone());
    }
    let (stem, cycle) = path.split_at(begin);
    Ok(Lasso { stem: explorer.words(stem.iter().copied())?, cycle: explorer.words(cycle.iter().copied())?, marks })
}

/// A shortest way from `from` to `to` inside a set, both included.
pub(crate) fn path_within<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    from: Handle,
    to: Handle,
    member: impl Fn(u32) -> bool,
) -> Result<Vec<Handle>, Stop> {
    if from == to {
        return Ok(vec![to]);
    }
    let (way, _) = nearest(explorer, from, &CycleGoal::default(), &member, None, Some(to))?;
    Ok(way.into_iter().map(|(source, _)| source).chain([to]).collect())
}

/// A shortest way inside a set to an edge that carries one of some marks, or that leads to a state; and where it leads.
fn nearest<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    from: Handle,
    goal: &CycleGoal,
    member: &impl Fn(u32) -> bool,
    carrying: Option<&MarkSet>,
    to: Option<Handle>,
) -> Result<(Vec<Departure>, Handle), Stop> {
    let mut ways = Ways::new(&explorer.control.budget);
    ways.reach(from, None)?;
    // What the marks of an edge mean is found out once for each set of them.
    let mut by_marks: Vec<Option<EdgeUse>> = Vec::new();
    let found = ways.find(explorer, |edge, explorer| {
        let MarksId(id) = edge.marks;
        if by_marks.len() <= id as usize {
            by_marks.resize(id as usize + 1, None);
        }
        let use_of_marks = *by_marks[id as usize].get_or_insert_with(|| {
            let marks = explorer.marks.get(edge.marks);
            match carrying {
                _ if meet(marks, &goal.avoid) => EdgeUse::No,
                Some(wanted) if meet(marks, wanted) => EdgeUse::End,
                _ => EdgeUse::Yes,
            }
        });
        match use_of_marks {
            EdgeUse::Yes | EdgeUse::End if !member(edge.note) => EdgeUse::No,
            EdgeUse::Yes if to == Some(edge.target) => EdgeUse::End,
            other => other,
        }
    })?;
    Ok(found.expect("what is inside can be reached inside"))
}
