//! The value of an expression of any type, asked for by conditions: systems observe nothing else.

use crate::check::{Flat, type_of};
use crate::model::CheckedModel;
use crate::parse::parse_formula;
use crate::report::Report;
use crate::types::{Base, Domain, SYMBOLS, Ty};
use crate::value::value_text;
use lariat_base::{Diagnostic, SourceMap};
use std::collections::BTreeSet;

/// The bits of the magnitude of a whole number but the highest, which only the least number has.
const MAGNITUDE_BITS: u32 = 31;

/// Conditions whose truth says what the value of an expression is.
#[derive(Clone, Debug)]
pub struct Questions {
    /// The conditions.
    pub conditions: Vec<String>,
    ty: Ty,
    /// The constants that the value is compared with, where it may be one.
    constants: Vec<String>,
}

impl CheckedModel {
    /// What to ask of a state to learn the value of the expression in it. The text is added to `sources` as `name`.
    pub fn questions(&self, sources: &mut SourceMap, name: &str, text: &str) -> Result<Questions, Vec<Diagnostic>> {
        let file = sources.add(name, text);
        let mut report = Report::default();
        let expression = parse_formula(text, file, &mut report).ok();
        let ty = expression.and_then(|expression| type_of(self.tree(), &expression, sources, self.main(), &mut report));
        match ty {
            Some(ty) => Ok(Questions::new(text, ty, self.flat())),
            None => Err(report.finish()),
        }
    }
}

impl Questions {
    fn new(text: &str, ty: Ty, flat: &Flat) -> Self {
        let mut conditions = Vec::new();
        match ty.base {
            Base::Bool => conditions.push(text.to_owned()),
            Base::Word { width, .. } => {
                conditions.extend((0..width).map(|bit| format!("({text})[{bit}:{bit}] = 0ub1_1")));
            }
            Base::Int => {
                conditions.push(format!("({text}) < 0"));
                conditions.extend((0..MAGNITUDE_BITS).map(|bit| format!("({text}) / {} mod 2 != 0", 1_u32 << bit)));
            }
            Base::Symbol | Base::Mixed => {}
        }
        let constants = constants(flat, ty.base);
        conditions.extend(constants.iter().map(|constant| format!("({text}) = {constant}")));
        Self { conditions, ty, constants }
    }

    /// The value if these conditions hold and the others do not; `None` for a number that is no constant where symbols are possible, too.
    pub fn value(&self, holds: &[bool]) -> Option<String> {
        let bits =
            |holds: &[bool]| -> i128 { holds.iter().zip(0..).map(|(holds, bit)| i128::from(*holds) << bit).sum() };
        match self.ty.base {
            Base::Bool => Some(value_text(i128::from(holds[0]), &Domain::Bool, &[])),
            base @ Base::Word { signed, width } => {
                Some(value_text(base.wrap(bits(holds)), &Domain::Word { signed, width }, &[]))
            }
            Base::Int => Some(match (holds[0], bits(&holds[1..])) {
                (true, 0) => i32::MIN.to_string(),
                (true, magnitude) => format!("-{magnitude}"),
                (false, magnitude) => magnitude.to_string(),
            }),
            Base::Symbol | Base::Mixed => {
                let mut known = self.constants.iter().zip(holds);
                known.find(|(_, holds)| **holds).map(|(constant, _)| constant.clone())
            }
        }
    }
}

/// All constants that a value of this type may be: symbols, and numbers of enumerations that have both.
fn constants(flat: &Flat, base: Base) -> Vec<String> {
    if !base.has_symbols() {
        return Vec::new();
    }
    let lists = flat.vars.iter().filter(|var| base == Base::Mixed && var.domain.base() == Base::Mixed);
    let numbers: BTreeSet<i128> = lists
        .flat_map(|var| match &*var.domain {
            Domain::List(values) => values.to_vec(),
            _ => Vec::new(),
        })
        .filter(|value| *value < SYMBOLS)
        .collect();
    flat.symbols.iter().map(ToString::to_string).chain(numbers.iter().map(i128::to_string)).collect()
}
