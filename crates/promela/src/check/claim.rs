//! Never claims: what they wait for, as flow graphs whose steps are guards over propositions.
//!
//! A claim that only watches can be an automaton; one that assigns, sends or has variables is a program, and is refused.
//! Its conditions are taken apart at `&&`, `||` and `!`, so that what two of them have in common is observed once; what
//! is left are propositions, which mean what they mean in formulas (`observe.rs`).
//!
//! A claim is looked at where it stands in the text, because its statements have numbers. What is wrong with it is said
//! only when the claim is asked for: everything else in the model can be checked without it.

use super::builder::Builder;
use super::{Basic, Checker, Claim};
use crate::flow::{ElementKind, Flow};
use crate::tree::{self, BinaryOp, ExprKind, Special, StmtKind, UnaryOp};
use lariat_automata::{Guard, Guards};
use lariat_base::{Diagnostic, Span, closest_name};
use std::collections::HashMap;

/// A claim that has been looked at.
pub(super) struct ClaimDraft {
    name: String,
    /// Its propositions, by their texts: nothing but the whole model is in scope, so equal texts mean the same.
    propositions: Vec<(String, tree::Expr)>,
    /// The places of the propositions in that list.
    numbers: HashMap<String, u32>,
    guards: Guards,
    /// What control does; none before the closing brace.
    flow: Option<Flow>,
    mistakes: Vec<Diagnostic>,
    span: Span,
}

/// The name by which a claim is asked for.
pub(super) fn name_of(never: &tree::Never) -> String {
    never.name.as_ref().map_or_else(|| "never".to_owned(), |name| name.name.to_string())
}

impl Checker {
    /// Looks at a claim. Nothing of it stays in the model but the numbers it takes and the places where control rests.
    pub(super) fn check_claim(&mut self, never: &tree::Never) {
        let (vars, channels) = (self.model.vars.len(), self.model.channels.len());
        let (complaints, labels) = (self.diagnostics.len(), self.remote_labels.len());
        self.draft = Some(ClaimDraft {
            name: name_of(never),
            propositions: Vec::new(),
            numbers: HashMap::new(),
            guards: Guards::default(),
            flow: None,
            mistakes: Vec::new(),
            span: never.span,
        });
        self.proc = Some(self.next_proc());
        self.scopes.enter();
        let mut builder = Builder::new();
        let piece = self.sequence(&mut builder, &never.body.stmts);
        self.scopes.leave();
        self.proc = None;
        let flow = self.finish_flow(builder, piece, never.body.span);
        let variable = self.model.vars.iter().nth(vars).map(|var| (var.name.clone(), var.span));
        let mut mistakes = refuse_programs(&flow, variable);
        if mistakes.is_empty() {
            mistakes = self.diagnostics.drain(complaints..).filter(Diagnostic::is_error).collect();
        }
        self.diagnostics.truncate(complaints);
        self.remote_labels.truncate(labels);
        self.model.vars.truncate(vars);
        self.model.channels.truncate(channels);
        let draft = self.draft.take().map(|draft| ClaimDraft { flow: Some(flow), mistakes, ..draft });
        self.drafts.extend(draft);
    }

    /// A statement of a claim that is one step. What only watches becomes [`Basic::Watch`].
    pub(super) fn watch(&mut self, kind: &StmtKind, span: Span) -> Option<Basic> {
        Some(match kind {
            StmtKind::Expr(expr) if !matches!(expr.kind, ExprKind::Run(_) | ExprKind::SetPriority(_)) => {
                Basic::Watch { guard: self.guard(expr), demand: Guard::TRUE }
            }
            StmtKind::Assert(condition) => Basic::Watch { guard: Guard::TRUE, demand: self.guard(condition) },
            StmtKind::Printf(..) | StmtKind::Printm(_) => Basic::Watch { guard: Guard::TRUE, demand: Guard::TRUE },
            program => self.basic(program, span)?,
        })
    }

