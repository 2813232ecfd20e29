//! Making a system on which a test fails as small as possible.
//!
//! Greedy: one small change after the other is tried, and kept if the system is still valid and still fails. Large
//! pieces go first (frames, actions, slots), then their parts, then ranges, then single nodes of expressions; all again
//! until nothing more can go. The result is a local minimum: no single change makes it smaller.

mod drop;
mod exprs;
mod rewrite;

use lariat_base::Id;
use lariat_system::{DeadEnds, Expr, System, Type};

/// The smallest system that can be found from `system` by single changes such that it is valid and `fails` holds of
/// it. `fails` must hold of `system` itself.
pub fn shrink(system: &System, mut fails: impl FnMut(&System) -> bool) -> System {
    let mut shrinker = Shrinker { system: system.clone(), fails: &mut fails, progress: true };
    while shrinker.progress {
        shrinker.progress = false;
        shrinker.drop_pieces();
        shrinker.drop_parts_of_actions();
        shrinker.narrow();
        shrinker.simplify_expressions();
    }
    shrinker.system
}

struct Shrinker<'f> {
    system: System,
    fails: &'f mut dyn FnMut(&System) -> bool,
    progress: bool,
}

impl Shrinker<'_> {
    /// Keeps `candidate` if it is another valid system that fails.
    fn offer(&mut self, candidate: System) -> bool {
        let good = candidate != self.system && candidate.validate().is_ok() && (self.fails)(&candidate);
        if good {
            self.system = candidate;
            self.progress = true;
        }
        good
    }

    /// Tries the change; `change` may do nothing.
    fn attempt(&mut self, change: impl FnOnce(&mut System)) -> bool {
        let mut candidate = self.system.clone();
        change(&mut candidate);
        self.offer(candidate)
    }

    /// Tries the change for every index below `count`, the last first, so that removals do not move what is to come.
    fn each(&mut self, count: usize, change: impl Fn(&mut System, usize)) {
        for index in (0..count).rev() {
            self.attempt(|system| change(system, index));
        }
    }

    fn drop_pieces(&mut self) {
        self.each(self.system.frames.len(), |system, index| drop::frame(system, Id::new(index)));
        self.each(self.system.actions.len(), |system, index| drop::action(system, Id::new(index)));
        self.each(self.system.slots.len(), |system, index| drop::slot(system, Id::new(index)));
        for frame in self.system.frames.ids() {
            let locals = self.system.frames[frame].slots.len();
            self.each(locals, |system, index| drop::local(system, frame, Id::new(index)));
            self.attempt(|system| system.frames[frame].control = None);
        }
        self.each(self.system.labels.len(), |system, index| drop::label(system, Id::new(index)));
        self.each(self.system.fairness.len(), |system, index| {
            system.fairness.remove(index);
        });
        self.each(self.system.invariants.len(), |system, index| drop(system.invariants.remove(index)));
        self.each(self.system.init.guard.len(), |system, index| drop(system.init.guard.remove(index)));
        self.each(self.system.init.updates.len(), |system, index| drop(system.init.updates.remove(index)));
        for choice in self.system.init.choices.ids().rev() {
            let range = self.system.range(self.system.init.choices[choice].ty);
            let _ = self.attempt(|system| drop::init_choice(system, choice, range.lo))
                || self.attempt(|system| drop::init_choice(system, choice, range.hi));
        }
        self.attempt(|system| system.dead_ends = DeadEnds::Stutter);
        self.attempt(|system| system.proper_end = Expr::TRUE);
        while self.system.pool_size > 0 && self.attempt(|system| system.pool_size -= 1) {}
        self.each(self.system.enums.len(), |system, index| drop::enum_type(system, Id::new(index)));
    }

    fn drop_parts_of_actions(&mut self) {
        for id in self.system.actions.ids().rev() {
            let action = self.system.actions[id].clone();
            self.each(action.guard.control.len(), |s, index| drop(s.actions[id].guard.control.remove(index)));
            self.each(action.guard.condition.len(), |s, index| drop(s.actions[id].guard.condition.remove(index)));
            self.each(action.updates.len(), |s, index| drop(s.actions[id].updates.remove(index)));
            self.each(action.traps.len(), |s, index| drop(s.actions[id].traps.remove(index)));
            self.each(action.cuts.len(), |s, index| drop(s.actions[id].cuts.remove(index)));
            self.each(action.labels.len(), |s, index| drop(s.actions[id].labels.remove(index)));
            for choice in action.choices.ids().rev() {
                let range = self.system.range(action.choices[choice].ty);
                let _ = self.attempt(|system| drop::choice(system, id, choice, range.lo))
                    || self.attempt(|system| drop::choice(system, id, choice, range.hi));
            }
            for update in 0..self.system.actions[id].updates.len() {
                self.each(8, |system, index| drop::argument(system, id, update, index));
            }
            self.attempt(|system| system.actions[id].hold = None);
            self.attempt(|system| system.actions[id].rank = Expr::Const(0));
            self.attempt(|system| system.actions[id].print = None);
            self.attempt(|system| system.actions[id].peer = None);
            self.attempt(|system| system.actions[id].trail.clear());
            self.attempt(|system| {
                system.actions[id].participants.pop();
            });
        }
    }

    /// Smaller ranges, shorter arrays.
    fn narrow(&mut self) {
        for slot in self.system.slots.ids() {
            while self.attempt(|system| drop::shorten(&mut system.slots[slot])) {}
            while self.attempt(|system| narrower(&mut system.slots[slot].ty, 0))
                || self.attempt(|system| narrower(&mut system.slots[slot].ty, 1))
            {}
        }
        for frame in self.system.frames.ids() {
            for local in self.system.frames[frame].slots.ids() {
                while self.attempt(|system| drop::shorten(&mut system.frames[frame].slots[local])) {}
                while self.attempt(|system| narrower(&mut system.frames[frame].slots[local].ty, 0))
                    || self.attempt(|system| narrower(&mut system.frames[frame].slots[local].ty, 1))
                {}
            }
        }
        for action in self.system.actions.ids() {
            for choice in self.system.actions[action].choices.ids() {
                while self.attempt(|system| narrower(&mut system.actions[action].choices[choice].ty, 0))
                    || self.attempt(|system| narrower(&mut system.actions[action].choices[choice].ty, 1))
                {
                }
            }
        }
    }
}

/// Cuts one end of an integer type: half of what lies beyond the end, or else one value.
fn narrower(ty: &mut Type, end: usize) {
    if let Type::Int { lo, hi } = ty
        && lo < hi
    {
        let wide = hi.abs_diff(*lo) > 64;
        match end {
            0 if wide => *hi /= 2,
            0 => *hi -= 1,
            _ if wide => *lo /= 2,
            _ => *lo += 1,
        }
    }
}
