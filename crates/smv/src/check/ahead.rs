//! Long chains of definitions: each is written out before those that are made of it, so that following names is no deep recursion,
//! in whatever order they stand in the text.

use super::Elaborator;
use super::expr::At;
use super::instance::{Binding, Place, ScopeId};
use crate::token::Name;
use crate::tree::{Expr, ExprKind};
use std::collections::HashMap;

/// Shorter chains are followed as they come.
const LONG: usize = 40;

/// A definition of an instance, now or in the next state.
type Definition = (ScopeId, Name, bool);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Done,
}

impl<'t> Elaborator<'t, '_> {
    /// Writes out what the definition is made of, if that is much. A circle is left to be told where it is met.
    pub(super) fn write_out_ahead(&mut self, owner: ScopeId, name: &Name, next: bool) {
        if self.is_ahead {
            return;
        }
        let Some(inner) = self.made_of((owner, name.clone(), next)) else { return };
        if inner.len() < LONG {
            return;
        }
        self.is_ahead = true;
        for (scope, name, next) in inner {
            if let Some((Binding::Define(body, _), _)) = self.scopes[scope].bindings.get(&name).cloned() {
                let binding = self.scopes[scope].bindings[&name].0.clone();
                let _ = self.bound(&name, binding, body.span, At { scope, next });
            }
        }
        self.is_ahead = false;
    }

    /// The definitions that are not written out yet and that this one is made of, those inside of others first, without itself. `None`
    /// if they are a circle.
    fn made_of(&self, root: Definition) -> Option<Vec<Definition>> {
        let mut marks: HashMap<Definition, Mark> = HashMap::new();
        let mut order = Vec::new();
        let mut path = vec![(root.clone(), self.names_in(&root))];
        marks.insert(root, Mark::Open);
        while let Some((here, rest)) = path.last_mut() {
            let Some(inner) = rest.pop() else {
                marks.insert(here.clone(), Mark::Done);
                order.push(here.clone());
                path.pop();
                continue;
            };
            match marks.get(&inner) {
                Some(Mark::Done) => {}
                Some(Mark::Open) => return None,
                None => {
                    marks.insert(inner.clone(), Mark::Open);
                    let names = self.names_in(&inner);
                    path.push((inner, names));
                }
            }
        }
        order.pop();
        Some(order)
    }

    /// The definitions that one names, itself or by a parameter; none if it is written out already.
    fn names_in(&self, definition: &Definition) -> Vec<Definition> {
        let (scope, name, next) = definition;
        match self.scopes[*scope].bindings.get(name) {
            Some((Binding::Define(body, within) | Binding::Parameter(body, within), _))
                if !self.definitions.contains_key(definition) =>
            {
                self.names_of(body, *within, *next)
            }
            _ => Vec::new(),
        }
    }

    fn names_of(&self, expr: &'t Expr, scope: ScopeId, next: bool) -> Vec<Definition> {
        let (mut found, mut waiting) = (Vec::new(), vec![(expr, next)]);
        while let Some((expr, next)) = waiting.pop() {
            match &expr.kind {
                ExprKind::Name(name) => found.push((scope, name.clone(), next)),
                ExprKind::Next(inside) => waiting.push((inside, true)),
                ExprKind::Dot(owner, part) => match &owner.kind {
                    ExprKind::Name(name) => {
                        if let Some((Binding::Place(Place::Instance(instance)), _)) =
                            self.scopes[scope].bindings.get(name)
                        {
                            found.push((*instance, part.name.clone(), next));
                        }
                    }
                    _ => waiting.push((owner, next)),
                },
                _ => waiting.extend(expr.parts().into_iter().map(|part| (part, next))),
            }
        }
        let is_known = |(scope, name, _): &Definition| {
            let binding = self.scopes[*scope].bindings.get(name);
            matches!(binding, Some((Binding::Define(..) | Binding::Parameter(..), _)))
        };
        found.retain(is_known);
        found
    }
}
