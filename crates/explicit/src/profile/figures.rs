//! The figures of one thread: values, and states that would be there without this or that.
//!
//! A state is hashed as the exclusive or of what its parts hold, so that the hash of a state without a variable costs one
//! operation more. Each variable has a [`Sketch`] of these: how many different ones there are is how many states there
//! would be without it. (Sketches get them mixed once more: exclusive ors of few values are too regular.) A process is
//! measured in the states it lives in; in the others nothing of it is there to be left out.

use super::memory::ProfileMemory;
use super::plan::Plan;
use super::sketch::{Sketch, mix};
use super::values::Values;
use super::variables::VariablePart;
use lariat_base::Id;
use lariat_space::State;

/// What is known of the states that a thread has met.
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
    pub(super) last_step: Vec<u64>,
    /// By variable, in the present state: its share in the hash.
    shares: Vec<u64>,
    /// The homes of the living processes, with their shares in the hash.
    living: Vec<(usize, u64)>,
}

impl Figures {
    pub(super) fn new(plan: &Plan<'_>) -> Self {
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
    pub(super) fn bytes(plan: &Plan<'_>) -> u64 {
        let word = size_of::<u64>() as u64;
        let variables = plan.variables.list.len() as u64;
        let points: usize = plan.points.iter().sum();
        (variables + 1) * (Sketch::BYTES + 8 * word)
            + plan.variables.homes() as u64 * 6 * word
            + plan.statements.len() as u64 * 3 * word
            + (2 * plan.variables.parts + points) as u64 * word
    }

    /// Takes note of a new state.
    pub(super) fn note(&mut self, plan: &Plan<'_>, state: &State, memory: &mut ProfileMemory<'_>) {
        let variables = &plan.variables;
        self.shares.fill(0);
        self.living.clear();
        let mut hash = 0;
        for part in &variables.globals {
            hash ^= self.look_at(part, state, memory).1;
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
                let (value, share) = self.look_at(part, state, memory);
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
            if self.processes[home].is_none() && memory.take(Sketch::BYTES) {
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
    fn look_at(&mut self, part: &VariablePart, state: &State, memory: &mut ProfileMemory<'_>) -> (u64, u64) {
        let value = part.value(state);
        let last = &mut self.last[part.number];
        // At the beginning nothing was held; the share of this value is never 0.
        if last.1 == 0 || last.0 != value {
            *last = (value, part.hash(value));
            self.variables[part.variable].0.add(value, memory);
        }
        let share = last.1;
        self.shares[part.variable] ^= share;
        (value, share)
    }
}
