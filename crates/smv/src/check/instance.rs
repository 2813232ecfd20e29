//! Instances of modules, and what names mean in them.

use super::{Elaborator, Process};
use crate::term::{ProcessId, VarId};
use crate::token::Name;
use crate::tree::{Element, Expr, ExprKind, Ident, Module, TypeKind, TypeSpec};
use lariat_base::{Diagnostic, Id, Span, closest_name, define_id};
use std::collections::HashMap;

define_id! {
    /// An instance of a module.
    ScopeId
}

/// More instances than this are a mistake.
const MAX_INSTANCES: usize = 100_000;
/// Arrays of more elements are a mistake.
pub(super) const MAX_ELEMENTS: i128 = 1 << 16;

/// An instance of a module.
#[derive(Debug)]
pub(super) struct Scope<'t> {
    /// The name that its variables begin with, and a dot; empty for `main`.
    pub(super) prefix: String,
    pub(super) module: &'t Module,
    /// All elements, those of `ISA` included.
    pub(super) elements: Vec<&'t Element>,
    pub(super) process: ProcessId,
    pub(super) bindings: HashMap<Name, (Binding<'t>, Span)>,
}

/// What a name means in an instance.
#[derive(Clone, Debug)]
pub(super) enum Binding<'t> {
    /// A variable whose type was not looked at yet.
    Undeclared,
    /// Variables, or instances.
    Place(Place),
    /// An expression that is written out wherever the name stands, read in that instance.
    Define(&'t Expr, ScopeId),
    /// What stands for the parameter, read in that instance.
    Parameter(&'t Expr, ScopeId),
}

/// What an assignment can have on its left side, and what it is a part of.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Var(VarId),
    /// By index, from the given one on.
    Array(i128, Vec<Place>),
    Instance(ScopeId),
}

