//! Walks through a model: runs by whole steps, each chosen by its number among what can happen.
//!
//! A [`Walk`] is a few numbers, and says where somebody is. So whoever serves several people at once keeps nothing of them: each
//! brings along the walk. The reference evaluator makes it again; the states of the walks made last are kept, so that one more
//! step costs one step.

use crate::begun::Way;
use crate::pool::{NoAnswer, with_growing_pool};
use crate::{CheckError, Model, Random, RunControl};
use lariat_base::{Diagnostic, Span, stoppable};
use lariat_engine::{Event, Story};
use lariat_subject::too_many_ways;
use lariat_system::reference::{ControlIndex, Evaluator, Firing, Outcome, RefStep, Valuation};
use lariat_system::{Fault, System};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// A walk has no more steps.
pub const MOST_STEPS: usize = 20_000;
/// No more steps are looked for in one state, with the transient states on the way.
const MOST_OFFERS: usize = 100_000;
/// So many walks are kept, if they are not too large.
const MOST_KEPT: usize = 32;
/// The states of kept walks take about as many bytes at most.
const MOST_KEPT_BYTES: usize = 256 << 20;

/// Where somebody is: the number of the initial state, and for each step its number among those of [`Walked::offers`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Walk {
    /// The number of the initial state.
    pub initial: usize,
    /// The numbers of the steps.
    pub steps: Vec<u32>,
}

/// A walk that was made.
#[derive(Debug)]
pub struct Walked {
    /// The system it is a run of.
    pub system: Arc<System>,
    /// What happens on it.
    pub story: Story,
    /// The state after each step, the initial one first. A step that ends in an error leads nowhere.
    pub states: Vec<Arc<Valuation>>,
    /// The run-time error that it ends in.
    pub ended: Option<Fault>,
    /// What can happen now.
    pub offers: Vec<RefStep>,
    /// Whether nothing can, and the run may end there.
    pub is_proper_end: bool,
}

impl Walked {
    /// After how many steps it was in its last state before, if it was.
    pub fn was_here_after(&self) -> Option<usize> {
        let (last, before) = self.states.split_last()?;
        before.iter().position(|state| state == last).filter(|_| self.ended.is_none())
    }
}

/// Why there is no such walk.
#[derive(Clone, PartialEq, Debug)]
pub enum NoWalk {
    /// It is not one of this model: there is no such step after so many steps.
    Step(usize),
    /// There is no such initial state.
    Initial,
    /// It is longer than [`MOST_STEPS`].
    TooLong,
    /// Something else.
    Error(CheckError),
}

impl std::fmt::Display for NoWalk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Step(after) => write!(f, "after {after} steps there is no step of this number"),
            Self::Initial => f.write_str("there is no initial state of this number"),
            Self::TooLong => write!(f, "a walk has at most {MOST_STEPS} steps"),
            Self::Error(error) => error.fmt(f),
        }
    }
}

impl From<CheckError> for NoWalk {
    fn from(error: CheckError) -> Self {
        Self::Error(error)
    }
}

/// A model that several people walk through.
#[derive(Debug)]
pub struct Explorer {
    model: Model,
    made: Mutex<Made>,
}

/// The system, and what was done with it.
#[derive(Debug)]
struct Made {
    system: Arc<System>,
    index: Arc<ControlIndex>,
    initial: Arc<Vec<Arc<Valuation>>>,
    /// Walks of this system, the last one first.
    kept: VecDeque<Arc<Kept>>,
}

#[derive(Debug)]
struct Kept {
    walk: Walk,
    path: Path,
    bytes: usize,
}

/// A walk in full.
#[derive(Clone, Debug, Default)]
struct Path {
    states: Vec<Arc<Valuation>>,
    /// By step, its actions.
    actions: Vec<Arc<[Firing]>>,
    ended: Option<Fault>,
}

impl Made {
    fn new(system: Arc<System>) -> Self {
        let index = Arc::new(ControlIndex::new(&system));
        let initial = Evaluator::with_index(&system, &index).initial().into_iter().map(Arc::new).collect();
        Self { system, index, initial: Arc::new(initial), kept: VecDeque::new() }
    }

    /// The longest beginning of the walk that is known.
    fn known(&self, walk: &Walk) -> Option<Path> {
        let common =
            |kept: &Kept| kept.walk.steps.iter().zip(&walk.steps).take_while(|(left, right)| left == right).count();
        let same = self.kept.iter().filter(|kept| kept.walk.initial == walk.initial);
        let (length, best) = same.map(|kept| (common(kept), kept)).max_by_key(|(length, _)| *length)?;
        let Path { states, actions, ended } = &best.path;
        Some(Path {
            states: states[..states.len().min(length + 1)].to_vec(),
            actions: actions[..length].to_vec(),
            ended: ended.filter(|_| length == actions.len()),
        })
    }

