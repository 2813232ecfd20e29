//! Channels: their numbers, and where their messages are kept.
//!
//! Channels of one shape (capacity and field types) form a *class*. The value of a channel variable is 0 for "no channel",
//! or a number; the numbers of a class are consecutive. First come the class's global channels, then for each position of
//! the pool the local ones of the process there. A class keeps the lengths of its channels in one array and each field of
//! its messages in another: cell `channel * capacity + k` is that of the message `k` places from the head. Messages move
//! up when the head is taken, and cells behind the last message are 0, so equal contents are equal states.

use super::expr::{Cx, Hazard, Value};
use super::{LowerOptions, Lowering, VarPlace};
use crate::check::{Access, ChannelId, Checked, Scalar, VarInit};
use crate::tree::ChannelOp;
use lariat_base::{IdVec, Span};
use lariat_system::{AfterTrap, BinaryOp, Expr, Interval, Place, SlotId, TrapKind};

/// Channels of one shape.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) capacity: u32,
    pub(super) fields: Vec<Scalar>,
    /// The number of the first channel.
    first: i64,
    globals: u32,
    /// Local channels for each position of the pool.
    per_position: u32,
    /// The number of channels.
    pub(super) count: u32,
    /// The lengths; none for a rendezvous.
    pub(super) len: Option<SlotId>,
    /// The fields; none for a rendezvous.
    pub(super) cells: Vec<SlotId>,
    /// For people.
    pub(super) name: String,
}

/// Where a declaration's channels are inside their class.
#[derive(Clone, Copy, Debug)]
struct ClassPlace {
    class: usize,
    offset: u32,
}

impl Class {
    /// The bits of a length. A length may take all their values, so that one more and one less, cut to them, are
    /// lengths again; a guard keeps them within the capacity.
    pub(super) fn len_bits(&self) -> u8 {
        (32 - self.capacity.leading_zeros()) as u8
    }
    /// `len` changed by the operator and 1.
    pub(super) fn changed(&self, op: BinaryOp, len: Expr) -> Expr {
        let value = Box::new(Expr::binary(op, len, Expr::Const(1)));
        Expr::Wrap { bits: self.len_bits(), signed: false, value }
    }
}

#[derive(Debug)]
pub(super) struct Classes {
    pub(super) list: Vec<Class>,
    places: IdVec<ChannelId, ClassPlace>,
}

/// A channel that an operation may be about.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) class: usize,
    /// Whether it is this one.
    pub(super) applies: Expr,
    /// Which channel of the class.
    pub(super) index: Expr,
    /// Its number.
    pub(super) id: Expr,
    /// Where it is named.
    pub(super) span: Span,
}

impl Classes {
    pub(super) fn new(model: &Checked, options: LowerOptions, pool_size: u16) -> Self {
        let mut list: Vec<Class> = Vec::new();
        let mut places = IdVec::new();
        let mut local_counts: Vec<Vec<u32>> = Vec::new();
        for decl in model.channels.iter() {
            let capacity = options.channel_bound.filter(|_| decl.capacity > 0).unwrap_or(decl.capacity);
            let known = list.iter().position(|class| class.capacity == capacity && class.fields == decl.fields);
            let class = known.unwrap_or_else(|| {
                let fields = decl.fields.clone();
                let (len, cells, name) = (None, Vec::new(), String::new());
                list.push(Class {
                    capacity,
                    fields,
                    first: 0,
                    globals: 0,
                    per_position: 0,
                    count: 0,
                    len,
                    cells,
                    name,
                });
                local_counts.push(vec![0; model.procs.len()]);
                list.len() - 1
            });
            let var = &model.vars[decl.var];
            let separator = if list[class].name.is_empty() { "" } else { "," };
            list[class].name += &format!("{separator}{}", var.name);
            let counter = match decl.owner {
                None => &mut list[class].globals,
                Some(owner) => &mut local_counts[class][owner.0 as usize],
            };
            places.push(ClassPlace { class, offset: *counter });
            *counter += decl.count;
        }
        let mut first = 1;
        for (class, locals) in list.iter_mut().zip(&local_counts) {
            class.per_position = locals.iter().copied().max().unwrap_or(0);
            class.count = class.globals + class.per_position * u32::from(pool_size);
            class.first = first;
            first += i64::from(class.count);
        }
        Self { list, places }
    }

    /// The largest channel number.
    pub(super) fn last_id(&self) -> i64 {
        self.list.last().map_or(0, |class| class.first + i64::from(class.count) - 1)
    }

    /// The number of cell `cell` of a declaration; `position` is that of the owner, for a local one.
    pub(super) fn id(&self, channel: ChannelId, local: bool, position: Option<Expr>, cell: Expr) -> Expr {
        let place = self.places[channel];
        let class = &self.list[place.class];
        let base = class.first + i64::from(place.offset);
        let base = match (local, position) {
            (true, Some(position)) => {
                let stride = Expr::Const(i64::from(class.per_position));
                let before = Expr::binary(BinaryOp::Mul, position, stride);
                Expr::Const(base + i64::from(class.globals)).plus(before)
            }
            _ => Expr::Const(base),
        };
        if cell == Expr::Const(0) { base } else { base.plus(cell) }
    }

    /// Which channel of its class cell `cell` of a declaration is.
    pub(super) fn number(&self, channel: ChannelId, position: Option<Expr>, cell: i64) -> u32 {
        let id = self.id(channel, position.is_some(), position, Expr::Const(cell));
        let id = id.as_const().expect("a channel at a known position has a known number");
        (id - self.list[self.class_of(channel)].first) as u32
    }

    pub(super) fn class_of(&self, channel: ChannelId) -> usize {
        self.places[channel].class
    }

