//! Random proctypes, `init`, inlines, and what starts processes.

use super::labels::{fill_empty, place_label};
use super::{Channel, Generator, Head, Here, Inline, Message, Theme, is_declaration};
use crate::spin::text::Node;

impl Generator {
    /// Chooses names and parameters of the proctypes that can be run.
    pub(super) fn choose_heads(&mut self) {
        let runnable = if self.has(Theme::Runs) { 1 + self.rng.below(2) } else { 0 };
        for number in 0..runnable {
            let takes_channel = self.rng.chance(50) && self.scope.channels.iter().any(Channel::fits_parameter);
            let takes_structure = self.has(Theme::StructureParameters) && self.rng.chance(50);
            let (name, takes_byte) = (format!("R{number}"), self.rng.chance(50));
            self.heads.push(Head { name, takes_byte, takes_channel, takes_structure });
        }
    }

    pub(super) fn inline(&mut self) -> Node {
        let name = self.name("i");
        let here = Here { depth: 1, in_loop: false, in_atomic: false, in_d_step: false, in_inline: true };
        let has_labels = self.has(Theme::Jumps) && self.rng.chance(60);
        let mut body = self.scoped(|this| {
            let mut body = Vec::new();
            if this.rng.chance(60) {
                body.push(Node::line("byte il;"));
                body.push(Node::line("il = par;"));
                this.local("il", false);
            }
            let count = 2 + this.rng.below(2);
            body.extend(this.statements(here, count));
            body
        });
        if has_labels {
            let label = self.name("M");
            let jump = vec![Node::line(format!("{} ->", self.condition(1))), Node::line(format!("goto {label};"))];
            let options = vec![Node::block("::", jump, ""), Node::block("::", vec![Node::line("else;")], "")];
            body.push(Node::block("if", options, "fi;"));
            place_label(&mut self.rng, &mut body, &label, false);
        }
        self.inlines.push(Inline { name: name.clone(), has_labels });
        Node::block(format!("inline {name}(par) {{"), body, "}")
    }

    pub(super) fn init(&mut self) -> Node {
        let mut starts = Vec::new();
        if self.has(Theme::Runs) {
            for _ in 0..1 + self.rng.below(3) {
                starts.push(self.run());
            }
            if self.has(Theme::Atomics) && self.rng.chance(40) {
                starts = vec![Node::block("atomic {", starts, "};")];
            }
        }
        let node = self.proctype("init ", None);
        let Node::Block { open, mut body, close } = node else { unreachable!("a proctype is a block") };
        let first = body.iter().position(|node| !is_declaration(node)).unwrap_or(body.len());
        body.splice(first..first, starts);
        Node::Block { open, body, close }
    }

    /// A process type; `opening` is what stands before the parameters.
    pub(super) fn proctype(&mut self, opening: &str, head: Option<&Head>) -> Node {
        self.scoped(|this| this.proctype_here(opening, head))
    }

    fn proctype_here(&mut self, opening: &str, head: Option<&Head>) -> Node {
        let mut parameters = Vec::new();
        if let Some(head) = head {
            self.parameters(head, &mut parameters);
        }
        let mut open = opening.to_owned() + &parameters.join("; ");
        if opening.ends_with('(') {
            open.push(')');
        }
        if self.has(Theme::Priorities) && self.rng.chance(60) {
            open += &format!(" priority {}", 1 + self.rng.below(3));
        }
        if self.has(Theme::Provided) && opening.ends_with('(') && self.rng.chance(50) {
            let condition = self.global_condition();
            open += &format!(" provided ({condition})");
        }
        // SPIN's verifier stops where a process asks this about itself.
        self.observable = match opening {
            "active proctype P0(" => Some(1),
            "active [2] proctype P0(" => None,
            _ => Some(0),
        };
        let mut body = Vec::new();
        if self.has(Theme::Locals) {
            self.first_locals(&mut body);
        }
        self.wanted_labels.clear();
        let here = Here {
            depth: if self.rng.chance(30) { 3 } else { 2 },
            in_loop: false,
            in_atomic: false,
            in_d_step: false,
            in_inline: false,
        };
        let count = 2 + self.rng.below(2);
        body.extend(self.statements(here, count));
        self.place_labels(&mut body);
        Node::block(open + " {", body, "}")
    }

    fn parameters(&mut self, head: &Head, parameters: &mut Vec<&'static str>) {
        if head.takes_byte {
            parameters.push("byte x");
            self.local("x", false);
        }
        if head.takes_channel {
            parameters.push("chan c");
            let (message, buffered) = (Message::Numbers(1), !self.has(Theme::Rendezvous));
            let channel = Channel { text: "c".to_owned(), message, buffered, is_variable: true, is_global: false };
            self.scope.channels.push(channel);
        }
        if head.takes_structure {
            parameters.push("U up");
            self.structure("up", false);
        }
    }

    /// Puts labels into a body that is done: those that its jumps lead to, and some with a meaning of their own.
    fn place_labels(&mut self, body: &mut Vec<Node>) {
        let mut labels = std::mem::take(&mut self.wanted_labels);
        if self.has(Theme::Jumps) && self.rng.chance(30) {
            labels.push(self.name("end"));
        }
        if self.has(Theme::CycleLabels) {
            for prefix in ["progress", "accept"] {
                // With a claim SPIN takes both for one condition.
                let fits = prefix == "progress" || !self.has(Theme::Formulas);
                if fits && self.rng.chance(50) {
                    labels.push(self.name(prefix));
                }
            }
        }
        if self.has(Theme::Remote) && self.rng.chance(60) {
            labels.push(self.name("X"));
        }
        for label in labels {
            place_label(&mut self.rng, body, &label, true);
        }
        fill_empty(body);
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
        if head.takes_structure {
            arguments.push(self.rng.pick(&self.scope.structures).clone());
        }
        let priority = if self.has(Theme::Priorities) && self.rng.chance(50) { " priority 2" } else { "" };
        let run = format!("run {}({}){priority};", head.name, arguments.join(","));
        Node::line(if self.rng.chance(30) { format!("{} = {run}", self.some_variable()) } else { run })
    }

    /// A `run` that happens a few times only, or while few processes live.
    pub(super) fn bounded_run(&mut self) -> Node {
        let run = self.run();
        let option = if self.rng.chance(50) && !self.has(Theme::Formulas) {
            Node::block("::", vec![Node::line("_nr_pr < 4 ->"), run], "")
        } else {
            Node::block("::", vec![Node::line("born < 2 ->"), Node::line("born++;"), run], "")
        };
        Node::block("if", vec![option, Node::block("::", vec![Node::line("else;")], "")], "fi;")
    }
}
