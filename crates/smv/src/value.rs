//! What operators mean on values.

use crate::tree::BinaryOp;
use crate::types::{Base, Domain};

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Failing {
    /// Division by zero.
    Division,
    /// No condition of a `case` holds.
    Case,
    /// An index lies outside its array.
    Index,
    /// A word is shifted by less than 0 or more than its width.
    Shift,
    /// A value that its variable cannot have.
    Range,
}

/// `a op b`, where the operands have the types `left` and `right` and the result has the type `to`.
pub fn binary_value(op: BinaryOp, left: Base, to: Base, right: Base, a: i128, b: i128) -> Result<i128, Failing> {
    let truth = |value: bool| Ok(i128::from(value));
    let is_word = matches!(left, Base::Word { .. });
    Ok(match op {
        BinaryOp::Eq => return truth(a == b),
        BinaryOp::Ne => return truth(a != b),
        BinaryOp::Lt => return truth(a < b),
        BinaryOp::Le => return truth(a <= b),
        BinaryOp::Gt => return truth(a > b),
        BinaryOp::Ge => return truth(a >= b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => to.wrap(a ^ b),
        BinaryOp::Xnor | BinaryOp::Iff if is_word => to.wrap(!(a ^ b)),
        BinaryOp::Xnor | BinaryOp::Iff => return truth(a == b),
        BinaryOp::Implies if is_word => to.wrap(!a | b),
        BinaryOp::Implies => return truth(a == 0 || b != 0),
        BinaryOp::Add => to.wrap(a + b),
        BinaryOp::Sub => to.wrap(a - b),
        BinaryOp::Mul => to.wrap(a.wrapping_mul(b)),
        BinaryOp::Div | BinaryOp::Mod if b == 0 => return Err(Failing::Division),
        BinaryOp::Div => to.wrap(a / b),
        BinaryOp::Mod => to.wrap(a % b),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let Base::Word { width, .. } = to else { return Err(Failing::Shift) };
            if b < 0 || b > i128::from(width) {
                return Err(Failing::Shift);
            }
            if op == BinaryOp::ShiftLeft { to.wrap(a << b) } else { to.wrap(a >> b) }
        }
        BinaryOp::Concat => {
            let (Base::Word { width: high, .. }, Base::Word { width: low, .. }) = (left, right) else {
                unreachable!("only words are concatenated")
            };
            bits(a, high) << low | bits(b, low)
        }
        BinaryOp::Union | BinaryOp::In => unreachable!("sets are no operands of this"),
    })
}

/// The bits of a word as a number without sign.
pub fn bits(value: i128, width: u32) -> i128 {
    value & ((1 << width) - 1)
}

/// How values are told to people.
pub fn value_text(value: i128, domain: &Domain, symbols: &[crate::token::Name]) -> String {
    match domain {
        Domain::Bool => if value == 0 { "FALSE" } else { "TRUE" }.to_owned(),
        Domain::Word { signed, width } => {
            let (sign, letter) = (if value < 0 { "-" } else { "" }, if *signed { 's' } else { 'u' });
            format!("{sign}0{letter}d{width}_{}", value.unsigned_abs())
        }
        Domain::Range(..) | Domain::List(_) => plain_value_text(value, symbols),
    }
}

/// A symbol or a whole number.
pub fn plain_value_text(value: i128, symbols: &[crate::token::Name]) -> String {
    let symbol = value.checked_sub(crate::types::SYMBOLS).and_then(|number| usize::try_from(number).ok());
    match symbol.and_then(|number| symbols.get(number)) {
        Some(name) => name.to_string(),
        None => value.to_string(),
    }
}
