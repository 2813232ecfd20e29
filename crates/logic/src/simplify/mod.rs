//! Simplification: smaller formulas with the same meaning.
//!
//! The formula is rebuilt from below by constructors that know the equivalences of the literature: constants and duplicates;
//! parts that follow from others; operators that do nothing on formulas whose truth spreads along the word; operators of one
//! kind that can be joined. The work is done with negations pushed inwards, where there are half as many cases; if that made
//! the formula larger, negations are pulled out again.
//!
//! Sources: Somenzi and Bloem (CAV 2000), Etessami and Holzmann (CONCUR 2000), and the documentation of Spot's formulas.
//! Every rule is at all positions, not only the first, since the formula may stand within past operators. Where the cost
//! would grow with the square of the formula, rules are left out for large ones.

mod implication;
mod join;
mod suffix;
mod temporal;

use crate::Formula;
use join::{all, any};
use lariat_base::safe_point;

/// How often the formula is rebuilt, at most; the third time hardly ever changes anything.
const MAX_ROUNDS: usize = 4;
/// Beyond this size nothing is done about a formula.
const MAX_SIZE: usize = 20_000;

impl Formula {
    /// A formula with the same meaning that is never larger (by [`Formula::size`]) and often smaller. The same at every
    /// position of every word; `E` and `A` are taken as they are.
    #[must_use]
    pub fn simplified(&self) -> Formula {
        let size = self.size();
        if size > MAX_SIZE {
            return self.clone();
        }
        let mut best = self.clone();
        let mut current = self.negations_pushed();
        for _ in 0..MAX_ROUNDS {
            let next = rebuilt(&current);
            let done = next == current;
            current = next;
            if done {
                break;
            }
        }
        for candidate in [negations_pulled(&current), current] {
            if candidate.size() < best.size() || candidate.size() == best.size() && best == *self {
                best = candidate;
            }
        }
        best
    }
}

/// The formula with each operator put together again from its rebuilt parts.
fn rebuilt(formula: &Formula) -> Formula {
    safe_point();
    let of = |part: &Formula| rebuilt(part);
    match formula {
        Formula::True | Formula::False | Formula::Prop(_) | Formula::Not(_) => formula.clone(),
        Formula::And(parts) => all(parts.iter().map(of).collect()),
        Formula::Or(parts) => any(parts.iter().map(of).collect()),
        Formula::Implies(f, g) => any(vec![of(f).negated().negations_pushed(), of(g)]),
        Formula::Iff(f, g) => equivalence(of(f), of(g), true),
        Formula::Xor(f, g) => equivalence(of(f), of(g), false),
        Formula::ForSome(f) | Formula::ForAll(f) => match of(f) {
            constant @ (Formula::True | Formula::False) => constant,
            part if matches!(formula, Formula::ForSome(_)) => Formula::for_some(part),
            part => Formula::for_all(part),
        },
        _ => temporal::rebuilt(formula, of),
    }
}

/// `f <-> g`, or `f xor g` if `iff` is unset.
fn equivalence(f: Formula, g: Formula, iff: bool) -> Formula {
    let negated = |formula: Formula| Formula::not(formula).negations_pushed();
    match (f, g) {
        (Formula::True, other) | (other, Formula::True) => {
            if iff {
                other
            } else {
                negated(other)
            }
        }
        (Formula::False, other) | (other, Formula::False) => {
            if iff {
                negated(other)
            } else {
                other
            }
        }
        (f, g) if f == g => Formula::constant(iff),
        (f, g) if f == negated(g.clone()) => Formula::constant(!iff),
        // A negation on one side turns the operator round.
        (Formula::Not(f), g) => {
            if iff {
                Formula::xor((*f).clone(), g)
            } else {
                Formula::iff((*f).clone(), g)
            }
        }
        (f, Formula::Not(g)) => {
            if iff {
                Formula::xor(f, (*g).clone())
            } else {
                Formula::iff(f, (*g).clone())
            }
        }
        (f, g) => {
            if iff {
                Formula::iff(f, g)
            } else {
                Formula::xor(f, g)
            }
        }
    }
}

/// Pulls negations out where that makes the formula smaller: `!a | !b` becomes `!(a & b)`.
fn negations_pulled(formula: &Formula) -> Formula {
    let formula = formula.map_operands(negations_pulled);
    let operands = formula.operands();
    let negations = operands.iter().filter(|part| matches!(part, Formula::Not(_))).count();
    if negations < 2 || negations < operands.len() || matches!(formula, Formula::Not(_)) {
        return formula;
    }
    Formula::not(Formula::not(formula).negations_pushed())
}
