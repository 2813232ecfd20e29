//! A relation between a state and the next, ready to be followed in both directions.
//!
//! Only what is written takes part: the relation speaks of the bits now and afterwards of the cells that may be written, and
//! every other bit of a set stays as it is. So an image quantifies little, and has little to rename. Bits whose values
//! afterwards have nothing to do with the state before need no variable afterwards: they are quantified, and then set. These
//! are bits that get a fixed value, as those of program counters do, and those that get a free choice. Any other bit that
//! gets the value of a choice needs no variable of that choice: the relation speaks of the bit afterwards instead.

use super::partition::Partition;
use super::rule::{Bdd, Made, Variables, narrowed};
use crate::diagrams::{Diagram, Transition};
use crate::{BitAlgebra, BitFunctions, Variable};
use oxidd::Subst;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// What is to become a relation, as functions of the state now and of choices.
#[derive(Clone)]
pub(super) struct Formula {
    /// All of these hold.
    pub(super) conjuncts: Vec<Diagram>,
    /// The bits that may change, with their values afterwards.
    pub(super) written: Vec<(usize, Diagram)>,
    /// The variables of choices.
    pub(super) choices: Vec<Variable>,
    /// Choices that are known to have this value, and stand nowhere above any more.
    pub(super) bound: Vec<(Variable, Diagram)>,
}

/// Bits that get free choices, and the values that they may have, in terms of the bits.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Free {
    pub(super) bits: Vec<usize>,
    pub(super) values: Diagram,
}

/// A relation between a state and the next.
pub(super) struct Relation {
    /// The relation, part by part, in terms of the bits now and afterwards and of choices.
    conjuncts: Vec<Diagram>,
    /// The bits that may be written, but for those whose values have nothing to do with the state before.
    written: Vec<usize>,
    /// The variables of these, and the set of states with values that they can get; `None` if there are none.
    settled: Option<(Vec<Variable>, Diagram)>,
    /// The variables of choices that are no value of a bit afterwards.
    choices: Vec<Variable>,
    /// What stands in the relation for choices; `None` if there are none of these.
    renamed: Option<Subst<Diagram>>,
    /// Variables now that are quantified in whatever this leads back to.
    forgotten: Vec<Variable>,
    forward: OnceCell<(Partition<Bdd>, Subst<Diagram>)>,
    backward: OnceCell<(Partition<Bdd>, Subst<Diagram>)>,
    /// The relation as a whole; `None` if that would be large.
    whole: OnceCell<Option<Transition>>,
}

impl Formula {
    /// What choices have to do with nothing but bits afterwards, apart by which have to do with each other.
    pub(super) fn free(&self, algebra: &Bdd, variables: &Variables) -> Made<Vec<Free>> {
        let mut found = Vec::new();
        for (bits, choices) in self.free_choices(algebra)? {
            let mut values = algebra.constant(true);
            for conjunct in &self.conjuncts {
                if algebra.support(conjunct).iter().any(|variable| choices.contains(variable)) {
                    values = algebra.and(&values, conjunct)?;
                }
            }
            let pairs = choices.iter().zip(&bits).map(|(&choice, &bit)| (choice, variables.state[bit].clone()));
            let values = algebra.substitute(&values, &algebra.substitution(pairs.collect()))?;
            found.push(Free { bits, values });
        }
        Ok(found)
    }

    /// Bits that get a choice, each with it, where these choices have to do with nothing but each other.
    fn free_choices(&self, algebra: &Bdd) -> Made<Vec<(Vec<usize>, Vec<Variable>)>> {
        let mut targets: Vec<(usize, Variable)> = Vec::new();
        for &choice in &self.choices {
            let own = algebra.variable(choice)?;
            let mut users = self.written.iter().filter(|(_, value)| *value == own);
            if let (Some((bit, _)), None) = (users.next(), users.next()) {
                targets.push((*bit, choice));
            }
        }
        // Those that another value, or a conjunct with something else, speaks of are not free.
        let supports: Vec<Vec<Variable>> = self.conjuncts.iter().map(|part| algebra.support(part)).collect();
        let values = self.written.iter().filter(|(bit, _)| !targets.iter().any(|(target, _)| target == bit));
        let read: Vec<Variable> = values.flat_map(|(_, value)| algebra.support(value)).collect();
        targets.retain(|(_, choice)| !read.contains(choice));
        loop {
            let is_target = |variable: &Variable| targets.iter().any(|(_, choice)| choice == variable);
            let mixed: Vec<Variable> =
                supports.iter().filter(|support| !support.iter().all(is_target)).flatten().copied().collect();
            let before = targets.len();
            targets.retain(|(_, choice)| !mixed.contains(choice));
            if targets.len() == before {
                break;
            }
        }
        let mut parts: Vec<(Vec<usize>, Vec<Variable>)> =
            targets.iter().map(|&(bit, choice)| (vec![bit], vec![choice])).collect();
        for support in &supports {
            let (joined, others): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(_, choices)| choices.iter().any(|choice| support.contains(choice)));
            parts = others;
            if !joined.is_empty() {
                let (bits, choices): (Vec<_>, Vec<_>) = joined.into_iter().unzip();
                parts.push((bits.concat(), choices.concat()));
            }
        }
        for (bits, choices) in &mut parts {
            let mut pairs: Vec<(usize, Variable)> = bits.iter().copied().zip(choices.iter().copied()).collect();
            pairs.sort_unstable();
            (*bits, *choices) = pairs.into_iter().unzip();
        }
        parts.sort_unstable();
        Ok(parts)
    }
}

