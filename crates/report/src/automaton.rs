//! The automaton of a property as a picture.

use crate::picture::{Edge, Node, NodeKind, Picture};
use lariat_render::documents::AutomatonRows;

/// Larger automata are described in words.
const MOST_STATES: usize = 80;
/// A line of a guard is not longer, if it can be helped.
const WIDEST_LINE: usize = 34;
/// Of a guard no more lines are shown.
const MOST_LINES: usize = 4;

/// The picture, unless the automaton is too large to be looked at.
pub(crate) fn picture(rows: &AutomatonRows) -> Option<Picture> {
    if rows.states.len() > MOST_STATES {
        return None;
    }
    let count = rows.states.len();
    let accepting = rows.accepting.as_deref();
    let node = |(number, name): (usize, &String)| Node {
        label: name.clone(),
        is_initial: number == rows.initial,
        kind: match accepting.is_some_and(|accepting| accepting.contains(&number)) {
            true => NodeKind::Accepting,
            false => NodeKind::Plain,
        },
    };
    let edges = rows.edges.iter().filter(|edge| edge.from < count && edge.to < count).map(|edge| {
        let mut label = broken(&edge.guard);
        if accepting.is_none() && !edge.marks.is_empty() {
            let marks: Vec<String> = edge.marks.iter().map(u32::to_string).collect();
            label.push_str(&format!(" {{{}}}", marks.join(",")));
        }
        Edge { from: edge.from, to: edge.to, label, is_on_trace: false }
    });
    Some(Picture {
        title: "Automaton of the bad runs".to_owned(),
        nodes: rows.states.iter().enumerate().map(node).collect(),
        edges: edges.collect(),
    })
}

/// A guard in lines that are not too long.
fn broken(guard: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in guard.split_inclusive([' ']) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() <= WIDEST_LINE => line.push_str(part),
            _ => lines.push(part.to_owned()),
        }
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push("…".to_owned());
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}
