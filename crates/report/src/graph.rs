//! Graphs of documents as pictures: how control moves in processes, and states.

use crate::picture::{Edge, Node, NodeKind, Picture};
use lariat_render::documents::{ControlRows, GraphRows};
use std::collections::BTreeSet;

/// In pages, longer lines are cut.
const WIDEST_LINE: usize = 38;

/// The states of a graph.
pub fn states_picture(rows: &GraphRows, title: String) -> Picture {
    let on_run: BTreeSet<usize> = rows.run.iter().copied().collect();
    let node = |(number, state): (usize, &lariat_render::documents::GraphStateRow)| Node {
        label: state.text.clone(),
        is_initial: state.initial == Some(true),
        kind: match state.kind.as_deref() {
            Some("open") => NodeKind::Open,
            Some("end") => NodeKind::End,
            Some("deadlock" | "error") => NodeKind::Failure,
            _ if on_run.contains(&number) => NodeKind::OnTrace,
            _ => NodeKind::Plain,
        },
    };
    let count = rows.states.0.len();
    let steps = rows.steps.0.iter().filter(|step| step.from < count && step.to < count);
    let edges = steps.map(|step| Edge {
        from: step.from,
        to: step.to,
        label: step.text.clone(),
        is_on_trace: step.taken == Some(true),
    });
    Picture { title, nodes: rows.states.0.iter().enumerate().map(node).collect(), edges: edges.collect() }
}

/// How control moves in the processes of these types, one beside the other.
pub fn control_picture(graphs: &[ControlRows], title: String) -> Picture {
    let mut picture = Picture { title, ..Picture::default() };
    for rows in graphs {
        let offset = picture.nodes.len();
        picture.nodes.extend(rows.places.0.iter().enumerate().map(|(number, place)| Node {
            label: if number == 0 { format!("{}\n{}", rows.process, place.text) } else { place.text.clone() },
            is_initial: number == 0,
            kind: if place.end == Some(true) { NodeKind::End } else { NodeKind::Plain },
        }));
        let count = rows.places.0.len();
        let steps = rows.steps.0.iter().filter(|step| step.from < count && step.to < count);
        picture.edges.extend(steps.map(|step| Edge {
            from: offset + step.from,
            to: offset + step.to,
            label: step.text.clone(),
            is_on_trace: false,
        }));
    }
    picture
}

/// The picture with lines that are not too long to be looked at in a page.
pub(crate) fn narrowed(mut picture: Picture) -> Picture {
    let labels = picture.nodes.iter_mut().map(|node| &mut node.label);
    for label in labels.chain(picture.edges.iter_mut().map(|edge| &mut edge.label)) {
        let lines: Vec<String> = label.lines().flat_map(halves).map(|line| cut(&line)).collect();
        *label = lines.join("\n");
    }
    picture
}

/// A rendezvous that is too long for one line is written in two.
fn halves(line: &str) -> Vec<String> {
    match line.split_once(" → ") {
        Some((sent, received)) if line.chars().count() > WIDEST_LINE => vec![sent.to_owned(), format!("→ {received}")],
        _ => vec![line.to_owned()],
    }
}

fn cut(line: &str) -> String {
    if line.chars().count() <= WIDEST_LINE {
        return line.to_owned();
    }
    line.chars().take(WIDEST_LINE - 1).chain(['…']).collect()
}
