//! Assignments, constraints and fairness.

use super::expr::{At, Entity};
use super::fits::fitted;
use super::instance::{Place, ScopeId};
use super::spec::Condition;
use super::{Elaborator, Flat};
use crate::term::{Kind, ProcessId, Term, VarId, conjuncts};
use crate::tree::{Assign, AssignKind, ConstraintKind, Element, Expr, ExprKind, VarKind};
use crate::types::Base;
use lariat_base::{Diagnostic, Span};

/// What may not be spoken of, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Where it is: "`INIT`".
    pub(super) place: &'static str,
    pub(super) next: bool,
    pub(super) input: bool,
}

impl Limits {
    /// States alone.
    pub(super) fn state(place: &'static str) -> Self {
        Self { place, next: false, input: false }
    }
    /// Steps.
    pub(super) fn step(place: &'static str) -> Self {
        Self { place, next: true, input: true }
    }
}

impl<'t> Elaborator<'t, '_> {
    /// Every definition, used or not: its types are checked.
    pub(super) fn write_out_definitions(&mut self) {
        for scope in self.scopes.ids() {
            for element in self.scopes[scope].elements.clone() {
                if let Element::Define(target, _) = element {
                    let _ = self.entity(target, At { scope, next: false });
                }
            }
        }
    }

    /// Assignments, constraints and fairness of all instances.
    pub(super) fn assign_all(&mut self, _main: ScopeId) {
        for scope in self.scopes.ids() {
            for element in self.scopes[scope].elements.clone() {
                if self.report.is_full() {
                    return;
                }
                match element {
                    Element::Assign(assign) => self.assign(assign, scope),
                    Element::Constraint(kind, condition) => self.constrain(*kind, condition, scope),
                    Element::Justice(condition) => {
                        if let Some(condition) = self.fairness(condition, scope, "`JUSTICE`") {
                            self.flat.justice.push(condition);
                        }
                    }
                    Element::Compassion(asked, given) => {
                        let asked = self.fairness(asked, scope, "`COMPASSION`");
                        let given = self.fairness(given, scope, "`COMPASSION`");
                        if let Some(pair) = asked.zip(given) {
                            self.flat.compassion.push(pair);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn fairness(&mut self, expr: &Expr, scope: ScopeId, place: &'static str) -> Option<Condition> {
        if expr.is_temporal() {
            let message = format!("{place} takes conditions on states, without temporal operators");
            let help =
                "that such a condition holds again and again is what it means: write `JUSTICE x`, not `JUSTICE G F x`";
            self.report.push(Diagnostic::error(expr.span, "V0310", message).help(help));
            return None;
        }
        let condition = self.condition(expr, At { scope, next: false })?;
        self.ensure_within(&condition, expr.span, Limits { place, next: false, input: true })?;
        Some(Condition { text: self.shown(expr.span, scope), term: condition })
    }

    fn constrain(&mut self, kind: ConstraintKind, expr: &Expr, scope: ScopeId) {
        let Some(condition) = self.condition(expr, At { scope, next: false }) else { return };
        let limits = match kind {
            ConstraintKind::Init => Limits::state("`INIT`"),
            ConstraintKind::Invar => Limits::state("`INVAR`"),
            ConstraintKind::Trans => Limits::step("`TRANS`"),
        };
        if self.ensure_within(&condition, expr.span, limits).is_none() {
            return;
        }
        let Flat { inits, invars, transes, .. } = &mut self.flat;
        match kind {
            ConstraintKind::Init => inits.push(condition),
            ConstraintKind::Invar => invars.push(condition),
            ConstraintKind::Trans => transes.push(condition),
        }
    }

    /// Tells what may not stand here; `None` if something does.
    pub(super) fn ensure_within(&mut self, term: &Term, span: Span, limits: Limits) -> Option<()> {
        let Limits { place, next, input } = limits;
        if term.reach.next && !next {
            let diagnostic = Diagnostic::error(span, "V0303", format!("`next` has no meaning in {place}"));
            let inner = innermost(term, |term| term.reach.next);
            self.report.push(diagnostic.note(inner, "this is a value of the next state"));
            return None;
        }
        if term.reach.input && !input {
            let inner = innermost(term, |term| term.reach.input);
            let message = format!("inputs belong to steps, and {place} speaks of states");
            let diagnostic = Diagnostic::error(span, "V0304", message).note(inner, "this is an input");
            self.report.push(match place {
                "CTL" => diagnostic.help("`LTLSPEC` and `INVARSPEC` may speak of inputs"),
                _ => diagnostic,
            });
            return None;
        }
        Some(())
    }

    fn assign(&mut self, assign: &'t Assign, scope: ScopeId) {
        let place = self.place(&assign.target, scope);
        let at = At { scope, next: false };
        let value = self.entity(&assign.value, at);
        let (Some(place), Some(value)) = (place, value) else { return };
        self.assign_place(assign, &place, value, scope);
    }

    fn assign_place(&mut self, assign: &'t Assign, place: &Place, value: Entity, scope: ScopeId) {
        match (place, value) {
            (Place::Var(var), Entity::Value(value)) => self.assign_var(assign, *var, value, scope),
            (Place::Array(_, places), Entity::Array(_, values)) if places.len() == values.len() => {
                for (place, value) in places.iter().zip(values) {
                    self.assign_place(assign, place, value, scope);
                }
            }
            (Place::Instance(_), _) => {
                let message = "an instance of a module cannot be assigned to, its variables can";
                self.error(assign.target.span, "V0308", message);
            }
            (Place::Array(_, places), Entity::Array(_, values)) => {
                let message = format!("an array of {} elements cannot get {}", places.len(), values.len());
                self.error(assign.value.span, "V0306", message);
            }
            (Place::Array(..), _) => {
                self.error(assign.value.span, "V0306", "an array is needed here: the left side is one");
            }
            (Place::Var(_), Entity::Instance(_)) => {
                let help = "name a variable of it, as in `a.x`";
                let message = "an instance of a module is not a value";
                self.report.push(Diagnostic::error(assign.value.span, "V0309", message).help(help));
            }
            (Place::Var(_), _) => {
                let diagnostic = Diagnostic::error(assign.value.span, "V0306", "a single value is needed here");
                self.report.push(match assign.value.kind {
                    ExprKind::Array(_) => diagnostic.help("a choice between values is a set, in braces: `{a, b}`"),
                    _ => diagnostic.help("this is an array: take an element of it, as in `v[0]`"),
                });
            }
        }
    }

    fn assign_var(&mut self, assign: &'t Assign, var: VarId, value: Term, scope: ScopeId) {
        let span = assign.target.span;
        let declared = &self.flat.vars[var];
        let (name, domain) = (declared.name.clone(), declared.domain.clone());
        match (declared.kind, assign.kind) {
            (VarKind::Input, _) => {
                let message = format!("`{name}` is an input, and cannot be assigned to");
                let note = self.flat.vars[var].span;
                self.report.push(Diagnostic::error(span, "V0401", message).note(note, "declared here"));
                return;
            }
            (VarKind::Frozen, AssignKind::Always | AssignKind::Next) => {
                let message = format!("`{name}` is frozen: only `init({name})` can be assigned");
                let note = self.flat.vars[var].span;
                self.report.push(Diagnostic::error(span, "V0402", message).note(note, "declared here"));
                return;
            }
            _ => {}
        }
        let limits = match assign.kind {
            AssignKind::Always => Limits::state("an assignment without `next`"),
            AssignKind::Init => Limits::state("an assignment to `init`"),
            AssignKind::Next => Limits::step("an assignment to `next`"),
        };
        if self.ensure_within(&value, assign.value.span, limits).is_none() {
            return;
        }
        if !domain.base().is_comparable(value.ty.base) {
            let message = format!("`{name}` is of type {}, and the value of type {}", domain.base(), value.ty);
            let diagnostic = Diagnostic::error(assign.value.span, "V0302", message);
            let note = self.flat.vars[var].span;
            let diagnostic = diagnostic.note(note, "declared here");
            self.report.push(match (domain.base(), value.ty.base) {
                (Base::Word { signed, width }, Base::Int) => {
                    let (letter, function) = if signed { ('s', "swconst") } else { ('u', "uwconst") };
                    diagnostic.help(format!("a constant is `0{letter}d{width}_5` or `{function}(5, {width})`"))
                }
                (Base::Bool, Base::Int) => {
                    diagnostic.help("truth values are `TRUE` and `FALSE`; `bool(…)` makes one of a number")
                }
                (Base::Int, Base::Bool) => diagnostic.help("`toint(…)` makes a number of a truth value"),
                (Base::Word { signed, width }, Base::Word { signed: other, width: given }) => {
                    let sign = if signed { "signed" } else { "unsigned" };
                    diagnostic.help(match (signed == other, width == given) {
                        (false, true) => format!("`{sign}(w)` reads the same bits the other way"),
                        (true, false) => format!("`resize(w, {width})` changes the width"),
                        _ => format!("`{sign}(resize(w, {width}))` changes width and sign"),
                    })
                }
                (Base::Word { width: 1, signed: false }, Base::Bool) => diagnostic.help("`word1(b)` is a word[1]"),
                (Base::Bool, Base::Word { width: 1, .. }) => {
                    diagnostic.help("`bool(w)` is the truth value of a word[1]")
                }
                (Base::Symbol, Base::Int) | (Base::Int, Base::Symbol) => {
                    diagnostic.help("symbols and numbers are different; an enumeration may have both")
                }
                _ => diagnostic,
            });
            return;
        }
        let process = self.scopes[scope].process;
        if let Some((earlier, other)) = self.earlier(var, assign.kind, process) {
            let target = |kind: AssignKind| match kind {
                AssignKind::Always => format!("`{name}`"),
                AssignKind::Init => format!("`init({name})`"),
                AssignKind::Next => format!("`next({name})`"),
            };
            let message = match other {
                _ if other == assign.kind => format!("{} is assigned twice", target(other)),
                AssignKind::Always => format!("{} is assigned, and `{name}` itself, too", target(assign.kind)),
                _ => format!("{} is assigned, and {}, too", target(assign.kind), target(other)),
            };
            let diagnostic = Diagnostic::error(span, "V0403", message).note(earlier, "the other assignment");
            self.report.push(diagnostic.help("one assignment with a `case` can say all of it"));
            return;
        }
        let value = fitted(&value, var, &domain);
        match assign.kind {
            AssignKind::Always => drop(self.flat.always.insert(var, value)),
            AssignKind::Init => drop(self.flat.init.insert(var, value)),
            AssignKind::Next => drop(self.flat.next.entry(var).or_default().insert(process, value)),
        }
    }

    /// An assignment that does not go together with one of this kind.
    fn earlier(&self, var: VarId, kind: AssignKind, process: ProcessId) -> Option<(Span, AssignKind)> {
        let Flat { always, init, next, .. } = &self.flat;
        if let Some(value) = always.get(&var) {
            return Some((value.span, AssignKind::Always));
        }
        let of_init = init.get(&var).filter(|_| kind != AssignKind::Next);
        if let Some(value) = of_init {
            return Some((value.span, AssignKind::Init));
        }
        let nexts = next.get(&var)?;
        let of_next = match kind {
            AssignKind::Always => nexts.values().next(),
            AssignKind::Next => nexts.get(&process),
            AssignKind::Init => None,
        };
        of_next.map(|value| (value.span, AssignKind::Next))
    }
}

/// The place of a smallest part that is so.
fn innermost(term: &Term, is_so: impl Fn(&Term) -> bool + Copy) -> Span {
    let part = term.parts().into_iter().find(|part| is_so(part));
    part.map_or(term.span, |part| innermost(part, is_so))
}

/// Whether a conjunct says what a variable is: the variable, in the next state if the flag is set, and its value.
pub(crate) fn equation(conjunct: &Term) -> Vec<(VarId, bool, Term)> {
    use crate::tree::BinaryOp::{Eq, Iff};
    let truth = |value: i128| crate::term::constant(value, crate::types::Ty::BOOL, conjunct.span);
    match &conjunct.kind {
        Kind::Var(var, next) if !conjunct.reach.input => vec![(*var, *next, truth(1))],
        Kind::Not(part) if !part.reach.input && part.ty == crate::types::Ty::BOOL => match &part.kind {
            Kind::Var(var, next) => vec![(*var, *next, truth(0))],
            _ => Vec::new(),
        },
        Kind::Binary(Eq | Iff, left, right) if conjunct.ty == crate::types::Ty::BOOL => {
            let side = |one: &Term, other: &Term| match &one.kind {
                Kind::Var(var, next) if !one.reach.input => Some((*var, *next, other.clone())),
                _ => None,
            };
            side(left, right).into_iter().chain(side(right, left)).collect()
        }
        _ => Vec::new(),
    }
}

/// The conjuncts of all of these conditions.
pub(crate) fn all_conjuncts(conditions: &[Term]) -> Vec<Term> {
    conditions.iter().flat_map(conjuncts).collect()
}
