//! What can happen where a record says where it leads, without listing everything.

use super::{KnownStates, RunRecord};
use crate::SystemReplay;
use lariat_system::reference::{Evaluator, Firing, Valuation, Wanted};
use lariat_system::{ActionId, MOST_LISTED_WAYS, Position};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// If no action can be made in more ways than this, its firings are listed.
const FEW_WAYS: u64 = 1 << 10;
/// Of the firings that lead to the state that is told, as many are tried: they differ in choices that are not told.
const MOST_TRIED: usize = 64;

/// Finds the firings that a record tells of by their choices and the states they lead to.
#[derive(Clone, Copy)]
pub(super) struct Directed<'a> {
    evaluator: Evaluator<'a>,
    known: &'a dyn KnownStates,
    /// The most ways in which one action, or the beginning, leaves its choices open.
    ways: u64,
}

impl<'a> Directed<'a> {
    /// `None` if everything can be listed, or the record does not tell of states.
    pub(super) fn new(replay: &'a SystemReplay<'_>, record: &'a dyn RunRecord) -> Option<Self> {
        let ways = replay.system().most_ways();
        let known = record.known_states().filter(|_| ways > FEW_WAYS)?;
        Some(Self { evaluator: replay.evaluator(), known, ways })
    }

    /// Whether there are too many firings to list them.
    pub(super) fn is_only_way(self) -> bool {
        self.ways > MOST_LISTED_WAYS
    }

    /// The initial state that is told, if it is one; all of them if it is not told and they can be listed.
    pub(super) fn initial_states(self) -> Vec<Valuation> {
        let init = &self.evaluator.system.init;
        match self.known.initial_state() {
            Some(given) if self.evaluator.is_initial(&given) => vec![given],
            _ if self.evaluator.system.free_valuations(&init.choices, &init.guard) > MOST_LISTED_WAYS => Vec::new(),
            _ => self.evaluator.initial(),
        }
    }

    /// The firings from `state` that make the choices and lead to the state that the entry tells of, after one of each
    /// action and its participants; and whether the state is transient.
    pub(super) fn firings(self, state: &Valuation, holder: Option<Position>, entry: usize) -> (Vec<Firing>, bool) {
        let (mut firings, transient) = self.evaluator.some_firings(state, holder);
        let Some(goal) = self.known.state_after(entry, state) else { return (firings, transient) };
        let holder = holder.filter(|_| transient);
        let of_each: HashSet<(ActionId, Vec<Position>)> =
            firings.iter().map(|firing| (firing.action, firing.scope.positions.clone())).collect();
        let mut of_each: Vec<_> = of_each.into_iter().collect();
        of_each.sort_unstable();
        for (action, positions) in of_each {
            let choices = self.known.choices(entry, action);
            let wanted = Wanted { goal: Some(&goal), choices: &choices };
            let mut tried = 0;
            let _ = self.evaluator.each_firing_of(state, holder, action, &positions, wanted, |firing| {
                tried += 1;
                if !firings.contains(&firing) {
                    firings.push(firing);
                }
                if tried < MOST_TRIED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        (firings, transient)
    }
}
