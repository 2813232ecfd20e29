//! Specifications: formulas over conditions.

use super::Elaborator;
use super::assign::Limits;
use super::expr::At;
use super::instance::{Place, ScopeId};
use crate::term::{Kind, Term, same};
use crate::tree::{BinaryOp, Element, Expr, ExprKind, Joiner, Modality, Spec, SpecBody, SpecKind, UnaryOp};
use crate::types::Ty;
use lariat_base::{Diagnostic, Span};
use lariat_logic::{Formula, PropId};
use std::collections::HashMap;

/// The most steps that a bounded operator looks over: it is written out.
const MAX_BOUND: i128 = 200;

/// A condition of a model and its text.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As it stands in the model, with ` IN a` behind it if it speaks of the instance `a`.
    pub text: String,
    /// What it is.
    pub term: Term,
}

/// A specification.
#[derive(Clone, Debug)]
pub struct Specification {
    /// What kind.
    pub kind: SpecKind,
    /// The name it goes by.
    pub name: String,
    /// The instance it speaks of; empty for `main`.
    pub instance: String,
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub property: Property,
}

/// What a specification says.
#[derive(Clone, Debug)]
pub enum Property {
    /// A formula; proposition `n` is condition `n`.
    Formula(Formula, Vec<Condition>),
    /// What holds in every state that can be reached or, where it speaks of inputs or of the next state, of every step. Of
    /// an implication about states whose sides have values of their own, the sides: one that is never true can be told.
    Invariant(Condition, Option<Box<(Condition, Condition)>>),
    /// How many steps it takes from states with the first formula to states with the second; proposition `n` is condition `n`.
    Distance {
        /// Whether the greatest number is asked for, not the least.
        greatest: bool,
        /// Where counting begins: a formula of CTL.
        from: Formula,
        /// Where it ends: another one.
        to: Formula,
        /// The conditions.
        conditions: Vec<Condition>,
    },
}

impl Property {
    /// The conditions.
    pub fn conditions(&self) -> Vec<&Condition> {
        match self {
            Self::Formula(_, conditions) | Self::Distance { conditions, .. } => conditions.iter().collect(),
            Self::Invariant(condition, _) => vec![condition],
        }
    }
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> {
        self.conditions().into_iter().map(|condition| condition.term.clone())
    }
}

/// A formula that is being built.
struct Building {
    kind: SpecKind,
    /// Whether it is no part of the model, but given by an option.
    outside: bool,
    scope: ScopeId,
    conditions: Vec<Condition>,
}

