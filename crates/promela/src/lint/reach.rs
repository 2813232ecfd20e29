//! Statements that control never comes to, and proctypes that are never started.

use super::Tally;
use crate::check::{Basic, Checked, ProcId};
use crate::flow::{Element, ElementId, ElementKind, Flow};
use lariat_base::{Diagnostic, IdVec, Span};

const UNREACHABLE: &str = "P0604";
const NEVER_STARTED: &str = "P0605";

pub(super) fn lint(checked: &Checked, tally: &mut Tally) {
    for proc in checked.procs.iter() {
        lint_flow(&proc.flow, tally);
    }
    lint_starts(checked, tally);
}

fn lint_flow(flow: &Flow, tally: &mut Tally) {
    let mut reached: IdVec<ElementId, bool> = flow.elements.iter().map(|_| false).collect();
    mark_reachable(flow, flow.start, &mut reached);
    for (_, element) in flow.elements.entries().filter(|(id, _)| reached[*id]) {
        tally.mark_valid(UNREACHABLE, place(element));
    }
    // One complaint for all that would follow. Elements are numbered in the order of the text.
    for (id, element) in flow.elements.entries() {
        let is_statement = matches!(element.kind, ElementKind::Basic(_) | ElementKind::Branch(_));
        if reached[id] || !is_statement || element.span.is_none() {
            continue;
        }
        mark_reachable(flow, id, &mut reached);
        let message = "control never comes here";
        tally.suspicious(Diagnostic::warning(place(element), UNREACHABLE, message));
    }
}

/// The place to point at: of a compound statement only its first word.
fn place(element: &Element) -> Span {
    match &element.kind {
        ElementKind::Branch(_) => Span { end: element.span.start + element.text.len() as u32, ..element.span },
        _ => element.span,
    }
}

/// Marks what control can come to from `start`.
fn mark_reachable(flow: &Flow, start: ElementId, reached: &mut IdVec<ElementId, bool>) {
    let mut waiting = vec![start];
    while let Some(at) = waiting.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let element = &flow.elements[at];
        waiting.extend(element.escapes.iter().copied());
        match &element.kind {
            ElementKind::Branch(options) => waiting.extend(options.iter().copied()),
            _ => waiting.extend(element.next),
        }
    }
}

fn lint_starts(checked: &Checked, tally: &mut Tally) {
    let mut started: IdVec<ProcId, bool> = checked.procs.iter().map(|_| false).collect();
    let mut waiting = checked.initial.clone();
    while let Some(proc) = waiting.pop() {
        if std::mem::replace(&mut started[proc], true) {
            continue;
        }
        waiting.extend(checked.procs[proc].flow.elements.iter().filter_map(|element| match &element.kind {
            ElementKind::Basic(Basic::Run { proc, .. }) => Some(*proc),
            _ => None,
        }));
    }
    for (_, proc) in checked.procs.entries().filter(|(id, _)| !started[*id]) {
        let message = format!("no process `{}` is ever started", proc.name);
        let help = format!("start it with `run {}(...)`, or write `active proctype`", proc.name);
        tally.suspicious(Diagnostic::warning(proc.span, NEVER_STARTED, message).help(help));
    }
}
