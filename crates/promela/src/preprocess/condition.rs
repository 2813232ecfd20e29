//! The value of an `#if` line: C's integer expressions over lexemes whose macros are expanded.
//!
//! Names that are left count as 0, as in C. Arithmetic wraps at 64 bits. A division by zero counts only where its
//! value is asked for, so `defined(N) && 8 / N` is safe.

use lariat_base::Span;

use crate::lex::{Lexeme, Placed};
use crate::token::Punct;

/// Why there is no value, and where if not at the directive itself.
pub(super) type Failure = (Option<Span>, &'static str);

const MAX_DEPTH: usize = 100;

/// A value, or the failure to find one if anybody asks.
type Value = Result<i64, Failure>;

/// The value of the expression.
pub(super) fn evaluate(lexemes: &[Placed]) -> Result<i64, Failure> {
    let mut evaluator = Evaluator { lexemes, at: 0, depth: 0 };
    let value = evaluator.choice()?;
    match lexemes.get(evaluator.at) {
        Some(placed) => Err((Some(placed.span), "an operator is missing here")),
        None => value,
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
            condition.and_then(|condition| if condition != 0 { yes } else { no })
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
                (Punct::AndAnd, Ok(0)) => Ok(0),
                (Punct::OrOr, Ok(value)) if value != 0 => Ok(1),
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
        let operator: fn(i64) -> i64 = match &placed.lexeme {
            Lexeme::Number(digits) => return number(digits).map(Ok).ok_or((Some(placed.span), "not an integer")),
            Lexeme::Char(byte) => return Ok(Ok(i64::from(*byte))),
            Lexeme::Word(_) => return Ok(Ok(0)),
            Lexeme::Punct(Punct::LParen) => {
                let value = self.choice()?;
                return if self.take(Punct::RParen) { Ok(value) } else { Err((Some(placed.span), "no `)` for this")) };
            }
            Lexeme::Punct(Punct::Bang) => |value| i64::from(value == 0),
            Lexeme::Punct(Punct::BangBang) => |value| i64::from(value != 0),
            Lexeme::Punct(Punct::Minus) => i64::wrapping_neg,
            Lexeme::Punct(Punct::Plus) => |value| value,
            Lexeme::Punct(Punct::Tilde) => |value| !value,
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

fn number(digits: &str) -> Option<i64> {
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(&digits[1..], 8).ok(),
        None => digits.parse().ok(),
    }
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

fn apply(punct: Punct, left: i64, right: i64) -> Option<i64> {
    let shift = (right & 63) as u32;
    Some(match punct {
        Punct::OrOr => i64::from(left != 0 || right != 0),
        Punct::AndAnd => i64::from(left != 0 && right != 0),
        Punct::Or => left | right,
        Punct::Caret => left ^ right,
        Punct::And => left & right,
        Punct::Eq => i64::from(left == right),
        Punct::Ne => i64::from(left != right),
        Punct::Lt => i64::from(left < right),
        Punct::Le => i64::from(left <= right),
        Punct::Gt => i64::from(left > right),
        Punct::Ge => i64::from(left >= right),
        Punct::Shl => left.wrapping_shl(shift),
        Punct::Shr => left.wrapping_shr(shift),
        Punct::Plus => left.wrapping_add(right),
        Punct::Minus => left.wrapping_sub(right),
        Punct::Star => left.wrapping_mul(right),
        Punct::Slash if right != 0 => left.wrapping_div(right),
        Punct::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}
