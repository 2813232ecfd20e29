//! Expressions and updates become code.
//!
//! An expression is compiled for its value, into a register, or as a condition, into jumps. All registers from the
//! destination on are free to use. Expressions are total and have no effects, so parts may be computed in any order and
//! left out where the result is already known.

use crate::code::{Code, Entry, Op, Reg};
use crate::fold::Scope;
use lariat_base::Id;
use lariat_system::{Argument, BinaryOp, Expr, Field, FrameId, Owner, Role, UnaryOp, Update};

/// A place in the code that is not settled yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Label(u32);

/// Writes pieces of code for one action, or for whatever reads the state alone.
#[derive(Debug)]
pub(crate) struct Emitter<'a, 'c> {
    pub(crate) scope: Scope<'a>,
    pub(crate) code: &'c mut Code,
    /// What the machine calls role 0. Code that has no participants in scope still must not disturb those of the
    /// action it runs for.
    first_role: u8,
    labels: Vec<u32>,
    /// Whether the registers or roles did not suffice.
    pub(crate) overflow: bool,
}

impl<'a, 'c> Emitter<'a, 'c> {
    pub(crate) fn new(code: &'c mut Code, scope: Scope<'a>, first_role: u8) -> Self {
        Self { scope, code, first_role, labels: Vec::new(), overflow: false }
    }

    /// Code that ends with 1 if all conjuncts, which are folded, hold, else with 0; `None` if there are none.
    pub(crate) fn all_of(&mut self, conjuncts: &[Expr]) -> Option<Entry> {
        if conjuncts.is_empty() {
            return None;
        }
        let entry = self.begin();
        let no = self.label();
        for conjunct in conjuncts {
            self.branch(conjunct, false, no, 0);
        }
        self.emit(Op::Yes);
        self.settle(no);
        self.emit(Op::No);
        Some(self.finish(entry))
    }

    /// Code that ends with the value of `expr`, which is folded.
    pub(crate) fn value_of(&mut self, expr: &Expr) -> Entry {
        let entry = self.begin();
        self.value(expr, 0);
        self.emit(Op::Return { src: 0 });
        self.finish(entry)
    }

    /// Code that ends with 1 if `expr` holds, else with 0.
    pub(crate) fn condition(&mut self, expr: &Expr) -> Entry {
        let conjuncts = self.scope.conjuncts(expr);
        self.all_of(&conjuncts).unwrap_or_else(|| self.value_of(&Expr::TRUE))
    }

    /// Code that writes the updates, and ends with 0 if the pool is full.
    pub(crate) fn updates(&mut self, updates: &[Update]) -> Entry {
        let entry = self.begin();
        for update in updates {
            match update {
                Update::Set(place, value) => self.set(place, value),
                Update::Spawn { frame, arguments } => {
                    self.emit(Op::Spawn { frame: frame.0 });
                    for Argument { slot, cell, value } in arguments {
                        let mut field = self.scope.layout.frames[*frame][*slot];
                        if let Some(cell) = cell {
                            // A slot of this cell alone.
                            field = Field { bit: field.bit_of(*cell as usize) as u32, cells: 1, ..field };
                        }
                        let value = self.scope.fold(value);
                        self.value(&value, 0);
                        let field = self.cell_field(field, Some(*frame));
                        self.emit(Op::StoreSpawned { src: 0, field });
                    }
                }
                Update::Exit => {}
            }
        }
        // Whatever is written to the process that leaves is lost.
        if updates.contains(&Update::Exit) {
            self.emit(Op::Exit);
        }
        self.emit(Op::Yes);
        self.finish(entry)
    }

