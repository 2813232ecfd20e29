//! Labels, put into bodies that are done, and references to them from elsewhere.
//!
//! A label goes before any statement, inside atomics more often than outside, so that jumps lead into, out of and
//! between them. SPIN refuses labels at the beginning of a block or an option; it reads one before a counting loop as one
//! inside of it, so a `skip` goes between.

use super::{Generator, is_declaration, is_label};
use crate::spin::text::Node;
use lariat_testkit::Rng;

/// A place for a label: the way down to a list of nodes, and a position in it.
struct Site {
    path: Vec<usize>,
    position: usize,
}

/// Puts `label:` somewhere into `body`; at its end if there is no other place. `starts` says whether it may come first.
pub(super) fn place_label(rng: &mut Rng, body: &mut Vec<Node>, label: &str, starts: bool) {
    let mut sites = Vec::new();
    collect(body, label, starts, false, &mut Vec::new(), &mut sites);
    let node = Node::line(format!("{label}:"));
    if sites.is_empty() {
        body.extend([node, Node::line("skip;")]);
        return;
    }
    let Site { path, position } = rng.pick(&sites);
    let mut list = body;
    for &step in path {
        let Node::Block { body, .. } = &mut list[step] else { unreachable!("paths lead through blocks") };
        list = body;
    }
    if is_counting(&list[*position]) {
        list.insert(*position, Node::line("skip;"));
    }
    list.insert(*position, node);
}

fn collect(body: &[Node], label: &str, starts: bool, in_atomic: bool, path: &mut Vec<usize>, sites: &mut Vec<Site>) {
    let mut may_start = starts;
    for (position, node) in body.iter().enumerate() {
        let opens_part = matches!(node, Node::Line(line) if line.starts_with('}'));
        // SPIN refuses a jump to itself.
        let is_jump_to_it =
            matches!(node, Node::Line(line) if line.strip_prefix("goto ") == Some(&format!("{label};")));
        let is_option = matches!(node, Node::Block { open, .. } if open == "::");
        if may_start && !opens_part && !is_option && !is_jump_to_it && !is_declaration(node) && !is_label(node) {
            for _ in 0..if in_atomic { 3 } else { 1 } {
                sites.push(Site { path: path.clone(), position });
            }
        }
        may_start = if opens_part { false } else { may_start || !is_declaration(node) };
        if is_label(node) {
            may_start = false;
        }
        if let Node::Block { open, body, .. } = node
            && !open.starts_with("d_step")
        {
            path.push(position);
            collect(body, label, false, in_atomic || open.starts_with("atomic"), path, sites);
            path.pop();
        }
    }
}

/// Puts a `skip` behind labels and into parts that would be empty.
pub(super) fn fill_empty(body: &mut Vec<Node>) {
    let ends_with_label = body.last().is_some_and(is_label);
    if ends_with_label || body.iter().all(is_declaration) {
        body.push(Node::line("skip;"));
    }
}

/// Whether it is a `for` or a `select`.
fn is_counting(node: &Node) -> bool {
    let (Node::Line(text) | Node::Block { open: text, .. }) = node;
    text.starts_with("for ") || text.starts_with("select")
}

impl Generator {
    /// Takes note of what others can say of process 0, which runs `process`.
    pub(super) fn note_remote(&mut self, process: &Node) {
        let Node::Block { body, .. } = process else { unreachable!("a proctype is a block") };
        let mut labels = Vec::new();
        labels_of(body, &mut labels);
        for label in labels {
            self.remote_labels.push(format!("P0[0]@{label}"));
        }
        for node in body.iter().take_while(|node| is_declaration(node)) {
            let Node::Line(line) = node else { continue };
            let Some((ty, rest)) = line.split_once(' ') else { continue };
            let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
            if ["byte", "short"].contains(&ty) && !rest.contains('[') {
                self.remote_variables.push(format!("P0[0]:{name}"));
            }
        }
    }
}

fn labels_of(body: &[Node], labels: &mut Vec<String>) {
    for node in body {
        match node {
            Node::Line(line) => labels.extend(line.strip_suffix(':').map(str::to_owned)),
            Node::Block { body, .. } => labels_of(body, labels),
        }
    }
}
