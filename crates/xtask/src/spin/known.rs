//! Differences that are known, and how each is recognised.
//!
//! Each rule names the words of docs/differences.md that explain it. A rule looks at the shrunk model, in which little
//! else is left; those that go by evidence alone are tried before shrinking.

use super::compare::{Difference, Question, Respect};
use super::pan::Temporal;
use super::text::{Node, print};

/// A difference to be explained.
#[derive(Debug)]
pub(super) struct Finding<'a> {
    pub(super) model: &'a [Node],
    pub(super) part: &'a Question,
    pub(super) difference: &'a Difference,
}

/// A known difference.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    /// Words that docs/differences.md explains it with.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test looks for them"))]
    pub(super) documented: &'static str,
    /// Whether it can be seen without shrinking.
    at_once: bool,
    applies: fn(&Finding<'_>) -> bool,
}

/// All known differences that models may show.
pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "weak fairness loses violations where the run ends",
        documented: "loses violations where the system ends or blocks",
        at_once: true,
        applies: |finding| {
            finding.part.is_fair()
                && matches!(finding.difference.cycles, Some((Temporal::Holds, ours)) if ours.bad && ours.ended)
        },
    },
    Rule {
        name: "weak fairness loses violations on which a process is blocked for ever",
        documented: "and runs on which a process can move nowhere",
        at_once: true,
        applies: |finding| {
            finding.part.is_fair()
                && matches!(finding.difference.cycles, Some((Temporal::Holds, ours)) if ours.bad && ours.blocks)
        },
    },
    Rule {
        name: "what SPIN takes for reached beside `unless`",
        documented: "leaves out statements that no process executes where an `unless` is near",
        at_once: false,
        applies: |finding| {
            finding.difference.respect == Respect::Unreached
                && finding.difference.answers.starts_with("only Lariat")
                && print(finding.model).contains("} unless {")
        },
    },
    Rule {
        name: "weak fairness where `provided` or a priority holds a process back",
        documented: "waits for ever for a process that is held back by its `provided` clause or by a higher priority",
        at_once: false,
        applies: |finding| {
            finding.part.is_fair()
                && matches!(finding.difference.cycles, Some((Temporal::Holds, ours)) if ours.bad)
                && [" provided ", "priority"].iter().any(|word| print(finding.model).contains(word))
        },
    },
    Rule {
        name: "`else` in the escape of an `unless`",
        documented: "`else` as an option of an escape",
        at_once: false,
        applies: |finding| escapes_have_else(&print(finding.model)),
    },
    Rule {
        name: "`unless` within `unless`",
        documented: "`unless` within `unless` at the door of a block",
        at_once: false,
        applies: |finding| nested_unless(finding.model, false),
    },
    Rule {
        name: "an escape that begins with `do`, at the front of an `atomic`",
        documented: "An `atomic` before an `unless` whose escape begins with `do`",
        at_once: false,
        applies: |finding| finding.model.iter().any(loop_escapes_atomic),
    },
    Rule {
        name: "a jump as an escape, to a statement that has escapes",
        documented: "A jump as an escape",
        at_once: false,
        applies: |finding| finding.model.iter().any(|node| jumps_from_escape(node, finding.model)),
    },
    Rule {
        name: "a label before `for` or `select`",
        documented: "A label before `for` or a counting `select`",
        at_once: false,
        applies: |finding| has_label_before_counting(&print(finding.model)),
    },
    Rule {
        name: "a `d_step` between the two halves of a handshake",
        documented: "A `d_step` that begins with `printf`, `assert` or a choice",
        at_once: false,
        applies: |finding| has_step_within_handshakes(&print(finding.model)),
    },
    Rule {
        name: "the length of a rendezvous channel in its own receive",
        documented: "`len` of a rendezvous channel is 0",
        at_once: false,
        applies: |finding| {
            let text = print(finding.model);
            text.contains("[0] of") && text.lines().any(asks_for_its_length)
        },
    },
    Rule {
        name: "an atomic sequence that never ends",
        documented: "is a run-time error, and no infinite run",
        at_once: false,
        applies: |finding| {
            matches!(finding.difference.cycles, Some((Temporal::Fails, ours)) if !ours.bad)
                && finding.model.iter().any(|node| loops_in_atomic(node, false))
        },
    },
    Rule {
        name: "a receive of two fields into the same cell",
        documented: "A receive of two fields into the same cell",
        at_once: false,
        applies: |finding| {
            finding.difference.respect == Respect::States && print(finding.model).lines().any(receives_into_array_twice)
        },
    },
    Rule {
        name: "an array declared behind the first statement",
        documented: "An array declared behind the first statement",
        at_once: false,
        applies: |finding| finding.model.iter().any(declares_an_array_late),
    },
    Rule {
        name: "a jump into a block of an `inline` that is used twice",
        documented: "A jump into a block of an `inline` that is used more than once",
        at_once: false,
        applies: |finding| finding.model.iter().any(|node| jumps_into_its_block(node, &print(finding.model))),
    },
    Rule {
        name: "a receive that changes its own `eval`",
        documented: "A receive that changes a variable it compares with",
        at_once: false,
        applies: |finding| {
            let text = print(finding.model);
            text.lines().any(|line| changes_what_it_compares(line) || asks_for_its_length(line))
        },
    },
    Rule {
        name: "`enabled` of a process that waits at an `else`",
        documented: "`enabled(p)`** for a process at an `if` or `do` with `else`",
        at_once: false,
        applies: |finding| {
            let text = print(finding.model);
            text.contains("enabled(") && text.lines().any(|line| line.trim().starts_with("else"))
        },
    },
    Rule {
        name: "`enabled` in a model with priorities",
        documented: "`enabled(p)` in a model with priorities",
        at_once: false,
        applies: |finding| {
            let text = print(finding.model);
            text.contains("enabled(") && text.contains("priority")
        },
    },
    Rule {
        name: "runs that end at an `accept` label",
        documented: "A run that ends at an `accept` label",
        at_once: true,
        applies: |finding| matches!(finding.difference.cycles, Some((Temporal::FailsAtEnds, ours)) if !ours.bad),
    },
    Rule {
        name: "`accept` and `progress` labels inside atomic sequences",
        documented: "Labels inside an atomic sequence",
        at_once: false,
        applies: |finding| match finding.part {
            Question::Acceptance { .. } => only_in_atomics(finding.model, "accept"),
            Question::Progress { .. } => only_in_atomics(finding.model, "progress"),
            Question::Safety | Question::Formula { .. } => false,
        },
    },
];

