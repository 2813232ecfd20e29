//! What depth-first searches with a stack of whole states have in common.
//!
//! One list holds the path and what waits: an *open* state is on the path; above it are, first those that wait to be gone
//! to from there, and above the one of them that is being searched, what follows on that. A state that waits is looked up
//! once more before it is gone to, as it may have been visited meanwhile.

use super::rows::{Rows, Spill};
use lariat_engine::{RunControl, Shortfall};
use lariat_space::{Outcome, Passed, State, StateSpace, Step};
use lariat_store::{Figures, Phase, Visited, hash_state};
use lariat_subject::{Cycles, StepLimits, Stop};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// On the path.
pub(crate) const OPEN: u64 = 1;
/// An accepting state that is searched for the first time.
pub(crate) const ACCEPTING: u64 = 2;
/// Where a second search began.
pub(crate) const ROOT: u64 = 4;

/// How many states are expanded between two looks at the clock.
const CHECK_INTERVAL: u32 = 64;

/// A depth-first search under way.
pub(crate) struct Descent<'a, S: StateSpace, V> {
    pub(crate) space: &'a S,
    pub(crate) control: &'a RunControl,
    pub(crate) visited: V,
    pub(crate) rows: Rows<'a>,
    /// Whether who remembers visited states may give memory up for the stack.
    pub(crate) yields: bool,
    /// Successors of a state, in the order of the steps.
    listed: Rows<'a>,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    /// How many states are on the path.
    pub(crate) open: u64,
    /// The most that were there.
    most_open: u64,
    /// Steps out of states that the first search entered.
    transitions: u64,
    /// The sum of the hashes of these states.
    digest: u64,
    since_check: u32,
    /// What was counted up to the end of the search.
    settled: Option<Counted>,
}

/// What a search has counted.
#[derive(Clone)]
pub(crate) struct Counted {
    pub(crate) figures: Figures,
    /// Steps out of states that the first search entered.
    pub(crate) transitions: u64,
    /// The sum of the hashes of these states.
    pub(crate) digest: u64,
    /// The length of the longest path.
    pub(crate) deepest: u64,
}

impl Counted {
    /// What is told about cycles.
    pub(crate) fn cycles(&self) -> Cycles {
        Cycles { transitions: self.transitions, digest: self.digest, depth: self.deepest, ..Cycles::default() }
    }
}

/// What becomes of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepOutcome {
    /// Its target waits, unless it was visited.
    Waits,
    /// It is of no interest.
    Drops,
    /// It is what the search looks for: nothing else is.
    Closes,
}

impl<'a, S: StateSpace, V: Visited> Descent<'a, S, V> {
    pub(crate) fn new(space: &'a S, visited: V, control: &'a RunControl, spill: Option<&'a Spill>) -> Self {
        let rows = |spill| Rows::new(space.words_per_state(), &control.budget, spill);
        Self {
            space,
            control,
            visited,
            rows: rows(spill),
            yields: true,
            listed: rows(None),
            scratch: space.scratch(),
            limits: StepLimits::new(control),
            open: 0,
            most_open: 0,
            transitions: 0,
            digest: 0,
            since_check: 0,
            settled: None,
        }
    }

