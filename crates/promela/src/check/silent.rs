//! What a flow graph must not have: ways that come back, or go very far, without a step; and an `else` where there is
//! nothing else.
//!
//! Everything later follows jumps and the options of branches until it finds steps, and may do so by recursion: that is
//! safe because the graph of the elements that are no steps has no cycle and no long path.

use super::Basic;
use crate::flow::{Element, ElementId, ElementKind, Flow};
use lariat_base::{Diagnostic, IdVec, Span};
use std::collections::HashSet;

/// The most jumps and branches in a row.
const MAX_SILENT: u32 = 1000;

/// What is wrong with ways that have no step; then the graph is not to be walked.
pub(super) fn check_silent_ways(flow: &Flow) -> Option<Diagnostic> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        /// The length of the longest way from here to a step.
        Done(u32),
    }
    let mut marks: IdVec<ElementId, Mark> = flow.elements.iter().map(|_| Mark::New).collect();
    for start in flow.elements.ids() {
        // Each entry: an element, and how many of its successors were looked at.
        let mut path: Vec<(ElementId, usize, u32)> = vec![(start, 0, 0)];
        while let Some((at, seen, longest)) = path.pop() {
            let followers = silent_successors(&flow.elements[at]);
            if seen == 0 {
                if marks[at] != Mark::New {
                    continue;
                }
                marks[at] = Mark::Open;
            }
            let Some(&next) = followers.get(seen) else {
                marks[at] = Mark::Done(longest);
                if longest > MAX_SILENT {
                    let message =
                        format!("more than {MAX_SILENT} jumps or blocks follow each other without a statement");
                    return Some(Diagnostic::error(flow.elements[at].span, "P0443", message));
                }
                if let Some((_, _, outer)) = path.last_mut() {
                    *outer = (*outer).max(longest + 1);
                }
                continue;
            };
            match marks[next] {
                Mark::Open => {
                    let on_loop = path.iter().map(|&(id, ..)| id).skip_while(|&id| id != next).chain([at]);
                    let written = on_loop.filter(|&id| !matches!(flow.elements[id].kind, ElementKind::Join));
                    let span = written.map(|id| flow.elements[id].span).find(|span| !span.is_none());
                    let message = "this leads to nothing but itself: there is no statement on the way";
                    return Some(Diagnostic::error(span.unwrap_or(Span::NONE), "P0443", message));
                }
                Mark::Done(length) => path.push((at, seen + 1, longest.max(length + 1))),
                Mark::New => path.extend([(at, seen + 1, longest), (next, 0, 0)]),
            }
        }
    }
    None
}

/// Where control goes on at once.
fn silent_successors(element: &Element) -> &[ElementId] {
    match &element.kind {
        ElementKind::Jump | ElementKind::Join => element.next.as_slice(),
        ElementKind::Branch(options) => options,
        ElementKind::Basic(_) | ElementKind::End => &[],
    }
}

/// Every `else` that does not stand at the beginning of an option, and every second one of the same `if` or `do`.
/// `doors` are the branches that are blocks; the graph has no silent cycles.
pub(super) fn check_elses(flow: &Flow, doors: &HashSet<ElementId>) -> Vec<Diagnostic> {
    let is_else = |id: ElementId| matches!(flow.elements[id].kind, ElementKind::Basic(Basic::Else));
    // The first statement of an option, inside whatever blocks.
    let first = |option: ElementId| {
        let mut at = option;
        while let ElementKind::Branch(options) = &flow.elements[at].kind
            && doors.contains(&at)
            && let [inside] = options[..]
        {
            at = inside;
        }
        at
    };
    let mut wrong = Vec::new();
    let mut placed = HashSet::new();
    for (id, element) in flow.elements.entries() {
        let ElementKind::Branch(options) = &element.kind else { continue };
        if doors.contains(&id) {
            continue;
        }
        let mut elses = options.iter().map(|&option| first(option)).filter(|&step| is_else(step));
        let earlier = elses.next();
        placed.extend(earlier);
        for again in elses {
            placed.insert(again);
            let error =
                Diagnostic::error(flow.elements[again].span, "P0451", "there is an `else` in this choice already");
            let earlier = earlier.map_or(Span::NONE, |earlier| flow.elements[earlier].span);
            wrong.push(error.note(earlier, "the first one"));
        }
    }
    for (_, element) in flow.elements.entries().filter(|(id, _)| is_else(*id) && !placed.contains(id)) {
        let message = "`else` can only be the first statement of an option";
        let help = "write `if :: condition -> ... :: else -> ... fi`";
        wrong.push(Diagnostic::error(element.span, "P0452", message).help(help));
    }
    wrong
}
