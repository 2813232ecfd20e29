//! What names mean, recorded for editors while they are resolved: see [`NameIndex`].
//!
//! What modules define is read off the tree, so that modules without an instance, and texts with mistakes, have it too. What a
//! use means is known in an instance only.

use super::Elaborator;
use super::instance::ScopeId;
use crate::token::Name;
use crate::tree::{AssignKind, Element, Expr, ExprKind, Ident, Module, SpecBody, TypeKind, TypeSpec, VarKind};
use lariat_base::{Definition, NameKind, Span};

impl Elaborator<'_, '_> {
    /// Records what the text defines.
    pub(super) fn record_definitions(&mut self) {
        if self.names.is_none() {
            return;
        }
        for module in &self.tree.modules {
            let parameters: Vec<&str> = module.parameters.iter().map(|name| &*name.name).collect();
            let list = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
            let whole = module.elements.iter().map(whole_of).fold(module.name.span, Span::to);
            let declaration = format!("MODULE {}{list}", module.name.name);
            let own = definition(&module.name, NameKind::Module, whole, declaration);
            self.define(Definition { parent: None, ..own });
            for parameter in &module.parameters {
                let declaration = format!("{}: a parameter of {}", parameter.name, module.name.name);
                self.define_in(module, definition(parameter, NameKind::Parameter, parameter.span, declaration));
            }
            let mut counts = std::collections::HashMap::new();
            for element in &module.elements {
                self.record_element(module, element);
                if let Element::Spec(spec) = element {
                    let number: &mut usize = counts.entry(spec.kind).or_default();
                    *number += 1;
                    let unnamed = || Ident { name: format!("{}_{number}", spec.kind.prefix()).into(), span: spec.span };
                    let name = spec.name.clone().unwrap_or_else(unnamed);
                    let declaration = one_line(self.sources.text(spec.span));
                    self.define_in(module, definition(&name, NameKind::Property, spec.span, declaration));
                }
            }
        }
    }

    fn record_element(&mut self, module: &Module, element: &Element) {
        match element {
            Element::Variable(kind, name, ty) => {
                let section = match kind {
                    VarKind::State => "VAR",
                    VarKind::Frozen => "FROZENVAR",
                    VarKind::Input => "IVAR",
                };
                let declaration = format!("{section} {} : {}", name.name, one_line(self.sources.text(ty.span)));
                let mut remarks: Vec<String> = values_of(ty).into_iter().collect();
                remarks.extend(self.initial_value(module, &name.name));
                let found = definition(name, NameKind::Variable, name.span.to(ty.span), declaration);
                self.define_in(module, Definition { remarks, ..found });
                self.record_constants(module, ty);
            }
            Element::Define(Expr { kind: ExprKind::Name(name), span }, body) => {
                let declaration = format!("DEFINE {name} := {}", one_line(self.sources.text(body.span)));
                let name = Ident { name: name.clone(), span: *span };
                self.define_in(module, definition(&name, NameKind::Routine, span.to(body.span), declaration));
            }
            Element::Constant(name) => {
                let declaration = format!("CONSTANTS {}", name.name);
                self.record_constant(definition(name, NameKind::Constant, name.span, declaration), module);
            }
            _ => {}
        }
    }

    fn record_constants(&mut self, module: &Module, ty: &TypeSpec) {
        match &ty.kind {
            TypeKind::Array(_, _, of) => self.record_constants(module, of),
            TypeKind::Enumeration(values) => {
                for value in values {
                    if let ExprKind::Name(name) = &value.kind {
                        let declaration = format!("{name}: a constant of {}", one_line(self.sources.text(ty.span)));
                        let name = Ident { name: name.clone(), span: value.span };
                        self.record_constant(definition(&name, NameKind::Constant, value.span, declaration), module);
                    }
                }
            }
            _ => {}
        }
    }

