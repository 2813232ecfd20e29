//! Properties of branching time, formulas and numbers of steps: from their text to what an engine settles.

use crate::CheckError;
use crate::fairness::{Constraints, FairnessOptions};
use crate::front::{FrontModel, Observed, ReadProperty};
use crate::misread::for_all_readings;
use crate::model::Model;
use crate::temporal::{GivenFairness, Reader, Stated, is_always_read, otherwise_stated, texts};
use lariat_automata::{TooLarge, TranslateOptions, translate};
use lariat_engine::{Branching, Demand, Distance, Extremum, Property, SystemReplay, Temporal};
use lariat_logic::{Formula, Logic, PropId, Propositions};
use lariat_system::System;

/// A model and a property of branching time of it, ready to be settled.
#[derive(Debug)]
pub(crate) struct BranchingProperty {
    model: Box<dyn FrontModel>,
    fairness: Constraints,
    /// One of branching time.
    pub(crate) property: Property,
    /// What it speaks of, and perhaps more.
    pub(crate) propositions: Propositions,
    /// Whether all of that can be read in every state.
    pub(crate) reads_all: bool,
}

impl BranchingProperty {
    /// Reads the property, and everything that fairness speaks of.
    ///
    /// `None` if an automaton for runs that a formula speaks of would be too large.
    pub(crate) fn new(
        model: &mut Model,
        stated: &Stated,
        options: &FairnessOptions,
    ) -> Result<Option<Self>, CheckError> {
        let mut reader = Reader::new(model);
        let read = Asked::read(&mut reader, stated)?;
        let GivenFairness { counts, justice, compassion } = GivenFairness::read(&mut reader, options)?;
        if !counts.is_empty() {
            let reason = "`--fair-ltl` and `--fair-automaton` are for properties of linear time; for CTL* there are `--justice` \
                          and `--compassion`";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        let observed = reader.observed()?;
        let mut spoken_of = justice.iter().copied().chain(compassion.iter().flat_map(|&(asked, given)| [asked, given]));
        if let Some(prop) = spoken_of.find(|&prop| !is_always_read(&observed, prop)) {
            let text = observed.propositions.text(prop);
            return Err(CheckError::Refused(format!(
                "`{text}`, of which fairness speaks, cannot be read in every state (an index outside of its array, a divisor 0, no channel), and \
                 formulas of CTL* need that: say when it is to be read, as in `i < 3 && a[i] == 0`"
            )));
        }
        let read = match read {
            Asked::Formula(formula) => Asked::Formula(for_all_readings(&formula, &observed.misreads)),
            Asked::Distance(..) => read,
        };
        let reads_all = observed.misreads.is_empty();
        let Observed { model, propositions, labels, .. } = observed;
        let label = |prop: PropId| labels[prop.0 as usize];
        let justice = justice.into_iter().map(label).collect();
        let compassion = compassion.into_iter().map(|(asked, given)| (label(asked), label(given))).collect();
        let fairness = Constraints::new(&*model, options, justice, compassion)?;
        let used = read.formulas().iter().flat_map(|formula| formula.props()).map(|prop| prop.0 as usize + 1).max();
        let labels = labels[..used.unwrap_or(0)].to_vec();
        let property = match read {
            Asked::Formula(formula) => match Branching::of_star(formula.clone(), labels) {
                Err(_) => return Ok(None),
                Ok(read) => {
                    let property = read.ok_or_else(|| refusal_of(&[&formula], true))?;
                    Property::Branching(Box::new(property.with_propositions(propositions.clone())))
                }
            },
            Asked::Distance(extremum, from, to) => {
                let property = Distance::new(extremum, from.clone(), &to, labels);
                let property = property.ok_or_else(|| refusal_of(&[&from, &to], false))?;
                Property::Distance(Box::new(property.with_propositions(propositions.clone())))
            }
        };
        Ok(Some(Self { model, fairness, property, propositions, reads_all }))
    }

    /// The runs that meet a condition of single states that the formula speaks of.
    pub(crate) fn meeting(&self, condition: &Formula, property: &Branching) -> Result<Temporal, TooLarge> {
        let met = Formula::finally(condition.clone());
        let labels = property.labels.clone();
        let mut names = texts(&self.propositions);
        names.truncate(labels.len());
        let bad = translate(&met, &self.propositions, &TranslateOptions::default())?.over_propositions(&names);
        Ok(Temporal { bad, labels, demands: vec![Demand::Satisfies(met)], is_of_all_states: false })
    }

    /// What replays its runs, which are those of `system`.
    pub(crate) fn replay<'s>(&'s self, system: &'s System) -> Result<SystemReplay<'s>, CheckError> {
        SystemReplay::of_branching(system, &self.property).map_err(|error| CheckError::Bug(error.to_string()))
    }

    /// The system for a pool of this size, with its fairness.
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, CheckError> {
        let mut system = self.model.system(pool_size).map_err(CheckError::Model)?;
        self.fairness.add_to(&mut system)?;
        Ok(system)
    }
}

/// A property of branching time, read.
enum Asked {
    Formula(Formula),
    Distance(Extremum, Formula, Formula),
}

impl Asked {
    fn read(reader: &mut Reader<'_>, stated: &Stated) -> Result<Self, CheckError> {
        let read = match stated {
            Stated::Branching(text) => ReadProperty::Formula(reader.formula("--ctl", text, true)?),
            Stated::Property(property) => reader.property(property)?,
            Stated::Formula(_) | Stated::Automaton(_) => return Err(otherwise_stated()),
        };
        match read {
            ReadProperty::Formula(formula) => Ok(Self::Formula(formula)),
            ReadProperty::Distance(extremum, from, to) => Ok(Self::Distance(extremum, from, to)),
            ReadProperty::NeverClaim => Err(otherwise_stated()),
        }
    }
    fn formulas(&self) -> Vec<&Formula> {
        match self {
            Self::Formula(formula) => vec![formula],
            Self::Distance(_, from, to) => vec![from, to],
        }
    }
}

/// Why one of the formulas is not one of states; without `takes_runs`, not one of CTL.
fn refusal_of(formulas: &[&Formula], takes_runs: bool) -> CheckError {
    let is_temporal = |part: &Formula| part.is_future_operator() || part.is_past_operator();
    let is_of_runs = |formula: &&Formula| formula.logic() == Logic::Ltl && formula.any(&is_temporal);
    let reason = if formulas.iter().any(is_of_runs) {
        "this is a formula of LTL: state it with `--ltl`, or put `A` or `E` before each temporal operator, or before \
         the whole"
    } else if takes_runs {
        "a temporal operator has no `A` or `E` around it: a formula of CTL* says of each whether it speaks of all \
         runs or of some"
    } else {
        "this is a formula of CTL*, and only CTL is counted with: each temporal operator needs an `A` or `E` of its \
         own, right before it"
    };
    CheckError::Refused(reason.to_owned())
}