impl<'t> Elaborator<'t, '_> {
    /// The specifications of an instance and of all in it, which come first.
    pub(super) fn specify_all(&mut self, main: ScopeId) {
        let mut found: Vec<(&'t Spec, ScopeId)> = Vec::new();
        self.collect_specs(main, &mut found);
        let mut counts: HashMap<SpecKind, usize> = HashMap::new();
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (spec, _) in &found {
            if let Some(name) = &spec.name {
                *names.entry(&name.name).or_default() += 1;
            }
        }
        let mut taken: HashMap<String, Span> = HashMap::new();
        for (spec, scope) in found {
            let number = counts.entry(spec.kind).or_default();
            *number += 1;
            let number = *number;
            let Some(scope) = self.context_of(spec, scope) else { continue };
            let prefix = &self.scopes[scope].prefix;
            let name = match &spec.name {
                Some(name) if names[&*name.name] == 1 => name.name.to_string(),
                // The instances of one module have specifications of one name.
                Some(name) => format!("{prefix}{}", name.name),
                None => format!("{}_{number}", spec.kind.prefix()),
            };
            let instance = prefix.trim_end_matches('.').to_owned();
            let place = spec.name.as_ref().map_or(spec.span, |name| name.span);
            if let Some(earlier) = taken.insert(name.clone(), place) {
                let diagnostic = Diagnostic::error(place, "V0207", format!("two specifications are named `{name}`"));
                self.report.push(diagnostic.note(earlier, "the other one"));
            }
            let property = match &spec.body {
                SpecBody::Formula(formula) => self.property(formula, spec.kind, scope, false),
                SpecBody::Distance(greatest, from, to) => self.distance(*greatest, from, to, spec.kind, scope),
            };
            if let Some(property) = property {
                let (kind, span) = (spec.kind, spec.span);
                self.flat.specs.push(Specification { kind, name, instance, span, property });
            }
        }
    }

    /// The instance whose names a specification speaks of.
    fn context_of(&mut self, spec: &Spec, scope: ScopeId) -> Option<ScopeId> {
        let Some(context) = &spec.context else { return Some(scope) };
        match self.place(context, scope)? {
            Place::Instance(named) => Some(named),
            Place::Var(_) | Place::Array(..) => {
                let diagnostic = Diagnostic::error(context.span, "V0209", "this is not an instance of a module");
                self.report
                    .push(diagnostic.help("`IN` names the instance whose variables the specification speaks of"));
                None
            }
        }
    }

    fn collect_specs(&self, scope: ScopeId, found: &mut Vec<(&'t Spec, ScopeId)>) {
        for element in &self.scopes[scope].elements {
            if let Element::Variable(_, name, _) = element
                && let Some((super::instance::Binding::Place(place), _)) = self.scopes[scope].bindings.get(&name.name)
            {
                self.collect_specs_in(place, found);
            }
        }
        for element in &self.scopes[scope].elements {
            if let Element::Spec(spec) = element {
                found.push((spec, scope));
            }
        }
    }

    fn collect_specs_in(&self, place: &Place, found: &mut Vec<(&'t Spec, ScopeId)>) {
        match place {
            Place::Instance(scope) => self.collect_specs(*scope, found),
            Place::Array(_, places) => places.iter().for_each(|place| self.collect_specs_in(place, found)),
            Place::Var(_) => {}
        }
    }

    /// A formula that is no part of the model.
    pub(super) fn formula_from_outside(&mut self, formula: &Expr, kind: SpecKind, main: ScopeId) -> Option<Property> {
        let property = self.property(formula, kind, main, true)?;
        for term in property.terms() {
            self.ensure_value(&term);
        }
        (!self.report.has_errors()).then_some(property)
    }

    fn property(&mut self, formula: &Expr, kind: SpecKind, scope: ScopeId, outside: bool) -> Option<Property> {
        if kind == SpecKind::Invar {
            if formula.is_temporal() {
                let message = "a condition on single states has no temporal operators";
                let spec = if formula.is_quantified() { "CTLSPEC" } else { "LTLSPEC" };
                let help = format!("`INVARSPEC` takes a condition; write `{spec}` for this formula");
                let diagnostic = Diagnostic::error(formula.span, "V0310", message);
                self.report.push(if outside { diagnostic } else { diagnostic.help(help) });
                return None;
            }
            let term = self.condition(formula, At { scope, next: false })?;
            let side = |side: &Term| Condition { text: self.shown(side.span, scope), term: side.clone() };
            let sides = match &term.kind {
                Kind::Binary(BinaryOp::Implies, left, right) if !term.partial && !term.reach.is_step() => {
                    Some(Box::new((side(left), side(right))))
                }
                _ => None,
            };
            return Some(Property::Invariant(Condition { text: self.shown(formula.span, scope), term }, sides));
        }
        let mut building = Building { kind, outside, scope, conditions: Vec::new() };
        let formula = self.formula(formula, false, &mut building)?;
        Some(Property::Formula(formula, building.conditions))
    }

    fn distance(&mut self, greatest: bool, from: &Expr, to: &Expr, kind: SpecKind, scope: ScopeId) -> Option<Property> {
        let mut building = Building { kind, outside: false, scope, conditions: Vec::new() };
        let (from, to) = (self.formula(from, false, &mut building), self.formula(to, false, &mut building));
        Some(Property::Distance { greatest, from: from?, to: to?, conditions: building.conditions })
    }

    /// The formula that an expression is; `quantified` says whether `E` or `A` stands right before it.
    fn formula(&mut self, expr: &Expr, quantified: bool, building: &mut Building) -> Option<Formula> {
        if !expr.is_temporal() {
            return self.atom(expr, building);
        }
        let kind = building.kind;
        let mut part = |part: &Expr, building: &mut Building| self.formula(part, false, building);
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => Some(Formula::not(part(inner, building)?)),
            ExprKind::Binary(op, left, right) => {
                let join: fn(Formula, Formula) -> Formula = match op {
                    BinaryOp::And => |left, right| Formula::and([left, right]),
                    BinaryOp::Or => |left, right| Formula::or([left, right]),
                    BinaryOp::Xor => Formula::xor,
                    BinaryOp::Xnor | BinaryOp::Iff => Formula::iff,
                    BinaryOp::Implies => Formula::implies,
                    _ => return self.misplaced(expr),
                };
                let (left, right) = (part(left, building), part(right, building));
                Some(join(left?, right?))
            }
            ExprKind::Quantified(all, inner) => {
                if kind == SpecKind::Ltl {
                    let help = if building.outside { "write `--ctl`" } else { "write `CTLSPEC`" };
                    return self.wrong_logic(expr, "`A`, `E` and their like are operators of CTL", help);
                }
                let is_path = matches!(inner.kind, ExprKind::Temporal(..) | ExprKind::Until(..));
                if kind.is_ctl() && !is_path {
                    let help = "`CTLSTARSPEC` allows any formula behind `A` and `E`";
                    return self.wrong_logic(expr, "in CTL a temporal operator stands right behind `A` and `E`", help);
                }
                if let ExprKind::Temporal(modality, Some(bounds), body) = &inner.kind {
                    return self.bounded_branching(*all, *modality, bounds, body, building);
                }
                if let ExprKind::Until(Joiner::Until, Some(bounds), left, right) = &inner.kind {
                    return self.bounded_until(*all, bounds, left, right, building);
                }
                let body = self.formula(inner, true, building)?;
                Some(if *all { Formula::for_all(body) } else { Formula::for_some(body) })
            }
            ExprKind::Temporal(modality, bounds, body) => {
                self.ensure_path(expr, quantified, kind)?;
                let past = !matches!(modality, Modality::Next | Modality::Finally | Modality::Globally);
                if past && kind.is_ctl() {
                    let help = "`CTLSTARSPEC` allows them, and so does `LTLSPEC` in a formula without `A` and `E`";
                    return self.wrong_logic(expr, "CTL has no operators of the past", help);
                }
                let body = self.formula(body, false, building)?;
                match bounds {
                    None => Some(modal(*modality, body)),
                    Some(bounds) => self.bounded(*modality, bounds, body, building.scope),
                }
            }
            ExprKind::Until(joiner, bounds, left, right) => {
                self.ensure_path(expr, quantified, kind)?;
                if bounds.is_some() {
                    return self.misplaced(expr);
                }
                if *joiner != Joiner::Until && kind.is_ctl() {
                    let help =
                        "`CTLSTARSPEC` allows the others, and so does `LTLSPEC` in a formula without `A` and `E`";
                    return self.wrong_logic(expr, "in CTL only `U` stands behind `A` and `E`", help);
                }
                let (left, right) = (self.formula(left, false, building), self.formula(right, false, building));
                let join = match joiner {
                    Joiner::Until => Formula::until,
                    Joiner::Release => Formula::release,
                    Joiner::Since => Formula::since,
                    Joiner::Trigger => Formula::trigger,
                };
                Some(join(left?, right?))
            }
            _ => self.misplaced(expr),
        }
    }

    fn ensure_path(&mut self, expr: &Expr, quantified: bool, kind: SpecKind) -> Option<()> {
        if kind.is_ctl() && !quantified {
            let message = "in CTL every temporal operator has `A` or `E` before it";
            let help = match expr.kind {
                ExprKind::Until(..) => {
                    "write `A [p U q]` or `E [p U q]`; or `CTLSTARSPEC`, which allows others inside; or `LTLSPEC`"
                }
                _ => "write `AG`, `EF`, …; or `CTLSTARSPEC`, which allows others inside; or `LTLSPEC`",
            };
            let _ = self.wrong_logic(expr, message, help);
            return None;
        }
        Some(())
    }

    fn wrong_logic(&mut self, expr: &Expr, message: &str, help: &str) -> Option<Formula> {
        self.report.push(Diagnostic::error(expr.span, "V0310", message).help(help));
        None
    }

    fn misplaced(&mut self, expr: &Expr) -> Option<Formula> {
        let diagnostic = Diagnostic::error(expr.span, "V0108", "a temporal operator cannot stand inside of this");
        self.report.push(diagnostic.help("only `! & | xor xnor -> <->` join temporal formulas"));
        None
    }

    /// A condition without temporal operators. An implication stays one, so that one whose left side is never true can be
    /// told, unless one side has a value only because of the other.
    fn atom(&mut self, expr: &Expr, building: &mut Building) -> Option<Formula> {
        let term = self.condition(expr, At { scope: building.scope, next: false })?;
        let limits = match building.kind {
            SpecKind::Ctl => Limits::state("CTL"),
            SpecKind::CtlStar => Limits::state("CTL*"),
            SpecKind::Compute => Limits::state("`COMPUTE`"),
            _ => Limits::step("a formula"),
        };
        self.ensure_within(&term, expr.span, limits)?;
        Some(match &term.kind {
            Kind::Binary(BinaryOp::Implies, left, right) if !term.partial => {
                let left = self.proposition(left, building);
                Formula::implies(left, self.proposition(right, building))
            }
            _ => {
                let text = self.shown(expr.span, building.scope);
                intern(Condition { text, term }, &mut building.conditions)
            }
        })
    }

    fn proposition(&mut self, term: &Term, building: &mut Building) -> Formula {
        let condition = Condition { text: self.shown(term.span, building.scope), term: term.clone() };
        intern(condition, &mut building.conditions)
    }

    /// A part of the text as people are shown it.
    pub(super) fn shown(&self, span: Span, scope: ScopeId) -> String {
        let lines = self.sources.text(span).lines().map(|line| line.split("--").next().unwrap_or(""));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        match self.scopes[scope].prefix.trim_end_matches('.') {
            "" => words.join(" "),
            instance => format!("{} IN {instance}", words.join(" ")),
        }
    }

    /// The bounds of an operator.
    fn bounds(&mut self, bounds: &(Box<Expr>, Box<Expr>), scope: ScopeId) -> Option<(i128, i128)> {
        let (low, high) = (self.number(&bounds.0, scope), self.number(&bounds.1, scope));
        let (low, high) = (low?, high?);
        if low < 0 || low > high || high > MAX_BOUND {
            let message = format!("bounds are two numbers from 0 to {MAX_BOUND}, the smaller one first");
            self.error(bounds.0.span.to(bounds.1.span), "V0311", message);
            return None;
        }
        Some((low, high))
    }

    /// `F [a, b] f` and the like, written out. In the past `H` counts steps that lie behind, so it is made of `Y`.
    fn bounded(
        &mut self,
        modality: Modality,
        bounds: &(Box<Expr>, Box<Expr>),
        body: Formula,
        scope: ScopeId,
    ) -> Option<Formula> {
        let (low, high) = self.bounds(bounds, scope)?;
        let step: fn(Formula) -> Formula = match modality {
            Modality::Finally | Modality::Globally => Formula::next,
            _ => Formula::yesterday,
        };
        let some = matches!(modality, Modality::Finally | Modality::Once);
        Some(written_out(low, high, body, some, step))
    }

    fn bounded_branching(
        &mut self,
        all: bool,
        modality: Modality,
        bounds: &(Box<Expr>, Box<Expr>),
        body: &Expr,
        building: &mut Building,
    ) -> Option<Formula> {
        let (low, high) = self.bounds(bounds, building.scope)?;
        let body = self.formula(body, false, building)?;
        Some(written_out(low, high, body, modality == Modality::Finally, path_step(all)))
    }

    /// `E [f BU a..b g]`
    fn bounded_until(
        &mut self,
        all: bool,
        bounds: &(Box<Expr>, Box<Expr>),
        left: &Expr,
        right: &Expr,
        building: &mut Building,
    ) -> Option<Formula> {
        let (low, high) = self.bounds(bounds, building.scope)?;
        let (left, right) = (self.formula(left, false, building), self.formula(right, false, building));
        let (left, right) = (left?, right?);
        let step = path_step(all);
        let mut formula = right.clone();
        for _ in low..high {
            formula = Formula::or([right.clone(), Formula::and([left.clone(), step(formula)])]);
        }
        for _ in 0..low {
            formula = Formula::and([left.clone(), step(formula)]);
        }
        Some(formula)
    }
}

/// The proposition for a condition, which may be known already. No two conditions have one text.
fn intern(mut condition: Condition, conditions: &mut Vec<Condition>) -> Formula {
    if condition.term.ty == Ty::BOOL
        && let Some(value) = condition.term.constant()
    {
        return Formula::constant(value != 0);
    }
    let known = conditions.iter().position(|known| same(&known.term, &condition.term));
    let number = known.unwrap_or_else(|| {
        let text = condition.text.clone();
        for copy in 2.. {
            if !conditions.iter().any(|known| known.text == condition.text) {
                break;
            }
            condition.text = format!("{text} ({copy})");
        }
        conditions.push(condition);
        conditions.len() - 1
    });
    Formula::prop(PropId(number as u32))
}

fn path_step(all: bool) -> fn(Formula) -> Formula {
    if all { |part| Formula::for_all(Formula::next(part)) } else { |part| Formula::for_some(Formula::next(part)) }
}

/// `body` at some or at all of the moments from `low` to `high`.
fn written_out(low: i128, high: i128, body: Formula, some: bool, step: fn(Formula) -> Formula) -> Formula {
    let mut formula = body.clone();
    for _ in low..high {
        let parts = [body.clone(), step(formula)];
        formula = if some { Formula::or(parts) } else { Formula::and(parts) };
    }
    (0..low).fold(formula, |formula, _| step(formula))
}

fn modal(modality: Modality, body: Formula) -> Formula {
    match modality {
        Modality::Next => Formula::next(body),
        Modality::Finally => Formula::finally(body),
        Modality::Globally => Formula::globally(body),
        Modality::Yesterday => Formula::yesterday(body),
        Modality::WeakYesterday => Formula::weak_yesterday(body),
        Modality::Once => Formula::once(body),
        Modality::Historically => Formula::historically(body),
    }
}
