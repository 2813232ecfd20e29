//! Records: what a firing leaves behind, and what guard traps do.

use super::actions::By;
use super::call::environment;
use super::chains::Mode;
use super::update::Outcome;
use super::writer::{Bound, Source, Target, Writer, plain};
use crate::code::{Entry, Op};
use crate::compile::{ActionCode, Rank, TrapCode};
use crate::head::Head;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Variable;
use lariat_space::Move;
use lariat_system::{ActionId, Position, Role};

impl Writer<'_, '_> {
    /// The record of the guard traps that hold; goes to `none` if none does.
    pub(super) fn guard_traps(&mut self, by: By, traps: &[TrapCode], none: Block) {
        if let Mode::Select { give_up, .. } = self.mode {
            for trap in traps {
                let no = self.block();
                self.branch_entry(trap.condition, give_up, no);
                self.b.switch_to_block(no);
            }
            return;
        }
        self.require_room();
        let masks = self.bits(traps.iter().map(|trap| trap.condition));
        let any = self.any(&masks);
        self.require(any, none);
        self.store_all(&masks, self.shape.traps);
        let one = self.constant(1);
        let environment = self.environment;
        self.b.ins().store(plain(), one, environment, environment::GUARD_TRAPS);
        let (head, no_hops) = (self.head(by, Head::GUARD | Head::TRAPPED), self.constant(0));
        self.store(no_hops, self.shape.hops);
        self.store(head, 0);
        self.advance();
    }

    /// The record of a firing whose guard holds.
    pub(super) fn firing(&mut self, by: By) {
        if let Mode::Select { selected, number, simple, give_up } = self.mode {
            return self.select_firing(selected, number, simple, give_up);
        }
        let action = &self.program.actions[by.action];
        let end = self.block();
        let rank = self.rank(action, end);
        self.require_room();
        let outcome = self.b.declare_var(I64);
        if let Some(invariants) = self.program.invariants {
            self.update_in_memory(action.update, outcome);
            self.require_invariants(invariants, outcome, end);
        }
        let commit = self.block();
        let traps = self.effect_traps(&action.effect_traps, outcome, commit);
        let (mut known, mut hops) = (None, None);
        if self.program.invariants.is_none() {
            let (again, tried) = (self.block(), self.b.declare_var(I64));
            let mut skip = self.b.ins().load(I64, plain(), self.environment, environment::NO_CHAINS);
            if !traps.is_empty() {
                let any = self.any(&traps);
                skip = self.b.ins().bor(skip, any);
            }
            self.b.def_var(tried, skip);
            self.go_into(again);
            known = match self.update(action.update, outcome) {
                Outcome::Known(flags) => Some(flags),
                Outcome::Computed => None,
            };
            hops = self.stop.and_then(|stop| self.follow_chain(by, stop, again, tried));
        }
        self.go_into(commit);
        if self.packing.is_none() {
            let labels = self.bits(action.label_conditions.iter().map(|&(_, condition)| condition));
            self.store_all(&labels, self.shape.labels);
        }
        self.store_all(&traps, self.shape.traps);
        if let Some(rank) = rank {
            self.store(rank, self.shape.rank);
            self.b.ins().store(plain(), rank, self.environment, environment::LEAST);
        }
        let mut head = match known {
            Some(flags) if traps.is_empty() => self.head(by, flags),
            _ => {
                let head = self.head(by, 0);
                let outcome = self.b.use_var(outcome);
                self.b.ins().bor(head, outcome)
            }
        };
        if !traps.is_empty() {
            let any = self.any(&traps);
            let (trapped, zero) = (self.constant(Head::TRAPPED as i64), self.constant(0));
            let trapped = self.b.ins().select(any, trapped, zero);
            head = self.b.ins().bor(head, trapped);
        }
        let zero = self.constant(0);
        let mut taken = zero;
        if let Some(hops) = hops {
            // At the end of a chain nobody holds.
            let hops = self.b.use_var(hops);
            let followed = self.is(IntCC::SignedGreaterThanOrEqual, hops, 0);
            let free = self.b.ins().band_imm_s(head, !Head::ACTOR_HOLDS as i64);
            head = self.b.ins().select(followed, free, head);
            taken = self.b.ins().select(followed, hops, zero);
        }
        self.store(taken, self.shape.hops);
        self.note_rivals(by);
        let always_plain = traps.is_empty() && action.hold.is_none() && self.always_leads_on(action.update);
        if !always_plain {
            let plain_or_not = self.b.ins().band_imm_s(head, Head::NOT_JUST_A_STEP as i64);
            let special = self.b.ins().bxor_imm_s(plain_or_not, Head::LEADS_ON as i64);
            let known = self.b.ins().load(I64, plain(), self.environment, environment::SPECIAL);
            let special = self.b.ins().bor(known, special);
            self.b.ins().store(plain(), special, self.environment, environment::SPECIAL);
        }
        self.store(head, 0);
        self.advance();
        self.go_into(end);
    }

    /// Whether there is a next state after the update, whatever the state before.
    fn always_leads_on(&self, update: Entry) -> bool {
        let spawns = self.program.code.piece(update).iter().any(|op| matches!(op, Op::Spawn { .. }));
        !spawns && self.program.invariants.is_none()
    }

