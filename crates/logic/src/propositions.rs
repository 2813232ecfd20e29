//! The propositions of formulas: numbers with a text.

use crate::PropId;
use lariat_base::{IdVec, Span};
use std::collections::HashMap;

/// What a proposition looks like. What it means is for the model's language to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// Its text, spaces as in the formula; a quoted name without its quotes.
    pub text: String,
    /// Where it was read first; may be [`Span::NONE`].
    pub span: Span,
}

/// The propositions of one or more formulas. No two have the same text.
#[derive(Clone, Default, Debug)]
pub struct Propositions {
    list: IdVec<PropId, Proposition>,
    known: HashMap<String, PropId>,
}

impl Propositions {
    /// The proposition with this text, made if there is none yet.
    pub fn intern(&mut self, text: &str, span: Span) -> PropId {
        if let Some(&id) = self.known.get(text) {
            return id;
        }
        let id = self.list.push(Proposition { text: text.to_owned(), span });
        self.known.insert(text.to_owned(), id);
        id
    }
    /// Propositions with these names, in order; for tests.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut made = Self::default();
        for name in names {
            made.intern(name, Span::NONE);
        }
        made
    }
    /// The proposition with this text.
    pub fn find(&self, text: &str) -> Option<PropId> {
        self.known.get(text).copied()
    }
    /// The proposition.
    pub fn get(&self, id: PropId) -> Option<&Proposition> {
        self.list.get(id)
    }
    /// Its text; `p3` for number 3 if it is not of this table.
    pub fn text(&self, id: PropId) -> std::borrow::Cow<'_, str> {
        match self.list.get(id) {
            Some(proposition) => proposition.text.as_str().into(),
            None => format!("p{}", id.0).into(),
        }
    }
    /// The propositions with their numbers, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (PropId, &Proposition)> + ExactSizeIterator {
        self.list.entries()
    }
    /// The number of propositions.
    pub fn len(&self) -> usize {
        self.list.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