impl<'t> Elaborator<'t, '_> {
    /// Makes the instance of `main` and all in it.
    pub(super) fn make_instances(&mut self) -> Option<ScopeId> {
        for (number, module) in self.tree.modules.iter().enumerate() {
            let earlier = self.tree.modules[..number].iter().find(|known| known.name.name == module.name.name);
            if let Some(earlier) = earlier {
                let message = format!("there are two modules `{}`", module.name.name);
                let diagnostic = Diagnostic::error(module.name.span, "V0201", message);
                self.report.push(diagnostic.note(earlier.name.span, "the other one"));
            }
        }
        let Some(main) = self.tree.modules.iter().find(|module| &*module.name.name == "main") else {
            let help = "`MODULE main` is where a model begins";
            self.report.push(Diagnostic::error(self.main, "V0202", "there is no module `main`").help(help));
            return None;
        };
        if let Some(parameter) = main.parameters.first() {
            self.error(parameter.span, "V0203", "`main` cannot have parameters: no other module gives them values");
            return None;
        }
        self.flat.processes.push(Process { name: "main".to_owned(), span: main.name.span });
        let scope = self.instantiate(main, String::new(), ProcessId::new(0), &mut vec![main.name.name.clone()])?;
        self.bind_distant_definitions();
        (!self.report.has_errors()).then_some(scope)
    }

    fn instantiate(
        &mut self,
        module: &'t Module,
        prefix: String,
        process: ProcessId,
        within: &mut Vec<Name>,
    ) -> Option<ScopeId> {
        if self.scopes.len() >= MAX_INSTANCES {
            // Every instance around this one would be told of otherwise.
            let main = self.tree.modules.iter().find(|module| &*module.name.name == "main");
            let place = main.map_or(self.main, |module| module.name.span);
            self.error(place, "V0204", format!("there are more than {MAX_INSTANCES} instances"));
            return None;
        }
        let mut elements = Vec::new();
        self.collect_elements(module, &mut elements, &mut vec![&module.name.name]);
        let scope = self.scopes.push(Scope { prefix, module, elements, process, bindings: HashMap::new() });
        for element in self.scopes[scope].elements.clone() {
            match element {
                Element::Variable(_, name, ty) => self.bind_variable(scope, name, ty, within),
                Element::Define(Expr { kind: ExprKind::Name(name), span }, body) => {
                    self.bind(scope, name, *span, Binding::Define(body, scope));
                }
                _ => {}
            }
        }
        Some(scope)
    }

    /// The elements of a module, and of those it is a copy of.
    fn collect_elements(&mut self, module: &'t Module, elements: &mut Vec<&'t Element>, within: &mut Vec<&'t str>) {
        for element in &module.elements {
            let Element::Isa(name) = element else {
                elements.push(element);
                continue;
            };
            let Some(base) = self.module(name) else { continue };
            if within.contains(&&*base.name.name) {
                self.error(name.span, "V0205", format!("the module `{}` is part of itself", name.name));
                continue;
            }
            within.push(&base.name.name);
            self.collect_elements(base, elements, within);
            within.pop();
        }
    }

    /// The module of this name.
    fn module(&mut self, name: &Ident) -> Option<&'t Module> {
        let found = self.tree.modules.iter().find(|module| module.name.name == name.name);
        if let Some(module) = found {
            self.note_use(&name.name, name.span, module.name.span);
        }
        if found.is_none() {
            let names = self.tree.modules.iter().map(|module| &*module.name.name);
            let diagnostic = Diagnostic::error(name.span, "V0206", format!("there is no module `{}`", name.name));
            self.report.push(match (&*name.name, closest_name(&name.name, names)) {
                (_, Some(near)) => diagnostic.help(format!("did you mean `{near}`?")),
                ("int" | "nat" | "natural" | "byte", None) => diagnostic.help("whole numbers have a range, as in `0..255`"),
                (_, None) => diagnostic.help(
                    "a type is `boolean`, a range such as `0..7`, values such as `{idle, busy}`, `word[8]`, an array, or a module",
                ),
            });
        }
        found
    }

    /// Gives a name a meaning, unless it has one.
    pub(super) fn bind(&mut self, scope: ScopeId, name: &Name, span: Span, binding: Binding<'t>) {
        if let Some((_, earlier)) = self.scopes[scope].bindings.get(name) {
            let diagnostic = Diagnostic::error(span, "V0207", format!("`{name}` is declared twice"));
            self.report.push(diagnostic.note(*earlier, "declared here, too"));
            return;
        }
        self.scopes[scope].bindings.insert(name.clone(), (binding, span));
    }

    fn bind_variable(&mut self, scope: ScopeId, name: &'t Ident, ty: &'t TypeSpec, within: &mut Vec<Name>) {
        let full = format!("{}{}", self.scopes[scope].prefix, name.name);
        let binding = match self.instances_of(scope, full, ty, within, name.span) {
            Ok(Some(place)) => Binding::Place(place),
            Ok(None) => Binding::Undeclared,
            Err(()) => return,
        };
        self.bind(scope, &name.name, name.span, binding);
    }

    /// The instances that a declaration makes; none if it is one of plain variables.
    fn instances_of(
        &mut self,
        scope: ScopeId,
        full: String,
        ty: &'t TypeSpec,
        within: &mut Vec<Name>,
        span: Span,
    ) -> Result<Option<Place>, ()> {
        match &ty.kind {
            TypeKind::Array(low, high, of) if is_of_instances(of) => {
                let (low, high) = self.array_bounds(low, high, scope).ok_or(())?;
                let mut places = Vec::new();
                for index in low..=high {
                    let place = self.instances_of(scope, format!("{full}[{index}]"), of, within, span)?;
                    places.push(place.ok_or(())?);
                }
                Ok(Some(Place::Array(low, places)))
            }
            TypeKind::Instance(is_process, name, arguments) => {
                let module = self.module(name).ok_or(())?;
                if within.contains(&module.name.name) {
                    let from = within.iter().position(|outer| *outer == module.name.name).unwrap_or(0);
                    let circle: Vec<&str> = within[from..].iter().map(|name| &**name).collect();
                    let message =
                        format!("the module `{0}` is part of itself: {1} → {0}", name.name, circle.join(" → "));
                    self.error(name.span, "V0205", message);
                    return Err(());
                }
                let (given, wanted) = (arguments.len(), module.parameters.len());
                if given != wanted {
                    let plural = if wanted == 1 { "" } else { "s" };
                    let message = format!("`{}` has {wanted} parameter{plural}, and {given} are given", name.name);
                    let diagnostic = Diagnostic::error(ty.span, "V0208", message);
                    self.report.push(diagnostic.note(module.name.span, "declared here"));
                    return Err(());
                }
                let process = match is_process {
                    false => self.scopes[scope].process,
                    true => self.flat.processes.push(Process { name: full.clone(), span }),
                };
                within.push(module.name.name.clone());
                let made = self.instantiate(module, format!("{full}."), process, within);
                within.pop();
                let made = made.ok_or(())?;
                for (parameter, argument) in module.parameters.iter().zip(arguments) {
                    self.bind(made, &parameter.name, parameter.span, Binding::Parameter(argument, scope));
                }
                Ok(Some(Place::Instance(made)))
            }
            _ => Ok(None),
        }
    }

    /// Definitions of names in other instances: `left.ack := q.out`.
    fn bind_distant_definitions(&mut self) {
        for scope in self.scopes.ids() {
            for element in self.scopes[scope].elements.clone() {
                let Element::Define(target, body) = element else { continue };
                match &target.kind {
                    ExprKind::Name(_) => {}
                    ExprKind::Dot(owner, name) => match self.place(owner, scope) {
                        Some(Place::Instance(owner)) => {
                            self.bind(owner, &name.name, target.span, Binding::Define(body, scope));
                        }
                        Some(_) => self.error(owner.span, "V0209", "this is not an instance of a module"),
                        None => {}
                    },
                    _ => match written_name(target) {
                        Some(name) => self.bind(scope, &name.into(), target.span, Binding::Define(body, scope)),
                        None => {
                            self.error(target.span, "V0209", "a definition has a name, or a name with a constant index")
                        }
                    },
                }
            }
        }
    }
}

/// The name that is written here, with its indices and parts.
fn written_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Dot(owner, part) => Some(format!("{}.{}", written_name(owner)?, part.name)),
        ExprKind::Index(array, index) => match index.kind {
            ExprKind::Number(number) => Some(format!("{}[{number}]", written_name(array)?)),
            _ => None,
        },
        _ => None,
    }
}

fn is_of_instances(ty: &TypeSpec) -> bool {
    match &ty.kind {
        TypeKind::Instance(..) => true,
        TypeKind::Array(_, _, of) => is_of_instances(of),
        _ => false,
    }
}
