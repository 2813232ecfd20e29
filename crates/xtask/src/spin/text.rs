//! Texts of models as trees of lines, so that they can be taken apart.

/// A line, or lines between two that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    let put = |line: &str, text: &mut String| {
        if !line.is_empty() {
            *text += &format!("{:1$}{line}\n", "", 4 * depth);
        }
    };
    for node in nodes {
        match node {
            Node::Line(line) => put(line, text),
            Node::Block { open, body, close } => {
                put(open, text);
                print_at(body, depth + 1, text);
                put(close, text);
            }
        }
    }
}
