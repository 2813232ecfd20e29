//! Expressions and places: ids, scopes, ranges.

use super::{MAX_DEPTH, MAX_VALUE};
use crate::{Choice, ChoiceId, Expr, FrameId, Interval, Owner, Place, Slot, System, Type};
use lariat_base::{Diagnostic, IdVec, Span};

/// A validation under way.
pub(super) struct Check<'a> {
    pub(super) system: &'a System,
    pub(super) found: Vec<Diagnostic>,
}

/// Where an expression stands: what it may speak of, and what to tell people.
pub(super) struct Spot<'a> {
    pub(super) roles: Vec<FrameId>,
    pub(super) choices: &'a IdVec<ChoiceId, Choice>,
    pub(super) span: Span,
    pub(super) what: String,
}

impl<'a> Check<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        Self { system, found: Vec::new() }
    }

    pub(super) fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) {
        self.found.push(Diagnostic::error(span, code, message));
    }

    pub(super) fn range(&mut self, lo: i64, hi: i64, span: Span, name: &str) {
        if lo > hi {
            self.error(span, "S0103", format!("`{name}` has no values: {lo} is greater than {hi}"));
        } else if lo < -MAX_VALUE || hi > MAX_VALUE {
            self.error(span, "S0103", format!("`{name}` has values beyond 2^62"));
        }
    }

    /// Whether the type exists and has sensible bounds.
    pub(super) fn ty(&mut self, ty: Type, span: Span, name: &str) -> bool {
        let before = self.found.len();
        match ty {
            Type::Bool => {}
            Type::Int { lo, hi } => self.range(lo, hi, span, name),
            Type::Enum(id) if self.system.enums.get(id).is_some() => {}
            Type::Enum(_) => self.error(span, "S0104", format!("`{name}` has an enum type that does not exist")),
        }
        before == self.found.len()
    }

    pub(super) fn slot(&mut self, slot: &Slot) {
        if !self.ty(slot.ty, slot.span, &slot.name) {
            return;
        }
        if slot.len == Some(0) {
            self.error(slot.span, "S0105", format!("array `{}` has no cells", slot.name));
        }
        if slot.initial.len() != 1 && slot.initial.len() != slot.cells() {
            let (given, cells) = (slot.initial.len(), slot.cells());
            let message = format!("`{}` has {given} initial values for {cells} cells", slot.name);
            self.error(slot.span, "S0105", message);
        }
        let range = self.system.range(slot.ty);
        if let Some(value) = slot.initial.iter().find(|value| !range.contains(**value)) {
            let message = format!("the initial value {value} of `{}` is not in {}..{}", slot.name, range.lo, range.hi);
            self.error(slot.span, "S0105", message);
        }
    }

    /// The values of `expr`, if it is valid.
    pub(super) fn expr(&mut self, expr: &Expr, spot: &mut Spot<'_>) -> Option<Interval> {
        let before = self.found.len();
        self.ids(expr, spot, 0);
        (before == self.found.len()).then(|| self.interval(expr, spot)).flatten()
    }

    /// The slot that `place` names a cell of, if it is valid.
    pub(super) fn place(&mut self, place: &Place, spot: &mut Spot<'_>) -> Option<&'a Slot> {
        let before = self.found.len();
        self.place_ids(place, spot, 0);
        if before != self.found.len() {
            return None;
        }
        place.for_each_part(|part| {
            self.interval(part, spot);
        });
        let system = self.system;
        Some(system.slot_of(place, &spot.roles))
    }

    fn interval(&mut self, expr: &Expr, spot: &mut Spot<'_>) -> Option<Interval> {
        let found = Interval::of(expr, self.system, &mut spot.roles, spot.choices);
        if found.is_none() {
            self.error(spot.span, "S0206", format!("{} may leave the range of 62 bits", spot.what));
        }
        found
    }

    /// Ids and roles of `expr`; stops at the first mistake of each branch.
    fn ids(&mut self, expr: &Expr, spot: &mut Spot<'_>, depth: usize) {
        if depth >= MAX_DEPTH {
            return self.error(spot.span, "S0207", format!("{} is nested more than {MAX_DEPTH} deep", spot.what));
        }
        match expr {
            Expr::Read(place) => self.place_ids(place, spot, depth),
            Expr::Choice(choice) if spot.choices.get(*choice).is_none() => {
                self.error(spot.span, "S0204", format!("{} reads a choice that is not in scope", spot.what));
            }
            Expr::Position(role) if role.index() >= spot.roles.len() => {
                self.error(spot.span, "S0202", format!("{} names a role that is not in scope", spot.what));
            }
            Expr::Wrap { bits, signed, .. } if *bits == 0 || *bits > if *signed { 63 } else { 62 } => {
                let message = format!("{} is cut to {bits} bits; 1 to 62 can be, 63 with a sign", spot.what);
                self.error(spot.span, "S0205", message);
            }
            Expr::Lives(frame, _) | Expr::Exists(frame, _) if self.system.frames.get(*frame).is_none() => {
                self.error(spot.span, "S0201", format!("{} names a frame that does not exist", spot.what));
            }
            Expr::Exists(frame, body) => {
                spot.roles.push(*frame);
                self.ids(body, spot, depth + 1);
                spot.roles.pop();
            }
            _ => expr.for_each_part(|part| self.ids(part, spot, depth + 1)),
        }
    }

    fn place_ids(&mut self, place: &Place, spot: &mut Spot<'_>, depth: usize) {
        let frames = &self.system.frames;
        let slot = match &place.owner {
            Owner::Global(slot) => self.system.slots.get(*slot),
            Owner::Role(role, local) => {
                let Some(frame) = spot.roles.get(role.index()) else {
                    return self.error(spot.span, "S0202", format!("{} names a role that is not in scope", spot.what));
                };
                frames.get(*frame).and_then(|frame| frame.slots.get(*local))
            }
            Owner::At(frame, local, _) => frames.get(*frame).and_then(|frame| frame.slots.get(*local)),
        };
        match slot {
            None => self.error(spot.span, "S0201", format!("{} names a slot that does not exist", spot.what)),
            Some(slot) if slot.len.is_some() != place.index.is_some() => {
                let wrong = if slot.len.is_some() { "array is used without" } else { "single slot is used with" };
                self.error(spot.span, "S0203", format!("{}: `{}`: {wrong} an index", spot.what, slot.name));
            }
            Some(_) => place.for_each_part(|part| self.ids(part, spot, depth + 1)),
        }
    }
}
