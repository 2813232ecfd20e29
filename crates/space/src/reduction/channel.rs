//! Actions that do nothing to a channel but put a message at its end, or take the one at its head.
//!
//! A channel is an array and a length. Between them, one who sends and one who receives touch the same cells, and still do
//! not disturb each other as long as there is room and there is a message: the queue that is left is the same. Which actions
//! are of this kind is found from their form alone, compared with the form that such an action must have, piece by piece.
//! What is left of the action when these pieces are taken away must not touch the slots of the channels at all.

use super::rules::{Rule, Rules};
use lariat_system::{
    Action, BinaryOp, Expr, FrameId, Layout, Owner, Place, Position, Queue, Role, SlotId, System, Trap, TrapTime,
    Update,
};

/// Channels that share their slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    /// By channel, how many messages it has.
    pub(super) len: SlotId,
    fields: Vec<SlotId>,
    pub(super) capacity: i64,
}

/// What is done to a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Way {
    Send,
    Receive,
}

/// An action that is a send or a receive, and what it does beside.
#[derive(Debug)]
pub(super) struct Operation {
    /// Which class, by number.
    pub(super) class: usize,
    pub(super) way: Way,
    /// Which channel of the class; reads slots of the actor alone.
    pub(super) index: Expr,
    /// The rest of the action, which reads what the index does.
    pub(super) rest: Action,
}

/// The classes of the system's channels that nothing but actions speaks of.
pub(super) fn classes(system: &System, rules: Rules) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for Queue { len, fields, capacity, .. } in &system.queues {
        let class = Class { len: *len, fields: fields.clone(), capacity: i64::from(*capacity) };
        if !classes.contains(&class) && class.is_regular(system) {
            classes.push(class);
        }
    }
    let keep = |rule: Rule| rules.keep(rule);
    let shared = |class: &Class| classes.iter().filter(|other| other.slots().any(|slot| class.has(slot))).count() > 1;
    let alone = classes.iter().filter(|class| !keep(Rule::SharedChannels) || !shared(class)).cloned();
    let is_in_invariants = |class: &Class| system.invariants.iter().any(|invariant| class.is_read_by(invariant));
    alone.filter(|class| !keep(Rule::ChannelsInInvariants) || !is_in_invariants(class)).collect()
}

impl Class {
    /// Whether a channel outside the array of lengths has no cells either.
    fn is_regular(&self, system: &System) -> bool {
        let channels = system.slots[self.len].cells();
        let is_array = |slot: SlotId| system.slots[slot].len.is_some();
        let fits = |slot: &SlotId| is_array(*slot) && system.slots[*slot].cells() == channels * self.capacity as usize;
        self.capacity > 0 && is_array(self.len) && self.fields.iter().all(fits)
    }
    fn slots(&self) -> impl Iterator<Item = SlotId> {
        self.fields.iter().copied().chain([self.len])
    }
    fn has(&self, slot: SlotId) -> bool {
        self.slots().any(|own| own == slot)
    }
    fn is_read_by(&self, expr: &Expr) -> bool {
        let mut found = matches!(expr, Expr::Read(Place { owner: Owner::Global(slot), .. }) if self.has(*slot));
        expr.for_each_part(|part| found |= self.is_read_by(part));
        found
    }
    /// Whether anything of the action speaks of these channels.
    fn is_touched_by(&self, action: &Action) -> bool {
        let mut found = false;
        let mut look = |expr: &Expr| found |= self.is_read_by(expr);
        look(&action.rank);
        action.guard.conjuncts().for_each(&mut look);
        action.traps.iter().for_each(|trap| look(&trap.condition));
        action.labels.iter().for_each(|(_, condition)| look(condition));
        action.print.iter().flat_map(|print| &print.arguments).for_each(&mut look);
        for update in &action.updates {
            match update {
                Update::Set(place, value) => {
                    look(&place.clone().read());
                    look(value);
                }
                Update::Spawn { arguments, .. } => arguments.iter().for_each(|argument| look(&argument.value)),
                Update::Exit => {}
            }
        }
        found
    }

