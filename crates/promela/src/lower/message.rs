//! Messages into and out of buffered channels.

use super::Lowering;
use super::channel::Target;
use super::expr::{Cx, Hazard, Value};
use super::step::Variant;
use crate::check::{Access, Ex, Pattern};
use lariat_system::{AfterTrap, BinaryOp, Choice, ChoiceId, Expr, Interval, TrapKind, Type, Update};

impl Lowering<'_> {
    /// The ways of sending a message to a buffered channel.
    pub(super) fn send(&self, target: &Target, sorted: bool, args: &[Ex], cx: &Cx) -> Variant {
        let class = &self.classes.list[target.class];
        let capacity = i64::from(class.capacity);
        let len = self.length(target);
        let mut variant = Variant::default();
        let room = len.clone().less(Expr::Const(capacity));
        if self.options.channel_bound.is_some() {
            let (kind, after) = (TrapKind::ChannelBound, AfterTrap::Stops);
            let condition = room.clone().negated();
            variant.effect_hazards.push(Hazard { condition, kind, after, span: target.span });
        } else if !self.options.lose_messages {
            variant.guard.push(room.clone());
        }
        let message = self.message(target, args, cx, &mut variant.effect_hazards);
        self.watch(target, &message, true, false, &mut variant);
        // Sorting compares with every message at every place: too much is refused before it is written down.
        let places = class.capacity as usize;
        if sorted && self.spend(places * places * class.fields.len() * class.fields.len() * 4) {
            return variant;
        }
        if sorted {
            let sent: Vec<Expr> = (0..message.len())
                .map(|field| args.get(field).map_or(Expr::Const(0), |arg| self.value(arg, cx).expr))
                .collect();
            self.insert_sorted(target, &message, &sent, &len, &mut variant);
        } else {
            for (field, value) in message.into_iter().enumerate() {
                variant.updates.push(Update::Set(self.cell(target, field, len.clone()), value));
            }
        }
        let len_place = lariat_system::Place::global(class.len.expect("a buffered channel has a length"));
        let longer = Update::Set(len_place.at(target.index.clone()), class.changed(BinaryOp::Add, len.clone()));
        variant.updates.push(longer);
        if self.options.lose_messages {
            // What is lost is not truncated.
            for hazard in variant.effect_hazards.iter_mut().filter(|hazard| hazard.kind == TrapKind::Range) {
                hazard.condition = room.clone().and(hazard.condition.clone());
            }
            // The message is lost if there is no room: every cell keeps what it has. A cell at `len` of a full channel
            // would be one of the next channel, so the choice is made for every single update.
            for update in &mut variant.updates {
                if let Update::Set(place, value) = update {
                    *value = room.clone().ite(value.clone(), place.clone().read());
                }
            }
        }
        variant
    }

    /// The fields of a message as the channel keeps them; missing ones are 0.
    pub(super) fn message(&self, target: &Target, args: &[Ex], cx: &Cx, hazards: &mut Vec<Hazard>) -> Vec<Expr> {
        self.check_fields(target, args.len(), hazards);
        let fields = &self.classes.list[target.class].fields;
        let mut message = Vec::new();
        for (number, &field) in fields.iter().enumerate() {
            let value = args.get(number).map_or_else(|| Value::constant(0), |arg| self.value(arg, cx));
            hazards.extend(value.hazards.clone());
            message.push(self.stored(value, field, target.span, hazards));
        }
        message
    }

    /// Puts the message before the first one that is greater, comparing field by field. What is compared is what was
    /// `sent`, before it is cut to the types of the fields. The place is a choice that the guard binds.
    fn insert_sorted(&self, target: &Target, message: &[Expr], sent: &[Expr], len: &Expr, variant: &mut Variant) {
        let capacity = i64::from(self.classes.list[target.class].capacity);
        let old = |field: usize, k: Expr| self.cell(target, field, k).read();
        let is_greater = |k: &Expr| {
            sent.iter().enumerate().rev().fold(Expr::FALSE, |rest, (field, value)| {
                let less = value.clone().less(old(field, k.clone()));
                less.or(value.clone().equals(old(field, k.clone())).and(rest))
            })
        };
        let place = if capacity > 1 {
            // Where a send never waits, there is a place for the message even if there is no room: then the trap says so.
            let last_place = if self.options.channel_bound.is_some() { capacity } else { capacity - 1 };
            let ty = Type::Int { lo: 0, hi: last_place };
            let place = Expr::Choice(variant.choices.push(Choice { name: "place".to_owned(), ty }));
            // A message that will be lost goes nowhere, at one place.
            let last = if self.options.lose_messages { len.clone().equals(Expr::Const(capacity)) } else { Expr::FALSE };
            let lost = last.clone().and(place.clone().equals(Expr::Const(0)));
            let in_order =
                place.clone().less(len.clone()).and(is_greater(&place)).or(place.clone().equals(len.clone()));
            variant.guard.push(lost.or(last.clone().negated().and(in_order)));
            for earlier in 0..last_place {
                let earlier = Expr::Const(earlier);
                let passed = earlier.clone().less(place.clone()).and(is_greater(&earlier));
                variant.guard.push(passed.negated());
            }
            place
        } else {
            Expr::Const(0)
        };
        for k in 0..capacity {
            for (field, value) in message.iter().enumerate() {
                let before = if k == 0 { Expr::Const(0) } else { old(field, Expr::Const(k - 1)) };
                let moved = place.clone().equals(Expr::Const(k)).ite(value.clone(), before);
                let kept = Expr::Const(k).less(place.clone()).ite(old(field, Expr::Const(k)), moved);
                variant.updates.push(Update::Set(self.cell(target, field, Expr::Const(k)), kept));
            }
        }
    }

    /// Receiving from a buffered channel. With `random` the place of the message is a choice that the guard binds to the
    /// first that matches.
    pub(super) fn receive(&self, target: &Target, random: bool, copy: bool, args: &[Pattern], cx: &Cx) -> Variant {
        let class = &self.classes.list[target.class];
        let capacity = i64::from(class.capacity);
        let len = self.length(target);
        let mut variant = Variant::default();
        let k = if random && capacity > 1 {
            let ty = Type::Int { lo: 0, hi: capacity - 1 };
            let choice: ChoiceId = variant.choices.push(Choice { name: "place".to_owned(), ty });
            let k = Expr::Choice(choice);
            variant.guard.push(k.clone().less(len.clone()));
            let matches = self.matches(target, k.clone(), args, cx, &mut variant.guard_hazards);
            variant.guard.push(matches);
            for earlier in 0..capacity - 1 {
                let matches = self.matches(target, Expr::Const(earlier), args, cx, &mut Vec::new());
                let before = Expr::Const(earlier).less(k.clone());
                variant.guard.push(before.and(matches).negated());
            }
            k
        } else {
            variant.guard.push(Expr::Const(0).less(len.clone()));
            let matches = self.matches(target, Expr::Const(0), args, cx, &mut variant.guard_hazards);
            variant.guard.push(matches);
            Expr::Const(0)
        };
        let message: Vec<Value> = (class.fields.iter().enumerate())
            .map(|(field, &scalar)| {
                let expr = self.cell(target, field, k.clone()).read();
                Value { expr, range: self.range_of(scalar), hazards: Vec::new() }
            })
            .collect();
        if !copy {
            let contents: Vec<Expr> = message.iter().map(|value| value.expr.clone()).collect();
            self.watch(target, &contents, false, true, &mut variant);
        }
        self.put(args, message, cx, &mut variant.updates, &mut variant.effect_hazards);
        if !copy {
            self.check_fields(target, args.len(), &mut variant.effect_hazards);
            for field in 0..class.fields.len() {
                for j in 0..capacity {
                    let next = if j + 1 < capacity {
                        self.cell(target, field, Expr::Const(j + 1)).read()
                    } else {
                        Expr::Const(0)
                    };
                    let place = self.cell(target, field, Expr::Const(j));
                    let stays = Expr::Const(j).less(k.clone());
                    let value = stays.ite(place.clone().read(), next);
                    // Received values are written after: a channel cannot be received into itself.
                    variant.updates.push(Update::Set(place, value));
                }
            }
            let len_place = lariat_system::Place::global(class.len.expect("a buffered channel has a length"));
            let shorter = class.changed(BinaryOp::Sub, len);
            variant.updates.push(Update::Set(len_place.at(target.index.clone()), shorter));
        }
        variant
    }

    /// Whether the message `k` places from the head matches.
    fn matches(&self, target: &Target, k: Expr, args: &[Pattern], cx: &Cx, hazards: &mut Vec<Hazard>) -> Expr {
        let fields = self.classes.list[target.class].fields.len();
        let mut all = Expr::TRUE;
        for (field, pattern) in args.iter().enumerate().take(fields) {
            if let Pattern::Match(value) = pattern {
                let value = self.value(value, cx);
                hazards.extend(value.hazards);
                all = all.and(self.cell(target, field, k.clone()).read().equals(value.expr));
            }
        }
        all
    }

    /// Puts received values where the patterns say. Later fields see what earlier ones have set.
    pub(super) fn put(
        &self,
        args: &[Pattern],
        message: Vec<Value>,
        cx: &Cx,
        updates: &mut Vec<Update>,
        hazards: &mut Vec<Hazard>,
    ) {
        let mut cx = cx.clone();
        for (pattern, value) in args.iter().zip(message) {
            if let Pattern::Set(access) = pattern {
                let (place, found) = self.place(access, &cx);
                hazards.extend(found);
                let stored = self.stored(value, self.model.vars[access.var].scalar, access.span, hazards);
                cx.written.push((place.clone(), stored.clone()));
                updates.push(Update::Set(place, stored));
            }
        }
    }

    /// `q?[…]` and `q??[…]`
    pub(super) fn poll(&self, access: &Access, random: bool, args: &[Pattern], cx: &Cx) -> Value {
        let (targets, mut hazards) = self.targets(access, cx);
        let mut found = Expr::FALSE;
        for target in &targets {
            let (condition, mut inner) = self.pollable(target, random, args, cx);
            if self.classes.list[target.class].capacity == 0 {
                let (kind, after) = (TrapKind::Channel, AfterTrap::GoesOn);
                inner.push(Hazard { condition: Expr::TRUE, kind, after, span: access.span });
            }
            let applies = |hazard: Hazard| Hazard { condition: target.applies.clone().and(hazard.condition), ..hazard };
            hazards.extend(inner.into_iter().map(applies));
            found = found.or(target.applies.clone().and(condition));
        }
        Value { expr: found, range: Interval::BOOL, hazards }
    }

    /// Whether a receive from a buffered channel could happen; never from a rendezvous.
    pub(super) fn pollable(&self, target: &Target, random: bool, args: &[Pattern], cx: &Cx) -> (Expr, Vec<Hazard>) {
        let capacity = i64::from(self.classes.list[target.class].capacity);
        let mut hazards = Vec::new();
        let places = match (capacity, random) {
            (0, _) => 0,
            (_, false) => 1,
            (capacity, true) => capacity,
        };
        let len = self.length(target);
        let condition = Expr::any((0..places).map(|k| {
            let present = Expr::Const(k).less(len.clone());
            let found = if k == 0 { &mut hazards } else { &mut Vec::new() };
            present.and(self.matches(target, Expr::Const(k), args, cx, found))
        }));
        (condition, hazards)
    }
}