    /// A condition of the claim as a function of propositions.
    fn guard(&mut self, condition: &tree::Expr) -> Guard {
        match &condition.kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.guard(left), self.guard(right));
                let guards = self.guards();
                if *op == BinaryOp::And { guards.and(left, right) } else { guards.or(left, right) }
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.guard(operand);
                self.guards().not(operand)
            }
            ExprKind::Skip | ExprKind::Bool(true) => Guard::TRUE,
            ExprKind::Bool(false) => Guard::FALSE,
            ExprKind::Number(value) => {
                if *value == 0 {
                    Guard::FALSE
                } else {
                    Guard::TRUE
                }
            }
            _ => {
                self.note_observations(condition);
                self.record_condition(condition);
                let draft = self.draft.as_mut().expect("conditions are taken apart while a claim is checked");
                let text = condition.kind.to_string();
                let number = *draft.numbers.entry(text.clone()).or_insert_with(|| {
                    draft.propositions.push((text, condition.clone()));
                    draft.propositions.len() as u32 - 1
                });
                draft.guards.variable(number)
            }
        }
    }

    fn guards(&mut self) -> &mut Guards {
        &mut self.draft.as_mut().expect("conditions are taken apart while a claim is checked").guards
    }

    /// What a claim speaks of is part of the state, whether or not the claim is asked for, as in SPIN.
    fn note_observations(&mut self, expr: &tree::Expr) {
        match &expr.kind {
            ExprKind::Special(Special::Last) => self.model.uses_last = true,
            ExprKind::RemoteLabel(remote, label) => self.rest_at_label_of(&remote.proctype.name, &label.name),
            _ => {}
        }
        expr.kind.for_each_child(&mut |part| self.note_observations(part));
    }

    /// Lets the propositions of a claim be observed, and keeps the claim.
    pub(super) fn observe_claim(&mut self, name: &str) {
        let Some(at) = self.drafts.iter().position(|draft| draft.name == name) else {
            let known = self.drafts.iter().map(|draft| draft.name.as_str());
            let help = closest_name(name, known).map(|near| format!("did you mean `{near}`?"));
            let error = Diagnostic::error(Span::NONE, "P0458", format!("there is no never claim `{name}`"));
            self.diagnostics.push(Diagnostic { help, ..error });
            return;
        };
        let ClaimDraft { name, propositions, guards, flow, mut mistakes, span, .. } = self.drafts.swap_remove(at);
        let usable = mistakes.is_empty();
        self.diagnostics.append(&mut mistakes);
        if let Some(flow) = flow.filter(|_| usable) {
            // The same condition may be observed for a formula too.
            let labels: Vec<_> =
                propositions.iter().map(|(text, condition)| (format!("{name}: {text}"), condition.clone())).collect();
            self.observe(&labels);
            let propositions = propositions.into_iter().map(|(text, _)| text).collect();
            self.model.claim = Some(Claim { name, flow, propositions, guards, span });
        }
    }
}

/// What makes a program of a claim: the first of its variables, and every step that does not only watch.
fn refuse_programs(flow: &Flow, variable: Option<(String, Span)>) -> Vec<Diagnostic> {
    let refuse = |span: Span, message: String| {
        let help = "let a process of the model do it, and let the claim speak of the global variables it changes";
        Diagnostic::error(span, "A0206", message).help(help)
    };
    let declared = variable.map(|(name, span)| {
        let message = format!("`{name}` is a variable of a never claim: claims can only watch");
        refuse(span, message)
    });
    let steps = flow.elements.iter().filter_map(|element| {
        let does = match &element.kind {
            ElementKind::Basic(Basic::Assign(..) | Basic::Discard(_)) => "assigns",
            ElementKind::Basic(Basic::Send { .. }) => "sends",
            ElementKind::Basic(Basic::Receive { .. }) => "receives",
            ElementKind::Basic(Basic::Run { .. }) => "starts a process",
            ElementKind::Basic(Basic::SetPriority(..)) => "changes a priority",
            _ => return None,
        };
        let message = format!("`{}` {does}: a never claim can only watch", element.text);
        Some(refuse(element.span, message))
    });
    declared.into_iter().chain(steps).collect()
}