    fn keep(&mut self, walk: &Walk, path: &Path) {
        let state_bytes = |state: &Arc<Valuation>| {
            let cells = |values: &[Vec<i64>]| values.iter().map(|cells| 24 + 8 * cells.len()).sum::<usize>();
            64 + cells(&state.globals) + state.pool.iter().map(|process| 32 + cells(&process.locals)).sum::<usize>()
        };
        let bytes = path.states.iter().map(state_bytes).sum::<usize>();
        if bytes > MOST_KEPT_BYTES {
            return;
        }
        self.kept.retain(|kept| kept.walk != *walk);
        self.kept.push_front(Arc::new(Kept { walk: walk.clone(), path: path.clone(), bytes }));
        let mut total = 0;
        let mut enough = |(number, kept): (usize, &Arc<Kept>)| {
            total += kept.bytes;
            number < MOST_KEPT && total <= MOST_KEPT_BYTES
        };
        let count = self.kept.iter().enumerate().take_while(|&numbered| enough(numbered)).count();
        self.kept.truncate(count);
    }
}

impl Explorer {
    /// For walks through this model. An error if it has no initial state, or more initial states or steps than can be listed.
    pub fn new(model: Model) -> Result<Self, CheckError> {
        let system = model.system(model.first_pool_size()?).map_err(CheckError::Model)?;
        if let Some(reason) = too_many_ways(&system) {
            let way_out = "`lariat check --engine symbolic` goes through sets of states instead";
            return Err(CheckError::Refused(format!("{reason}; {way_out}")));
        }
        let made = Made::new(Arc::new(system));
        if made.initial.is_empty() {
            let message = "the model has no initial state, so it has no run";
            return Err(CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0001", message)]));
        }
        Ok(Self { model, made: Mutex::new(made) })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    fn made(&self) -> std::sync::MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The initial states, with the system they are of.
    pub fn initial(&self) -> (Arc<System>, Arc<Vec<Arc<Valuation>>>) {
        let made = self.made();
        (Arc::clone(&made.system), Arc::clone(&made.initial))
    }

    /// Makes the walk, within the limits of `control`.
    pub fn follow(&self, walk: &Walk, control: &RunControl) -> Result<Walked, NoWalk> {
        if walk.steps.len() > MOST_STEPS {
            return Err(NoWalk::TooLong);
        }
        let stopped = |shortfall| NoWalk::Error(CheckError::Short(shortfall));
        let followed = stoppable(control.preparing(), || self.follow_all(&mut walk.clone(), &mut |_| Next::End));
        followed.map_err(stopped)?
    }

    fn follow_all(&self, walk: &mut Walk, then: &mut Then<'_>) -> Result<Walked, NoWalk> {
        let own = walk.steps.len();
        let first = Arc::clone(&self.made().system);
        let make = |pool_size| self.model.system(pool_size).map_err(CheckError::Model);
        // An error of ours and one of the walk are different things.
        let (_, walked) = with_growing_pool(first, self.model.has_fixed_pool(), make, |system, may_grow| {
            self.move_to(system);
            walk.steps.truncate(own);
            match self.follow_in(walk, then, may_grow) {
                Ok(walked) => Ok(Ok(walked)),
                Err(Obstacle::PoolTooSmall) => Err(NoAnswer::PoolTooSmall),
                Err(Obstacle::NoWalk(no_walk)) => Ok(Err(no_walk)),
            }
        })?;
        walked
    }

    /// From now on this system is walked through, unless one with more room is already.
    fn move_to(&self, system: &Arc<System>) {
        let mut made = self.made();
        if made.system.pool_size < system.pool_size {
            *made = Made::new(Arc::clone(system));
        }
    }

    /// Makes the walk, and then what `then` says, which is added to it.
    fn follow_in(&self, walk: &mut Walk, then: &mut Then<'_>, may_grow: bool) -> Result<Walked, Obstacle> {
        let (system, index, initial, known) = {
            let made = self.made();
            (Arc::clone(&made.system), Arc::clone(&made.index), Arc::clone(&made.initial), made.known(walk))
        };
        let evaluator = Evaluator::with_index(&system, &index);
        let mut path = match known {
            Some(path) => path,
            None => {
                let begin = initial.get(walk.initial).ok_or(NoWalk::Initial)?;
                Path { states: vec![Arc::clone(begin)], ..Path::default() }
            }
        };
        let offers = |path: &Path| -> Result<Vec<RefStep>, Obstacle> {
            let last = path.states.last().expect("the initial state is one");
            let steps = evaluator.steps_within(last, MOST_OFFERS).ok_or_else(|| {
                let reason =
                    format!("more than {MOST_OFFERS} things can happen in one state, which are too many to list");
                NoWalk::Error(CheckError::Refused(reason))
            })?;
            let is_full = |step: &RefStep| matches!(step.outcome, Outcome::Fault(Fault::PoolFull(_)));
            if may_grow && steps.iter().any(is_full) { Err(Obstacle::PoolTooSmall) } else { Ok(steps) }
        };
        let mut last_offers = Vec::new();
        loop {
            let after = path.actions.len();
            if path.ended.is_some() && walk.steps.len() > after {
                return Err(NoWalk::Step(after).into());
            }
            if path.ended.is_some() {
                break;
            }
            let (offers, state) = (offers(&path)?, path.states.last().expect("the initial state is one"));
            let number = match walk.steps.get(after) {
                Some(&number) => number as usize,
                None => match then(Here { after, evaluator: &evaluator, state, offers: &offers }) {
                    Next::End => {
                        last_offers = offers;
                        break;
                    }
                    Next::Lost => return Err(NoWalk::Step(after).into()),
                    Next::Take(_) if after == MOST_STEPS => return Err(NoWalk::TooLong.into()),
                    Next::Take(number) => number,
                },
            };
            let step = offers.into_iter().nth(number).ok_or(NoWalk::Step(after))?;
            if after == walk.steps.len() {
                walk.steps.push(number as u32);
            }
            path.actions.push(step.path.into());
            match step.outcome {
                Outcome::State(state) => path.states.push(Arc::new(state)),
                Outcome::Fault(fault) => path.ended = Some(fault),
            }
        }
        let offers = last_offers;
        self.made().keep(walk, &path);
        let last = path.states.last().expect("the initial state is one");
        let is_proper_end = path.ended.is_none() && offers.is_empty() && evaluator.is_proper_end(last);
        let story = story(&system, &path);
        Ok(Walked { story, states: path.states, ended: path.ended, offers, is_proper_end, system: Arc::clone(&system) })
    }

    /// The walk that a run of the model is, which ends in a run-time error if one is given. The run may be one of a system with
    /// further slots. From a step on in which nothing happens it is not followed.
    pub fn walk_of(&self, story: &Story, fault: Option<Fault>, control: &RunControl) -> Result<Walk, NoWalk> {
        let begins = self.initial().1;
        let same = |own: &Arc<Valuation>| is_beginning(own, story.initial());
        let initial = begins.iter().position(same).ok_or(NoWalk::Initial)?;
        self.extended(&Walk { initial, steps: Vec::new() }, story, fault, control)
    }

    /// The walk, followed by a run that begins where it ends.
    pub fn extended(
        &self,
        walk: &Walk,
        story: &Story,
        fault: Option<Fault>,
        control: &RunControl,
    ) -> Result<Walk, NoWalk> {
        let stopped = |shortfall| NoWalk::Error(CheckError::Short(shortfall));
        let run = Run { story, fault, after: walk.steps.len() };
        let mut walk = walk.clone();
        stoppable(control.preparing(), || self.follow_all(&mut walk, &mut |here| run.next(&here)))
            .map_err(stopped)??;
        Ok(walk)
    }

    /// The walk, followed by so many random steps, or fewer if it comes to an end.
    pub fn wander(&self, walk: &Walk, steps: usize, random: &mut Random, control: &RunControl) -> Result<Walk, NoWalk> {
        let stopped = |shortfall| NoWalk::Error(CheckError::Short(shortfall));
        let most = (walk.steps.len() + steps).min(MOST_STEPS);
        let mut then = |here: Here<'_>| match here.after < most && !here.offers.is_empty() {
            true => Next::Take(random.below(here.offers.len())),
            false => Next::End,
        };
        let mut walk = walk.clone();
        stoppable(control.preparing(), || self.follow_all(&mut walk, &mut then)).map_err(stopped)??;
        Ok(walk)
    }

    /// The model whose runs begin where the walk ends.
    pub fn begun_at(&self, walk: &Walk, control: &RunControl) -> Result<Model, NoWalk> {
        let walked = self.follow(walk, control)?;
        if walked.ended.is_some() {
            let reason = "the run ends in an error here, and nothing follows; go back a step".to_owned();
            return Err(NoWalk::Error(CheckError::Refused(reason)));
        }
        let events = walked.story.events(&walked.system).filter_map(|item| {
            let event = item.event?;
            Some((event.firing, event.after?))
        });
        let way = Way {
            slots: walked.system.slots.iter().map(|slot| slot.name.clone()).collect(),
            initial: Arc::clone(&walked.states[0]),
            actions: events.collect(),
        };
        Ok(self.model.begun(way))
    }
}

/// A run that follows a walk of so many steps.
#[derive(Clone, Copy)]
struct Run<'a> {
    story: &'a Story,
    fault: Option<Fault>,
    after: usize,
}

