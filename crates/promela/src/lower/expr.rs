//! Expressions: C's `int` arithmetic in terms of exact arithmetic and cuts, with what can go wrong on the side.

use super::{Lowering, Overflow, PC, PRIORITY, VarPlace};
use crate::check::{Access, Ex, ProcId, Scalar, VarId, VarInit};
use crate::tree::{BinaryOp, UnaryOp};
use lariat_base::{Id, Span, safe_point};
use lariat_system::{
    AfterTrap, BinaryOp as Ir, Expr, FrameId, Interval, Owner, Place, Role, TrapKind, UnaryOp as IrUnary,
};
use std::collections::HashMap;

/// What can go wrong in evaluating an expression, and when.
#[derive(Clone, Debug)]
pub(super) struct Hazard {
    pub(super) condition: Expr,
    pub(super) kind: TrapKind,
    pub(super) after: AfterTrap,
    pub(super) span: Span,
}

/// A lowered expression.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    /// Where its values lie.
    pub(super) range: Interval,
    /// In the order of evaluation.
    pub(super) hazards: Vec<Hazard>,
}

/// Which cell of an array.
struct CellIndex {
    cell: Expr,
    /// Whether it is none.
    outside: Expr,
}

/// For whom an expression is evaluated.
#[derive(Clone, Debug)]
pub(super) struct Cx {
    /// The role of the process it belongs to.
    pub(super) me: Role,
    /// The next role that nothing is bound to.
    pub(super) free: u8,
    /// What `timeout` is read as.
    pub(super) timeout: bool,
    /// Cells that a receive has set already, with their new contents.
    pub(super) written: Vec<(Place, Expr)>,
    /// For the variables of a process that is being created: what is known of it.
    pub(super) new_process: Option<NewProcess>,
    /// Inside an `enabled`: the kinds of processes whose conditions are looked at, the outermost first.
    pub(super) asked: Vec<ProcId>,
}

/// A process that is being created.
#[derive(Clone, Debug)]
pub(super) struct NewProcess {
    pub(super) pid: Expr,
    pub(super) priority: Expr,
    /// What its variables begin with: one value for every cell, or a value for each.
    pub(super) values: HashMap<VarId, Vec<Expr>>,
}

impl Cx {
    /// For the acting process of an action with `participants` participants.
    pub(super) fn actor(participants: u8) -> Self {
        Self {
            me: Role::ACTOR,
            free: participants,
            timeout: false,
            written: Vec::new(),
            new_process: None,
            asked: Vec::new(),
        }
    }
    /// The same action, seen by the process bound to `me`.
    pub(super) fn seen_by(&self, me: Role) -> Self {
        Self { me, written: Vec::new(), ..self.clone() }
    }
    /// With one more role bound, which is returned.
    pub(super) fn bind(&self) -> (Role, Self) {
        (Role(self.free), Self { free: self.free + 1, ..self.clone() })
    }
}

impl Value {
    pub(super) fn constant(value: i64) -> Self {
        Self { expr: Expr::Const(value), range: Interval::point(value), hazards: Vec::new() }
    }
    fn truth(expr: Expr, hazards: Vec<Hazard>) -> Self {
        Self { expr, range: Interval::BOOL, hazards }
    }
    /// Cut to C's `int`, if need be.
    fn into_int(self) -> Self {
        if Interval::INT.includes(self.range) { self } else { self.cut(32, true) }
    }
    fn cut(self, bits: u8, signed: bool) -> Self {
        let range = Interval::of_wrap(bits, signed);
        if range.includes(self.range) {
            return self;
        }
        let expr = match self.expr {
            Expr::Const(value) => Expr::Const(lariat_system::wrap(bits, signed, value)),
            expr => Expr::Wrap { bits, signed, value: Box::new(expr) },
        };
        Self { expr, range, hazards: self.hazards }
    }
}

/// `hazards`, but only where `condition` holds.
pub(super) fn only_if(condition: &Expr, hazards: Vec<Hazard>) -> impl Iterator<Item = Hazard> {
    hazards
        .into_iter()
        .map(move |hazard| Hazard { condition: condition.clone().and(hazard.condition), ..hazard })
        .filter(|hazard| hazard.condition != Expr::FALSE)
}

