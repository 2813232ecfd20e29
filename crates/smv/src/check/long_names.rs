//! Names with an index or a part, declared as they are: `VAR x[0] : boolean; cell.value : 0..3;`.
//!
//! There is no array and no instance behind them. Where an expression is written like such a name, it is this name; an index may be any
//! constant. So they are looked for before arrays and instances are.

use super::Elaborator;
use super::instance::{Binding, Place, ScopeId};
use crate::token::Name;
use crate::tree::{BinaryOp, Element, Expr, ExprKind, Tree};
use lariat_base::Diagnostic;
use std::cell::Cell;

/// No name is looked for any further when this many parts of names and of constants were looked at.
const MOST_PARTS: u32 = 20_000;

/// How many more parts may be looked at.
struct PartsLeft(Cell<u32>);

impl PartsLeft {
    fn new() -> Self {
        Self(Cell::new(MOST_PARTS))
    }
    /// `None` at the end of it.
    fn take(&self) -> Option<()> {
        self.0.set(self.0.get().checked_sub(1)?);
        Some(())
    }
}

/// Whether some module declares such a name.
pub(super) fn has_long_names(tree: &Tree) -> bool {
    tree.modules.iter().flat_map(|module| &module.elements).any(|element| match element {
        Element::Variable(_, name, _) => name.name.contains(['[', '.']),
        Element::Define(target, _) => matches!(target.kind, ExprKind::Index(..)),
        _ => false,
    })
}

impl Elaborator<'_, '_> {
    /// The name that this is, and the instance that declares it.
    pub(super) fn long_name(&self, expr: &Expr, scope: ScopeId) -> Option<(ScopeId, Name)> {
        if !self.has_long_names {
            return None;
        }
        self.long_name_within(expr, scope, &PartsLeft::new())
    }

    fn long_name_within(&self, expr: &Expr, scope: ScopeId, parts_left: &PartsLeft) -> Option<(ScopeId, Name)> {
        let (mut expr, mut scope, mut behind) = (expr, scope, String::new());
        loop {
            parts_left.take()?;
            match &expr.kind {
                ExprKind::Index(array, index) => {
                    behind = format!("[{}]{behind}", self.written_number(index, scope, 0, parts_left)?);
                    expr = array;
                }
                ExprKind::Dot(owner, part) => {
                    behind = format!("{}{behind}", part.name);
                    if let Some(owner) = self.instance(owner, scope, parts_left)
                        && let Some(found) = self.declared(owner, &behind)
                    {
                        return Some(found);
                    }
                    behind.insert(0, '.');
                    expr = owner;
                }
                ExprKind::Name(name) => {
                    if let Some(found) = self.declared(scope, &format!("{name}{behind}")) {
                        return Some(found);
                    }
                    let Some((Binding::Parameter(argument, outside), _)) = self.scopes[scope].bindings.get(name) else {
                        return None;
                    };
                    (expr, scope) = (argument, *outside);
                }
                _ => return None,
            }
        }
    }

    fn declared(&self, scope: ScopeId, name: &str) -> Option<(ScopeId, Name)> {
        let is_long = name.contains(['[', '.']);
        let (known, _) = self.scopes[scope].bindings.get_key_value(name).filter(|_| is_long)?;
        Some((scope, known.clone()))
    }

    /// The instance that this is, if it is one.
    fn instance(&self, expr: &Expr, scope: ScopeId, parts_left: &PartsLeft) -> Option<ScopeId> {
        parts_left.take()?;
        let (owner, name) = match &expr.kind {
            ExprKind::SelfInstance => return Some(scope),
            ExprKind::Name(name) => (scope, name.clone()),
            _ => match (self.long_name_within(expr, scope, parts_left), &expr.kind) {
                (Some(found), _) => found,
                (None, ExprKind::Dot(owner, part)) => (self.instance(owner, scope, parts_left)?, part.name.clone()),
                (None, _) => return None,
            },
        };
        match &self.scopes[owner].bindings.get(&name)?.0 {
            Binding::Place(Place::Instance(instance)) => Some(*instance),
            Binding::Parameter(argument, outside) => self.instance(argument, *outside, parts_left),
            _ => None,
        }
    }

    /// The constant whole number that is written here.
    fn written_number(&self, expr: &Expr, scope: ScopeId, depth: usize, parts_left: &PartsLeft) -> Option<i128> {
        parts_left.take()?;
        if depth > 50 {
            return None;
        }
        let again = |expr: &Expr, scope: ScopeId| self.written_number(expr, scope, depth + 1, parts_left);
        match &expr.kind {
            ExprKind::Number(number) => Some(*number),
            ExprKind::Name(name) => match self.scopes[scope].bindings.get(name)?.0 {
                Binding::Define(body, within) | Binding::Parameter(body, within) => again(body, within),
                _ => None,
            },
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (again(left, scope)?, again(right, scope)?);
                match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Sub => left.checked_sub(right),
                    BinaryOp::Mul => left.checked_mul(right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Refuses `x[0]` beside an array `x`.
    pub(super) fn refuse_elements_declared_twice(&mut self) {
        if !self.has_long_names {
            return;
        }
        for scope in self.scopes.iter() {
            for (name, (_, span)) in &scope.bindings {
                let base = name.rfind('[').and_then(|end| scope.bindings.get(&name[..end]));
                if let Some((Binding::Place(Place::Array(..)), earlier)) = base {
                    let message = format!("`{name}` is an element of an array, and declared as a variable of its own");
                    let diagnostic = Diagnostic::error(*span, "V0207", message);
                    self.report.push(diagnostic.note(*earlier, "the array"));
                }
            }
        }
    }
}
