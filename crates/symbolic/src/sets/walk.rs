//! Steps, forwards and backwards. A step is a path of actions: where one leaves a process in control, the states after it
//! are transient, as long as that process can run on, and an inner fixpoint goes through them. Transient states are kept by
//! who holds control, and where steps with labels are asked for, by which of them were carried yet.

use super::BddSets;
use super::rule::{Bdd, Made};
use crate::BitAlgebra;
use crate::diagrams::Diagram;
use lariat_branching::{Slip, slips};
use lariat_space::Steps;
use lariat_system::{LabelId, Position};
use std::collections::{BTreeMap, VecDeque};

/// Transient states by holder.
pub(super) type Held = BTreeMap<Position, Diagram>;

/// Which of the labels that steps must carry were carried: a bit for each.
pub(super) type Carried = usize;

/// Where steps have come to, apart by which of the labels were carried that all must carry.
pub(super) struct Front {
    /// Ordinary states.
    pub(super) arrived: Vec<Diagram>,
    /// States in which somebody holds control, transient or not.
    pending: VecDeque<(Position, Carried, Diagram)>,
    /// Transient states that were gone on from.
    passed: Vec<Held>,
    /// Whether one of these was come to again.
    comes_again: bool,
}

/// Where steps lead from a set.
#[derive(Clone)]
pub(super) struct Onwards {
    /// Ordinary states.
    pub(super) arrived: Diagram,
    /// The transient states on the way.
    pub(super) passed: Held,
    /// Whether one of these was come to twice. If not, none leads to itself.
    pub(super) comes_again: bool,
}