    /// Says so if this is not the first firing of the process that leaves it the holder, all others aside.
    fn note_rivals(&mut self, by: By) {
        let (program, Some(stop)) = (self.program, self.stop) else { return };
        let holds = |action: &ActionId| {
            let code = &program.actions[*action];
            code.hold == Some(Role::ACTOR) && code.receivers.is_none()
        };
        let rivals = || program.dispatch.actions(stop).iter().filter(|action| holds(action));
        let only = rivals().count() == 1 && rivals().all(|action| program.actions[*action].guard.choices.is_empty());
        if self.chain_function.is_none() || !holds(&by.action) || only {
            return;
        }
        let before = self.b.use_var(self.holds);
        let known = self.b.ins().load(I64, plain(), self.environment, environment::RIVALS);
        let now = self.b.ins().bor(known, before);
        self.b.ins().store(plain(), now, self.environment, environment::RIVALS);
        let one = self.constant(1);
        self.b.def_var(self.holds, one);
    }

    /// The rank of the action where ranks differ; goes to `end` if there is a smaller one.
    fn rank(&mut self, action: &ActionCode, end: Block) -> Option<Value> {
        if self.program.common_rank.is_some() {
            return None;
        }
        let rank = match action.rank {
            Rank::Const(rank) => self.constant(rank),
            Rank::Code(entry) => self.value(entry),
        };
        let least = self.b.ins().load(I64, plain(), self.environment, environment::LEAST);
        let matters = self.b.ins().icmp(IntCC::SignedLessThanOrEqual, rank, least);
        self.require(matters, end);
        Some(rank)
    }

    /// Asks the invariants of the next state, if there is one; goes to `no` if they do not hold.
    fn require_invariants(&mut self, invariants: Entry, outcome: Variable, no: Block) {
        let (ask, kept) = (self.block(), self.block());
        let found = self.b.use_var(outcome);
        let full = self.is(IntCC::Equal, found, Head::FULL as i64);
        self.branch(full, kept, ask);
        self.b.switch_to_block(ask);
        let Target::Memory(pointer) = std::mem::replace(&mut self.target, Target::None) else {
            panic!("the next state is in memory")
        };
        let (count, source) = (self.count, self.source);
        self.source = Source { pointer, flags: plain() };
        let count_now = self.b.ins().ushr_imm_u(found, i64::from(Head::COUNT));
        self.count = self.b.ins().band_imm_s(count_now, 0xff);
        self.branch_entry(invariants, kept, no);
        (self.count, self.source) = (count, source);
        self.b.switch_to_block(kept);
    }

    /// Which effect traps hold, up to the first that stops; that one goes to `stopped` with no outcome.
    fn effect_traps(&mut self, traps: &[TrapCode], outcome: Variable, stopped: Block) -> Vec<Variable> {
        let masks = self.masks(traps.len());
        for (number, trap) in traps.iter().enumerate() {
            let (yes, no) = (self.block(), self.block());
            self.branch_entry(trap.condition, yes, no);
            self.b.switch_to_block(yes);
            self.b.set_cold_block(yes);
            self.set_bit(&masks, number);
            if trap.stops() {
                let nothing = self.constant(0);
                self.b.def_var(outcome, nothing);
                self.go(stopped);
            } else {
                self.go(no);
            }
            self.b.switch_to_block(no);
        }
        masks
    }

    /// The conditions that hold, as bits.
    fn bits(&mut self, conditions: impl ExactSizeIterator<Item = Entry>) -> Vec<Variable> {
        let masks = self.masks(conditions.len());
        for (number, condition) in conditions.enumerate() {
            let (yes, no) = (self.block(), self.block());
            self.branch_entry(condition, yes, no);
            self.b.switch_to_block(yes);
            self.set_bit(&masks, number);
            self.go_into(no);
        }
        masks
    }
    pub(super) fn masks(&mut self, bits: usize) -> Vec<Variable> {
        let zero = |writer: &mut Self| {
            let (variable, zero) = (writer.b.declare_var(I64), writer.constant(0));
            writer.b.def_var(variable, zero);
            variable
        };
        (0..bits.div_ceil(64)).map(|_| zero(self)).collect()
    }
    pub(super) fn set_bit(&mut self, masks: &[Variable], number: usize) {
        let mask = masks[number / 64];
        let old = self.b.use_var(mask);
        let new = self.b.ins().bor_imm_s(old, (1u64 << (number % 64)) as i64);
        self.b.def_var(mask, new);
    }
    fn any(&mut self, masks: &[Variable]) -> Value {
        let mut any = self.constant(0);
        for &mask in masks {
            let mask = self.b.use_var(mask);
            any = self.b.ins().bor(any, mask);
        }
        any
    }
    pub(super) fn store_all(&mut self, masks: &[Variable], first: usize) {
        for (number, &mask) in masks.iter().enumerate() {
            let mask = self.b.use_var(mask);
            self.store(mask, first + number);
        }
    }

    /// The head of a record with these flags.
    fn head(&mut self, by: By, flags: u64) -> Value {
        let at = |bound: Bound| match bound {
            Bound::Fixed(position) => position as Position,
            Bound::Moving { .. } => 0,
        };
        let at_zero = Move { action: by.action, actor: by.actor.map(at), peer: by.peer.map(at) };
        let mut head = self.constant((Head::new(self.program, at_zero).0 | flags) as i64);
        for (role, bound) in by.actor.into_iter().chain(by.peer).enumerate() {
            if let Bound::Moving { position, .. } = bound {
                let placed = self.b.ins().imul_imm_s(position, Head::unit_of(role) as i64);
                head = self.b.ins().bor(head, placed);
            }
        }
        head
    }
}
