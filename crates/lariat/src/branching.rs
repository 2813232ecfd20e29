//! Formulas of branching time: from their text to what an engine settles.

use crate::CheckError;
use crate::fairness::{Constraints, FairnessOptions};
use crate::model::{Form, Model};
use crate::temporal::Reader;
use lariat_base::Diagnostic;
use lariat_branching::ensure_ctl;
use lariat_engine::{Branching, Options, Property, Task};
use lariat_logic::{Formula, Logic};
use lariat_system::System;

/// A model and a formula of CTL about it, ready to be settled.
#[derive(Debug)]
pub(crate) struct PreparedBranching {
    form: Form,
    fairness: Constraints,
    pub(crate) property: Branching,
}

impl PreparedBranching {
    /// Reads the formula, and everything that fairness speaks of.
    pub(crate) fn of_text(model: &mut Model, text: &str, options: &FairnessOptions) -> Result<Self, CheckError> {
        let mut reader = Reader::new(model);
        let formula = reader.formula_of("--ctl", text, true).map_err(CheckError::Model)?;
        Self::new(reader, formula, options)
    }

    /// The same for a specification of an SMV model.
    pub(crate) fn of_specification(
        model: &mut Model,
        name: &str,
        options: &FairnessOptions,
    ) -> Result<Self, CheckError> {
        let mut reader = Reader::new(model);
        let formula = reader.branching_specification(name)?;
        Self::new(reader, formula, options)
    }

    /// Whether engines for sets of states can settle it.
    pub(crate) fn is_supported(&self, model: &Model) -> Result<bool, CheckError> {
        let system = self.system(model.first_pool_size()?).map_err(CheckError::Model)?;
        let property = Property::Branching(Box::new(self.property.clone()));
        Ok(ensure_ctl(&Task { system: &system, property, options: Options::default() }).is_ok())
    }

    fn new(mut reader: Reader<'_>, formula: Formula, options: &FairnessOptions) -> Result<Self, CheckError> {
        match formula.logic() {
            Logic::Ctl => {}
            // A formula without quantifiers that speaks of the present only is one of both.
            Logic::Ltl if !formula.any(&|part| part.is_future_operator() || part.is_past_operator()) => {}
            Logic::Ltl => {
                let reason = "this is a formula of LTL: state it with `--ltl`, or put `A` or `E` before each temporal \
                              operator";
                return Err(CheckError::Refused(reason.to_owned()));
            }
            Logic::CtlStar => {
                let reason = "this is a formula of CTL*, and only CTL is checked: each temporal operator needs an `A` or \
                              `E` of its own, right before it";
                return Err(CheckError::Refused(reason.to_owned()));
            }
        }
        if !options.formulas.is_empty() || !options.automata.is_empty() {
            let reason =
                "`--fair-ltl` and `--fair-automaton` are for properties of linear time; for CTL there is `--justice`";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        if !options.compassion.is_empty() {
            let reason = "CTL is checked under justice only: `--compassion` is for properties of linear time";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        let justice = options.justice.iter().map(|text| reader.condition("--justice", text));
        let justice: Vec<_> = justice.collect::<Result<_, _>>().map_err(CheckError::Model)?;
        let (form, labels, _) = reader.observed(None).map_err(CheckError::Model)?;
        let justice = justice.into_iter().map(|prop| labels[prop.0 as usize]).collect();
        let fairness = Constraints::new(&form, options, justice, Vec::new())?;
        let propositions = reader.propositions;
        let used = formula.props().into_iter().map(|prop| prop.0 as usize + 1).max().unwrap_or(0);
        let property = Branching::new(formula, labels[..used].to_vec())
            .expect("a formula of CTL is read")
            .with_propositions(propositions);
        Ok(Self { form, fairness, property })
    }

    /// The system for a pool of this size, with its fairness.
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        let mut system = self.form.system(pool_size)?;
        self.fairness.add_to(&mut system);
        Ok(system)
    }
}
