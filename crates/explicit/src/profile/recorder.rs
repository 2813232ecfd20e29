//! Writing down what a search does.
//!
//! A state is hashed as the exclusive or of what its parts hold, so that the hash of a state without a variable costs one
//! operation more. (Sketches get it mixed once more: exclusive ors of few values are too regular for them.) Each variable has a [`Sketch`] of these: how many different ones there are is how many states there
//! would be without it. A process is measured in the states it lives in; in the others nothing of it is there to be left
//! out.
//!
//! Everything here is a sum, a maximum or a union over states and steps: it does not matter which thread saw what.

use super::plan::Plan;
use super::purse::Paid;
use super::sketch::{Sketch, mix};
use super::stopwatch::{Activity, Stopwatch};
use super::values::Values;
use crate::profile::variables::Part;
use crate::record::Recorder;
use lariat_base::Id;
use lariat_space::{Move, State};

/// Records what one thread does.
#[derive(Debug)]
pub(crate) struct Profiler<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) paid: Paid<'a>,
    pub(super) watch: Stopwatch,
    pub(super) states: u64,
    /// Steps offered so far.
    steps: u64,
    /// By action.
    pub(super) taken: Vec<u64>,
    /// By home.
    pub(super) taken_by: Vec<u64>,
    pub(super) figures: Option<Figures>,
    /// The statements that led to the states of the batch, each once for a state, and where those to each state end.
    via: Vec<u32>,
    ends: Vec<usize>,
}

/// What takes much memory; none of it if there is too little.
#[derive(Debug)]
pub(super) struct Figures {
    /// By variable: its values, and the states without it.
    pub(super) variables: Vec<(Values, Sketch)>,
    /// By home: in how many states a process lives there, and those states without it.
    pub(super) processes: Vec<Option<(u64, Sketch)>>,
    /// By statement: the states that it leads to.
    pub(super) leads_to: Vec<Option<Sketch>>,
    /// States in which some process stands at a private place; and by frame and place, how many stand there.
    pub(super) private_states: u64,
    pub(super) private: Vec<Vec<u64>>,
    /// The states without stale values; and by variable, how many processes keep one.
    pub(super) without_stale: Sketch,
    pub(super) stale: Vec<u64>,
    /// Whether something could not be measured for want of memory.
    pub(super) short: bool,
    /// By part: what it held last, and its share in the hash. States that follow each other are mostly alike.
    last: Vec<(u64, u64)>,
    /// By statement: the last step that it was on.
    last_step: Vec<u64>,
    /// By variable, in the present state: its share in the hash.
    shares: Vec<u64>,
    /// The homes of the living processes, with their shares in the hash.
    living: Vec<(usize, u64)>,
}

impl<'a> Profiler<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, mut paid: Paid<'a>) -> Self {
        let figures = (plan.paid && paid.take(Figures::bytes(plan))).then(|| Figures::new(plan));
        Self {
            plan,
            paid,
            watch: Stopwatch::default(),
            states: 0,
            steps: 0,
            taken: vec![0; plan.statements_of.len()],
            taken_by: vec![0; plan.variables.homes()],
            figures,
            via: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Recorder for Profiler<'_> {
    fn another(&self) -> Self {
        Self::new(self.plan, self.paid.another())
    }
    fn recalling(&mut self) {
        self.watch.turn_to(Activity::Recalling);
    }
    fn expanding(&mut self) {
        self.watch.turn_to(Activity::Expanding);
        self.via.clear();
        self.ends.clear();
    }
    fn probing(&mut self) {
        self.watch.turn_to(Activity::Probing);
    }
    fn noting(&mut self) {
        self.watch.turn_to(Activity::Noting);
    }
    fn resting(&mut self) {
        self.watch.turn_to(Activity::Resting);
    }

    fn offered(&mut self, via: &[Move]) {
        self.steps += 1;
        for step in via {
            self.taken[step.action.index()] += 1;
            let frames = &self.plan.system.actions[step.action].participants;
            for (position, frame) in step.participants().zip(frames) {
                self.taken_by[self.plan.variables.home(usize::from(position), *frame)] += 1;
            }
            let Some(figures) = &mut self.figures else { continue };
            for &statement in &self.plan.statements_of[step.action.index()] {
                // An atomic sequence can be long, and mostly goes round in a loop.
                if std::mem::replace(&mut figures.last_step[statement], self.steps) != self.steps {
                    figures.short |= !pushed(&mut self.via, statement as u32, &mut self.paid);
                }
            }
        }
        self.ends.push(self.via.len());
    }

    fn answered(&mut self, number: usize, state: &State, hash: u64, new: bool) {
        self.states += u64::from(new);
        let Some(figures) = &mut self.figures else { return };
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        for &statement in &self.via[begin..self.ends[number]] {
            let sketch = &mut figures.leads_to[statement as usize];
            if sketch.is_none() && self.paid.take(Sketch::BYTES) {
                *sketch = Some(Sketch::new());
            }
            match sketch {
                Some(sketch) => sketch.add(hash),
                None => figures.short = true,
            }
        }
        if new {
            figures.note(self.plan, state, &mut self.paid);
        }
    }
}

/// Adds to the list, if there is memory for it; whether there was.
fn pushed(list: &mut Vec<u32>, item: u32, paid: &mut Paid<'_>) -> bool {
    if list.len() == list.capacity() {
        let more = list.len().max(1 << 10);
        // Old and new memory exist side by side for a moment.
        if !paid.take((2 * more * size_of::<u32>()) as u64) {
            return false;
        }
        list.reserve_exact(more);
    }
    list.push(item);
    true
}

impl Figures {
    fn new(plan: &Plan<'_>) -> Self {
        let variables = plan.variables.list.len();
        Self {
            variables: (0..variables).map(|_| (Values::default(), Sketch::new())).collect(),
            processes: (0..plan.variables.homes()).map(|_| None).collect(),
            leads_to: plan.statements.iter().map(|_| None).collect(),
            private_states: 0,
            private: plan.points.iter().map(|&points| vec![0; points]).collect(),
            without_stale: Sketch::new(),
            stale: vec![0; variables],
            short: false,
            last: vec![(u64::MAX, 0); plan.variables.parts],
            last_step: vec![0; plan.statements.len()],
            shares: vec![0; variables],
            living: Vec::new(),
        }
    }

