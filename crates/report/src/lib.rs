//! Things to look at: pages about runs, and pictures of graphs.
//!
//! A page is one HTML file that needs nothing else: the document of the run as JSON, and the style and the program that show it.
//! This crate knows documents and graphs only. No system, engine or language is known here, so what a page shows is what
//! its document says. Whatever comes from a model is data: in the page it stands in one block of JSON and in escaped
//! text, never in markup or program.

mod automaton;
mod graph;
mod layout;
mod page;
mod picture;
mod read;
mod svg;
mod sweep;

pub use graph::{control_picture, states_picture};
pub use page::Page;
pub use picture::{Dot, Edge, GraphMl, Node, NodeKind, Picture};
pub use svg::{MOST_EDGES, MOST_NODES, Svg, TooLarge};
pub use sweep::{SweepDocument, SweepRow};
