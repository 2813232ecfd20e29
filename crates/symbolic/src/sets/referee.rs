//! Who may act: ranks, and who holds control.
//!
//! Always asked about the states of a set. As functions of all states the answers are large where ranks are variables: most
//! combinations of processes and priorities never come about.

use super::BddSets;
use super::rule::Made;
use crate::diagrams::Diagram;
use crate::{BitAlgebra, BitVec};
use lariat_branching::{Slip, slips};
use lariat_system::{IDLE_RANK, Position};
use std::cell::RefCell;
use std::collections::HashMap;

/// Comparisons of ranks; made when they are asked for.
#[derive(Default)]
pub(super) struct Referee {
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    /// The ranks that rules have, each once.
    ranks: Vec<BitVec<Diagram>>,
    /// By rule, the number of its rank.
    rank_of: HashMap<usize, usize>,
    /// By numbers of ranks, where the first is smaller.
    smaller: HashMap<(usize, usize), Diagram>,
    /// By number of a rank, where it is an ordinary one.
    ordinary: HashMap<usize, Diagram>,
}

impl BddSets<'_> {
    /// Those states of the set in which the rule may act, if it is enabled, while `holder` holds control, whose rule it is
    /// then: no rule of a smaller rank is enabled, and with a holder the rank is an ordinary one.
    pub(super) fn winning(&self, set: &Diagram, holder: Option<Position>, rule: usize) -> Made<Diagram> {
        if self.ranks_are_alike || slips(Slip::RanksIgnored) {
            return Ok(set.clone());
        }
        let algebra = &self.encoder.algebra;
        let own = self.rank_of(rule)?;
        let mut winning = match holder {
            Some(_) => algebra.and(set, &self.ordinary(own)?)?,
            None => set.clone(),
        };
        let others = self.active_rules().map(|other| Ok((self.rank_of(other)?, other))).collect::<Made<Vec<_>>>()?;
        let ranks = self.referee.known.borrow().ranks.len();
        for rank in (0..ranks).filter(|&rank| rank != own) {
            let smaller = self.smaller(rank, own)?;
            let mut contested = algebra.and(&winning, &smaller)?;
            let unbeaten = algebra.minus(&winning, &smaller)?;
            for (_, other) in others.iter().filter(|(of, _)| *of == rank) {
                if algebra.known(&contested) == Some(false) {
                    break;
                }
                let beaten = self.rule(*other)?.enabled_in(algebra, &contested, None)?;
                contested = algebra.minus(&contested, &beaten)?;
            }
            winning = algebra.or(&unbeaten, &contested)?;
        }
        Ok(winning)
    }

    /// Those states of the set that are transient ones while `holder` holds control: it runs on.
    pub(super) fn transient(&self, set: &Diagram, holder: Position) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut rest = set.clone();
        for rule in self.active_rules().filter(|&rule| self.actor(rule) == Some(holder)) {
            if algebra.known(&rest) == Some(false) {
                break;
            }
            let enabled = self.rule(rule)?.enabled_in(algebra, &rest, None)?;
            rest = algebra.minus(&rest, &self.winning(&enabled, Some(holder), rule)?)?;
        }
        algebra.minus(set, &rest)
    }

    /// The number of the rule's rank.
    fn rank_of(&self, rule: usize) -> Made<usize> {
        if let Some(&known) = self.referee.known.borrow().rank_of.get(&rule) {
            return Ok(known);
        }
        let rank = &self.rule(rule)?.rank;
        let known = &mut *self.referee.known.borrow_mut();
        let number = known.ranks.iter().position(|other| other == rank).unwrap_or_else(|| {
            known.ranks.push(rank.clone());
            known.ranks.len() - 1
        });
        known.rank_of.insert(rule, number);
        Ok(number)
    }

    /// Where the rank of the first number is smaller than that of the second.
    fn smaller(&self, first: usize, second: usize) -> Made<Diagram> {
        let known = &mut *self.referee.known.borrow_mut();
        if let Some(known) = known.smaller.get(&(first, second)) {
            return Ok(known.clone());
        }
        let smaller = known.ranks[first].less(&self.encoder.algebra, &known.ranks[second])?;
        known.smaller.insert((first, second), smaller.clone());
        Ok(smaller)
    }

    /// Where the rank of this number is an ordinary one.
    fn ordinary(&self, number: usize) -> Made<Diagram> {
        let known = &mut *self.referee.known.borrow_mut();
        if let Some(known) = known.ordinary.get(&number) {
            return Ok(known.clone());
        }
        let algebra = &self.encoder.algebra;
        let ordinary = known.ranks[number].less(algebra, &BitVec::constant(algebra, IDLE_RANK))?;
        known.ordinary.insert(number, ordinary.clone());
        Ok(ordinary)
    }
}

/// Whether all actions have the same rank, and an ordinary one: then ranks forbid nothing.
pub(super) fn ranks_are_alike(system: &lariat_system::System) -> bool {
    let mut ranks = system.actions.iter().map(|action| action.rank.as_const());
    let first = ranks.next().unwrap_or(Some(0));
    first.is_some_and(|rank| rank < IDLE_RANK) && ranks.all(|rank| rank == first)
}
