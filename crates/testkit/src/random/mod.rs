//! Small random systems that use everything the form allows.
//!
//! A system is built top down: types, slots, frames, then actions that walk the frames' control slots and change the
//! rest. Every expression is valid by construction: an operator that could leave the allowed range is cut by a
//! [`Expr::Wrap`], and a value that does not fit its slot is folded into it. Ranges, pools and choices are kept so small
//! that most systems have between ten and a few thousand states; some have more, so callers enumerate with a limit.

mod actions;
mod channels;
mod exprs;
mod models;
mod private;

pub use channels::random_talkers;
pub use models::{CONDITIONS, random_model};
pub use private::with_private_steps;

use crate::Rng;
use exprs::Context;
use lariat_base::{Id, IdVec, Span};
use lariat_system::reference::{Evaluator, Outcome};
use lariat_system::{
    Choice, ChoiceId, DeadEnds, EnumId, EnumType, Expr, Fairness, Frame, FrameId, Interval, Label, LabelId,
    LabelMeaning, LocalId, Place, Position, Slot, SlotId, System, Type, Update, Variant, Who,
};
use std::ops::RangeInclusive;

/// How large the systems are, and what they use. The counts are upper bounds.
#[derive(Clone, Debug)]
pub struct Knobs {
    /// Slots of the system, at least one.
    pub globals: usize,
    /// Kinds of processes.
    pub frames: usize,
    /// Slots of a process beside its control slot.
    pub locals: usize,
    /// Positions of the pool.
    pub pool_size: u16,
    /// Actions beside those that every control location needs.
    pub actions: usize,
    /// Choices of one action.
    pub choices: usize,
    /// Nesting of expressions.
    pub depth: u32,
    /// Whether actions have ranks other than 0.
    pub ranks: bool,
    /// Whether atomic sequences occur.
    pub holds: bool,
    /// Whether traps occur.
    pub traps: bool,
    /// Whether processes are created and end after the beginning.
    pub dynamic: bool,
    /// Whether there are invariants.
    pub invariants: bool,
    /// Whether there are fairness constraints.
    pub fairness: bool,
    /// Of a hundred integer slots, how many have a wide range.
    pub wide_percent: usize,
    /// Of a hundred actions, how many have a twin: the same guard and updates, so that it leads between the same states,
    /// but other labels, another holder, or one more participant.
    pub twin_percent: usize,
    /// Whether expressions have halves of wide products, quotients and remainders.
    pub halves: bool,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            globals: 3,
            frames: 2,
            locals: 2,
            pool_size: 3,
            actions: 6,
            choices: 2,
            depth: 3,
            ranks: true,
            holds: true,
            traps: true,
            dynamic: true,
            invariants: true,
            fairness: true,
            wide_percent: 8,
            twin_percent: 0,
            halves: false,
        }
    }
}

/// The source of random systems.
#[derive(Clone, Copy, Debug)]
pub struct RandomSystem;

impl RandomSystem {
    /// The system of `seed`. It is valid; the same seed and knobs give the same system. Most have several states; a few
    /// have none or one, because those are cases too.
    pub fn generate(seed: u64, knobs: &Knobs) -> System {
        let mut rng = Rng::new(seed);
        // A few dull ones are wanted too, and larger ones would be rare if they came by luck alone.
        let wanted_states = *rng.pick(&[0, 0, 5, 12, 12, 12, 30, 30, 60, 60, 100, 100]);
        let mut best = Builder::new(Rng::new(rng.next_u64()), knobs).build(seed);
        let mut best_states = count_states(&best, wanted_states);
        for _ in 0..30 {
            if best_states >= wanted_states {
                break;
            }
            let system = Builder::new(Rng::new(rng.next_u64()), knobs).build(seed);
            let states = count_states(&system, wanted_states);
            if states > best_states {
                (best, best_states) = (system, states);
            }
        }
        best
    }

    /// The first system of `seed` that comes: made much faster, and often of a state or two.
    pub fn any(seed: u64, knobs: &Knobs) -> System {
        Builder::new(Rng::new(seed), knobs).build(seed)
    }

