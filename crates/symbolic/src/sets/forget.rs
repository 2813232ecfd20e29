//! Variables that make no difference to what runs do, as far as a property of linear time can tell.
//!
//! A variable that gets any value at the beginning and at every step, whatever the others are, such as one that names the process
//! that acts next, says only which step is taken next. If no label of states reads it, each run of the others is a run of all
//! together, with the values by which its steps are taken. Nor may a label of steps read the value that it gets: that would have to be
//! the one by which the next step is taken. So linear time can be decided on sets without it, which are far
//! smaller; this is as if its value were chosen with the step. Formulas of branching time can tell the difference.

use super::BddSets;
use super::relation::{Formula, Free};
use super::rule::Made;
use crate::diagrams::Diagram;
use crate::{BitAlgebra, BitFunctions, Variable};
use lariat_space::{State, StateSets, Steps};
use lariat_system::{LabelId, LabelMeaning};

impl BddSets<'_> {
    /// What runs can do without, where `labels` are all labels of states that matter. All states were reached.
    fn forgettable(&self, labels: &[LabelId]) -> Made<Free> {
        let (algebra, variables) = (&self.encoder.algebra, &self.variables);
        // Which actions a rank lets happen is a matter of the whole state.
        if !self.ranks_are_alike {
            return Ok(Free { bits: Vec::new(), values: algebra.constant(true) });
        }
        let mut common: Option<Vec<Free>> = None;
        for rule in self.active_rules() {
            let own = self.rule(rule)?.free(algebra, variables)?;
            match &mut common {
                None => common = Some(own),
                Some(common) => common.retain(|free| own.contains(free)),
            }
        }
        let mut read: Vec<Variable> = Vec::new();
        for &label in labels {
            read.extend(algebra.support(&self.satisfying(label)?));
        }
        let announced = self.bits_that_labels_announce(labels)?;
        let mut found = Free { bits: Vec::new(), values: algebra.constant(true) };
        for Free { bits, values } in common.unwrap_or_default() {
            let own: Vec<Variable> = bits.iter().map(|bit| variables.of(*bit).0).collect();
            let initial = self.initial()?;
            let others = algebra.exists(&algebra.variables(&own)?, &initial)?;
            let is_told =
                own.iter().any(|variable| read.contains(variable)) || bits.iter().any(|bit| announced.contains(bit));
            if !is_told && initial == algebra.and(&others, &values)? {
                found.bits.extend(bits);
                found.values = algebra.and(&found.values, &values)?;
            }
        }
        Ok(found)
    }

    /// The bits that get the value of a choice which a label of steps reads.
    fn bits_that_labels_announce(&self, labels: &[LabelId]) -> Made<Vec<usize>> {
        let algebra = &self.encoder.algebra;
        let of_steps = |label: &LabelId| matches!(self.labels.borrow()[*label].meaning, LabelMeaning::Step);
        let labels: Vec<LabelId> = labels.iter().copied().filter(of_steps).collect();
        let mut found = Vec::new();
        for rule in self.active_rules() {
            let mut read: Vec<Variable> = Vec::new();
            for &label in &labels {
                read.extend(algebra.support(&self.label_of(rule, label)?));
            }
            let choices = |formula: &Formula| -> Vec<Variable> {
                formula.choices.iter().copied().filter(|choice| read.contains(choice)).collect()
            };
            for formula in &self.rule(rule)?.formulas {
                let choices = choices(formula);
                let gets = |value: &Diagram| algebra.support(value).iter().any(|variable| choices.contains(variable));
                found.extend(formula.written.iter().filter(|(_, value)| gets(value)).map(|(bit, _)| *bit));
            }
        }
        Ok(found)
    }

    /// What `then` gives for sets without all that runs can do without, where `labels` are all labels of states that matter. Sets of
    /// before and sets inside must not be used together; `then` gets what was reached as a set of the second kind.
    pub(crate) fn without_forgettable<R>(
        &self,
        labels: &[LabelId],
        reached: &Diagram,
        then: impl FnOnce(&Diagram) -> Made<R>,
    ) -> Made<R> {
        let whole = self.forget(self.forgettable(labels)?);
        let found = self.shortened(reached).and_then(|reached| then(&reached));
        self.forget(whole);
        found
    }

    /// From now on sets are without these bits. Gives what they were without before.
    pub(super) fn forget(&self, what: Free) -> Free {
        *self.last_forwards.borrow_mut() = None;
        self.variables.forgotten.replace(what)
    }

    /// The set without the bits that are forgotten.
    pub(super) fn shortened(&self, set: &Diagram) -> Made<Diagram> {
        let algebra = &self.encoder.algebra;
        let forgotten = self.variables.forgotten.borrow();
        let variables: Vec<Variable> = forgotten.bits.iter().map(|bit| self.variables.of(*bit).0).collect();
        if variables.is_empty() { Ok(set.clone()) } else { algebra.exists(&algebra.variables(&variables)?, set) }
    }

    /// The state with such values of what is forgotten that one of these steps leads from it to the other one.
    pub(super) fn lengthened(&self, state: &State, next: &State, steps: &Steps) -> Made<Option<Vec<u64>>> {
        let algebra = &self.encoder.algebra;
        let forgotten = self.variables.forgotten.borrow().clone();
        if forgotten.bits.is_empty() {
            return Ok(Some(state.to_vec()));
        }
        let (here, there) = (algebra.and(&self.only(state)?, &forgotten.values)?, self.only(next)?);
        let short = self.forget(Free { bits: Vec::new(), values: algebra.constant(true) });
        let found = self.backwards(&there, steps).and_then(|before| self.pick(&self.intersect(&before, &here)?));
        self.forget(short);
        found
    }
}