/// Whether an escape has an `else` among its first options: the lines behind `unless`, further inside with each line.
fn escapes_have_else(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let begin = |at: usize| lines[at..].iter().skip(1).map(|line| line.trim());
    let escapes = (0..lines.len()).filter(|&at| lines[at].ends_with("} unless {"));
    let opens = |line: &&str| line.ends_with('{') || ["if", "do"].contains(line);
    escapes.into_iter().any(|at| {
        begin(at).next().is_some_and(|first| opens(&first))
            && begin(at).take_while(|line| !line.starts_with('}')).any(|line| line.starts_with("else"))
    })
}

/// Whether a label stands before a `for` or a `select`.
fn has_label_before_counting(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let counts = |line: &str| line.starts_with("for (") || line.starts_with("select");
    lines.windows(2).any(|pair| pair[0].ends_with(':') && pair[0] != "::" && counts(pair[1]))
}

/// Whether an `unless` lies within another.
fn nested_unless(nodes: &[Node], within: bool) -> bool {
    nodes.iter().any(|node| match node {
        Node::Line(_) => false,
        Node::Block { body, .. } => {
            let is_unless = escape_of(body).is_some();
            (within && is_unless) || nested_unless(body, within || is_unless)
        }
    })
}

/// Whether an escape in `node` is a jump to a label of `model` that stands before an `unless`.
fn jumps_from_escape(node: &Node, model: &[Node]) -> bool {
    let Node::Block { body, .. } = node else { return false };
    let jumped_to = escape_of(body).and_then(|escape| match escape.first() {
        Some(Node::Line(line)) => line.strip_prefix("goto ")?.strip_suffix(';'),
        _ => None,
    });
    jumped_to.is_some_and(|label| model.iter().any(|node| has_escaped_label(node, label)))
        || body.iter().any(|node| jumps_from_escape(node, model))
}

