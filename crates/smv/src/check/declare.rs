//! Constants of enumerations, and the variables of all instances.

use super::expr::At;
use super::instance::{Binding, MAX_ELEMENTS, Place, ScopeId};
use super::{Elaborator, Var, variables};
use crate::token::Name;
use crate::tree::{Element, Expr, ExprKind, TypeKind, TypeSpec, VarKind};
use crate::types::{Base, Domain, MAX_WIDTH, SYMBOLS};
use lariat_base::{Diagnostic, Span};
use std::sync::Arc;

/// Models of more variables are too large for anything.
const MAX_VARIABLES: usize = 1 << 18;

impl<'t> Elaborator<'t, '_> {
    /// Every constant of every enumeration, and those of `CONSTANTS`.
    pub(super) fn gather_symbols(&mut self) {
        for scope in self.scopes.ids() {
            for element in self.scopes[scope].elements.clone() {
                match element {
                    Element::Variable(_, _, ty) => self.symbols_of(ty),
                    Element::Constant(name) => self.add_symbol(&name.name),
                    _ => {}
                }
            }
        }
    }

    fn symbols_of(&mut self, ty: &TypeSpec) {
        match &ty.kind {
            TypeKind::Array(_, _, of) => self.symbols_of(of),
            TypeKind::Enumeration(values) => {
                for value in values {
                    if let ExprKind::Name(name) = &value.kind {
                        self.add_symbol(name);
                    }
                }
            }
            _ => {}
        }
    }

    fn add_symbol(&mut self, name: &Name) {
        let next = self.flat.symbols.len();
        if *self.symbol_numbers.entry(name.clone()).or_insert(next) == next {
            self.flat.symbols.push(name.clone());
        }
    }

    /// Declares the variables of the instance and of all in it.
    pub(super) fn declare_all(&mut self, scope: ScopeId) {
        for element in self.scopes[scope].elements.clone() {
            let Element::Variable(kind, name, ty) = element else { continue };
            match self.scopes[scope].bindings.get(&name.name).map(|(binding, _)| binding.clone()) {
                Some(Binding::Place(place)) => {
                    if *kind != VarKind::State {
                        self.error(ty.span, "V0213", "instances of modules are declared in `VAR`");
                    }
                    self.declare_inside(&place);
                }
                Some(Binding::Undeclared) => {
                    if self.symbol_numbers.contains_key(&name.name) && self.scopes[scope].prefix.is_empty() {
                        let message = format!("`{}` is a variable and a constant of an enumeration", name.name);
                        let help = "give one of them another name";
                        self.report.push(Diagnostic::error(name.span, "V0211", message).help(help));
                    }
                    let full = format!("{}{}", self.scopes[scope].prefix, name.name);
                    if let Some(place) = self.declare(full, *kind, ty, scope, name.span) {
                        let span = name.span;
                        self.scopes[scope].bindings.insert(name.name.clone(), (Binding::Place(place), span));
                    }
                }
                _ => {}
            }
            if self.report.is_full() {
                return;
            }
        }
    }

    fn declare_inside(&mut self, place: &Place) {
        match place {
            Place::Instance(scope) => self.declare_all(*scope),
            Place::Array(_, places) => places.iter().for_each(|place| self.declare_inside(place)),
            Place::Var(_) => {}
        }
    }

    fn declare(&mut self, full: String, kind: VarKind, ty: &'t TypeSpec, scope: ScopeId, span: Span) -> Option<Place> {
        if self.flat.vars.len() >= MAX_VARIABLES {
            self.error(span, "V0204", format!("there are more than {MAX_VARIABLES} variables"));
            return None;
        }
        if let TypeKind::Array(low, high, of) = &ty.kind {
            let (low, high) = self.array_bounds(low, high, scope)?;
            let mut places = Vec::new();
            for index in low..=high {
                places.push(self.declare(format!("{full}[{index}]"), kind, of, scope, span)?);
            }
            return Some(Place::Array(low, places));
        }
        let domain = Arc::new(self.domain(ty, scope)?);
        Some(Place::Var(self.flat.vars.push(Var { name: full, domain, kind, span })))
    }

    fn domain(&mut self, ty: &TypeSpec, scope: ScopeId) -> Option<Domain> {
        match &ty.kind {
            TypeKind::Boolean => Some(Domain::Bool),
            TypeKind::Range(low, high) => {
                let (low, high) = (self.number(low, scope), self.number(high, scope));
                let (low, high) = (low?, high?);
                if low > high {
                    self.empty_range(low, high, ty.span);
                    return None;
                }
                Some(Domain::Range(low, high))
            }
            TypeKind::Enumeration(values) => self.enumeration(values, scope),
            TypeKind::Word(signed, width) => {
                let given = self.number(width, scope)?;
                let fitting = u32::try_from(given).ok().filter(|width| (1..=MAX_WIDTH).contains(width));
                if fitting.is_none() {
                    self.error(width.span, "V0215", format!("words have 1 to {MAX_WIDTH} bits, and not {given}"));
                }
                fitting.map(|width| Domain::Word { signed: *signed, width })
            }
            TypeKind::Array(..) | TypeKind::Instance(..) | TypeKind::Wrong => None,
        }
    }

    fn enumeration(&mut self, values: &[Expr], scope: ScopeId) -> Option<Domain> {
        let mut found: Vec<(i128, Span)> = Vec::new();
        for value in values {
            let number =
                match &value.kind {
                    ExprKind::Name(name) => SYMBOLS + self.symbol_numbers[name] as i128,
                    ExprKind::Bool(_) => {
                        let diagnostic =
                            Diagnostic::error(value.span, "V0216", "a truth value is not a constant of an enumeration");
                        self.report.push(diagnostic.help(
                            "the type of `TRUE` and `FALSE` is `boolean`; an enumeration has names such as `yes`",
                        ));
                        return None;
                    }
                    _ => self.number(value, scope)?,
                };
            if let Some((_, earlier)) = found.iter().find(|(known, _)| *known == number) {
                let diagnostic = Diagnostic::error(value.span, "V0217", "this constant stands here twice");
                self.report.push(diagnostic.note(*earlier, "the first time"));
                return None;
            }
            found.push((number, value.span));
        }
        Some(Domain::of_values(found.into_iter().map(|(value, _)| value).collect()))
    }

    /// The bounds of an array.
    pub(super) fn array_bounds(&mut self, low: &Expr, high: &Expr, scope: ScopeId) -> Option<(i128, i128)> {
        let span = low.span.to(high.span);
        let (low, high) = (self.number(low, scope), self.number(high, scope));
        let (low, high) = (low?, high?);
        if low > high {
            self.empty_range(low, high, span);
            return None;
        }
        if high - low >= MAX_ELEMENTS {
            self.error(span, "V0204", format!("an array has at most {MAX_ELEMENTS} elements"));
            return None;
        }
        Some((low, high))
    }

    /// The bounds of a range are the wrong way round.
    pub(super) fn empty_range(&mut self, low: i128, high: i128, span: Span) {
        let diagnostic = Diagnostic::error(span, "V0214", format!("the range {low}..{high} is empty"));
        self.report.push(diagnostic.help(format!("the smaller bound comes first: `{high}..{low}`")));
    }

    /// A constant whole number.
    pub(super) fn number(&mut self, expr: &Expr, scope: ScopeId) -> Option<i128> {
        self.number_or(expr, scope, "write a number, or a `DEFINE` of one")
    }

    /// The same, with what to write instead of something else.
    pub(super) fn number_or(&mut self, expr: &Expr, scope: ScopeId, help: &str) -> Option<i128> {
        let value = self.value(expr, At { scope, next: false })?;
        match (value.ty.base, value.constant()) {
            (Base::Int, Some(number)) if !value.ty.set => Some(number),
            _ => {
                let mut diagnostic = Diagnostic::error(expr.span, "V0218", "a constant whole number is needed here");
                let (now, next) = variables(&value);
                if let Some(var) = now.first().or(next.first()) {
                    let Var { name, span, .. } = &self.flat.vars[*var];
                    diagnostic = diagnostic.note(*span, format!("`{name}` is a variable"));
                }
                self.report.push(diagnostic.help(help));
                None
            }
        }
    }
}
