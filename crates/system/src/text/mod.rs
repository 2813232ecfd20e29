//! The text form of a system: what `lariat show` prints, and what tests write models in.
//!
//! Printing and parsing are inverse to each other: the text of a valid system parses to an equal one, spans aside. The
//! form is described, with an example, in `docs/text-form.md`. Whatever is named is declared before; nothing is resolved
//! twice, so one pass suffices. Parsing does not validate: call [`System::validate`] on what comes out.

mod lexer;
mod parse;
mod parse_expr;
mod print;

pub use parse::parse;

use crate::{BinaryOp, Expr, FrameId, Half, System, WideOp};
use std::fmt;

/// Words that are no names unless they are quoted.
const KEYWORDS: [&str; 51] = [
    "action",
    "as",
    "at",
    "bool",
    "by",
    "choose",
    "compassion",
    "control",
    "count",
    "cut",
    "dead_ends",
    "effect",
    "else",
    "enum",
    "exists",
    "exit",
    "fairness",
    "frame",
    "goes_on",
    "guard",
    "hidden",
    "hold",
    "if",
    "init",
    "invariant",
    "justice",
    "label",
    "lives",
    "of",
    "peer",
    "pool",
    "print",
    "process",
    "proper_end",
    "queue",
    "rank",
    "set",
    "slot",
    "spawn",
    "state",
    "step",
    "steps",
    "stops",
    "strong",
    "stutter",
    "system",
    "then",
    "trail",
    "trap",
    "cut",
    "when",
];

/// How tightly what stands beside an operator must bind, loosest first: `if`, the operators, unary operators, the rest.
const LOOSEST: u8 = 0;
const UNARY: u8 = 11;
const PRIMARY: u8 = 12;

impl System {
    /// The same system with every span [`Span::NONE`](lariat_base::Span::NONE): what the text form keeps of it.
    #[must_use]
    pub fn without_spans(mut self) -> Self {
        let none = lariat_base::Span::NONE;
        self.slots.iter_mut().for_each(|slot| slot.span = none);
        for frame in self.frames.iter_mut() {
            frame.span = none;
            frame.slots.iter_mut().for_each(|slot| slot.span = none);
        }
        self.labels.iter_mut().for_each(|label| label.span = none);
        for action in self.actions.iter_mut() {
            (action.span, action.called_at) = (none, none);
            action.traps.iter_mut().for_each(|trap| trap.span = none);
            action.cuts.iter_mut().for_each(|cut| cut.span = none);
            if let Some((_, span)) = &mut action.peer {
                *span = none;
            }
        }
        self
    }

    /// A closed expression of this system as text.
    pub fn show<'a>(&'a self, expr: &'a Expr) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| print::expr(f, self, expr, &[], &Default::default()))
    }

    /// An expression of an action of this system as text.
    pub fn show_in<'a>(&'a self, action: &'a crate::Action, expr: &'a Expr) -> impl fmt::Display + 'a {
        let roles: &'a [FrameId] = &action.participants;
        fmt::from_fn(move |f| print::expr(f, self, expr, roles, &action.choices))
    }
}

/// The sign of an operator and how tightly it binds; all associate to the left.
fn sign(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 1),
        BinaryOp::And => ("&&", 2),
        BinaryOp::BitOr => ("|", 3),
        BinaryOp::BitXor => ("^", 4),
        BinaryOp::BitAnd => ("&", 5),
        BinaryOp::Eq => ("==", 6),
        BinaryOp::Ne => ("!=", 6),
        BinaryOp::Lt => ("<", 7),
        BinaryOp::Le => ("<=", 7),
        BinaryOp::Shl => ("<<", 8),
        BinaryOp::Shr => (">>", 8),
        BinaryOp::Add => ("+", 9),
        BinaryOp::Sub => ("-", 9),
        BinaryOp::Mul => ("*", 10),
        BinaryOp::Div => ("/", 10),
        BinaryOp::Rem => ("%", 10),
    }
}

/// The number of `p0`, `p1` and so on.
fn role_number(word: &str) -> Option<u8> {
    numbered(word, 'p')
}

/// The width and the sign of `u8`, `i16` and so on.
fn wrap_type(word: &str) -> Option<(u8, bool)> {
    numbered(word, 'u').map(|bits| (bits, false)).or_else(|| numbered(word, 'i').map(|bits| (bits, true)))
}

/// The operation and the half of `mul_low`, `div_high` and so on.
fn wide_operation(word: &str) -> Option<(WideOp, Half)> {
    let all = WideOp::ALL.into_iter().flat_map(|op| Half::ALL.map(|half| (op, half)));
    all.into_iter().find(|(op, half)| op.name(*half) == word)
}

fn numbered(word: &str, letter: char) -> Option<u8> {
    let digits = word.strip_prefix(letter)?;
    let plain = digits == "0" || (digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

/// Whether `name` can be written without quotes: words joined by dots that mean nothing else.
fn is_plain(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let first = name.split('.').next().unwrap_or("");
    name.split('.').all(is_word)
        && !KEYWORDS.contains(&name)
        && role_number(first).is_none()
        && wrap_type(name).is_none()
        && wide_operation(name).is_none()
}

/// A name as it is written.
fn name(text: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| if is_plain(text) { f.write_str(text) } else { write!(f, "{}", quoted(text)) })
}

/// A text in quotes.
fn quoted(text: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        f.write_str("\"")?;
        for c in text.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    })
}
