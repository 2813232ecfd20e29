//! Graphs as they are drawn: automata, control graphs, graphs of states.

use std::collections::HashMap;
use std::fmt::{self, Display, Write as _};

/// A graph to be drawn. Nodes are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A node of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// What is written in it; may have several lines.
    pub label: String,
    /// Whether runs begin here.
    pub is_initial: bool,
    /// What kind of node it is.
    pub kind: NodeKind,
}

/// A kind of node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NodeKind {
    /// A state like others.
    #[default]
    Plain,
    /// An accepting state.
    Accepting,
    /// A state without a step, or the end of a process.
    End,
    /// A state that is an error, or a step out of which is.
    Failure,
    /// A state of a trace.
    OnTrace,
    /// There is more behind this node than was drawn.
    Open,
}

impl NodeKind {
    /// The name of the kind in pictures.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Accepting => "accepting",
            Self::End => "end",
            Self::Failure => "failure",
            Self::OnTrace => "on-trace",
            Self::Open => "open",
        }
    }
}

/// An edge of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// The node it leaves.
    pub from: usize,
    /// The node it leads to.
    pub to: usize,
    /// What is written beside it; may have several lines.
    pub label: String,
    /// Whether a trace takes it.
    pub is_on_trace: bool,
}

impl Picture {
    /// The same picture, with one edge in place of several from one node to another.
    pub(crate) fn merged(&self) -> Self {
        let mut edges: Vec<Edge> = Vec::new();
        let mut known: HashMap<(usize, usize), usize> = HashMap::new();
        for edge in &self.edges {
            match known.get(&(edge.from, edge.to)) {
                Some(&number) => {
                    edges[number].label.push('\n');
                    edges[number].label.push_str(&edge.label);
                    edges[number].is_on_trace |= edge.is_on_trace;
                }
                None => {
                    known.insert((edge.from, edge.to), edges.len());
                    edges.push(edge.clone());
                }
            }
        }
        Self { edges, ..self.clone() }
    }
}

/// The picture in Graphviz's language.
#[derive(Debug)]
pub struct Dot<'a>(pub &'a Picture);

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Picture { title, nodes, edges } = self.0;
        writeln!(f, "digraph \"{}\" {{", dot_text(title))?;
        writeln!(f, "  node [shape=box, style=rounded, fontname=\"monospace\"]\n  edge [fontname=\"monospace\"]")?;
        for (number, node) in nodes.iter().enumerate() {
            let more = match node.kind {
                NodeKind::Plain => "",
                NodeKind::Accepting => ", peripheries=2",
                NodeKind::End => ", penwidth=2",
                NodeKind::Failure => ", color=red, penwidth=2",
                NodeKind::OnTrace => ", color=blue",
                NodeKind::Open => ", style=\"rounded,dashed\"",
            };
            writeln!(f, "  n{number} [label=\"{}\"{more}]", dot_text(&node.label))?;
            if node.is_initial {
                writeln!(f, "  start{number} [shape=point]\n  start{number} -> n{number}")?;
            }
        }
        for edge in edges {
            let more = if edge.is_on_trace { ", color=blue, penwidth=2" } else { "" };
            writeln!(f, "  n{} -> n{} [label=\"{}\"{more}]", edge.from, edge.to, dot_text(&edge.label))?;
        }
        writeln!(f, "}}")
    }
}

fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The picture as GraphML.
#[derive(Debug)]
pub struct GraphMl<'a>(pub &'a Picture);

impl Display for GraphMl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Picture { title, nodes, edges } = self.0;
        f.write_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
        f.write_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n")?;
        for (id, of, ty) in [
            ("label", "all", "string"),
            ("kind", "node", "string"),
            ("initial", "node", "boolean"),
            ("on-trace", "edge", "boolean"),
        ] {
            writeln!(f, "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{id}\" attr.type=\"{ty}\"/>")?;
        }
        writeln!(f, "  <graph id=\"{}\" edgedefault=\"directed\">", escaped(title))?;
        for (number, node) in nodes.iter().enumerate() {
            writeln!(f, "    <node id=\"n{number}\">")?;
            data(f, "label", &node.label)?;
            data(f, "kind", node.kind.word())?;
            data(f, "initial", if node.is_initial { "true" } else { "false" })?;
            writeln!(f, "    </node>")?;
        }
        for (number, edge) in edges.iter().enumerate() {
            writeln!(f, "    <edge id=\"e{number}\" source=\"n{}\" target=\"n{}\">", edge.from, edge.to)?;
            data(f, "label", &edge.label)?;
            data(f, "on-trace", if edge.is_on_trace { "true" } else { "false" })?;
            writeln!(f, "    </edge>")?;
        }
        f.write_str("  </graph>\n</graphml>\n")
    }
}

fn data(f: &mut fmt::Formatter<'_>, key: &str, value: &str) -> fmt::Result {
    writeln!(f, "      <data key=\"{key}\">{}</data>", escaped(value))
}

/// A text inside XML and HTML, also between quotes. Characters that XML does not have become U+FFFD.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A number without digits that nobody sees.
pub(crate) fn short(number: f64) -> String {
    let mut text = format!("{number:.1}");
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    if text == "-0" { "0".to_owned() } else { text }
}

/// A list of points as a smooth path, without the part behind the point of the number `gap`.
pub(crate) fn curve(points: &[(f64, f64)], gap: Option<usize>) -> String {
    let mut path = String::new();
    for (number, &(x, y)) in points.iter().enumerate() {
        if number == 0 || gap == Some(number - 1) {
            let _ = write!(path, "M{} {}", short(x), short(y));
            continue;
        }
        // Layers lie below each other: control points straight above and below make the curve smooth.
        let (before_x, before_y) = points[number - 1];
        let middle = short((before_y + y) / 2.0);
        let _ = write!(path, "C{} {middle} {} {middle} {} {}", short(before_x), short(x), short(x), short(y));
    }
    path
}
