//! Expressions of a system in C.

use super::Printer;
use super::value::Value;
use lariat_base::Id;
use lariat_system::{Expr, FrameId, Half, Interval, Owner, Place, Position, WideOp};

/// What an expression may speak of beside the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// By role: where the process stands, and its frame.
    pub(super) roles: Vec<(Position, FrameId)>,
    /// By choice: a variable, or its only value.
    pub(super) choices: Vec<Value>,
}

impl Printer<'_> {
    /// The value of an expression in the state `key`.
    pub(super) fn value(&mut self, key: &str, expr: &Expr, scope: &Scope) -> Value {
        match expr {
            Expr::Const(value) => Value::number(*value),
            Expr::Choice(choice) => scope.choices[choice.index()].clone(),
            Expr::Read(place) => self.read(key, place, scope),
            Expr::Position(role) => Value::number(i64::from(scope.roles[role.index()].0)),
            Expr::PoolCount => self.count(key),
            Expr::Lives(frame, position) => {
                let position = self.value(key, position, scope);
                let mut lives = Value::number(0);
                for home in self.homes(*frame) {
                    let there = position.equals(&Value::number(i64::from(home))).and(&self.lives(key, home, *frame));
                    lives = lives.or(&there);
                }
                lives
            }
            Expr::Unary(op, value) => Value::unary(*op, &self.value(key, value, scope)),
            Expr::Binary(op, left, right) => {
                let left = self.value(key, left, scope);
                Value::binary(*op, &left, &self.value(key, right, scope))
            }
            Expr::Ite(parts) => {
                let condition = self.value(key, &parts[0], scope);
                let yes = self.value(key, &parts[1], scope);
                yes.where_holds(&condition, &self.value(key, &parts[2], scope))
            }
            Expr::Wrap { bits, signed, value } => self.value(key, value, scope).wrapped(*bits, *signed),
            Expr::Wide(op, half, parts) => {
                let name = match op {
                    WideOp::Mul => "wide_product",
                    WideOp::Div => "wide_quotient",
                    WideOp::Rem => "wide_remainder",
                };
                let parts = parts.each_ref().map(|part| self.value(key, part, scope).wide());
                let shift = if *half == Half::Low { 0 } else { 32 };
                let text = format!("(i64)({name}({}) >> {shift} & 0xffffffffull)", parts.join(", "));
                Value::of_wide(&text, Interval::HALF)
            }
            Expr::Exists(frame, body) => {
                let mut exists = Value::number(0);
                for home in self.homes(*frame) {
                    let mut inner = scope.clone();
                    inner.roles.push((home, *frame));
                    let there = self.lives(key, home, *frame);
                    if there.as_truth() != Some(false) {
                        exists = exists.or(&there.and(&self.value(key, body, &inner).truth()));
                    }
                }
                exists
            }
        }
    }

    fn read(&mut self, key: &str, place: &Place, scope: &Scope) -> Value {
        let index = match &place.index {
            None => Value::number(0),
            Some(index) => self.value(key, index, scope),
        };
        match &place.owner {
            Owner::Global(slot) => {
                let field = self.slot(*slot);
                self.indexed(key, &field, &index)
            }
            Owner::Role(role, local) => {
                let (position, frame) = scope.roles[role.index()];
                let field = self.local(position, frame, *local);
                self.indexed(key, &field, &index)
            }
            Owner::At(frame, local, position) => {
                let position = self.value(key, position, scope);
                let homes = self.homes(*frame);
                let possible: Vec<Position> =
                    homes.into_iter().filter(|&home| position.range.contains(i64::from(home))).collect();
                if let (Some(_), Some(&home)) = (position.as_number(), possible.first()) {
                    let (field, lives) = (self.local(home, *frame, *local), self.lives(key, home, *frame));
                    return self.indexed(key, &field, &index).where_holds(&lives, &Value::number(0));
                }
                let ranges = possible.iter().map(|&home| self.local(home, *frame, *local).range);
                let range = ranges.fold(Interval::point(0), Interval::hull);
                if possible.is_empty() {
                    return Value::number(0);
                }
                let name = self.remote_reader(*frame, *local);
                Value::of_wide(&format!("{name}({key}, {}, {})", position.wide(), index.wide()), range)
            }
        }
    }

    /// Whether all of these hold; where one is known not to, the others are not printed.
    pub(super) fn all<'e>(&mut self, key: &str, conjuncts: impl IntoIterator<Item = &'e Expr>, scope: &Scope) -> Value {
        let mut all = Value::number(1);
        for conjunct in conjuncts {
            all = all.and(&self.value(key, conjunct, scope).truth());
            if all.as_truth() == Some(false) {
                break;
            }
        }
        all
    }
}
