//! Labels that nothing speaks of, and such as stand where control does not rest.

use super::{Tally, walk};
use crate::check::is_resting_label;
use crate::token::{Name, Punct, TokenKind};
use crate::tree::{Block, ExprKind, Ident, Model, Stmt, StmtKind, Unit};
use lariat_base::Diagnostic;
use std::collections::HashSet;

const CODE: &str = "P0608";
const AT_FRONT: &str = "P0612";

pub(super) fn lint(model: &Model, tally: &mut Tally) {
    let bodies = || {
        model.units.iter().filter_map(|unit| match unit {
            Unit::Proctype(proctype) => Some(&proctype.body),
            Unit::Init(init) => Some(&init.body),
            Unit::Never(never) => Some(&never.body),
            Unit::Trace(trace) => Some(&trace.body),
            _ => None,
        })
    };
    // `P@L` speaks of labels of other bodies; which one does not matter here.
    let mut remote: HashSet<Name> = HashSet::new();
    for unit in &model.units {
        if let Unit::Ltl(ltl) = unit {
            for pair in ltl.formula.windows(2) {
                if let (TokenKind::Punct(Punct::At), TokenKind::Name(name)) = (&pair[0].kind, &pair[1].kind) {
                    remote.insert(name.clone());
                }
            }
        }
    }
    for body in bodies() {
        walk::for_each_stmt(body, &mut |stmt| {
            walk::for_each_expr(stmt, &mut |expr| {
                if let ExprKind::RemoteLabel(_, label) = &expr.kind {
                    remote.insert(label.name.clone());
                }
            });
        });
    }
    bodies().for_each(|body| lint_body(body, &remote, tally));
}

fn lint_body(body: &Block, remote: &HashSet<Name>, tally: &mut Tally) {
    let mut targets: HashSet<&Name> = HashSet::new();
    walk::for_each_stmt(body, &mut |stmt| {
        if let StmtKind::Goto(label) = &stmt.kind {
            targets.insert(&label.name);
        }
    });
    walk::for_each_stmt(body, &mut |stmt| {
        if let StmtKind::If(options) | StmtKind::Do(options) = &stmt.kind {
            let first = options.iter().filter_map(|option| option.stmts.first());
            let labels = first.flat_map(labels_in_front).filter(|label| is_resting_label(&label.name));
            for label in labels.filter(|label| !targets.contains(&label.name)) {
                let message = format!("the label `{label}` is at the front of an option, where control does not rest");
                let help = "it is taken to stand before the `do` or `if`: write it there";
                tally.suspicious(Diagnostic::warning(label.span, AT_FRONT, message).help(help));
            }
        }
        for label in &stmt.labels {
            if is_resting_label(&label.name) || remote.contains(&label.name) || targets.contains(&label.name) {
                tally.mark_valid(CODE, label.span);
            } else {
                let message = format!("nothing jumps to the label `{label}`");
                tally.suspicious(Diagnostic::warning(label.span, CODE, message));
            }
        }
    });
}

/// The labels before a statement. Those before an `unless` are those of what it can interrupt.
fn labels_in_front(stmt: &Stmt) -> Box<dyn Iterator<Item = &Ident> + '_> {
    let inner: Box<dyn Iterator<Item = &Ident>> = match &stmt.kind {
        StmtKind::Unless(main, _) => labels_in_front(main),
        _ => Box::new(std::iter::empty()),
    };
    Box::new(stmt.labels.iter().chain(inner))
}
