//! Random statements.

use super::{Generator, Here, Theme};
use crate::spin::text::Node;

impl Generator {
    /// About `count` statements that follow one another.
    pub(super) fn statements(&mut self, here: Here, count: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..count {
            if self.has(Theme::Locals) && !here.in_d_step && !here.in_inline && self.rng.chance(10) {
                let node = self.declaration();
                nodes.push(node);
            }
            nodes.push(self.statement(here));
        }
        nodes
    }

    fn statement(&mut self, here: Here) -> Node {
        if here.depth == 0 || self.rng.chance(42) {
            return self.simple(here);
        }
        let inner = Here { depth: here.depth - 1, ..here };
        match self.rng.below(20) {
            0..4 => self.choice("if", inner, "fi;"),
            4..7 if !here.in_d_step => self.choice("do", Here { in_loop: true, ..inner }, "od;"),
            4..7 => self.counting_loop(),
            7..10 | 18 | 19 if self.has(Theme::Atomics) && !here.in_d_step => self.atomic(inner),
            10 | 11 if self.has(Theme::DSteps) && !here.in_d_step => self.d_step(inner),
            12..14 if self.has(Theme::Escapes) && !here.in_d_step => self.escape(inner),
            14 | 15 => self.counting(inner).unwrap_or_else(|| self.simple(here)),
            16 => {
                let count = 1 + self.rng.below(3);
                Node::block("{", self.scoped(|this| this.statements(inner, count)), "};")
            }
            _ => self.simple(here),
        }
    }

    /// A `for` over numbers or over the indices of an array. SPIN counts with plain variables only.
    fn counting(&mut self, here: Here) -> Option<Node> {
        let variable = self.plain_variable()?;
        let open = if !self.scope.arrays.is_empty() && self.rng.chance(50) {
            format!("for ({variable} in {}) {{", self.rng.pick(&self.scope.arrays))
        } else {
            format!("for ({variable} : 0 .. {}) {{", self.rng.below(3))
        };
        let body = self.scoped(|this| this.statements(Here { in_loop: !here.in_d_step, ..here }, 1));
        Some(Node::block(open, body, "};"))
    }