    /// For each class the part of a position's channels: its first cell index, and how many.
    pub(super) fn locals_at(&self, class: usize, position: Expr) -> impl Iterator<Item = Expr> + use<> {
        let (globals, per_position) = (self.list[class].globals, self.list[class].per_position);
        (0..per_position).map(move |number| {
            let before = Expr::binary(BinaryOp::Mul, position.clone(), Expr::Const(i64::from(per_position)));
            Expr::Const(i64::from(globals + number)).plus(before)
        })
    }
}

impl Lowering<'_> {
    /// The channels that `access` may name, and what can go wrong in finding out. The channels of a process die with it: as the
    /// youngest process dies first, those that live have the smallest numbers.
    pub(super) fn targets(&self, access: &Access, cx: &Cx) -> (Vec<Target>, Vec<Hazard>) {
        let value = self.read(access, cx);
        if let VarPlace::Fixed = self.places[access.var]
            && let VarInit::Channel(channel) = self.model.vars[access.var].init
        {
            let class = self.classes.class_of(channel);
            return (vec![self.target(class, value.expr, Expr::TRUE, access.span)], value.hazards);
        }
        let classes: std::collections::BTreeSet<usize> =
            self.points_to.of(access).into_iter().map(|channel| self.classes.class_of(channel)).collect();
        let targets: Vec<Target> = classes
            .into_iter()
            .map(|class| {
                let &Class { first, count, globals, per_position, .. } = &self.classes.list[class];
                let range = Interval { lo: first, hi: first + i64::from(count) - 1 };
                let mut applies = in_range(value.expr.clone(), range, value.range);
                if per_position > 0 {
                    let stride = Expr::Const(i64::from(per_position));
                    let locals = Expr::binary(BinaryOp::Mul, self.process_count(cx), stride);
                    let end = Expr::Const(first + i64::from(globals)).plus(locals);
                    applies = applies.and(value.expr.clone().less(end));
                }
                self.target(class, value.expr.clone(), applies, access.span)
            })
            .collect();
        let mut hazards = value.hazards;
        let none = Expr::any(targets.iter().map(|target| target.applies.clone())).negated();
        if none != Expr::FALSE {
            let (kind, after) = (TrapKind::Channel, AfterTrap::Stops);
            hazards.push(Hazard { condition: none, kind, after, span: access.span });
        }
        (targets, hazards)
    }

    /// An operation with this many fields on a channel that has another number of them is an error, but happens.
    pub(super) fn check_fields(&self, target: &Target, given: usize, hazards: &mut Vec<Hazard>) {
        if given != self.classes.list[target.class].fields.len() {
            let (kind, after) = (TrapKind::Channel, AfterTrap::GoesOn);
            hazards.push(Hazard { condition: Expr::TRUE, kind, after, span: target.span });
        }
    }

    fn target(&self, class: usize, id: Expr, applies: Expr, span: Span) -> Target {
        let first = Expr::Const(self.classes.list[class].first);
        let index = Expr::binary(BinaryOp::Sub, id.clone(), first);
        Target { class, applies, index, id, span }
    }

    /// The number of messages in a channel.
    pub(super) fn length(&self, target: &Target) -> Expr {
        match self.classes.list[target.class].len {
            None => Expr::Const(0),
            Some(len) => Place::global(len).at(target.index.clone()).read(),
        }
    }

    /// The place of a field of the message `k` places from the head of a channel.
    pub(super) fn cell(&self, target: &Target, field: usize, k: Expr) -> Place {
        let class = &self.classes.list[target.class];
        let capacity = Expr::Const(i64::from(class.capacity));
        let first = Expr::binary(BinaryOp::Mul, target.index.clone(), capacity);
        let index = if first == Expr::Const(0) { k } else { first.plus(k) };
        Place::global(class.cells[field]).at(index)
    }

    /// `len(q)` and its kin.
    pub(super) fn channel_test(&self, op: ChannelOp, access: &Access, cx: &Cx) -> Value {
        let (targets, hazards) = self.targets(access, cx);
        let mut result = Value { expr: Expr::Const(0), range: Interval { lo: 0, hi: 0 }, hazards };
        for target in targets.iter().rev() {
            // A rendezvous channel is never full.
            let capacity = i64::from(self.classes.list[target.class].capacity.max(1));
            let len = self.length(target);
            let expr = match op {
                ChannelOp::Len => len,
                ChannelOp::Empty => len.equals(Expr::Const(0)),
                ChannelOp::Nempty => len.equals(Expr::Const(0)).negated(),
                // Nor is an unbounded one.
                ChannelOp::Full if self.options.channel_bound.is_some() => Expr::FALSE,
                ChannelOp::Nfull if self.options.channel_bound.is_some() => Expr::TRUE,
                ChannelOp::Full => len.equals(Expr::Const(capacity)),
                ChannelOp::Nfull => len.equals(Expr::Const(capacity)).negated(),
            };
            let len_range = Interval::of_wrap(self.classes.list[target.class].len_bits().max(1), false);
            let hi = if op == ChannelOp::Len { len_range.hi } else { 1 };
            result.range = result.range.hull(Interval { lo: 0, hi });
            result.expr = target.applies.clone().ite(expr, result.expr);
        }
        result
    }
}

/// Whether a value that lies in `known` lies in `range`.
fn in_range(value: Expr, range: Interval, known: Interval) -> Expr {
    let above = if known.lo >= range.lo {
        Expr::TRUE
    } else {
        Expr::binary(BinaryOp::Le, Expr::Const(range.lo), value.clone())
    };
    let below =
        if known.hi <= range.hi { Expr::TRUE } else { Expr::binary(BinaryOp::Le, value, Expr::Const(range.hi)) };
    above.and(below)
}
