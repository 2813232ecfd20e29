//! Following the actions of one step.
//!
//! A trace names actions and participants, and mostly the values of choices: then these are evaluated, and nothing is searched.
//! Where it does not, every valuation that fits is tried, depth first. A step may be as long as an atomic sequence, so what is kept of
//! each action is little: the [`TakenAction`]. States are kept where there was more than one way to go on, and behind such places now
//! and then, so that none is tried twice.

use crate::replay_limits::ReplayLimits;
use crate::{Shortfall, Story, SystemReplay, TakenAction, TraceStep};
use lariat_base::Id;
use lariat_space::Move;
use lariat_system::reference::{Firing, PathMarks, Valuation, Wanted};
use lariat_system::{ChoiceId, Fault, LabelId, Position};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Where there are other ways to go on, one state of as many is remembered. If it turns out to lead nowhere, a way that
/// comes to it again is given up there.
const KEPT_INTERVAL: usize = 16;

/// How the actions of a step are taken.
pub(crate) struct Way {
    pub(crate) taken_actions: Vec<TakenAction>,
    /// The state that they lead to; if the last one leads nowhere, the state before it.
    last: Arc<Valuation>,
    fault: Option<Fault>,
    /// What is observed of them, if that was asked for.
    pub(crate) marks: PathMarks,
}

impl Way {
    /// Adds the step to the story.
    pub(crate) fn tell(self, story: &mut Story) {
        let last = self.taken_actions.len().saturating_sub(1);
        for (number, taken) in self.taken_actions.into_iter().enumerate() {
            story.push(taken, (number == last).then_some(&self.last));
        }
        if let Some(fault) = self.fault {
            story.end_in(fault);
        }
        story.end_step();
    }
}

/// A point inside the step.
#[derive(Clone)]
struct Point {
    state: Arc<Valuation>,
    holder: Option<Position>,
    marks: PathMarks,
}

/// A point at which there are other ways to go on.
struct Branch {
    /// How many actions lead to it.
    taken: usize,
    words: Box<[u64]>,
    holder: Option<Position>,
    marks: PathMarks,
    /// The values of choices that are still to be tried, the next one last.
    rest: Vec<Box<[i64]>>,
    /// What it takes in memory.
    bytes: u64,
}

/// The last action of a step, with what is known of it and of the step.
struct StepEnd<'s> {
    by: Move,
    known: &'s [(ChoiceId, i64)],
    step: &'s TraceStep,
    fault: Option<Fault>,
    marked: bool,
}

/// A point that leads nowhere: how many actions lead to it, its state, and the labels so far. How it can go on depends on
/// nothing else: the holder is given by the last action of the trace.
type Failed = (usize, Box<[u64]>, Vec<LabelId>);

/// The values of choices that a step gives, read action by action. Where they end, those of all further actions are open.
struct Given<'s> {
    values: Option<&'s [i64]>,
}

impl Given<'_> {
    /// Those of the next action, which has `count` choices.
    fn next(&mut self, count: usize) -> Option<Vec<(ChoiceId, i64)>> {
        let (own, others) = self.values.and_then(|values| values.split_at_checked(count)).unzip();
        self.values = others;
        own.map(|own| own.iter().enumerate().map(|(number, &value)| (ChoiceId::new(number), value)).collect())
    }
}

