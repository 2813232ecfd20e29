//! Which name means what at a place of the text.

use super::declare::StructId;
use super::{ProcId, VarId};
use lariat_base::Span;
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A variable without parts.
    Var(VarId),
    /// A variable with parts: its leaves, in the order of the structure.
    Struct(StructVar),
    /// An `mtype` constant.
    Constant(i64),
    /// A proctype.
    Proc(ProcId),
    /// Something whose declaration is wrong, which was told there.
    Wrong,
}

/// A variable of structure type, taken apart.
#[derive(Clone, Debug)]
pub(super) struct StructVar {
    /// Its type.
    pub(super) ty: StructId,
    /// The number of structures, if it is an array.
    pub(super) len: Option<u32>,
    /// The variables of its leaves, in order.
    pub(super) leaves: Vec<VarId>,
}

/// A name with its meaning and the place of its declaration.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) meaning: Meaning,
    pub(super) span: Span,
    /// Where the name is spelled there.
    pub(super) spelled: Span,
}

/// Scopes, the innermost last. The first is that of the whole model.
#[derive(Debug)]
pub(super) struct Scopes {
    levels: Vec<HashMap<String, Named>>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self { levels: vec![HashMap::new()] }
    }
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.levels.push(HashMap::new());
    }
    pub(super) fn leave(&mut self) {
        self.levels.pop();
        assert!(!self.levels.is_empty(), "the scope of the model is never left");
    }
    /// Leaves the innermost scope; its names stay visible where the scope around has none like them.
    pub(super) fn leave_open(&mut self) {
        let inner = self.levels.pop().expect("the scope of the model is never left");
        let outer = self.levels.last_mut().expect("the scope of the model is never left");
        inner.into_iter().for_each(|(name, named)| {
            outer.entry(name).or_insert(named);
        });
    }
    /// Declares a name in the innermost scope; returns the earlier declaration if there is one there.
    pub(super) fn declare(&mut self, name: &str, named: Named) -> Option<Named> {
        self.levels.last_mut().expect("the scope of the model is never left").insert(name.to_owned(), named)
    }
    pub(super) fn find(&self, name: &str) -> Option<&Named> {
        self.levels.iter().rev().find_map(|level| level.get(name))
    }
    /// All visible names, for suggestions; sorted, so that suggestions do not depend on a hash.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.levels.iter().flat_map(|level| level.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}
