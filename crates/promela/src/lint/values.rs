//! Numbers that do not fit: constants that are cut when stored, comparisons that types decide, cells that arrays lack.

use super::{Tally, walk};
use crate::check::{Access, Basic, Checked, Ex, Pattern, Scalar, VarId, VarInit};
use crate::flow::{Element, ElementId, ElementKind};
use crate::lower::points_to::PointsTo;
use crate::tree::{BinaryOp, ChannelOp, UnaryOp};
use lariat_base::{Diagnostic, Span, safe_point};
use lariat_system::Interval;
use std::collections::HashSet;

const CUT: &str = "P0606";
const DECIDED: &str = "P0607";
const NO_CELL: &str = "P0610";

pub(super) fn lint(checked: &Checked, channels: &PointsTo, tally: &mut Tally) {
    let mut values = Values { checked, channels, tally };
    for var in checked.vars.iter() {
        let given: &[Ex] = match &var.init {
            VarInit::Value(value) => std::slice::from_ref(value),
            VarInit::List(list) => list,
            VarInit::Zero | VarInit::Channel(_) => &[],
        };
        for (part, value) in given.iter().enumerate() {
            values.store(value, var.scalar, &format!("`{}`", var.name), var.span, part);
        }
    }
    for proc in checked.procs.iter() {
        let tests: HashSet<ElementId> = proc.flow.elements.iter().filter_map(test_of_for).collect();
        for (id, element) in proc.flow.elements.entries() {
            if let ElementKind::Basic(basic) = &element.kind {
                values.statement(basic, element, tests.contains(&id));
            }
        }
    }
}

/// The test of a `for`, if this is one: the first of its two options.
fn test_of_for(element: &Element) -> Option<ElementId> {
    match &element.kind {
        ElementKind::Branch(options) if element.text == "for" => options.first().copied(),
        _ => None,
    }
}

struct Values<'a> {
    checked: &'a Checked,
    channels: &'a PointsTo,
    tally: &'a mut Tally,
}

