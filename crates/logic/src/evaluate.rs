//! The direct evaluator: a formula on a lasso word, straight from the semantics, without any automaton. It is the oracle
//! for everything else that is done with formulas; it aims to be obviously right, not fast.
//!
//! The truth of a formula along the word is ultimately periodic. Without past it repeats with the cycle from its first
//! position on. A past operator remembers one bit of what was, and going once round the cycle changes that bit by a
//! monotone function, which is the identity or a constant: so from the second time round on, nothing new happens. With
//! `d` past operators within each other it repeats after `d` times round. Hence the word is laid out with `d + 1` copies of
//! the cycle; behind the last position comes the first one of the last copy. On these positions,
//!
//! * past operators are computed from the left to the right,
//! * `U`, `F` and `M` are least, `R`, `G` and `W` greatest solutions of their equations, found by iteration.

use crate::{Formula, LassoWord};

/// Whether the formula holds at the first position of the word. There is one run only, so `E f` and `A f` are `f`.
pub fn holds(formula: &Formula, word: &LassoWord) -> bool {
    truth(formula, word).at(0)
}

/// Where the formula holds along the word.
pub fn truth(formula: &Formula, word: &LassoWord) -> Truth {
    let back = word.prefix.len() + word.cycle.len() * formula.past_depth();
    let positions = Positions { word, back, end: back + word.cycle.len() };
    Truth { values: positions.values(formula), back }
}

/// The truth of a formula at every position of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    values: Vec<bool>,
    back: usize,
}

impl Truth {
    /// Whether it holds at a position.
    pub fn at(&self, position: usize) -> bool {
        match position.checked_sub(self.back) {
            None => self.values[position],
            Some(inside) => self.values[self.back + inside % (self.values.len() - self.back)],
        }
    }
    /// Whether it holds at each of the positions up to where it begins to repeat, and through one period.
    pub fn values(&self) -> &[bool] {
        &self.values
    }
    /// The position that follows the last one of [`Truth::values`].
    pub fn back(&self) -> usize {
        self.back
    }
}

/// Positions `0..end`, with `back` behind the last one.
struct Positions<'a> {
    word: &'a LassoWord,
    back: usize,
    end: usize,
}

impl Positions<'_> {
    fn values(&self, formula: &Formula) -> Vec<bool> {
        let of = |part: &Formula| self.values(part);
        match formula {
            Formula::True => vec![true; self.end],
            Formula::False => vec![false; self.end],
            Formula::Prop(id) => self.each(|i| self.word.letter(i).contains(*id)),
            Formula::Not(f) => of(f).into_iter().map(|value| !value).collect(),
            Formula::And(parts) => {
                let parts: Vec<_> = parts.iter().map(of).collect();
                self.each(|i| parts.iter().all(|part| part[i]))
            }
            Formula::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(of).collect();
                self.each(|i| parts.iter().any(|part| part[i]))
            }
            Formula::Implies(f, g) => self.both(f, g, |f, g| !f || g),
            Formula::Iff(f, g) => self.both(f, g, |f, g| f == g),
            Formula::Xor(f, g) => self.both(f, g, |f, g| f != g),
            Formula::Next(f) => {
                let f = of(f);
                self.each(|i| f[self.after(i)])
            }
            Formula::Finally(f) => {
                let f = of(f);
                self.solution(false, |i, later| f[i] || later)
            }
            Formula::Globally(f) => {
                let f = of(f);
                self.solution(true, |i, later| f[i] && later)
            }
            Formula::Until(f, g) | Formula::WeakUntil(f, g) => {
                let weak = matches!(formula, Formula::WeakUntil(..));
                let (f, g) = (of(f), of(g));
                self.solution(weak, |i, later| g[i] || f[i] && later)
            }
            Formula::Release(f, g) | Formula::StrongRelease(f, g) => {
                let weak = matches!(formula, Formula::Release(..));
                let (f, g) = (of(f), of(g));
                self.solution(weak, |i, later| g[i] && (f[i] || later))
            }
            Formula::Yesterday(f) => {
                let f = of(f);
                self.each(|i| i > 0 && f[i - 1])
            }
            Formula::WeakYesterday(f) => {
                let f = of(f);
                self.each(|i| i == 0 || f[i - 1])
            }
            Formula::Once(f) => {
                let f = of(f);
                self.each(|i| f[..=i].contains(&true))
            }
            Formula::Historically(f) => {
                let f = of(f);
                self.each(|i| !f[..=i].contains(&false))
            }
            Formula::Since(f, g) => {
                let (f, g) = (of(f), of(g));
                self.each(|i| (0..=i).any(|j| g[j] && f[j + 1..=i].iter().all(|&value| value)))
            }
            Formula::Trigger(f, g) => {
                let (f, g) = (of(f), of(g));
                self.each(|i| (0..=i).all(|j| g[j] || f[j + 1..=i].contains(&true)))
            }
            Formula::ForSome(f) | Formula::ForAll(f) => of(f),
        }
    }

    fn after(&self, position: usize) -> usize {
        if position + 1 < self.end { position + 1 } else { self.back }
    }

    fn each(&self, value: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.end).map(value).collect()
    }

    fn both(&self, f: &Formula, g: &Formula, joined: impl Fn(bool, bool) -> bool) -> Vec<bool> {
        let (f, g) = (self.values(f), self.values(g));
        self.each(|i| joined(f[i], g[i]))
    }

    /// The solution of `x[i] = value(i, x[i + 1])` nearest to `from` everywhere: the least for `false`, the
    /// greatest for `true`.
    fn solution(&self, from: bool, value: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut x = vec![from; self.end];
        loop {
            let mut changed = false;
            for i in (0..self.end).rev() {
                let new = value(i, x[self.after(i)]);
                changed |= new != x[i];
                x[i] = new;
            }
            if !changed {
                return x;
            }
        }
    }
}
