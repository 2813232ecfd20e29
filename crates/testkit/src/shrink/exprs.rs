//! Replacing single nodes of expressions by simpler ones.

use super::Shrinker;
use super::rewrite::{Rewrite, rewrite};
use lariat_system::{Expr, FrameId};

/// Replaces the node with the given number, counted in the order of the walk, by its simpler form of the given number.
struct Replace {
    node: usize,
    form: usize,
    next: usize,
    outcome: Outcome,
}

#[derive(PartialEq)]
enum Outcome {
    NoSuchNode,
    NoSuchForm,
    Replaced,
}

impl Rewrite for Replace {
    fn expr(&mut self, expr: &mut Expr, _: &[FrameId]) {
        if self.next == self.node {
            match simpler(expr, self.form) {
                Some(form) => {
                    *expr = form;
                    self.outcome = Outcome::Replaced;
                }
                None => self.outcome = Outcome::NoSuchForm,
            }
        }
        self.next += 1;
    }
}

/// The simpler forms of `expr`: a constant, or one of its parts.
fn simpler(expr: &Expr, form: usize) -> Option<Expr> {
    let mut forms = Vec::new();
    match expr {
        Expr::Const(value) if (0..=1).contains(value) => {}
        Expr::Const(value) => forms.extend([Expr::Const(value / 2), Expr::Const(value - value.signum())]),
        _ => {
            forms.extend([Expr::Const(0), Expr::Const(1)]);
            expr.for_each_part(|part| forms.push(part.clone()));
        }
    }
    forms.into_iter().nth(form)
}

impl Shrinker<'_> {
    pub(super) fn simplify_expressions(&mut self) {
        let (mut node, mut form) = (0, 0);
        loop {
            let mut candidate = self.system.clone();
            let mut replace = Replace { node, form, next: 0, outcome: Outcome::NoSuchNode };
            rewrite(&mut candidate, &mut replace);
            match replace.outcome {
                Outcome::NoSuchNode => return,
                Outcome::NoSuchForm => (node, form) = (node + 1, 0),
                Outcome::Replaced if self.offer(candidate) => form = 0,
                Outcome::Replaced => form += 1,
            }
        }
    }
}
