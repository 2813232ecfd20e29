//! The instructions that guards, updates and labels become.
//!
//! A register code over 64-bit numbers. Loads read the packed words of the *source* state, stores write those of the
//! *target*, so the right-hand sides of an action read the state before whatever was already written. Fields at fixed
//! places carry their word and shift; those of a process bound to a role are found from the first bit of its region.
//! A piece of code begins at its [`Entry`] and ends with [`Op::Yes`], [`Op::No`] or [`Op::Return`].
//!
//! There are 256 registers and as many roles, both named by a byte, so that no access needs a bounds check.

use lariat_base::define_id;
use lariat_system::{BinaryOp, Half, Layout, WideOp};
use std::fmt::Write as _;

define_id! {
    /// Where a piece of code begins.
    Entry
}

/// A register.
pub(crate) type Reg = u8;
/// A role, as the machine numbers them: the participants of an action first.
pub(crate) type RoleIndex = u8;

// A program is a long list of them.
const _: () = assert!(size_of::<Op>() == 16, "an instruction takes sixteen bytes");

/// One instruction. `to` is where execution goes on if the condition holds; otherwise it falls through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Const {
        dst: Reg,
        value: i32,
    },
    /// A constant that does not fit an instruction.
    Wide {
        dst: Reg,
        number: u32,
    },
    Choice {
        dst: Reg,
        choice: u32,
    },
    Load {
        dst: Reg,
        shift: u8,
        bits: u8,
        word: u32,
        lo: i32,
    },
    LoadRole {
        dst: Reg,
        role: RoleIndex,
        bits: u8,
        bit: u32,
        lo: i32,
    },
    LoadCell {
        dst: Reg,
        index: Reg,
        field: u32,
    },
    LoadRoleCell {
        dst: Reg,
        role: RoleIndex,
        index: Reg,
        field: u32,
    },
    LoadAt {
        dst: Reg,
        position: Reg,
        field: u32,
    },
    LoadAtCell {
        dst: Reg,
        position: Reg,
        index: Reg,
        field: u32,
    },
    Position {
        dst: Reg,
        role: RoleIndex,
    },
    PoolCount {
        dst: Reg,
    },
    Lives {
        dst: Reg,
        position: Reg,
        kind: u32,
    },
    Not {
        dst: Reg,
        a: Reg,
    },
    Neg {
        dst: Reg,
        a: Reg,
    },
    BitNot {
        dst: Reg,
        a: Reg,
    },
    Add {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Sub {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    AddConst {
        dst: Reg,
        a: Reg,
        value: i32,
    },
    Binary {
        op: BinaryOp,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Wrap {
        dst: Reg,
        a: Reg,
        bits: u8,
        signed: bool,
    },
    /// The number of 64 bits without sign that has these halves.
    Join {
        dst: Reg,
        high: Reg,
        low: Reg,
    },
    /// Half of the result of an operation on such numbers.
    OfWide {
        op: WideOp,
        half: Half,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Jump {
        to: u32,
    },
    IfEq {
        a: Reg,
        b: Reg,
        to: u32,
    },
    IfNe {
        a: Reg,
        b: Reg,
        to: u32,
    },
    IfLt {
        a: Reg,
        b: Reg,
        to: u32,
    },
    IfLe {
        a: Reg,
        b: Reg,
        to: u32,
    },
    IfEqConst {
        a: Reg,
        value: i32,
        to: u32,
    },
    IfNeConst {
        a: Reg,
        value: i32,
        to: u32,
    },
    IfLtConst {
        a: Reg,
        value: i32,
        to: u32,
    },
    IfGtConst {
        a: Reg,
        value: i32,
        to: u32,
    },
    /// Compares the bits of a field as they stand in the word.
    IfField {
        shift: u8,
        bits: u8,
        word: u32,
        raw: u32,
        to: u32,
    },
    IfNotField {
        shift: u8,
        bits: u8,
        word: u32,
        raw: u32,
        to: u32,
    },
    IfRoleField {
        role: RoleIndex,
        bits: u8,
        bit: u32,
        raw: u32,
        to: u32,
    },
    IfNotRoleField {
        role: RoleIndex,
        bits: u8,
        bit: u32,
        raw: u32,
        to: u32,
    },
    /// Puts the role before the first process.
    Rewind {
        role: RoleIndex,
    },
    /// Binds the role to the next living process of the kind; if there is none, goes to `to`.
    NextLiving {
        role: RoleIndex,
        kind: u32,
        to: u32,
    },
    Store {
        src: Reg,
        shift: u8,
        bits: u8,
        word: u32,
        lo: i32,
    },
    StoreRole {
        src: Reg,
        role: RoleIndex,
        bits: u8,
        bit: u32,
        lo: i32,
    },
    StoreConst {
        shift: u8,
        bits: u8,
        word: u32,
        raw: u32,
    },
    StoreRoleConst {
        role: RoleIndex,
        bits: u8,
        bit: u32,
        raw: u32,
    },
    StoreCell {
        src: Reg,
        index: Reg,
        field: u32,
    },
    StoreRoleCell {
        src: Reg,
        role: RoleIndex,
        index: Reg,
        field: u32,
    },
    StoreAt {
        src: Reg,
        position: Reg,
        field: u32,
    },
    StoreAtCell {
        src: Reg,
        position: Reg,
        index: Reg,
        field: u32,
    },
    /// Puts a process at the first free position; if there is none, ends with 0.
    Spawn {
        frame: u32,
    },
    /// Writes every cell of a slot of the process spawned last.
    StoreSpawned {
        src: Reg,
        field: u32,
    },
    /// Empties the position of the youngest process.
    Exit,
    Return {
        src: Reg,
    },
    Yes,
    No,
}

impl Op {
    /// Where it may jump to.
    pub(crate) fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::Jump { to }
            | Op::IfEq { to, .. }
            | Op::IfNe { to, .. }
            | Op::IfLt { to, .. }
            | Op::IfLe { to, .. }
            | Op::IfEqConst { to, .. }
            | Op::IfNeConst { to, .. }
            | Op::IfLtConst { to, .. }
            | Op::IfGtConst { to, .. }
            | Op::IfField { to, .. }
            | Op::IfNotField { to, .. }
            | Op::IfRoleField { to, .. }
            | Op::IfNotRoleField { to, .. }
            | Op::NextLiving { to, .. } => Some(to),
            _ => None,
        }
    }
}

/// A slot whose cell is computed. `bit` counts from the beginning of the state for a slot of the system, from that of
/// the region for a slot of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellField {
    pub(crate) bit: u32,
    pub(crate) stride: u8,
    pub(crate) cells: u32,
    pub(crate) mask: u64,
    pub(crate) lo: i64,
    /// The kind of process that has the slot; 0 for a slot of the system.
    pub(crate) kind: u32,
}

