//! Shrinking: the smallest model found that still differs.
//!
//! Nodes are left out, blocks are replaced by what they contain, and lines by simpler ones, until nothing more can be
//! done. Large cuts come first, because a model without a process takes less time to compare.

use super::text::Node;

/// What can be done to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Leave it out.
    All,
    /// Keep what it contains.
    Surroundings,
    /// Write the line in a simpler way: which one of the ways.
    Simpler(usize),
}

/// How many models are tried at most.
const TRIES: usize = 1500;

/// The smallest model found of which `differs` is still true.
pub(super) fn shrink(mut model: Vec<Node>, differs: impl Fn(&[Node]) -> bool) -> Vec<Node> {
    let (mut at, mut changed, mut tries) = (0, false, 0);
    loop {
        if at >= size(&model) {
            if !changed || tries >= TRIES {
                return model;
            }
            (at, changed) = (0, false);
        }
        let ways = simpler(text_at(&model, at)).len();
        let cuts = [Cut::All, Cut::Surroundings].into_iter().chain((0..ways).map(Cut::Simpler));
        let smaller = cuts.into_iter().find_map(|cut| {
            let mut smaller = model.clone();
            if !apply(&mut smaller, &mut at.clone(), cut) {
                return None;
            }
            tries += 1;
            (tries < TRIES && differs(&smaller)).then_some(smaller)
        });
        match smaller {
            Some(smaller) => (model, changed) = (smaller, true),
            None => at += 1,
        }
    }
}

fn size(nodes: &[Node]) -> usize {
    let below = |node: &Node| match node {
        Node::Line(_) => 0,
        Node::Block { body, .. } => size(body),
    };
    nodes.iter().map(|node| 1 + below(node)).sum()
}

/// The text of node number `at`, counted from above; of a block its first line.
fn text_at(nodes: &[Node], mut at: usize) -> &str {
    for node in nodes {
        let (Node::Line(text) | Node::Block { open: text, .. }) = node;
        if at == 0 {
            return text;
        }
        at -= 1;
        if let Node::Block { body, .. } = node {
            let inside = size(body);
            if at < inside {
                return text_at(body, at);
            }
            at -= inside;
        }
    }
    ""
}

/// Cuts node number `at`, counted from above; whether it could.
fn apply(nodes: &mut Vec<Node>, at: &mut usize, cut: Cut) -> bool {
    for number in 0..nodes.len() {
        if *at == 0 {
            return apply_here(nodes, number, cut);
        }
        *at -= 1;
        if let Node::Block { body, .. } = &mut nodes[number] {
            let inside = size(body);
            if *at < inside {
                return apply(body, at, cut);
            }
            *at -= inside;
        }
    }
    false
}

fn apply_here(nodes: &mut Vec<Node>, number: usize, cut: Cut) -> bool {
    match (cut, &mut nodes[number]) {
        (Cut::All, _) => {
            nodes.remove(number);
        }
        (Cut::Surroundings, Node::Line(_)) => return false,
        (Cut::Surroundings, Node::Block { body, .. }) => {
            let body = std::mem::take(body);
            nodes.splice(number..=number, body);
        }
        (Cut::Simpler(way), Node::Line(text) | Node::Block { open: text, .. }) => {
            let mut ways = simpler(text);
            if way >= ways.len() {
                return false;
            }
            *text = ways.swap_remove(way);
        }
    }
    true
}