    fn begin(&mut self) -> Entry {
        self.labels.clear();
        Entry::new(self.code.ops.len())
    }
    fn finish(&mut self, entry: Entry) -> Entry {
        for op in &mut self.code.ops[entry.index()..] {
            if let Some(to) = op.target_mut() {
                *to = self.labels[*to as usize];
            }
        }
        entry
    }
    pub(crate) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
    }
    fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }
    fn settle(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.code.ops.len() as u32;
    }
    pub(crate) fn after(&mut self, reg: Reg) -> Reg {
        self.overflow |= reg == Reg::MAX;
        reg.wrapping_add(1)
    }
    pub(crate) fn role(&mut self, role: Role) -> u8 {
        let index = role.0.checked_add(self.first_role);
        self.overflow |= index.is_none();
        index.unwrap_or(0)
    }

    pub(crate) fn constant(&mut self, value: i64, dst: Reg) {
        match i32::try_from(value) {
            Ok(value) => self.emit(Op::Const { dst, value }),
            Err(_) => {
                let number = self.code.wide.len() as u32;
                self.code.wide.push(value);
                self.emit(Op::Wide { dst, number });
            }
        }
    }

    /// Computes `expr` into `dst`.
    pub(crate) fn value(&mut self, expr: &Expr, dst: Reg) {
        match expr {
            Expr::Const(value) => self.constant(*value, dst),
            Expr::Choice(choice) => self.emit(Op::Choice { dst, choice: choice.0 }),
            Expr::Read(place) => self.read(place, dst),
            Expr::Position(role) => {
                let role = self.role(*role);
                self.emit(Op::Position { dst, role });
            }
            Expr::PoolCount => self.emit(Op::PoolCount { dst }),
            Expr::Lives(frame, position) => {
                self.value(position, dst);
                self.emit(Op::Lives { dst, position: dst, kind: frame.0 + 1 });
            }
            Expr::Unary(UnaryOp::Neg, value) => {
                self.value(value, dst);
                self.emit(Op::Neg { dst, a: dst });
            }
            Expr::Unary(UnaryOp::BitNot, value) => {
                self.value(value, dst);
                self.emit(Op::BitNot { dst, a: dst });
            }
            Expr::Unary(UnaryOp::Not, value) if !value.is_truth() => {
                self.value(value, dst);
                self.emit(Op::Not { dst, a: dst });
            }
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Exists(..) => {
                let (end, free) = (self.label(), self.after(dst));
                self.constant(0, dst);
                self.branch(expr, false, end, free);
                self.constant(1, dst);
                self.settle(end);
            }
            Expr::Binary(op, left, right) => self.binary(*op, left, right, dst),
            Expr::Ite(parts) => {
                let (no, end) = (self.label(), self.label());
                self.branch(&parts[0], false, no, dst);
                self.value(&parts[1], dst);
                self.emit(Op::Jump { to: end.0 });
                self.settle(no);
                self.value(&parts[2], dst);
                self.settle(end);
            }
            Expr::Wrap { bits, signed, value } => {
                self.value(value, dst);
                self.emit(Op::Wrap { dst, a: dst, bits: *bits, signed: *signed });
            }
            Expr::Wide(op, half, parts) => {
                let [a_high, a_low, b_high, b_low] = &**parts;
                let next = self.after(dst);
                self.joined(a_high, a_low, dst);
                self.joined(b_high, b_low, next);
                self.emit(Op::OfWide { op: *op, half: *half, dst, a: dst, b: next });
            }
        }
    }

    /// Computes the number of these halves into `dst`.
    fn joined(&mut self, high: &Expr, low: &Expr, dst: Reg) {
        let (high, low) = self.both(high, low, dst);
        self.emit(Op::Join { dst, high, low });
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, dst: Reg) {
        let shift = match (op, left.as_const(), right.as_const()) {
            (BinaryOp::Add, None, Some(value)) => Some((left, value)),
            (BinaryOp::Add, Some(value), None) => Some((right, value)),
            (BinaryOp::Sub, None, Some(value)) => Some((left, value.wrapping_neg())),
            _ => None,
        };
        if let Some((operand, value)) = shift
            && let Ok(value) = i32::try_from(value)
        {
            self.value(operand, dst);
            return self.emit(Op::AddConst { dst, a: dst, value });
        }
        let (a, b) = self.both(left, right, dst);
        self.emit(match op {
            BinaryOp::Add => Op::Add { dst, a, b },
            BinaryOp::Sub => Op::Sub { dst, a, b },
            op => Op::Binary { op, dst, a, b },
        });
    }

    /// Computes both; returns where they are. The larger one comes first, so that a chain of operators needs few
    /// registers whichever way it is nested.
    pub(crate) fn both(&mut self, left: &Expr, right: &Expr, dst: Reg) -> (Reg, Reg) {
        let next = self.after(dst);
        if is_small(left) && !is_small(right) {
            self.value(right, dst);
            self.value(left, next);
            (next, dst)
        } else {
            self.value(left, dst);
            self.value(right, next);
            (dst, next)
        }
    }

    /// Jumps to `to` if `expr` holds just if `when`; else falls through.
    fn branch(&mut self, expr: &Expr, when: bool, to: Label, free: Reg) {
        match expr {
            Expr::Const(value) => {
                if (*value != 0) == when {
                    self.emit(Op::Jump { to: to.0 });
                }
            }
            Expr::Unary(UnaryOp::Not, value) => self.branch(value, !when, to, free),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                if when == (*op == BinaryOp::Or) {
                    self.branch(left, when, to, free);
                    self.branch(right, when, to, free);
                } else {
                    let end = self.label();
                    self.branch(left, !when, end, free);
                    self.branch(right, when, to, free);
                    self.settle(end);
                }
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
                let equal = (*op == BinaryOp::Eq) == when;
                match (left.as_const(), right.as_const()) {
                    (_, Some(value)) => self.branch_equal(left, value, equal, to, free),
                    (Some(value), _) => self.branch_equal(right, value, equal, to, free),
                    _ => {
                        let (a, b) = self.both(left, right, free);
                        self.emit(if equal { Op::IfEq { a, b, to: to.0 } } else { Op::IfNe { a, b, to: to.0 } });
                    }
                }
            }
            Expr::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), left, right) => {
                // The negation of a < b is b <= a, that of a <= b is b < a.
                let (strict, left, right) =
                    if when { (*op == BinaryOp::Lt, left, right) } else { (*op == BinaryOp::Le, right, left) };
                self.branch_less(left, right, strict, to, free);
            }
            Expr::Ite(parts) => {
                let (no, end) = (self.label(), self.label());
                self.branch(&parts[0], false, no, free);
                self.branch(&parts[1], when, to, free);
                self.emit(Op::Jump { to: end.0 });
                self.settle(no);
                self.branch(&parts[2], when, to, free);
                self.settle(end);
            }
            Expr::Exists(frame, body) => self.branch_exists(*frame, body, when, to, free),
            _ => self.branch_equal(expr, 0, !when, to, free),
        }
    }

    /// Jumps to `to` if (`left < right`, or `left <= right` unless `strict`).
    fn branch_less(&mut self, left: &Expr, right: &Expr, strict: bool, to: Label, free: Reg) {
        let slack = i64::from(!strict);
        let small = |bound: Option<i64>| bound.and_then(|bound| i32::try_from(bound).ok());
        if let Some(value) = small(right.as_const().and_then(|value| value.checked_add(slack))) {
            self.value(left, free);
            self.emit(Op::IfLtConst { a: free, value, to: to.0 });
        } else if let Some(value) = small(left.as_const().and_then(|value| value.checked_sub(slack))) {
            self.value(right, free);
            self.emit(Op::IfGtConst { a: free, value, to: to.0 });
        } else {
            let (a, b) = self.both(left, right, free);
            self.emit(if strict { Op::IfLt { a, b, to: to.0 } } else { Op::IfLe { a, b, to: to.0 } });
        }
    }

    /// Jumps to `to` if `expr` has the value, or if not `equal`, if it has another.
    fn branch_equal(&mut self, expr: &Expr, value: i64, equal: bool, to: Label, free: Reg) {
        if value == 0 && expr.is_truth() && !matches!(expr, Expr::Lives(..)) {
            return self.branch(expr, !equal, to, free);
        }
        if let Expr::Read(place) = expr
            && let Some(field) = self.fixed(place)
        {
            let raw = value.wrapping_sub(field.lo) as u64;
            if value < field.lo || raw > u64::MAX >> (64 - field.bits) {
                return self.branch(&Expr::FALSE, equal, to, free);
            }
            if let Ok(raw) = u32::try_from(raw) {
                let (bits, bit, to) = (field.bits, field.bit, to.0);
                return match place.owner {
                    Owner::Role(role, _) => {
                        let role = self.role(role);
                        self.emit(if equal {
                            Op::IfRoleField { role, bits, bit, raw, to }
                        } else {
                            Op::IfNotRoleField { role, bits, bit, raw, to }
                        });
                    }
                    _ => {
                        let (word, shift) = (bit / 64, (bit % 64) as u8);
                        self.emit(if equal {
                            Op::IfField { shift, bits, word, raw, to }
                        } else {
                            Op::IfNotField { shift, bits, word, raw, to }
                        });
                    }
                };
            }
        }
        match i32::try_from(value) {
            Ok(value) => {
                self.value(expr, free);
                let (a, to) = (free, to.0);
                self.emit(if equal { Op::IfEqConst { a, value, to } } else { Op::IfNeConst { a, value, to } });
            }
            Err(_) => {
                let (a, b) = self.both(expr, &Expr::Const(value), free);
                self.emit(if equal { Op::IfEq { a, b, to: to.0 } } else { Op::IfNe { a, b, to: to.0 } });
            }
        }
    }

    fn branch_exists(&mut self, frame: FrameId, body: &Expr, when: bool, to: Label, free: Reg) {
        let role = Role(self.scope.roles.len() as u8);
        self.overflow |= self.scope.roles.len() > usize::from(u8::MAX);
        let role = self.role(role);
        let (again, end) = (self.label(), self.label());
        self.emit(Op::Rewind { role });
        self.settle(again);
        self.emit(Op::NextLiving { role, kind: frame.0 + 1, to: if when { end.0 } else { to.0 } });
        self.scope.roles.push(frame);
        self.branch(body, true, if when { to } else { end }, free);
        self.scope.roles.pop();
        self.emit(Op::Jump { to: again.0 });
        self.settle(end);
    }
}

/// Whether the expression has few parts. The cost of asking is bounded.
fn is_small(expr: &Expr) -> bool {
    fn spend(expr: &Expr, budget: &mut u32) {
        *budget = budget.saturating_sub(1);
        expr.for_each_part(|part| {
            if *budget > 0 {
                spend(part, budget);
            }
        });
    }
    let mut budget = 24;
    spend(expr, &mut budget);
    budget > 0
}