    /// Lets all initial states wait, the first one on top.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        let Self { space, scratch, listed, .. } = self;
        as_result(space.initial(scratch, |state| as_flow(listed.push(0, state).map_err(Stop::Short))))?;
        self.let_wait()
    }

    /// Lets a state wait.
    pub(crate) fn push(&mut self, note: u64, state: &State) -> Result<(), Stop> {
        with_room(&mut self.visited, self.yields, || self.rows.push(note, state))
    }

    /// Goes on to the state that waits on top, unless it was visited in the phase: then it waits no more. Whether it went on.
    pub(crate) fn enter(&mut self, phase: Phase) -> Result<bool, Stop> {
        let (note, state) = self.rows.last().expect("a state waits");
        let new = self.visited.enter(state, phase).map_err(Stop::from)?;
        if new && phase == Phase::First {
            self.digest = self.digest.wrapping_add(hash_state(state));
        }
        if new || note & ROOT != 0 {
            self.rows.set_last_note(note | OPEN);
            self.open += 1;
            self.most_open = self.most_open.max(self.open);
            return Ok(true);
        }
        self.rows.pop().map_err(Stop::Short)?;
        Ok(false)
    }

    /// Goes back from the state on top.
    pub(crate) fn leave(&mut self, phase: Phase) -> Result<(), Stop> {
        let (_, state) = self.rows.last().expect("there is a path");
        self.visited.leave(state, phase);
        self.open -= 1;
        self.rows.pop().map_err(Stop::Short)
    }

    /// Lists the steps of the state on top, which was just entered. `meet` says what becomes of each; what waits and was
    /// not visited in the phase is let wait, the first one on top. Whether a step closes; no others are listed then.
    pub(crate) fn expand(
        &mut self,
        phase: Phase,
        mut meet: impl FnMut(&Step<'_>, &mut V) -> Result<StepOutcome, Stop>,
    ) -> Result<bool, Stop> {
        let Self { space, visited, rows, listed, scratch, limits, transitions, yields, .. } = self;
        let (_, source) = rows.last().expect("there is a path");
        let mut closes = false;
        as_result(space.steps(
            source,
            scratch,
            limits.limiting(
                |short| Some(Stop::Short(short)),
                |step| {
                    *transitions += u64::from(phase == Phase::First && matches!(step.target, Outcome::State(_)));
                    let fate = match meet(&step, visited) {
                        Ok(fate) => fate,
                        Err(stop) => return ControlFlow::Break(Some(stop)),
                    };
                    match (fate, step.target) {
                        (StepOutcome::Waits, Outcome::State(target)) => match visited.contains(target, phase) {
                            Ok(true) => ControlFlow::Continue(()),
                            Ok(false) => as_flow(with_room(visited, *yields, || listed.push(0, target))),
                            Err(full) => ControlFlow::Break(Some(full.into())),
                        },
                        (StepOutcome::Closes, _) => {
                            closes = true;
                            ControlFlow::Break(None)
                        }
                        _ => ControlFlow::Continue(()),
                    }
                },
            ),
        ))?;
        match closes {
            true => self.listed.clear(),
            false => self.let_wait()?,
        }
        self.look_around()?;
        Ok(closes)
    }

    /// Calls `see` with the states of the path, the first one first, and their notes.
    pub(crate) fn each_open(&mut self, mut see: impl FnMut(u64, &State)) -> Result<(), Shortfall> {
        for number in 0..self.rows.len() {
            let (note, state) = self.rows.row(number)?;
            if note & OPEN != 0 {
                see(note, state);
            }
        }
        Ok(())
    }

    /// Ends the search: nothing is on the path, and nothing waits.
    pub(crate) fn give_up(&mut self) {
        self.rows.clear();
        self.listed.clear();
        self.open = 0;
    }

    /// Whether the state, which was just entered, may properly end a run.
    pub(crate) fn is_proper_end(&mut self) -> bool {
        let (_, state) = self.rows.last().expect("there is a path");
        self.space.is_proper_end(state, &mut self.scratch)
    }

    /// Moves what is listed to the stack, so that the first one comes to lie on top.
    fn let_wait(&mut self) -> Result<(), Stop> {
        let Self { visited, rows, listed, yields, .. } = self;
        while let Some((note, state)) = listed.last() {
            with_room(visited, *yields, || rows.push(note, state))?;
            listed.pop().map_err(Stop::Short)?;
        }
        Ok(())
    }

    /// Tells how far the search is, and looks at the clock, now and then.
    fn look_around(&mut self) -> Result<(), Stop> {
        self.since_check += 1;
        if self.since_check < CHECK_INTERVAL {
            return Ok(());
        }
        self.since_check = 0;
        let counters = &self.control.counters;
        let figures = self.visited.figures();
        counters.states.store(figures.insertions, Ordering::Relaxed);
        let again = figures.insertions_of_each.map_or(0.0, |of_each| 1.0 - 1.0 / of_each.max(1.0));
        counters.again.store((figures.insertions as f64 * again) as u64, Ordering::Relaxed);
        counters.transitions.store(self.transitions, Ordering::Relaxed);
        counters.depth.store(self.open, Ordering::Relaxed);
        counters.waiting.store(self.rows.len() as u64 - self.open, Ordering::Relaxed);
        self.limits.check().map_err(Stop::Short)
    }

    /// The search is over and has found something, which is told whatever interrupt came before, in the time
    /// that there is for telling: what is searched for that is not counted.
    pub(crate) fn settle(&mut self) {
        self.limits.begin_reporting();
        self.settled = Some(self.counted());
    }

    /// See [`StateSpace::passed`].
    pub(crate) fn passed(&self) -> Passed {
        self.space.passed(&self.scratch)
    }

    /// What was counted.
    pub(crate) fn counted(&self) -> Counted {
        match &self.settled {
            Some(settled) => settled.clone(),
            None => Counted {
                figures: self.visited.figures(),
                transitions: self.transitions,
                digest: self.digest,
                deepest: self.most_open.saturating_sub(1),
            },
        }
    }
}

/// Tries to push. If there is no memory for it, whoever remembers visited states is asked to give some up.
fn with_room<V: Visited>(
    visited: &mut V,
    yields: bool,
    mut push: impl FnMut() -> Result<(), Shortfall>,
) -> Result<(), Stop> {
    loop {
        match push() {
            Err(Shortfall::Memory { .. }) if yields && visited.give_way() => {}
            pushed => return pushed.map_err(Stop::Short),
        }
    }
}

/// A break without a reason is the sink's own business and no reason to stop.
fn as_result(flow: ControlFlow<Option<Stop>>) -> Result<(), Stop> {
    match flow {
        ControlFlow::Break(Some(stop)) => Err(stop),
        ControlFlow::Break(None) | ControlFlow::Continue(()) => Ok(()),
    }
}

fn as_flow(result: Result<(), Stop>) -> ControlFlow<Option<Stop>> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(stop) => ControlFlow::Break(Some(stop)),
    }
}