/// Simpler ways to write a line. Each is shorter, or `skip` for something else, so that shrinking ends.
fn simpler(line: &str) -> Vec<String> {
    if let Some(formula) = line.strip_prefix("ltl ").and_then(|rest| rest.split_once(" { ")) {
        let (name, formula) = (formula.0, formula.1.trim_end_matches(" }"));
        return parts_of(formula).into_iter().map(|part| format!("ltl {name} {{ {part} }}")).collect();
    }
    let mut ways = Vec::new();
    if line.ends_with(';') && !["skip;", "};", "fi;", "od;"].contains(&line) && !line.starts_with("chan") {
        ways.push("skip;".to_owned());
    }
    for clause in [" priority ", " provided "] {
        if let Some(start) = line.find(clause) {
            let end = line[start + 1..].find(" p").map(|next| start + 1 + next);
            let rest = end.filter(|&end| line[end..].starts_with(" pro")).or_else(|| line.rfind(" {"));
            ways.extend(rest.filter(|&rest| rest > start).map(|rest| line[..start].to_owned() + &line[rest..]));
            ways.extend(line.ends_with(';').then(|| line[..start].to_owned() + ";"));
        }
    }
    for (long, short) in [("[2] proctype", "proctype"), ("??", "?"), ("!!", "!"), ("= [2] of", "= [1] of")] {
        if line.contains(long) {
            ways.push(line.replacen(long, short, 1));
        }
    }
    // A part in parentheses becomes a number.
    let mut from = 0;
    while let Some(open) = line[from..].find('(').map(|found| from + found) {
        if let Some(close) = closing(line, open)
            && (open == 0 || line[..open].ends_with([' ', '(', '=', ',']))
        {
            ways.extend(["0", "1"].map(|number| format!("{}{number}{}", &line[..open], &line[close + 1..])));
        }
        from = open + 1;
    }
    ways.retain(|way| way.len() < line.len() || way == "skip;");
    ways
}

/// The direct parts of a formula.
fn parts_of(formula: &str) -> Vec<String> {
    for unary in ["[] ", "<> ", "! "] {
        if let Some(rest) = formula.strip_prefix(unary) {
            let deeper = parts_of(rest).into_iter().map(|part| format!("{unary}{part}"));
            return std::iter::once(rest.to_owned()).chain(deeper).collect();
        }
    }
    if closing(formula, 0) != Some(formula.len() - 1) {
        return Vec::new();
    }
    for binary in [" U ", " V ", " -> ", " && ", " || ", " <-> "] {
        let inside = &formula[1..formula.len() - 1];
        let split = inside.match_indices(binary).map(|(at, _)| at).find(|&at| depth_at(inside, at) == 0);
        let Some(at) = split else { continue };
        let (a, b) = (&inside[..at], &inside[at + binary.len()..]);
        let mut parts = vec![a.to_owned(), b.to_owned()];
        parts.extend(parts_of(a).into_iter().map(|part| format!("({part}{binary}{b})")));
        parts.extend(parts_of(b).into_iter().map(|part| format!("({a}{binary}{part})")));
        return parts;
    }
    Vec::new()
}

/// Where the parenthesis at `open` is closed.
fn closing(text: &str, open: usize) -> Option<usize> {
    if !text[open..].starts_with('(') {
        return None;
    }
    (open + 1..text.len()).find(|&at| text[at..].starts_with(')') && depth_at(text, at) == depth_at(text, open) + 1)
}

/// How many parentheses are open at a place of a text.
fn depth_at(text: &str, at: usize) -> usize {
    let count = |c: char| text[..at].matches(c).count();
    count('(').saturating_sub(count(')'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin::text::print;

    #[test]
    fn what_matters_is_left() {
        let body = vec![
            Node::line("g0 = (g1 + 1) % 3;"),
            Node::block("atomic {", vec![Node::line("a;"), Node::line("goto L1;")], "};"),
        ];
        let model = vec![
            Node::line("byte g0;"),
            Node::block("active proctype P0() priority 2 provided (g0 != 1) {", body, "}"),
            Node::line("ltl f0 { [] ((a == 1) U <> (b)) }"),
        ];
        let small = shrink(model, |nodes| {
            let text = print(nodes);
            text.contains("goto L1;") && text.contains("P0") && text.contains("<> (b)")
        });
        assert_eq!(print(&small), "active proctype P0() {\n    goto L1;\n}\nltl f0 { <> (b) }\n");
    }
}
