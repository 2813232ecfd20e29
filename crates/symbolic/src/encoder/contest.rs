//! Which actions fire: of the enabled ones those of the least rank, and while a process holds control only its own.

use super::{Binding, ChoiceValue, Encoded, Encoder};
use crate::{BitAlgebra, BitVec};
use lariat_system::{IDLE_RANK, Position};

/// The enabled actions of a state with their ranks: what an action has to be compared with before it may fire.
#[derive(Clone, Debug)]
pub struct Contest<Bit> {
    /// The holder; `None` where nobody holds control.
    pub holder: Option<Position>,
    /// Each with the bit: an action of this rank is enabled. With a holder only the holder's actions of ordinary rank.
    pub contenders: Vec<(Bit, BitVec<Bit>)>,
}

impl<A: BitAlgebra> Encoder<'_, A> {
    /// The enabled actions in `state`. With a holder, only those in which it is the acting process and whose rank is
    /// below [`IDLE_RANK`].
    ///
    /// There is one contender for each binding, since ranks read no choices; those of one known rank are merged.
    pub fn contest(&self, state: &[A::Bit], holder: Option<Position>) -> Encoded<A, Contest<A::Bit>> {
        let mut contest = Contest { holder, contenders: Vec::new() };
        for binding in self.bindings().iter().filter(|binding| holder.is_none() || binding.actor() == holder) {
            if self.algebra.known(&self.at_control(state, binding)?) == Some(false) {
                continue;
            }
            let enabled = self.enabled(state, binding)?;
            self.enter(&mut contest, enabled, self.rank(state, binding)?)?;
        }
        Ok(contest)
    }

    /// Where there is a contender at all. With a holder: where the state is transient. Without: where something can
    /// happen.
    pub fn is_contested(&self, contest: &Contest<A::Bit>) -> Encoded<A, A::Bit> {
        contest.contenders.iter().try_fold(self.algebra.constant(false), |any, (enabled, _)| {
            self.algebra.or_else(any, || Ok(enabled.clone()))
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
        self.algebra.and_then(guard, || {
            let rank = self.rank(state, binding)?;
            let admitted = self.admitted(contest, &rank)?;
            contest.contenders.iter().try_fold(admitted, |least, (enabled, other)| {
                self.algebra.and_then(least, || {
                    let smaller = other.less(&self.algebra, &rank)?;
                    self.algebra.not(&self.algebra.and_then(smaller, || Ok(enabled.clone()))?)
                })
            })
        })
    }

    /// Where an action of this rank may take part.
    fn admitted(&self, contest: &Contest<A::Bit>, rank: &BitVec<A::Bit>) -> Encoded<A, A::Bit> {
        match contest.holder {
            Some(_) => rank.less(&self.algebra, &BitVec::constant(&self.algebra, IDLE_RANK)),
            None => Ok(self.algebra.constant(true)),
        }
    }

    fn enter(&self, contest: &mut Contest<A::Bit>, enabled: A::Bit, rank: BitVec<A::Bit>) -> Encoded<A, ()> {
        let enabled = self.algebra.and_then(enabled, || self.admitted(contest, &rank))?;
        if self.algebra.known(&enabled) == Some(false) {
            return Ok(());
        }
        if let Some(value) = rank.known(&self.algebra) {
            let same = |(_, other): &&mut (A::Bit, BitVec<A::Bit>)| other.known(&self.algebra) == Some(value);
            if let Some((merged, _)) = contest.contenders.iter_mut().find(same) {
                *merged = self.algebra.or(merged, &enabled)?;
                return Ok(());
            }
        }
        contest.contenders.push((enabled, rank));
        Ok(())
    }
}
