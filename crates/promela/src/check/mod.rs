//! From the syntax tree to the checked model: what names mean, what types things have, how control flows.

mod basic;
mod body;
mod builder;
mod claim;
mod declare;
mod expr;
mod loops;
mod messages;
mod model;
mod number;
mod observe;
mod pool;
mod record;
mod rest;
mod scope;
mod silent;

pub(crate) use body::is_resting_label;
pub use model::{
    Access, Basic, ChannelDecl, ChannelId, Checked, Claim, EventTrace, Ex, MtypeSet, Observable, Observed, Pattern,
    Proc, ProcId, Scalar, SetId, Var, VarId, VarInit,
};

use crate::flow::ElementId;
use crate::phrase::{LtlBlock, Phrase};
use crate::report::Report;
use crate::token::{Punct, Token, TokenKind};
use crate::tree::{self, Unit};
use lariat_base::{Diagnostic, IdVec, NameIndex, Span, closest_name};
use scope::Scopes;
use std::collections::HashMap;

/// Checks a model. The diagnostics hold at least one error if there is no result.
pub fn check(name: &str, model: &tree::Model) -> Result<Checked, Vec<Diagnostic>> {
    check_observing(name, model, None, &[], &mut None)
}

/// Checks a model in which a never claim and conditions are to be observed, the conditions given by the names of their
/// labels. What they speak of becomes part of the state: labels where control could pass through, `_last`. What names mean is
/// added to the index, if there is one, also where there are errors.
pub(crate) fn check_observing(
    name: &str,
    model: &tree::Model,
    claim: Option<&str>,
    conditions: &[(String, tree::Expr)],
    names: &mut Option<NameIndex>,
) -> Result<Checked, Vec<Diagnostic>> {
    let mut checker = Checker::new(name);
    checker.recorder = names.take().map(record::Recorder::new);
    checker.note_inlines(model);
    checker.record_units(model);
    checker.declare_types(model);
    checker.declare_procs(model);
    checker.declare_globals(model);
    checker.check_bodies(model);
    claim.into_iter().for_each(|claim| checker.observe_claim(claim));
    checker.observe(conditions);
    checker.observe_misreads();
    checker.find_remote_labels();
    checker.check_messages();
    checker.name_properties(model);
    *names = checker.recorded();
    checker.finish()
}

/// The state of a check.
struct Checker {
    model: Checked,
    diagnostics: Vec<Diagnostic>,
    typedefs: Vec<declare::Struct>,
    scopes: Scopes,
    /// The proctype whose body is being checked; none for an event trace.
    proc: Option<ProcId>,
    /// What is known of each proctype before its body is checked.
    heads: IdVec<ProcId, ProcHead>,
    /// Where inlines are defined.
    inlines: HashMap<String, tree::Ident>,
    /// Labels that remote references speak of, to be found when all bodies are known.
    remote_labels: Vec<RemoteLabel>,
    /// How many elements have SPIN's numbers: see `number.rs`.
    numbers_given: u32,
    /// The jumps of the bodies so far that no remote reference speaks of, and whether each is the last element of an `atomic`.
    jumps: HashMap<(ProcId, ElementId), bool>,
    /// The claim whose body is being checked.
    draft: Option<claim::ClaimDraft>,
    /// The claims so far.
    drafts: Vec<claim::ClaimDraft>,
    /// Whether conditions about whole states are being checked.
    observing: bool,
    /// What names mean, if that is recorded.
    recorder: Option<record::Recorder>,
}

struct ProcHead {
    name: String,
    /// How many parameters it has, and how many cells these are when structures are taken apart.
    parameters: usize,
    cells: usize,
    span: Span,
}

/// A label of another body, to be looked up when all bodies are known.
struct RemoteLabel {
    proc: ProcId,
    label: String,
    span: Span,
    /// Whether a formula speaks of it.
    observed: bool,
}

impl Checker {
    fn new(name: &str) -> Self {
        let mut sets = IdVec::new();
        sets.push(MtypeSet::default());
        let model = Checked {
            name: name.to_owned(),
            sets,
            vars: IdVec::new(),
            channels: IdVec::new(),
            procs: IdVec::new(),
            initial: Vec::new(),
            properties: Vec::new(),
            ltl_blocks: Vec::new(),
            claims: Vec::new(),
            claim: None,
            observed: Vec::new(),
            trace: None,
            uses_last: false,
            uses_priorities: false,
            warnings: Vec::new(),
        };
        Self {
            model,
            diagnostics: Vec::new(),
            typedefs: Vec::new(),
            scopes: Scopes::default(),
            proc: None,
            heads: IdVec::new(),
            inlines: HashMap::new(),
            remote_labels: Vec::new(),
            numbers_given: 0,
            jumps: HashMap::new(),
            draft: None,
            drafts: Vec::new(),
            observing: false,
            recorder: None,
        }
    }

    /// Whether there are more errors than will be shown: looking for names that are near takes time.
    fn has_too_many_errors(&self) -> bool {
        self.diagnostics.len() > 25
    }

    fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, code, message));
    }

    fn note_inlines(&mut self, model: &tree::Model) {
        self.inlines = (model.units.iter())
            .filter_map(|unit| match unit {
                Unit::Inline(inline) => Some((inline.name.name.to_string(), inline.name.clone())),
                _ => None,
            })
            .collect();
    }

    fn find_remote_labels(&mut self) {
        for remote in std::mem::take(&mut self.remote_labels) {
            let Some(proc) = self.model.procs.get(remote.proc) else { continue };
            if proc.flow.labels.iter().all(|(label, _)| *label != remote.label) {
                let labels = proc.flow.labels.iter().map(|(label, _)| label.as_str());
                let help = closest_name(&remote.label, labels).map(|near| format!("did you mean `{near}`?"));
                let message = format!("`{}` has no label `{}`", proc.name, remote.label);
                let error = Diagnostic::error(remote.span, "P0417", message);
                self.diagnostics.push(Diagnostic { help, ..error });
            } else if remote.observed {
                let error = self.never_rests(&remote);
                self.diagnostics.extend(error);
            }
        }
    }

    fn name_properties(&mut self, model: &tree::Model) {
        let mut unnamed = 0;
        let mut known: HashMap<String, Span> = HashMap::new();
        for unit in &model.units {
            match unit {
                Unit::Ltl(ltl) => {
                    // The formula is read later, but what it observes is part of the state now.
                    self.model.uses_last |= ltl
                        .formula
                        .iter()
                        .any(|token| matches!(&token.kind, TokenKind::Name(name) if &**name == "_last"));
                    self.rest_where_observed(&ltl.formula);
                    let name = ltl.name.as_ref().map_or_else(|| format!("ltl_{unnamed}"), |name| name.name.to_string());
                    unnamed += usize::from(ltl.name.is_none());
                    self.check_property_name(&name, ltl.name.as_ref().map_or(ltl.span, |name| name.span), &mut known);
                    self.model.properties.push((name.clone(), ltl.span));
                    let formula = Phrase::new(ltl.formula.iter().cloned());
                    self.model.ltl_blocks.push(LtlBlock { name, formula, span: ltl.span });
                }
                Unit::Never(never) => {
                    let name = claim::name_of(never);
                    self.check_property_name(&name, never.span, &mut known);
                    self.model.properties.push((name.clone(), never.span));
                    self.model.claims.push((name, never.span));
                }
                _ => {}
            }
        }
    }

    /// Properties are asked for by name.
    fn check_property_name(&mut self, name: &str, span: Span, known: &mut HashMap<String, Span>) {
        if let Some(earlier) = known.insert(name.to_owned(), span) {
            let error = Diagnostic::error(span, "P0418", format!("there are two properties `{name}`"));
            let help = "give each a name of its own: `ltl safe { ... }`, `never fair { ... }`";
            self.diagnostics.push(error.note(earlier, "first here").help(help));
        }
    }

    /// Lets control rest at the jumps whose labels a formula speaks of: `P@L` or `P[…]@L`.
    fn rest_where_observed(&mut self, formula: &[Token]) {
        for (number, token) in formula.iter().enumerate() {
            let (TokenKind::Punct(Punct::At), Some(label)) = (&token.kind, formula.get(number + 1)) else { continue };
            let mut before = formula[..number].iter().rev();
            let mut depth = 0_usize;
            let owner = before.find(|token| {
                match token.kind {
                    TokenKind::Punct(Punct::RBracket) => depth += 1,
                    TokenKind::Punct(Punct::LBracket) => depth = depth.saturating_sub(1),
                    _ => return depth == 0,
                }
                false
            });
            if let (Some(TokenKind::Name(owner)), TokenKind::Name(label)) =
                (owner.map(|token| &token.kind), &label.kind)
            {
                self.rest_at_label_of(owner, label);
            }
        }
    }

    /// Lets control rest at a label of a proctype, if there is such a one.
    fn rest_at_label_of(&mut self, proctype: &str, label: &str) {
        if let Some(proc) = self.heads.ids().find(|&proc| self.heads[proc].name == proctype) {
            self.rest_at_remote_label(proc, label);
        }
    }

    fn finish(mut self) -> Result<Checked, Vec<Diagnostic>> {
        if self.model.procs.is_empty() && self.diagnostics.is_empty() {
            let message = "there is no process: neither `init` nor an `active proctype`";
            self.error(Span::NONE, "P0400", message);
        } else if self.model.initial.is_empty() && self.diagnostics.is_empty() {
            let span = self.model.procs.iter().next().map_or(Span::NONE, |proc| proc.span);
            let help = "write `active proctype`, or start it from `init { run … }`";
            let message = "no process is ever started";
            self.diagnostics.push(Diagnostic::error(span, "P0401", message).help(help));
        }
        let (warnings, errors): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.diagnostics).into_iter().partition(|diagnostic| !diagnostic.is_error());
        if errors.is_empty() {
            self.model.warnings.extend(warnings);
            Ok(self.model)
        } else {
            let mut report = Report::default();
            errors.into_iter().for_each(|error| report.push(error));
            Err(report.finish())
        }
    }
}
