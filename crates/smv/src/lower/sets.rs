//! Large sets, written as a list of their elements.
//!
//! A set that is made of others which use each other twice (`d1 := c ? d0 : (d0 union {1})`) has few elements, and many ways to come by
//! each of them. So for each element a condition is made that says when it is one: a truth value, which can have a name as others
//! (`share.rs`). A set cannot, since it is chosen from anew wherever it stands.

use super::share::{Parts, with_parts};
use crate::term::{Kind, Term, TermNode, constant, term};
use crate::tree::BinaryOp;
use crate::types::Ty;
use lariat_base::{Span, safe_point};
use std::collections::HashMap;
use std::sync::Arc;

/// Sets are left as they are if all of them together have more elements.
const MOST_ELEMENTS: usize = 1 << 20;

/// An element of a set, or a range of them.
#[derive(Clone)]
struct Element {
    /// The same for all that say the same.
    number: usize,
    value: Term,
    /// When it is in the set.
    when: Term,
}

/// What was written for terms so far.
pub(super) struct Sets {
    /// Sets that are larger as trees are written anew.
    large: u64,
    elements: Parts,
    /// By term, what stands for it.
    written: HashMap<*const TermNode, Term>,
    of_sets: HashMap<*const TermNode, Vec<Element>>,
    /// Keeps terms alive whose addresses are known.
    seen: Vec<Term>,
    count: usize,
}

impl Sets {
    pub(super) fn new(large: u64) -> Self {
        let (written, of_sets) = (HashMap::new(), HashMap::new());
        Self { large, elements: Parts::default(), written, of_sets, seen: Vec::new(), count: 0 }
    }

    /// The term with large sets as lists of elements. `None` if there are too many.
    pub(super) fn listed(&mut self, root: &Term) -> Option<Term> {
        // A stack of our own: terms may be deep.
        let mut waiting: Vec<(Term, bool)> = vec![(Arc::clone(root), false)];
        while let Some((next, is_open)) = waiting.pop() {
            safe_point();
            if self.written.contains_key(&Arc::as_ptr(&next)) {
                continue;
            }
            if !is_open {
                waiting.push((Arc::clone(&next), true));
                waiting.extend(next.parts().into_iter().map(|part| (Arc::clone(part), false)));
                continue;
            }
            self.write(&next);
            self.seen.push(next);
            if self.count > MOST_ELEMENTS {
                return None;
            }
        }
        Some(Arc::clone(&self.written[&Arc::as_ptr(root)]))
    }

    fn write(&mut self, old: &Term) {
        let parts = old.parts();
        let is_as_it_was = parts.iter().all(|part| Arc::ptr_eq(part, self.written_for(part)));
        let new = match is_as_it_was {
            true => Arc::clone(old),
            false => {
                let parts = parts.iter().map(|part| Arc::clone(self.written_for(part))).collect();
                term(with_parts(&old.kind, parts), old.ty, old.span)
            }
        };
        let mut written = Arc::clone(&new);
        if old.ty.set {
            let elements = self.elements_of(old, new);
            if old.size > self.large && !matches!(old.kind, Kind::Range(..)) {
                written = as_set(&elements, old.ty, old.span);
            }
            self.count += elements.len();
            self.of_sets.insert(Arc::as_ptr(old), elements);
        }
        self.written.insert(Arc::as_ptr(old), written);
    }

    fn written_for(&self, old: &Term) -> &Term {
        &self.written[&Arc::as_ptr(old)]
    }

