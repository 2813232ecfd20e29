//! Texts of models as trees of lines, so that they can be shrunk.

/// A line, or lines between two that belong together.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Line(String),
    Block { open: String, body: Vec<Node>, close: String },
}

impl Node {
    pub(super) fn line(text: impl Into<String>) -> Self {
        Self::Line(text.into())
    }
    pub(super) fn block(open: impl Into<String>, body: Vec<Node>, close: &str) -> Self {
        Self::Block { open: open.into(), body, close: close.to_owned() }
    }
}

pub(super) fn print(nodes: &[Node]) -> String {
    let mut text = String::new();
    print_at(nodes, 0, &mut text);
    text
}

fn print_at(nodes: &[Node], depth: usize, text: &mut String) {
    let mut put = |line: &str, depth: usize| {
        if !line.is_empty() {
            *text += &format!("{:1$}{line}\n", "", 4 * depth);
        }
    };
    for node in nodes {
        match node {
            Node::Line(line) => put(line, depth),
            Node::Block { open, body, close } => {
                put(open, depth);
                let mut inner = String::new();
                print_at(body, depth + 1, &mut inner);
                inner.lines().for_each(|line| put(line, 0));
                put(close, depth);
            }
        }
    }
}

/// The smallest model found by leaving nodes out, or only what surrounds a block, of which `differs` is still true.
pub(super) fn shrink(mut model: Vec<Node>, differs: impl Fn(&[Node]) -> bool) -> Vec<Node> {
    let mut at = 0;
    let mut changed = false;
    loop {
        if at >= size(&model) {
            if !changed {
                return model;
            }
            (at, changed) = (0, false);
        }
        let smaller = [Cut::All, Cut::Surroundings].into_iter().find_map(|cut| {
            let mut smaller = model.clone();
            let done = remove(&mut smaller, &mut at.clone(), cut);
            (done && differs(&smaller)).then_some(smaller)
        });
        match smaller {
            Some(smaller) => (model, changed) = (smaller, true),
            None => at += 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    All,
    Surroundings,
}

fn size(nodes: &[Node]) -> usize {
    let below = |node: &Node| match node {
        Node::Line(_) => 0,
        Node::Block { body, .. } => size(body),
    };
    nodes.iter().map(|node| 1 + below(node)).sum()
}

/// Cuts node number `at`, counted from above; whether it could.
fn remove(nodes: &mut Vec<Node>, at: &mut usize, cut: Cut) -> bool {
    for number in 0..nodes.len() {
        if *at == 0 {
            return match (cut, nodes.remove(number)) {
                (Cut::All, _) => true,
                (Cut::Surroundings, Node::Line(_)) => false,
                (Cut::Surroundings, Node::Block { body, .. }) => {
                    nodes.splice(number..number, body);
                    true
                }
            };
        }
        *at -= 1;
        if let Node::Block { body, .. } = &mut nodes[number] {
            let inside = size(body);
            if *at < inside {
                return remove(body, at, cut);
            }
            *at -= inside;
        }
    }
    false
}
