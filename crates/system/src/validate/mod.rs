//! Whether a system is one: every id names something, every role is in scope, every value fits.
//!
//! Front ends must make valid systems, so what is found here is mostly our own mistake; a system read from its text form
//! can be anyone's. Everything that comes after may rely on the laws:
//!
//! * Names: slots, frames, enums and labels have names that are not empty and not shared by two of a kind.
//! * A place has an index if and only if its slot is an array.
//! * An update's value lies in the type of its slot in every state; no expression leaves the allowed range.
//! * `guard.control`, guard traps and `rank` read no choices: whether control is at an action, which guard traps fire,
//!   and of which rank a binding is do not depend on what is chosen.
//! * Labels, invariants and `proper_end` read the state alone; the initial guard and updates name no roles.
//! * The acting process ends in an action that has one, creates none, and ends only once.

mod exprs;
mod parts;

use crate::{Layout, MAX_POOL_SIZE, Slot, System};
use exprs::Check;
use lariat_base::{Diagnostic, Span};
use std::collections::HashSet;

/// The greatest magnitude of a slot's or a choice's value, so that expressions over them can be evaluated in 64 bits.
pub const MAX_VALUE: i64 = (1 << 62) - 1;
/// The deepest nesting of an expression.
pub const MAX_DEPTH: usize = 500;
/// The most cells of a state. A layout bounds those that take bits; this bounds those of one value only, too.
pub const MAX_CELLS: u64 = 1 << 24;
/// The most traps of one action, so that their numbers fit a [`Fault`](crate::Fault).
pub const MAX_TRAPS: usize = u16::MAX as usize;

impl System {
    /// Whether the system obeys the laws above; else every breach that was found. Where ids name nothing, what
    /// depends on them is not looked at.
    pub fn validate(&self) -> Result<(), Vec<Diagnostic>> {
        let mut check = Check::new(self);
        check.types();
        check.slots();
        check.pool();
        // The rest follows ids into the declarations, and these must be sound for that.
        if check.found.is_empty() {
            check.queues();
            check.init();
            check.labels();
            check.actions();
            check.fairness();
            check.closed_expressions();
        }
        if check.found.is_empty() { Ok(()) } else { Err(check.found) }
    }
}

impl Check<'_> {
    fn types(&mut self) {
        self.names("enum", self.system.enums.iter().map(|ty| (ty.name.as_str(), Span::NONE)));
        for ty in self.system.enums.iter() {
            self.range(ty.lo, ty.hi, Span::NONE, &ty.name);
            self.names(
                &format!("value of enum `{}`", ty.name),
                ty.variants.iter().map(|v| (v.name.as_str(), Span::NONE)),
            );
            for variant in &ty.variants {
                if variant.value < ty.lo || variant.value > ty.hi {
                    let message = format!("value `{}` lies outside enum `{}`", variant.name, ty.name);
                    self.error(Span::NONE, "S0102", message);
                }
            }
        }
    }

    fn slots(&mut self) {
        self.names("slot", self.system.slots.iter().map(|slot| (slot.name.as_str(), slot.span)));
        self.system.slots.iter().for_each(|slot| self.slot(slot));
        self.names("frame", self.system.frames.iter().map(|frame| (frame.name.as_str(), frame.span)));
        for frame in self.system.frames.iter() {
            let what = format!("slot of `{}`", frame.name);
            self.names(&what, frame.slots.iter().map(|slot| (slot.name.as_str(), slot.span)));
            frame.slots.iter().for_each(|slot| self.slot(slot));
            if let Some(control) = frame.control
                && frame.slots.get(control).is_none_or(|slot| slot.len.is_some())
            {
                self.error(frame.span, "S0106", format!("control of `{}` is not a single slot of it", frame.name));
            }
        }
    }

    fn pool(&mut self) {
        if self.system.pool_size > MAX_POOL_SIZE {
            let message = format!("a pool of {} positions; {MAX_POOL_SIZE} is the most", self.system.pool_size);
            self.error(Span::NONE, "S0107", message);
        }
        let cells = self.cells();
        if cells > MAX_CELLS {
            let message = format!("the slots of this model have {cells} cells; {MAX_CELLS} is the most");
            self.error(Span::NONE, "S0108", message);
        }
        if self.found.is_empty()
            && let Err(too_large) = Layout::new(self.system)
        {
            self.error(Span::NONE, "S0108", too_large.to_string());
        }
    }

    /// The cells of all slots as declared, and of a pool full of the largest processes.
    fn cells(&self) -> u64 {
        let of = |slots: &[Slot]| slots.iter().map(|slot| slot.cells() as u64).fold(0, u64::saturating_add);
        let frames = || self.system.frames.iter().map(|frame| of(frame.slots.as_slice()));
        let pool = frames().max().unwrap_or(0).saturating_mul(u64::from(self.system.pool_size));
        frames().fold(of(self.system.slots.as_slice()).saturating_add(pool), u64::saturating_add)
    }

    /// No name is empty, none is used twice.
    fn names<'n>(&mut self, what: &str, names: impl Iterator<Item = (&'n str, Span)>) {
        let mut seen = HashSet::new();
        for (name, span) in names {
            if name.is_empty() {
                self.error(span, "S0101", format!("a {what} without a name"));
            } else if !seen.insert(name) {
                self.error(span, "S0101", format!("a second {what} with the name `{name}`"));
            }
        }
    }
}
