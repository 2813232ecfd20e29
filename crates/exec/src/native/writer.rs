//! A function being written: its arguments, and small things said often.

use super::call::environment;
use super::chains::Mode;
use super::packing::Packing;
use super::ranges::Range;
use super::spread::Spread;
use crate::code::{Pool, Reg};
use crate::compile::Program;
use crate::dispatch::StopId;
use crate::records::RecordShape;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, JumpTableData, MemFlagsData, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use std::collections::{BTreeMap, HashMap};

/// A process bound to a role, as far as the writer knows where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// At this position.
    Fixed(u32),
    /// Somewhere: the position, the offset in bytes of the word its region begins in, and the first bit inside that
    /// word, which is 0 wherever regions take whole words.
    Moving { position: Value, offset: Value, shift: Value },
}

/// Where fields are counted from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// A bit of the state.
    Bit(u32),
    /// The region of a process.
    Moving { offset: Value, shift: Value },
}

/// The words of a state, to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) pointer: Value,
    pub(super) flags: MemFlagsData,
}

/// The words of the next state, to be written.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Nothing is written.
    None,
    /// Words at known places, kept in variables until the end.
    Words(Vec<(u32, Variable)>),
    /// All words are in memory.
    Memory(Value),
}

/// Writes one function.
pub(super) struct Writer<'a, 'f> {
    pub(super) program: &'a Program,
    pub(super) spread: &'a Spread,
    /// Where the bits of states are, if these are keys.
    pub(super) packing: Option<&'a Packing>,
    /// Where what leads to a state that has no key goes.
    pub(super) misfit: Block,
    /// Where a function ends that has come to such a state.
    told_misfit: Block,
    /// The function that follows the chains of the process being written for, and the stops it knows.
    pub(super) chain_function: Option<(FuncRef, Vec<StopId>)>,
    /// The functions of the stops that have one of their own.
    pub(super) stop_functions: BTreeMap<StopId, FuncRef>,
    /// What becomes of firings.
    pub(super) mode: Mode,
    /// Where the process being written for stands.
    pub(super) stop: Option<StopId>,
    /// Not 0 if a firing has left the process the holder.
    pub(super) holds: Variable,
    pub(super) shape: RecordShape,
    pub(super) b: FunctionBuilder<'f>,
    /// The state that the function lists for.
    pub(super) state: Source,
    /// What code reads now: the state, or for invariants the next one.
    pub(super) source: Source,
    pub(super) target: Target,
    pub(super) environment: Value,
    pub(super) position: Value,
    limit: Value,
    /// The number of processes of the source.
    pub(super) count: Value,
    /// The number of processes of the target.
    pub(super) next_count: Count,
    /// The process spawned last.
    pub(super) spawned: Option<Bound>,
    /// Where the next record goes.
    pub(super) out: Variable,
    /// What is known of the index of the array that the instruction being written looks into.
    pub(super) index: Option<Range>,
    /// The registers of the piece of code being written.
    pub(super) registers: HashMap<Reg, Variable>,
    pub(super) choices: Vec<Variable>,
    pub(super) roles: HashMap<u8, Bound>,
    /// Positions that loops over processes have come to.
    pub(super) cursors: HashMap<u8, Variable>,
    /// Where a function ends that has no room for another record.
    no_room: Block,
}

/// A number of processes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    /// Known now.
    Known(u32),
    /// Known when it runs.
    Computed(Value),
}

