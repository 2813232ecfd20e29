//! What can be observed, for propositions of formulas: conditions about whole states, and who moves.

use super::pool::LAST_PID;
use super::{Checker, Ex, Observable, Observed, ProcId};
use crate::tree::{self, ExprKind, Special};
use lariat_base::{Diagnostic, Span};

impl Checker {
    /// Resolves the conditions that are to be observed. No process is in scope; other processes are spoken of by remote
    /// references.
    pub(super) fn observe(&mut self, conditions: &[(String, tree::Expr)]) {
        self.observing = true;
        for (name, condition) in conditions {
            self.refuse_unobservable(condition);
            let before = self.diagnostics.len();
            let observable = match &condition.kind {
                ExprKind::Moves(pid) => self.moves(pid),
                _ => Observable::Condition(self.expr(condition)),
            };
            self.suggest_remote(before);
            self.model.observed.push(Observed { name: name.clone(), observable, span: condition.span });
        }
        self.observing = false;
    }

    /// Lets it be observed where the conditions that are observed so far cannot be read, if that may be somewhere.
    pub(super) fn observe_misreads(&mut self) {
        for number in 0..self.model.observed.len() {
            let Observed { name, observable, span } = &self.model.observed[number];
            if matches!(observable, Observable::Condition(condition) if condition.may_misread(&self.model.vars)) {
                let (name, span) = (format!("{name} cannot be read"), *span);
                self.model.observed.push(Observed { name, observable: Observable::Misread(number), span });
            }
        }
    }

    /// `moves(pid)`; the pid must be known, since a label speaks of one position of the pool.
    fn moves(&mut self, pid: &tree::Expr) -> Observable {
        let value = self.expr(pid);
        let known = self.known_value(&value).filter(|_| !reads(&value));
        if known.is_none() {
            let help = "write one `moves` for each process: `moves(1) || moves(2)`";
            self.diagnostics.push(Diagnostic::error(pid.span, "P0415", "this must be a constant").help(help));
        }
        self.check_pid(None, &value, pid.span);
        let known = known.unwrap_or(0);
        Observable::Moves(known.clamp(0, LAST_PID) as u8)
    }

    /// In a condition that is observed, a pid that is a number must be one that a process of the type, or any, can have:
    /// a formula about nothing is a mistake.
    pub(super) fn check_pid(&mut self, proc: Option<ProcId>, pid: &Ex, span: Span) {
        let Some(number) = self.known_value(pid).filter(|_| self.observing && !reads(pid)) else { return };
        if self.model.may_have_pid(proc, number) {
            return;
        }
        let of = proc.map_or(String::new(), |proc| format!(" of `{}`", self.heads[proc].name));
        let message = format!("no process{of} has the pid {number}");
        let mut error = Diagnostic::error(span, "P0456", message);
        let first: Vec<String> = (self.model.initial.iter().enumerate())
            .filter(|(_, initial)| proc.is_none_or(|proc| proc == **initial))
            .map(|(pid, _)| pid.to_string())
            .collect();
        if !(0..=LAST_PID).contains(&number) {
            error = error.help(format!("pids are 0 to {LAST_PID}"));
        } else if !first.is_empty() {
            let at_first = first.len().min(10);
            let more = if first.len() > at_first { ", …" } else { "" };
            error = error.help(format!("at the beginning there are: {}{more}", first[..at_first].join(", ")));
        }
        self.diagnostics.push(error);
    }

    /// Whether a reference is the word `accept_`. It is none of SPIN's, so a model may have a thing of that name.
    pub(super) fn is_accepting(&mut self, reference: &tree::VarRef) -> bool {
        let Some(name) = reference.as_name().filter(|name| &*name.name == "accept_") else { return false };
        if let Some(declared) = self.scopes.find("accept_").map(|named| named.span) {
            let message = "the model declares `accept_`, which here says that a process is at an `accept` label";
            let error = Diagnostic::error(name.span, "P0457", message).note(declared, "declared here");
            self.diagnostics.push(error.help("give what the model declares another name"));
        }
        true
    }

    /// Refuses what has a meaning only while a process takes a step.
    fn refuse_unobservable(&mut self, expr: &tree::Expr) {
        let refusal = match &expr.kind {
            ExprKind::Special(Special::Timeout) => Some((
                "`timeout` is not a property of a state that a formula can observe",
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

/// Whether the value depends on a variable.
pub(super) fn reads(ex: &Ex) -> bool {
    matches!(ex, Ex::Read(_)) || ex.parts().into_iter().any(reads)
}