impl Run<'_> {
    fn next(&self, here: &Here<'_>) -> Next {
        let (number, count) = (here.after - self.after, self.story.step_count());
        if number >= count || self.story.actions_of(number).is_empty() {
            return Next::End;
        }
        let actions: Vec<Firing> = self.story.actions_of(number).iter().map(|action| action.firing()).collect();
        let fault = self.fault.filter(|_| number + 1 == count);
        among(here, &actions, fault).map_or(Next::Lost, Next::Take)
    }
}

/// Where a walk has come to.
struct Here<'a> {
    /// After so many steps.
    after: usize,
    evaluator: &'a Evaluator<'a>,
    state: &'a Valuation,
    offers: &'a [RefStep],
}

/// How it goes on.
enum Next {
    /// It does not.
    End,
    /// By the step of this number.
    Take(usize),
    /// By a step that there is not.
    Lost,
}

type Then<'t> = dyn FnMut(Here<'_>) -> Next + 't;

/// The number of the step with these actions among those that can happen. Of several ways through an atomic sequence to one state
/// only the first is listed: then it is the one that leads there too.
fn among(here: &Here<'_>, actions: &[Firing], fault: Option<Fault>) -> Option<usize> {
    let Here { evaluator, state, offers, .. } = here;
    let ends = |offer: &RefStep| match (&offer.outcome, fault) {
        (Outcome::State(_), None) => true,
        (Outcome::Fault(found), Some(fault)) => *found == fault,
        _ => false,
    };
    let same = offers.iter().position(|offer| ends(offer) && is_same_path(&offer.path, actions));
    same.or_else(|| {
        let begin = Valuation::clone(state);
        let end = actions.iter().try_fold(begin, |state, firing| evaluator.fire(&state, firing).1);
        offers.iter().position(|offer| match &offer.outcome {
            Outcome::State(state) => fault.is_none() && Some(state) == end.as_ref(),
            Outcome::Fault(_) => ends(offer),
        })
    })
}

