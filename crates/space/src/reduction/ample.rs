//! Which processes may go first.
//!
//! A process may go first in a state if nothing that others can do before it moves makes a difference to what it can do,
//! nor the other way round. *Everything that others can do* is found from where they stand: whatever they can come to from
//! there, and whatever processes they may create on the way can do. For channels it is asked which ones they are, and
//! whether there is room in them or a message.
//!
//! For every place it is found out beforehand whether a process that stands there can be the one (`can`), and of every
//! other place whether somebody there may disturb it. docs/adr/0012 has the conditions, and why they suffice.

use super::analysis::{ChannelUse, First, Index, SystemAnalysis, common_rank};
use super::channel::{self, Class, Way as Doing};
use super::places::{PlaceId, Places};
use super::rules::{Rule, Rules};
use crate::State;
use lariat_system::{Expr, FrameId, LabelId, Layout, Position, System, TooLarge};
use std::collections::BTreeSet;

/// For every state, who may go first.
#[derive(Debug)]
pub struct Ample {
    layout: Layout,
    places: Places,
    firsts: Vec<First>,
    /// By place, the channels that somebody there may come to use.
    futures: Vec<BTreeSet<ChannelUse>>,
    classes: Vec<Class>,
    indices: Vec<(FrameId, Expr)>,
    rules: Rules,
}

/// Why nothing can be left out of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Ranks other than those of what happens when nothing else can.
    Ranks,
    /// No process is ever at a place where it can go first.
    NoPlace,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ranks => "processes have priorities, so that each step may make a difference to any other",
            Self::NoPlace => "no statement is independent of the other processes",
        })
    }
}

/// Working memory of a choice.
#[derive(Clone, Debug, Default)]
pub struct AmpleScratch {
    places: Vec<PlaceId>,
}

impl Ample {
    /// The choice for `system`, which must be valid, where these of its labels are looked at: labels of states alone.
    pub fn new(system: &System, observed: &[LabelId]) -> Result<Self, TooLarge> {
        Self::omitting(None, system, observed)
    }

    /// The same without one of the rules, for tests: wrong, and tests are to notice it.
    pub fn omitting(omitted: Option<Rule>, system: &System, observed: &[LabelId]) -> Result<Self, TooLarge> {
        let rules = Rules { omitted };
        let layout = Layout::new(system)?;
        let places = Places::new(system);
        let study = SystemAnalysis::new(system, &places, rules);
        let (futures, indices) = (study.channel_futures(), study.indices.clone());
        let firsts = study.firsts(observed);
        let classes = study.classes;
        Ok(Self { layout, places, firsts, futures, classes, indices, rules })
    }

    /// Why there is no state in which somebody may go first, where the form of the system tells.
    pub fn obstacle(&self, system: &System) -> Option<Obstacle> {
        match () {
            _ if common_rank(system).is_none() => Some(Obstacle::Ranks),
            _ if !self.firsts.iter().any(|first| first.can || first.if_fed) => Some(Obstacle::NoPlace),
            _ => None,
        }
    }

    /// Finds out who may go first in the state, in the order in which they are to be asked: the first that has a step is
    /// the one.
    pub(super) fn firsts<'s>(
        &'s self,
        state: &'s State,
        standing: &'s mut AmpleScratch,
    ) -> impl Iterator<Item = (Position, bool)> + 's {
        let places = &mut standing.places;
        places.clear();
        let all = (0..self.layout.positions).map_while(|position| self.places.place_at(&self.layout, state, position));
        places.extend(all);
        let places = &*places;
        let may = move |position: &usize| {
            let first = &self.firsts[places[*position]];
            first.can && self.may_go(state, places, *position)
                || first.if_fed && self.is_fed(state, places, *position) && self.may_go(state, places, *position)
        };
        (0..places.len()).rev().filter(may).map(move |at| (at as Position, self.firsts[places[at]].may_fail))
    }

    fn may_go(&self, state: &State, places: &[PlaceId], position: usize) -> bool {
        let first = &self.firsts[places[position]];
        let disturbed = |place: &PlaceId| first.disturbed[place / 64] >> (place % 64) & 1 == 1;
        let others = || places.iter().enumerate().filter(|(at, _)| *at != position);
        let is_youngest = position + 1 == places.len() || !self.rules.keep(Rule::Youngest);
        if first.ends && !is_youngest || others().any(|(_, place)| disturbed(place)) {
            return false;
        }
        first.uses.iter().all(|own| {
            let class = &self.classes[own.class];
            let Some(channel) = self.channel(own, state, places, position) else { return false };
            let lengths = self.layout.slots[class.len];
            // A channel that is none is not touched.
            let Some(cell) = usize::try_from(channel).ok().filter(|cell| *cell < lengths.cells as usize) else {
                return true;
            };
            let messages = lengths.get(state, 0, cell);
            let goes_on = match own.doing {
                _ if !self.rules.keep(Rule::GoesOn) => true,
                Doing::Send => messages < class.capacity,
                Doing::Receive => messages > 0,
            };
            let clashes = |at: usize, other: &ChannelUse| {
                other.class == own.class
                    && (other.held && self.rules.keep(Rule::HeldUse)
                        || other.doing == own.doing && self.rules.keep(Rule::OneUser))
                    && self.channel(other, state, places, at).is_none_or(|other| other == channel)
            };
            goes_on && !others().any(|(at, place)| self.futures[*place].iter().any(|other| clashes(at, other)))
        })
    }

    /// Whether whatever the process does here to a channel can be made up for by older ones alone. So the oldest of those who
    /// go round a circle together is not one that is at such a place.
    fn is_fed(&self, state: &State, places: &[PlaceId], position: usize) -> bool {
        self.firsts[places[position]].uses.iter().all(|own| {
            let channels = self.layout.slots[self.classes[own.class].len].cells as usize;
            let channel = self.channel(own, state, places, position);
            let exists = |channel: &i64| usize::try_from(*channel).is_ok_and(|channel| channel < channels);
            let Some(channel) = channel.filter(exists) else { return false };
            let makes_up = |at: usize, other: &ChannelUse| {
                other.class == own.class
                    && other.doing != own.doing
                    && self.channel(other, state, places, at).is_none_or(|other| other == channel)
            };
            let mut others = places.iter().enumerate().skip(position);
            !self.rules.keep(Rule::FedByOlder)
                || !others.any(|(at, place)| self.futures[*place].iter().any(|other| makes_up(at, other)))
        })
    }

    /// Which channel is meant; `None` if any may be.
    fn channel(&self, used: &ChannelUse, state: &State, places: &[PlaceId], position: usize) -> Option<i64> {
        match used.index {
            Index::Any => None,
            Index::Number(number) => Some(number),
            Index::Said(number) => {
                let (frame, expr) = &self.indices[number];
                debug_assert_eq!(self.places.list[places[position]].frame, *frame, "an index is one of its own frame");
                Some(channel::value(expr, &self.layout, state, *frame, position as Position))
            }
        }
    }
}
