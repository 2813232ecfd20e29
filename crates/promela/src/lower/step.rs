//! Steps: each statement at each location where it can be taken becomes one or several actions.

use super::expr::{Cx, Hazard, Value, only_if};
use super::location::Location;
use super::rendezvous::ReceiverHalf;
use super::{Lowering, Overflow, PC, PRIORITY};
use crate::check::{Access, Basic, Ex, ProcId};
use crate::flow::{Element, ElementId, ElementKind, Flow, Offer};
use lariat_base::{Diagnostic, Id, IdVec, Span, safe_point};
use lariat_system::{
    Action, AfterTrap, BinaryOp, Choice, ChoiceId, Cut, Expr, FrameId, IDLE_RANK, Interval, Owner, Place, Print, Role,
    Trap, TrapKind, TrapTime, Update,
};
use std::collections::HashSet;

/// The rank of what comes before everything else, whatever priorities there are.
const FIRST_RANK: Expr = Expr::Const(0);
/// The priorities that a process can have.
const PRIORITIES: Interval = Interval { lo: 1, hi: 255 };

/// One way in which a statement can happen, apart from where control is and goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Variant {
    /// Further conditions on where control is: the receiver's.
    pub(super) control: Vec<Expr>,
    pub(super) guard: Vec<Expr>,
    pub(super) guard_hazards: Vec<Hazard>,
    pub(super) choices: IdVec<ChoiceId, Choice>,
    pub(super) updates: Vec<Update>,
    pub(super) effect_hazards: Vec<Hazard>,
    /// Only when nothing else in the system can happen.
    pub(super) idle: bool,
    pub(super) print: Option<Print>,
    /// The receiver's half of a rendezvous.
    pub(super) half: Option<ReceiverHalf>,
}