    /// The elements of a set whose parts are known; `new` says the same as the set.
    fn elements_of(&mut self, old: &Term, new: Term) -> Vec<Element> {
        let span = old.span;
        match &old.kind {
            Kind::Set(items) => {
                let items = self.of_all(items);
                merged(&items, |conditions| {
                    let is_certain = conditions.iter().any(|condition| condition.constant() == Some(1));
                    let some = conditions.into_iter().filter(|condition| condition.constant() != Some(0));
                    match is_certain {
                        true => constant(1, Ty::BOOL, span),
                        false => some.reduce(|one, other| either(one, other, span)).expect("it is an element of one"),
                    }
                })
            }
            Kind::Ite(condition, yes, no) => {
                let condition = Arc::clone(self.written_for(condition));
                let sides = self.of_all([yes, no]);
                merged(&sides, |sides| {
                    let [yes, no] = &sides[..] else { unreachable!("there are two sides") };
                    term(Kind::Ite(Arc::clone(&condition), Arc::clone(yes), Arc::clone(no)), Ty::BOOL, span)
                })
            }
            Kind::Case(branches) => {
                let whens: Vec<Term> = branches.iter().map(|(when, _)| Arc::clone(self.written_for(when))).collect();
                let values = self.of_all(branches.iter().map(|(_, value)| value));
                merged(&values, |values| term(Kind::Case(whens.iter().cloned().zip(values).collect()), Ty::BOOL, span))
            }
            Kind::Select(index, low, items) => {
                let index = Arc::clone(self.written_for(index));
                let items = self.of_all(items);
                merged(&items, |items| term(Kind::Select(Arc::clone(&index), *low, items), Ty::BOOL, span))
            }
            Kind::Fits(part, ..) => self.of(part),
            _ => vec![self.alone(new)],
        }
    }

    fn of_all<'t>(&mut self, parts: impl IntoIterator<Item = &'t Term>) -> Vec<Vec<Element>> {
        parts.into_iter().map(|part| self.of(part)).collect()
    }

    /// The elements of a part, which may be a single value.
    fn of(&mut self, part: &Term) -> Vec<Element> {
        match self.of_sets.get(&Arc::as_ptr(part)) {
            Some(elements) => elements.clone(),
            None => {
                let value = Arc::clone(self.written_for(part));
                vec![self.alone(value)]
            }
        }
    }

    fn alone(&mut self, value: Term) -> Element {
        let when = constant(1, Ty::BOOL, value.span);
        Element { number: self.elements.add(&value), value, when }
    }
}

/// The elements of several sets, each once. `join` makes of the conditions under which it is in each of them the one under which it is in
/// the set that is made of them.
fn merged(sets: &[Vec<Element>], join: impl Fn(Vec<Term>) -> Term) -> Vec<Element> {
    let mut order: Vec<&Element> = Vec::new();
    let mut conditions: HashMap<usize, Vec<Option<&Term>>> = HashMap::new();
    for (number, set) in sets.iter().enumerate() {
        for element in set {
            let known = conditions.entry(element.number).or_insert_with(|| {
                order.push(element);
                vec![None; sets.len()]
            });
            known[number] = Some(&element.when);
        }
    }
    let made = order.into_iter().map(|element| {
        let never = constant(0, Ty::BOOL, element.value.span);
        let given = &conditions[&element.number];
        let when = match given.iter().all(|when| when.is_some_and(|when| when.constant() == Some(1))) {
            true => constant(1, Ty::BOOL, element.value.span),
            false => join(given.iter().map(|when| Arc::clone(when.unwrap_or(&never))).collect()),
        };
        Element { when, ..element.clone() }
    });
    made.collect()
}

fn either(one: Term, other: Term, span: Span) -> Term {
    term(Kind::Binary(BinaryOp::Or, one, other), Ty::BOOL, span)
}

/// A set of these elements. In the place of one that is not there stands another that is: sets have at least one element.
fn as_set(elements: &[Element], ty: Ty, span: Span) -> Term {
    if let [only] = elements {
        return Arc::clone(&only.value);
    }
    let is_certain = |element: &&Element| element.when.constant() == Some(1);
    let certain = elements.iter().filter(is_certain).min_by_key(|element| element.value.ty.set);
    let instead = match (certain, elements) {
        (Some(certain), _) => Arc::clone(&certain.value),
        (None, [.., _]) => {
            let is_set = elements.iter().any(|element| element.value.ty.set);
            let branches = elements.iter().map(|element| (Arc::clone(&element.when), Arc::clone(&element.value)));
            term(Kind::Case(branches.collect()), Ty { set: is_set, ..ty }, span)
        }
        (None, []) => unreachable!("sets have elements"),
    };
    let items = elements.iter().map(|element| match element.when.constant() {
        Some(1) => Arc::clone(&element.value),
        _ => {
            let set = element.value.ty.set || instead.ty.set;
            let kind = Kind::Ite(Arc::clone(&element.when), Arc::clone(&element.value), Arc::clone(&instead));
            term(kind, Ty { set, ..ty }, span)
        }
    });
    term(Kind::Set(items.collect()), ty, span)
}
