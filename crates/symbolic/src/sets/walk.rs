//! Steps, forwards and backwards. A step is a path of actions: where one leaves a process in control, the states after it
//! are transient, as long as that process can run on, and an inner fixpoint goes through them. Transient states are kept by
//! who holds control, and where steps with a label are asked for, by whether the label was carried yet.

use super::BddSets;
use super::rule::Made;
use crate::BitAlgebra;
use crate::diagrams::Diagram;
use lariat_space::Steps;
use lariat_system::{LabelId, Position};
use std::collections::{BTreeMap, VecDeque};

/// Transient states by holder.
pub(super) type Held = BTreeMap<Position, Diagram>;

/// Where steps have come to, apart by whether the label was carried.
struct Front {
    /// Ordinary states.
    arrived: [Diagram; 2],
    /// States in which somebody holds control, transient or not.
    pending: VecDeque<(Position, bool, Diagram)>,
    /// Transient states that were gone on from.
    passed: [Held; 2],
}

impl BddSets<'_> {
    /// Where these steps lead from the set, and the transient states on the way.
    pub(super) fn forwards(&self, set: &Diagram, steps: Steps) -> Made<(Diagram, Held)> {
        if steps == Steps::All
            && let Some((of, arrived, passed)) = &*self.last_forwards.borrow()
            && of == set
        {
            return Ok((arrived.clone(), passed.clone()));
        }
        let mut front = self.front();
        self.activate(set)?;
        for rule in self.active_rules() {
            self.advance(&mut front, rule, None, set, false, steps)?;
        }
        self.settle(&mut front, steps)?;
        self.remember(&front)?;
        let [plain, carrying] = front.arrived;
        let [mut passed, more] = front.passed;
        for (holder, states) in more {
            self.add(&mut passed, holder, &states)?;
        }
        if steps == Steps::All {
            *self.last_forwards.borrow_mut() = Some((set.clone(), plain.clone(), passed.clone()));
            return Ok((plain, passed));
        }
        Ok((carrying, passed))
    }

    /// The set, and what is reached from it by one rule after the other, each from all that was reached before.
    pub(super) fn chained(&self, set: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut reached = set.clone();
        self.activate(&reached)?;
        for rule in self.active_rules() {
            let mut front = self.front();
            self.advance(&mut front, rule, None, &reached, false, Steps::All)?;
            self.settle(&mut front, Steps::All)?;
            self.remember(&front)?;
            let more = algebra.or(&reached, &front.arrived[0])?;
            if more != reached {
                reached = more;
                self.activate(&reached)?;
                algebra.safe_point()?;
            }
        }
        Ok(reached)
    }

    /// The set, and the states of `within` from which one rule after the other leads into it, each into all that was found
    /// before.
    pub(super) fn chained_back(&self, set: &Diagram, within: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        if !self.holders.is_empty() {
            return algebra.or(set, &algebra.and(&self.backwards(set, Steps::All)?, within)?);
        }
        if self.confined.borrow().is_none() {
            self.activate_all();
        }
        let mut found = set.clone();
        for rule in self.active_rules() {
            let before = algebra.and(&self.sources_of(rule, &found, &Held::new())?, within)?;
            found = algebra.or(&found, &self.winning(&before, None, rule)?)?;
        }
        Ok(found)
    }

    fn front(&self) -> Front {
        let empty = || self.encoder.algebra.constant(false);
        Front { arrived: [empty(), empty()], pending: VecDeque::new(), passed: [Held::new(), Held::new()] }
    }

    /// Takes one rule from the states of `set`, while `holder` holds control.
    fn advance(
        &self,
        front: &mut Front,
        rule: usize,
        holder: Option<Position>,
        set: &Diagram,
        carried: bool,
        steps: Steps,
    ) -> Made<()> {
        let algebra = &self.encoder.algebra;
        let set = self.winning(set, holder, rule)?;
        if algebra.known(&set) == Some(false) {
            return Ok(());
        }
        for (carried, condition) in self.outcomes(rule, carried, steps)? {
            self.images.set(self.images.get() + 1);
            let made = self.rule(rule)?;
            let image = made.image(algebra, &self.variables, &set, condition.as_ref())?;
            if algebra.known(&image) == Some(false) {
                continue;
            }
            match made.holder {
                None => {
                    let arrived = &mut front.arrived[usize::from(carried)];
                    *arrived = algebra.or(arrived, &image)?;
                }
                Some(holder) => front.pending.push_back((holder, carried, image)),
            }
        }
        Ok(())
    }

    /// What taking the rule does about the label: whether it is carried afterwards, and on which condition.
    fn outcomes(&self, rule: usize, carried: bool, steps: Steps) -> Made<Vec<(bool, Option<Diagram>)>> {
        let Steps::Carrying(label) = steps else { return Ok(vec![(false, None)]) };
        if carried {
            return Ok(vec![(true, None)]);
        }
        let condition = self.label_of(rule, label)?;
        let algebra = &self.encoder.algebra;
        Ok(match algebra.known(&condition) {
            Some(carried) => vec![(carried, None)],
            None => vec![(false, Some(algebra.not(&condition)?)), (true, Some(condition))],
        })
    }

    fn label_of(&self, rule: usize, label: LabelId) -> Made<Diagram> {
        let meaning = &self.labels.borrow()[label].meaning;
        self.rule(rule)?.carries(&self.encoder, &self.variables.state, label, meaning)
    }

    /// Goes on from transient states until there are no new ones.
    fn settle(&self, front: &mut Front, steps: Steps) -> Made<()> {
        let algebra = &self.encoder.algebra;
        while let Some((holder, carried, states)) = front.pending.pop_front() {
            self.activate(&states)?;
            let mut inside = self.transient(&states, holder)?;
            let ordinary = algebra.minus(&states, &inside)?;
            let arrived = &mut front.arrived[usize::from(carried)];
            *arrived = algebra.or(arrived, &ordinary)?;
            let passed = &mut front.passed[usize::from(carried)];
            if let Some(known) = passed.get(&holder) {
                inside = algebra.minus(&inside, known)?;
            }
            if algebra.known(&inside) == Some(false) {
                continue;
            }
            self.add(passed, holder, &inside)?;
            for rule in self.active_rules().filter(|&rule| self.actor(rule) == Some(holder)) {
                self.advance(front, rule, Some(holder), &inside, carried, steps)?;
            }
        }
        Ok(())
    }

    /// From where these steps lead into the set.
    pub(super) fn backwards(&self, set: &Diagram, steps: Steps) -> Made<Diagram> {
        let within = self.confined.borrow().clone();
        if within.is_none() {
            self.activate_all();
        }
        let algebra = &self.encoder.algebra;
        let any = self.closure(set, Held::new(), within.as_ref())?;
        let Steps::Carrying(label) = steps else {
            return self.sources(set, &any, None);
        };
        // Those from which the label is still to be carried, and is.
        let mut carrying = Held::new();
        loop {
            let mut more = Held::new();
            for rule in self.active_rules() {
                let Some(holder) = self.actor(rule).filter(|holder| self.holders.contains(holder)) else { continue };
                let before = self.carrying_sources(rule, Some(holder), set, &any, &carrying, label)?;
                self.add(&mut more, holder, &self.transient(&before, holder)?)?;
            }
            self.keep_within(&mut more, within.as_ref())?;
            if more == carrying {
                break;
            }
            carrying = more;
        }
        let mut found = algebra.constant(false);
        for rule in self.active_rules() {
            found = algebra.or(&found, &self.carrying_sources(rule, None, set, &any, &carrying, label)?)?;
        }
        Ok(found)
    }

    /// From where the rule leads into the set, or to transient states from which it goes on to there, and the label is
    /// carried now or later.
    fn carrying_sources(
        &self,
        rule: usize,
        holder: Option<Position>,
        set: &Diagram,
        any: &Held,
        carrying: &Held,
        label: LabelId,
    ) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let made = self.rule(rule)?;
        let condition = self.label_of(rule, label)?;
        let mut found = algebra.constant(false);
        if algebra.known(&condition) != Some(false) {
            let target = self.target(made.holder, set, any)?;
            found = made.preimage(algebra, &self.variables, &target, Some(&condition))?;
        }
        if let Some(later) = made.holder.and_then(|holder| carrying.get(&holder)) {
            found = algebra.or(&found, &made.preimage(algebra, &self.variables, later, None)?)?;
        }
        self.winning(&found, holder, rule)
    }

    /// Where the rules lead from that end in the set, or in transient states of `held`.
    pub(super) fn sources(&self, set: &Diagram, held: &Held, holder: Option<Position>) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut found = algebra.constant(false);
        for rule in self.active_rules() {
            if holder.is_some() && self.actor(rule) != holder {
                continue;
            }
            let before = self.sources_of(rule, set, held)?;
            found = algebra.or(&found, &self.winning(&before, holder, rule)?)?;
        }
        Ok(found)
    }

    /// From where one rule, whatever its rank, leads to the set, or to transient states of `held`.
    pub(super) fn sources_of(&self, rule: usize, set: &Diagram, held: &Held) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let rule = self.rule(rule)?;
        let target = self.target(rule.holder, set, held)?;
        if algebra.known(&target) == Some(false) {
            return Ok(target);
        }
        self.images.set(self.images.get() + 1);
        rule.preimage(algebra, &self.variables, &target, None)
    }

    /// What an action must lead to that leaves `holder` in control, so that the step ends in the set or goes on in `held`.
    fn target(&self, holder: Option<Position>, set: &Diagram, held: &Held) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let Some(holder) = holder else { return Ok(set.clone()) };
        let ordinary = algebra.minus(set, &self.transient(set, holder)?)?;
        held.get(&holder).map_or(Ok(ordinary.clone()), |held| algebra.or(&ordinary, held))
    }

    /// The transient states, of those `within` if that is given, from which a step can end in the set or come to `seeds`,
    /// which are transient states too.
    pub(super) fn closure(&self, set: &Diagram, seeds: Held, within: Option<&Held>) -> Made<Held> {
        let mut found = seeds;
        if self.holders.is_empty() {
            return Ok(found);
        }
        loop {
            let mut more = found.clone();
            for &holder in &self.holders {
                let before = self.sources(set, &found, Some(holder))?;
                self.add(&mut more, holder, &self.transient(&before, holder)?)?;
            }
            self.keep_within(&mut more, within)?;
            if more == found {
                return Ok(found);
            }
            found = more;
            self.encoder.algebra.safe_point()?;
        }
    }

    fn keep_within(&self, held: &mut Held, within: Option<&Held>) -> Made<()> {
        let Some(within) = within else { return Ok(()) };
        let algebra = &self.encoder.algebra;
        let mut kept = Held::new();
        for (holder, states) in &*held {
            if let Some(limit) = within.get(holder) {
                let states = algebra.and(states, limit)?;
                if algebra.known(&states) != Some(false) {
                    kept.insert(*holder, states);
                }
            }
        }
        *held = kept;
        Ok(())
    }

    /// Adds states; a holder without states has no entry.
    pub(super) fn add(&self, held: &mut Held, holder: Position, states: &Diagram) -> Made<()> {
        let algebra = &self.encoder.algebra;
        if algebra.known(states) == Some(false) {
            return Ok(());
        }
        let known = held.entry(holder).or_insert_with(|| algebra.constant(false));
        *known = algebra.or(known, states)?;
        Ok(())
    }

    /// Keeps the transient states for later.
    fn remember(&self, front: &Front) -> Made<()> {
        let mut passed = self.passed.borrow_mut();
        for (holder, states) in front.passed.iter().flatten() {
            self.add(&mut passed, *holder, states)?;
        }
        Ok(())
    }
}
