//! Declarations, global and local.

use super::{Channel, Generator, Message, Theme, Variable};
use crate::spin::text::Node;

impl Generator {
    pub(super) fn globals(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        if self.has(Theme::Mtypes) {
            nodes.push(Node::line("mtype = { red, green, blue };"));
            nodes.push(Node::line("mtype m0 = green;"));
            self.global("m0", false);
        }
        nodes.push(Node::line("byte g0;"));
        self.global("g0", false);
        let (ty, is_bit) =
            *self.rng.pick(&[("bit", true), ("bool", true), ("short", false), ("int", false), ("byte", false)]);
        let value = if self.rng.chance(30) { " = 1" } else { "" };
        nodes.push(Node::line(format!("{ty} g1{value};")));
        self.global("g1", is_bit);
        if self.rng.chance(20) {
            nodes.push(Node::line("unsigned g2 : 2;"));
            self.global("g2", false);
        }
        if self.has(Theme::Arrays) {
            nodes.push(Node::line("byte a[2];"));
            self.array("a", true);
        }
        if self.has(Theme::Structures) {
            self.structures(&mut nodes);
        }
        if self.has(Theme::Structures) || self.has(Theme::StructureParameters) {
            nodes.push(Node::line("typedef U { byte p; bit q };"));
            nodes.push(Node::line("U u0;"));
            self.structure("u0", true);
        }
        if self.has(Theme::Runs) {
            nodes.push(Node::line("byte born;"));
        }
        self.global_channels(&mut nodes);
        nodes
    }

    fn structures(&mut self, nodes: &mut Vec<Node>) {
        nodes.push(Node::line("typedef S { byte p; bit q; byte b[2] };"));
        nodes.push(Node::line("typedef T { S s; short r; S z[2] };"));
        let array = self.rng.chance(40);
        nodes.push(Node::line(if array { "T t[2];" } else { "T t;" }));
        let whole = if array { "t[1]" } else { "t" };
        for part in ["s.p", "r", "s.q", "z[0].p", "s.b[1]"] {
            self.global(&format!("{whole}.{part}"), part.contains('q'));
        }
    }

    fn global(&mut self, text: &str, is_bit: bool) {
        let is_wide = !is_bit && text != "g2";
        self.scope.variables.push(Variable { text: text.to_owned(), is_bit, is_wide, is_global: true });
    }

    pub(super) fn local(&mut self, text: &str, is_bit: bool) {
        self.scope.variables.push(Variable { text: text.to_owned(), is_bit, is_wide: !is_bit, is_global: false });
    }

    /// The parts of a variable of the type `U`.
    pub(super) fn structure(&mut self, name: &str, is_global: bool) {
        for (part, is_bit) in [("p", false), ("q", true)] {
            let text = format!("{name}.{part}");
            self.scope.variables.push(Variable { text, is_bit, is_wide: !is_bit, is_global });
        }
        self.scope.structures.push(name.to_owned());
    }

    /// The cells of an array of two, also by index.
    fn array(&mut self, name: &str, is_global: bool) {
        let bits = self.scope.variables.iter().filter(|one| one.is_bit);
        let bits: Vec<(String, bool)> = bits.map(|one| (one.text.clone(), one.is_global)).collect();
        let fixed = [("0".to_owned(), true), ("1".to_owned(), true), ("_pid % 2".to_owned(), false)];
        for (index, of_globals) in fixed.into_iter().chain(bits) {
            let is_global = is_global && of_globals;
            let text = format!("{name}[{index}]");
            self.scope.variables.push(Variable { text, is_bit: false, is_wide: true, is_global });
        }
        self.scope.arrays.push(name.to_owned());
    }