    /// A system of `seed` that has this many reachable states; `None` if none of a few tries has.
    pub fn of_size(seed: u64, knobs: &Knobs, states: RangeInclusive<usize>) -> Option<System> {
        let mut rng = Rng::new(seed);
        let mut tries = (0..50).map(|_| Builder::new(Rng::new(rng.next_u64()), knobs).build(seed));
        tries.find(|system| states.contains(&count_states(system, states.end() + 1)))
    }
}

/// The number of states, counted until there are at least `enough`.
fn count_states(system: &System, enough: usize) -> usize {
    let evaluator = Evaluator::new(system);
    let mut seen = evaluator.initial();
    let mut next = 0;
    while next < seen.len() && seen.len() < enough {
        for step in evaluator.steps(&seen[next].clone()) {
            if let Outcome::State(target) = step.outcome
                && !seen.contains(&target)
            {
                seen.push(target);
            }
        }
        next += 1;
    }
    seen.len()
}

/// A system in the making.
struct Builder<'k> {
    rng: Rng,
    knobs: &'k Knobs,
    system: System,
}

impl<'k> Builder<'k> {
    fn new(rng: Rng, knobs: &'k Knobs) -> Self {
        Self { rng, knobs, system: System::empty("") }
    }

    fn build(mut self, seed: u64) -> System {
        self.system.name = format!("random {seed}");
        self.enums();
        self.globals();
        self.frames();
        self.init();
        self.labels();
        self.actions();
        if self.knobs.twin_percent > 0 {
            self.twins();
        }
        if self.knobs.invariants && self.rng.chance(35) {
            self.invariants();
        }
        if self.knobs.fairness && self.rng.chance(50) {
            self.fairness();
        }
        if self.rng.chance(30) {
            self.system.dead_ends = DeadEnds::Cut;
        }
        if self.rng.chance(60) {
            self.system.proper_end = self.truth(2, &mut Context::default());
        }
        self.system
    }

    fn enums(&mut self) {
        for number in 0..self.rng.below(3) {
            let lo = self.rng.between(-2, 2);
            let hi = lo + self.rng.between(0, 3);
            let named = (lo..=hi).filter(|_| self.rng.chance(80)).collect::<Vec<_>>();
            let variants = named
                .into_iter()
                .enumerate()
                .map(|(index, value)| Variant { name: format!("V{number}_{index}"), value })
                .collect();
            self.system.enums.push(EnumType { name: format!("E{number}"), lo, hi, variants });
        }
    }

    fn ty(&mut self) -> Type {
        match self.rng.below(10) {
            0..3 => Type::Bool,
            3..8 => {
                let lo = self.rng.between(-2, 1);
                Type::Int { lo, hi: lo + self.rng.between(0, 3) }
            }
            _ if self.system.enums.is_empty() => Type::Int { lo: 0, hi: 2 },
            _ => Type::Enum(EnumId::new(self.rng.below(self.system.enums.len()))),
        }
    }

    fn slot(&mut self, name: String) -> Slot {
        let ty = match self.ty() {
            Type::Int { .. } if self.rng.chance(self.knobs.wide_percent) => *self.rng.pick(&[
                Type::Int { lo: -(1 << 31), hi: (1 << 31) - 1 },
                Type::Int { lo: 0, hi: 255 },
                Type::Int { lo: -1000, hi: 1 << 40 },
                Type::Int { lo: 5, hi: 5 },
            ]),
            ty => ty,
        };
        let range = self.system.range(ty);
        let hi = range.hi.min(range.lo.max(-4) + 7).max(range.lo);
        let lo = range.lo.max(-4).min(hi);
        let mut slot = Slot::new(name, ty, self.rng.between(lo, hi));
        if self.rng.chance(25) {
            let len = 1 + self.rng.below(3);
            slot.len = Some(len as u32);
            if self.rng.chance(50) {
                slot.initial = (0..len).map(|_| self.rng.between(lo, hi)).collect();
            }
        }
        slot.shown = self.rng.chance(80);
        slot
    }

