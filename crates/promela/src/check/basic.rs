//! Statements that are one step.

use super::{Access, Basic, Checker, Ex, Pattern, ProcHead, Scalar};
use crate::tree::{self, BinaryOp, ExprKind, StmtKind};
use lariat_base::{Diagnostic, Span};

impl Checker {
    /// A statement of an event trace.
    pub(super) fn event(&mut self, kind: &StmtKind, span: Span) -> Option<Basic> {
        let (sent, channel, fields) = match kind {
            StmtKind::Send(send) => {
                let is_any = |arg: &tree::Expr| match &arg.kind {
                    ExprKind::Ref(name) => name.as_name().is_some_and(|name| &*name.name == "_"),
                    _ => false,
                };
                let mut fields = Vec::new();
                for arg in &send.args {
                    fields.push(if is_any(arg) { Pattern::Any } else { Pattern::Match(self.expr(arg)) });
                }
                (true, self.channel(&send.channel), fields)
            }
            StmtKind::Receive(receive) => (false, self.channel(&receive.channel), self.patterns(&receive.args, true)),
            _ => {
                self.error(span, "P0441", "an event trace consists of sends and receives only");
                return None;
            }
        };
        Some(Basic::Event { sent, channel: channel?, fields })
    }

    /// A statement that is one step.
    pub(super) fn basic(&mut self, kind: &StmtKind, span: Span) -> Option<Basic> {
        Some(match kind {
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Run(run) => self.run(run, None)?,
                ExprKind::SetPriority(parts) => {
                    self.model.uses_priorities = true;
                    let [pid, priority] = &**parts;
                    Basic::SetPriority(self.expr(pid), self.expr(priority))
                }
                _ => Basic::Condition(self.expr(expr)),
            },
            StmtKind::Else => Basic::Else,
            StmtKind::Assign(target, value) if target.as_name().is_some_and(|name| &*name.name == "_priority") => {
                self.model.uses_priorities = true;
                Basic::SetPriority(Ex::Pid, self.expr(value))
            }
            // Whatever is assigned to `_` is lost.
            StmtKind::Assign(target, value) if target.as_name().is_some_and(|name| &*name.name == "_") => {
                match &value.kind {
                    ExprKind::Run(run) => self.run(run, None)?,
                    _ => Basic::Discard(self.expr(value)),
                }
            }
            StmtKind::Assign(target, value) => {
                let access = self.target(target);
                if let ExprKind::Run(run) = &value.kind {
                    return self.run(run, access);
                }
                let value = self.expr(value);
                let access = access?;
                self.check_channel_assignment(&access, &value, span);
                Basic::Assign(access, value)
            }
            StmtKind::Increment(target) => self.count(target, BinaryOp::Add, span)?,
            StmtKind::Decrement(target) => self.count(target, BinaryOp::Sub, span)?,
            StmtKind::Send(send) => {
                let channel = self.channel(&send.channel);
                let args = self.message(&send.args);
                Basic::Send { channel: channel?, sorted: send.sorted, args }
            }
            StmtKind::Receive(receive) => {
                let channel = self.channel(&receive.channel);
                let args = self.patterns(&receive.args, false);
                Basic::Receive { channel: channel?, random: receive.random, copy: receive.copy, args }
            }
            StmtKind::Assert(condition) => Basic::Assert(self.expr(condition)),
            StmtKind::Printf(format, args) => {
                Basic::Print(unescape(format), args.iter().map(|arg| self.expr(arg)).collect())
            }
            StmtKind::Printm(value) => Basic::Print("%e".to_owned(), vec![self.expr(value)]),
            _ => unreachable!("compound statements are handled by their own functions"),
        })
    }

    pub(super) fn check_channel_assignment(&mut self, access: &Access, value: &Ex, span: Span) {
        let is_channel = |checker: &Self, ex: &Ex| match ex {
            Ex::Read(access) => checker.model.vars[access.var].scalar == Scalar::Chan,
            _ => false,
        };
        let to_channel = self.model.vars[access.var].scalar == Scalar::Chan;
        if to_channel && !is_channel(self, value) && !matches!(value, Ex::Const(0)) {
            self.error(span, "P0448", "only a channel can be assigned to a channel variable");
        }
    }

    pub(super) fn count(&mut self, target: &tree::VarRef, op: BinaryOp, span: Span) -> Option<Basic> {
        let access = self.target(target)?;
        if self.model.vars[access.var].scalar == Scalar::Chan {
            self.error(target.span, "P0447", format!("`{target}` is a channel, not a number"));
        }
        let value = Ex::Binary(op, Box::new([Ex::Read(access.clone()), Ex::Const(1)]), span);
        Some(Basic::Assign(access, value))
    }

    pub(super) fn run(&mut self, run: &tree::RunExpr, into: Option<Access>) -> Option<Basic> {
        use super::scope::Meaning;
        let name = &run.proctype;
        let Some(Meaning::Proc(proc)) = self.meaning(name) else {
            run.args.iter().for_each(|arg| drop(self.expr(arg)));
            self.no_proctype(name);
            return None;
        };
        // A structure stands for all its cells.
        let args = self.message(&run.args);
        let ProcHead { parameters, cells, .. } = self.heads[proc];
        if args.len() != cells {
            let plural = |count: usize| if count == 1 { "" } else { "s" };
            let message = if run.args.len() != parameters {
                format!("`{name}` takes {parameters} argument{}, not {}", plural(parameters), run.args.len())
            } else {
                let has = args.len();
                format!("`{name}` takes structures of {cells} field{} in all, not {has}", plural(cells))
            };
            let declared = self.heads[proc].span;
            self.diagnostics.push(Diagnostic::error(name.span, "P0449", message).note(declared, "declared here"));
            return None;
        }
        let priority = run.priority.as_ref().map(|priority| {
            self.model.uses_priorities = true;
            let value = self.expr(priority);
            if let Ex::Const(value) = value
                && !(1..=255).contains(&value)
            {
                self.error(priority.span, "P0442", format!("a priority is 1 to 255, not {value}"));
            }
            value
        });
        Some(Basic::Run { proc, args, priority, into })
    }
}

/// The text of a string with its escapes resolved.
fn unescape(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some(other) => plain.push(other),
                None => plain.push('\\'),
            },
            c => plain.push(c),
        }
    }
    plain
}
