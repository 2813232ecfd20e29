//! Where runs go wrong: states in which a run-time error is met, or on the way from which one is met, and states without a
//! step.

use super::BddSets;
use super::rule::Made;
use super::walk::{Held, Onwards};
use crate::BitAlgebra;
use crate::diagrams::Diagram;
use lariat_space::{Faults, Steps};
use lariat_system::{Position, Update};

impl BddSets<'_> {
    /// Those states of the set that have no step.
    pub(super) fn dead_ends_of(&self, of: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        if self.never_ends {
            return Ok(algebra.constant(false));
        }
        self.activate(of)?;
        let mut dead = of.clone();
        // Most states have a step that is a single action, and these are easy to tell.
        let mut holding = Vec::new();
        for number in self.active_rules() {
            let rule = self.rule(number)?;
            if rule.holder.is_some() {
                holding.push(number);
            } else if algebra.known(&dead) != Some(false) {
                let alive = self.winning(&rule.moves_in(algebra, &dead)?, None, number)?;
                dead = algebra.minus(&dead, &alive)?;
            }
        }
        if holding.is_empty() || algebra.known(&dead) == Some(false) {
            return Ok(dead);
        }
        // All that their steps end in.
        let Onwards { arrived, passed, .. } = self.forwards(of, &Steps::All)?;
        let ending = self.closure(&arrived, Held::new(), Some(&passed))?;
        for number in holding {
            let alive = algebra.and(&dead, &self.sources_of(number, &arrived, &ending)?)?;
            let alive = self.winning(&alive, None, number)?;
            dead = algebra.minus(&dead, &alive)?;
        }
        Ok(dead)
    }

    /// Those states of the set in which such a fault is met, or on the way from which.
    pub(super) fn faulty_of(&self, of: &Diagram, faults: Faults) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let spawns = |update: &Update| matches!(update, Update::Spawn { .. });
        if faults == Faults::PoolFull
            && !self.encoder.system.actions.iter().any(|action| action.updates.iter().any(spawns))
        {
            return Ok(algebra.constant(false));
        }
        let (passed, comes_again) = match self.holders.is_empty() {
            true => (Held::new(), false),
            false => {
                let onwards = self.forwards(of, &Steps::All)?;
                (onwards.passed, onwards.comes_again)
            }
        };
        self.activate(of)?;
        let mut faulty = self.faulty_now(of, None, faults)?;
        let mut seeds = match faults {
            Faults::Any if comes_again => self.endless(&passed)?,
            Faults::Any | Faults::PoolFull => Held::new(),
        };
        for (&holder, states) in &passed {
            let now = self.faulty_now(states, Some(holder), faults)?;
            self.add(&mut seeds, holder, &now)?;
        }
        if !seeds.is_empty() {
            let nowhere = algebra.constant(false);
            let on_the_way = self.closure(&nowhere, seeds, Some(&passed))?;
            let before = self.sources(&nowhere, &on_the_way, None, Some(of))?;
            faulty = algebra.or(&faulty, &algebra.and(&before, of)?)?;
        }
        Ok(faulty)
    }

    /// Those states of the set in which a guard fails, or from which the next action fails.
    fn faulty_now(&self, set: &Diagram, holder: Option<Position>, faults: Faults) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let state = &self.variables.state;
        let mut faulty = algebra.constant(false);
        for number in self.active_rules() {
            if holder.is_some() && self.actor(number) != holder {
                continue;
            }
            let rule = self.rule(number)?;
            let effect = match faults {
                Faults::Any => {
                    let guard = rule.guard_fault(&self.encoder, state)?;
                    faulty = algebra.or(&faulty, &algebra.and(set, &guard)?)?;
                    rule.effect_fault(&self.encoder, state)?
                }
                Faults::PoolFull => rule.pool_full(&self.encoder, state)?,
            };
            if algebra.known(&effect) == Some(false) {
                continue;
            }
            let met = rule.enabled_in(algebra, set, Some(&effect))?;
            faulty = algebra.or(&faulty, &self.winning(&met, holder, number)?)?;
        }
        Ok(faulty)
    }

    /// The transient states from which an atomic sequence can go on for ever.
    fn endless(&self, passed: &Held) -> Made<Held> {
        let algebra = &self.encoder.algebra;
        let nowhere = algebra.constant(false);
        let mut endless = passed.clone();
        while !endless.is_empty() {
            let mut fewer = Held::new();
            for (&holder, states) in &endless {
                let before = self.sources(&nowhere, &endless, Some(holder), Some(states))?;
                self.add(&mut fewer, holder, &algebra.and(states, &before)?)?;
            }
            if fewer == endless {
                break;
            }
            endless = fewer;
            algebra.safe_point()?;
        }
        Ok(endless)
    }
}
