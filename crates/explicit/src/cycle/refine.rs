//! Accepting cycles that stay away from some of a component's edges.
//!
//! Emerson and Lei (1987), as for Streett automata: where the condition is not met by all edges of a component together,
//! but could be if some `Fin` were true, the edges that carry such a mark are left out and the rest is taken apart into
//! components again. A mark whose `Fin` is indispensable is left out at once; where there is a choice, both ways are
//! tried. Every round leaves out at least one mark more, so the rounds on one state are no more than the marks.

use super::aim::{Aim, fins, given, with_fin};
use super::explorer::Explorer;
use crate::worker::Stop;
use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use std::collections::{HashMap, HashSet};

/// A state of an accepting cycle, what the cycle must have, and the states it may use.
pub(crate) type Found = (Handle, Aim, HashSet<Handle>);

/// Looks for an accepting cycle in the component of `root`, whose edges carry the marks `inside`.
pub(crate) fn refine<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    acceptance: &Acceptance,
    inside: &MarkSet,
    root: Handle,
    member: impl Fn(&T, Handle) -> bool,
    rounds: &mut u64,
) -> Result<Option<Found>, Stop> {
    let open = given(acceptance, inside);
    if fins(&open).is_empty() {
        return Ok(None);
    }
    let mut states = vec![root];
    let mut known = HashSet::from([root]);
    let mut next = 0;
    let transitions = explorer.transitions;
    while next < states.len() {
        let mut targets = Vec::new();
        explorer.edges(states[next], |edge| targets.push(edge.target))?;
        states.extend(targets.into_iter().filter(|&target| member(explorer.store, target) && known.insert(target)));
        next += 1;
    }
    let found = split(explorer, acceptance, &open, &known, &MarkSet::EMPTY, rounds);
    explorer.transitions = transitions;
    found
}

/// Looks into `states`, without the edges that carry a mark to `avoid`; `open` is what the condition comes to there.
fn split<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    acceptance: &Acceptance,
    open: &Acceptance,
    states: &HashSet<Handle>,
    avoid: &MarkSet,
    rounds: &mut u64,
) -> Result<Option<Found>, Stop> {
    let Some((leave_out, alternative)) = choose(open) else { return Ok(None) };
    let mut avoid_more = avoid.clone();
    avoid_more.union_with(&leave_out);
    *rounds += 1;
    for component in components(explorer, states, &avoid_more)? {
        let mut aim_at = acceptance.clone();
        for mark in avoid_more.iter() {
            aim_at = with_fin(&aim_at, mark, true);
        }
        if let Some(mut aim) = Aim::new(&aim_at, &component.inside) {
            aim.avoid.union_with(&avoid_more);
            return Ok(Some((component.first, aim, component.states)));
        }
        let open = given(&aim_at, &component.inside);
        let found = split(explorer, acceptance, &open, &component.states, &avoid_more, rounds)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    match alternative {
        // The other way: that mark is carried for ever, so its `Fin` does not hold.
        Some(mark) => {
            split(explorer, &with_fin(acceptance, mark, false), &with_fin(open, mark, false), states, avoid, rounds)
        }
        None => Ok(None),
    }
}

/// Which marks to leave out; if that is a choice, the one that could be kept instead. `None` if nothing helps.
fn choose(open: &Acceptance) -> Option<(MarkSet, Option<Mark>)> {
    let candidates = fins(open);
    if *open == Acceptance::False || candidates.is_empty() {
        return None;
    }
    let indispensable: MarkSet =
        candidates.iter().filter(|&mark| with_fin(open, mark, false) == Acceptance::False).collect();
    if !indispensable.is_empty() {
        return Some((indispensable, None));
    }
    let first = candidates.iter().next()?;
    Some(([first].into_iter().collect(), Some(first)))
}

struct Component {
    first: Handle,
    states: HashSet<Handle>,
    inside: MarkSet,
}

/// The components that have a cycle, of the graph of `states` without the edges that carry a mark to `avoid` (Tarjan 1972).
fn components<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    states: &HashSet<Handle>,
    avoid: &MarkSet,
) -> Result<Vec<Component>, Stop> {
    let mut numbers: HashMap<Handle, usize> = HashMap::new();
    let mut lowest: Vec<usize> = Vec::new();
    let mut on_stack: Vec<bool> = Vec::new();
    let mut stack: Vec<Handle> = Vec::new();
    let mut found = Vec::new();
    let mut sorted: Vec<Handle> = states.iter().copied().collect();
    // The same order each time, whatever the order of the set.
    sorted.sort_unstable();
    for start in sorted {
        if numbers.contains_key(&start) {
            continue;
        }
        // By number: the targets that were not followed, and the state.
        let mut open: Vec<(usize, Vec<Handle>, Handle)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(state) = enter.take() {
                let number = lowest.len();
                numbers.insert(state, number);
                lowest.push(number);
                on_stack.push(true);
                stack.push(state);
                let mut edges = Vec::new();
                explorer.edges(state, |edge| edges.push(edge))?;
                let inner = edges.into_iter().filter(|edge| states.contains(&edge.target));
                let inner = inner.map(|edge| (edge.target, explorer.marks.get(edge.marks).clone()));
                let inner = inner.filter(|(_, marks)| !avoid.iter().any(|mark| marks.contains(mark)));
                open.push((number, inner.map(|(target, _)| target).collect(), state));
            }
            let Some((number, waiting, _)) = open.last_mut() else { break };
            let number = *number;
            match waiting.pop() {
                Some(target) => match numbers.get(&target) {
                    None => enter = Some(target),
                    Some(&other) if on_stack[other] => lowest[number] = lowest[number].min(lowest[other].min(other)),
                    Some(_) => {}
                },
                None => {
                    let (_, _, state) = open.pop().expect("it is the last one");
                    if let Some((below, _, _)) = open.last() {
                        lowest[*below] = lowest[*below].min(lowest[number]);
                    }
                    if lowest[number] == number {
                        let begin = stack.iter().rposition(|&other| other == state).expect("it is on the stack");
                        let members: HashSet<Handle> = stack.split_off(begin).into_iter().collect();
                        members.iter().for_each(|member| on_stack[numbers[member]] = false);
                        found.push((state, members));
                    }
                }
            }
        }
    }
    let mut components = Vec::new();
    for (first, members) in found {
        let mut inside = MarkSet::EMPTY;
        let mut has_cycle = false;
        for &state in &members {
            let mut edges = Vec::new();
            explorer.edges(state, |edge| edges.push(edge))?;
            for edge in edges.into_iter().filter(|edge| members.contains(&edge.target)) {
                let marks = explorer.marks.get(edge.marks);
                if !avoid.iter().any(|mark| marks.contains(mark)) {
                    has_cycle = true;
                    inside.union_with(marks);
                }
            }
        }
        if has_cycle {
            components.push(Component { first, states: members, inside });
        }
    }
    Ok(components)
}
