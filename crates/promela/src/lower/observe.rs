//! What can be observed: by one process of another (whether it could move, and where it is), and in a state as a whole.

use super::expr::{Cx, Value};
use super::{Lowering, PC};
use crate::check::{Basic, Ex, Observable, Proc, ProcId};
use crate::flow::ElementKind;
use lariat_base::Id;
use lariat_system::{Expr, FrameId, Interval, Label, LabelMeaning, Owner, Place, Role};

/// How many kinds of processes may ask about one another in a chain of `enabled`.
const MOST_ASKED: usize = 4;

impl Lowering<'_> {
    /// A label for everything that is to be observed. Outside of an array a condition reads 0; that this happens is observed
    /// beside it. A process for which the pool has no room takes part in no step.
    pub(super) fn add_labels(&mut self) {
        for observed in &self.model.observed {
            let meaning = match &observed.observable {
                Observable::Condition(condition) => LabelMeaning::State(self.truth(condition, &Cx::actor(0)).0),
                Observable::Moves(pid) if u16::from(*pid) < self.system.pool_size => LabelMeaning::By(*pid),
                Observable::Moves(_) => LabelMeaning::State(Expr::FALSE),
                Observable::Misread(number) => {
                    LabelMeaning::State(self.misread(&self.model.observed[*number].observable))
                }
            };
            self.system.labels.push(Label { name: observed.name.clone(), meaning, span: observed.span });
        }
    }

    /// Where a condition reads outside of an array, divides by zero, or asks for a channel where there is none.
    fn misread(&self, observable: &Observable) -> Expr {
        let Observable::Condition(condition) = observable else { return Expr::FALSE };
        let hazards = self.truth(condition, &Cx::actor(0)).1;
        Expr::any(hazards.into_iter().map(|hazard| hazard.condition))
    }

    /// `enabled(pid)`: a process with this pid, other than the one that asks, could take a step if it were alone with the
    /// state. Its priority and its `provided` clause do not count. Its own conditions may ask the same about others; where
    /// that comes back to a kind of process that is being asked already, the answer is no.
    pub(super) fn is_enabled(&self, pid: &Ex, cx: &Cx) -> Value {
        let pid = self.value(pid, cx);
        let mut enabled = Expr::FALSE;
        let goes_round = |proc: ProcId| cx.asked.contains(&proc) || cx.asked.len() >= MOST_ASKED;
        for (proc, checked) in self.model.procs.entries() {
            if goes_round(proc) {
                continue;
            }
            let (role, bound) = cx.bind();
            let asked = cx.asked.iter().copied().chain([proc]).collect();
            let asked = Cx { asked, ..bound.seen_by(role) };
            let mut here = Expr::Position(role).equals(pid.expr.clone());
            if cx.free > 0 {
                here = here.and(Expr::Position(role).equals(Expr::Position(cx.me)).negated());
            }
            let body = here.and(self.could_move(proc, checked, role, &asked));
            enabled = enabled.or(Expr::Exists(FrameId::new(proc.index()), Box::new(body)));
        }
        Value { expr: enabled, range: Interval::BOOL, hazards: pid.hazards }
    }

    fn could_move(&self, proc: ProcId, checked: &Proc, role: Role, cx: &Cx) -> Expr {
        let flow = &checked.flow;
        Expr::any(self.locations[proc].list.iter().enumerate().map(|(number, at)| {
            let there = Place::local(role, PC).read().equals(Expr::Const(number as i64));
            let offers = flow.offers_at(at.element, at.inside_d_step).into_iter().map(|offer| {
                match flow.elements[offer.step].kind {
                    ElementKind::End => Expr::Position(role).plus(Expr::Const(1)).equals(Expr::PoolCount),
                    // If none of the others can be taken, this one can.
                    ElementKind::Basic(Basic::Else) => Expr::TRUE,
                    _ => self.enabled(flow, offer.step, cx),
                }
            });
            there.and(Expr::any(offers))
        }))
    }

    /// `pc_value(pid)`: SPIN's number for the place where the process is; 0 if there is none.
    pub(super) fn pc_value(&self, pid: &Ex, cx: &Cx) -> Value {
        let pid = self.value(pid, cx);
        let (mut expr, mut highest) = (Expr::Const(0), 0);
        for (proc, checked) in self.model.procs.entries() {
            let frame = FrameId::new(proc.index());
            let numbers = checked.flow.elements.iter().filter_map(|element| element.number);
            let first = numbers.min().unwrap_or(0);
            let owner = Owner::At(frame, PC, Box::new(pid.expr.clone()));
            let pc = Place { owner, index: None }.read();
            let mut state = Expr::Const(0);
            for (number, at) in self.locations[proc].list.iter().enumerate() {
                let of_spin = checked.flow.elements[at.element].number.map_or(0, |given| i64::from(given - first) + 1);
                highest = highest.max(of_spin);
                state = pc.clone().equals(Expr::Const(number as i64)).ite(Expr::Const(of_spin), state);
            }
            expr = Expr::Lives(frame, Box::new(pid.expr.clone())).ite(state, expr);
        }
        Value { expr, range: Interval { lo: 0, hi: highest }, hazards: pid.hazards }
    }
}
