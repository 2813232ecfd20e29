//! Expressions of a model's language, read to be evaluated in its states: what people type in beside a run.

use crate::front::{Questions, TellValue};
use crate::temporal::Reader;
use crate::{CheckError, Model};
use lariat_system::reference::{Evaluator, Scope, Valuation};
use lariat_system::{Expr, LabelMeaning, System};
use std::fmt;

/// An expression that can be evaluated in states of a system of the model.
pub struct StateExpression {
    system: System,
    /// The conditions that say what its value is.
    parts: Vec<Part>,
    value: TellValue,
}

impl fmt::Debug for StateExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateExpression").field("parts", &self.parts).finish_non_exhaustive()
    }
}

/// A condition, and where it cannot be read.
#[derive(Debug)]
struct Part {
    holds: Expr,
    misread: Option<Expr>,
}

impl StateExpression {
    /// A condition. The states are those of the model's system with a pool of this size.
    pub fn condition(model: &Model, text: &str, pool_size: u16) -> Result<Self, CheckError> {
        let value = |holds: &[bool]| Some(i64::from(holds[0]).to_string());
        let questions = Questions { conditions: vec![text.to_owned()], value: Box::new(value) };
        Self::read(model, questions, pool_size)
    }

    /// An expression of any type that the language can ask for.
    pub fn value(model: &Model, text: &str, pool_size: u16) -> Result<Self, CheckError> {
        let mut again = model.again();
        let (front, sources) = again.parts();
        let questions = front.questions(sources, text.trim()).map_err(CheckError::Model)?;
        Self::read(model, questions, pool_size)
    }

    fn read(model: &Model, questions: Questions, pool_size: u16) -> Result<Self, CheckError> {
        let Questions { conditions: texts, value } = questions;
        let mut model = model.again();
        let own = model.system(pool_size).map_err(CheckError::Model)?;
        let mut reader = Reader::new(&mut model);
        let props = texts.iter().map(|text| reader.condition("expression", text)).collect::<Result<Vec<_>, _>>()?;
        let observed = reader.observed()?;
        let system = observed.model.system(pool_size).map_err(CheckError::Model)?;
        let is_same = own.slots.len() == system.slots.len()
            && own.slots.iter().zip(system.slots.iter()).all(|(own, other)| own.name == other.name);
        if !is_same {
            let reason = "it speaks of more than the state, such as of the step before".to_owned();
            return Err(CheckError::Refused(reason));
        }
        let expression = |label: lariat_system::LabelId| match &system.labels[label].meaning {
            LabelMeaning::State(expr) => Ok(expr.clone()),
            _ => Err(CheckError::Refused("it speaks of steps and not of a state".to_owned())),
        };
        let part = |prop: &lariat_logic::PropId| {
            let label = |prop: lariat_logic::PropId| observed.labels[lariat_base::Id::index(prop)];
            let misread = observed.misreads.iter().find(|(condition, _)| condition == prop);
            let misread = misread.map(|(_, misread)| expression(label(*misread))).transpose()?;
            Ok(Part { holds: expression(label(*prop))?, misread })
        };
        let parts = props.iter().map(part).collect::<Result<Vec<Part>, CheckError>>()?;
        Ok(Self { system, parts, value })
    }

    /// Whether the conditions hold in a state; `None` where one cannot be read, because of an index outside its array or a process that
    /// does not live.
    fn answers(&self, state: &Valuation) -> Option<Vec<bool>> {
        let evaluator = Evaluator::new(&self.system);
        let scope = Scope::default();
        let holds = |expr: &Expr| evaluator.holds(expr, state, &scope);
        if self.parts.iter().any(|part| part.misread.as_ref().is_some_and(holds)) {
            return None;
        }
        Some(self.parts.iter().map(|part| holds(&part.holds)).collect())
    }

    /// Its value in a state; `None` where it cannot be read.
    pub fn in_state(&self, state: &Valuation) -> Option<String> {
        (self.value)(&self.answers(state)?)
    }

    /// Whether the condition holds in a state, and can be read there.
    pub fn holds_in(&self, state: &Valuation) -> bool {
        self.answers(state).is_some_and(|answers| answers.first() == Some(&true))
    }
}
