//! Event traces: an automaton that watches messages.
//!
//! It looks at sends on the channels that some send of the trace names, and likewise at receives. A message that fits a
//! step at the automaton's place moves it. If none fits, a `trace` is violated, and a `notrace` is satisfied for good: its
//! automaton goes to its end and watches no more. A `notrace` is violated by the step that reaches the end.

use super::Lowering;
use super::channel::Target;
use super::expr::{Cx, Hazard};
use super::step::Variant;
use crate::check::{Basic, Pattern};
use crate::flow::ElementKind;
use lariat_system::{AfterTrap, Expr, Place, TrapKind, Update};

impl Lowering<'_> {
    /// Lets the trace see a message pass. `sent` and `received` tell which ends of it happen; a rendezvous is both.
    pub(super) fn watch(&self, target: &Target, message: &[Expr], sent: bool, received: bool, variant: &mut Variant) {
        let Some((slot, _)) = self.event else { return };
        let place = Place::global(slot);
        let before = place.clone().read();
        let mut now = before.clone();
        for end in [sent.then_some(true), received.then_some(false)].into_iter().flatten() {
            now = self.moved(now, target, message, end, variant);
        }
        if now != before {
            variant.updates.push(Update::Set(place, now));
        }
    }

    /// Where the automaton is after one end of a message, `now` being where it is before.
    fn moved(&self, now: Expr, target: &Target, message: &[Expr], sent: bool, variant: &mut Variant) -> Expr {
        let (Some((_, locations)), Some(trace)) = (&self.event, &self.model.trace) else { return now };
        let flow = &trace.flow;
        let (mut in_scope, mut fits) = (Expr::FALSE, Expr::FALSE);
        let mut completed = Expr::FALSE;
        let mut next = Expr::Const(locations.end());
        if !trace.negated {
            next = now.clone();
        }
        for (number, at) in locations.list.iter().enumerate().rev() {
            for offer in flow.offers_at(at.element, at.inside_d_step).into_iter().rev() {
                let ElementKind::Basic(Basic::Event { sent: watched, channel, fields }) =
                    &flow.elements[offer.step].kind
                else {
                    continue;
                };
                if *watched != sent {
                    continue;
                }
                let same_channel = self.read(channel, &Cx::actor(0)).expr.equals(target.id.clone());
                let matches = fields.iter().zip(message).map(|(field, value)| match field {
                    Pattern::Match(wanted) => value.clone().equals(self.value(wanted, &Cx::actor(0)).expr),
                    Pattern::Any | Pattern::Set(_) => Expr::TRUE,
                });
                let here = now.clone().equals(Expr::Const(number as i64));
                let taken = Expr::all([same_channel.clone(), here].into_iter().chain(matches));
                let arrived = locations.number(locations.arrive(flow, offer.step).into());
                in_scope = in_scope.or(same_channel);
                if arrived == locations.end() {
                    completed = completed.or(taken.clone());
                }
                fits = fits.or(taken.clone());
                next = taken.ite(Expr::Const(arrived), next);
            }
        }
        let ended = now.clone().equals(Expr::Const(locations.end()));
        let violated = match trace.negated {
            true => completed.and(ended.negated()),
            false => in_scope.clone().and(fits.negated()),
        };
        if violated != Expr::FALSE {
            let (kind, after, span) = (TrapKind::Trace, AfterTrap::GoesOn, trace.span);
            variant.effect_hazards.push(Hazard { condition: violated, kind, after, span });
        }
        in_scope.ite(next, now)
    }

    /// Whether a run may end where the event trace is. When no process is left it may always.
    pub(super) fn trace_may_end(&self) -> Option<Expr> {
        let ((slot, locations), trace) = (self.event.as_ref()?, self.model.trace.as_ref()?);
        let places = locations.with_labels(&trace.flow, "end").into_iter().chain([locations.end()]);
        let at = |place: i64| Place::global(*slot).read().equals(Expr::Const(place));
        let deserted = Expr::PoolCount.equals(Expr::Const(0));
        Some(Expr::any(places.map(at).chain([deserted])))
    }
}