impl Lowering<'_> {
    pub(super) fn add_steps(&mut self) -> Result<(), Diagnostic> {
        self.find_receivers();
        for (proc, checked) in self.model.procs.entries() {
            let flow = &checked.flow;
            for number in 0..self.locations[proc].list.len() {
                let location = self.locations[proc].list[number];
                if location.element == flow.end {
                    self.add_end(proc, number as i64);
                    continue;
                }
                let offers = flow.offers_at(location.element, location.inside_d_step);
                for offer in &offers {
                    self.add_step(proc, number as i64, offer, &offers);
                    if self.spend(0) {
                        return Err(Self::too_large(flow.elements[offer.step].span));
                    }
                }
                if location.inside_d_step {
                    let steps: Vec<ElementId> = offers.iter().map(|offer| offer.step).collect();
                    self.add_block_trap(proc, number as i64, location, &steps);
                }
            }
        }
        self.add_lonely_steps();
        Ok(())
    }

    /// The cells that an assignment writes: all of an array that is named as a whole, as in its declaration.
    fn cells(&self, target: &Access) -> Vec<Access> {
        match self.model.vars[target.var].len {
            Some(len) if target.indices.is_empty() => {
                let cell = |number| Access { indices: vec![(Ex::Const(i64::from(number)), len)], ..target.clone() };
                (0..len).map(cell).collect()
            }
            _ => vec![target.clone()],
        }
    }

    /// Adds an action that is never enabled for each send or receive that nobody can ever answer: people want to see what
    /// a process waits for.
    fn add_lonely_steps(&mut self) {
        let at = |role: Role, location: i64| Place::local(role, PC).read().equals(Expr::Const(location));
        let mut stands: HashSet<(FrameId, Expr, Span)> = HashSet::new();
        for action in self.system.actions.iter() {
            let peer = action.peer.as_ref().map(|(_, span)| *span);
            for (frame, span) in action.participants.iter().zip(std::iter::once(action.span).chain(peer)) {
                stands.extend(action.guard.control.iter().map(|conjunct| (*frame, conjunct.clone(), span)));
            }
        }
        for (proc, checked) in self.model.procs.entries() {
            let (flow, frame) = (&checked.flow, FrameId::new(proc.index()));
            for number in 0..self.locations[proc].list.len() {
                let location = self.locations[proc].list[number];
                for offer in flow.offers_at(location.element, location.inside_d_step) {
                    let span = flow.elements[offer.step].span;
                    let is_known = |role| stands.contains(&(frame, at(role, number as i64), span));
                    if offer.step != flow.end && !is_known(Role::ACTOR) && !is_known(Role::PEER) {
                        let mut action = self.action(proc, number as i64, offer.step);
                        action.guard.condition.push(Expr::FALSE);
                        self.push_permitted(proc, location, action, Vec::new(), false);
                    }
                }
            }
        }
    }

    /// Adds an action, and counts its terms.
    fn push(&mut self, action: Action) {
        safe_point();
        let guard = action.guard.control.iter().chain(&action.guard.condition).map(terms);
        let traps = action.traps.iter().map(|trap| terms(&trap.condition));
        let cuts = action.cuts.iter().map(|cut| terms(&cut.condition));
        let updates = action.updates.iter().map(|update| match update {
            Update::Set(place, value) => 1 + place.index.as_deref().map_or(0, terms) + terms(value),
            Update::Spawn { arguments, .. } => {
                1 + arguments.iter().map(|argument| terms(&argument.value)).sum::<usize>()
            }
            Update::Exit => 1,
        });
        self.spend(8 + guard.chain(traps).chain(cuts).chain(updates).sum::<usize>());
        self.system.actions.push(action);
    }

    /// The closing brace: the process dies, if it is the youngest.
    fn add_end(&mut self, proc: ProcId, location: i64) {
        let flow = &self.model.procs[proc].flow;
        let mut action = self.action(proc, location, flow.end);
        action.updates = self.clear_channels(&Expr::Position(Role::ACTOR));
        self.note_last(&mut action);
        action.updates.push(Update::Exit);
        let location = self.locations[proc].list[location as usize];
        self.push_permitted(proc, location, action, Vec::new(), false);
    }

    /// Adds an action of a process, wherever its `provided` clause permits it. A clause that mentions `timeout` permits it
    /// in two ways, as a condition that does holds in two ways. A `d_step` that has begun is one step: no clause is looked at
    /// again, and no priority is higher.
    pub(super) fn push_permitted(
        &mut self,
        proc: ProcId,
        location: Location,
        mut action: Action,
        hazards: Vec<Hazard>,
        idle: bool,
    ) {
        let provided = self.model.procs[proc].provided.as_ref().filter(|_| !location.inside_d_step);
        let Some(provided) = provided else {
            action.rank = if location.inside_d_step && !idle { FIRST_RANK } else { self.rank(idle) };
            add_guard_traps(&mut action, hazards);
            self.push(action);
            return;
        };
        let readings: &[bool] = match (idle, provided.mentions_timeout()) {
            (true, _) => &[true],
            (false, true) => &[false, true],
            (false, false) => &[false],
        };
        for &timeout in readings {
            let (permitted, own) = self.truth(provided, &Cx { timeout, ..Cx::actor(action.participants.len() as u8) });
            let mut permitted_action = action.clone();
            permitted_action.rank = self.rank(timeout);
            permitted_action.guard.condition.insert(0, permitted.clone());
            let hazards = own.into_iter().chain(only_if(&permitted, hazards.clone())).collect();
            add_guard_traps(&mut permitted_action, hazards);
            self.push(permitted_action);
        }
    }

    fn add_step(&mut self, proc: ProcId, location: i64, offer: &Offer, offers: &[Offer]) {
        safe_point();
        let flow = &self.model.procs[proc].flow;
        if offer.step == flow.end {
            return self.add_end(proc, location);
        }
        let step = offer.step;
        let steps: Vec<ElementId> = offers.iter().map(|offer| offer.step).collect();
        let element = &flow.elements[step];
        let arrival = self.locations[proc].arrive(flow, step);
        let next = self.locations[proc].number(arrival.into());
        let earlier: Vec<ElementId> = steps.iter().copied().take_while(|&other| other != step).collect();
        let variants = match &element.kind {
            ElementKind::Basic(basic) => self.variants(flow, basic, element, &earlier),
            _ => vec![Variant::default()],
        };
        for variant in variants {
            let mut action = self.action(proc, location, step);
            let cx = Cx { timeout: variant.idle, ..Cx::actor(1 + u8::from(variant.half.is_some())) };
            if let Some(half) = &variant.half {
                action.participants.push(half.frame);
                action.peer = Some((half.text.clone(), half.span));
                action.trail.extend(half.trail);
                action.hold = half.keeps_control.then_some(Role::PEER);
            } else {
                action.hold = arrival.keeps_control.then_some(Role::ACTOR);
            }
            action.guard.control.extend(variant.control);
            action.guard.condition.extend(self.no_escape_before(flow, offer, offers, &cx));
            if element.d_step.is_some() {
                let earlier = self.earlier_in_d_step(flow, step, &steps, &cx);
                action.guard.condition.extend(earlier);
            }
            action.guard.condition.extend(variant.guard.into_iter().filter(|conjunct| *conjunct != Expr::TRUE));
            if action.guard.condition.contains(&Expr::FALSE) && variant.guard_hazards.is_empty() {
                continue;
            }
            action.choices = variant.choices;
            action.updates = variant.updates;
            if next != location {
                action.updates.push(Update::Set(Place::local(Role::ACTOR, PC), Expr::Const(next)));
            }
            // Inside a `d_step`, which is one step, somebody else moved last.
            if !arrival.inside_d_step {
                self.note_last(&mut action);
            }
            let is_cut = |hazard: &Hazard| self.options.overflow == Overflow::Warn && hazard.kind == TrapKind::Range;
            let (cuts, hazards): (Vec<Hazard>, Vec<Hazard>) = variant.effect_hazards.into_iter().partition(is_cut);
            let cuts = cuts.into_iter().filter(|cut| cut.condition != Expr::FALSE);
            action.cuts = cuts.map(|Hazard { condition, span, .. }| Cut { condition, span }).collect();
            add_traps(&mut action, hazards, TrapTime::Effect);
            action.print = variant.print;
            let at = self.locations[proc].list[location as usize];
            self.push_permitted(proc, at, action, variant.guard_hazards, variant.idle);
        }
    }

    /// The ways in which a statement can happen; `earlier` are the steps before it that control could take instead.
    fn variants(&self, flow: &Flow, basic: &Basic, element: &Element, earlier: &[ElementId]) -> Vec<Variant> {
        let cx = Cx::actor(1);
        match basic {
            Basic::Condition(condition) => self.condition(condition),
            Basic::Else => {
                let mut variant = Variant::default();
                for &other in earlier {
                    let enabled = self.enabled(flow, other, &cx);
                    if self.spend(terms(&enabled)) {
                        break;
                    }
                    variant.guard.push(enabled.negated());
                }
                vec![variant]
            }
            Basic::Assign(target, value) => {
                let mut variant = Variant::default();
                let mut value = self.value(value, &cx);
                for target in self.cells(target) {
                    self.assign(&target, value.clone(), &cx, &mut variant);
                    value.hazards.clear();
                }
                vec![variant]
            }
            Basic::Assert(condition) => {
                let (condition, hazards) = self.truth(condition, &cx);
                let failure = Hazard {
                    condition: condition.negated(),
                    kind: TrapKind::Assertion,
                    after: AfterTrap::GoesOn,
                    span: element.span,
                };
                vec![Variant { effect_hazards: hazards.into_iter().chain([failure]).collect(), ..Variant::default() }]
            }
            Basic::Discard(value) => {
                vec![Variant { effect_hazards: self.value(value, &cx).hazards, ..Variant::default() }]
            }
            Basic::Print(format, args) => {
                let values: Vec<Value> = args.iter().map(|arg| self.value(arg, &cx)).collect();
                let effect_hazards = values.iter().flat_map(|value| value.hazards.clone()).collect();
                let arguments = values.into_iter().map(|value| value.expr).collect();
                let print = Some(Print { format: format.clone(), arguments });
                vec![Variant { print, effect_hazards, ..Variant::default() }]
            }
            Basic::Run { proc, args, priority, into } => {
                let mut variant = Variant::default();
                let values: Vec<Value> = args.iter().map(|arg| self.value(arg, &cx)).collect();
                variant.effect_hazards.extend(values.iter().flat_map(|value| value.hazards.clone()));
                let priority = priority.as_ref().map(|priority| {
                    self.priority(priority, Expr::TRUE, element.span, &cx, &mut variant.effect_hazards)
                });
                let (spawn, hazards) = self.spawn(*proc, &values, priority, Expr::PoolCount, &cx);
                variant.updates.push(spawn);
                variant.effect_hazards.extend(hazards);
                if let Some(into) = into {
                    let range = super::frame::pid_range(self.system.pool_size);
                    let pid = Value { expr: Expr::PoolCount, range, hazards: Vec::new() };
                    self.assign(into, pid, &cx, &mut variant);
                }
                vec![variant]
            }
            Basic::SetPriority(pid, priority) => {
                let mut variant = Variant::default();
                let pid = self.value(pid, &cx);
                variant.effect_hazards.extend(pid.hazards);
                let below = Expr::Binary(BinaryOp::Lt, Box::new(pid.expr.clone()), Box::new(Expr::PoolCount));
                let exists =
                    Expr::Binary(BinaryOp::Le, Box::new(Expr::Const(0)), Box::new(pid.expr.clone())).and(below);
                let priority = self.priority(priority, exists, element.span, &cx, &mut variant.effect_hazards);
                for proc in self.model.procs.ids() {
                    let owner = Owner::At(FrameId::new(proc.index()), PRIORITY, Box::new(pid.expr.clone()));
                    variant.updates.push(Update::Set(Place { owner, index: None }, priority.clone()));
                }
                vec![variant]
            }
            Basic::Event { .. } => unreachable!("events stand in event traces only"),
            Basic::Watch { .. } => unreachable!("claims become automata"),
            Basic::Send { channel, sorted, args } => self.send_variants(channel, *sorted, args, element),
            Basic::Receive { channel, random, copy, args } => {
                let (targets, mut hazards) = self.targets(channel, &cx);
                let (buffered, rendezvous): (Vec<_>, Vec<_>) =
                    targets.iter().partition(|target| self.classes.list[target.class].capacity > 0);
                if *copy {
                    // There is nothing to copy from a rendezvous channel: an error, and it never happens.
                    let (kind, after) = (TrapKind::Channel, AfterTrap::GoesOn);
                    hazards.extend(rendezvous.into_iter().map(|target| {
                        let condition = target.applies.clone();
                        Hazard { condition, kind, after, span: target.span }
                    }));
                }
                let mut variants: Vec<Variant> = buffered
                    .into_iter()
                    .map(|target| only_at(target.applies.clone(), self.receive(target, *random, *copy, args, &cx)))
                    .collect();
                report_hazards(&mut variants, hazards);
                variants
            }
        }
    }

    /// A condition. Where it mentions `timeout`, it can hold in two ways: with `timeout` false, as any other; and with
    /// `timeout` true, when nothing else in the whole system can happen. So can one that asks whether a process is enabled
    /// that may wait for a `timeout`.
    fn condition(&self, condition: &Ex) -> Vec<Variant> {
        let is_twofold = condition.mentions_timeout() || self.has_timeouts && condition.mentions_enabled();
        let readings: &[bool] = if is_twofold { &[false, true] } else { &[false] };
        readings
            .iter()
            .map(|&timeout| {
                let (holds, guard_hazards) = self.truth(condition, &Cx { timeout, ..Cx::actor(1) });
                Variant { guard: vec![holds], guard_hazards, idle: timeout, ..Variant::default() }
            })
            .collect()
    }

    fn send_variants(&self, channel: &Access, sorted: bool, args: &[Ex], element: &Element) -> Vec<Variant> {
        let (targets, hazards) = self.targets(channel, &Cx::actor(1));
        let mut variants = Vec::new();
        for target in &targets {
            let applies = target.applies.clone();
            if self.classes.list[target.class].capacity > 0 {
                variants.push(only_at(applies, self.send(target, sorted, args, &Cx::actor(1))));
            } else if element.d_step.is_some() {
                let (kind, after) = (TrapKind::RendezvousInDStep, AfterTrap::Stops);
                let effect_hazards = vec![Hazard { condition: Expr::TRUE, kind, after, span: element.span }];
                variants.push(only_at(applies, Variant { effect_hazards, ..Variant::default() }));
            } else {
                let meetings = self.handshakes(target, args, &Cx::actor(2));
                variants.extend(meetings.into_iter().map(|meeting| only_at(applies.clone(), meeting)));
            }
        }
        report_hazards(&mut variants, hazards);
        variants
    }

    /// Whether the step could happen now, `timeout` being false and control being there. Nobody can receive from a
    /// rendezvous channel on his own, so a receive from one never counts.
    pub(super) fn enabled(&self, flow: &Flow, step: ElementId, cx: &Cx) -> Expr {
        let basic = match &flow.elements[step].kind {
            ElementKind::Basic(basic) => basic,
            ElementKind::Jump | ElementKind::Join => return Expr::TRUE,
            ElementKind::Branch(_) | ElementKind::End => return Expr::FALSE,
        };
        match basic {
            Basic::Condition(condition) => self.truth(condition, cx).0,
            Basic::Else | Basic::Event { .. } | Basic::Watch { .. } => Expr::FALSE,
            Basic::Assign(..)
            | Basic::Discard(_)
            | Basic::Assert(_)
            | Basic::Print(..)
            | Basic::Run { .. }
            | Basic::SetPriority(..) => Expr::TRUE,
            Basic::Send { channel, args, .. } => {
                let (targets, _) = self.targets(channel, cx);
                Expr::any(targets.iter().map(|target| {
                    let capacity = i64::from(self.classes.list[target.class].capacity);
                    let possible = match capacity {
                        0 => self.has_waiting_receiver(target, args, cx),
                        _ if self.options.lose_messages || self.options.channel_bound.is_some() => Expr::TRUE,
                        _ => self.length(target).less(Expr::Const(capacity)),
                    };
                    target.applies.clone().and(possible)
                }))
            }
            Basic::Receive { channel, random, args, .. } => {
                let (targets, _) = self.targets(channel, cx);
                Expr::any(
                    targets.iter().map(|target| target.applies.clone().and(self.pollable(target, *random, args, cx).0)),
                )
            }
        }
    }

    /// None of the escapes that come before the step can be taken.
    fn no_escape_before(&self, flow: &Flow, offer: &Offer, offers: &[Offer], cx: &Cx) -> Vec<Expr> {
        let before = offers.iter().filter(|other| other.comes_before(offer));
        // An `else` waits for nothing but what is before it, so one of them all can be taken.
        let is_else = |step: ElementId| matches!(flow.elements[step].kind, ElementKind::Basic(Basic::Else));
        if before.clone().any(|other| is_else(other.step)) {
            return vec![Expr::FALSE];
        }
        before
            .map(|other| self.enabled(flow, other.step, cx).negated())
            .filter(|conjunct| *conjunct != Expr::TRUE)
            .collect()
    }

    /// An action of a process at a location, without any effect so far.
    pub(super) fn action(&self, proc: ProcId, location: i64, element: ElementId) -> Action {
        let trail = self.trail_number(proc, location, element);
        let element = &self.model.procs[proc].flow.elements[element];
        let mut action = Action::new(element.text.clone(), vec![FrameId::new(proc.index())]);
        (action.span, action.called_at) = (element.span, element.called_at);
        action.trail.extend(trail);
        action.guard.control.push(Place::local(Role::ACTOR, PC).read().equals(Expr::Const(location)));
        action
    }

    /// What a trail writes for a step from the location: nothing if the step only goes on with a `d_step`.
    pub(super) fn trail_number(&self, proc: ProcId, location: i64, step: ElementId) -> Option<u32> {
        let inside_d_step = self.locations[proc].list[location as usize].inside_d_step;
        self.model.procs[proc].flow.trail_number(step).filter(|_| !inside_d_step)
    }

    /// Higher priorities come first; `timeout` comes after everything.
    fn rank(&self, idle: bool) -> Expr {
        let idle = if idle { IDLE_RANK } else { 0 };
        if self.model.uses_priorities {
            let priority = Place::local(Role::ACTOR, PRIORITY).read();
            Expr::binary(BinaryOp::Sub, Expr::Const(idle + 255), priority)
        } else {
            Expr::Const(idle)
        }
    }

    fn note_last(&self, action: &mut Action) {
        if let Some(last) = self.last {
            let mover = if action.participants.len() > 1 { Role::PEER } else { Role::ACTOR };
            action.updates.push(Update::Set(Place::global(last), Expr::Position(mover)));
        }
    }

    fn assign(&self, target: &Access, value: Value, cx: &Cx, variant: &mut Variant) {
        let (place, hazards) = self.place(target, cx);
        variant.effect_hazards.extend(value.hazards.iter().cloned().chain(hazards));
        let scalar = self.model.vars[target.var].scalar;
        let stored = self.stored(value, scalar, target.span, &mut variant.effect_hazards);
        variant.updates.push(Update::Set(place, stored));
    }

    /// The priority that a process gets if it `exists`. SPIN's are 1 to 255; it reports others, and goes on with their last byte.
    fn priority(&self, priority: &Ex, exists: Expr, span: Span, cx: &Cx, hazards: &mut Vec<Hazard>) -> Expr {
        let value = self.value(priority, cx);
        hazards.extend(value.hazards.clone());
        if !PRIORITIES.includes(value.range) {
            let below = Expr::Binary(BinaryOp::Lt, Box::new(value.expr.clone()), Box::new(Expr::Const(PRIORITIES.lo)));
            let above = Expr::Binary(BinaryOp::Lt, Box::new(Expr::Const(PRIORITIES.hi)), Box::new(value.expr.clone()));
            let condition = exists.and(below.or(above));
            hazards.push(Hazard { condition, kind: TrapKind::Priority, after: AfterTrap::GoesOn, span });
        }
        self.cut_to(value, crate::check::Scalar::Byte)
    }
}

