//! Rendezvous: a send and a receive of two processes that happen together.
//!
//! The sender acts and the receiver takes part. Afterwards the receiver keeps control if its statement stands inside an
//! `atomic`; the sender never does. Of the escapes of the receiver only those that could answer the same send keep it
//! from taking part, as in SPIN.

use super::channel::Target;
use super::expr::{Cx, Hazard, Value, only_if};
use super::location::Location;
use super::step::Variant;
use super::{Lowering, PC};
use crate::check::{Basic, Ex, Pattern, ProcId};
use crate::flow::{ElementId, ElementKind, Flow, Offer};
use lariat_base::{Id, Span};
use lariat_system::{Expr, FrameId, Place, Role, Update};

/// A receive from a rendezvous channel at a location.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    pub(super) proc: ProcId,
    location: i64,
    element: ElementId,
    /// The receives of escapes that come before it: whichever of them can answer a send does so instead.
    before: Vec<ElementId>,
}

/// The receiver's half of an action.
#[derive(Clone, Debug)]
pub(super) struct ReceiverHalf {
    pub(super) frame: FrameId,
    /// Whether the receiver keeps control.
    pub(super) keeps_control: bool,
    pub(super) text: String,
    pub(super) span: Span,
    /// The number of its line in a trail.
    pub(super) trail: Option<u32>,
}

