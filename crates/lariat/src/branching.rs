//! Formulas of branching time: from their text to what an engine settles.

use crate::CheckError;
use crate::fairness::{Constraints, FairnessOptions};
use crate::front::{FrontModel, Observed};
use crate::misread::for_all_readings;
use crate::model::Model;
use crate::temporal::{Reader, Stated, is_always_read};
use lariat_engine::Branching;
use lariat_logic::{Formula, Logic};
use lariat_system::System;

/// A model and a formula of CTL about it, ready to be settled.
#[derive(Debug)]
pub(crate) struct PreparedBranching {
    model: Box<dyn FrontModel>,
    fairness: Constraints,
    pub(crate) property: Branching,
}

impl PreparedBranching {
    /// Reads the formula, and everything that fairness speaks of.
    pub(crate) fn new(model: &mut Model, stated: &Stated, options: &FairnessOptions) -> Result<Self, CheckError> {
        let mut reader = Reader::new(model);
        let formula = match stated {
            Stated::Branching(text) => Some(reader.formula("--ctl", text, true)?),
            Stated::Property(property) => reader.property(property)?,
            Stated::Formula(_) | Stated::Automaton(_) => None,
        };
        let formula = formula.expect("a formula with path quantifiers is stated");
        ensure_ctl(&formula)?;
        ensure_justice(options)?;
        let justice = options.justice.iter().map(|text| reader.condition("--justice", text));
        let justice: Vec<_> = justice.collect::<Result<_, _>>()?;
        let observed = reader.observed()?;
        if let Some(prop) = justice.iter().find(|&&prop| !is_always_read(&observed, prop)) {
            let text = observed.propositions.text(*prop);
            return Err(CheckError::Refused(format!(
                "`--justice {text}` cannot be read in every state (an index outside of its array, a divisor 0, no channel), and \
                 formulas of CTL need that: say when it is to be read, as in `i < 3 && a[i] == 0`"
            )));
        }
        let formula = for_all_readings(&formula, &observed.misreads);
        let Observed { model, propositions, labels, .. } = observed;
        let justice = justice.into_iter().map(|prop| labels[prop.0 as usize]).collect();
        let fairness = Constraints::new(&*model, options, justice, Vec::new())?;
        let used = formula.props().into_iter().map(|prop| prop.0 as usize + 1).max().unwrap_or(0);
        let property = Branching::new(formula, labels[..used].to_vec())
            .expect("a formula of CTL is read")
            .with_propositions(propositions);
        Ok(Self { model, fairness, property })
    }

    /// The system for a pool of this size, with its fairness.
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, CheckError> {
        let mut system = self.model.system(pool_size).map_err(CheckError::Model)?;
        self.fairness.add_to(&mut system)?;
        Ok(system)
    }
}

fn ensure_ctl(formula: &Formula) -> Result<(), CheckError> {
    let reason = match formula.logic() {
        Logic::Ctl => return Ok(()),
        // A formula without quantifiers that speaks of the present only is one of both.
        Logic::Ltl if !formula.any(&|part| part.is_future_operator() || part.is_past_operator()) => return Ok(()),
        Logic::Ltl => {
            "this is a formula of LTL: state it with `--ltl`, or put `A` or `E` before each temporal operator"
        }
        Logic::CtlStar => {
            "this is a formula of CTL*, and only CTL is checked: each temporal operator needs an `A` or `E` of its own, \
             right before it"
        }
    };
    Err(CheckError::Refused(reason.to_owned()))
}

fn ensure_justice(options: &FairnessOptions) -> Result<(), CheckError> {
    let reason = if !options.formulas.is_empty() || !options.automata.is_empty() {
        "`--fair-ltl` and `--fair-automaton` are for properties of linear time; for CTL there is `--justice`"
    } else if !options.compassion.is_empty() {
        "CTL is checked under justice only: `--compassion` is for properties of linear time"
    } else {
        return Ok(());
    };
    Err(CheckError::Refused(reason.to_owned()))
}
