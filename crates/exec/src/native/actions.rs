//! Whole actions: participants, guard traps, choices, and the record of a firing.
//!
//! The order is that of `walk`, which does the same by bytecode.

use super::grouping::entries_of;
use super::spread::Spread;
use super::writer::{Bound, Count, Writer};
use crate::code::Op;
use crate::compile::{ActionCode, Program};
use crate::dispatch::{Receivers, StopId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder};
use lariat_system::{ActionId, FrameId};
use std::collections::BTreeMap;

/// Whether an action can be listed where states are keys: it looks for nobody at a place that is not known before, and nobody
/// is born.
pub(super) fn lists_by_keys(program: &Program, action: &ActionCode) -> bool {
    let known = |op: &Op| {
        !matches!(
            op,
            Op::LoadAt { .. }
                | Op::LoadAtCell { .. }
                | Op::StoreAt { .. }
                | Op::StoreAtCell { .. }
                | Op::Lives { .. }
                | Op::Rewind { .. }
                | Op::NextLiving { .. }
                | Op::Spawn { .. }
        )
    };
    entries_of(action).all(|entry| program.code.piece(entry).iter().all(known))
}

/// An action and its participants.
#[derive(Clone, Copy)]
pub(super) struct By {
    pub(super) action: ActionId,
    pub(super) actor: Option<Bound>,
    pub(super) peer: Option<Bound>,
}

impl Writer<'_, '_> {
    /// What the process `actor` of the frame can do, by where it stands.
    pub(super) fn process(&mut self, frame: FrameId, actor: Bound) {
        let dispatch = &self.program.dispatch;
        let (bit, mask, by_raw) = dispatch.control(frame);
        let end = self.block();
        let mut blocks: BTreeMap<StopId, Block> = BTreeMap::new();
        for &stop in by_raw {
            let busy = !dispatch.actions(stop).is_empty();
            blocks.entry(stop).or_insert_with(|| if busy { self.b.create_block() } else { end });
        }
        if mask == 0 {
            self.go(blocks[&by_raw[0]]);
        } else {
            let base = self.base(actor);
            let raw = self.raw(base, bit, mask);
            self.switch(raw, &by_raw.iter().map(|stop| blocks[stop]).collect::<Vec<_>>(), end);
        }
        for (stop, block) in blocks {
            if block != end {
                self.b.switch_to_block(block);
                match self.stop_functions.get(&stop) {
                    Some(&function) => {
                        let position = self.position_of(actor);
                        self.call(function, position);
                    }
                    None => self.at_stop(stop, actor),
                }
                self.go(end);
            }
        }
        self.b.switch_to_block(end);
    }

    /// What the process `actor` can do at a stop.
    pub(super) fn at_stop(&mut self, stop: StopId, actor: Bound) {
        self.stop = Some(stop);
        for &action in self.program.dispatch.actions(stop) {
            self.with_receivers(action, actor);
        }
    }

    /// An action of `actor`, with every receiver it may have, the youngest first.
    pub(super) fn with_receivers(&mut self, action: ActionId, actor: Bound) {
        let actor = Some(actor);
        let Some(receivers) = self.program.actions[action].receivers else {
            return self.action(By { action, actor, peer: None });
        };
        let frame = match receivers {
            Receivers::At(stop) => self.program.dispatch.stops[stop].frame,
            Receivers::Of(frame) => frame,
        };
        if let Some(positions) = Spread::fixed_positions(self.spread, frame) {
            for &position in positions.iter().rev() {
                let next = self.block();
                self.receiver(By { action, actor, peer: Some(Bound::Fixed(position)) }, frame, receivers, next);
                self.go_into(next);
            }
            return;
        }
        let cursor = self.b.declare_var(I64);
        self.b.def_var(cursor, self.count);
        let (again, end) = (self.block(), self.block());
        self.go_into(again);
        let position = self.b.use_var(cursor);
        self.require(position, end);
        let position = self.plus(position, -1);
        self.b.def_var(cursor, position);
        let peer = Some(self.bind(position));
        self.receiver(By { action, actor, peer }, frame, receivers, again);
        self.go(again);
        self.b.switch_to_block(end);
    }