    /// A constant belongs to the whole text: the first place that names it is its definition.
    fn record_constant(&mut self, constant: Definition, module: &Module) {
        let name: Name = constant.name.as_str().into();
        match self.symbol_places.get(&name) {
            Some(&first) => self.note_use(&name, constant.place, first),
            None => {
                self.symbol_places.insert(name, constant.place);
                self.define_in(module, constant);
            }
        }
    }

    fn initial_value(&self, module: &Module, name: &Name) -> Option<String> {
        module.elements.iter().find_map(|element| match element {
            Element::Assign(assign) if matches!(&assign.target.kind, ExprKind::Name(target) if target == name) => {
                let value = one_line(self.sources.text(assign.value.span));
                match assign.kind {
                    AssignKind::Init => Some(format!("initially {value}")),
                    AssignKind::Always => Some(format!("always {value}")),
                    AssignKind::Next => None,
                }
            }
            _ => None,
        })
    }

    fn define_in(&mut self, module: &Module, definition: Definition) {
        self.define(Definition { parent: Some(module.name.span), ..definition });
    }

    fn define(&mut self, definition: Definition) {
        if let Some(names) = &mut self.names {
            names.define(definition);
        }
    }

    pub(super) fn note_use(&mut self, name: &Name, place: Span, defined_at: Span) {
        if let Some(names) = &mut self.names {
            names.note_use(name, place, defined_at);
        }
    }

    /// Records that a name is used at `place` to speak of something in an instance.
    pub(super) fn note_use_in(&mut self, scope: ScopeId, name: &Name, place: Span) {
        if self.names.is_none() {
            return;
        }
        let bound = self.scopes[scope].bindings.get(name).map(|(_, declared)| *declared);
        if let Some(declared) = bound.or_else(|| self.symbol_places.get(name).copied()) {
            self.note_use(name, place, declared);
        }
    }
}

fn definition(name: &Ident, kind: NameKind, whole: Span, declaration: String) -> Definition {
    let (place, name) = (name.span, name.name.to_string());
    Definition { name, kind, place, whole, parent: None, declaration, remarks: Vec::new() }
}

/// The values of a variable of this type, where the type does not say it plainly.
fn values_of(ty: &TypeSpec) -> Option<String> {
    match &ty.kind {
        TypeKind::Boolean => Some("values FALSE and TRUE".to_owned()),
        TypeKind::Word(signed, width) => {
            let ExprKind::Number(width @ 1..=62) = width.kind else { return None };
            let (low, high) = if *signed {
                (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1)
            } else {
                (0, (1_i128 << width) - 1)
            };
            Some(format!("values {low} to {high}"))
        }
        TypeKind::Enumeration(values) => Some(format!("{} values", values.len())),
        TypeKind::Range(low, high) => match (number(low), number(high)) {
            (Some(low), Some(high)) => Some(format!("values {low} to {high}")),
            _ => None,
        },
        TypeKind::Array(_, _, of) => values_of(of).map(|values| format!("each {values}")),
        TypeKind::Instance(..) | TypeKind::Wrong => None,
    }
}

fn number(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Number(number) => Some(*number),
        ExprKind::Unary(crate::tree::UnaryOp::Minus, part) => number(part).map(|number| -number),
        _ => None,
    }
}

/// The place of an element.
fn whole_of(element: &Element) -> Span {
    match element {
        Element::Variable(_, name, ty) => name.span.to(ty.span),
        Element::Define(target, body) => target.span.to(body.span),
        Element::Constant(name) | Element::Isa(name) => name.span,
        Element::Assign(assign) => assign.target.span.to(assign.value.span),
        Element::Constraint(_, expr) | Element::Justice(expr) => expr.span,
        Element::Compassion(from, to) => from.span.to(to.span),
        Element::Spec(spec) => match &spec.body {
            SpecBody::Formula(formula) => spec.span.to(formula.span),
            SpecBody::Distance(_, from, to) => spec.span.to(from.span).to(to.span),
        },
    }
}

/// The text with its lines joined, cut where it is long.
fn one_line(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} ...", &joined[..end]),
        None => joined,
    }
}
