//! Which actions can be at all, by where control stands.
//!
//! Most actions of a process say in their guard which value its control slot has: `pc == 7`. Where the actor's has another
//! value the guard does not hold, and the action need not be tried. That is all this index knows, so with it the
//! evaluator finds what it finds without; only sooner, in a system of many thousand actions.

use super::Valuation;
use crate::control::control_value;
use crate::{ActionId, FrameId, LocalId, Position, Role, System};
use lariat_base::{Id, IdVec};
use std::collections::HashMap;

/// The actions of a system by where the control of the actor must stand.
#[derive(Clone, Debug)]
pub struct ControlIndex {
    /// The control slots.
    controls: IdVec<FrameId, Option<LocalId>>,
    /// By frame and value of its control slot, ascending.
    at: HashMap<(FrameId, i64), Vec<ActionId>>,
    /// The other actions of a frame, ascending.
    anywhere: HashMap<FrameId, Vec<ActionId>>,
    /// The actions without participants, ascending.
    nobody: Vec<ActionId>,
    /// The least rank of an action, if all ranks are constants.
    lowest_rank: Option<i64>,
}

/// An action that may be enabled, for one actor or for any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub(super) action: ActionId,
    pub(super) actor: Option<Position>,
}

impl ControlIndex {
    /// The index of `system`.
    pub fn new(system: &System) -> Self {
        let ranks: Option<Vec<i64>> = system.actions.iter().map(|action| action.rank.as_const()).collect();
        let mut index = Self {
            controls: system.frames.iter().map(|frame| frame.control).collect(),
            at: HashMap::new(),
            anywhere: HashMap::new(),
            nobody: Vec::new(),
            lowest_rank: ranks.and_then(|ranks| ranks.into_iter().min()),
        };
        for (id, action) in system.actions.entries() {
            let Some(&frame) = action.participants.first() else {
                index.nobody.push(id);
                continue;
            };
            let place = system.frames[frame].control.and_then(|control| {
                action.guard.control.iter().find_map(|conjunct| control_value(conjunct, Role::ACTOR, control))
            });
            match place {
                Some(place) => index.at.entry((frame, place)).or_default().push(id),
                None => index.anywhere.entry(frame).or_default().push(id),
            }
        }
        index
    }

    /// The least rank that any action can have, if that is known.
    pub(super) fn lowest_rank(&self) -> Option<i64> {
        self.lowest_rank
    }

    /// The actions that may be enabled in `state`.
    pub(super) fn candidates(&self, state: &Valuation) -> Vec<Candidate> {
        let nobody = self.nobody.iter().map(|&action| Candidate { action, actor: None });
        let of_processes = (0..state.pool.len()).flat_map(|position| self.candidates_of(state, position as Position));
        nobody.chain(of_processes).collect()
    }

    /// Those of the process at this position.
    pub(super) fn candidates_of(&self, state: &Valuation, position: Position) -> Vec<Candidate> {
        let Some(instance) = state.pool.get(usize::from(position)) else { return Vec::new() };
        let place = self.controls[instance.frame].map(|control| instance.locals[control.index()][0]);
        let here = place.and_then(|place| self.at.get(&(instance.frame, place)));
        let anywhere = self.anywhere.get(&instance.frame);
        let both = here.into_iter().chain(anywhere).flatten();
        both.map(|&action| Candidate { action, actor: Some(position) }).collect()
    }
}