/// What stands behind the `unless` of a block, if it has one.
fn escape_of(body: &[Node]) -> Option<&[Node]> {
    let unless = body.iter().position(|node| matches!(node, Node::Line(line) if line == "} unless {"))?;
    Some(&body[unless + 1..])
}

/// Whether the label stands before an `unless`.
fn has_escaped_label(node: &Node, label: &str) -> bool {
    let Node::Block { body, .. } = node else { return false };
    let here = escape_of(body).is_some_and(|escape| {
        let main = print(&body[..body.len() - escape.len()]);
        main.lines().any(|line| line.trim().strip_suffix(':') == Some(label))
    });
    here || body.iter().any(|node| has_escaped_label(node, label))
}

/// Whether there is an `atomic` before an `unless` whose escape begins with `do`.
fn loop_escapes_atomic(node: &Node) -> bool {
    let Node::Block { body, .. } = node else { return false };
    let here = escape_of(body)
        .is_some_and(|escape| body[..body.len() - escape.len()].iter().any(has_atomic) && begins_with_loop(escape));
    here || body.iter().any(loop_escapes_atomic)
}

fn has_atomic(node: &Node) -> bool {
    matches!(node, Node::Block { open, body, .. } if open.starts_with("atomic") || body.iter().any(has_atomic))
}

fn begins_with_loop(nodes: &[Node]) -> bool {
    matches!(nodes.first(), Some(Node::Block { open, body, .. })
        if open == "do" || open.ends_with('{') && begins_with_loop(body))
}

/// Whether there are handshakes, and a `d_step` that SPIN takes for one that can always begin.
fn has_step_within_handshakes(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins = |line: &str| {
        ["if", "do"].contains(&line) || ["printf(", "assert(", "select("].iter().any(|word| line.starts_with(word))
    };
    text.contains("[0] of") && lines.windows(2).any(|pair| pair[0].ends_with("d_step {") && begins(pair[1]))
}

/// Whether there is a `do` inside of an `atomic`.
fn loops_in_atomic(node: &Node, in_atomic: bool) -> bool {
    let Node::Block { open, body, .. } = node else { return false };
    let in_atomic = in_atomic || open.starts_with("atomic");
    (in_atomic && open == "do") || body.iter().any(|node| loops_in_atomic(node, in_atomic))
}

/// Whether the line receives into two cells of the same array.
fn receives_into_array_twice(line: &str) -> bool {
    let Some((_, fields)) = line.split_once('?') else { return false };
    let arrays = fields.split(',').filter_map(|field| field.split_once('[')).map(|(name, _)| name.trim());
    let arrays: Vec<&str> = arrays.collect();
    arrays.iter().enumerate().any(|(at, name)| arrays[..at].contains(name))
}

/// Whether the line receives by a value that depends on how many messages the channel holds.
fn asks_for_its_length(line: &str) -> bool {
    let Some((channel, fields)) = line.trim().split_once('?') else { return false };
    ["len", "empty", "nempty", "full", "nfull"].iter().any(|word| fields.contains(&format!("{word}({channel})")))
}

