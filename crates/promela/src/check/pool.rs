//! Which processes there can be, as far as the text tells.

use super::{Basic, Checked, ProcId};
use crate::flow::{ElementId, ElementKind, Flow};
use lariat_base::{Id, IdVec};

/// Beyond this the number of processes that are created says little about how many live at once.
const MAX_TRUSTED_BOUND: u16 = 32;

/// At most 255 processes live at once.
pub(super) const LAST_PID: i64 = 254;

impl Checked {
    /// The most processes that can ever be created, if the text bounds them by a small number: no `run` stands in a
    /// loop, and no proctype starts itself, directly or through others. Where many are created one after the other, far
    /// fewer may live at once, and it is better to find out.
    pub fn pool_bound(&self) -> Option<u16> {
        let procs = &self.procs;
        let mut newest: IdVec<ProcId, u64> = procs.iter().map(|_| 0).collect();
        for &proc in &self.initial {
            newest[proc] += 1;
        }
        // Each round follows chains of `run`s by one more link; a chain longer than the proctypes is a loop.
        let mut total: u64 = newest.iter().sum();
        for _ in 0..=procs.len() {
            let mut next: IdVec<ProcId, u64> = procs.iter().map(|_| 0).collect();
            for (starter, proc) in procs.entries().filter(|(starter, _)| newest[*starter] > 0) {
                for (element, started) in runs(&proc.flow) {
                    // Once there are too many it does not matter how many: there may be very many `run`s.
                    total = total.saturating_add(newest[starter]);
                    if total > u64::from(MAX_TRUSTED_BOUND) || leads_back(&proc.flow, element) {
                        return None;
                    }
                    next[started] = next[started].saturating_add(newest[starter]);
                }
            }
            if next.iter().all(|&count| count == 0) {
                return u16::try_from(total).ok().filter(|&total| total <= MAX_TRUSTED_BOUND);
            }
            newest = next;
        }
        None
    }

    /// Whether a process of the type, or of any, can ever have this pid. It may be that none has it.
    pub(crate) fn may_have_pid(&self, proc: Option<ProcId>, pid: i64) -> bool {
        let is_meant = |other: ProcId| proc.is_none_or(|proc| proc == other);
        let Some(number) = usize::try_from(pid).ok().filter(|_| pid <= LAST_PID) else { return false };
        if self.initial.get(number).is_some_and(|&initial| is_meant(initial)) {
            return true;
        }
        // The first process ends last: nobody takes its place.
        if number == 0 {
            return false;
        }
        let is_run = self.procs.iter().any(|other| runs(&other.flow).any(|(_, started)| is_meant(started)));
        is_run && self.pool_bound().is_none_or(|bound| number < usize::from(bound))
    }
}

/// The `run`s of a flow graph.
fn runs(flow: &Flow) -> impl Iterator<Item = (ElementId, ProcId)> {
    flow.elements.entries().filter_map(|(id, element)| match &element.kind {
        ElementKind::Basic(Basic::Run { proc, .. }) => Some((id, *proc)),
        _ => None,
    })
}

/// Whether control can come to `element` again.
fn leads_back(flow: &Flow, element: ElementId) -> bool {
    let mut seen = vec![false; flow.elements.len()];
    let mut waiting = vec![element];
    while let Some(at) = waiting.pop() {
        let reached = &flow.elements[at];
        let options = match &reached.kind {
            ElementKind::Branch(options) => options.as_slice(),
            _ => reached.next.as_slice(),
        };
        for &next in options.iter().chain(&reached.escapes) {
            if next == element {
                return true;
            }
            if !std::mem::replace(&mut seen[next.index()], true) {
                waiting.push(next);
            }
        }
    }
    false
}
