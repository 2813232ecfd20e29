//! Accepting cycles that stay away from some of a component's edges.
//!
//! Emerson and Lei (1987), as for Streett automata: where the condition is not met by all edges of a component together,
//! but could be if some `Fin` were true, the edges that carry such a mark are left out and the rest is taken apart into
//! components again. A mark whose `Fin` is indispensable is left out at once; where there is a choice, both ways are
//! tried. Every round leaves out at least one mark more, so the rounds on one state are no more than the marks.
//!
//! The component is written down once, as a [graph of small numbers](super::inner), and a round looks at each of its edges
//! once or twice.

use super::explorer::Explorer;
use super::goal::{CycleGoal, fins, given, with_fin};
use super::inner::{Component, Inner, StateRange};
use super::marks::{MarkTable, meet};
use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use lariat_subject::Stop;

/// A state of an accepting cycle, what the cycle must have, and the states it may use.
pub(crate) struct Found<'a> {
    pub(crate) start: Handle,
    pub(crate) goal: CycleGoal,
    inner: Inner<'a>,
    part: StateRange,
}

impl Found<'_> {
    /// Whether the state with this note is one that the cycle may use.
    pub(crate) fn contains(&self, note: u32) -> bool {
        self.inner.is_in(note, self.part)
    }
}

/// Looks for an accepting cycle in a component whose edges carry the marks `inside`; `root` is one of its states.
pub(crate) fn refine<'a, S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'a, S, T>,
    acceptance: &Acceptance,
    inside: &MarkSet,
    root: Handle,
    component: Component<'a>,
    rounds: &mut u64,
) -> Result<Option<Found<'a>>, Stop> {
    let open = given(acceptance, inside);
    if fins(&open).is_empty() {
        return Ok(None);
    }
    let inner = Inner::new(explorer, root, component)?;
    let all = inner.all();
    let control = explorer.control;
    let mut refining = Refining { inner, marks: &explorer.marks, rounds, control };
    let found = refining.split(acceptance, &open, all, &MarkSet::EMPTY)?;
    let inner = refining.inner;
    Ok(found.map(|(part, goal)| Found { start: inner.first(part), goal, inner, part }))
}

struct Refining<'a, 'b> {
    inner: Inner<'a>,
    marks: &'b MarkTable<'a>,
    rounds: &'b mut u64,
    control: &'b lariat_engine::RunControl,
}

impl Refining<'_, '_> {
    /// Looks into a part, without the edges that carry a mark to `avoid`; `acceptance` is the condition where the `Fin` of
    /// these are true, and `open` is what it comes to in this part.
    fn split(
        &mut self,
        acceptance: &Acceptance,
        open: &Acceptance,
        whole: StateRange,
        avoid: &MarkSet,
    ) -> Result<Option<(StateRange, CycleGoal)>, Stop> {
        let Some((leave_out, alternative)) = choose(open) else { return Ok(None) };
        self.control.check().map_err(Stop::Short)?;
        *self.rounds += 1;
        let avoid_more = avoid.union(&leave_out);
        let mut goal_acceptance = acceptance.clone();
        for mark in leave_out.iter() {
            goal_acceptance = with_fin(&goal_acceptance, mark, true);
        }
        let avoided: Vec<bool> = self.marks.sets().iter().map(|marks| meet(marks, &avoid_more)).collect();
        self.inner.take_apart(whole, &avoided)?;
        let mut next = whole.begin;
        while let Some(part) = self.inner.part_at(next, whole) {
            next = part.end;
            let Some(inside) = self.inner.marks_inside(part, &avoided, self.marks) else { continue };
            if let Some(mut goal) = CycleGoal::new(&goal_acceptance, &inside) {
                goal.avoid.union_with(&avoid_more);
                return Ok(Some((part, goal)));
            }
            let found = self.split(&goal_acceptance, &given(&goal_acceptance, &inside), part, &avoid_more)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        match alternative {
            // The other way: that mark is carried for ever, so its `Fin` does not hold.
            Some(mark) => self.split(&with_fin(acceptance, mark, false), &with_fin(open, mark, false), whole, avoid),
            None => Ok(None),
        }
    }
}

/// Which marks to leave out; if that is a choice, the one that could be kept instead. `None` if nothing helps.
fn choose(open: &Acceptance) -> Option<(MarkSet, Option<Mark>)> {
    let candidates = fins(open);
    if *open == Acceptance::False || candidates.is_empty() {
        return None;
    }
    let indispensable = indispensable(open);
    if !indispensable.is_empty() {
        return Some((indispensable, None));
    }
    let first = candidates.iter().next()?;
    Some(([first].into_iter().collect(), Some(first)))
}

/// The marks without whose `Fin` the condition, in which there is nothing but `Fin`, comes to false.
fn indispensable(open: &Acceptance) -> MarkSet {
    match open {
        Acceptance::Fin(mark) => [*mark].into_iter().collect(),
        Acceptance::And(parts) => parts.iter().fold(MarkSet::EMPTY, |all, part| all.union(&indispensable(part))),
        Acceptance::Or(parts) => {
            let mut parts = parts.iter().map(indispensable);
            let first = parts.next().unwrap_or_default();
            parts.fold(first, |mut all, part| {
                all.intersect_with(&part);
                all
            })
        }
        Acceptance::True | Acceptance::False | Acceptance::Inf(_) => MarkSet::EMPTY,
    }
}
