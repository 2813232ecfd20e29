//! One action for one binding, as a relation between a state and the next.
//!
//! Only what is written takes part: the relation speaks of the bits now and afterwards of the cells that the action may
//! write, and every other bit of a set stays as it is. So an image quantifies little, and has little to rename. Bits that get
//! a fixed value, as those of program counters do, need no variable afterwards: they are quantified, and then set. A bit that
//! gets the value of a choice needs no variable of that choice: the relation speaks of the bit afterwards instead.

use super::partition::Partition;
use crate::diagrams::{Diagram, Diagrams};
use crate::{Binding, BitAlgebra, BitFunctions, BitVec, ChoiceValue, Encoder, Variable};
use lariat_base::Id;
use lariat_engine::Shortfall;
use lariat_system::{LabelId, LabelMeaning, Position};
use oxidd::Subst;
use std::cell::OnceCell;
use std::rc::Rc;

/// The algebra of decision diagrams.
pub(super) type Bdd = Rc<Diagrams>;
pub(super) type Made<T> = Result<T, Shortfall>;

/// An action whose participants stand at positions.
pub(super) struct Rule {
    pub(super) binding: Binding,
    /// Who holds control afterwards.
    pub(super) holder: Option<Position>,
    choices: Vec<ChoiceValue<Diagram>>,
    /// Variables of choices that are no value of a bit afterwards.
    choice_variables: Vec<Variable>,
    /// For those that are, the bit afterwards in their place; `None` if there are none.
    renamed: Option<Subst<Diagram>>,
    guard: Vec<Diagram>,
    goes_on: Diagram,
    /// The bits that may be written, with their values afterwards; not those that get a fixed value.
    written: Vec<(usize, Diagram)>,
    /// The variables of the bits that get a fixed value, and the set of states with these values; `None` if there are none.
    fixed: Option<(Vec<Variable>, Diagram)>,
    pub(super) rank: BitVec<Diagram>,
    /// The guard, choices quantified.
    enabling: OnceCell<Partition<Bdd>>,
    /// The variables of all choices.
    all_choices: Vec<Variable>,
    guard_fault: OnceCell<Diagram>,
    effect_fault: OnceCell<Diagram>,
    forward: OnceCell<(Partition<Bdd>, Subst<Diagram>)>,
    backward: OnceCell<(Partition<Bdd>, Subst<Diagram>)>,
}

/// What rules need to know about variables.
pub(super) struct Variables {
    /// By bit of the state: its variables now and afterwards.
    pub(super) bits: Vec<Option<(Variable, Variable)>>,
    /// By action, the variables of its choices.
    pub(super) choices: Vec<Vec<Variable>>,
    /// The state as functions: its bits.
    pub(super) state: Vec<Diagram>,
}

impl Rule {
    pub(super) fn new(encoder: &Encoder<'_, Bdd>, variables: &Variables, binding: Binding) -> Made<Self> {
        let algebra = &encoder.algebra;
        let action = &encoder.system.actions[binding.action];
        let choice_variables = variables.choices[binding.action.index()].clone();
        let choices = symbolic_choices(encoder, action.choices.iter().map(|choice| choice.ty), &choice_variables)?;
        let state = &variables.state;
        let guard = encoder.guard_conjuncts(state, &binding, &choices)?;
        let next = encoder.successor(state, &binding, &choices)?;
        let changed = next.into_iter().enumerate().filter(|(bit, value)| state[*bit] != *value);
        let (fixed, written): (Vec<_>, Vec<_>) = changed.partition(|(_, value)| algebra.known(value).is_some());
        let literals: Vec<(Variable, bool)> =
            fixed.iter().map(|(bit, value)| (variables.of(*bit).0, algebra.known(value) == Some(true))).collect();
        let fixed = match literals.is_empty() {
            true => None,
            false => Some((literals.iter().map(|(variable, _)| *variable).collect(), algebra.cube(&literals)?)),
        };
        let mut unnamed: Vec<(Diagram, Variable)> = Vec::new();
        for &choice in &choice_variables {
            unnamed.push((algebra.variable(choice)?, choice));
        }
        let mut renamed: Vec<(Variable, Diagram)> = Vec::new();
        for (bit, value) in &written {
            if let Some(place) = unnamed.iter().position(|(known, _)| known == value) {
                let (_, choice) = unnamed.swap_remove(place);
                renamed.push((choice, algebra.variable(variables.of(*bit).1)?));
            }
        }
        let all_choices = choice_variables;
        let mut choice_variables: Vec<Variable> = unnamed.into_iter().map(|(_, choice)| choice).collect();
        choice_variables.sort_unstable();
        let renamed = (!renamed.is_empty()).then(|| algebra.substitution(renamed));
        Ok(Self {
            holder: action.hold.map(|role| binding.positions[role.index()]),
            goes_on: encoder.goes_on(state, &binding, &choices)?,
            rank: encoder.rank(state, &binding)?,
            enabling: OnceCell::new(),
            all_choices,
            renamed,
            binding,
            choices,
            choice_variables,
            guard,
            written,
            fixed,
            guard_fault: OnceCell::new(),
            effect_fault: OnceCell::new(),
            forward: OnceCell::new(),
            backward: OnceCell::new(),
        })
    }

