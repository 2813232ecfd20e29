//! Where to draw the nodes and edges of a graph: in layers, one below the other.
//!
//! The steps are those of Sugiyama, Tagawa and Toda (IEEE Trans. SMC 1981): edges that close a cycle are turned round, each node
//! gets a layer by its longest path from a first one, long edges get a point in every layer that they cross, the order in each
//! layer follows the middle of the neighbours in a few passes, and then every layer is spread as its neighbours ask. The label of
//! an edge is a node of its own in a layer between, so that labels never lie on each other.

use crate::picture::Picture;

/// The width of a character and the height of a line, in the font that pictures use.
pub(crate) const CHARACTER: f64 = 7.3;
pub(crate) const LINE: f64 = 16.0;
/// Space between the border of a node and its text.
const PADDING: f64 = 10.0;
/// Space between neighbours in a layer, and between layers.
const GAP: f64 = 22.0;
const LAYER_GAP: f64 = 20.0;
/// How wide a loop from a node to itself is.
pub(crate) const SELF_LOOP: f64 = 26.0;
/// Passes over all layers.
const PASSES: usize = 12;

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// For each node of the picture, its middle and its size.
    pub(crate) nodes: Vec<Box>,
    /// For each edge of the picture, the points that it passes and the middle of its label.
    pub(crate) edges: Vec<Route>,
}

/// A box: its middle and its size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Box {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The way of an edge, in its own direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) label: (f64, f64),
    /// The number of the point behind which there is the label instead of a line.
    pub(crate) gap: Option<usize>,
}

/// The most things that have a place in a layer.
const MOST_ITEMS: usize = 200_000;

/// Something that has a place in a layer: a node of the picture, a label, or a point of a long edge.
#[derive(Clone, Debug)]
struct Item {
    layer: usize,
    size: Box,
    /// Space that is needed on the right for loops of the node to itself.
    right: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

pub(crate) fn text_size(text: &str) -> (f64, f64) {
    let columns = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    (columns as f64 * CHARACTER, text.lines().count() as f64 * LINE)
}

/// Lays the picture out; `None` if its edges are so long that they take more than [`MOST_ITEMS`] points.
pub(crate) fn lay_out(picture: &Picture) -> Option<Layout> {
    let count = picture.nodes.len();
    let is_turned = turned_edges(picture);
    let layers = layers_of(picture, &is_turned);
    let crossed = picture.edges.iter().map(|edge| 2 * layers[edge.from].abs_diff(layers[edge.to]));
    if count + crossed.sum::<usize>() > MOST_ITEMS {
        return None;
    }
    let mut items: Vec<Item> = Vec::with_capacity(count);
    for (node, &layer) in picture.nodes.iter().zip(&layers) {
        let (width, height) = text_size(&node.label);
        let size =
            Box { width: (width + 2.0 * PADDING).max(34.0), height: height.max(LINE) + PADDING, ..Box::default() };
        // Nodes are in even layers, labels in odd ones.
        items.push(Item { layer: 2 * layer, size, right: 0.0, above: Vec::new(), below: Vec::new() });
    }
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (edge, &is_turned) in picture.edges.iter().zip(&is_turned) {
        let (width, height) = text_size(&edge.label);
        if edge.from == edge.to {
            let own = &mut items[edge.from];
            own.right = own.right.max(SELF_LOOP + width + 4.0);
            own.size.height = own.size.height.max(LINE + PADDING).max(height + 4.0);
            chains.push(Vec::new());
            continue;
        }
        let (top, bottom) = if is_turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let mut chain = vec![top];
        let (first, last) = (items[top].layer, items[bottom].layer);
        let labelled = first + 1 + 2 * ((last - first - 2) / 4);
        for layer in first + 1..last {
            let size = match layer == labelled {
                true => Box { width: width + 6.0, height, ..Box::default() },
                false => Box { width: 4.0, ..Box::default() },
            };
            let number = items.len();
            items.push(Item { layer, size, right: 0.0, above: vec![chain[chain.len() - 1]], below: Vec::new() });
            let before = chain[chain.len() - 1];
            items[before].below.push(number);
            chain.push(number);
        }
        let before = chain[chain.len() - 1];
        items[before].below.push(bottom);
        items[bottom].above.push(before);
        chain.push(bottom);
        chains.push(chain);
    }
    let rows = ordered(&mut items);
    spread(&mut items, &rows);
    let height = stack(&mut items, &rows);
    Some(finished(picture, &items, &chains, &is_turned, height))
}

/// The edges that are turned round: those that a walk in depth finds to lead back to where it is coming from.
fn turned_edges(picture: &Picture) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath,
        Done,
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); picture.nodes.len()];
    for (number, edge) in picture.edges.iter().enumerate() {
        leaving[edge.from].push(number);
    }
    let mut seen = vec![Seen::No; picture.nodes.len()];
    let mut is_turned = vec![false; picture.edges.len()];
    let roots = (0..picture.nodes.len()).filter(|&node| picture.nodes[node].is_initial);
    for root in roots.chain(0..picture.nodes.len()) {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::OnPath;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&number) = leaving[*node].get(*next) else {
                seen[*node] = Seen::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let target = picture.edges[number].to;
            match seen[target] {
                Seen::OnPath => is_turned[number] = true,
                Seen::Done => {}
                Seen::No => {
                    seen[target] = Seen::OnPath;
                    path.push((target, 0));
                }
            }
        }
    }
    is_turned
}