    fn globals(&mut self) {
        for number in 0..1 + self.rng.below(self.knobs.globals.max(1)) {
            let name = match self.rng.below(6) {
                0 => format!("m.g{number}"),
                1 => format!("g {number}\"\\"),
                _ => format!("g{number}"),
            };
            let slot = self.slot(name);
            self.system.slots.push(slot);
        }
    }

    fn frames(&mut self) {
        if self.knobs.frames == 0 || self.knobs.pool_size == 0 {
            return;
        }
        let few = if self.rng.chance(15) { 0 } else { 1 };
        for number in 0..few + self.rng.below(self.knobs.frames + 1 - few) {
            let mut slots = IdVec::<LocalId, Slot>::new();
            let mut control = None;
            let locals = self.rng.below(self.knobs.locals + 1);
            let control_at = if self.rng.chance(88) { self.rng.below(locals + 1) } else { usize::MAX };
            for local in 0..=locals {
                if local == control_at {
                    let hi = self.rng.between(1, 3);
                    control = Some(slots.push(Slot::new("pc", Type::Int { lo: 0, hi }, 0).hidden()));
                } else if local < locals || control_at < locals {
                    let slot = self.slot(format!("v{local}"));
                    slots.push(slot);
                }
            }
            self.system.frames.push(Frame { name: format!("P{number}"), slots, control, span: Span::NONE });
        }
        if !self.system.frames.is_empty() {
            let most = usize::from(self.knobs.pool_size);
            self.system.pool_size = (1 + self.rng.below(most)).max(1 + self.rng.below(most)) as u16;
        }
    }

    fn choices(&mut self) -> IdVec<ChoiceId, Choice> {
        let count = if self.rng.chance(60) { 0 } else { self.rng.below(self.knobs.choices + 1) };
        (0..count).map(|number| Choice { name: format!("c{number}"), ty: self.ty() }).collect()
    }

    fn init(&mut self) {
        self.system.init.choices = self.choices();
        let mut context = Context::new(Vec::new(), &self.system.init.choices);
        for _ in 0..self.rng.below(3) {
            let place = self.place(1, &mut context);
            let range = self.system.range(self.system.slot_of(&place, &[]).ty);
            let value = self.value_for(range, 2, &mut context);
            self.system.init.updates.push(Update::Set(place, value));
        }
        if !self.system.frames.is_empty() {
            let full = usize::from(self.system.pool_size);
            for _ in 0..full.min(1 + self.rng.below(3)) {
                let spawn = self.spawn(&mut context);
                self.system.init.updates.push(spawn);
            }
        }
        if self.rng.chance(25) {
            let conjunct = self.truth(1, &mut context);
            self.system.init.guard.push(conjunct);
            if self.rng.chance(80) && Evaluator::new(&self.system).initial().is_empty() {
                self.system.init.guard.clear();
            }
        }
    }

    fn labels(&mut self) {
        for number in 0..self.rng.below(5) {
            let meaning = match self.rng.below(6) {
                0 if self.system.pool_size > 0 => {
                    let position = self.rng.below(usize::from(self.system.pool_size)) as Position;
                    if number == 2 { LabelMeaning::Acting(position) } else { LabelMeaning::By(position) }
                }
                0..3 => LabelMeaning::Step,
                _ => LabelMeaning::State(self.truth(2, &mut Context::default())),
            };
            let name = if self.rng.chance(20) { format!("l {number}") } else { format!("l{number}") };
            self.system.labels.push(Label { name, meaning, span: Span::NONE });
        }
    }

    fn invariants(&mut self) {
        for _ in 0..1 + self.rng.below(2) {
            let weak = self.truth(1, &mut Context::default());
            let invariant = match self.rng.below(3) {
                0 => weak,
                1 => weak.or(self.truth(2, &mut Context::default())),
                _ => weak.and(self.truth(1, &mut Context::default())).negated(),
            };
            self.system.invariants.push(invariant);
        }
        let dead = |system: &System| {
            let evaluator = Evaluator::new(system);
            evaluator.initial().iter().all(|state| evaluator.steps(state).is_empty())
        };
        if self.rng.chance(95) && dead(&self.system) {
            self.system.invariants.clear();
        }
    }