    /// Those states of the set in which it is enabled with choices for which the condition holds.
    pub(super) fn enabled_in(&self, algebra: &Bdd, set: &Diagram, condition: Option<&Diagram>) -> Made<Diagram> {
        if self.enabling.get().is_none() {
            let _ = self.enabling.set(Partition::new(algebra, &self.guard, &self.all_choices)?);
        }
        let enabling = self.enabling.get().expect("it has just been set");
        enabling.apply(algebra, &narrowed(algebra, set, condition)?)
    }
    /// Those states of the set in which it is enabled and has a successor.
    pub(super) fn moves_in(&self, algebra: &Bdd, set: &Diagram) -> Made<Diagram> {
        self.enabled_in(algebra, set, Some(&self.goes_on))
    }

    /// Where it leads from the states of the set with choices for which the condition holds.
    pub(super) fn image(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        set: &Diagram,
        condition: Option<&Diagram>,
    ) -> Made<Diagram> {
        if self.forward.get().is_none() {
            let now = self.written.iter().map(|(bit, _)| variables.of(*bit).0).chain(self.choice_variables.clone());
            let now = now.chain(self.fixed.iter().flat_map(|(variables, _)| variables.clone()));
            let partition = Partition::new(algebra, &self.conjuncts(algebra, variables)?, &now.collect::<Vec<_>>())?;
            let back = self.written.iter().map(|(bit, _)| (variables.of(*bit).1, variables.state[*bit].clone()));
            let _ = self.forward.set((partition, algebra.substitution(back.collect())));
        }
        let (partition, to_now) = self.forward.get().expect("it has just been set");
        let condition = condition.map(|condition| self.spoken(algebra, condition)).transpose()?;
        let afterwards = partition.apply(algebra, &narrowed(algebra, set, condition.as_ref())?)?;
        let image = if self.written.is_empty() { afterwards } else { algebra.substitute(&afterwards, to_now)? };
        self.fixed.as_ref().map_or(Ok(image.clone()), |(_, fixed)| algebra.and(&image, fixed))
    }

    /// From where it leads into the set with choices for which the condition holds.
    pub(super) fn preimage(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        set: &Diagram,
        condition: Option<&Diagram>,
    ) -> Made<Diagram> {
        if self.backward.get().is_none() {
            let later = self.written.iter().map(|(bit, _)| variables.of(*bit).1).chain(self.choice_variables.clone());
            let partition = Partition::new(algebra, &self.conjuncts(algebra, variables)?, &later.collect::<Vec<_>>())?;
            let pairs = self.written.iter().map(|(bit, _)| {
                let (now, later) = variables.of(*bit);
                Ok((now, algebra.variable(later)?))
            });
            let to_later = algebra.substitution(pairs.collect::<Made<Vec<_>>>()?);
            let _ = self.backward.set((partition, to_later));
        }
        let (partition, to_later) = self.backward.get().expect("it has just been set");
        let mut afterwards = set.clone();
        if let Some((variables, fixed)) = &self.fixed {
            afterwards = algebra.and_exists(&algebra.variables(variables)?, &afterwards, fixed)?;
        }
        if !self.written.is_empty() {
            afterwards = algebra.substitute(&afterwards, to_later)?;
        }
        let condition = condition.map(|condition| self.spoken(algebra, condition)).transpose()?;
        partition.apply(algebra, &narrowed(algebra, &afterwards, condition.as_ref())?)
    }

