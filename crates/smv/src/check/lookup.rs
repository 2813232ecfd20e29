//! What names mean, and what assignments can write to.

use super::Elaborator;
use super::expr::{At, Entity};
use super::instance::{Binding, Place, Scope, ScopeId};
use crate::term::{Kind, constant, input, term};
use crate::token::Name;
use crate::tree::{Expr, ExprKind, VarKind};
use crate::types::{Base, SYMBOLS, Ty};
use lariat_base::{Diagnostic, Span, closest_name};

impl Elaborator<'_, '_> {
    /// What a name stands for.
    pub(super) fn named(&mut self, name: &Name, span: Span, at: At) -> Option<Entity> {
        self.note_use_in(at.scope, name, span);
        let symbol = self.symbol_numbers.get(name).copied();
        let binding = self.scopes[at.scope].bindings.get(name).cloned();
        if let Some((_, declared)) = &binding
            && symbol.is_some()
        {
            let message = format!("`{name}` is both a name of this module and a constant of an enumeration");
            let mut diagnostic = Diagnostic::error(span, "V0211", message);
            if *declared != span {
                diagnostic = diagnostic.note(*declared, "declared here");
            }
            self.report.push(diagnostic.help("give one of them another name"));
            return None;
        }
        if let Some((binding, _)) = binding {
            return self.bound(name, binding, span, at);
        }
        if let Some(number) = symbol {
            return Some(Entity::Value(constant(SYMBOLS + number as i128, Ty::of(Base::Symbol), span)));
        }
        if &**name == "running" && self.flat.has_processes() {
            return self.running(at.scope, span, at);
        }
        self.undefined(name, span, at.scope);
        None
    }

    /// What the name of a part of an instance stands for.
    pub(super) fn part(&mut self, owner: ScopeId, name: &Name, span: Span, at: At) -> Option<Entity> {
        match self.scopes[owner].bindings.get(name).cloned() {
            Some((binding, _)) => self.bound(name, binding, span, At { scope: owner, ..at }),
            None if &**name == "running" && self.flat.has_processes() => self.running(owner, span, at),
            None => {
                self.undefined(name, span, owner);
                None
            }
        }
    }

    fn running(&mut self, scope: ScopeId, span: Span, at: At) -> Option<Entity> {
        if at.next {
            self.error(span, "V0304", "`running` is an input of the step, and has no value in the next state");
            return None;
        }
        let process = self.scopes[scope].process;
        Some(Entity::Value(term(Kind::Running(process), Ty::BOOL, span)))
    }

    pub(super) fn bound(&mut self, name: &Name, binding: Binding<'_>, span: Span, at: At) -> Option<Entity> {
        match binding {
            Binding::Place(place) => self.entity_of(&place, span, at),
            Binding::Parameter(argument, scope) => {
                let found = self.entity(argument, At { scope, ..at });
                found.map(|entity| entity.at(span))
            }
            Binding::Define(body, scope) => {
                // The owner of the definition is where its name stands; it is read where it was written.
                let key = (at.scope, name.clone(), at.next);
                if let Some(known) = self.definitions.get(&key) {
                    return known.clone().map(|entity| entity.at(span));
                }
                let here = (at.scope, name.clone());
                if self.open.contains(&here) {
                    let first = self.open.iter().position(|open| *open == here).unwrap_or(0);
                    let circle: Vec<&str> = self.open[first..].iter().map(|(_, name)| &**name).collect();
                    let message = format!("`{name}` is defined by itself: {} → {name}", circle.join(" → "));
                    self.error(body.span, "V0210", message);
                    return None;
                }
                self.write_out_ahead(at.scope, name, at.next);
                self.open.push(here);
                let found = self.entity(body, At { scope, ..at });
                self.open.pop();
                self.definitions.insert(key, found.clone());
                found.map(|entity| entity.at(span))
            }
            Binding::Undeclared => {
                // One that could not be declared was told already.
                if !self.declared {
                    self.error(
                        span,
                        "V0218",
                        format!("`{name}` is not a constant, and a type depends on constants alone"),
                    );
                }
                None
            }
        }
    }

    /// The values of variables, and instances.
    pub(super) fn entity_of(&mut self, place: &Place, span: Span, at: At) -> Option<Entity> {
        Some(match place {
            Place::Instance(scope) => Entity::Instance(*scope),
            Place::Array(low, places) => {
                let items: Option<Vec<Entity>> = places.iter().map(|place| self.entity_of(place, span, at)).collect();
                Entity::Array(*low, items?)
            }
            Place::Var(id) => {
                let var = &self.flat.vars[*id];
                let ty = Ty::of(var.domain.base());
                Entity::Value(match var.kind {
                    VarKind::State => term(Kind::Var(*id, at.next), ty, span),
                    VarKind::Frozen => term(Kind::Var(*id, false), ty, span),
                    VarKind::Input if at.next => {
                        let message = format!("`{}` is an input, and has no value in the next state", var.name);
                        let diagnostic = Diagnostic::error(span, "V0304", message);
                        self.report.push(diagnostic.note(self.flat.vars[*id].span, "declared here"));
                        return None;
                    }
                    VarKind::Input => input(*id, ty, span),
                })
            }
        })
    }

