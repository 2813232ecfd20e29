//! Operators on two values.

use super::writer::Writer;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use lariat_system::{BinaryOp, HALF_BITS, Half, WideOp};

impl Writer<'_, '_> {
    /// The meaning of [`BinaryOp::apply`].
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::Add => self.b.ins().iadd(a, b),
            BinaryOp::Sub => self.b.ins().isub(a, b),
            BinaryOp::Mul => self.b.ins().imul(a, b),
            BinaryOp::Div | BinaryOp::Rem => self.divide(op, a, b),
            BinaryOp::BitAnd => self.b.ins().band(a, b),
            BinaryOp::BitOr => self.b.ins().bor(a, b),
            BinaryOp::BitXor => self.b.ins().bxor(a, b),
            BinaryOp::Shl => {
                let by = self.b.ins().band_imm_s(b, 31);
                self.b.ins().ishl(a, by)
            }
            BinaryOp::Shr => {
                let by = self.b.ins().band_imm_s(b, 31);
                self.b.ins().sshr(a, by)
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => {
                let code = match op {
                    BinaryOp::Eq => IntCC::Equal,
                    BinaryOp::Ne => IntCC::NotEqual,
                    BinaryOp::Lt => IntCC::SignedLessThan,
                    _ => IntCC::SignedLessThanOrEqual,
                };
                let truth = self.b.ins().icmp(code, a, b);
                self.number(truth)
            }
            BinaryOp::And | BinaryOp::Or => {
                let (a, b) = (self.is(IntCC::NotEqual, a, 0), self.is(IntCC::NotEqual, b, 0));
                let truth = if op == BinaryOp::And { self.b.ins().band(a, b) } else { self.b.ins().bor(a, b) };
                self.number(truth)
            }
        }
    }

    /// The meaning of [`lariat_system::joined`].
    pub(super) fn joined(&mut self, high: Value, low: Value) -> Value {
        let bits = i64::from(HALF_BITS);
        let high = self.b.ins().ishl_imm_u(high, bits);
        let low = self.b.ins().ishl_imm_u(low, bits);
        let low = self.b.ins().ushr_imm_u(low, bits);
        self.b.ins().bor(high, low)
    }

    /// The meaning of [`WideOp::apply`], and of it this half.
    pub(super) fn of_wide(&mut self, op: WideOp, half: Half, a: Value, b: Value) -> Value {
        let whole = match op {
            WideOp::Mul => self.b.ins().imul(a, b),
            WideOp::Div | WideOp::Rem => {
                let by_zero = self.is(IntCC::Equal, b, 0);
                let (one, zero) = (self.constant(1), self.constant(0));
                let divisor = self.b.ins().select(by_zero, one, b);
                let value =
                    if op == WideOp::Div { self.b.ins().udiv(a, divisor) } else { self.b.ins().urem(a, divisor) };
                self.b.ins().select(by_zero, zero, value)
            }
        };
        let bits = i64::from(HALF_BITS);
        match half {
            Half::High => self.b.ins().ushr_imm_u(whole, bits),
            Half::Low => {
                let low = self.b.ins().ishl_imm_u(whole, bits);
                self.b.ins().ushr_imm_u(low, bits)
            }
        }
    }

    /// Quotient or remainder, 0 where there is none: by 0, and of the least number by -1.
    fn divide(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let by_zero = self.is(IntCC::Equal, b, 0);
        let least = self.is(IntCC::Equal, a, i64::MIN);
        let negates = self.is(IntCC::Equal, b, -1);
        let overflows = self.b.ins().band(least, negates);
        let undefined = self.b.ins().bor(by_zero, overflows);
        let (one, zero) = (self.constant(1), self.constant(0));
        let divisor = self.b.ins().select(undefined, one, b);
        let value = if op == BinaryOp::Div { self.b.ins().sdiv(a, divisor) } else { self.b.ins().srem(a, divisor) };
        self.b.ins().select(undefined, zero, value)
    }
}
