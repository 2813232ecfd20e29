//! Labels that formulas speak of and control never rests at: such a formula is about nothing.

use super::{Checker, RemoteLabel};
use crate::flow::{ElementId, ElementKind, Flow};
use lariat_base::{Diagnostic, safe_point};
use std::collections::HashSet;

impl Checker {
    /// An error if control can pass the label but never rests there: it is that of the first statement of an option, or stands
    /// inside a `d_step`. Where control never comes at all, that is another matter.
    pub(super) fn never_rests(&self, remote: &RemoteLabel) -> Option<Diagnostic> {
        let proc = self.model.procs.get(remote.proc)?;
        let flow = &proc.flow;
        let (_, labelled) = flow.labels.iter().find(|(label, _)| *label == remote.label)?;
        let element = flow.rest(*labelled)?;
        let begins_option = flow.elements.iter().any(|branch| match &branch.kind {
            ElementKind::Branch(options) => options.iter().any(|&option| flow.rest(option) == Some(element)),
            _ => false,
        });
        let (why, help) = match () {
            () if flow.elements[element].d_step.is_some() => {
                ("a `d_step` is one step", "put the label before the `d_step`, or behind it")
            }
            () if begins_option => (
                "control waits before the whole choice, not at one of its options",
                "put the label before the `if` or `do`, or behind the first statement of the option",
            ),
            () => return None,
        };
        if rests_at(flow, element) {
            return None;
        }
        let message = format!("control of `{}` never rests at the label `{}`: {why}", proc.name, remote.label);
        Some(Diagnostic::error(remote.span, "P0461", message).help(help))
    }
}

/// Whether control can rest at the element.
fn rests_at(flow: &Flow, wanted: ElementId) -> bool {
    let mut known: HashSet<(ElementId, bool)> = HashSet::new();
    let mut open: Vec<(ElementId, bool)> = flow.rest(flow.start).map(|start| (start, false)).into_iter().collect();
    while let Some((element, inside_d_step)) = open.pop() {
        safe_point();
        if !known.insert((element, inside_d_step)) {
            continue;
        }
        if element == wanted && !inside_d_step {
            return true;
        }
        let offers = flow.offers_at(element, inside_d_step);
        let steps = offers.into_iter().map(|offer| offer.step).filter(|&step| step != flow.end);
        open.extend(steps.map(|step| flow.arrive(step)).map(|arrival| (arrival.element, arrival.inside_d_step)));
    }
    false
}
