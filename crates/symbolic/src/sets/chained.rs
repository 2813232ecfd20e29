//! Many steps at once, forwards and backwards, and steps part by part. Where rules are events, one pass of saturation does it; elsewhere
//! one rule is followed after the other, each from all that was found before.

use super::BddSets;
use super::cases::MOST_CASES;
use super::rule::Made;
use super::walk::Held;
use crate::BitAlgebra;
use crate::diagrams::Diagram;
use lariat_space::Steps;

impl BddSets<'_> {
    /// The set, and what is reached from it by one rule after the other, each from all that was reached before.
    pub(super) fn chained(&self, set: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut reached = set.clone();
        self.activate(&reached)?;
        if let Some((found, is_whole)) = self.saturated(&reached)? {
            reached = found;
            if is_whole && (self.holders.is_empty() || self.confined.borrow().is_some()) {
                return Ok(reached);
            }
            if is_whole {
                // The transient states on the way are to be known before sets are confined.
                let arrived = self.forwards(&reached, &Steps::All)?.arrived;
                return algebra.or(&reached, &arrived);
            }
            self.activate(&reached)?;
            algebra.safe_point()?;
        }
        for rule in self.active_rules() {
            for case in 0..self.rule(rule)?.cases() {
                let mut front = self.front(&Steps::All);
                self.advance(&mut front, (rule, case), None, &reached, 0, &Steps::All)?;
                self.settle(&mut front, &Steps::All)?;
                self.remember(&front)?;
                let more = algebra.or(&reached, &front.arrived[0])?;
                if more != reached {
                    reached = more;
                    self.activate(&reached)?;
                    algebra.safe_point()?;
                }
            }
        }
        Ok(reached)
    }

    /// The set, and the states of `within` from which one rule after the other leads into it, each into all that was found
    /// before.
    pub(super) fn chained_back(&self, set: &Diagram, within: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        if !self.holders.is_empty() {
            let grown = match self.saturated_back(set, within)? {
                Some((found, true)) => return Ok(found),
                Some((found, false)) => found,
                None => set.clone(),
            };
            return algebra.or(&grown, &algebra.and(&self.backwards(&grown, &Steps::All)?, within)?);
        }
        if self.confined.borrow().is_none() {
            self.activate_all();
        }
        let mut found = set.clone();
        if let Some((more, is_whole)) = self.saturated_back(set, within)? {
            if is_whole {
                return Ok(more);
            }
            found = more;
            algebra.safe_point()?;
        }
        let most = algebra.or(set, within)?;
        for rule in self.active_rules() {
            for case in 0..self.rule(rule)?.cases() {
                // Each as often as it leads back to something new: what one process does comes at little cost.
                while found != most {
                    let before = algebra.and(&self.sources_of_case((rule, case), &found, &Held::new())?, within)?;
                    let grown = algebra.or(&found, &self.winning(&before, None, rule)?)?;
                    if grown == found {
                        break;
                    }
                    found = grown;
                    algebra.safe_point()?;
                }
            }
        }
        Ok(found)
    }

    /// The set, and the states of `within` that are reached from it through `within`, or some of them.
    pub(super) fn chained_forth(&self, set: &Diagram, within: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut grown = set.clone();
        // Transient states on the way are known once sets are confined.
        if self.confined.borrow().is_some()
            && let Some((found, is_whole)) = self.saturated_forth(set, within)?
        {
            if is_whole {
                return Ok(found);
            }
            grown = found;
            algebra.safe_point()?;
        }
        algebra.or(&grown, &algebra.and(&self.forwards(&grown, &Steps::All)?.arrived, within)?)
    }

    /// The parts of the steps: the cases of the rules that may act.
    pub(super) fn numbered_parts(&self) -> Made<Vec<usize>> {
        let mut found = Vec::new();
        for rule in self.active_rules() {
            let cases = self.rule(rule)?.cases();
            assert!(cases <= MOST_CASES, "a rule has no more cases than one variable has values");
            found.extend((0..cases).map(|case| rule * MOST_CASES + case));
        }
        Ok(found)
    }

    /// The rule and the case that are the part of the steps with this number.
    fn part(part: usize) -> (usize, usize) {
        (part / MOST_CASES, part % MOST_CASES)
    }

    /// Where those of these steps lead from the set that begin with one case of a rule.
    pub(super) fn forwards_by_part(&self, part: usize, set: &Diagram, steps: &Steps) -> Made<Diagram> {
        let mut front = self.front(steps);
        self.advance(&mut front, Self::part(part), None, set, 0, steps)?;
        self.settle(&mut front, steps)?;
        self.remember(&front)?;
        Ok(front.arrived.pop().expect("there is one for each set of labels"))
    }

    /// From where they lead into the set, and perhaps others.
    pub(super) fn backwards_by_part(&self, part: usize, set: &Diagram, steps: &Steps) -> Made<Diagram> {
        if !self.holders.is_empty() || *steps != Steps::All {
            return self.backwards(set, steps);
        }
        let (rule, case) = Self::part(part);
        let states = self.confined.borrow().clone().map(|(states, _)| states);
        let before = self.narrowed(self.sources_of_case((rule, case), set, &Held::new())?, states.as_ref())?;
        self.winning(&before, None, rule)
    }
}