    /// An action with a receiver, if the process there is one; else goes to `next`.
    fn receiver(&mut self, by: By, frame: FrameId, receivers: Receivers, next: Block) {
        let (Some(actor), Some(peer)) = (by.actor, by.peer) else { panic!("a rendezvous has two participants") };
        match (actor, peer) {
            (Bound::Fixed(actor), Bound::Fixed(peer)) => {
                if actor == peer {
                    // What follows is not reached, but belongs to some block.
                    self.go(next);
                    let unreached = self.block();
                    return self.b.switch_to_block(unreached);
                }
            }
            _ => {
                let (actor, peer) = (self.position_of(actor), self.position_of(peer));
                let other = self.b.ins().icmp(IntCC::NotEqual, actor, peer);
                self.require(other, next);
            }
        }
        if !matches!(peer, Bound::Fixed(position) if self.spread.is_permanent(position)) {
            let lives = self.is_kind(peer, frame.0 + 1);
            self.require(lives, next);
        }
        if let Receivers::At(stop) = receivers {
            let (bit, mask, by_raw) = self.program.dispatch.control(frame);
            let asked = by_raw.iter().position(|&found| found == stop).expect("a receiver's stop has a control value");
            let base = self.base(peer);
            let there = self.has_content(base, bit, mask, asked as u64);
            self.require(there, next);
        }
        self.action(by);
    }

    /// The guard traps and the firings of an action.
    pub(super) fn action(&mut self, by: By) {
        let action = &self.program.actions[by.action];
        if self.packing.is_some() && !lists_by_keys(self.program, action) {
            return self.always_misfit();
        }
        self.roles.clear();
        self.cursors.clear();
        for (role, bound) in by.actor.into_iter().chain(by.peer).enumerate() {
            self.roles.insert(role as u8, bound);
        }
        if !action.guard_traps.is_empty() {
            let next = self.block();
            self.require_entry(action.control, next);
            self.guard_traps(by, &action.guard_traps, next);
            self.go_into(next);
        }
        let end = self.block();
        let mut count = Count::Computed(self.count);
        if action.exits {
            // Only the youngest may, which tells how many there are.
            let youngest = match by.actor {
                Some(actor) => self.position_of(actor),
                None => self.constant(-1),
            };
            let all = self.plus(youngest, 1);
            let is_youngest = self.b.ins().icmp(IntCC::Equal, all, self.count);
            self.require(is_youngest, end);
            count = match by.actor {
                Some(Bound::Fixed(position)) => Count::Known(position + 1),
                Some(Bound::Moving { .. }) => count,
                None => Count::Known(0),
            };
        }
        self.next_count = count;
        self.require_entry(action.guard.before, end);
        self.choices = action.guard.choices.iter().map(|_| self.b.declare_var(I64)).collect();
        self.choice(by, 0, count);
        self.go_into(end);
    }

    /// All values of the choice numbered `at` and of those behind it, and a firing for each.
    fn choice(&mut self, by: By, at: usize, count: Count) {
        let Some(settle) = self.program.actions[by.action].guard.choices.get(at) else {
            self.next_count = count;
            return self.firing(by);
        };
        let (range, variable, end) = (settle.range, self.choices[at], self.block());
        if let Some(only) = settle.only {
            let value = self.value(only);
            let above = self.plus(value, range.lo.wrapping_neg());
            let size = self.constant(range.hi.wrapping_sub(range.lo));
            let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, above, size);
            self.require(inside, end);
            self.b.def_var(variable, value);
            self.require_entry(settle.check, end);
            self.choice(by, at + 1, count);
            return self.go_into(end);
        }
        let (again, step, more) = (self.block(), self.block(), self.block());
        let first = self.constant(range.lo);
        self.b.def_var(variable, first);
        self.go_into(again);
        self.require_entry(settle.check, step);
        self.choice(by, at + 1, count);
        self.go_into(step);
        let value = self.b.use_var(variable);
        let last = self.constant(range.hi);
        let done = self.b.ins().icmp(IntCC::Equal, value, last);
        self.branch(done, end, more);
        self.b.switch_to_block(more);
        let next = self.plus(value, 1);
        self.b.def_var(variable, next);
        self.go(again);
        self.b.switch_to_block(end);
    }

    /// The actions without participants.
    pub(super) fn nobodys(&mut self) {
        for &action in &self.program.dispatch.nobodys {
            self.action(By { action, actor: None, peer: None });
        }
    }
}
