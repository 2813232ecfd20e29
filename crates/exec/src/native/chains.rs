//! Atomic sequences that never branch, followed without leaving machine code.
//!
//! The idea and its proof are those of `chain`, which does the same one action at a time above the records: a sequence in
//! which the holder can do one thing at every state, and does it alone, can be followed without remembering its states. Here
//! each process has one more function. It works on the next state inside the record, in place, notes the actions it takes
//! (the *hops*), and where the sequence ends leaves the ordinary state there. If the sequence branches, goes wrong, or
//! needs more than this file knows of, it gives up, the record gets back the state it had, and stays one that leaves a
//! holder.

use super::actions::{By, lists_by_keys};
use super::call::environment;
use super::control::control_after;
use super::writer::{Bound, Source, Writer, plain};
use crate::code::{Entry, Op};
use crate::compile::{ActionCode, Program, Rank};
use crate::dispatch::StopId;
use crate::records::LONGEST_CHAIN;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder};
use cranelift_frontend::Variable;
use lariat_system::{ActionId, FrameId, IDLE_RANK, Role};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of a firing whose guard holds.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    /// It gets a record.
    List,
    /// It is what the holder does next, under this number, if it is the only one; otherwise the chain is given up. Those
    /// that are not `simple` always give up.
    Select { selected: Variable, number: i64, simple: bool, give_up: Block },
}

/// The stops that chains begin at or come to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Chains {
    stops: BTreeSet<StopId>,
}

impl Chains {
    pub(super) fn new(program: &Program) -> Self {
        let mut chains = Self::default();
        // Labels are collected, and invariants asked, above the records.
        let idle = program.common_rank.is_some_and(|rank| rank >= IDLE_RANK);
        if idle || program.label_words > 0 || program.invariants.is_some() {
            return chains;
        }
        for stop in program.dispatch.stops.ids() {
            for &action in program.dispatch.actions(stop) {
                let Some(entry) = stop_after(program, action, stop) else { continue };
                if !chains.stops.contains(&entry) {
                    chains.stops.extend(reached(program, entry).into_iter().flatten());
                }
            }
        }
        chains
    }
    /// Those of the frame, in order.
    pub(super) fn of(&self, program: &Program, frame: FrameId) -> Vec<StopId> {
        self.stops.iter().copied().filter(|&stop| program.dispatch.stops[stop].frame == frame).collect()
    }
}

/// The stop of the actor after an action that it took at `stop`, if the actor holds, is the only participant, nobody comes
/// or goes, and the stop is always the same.
fn stop_after(program: &Program, action: ActionId, stop: StopId) -> Option<StopId> {
    let code = &program.actions[action];
    if code.hold != Some(Role::ACTOR) || code.receivers.is_some() || changes_pool(program, code.update) {
        return None;
    }
    control_after(program, action, Role::ACTOR, stop)
}

fn changes_pool(program: &Program, update: Entry) -> bool {
    program.code.piece(update).iter().any(|op| matches!(op, Op::Spawn { .. } | Op::Exit))
}

/// Whether the holder may take the action in a chain.
fn is_simple(program: &Program, action: &ActionCode) -> bool {
    action.receivers.is_none()
        && action.guard.choices.is_empty()
        && action.rank == Rank::Const(program.lowest_rank)
        && !changes_pool(program, action.update)
}

