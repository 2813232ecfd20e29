//! Which actions to look at, by where control is.
//!
//! A *stop* is a frame together with a value of its control slot that some action asks for; all other values of the
//! frame share one more stop, and so does a frame without control. Every living process stands at one stop, and the
//! stop lists the actions it may take there, so the work per state follows the candidates and not the model.

use crate::code::Code;
use crate::fold::Scope;
use lariat_base::{IdVec, define_id};
use lariat_system::{Action, ActionId, BinaryOp, Expr, FrameId, Layout, Owner, Place, Role, System};
use std::collections::BTreeMap;
use std::ops::Range;

define_id! {
    /// A frame with a place of control.
    StopId
}

/// Control slots with more bits than this are not used: the table would be too large.
const MAX_CONTROL_BITS: u8 = 16;

/// What can happen at a stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    /// Who stands there.
    pub(crate) frame: FrameId,
    /// Where in [`Dispatch::candidates`] its actions are: those in which the process is the actor, ascending.
    actions: Range<u32>,
}

/// The table from places of control to actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dispatch {
    pub(crate) stops: IdVec<StopId, Stop>,
    frames: IdVec<FrameId, FrameStops>,
    candidates: Vec<ActionId>,
    /// The actions without participants, ascending.
    pub(crate) nobodys: Vec<ActionId>,
}

/// The stops of one frame: where the control slot is, and the stop for each content of its bits.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FrameStops {
    bit: u32,
    mask: u64,
    lo: i64,
    by_raw: Vec<StopId>,
}

/// The receivers of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Receivers {
    /// Every process at the stop.
    At(StopId),
    /// Every process of the frame.
    Of(FrameId),
}

impl Dispatch {
    pub(crate) fn new(system: &System, layout: &Layout) -> Self {
        // By frame, the control values that some action asks for of its actor or its receiver.
        let mut wanted: IdVec<FrameId, BTreeMap<i64, Vec<ActionId>>> =
            system.frames.iter().map(|_| BTreeMap::new()).collect();
        let mut anywhere: IdVec<FrameId, Vec<ActionId>> = system.frames.iter().map(|_| Vec::new()).collect();
        for (id, action) in system.actions.entries() {
            if let Some(&frame) = action.participants.first() {
                match control_value(action, Role::ACTOR, system, layout) {
                    Some(value) => wanted[frame].entry(value).or_default().push(id),
                    None => anywhere[frame].push(id),
                }
            }
            if let Some(&frame) = action.participants.get(1)
                && let Some(value) = control_value(action, Role::PEER, system, layout)
            {
                wanted[frame].entry(value).or_default();
            }
        }
        let mut nobodys: Vec<ActionId> = Vec::new();
        nobodys.extend(system.actions.entries().filter(|(_, action)| action.participants.is_empty()).map(|(id, _)| id));
        let mut dispatch = Self { stops: IdVec::new(), frames: IdVec::new(), candidates: Vec::new(), nobodys };
        for frame in system.frames.ids() {
            let rest = dispatch.add_stop(frame, &anywhere[frame]);
            let mut stops = match usable_control(system, layout, frame) {
                None => FrameStops { bit: 0, mask: 0, lo: 0, by_raw: vec![rest] },
                Some(field) => {
                    let mask = u64::MAX >> (64 - field.bits);
                    FrameStops { bit: field.bit, mask, lo: field.lo, by_raw: vec![rest; mask as usize + 1] }
                }
            };
            for (&value, actions) in &wanted[frame] {
                let mut all = [actions.as_slice(), &anywhere[frame]].concat();
                all.sort_unstable();
                let stop = dispatch.add_stop(frame, &all);
                stops.by_raw[value.wrapping_sub(stops.lo) as usize] = stop;
            }
            dispatch.frames.push(stops);
        }
        dispatch
    }

    fn add_stop(&mut self, frame: FrameId, actions: &[ActionId]) -> StopId {
        let begin = self.candidates.len() as u32;
        self.candidates.extend_from_slice(actions);
        self.stops.push(Stop { frame, actions: begin..self.candidates.len() as u32 })
    }

    /// The actions to look at for a process at the stop.
    pub(crate) fn actions(&self, stop: StopId) -> &[ActionId] {
        let Range { start, end } = self.stops[stop].actions;
        &self.candidates[start as usize..end as usize]
    }
    /// Where the control slot of the frame is: its first bit in the region, its mask, and the stop for each content.
    #[cfg(feature = "native")]
    pub(crate) fn control(&self, frame: FrameId) -> (u32, u64, &[StopId]) {
        let FrameStops { bit, mask, by_raw, .. } = &self.frames[frame];
        (*bit, *mask, by_raw)
    }
    /// Where the process at `position` stands; it must live.
    pub(crate) fn stop_at(&self, code: &Code, words: &[u64], position: u32) -> StopId {
        let kind = code.pool.kind_at(words, position);
        let stops = &self.frames[FrameId(kind - 1)];
        let bit = code.pool.region(position) + stops.bit;
        stops.by_raw[(words[bit as usize / 64] >> (bit % 64) & stops.mask) as usize]
    }
    /// The receivers of a rendezvous that the conjuncts of its control can hold for.
    pub(crate) fn receivers(&self, action: &Action, system: &System, layout: &Layout) -> Option<Receivers> {
        let frame = *action.participants.get(1)?;
        Some(match control_value(action, Role::PEER, system, layout) {
            None => Receivers::Of(frame),
            Some(value) => {
                let stops = &self.frames[frame];
                Receivers::At(stops.by_raw[value.wrapping_sub(stops.lo) as usize])
            }
        })
    }
}

