//! Random `atomic`, `d_step` and `unless`.

use super::{Generator, Here, Theme};
use crate::spin::text::Node;

impl Generator {
    /// An `atomic`.
    pub(super) fn atomic(&mut self, here: Here) -> Node {
        let count = 2 + self.rng.below(3);
        let here = Here { in_atomic: true, ..here };
        let body = if self.has(Theme::Handover) && self.has(Theme::Rendezvous) && self.rng.chance(50) {
            self.scoped(|this| this.handover(here, count))
        } else {
            self.scoped(|this| this.statements(here, count))
        };
        Node::block("atomic {", body, "};")
    }

    /// Statements of an atomic that hands control over: most of them meet another process.
    fn handover(&mut self, here: Here, count: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..count {
            let channel = self.channel(|channel| !channel.buffered);
            let send = self.rng.chance(50);
            let meeting = channel.filter(|_| self.rng.chance(60)).and_then(|channel| self.message_over(&channel, send));
            nodes.push(meeting.unwrap_or_else(|| self.simple(here)));
        }
        nodes
    }

    /// A `d_step`.
    pub(super) fn d_step(&mut self, here: Here) -> Node {
        let count = 2 + self.rng.below(3);
        let here = Here { in_d_step: true, in_loop: false, ..here };
        let mut body = self.scoped(|this| this.statements(here, count));
        if self.has(Theme::Jumps) && self.rng.chance(30) {
            // A jump ahead; SPIN knows no other in a `d_step`.
            let label = self.name("D");
            let jump = vec![Node::line(format!("{} ->", self.condition(1))), Node::line(format!("goto {label};"))];
            let options = vec![Node::block("::", jump, ""), Node::block("::", vec![Node::line("else;")], "")];
            let position = self.rng.below(body.len());
            body.insert(position, Node::block("if", options, "fi;"));
            body.push(Node::line(format!("{label}:")));
            body.push(Node::line("skip;"));
        }
        // SPIN reads the end of a loop here as a jump.
        if !matches!(body.last(), Some(Node::Line(line)) if !line.starts_with("select")) {
            body.push(Node::line("skip;"));
        }
        // SPIN forgets options of a choice here that can always be taken.
        if matches!(body.first(), Some(Node::Block { .. })) {
            body.insert(0, Node::line(format!("{};", self.condition(1))));
        }
        Node::block("d_step {", body, "};")
    }

    /// An `unless`; the main part is often an `atomic`.
    pub(super) fn escape(&mut self, here: Here) -> Node {
        let count = 1 + self.rng.below(3);
        let atomic = self.has(Theme::Atomics) && self.rng.chance(35);
        let inside = Here { in_atomic: here.in_atomic || atomic, ..here };
        let mut body = self.scoped(|this| this.statements(inside, count));
        // SPIN loses control at a jump here, if this stands in an `atomic`.
        if matches!(body.first(), Some(Node::Line(line)) if line.starts_with("goto") || line.starts_with("break")) {
            body.insert(0, Node::line("skip;"));
        }
        let escape = self.guard(here);
        let rest = self.rng.below(2);
        body.push(Node::line("} unless {"));
        body.push(escape);
        body.extend(self.scoped(|this| this.statements(here, rest)));
        Node::block(if atomic { "atomic {" } else { "{" }, body, "};")
    }
}
