//! Expressions made smaller before they become code.
//!
//! Law: a folded expression has the same value as the original in every state of a valid system, for every binding of
//! the roles and every value of the choices.

use crate::interpret::wrap;
use lariat_base::IdVec;
use lariat_system::{
    BinaryOp, Choice, ChoiceId, Expr, Field, FrameId, Interval, Layout, Owner, Place, System, UnaryOp,
};

/// What an expression may speak of.
#[derive(Clone, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) system: &'a System,
    pub(crate) layout: &'a Layout,
    /// The frames of the roles in scope.
    pub(crate) roles: Vec<FrameId>,
    pub(crate) choices: &'a IdVec<ChoiceId, Choice>,
}

impl Scope<'_> {
    /// Where the cells of the place's slot are.
    pub(crate) fn field(&self, place: &Place) -> Field {
        match &place.owner {
            Owner::Global(slot) => self.layout.slots[*slot],
            Owner::Role(role, local) => self.layout.frames[self.roles[role.index()]][*local],
            Owner::At(frame, local, _) => self.layout.frames[*frame][*local],
        }
    }

    /// `expr`, smaller.
    pub(crate) fn fold(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Const(_) | Expr::Choice(_) | Expr::Position(_) | Expr::PoolCount => expr.clone(),
            Expr::Read(place) => self.fold_read(place),
            Expr::Lives(frame, position) => Expr::Lives(*frame, Box::new(self.fold(position))),
            Expr::Unary(UnaryOp::Not, value) => self.fold(value).negated(),
            Expr::Unary(op, value) => Expr::unary(*op, self.fold(value)),
            Expr::Binary(BinaryOp::And, left, right) => {
                let left = self.fold(left);
                if left == Expr::FALSE { left } else { left.and(self.fold(right)) }
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let left = self.fold(left);
                if left == Expr::TRUE { left } else { left.or(self.fold(right)) }
            }
            Expr::Binary(op, left, right) => Expr::binary(*op, self.fold(left), self.fold(right)),
            Expr::Ite(parts) => {
                let condition = self.fold(&parts[0]);
                match condition.as_const() {
                    Some(0) => self.fold(&parts[2]),
                    Some(_) => self.fold(&parts[1]),
                    None => condition.ite(self.fold(&parts[1]), self.fold(&parts[2])),
                }
            }
            Expr::Wrap { bits, signed, value } => {
                let value = self.fold(value);
                if let Some(value) = value.as_const() {
                    return Expr::Const(wrap(*bits, *signed, value));
                }
                let fits = Interval::of(&value, self.system, &mut self.roles, self.choices)
                    .is_some_and(|values| Interval::of_wrap(*bits, *signed).includes(values));
                if fits { value } else { Expr::Wrap { bits: *bits, signed: *signed, value: Box::new(value) } }
            }
            Expr::Wide(op, half, parts) => Expr::wide(*op, *half, parts.each_ref().map(|part| self.fold(part))),
            Expr::Exists(frame, body) => {
                self.roles.push(*frame);
                let body = self.fold(body);
                self.roles.pop();
                if body == Expr::FALSE { body } else { Expr::Exists(*frame, Box::new(body)) }
            }
        }
    }

    /// `place` with its parts folded.
    pub(crate) fn fold_place(&mut self, place: &Place) -> Place {
        let owner = match &place.owner {
            Owner::At(frame, local, position) => Owner::At(*frame, *local, Box::new(self.fold(position))),
            owner => owner.clone(),
        };
        Place { owner, index: place.index.as_ref().map(|index| Box::new(self.fold(index))) }
    }

    fn fold_read(&mut self, place: &Place) -> Expr {
        let place = self.fold_place(place);
        let field = self.field(&place);
        match constant_index(&place) {
            Some(index) if cell_number(index, field).is_none() => Expr::FALSE,
            Some(_) if field.bits == 0 && !matches!(place.owner, Owner::At(..)) => Expr::Const(field.lo),
            _ => place.read(),
        }
    }

    /// The conjuncts of `expr`, folded, the trivial ones left out.
    pub(crate) fn conjuncts(&mut self, expr: &Expr) -> Vec<Expr> {
        let mut found = Vec::new();
        let mut open = vec![self.fold(expr)];
        while let Some(expr) = open.pop() {
            match expr {
                Expr::Binary(BinaryOp::And, left, right) => open.extend([*right, *left]),
                Expr::Const(value) if value != 0 => {}
                other => found.push(other),
            }
        }
        found
    }
}

/// The index of the cell that a folded place names, if it does not depend on the state.
pub(crate) fn constant_index(place: &Place) -> Option<i64> {
    place.index.as_ref().map_or(Some(0), |index| index.as_const())
}

/// The cell at `index`, if the field has one.
pub(crate) fn cell_number(index: i64, field: Field) -> Option<usize> {
    (0..i64::from(field.cells)).contains(&index).then_some(index as usize)
}