    fn fairness(&mut self) {
        for _ in 0..1 + self.rng.below(3) {
            let (labels, actions) = (self.system.labels.len(), self.system.actions.len());
            let (pool, strong) = (usize::from(self.system.pool_size), self.rng.chance(50));
            let constraint = match self.rng.below(4) {
                0 if labels > 0 => Fairness::justice(LabelId::new(self.rng.below(labels))),
                1 if labels > 0 => {
                    let label = LabelId::new(self.rng.below(labels));
                    Fairness::compassion(label, LabelId::new(self.rng.below(labels)))
                }
                _ => {
                    let who = if pool > 0 && self.rng.chance(60) {
                        Who::Process(self.rng.below(pool) as Position)
                    } else {
                        let meant = self.system.actions.ids().filter(|id| id.index() % (actions.min(3)) == 0);
                        let meant: Vec<_> = meant.collect();
                        Who::Steps(self.system.label_actions(format!("fair{labels}"), &meant))
                    };
                    if strong { Fairness::strong(who) } else { Fairness::weak(who) }
                }
            };
            self.system.fairness.push(constraint);
        }
    }

    /// A cell of a slot that can be named in the context; the index, if there is one, may lie outside.
    fn place(&mut self, depth: u32, context: &mut Context) -> Place {
        let roles = context.roles.len();
        let remote = !self.system.frames.is_empty() && self.rng.chance(15);
        let (place, is_array) = if remote {
            let frame = FrameId::new(self.rng.below(self.system.frames.len()));
            match self.local_of(frame) {
                Some(local) => {
                    let position = self.position(depth, context);
                    let owner = lariat_system::Owner::At(frame, local, Box::new(position));
                    (Place { owner, index: None }, self.system.frames[frame].slots[local].len.is_some())
                }
                None => self.global_place(),
            }
        } else if roles > 0 && self.rng.chance(50) {
            let role = self.rng.below(roles);
            let frame = context.roles[role];
            match self.local_of(frame) {
                Some(local) => (
                    Place::local(lariat_system::Role(role as u8), local),
                    self.system.frames[frame].slots[local].len.is_some(),
                ),
                None => self.global_place(),
            }
        } else {
            self.global_place()
        };
        if is_array {
            let index = if self.rng.chance(50) {
                Expr::Const(self.rng.between(-1, 3))
            } else {
                self.number(depth.saturating_sub(1), context)
            };
            place.at(index)
        } else {
            place
        }
    }

    fn global_place(&mut self) -> (Place, bool) {
        let slot = SlotId::new(self.rng.below(self.system.slots.len()));
        (Place::global(slot), self.system.slots[slot].len.is_some())
    }

    fn local_of(&mut self, frame: FrameId) -> Option<LocalId> {
        let count = self.system.frames[frame].slots.len();
        (count > 0).then(|| LocalId::new(self.rng.below(count)))
    }

    /// A value that always lies in `range`.
    fn value_for(&mut self, range: Interval, depth: u32, context: &mut Context) -> Expr {
        if range.count() > 16 || self.rng.chance(25) {
            // Few values, or a wide slot would make a large state space.
            let lo = range.lo.max(-3).min(range.hi);
            let hi = range.hi.min(lo + 3);
            let one = Expr::Const(self.rng.between(lo, hi));
            return match self.rng.below(3) {
                0 => self.truth(1, context).ite(one, Expr::Const(self.rng.between(lo, hi))),
                1 if range.count() > 16 => Expr::Const(*self.rng.pick(&[range.lo, range.hi])),
                _ => one,
            };
        }
        let value = self.number(depth, context);
        self.fitted(value, range, context)
    }

    /// The next value of the cell, round and round.
    fn next_value(&mut self, place: &Place, range: Interval, context: &mut Context) -> Expr {
        let next = place.clone().read().plus(Expr::Const(if range.lo == 0 { 1 } else { 1 - range.lo }));
        self.fitted(next, range, context)
    }
}
