//! One action for one binding: when it can happen, and what it does, as relations between a state and the next.

use super::cases::cases;
use super::partition::Partition;
use super::relation::{Formula, Free, Relation};
use crate::diagrams::{Diagram, Diagrams, Transition};
use crate::{Binding, BitAlgebra, BitFunctions, BitVec, ChoiceValue, Encoder, Variable};
use lariat_base::Id;
use lariat_engine::Shortfall;
use lariat_system::{LabelId, LabelMeaning, Position};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
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
    guard: Vec<Diagram>,
    goes_on: Diagram,
    /// What it does, apart by cases, none of which has a step in common with another.
    pub(super) formulas: Vec<Formula>,
    pub(super) rank: BitVec<Diagram>,
    /// The guard, choices quantified.
    enabling: OnceCell<Partition<Bdd>>,
    /// The variables of all choices.
    all_choices: Vec<Variable>,
    guard_fault: OnceCell<Diagram>,
    effect_fault: OnceCell<Diagram>,
    /// For each case, its relations.
    relations: Vec<Relations>,
    /// Of conjuncts, the choices that they speak of, and what is left of them if any value of these will do.
    idle: RefCell<HashMap<Diagram, Idle>>,
}

/// The relations of a case that were made so far: by whether conditions speak of choices, and by the bits that are forgotten.
type Relations = RefCell<Vec<(bool, Vec<usize>, Rc<Relation>)>>;

/// Of a conjunct, the choices that it speaks of, and what is left of it without them, once that was asked for.
type Idle = (Vec<Variable>, Option<Diagram>);

/// What rules need to know about variables.
pub(super) struct Variables {
    /// By bit of the state: its variables now and afterwards.
    pub(super) bits: Vec<Option<(Variable, Variable)>>,
    /// By action, the variables of its choices.
    pub(super) choices: Vec<Vec<Variable>>,
    /// The state as functions: its bits.
    pub(super) state: Vec<Diagram>,
    /// Bits that are no part of any set for the time being.
    pub(super) forgotten: RefCell<Free>,
}

impl Rule {
    pub(super) fn new(encoder: &Encoder<'_, Bdd>, variables: &Variables, binding: Binding) -> Made<Self> {
        let algebra = &encoder.algebra;
        let action = &encoder.system.actions[binding.action];
        let choice_variables = variables.choices[binding.action.index()].clone();
        let choices = symbolic_choices(encoder, action.choices.iter().map(|choice| choice.ty), &choice_variables)?;
        let state = &variables.state;
        let guard = encoder.guard_conjuncts(state, &binding, &choices)?;
        let goes_on = encoder.goes_on(state, &binding, &choices)?;
        let next = encoder.successor(state, &binding, &choices)?;
        let written = next.into_iter().enumerate().filter(|(bit, value)| state[*bit] != *value).collect();
        let conjuncts = guard.iter().chain([&goes_on]).filter(|part| algebra.known(part) != Some(true)).cloned();
        let formula =
            Formula { conjuncts: conjuncts.collect(), written, choices: choice_variables.clone(), bound: Vec::new() };
        let formulas = match action.participants.is_empty() {
            true => cases(algebra, variables, formula, &candidates(encoder, variables, &binding))?,
            false => vec![formula],
        };
        Ok(Self {
            holder: action.hold.map(|role| binding.positions[role.index()]),
            goes_on,
            rank: encoder.rank(state, &binding)?,
            enabling: OnceCell::new(),
            all_choices: choice_variables,
            binding,
            choices,
            guard,
            guard_fault: OnceCell::new(),
            effect_fault: OnceCell::new(),
            relations: formulas.iter().map(|_| Relations::default()).collect(),
            formulas,
            idle: RefCell::default(),
        })
    }