impl BddSets<'_> {
    /// Where these steps lead from the set.
    pub(super) fn forwards(&self, set: &Diagram, steps: &Steps) -> Made<Onwards> {
        if *steps == Steps::All
            && let Some((of, found)) = &*self.last_forwards.borrow()
            && of == set
        {
            return Ok(found.clone());
        }
        let mut front = self.front(steps);
        self.activate(set)?;
        for rule in self.active_rules() {
            for case in 0..self.rule(rule)?.cases() {
                self.advance(&mut front, (rule, case), None, set, 0, steps)?;
            }
        }
        self.settle(&mut front, steps)?;
        self.remember(&front)?;
        let arrived = front.arrived.pop().expect("there is one for each set of labels");
        let mut passed = Held::new();
        for (holder, states) in front.passed.iter().flatten() {
            self.add(&mut passed, *holder, states)?;
        }
        let found = Onwards { arrived, passed, comes_again: front.comes_again };
        if *steps == Steps::All {
            *self.last_forwards.borrow_mut() = Some((set.clone(), found.clone()));
        }
        Ok(found)
    }

    pub(super) fn front(&self, steps: &Steps) -> Front {
        let sets_of_labels = 1 << steps.carried().len();
        Front {
            arrived: vec![self.encoder.algebra.constant(false); sets_of_labels],
            pending: VecDeque::new(),
            passed: vec![Held::new(); sets_of_labels],
            comes_again: false,
        }
    }

    /// Takes one case of a rule from the states of `set`, while `holder` holds control.
    pub(super) fn advance(
        &self,
        front: &mut Front,
        (rule, case): (usize, usize),
        holder: Option<Position>,
        set: &Diagram,
        carried: Carried,
        steps: &Steps,
    ) -> Made<()> {
        let algebra = &self.encoder.algebra;
        let set = self.winning(set, holder, rule)?;
        if algebra.known(&set) == Some(false) {
            return Ok(());
        }
        for (carried, condition) in self.outcomes(rule, carried, steps)? {
            self.images.set(self.images.get() + 1);
            let made = self.rule(rule)?;
            let image = made.image(algebra, &self.variables, case, &set, condition.as_ref())?;
            if algebra.known(&image) == Some(false) {
                continue;
            }
            match made.holder {
                None => {
                    let arrived = &mut front.arrived[carried];
                    *arrived = algebra.or(arrived, &image)?;
                }
                Some(holder) => {
                    let carried = if slips(Slip::CarriedForgotten) { 0 } else { carried };
                    front.pending.push_back((holder, carried, image));
                }
            }
        }
        Ok(())
    }

    /// What taking the rule does about the labels: which are carried afterwards, and on which condition.
    fn outcomes(&self, rule: usize, carried: Carried, steps: &Steps) -> Made<Vec<(Carried, Option<Diagram>)>> {
        let algebra = &self.encoder.algebra;
        let Some(condition) = self.missing(rule, steps)? else { return Ok(Vec::new()) };
        let mut outcomes = vec![(carried, condition)];
        for (number, &label) in steps.carried().iter().enumerate().filter(|(number, _)| carried >> number & 1 == 0) {
            let carries = self.label_of(rule, label)?;
            let mut refined = Vec::new();
            for (carried, condition) in outcomes {
                let known = algebra.known(&carries);
                if known != Some(false) {
                    refined.push((carried | 1 << number, Some(both(algebra, condition.as_ref(), &carries)?)));
                }
                // What a step of one action does not carry it never does.
                if known != Some(true) && !self.holders.is_empty() {
                    refined.push((carried, Some(both(algebra, condition.as_ref(), &algebra.not(&carries)?)?)));
                }
            }
            outcomes = refined;
        }
        Ok(outcomes)
    }

    /// On which condition the rule carries none of the labels that must not be carried; nothing if it always carries one,
    /// and no condition if it never does.
    fn missing(&self, rule: usize, steps: &Steps) -> Made<Option<Option<Diagram>>> {
        let algebra = &self.encoder.algebra;
        let mut condition = None;
        for &label in steps.missed() {
            let carries = self.label_of(rule, label)?;
            match algebra.known(&carries) {
                Some(true) => return Ok(None),
                Some(false) => {}
                None => condition = Some(both(algebra, condition.as_ref(), &algebra.not(&carries)?)?),
            }
        }
        Ok(Some(condition))
    }

    pub(super) fn label_of(&self, rule: usize, label: LabelId) -> Made<Diagram> {
        if let Some(known) = self.carries.borrow().get(&(rule, label)) {
            return Ok(known.clone());
        }
        let meaning = &self.labels.borrow()[label].meaning;
        let carries = self.rule(rule)?.carries(&self.encoder, &self.variables.state, label, meaning)?;
        self.carries.borrow_mut().insert((rule, label), carries.clone());
        Ok(carries)
    }

    /// Goes on from transient states until there are no new ones.
    pub(super) fn settle(&self, front: &mut Front, steps: &Steps) -> Made<()> {
        let algebra = &self.encoder.algebra;
        while let Some((holder, carried, states)) = front.pending.pop_front() {
            self.activate(&states)?;
            let mut inside = self.transient(&states, holder)?;
            let ordinary = algebra.minus(&states, &inside)?;
            let arrived = &mut front.arrived[carried];
            *arrived = algebra.or(arrived, &ordinary)?;
            let passed = &mut front.passed[carried];
            if let Some(known) = passed.get(&holder) {
                let new = algebra.minus(&inside, known)?;
                front.comes_again |= new != inside;
                inside = new;
            }
            if algebra.known(&inside) == Some(false) {
                continue;
            }
            self.add(passed, holder, &inside)?;
            if slips(Slip::InnerEndsEarly) {
                continue;
            }
            for rule in self.active_rules().filter(|&rule| self.actor(rule) == Some(holder)) {
                for case in 0..self.rule(rule)?.cases() {
                    self.advance(front, (rule, case), Some(holder), &inside, carried, steps)?;
                }
            }
        }
        Ok(())
    }

    /// From where these steps lead into the set.
    pub(super) fn backwards(&self, set: &Diagram, steps: &Steps) -> Made<Diagram> {
        if let Some(found) = self.backwards_by_paths(set, steps)? {
            return Ok(found);
        }
        let (states, within) = self.confined.borrow().clone().unzip();
        if within.is_none() {
            self.activate_all();
        }
        let algebra = &self.encoder.algebra;
        if *steps == Steps::All {
            let held = self.closure(set, Held::new(), within.as_ref())?;
            return self.sources(set, &held, None, states.as_ref());
        }
        let (all, none) = ((1 << steps.carried().len()) - 1, algebra.constant(false));
        // By labels that are still to be carried: the transient states from which they are. Parts of a set come before it.
        let mut later: Vec<Held> = Vec::new();
        for rest in 0..=all {
            later.push(Held::new());
            while !self.holders.is_empty() {
                let mut more = Held::new();
                for rule in self.active_rules() {
                    let Some(holder) = self.actor(rule).filter(|holder| self.holders.contains(holder)) else {
                        continue;
                    };
                    let most = within.as_ref().map(|within| within.get(&holder).unwrap_or(&none));
                    let before = self.carrying_sources(rule, Some(holder), set, (steps, rest), &later, most)?;
                    self.add(&mut more, holder, &self.transient(&before, holder)?)?;
                }
                self.keep_within(&mut more, within.as_ref())?;
                if more == later[rest] {
                    break;
                }
                later[rest] = more;
                algebra.safe_point()?;
            }
        }
        let mut found = algebra.constant(false);
        for rule in self.active_rules() {
            let more = self.carrying_sources(rule, None, set, (steps, all), &later, states.as_ref())?;
            found = algebra.or(&found, &more)?;
        }
        Ok(found)
    }

    /// From where the rule leads into the set, or to transient states from which it goes on to there, and the labels of `rest`
    /// are carried now or later.
    fn carrying_sources(
        &self,
        rule: usize,
        holder: Option<Position>,
        set: &Diagram,
        (steps, rest): (&Steps, Carried),
        later: &[Held],
        within: Option<&Diagram>,
    ) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let (made, none) = (self.rule(rule)?, algebra.constant(false));
        let mut found = none.clone();
        let Some(missing) = self.missing(rule, steps)? else { return Ok(found) };
        for now in (0..=rest).filter(|now| now & !rest == 0) {
            let target = self.target(made.holder, if now == rest { set } else { &none }, &later[rest & !now])?;
            if algebra.known(&target) == Some(false) {
                continue;
            }
            let mut condition = missing.clone();
            for (_, &label) in steps.carried().iter().enumerate().filter(|(number, _)| now >> number & 1 == 1) {
                condition = Some(both(algebra, condition.as_ref(), &self.label_of(rule, label)?)?);
            }
            if condition.as_ref().is_some_and(|condition| algebra.known(condition) == Some(false)) {
                continue;
            }
            for case in 0..made.cases() {
                self.images.set(self.images.get() + 1);
                let before = made.preimage(algebra, &self.variables, case, &target, condition.as_ref())?;
                found = algebra.or(&found, &before)?;
            }
        }
        self.winning(&self.narrowed(found, within)?, holder, rule)
    }

    /// Those states of the set that matter, before it is asked which of them a rule wins in: that is a large question where ranks
    /// are variables, and a step back leads to many states that never come about.
    pub(super) fn narrowed(&self, set: Diagram, within: Option<&Diagram>) -> Made<Diagram> {
        match within {
            Some(within) if !self.ranks_are_alike && self.variables.forgotten.borrow().bits.is_empty() => {
                self.encoder.algebra.and(&set, within)
            }
            _ => Ok(set),
        }
    }

    /// Where the rules lead from that end in the set, or in transient states of `held`; of others than those `within` nothing need
    /// be known.
    pub(super) fn sources(
        &self,
        set: &Diagram,
        held: &Held,
        holder: Option<Position>,
        within: Option<&Diagram>,
    ) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut found = algebra.constant(false);
        for rule in self.active_rules() {
            if holder.is_some() && self.actor(rule) != holder {
                continue;
            }
            let before = self.narrowed(self.sources_of(rule, set, held)?, within)?;
            found = algebra.or(&found, &self.winning(&before, holder, rule)?)?;
        }
        Ok(found)
    }

    /// From where one rule, whatever its rank, leads to the set, or to transient states of `held`.
    pub(super) fn sources_of(&self, rule: usize, set: &Diagram, held: &Held) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let mut found = algebra.constant(false);
        for case in 0..self.rule(rule)?.cases() {
            found = algebra.or(&found, &self.sources_of_case((rule, case), set, held)?)?;
        }
        Ok(found)
    }

    /// The same for one case of the rule.
    pub(super) fn sources_of_case(&self, (rule, case): (usize, usize), set: &Diagram, held: &Held) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let rule = self.rule(rule)?;
        let target = self.target(rule.holder, set, held)?;
        if algebra.known(&target) == Some(false) {
            return Ok(target);
        }
        self.images.set(self.images.get() + 1);
        rule.preimage(algebra, &self.variables, case, &target, None)
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
        let algebra = &self.encoder.algebra;
        let mut found = seeds;
        if self.holders.is_empty() {
            return Ok(found);
        }
        // An atomic sequence may be long, and what led to the states found before was found by then.
        let (mut into, mut newest) = (set.clone(), found.clone());
        loop {
            let mut more = Held::new();
            for &holder in &self.holders {
                let most = within.map(|within| within.get(&holder));
                if most == Some(None) {
                    continue;
                }
                let mut before = self.sources(&into, &newest, Some(holder), most.flatten())?;
                if let Some(Some(most)) = most {
                    before = algebra.and(&before, most)?;
                }
                self.add(&mut more, holder, &self.transient(&before, holder)?)?;
            }
            (into, newest) = (algebra.constant(false), Held::new());
            for (holder, states) in more {
                let new = found.get(&holder).map_or(Ok(states.clone()), |known| algebra.minus(&states, known))?;
                self.add(&mut newest, holder, &new)?;
                self.add(&mut found, holder, &new)?;
            }
            if newest.is_empty() || slips(Slip::InnerBackEndsEarly) {
                return Ok(found);
            }
            algebra.safe_point()?;
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
    pub(super) fn remember(&self, front: &Front) -> Made<()> {
        let mut passed = self.passed.borrow_mut();
        for (holder, states) in front.passed.iter().flatten() {
            self.add(&mut passed, *holder, states)?;
        }
        Ok(())
    }
}

/// The conjunction of a condition, if there is one, with another.
fn both(algebra: &Bdd, condition: Option<&Diagram>, other: &Diagram) -> Made<Diagram> {
    condition.map_or_else(|| Ok(other.clone()), |condition| algebra.and(condition, other))
}
