//! Implication between formulas as far as their shape shows it (Somenzi and Bloem, CAV 2000), extended to the past.
//!
//! Formulas are in the form of `negations_pushed`. All implications are at every position of every word. The search takes a
//! bounded number of steps; when they are used up the answer is no, which is always safe.

use super::suffix::{is_eventual, is_universal};
use crate::Formula;
use lariat_base::safe_point;

/// How many pairs of formulas one question may look at.
const MAX_STEPS: usize = 2_000;
/// Larger pairs are not looked into: each step takes time in proportion to their size.
const MAX_SIZE: usize = 300;

/// Whether `f` implies `g`, for all that can be seen.
pub(super) fn implies(f: &Formula, g: &Formula) -> bool {
    if f.size() + g.size() > MAX_SIZE {
        return f == g;
    }
    ImplicationSearch { left: MAX_STEPS }.implies(f, g)
}

/// Whether `f` and `g` exclude each other, for all that can be seen.
pub(super) fn excludes(f: &Formula, g: &Formula) -> bool {
    // Cheap where it matters most: two literals, or a formula and its own negation.
    implies(f, &Formula::not(g.clone()).negations_pushed())
}

/// Whether one of `f` and `g` holds everywhere, for all that can be seen.
pub(super) fn covers(f: &Formula, g: &Formula) -> bool {
    implies(&Formula::not(f.clone()).negations_pushed(), g)
}

struct ImplicationSearch {
    left: usize,
}

impl ImplicationSearch {
    fn implies(&mut self, f: &Formula, g: &Formula) -> bool {
        safe_point();
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        if f == g || *f == Formula::False || *g == Formula::True {
            return true;
        }
        // What has to be split is split first: nothing is lost by it.
        match (f, g) {
            (Formula::Or(parts), _) => return parts.iter().all(|part| self.implies(part, g)),
            (_, Formula::And(parts)) => return parts.iter().all(|part| self.implies(f, part)),
            _ => {}
        }
        self.by_both(f, g) || self.by_right(f, g) || self.by_left(f, g)
    }

    /// Operators of one kind are monotone in their parts.
    fn by_both(&mut self, f: &Formula, g: &Formula) -> bool {
        use Formula::*;
        match (f, g) {
            (Next(a), Next(b))
            | (Yesterday(a), Yesterday(b) | WeakYesterday(b))
            | (WeakYesterday(a), WeakYesterday(b))
            | (ForSome(a), ForSome(b))
            | (ForAll(a), ForAll(b)) => self.implies(a, b),
            (Until(a, b), Until(c, d) | WeakUntil(c, d)) | (WeakUntil(a, b), WeakUntil(c, d)) => {
                self.implies(a, c) && (self.implies(b, d) || self.implies(b, g))
            }
            (StrongRelease(a, b), StrongRelease(c, d) | Release(c, d)) | (Release(a, b), Release(c, d)) => {
                self.implies(b, d) && self.implies(a, c)
            }
            (Until(_, b), Finally(d)) => self.implies(b, d),
            (StrongRelease(a, b), Finally(d)) => self.implies(a, d) || self.implies(b, d),
            (Globally(a), WeakUntil(c, _)) => self.implies(a, c),
            (Globally(a), Release(_, d)) => self.implies(a, d),
            (Since(a, b), Since(c, d)) => self.implies(a, c) && self.implies(b, d),
            (Trigger(a, b), Trigger(c, d)) => self.implies(a, c) && self.implies(b, d),
            (Since(_, b), Once(d)) => self.implies(b, d),
            (Historically(a), Trigger(_, d)) => self.implies(a, d),
            _ => false,
        }
    }

    /// What makes `g` true at once.
    fn by_right(&mut self, f: &Formula, g: &Formula) -> bool {
        use Formula::*;
        match g {
            Or(parts) => parts.iter().any(|part| self.implies(f, part)),
            Finally(b) | Once(b) | Until(_, b) | WeakUntil(_, b) | Since(_, b) if self.implies(f, b) => true,
            Release(a, b) | StrongRelease(a, b) | Trigger(a, b) if self.implies(f, a) && self.implies(f, b) => true,
            // Once true, `f` stays true, and with it what follows from it.
            Globally(b) | Release(_, b) | Next(b) if is_universal(f) && self.implies(f, b) => true,
            WeakUntil(a, _) if is_universal(f) && self.implies(f, a) => true,
            Historically(b) | Trigger(_, b) | WeakYesterday(b) if is_eventual(f) && self.implies(f, b) => true,
            _ => false,
        }
    }

    /// What follows from `f` at once.
    fn by_left(&mut self, f: &Formula, g: &Formula) -> bool {
        use Formula::*;
        match f {
            And(parts) => parts.iter().any(|part| self.implies(part, g)),
            Globally(a) | Historically(a) | Release(_, a) | StrongRelease(_, a) | Trigger(_, a)
                if self.implies(a, g) =>
            {
                true
            }
            Until(a, b) | WeakUntil(a, b) | Since(a, b) if self.implies(a, g) && self.implies(b, g) => true,
            // Where `g` holds it held before as well.
            Finally(a) | Until(_, a) | Next(a) if is_eventual(g) && self.implies(a, g) => true,
            StrongRelease(a, _) if is_eventual(g) && self.implies(a, g) => true,
            Once(a) | Since(_, a) | Yesterday(a) if is_universal(g) && self.implies(a, g) => true,
            _ => false,
        }
    }
}
