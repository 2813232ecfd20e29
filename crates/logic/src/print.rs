//! From formula to text, with no more parentheses than are needed to read the same formula back.
//!
//! What a dialect has no word for is said by what it has: in NuSMV `p W q` by `q V (p | q)`, in SPIN `p xor q` by
//! `!(p <-> q)`, in both `p M q` by `q U (p & q)`. There is no way to say the past in SPIN or the branching of time in SPIN and Spot:
//! there the letters `Y Z O H S T`, `E` and `A` stand in for it, which [`Dialect::Auto`] reads.

use crate::parse::{Infix, Prefix, Shape, is_operator_word, shape_of};
use crate::{Dialect, Formula, Propositions};

/// The formula in a dialect's spelling. [`parse`](crate::parse) in that dialect reads it back: as the same formula, if the
/// dialect has all its operators.
pub fn print(formula: &Formula, props: &Propositions, dialect: Dialect) -> String {
    let mut printer = Printer { props, dialect, has_past: formula.has_past(), out: String::new() };
    printer.formula(formula, 0);
    printer.out
}

/// The level of what is never put into parentheses when an operator stands before it.
const UNARY: u8 = 7;

struct Printer<'a> {
    props: &'a Propositions,
    dialect: Dialect,
    has_past: bool,
    out: String,
}