    /// `if` or `do`.
    fn choice(&mut self, open: &str, here: Here, close: &str) -> Node {
        let mut options = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let body = self.scoped(|this| {
                let mut body = vec![this.guard(here)];
                let rest = this.rng.below(3);
                body.extend(this.statements(here, rest));
                // SPIN's verifier refuses a loop of nothing else.
                if open == "do" && matches!(&body[..], [Node::Line(line)] if line == "skip;") {
                    body.push(Node::line(format!("{} = 1;", this.some_variable())));
                }
                body
            });
            options.push(Node::block("::", body, ""));
        }
        // SPIN's verifier refuses one `else` at the beginning of another choice with `else`.
        if self.rng.chance(45) && !options.iter().any(offers_else) {
            let mut body = vec![Node::line("else ->")];
            if open == "do" && self.rng.chance(60) {
                body.push(Node::line("break;"));
            } else {
                body.extend(self.scoped(|this| this.statements(here, 1)));
            }
            options.push(Node::block("::", body, ""));
        }
        Node::block(open, options, close)
    }

    /// A loop that ends, for a `d_step`.
    fn counting_loop(&mut self) -> Node {
        let variable = self.some_variable();
        let count = vec![Node::line(format!("{variable} < 1 ->")), Node::line(format!("{variable} = {variable} + 1;"))];
        let stop = vec![Node::line("else ->"), Node::line("break;")];
        Node::block("do", vec![Node::block("::", count, ""), Node::block("::", stop, "")], "od;")
    }

    /// The first statement of an option or an escape.
    pub(super) fn guard(&mut self, here: Here) -> Node {
        match self.rng.below(20) {
            0..9 => Node::line(format!("{} ->", self.condition(1))),
            9 if self.has(Theme::Timeouts) => Node::line("timeout ->"),
            10..14 => self.message(here).unwrap_or_else(|| Node::line("skip;")),
            14..16 => {
                // SPIN refuses `unless` at the beginning of an option.
                let statement = self.statement(here);
                if begins_with_escape(&statement) { self.simple(here) } else { statement }
            }
            _ => self.simple(here),
        }
    }

    /// A statement without statements inside.
    pub(super) fn simple(&mut self, here: Here) -> Node {
        match self.rng.below(42) {
            0..8 => Node::line(format!("{} = {};", self.some_variable(), self.value(1))),
            8..12 => Node::line(format!("{0} = ({0} + 1) % 3;", self.some_variable())),
            12 => {
                // These run through many values.
                let op = if self.rng.chance(50) { "++" } else { "--" };
                Node::line(if self.rng.chance(40) {
                    format!("{}{op};", self.some_variable())
                } else {
                    "skip;".to_owned()
                })
            }
            13..15 if !here.in_d_step => Node::line(format!("{};", self.condition(2))),
            15 if self.asserts => Node::line(format!("assert({});", self.assertion())),
            16 => Node::line("skip;"),
            17 => Node::line(format!("printf(\"%d\\n\", {});", self.value(1))),
            18 if here.in_loop => Node::line("break;"),
            18..22 if self.has(Theme::Jumps) && !here.in_d_step && !here.in_inline => self.jump(),
            22 if self.has(Theme::Timeouts) && !here.in_d_step => Node::line("timeout;"),
            23 | 24 if !self.heads.is_empty() && !here.in_d_step && !here.in_inline => self.bounded_run(),
            25 => {
                let bounds = *self.rng.pick(&["0 .. 2", "1 .. 2", "0 .. (1 + 1)"]);
                let variable = self.plain_variable().unwrap_or_else(|| "g0".to_owned());
                Node::line(format!("select({variable} : {bounds});"))
            }
            26 | 27 if self.has(Theme::Priorities) => {
                // Process 0 dies last. SPIN goes astray where the process is not there.
                let target = *self.rng.pick(&["_pid", "0"]);
                Node::line(format!("set_priority({target}, {});", 1 + self.rng.below(3)))
            }
            28 | 29 if !here.in_inline => self.call(here),
            30..38 => self.message(here).unwrap_or_else(|| Node::line("skip;")),
            _ => Node::line(format!("{} = {};", self.some_variable(), self.rng.below(3))),
        }
    }

    fn jump(&mut self) -> Node {
        let label = format!("L{}", 1 + self.rng.below(3));
        if !self.wanted_labels.contains(&label) {
            self.wanted_labels.push(label.clone());
        }
        Node::line(format!("goto {label};"))
    }

    /// A call of an inline that fits here.
    fn call(&mut self, here: Here) -> Node {
        let fitting: Vec<String> = self
            .inlines
            .iter()
            .filter(|inline| !(inline.has_labels && here.in_d_step))
            .map(|inline| inline.name.clone())
            .collect();
        if fitting.is_empty() {
            return Node::line("skip;");
        }
        let inline = self.rng.pick(&fitting).clone();
        Node::line(format!("{inline}({});", self.value(1)))
    }
}

/// Whether control may take an `else` inside of it first.
fn offers_else(node: &Node) -> bool {
    match node {
        Node::Line(line) => line.starts_with("else"),
        Node::Block { open, body, .. } if open == "if" || open == "do" => body.iter().any(offers_else),
        Node::Block { body, .. } => body.first().is_some_and(offers_else),
    }
}

/// Whether an `unless` is the first thing in it.
fn begins_with_escape(node: &Node) -> bool {
    let Node::Block { open, body, .. } = node else { return false };
    let is_choice = open == "if" || open == "do";
    body.iter().any(|node| matches!(node, Node::Line(line) if line.starts_with("} unless")))
        || body.iter().take(if is_choice { body.len() } else { 1 }).any(begins_with_escape)
}
