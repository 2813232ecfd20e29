//! Where a language stands in the hierarchy of temporal properties (Manna, Pnueli, PODC 1990), decided on automata.

use crate::obligation::decide_obligation;
use crate::{Analysis, Automaton, TooLarge, TranslateOptions, intersection, is_empty, monitor};
use lariat_logic::{Class, Classes};

/// The classes that a language is in. What could not be decided is unknown, not denied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hierarchy {
    /// A word outside has a prefix that shows it.
    pub safety: bool,
    /// A word inside has a prefix that shows it.
    pub guarantee: bool,
    /// It is known that some weak deterministic automaton accepts it.
    pub obligation: bool,
    /// Some deterministic Büchi automaton accepts it. Known for obligations, and where an automaton at hand is
    /// deterministic.
    pub recurrence: Option<bool>,
    /// Some deterministic co-Büchi automaton accepts it; the complement is a recurrence.
    pub persistence: Option<bool>,
}

impl Hierarchy {
    /// The classes of the language of `automaton`. Both automata have generalised Büchi conditions, and `complement`
    /// accepts exactly the words that `automaton` does not.
    pub fn of(automaton: &Automaton, complement: &Automaton, options: &TranslateOptions) -> Result<Self, TooLarge> {
        let closed = |automaton: &Automaton, complement: &Automaton| {
            let closure = monitor(automaton, options)?;
            Ok(is_empty(&intersection(&closure, complement, options)?))
        };
        let safety = closed(automaton, complement)?;
        let guarantee = closed(complement, automaton)?;
        // A language is an obligation just if its complement is.
        let decided = decide_obligation(automaton, complement, options)
            .or_else(|_| decide_obligation(complement, automaton, options));
        let obligation = safety || guarantee || matches!(decided, Ok(Some(_)));
        let no_obligation = !obligation && decided.is_ok();
        let mut recurrence = (obligation || Analysis::of(automaton).deterministic).then_some(true);
        let mut persistence = (obligation || Analysis::of(complement).deterministic).then_some(true);
        // What is both is an obligation.
        if no_obligation && recurrence == Some(true) {
            persistence = Some(false);
        } else if no_obligation && persistence == Some(true) {
            recurrence = Some(false);
        }
        Ok(Self { safety, guarantee, obligation, recurrence, persistence })
    }
    /// The classes that it is known to be in.
    pub fn classes(&self) -> Classes {
        let known = [
            (self.safety, Class::Safety),
            (self.guarantee, Class::Guarantee),
            (self.obligation, Class::Obligation),
            (self.recurrence == Some(true), Class::Recurrence),
            (self.persistence == Some(true), Class::Persistence),
        ];
        let known = known.into_iter().filter(|(inside, _)| *inside);
        known.fold(Classes::REACTIVITY, |classes, (_, class)| classes.with(class))
    }
}
