//! Walking trees and checked statements.

use crate::check::{Access, Basic, Ex, Pattern};
use crate::tree::{Block, Expr, ExprKind, Ident, RecvArg, Stmt, StmtKind, VarRef};
use lariat_base::safe_point;

/// Shows every statement of a block, those inside others after them.
pub(super) fn for_each_stmt<'a>(block: &'a Block, see: &mut dyn FnMut(&'a Stmt)) {
    block.stmts.iter().for_each(|stmt| stmt_and_inner(stmt, see));
}

fn stmt_and_inner<'a>(stmt: &'a Stmt, see: &mut dyn FnMut(&'a Stmt)) {
    safe_point();
    see(stmt);
    match &stmt.kind {
        StmtKind::Block(block) | StmtKind::Atomic(block) | StmtKind::DStep(block) => for_each_stmt(block, see),
        StmtKind::ForRange(.., block) | StmtKind::ForIn(.., block) => for_each_stmt(block, see),
        StmtKind::Call(call) => for_each_stmt(&call.body, see),
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|block| for_each_stmt(block, see)),
        StmtKind::Unless(main, escape) => {
            stmt_and_inner(main, see);
            stmt_and_inner(escape, see);
        }
        _ => {}
    }
}

/// Shows every expression of a statement, but not those of statements inside it.
pub(super) fn for_each_expr<'a>(stmt: &'a Stmt, see: &mut dyn FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => visit_expr(e, see),
        StmtKind::Assign(place, e) => {
            place.for_each_child(&mut |e| visit_expr(e, see));
            visit_expr(e, see);
        }
        StmtKind::Increment(place) | StmtKind::Decrement(place) => place.for_each_child(&mut |e| visit_expr(e, see)),
        StmtKind::Send(send) => send.args.iter().for_each(|e| visit_expr(e, see)),
        StmtKind::Receive(receive) => {
            receive.args.iter().for_each(|arg| arg.for_each_child(&mut |e| visit_expr(e, see)));
        }
        StmtKind::Printf(_, args) => args.iter().for_each(|e| visit_expr(e, see)),
        StmtKind::ForRange(_, from, to, _) | StmtKind::Select(_, from, to) => {
            visit_expr(from, see);
            visit_expr(to, see);
        }
        _ => {}
    }
}

/// Shows an expression and all inside it.
pub(super) fn visit_expr<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    see(expr);
    expr.kind.for_each_child(&mut |inner| visit_expr(inner, see));
}

/// Shows the names that a statement speaks of, wherever in it, but not those of statements inside it.
pub(super) fn for_each_name<'a>(stmt: &'a Stmt, see: &mut dyn FnMut(&'a Ident)) {
    let mut place = |place: &'a VarRef| see(place.name());
    match &stmt.kind {
        StmtKind::Assign(at, _) | StmtKind::Increment(at) | StmtKind::Decrement(at) => place(at),
        StmtKind::Send(send) => place(&send.channel),
        StmtKind::Receive(receive) => {
            place(&receive.channel);
            for arg in &receive.args {
                if let RecvArg::Ref(at) = arg {
                    place(at);
                }
            }
        }
        StmtKind::ForRange(at, ..) | StmtKind::Select(at, ..) => place(at),
        StmtKind::ForIn(at, over, _) => {
            place(at);
            place(over);
        }
        StmtKind::Exclusive(_, channels) => channels.iter().for_each(place),
        _ => {}
    }
    for_each_expr(stmt, &mut |expr| match &expr.kind {
        ExprKind::Ref(at) | ExprKind::Channel(_, at) | ExprKind::RemoteVar(_, at) => see(at.name()),
        ExprKind::Poll(channel, _, args) => {
            see(channel.name());
            for arg in args {
                if let RecvArg::Ref(at) = arg {
                    see(at.name());
                }
            }
        }
        _ => {}
    });
}

/// The values of a statement: everything it computes, its channel and indices aside.
pub(super) fn values(basic: &Basic) -> Vec<&Ex> {
    match basic {
        Basic::Condition(ex) | Basic::Assert(ex) | Basic::Assign(_, ex) | Basic::Discard(ex) => vec![ex],
        Basic::Else | Basic::Event { .. } | Basic::Watch { .. } => Vec::new(),
        Basic::Send { args, .. } | Basic::Print(_, args) => args.iter().collect(),
        Basic::Receive { args, .. } => args.iter().filter_map(matched).collect(),
        Basic::Run { args, priority, .. } => args.iter().chain(priority).collect(),
        Basic::SetPriority(pid, priority) => vec![pid, priority],
    }
}

fn matched(pattern: &Pattern) -> Option<&Ex> {
    if let Pattern::Match(value) = pattern { Some(value) } else { None }
}

/// The cells that a statement sets.
pub(super) fn targets(basic: &Basic) -> Vec<&Access> {
    match basic {
        Basic::Assign(target, _) => vec![target],
        Basic::Receive { args, .. } => args.iter().filter_map(set).collect(),
        Basic::Run { into, .. } => into.iter().collect(),
        _ => Vec::new(),
    }
}

fn set(pattern: &Pattern) -> Option<&Access> {
    if let Pattern::Set(access) = pattern { Some(access) } else { None }
}

/// The channel of a send or a receive.
pub(super) fn channel(basic: &Basic) -> Option<&Access> {
    match basic {
        Basic::Send { channel, .. } | Basic::Receive { channel, .. } => Some(channel),
        _ => None,
    }
}

/// Shows an expression and all inside it, indices included.
pub(super) fn visit_ex<'a>(ex: &'a Ex, see: &mut dyn FnMut(&'a Ex)) {
    see(ex);
    ex.parts().into_iter().for_each(|part| visit_ex(part, see));
}

/// Every expression of a statement, those inside others and in indices included.
pub(super) fn for_each_ex<'a>(basic: &'a Basic, see: &mut dyn FnMut(&'a Ex)) {
    values(basic).into_iter().for_each(|ex| visit_ex(ex, see));
    for access in targets(basic).into_iter().chain(channel(basic)) {
        access.indices.iter().for_each(|(index, _)| visit_ex(index, see));
    }
}

/// The cell that an expression itself reads, or whose channel it asks about.
pub(super) fn cell(ex: &Ex) -> Option<&Access> {
    match ex {
        Ex::Read(access) | Ex::Channel(_, access) | Ex::Poll(access, ..) | Ex::RemoteVar(_, _, access) => Some(access),
        _ => None,
    }
}
