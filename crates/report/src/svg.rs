//! Pictures as SVG, with their own layout.

use crate::layout::{LINE, Layout, SELF_LOOP, lay_out};
use crate::picture::{NodeKind, Picture, curve, escaped, short};
use std::fmt::{self, Display};

/// More nodes than this are not drawn: nobody can read such a picture, and the layout takes long.
pub const MOST_NODES: usize = 2_000;
/// More edges than this are not drawn.
pub const MOST_EDGES: usize = 6_000;

/// A picture as SVG. Nodes and edges have the attributes `data-node`, and `data-from` and `data-to`, with their numbers.
#[derive(Debug)]
pub struct Svg {
    picture: Picture,
    layout: Layout,
    /// Whether it stands in a file of its own and brings its style along.
    is_alone: bool,
}

/// A picture is too large to be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// How many nodes it has.
    pub nodes: usize,
    /// How many edges it has.
    pub edges: usize,
}

impl Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, edges } = self;
        write!(f, "the graph has {nodes} nodes and {edges} edges; ")?;
        if *nodes > MOST_NODES || *edges > MOST_EDGES {
            write!(f, "pictures have at most {MOST_NODES} and {MOST_EDGES}")
        } else {
            write!(f, "its edges are too long for a picture")
        }
    }
}

impl std::error::Error for TooLarge {}

impl Svg {
    /// The picture in a file of its own.
    pub fn alone(picture: &Picture) -> Result<Self, TooLarge> {
        Self::new(picture, true)
    }
    /// The picture as part of a page, which has the style.
    pub fn inside(picture: &Picture) -> Result<Self, TooLarge> {
        Self::new(picture, false)
    }

    fn new(picture: &Picture, is_alone: bool) -> Result<Self, TooLarge> {
        let (nodes, edges) = (picture.nodes.len(), picture.edges.len());
        if nodes > MOST_NODES || edges > MOST_EDGES {
            return Err(TooLarge { nodes, edges });
        }
        let picture = picture.merged();
        let layout = lay_out(&picture).ok_or(TooLarge { nodes, edges })?;
        Ok(Self { layout, picture, is_alone })
    }
}

/// The style of pictures, in files of their own and in pages.
pub(crate) const STYLE: &str = include_str!("../assets/picture.css");

impl Display for Svg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { picture, layout, is_alone } = self;
        let (width, height) = (short(layout.width), short(layout.height));
        let title = escaped(&picture.title);
        let namespace =
            if *is_alone { " xmlns=\"http://www.w3.org/2000/svg\" style=\"background:#ffffff\"" } else { "" };
        writeln!(
            f,
            "<svg{namespace} class=\"picture\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-label=\"{title}\">"
        )?;
        writeln!(f, "<title>{title}</title>")?;
        if *is_alone {
            writeln!(f, "<style>{STYLE}</style>")?;
        }
        self.write_edges(f)?;
        self.write_nodes(f)?;
        writeln!(f, "</svg>")
    }
}

impl Svg {
    fn write_nodes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (node, place)) in self.picture.nodes.iter().zip(&self.layout.nodes).enumerate() {
            let kind = node.kind.word();
            writeln!(f, "<g class=\"node {kind}\" data-node=\"{number}\">")?;
            let (left, top) = (place.x - place.width / 2.0, place.y - place.height / 2.0);
            if node.is_initial {
                let x = short(place.x);
                writeln!(f, "<path class=\"line\" d=\"M{x} {}V{}\"/>", short(top - 20.0), short(top - 1.0))?;
                write_arrow(f, (place.x, top - 20.0), (place.x, top))?;
            }
            let border = |f: &mut fmt::Formatter<'_>, inset: f64| {
                let rounding = if node.label.chars().count() <= 3 { place.height / 2.0 } else { 7.0 };
                writeln!(
                    f,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
                    short(left + inset),
                    short(top + inset),
                    short(place.width - 2.0 * inset),
                    short(place.height - 2.0 * inset),
                    short((rounding - inset).max(2.0))
                )
            };
            border(f, 0.0)?;
            if node.kind == NodeKind::Accepting {
                border(f, 3.0)?;
            }
            write_lines(f, &node.label, place.x, place.y)?;
            writeln!(f, "</g>")?;
        }
        Ok(())
    }

    fn write_edges(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (edge, route) in self.picture.edges.iter().zip(&self.layout.edges) {
            let on_trace = if edge.is_on_trace { " on-trace" } else { "" };
            writeln!(f, "<g class=\"edge{on_trace}\" data-from=\"{}\" data-to=\"{}\">", edge.from, edge.to)?;
            match route.points[..] {
                [] => {
                    let own = self.layout.nodes[edge.from];
                    let right = own.x + own.width / 2.0;
                    let (up, down) = (own.y - 7.0, own.y + 7.0);
                    let far = right + SELF_LOOP;
                    let path = format!(
                        "M{} {}C{} {} {} {} {} {}",
                        short(right),
                        short(up),
                        short(far),
                        short(up - 10.0),
                        short(far),
                        short(down + 10.0),
                        short(right + 1.0),
                        short(down)
                    );
                    writeln!(f, "<path class=\"line\" d=\"{path}\"/>")?;
                    write_arrow(f, (right + 10.0, down + 3.5), (right, down))?;
                }
                [.., before, last] => {
                    writeln!(f, "<path class=\"line\" d=\"{}\"/>", curve(&route.points, route.gap))?;
                    // The curve arrives from straight above or below.
                    write_arrow(f, (last.0, before.1), last)?;
                }
                [_] => {}
            }
            write_lines(f, &edge.label, route.label.0, route.label.1)?;
            writeln!(f, "</g>")?;
        }
        Ok(())
    }
}

/// The head of an arrow that comes from one point and ends in another.
fn write_arrow(f: &mut fmt::Formatter<'_>, from: (f64, f64), to: (f64, f64)) -> fmt::Result {
    const LENGTH: f64 = 8.0;
    const WIDTH: f64 = 3.5;
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(0.001);
    let (x, y) = (x / length, y / length);
    let back = (to.0 - LENGTH * x, to.1 - LENGTH * y);
    writeln!(
        f,
        "<path class=\"arrow\" d=\"M{} {}L{} {}L{} {}Z\"/>",
        short(to.0),
        short(to.1),
        short(back.0 - WIDTH * y),
        short(back.1 + WIDTH * x),
        short(back.0 + WIDTH * y),
        short(back.1 - WIDTH * x)
    )
}

/// Lines of text around a middle.
fn write_lines(f: &mut fmt::Formatter<'_>, text: &str, x: f64, y: f64) -> fmt::Result {
    let count = text.lines().count() as f64;
    for (number, line) in text.lines().enumerate() {
        let y = y + (number as f64 - (count - 1.0) / 2.0) * LINE;
        writeln!(f, "<text x=\"{}\" y=\"{}\">{}</text>", short(x), short(y + 4.0), escaped(line))?;
    }
    Ok(())
}