    /// The number of messages.
    fn length(&self, index: &Expr) -> Expr {
        Place::global(self.len).at(index.clone()).read()
    }
    /// The cell of a field of the message `k` places from the head.
    fn cell(&self, field: SlotId, index: &Expr, k: Expr) -> Place {
        let first = Expr::binary(BinaryOp::Mul, index.clone(), Expr::Const(self.capacity));
        let cell = if first == Expr::Const(0) { k } else { first.plus(k) };
        Place::global(field).at(cell)
    }
    /// The channel whose length the action changes by the operator and 1, and the update that does so. The new length fits
    /// where there was room, or a message.
    fn counted(&self, action: &Action, op: BinaryOp) -> Option<(Expr, Update)> {
        action.updates.iter().find_map(|update| {
            let Update::Set(Place { owner: Owner::Global(slot), index: Some(index) }, value) = update else {
                return None;
            };
            let Expr::Wrap { bits, signed: false, value: inner } = value else { return None };
            let counts = **inner == Expr::binary(op, self.length(index), Expr::Const(1));
            let fits = *bits < 63 && self.capacity < 1 << bits;
            (*slot == self.len && counts && fits && is_plain(index)).then(|| ((**index).clone(), update.clone()))
        })
    }
    /// The action as a send.
    fn sent(&self, action: &Action, rules: Rules) -> Option<(Expr, Action)> {
        let (index, count) = self.counted(action, BinaryOp::Add)?;
        let mut rest = action.clone();
        let length = self.length(&index);
        take(&mut rest.guard.condition, &length.clone().less(Expr::Const(self.capacity)))?;
        take(&mut rest.updates, &count)?;
        for &field in &self.fields {
            let place = self.cell(field, &index, length.clone());
            let at = rest.updates.iter().position(|update| matches!(update, Update::Set(to, _) if *to == place))?;
            let Update::Set(_, value) = rest.updates.remove(at) else { return None };
            if rules.keep(Rule::SentIsRead) {
                rest.guard.condition.push(value);
            }
        }
        Some((index, rest))
    }
    /// The action as a receive.
    fn received(&self, action: &Action, rules: Rules) -> Option<(Expr, Action)> {
        let (index, count) = self.counted(action, BinaryOp::Sub)?;
        let mut rest = action.clone();
        take(&mut rest.guard.condition, &Expr::Const(0).less(self.length(&index)))?;
        take(&mut rest.updates, &count)?;
        let mut heads = Vec::new();
        for &field in &self.fields {
            let cell = |k: i64| self.cell(field, &index, Expr::Const(k));
            for k in 0..self.capacity {
                let next = if k + 1 < self.capacity { cell(k + 1).read() } else { Expr::Const(0) };
                take(&mut rest.updates, &Update::Set(cell(k), next))?;
            }
            heads.push(cell(0).read());
        }
        // What is taken only when there is a message may read it. Guard traps are looked at without one.
        let forget = |expr: &mut Expr| forget(expr, &heads);
        rest.guard.condition.iter_mut().for_each(forget);
        let holds = |trap: &&mut Trap| trap.time == TrapTime::Effect || !rules.keep(Rule::GuardOfMessage);
        rest.traps.iter_mut().filter(holds).for_each(|trap| forget(&mut trap.condition));
        rest.labels.iter_mut().for_each(|(_, condition)| forget(condition));
        rest.print.iter_mut().flat_map(|print| &mut print.arguments).for_each(forget);
        for update in &mut rest.updates {
            if let Update::Set(place, value) = update {
                place.for_each_part_mut(forget);
                forget(value);
            }
        }
        Some((index, rest))
    }
}

/// The action as a send or a receive of one of the classes, if it is one and touches the channels of its class in no other
/// way.
pub(super) fn operation(classes: &[Class], action: &Action, rules: Rules) -> Option<Operation> {
    if action.participants.len() != 1 {
        return None;
    }
    classes.iter().enumerate().find_map(|(number, class)| {
        let sent = class.sent(action, rules).map(|(index, rest)| (Way::Send, index, rest));
        let (way, index, mut rest) =
            sent.or_else(|| class.received(action, rules).map(|(index, rest)| (Way::Receive, index, rest)))?;
        rest.guard.condition.push(index.clone());
        (!class.is_touched_by(&rest)).then_some(Operation { class: number, way, index, rest })
    })
}

/// Takes out the one thing that is equal to `wanted`.
fn take<T: PartialEq>(list: &mut Vec<T>, wanted: &T) -> Option<()> {
    let at = list.iter().position(|item| item == wanted)?;
    list.remove(at);
    Some(())
}

/// Puts a number in place of what the message holds.
fn forget(expr: &mut Expr, heads: &[Expr]) {
    if heads.contains(expr) {
        *expr = Expr::Const(0);
    } else {
        expr.for_each_part_mut(|part| forget(part, heads));
    }
}

/// Whether [`value`] can tell what it is.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Position(Role::ACTOR) => true,
        Expr::Read(place) => matches!(place, Place { owner: Owner::Role(Role::ACTOR, _), index: None }),
        Expr::Binary(_, left, right) => is_plain(left) && is_plain(right),
        _ => false,
    }
}

/// The value of an index for the process of `frame` at `position`.
pub(super) fn value(expr: &Expr, layout: &Layout, words: &[u64], frame: FrameId, position: Position) -> i64 {
    match expr {
        Expr::Const(value) => *value,
        Expr::Read(Place { owner: Owner::Role(_, local), .. }) => {
            layout.frames[frame][*local].get(words, layout.region(usize::from(position)), 0)
        }
        Expr::Binary(op, left, right) => {
            let of = |part: &Expr| value(part, layout, words, frame, position);
            op.apply(of(left), of(right))
        }
        // The one thing more that an index may be made of.
        _ => i64::from(position),
    }
}
