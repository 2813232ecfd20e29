//! Loops that count: `for` over ranges, arrays and channels, and `select`.

use super::body::last_word;
use super::builder::{Builder, Piece};
use super::{Access, Basic, Checker, Ex, Pattern, Scalar, Var, VarInit};
use crate::flow::{ElementId, ElementKind};
use crate::tree::{self, BinaryOp, ExprKind};
use lariat_base::Span;
use std::ops::RangeInclusive;

/// The largest constant range of a `select` that SPIN turns into a plain choice.
const SELECT_AS_CHOICE: i64 = 32;

impl Checker {
    /// Over an array: `for (i : 0 .. n-1)`. Over a channel: every message is taken from the head and put back at the
    /// end, as many times as there are messages.
    pub(super) fn for_in(
        &mut self,
        b: &mut Builder,
        var: &tree::VarRef,
        over: &tree::VarRef,
        body: &tree::Block,
        span: Span,
    ) -> Option<Piece> {
        use super::scope::Meaning;
        let array = over.as_name().and_then(|name| self.meaning(name)).and_then(|meaning| match &meaning {
            Meaning::Var(var) => self.model.vars[*var].len,
            Meaning::Struct(var) => var.len,
            _ => None,
        });
        if let Some(len) = array {
            let number = |value: u32| tree::Expr::number(value, over.span);
            return self.for_range(b, var, &number(0), &number(len - 1), body, span);
        }
        let channel = self.channel(over)?;
        let targets = self.patterns(&[tree::RecvArg::Ref(var.clone())], false);
        let sent: Vec<Ex> = targets
            .iter()
            .map(|target| match target {
                Pattern::Set(access) => Ex::Read(access.clone()),
                Pattern::Match(value) => value.clone(),
                Pattern::Any => Ex::Const(0),
            })
            .collect();
        let counter = self.hidden_local(b, span);
        let count = |ex: Ex| Basic::Assign(counter.clone(), ex);
        let start = self.step(b, count(Ex::Const(0)), format!("for ({var} in {over})"), span);
        let branch = b.add(ElementKind::Branch(Vec::new()), "for", span);
        let after = b.add(ElementKind::Jump, "end of for", last_word(span, "}"));
        b.link(start.exit, branch);
        let len = Ex::Channel(tree::ChannelOp::Len, channel.clone());
        let more = Ex::Binary(BinaryOp::Lt, Box::new([Ex::Read(counter.clone()), len]), span);
        let test = self.step(b, Basic::Condition(more), format!("more messages in {over}"), span);
        let (random, copy) = (false, false);
        let take = Basic::Receive { channel: channel.clone(), random, copy, args: targets };
        let take = self.step(b, take, format!("{over}?{var}"), span);
        let put = self.step(b, Basic::Send { channel, sorted: false, args: sent }, format!("{over}!{var}"), span);
        b.breaks.push(after);
        let inner = self.block(b, &body.stmts);
        b.breaks.pop();
        let next = Ex::Binary(BinaryOp::Add, Box::new([Ex::Read(counter.clone()), Ex::Const(1)]), span);
        let increment = self.step(b, count(next), "next message".to_owned(), span);
        let otherwise = self.otherwise(b, after, span);
        self.number_loop(b, branch, after);
        for (from, to) in [
            (test.exit, take.entry),
            (take.exit, put.entry),
            (put.exit, inner.entry),
            (inner.exit, increment.entry),
            (increment.exit, branch),
        ] {
            b.link(from, to);
        }
        b.elements[branch].kind = ElementKind::Branch(vec![test.entry, otherwise.entry]);
        Some(Piece { entry: start.entry, exit: after })
    }

    /// `else -> break`
    fn otherwise(&mut self, b: &mut Builder, after: ElementId, span: Span) -> Piece {
        let otherwise = self.step(b, Basic::Else, "else".to_owned(), span);
        let leave = b.add(ElementKind::Jump, "break", last_word(span, "}"));
        self.number(b, leave);
        b.link(otherwise.exit, leave);
        b.link(leave, after);
        Piece { entry: otherwise.entry, exit: leave }
    }

    /// A variable that the text does not name.
    pub(super) fn hidden_local(&mut self, b: &mut Builder, span: Span) -> Access {
        let (owner, scalar) = (self.proc, Scalar::Int);
        let (len, init, assigned) = (None, VarInit::Zero, true);
        let var = self.model.vars.push(Var {
            name: "_for".to_owned(),
            owner,
            scalar,
            len,
            shape: Vec::new(),
            init,
            assigned,
            span,
        });
        b.locals.push(var);
        Access { var, indices: Vec::new(), span }
    }