impl Relation {
    /// The relation of the formula. Where `free` is false, bits that get free choices are written like others: so conditions may
    /// speak of these choices. `forgotten` bits, which are free ones, are no part of any set.
    pub(super) fn new(
        algebra: &Bdd,
        variables: &Variables,
        formula: &Formula,
        free: bool,
        forgotten: &Free,
    ) -> Made<Self> {
        let Formula { mut conjuncts, written, choices, bound } = formula.clone();
        let Free { bits: forgotten, values: possible } = forgotten;
        let (fixed, mut written): (Vec<_>, Vec<_>) =
            written.into_iter().partition(|(_, value)| algebra.known(value).is_some());
        let literals: Vec<(Variable, bool)> =
            fixed.iter().map(|(bit, value)| (variables.of(*bit).0, algebra.known(value) == Some(true))).collect();
        let mut settled_variables: Vec<Variable> = literals.iter().map(|(variable, _)| *variable).collect();
        let mut settled = algebra.cube(&literals)?;
        let mut unnamed: Vec<(Diagram, Variable)> = Vec::new();
        for &choice in &choices {
            unnamed.push((algebra.variable(choice)?, choice));
        }
        if free {
            for (bits, own) in formula.free_choices(algebra)? {
                let is_own = |part: &Diagram| algebra.support(part).iter().any(|variable| own.contains(variable));
                conjuncts.retain(|part| !is_own(part));
                written.retain(|(bit, _)| !bits.contains(bit));
                unnamed.retain(|(_, choice)| !own.contains(choice));
                settled_variables.extend(bits.iter().map(|bit| variables.of(*bit).0));
            }
            for part in formula.free(algebra, variables)? {
                if !part.bits.iter().all(|bit| forgotten.contains(bit)) {
                    settled = algebra.and(&settled, &part.values)?;
                }
            }
        }
        let mut renamed: Vec<(Variable, Diagram)> = bound;
        for (bit, value) in &written {
            if let Some(place) = unnamed.iter().position(|(known, _)| known == value) {
                let (_, choice) = unnamed.swap_remove(place);
                renamed.push((choice, algebra.variable(variables.of(*bit).1)?));
            }
        }
        let mut choices: Vec<Variable> = unnamed.into_iter().map(|(_, choice)| choice).collect();
        choices.sort_unstable();
        let renamed = (!renamed.is_empty()).then(|| algebra.substitution(renamed));
        let spoken = |function: &Diagram| match &renamed {
            Some(renamed) => algebra.substitute(function, renamed),
            None => Ok(function.clone()),
        };
        // What is forgotten had one of its values before the step.
        let mut parts = vec![possible.clone()];
        for part in &conjuncts {
            parts.push(spoken(part)?);
        }
        for (bit, value) in &written {
            let later = algebra.variable(variables.of(*bit).1)?;
            parts.push(algebra.not(&algebra.xor(&later, &spoken(value)?)?)?);
        }
        Ok(Self {
            conjuncts: parts,
            written: written.into_iter().map(|(bit, _)| bit).collect(),
            settled: (!settled_variables.is_empty()).then_some((settled_variables, settled)),
            choices,
            renamed,
            forgotten: forgotten.iter().map(|bit| variables.of(*bit).0).collect(),
            forward: OnceCell::new(),
            backward: OnceCell::new(),
            whole: OnceCell::new(),
        })
    }

    /// The relation as a whole, if it is small.
    pub(super) fn whole(&self, algebra: &Bdd, variables: &Variables) -> Made<Option<&Transition>> {
        if self.whole.get().is_none() {
            let _ = self.whole.set(self.made_whole(algebra, variables)?);
        }
        Ok(self.whole.get().expect("it has just been set").as_ref())
    }

