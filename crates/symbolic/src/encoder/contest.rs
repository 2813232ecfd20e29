//! Which actions fire: of the enabled ones those of the least rank, and while a process holds control only its own.

use super::{Binding, ChoiceValue, Encoded, Encoder};
use crate::{BitAlgebra, BitVec};
use lariat_system::{IDLE_RANK, Position};

/// The enabled actions of a state with their ranks: what an action has to be compared with before it may fire.
#[derive(Clone, Debug)]
pub struct Contest<Bit> {
    /// The holder; `None` where nobody holds control.
    pub holder: Option<Position>,
    /// Each with the bit: an action of this rank is enabled.
    pub contenders: Vec<(Bit, BitVec<Bit>)>,
    /// The same of the holder's actions alone, and of ordinary ranks; empty without a holder.
    pub held: Vec<(Bit, BitVec<Bit>)>,
}

impl<A: BitAlgebra> Encoder<'_, A> {
    /// The enabled actions in `state`, and among them the holder's.
    ///
    /// There is one contender for each binding, since ranks read no choices; those of one known rank are merged.
    pub fn contest(&self, state: &[A::Bit], holder: Option<Position>) -> Encoded<A, Contest<A::Bit>> {
        let mut enabled = Vec::new();
        for binding in self.bindings() {
            if self.algebra.known(&self.at_control(state, &binding)?) != Some(false) {
                let (bit, rank) = (self.enabled(state, &binding)?, self.rank(state, &binding)?);
                enabled.push((binding, bit, rank));
            }
        }
        self.contest_of(holder, enabled)
    }

    /// The contest of these bindings, each with where it is enabled and its rank; all others are enabled nowhere.
    pub fn contest_of(
        &self,
        holder: Option<Position>,
        enabled: impl IntoIterator<Item = (Binding, A::Bit, BitVec<A::Bit>)>,
    ) -> Encoded<A, Contest<A::Bit>> {
        let mut contest = Contest { holder, contenders: Vec::new(), held: Vec::new() };
        for (binding, enabled, rank) in enabled {
            if holder.is_some() && binding.actor() == holder {
                let ordinary = rank.less(&self.algebra, &BitVec::constant(&self.algebra, IDLE_RANK))?;
                let held = self.algebra.and_then(enabled.clone(), || Ok(ordinary))?;
                self.enter(&mut contest.held, held, rank.clone())?;
            }
            self.enter(&mut contest.contenders, enabled, rank)?;
        }
        Ok(contest)
    }

    /// With a holder: where the state is transient, that is, where some action of the holder may run on. Without: where
    /// something can happen.
    pub fn is_contested(&self, contest: &Contest<A::Bit>) -> Encoded<A, A::Bit> {
        let candidates = if contest.holder.is_some() { &contest.held } else { &contest.contenders };
        candidates.iter().try_fold(self.algebra.constant(false), |any, (enabled, rank)| {
            self.algebra.or_else(any, || self.algebra.and_then(enabled.clone(), || self.is_least(contest, rank)))
        })
    }

    /// Where the action fires with these choices: it is enabled, and no contender has a smaller rank; with a holder,
    /// only the holder's actions of ordinary rank do. `contest` is that of `state`.
    pub fn fires(
        &self,
        state: &[A::Bit],
        contest: &Contest<A::Bit>,
        binding: &Binding,
        choices: &[ChoiceValue<A::Bit>],
    ) -> Encoded<A, A::Bit> {
        if contest.holder.is_some() && binding.actor() != contest.holder {
            return Ok(self.algebra.constant(false));
        }
        let guard = self.guard(state, binding, choices)?;
        self.algebra.and_then(guard, || self.wins(contest, &self.rank(state, binding)?))
    }

    /// Where an action of this rank, if it is enabled, may fire: no contender has a smaller rank, and with a holder, whose
    /// action it is then, the rank is an ordinary one.
    pub fn wins(&self, contest: &Contest<A::Bit>, rank: &BitVec<A::Bit>) -> Encoded<A, A::Bit> {
        let admitted = match contest.holder {
            Some(_) => rank.less(&self.algebra, &BitVec::constant(&self.algebra, IDLE_RANK))?,
            None => self.algebra.constant(true),
        };
        self.algebra.and_then(admitted, || self.is_least(contest, rank))
    }

    /// Where no enabled action has a smaller rank.
    fn is_least(&self, contest: &Contest<A::Bit>, rank: &BitVec<A::Bit>) -> Encoded<A, A::Bit> {
        contest.contenders.iter().try_fold(self.algebra.constant(true), |least, (enabled, other)| {
            self.algebra.and_then(least, || {
                let smaller = other.less(&self.algebra, rank)?;
                self.algebra.not(&self.algebra.and_then(smaller, || Ok(enabled.clone()))?)
            })
        })
    }

    fn enter(
        &self,
        entries: &mut Vec<(A::Bit, BitVec<A::Bit>)>,
        enabled: A::Bit,
        rank: BitVec<A::Bit>,
    ) -> Encoded<A, ()> {
        if self.algebra.known(&enabled) == Some(false) {
            return Ok(());
        }
        if let Some(value) = rank.known(&self.algebra) {
            let same = |(_, other): &&mut (A::Bit, BitVec<A::Bit>)| other.known(&self.algebra) == Some(value);
            if let Some((merged, _)) = entries.iter_mut().find(same) {
                *merged = self.algebra.or(merged, &enabled)?;
                return Ok(());
            }
        }
        entries.push((enabled, rank));
        Ok(())
    }
}
