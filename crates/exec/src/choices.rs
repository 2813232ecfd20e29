//! The values of the choices of an action.
//!
//! Choices are settled in order, so that their values come out lexicographically. A conjunct is looked at as soon as the
//! choices it reads are settled; one of the form `choice == expression over earlier choices` settles its choice outright
//! instead of being tried for every value.

use crate::code::{Code, Entry};
use crate::emit::Emitter;
use crate::interpret::Machine;
use lariat_base::{Id, IdVec};
use lariat_system::{Choice, ChoiceId, Expr, Interval, System};
use std::ops::ControlFlow;

/// How one choice is settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settle {
    pub(crate) range: Interval,
    /// The only value that can do, if it is in the range.
    pub(crate) only: Option<Entry>,
    /// What must hold once this choice is settled.
    pub(crate) check: Option<Entry>,
}

/// A guard in the order in which it is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Guarded {
    /// What must hold whatever is chosen; `None` if nothing is asked.
    pub(crate) before: Option<Entry>,
    /// By choice.
    pub(crate) choices: Vec<Settle>,
}

impl Guarded {
    /// The plan for folded `conjuncts`.
    pub(crate) fn new(
        conjuncts: Vec<Expr>,
        choices: &IdVec<ChoiceId, Choice>,
        system: &System,
        emitter: &mut Emitter<'_, '_>,
    ) -> Self {
        let mut levels: Vec<Vec<Expr>> = vec![Vec::new(); choices.len() + 1];
        for conjunct in conjuncts {
            levels[conjunct.greatest_choice().map_or(0, |choice| choice.index() + 1)].push(conjunct);
        }
        let mut levels = levels.into_iter();
        let before = emitter.all_of(&levels.next().unwrap_or_default());
        let settle = |((id, choice), mut conjuncts): ((ChoiceId, &Choice), Vec<Expr>)| {
            let binding = conjuncts.iter().position(|conjunct| conjunct.bound_value(id).is_some());
            let only = binding.and_then(|at| conjuncts.remove(at).bound_value(id).cloned());
            Settle {
                range: system.range(choice.ty),
                only: only.map(|value| emitter.value_of(&value)),
                check: emitter.all_of(&conjuncts),
            }
        };
        Self { before, choices: choices.entries().zip(levels).map(settle).collect() }
    }

    /// Calls `on` for every way of settling the choices under which the guard holds in `state`, in order; of some only if the tries
    /// of the machine run out.
    pub(crate) fn each<B>(
        &self,
        code: &Code,
        state: &[u64],
        machine: &mut Machine,
        mut on: impl FnMut(&mut Machine) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.before.is_some_and(|entry| !machine.holds(code, entry, state)) {
            return ControlFlow::Continue(());
        }
        if self.choices.is_empty() {
            return on(machine);
        }
        // An odometer: `at` is the choice being settled, `fresh` whether it has no value yet.
        let (mut at, mut fresh) = (0, true);
        loop {
            if machine.tries_left == 0 {
                return ControlFlow::Continue(());
            }
            machine.tries_left -= 1;
            let settle = &self.choices[at];
            let last = machine.choices[at];
            let next = match settle.only {
                Some(entry) if fresh => Some(machine.value(code, entry, state)),
                Some(_) => None,
                None if fresh => Some(settle.range.lo),
                None => last.checked_add(1),
            };
            match next {
                Some(value) if settle.range.contains(value) => {
                    machine.choices[at] = value;
                    fresh = false;
                    if settle.check.is_some_and(|entry| !machine.holds(code, entry, state)) {
                        continue;
                    }
                    if at + 1 == self.choices.len() {
                        on(machine)?;
                    } else {
                        (at, fresh) = (at + 1, true);
                    }
                }
                _ if at == 0 => return ControlFlow::Continue(()),
                _ => (at, fresh) = (at - 1, false),
            }
        }
    }
}