/// Whether this is a process that declares an array behind its first statement, or inside of a block.
fn declares_an_array_late(node: &Node) -> bool {
    let Node::Block { open, body, .. } = node else { return false };
    let declares_array =
        |text: &str| text.lines().any(|line| line.trim().starts_with("byte ") && line.ends_with("[2];"));
    let is_declaration = |node: &&Node| {
        const TYPES: [&str; 7] = ["byte ", "short ", "int ", "pid ", "bit ", "bool ", "S "];
        matches!(node, Node::Line(line) if TYPES.iter().any(|ty| line.starts_with(ty)))
    };
    let at_the_start = body.iter().take_while(is_declaration).count();
    ["active ", "proctype ", "init "].iter().any(|word| open.starts_with(word))
        && declares_array(&print(&body[at_the_start..]))
}

/// Whether this is an `inline`, used more than once in `text`, with a jump from outside of one of its blocks to a label
/// inside of it.
fn jumps_into_its_block(node: &Node, text: &str) -> bool {
    let Node::Block { open, body, .. } = node else { return false };
    let Some(name) = open.strip_prefix("inline ").and_then(|rest| rest.split('(').next()) else { return false };
    let uses = text.matches(&format!("{name}(")).count() - 1;
    uses > 1 && blocks_of(body).into_iter().any(|block| is_jumped_into(block, body))
}

/// The bodies of all blocks with braces in these nodes.
fn blocks_of(nodes: &[Node]) -> Vec<&[Node]> {
    let mut found = Vec::new();
    for node in nodes {
        if let Node::Block { open, body, .. } = node {
            if open.ends_with('{') {
                found.push(&body[..]);
            }
            found.extend(blocks_of(body));
        }
    }
    found
}

/// Whether there are more jumps to a label of `block` in `whole` than in the block itself.
fn is_jumped_into(block: &[Node], whole: &[Node]) -> bool {
    let (inside, everywhere) = (print(block), print(whole));
    inside.lines().filter_map(|line| line.trim().strip_suffix(':')).any(|label| {
        let jump = format!("goto {label};");
        everywhere.matches(&jump).count() > inside.matches(&jump).count()
    })
}

/// Whether the line receives into a variable that an `eval` in it looks at.
fn changes_what_it_compares(line: &str) -> bool {
    let Some((_, fields)) = line.split_once('?') else { return false };
    let (compared, received): (Vec<&str>, Vec<&str>) =
        fields.trim_end_matches(';').split(',').map(str::trim).partition(|field| field.contains("eval("));
    received.iter().any(|variable| {
        variable.starts_with(|c: char| c.is_ascii_alphabetic()) && compared.iter().any(|eval| eval.contains(variable))
    })
}

/// Whether there are labels with this prefix, all of them inside atomic sequences.
fn only_in_atomics(nodes: &[Node], prefix: &str) -> bool {
    let mut counts = [0; 2];
    count_labels(nodes, prefix, false, &mut counts);
    counts[0] == 0 && counts[1] > 0
}

/// Counts labels with this prefix outside and inside of atomic sequences.
fn count_labels(nodes: &[Node], prefix: &str, in_atomic: bool, counts: &mut [usize; 2]) {
    for node in nodes {
        match node {
            Node::Line(line) if line.starts_with(prefix) && line.ends_with(':') => counts[usize::from(in_atomic)] += 1,
            Node::Line(_) => {}
            Node::Block { open, body, .. } => {
                count_labels(body, prefix, in_atomic || open.starts_with("atomic"), counts);
            }
        }
    }
}