    /// What it takes of memory at the beginning.
    fn bytes(plan: &Plan<'_>) -> u64 {
        let word = size_of::<u64>() as u64;
        let variables = plan.variables.list.len() as u64;
        let points: usize = plan.points.iter().sum();
        (variables + 1) * (Sketch::BYTES + 8 * word)
            + plan.variables.homes() as u64 * 6 * word
            + plan.statements.len() as u64 * 3 * word
            + (2 * plan.variables.parts + points) as u64 * word
    }

    /// Takes note of a new state.
    fn note(&mut self, plan: &Plan<'_>, state: &State, paid: &mut Paid<'_>) {
        let variables = &plan.variables;
        self.shares.fill(0);
        self.living.clear();
        let mut hash = 0;
        for part in &variables.globals {
            hash ^= self.look_at(part, state, paid).1;
        }
        let (mut stale_hash, mut rests_in_private) = (0, false);
        for position in 0..variables.layout.positions {
            let Some(frame) = variables.layout.frame_at(state, position) else { break };
            let home = variables.home(position, frame);
            let control = plan.control[frame.index()];
            let parts = &variables.locals[home];
            let point = parts.iter().find(|part| part.local == control).map(|part| part.value(state));
            let point = point.filter(|_| control.is_some());
            let stale = point.map_or(&[][..], |point| plan.places.stale(frame, point));
            let mut own = 0;
            for part in parts {
                let (value, share) = self.look_at(part, state, paid);
                hash ^= share;
                if let Some(local) = part.local {
                    own ^= share;
                    if stale.contains(&local) {
                        stale_hash ^= share;
                        self.stale[part.variable] += u64::from(value != plan.initial[frame.index()][local.index()]);
                    }
                }
            }
            // That a process is there can be seen even of one that has no variables.
            hash ^= mix(!(home as u64));
            self.living.push((home, own));
            if let Some(point) = point.filter(|&point| plan.places.is_private(frame, point)) {
                rests_in_private = true;
                self.private[frame.index()][point as usize] += 1;
            }
        }
        self.private_states += u64::from(rests_in_private);
        for ((_, without), share) in self.variables.iter_mut().zip(&self.shares) {
            without.add(mix(hash ^ share));
        }
        self.without_stale.add(mix(hash ^ stale_hash));
        for &(home, share) in &self.living {
            if self.processes[home].is_none() && paid.take(Sketch::BYTES) {
                self.processes[home] = Some((0, Sketch::new()));
            }
            match &mut self.processes[home] {
                Some((lives_in, without)) => {
                    *lives_in += 1;
                    without.add(mix(hash ^ share));
                }
                None => self.short = true,
            }
        }
    }

    /// What a part holds, and its share in the hash of the state.
    fn look_at(&mut self, part: &Part, state: &State, paid: &mut Paid<'_>) -> (u64, u64) {
        let value = part.value(state);
        let last = &mut self.last[part.number];
        // At the beginning nothing was held; the share of this value is never 0.
        if last.1 == 0 || last.0 != value {
            *last = (value, part.hash(value));
            self.variables[part.variable].0.add(value, paid);
        }
        let share = last.1;
        self.shares[part.variable] ^= share;
        (value, share)
    }
}