    /// What an assignment or a path can speak of.
    pub(super) fn place(&mut self, expr: &Expr, scope: ScopeId) -> Option<Place> {
        if let Some((owner, name)) = self.long_name(expr, scope) {
            self.note_use_in(owner, &name, expr.span);
            return self.place_named(&name, expr.span, owner);
        }
        match &expr.kind {
            ExprKind::SelfInstance => Some(Place::Instance(scope)),
            ExprKind::Name(name) => {
                self.note_use_in(scope, name, expr.span);
                self.place_named(name, expr.span, scope)
            }
            ExprKind::Dot(owner, name) => match self.place(owner, scope)? {
                Place::Instance(owner) => {
                    self.note_use_in(owner, &name.name, name.span);
                    self.place_named(&name.name, expr.span, owner)
                }
                Place::Var(_) | Place::Array(..) => {
                    self.error(owner.span, "V0209", "this is not an instance of a module");
                    None
                }
            },
            ExprKind::Index(array, index) => {
                let Place::Array(low, places) = self.place(array, scope)? else {
                    self.error(array.span, "V0306", "this is not an array");
                    return None;
                };
                let at = At { scope, next: false };
                let value = self.value(index, at)?;
                let Some(number) = value.constant() else {
                    let message = "on the left of `:=` an index is a constant";
                    let help = "assign each element, with a `case` over the index";
                    self.report.push(Diagnostic::error(index.span, "V0307", message).help(help));
                    return None;
                };
                let found = usize::try_from(number - low).ok().and_then(|number| places.get(number)).cloned();
                if found.is_none() {
                    self.out_of_bounds(number, low, places.len(), index.span);
                }
                found
            }
            _ => {
                self.error(expr.span, "V0308", "this is not a variable");
                None
            }
        }
    }

    pub(super) fn out_of_bounds(&mut self, number: i128, low: i128, length: usize, span: Span) {
        let message = format!("the index {number} lies outside of {low}..{}", low + length as i128 - 1);
        self.error(span, "V0503", message);
    }

    fn place_named(&mut self, name: &Name, span: Span, scope: ScopeId) -> Option<Place> {
        match self.scopes[scope].bindings.get(name).cloned() {
            Some((Binding::Place(place), _)) => Some(place),
            Some((Binding::Parameter(argument, outer), declared)) => {
                let is_path = matches!(
                    argument.kind,
                    ExprKind::Name(_) | ExprKind::Dot(..) | ExprKind::Index(..) | ExprKind::SelfInstance
                );
                if is_path {
                    return self.place(argument, outer);
                }
                let message = format!("`{name}` stands for an expression here, and no variable");
                let diagnostic = Diagnostic::error(span, "V0308", message).note(argument.span, "this one");
                self.report.push(diagnostic.note(declared, "the parameter"));
                None
            }
            Some((Binding::Define(body, _), _)) => {
                let message = format!("`{name}` is a definition, and no variable");
                self.report.push(Diagnostic::error(span, "V0308", message).note(body.span, "defined here"));
                None
            }
            Some((Binding::Undeclared, _)) => None,
            None => {
                if self.symbol_numbers.contains_key(name) {
                    self.error(span, "V0308", format!("`{name}` is a constant, and no variable"));
                } else {
                    self.undefined(name, span, scope);
                }
                None
            }
        }
    }

    /// The names of an instance, if these are few.
    fn names_of_instance(&self, scope: ScopeId) -> Option<String> {
        let Scope { prefix, bindings, .. } = &self.scopes[scope];
        let mut names: Vec<String> = bindings.keys().map(|name| format!("`{name}`")).collect();
        names.sort_unstable();
        if prefix.is_empty() || names.len() > 8 {
            return None;
        }
        let last = names.pop()?;
        Some(if names.is_empty() { format!("is {last}") } else { format!("are {} and {last}", names.join(", ")) })
    }

    fn undefined(&mut self, name: &Name, span: Span, scope: ScopeId) {
        let place = match self.scopes[scope].prefix.trim_end_matches('.') {
            "" => String::new(),
            instance => format!(" in `{instance}`, an instance of `{}`", self.scopes[scope].module.name.name),
        };
        let mut diagnostic = Diagnostic::error(span, "V0212", format!("`{name}` is not declared{place}"));
        let mut known: Vec<&str> = self.scopes[scope].bindings.keys().map(|name| &**name).collect();
        known.sort_unstable();
        known.extend(self.flat.symbols.iter().map(|name| &**name));
        let minus = name.split_once('-').filter(|(before, _)| known.contains(before));
        diagnostic = match (&**name, minus) {
            ("true", _) => diagnostic.help("write `TRUE`"),
            ("false", _) => diagnostic.help("write `FALSE`"),
            ("default" | "else" | "otherwise", _) => diagnostic.help("the last branch of a `case` is `TRUE : …;`"),
            ("running", _) => diagnostic.help("there is no `process` in this model"),
            (_, Some((before, after))) => {
                diagnostic.help(format!("`-` belongs to names; a difference has spaces: `{before} - {after}`"))
            }
            _ if known.iter().any(|known| known.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('['))) => {
                let help = "names with an index are declared one by one here: an index that varies needs an array";
                diagnostic.help(help)
            }
            _ => match closest_name(name, known) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => match self.names_of_instance(scope) {
                    Some(names) => diagnostic.help(format!("there {names}")),
                    None => diagnostic,
                },
            },
        };
        self.report.push(diagnostic);
    }
}