    fn made_whole(&self, algebra: &Bdd, variables: &Variables) -> Made<Option<Transition>> {
        // Of many processes each has choices, and few of these matter to what one of them does.
        let read: BTreeSet<Variable> = self.conjuncts.iter().flat_map(|part| algebra.support(part)).collect();
        let hidden = self.choices.iter().chain(&self.forgotten).copied().filter(|variable| read.contains(variable));
        let hidden: Vec<Variable> = hidden.collect();
        let Some(relation) = Partition::new(algebra, &self.conjuncts, &hidden)?.small(algebra)? else {
            return Ok(None);
        };
        let mut written: Vec<Variable> = self.written.iter().map(|bit| variables.of(*bit).0).collect();
        let Some((own, settled)) = &self.settled else {
            return Ok(Some(Transition { relation, written: algebra.variables(&written)? }));
        };
        written.extend(own.iter().filter(|variable| !self.forgotten.contains(variable)));
        let later = |&variable: &Variable| Ok((variable, algebra.variable(variable + 1)?));
        let later = algebra.substitution(own.iter().map(later).collect::<Made<Vec<_>>>()?);
        let relation = algebra.and(&relation, &algebra.substitute(settled, &later)?)?;
        Ok(Some(Transition { relation, written: algebra.variables(&written)? }))
    }

    /// Where it leads from the states of the set with choices for which the condition holds.
    pub(super) fn image(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        set: &Diagram,
        condition: Option<&Diagram>,
    ) -> Made<Diagram> {
        if condition.is_none()
            && let Some(whole) = self.whole(algebra, variables)?
        {
            return algebra.follow(set, whole);
        }
        if self.forward.get().is_none() {
            let now = self.written.iter().map(|bit| variables.of(*bit).0).chain(self.choices.clone());
            let now = now.chain(self.settled.iter().flat_map(|(variables, _)| variables.clone()));
            let partition = Partition::new(algebra, &self.conjuncts, &now.collect::<Vec<_>>())?;
            let back = self.written.iter().map(|bit| (variables.of(*bit).1, variables.state[*bit].clone()));
            let _ = self.forward.set((partition, algebra.substitution(back.collect())));
        }
        let (partition, to_now) = self.forward.get().expect("it has just been set");
        let condition = condition.map(|condition| self.spoken(algebra, condition)).transpose()?;
        let afterwards = partition.apply(algebra, &narrowed(algebra, set, condition.as_ref())?)?;
        let image = if self.written.is_empty() { afterwards } else { algebra.substitute(&afterwards, to_now)? };
        let image = self.settled.as_ref().map_or(Ok(image.clone()), |(_, settled)| algebra.and(&image, settled))?;
        match self.forgotten.is_empty() {
            true => Ok(image),
            false => algebra.exists(&algebra.variables(&self.forgotten)?, &image),
        }
    }

    /// From where it leads into the set with choices for which the condition holds.
    pub(super) fn preimage(
        &self,
        algebra: &Bdd,
        variables: &Variables,
        set: &Diagram,
        condition: Option<&Diagram>,
    ) -> Made<Diagram> {
        if condition.is_none()
            && let Some(whole) = self.whole(algebra, variables)?
        {
            return algebra.follow_back(set, whole);
        }
        if self.backward.get().is_none() {
            let later = self.written.iter().map(|bit| variables.of(*bit).1).chain(self.choices.clone());
            let later: Vec<Variable> = later.chain(self.forgotten.clone()).collect();
            let partition = Partition::new(algebra, &self.conjuncts, &later)?;
            let pairs = self.written.iter().map(|bit| {
                let (now, later) = variables.of(*bit);
                Ok((now, algebra.variable(later)?))
            });
            let to_later = algebra.substitution(pairs.collect::<Made<Vec<_>>>()?);
            let _ = self.backward.set((partition, to_later));
        }
        let (partition, to_later) = self.backward.get().expect("it has just been set");
        let mut afterwards = set.clone();
        if let Some((variables, settled)) = &self.settled {
            afterwards = algebra.and_exists(&algebra.variables(variables)?, &afterwards, settled)?;
        }
        if algebra.known(&afterwards) == Some(false) {
            return Ok(afterwards);
        }
        if !self.written.is_empty() {
            afterwards = algebra.substitute(&afterwards, to_later)?;
        }
        let condition = condition.map(|condition| self.spoken(algebra, condition)).transpose()?;
        partition.apply(algebra, &narrowed(algebra, &afterwards, condition.as_ref())?)
    }

    /// A function of state and choices, in terms of the relation's variables.
    fn spoken(&self, algebra: &Bdd, function: &Diagram) -> Made<Diagram> {
        self.renamed.as_ref().map_or(Ok(function.clone()), |renamed| algebra.substitute(function, renamed))
    }
}