/// The layer of each node: one more than the largest of those before it.
fn layers_of(picture: &Picture, is_turned: &[bool]) -> Vec<usize> {
    let count = picture.nodes.len();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waiting_for = vec![0_usize; count];
    for (edge, &is_turned) in picture.edges.iter().zip(is_turned).filter(|(edge, _)| edge.from != edge.to) {
        let (top, bottom) = if is_turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
        after[top].push(bottom);
        waiting_for[bottom] += 1;
    }
    let mut layers = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&node| waiting_for[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &next in &after[node] {
            layers[next] = layers[next].max(layers[node] + 1);
            waiting_for[next] -= 1;
            if waiting_for[next] == 0 {
                ready.push(next);
            }
        }
    }
    layers
}

/// The items of each layer from left to right, so that few edges cross.
fn ordered(items: &mut [Item]) -> Vec<Vec<usize>> {
    let depth = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for (number, item) in items.iter().enumerate() {
        rows[item.layer].push(number);
    }
    let mut place = vec![0.0_f64; items.len()];
    let number_row = |row: &[usize], place: &mut [f64]| {
        for (at, &item) in row.iter().enumerate() {
            place[item] = at as f64;
        }
    };
    rows.iter().for_each(|row| number_row(row, &mut place));
    for pass in 0..PASSES {
        let down = pass % 2 == 0;
        let order: Vec<usize> = if down { (0..depth).collect() } else { (0..depth).rev().collect() };
        for layer in order {
            let middle = |item: usize| {
                let neighbours = if down { &items[item].above } else { &items[item].below };
                if neighbours.is_empty() {
                    return place[item];
                }
                neighbours.iter().map(|&other| place[other]).sum::<f64>() / neighbours.len() as f64
            };
            let mut keyed: Vec<(f64, usize)> = rows[layer].iter().map(|&item| (middle(item), item)).collect();
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0).then(place[one.1].total_cmp(&place[other.1])));
            rows[layer] = keyed.into_iter().map(|(_, item)| item).collect();
            number_row(&rows[layer], &mut place);
        }
    }
    rows
}

