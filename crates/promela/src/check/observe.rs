//! Conditions about whole states, for propositions of formulas.

use super::{Checker, Observed};
use crate::tree::{self, ExprKind, Special};
use lariat_base::Diagnostic;

impl Checker {
    /// Resolves the conditions that are to be observed. No process is in scope; other processes are spoken of by remote
    /// references.
    pub(super) fn observe(&mut self, conditions: &[(String, tree::Expr)]) {
        for (name, condition) in conditions {
            self.refuse_unobservable(condition);
            let before = self.diagnostics.len();
            let span = condition.span;
            let condition = self.expr(condition);
            self.suggest_remote(before);
            self.model.observed.push(Observed { name: name.clone(), condition, span });
        }
    }

    /// Refuses what has a meaning only while a process takes a step.
    fn refuse_unobservable(&mut self, expr: &tree::Expr) {
        let refusal = match &expr.kind {
            ExprKind::Special(Special::Timeout) => Some((
                "`timeout` is no property of a state that a formula can observe",
                "`!enabled(p)` says of one process p that it cannot move",
            )),
            ExprKind::Special(Special::Priority) => {
                Some(("`_priority` has a meaning inside a process only", "`get_priority(p)` is that of process p"))
            }
            _ => None,
        };
        if let Some((message, help)) = refusal {
            self.diagnostics.push(Diagnostic::error(expr.span, "P0451", message).help(help));
        }
        expr.kind.for_each_child(&mut |part| self.refuse_unobservable(part));
    }

    /// A name that is not known may be that of a local variable: says how to speak of it.
    fn suggest_remote(&mut self, from: usize) {
        for at in from..self.diagnostics.len() {
            let found = &self.diagnostics[at];
            if found.code != "P0429" {
                continue;
            }
            let Some(name) = found.message.split('`').nth(1) else { continue };
            let owner =
                self.model.procs.iter().find(|proc| proc.locals.iter().any(|&var| self.model.vars[var].name == name));
            if let Some(owner) = owner {
                let help =
                    format!("`{name}` is a variable of `{0}`: write `{0}:{name}`, or `{0}[pid]:{name}`", owner.name);
                self.diagnostics[at].help = Some(help);
            }
        }
    }
}
