//! `else` beside a send or a receive.

use super::Tally;
use crate::check::{Access, Basic, Checked};
use crate::flow::{ElementId, ElementKind, Flow};
use crate::lower::points_to::PointsTo;
use lariat_base::Diagnostic;

const CODE: &str = "P0601";

pub(super) fn lint(checked: &Checked, channels: &PointsTo, tally: &mut Tally) {
    for proc in checked.procs.iter() {
        let flow = &proc.flow;
        for element in flow.elements.iter() {
            let ElementKind::Branch(options) = &element.kind else { continue };
            let firsts = || options.iter().filter_map(|&option| first(flow, option));
            let Some((otherwise, _)) = firsts().find(|(_, basic)| matches!(basic, Basic::Else)) else { continue };
            let span = flow.elements[otherwise].span;
            // A receive from a rendezvous channel is the worst of them.
            let meets = |channel: &Access| {
                channels.of(channel).into_iter().any(|channel| checked.channels[channel].capacity == 0)
            };
            let is_rendezvous = |basic: &Basic| matches!(basic, Basic::Receive { channel, .. } if meets(channel));
            let exchange = firsts()
                .find(|(_, basic)| is_rendezvous(basic))
                .or_else(|| firsts().find(|(_, basic)| matches!(basic, Basic::Send { .. } | Basic::Receive { .. })));
            let Some((exchange, basic)) = exchange else {
                tally.mark_valid(CODE, span);
                continue;
            };
            let (message, help) = match basic {
                basic if is_rendezvous(basic) => (
                    "this `else` can be taken even while a sender waits",
                    "a receive from a rendezvous channel is not possible on its own, so it never keeps `else` away",
                ),
                Basic::Receive { .. } => (
                    "this `else` is taken whenever no message is there that can be received",
                    "leave `else` out to wait for a message, or ask with `empty(q)` to make the intent plain",
                ),
                _ => (
                    "this `else` is taken whenever the message cannot be sent at once",
                    "leave `else` out to wait until it can, or ask with `full(q)` to make the intent plain",
                ),
            };
            let warning = Diagnostic::warning(span, CODE, message).help(help);
            tally.suspicious(warning.note(flow.elements[exchange].span, "it stands beside this"));
        }
    }
}

/// The first statement of an option, inside whatever blocks.
fn first(flow: &Flow, option: ElementId) -> Option<(ElementId, &Basic)> {
    let mut at = option;
    loop {
        match &flow.elements[at].kind {
            ElementKind::Branch(options) => match options[..] {
                [inside] => at = inside,
                _ => return None,
            },
            ElementKind::Basic(basic) => return Some((at, basic)),
            ElementKind::Jump | ElementKind::Join | ElementKind::End => return None,
        }
    }
}