/// Gives every item its place from left to right: near the middle of its neighbours, and not over the next one.
fn spread(items: &mut [Item], rows: &[Vec<usize>]) {
    let half = |item: &Item| item.size.width / 2.0;
    for row in rows {
        let mut x = 0.0;
        for &number in row {
            items[number].size.x = x + half(&items[number]);
            x += items[number].size.width + items[number].right + GAP;
        }
    }
    for pass in 0..PASSES {
        let down = pass % 2 == 0;
        let order: Vec<usize> = if down { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for layer in order {
            let row = &rows[layer];
            let wished: Vec<f64> = row
                .iter()
                .map(|&number| {
                    let item = &items[number];
                    let neighbours = if down { &item.above } else { &item.below };
                    if neighbours.is_empty() {
                        return item.size.x;
                    }
                    neighbours.iter().map(|&other| items[other].size.x).sum::<f64>() / neighbours.len() as f64
                })
                .collect();
            // Once from the left and once from the right without overlaps; the middle of both has none either.
            let least = |one: usize, other: usize| half(&items[one]) + items[one].right + GAP + half(&items[other]);
            let (mut from_left, mut from_right) = (wished.clone(), wished);
            for at in 1..row.len() {
                from_left[at] = from_left[at].max(from_left[at - 1] + least(row[at - 1], row[at]));
            }
            for at in (1..row.len()).rev() {
                from_right[at - 1] = from_right[at - 1].min(from_right[at] - least(row[at - 1], row[at]));
            }
            let middles: Vec<f64> =
                from_left.iter().zip(&from_right).map(|(left, right)| (left + right) / 2.0).collect();
            for (&number, middle) in row.iter().zip(middles) {
                items[number].size.x = middle;
            }
        }
    }
    let left = items.iter().map(|item| item.size.x - half(item)).fold(f64::INFINITY, f64::min);
    items.iter_mut().for_each(|item| item.size.x += GAP - left);
}

/// Gives every layer its height; returns that of all.
fn stack(items: &mut [Item], rows: &[Vec<usize>]) -> f64 {
    // Room for the arrow to the initial node.
    let mut y = GAP + 8.0;
    for row in rows {
        let height = row.iter().map(|&number| items[number].size.height).fold(0.0, f64::max);
        for &number in row {
            items[number].size.y = y + height / 2.0;
        }
        y += height + LAYER_GAP;
    }
    y - LAYER_GAP + GAP
}

fn finished(picture: &Picture, items: &[Item], chains: &[Vec<usize>], is_turned: &[bool], height: f64) -> Layout {
    let mut edges = Vec::with_capacity(picture.edges.len());
    for ((edge, chain), &is_turned) in picture.edges.iter().zip(chains).zip(is_turned) {
        if chain.is_empty() {
            let own = items[edge.from].size;
            let (right, label_width) = (own.x + own.width / 2.0, text_size(&edge.label).0);
            edges.push(Route { points: Vec::new(), label: (right + SELF_LOOP + label_width / 2.0, own.y), gap: None });
            continue;
        }
        let (top, bottom) = (items[chain[0]].size, items[chain[chain.len() - 1]].size);
        // Edges leave and arrive at different points of a node, in the order of where they go.
        let port = |node: usize, next: usize, others: &[usize]| {
            let own = items[node].size;
            let before = others.iter().filter(|&&other| items[other].size.x < items[next].size.x).count();
            let share = (before as f64 + 1.0) / (others.len() as f64 + 1.0);
            own.x + (share - 0.5) * own.width * 0.7
        };
        let first = port(chain[0], chain[1], &items[chain[0]].below);
        let end = chain[chain.len() - 1];
        let last = port(end, chain[chain.len() - 2], &items[end].above);
        let mut points = vec![(first, top.y + top.height / 2.0)];
        let (mut label, mut gap) = ((0.0, 0.0), None);
        for &number in &chain[1..chain.len() - 1] {
            let size = items[number].size;
            if size.width > 4.0 {
                label = (size.x, size.y);
                gap = (size.height > 0.0).then_some(points.len());
                points.push((size.x, size.y - size.height / 2.0));
                points.push((size.x, size.y + size.height / 2.0));
            } else {
                points.push((size.x, size.y));
            }
        }
        points.push((last, bottom.y - bottom.height / 2.0));
        if is_turned {
            points.reverse();
            gap = gap.map(|number| points.len() - 2 - number);
        }
        edges.push(Route { points, label, gap });
    }
    let right = items.iter().map(|item| item.size.x + item.size.width / 2.0 + item.right).fold(0.0, f64::max);
    let nodes = items[..picture.nodes.len()].iter().map(|item| item.size).collect();
    Layout { width: right + GAP, height, nodes, edges }
}