/// Why a walk is not made in a system.
enum Obstacle {
    PoolTooSmall,
    NoWalk(NoWalk),
}

impl From<NoWalk> for Obstacle {
    fn from(no_walk: NoWalk) -> Self {
        Self::NoWalk(no_walk)
    }
}

/// Whether two paths are the same, but for choices that one of them has more.
fn is_same_path(own: &[Firing], other: &[Firing]) -> bool {
    let same = |(own, other): (&Firing, &Firing)| {
        own.action == other.action
            && own.scope.positions == other.scope.positions
            && other.scope.choices.starts_with(&own.scope.choices)
    };
    own.len() == other.len() && own.iter().zip(other).all(same)
}

/// Whether a state is part of one with more slots.
fn is_beginning(own: &Valuation, other: &Valuation) -> bool {
    let same = |(own, other): (&lariat_system::reference::Instance, &lariat_system::reference::Instance)| {
        own.frame == other.frame && other.locals.starts_with(&own.locals)
    };
    other.globals.starts_with(&own.globals)
        && own.pool.len() == other.pool.len()
        && own.pool.iter().zip(&other.pool).all(same)
}

/// What happens on a path.
fn story(system: &System, path: &Path) -> Story {
    let evaluator = Evaluator::new(system);
    let mut story = Story::new(Arc::clone(&path.states[0]));
    let mut state = Arc::clone(&path.states[0]);
    for (number, actions) in path.actions.iter().enumerate() {
        let fault = path.ended.filter(|_| number + 1 == path.actions.len());
        for (place, firing) in actions.iter().enumerate() {
            let (mut faults, after) = evaluator.fire(&state, firing);
            let is_end = place + 1 == actions.len();
            faults.extend(fault.filter(|fault| is_end && !faults.contains(fault)));
            let after = after.map(Arc::new);
            let event = Event { firing: firing.clone(), before: Arc::clone(&state), after, faults };
            story.push_event(system, &event);
            if let Some(after) = &event.after {
                state = Arc::clone(after);
            }
            if let Some(fault) = fault.filter(|_| is_end) {
                story.end_in(fault);
            }
        }
        story.end_step();
    }
    story
}
