//! Letters that no guard of an automaton tells apart.

use crate::{Automaton, Guard, Guards, TooLarge};

/// More classes are refused.
const MOST_CLASSES: usize = 1 << 10;
/// With at most this many propositions the class of each letter is written down.
const MOST_LISTED: usize = 10;

#[derive(Clone, Debug)]
pub(super) struct Letters {
    guards: Guards,
    /// Of each class, its letters.
    classes: Vec<Guard>,
    /// By letter, its class.
    table: Option<Vec<u16>>,
    propositions: u32,
}

impl Letters {
    pub(super) fn new(automaton: &Automaton) -> Result<Self, TooLarge> {
        let mut guards = automaton.guards.clone();
        let mut used: Vec<Guard> = automaton.all_edges().map(|(_, edge)| edge.guard).collect();
        used.sort_unstable();
        used.dedup();
        let mut classes = vec![Guard::TRUE];
        for guard in used {
            let mut split = Vec::with_capacity(classes.len());
            for class in classes {
                let parts = [guards.and(class, guard), guards.minus(class, guard)];
                split.extend(parts.into_iter().filter(|&part| part != Guard::FALSE));
            }
            if split.len() > MOST_CLASSES {
                return Err(TooLarge::Letters { limit: MOST_CLASSES });
            }
            if guards.overflowed() {
                return Err(guards.refusal());
            }
            classes = split;
        }
        let propositions = automaton.propositions.len();
        let mut letters = Self { guards, classes, table: None, propositions: propositions as u32 };
        if propositions <= MOST_LISTED {
            let class = |letter: u32| letters.class(|variable| letter >> variable & 1 == 1) as u16;
            letters.table = Some((0..1_u32 << propositions).map(class).collect());
        }
        Ok(letters)
    }

    pub(super) fn classes(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn class(&self, is_true: impl Fn(u32) -> bool) -> usize {
        match &self.table {
            Some(table) => {
                let letter =
                    (0..self.propositions).fold(0, |bits, variable| bits | usize::from(is_true(variable)) << variable);
                usize::from(table[letter])
            }
            None => {
                let holds = |&class: &Guard| self.guards.holds(class, &is_true);
                self.classes.iter().position(holds).expect("the classes cover all letters")
            }
        }
    }

    /// Whether the letters of a class satisfy a guard of the automaton: all do or none does.
    pub(super) fn satisfies(&mut self, class: usize, guard: Guard) -> bool {
        self.guards.intersect(self.classes[class], guard)
    }
}