impl<'a, 'f> Writer<'a, 'f> {
    pub(super) fn new(
        program: &'a Program,
        spread: &'a Spread,
        packing: Option<&'a Packing>,
        chain_function: Option<(FuncRef, Vec<StopId>)>,
        mut b: FunctionBuilder<'f>,
    ) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let [pointer, begin, environment, position] = *b.block_params(entry) else {
            panic!("functions that list have four arguments")
        };
        let out = b.declare_var(I64);
        b.def_var(out, begin);
        let limit = b.ins().load(I64, plain(), environment, environment::LIMIT);
        let count = b.ins().load(I64, plain(), environment, environment::COUNT);
        // Nobody writes the state while its steps are listed.
        let state = Source { pointer, flags: plain().with_readonly().with_can_move() };
        let (no_room, misfit) = (b.create_block(), b.create_block());
        let holds = b.declare_var(I64);
        let none = b.ins().iconst(I64, 0);
        b.def_var(holds, none);
        Self {
            program,
            spread,
            packing,
            misfit,
            told_misfit: misfit,
            chain_function,
            stop_functions: BTreeMap::new(),
            mode: Mode::List,
            stop: None,
            holds,
            shape: shape_of(program, packing),
            b,
            state,
            source: state,
            target: Target::None,
            environment,
            position,
            limit,
            count,
            next_count: Count::Computed(count),
            spawned: None,
            out,
            index: None,
            registers: HashMap::new(),
            choices: Vec::new(),
            roles: HashMap::new(),
            cursors: HashMap::new(),
            no_room,
        }
    }

    /// Ends the function.
    pub(super) fn finish(mut self, config: cranelift_codegen::isa::TargetFrontendConfig) {
        let end = self.b.use_var(self.out);
        self.b.ins().return_(&[end]);
        if self.packing.is_some() {
            self.b.switch_to_block(self.told_misfit);
            self.b.set_cold_block(self.told_misfit);
            let one = self.constant(1);
            self.b.ins().store(plain(), one, self.environment, environment::MISFIT);
            self.go(self.no_room);
        }
        self.b.switch_to_block(self.no_room);
        self.b.set_cold_block(self.no_room);
        let nothing = self.constant(0);
        self.b.ins().return_(&[nothing]);
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    pub(super) fn pool(&self) -> &'a Pool {
        &self.program.code.pool
    }
    pub(super) fn constant(&mut self, value: i64) -> Value {
        self.b.ins().iconst(I64, value)
    }
    pub(super) fn block(&mut self) -> Block {
        self.b.create_block()
    }
    /// Ends the block with a jump.
    pub(super) fn go(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }
    /// Ends the block with a jump, and begins that block.
    pub(super) fn go_into(&mut self, to: Block) {
        self.go(to);
        self.b.switch_to_block(to);
    }
    /// Ends the block with a branch.
    pub(super) fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        self.b.ins().brif(condition, yes, &[], no, &[]);
    }
    /// Ends the block with a jump to the block of that number; to `otherwise` if there is none.
    pub(super) fn switch(&mut self, number: Value, blocks: &[Block], otherwise: Block) {
        if let [only] = *blocks {
            return self.go(only);
        }
        let number = self.b.ins().ireduce(I32, number);
        let targets: Vec<_> = blocks.iter().map(|&block| self.b.func.dfg.block_call(block, &[])).collect();
        let otherwise = self.b.func.dfg.block_call(otherwise, &[]);
        let table = self.b.create_jump_table(JumpTableData::new(otherwise, &targets));
        self.b.ins().br_table(number, table);
    }
    /// Goes on here if the condition holds, else at `no`.
    pub(super) fn require(&mut self, condition: Value, no: Block) {
        let yes = self.block();
        self.branch(condition, yes, no);
        self.b.switch_to_block(yes);
    }
    pub(super) fn is(&mut self, code: IntCC, a: Value, b: i64) -> Value {
        self.b.ins().icmp_imm_s(code, a, b)
    }
    /// A truth value as a number.
    pub(super) fn number(&mut self, truth: Value) -> Value {
        self.b.ins().uextend(I64, truth)
    }
    /// The variable of a register.
    pub(super) fn register(&mut self, register: Reg) -> Variable {
        let b = &mut self.b;
        *self.registers.entry(register).or_insert_with(|| b.declare_var(I64))
    }
    /// Ends the function unless there is room for a record.
    pub(super) fn require_room(&mut self) {
        let out = self.b.use_var(self.out);
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, out, self.limit);
        let no_room = self.no_room;
        self.require(fits, no_room);
    }
    /// Ends the function unless there is room for the hops of a chain.
    pub(super) fn require_hops(&mut self) {
        let next = self.b.ins().load(I64, plain(), self.environment, environment::HOPS);
        let limit = self.b.ins().load(I64, plain(), self.environment, environment::HOPS_LIMIT);
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, next, limit);
        let no_room = self.no_room;
        self.require(fits, no_room);
    }
    /// Calls a function that lists for the process at `position`; ends this one if that had no room.
    pub(super) fn call(&mut self, function: FuncRef, position: Value) {
        let out = self.b.use_var(self.out);
        let call = self.b.ins().call(function, &[self.state.pointer, out, self.environment, position]);
        let end = self.b.inst_results(call)[0];
        self.b.def_var(self.out, end);
        let no_room = self.no_room;
        self.require(end, no_room);
    }
    /// Stores a word of the record being written.
    pub(super) fn store(&mut self, value: Value, word: usize) {
        let out = self.b.use_var(self.out);
        self.b.ins().store(plain(), value, out, (word * 8) as i32);
    }
    /// Takes the record that was written.
    pub(super) fn advance(&mut self) {
        let out = self.b.use_var(self.out);
        let next = self.b.ins().iadd_imm_s(out, (self.shape.width * 8) as i64);
        self.b.def_var(self.out, next);
    }
    /// The process at a computed position, which exists.
    pub(super) fn bind(&mut self, position: Value) -> Bound {
        let Pool { bit, region_bits, .. } = *self.pool();
        let bits = self.b.ins().imul_imm_s(position, i64::from(region_bits));
        let region = self.b.ins().iadd_imm_s(bits, i64::from(bit));
        let word = self.b.ins().ushr_imm_u(region, 6);
        let offset = self.b.ins().ishl_imm_u(word, 3);
        let shift = if region_bits.is_multiple_of(64) { self.constant(0) } else { self.b.ins().band_imm_s(region, 63) };
        Bound::Moving { position, offset, shift }
    }
    /// Where the fields of the process are counted from.
    pub(super) fn base(&self, bound: Bound) -> Base {
        match bound {
            Bound::Fixed(position) => Base::Bit(self.pool().region(position)),
            Bound::Moving { offset, shift, .. } => Base::Moving { offset, shift },
        }
    }
    /// The position of the process.
    pub(super) fn position_of(&mut self, bound: Bound) -> Value {
        match bound {
            Bound::Fixed(position) => self.constant(i64::from(position)),
            Bound::Moving { position, .. } => position,
        }
    }
}

/// The shape of the records that are written.
pub(super) fn shape_of(program: &Program, packing: Option<&Packing>) -> RecordShape {
    match packing {
        None => RecordShape::of(program).with_hops(),
        Some(packing) => RecordShape::of(program).with_hops().with_keys(packing.key_words()),
    }
}

/// Accesses that cannot fail, of whole words.
pub(super) fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}