/// Where processes stand, and what they look like at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pool {
    pub(crate) bit: u32,
    pub(crate) region_bits: u32,
    pub(crate) kind_mask: u64,
    pub(crate) positions: u32,
    /// The region of a new process, by frame.
    pub(crate) templates: Vec<Vec<u64>>,
}

impl Pool {
    /// The first bit of a position's region.
    pub(crate) fn region(&self, position: u32) -> u32 {
        self.bit + position * self.region_bits
    }
    /// The frame's number plus one, or 0 if nobody lives at the position, which must exist.
    pub(crate) fn kind_at(&self, words: &[u64], position: u32) -> u32 {
        let bit = self.region(position);
        (words[bit as usize / 64] >> (bit % 64) & self.kind_mask) as u32
    }
    /// The number of living processes, found at once if it is `near`.
    #[inline]
    pub(crate) fn count_near(&self, words: &[u64], near: u32) -> u32 {
        // Those that live stand before those that do not.
        let lives = |position: u32| self.kind_at(words, position) != 0;
        if near > 0 && near <= self.positions && lives(near - 1) && (near == self.positions || !lives(near)) {
            return near;
        }
        self.count(words)
    }
    /// The number of living processes.
    pub(crate) fn count(&self, words: &[u64]) -> u32 {
        if self.kind_mask == 0 {
            return 0;
        }
        // Most pools are full, or nearly empty.
        match self.positions.checked_sub(1) {
            Some(last) if self.kind_at(words, last) == 0 => {
                (0..last).find(|&position| self.kind_at(words, position) == 0).unwrap_or(last)
            }
            _ => self.positions,
        }
    }
}

/// All code of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) fields: Vec<CellField>,
    pub(crate) wide: Vec<i64>,
    pub(crate) pool: Pool,
}

impl Code {
    /// No code yet, for states of this layout.
    pub(crate) fn new(layout: &Layout, templates: Vec<Vec<u64>>) -> Self {
        let pool = Pool {
            bit: layout.pool_bit as u32,
            region_bits: layout.region_bits as u32,
            kind_mask: if layout.kind_bits == 0 { 0 } else { u64::MAX >> (64 - layout.kind_bits) },
            positions: layout.positions as u32,
            templates,
        };
        Self { ops: Vec::new(), fields: Vec::new(), wide: Vec::new(), pool }
    }

    /// How many instructions there are.
    #[cfg(feature = "native")]
    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }
    /// The instructions of the piece that begins at `entry`.
    pub(crate) fn piece(&self, entry: Entry) -> &[Op] {
        let ops = &self.ops[entry.0 as usize..];
        let mut furthest = entry.0;
        for (at, &op) in (entry.0..).zip(ops) {
            let mut op = op;
            if let Some(&mut to) = op.target_mut() {
                furthest = furthest.max(to);
            }
            if matches!(op, Op::Yes | Op::No | Op::Return { .. }) && at >= furthest {
                return &ops[..=(at - entry.0) as usize];
            }
        }
        ops
    }

    /// The instructions of the piece that begins at `entry`, one a line.
    pub(crate) fn disassemble(&self, entry: Entry) -> String {
        let mut text = String::new();
        for (at, op) in (entry.0..).zip(self.piece(entry)) {
            let _ = writeln!(text, "    {at:5}  {op:?}");
        }
        text
    }
}