impl SystemReplay<'_> {
    /// Follows the actions of a step from `from`; `fault` is the run-time error it must end in, if any. `None` if it cannot
    /// be. What is observed of the way is collected if it is `marked`, or if the step says what that is.
    pub(crate) fn follow(
        &self,
        from: &Arc<Valuation>,
        step: &TraceStep,
        fault: Option<Fault>,
        marked: bool,
        limits: &mut ReplayLimits<'_>,
    ) -> Result<Option<Way>, Shortfall> {
        let Some((&last, via)) = step.via.split_last() else { return Ok(None) };
        let marked = marked || step.labels.is_some() && !self.system().labels.is_empty();
        let mut longest = 0;
        let mut follower =
            Follower { replay: self, marked, ways: Vec::new(), kept: Vec::new(), failed: HashSet::new() };
        let mut taken_actions: Vec<TakenAction> = Vec::with_capacity(step.via.len().min(1 << 16));
        let mut point = Point { state: from.clone(), holder: None, marks: PathMarks::default() };
        let mut rest: Option<Vec<Box<[i64]>>> = None;
        let mut given = Given { values: step.choices.as_deref() };
        loop {
            // What was come to: either the end, or the values of choices that are to be tried.
            let by = via.get(taken_actions.len()).copied().unwrap_or(last);
            let is_open = rest.is_none();
            let known = if is_open { given.next(self.system().actions[by.action].choices.len()) } else { None };
            let known = known.unwrap_or_default();
            let choices = if taken_actions.len() == via.len() {
                let end = StepEnd { by, known: &known, step, fault, marked };
                if let Some((taken, way)) = self.last_action(from, &taken_actions, &point, &end, limits)? {
                    taken_actions.push(taken);
                    return Ok(Some(Way { taken_actions, ..way }));
                }
                None
            } else {
                let mut rest = match rest.take() {
                    Some(rest) => rest,
                    None => follower.choices(&point, by, &known, taken_actions.len(), limits)?,
                };
                let next = rest.pop();
                if !rest.is_empty() {
                    let of_rest: usize = rest.iter().map(|choices| 40 + 8 * choices.len()).sum();
                    let bytes = (size_of::<Branch>() + 8 * self.layout.words + of_rest) as u64;
                    limits.tick(bytes)?;
                    let words = self.layout.pack(&point.state).into_boxed_slice();
                    let (holder, marks) = (point.holder, point.marks.clone());
                    follower.ways.push(Branch { taken: taken_actions.len(), words, holder, marks, rest, bytes });
                }
                next.map(|choices| TakenAction { by, choices })
            };
            let reached = match choices {
                Some(taken) => {
                    // A vector that grows is there twice.
                    limits.tick(if taken_actions.len() < longest { 0 } else { 2 * taken.bytes() })?;
                    let reached = self.after(&point, &taken.firing(), marked);
                    taken_actions.push(taken);
                    longest = longest.max(taken_actions.len());
                    reached
                }
                None => None,
            };
            match reached {
                Some(reached) if !follower.is_known_to_fail(&reached, taken_actions.len(), limits)? => point = reached,
                _ => match follower.back(limits) {
                    Some((branch, state)) => {
                        taken_actions.truncate(branch.taken);
                        point = Point { state: Arc::new(state), holder: branch.holder, marks: branch.marks };
                        rest = Some(branch.rest);
                    }
                    None => return Ok(None),
                },
            }
        }
    }

    /// Where the action leads that is not the last of its step; `None` if nobody can go on from there alone.
    fn after(&self, point: &Point, firing: &Firing, marked: bool) -> Option<Point> {
        let evaluator = self.evaluator();
        let state = Arc::new(evaluator.fire(&point.state, firing).1?);
        let holder = Some(evaluator.holder_after(firing)?);
        let marks =
            if marked { evaluator.marks_with(&point.marks, &point.state, firing) } else { PathMarks::default() };
        Some(Point { state, holder, marks })
    }

    /// The firings that can happen at the point and are the move with the choices that are known, in order; none if the step has
    /// ended before.
    fn matching(&self, point: &Point, by: Move, known: &[(ChoiceId, i64)]) -> Vec<Firing> {
        let mut firings = Vec::new();
        let _ = self.each_matching(point, by, Wanted { goal: None, choices: known }, |firing| {
            firings.push(firing);
            ControlFlow::<()>::Continue(())
        });
        firings
    }

    /// Calls `on` for the same firings, or for those of them that are wanted, until it has enough.
    fn each_matching<B>(
        &self,
        point: &Point,
        by: Move,
        wanted: Wanted<'_>,
        on: impl FnMut(Firing) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let positions: Vec<Position> = by.participants().collect();
        self.evaluator().each_firing_of(&point.state, point.holder, by.action, &positions, wanted, on)
    }

    /// A way to take the last action that leads where the step says, after `taken_actions`.
    fn last_action(
        &self,
        from: &Arc<Valuation>,
        taken_actions: &[TakenAction],
        point: &Point,
        &StepEnd { by, known, step, fault, marked }: &StepEnd<'_>,
        limits: &mut ReplayLimits<'_>,
    ) -> Result<Option<(TakenAction, Way)>, Shortfall> {
        let evaluator = self.evaluator();
        let mut fits = |firing: &Firing, is_guard: bool| -> Result<Option<Way>, Shortfall> {
            limits.tick(0)?;
            let (faults, after) = if is_guard { (Vec::new(), None) } else { evaluator.fire(&point.state, firing) };
            let fits = match (fault, &step.target, &after) {
                (Some(Fault::EndlessAtomic(action)), None, Some(after)) => {
                    action == firing.action && self.is_endless(from, taken_actions, after, firing, limits)?
                }
                (Some(Fault::EndlessAtomic(_)), None, None) => false,
                (Some(fault), None, _) => is_guard || faults.contains(&fault),
                (None, Some(target), Some(after)) => {
                    &self.layout.pack(after) == target && !self.is_transient(after, firing)
                }
                _ => false,
            };
            let marks = || evaluator.marks_with(&point.marks, &point.state, firing);
            let marks = if marked { marks() } else { PathMarks::default() };
            let is_observed = step.labels.as_ref().is_none_or(|claimed| claimed.iter().eq(&marks.labels));
            let last = after.map_or_else(|| point.state.clone(), Arc::new);
            Ok((fits && is_observed).then(|| Way { taken_actions: Vec::new(), last, fault, marks }))
        };
        let goal = match &step.target {
            Some(words) => match self.layout.try_unpack(words) {
                Some(goal) => Some(goal),
                None => return Ok(None),
            },
            None => None,
        };
        let wanted = Wanted { goal: goal.as_ref(), choices: known };
        let taken = self.each_matching(point, by, wanted, |firing| match fits(&firing, false) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(way)) => ControlFlow::Break(Ok((TakenAction::of(&firing), way))),
            Err(shortfall) => ControlFlow::Break(Err(shortfall)),
        });
        if let ControlFlow::Break(found) = taken {
            return found.map(Some);
        }
        let Some(fault) = fault else { return Ok(None) };
        for (firing, found) in evaluator.guard_faults(&point.state, point.holder) {
            if Move::from(&firing) == by
                && found == fault
                && let Some(way) = fits(&firing, true)?
            {
                return Ok(Some((TakenAction::of(&firing), way)));
            }
        }
        Ok(None)
    }

    fn is_transient(&self, state: &Valuation, last: &Firing) -> bool {
        let evaluator = self.evaluator();
        evaluator.holder_after(last).is_some_and(|holder| evaluator.firings(state, Some(holder)).1)
    }

    /// Whether the atomic sequence that goes on after `last`, which led to the state `goal`, comes back to it.
    /// `taken_actions` are the actions before, from `from` on.
    ///
    /// In a trace of ours it has just done so. Where other values of the choices led here it may be about to: then
    /// everything that the holder can still reach is looked at.
    fn is_endless(
        &self,
        from: &Arc<Valuation>,
        taken_actions: &[TakenAction],
        goal: &Valuation,
        last: &Firing,
        limits: &mut ReplayLimits<'_>,
    ) -> Result<bool, Shortfall> {
        let evaluator = self.evaluator();
        let Some(holder) = evaluator.holder_after(last) else { return Ok(false) };
        let mut state = (**from).clone();
        for taken in taken_actions {
            limits.tick(0)?;
            let firing = taken.firing();
            let Some(after) = evaluator.fire(&state, &firing).1 else { break };
            if after == *goal && evaluator.holder_after(&firing) == Some(holder) {
                return Ok(true);
            }
            state = after;
        }
        let words = |state: &Valuation| self.layout.pack(state).into_boxed_slice();
        let goal = (words(goal), holder);
        let mut seen: HashSet<(Box<[u64]>, Position)> = HashSet::new();
        let mut waiting = vec![goal.clone()];
        let row_bytes = 2 * (64 + 8 * self.layout.words as u64);
        while let Some((state, holder)) = waiting.pop() {
            let state = self.layout.unpack(&state);
            let (firings, transient) = evaluator.firings(&state, Some(holder));
            for firing in firings.iter().filter(|_| transient) {
                limits.tick(0)?;
                let next = evaluator.fire(&state, firing).1.zip(evaluator.holder_after(firing));
                match next.map(|(next, holder)| (words(&next), holder)) {
                    Some(next) if next == goal => return Ok(true),
                    Some(next) if seen.insert(next.clone()) => {
                        limits.tick(row_bytes)?;
                        waiting.push(next);
                    }
                    _ => {}
                }
            }
        }
        limits.release(row_bytes * seen.len() as u64);
        Ok(false)
    }
}

