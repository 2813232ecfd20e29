//! `d_step`s: the first option that can be taken is taken, and blocking inside is an error.
//!
//! That nothing interrupts one is said where actions get their ranks ([`Lowering::push_permitted`]).

use super::Lowering;
use super::expr::{Cx, Hazard};
use super::location::Location;
use super::step::add_traps;
use crate::check::{Basic, ProcId};
use crate::flow::{ElementId, ElementKind, Flow};
use lariat_system::{AfterTrap, Expr, TrapKind, TrapTime};

impl Lowering<'_> {
    /// Inside a `d_step` the first option that can be taken is taken: nothing before this one can.
    pub(super) fn earlier_in_d_step(&self, flow: &Flow, step: ElementId, steps: &[ElementId], cx: &Cx) -> Vec<Expr> {
        let d_step = flow.elements[step].d_step;
        let earlier = steps.iter().take_while(|&&other| other != step);
        earlier
            .filter(|&&other| flow.elements[other].d_step == d_step)
            .map(|&other| self.enabled(flow, other, cx).negated())
            .filter(|conjunct| *conjunct != Expr::TRUE)
            .collect()
    }

    /// A `d_step` must not block once it has begun.
    pub(super) fn add_block_trap(&mut self, proc: ProcId, number: i64, location: Location, steps: &[ElementId]) {
        let flow = &self.model.procs[proc].flow;
        let is_else = |&step: &ElementId| matches!(flow.elements[step].kind, ElementKind::Basic(Basic::Else));
        if steps.iter().any(is_else) {
            return;
        }
        let cx = Cx::actor(1);
        let stuck: Vec<Expr> = steps
            .iter()
            .map(|&step| self.enabled(flow, step, &cx).negated())
            .filter(|conjunct| *conjunct != Expr::TRUE)
            .collect();
        let never = stuck.contains(&Expr::FALSE);
        let rendezvous = steps.iter().any(|&step| self.is_rendezvous_send(flow, step));
        if never || rendezvous {
            return;
        }
        let mut action = self.action(proc, number, location.element);
        action.guard.condition = stuck;
        let span = flow.elements[location.element].span;
        let (kind, after) = (TrapKind::BlockedDStep, AfterTrap::Stops);
        add_traps(&mut action, vec![Hazard { condition: Expr::TRUE, kind, after, span }], TrapTime::Effect);
        self.push_permitted(proc, location, action, Vec::new(), false);
    }

    fn is_rendezvous_send(&self, flow: &Flow, step: ElementId) -> bool {
        let ElementKind::Basic(Basic::Send { channel, .. }) = &flow.elements[step].kind else { return false };
        let (targets, _) = self.targets(channel, &Cx::actor(1));
        targets.iter().any(|target| self.classes.list[target.class].capacity == 0)
    }
}
