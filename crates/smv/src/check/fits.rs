//! Whether everything has a value, and every value fits its variable.

use super::decide::{Answer, Decider, Witness};
use super::{Elaborator, Var};
use crate::term::{Kind, Term, TermNode, VarId, term};
use crate::types::Domain;
use crate::value::{Failing, plain_value_text, value_text};
use lariat_base::Diagnostic;
use std::collections::HashMap;
use std::sync::Arc;

/// The value with a demand at every leaf that may give one that the variable cannot have. What is shared stays shared.
pub(super) fn fitted(value: &Term, var: VarId, domain: &Arc<Domain>) -> Term {
    if matches!(**domain, Domain::Bool | Domain::Word { .. }) {
        return Arc::clone(value);
    }
    fitted_once(value, var, domain, &mut HashMap::new())
}

fn fitted_once(value: &Term, var: VarId, domain: &Arc<Domain>, known: &mut HashMap<*const TermNode, Term>) -> Term {
    if let Some(known) = known.get(&Arc::as_ptr(value)) {
        return Arc::clone(known);
    }
    let mut again = |part: &Term| fitted_once(part, var, domain, known);
    let (ty, span) = (value.ty, value.span);
    let made = match &value.kind {
        Kind::Ite(condition, yes, no) => term(Kind::Ite(condition.clone(), again(yes), again(no)), ty, span),
        Kind::Case(branches) => {
            let branches = branches.iter().map(|(when, then)| (when.clone(), again(then))).collect();
            term(Kind::Case(branches), ty, span)
        }
        Kind::Select(index, low, items) => {
            term(Kind::Select(index.clone(), *low, items.iter().map(again).collect()), ty, span)
        }
        Kind::Set(items) => term(Kind::Set(items.iter().map(again).collect()), ty, span),
        Kind::Const(number) if domain.contains(*number) => value.clone(),
        Kind::Range(low, high) if domain.contains(*low) && domain.contains(*high) => match &**domain {
            Domain::List(_) => term(Kind::Fits(value.clone(), var, domain.clone()), ty, span),
            _ => value.clone(),
        },
        _ => term(Kind::Fits(value.clone(), var, domain.clone()), ty, span),
    };
    known.insert(Arc::as_ptr(value), Arc::clone(&made));
    made
}

impl Elaborator<'_, '_> {
    /// Tells of what has no value for some values that variables are declared with, reachable or not.
    pub(super) fn ensure_values(&mut self) {
        let flat = &self.flat;
        let mut terms: Vec<Term> = Vec::new();
        terms.extend(flat.always.values().cloned());
        terms.extend(flat.init.values().cloned());
        terms.extend(flat.next.values().flat_map(|by| by.values().cloned()));
        terms.extend(flat.inits.iter().chain(&flat.invars).chain(&flat.transes).cloned());
        terms.extend(flat.justice.iter().map(|condition| condition.term.clone()));
        terms.extend(flat.compassion.iter().flat_map(|(p, q)| [p.term.clone(), q.term.clone()]));
        terms.extend(flat.specs.iter().flat_map(|spec| spec.property.terms()));
        for term in terms {
            self.ensure_value(&term);
            if self.report.is_full() {
                return;
            }
        }
    }

    /// The same for one term.
    pub(super) fn ensure_value(&mut self, term: &Term) {
        if !term.partial {
            return;
        }
        let answer = Decider::new(&self.flat.vars, self.flat.processes.len()).ask(term);
        match answer {
            Answer::Always => {}
            Answer::Unknown => {
                let message = "it takes too long to find out whether this always has a value that fits";
                let help = "conditions right at the assignment help: `x < 3 : x + 1`";
                self.report.push(Diagnostic::error(term.span, "V0509", message).help(help));
            }
            Answer::Fails(witness) => {
                let diagnostic = self.failing(&witness);
                self.report.push(diagnostic);
            }
        }
    }

    fn failing(&self, witness: &Witness) -> Diagnostic {
        let (symbols, vars) = (&self.flat.symbols, &self.flat.vars);
        let values: Vec<String> = (witness.values.iter())
            .map(|&(var, next, value)| {
                let Var { name, domain, .. } = &vars[var];
                let value = value_text(value, domain, symbols);
                if next { format!("next({name}) = {value}") } else { format!("{name} = {value}") }
            })
            .collect();
        let when = match values.is_empty() {
            true => String::new(),
            false => format!("for {}", values.join(", ")),
        };
        let (code, message, help) = match witness.failing {
            Failing::Division => {
                ("V0502", "division by zero".to_owned(), "exclude it: `y = 0 | x / y = 1`, or by a `case`")
            }
            Failing::Case => (
                "V0501",
                "no condition of this `case` holds".to_owned(),
                "end it with `TRUE : …;`, or cover all values",
            ),
            Failing::Index => {
                ("V0503", "the index lies outside of the array".to_owned(), "exclude it by a condition or a `case`")
            }
            Failing::Shift => (
                "V0504",
                "the word is shifted by more than its width".to_owned(),
                "exclude it by a condition or a `case`",
            ),
            Failing::Range => {
                let (var, value) = witness.misfit.expect("a misfit has a variable and a value");
                let Var { name, domain, .. } = &vars[var];
                let value = if matches!(**domain, Domain::Bool) {
                    value_text(value, domain, symbols)
                } else {
                    plain_value_text(value, symbols)
                };
                let message = format!("`{name}` cannot have the value {value}");
                ("V0506", message, "all declared values count, reachable or not: a `case` can exclude some")
            }
        };
        let mut diagnostic = Diagnostic::error(witness.span, code, message);
        if !when.is_empty() {
            diagnostic = diagnostic.label(when);
        }
        if let Some((var, _)) = witness.misfit {
            diagnostic = diagnostic.note(vars[var].span, "declared here");
        }
        diagnostic.help(help)
    }
}
