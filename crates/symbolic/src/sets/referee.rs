//! Who may act: ranks, and who holds control.

use super::BddSets;
use super::rule::Made;
use crate::diagrams::Diagram;
use crate::{BitAlgebra, Contest};
use lariat_system::{IDLE_RANK, Position};
use std::cell::RefCell;
use std::collections::HashMap;

/// What follows from the rules that are known to matter; computed when it is asked for, and again when there are more.
#[derive(Default)]
pub(super) struct Referee {
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    /// How many rules were known to matter.
    rules: usize,
    contests: HashMap<Option<Position>, Contest<Diagram>>,
    /// By holder and rule, where the rule may act; `None` for everywhere.
    wins: HashMap<(Option<Position>, usize), Option<Diagram>>,
    /// By holder, where it runs on.
    transient: HashMap<Position, Diagram>,
}

impl BddSets<'_> {
    /// Where the rule, if it is enabled, may act while `holder` holds control; `None` for everywhere.
    pub(super) fn wins(&self, holder: Option<Position>, rule: usize) -> Made<Option<Diagram>> {
        if self.ranks_are_alike {
            return Ok(None);
        }
        self.forget_if_outdated();
        if let Some(known) = self.referee.known.borrow().wins.get(&(holder, rule)) {
            return Ok(known.clone());
        }
        let contest = self.contest(holder)?;
        let wins = self.encoder.wins(&contest, &self.rule(rule)?.rank)?;
        let wins = (self.encoder.algebra.known(&wins) != Some(true)).then_some(wins);
        self.referee.known.borrow_mut().wins.insert((holder, rule), wins.clone());
        Ok(wins)
    }

    /// Where a state in which `holder` holds control is a transient one.
    pub(super) fn transient(&self, holder: Position) -> Made<Diagram> {
        self.forget_if_outdated();
        if let Some(known) = self.referee.known.borrow().transient.get(&holder) {
            return Ok(known.clone());
        }
        let algebra = &self.encoder.algebra;
        let mut transient = algebra.constant(false);
        for rule in self.active_rules() {
            if self.actor(rule) == Some(holder) {
                let mut runs_on = self.rule(rule)?.enabled(algebra)?.clone();
                if let Some(wins) = self.wins(Some(holder), rule)? {
                    runs_on = algebra.and(&runs_on, &wins)?;
                }
                transient = algebra.or(&transient, &runs_on)?;
            }
        }
        self.referee.known.borrow_mut().transient.insert(holder, transient.clone());
        Ok(transient)
    }

    fn contest(&self, holder: Option<Position>) -> Made<Contest<Diagram>> {
        if let Some(known) = self.referee.known.borrow().contests.get(&holder) {
            return Ok(known.clone());
        }
        let mut enabled = Vec::new();
        for number in self.active_rules() {
            let rule = self.rule(number)?;
            enabled.push((rule.binding.clone(), rule.enabled(&self.encoder.algebra)?.clone(), rule.rank.clone()));
        }
        let contest = self.encoder.contest_of(holder, enabled)?;
        self.referee.known.borrow_mut().contests.insert(holder, contest.clone());
        Ok(contest)
    }

    fn forget_if_outdated(&self) {
        let rules = self.active_rules().len();
        let mut known = self.referee.known.borrow_mut();
        if known.rules != rules {
            *known = Known { rules, ..Known::default() };
        }
    }
}

/// Whether all actions have the same rank, and an ordinary one: then ranks forbid nothing.
pub(super) fn ranks_are_alike(system: &lariat_system::System) -> bool {
    let mut ranks = system.actions.iter().map(|action| action.rank.as_const());
    let first = ranks.next().unwrap_or(Some(0));
    first.is_some_and(|rank| rank < IDLE_RANK) && ranks.all(|rank| rank == first)
}
