//! Labels that formulas speak of and control never rests at: such a formula is about nothing.

use super::{Checker, RemoteLabel};
use crate::flow::ElementKind;
use lariat_base::Diagnostic;

impl Checker {
    /// An error if control can pass the label but never rests there: it is that of the first statement of an option or block, or stands
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
                "control waits before the whole choice or block, not at its first statement",
                "put the label before the `if`, `do` or block, or behind the first statement",
            ),
            () => return None,
        };
        if flow.right_before(*labelled).any(|place| flow.rests_at(place)) {
            return None;
        }
        let message = format!("control of `{}` never rests at the label `{}`: {why}", proc.name, remote.label);
        Some(Diagnostic::error(remote.span, "P0461", message).help(help))
    }
}