/// What is remembered while a step is followed.
struct Follower<'r, 'a> {
    replay: &'r SystemReplay<'a>,
    marked: bool,
    ways: Vec<Branch>,
    /// Points behind the first of the branches.
    kept: Vec<Failed>,
    failed: HashSet<Failed>,
}

impl Follower<'_, '_> {
    /// The values of choices with which the move can be taken at the point that `taken` actions lead to, the first one last;
    /// none if the point is known to lead nowhere.
    fn choices(
        &mut self,
        point: &Point,
        by: Move,
        known: &[(ChoiceId, i64)],
        taken: usize,
        limits: &mut ReplayLimits<'_>,
    ) -> Result<Vec<Box<[i64]>>, Shortfall> {
        let firings = self.replay.matching(point, by, known);
        let mut choices: Vec<Box<[i64]>> = firings.into_iter().map(|firing| firing.scope.choices.into()).collect();
        choices.reverse();
        let is_open = choices.len() < 2 || taken.is_multiple_of(KEPT_INTERVAL) || self.keep(point, taken, limits)?;
        Ok(if is_open { choices } else { Vec::new() })
    }

    /// Whether the point is known to lead nowhere. Of some points that is remembered.
    fn is_known_to_fail(
        &mut self,
        point: &Point,
        taken: usize,
        limits: &mut ReplayLimits<'_>,
    ) -> Result<bool, Shortfall> {
        Ok(taken.is_multiple_of(KEPT_INTERVAL) && !self.keep(point, taken, limits)?)
    }