    /// How many cases it has.
    pub(super) fn cases(&self) -> usize {
        self.formulas.len()
    }
    /// The bits that get free choices, the same in every case.
    pub(super) fn free(&self, algebra: &Bdd, variables: &Variables) -> Made<Vec<Free>> {
        let mut found: Option<Vec<Free>> = None;
        for formula in &self.formulas {
            let own = formula.free(algebra, variables)?;
            match &mut found {
                None => found = Some(own),
                Some(found) => found.retain(|free| own.contains(free)),
            }
        }
        Ok(found.unwrap_or_default())
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

    /// Where one of its cases leads from the states of the set with choices for which the condition holds.
    pub(super) fn image(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        case: usize,
        set: &Diagram,
        condition: Option<&Diagram>,
    ) -> Made<Diagram> {
        self.relation(algebra, variables, case, condition)?.image(algebra, variables, set, condition)
    }

    /// From where one of its cases leads into the set with choices for which the condition holds.
    pub(super) fn preimage(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        case: usize,
        set: &Diagram,
        condition: Option<&Diagram>,
    ) -> Made<Diagram> {
        self.relation(algebra, variables, case, condition)?.preimage(algebra, variables, set, condition)
    }

    /// The relation of a case as a whole, if it is small.
    pub(super) fn whole(&self, algebra: &Bdd, variables: &Variables, case: usize) -> Made<Option<Transition>> {
        Ok(self.relation(algebra, variables, case, None)?.whole(algebra, variables)?.cloned())
    }

    /// The relation of a case, where choices must meet the condition.
    fn relation(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        case: usize,
        condition: Option<&Diagram>,
    ) -> Made<Rc<Relation>> {
        let (formula, relations) = (&self.formulas[case], &self.relations[case]);
        let speaks_of_choices = condition.is_some_and(|condition| {
            algebra.support(condition).iter().any(|variable| self.all_choices.contains(variable))
        });
        let forgotten = variables.forgotten.borrow();
        let is_it = |(with_choices, bits, _): &&(bool, Vec<usize>, Rc<Relation>)| {
            (*with_choices, bits) == (speaks_of_choices, &forgotten.bits)
        };
        if let Some((_, _, known)) = relations.borrow().iter().find(is_it) {
            return Ok(Rc::clone(known));
        }
        let made = match speaks_of_choices {
            true => Relation::new(algebra, variables, formula, false, &forgotten)?,
            false => {
                Relation::new(algebra, variables, &self.without_idle_choices(algebra, formula)?, true, &forgotten)?
            }
        };
        let made = Rc::new(made);
        relations.borrow_mut().push((speaks_of_choices, forgotten.bits.clone(), Rc::clone(&made)));
        Ok(made)
    }

    /// The formula without choices that only one conjunct speaks of, and no value: of many processes, one of which acts, the others
    /// have such choices.
    fn without_idle_choices(&self, algebra: &Bdd, formula: &Formula) -> Made<Formula> {
        let choices: HashSet<Variable> = formula.choices.iter().copied().collect();
        let mut known = self.idle.borrow_mut();
        let mut users: HashMap<Variable, usize> = HashMap::new();
        let mut own: Vec<Vec<Variable>> = Vec::new();
        for part in &formula.conjuncts {
            let all = || algebra.support(part).into_iter().filter(|variable| choices.contains(variable)).collect();
            let spoken: Vec<Variable> = known.entry(part.clone()).or_insert_with(|| (all(), None)).0.clone();
            spoken.iter().for_each(|choice| *users.entry(*choice).or_insert(0) += 1);
            own.push(spoken);
        }
        for variable in formula.written.iter().flat_map(|(_, value)| algebra.support(value)) {
            *users.entry(variable).or_insert(0) += 1;
        }
        let mut fewer = Formula { conjuncts: Vec::new(), ..formula.clone() };
        let mut gone: HashSet<Variable> = HashSet::new();
        for (part, spoken) in formula.conjuncts.iter().zip(own) {
            if spoken.is_empty() || spoken.iter().any(|choice| users[choice] > 1) {
                fewer.conjuncts.push(part.clone());
                continue;
            }
            let entry = known.get_mut(part).expect("it has been added");
            let rest = match &entry.1 {
                Some(rest) => rest.clone(),
                None => entry.1.insert(algebra.exists(&algebra.variables(&spoken)?, part)?).clone(),
            };
            gone.extend(spoken);
            if algebra.known(&rest) != Some(true) {
                fewer.conjuncts.push(rest);
            }
        }
        fewer.choices.retain(|choice| !gone.contains(choice));
        Ok(fewer)
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
        encoder.step_label(state, &self.binding, &self.choices, label)
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
    pub(super) fn of(&self, bit: usize) -> (Variable, Variable) {
        self.bits[bit].expect("a bit that is written is used")
    }
}

/// The variables that may say which case of the action is taken: numbers of the state and choices, by their bits.
fn candidates(encoder: &Encoder<'_, Bdd>, variables: &Variables, binding: &Binding) -> Vec<Vec<Variable>> {
    let mut found = Vec::new();
    for field in encoder.layout.slots.iter().filter(|field| field.bits > 0) {
        for cell in 0..field.cells as usize {
            let bits = (0..usize::from(field.bits)).map(|place| field.bit_of(cell) + place);
            found.extend(bits.map(|bit| Some(variables.bits[bit]?.0)).collect::<Option<Vec<Variable>>>());
        }
    }
    let mut rest = variables.choices[binding.action.index()].as_slice();
    for choice in encoder.system.actions[binding.action].choices.iter() {
        let (own, others) = rest.split_at(encoder.choice_bits(choice.ty));
        found.push(own.to_vec());
        rest = others;
    }
    found
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

pub(super) fn narrowed(algebra: &Bdd, set: &Diagram, condition: Option<&Diagram>) -> Made<Diagram> {
    condition.map_or_else(|| Ok(set.clone()), |condition| algebra.and(set, condition))
}