/// The rule that explains a difference.
pub(super) fn explain(finding: &Finding<'_>, shrunk: bool) -> Option<&'static Rule> {
    RULES
        .iter()
        .filter(|rule| shrunk || rule.at_once)
        .find(|rule| finding.difference.respect > Respect::Refusal && (rule.applies)(finding))
}

impl Question {
    fn is_fair(&self) -> bool {
        match self {
            Self::Safety => false,
            Self::Formula { fair, .. } | Self::Acceptance { fair } | Self::Progress { fair } => *fair,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshakes_that_spin_disturbs_are_recognised() {
        let model = |first: &str| format!("chan v = [0] of {{ byte }};\nd_step {{\n    {first}\n}};\n");
        assert!(has_step_within_handshakes(&model("assert(1);")));
        assert!(has_step_within_handshakes(&model("if")));
        assert!(!has_step_within_handshakes(&model("g0 = 1;")));
        assert!(receives_into_array_twice("    w?a[1],a[_pid % 2];") && !receives_into_array_twice("    w?a[1],b[1];"));
        assert!(asks_for_its_length("    v?eval(len(v));"));
        assert!(!asks_for_its_length("    v?eval(len(w));"));
    }

    #[test]
    fn arrays_declared_late_are_recognised() {
        let process =
            |lines: &[&str]| Node::block("proctype P0() {", lines.iter().copied().map(Node::line).collect(), "}");
        assert!(declares_an_array_late(&process(&["bool l0 = 1;", "skip;", "byte l1[2];"])));
        assert!(!declares_an_array_late(&process(&["bool l0 = 1;", "byte l1[2];", "skip;"])));
    }

    #[test]
    fn receives_and_escapes_are_recognised() {
        assert!(changes_what_it_compares("    w?g0,eval(g0);"));
        assert!(!changes_what_it_compares("    w?g0,eval(g1);"));
        assert!(!changes_what_it_compares("    w?1,eval(g1);"));
        let model = |first: &str| {
            format!("{{\n    skip;\n    }} unless {{\n    {first}\n    ::\n        else ->\n    fi;\n}};\n")
        };
        assert!(escapes_have_else(&model("if")));
        assert!(has_label_before_counting("L2:\n    for (g1 : 0 .. 1) {\n"));
        assert!(!has_label_before_counting("::\n    for (g1 : 0 .. 1) {\n"));
        assert!(!escapes_have_else(&model("g0 = 1;\n    if")));
    }

    #[test]
    fn jumps_and_nesting_are_recognised() {
        let block = |open: &str, body: Vec<Node>| Node::block(open, body, "}");
        let inline = |inside: &str, behind: &str| {
            let atomic = block("atomic {", vec![Node::line("M2:"), Node::line(inside)]);
            block("inline i1(par) {", vec![atomic, Node::line(behind)])
        };
        assert!(jumps_into_its_block(&inline("skip;", "goto M2;"), "inline i1(par) i1(0); i1(1);"));
        assert!(!jumps_into_its_block(&inline("skip;", "goto M2;"), "inline i1(par) i1(0);"));
        assert!(!jumps_into_its_block(&inline("goto M2;", "skip;"), "inline i1(par) i1(0); i1(1);"));
        let unless = |body: Vec<Node>| block("{", [body, vec![Node::line("} unless {")]].concat());
        let escaped = |first: Node, open: &str| {
            block("{", vec![first, Node::line("} unless {"), Node::block(open, Vec::new(), "od;")])
        };
        assert!(loop_escapes_atomic(&escaped(block("atomic {", Vec::new()), "do")));
        let jump = |label: &str| vec![block("{", ["L1:", "} unless {", label].map(Node::line).to_vec())];
        assert!(jumps_from_escape(&jump("goto L1;")[0], &jump("goto L1;")));
        assert!(!jumps_from_escape(&jump("goto L2;")[0], &jump("goto L2;")));
        assert!(!loop_escapes_atomic(&escaped(block("atomic {", Vec::new()), "if")));
        assert!(!loop_escapes_atomic(&escaped(Node::line("skip;"), "do")));
        assert!(nested_unless(&[unless(vec![unless(Vec::new())])], false));
        assert!(!nested_unless(&[unless(Vec::new()), unless(Vec::new())], false));
    }

    #[test]
    fn every_rule_is_documented() {
        let document = include_str!("../../../../docs/differences.md");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for rule in RULES {
            assert!(words(document).contains(&words(rule.documented)), "{} is not in docs/differences.md", rule.name);
        }
    }
}
