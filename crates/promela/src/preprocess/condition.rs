//! The value of an `#if` line: C's integer expressions over lexemes whose macros are expanded.
//!
//! Names that are left count as 0, as in C. Arithmetic has 64 bits, and is unsigned where an operand is. A division by zero
//! counts only where its value is asked for, so `defined(N) && 8 / N` is safe.

use lariat_base::Span;

use crate::lex::{Lexeme, Placed};
use crate::token::Punct;

/// Why there is no value, and where if not at the directive itself.
pub(super) type Failure = (Option<Span>, &'static str);

const MAX_DEPTH: usize = 100;

/// A number as C's preprocessor has it.
#[derive(Clone, Copy)]
struct Number {
    bits: i64,
    unsigned: bool,
}

/// A value, or the failure to find one if anybody asks.
type Value = Result<Number, Failure>;

/// Whether the expression is not zero.
pub(super) fn evaluate(lexemes: &[Placed]) -> Result<bool, Failure> {
    let mut evaluator = Evaluator { lexemes, at: 0, depth: 0 };
    let value = evaluator.choice()?;
    match lexemes.get(evaluator.at) {
        Some(placed) => Err((Some(placed.span), "an operator is missing here")),
        None => value.map(Number::holds),
    }
}

impl Number {
    fn truth(holds: bool) -> Self {
        Self { bits: i64::from(holds), unsigned: false }
    }
    fn holds(self) -> bool {
        self.bits != 0
    }
}

struct Evaluator<'a> {
    lexemes: &'a [Placed],
    at: usize,
    depth: usize,
}

impl Evaluator<'_> {
    fn take(&mut self, punct: Punct) -> bool {
        let taken = self.lexemes.get(self.at).is_some_and(|placed| placed.is(punct));
        self.at += usize::from(taken);
        taken
    }

    /// `c ? a : b`; the outer failure is of syntax, the inner one of value.
    fn choice(&mut self) -> Result<Value, Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((None, "it is nested too deep"));
        }
        let condition = self.binary(1)?;
        let value = if self.take(Punct::Query) {
            let (yes, colon, no) = (self.choice()?, self.take(Punct::Colon), self.choice()?);
            if !colon {
                return Err((None, "a `:` is missing"));
            }
            let is_unsigned = |value: &Value| value.is_ok_and(|number| number.unsigned);
            let unsigned = is_unsigned(&yes) || is_unsigned(&no);
            let chosen = condition.and_then(|condition| if condition.holds() { yes } else { no });
            chosen.map(|chosen| Number { unsigned, ..chosen })
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8) -> Result<Value, Failure> {
        let mut left = self.unary()?;
        while let Some(Placed { lexeme: Lexeme::Punct(punct), span, .. }) = self.lexemes.get(self.at) {
            let Some(strength) = strength(*punct).filter(|&strength| strength >= least) else { break };
            self.at += 1;
            let right = self.binary(strength + 1)?;
            left = match (*punct, left) {
                (Punct::AndAnd, Ok(left)) if !left.holds() => Ok(Number::truth(false)),
                (Punct::OrOr, Ok(left)) if left.holds() => Ok(Number::truth(true)),
                (punct, Ok(left)) => {
                    right.and_then(|right| apply(punct, left, right).ok_or((Some(*span), "it divides by zero")))
                }
                (_, failure) => failure,
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, Failure> {
        let Some(placed) = self.lexemes.get(self.at) else { return Err((None, "a value is missing at its end")) };
        self.at += 1;
        let operator: fn(Number) -> Number = match &placed.lexeme {
            Lexeme::Number(digits) => return number(digits).map(Ok).ok_or((Some(placed.span), "not an integer")),
            Lexeme::Char(byte) => return Ok(Ok(Number { bits: i64::from(*byte), unsigned: false })),
            Lexeme::Word(_) => return Ok(Ok(Number::truth(false))),
            Lexeme::Punct(Punct::LParen) => {
                let value = self.choice()?;
                return if self.take(Punct::RParen) { Ok(value) } else { Err((Some(placed.span), "no `)` for this")) };
            }
            Lexeme::Punct(Punct::Bang) => |value| Number::truth(!value.holds()),
            Lexeme::Punct(Punct::BangBang) => |value| Number::truth(value.holds()),
            Lexeme::Punct(Punct::Minus) => |value| Number { bits: value.bits.wrapping_neg(), ..value },
            Lexeme::Punct(Punct::Plus) => |value| value,
            Lexeme::Punct(Punct::Tilde) => |value| Number { bits: !value.bits, ..value },
            _ => return Err((Some(placed.span), "a value is expected here")),
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((None, "it is nested too deep"));
        }
        let value = self.unary()?;
        self.depth -= 1;
        Ok(value.map(operator))
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = &text[digits.len()..];
    let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => match digits.strip_prefix("0b").or(digits.strip_prefix("0B")) {
            Some(digits) => u64::from_str_radix(digits, 2),
            None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(&digits[1..], 8),
            None => digits.parse(),
        },
    };
    let bits = parsed.ok()? as i64;
    Some(Number { bits, unsigned: bits < 0 || suffix.contains(['u', 'U']) })
}

fn strength(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Or => 3,
        Punct::Caret => 4,
        Punct::And => 5,
        Punct::Eq | Punct::Ne => 6,
        Punct::Lt | Punct::Le | Punct::Gt | Punct::Ge => 7,
        Punct::Shl | Punct::Shr => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

fn apply(punct: Punct, left: Number, right: Number) -> Option<Number> {
    let (a, b) = (left.bits, right.bits);
    let unsigned = left.unsigned || right.unsigned;
    let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
    let bits = match punct {
        Punct::OrOr => return Some(Number::truth(left.holds() || right.holds())),
        Punct::AndAnd => return Some(Number::truth(left.holds() && right.holds())),
        Punct::Eq => return Some(Number::truth(a == b)),
        Punct::Ne => return Some(Number::truth(a != b)),
        Punct::Lt => return Some(Number::truth(order.is_lt())),
        Punct::Le => return Some(Number::truth(order.is_le())),
        Punct::Gt => return Some(Number::truth(order.is_gt())),
        Punct::Ge => return Some(Number::truth(order.is_ge())),
        Punct::Shl => return Some(shifted(left, right, true)),
        Punct::Shr => return Some(shifted(left, right, false)),
        Punct::Or => a | b,
        Punct::Caret => a ^ b,
        Punct::And => a & b,
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        Punct::Slash | Punct::Percent if b == 0 => return None,
        Punct::Slash if unsigned => (a as u64 / b as u64) as i64,
        Punct::Percent if unsigned => (a as u64 % b as u64) as i64,
        Punct::Slash => a.wrapping_div(b),
        Punct::Percent => a.wrapping_rem(b),
        _ => return None,
    };
    Some(Number { bits, unsigned })
}

/// A shift has the type of what is shifted. As in gcc, shifting by less than nothing is shifting the other way.
fn shifted(value: Number, by: Number, to_the_left: bool) -> Number {
    let backwards = !by.unsigned && by.bits < 0;
    let distance = if backwards { by.bits.unsigned_abs() } else { by.bits as u64 };
    let distance = u32::try_from(distance).unwrap_or(u32::MAX);
    let bits = match (to_the_left != backwards, value.unsigned) {
        (true, _) => value.bits.checked_shl(distance).unwrap_or(0),
        (false, true) => (value.bits as u64).checked_shr(distance).unwrap_or(0) as i64,
        (false, false) => value.bits >> distance.min(63),
    };
    Number { bits, ..value }
}
