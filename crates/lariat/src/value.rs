//! Expressions of a model's language, read to be evaluated in its states: what people type in beside a run.

use crate::temporal::Reader;
use crate::{CheckError, Model};
use lariat_system::reference::{Evaluator, Scope, Valuation};
use lariat_system::{Expr, LabelMeaning, System};

/// Integers of Promela have as many bits.
const BITS: u32 = 32;

/// An expression that can be evaluated in states of a system of the model.
#[derive(Debug)]
pub struct StateExpression {
    system: System,
    /// One condition, or one for each bit of a number.
    parts: Vec<Part>,
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
        Self::read(model, &[text.to_owned()], pool_size)
    }

    /// An expression of any type where the language is Promela, else a condition.
    pub fn value(model: &Model, text: &str, pool_size: u16) -> Result<Self, CheckError> {
        // What is wrong with it is said about the text as it is.
        let condition = Self::condition(model, text, pool_size)?;
        if model.spin().is_none() {
            return Ok(condition);
        }
        // A language reads conditions about itself, and a bit of a number is one.
        let bits: Vec<String> = (0..BITS).map(|bit| format!("((({text}) >> {bit}) & 1) == 1")).collect();
        Self::read(model, &bits, pool_size)
    }

    fn read(model: &Model, texts: &[String], pool_size: u16) -> Result<Self, CheckError> {
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
        Ok(Self { system, parts })
    }

    /// Its value in a state; `None` where it cannot be read, because of an index outside its array or a process that does not live.
    pub fn in_state(&self, state: &Valuation) -> Option<i64> {
        let evaluator = Evaluator::new(&self.system);
        let scope = Scope::default();
        let holds = |expr: &Expr| evaluator.holds(expr, state, &scope);
        if self.parts.iter().any(|part| part.misread.as_ref().is_some_and(holds)) {
            return None;
        }
        let bits = self.parts.iter().enumerate().map(|(bit, part)| i64::from(holds(&part.holds)) << bit);
        let value: i64 = bits.sum();
        Some(if self.parts.len() == BITS as usize { i64::from(value as u32 as i32) } else { value })
    }
}