    /// Keeps the point if there is another way to come back to, unless it is known to lead nowhere; whether it is not.
    fn keep(&mut self, point: &Point, taken: usize, limits: &mut ReplayLimits<'_>) -> Result<bool, Shortfall> {
        if self.ways.is_empty() {
            return Ok(true);
        }
        let labels = if self.marked { point.marks.labels.iter().copied().collect() } else { Vec::new() };
        let kept = (taken, self.replay.layout.pack(&point.state).into_boxed_slice(), labels);
        if self.failed.contains(&kept) {
            return Ok(false);
        }
        limits.tick((2 * size_of::<Failed>() + 8 * (kept.1.len() + kept.2.len())) as u64)?;
        self.kept.push(kept);
        Ok(true)
    }

    /// Nothing comes of the present way: the last place with another one, and its state. What was kept behind it leads
    /// nowhere.
    fn back(&mut self, limits: &mut ReplayLimits<'_>) -> Option<(Branch, Valuation)> {
        let branch = self.ways.pop()?;
        while let Some(kept) = self.kept.pop_if(|kept| kept.0 > branch.taken) {
            self.failed.insert(kept);
        }
        limits.release(branch.bytes);
        let state = self.replay.layout.unpack(&branch.words);
        Some((branch, state))
    }
}
