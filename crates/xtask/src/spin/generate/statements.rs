//! Random statements.

use super::{Channel, Generator, Here};
use crate::spin::text::Node;

impl Generator {
    /// Up to `count` statements that follow one another; what they declare is forgotten afterwards by the caller.
    pub(super) fn statements(&mut self, here: Here, count: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..count {
            let labelled = self.features.jumps && !here.in_d_step && !here.in_inline && self.rng.chance(15);
            if labelled && !(here.in_atomic && nodes.is_empty()) {
                let label = match self.rng.below(3) {
                    0 => self.name("end"),
                    number => format!("L{number}"),
                };
                if !self.placed_labels.contains(&label) {
                    nodes.push(Node::line(format!("{label}:")));
                    self.placed_labels.push(label);
                }
            } else if self.features.locals && !here.in_d_step && !here.in_inline && self.rng.chance(10) {
                let node = self.declaration();
                nodes.push(node);
            }
            let node = self.statement(here);
            // A label before a counting loop is one inside of it for SPIN: see docs/differences.md.
            if is_counting(&node) && matches!(nodes.last(), Some(Node::Line(label)) if label.ends_with(':')) {
                nodes.push(Node::line("skip;"));
            }
            nodes.push(node);
        }
        nodes
    }

    /// Statements between braces.
    fn scoped(&mut self, here: Here, count: usize) -> Vec<Node> {
        let (variables, channels) = (self.variables.clone(), self.channels.clone());
        let nodes = self.statements(here, count);
        (self.variables, self.channels) = (variables, channels);
        nodes
    }

    fn statement(&mut self, here: Here) -> Node {
        if here.depth == 0 || self.rng.chance(45) {
            return self.simple(here);
        }
        let inner = Here { depth: here.depth - 1, ..here };
        let count = 1 + self.rng.below(3);
        match self.rng.below(16) {
            0..4 => self.choice("if", inner, "fi;"),
            4..7 if !here.in_d_step => self.choice("do", Here { in_loop: true, ..inner }, "od;"),
            4..7 => self.counting_loop(),
            7..10 if self.features.atomics && !here.in_d_step => {
                let body = self.scoped(Here { in_atomic: true, ..inner }, count + 1);
                Node::block("atomic {", body, "};")
            }
            10 | 11 if self.features.d_steps && !here.in_d_step => {
                let inside = Here { in_d_step: true, in_loop: false, ..inner };
                let mut body = self.scoped(inside, count + 1);
                // SPIN forgets options of a choice here that can always be taken.
                if matches!(body.first(), Some(Node::Block { .. })) {
                    body.insert(0, Node::line(format!("{};", self.condition(1))));
                }
                Node::block("d_step {", body, "};")
            }
            12 | 13 if self.features.escapes && !here.in_d_step => {
                let mut body = self.scoped(inner, count);
                // SPIN loses control at a jump here, if this stands in an `atomic`.
                if matches!(body.first(), Some(Node::Line(line)) if line.starts_with("goto") || line.starts_with("break"))
                {
                    body.insert(0, Node::line("skip;"));
                }
                let escape = self.guard(inner);
                let rest = self.rng.below(2);
                body.push(Node::line("} unless {"));
                body.push(escape);
                body.extend(self.scoped(inner, rest));
                Node::block("{", body, "};")
            }
            14 => {
                // SPIN counts with plain variables only.
                let Some(variable) = self.plain_variable() else { return self.simple(here) };
                let last = self.rng.below(3);
                let body = self.scoped(Here { in_loop: true, ..inner }, 1);
                Node::block(format!("for ({variable} : 0 .. {last}) {{"), body, "};")
            }
            15 => Node::block("{", self.scoped(inner, count), "};"),
            _ => self.simple(here),
        }
    }