impl Values<'_> {
    fn statement(&mut self, basic: &Basic, element: &Element, counts: bool) {
        safe_point();
        let span = element.span;
        match basic {
            Basic::Assign(target, value) => self.store_in(value, target.var, span, 0),
            Basic::Run { proc, args, .. } => {
                for (part, ((parameter, _), arg)) in self.checked.parameter_cells(*proc).zip(args).enumerate() {
                    self.store_in(arg, parameter, span, part);
                }
            }
            Basic::Send { channel, args, .. } => {
                for to in self.channels.of(channel) {
                    let fields = &self.checked.channels[to].fields;
                    for (part, (arg, &scalar)) in args.iter().zip(fields).enumerate() {
                        self.store(arg, scalar, &format!("field {} of the message", part + 1), span, part);
                    }
                }
            }
            _ => {}
        }
        let counts = counts && self.counting(basic, span);
        walk::for_each_ex(basic, &mut |ex| {
            if let Some(access) = walk::cell(ex) {
                self.cell(access);
            }
            if let Ex::Binary(op, operands, place) = ex
                && !counts
            {
                self.comparison(*op, &operands[0], &operands[1], *place);
            }
        });
        walk::targets(basic).into_iter().chain(walk::channel(basic)).for_each(|access| self.cell(access));
        if let Basic::Receive { channel, args, .. } = basic {
            for from in self.channels.of(channel) {
                let fields = &self.checked.channels[from].fields;
                for (part, (pattern, &scalar)) in (1..).zip(args.iter().zip(fields)) {
                    if let Pattern::Match(value) = pattern {
                        self.match_field(value, scalar, span, part);
                    }
                }
            }
        }
    }

    /// The test of a `for`, if its last value is known: `i <= 255` with a byte never ends.
    fn counting(&mut self, basic: &Basic, span: Span) -> bool {
        let Basic::Condition(Ex::Binary(BinaryOp::Le, operands, _)) = basic else { return false };
        let (Ex::Read(access), Some(last)) = (&operands[0], known(&operands[1])) else { return false };
        let var = &self.checked.vars[access.var];
        let Interval { hi, .. } = range_of(var.scalar);
        if last < hi {
            self.tally.mark_valid_part(DECIDED, span, usize::MAX);
        } else {
            let message =
                format!("this loop never ends: `{}`, {}, never exceeds {last}", var.name, type_name(var.scalar));
            let warning = Diagnostic::warning(span, DECIDED, message);
            self.tally.suspicious_part(usize::MAX, warning.help("its variable needs a larger type"));
        }
        true
    }

    fn store_in(&mut self, value: &Ex, var: VarId, span: Span, part: usize) {
        let var = &self.checked.vars[var];
        self.store(value, var.scalar, &format!("`{}`", var.name), span, part);
    }

    fn store(&mut self, value: &Ex, scalar: Scalar, into: &str, span: Span, part: usize) {
        let Some(value) = known(value).filter(|_| scalar != Scalar::Chan) else { return };
        let range = range_of(scalar);
        if range.lo <= value && value <= range.hi {
            self.tally.mark_valid_part(CUT, span, part);
            return;
        }
        let stored = stored(value, scalar);
        let message = format!("{value} does not fit into {into}, {}: it becomes {stored}", type_name(scalar));
        let help = format!("it holds {} to {}", range.lo, range.hi);
        self.tally.suspicious_part(part, Diagnostic::warning(span, CUT, message).help(help));
    }

    fn match_field(&mut self, value: &Ex, scalar: Scalar, span: Span, part: usize) {
        let Some(value) = known(value).filter(|_| scalar != Scalar::Chan) else { return };
        let range = range_of(scalar);
        if range.lo <= value && value <= range.hi {
            self.tally.mark_valid_part(DECIDED, span, part);
        } else {
            let message = format!("no message has {value} there: the field is {}", type_name(scalar));
            let help = format!("it holds {} to {}", range.lo, range.hi);
            self.tally.suspicious_part(part, Diagnostic::warning(span, DECIDED, message).help(help));
        }
    }

    fn cell(&mut self, access: &Access) {
        for (part, (index, len)) in access.indices.iter().enumerate() {
            match known(index) {
                Some(index) if index < 0 || index >= i64::from(*len) => {
                    let name = &self.checked.vars[access.var].name;
                    let message = format!("`{name}` has no cell {index}");
                    let help = format!("its cells are 0 to {}", len - 1);
                    self.tally.suspicious_part(part, Diagnostic::warning(access.span, NO_CELL, message).help(help));
                }
                _ => self.tally.mark_valid_part(NO_CELL, access.span, part),
            }
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: &Ex, right: &Ex, span: Span) {
        let decided = match (known(left), known(right)) {
            // Two constants: most often a parameter of the model, which is meant to decide.
            (Some(_), Some(_)) => None,
            (None, Some(value)) => self.decided(op, left, value),
            (Some(value), None) => mirrored(op).and_then(|op| self.decided(op, right, value)),
            (None, None) => None,
        };
        let Some((always, range)) = decided else {
            self.tally.mark_valid(DECIDED, span);
            return;
        };
        let message = if always { "this always holds" } else { "this never holds" };
        let what = format!("one side is {} to {}, whatever happens", range.lo, range.hi);
        self.tally.suspicious(Diagnostic::warning(span, DECIDED, message).help(what));
    }

    /// Whether the type of `variable` alone decides how it compares with `value`, and what it can be.
    fn decided(&self, op: BinaryOp, variable: &Ex, value: i64) -> Option<(bool, Interval)> {
        let range = match variable {
            Ex::Read(access) if self.checked.vars[access.var].scalar != Scalar::Chan => {
                range_of(self.checked.vars[access.var].scalar)
            }
            Ex::Channel(ChannelOp::Len, access) => {
                let capacities = self.channels.of(access).into_iter().map(|id| self.checked.channels[id].capacity);
                Interval { lo: 0, hi: i64::from(capacities.max()?) }
            }
            _ => return None,
        };
        let Interval { lo, hi } = range;
        let always = match op {
            BinaryOp::Eq if value < lo || value > hi => false,
            BinaryOp::Ne if value < lo || value > hi => true,
            BinaryOp::Lt if lo >= value => false,
            BinaryOp::Lt if hi < value => true,
            BinaryOp::Le if lo > value => false,
            BinaryOp::Le if hi <= value => true,
            BinaryOp::Gt if hi <= value => false,
            BinaryOp::Gt if lo > value => true,
            BinaryOp::Ge if hi < value => false,
            BinaryOp::Ge if lo >= value => true,
            _ => return None,
        };
        Some((always, range))
    }
}

/// The operator with its operands the other way round.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::Ne => op,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

/// The value of an expression without variables.
fn known(ex: &Ex) -> Option<i64> {
    match ex {
        Ex::Const(value) => Some(*value),
        Ex::Unary(UnaryOp::Neg, operand) => known(operand).map(|value| i64::from((-value) as i32)),
        Ex::Binary(op, operands, _) => {
            let (a, b) = (known(&operands[0])?, known(&operands[1])?);
            let value = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                _ => return None,
            };
            Some(i64::from(value as i32))
        }
        _ => None,
    }
}

fn range_of(scalar: Scalar) -> Interval {
    match scalar {
        Scalar::Bit | Scalar::Bool => Interval { lo: 0, hi: 1 },
        Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) => Interval { lo: 0, hi: 255 },
        Scalar::Short => Interval { lo: -(1 << 15), hi: (1 << 15) - 1 },
        Scalar::Int | Scalar::Chan => Interval::INT,
        Scalar::Unsigned(bits) => Interval { lo: 0, hi: (1 << bits) - 1 },
    }
}

fn stored(value: i64, scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Bit | Scalar::Bool => value & 1,
        Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) => value & 255,
        Scalar::Short => i64::from(value as i16),
        Scalar::Int | Scalar::Chan => value,
        Scalar::Unsigned(bits) => value & ((1 << bits) - 1),
    }
}

fn type_name(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bit => "a bit".into(),
        Scalar::Bool => "a bool".into(),
        Scalar::Byte => "a byte".into(),
        Scalar::Short => "a short".into(),
        Scalar::Int => "an int".into(),
        Scalar::Pid => "a pid".into(),
        Scalar::Unsigned(bits) => format!("an unsigned of {bits} bits"),
        Scalar::Mtype(_) => "an mtype".into(),
        Scalar::Chan => "a chan".into(),
    }
}