/// `variant`, where `applies` holds.
fn only_at(applies: Expr, mut variant: Variant) -> Variant {
    if applies != Expr::TRUE {
        variant.guard.insert(0, applies.clone());
        for hazard in &mut variant.guard_hazards {
            hazard.condition = applies.clone().and(hazard.condition.clone());
        }
    }
    variant
}

/// Lets one of the variants, or an action that never happens, report what goes wrong before it is known which applies.
fn report_hazards(variants: &mut Vec<Variant>, hazards: Vec<Hazard>) {
    if hazards.is_empty() {
        return;
    }
    if variants.iter().all(|variant| variant.half.is_some()) {
        variants.push(Variant { guard: vec![Expr::FALSE], ..Variant::default() });
    }
    let reporter = variants.iter_mut().find(|variant| variant.half.is_none()).expect("one was just added");
    reporter.guard_hazards.splice(0..0, hazards);
}

/// Guard traps come before those of the effect.
fn add_guard_traps(action: &mut Action, hazards: Vec<Hazard>) {
    let of_effect = std::mem::take(&mut action.traps);
    add_traps(action, hazards, TrapTime::Guard);
    action.traps.extend(of_effect);
}

/// The number of terms of an expression.
pub(super) fn terms(expr: &Expr) -> usize {
    let mut count = 1;
    expr.for_each_part(|part| count += terms(part));
    count
}

pub(super) fn add_traps(action: &mut Action, hazards: Vec<Hazard>, time: TrapTime) {
    for Hazard { condition, kind, after, span } in hazards {
        if condition != Expr::FALSE {
            action.traps.push(Trap { time, condition, kind, after, span });
        }
    }
}