impl Lowering<'_> {
    /// The value of an expression.
    pub(super) fn value(&self, ex: &Ex, cx: &Cx) -> Value {
        safe_point();
        let plain = |expr: Expr, range: Interval| Value { expr, range, hazards: Vec::new() };
        let pool = i64::from(self.system.pool_size);
        match ex {
            Ex::Const(value) => Value::constant(*value),
            Ex::Read(access) => self.read(access, cx),
            Ex::Pid => plain(self.pid(cx), Interval { lo: 0, hi: pool }),
            Ex::ProcessCount => plain(self.process_count(cx), Interval { lo: 0, hi: pool + 1 }),
            Ex::Last => {
                let last = self.last.expect("a slot is made for `_last` where it is used");
                plain(Place::global(last).read(), Interval { lo: 0, hi: 255 })
            }
            Ex::Priority => {
                let own = || Place::local(cx.me, PRIORITY).read();
                let priority = cx.new_process.as_ref().map_or_else(own, |new_process| new_process.priority.clone());
                plain(priority, Interval { lo: 0, hi: 255 })
            }
            Ex::NonProgress => plain(self.stands_at("progress", cx).negated(), Interval::BOOL),
            Ex::Accepting => plain(self.stands_at("accept", cx), Interval::BOOL),
            Ex::Timeout => Value::constant(i64::from(cx.timeout)),
            Ex::Unary(op, operand) => self.unary(*op, self.value(operand, cx)),
            Ex::Binary(op, operands, span) => {
                self.binary(*op, self.value(&operands[0], cx), self.value(&operands[1], cx), *span)
            }
            Ex::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let (condition, yes, no) = (self.value(condition, cx), self.value(yes, cx), self.value(no, cx));
                let mut hazards = condition.hazards;
                hazards.extend(only_if(&condition.expr.clone().truth(), yes.hazards));
                hazards.extend(only_if(&condition.expr.clone().negated(), no.hazards));
                Value { expr: condition.expr.ite(yes.expr, no.expr), range: yes.range.hull(no.range), hazards }
            }
            Ex::Channel(op, access) => self.channel_test(*op, access, cx),
            Ex::Poll(access, random, patterns) => self.poll(access, *random, patterns, cx),
            Ex::RemoteVar(proc, pid, access) => self.remote_var(*proc, pid.as_deref(), access, cx),
            Ex::RemoteLabel(proc, pid, label) => self.remote_label(*proc, pid.as_deref(), label, cx),
            Ex::Enabled(pid) => self.is_enabled(pid, cx),
            Ex::PcValue(pid) => self.pc_value(pid, cx),
            Ex::GetPriority(pid) => {
                let pid = self.value(pid, cx);
                let of = |frame: FrameId| {
                    let owner = Owner::At(frame, PRIORITY, Box::new(pid.expr.clone()));
                    Place { owner, index: None }.read()
                };
                let expr = self.model.procs.ids().map(|proc| of(FrameId::new(proc.index()))).reduce(Expr::plus);
                let range = Interval { lo: 0, hi: 255 * self.model.procs.len() as i64 };
                let mut expr = expr.unwrap_or(Expr::Const(0));
                if let Some(new_process) = &cx.new_process {
                    expr = pid.expr.equals(new_process.pid.clone()).ite(new_process.priority.clone(), expr);
                }
                Value { expr, range, hazards: pid.hazards }.cut(8, false)
            }
        }
    }

    /// Whether an expression holds, as 0 or 1.
    pub(super) fn truth(&self, ex: &Ex, cx: &Cx) -> (Expr, Vec<Hazard>) {
        let value = self.value(ex, cx);
        let expr = if Interval::BOOL.includes(value.range) { value.expr } else { value.expr.truth() };
        (expr, value.hazards)
    }

    /// How many processes live. A process counts itself when its variables get their values.
    pub(super) fn process_count(&self, cx: &Cx) -> Expr {
        let with_newborn = |new_process: &NewProcess| new_process.pid.clone().plus(Expr::Const(1));
        cx.new_process.as_ref().map_or(Expr::PoolCount, with_newborn)
    }

    fn pid(&self, cx: &Cx) -> Expr {
        match &cx.new_process {
            Some(new_process) => new_process.pid.clone(),
            None => Expr::Position(cx.me),
        }
    }

    fn unary(&self, op: UnaryOp, operand: Value) -> Value {
        match op {
            UnaryOp::Not => Value::truth(operand.expr.negated(), operand.hazards),
            UnaryOp::Neg | UnaryOp::Complement => {
                let op = if op == UnaryOp::Neg { IrUnary::Neg } else { IrUnary::BitNot };
                let range = Interval::of_unary(op, operand.range).expect("operands are C ints, so results fit 63 bits");
                Value { expr: Expr::unary(op, operand.expr), range, hazards: operand.hazards }.into_int()
            }
        }
    }

    fn binary(&self, op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
        let mut hazards = a.hazards;
        match op {
            BinaryOp::And => {
                hazards.extend(only_if(&a.expr.clone().truth(), b.hazards));
                return Value::truth(a.expr.and(b.expr), hazards);
            }
            BinaryOp::Or => {
                hazards.extend(only_if(&a.expr.clone().negated(), b.hazards));
                return Value::truth(a.expr.or(b.expr), hazards);
            }
            _ => hazards.extend(b.hazards),
        }
        let (ir, a, b) = match op {
            BinaryOp::Gt => (Ir::Lt, (b.expr, b.range), (a.expr, a.range)),
            BinaryOp::Ge => (Ir::Le, (b.expr, b.range), (a.expr, a.range)),
            other => (plain_op(other), (a.expr, a.range), (b.expr, b.range)),
        };
        if matches!(ir, Ir::Div | Ir::Rem) && b.1.contains(0) {
            let condition = b.0.clone().equals(Expr::Const(0));
            hazards.push(Hazard { condition, kind: TrapKind::Division, after: AfterTrap::Stops, span });
        }
        let range = Interval::of_binary(ir, a.1, b.1).expect("operands are C ints, so results fit 63 bits");
        Value { expr: Expr::binary(ir, a.0, b.0), range, hazards }.into_int()
    }

    /// The content of a cell.
    pub(super) fn read(&self, access: &Access, cx: &Cx) -> Value {
        let var = &self.model.vars[access.var];
        let range = self.range_of(var.scalar);
        let (index, hazards) = self.index(access, cx);
        if let VarPlace::Fixed = self.places[access.var]
            && let VarInit::Channel(channel) = var.init
        {
            let local = var.owner.is_some();
            let (index, outside) = index.map_or((Expr::Const(0), Expr::FALSE), |index| (index.cell, index.outside));
            let id = self.classes.id(channel, local, local.then(|| self.pid(cx)), index);
            // Outside of its array there is no channel. The number of one that is being created is not in the range yet.
            let id = match id {
                Expr::Const(_) => id,
                id => Expr::Wrap { bits: self.chan_bits(), signed: false, value: Box::new(id) },
            };
            let expr = outside.ite(Expr::Const(0), id);
            return Value { expr, range, hazards };
        }
        if let Some(new_process) = &cx.new_process
            && var.owner.is_some()
        {
            let cells = new_process.values.get(&access.var).map_or(&[][..], Vec::as_slice);
            let expr = match (cells, index) {
                ([], _) => Expr::Const(0),
                ([value], None) => value.clone(),
                ([value], Some(index)) => index.outside.ite(Expr::Const(0), value.clone()),
                (cells, index) => {
                    let cell = index.map_or(Expr::Const(0), |index| index.cell);
                    cells.iter().enumerate().rev().fold(Expr::Const(0), |otherwise, (number, value)| {
                        cell.clone().equals(Expr::Const(number as i64)).ite(value.clone(), otherwise)
                    })
                }
            };
            return Value { expr, range, hazards };
        }
        let place = self.place_at(access.var, index.map(|index| index.cell), cx.me);
        let mut expr = place.clone().read();
        for (written, value) in &cx.written {
            if *written == place {
                expr = value.clone();
            } else if let (Some(a), Some(b)) = (&written.index, &place.index)
                && written.owner == place.owner
            {
                expr = (**a).clone().equals((**b).clone()).ite(value.clone(), expr);
            }
        }
        Value { expr, range, hazards }
    }

    /// The place of a cell that is written.
    pub(super) fn place(&self, access: &Access, cx: &Cx) -> (Place, Vec<Hazard>) {
        let (index, hazards) = self.index(access, cx);
        (self.place_at(access.var, index.map(|index| index.cell), cx.me), hazards)
    }

    fn place_at(&self, var: VarId, index: Option<Expr>, me: Role) -> Place {
        let place = match self.places[var] {
            VarPlace::Global(slot) => Place::global(slot),
            VarPlace::Local(local) => Place::local(me, local),
            VarPlace::Fixed => unreachable!("a channel variable that never changes is neither written nor read"),
        };
        match index {
            None => place,
            Some(index) => place.at(index),
        }
    }

    /// The index of a cell in its array, from the indices on the way; none for what is no array.
    fn index(&self, access: &Access, cx: &Cx) -> (Option<CellIndex>, Vec<Hazard>) {
        let mut hazards = Vec::new();
        let mut whole: Option<Expr> = None;
        let mut outside = Expr::FALSE;
        for (index, len) in &access.indices {
            let value = self.value(index, cx);
            hazards.extend(value.hazards);
            let inside = Interval { lo: 0, hi: i64::from(*len) - 1 };
            if !inside.includes(value.range) {
                let below = Expr::binary(Ir::Lt, value.expr.clone(), Expr::Const(0));
                let above = Expr::binary(Ir::Le, Expr::Const(i64::from(*len)), value.expr.clone());
                let below = if value.range.lo < 0 { below } else { Expr::FALSE };
                let condition = below.or(above);
                outside = outside.or(condition.clone());
                let (kind, after) = (TrapKind::Index, AfterTrap::GoesOn);
                hazards.push(Hazard { condition, kind, after, span: access.span });
            }
            whole = Some(match whole {
                None => value.expr,
                Some(before) => Expr::binary(Ir::Mul, before, Expr::Const(i64::from(*len))).plus(value.expr),
            });
        }
        let several = access.indices.len() > 1;
        let index = whole.map(|cell| {
            // With several indices a bad one may still lead to some cell of the whole, which is not meant.
            let cell = if several { outside.clone().ite(Expr::Const(-1), cell) } else { cell };
            CellIndex { cell, outside }
        });
        (index, hazards)
    }

    /// `value` as it is after being stored in a variable of this type, which stands at `into`. If it may not fit, that is one of
    /// the hazards.
    pub(super) fn stored(&self, value: Value, scalar: Scalar, into: Span, hazards: &mut Vec<Hazard>) -> Expr {
        // A channel variable that gets a number is another mistake, found where it is used.
        let is_watched = scalar != Scalar::Chan && self.options.overflow != Overflow::Silent;
        if is_watched && !self.range_of(scalar).includes(value.range) {
            let (bits, signed) = self.kept_bits(scalar);
            // Constants are not folded: messages say what did not fit, and what would.
            let cut = Expr::Wrap { bits, signed, value: Box::new(value.expr.clone()) };
            let condition = Expr::Binary(Ir::Ne, Box::new(value.expr.clone()), Box::new(cut));
            hazards.push(Hazard { condition, kind: TrapKind::Range, after: AfterTrap::GoesOn, span: into });
        }
        self.cut_to(value, scalar)
    }

    /// What is left of a value in a variable of this type.
    pub(super) fn cut_to(&self, value: Value, scalar: Scalar) -> Expr {
        if self.range_of(scalar).includes(value.range) {
            return value.expr;
        }
        let (bits, signed) = self.kept_bits(scalar);
        value.cut(bits, signed).expr
    }

    /// How many bits of a number are stored, and whether the highest of them is the sign.
    fn kept_bits(&self, scalar: Scalar) -> (u8, bool) {
        match scalar {
            // SPIN keeps a `bool` in one bit, so 2 becomes false.
            Scalar::Bit | Scalar::Bool => (1, false),
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) => (8, false),
            Scalar::Short => (16, true),
            Scalar::Int => (32, true),
            Scalar::Unsigned(bits) => (bits, false),
            Scalar::Chan => (self.chan_bits(), false),
        }
    }

    fn remote_var(&self, proc: ProcId, pid: Option<&Ex>, access: &Access, cx: &Cx) -> Value {
        let (index, mut hazards) = self.index(access, cx);
        let range = self.range_of(self.model.vars[access.var].scalar);
        let frame = FrameId::new(proc.index());
        let at = |position: Expr| {
            let local = match (self.places[access.var], &self.model.vars[access.var].init) {
                (VarPlace::Local(local), _) => local,
                (_, VarInit::Channel(channel)) => {
                    let cell = index.as_ref().map_or(Expr::Const(0), |index| index.cell.clone());
                    let value = Box::new(self.classes.id(*channel, true, Some(position.clone()), cell));
                    let id = Expr::Wrap { bits: self.chan_bits(), signed: false, value };
                    return Expr::Lives(frame, Box::new(position)).ite(id, Expr::Const(0));
                }
                _ => return Expr::Const(0),
            };
            let place = Place { owner: Owner::At(frame, local, Box::new(position)), index: None };
            match &index {
                None => place.read(),
                Some(index) => place.at(index.cell.clone()).read(),
            }
        };
        let expr = self.at_process(frame, pid, cx, &mut hazards, at);
        Value { expr, range, hazards }
    }

    fn remote_label(&self, proc: ProcId, pid: Option<&Ex>, label: &str, cx: &Cx) -> Value {
        let flow = &self.model.procs[proc].flow;
        let element = flow.labels.iter().find(|(known, _)| known == label).map(|&(_, element)| element);
        let places = element.into_iter().flat_map(|element| flow.right_before(element));
        let locations: Vec<i64> = places.filter_map(|place| self.locations[proc].of_element(flow, place)).collect();
        if locations.is_empty() {
            return Value::constant(0);
        }
        let frame = FrameId::new(proc.index());
        let at = |position: Expr| {
            let pc = || Place { owner: Owner::At(frame, PC, Box::new(position.clone())), index: None }.read();
            let there = Expr::any(locations.iter().map(|&location| pc().equals(Expr::Const(location))));
            Expr::Lives(frame, Box::new(position.clone())).and(there)
        };
        let mut hazards = Vec::new();
        let expr = self.at_process(frame, pid, cx, &mut hazards, at);
        Value::truth(expr, hazards)
    }

    /// What `at` says of the process with this pid; without a pid, of the oldest process of the frame.
    fn at_process(
        &self,
        frame: FrameId,
        pid: Option<&Ex>,
        cx: &Cx,
        hazards: &mut Vec<Hazard>,
        at: impl Fn(Expr) -> Expr,
    ) -> Expr {
        if let Some(pid) = pid {
            let pid = self.value(pid, cx);
            hazards.extend(pid.hazards);
            return at(pid.expr);
        }
        let positions = (0..i64::from(self.system.pool_size)).rev().map(Expr::Const);
        positions.fold(Expr::Const(0), |otherwise, position| {
            Expr::Lives(frame, Box::new(position.clone())).ite(at(position), otherwise)
        })
    }

    /// Some process stands at a label that begins with `prefix`.
    fn stands_at(&self, prefix: &str, cx: &Cx) -> Expr {
        let per_proc = self.model.procs.entries().map(|(id, proc)| {
            let places = self.locations[id].offering_labels(&proc.flow, prefix);
            let pc = || Place::local(Role(cx.free), PC).read();
            let there = Expr::any(places.into_iter().map(|at| pc().equals(Expr::Const(at))));
            if there == Expr::FALSE { Expr::FALSE } else { Expr::Exists(FrameId::new(id.index()), Box::new(there)) }
        });
        Expr::any(per_proc.collect::<Vec<_>>())
    }
}

fn plain_op(op: BinaryOp) -> Ir {
    match op {
        BinaryOp::Or => Ir::Or,
        BinaryOp::And => Ir::And,
        BinaryOp::BitOr => Ir::BitOr,
        BinaryOp::BitXor => Ir::BitXor,
        BinaryOp::BitAnd => Ir::BitAnd,
        BinaryOp::Eq => Ir::Eq,
        BinaryOp::Ne => Ir::Ne,
        BinaryOp::Lt | BinaryOp::Gt => Ir::Lt,
        BinaryOp::Le | BinaryOp::Ge => Ir::Le,
        BinaryOp::Shl => Ir::Shl,
        BinaryOp::Shr => Ir::Shr,
        BinaryOp::Add => Ir::Add,
        BinaryOp::Sub => Ir::Sub,
        BinaryOp::Mul => Ir::Mul,
        BinaryOp::Div => Ir::Div,
        BinaryOp::Rem => Ir::Rem,
    }
}