    /// The relation, part by part.
    fn conjuncts(&self, algebra: &Bdd, variables: &Variables) -> Made<Vec<Diagram>> {
        let mut conjuncts = Vec::new();
        for part in self.guard.iter().chain([&self.goes_on]) {
            conjuncts.push(self.spoken(algebra, part)?);
        }
        for (bit, value) in &self.written {
            let later = algebra.variable(variables.of(*bit).1)?;
            conjuncts.push(algebra.not(&algebra.xor(&later, &self.spoken(algebra, value)?)?)?);
        }
        Ok(conjuncts)
    }

    /// A function of state and choices, in terms of the relation's variables.
    fn spoken(&self, algebra: &Bdd, function: &Diagram) -> Made<Diagram> {
        self.renamed.as_ref().map_or(Ok(function.clone()), |renamed| algebra.substitute(function, renamed))
    }

    /// Where, for which choices, it carries the step label.
    pub(super) fn carries(
        &self,
        encoder: &Encoder<'_, Bdd>,
        state: &[Diagram],
        label: LabelId,
        meaning: &LabelMeaning,
    ) -> Made<Diagram> {
        match *meaning {
            LabelMeaning::By(position) => {
                return Ok(encoder.algebra.constant(self.binding.positions.contains(&position)));
            }
            LabelMeaning::Acting(position) => {
                return Ok(encoder.algebra.constant(self.binding.actor() == Some(position)));
            }
            LabelMeaning::State(_) | LabelMeaning::Step => {}
        }
        let listed = encoder.step_labels(state, &self.binding, &self.choices)?;
        listed
            .into_iter()
            .filter(|(own, _)| *own == label)
            .try_fold(encoder.algebra.constant(false), |any, (_, condition)| encoder.algebra.or(&any, &condition))
    }
    /// Where a run-time error of its guard is met.
    pub(super) fn guard_fault(&self, encoder: &Encoder<'_, Bdd>, state: &[Diagram]) -> Made<Diagram> {
        kept(&self.guard_fault, || {
            let traps = encoder.guard_traps(state, &self.binding)?;
            traps.into_iter().try_fold(encoder.algebra.constant(false), |any, (_, met)| encoder.algebra.or(&any, &met))
        })
    }
    /// Where, for which choices, taking it meets a run-time error of its effect.
    pub(super) fn effect_fault(&self, encoder: &Encoder<'_, Bdd>, state: &[Diagram]) -> Made<Diagram> {
        kept(&self.effect_fault, || {
            let traps = encoder.effect_traps(state, &self.binding, &self.choices)?;
            let full = self.pool_full(encoder, state)?;
            traps.into_iter().try_fold(full, |any, (_, met)| encoder.algebra.or(&any, &met))
        })
    }
    /// Where, for which choices, taking it finds the pool full.
    pub(super) fn pool_full(&self, encoder: &Encoder<'_, Bdd>, state: &[Diagram]) -> Made<Diagram> {
        encoder.pool_full(state, &self.binding, &self.choices)
    }
}

impl Variables {
    fn of(&self, bit: usize) -> (Variable, Variable) {
        self.bits[bit].expect("a bit that is written is used")
    }
}

/// The choices whose bits are these variables.
pub(super) fn symbolic_choices(
    encoder: &Encoder<'_, Bdd>,
    types: impl IntoIterator<Item = lariat_system::Type>,
    variables: &[Variable],
) -> Made<Vec<ChoiceValue<Diagram>>> {
    let mut rest = variables;
    let mut choices = Vec::new();
    for ty in types {
        let (own, others) = rest.split_at(encoder.choice_bits(ty));
        rest = others;
        let raw = own.iter().map(|&variable| encoder.algebra.variable(variable)).collect::<Made<Vec<_>>>()?;
        choices.push(encoder.choice_of_bits(ty, &raw)?);
    }
    Ok(choices)
}

/// The value in the cell, made if there is none yet.
fn kept(cell: &OnceCell<Diagram>, make: impl FnOnce() -> Made<Diagram>) -> Made<Diagram> {
    if let Some(known) = cell.get() {
        return Ok(known.clone());
    }
    let made = make()?;
    let _ = cell.set(made.clone());
    Ok(made)
}

fn narrowed(algebra: &Bdd, set: &Diagram, condition: Option<&Diagram>) -> Made<Diagram> {
    condition.map_or_else(|| Ok(set.clone()), |condition| algebra.and(set, condition))
}
