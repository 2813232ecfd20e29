//! Whether messages have as many fields as their channels.
//!
//! SPIN refuses a send with too many fields. A send or receive with too few is a run-time error when it happens, in SPIN's
//! verifier as here. To ask with too few whether a message is there is an idiom.

use super::{Access, Basic, Checked, Checker, Ex};
use crate::flow::ElementKind;
use crate::lower::points_to::PointsTo;
use lariat_base::{Diagnostic, Span};

/// What is done with a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessageOp {
    Send,
    Receive,
    Poll,
}

impl Checker {
    /// Must come last: which channels a variable may hold is known only of a model without errors.
    pub(super) fn check_messages(&mut self) {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let channels = PointsTo::new(&self.model);
        let mut found = Vec::new();
        for proc in self.model.procs.iter() {
            for element in proc.flow.elements.iter() {
                let ElementKind::Basic(basic) = &element.kind else { continue };
                let mut see = |op, channel: &Access, count, span| {
                    found.extend(complaint(&self.model, &channels, op, channel, count, span));
                };
                match basic {
                    Basic::Send { channel, args, .. } => see(MessageOp::Send, channel, args.len(), element.span),
                    Basic::Receive { channel, args, .. } => see(MessageOp::Receive, channel, args.len(), element.span),
                    Basic::Condition(ex) | Basic::Assert(ex) | Basic::Assign(_, ex) | Basic::Discard(ex) => {
                        polls(ex, &mut |channel, count| see(MessageOp::Poll, channel, count, channel.span));
                    }
                    _ => {}
                }
            }
        }
        self.diagnostics.extend(found);
    }
}

fn polls(ex: &Ex, see: &mut dyn FnMut(&Access, usize)) {
    if let Ex::Poll(channel, _, patterns) = ex {
        see(channel, patterns.len());
    }
    ex.parts().into_iter().for_each(|part| polls(part, see));
}

fn complaint(
    model: &Checked,
    channels: &PointsTo,
    op: MessageOp,
    channel: &Access,
    count: usize,
    span: Span,
) -> Option<Diagnostic> {
    let held = channels.of(channel);
    let field_count = |id: &super::ChannelId| model.channels[*id].fields.len();
    let (least, most) = (held.iter().map(field_count).min()?, held.iter().map(field_count).max()?);
    let declared = held.iter().next().map_or(Span::NONE, |&id| model.vars[model.channels[id].var].span);
    let name = &model.vars[channel.var].name;
    let fields = |count: usize| format!("{count} field{}", if count == 1 { "" } else { "s" });
    if count > most {
        let message = format!("{} for `{name}`, whose messages have {most}", fields(count));
        return Some(Diagnostic::error(span, "P0453", message).note(declared, "declared here"));
    }
    if count < least {
        let message = format!("only {} for `{name}`, whose messages have {least}", fields(count));
        let help = match op {
            MessageOp::Send => "`safety` fails where this is sent: write down all fields, also those that are 0",
            MessageOp::Receive => "`safety` fails where this is received: write `_` for fields that do not matter",
            MessageOp::Poll => return None,
        };
        return Some(Diagnostic::warning(span, "P0609", message).note(declared, "declared here").help(help));
    }
    None
}