    fn global_channels(&mut self, nodes: &mut Vec<Node>) {
        let plain = |text: &str, fields, buffered| Channel {
            text: text.to_owned(),
            message: Message::Numbers(fields),
            buffered,
            is_variable: false,
            is_global: true,
        };
        if self.has(Theme::Buffers) {
            let capacity = 1 + self.rng.below(2);
            nodes.push(Node::line(format!("chan q = [{capacity}] of {{ byte }};")));
            self.scope.channels.push(plain("q", 1, true));
            if self.rng.chance(50) {
                let ty = *self.rng.pick(&["byte", "mtype", "bit", "bool"]);
                nodes.push(Node::line(format!("chan w = [2] of {{ byte, {ty} }};")));
                self.scope.channels.push(plain("w", 2, true));
            }
        }
        if self.has(Theme::Rendezvous) {
            nodes.push(Node::line("chan v = [0] of { byte };"));
            self.scope.channels.push(plain("v", 1, false));
            if self.rng.chance(30) {
                nodes.push(Node::line("chan y = [0] of { byte, byte };"));
                self.scope.channels.push(plain("y", 2, false));
            }
        }
        let any = self.has(Theme::Buffers) || self.has(Theme::Rendezvous);
        if self.has(Theme::Arrays) && any && self.rng.chance(50) {
            let capacity = if self.has(Theme::Rendezvous) && self.rng.chance(50) { 0 } else { 1 };
            nodes.push(Node::line(format!("chan k[2] = [{capacity}] of {{ byte }};")));
            for index in ["0", "1", "_pid % 2"] {
                let channel = plain(&format!("k[{index}]"), 1, capacity > 0);
                self.scope.channels.push(Channel { is_global: !index.contains('p'), ..channel });
            }
        }
        if self.has(Theme::ChannelValues) && self.scope.channels.iter().any(Channel::fits_parameter) {
            let with_number = self.rng.chance(40);
            let number = if with_number { ", byte" } else { "" };
            nodes.push(Node::line(format!("chan h = [1] of {{ chan{number} }};")));
            self.scope.channels.push(Channel { message: Message::Channel { with_number }, ..plain("h", 1, true) });
        }
        if self.has(Theme::Structures) && any {
            let with_number = self.rng.chance(40);
            let number = if with_number { ", byte" } else { "" };
            let buffered = !self.has(Theme::Rendezvous) || self.rng.chance(50);
            nodes.push(Node::line(format!("chan e = [{}] of {{ U{number} }};", usize::from(buffered))));
            self.scope
                .channels
                .push(Channel { message: Message::Structure { with_number }, ..plain("e", 1, buffered) });
        }
    }

    pub(super) fn first_locals(&mut self, body: &mut Vec<Node>) {
        for _ in 0..1 + self.rng.below(2) {
            let node = self.declaration();
            body.push(node);
        }
        if self.has(Theme::Buffers) && self.rng.chance(20) {
            let text = self.name("lq");
            body.push(Node::line(format!("chan {text} = [1] of {{ byte }};")));
            let message = Message::Numbers(1);
            let channel = Channel { text, message, buffered: true, is_variable: false, is_global: false };
            self.scope.channels.push(channel);
        }
    }

    /// A declaration of a local variable.
    pub(super) fn declaration(&mut self) -> Node {
        // Initial values with `enabled` are no C for SPIN.
        let observable = self.observable.take();
        let node = self.plain_declaration();
        self.observable = observable;
        node
    }

    fn plain_declaration(&mut self) -> Node {
        let text = self.name("l");
        if self.has(Theme::Structures) && self.rng.chance(25) {
            if self.rng.chance(50) {
                self.structure(&text, false);
                return Node::line(format!("U {text};"));
            }
            self.local(&format!("{text}.p"), false);
            self.local(&format!("{text}.q"), true);
            self.local(&format!("{text}.b[1]"), false);
            return Node::line(format!("S {text};"));
        }
        if self.has(Theme::Arrays) && self.rng.chance(25) {
            self.array(&text, false);
            return Node::line(format!("byte {text}[2];"));
        }
        let value = match self.rng.below(4) {
            0 => " = 1".to_owned(),
            1 => format!(" = {}", self.value(1)),
            _ => String::new(),
        };
        let (ty, is_bit) = match self.rng.below(5) {
            0 => ("byte", false),
            1 => ("short", false),
            2 => ("pid", false),
            3 => ("bit", true),
            _ => ("bool", true),
        };
        self.local(&text, is_bit);
        Node::line(format!("{ty} {text}{value};"))
    }
}

impl Channel {
    /// Whether it can be given to a parameter, or sent.
    pub(super) fn fits_parameter(&self) -> bool {
        self.message == Message::Numbers(1)
    }
}