/// The stops that a chain from `entry` can come to, if they are known.
fn reached(program: &Program, entry: StopId) -> Option<BTreeSet<StopId>> {
    let mut found = BTreeSet::from([entry]);
    let mut open = vec![entry];
    while let Some(stop) = open.pop() {
        for &action in program.dispatch.actions(stop) {
            let code = &program.actions[action];
            if code.hold.is_some() && is_simple(program, code) {
                let next = stop_after(program, action, stop)?;
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    Some(found)
}

impl Writer<'_, '_> {
    /// The function that follows the chains of `actor`, which are at `stops`. Its first argument is the state inside the
    /// record, its second the number among `stops` of the one to begin at. It returns the number of hops, or -1 if it
    /// gave up.
    pub(super) fn chain(&mut self, stops: &[StopId], actor: Bound) {
        let program = self.program;
        self.state = Source { flags: plain(), ..self.state };
        self.source = self.state;
        let hops = self.b.declare_var(I64);
        let none = self.constant(0);
        self.b.def_var(hops, none);
        let (end, give_up) = (self.block(), self.block());
        self.misfit = give_up;
        let blocks: BTreeMap<StopId, Block> = stops.iter().map(|&stop| (stop, self.b.create_block())).collect();
        let first = self.b.use_var(self.out);
        self.switch(first, &stops.iter().map(|stop| blocks[stop]).collect::<Vec<_>>(), give_up);
        for (&stop, &block) in &blocks {
            self.b.switch_to_block(block);
            let selected = self.select(stop, actor, give_up);
            for (number, &action) in (1..).zip(program.dispatch.actions(stop)) {
                let code = &program.actions[action];
                // Those that keys do not know were given up when they were looked at.
                if !is_simple(program, code) || self.packing.is_some() && !lists_by_keys(program, code) {
                    continue;
                }
                let (this, next) = (self.block(), self.block());
                let found = self.b.use_var(selected);
                let is_this = self.is(IntCC::Equal, found, number);
                self.branch(is_this, this, next);
                self.b.switch_to_block(this);
                self.hop(action, hops, give_up);
                match code.hold {
                    None => self.go(end),
                    Some(_) => self.go(blocks[&stop_after(program, action, stop).expect("found by `reached`")]),
                }
                self.b.switch_to_block(next);
            }
            self.go(end);
        }
        self.b.switch_to_block(give_up);
        let gave_up = self.constant(-1);
        self.b.def_var(self.out, gave_up);
        let last = self.block();
        self.go(last);
        self.b.switch_to_block(end);
        let taken = self.b.use_var(hops);
        self.b.def_var(self.out, taken);
        self.go_into(last);
    }

    /// The number of the one action that the holder can take at the stop, or 0.
    fn select(&mut self, stop: StopId, actor: Bound, give_up: Block) -> Variable {
        let program = self.program;
        let selected = self.b.declare_var(I64);
        let nothing = self.constant(0);
        self.b.def_var(selected, nothing);
        for (number, &action) in (1..).zip(program.dispatch.actions(stop)) {
            let code = &program.actions[action];
            let idle = matches!(code.rank, Rank::Const(rank) if rank >= IDLE_RANK);
            if idle && code.guard_traps.is_empty() {
                continue;
            }
            self.mode = Mode::Select { selected, number, simple: is_simple(program, code), give_up };
            self.with_receivers(action, actor);
        }
        self.mode = Mode::List;
        // Roles as `hop` needs them.
        self.roles.clear();
        self.roles.insert(0, actor);
        selected
    }

    /// A firing met while selecting.
    pub(super) fn select_firing(&mut self, selected: Variable, number: i64, simple: bool, give_up: Block) {
        if !simple {
            self.go(give_up);
            let unreached = self.block();
            return self.b.switch_to_block(unreached);
        }
        let before = self.b.use_var(selected);
        let first = self.is(IntCC::Equal, before, 0);
        self.require(first, give_up);
        let number = self.constant(number);
        self.b.def_var(selected, number);
    }

    /// Takes the action in place.
    fn hop(&mut self, action: ActionId, hops: Variable, give_up: Block) {
        let code = &self.program.actions[action];
        for trap in &code.effect_traps {
            let no = self.block();
            self.branch_entry(trap.condition, give_up, no);
            self.b.switch_to_block(no);
        }
        let taken = self.b.use_var(hops);
        let short = self.is(IntCC::UnsignedLessThan, taken, LONGEST_CHAIN as i64);
        self.require(short, give_up);
        let list = self.b.ins().load(I64, plain(), self.environment, environment::HOPS);
        let offset = self.b.ins().ishl_imm_u(taken, 2);
        let place = self.b.ins().iadd(list, offset);
        let id = self.b.ins().iconst(I32, i64::from(action.0));
        self.b.ins().store(plain(), id, place, 0);
        let more = self.plus(taken, 1);
        self.b.def_var(hops, more);
        self.update_in_place(code.update);
    }

    /// After the next state of a firing at `stop` was written: follows the chain it begins, if there is code for it and the
    /// caller asks for chains. Goes to `again` to have the state written once more if the chain was given up. Returns a
    /// variable with the number of hops; where that is -1 the state has a holder.
    pub(super) fn follow_chain(&mut self, by: By, stop: StopId, again: Block, tried: Variable) -> Option<Variable> {
        let (function, stops) = self.chain_function.clone()?;
        let entry = stop_after(self.program, by.action, stop)?;
        let number = stops.iter().position(|&stop| stop == entry)?;
        let hops = self.b.declare_var(I64);
        let unfollowed = self.constant(-1);
        self.b.def_var(hops, unfollowed);
        let (follow, end) = (self.block(), self.block());
        let skip = self.b.use_var(tried);
        self.branch(skip, end, follow);
        self.b.switch_to_block(follow);
        let actor = by.actor.expect("the actor holds");
        let (number, position) = (self.constant(number as i64), self.position_of(actor));
        self.require_hops();
        let state = self.next_state();
        let call = self.b.ins().call(function, &[state, number, self.environment, position]);
        let found = self.b.inst_results(call)[0];
        self.b.def_var(hops, found);
        let gave_up = self.is(IntCC::SignedLessThan, found, 0);
        let one = self.constant(1);
        self.b.def_var(tried, one);
        let advance = self.block();
        self.branch(gave_up, again, advance);
        self.b.switch_to_block(advance);
        let list = self.b.ins().load(I64, plain(), self.environment, environment::HOPS);
        let taken = self.b.ins().ishl_imm_u(found, 2);
        let list = self.b.ins().iadd(list, taken);
        self.b.ins().store(plain(), list, self.environment, environment::HOPS);
        self.go_into(end);
        Some(hops)
    }
}