/// The value that the role's control slot has whenever control is at the action, if one of the conjuncts says so.
fn control_value(action: &Action, role: Role, system: &System, layout: &Layout) -> Option<i64> {
    let mut scope = Scope { system, layout, roles: action.participants.clone(), choices: &action.choices };
    let conjuncts: Vec<Expr> = action.guard.control.iter().flat_map(|expr| scope.conjuncts(expr)).collect();
    conjuncts.iter().find_map(|conjunct| asked_control(conjunct, role, &scope))
}

/// The value that a folded conjunct asks of the role's control slot, if that is all it does. Stops make such conjuncts
/// true before any code runs.
pub(crate) fn asked_control(conjunct: &Expr, role: Role, scope: &Scope<'_>) -> Option<i64> {
    let frame = *scope.roles.get(role.index())?;
    let field = usable_control(scope.system, scope.layout, frame)?;
    let control = scope.system.frames[frame].control?;
    let Expr::Binary(BinaryOp::Eq, left, right) = conjunct else { return None };
    let (place, value) = match (&**left, &**right) {
        (Expr::Read(place), Expr::Const(value)) | (Expr::Const(value), Expr::Read(place)) => (place, *value),
        _ => return None,
    };
    let is_control = *place == Place { owner: Owner::Role(role, control), index: None };
    let raw = value.checked_sub(field.lo)?;
    (is_control && (0..1 << field.bits).contains(&raw)).then_some(value)
}

fn usable_control(system: &System, layout: &Layout, frame: FrameId) -> Option<lariat_system::Field> {
    let control = system.frames[frame].control?;
    let field = layout.frames[frame][control];
    (1..=MAX_CONTROL_BITS).contains(&field.bits).then_some(field)
}

/// Where the processes of one state stand.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// By position; valid below `known`.
    stops: Vec<StopId>,
    known: u32,
    /// By stop, the youngest process there; by position, the next older one at the same stop.
    youngest: IdVec<StopId, u32>,
    older: Vec<u32>,
    linked: bool,
}

/// The end of a list of positions.
const NOBODY: u32 = u32::MAX;

impl Standing {
    pub(crate) fn new(dispatch: &Dispatch, positions: usize) -> Self {
        Self {
            stops: vec![StopId(0); positions],
            known: 0,
            youngest: dispatch.stops.iter().map(|_| NOBODY).collect(),
            older: vec![NOBODY; positions],
            linked: false,
        }
    }
    /// Forgets the last state.
    pub(crate) fn reset(&mut self) {
        if self.linked {
            for &stop in &self.stops[..self.known as usize] {
                self.youngest[stop] = NOBODY;
            }
        }
        (self.known, self.linked) = (0, false);
    }
    /// Finds the stops of all `count` processes of `words`.
    pub(crate) fn decode(&mut self, dispatch: &Dispatch, code: &Code, words: &[u64], count: u32) {
        for position in self.known..count {
            self.stops[position as usize] = dispatch.stop_at(code, words, position);
        }
        self.known = count;
    }
    /// The stop of a process; [`decode`](Self::decode) must have been called.
    pub(crate) fn stop(&self, position: u32) -> StopId {
        self.stops[position as usize]
    }
    /// Lists the processes of every stop. Done once a state, and only if a rendezvous is looked at.
    pub(crate) fn link(&mut self, dispatch: &Dispatch, code: &Code, words: &[u64], count: u32) {
        if self.linked {
            return;
        }
        self.decode(dispatch, code, words, count);
        for position in 0..count {
            let youngest = &mut self.youngest[self.stops[position as usize]];
            self.older[position as usize] = *youngest;
            *youngest = position;
        }
        self.linked = true;
    }
    /// The youngest receiver older than `than`; [`link`](Self::link) must have been called.
    pub(crate) fn receiver_below(&self, dispatch: &Dispatch, receivers: Receivers, than: Option<u32>) -> Option<u32> {
        let found = match receivers {
            Receivers::At(stop) => than.map_or(self.youngest[stop], |than| self.older[than as usize]),
            Receivers::Of(frame) => (0..than.unwrap_or(self.known))
                .rev()
                .find(|&position| dispatch.stops[self.stops[position as usize]].frame == frame)
                .unwrap_or(NOBODY),
        };
        (found != NOBODY).then_some(found)
    }
}
