//! A second way to write a formula, for a second automaton: sometimes the smaller one.
//!
//! Formulas whose truth does not change along a word (`G F a`, `F G a`, and what is made of them; "suspendable" in Babiak,
//! Badie, Duret-Lutz, Křetínský, Strejček, SPIN 2013) may be asked at any time. Moved under a neighbouring `F` or `G` they
//! let the automaton wait in its first state: `F G a | G F b` is `F (G a | G F b)`. Steps are moved together likewise,
//! `X a | X b` is `X (a | b)`, which leaves one successor where there were two.

use super::term::{Term, TermId, Terms};
use crate::hash::FastMap;

impl Terms {
    /// The same formula, with suspendable parts moved under `F` and `G` and steps moved out of disjunctions.
    pub(super) fn lifted(&mut self, term: TermId) -> TermId {
        let mut known = FastMap::default();
        self.lift(term, &mut known)
    }

    fn lift(&mut self, term: TermId, known: &mut FastMap<TermId, TermId>) -> TermId {
        if let Some(&done) = known.get(&term) {
            return done;
        }
        let result = match self.get(term).clone() {
            Term::False | Term::True | Term::Literal { .. } => term,
            Term::And(parts) => {
                let parts = parts.into_iter().map(|part| self.lift(part, known)).collect();
                self.lift_and(parts)
            }
            Term::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.lift(part, known)).collect();
                self.lift_or(parts)
            }
            Term::Next(part) => {
                let part = self.lift(part, known);
                self.next(part)
            }
            Term::Finally(part) => {
                let part = self.lift(part, known);
                self.finally(part)
            }
            Term::Globally(part) => {
                let part = self.lift(part, known);
                self.globally(part)
            }
            Term::Until(a, b) => {
                let (a, b) = (self.lift(a, known), self.lift(b, known));
                self.until(a, b)
            }
            Term::Weak(a, b) => {
                let (a, b) = (self.lift(a, known), self.lift(b, known));
                self.weak(a, b)
            }
            Term::Release(a, b) => {
                let (a, b) = (self.lift(a, known), self.lift(b, known));
                self.release(a, b)
            }
            Term::Strong(a, b) => {
                let (a, b) = (self.lift(a, known), self.lift(b, known));
                self.strong(a, b)
            }
        };
        known.insert(term, result);
        result
    }

    /// `F a & s` is `F (a & s)`, `G a & u` is `G (a & u)`, for suspendable `s` and universal `u`.
    fn lift_and(&mut self, parts: Vec<TermId>) -> TermId {
        let (mut always, mut rest): (Vec<TermId>, Vec<TermId>) = (Vec::new(), Vec::new());
        for part in parts {
            match *self.get(part) {
                Term::Globally(inner) => always.push(inner),
                _ => rest.push(part),
            }
        }
        let (suspendable, mut rest): (Vec<TermId>, Vec<TermId>) =
            rest.into_iter().partition(|&part| self.is_eventual(part) && self.is_universal(part));
        let waiting = rest.iter().position(|&part| matches!(self.get(part), Term::Finally(_)));
        let mut always_suspendable = suspendable;
        if let (Some(at), true) = (waiting, always.iter().all(|&part| self.is_eventual(part))) {
            let Term::Finally(goal) = *self.get(rest[at]) else { unreachable!("found as such") };
            let always = always.drain(..).map(|part| self.globally(part)).collect::<Vec<_>>();
            let inner = self.and([goal].into_iter().chain(always).chain(always_suspendable.drain(..)));
            rest[at] = self.finally(inner);
        }
        if !always.is_empty() || !always_suspendable.is_empty() {
            let inner = self.and(always.into_iter().chain(always_suspendable));
            rest.push(self.globally(inner));
        }
        self.and(rest)
    }
    /// `F a | e` is `F (a | e)` for eventual `e`; `X a | X b` is `X (a | b)`.
    fn lift_or(&mut self, parts: Vec<TermId>) -> TermId {
        let (mut some_time, mut next, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = false;
        for part in parts {
            match *self.get(part) {
                Term::Finally(inner) => {
                    found = true;
                    some_time.push(inner);
                }
                Term::Next(inner) => next.push(inner),
                _ if self.is_eventual(part) => some_time.push(part),
                _ => rest.push(part),
            }
        }
        if found {
            let inner = self.or(some_time);
            rest.push(self.finally(inner));
        } else {
            rest.extend(some_time);
        }
        if !next.is_empty() {
            let inner = self.or(next);
            rest.push(self.next(inner));
        }
        self.or(rest)
    }
}
