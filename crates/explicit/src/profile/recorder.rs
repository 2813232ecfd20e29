//! Writing down what a search does.
//!
//! Everything here is a sum, a maximum or a union over states and steps: it does not matter which thread saw what. Which
//! action leads to a state *first* would be none of these, and is not asked.

use super::figures::Figures;
use super::memory::ProfileMemory;
use super::plan::Plan;
use super::sketch::Sketch;
use super::stopwatch::{Activity, Stopwatch};
use crate::record::Recorder;
use lariat_base::Id;
use lariat_space::{Move, State};
use lariat_store::hash_state;

/// Records what one thread does.
#[derive(Debug)]
pub(crate) struct Profiler<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) memory: ProfileMemory<'a>,
    pub(super) watch: Stopwatch,
    pub(super) states: u64,
    /// Steps offered so far.
    steps: u64,
    /// By action.
    pub(super) taken: Vec<u64>,
    /// By home.
    pub(super) taken_by: Vec<u64>,
    /// What takes much memory; nothing if there is too little.
    pub(super) figures: Option<Figures>,
    /// The statements that led to the states of the batch, each once for a state, and where those to each state end.
    via: Vec<u32>,
    ends: Vec<usize>,
}

impl<'a> Profiler<'a> {
    /// The one that those of the threads are made from; it takes no memory itself.
    pub(super) fn first(plan: &'a Plan<'a>, memory: ProfileMemory<'a>) -> Self {
        Self {
            plan,
            memory,
            watch: Stopwatch::default(),
            states: 0,
            steps: 0,
            taken: vec![0; plan.statements_of.len()],
            taken_by: vec![0; plan.variables.homes()],
            figures: None,
            via: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Recorder for Profiler<'_> {
    fn another(&self) -> Self {
        let mut another = Self::first(self.plan, self.memory.another());
        if self.plan.memory && another.memory.take(Figures::bytes(self.plan)) {
            another.figures = Some(Figures::new(self.plan));
        }
        another
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
                    figures.short |= !pushed(&mut self.via, statement as u32, &mut self.memory);
                }
            }
        }
        self.ends.push(self.via.len());
    }

    fn answered(&mut self, number: usize, state: &State, new: bool) {
        self.states += u64::from(new);
        let Some(figures) = &mut self.figures else { return };
        let hash = hash_state(state);
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        for &statement in &self.via[begin..self.ends[number]] {
            let sketch = &mut figures.leads_to[statement as usize];
            if sketch.is_none() && self.memory.take(Sketch::BYTES) {
                *sketch = Some(Sketch::new());
            }
            match sketch {
                Some(sketch) => sketch.add(hash),
                None => figures.short = true,
            }
        }
        if new {
            figures.note(self.plan, state, &mut self.memory);
        }
    }
}

/// Adds to the list, if there is memory for it; whether there was.
fn pushed(list: &mut Vec<u32>, item: u32, memory: &mut ProfileMemory<'_>) -> bool {
    if list.len() == list.capacity() {
        let more = list.len().max(1 << 10);
        // Old and new memory exist side by side for a moment.
        if !memory.take((2 * more * size_of::<u32>()) as u64) {
            return false;
        }
        list.reserve_exact(more);
    }
    list.push(item);
    true
}
