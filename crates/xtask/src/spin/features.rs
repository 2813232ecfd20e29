//! What a model contains, for the table at the end.

use super::text::{Node, print};

/// The features that are counted, by name.
pub(super) const FEATURES: [&str; 47] = [
    "atomic",
    "d_step",
    "jump into an atomic",
    "jump out of an atomic",
    "jump between atomics",
    "jump inside an atomic",
    "break out of an atomic",
    "jump inside a d_step",
    "unless",
    "unless around an atomic",
    "unless inside an atomic",
    "atomic with priorities",
    "d_step with priorities",
    "priority clause",
    "set_priority",
    "get_priority",
    "provided",
    "rendezvous",
    "rendezvous between atomics",
    "run",
    "run in a loop",
    "structure parameter",
    "structure",
    "structure in a message",
    "channel in a message",
    "channel parameter",
    "sorted send",
    "random receive",
    "random receive with eval",
    "poll",
    "copy of a message",
    "remote label",
    "remote variable",
    "enabled",
    "for over numbers",
    "for over an array",
    "select",
    "inline",
    "inline with labels",
    "timeout",
    "else first in a nested choice",
    "_nr_pr",
    "_last",
    "end label",
    "progress or accept label",
    "declaration in mid-body",
    "ltl",
];

/// For each of [`FEATURES`], whether the model has it.
pub(super) fn features(model: &[Node]) -> [bool; FEATURES.len()] {
    let text = print(model);
    let mut facts = Facts::default();
    for process in model {
        if let Node::Block { open, body, .. } = process
            && !open.starts_with("inline")
        {
            let mut jumps = Jumps::default();
            facts.walk(body, Around::default(), &mut jumps);
            facts.judge(&jumps);
        }
    }
    let has = |word: &str| text.contains(word);
    let line = |test: &dyn Fn(&str) -> bool| text.lines().map(str::trim).any(test);
    let inline = |test: &dyn Fn(&Node) -> bool| model.iter().any(test);
    let labelled = |node: &Node| matches!(node, Node::Block { open, body, .. } if open.starts_with("inline") && print(body).contains(":\n"));
    [
        has("atomic {"),
        has("d_step {"),
        facts.into,
        facts.out_of,
        facts.between,
        facts.inside,
        facts.break_out,
        has("goto D"),
        has("unless"),
        facts.unless_around_atomic,
        facts.unless_in_atomic,
        has("atomic {") && has("priority"),
        has("d_step {") && has("priority"),
        has(") priority") || has("init  priority") || has("init priority"),
        has("set_priority"),
        has("get_priority"),
        has("provided"),
        has("= [0] of"),
        facts.atomic_meetings > 1,
        has("run "),
        facts.run_in_loop,
        has("U up"),
        has("typedef"),
        line(&|line| line.starts_with("e!") || line.starts_with("e?")),
        line(&|line| line.starts_with("h!") || line.starts_with("h?")),
        has("chan c)") || has("chan c;"),
        has("!!"),
        has("??"),
        line(&|line| line.contains("??") && line.contains("eval(")),
        has("?["),
        has("?<"),
        has("]@"),
        has("]:"),
        has("enabled("),
        has("for (") && has(" .. "),
        line(&|line| line.starts_with("for (") && line.contains(" in ")),
        has("select("),
        has("inline"),
        inline(&labelled),
        has("timeout"),
        facts.nested_else,
        has("_nr_pr"),
        has("_last"),
        line(&|line| line.starts_with("end") && line.ends_with(':')),
        line(&|line| (line.starts_with("progress") || line.starts_with("accept")) && line.ends_with(':')),
        facts.late_declaration,
        has("ltl "),
    ]
}

#[derive(Default)]
struct Facts {
    into: bool,
    out_of: bool,
    between: bool,
    inside: bool,
    break_out: bool,
    unless_around_atomic: bool,
    unless_in_atomic: bool,
    atomic_meetings: usize,
    run_in_loop: bool,
    nested_else: bool,
    late_declaration: bool,
    atomics: usize,
}

/// Where a node stands.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The outermost atomic.
    atomic: Option<usize>,
    /// The atomic around the innermost loop; `None` if there is no loop.
    innermost_loop: Option<Option<usize>>,
    in_unless: bool,
    first_in_option: bool,
}

/// Jumps and labels of one process, each with its atomic.
#[derive(Default)]
struct Jumps {
    jumps: Vec<(String, Option<usize>)>,
    labels: Vec<(String, Option<usize>)>,
}

impl Facts {
    fn walk(&mut self, body: &[Node], around: Around, jumps: &mut Jumps) {
        let mut begun = false;
        for (number, node) in body.iter().enumerate() {
            match node {
                Node::Line(line) => {
                    self.late_declaration |=
                        begun && ["byte ", "bit ", "bool ", "short ", "pid "].iter().any(|ty| line.starts_with(ty));
                    begun |= line.ends_with(';') || line.ends_with("->");
                    self.line(line, around, jumps);
                }
                Node::Block { open, body, .. } => {
                    begun = true;
                    let inside = self.enter(open, body, around, number == 0);
                    self.walk(body, inside, jumps);
                }
            }
        }
    }

    fn line(&mut self, line: &str, around: Around, jumps: &mut Jumps) {
        if let Some(label) = line.strip_prefix("goto ") {
            jumps.jumps.push((label.trim_end_matches(';').to_owned(), around.atomic));
        } else if let Some(label) = line.strip_suffix(':') {
            jumps.labels.push((label.to_owned(), around.atomic));
        } else if line == "break;" {
            self.break_out |= around.atomic.is_some() && around.innermost_loop == Some(None);
        } else if around.atomic.is_some() && ["v!", "v?", "y!", "y?"].iter().any(|start| line.starts_with(start)) {
            self.atomic_meetings += 1;
        }
        self.run_in_loop |= line.contains("run ") && around.innermost_loop.is_some();
    }

    fn enter(&mut self, open: &str, body: &[Node], around: Around, is_first: bool) -> Around {
        let mut inside = around;
        let has_escape = body.iter().any(|node| matches!(node, Node::Line(line) if line.starts_with("} unless")));
        let is_atomic = open.starts_with("atomic");
        self.unless_in_atomic |= has_escape && around.atomic.is_some();
        self.unless_around_atomic |= is_atomic && (has_escape || around.in_unless);
        inside.in_unless |= has_escape;
        if is_atomic && around.atomic.is_none() {
            self.atomics += 1;
            inside.atomic = Some(self.atomics);
        }
        if open == "do" || open.starts_with("for ") {
            inside.innermost_loop = Some(inside.atomic);
        }
        let is_choice = open == "do" || open == "if";
        let is_else = |node: &Node| matches!(node, Node::Block { body, .. } if matches!(body.first(), Some(Node::Line(line)) if line.starts_with("else")));
        self.nested_else |= is_choice && is_first && around.first_in_option && body.iter().any(is_else);
        inside.first_in_option = open == "::";
        inside
    }

    fn judge(&mut self, jumps: &Jumps) {
        for (label, from) in &jumps.jumps {
            let Some((_, to)) = jumps.labels.iter().find(|(known, _)| known == label) else { continue };
            match (from, to) {
                (None, Some(_)) => self.into = true,
                (Some(_), None) => self.out_of = true,
                (Some(from), Some(to)) if from != to => self.between = true,
                (Some(_), Some(_)) => self.inside = true,
                (None, None) => {}
            }
        }
    }
}
