//! Rules as events of saturation: what can be reached, and from where, in one pass.
//!
//! That works where an action happens whenever it can and is a small relation as a whole, and where atomic sequences are few paths of
//! such actions (`paths.rs`). Elsewhere one rule is followed after the other.

use super::BddSets;
use super::rule::Made;
use crate::diagrams::{Diagram, Events, Transition};
use std::rc::Rc;

/// The events of some rules.
pub(super) struct Known {
    /// The rules.
    rules: Rc<Vec<usize>>,
    /// The bits that were forgotten.
    forgotten: Vec<usize>,
    /// `None` if there is a rule that is no event.
    events: Option<Rc<Events>>,
}

impl BddSets<'_> {
    /// The rules that may act as events; `None` if they cannot be events.
    fn events(&self) -> Made<Option<Rc<Events>>> {
        if !self.ranks_are_alike {
            return Ok(None);
        }
        let rules = Rc::clone(&self.active.borrow());
        let forgotten = self.variables.forgotten.borrow().bits.clone();
        let diagrams = &self.encoder.algebra;
        if let Some(known) = &*self.known_events.borrow()
            && (&known.rules, &known.forgotten) == (&rules, &forgotten)
            && !known.events.as_ref().is_some_and(|events| diagrams.are_stale(events))
        {
            return Ok(known.events.clone());
        }
        let relations = match self.holders.is_empty() {
            true => self.relations_of(&rules)?,
            false => self.paths()?.map(|paths| paths.iter().map(|path| path.transition.clone()).collect()),
        };
        let events = relations
            .filter(|relations: &Vec<Transition>| relations.len() > 1)
            .map(|relations| Rc::new(diagrams.events(relations)));
        *self.known_events.borrow_mut() = Some(Known { rules, forgotten, events: events.clone() });
        Ok(events)
    }

    /// What the cases of these rules do; `None` if one of them is no small relation.
    fn relations_of(&self, rules: &[usize]) -> Made<Option<Vec<Transition>>> {
        let mut relations = Vec::new();
        for &number in rules {
            let rule = self.rule(number)?;
            for case in 0..rule.cases() {
                let Some(relation) = rule.whole(&self.encoder.algebra, &self.variables, case)? else { return Ok(None) };
                relations.push(relation);
            }
        }
        Ok(Some(relations))
    }

    /// The set and what can be reached from it, or some of that and `false`; `None` if rules are no events.
    pub(super) fn saturated(&self, set: &Diagram) -> Made<Option<(Diagram, bool)>> {
        let Some(events) = self.events()? else { return Ok(None) };
        let (found, is_whole, followed) = self.encoder.algebra.saturate(set, &events)?;
        self.images.set(self.images.get() + followed);
        Ok(Some((found, is_whole)))
    }

    /// The set and the states of `within` that can be reached from it through `within`, or some of them and `false`; `None` if rules
    /// are no events.
    pub(super) fn saturated_forth(&self, set: &Diagram, within: &Diagram) -> Made<Option<(Diagram, bool)>> {
        let Some(events) = self.events()? else { return Ok(None) };
        let (found, is_whole, followed) = self.encoder.algebra.saturate_within(set, within, &events)?;
        self.images.set(self.images.get() + followed);
        Ok(Some((found, is_whole)))
    }

    /// The set and the states of `within` from which it can be reached through `within`, or some of them and `false`; `None` if
    /// rules are no events.
    pub(super) fn saturated_back(&self, set: &Diagram, within: &Diagram) -> Made<Option<(Diagram, bool)>> {
        let Some(events) = self.events()? else { return Ok(None) };
        let (found, is_whole, followed) = self.encoder.algebra.saturate_back(set, within, &events)?;
        self.images.set(self.images.get() + followed);
        Ok(Some((found, is_whole)))
    }
}