    /// `if` or `do`.
    fn choice(&mut self, open: &str, here: Here, close: &str) -> Node {
        let mut options = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let guard = self.guard(here);
            let rest = self.rng.below(3);
            let (variables, channels) = (self.variables.clone(), self.channels.clone());
            let mut body = vec![guard];
            body.extend(self.statements(here, rest));
            (self.variables, self.channels) = (variables, channels);
            options.push(Node::block("::", body, ""));
        }
        if self.rng.chance(40) {
            let mut body = vec![Node::line("else ->")];
            if open == "do" && self.rng.chance(60) {
                body.push(Node::line("break;"));
            } else {
                body.extend(self.scoped(here, 1));
            }
            options.push(Node::block("::", body, ""));
        }
        Node::block(open, options, close)
    }

    /// A loop that ends, for a `d_step`.
    fn counting_loop(&mut self) -> Node {
        let variable = self.some_variable();
        let more = Node::block("::", vec![Node::line(format!("{variable} < 1 -> {variable} = {variable} + 1;"))], "");
        let stop = Node::block("::", vec![Node::line("else -> break;")], "");
        Node::block("do", vec![more, stop], "od;")
    }

    /// The first statement of an option or an escape.
    fn guard(&mut self, here: Here) -> Node {
        match self.rng.below(20) {
            0..9 => Node::line(format!("{} ->", self.condition(1))),
            9 if self.features.timeouts => Node::line("timeout ->"),
            10..14 => self.message(here).unwrap_or_else(|| Node::line("skip;")),
            14..16 => self.statement(here),
            _ => self.simple(here),
        }
    }

    /// A statement without statements inside.
    pub(super) fn simple(&mut self, here: Here) -> Node {
        match self.rng.below(40) {
            0..8 => Node::line(format!("{} = {};", self.some_variable(), self.value(1))),
            8..11 => Node::line(format!("{0} = ({0} + 1) % 3;", self.some_variable())),
            11 => Node::line(format!("{}++;", self.some_variable())),
            12 => Node::line(format!("{}--;", self.some_variable())),
            13..15 if !here.in_d_step => Node::line(format!("{};", self.condition(2))),
            15 => Node::line(format!("assert({});", self.condition(2))),
            16 => Node::line("skip;"),
            17 => Node::line(format!("printf(\"%d\\n\", {});", self.value(1))),
            18 if here.in_loop => Node::line("break;"),
            19 | 20 if self.features.jumps && !here.in_d_step && !here.in_inline => {
                let label = format!("L{}", 1 + self.rng.below(2));
                if !self.wanted_labels.contains(&label) {
                    self.wanted_labels.push(label.clone());
                }
                Node::line(format!("goto {label};"))
            }
            21 if self.features.timeouts && !here.in_d_step => Node::line("timeout;"),
            22 | 23 if !self.heads.is_empty() && !here.in_d_step && !here.in_inline => {
                let run = self.run();
                let option = Node::block("::", vec![Node::line("_nr_pr < 4 ->"), run], "");
                Node::block("if", vec![option, Node::block("::", vec![Node::line("else;")], "")], "fi;")
            }
            24 => {
                let bounds = *self.rng.pick(&["0 .. 2", "1 .. 2", "0 .. (1 + 1)"]);
                let variable = self.plain_variable().unwrap_or_else(|| "g0".to_owned());
                Node::line(format!("select({variable} : {bounds});"))
            }
            25 | 26 if self.features.priorities => {
                let target = *self.rng.pick(&["_pid", "0", "1"]);
                let priority = 1 + self.rng.below(3);
                Node::line(format!("set_priority({target}, {priority});"))
            }
            27 | 28 if !self.inlines.is_empty() && !here.in_inline => {
                let inline = self.rng.pick(&self.inlines).clone();
                Node::line(format!("{inline}({});", self.value(1)))
            }
            29..36 => self.message(here).unwrap_or_else(|| Node::line("skip;")),
            _ => Node::line(format!("{} = {};", self.some_variable(), self.rng.below(3))),
        }
    }

    /// A send or a receive, if there is a channel.
    fn message(&mut self, here: Here) -> Option<Node> {
        let channel = self.channel(|channel| channel.buffered || !here.in_d_step)?;
        if channel.carries_channels {
            return self.channel_message(&channel);
        }
        if channel.is_variable && self.rng.chance(20) {
            let other = self.channel(Channel::fits_parameter)?;
            return Some(Node::line(format!("{} = {};", channel.text, other.text)));
        }
        let name = &channel.text;
        if self.rng.chance(50) {
            let op = if self.rng.chance(20) { "!!" } else { "!" };
            let fields: Vec<String> = (0..channel.fields).map(|_| self.value(1)).collect();
            return Some(Node::line(format!("{name}{op}{};", fields.join(","))));
        }
        let op = if self.rng.chance(30) { "??" } else { "?" };
        let fields = self.patterns(channel.fields);
        if channel.buffered && self.rng.chance(20) {
            return Some(Node::line(format!("{name}{op}<{fields}>;")));
        }
        Some(Node::line(format!("{name}{op}{fields};")))
    }

    /// A channel is sent, or received into a parameter.
    fn channel_message(&mut self, carrier: &Channel) -> Option<Node> {
        if self.rng.chance(50)
            && let Some(variable) = self.channel(|channel| channel.is_variable)
        {
            return Some(Node::line(format!("{}?{};", carrier.text, variable.text)));
        }
        let sent = self.channel(|channel| channel.fits_parameter() && !channel.text.starts_with("lq"))?;
        Some(Node::line(format!("{}!{};", carrier.text, sent.text)))
    }

    /// A `run` of some proctype.
    pub(super) fn run(&mut self) -> Node {
        let head = self.rng.pick(&self.heads).clone();
        let mut arguments = Vec::new();
        if head.takes_byte {
            arguments.push(self.value(1));
        }
        if head.takes_channel {
            let channel = self.channel(Channel::fits_parameter).expect("heads take channels only where there are some");
            arguments.push(channel.text);
        }
        let priority = if self.features.priorities && self.rng.chance(50) { " priority 2" } else { "" };
        let run = format!("run {}({}){priority};", head.name, arguments.join(","));
        Node::line(if self.rng.chance(30) { format!("{} = {run}", self.some_variable()) } else { run })
    }
}

/// Whether it is a `for` or a `select`.
fn is_counting(node: &Node) -> bool {
    let (Node::Line(text) | Node::Block { open: text, .. }) = node;
    text.starts_with("for ") || text.starts_with("select")
}