impl Lowering<'_> {
    /// Finds every receive that may be from a rendezvous channel.
    pub(super) fn find_receivers(&mut self) {
        let mut found = Vec::new();
        for (proc, checked) in self.model.procs.entries() {
            for (number, location) in self.locations[proc].list.iter().enumerate() {
                if *location == (Location { element: checked.flow.end, inside_d_step: false }) {
                    continue;
                }
                let offers = checked.flow.offers_at(location.element, location.inside_d_step);
                let receives = |offer: &&Offer| self.may_meet(&checked.flow, offer.step);
                for offer in offers.iter().filter(receives) {
                    let before = offers.iter().filter(|other| other.comes_before(offer));
                    let before = before.filter(receives).map(|other| other.step).collect();
                    found.push(Receiver { proc, location: number as i64, element: offer.step, before });
                }
            }
        }
        self.receivers = found;
    }

    /// Whether the step takes a message, possibly from a rendezvous channel.
    fn may_meet(&self, flow: &Flow, step: ElementId) -> bool {
        let ElementKind::Basic(Basic::Receive { channel, copy: false, .. }) = &flow.elements[step].kind else {
            return false;
        };
        let (targets, _) = self.targets(channel, &Cx::actor(1));
        targets.iter().any(|target| self.classes.list[target.class].capacity == 0)
    }

    /// The ways in which a send to a rendezvous channel can happen: one for each receive that may answer it.
    pub(super) fn handshakes(&self, target: &Target, args: &[Ex], cx: &Cx) -> Vec<Variant> {
        let mut variants = Vec::new();
        for receiver in &self.receivers {
            let peer = cx.seen_by(Role::PEER);
            let Some(meeting) = self.meeting(target, args, cx, receiver, &peer) else { continue };
            let flow = &self.model.procs[receiver.proc].flow;
            let element = &flow.elements[receiver.element];
            let locations = &self.locations[receiver.proc];
            let arrival = locations.arrive(flow, receiver.element);
            let next = locations.number(arrival.into());
            let mut variant = Variant {
                control: meeting.control,
                guard: meeting.guard,
                guard_hazards: meeting.guard_hazards,
                effect_hazards: meeting.effect_hazards,
                ..Variant::default()
            };
            let ElementKind::Basic(Basic::Receive { args: patterns, .. }) = &element.kind else {
                unreachable!("receivers are receives")
            };
            let contents: Vec<Expr> = meeting.message.iter().map(|value| value.expr.clone()).collect();
            self.watch(target, &contents, true, true, &mut variant);
            self.put(patterns, meeting.message, &peer, &mut variant.updates, &mut variant.effect_hazards);
            variant.updates.push(Update::Set(Place::local(Role::PEER, PC), Expr::Const(next)));
            variant.half = Some(ReceiverHalf {
                frame: FrameId::new(receiver.proc.index()),
                keeps_control: arrival.keeps_control,
                text: element.text.clone(),
                span: element.span,
                trail: self.trail_number(receiver.proc, receiver.location, receiver.element),
            });
            variants.push(variant);
        }
        variants
    }

    /// Whether some process waits to receive this message.
    pub(super) fn has_waiting_receiver(&self, target: &Target, args: &[Ex], cx: &Cx) -> Expr {
        let mut any = Vec::new();
        for receiver in &self.receivers {
            let (role, bound) = cx.bind();
            let peer = bound.seen_by(role);
            if let Some(meeting) = self.meeting(target, args, &bound, receiver, &peer) {
                let apart = Expr::Position(role).equals(Expr::Position(cx.me)).negated();
                let apart = if cx.free == 0 { Expr::TRUE } else { apart };
                let body = Expr::all(meeting.control.into_iter().chain(meeting.guard)).and(apart);
                any.push(Expr::Exists(FrameId::new(receiver.proc.index()), Box::new(body)));
            }
        }
        Expr::any(any)
    }

    /// Under which conditions the send meets the receiver; `None` if it never can.
    fn meeting(&self, target: &Target, args: &[Ex], cx: &Cx, receiver: &Receiver, peer: &Cx) -> Option<Meeting> {
        let proc = &self.model.procs[receiver.proc];
        let ElementKind::Basic(Basic::Receive { channel, args: patterns, .. }) =
            &proc.flow.elements[receiver.element].kind
        else {
            unreachable!("receivers are receives")
        };
        let at = Place::local(peer.me, PC).read().equals(Expr::Const(receiver.location));
        let (theirs, mut guard_hazards) = self.targets(channel, peer);
        let theirs = theirs.into_iter().find(|other| other.class == target.class)?;
        let same = target.id.clone().equals(theirs.id.clone());
        if same == Expr::FALSE {
            return None;
        }
        let mut guard: Vec<Expr> = Vec::new();
        if let Some(provided) = &proc.provided {
            let (permitted, hazards) = self.truth(provided, peer);
            guard_hazards = hazards.into_iter().chain(only_if(&permitted, guard_hazards)).collect();
            guard.push(permitted);
        }
        guard.extend([theirs.applies.clone(), same].into_iter().filter(|conjunct| *conjunct != Expr::TRUE));
        for &element in &receiver.before {
            let (proc, location, before) = (receiver.proc, receiver.location, Vec::new());
            if let Some(other) = self.meeting(target, args, cx, &Receiver { proc, location, element, before }, peer) {
                guard.push(Expr::all(other.guard).negated());
            }
        }
        let mut effect_hazards = Vec::new();
        let sent = self.message(target, args, cx, &mut effect_hazards);
        let fields = &self.classes.list[target.class].fields;
        let mut message = Vec::new();
        for (number, (expr, &scalar)) in sent.into_iter().zip(fields).enumerate() {
            if let Some(Pattern::Match(wanted)) = patterns.get(number) {
                let wanted = self.value(wanted, peer);
                guard_hazards.extend(wanted.hazards);
                match expr.clone().equals(wanted.expr) {
                    Expr::Const(0) => return None,
                    Expr::Const(_) => {}
                    matches => guard.push(matches),
                }
            }
            let range = expr.as_const().map_or(self.range_of(scalar), lariat_system::Interval::point);
            message.push(Value { expr, range, hazards: Vec::new() });
        }
        self.check_fields(&theirs, patterns.len(), &mut effect_hazards);
        Some(Meeting { control: vec![at], guard, guard_hazards, effect_hazards, message })
    }
}

struct Meeting {
    control: Vec<Expr>,
    guard: Vec<Expr>,
    guard_hazards: Vec<Hazard>,
    effect_hazards: Vec<Hazard>,
    message: Vec<Value>,
}