    /// `i = a; do :: i <= b -> …; i++ :: else -> break od`
    pub(super) fn for_range(
        &mut self,
        b: &mut Builder,
        var: &tree::VarRef,
        from: &tree::Expr,
        to: &tree::Expr,
        body: &tree::Block,
        span: Span,
    ) -> Option<Piece> {
        let access = self.target(var)?;
        let (from_value, to_value) = (self.expr(from), self.expr(to));
        let start = self.step(b, Basic::Assign(access.clone(), from_value), format!("{var} = {from}"), span);
        let branch = b.add(ElementKind::Branch(Vec::new()), "for", span);
        let after = b.add(ElementKind::Jump, "end of for", last_word(span, "}"));
        b.link(start.exit, branch);
        let read = || Box::new([Ex::Read(access.clone()), to_value]);
        let test =
            self.step(b, Basic::Condition(Ex::Binary(BinaryOp::Le, read(), span)), format!("{var} <= {to}"), span);
        b.breaks.push(after);
        let inner = self.block(b, &body.stmts);
        b.breaks.pop();
        b.link(test.exit, inner.entry);
        let more = Ex::Binary(BinaryOp::Add, Box::new([Ex::Read(access.clone()), Ex::Const(1)]), span);
        let increment = self.step(b, Basic::Assign(access.clone(), more), format!("{var}++"), span);
        b.link(inner.exit, increment.entry);
        b.link(increment.exit, branch);
        let otherwise = self.otherwise(b, after, span);
        self.number_loop(b, branch, after);
        b.elements[branch].kind = ElementKind::Branch(vec![test.entry, otherwise.entry]);
        Some(Piece { entry: start.entry, exit: after })
    }

    /// A choice between assignments, or a loop that counts up, so that the values on the way are states. In an `inline` it
    /// is always the loop: SPIN decides in its lexer.
    pub(super) fn select(
        &mut self,
        b: &mut Builder,
        var: &tree::VarRef,
        from: &tree::Expr,
        to: &tree::Expr,
        span: Span,
    ) -> Option<Piece> {
        let access = self.target(var)?;
        let (from_value, to_value) = (self.expr(from), self.expr(to));
        if let Some(values) = select_choices(var, from, to).filter(|_| !b.in_inline) {
            let branch = b.add(ElementKind::Branch(Vec::new()), "select", span);
            let join = b.add(ElementKind::Join, "end of select", last_word(span, ")"));
            let mut options = Vec::new();
            for value in values {
                let option =
                    self.step(b, Basic::Assign(access.clone(), Ex::Const(value)), format!("{var} = {value}"), span);
                b.link(option.exit, join);
                options.push(option.entry);
            }
            b.elements[branch].kind = ElementKind::Branch(options);
            self.number(b, branch);
            self.number(b, join);
            return Some(Piece { entry: branch, exit: join });
        }
        let start = self.step(b, Basic::Assign(access.clone(), from_value), format!("{var} = {from}"), span);
        let branch = b.add(ElementKind::Branch(Vec::new()), "select", span);
        let after = b.add(ElementKind::Jump, "end of select", last_word(span, ")"));
        b.link(start.exit, branch);
        let below = Ex::Binary(BinaryOp::Lt, Box::new([Ex::Read(access.clone()), to_value]), span);
        let test = self.step(b, Basic::Condition(below), format!("{var} < {to}"), span);
        let more = Ex::Binary(BinaryOp::Add, Box::new([Ex::Read(access.clone()), Ex::Const(1)]), span);
        let increment = self.step(b, Basic::Assign(access, more), format!("{var}++"), span);
        b.link(test.exit, increment.entry);
        b.link(increment.exit, branch);
        let leave = self.step(b, Basic::Condition(Ex::Const(1)), "break".to_owned(), span);
        b.link(leave.exit, after);
        self.number_loop(b, branch, after);
        // The order matters in a `d_step`: the first that can be taken is, so the lowest value is selected.
        b.elements[branch].kind = ElementKind::Branch(vec![leave.entry, test.entry]);
        Some(Piece { entry: start.entry, exit: after })
    }
}

/// The values of a `select` that is a choice between assignments: that of a small range between two plain numbers, if
/// the variable's name consists of letters and digits. SPIN decides this in its lexer.
pub(super) fn select_choices(var: &tree::VarRef, from: &tree::Expr, to: &tree::Expr) -> Option<RangeInclusive<i64>> {
    let literal = |expr: &tree::Expr| match expr.kind {
        ExprKind::Number(value) if !expr.parenthesized => Some(i64::from(value)),
        _ => None,
    };
    let (lo, hi) = (literal(from)?, literal(to)?);
    let plain = var.as_name().is_some_and(|name| name.name.chars().all(|c| c.is_ascii_alphanumeric()));
    (plain && (0..=SELECT_AS_CHOICE).contains(&(hi - lo))).then_some(lo..=hi)
}