impl Printer<'_> {
    /// Writes the formula where only what binds at least as tightly as `loosest` may stand without parentheses.
    fn formula(&mut self, formula: &Formula, loosest: u8) {
        match formula {
            Formula::True => self.out.push_str(self.constant(true)),
            Formula::False => self.out.push_str(self.constant(false)),
            Formula::Prop(id) => {
                let text = self.props.text(*id).into_owned();
                self.proposition(&text);
            }
            Formula::And(parts) => self.joined(Infix::And, parts, loosest),
            Formula::Or(parts) => self.joined(Infix::Or, parts, loosest),
            Formula::Implies(left, right) => self.binary(Infix::Implies, left, right, loosest),
            Formula::Iff(left, right) => self.binary(Infix::Iff, left, right, loosest),
            Formula::Xor(left, right) if self.dialect == Dialect::Spin => {
                let iff = Formula::Iff(left.clone(), right.clone());
                self.unary(Prefix::Not, &iff);
            }
            Formula::Xor(left, right) => self.binary(Infix::Xor, left, right, loosest),
            Formula::Until(left, right) => self.binary(Infix::Until, left, right, loosest),
            Formula::WeakUntil(left, right) if self.dialect == Dialect::Nusmv => {
                let instead = without_weak_until(left, right);
                self.formula(&instead, loosest);
            }
            Formula::WeakUntil(left, right) => self.binary(Infix::WeakUntil, left, right, loosest),
            Formula::Release(left, right) => self.binary(Infix::Release, left, right, loosest),
            Formula::StrongRelease(left, right) if matches!(self.dialect, Dialect::Spin | Dialect::Nusmv) => {
                let instead = without_strong_release(left, right);
                self.formula(&instead, loosest);
            }
            Formula::StrongRelease(left, right) => self.binary(Infix::StrongRelease, left, right, loosest),
            Formula::Since(left, right) => self.binary(Infix::Since, left, right, loosest),
            Formula::Trigger(left, right) => self.binary(Infix::Trigger, left, right, loosest),
            Formula::Not(part) => self.unary(Prefix::Not, part),
            Formula::Next(part) => self.unary(Prefix::Next, part),
            Formula::Finally(part) => self.unary(Prefix::Finally, part),
            Formula::Globally(part) => self.unary(Prefix::Globally, part),
            Formula::Yesterday(part) => self.unary(Prefix::Yesterday, part),
            Formula::WeakYesterday(part) => self.unary(Prefix::WeakYesterday, part),
            Formula::Once(part) => self.unary(Prefix::Once, part),
            Formula::Historically(part) => self.unary(Prefix::Historically, part),
            Formula::ForSome(part) => self.quantified(Prefix::ForSome, part),
            Formula::ForAll(part) => self.quantified(Prefix::ForAll, part),
        }
    }

    /// `EF p` and `E [p U q]`, as users of NuSMV write it; SPIN and Spot have no words for it.
    fn quantified(&mut self, quantifier: Prefix, part: &Formula) {
        let is_joined = match part {
            // `A F G p` is no formula of CTL, and does not look like one.
            Formula::Next(part) | Formula::Finally(part) | Formula::Globally(part) => {
                !part.is_future_operator() && !part.is_past_operator()
            }
            _ => false,
        };
        match (self.dialect, part) {
            (Dialect::Spin | Dialect::Spot, _) => self.unary(quantifier, part),
            _ if is_joined => {
                self.out.push_str(quantifier.letter());
                self.formula(part, UNARY);
            }
            (_, Formula::Until(..)) => {
                self.out.extend([quantifier.letter(), " ["]);
                self.formula(part, 0);
                self.out.push(']');
            }
            _ => self.unary(quantifier, part),
        }
    }

    fn constant(&self, value: bool) -> &'static str {
        match (self.dialect, value) {
            (Dialect::Spin, true) => "true",
            (Dialect::Spin, false) => "false",
            (Dialect::Nusmv, true) => "TRUE",
            (Dialect::Nusmv, false) => "FALSE",
            (_, true) => "1",
            (_, false) => "0",
        }
    }

    fn proposition(&mut self, text: &str) {
        let reserved = matches!(text, "E" | "A" | "xor") || is_operator_word(text, Dialect::Auto);
        match shape_of(text, self.dialect) {
            Shape::Operand if !reserved => self.out.push_str(text),
            Shape::Expression => self.out.extend(["(", text, ")"]),
            _ => {
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
                self.out.extend(["\"", &escaped, "\""]);
            }
        }
    }

    fn unary(&mut self, operator: Prefix, part: &Formula) {
        let word = match (operator, self.dialect) {
            (Prefix::Finally, Dialect::Spin) => "<>",
            (Prefix::Globally, Dialect::Spin) => "[]",
            (other, _) => other.letter(),
        };
        self.out.push_str(word);
        if operator != Prefix::Not {
            self.out.push(' ');
        }
        self.formula(part, UNARY);
    }

    fn infix_word(&self, operator: Infix) -> &'static str {
        match (operator, self.dialect) {
            (Infix::And, Dialect::Spin) => "&&",
            (Infix::Or, Dialect::Spin) => "||",
            (Infix::Release, Dialect::Spin | Dialect::Nusmv) => "V",
            (other, _) => other.letter(),
        }
    }

    fn joined(&mut self, operator: Infix, parts: &[Formula], loosest: u8) {
        let (binding, _) = operator.binding(self.dialect);
        let open = binding < loosest;
        self.out.push_str(if open { "(" } else { "" });
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                self.out.extend([" ", self.infix_word(operator), " "]);
            }
            self.formula(part, binding + 1);
        }
        self.out.push_str(if open { ")" } else { "" });
    }

    fn binary(&mut self, operator: Infix, left: &Formula, right: &Formula, loosest: u8) {
        let (binding, to_the_right) = operator.binding(self.dialect);
        let open = binding < loosest;
        // Our own spelling does not lean to any side, so that it reads the same in all dialects. Neither does Spot's with the
        // past in it, which Spot does not have.
        let leans = self.dialect != Dialect::Auto && !(self.dialect == Dialect::Spot && self.has_past);
        self.out.push_str(if open { "(" } else { "" });
        self.formula(left, if leans && !to_the_right { binding } else { binding + 1 });
        self.out.extend([" ", self.infix_word(operator), " "]);
        self.formula(right, if leans && to_the_right { binding } else { binding + 1 });
        self.out.push_str(if open { ")" } else { "" });
    }
}

/// `left W right` by other operators. One part stands there twice: the smaller one, so that even a nest of them grows by no
/// more than a power.
fn without_weak_until(left: &Formula, right: &Formula) -> Formula {
    if right.size() <= left.size() {
        Formula::release(right.clone(), Formula::or([left.clone(), right.clone()]))
    } else {
        Formula::or([Formula::until(left.clone(), right.clone()), Formula::globally(left.clone())])
    }
}

/// `left M right` by other operators, likewise.
fn without_strong_release(left: &Formula, right: &Formula) -> Formula {
    if right.size() <= left.size() {
        Formula::until(right.clone(), Formula::and([left.clone(), right.clone()]))
    } else {
        Formula::and([Formula::release(left.clone(), right.clone()), Formula::finally(left.clone())])
    }
}
