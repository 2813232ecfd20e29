//! Random Promela models: small, with small domains, and each with a few features of the language, so that all pairs
//! of features meet often.
//!
//! What SPIN does not define is avoided: wild indices, division by zero, channel variables that hold no channel. So is
//! what it gets wrong, as listed in docs/differences.md; above all, fields of messages are received into variables that
//! are at least as wide, because SPIN undoes a receive with what the variable kept.

mod expressions;
mod statements;

use super::text::Node;
use lariat_testkit::Rng;

/// The model of a seed.
pub(super) fn model(seed: u64) -> Vec<Node> {
    Generator::new(seed).model()
}

/// Parts of the language that a model may have.
#[derive(Debug)]
struct Features {
    buffers: bool,
    rendezvous: bool,
    channel_values: bool,
    structures: bool,
    arrays: bool,
    mtypes: bool,
    atomics: bool,
    d_steps: bool,
    escapes: bool,
    jumps: bool,
    timeouts: bool,
    runs: bool,
    locals: bool,
    inlines: bool,
    counters: bool,
    provided: bool,
    priorities: bool,
    last: bool,
    wide: bool,
}

/// A variable that can be assigned to, as it is written.
#[derive(Clone, Debug)]
struct Variable {
    text: String,
    /// It takes 0 and 1 only, so it can be an index of an array of two.
    is_bit: bool,
    /// Every byte fits.
    is_wide: bool,
}

/// A channel, as it is written.
#[derive(Clone, Debug)]
struct Channel {
    text: String,
    /// The number of fields, each a small number.
    fields: usize,
    /// Polls and copies make sense.
    buffered: bool,
    /// Its message is a channel with one field.
    carries_channels: bool,
    /// It can be assigned to.
    is_variable: bool,
}

/// Where a statement is to stand.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// How many levels may still be nested.
    depth: usize,
    in_loop: bool,
    in_atomic: bool,
    in_d_step: bool,
    /// In an inline: neither labels nor jumps.
    in_inline: bool,
}

/// A proctype that can be run: its name and its parameters.
#[derive(Clone, Debug)]
struct Head {
    name: String,
    takes_byte: bool,
    takes_channel: bool,
}

#[derive(Debug)]
struct Generator {
    rng: Rng,
    features: Features,
    variables: Vec<Variable>,
    channels: Vec<Channel>,
    heads: Vec<Head>,
    inlines: Vec<String>,
    /// Labels of the current body that jumps lead to.
    wanted_labels: Vec<String>,
    /// Labels of the current body that were put somewhere.
    placed_labels: Vec<String>,
    names: usize,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let priorities = rng.chance(8);
        let mut flip = |percent| rng.chance(percent);
        let features = Features {
            buffers: flip(50),
            rendezvous: flip(40) && !priorities,
            channel_values: flip(20),
            structures: flip(25),
            arrays: flip(30),
            mtypes: flip(25),
            // Higher priorities interrupt an atomic sequence in SPIN: see docs/differences.md.
            atomics: flip(45) && !priorities,
            d_steps: flip(30),
            escapes: flip(30),
            jumps: flip(40),
            timeouts: flip(20),
            runs: flip(35),
            locals: flip(50),
            inlines: flip(15),
            counters: flip(20),
            provided: flip(10),
            priorities,
            last: flip(6),
            wide: flip(15),
        };
        Self {
            rng,
            features,
            variables: Vec::new(),
            channels: Vec::new(),
            heads: Vec::new(),
            inlines: Vec::new(),
            wanted_labels: Vec::new(),
            placed_labels: Vec::new(),
            names: 0,
        }
    }

    fn model(mut self) -> Vec<Node> {
        let mut nodes = self.globals();
        if self.features.inlines {
            nodes.push(self.inline());
        }
        let runnable = if self.features.runs { 1 + self.rng.below(2) } else { 0 };
        for number in 0..runnable {
            let takes_channel = self.rng.chance(50) && self.channels.iter().any(|channel| channel.fits_parameter());
            self.heads.push(Head { name: format!("R{number}"), takes_byte: self.rng.chance(50), takes_channel });
        }
        for number in 0..1 + self.rng.below(2) {
            let copies = if self.rng.chance(20) { "[2] " } else { "" };
            nodes.push(self.proctype(&format!("active {copies}proctype P{number}("), None));
        }
        if self.features.runs || self.rng.chance(30) {
            nodes.push(self.init());
        }
        for head in self.heads.clone() {
            nodes.push(self.proctype(&format!("proctype {}(", head.name), Some(&head)));
        }
        nodes
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn globals(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        if self.features.mtypes {
            nodes.push(Node::line("mtype = { red, green, blue };"));
            nodes.push(Node::line("mtype m0 = green;"));
            self.variable("m0", false);
        }
        nodes.push(Node::line("byte g0;"));
        self.variable("g0", false);
        let (ty, is_bit) =
            *self.rng.pick(&[("bit", true), ("bool", true), ("short", false), ("int", false), ("byte", false)]);
        let value = if self.rng.chance(30) { " = 1" } else { "" };
        nodes.push(Node::line(format!("{ty} g1{value};")));
        self.variable("g1", is_bit);
        if self.rng.chance(20) {
            nodes.push(Node::line("unsigned g2 : 2;"));
            self.variable("g2", false);
        }
        if self.features.arrays {
            nodes.push(Node::line("byte a[2];"));
            self.array("a", "");
        }
        if self.features.structures {
            nodes.push(Node::line("typedef S { byte p; bit q; byte b[2] };"));
            nodes.push(Node::line("typedef T { S s; short r; S z[2] };"));
            let array = self.rng.chance(40);
            nodes.push(Node::line(if array { "T t[2];" } else { "T t;" }));
            let whole = if array { "t[1]" } else { "t" };
            for part in ["s.p", "r", "s.q", "z[0].p", "s.b[1]"] {
                self.variable(&format!("{whole}.{part}"), part.contains('q'));
            }
        }
        self.global_channels(&mut nodes);
        nodes
    }

    fn variable(&mut self, text: &str, is_bit: bool) {
        self.variables.push(Variable { text: text.to_owned(), is_bit, is_wide: !is_bit && text != "g2" });
    }

    /// The cells of an array of two, also by index.
    fn array(&mut self, name: &str, part: &str) {
        let bits: Vec<String> = self.variables.iter().filter(|one| one.is_bit).map(|one| one.text.clone()).collect();
        let indices = ["0".to_owned(), "1".to_owned(), "_pid % 2".to_owned()].into_iter().chain(bits);
        indices.for_each(|index| self.variable(&format!("{name}[{index}]{part}"), false));
    }

    fn global_channels(&mut self, nodes: &mut Vec<Node>) {
        let plain = |text: &str, fields, buffered| Channel {
            text: text.to_owned(),
            fields,
            buffered,
            carries_channels: false,
            is_variable: false,
        };
        if self.features.buffers {
            let capacity = 1 + self.rng.below(2);
            nodes.push(Node::line(format!("chan q = [{capacity}] of {{ byte }};")));
            self.channels.push(plain("q", 1, true));
            if self.rng.chance(50) {
                let ty = *self.rng.pick(&["byte", "mtype", "bit", "bool"]);
                nodes.push(Node::line(format!("chan w = [2] of {{ byte, {ty} }};")));
                self.channels.push(plain("w", 2, true));
            }
        }
        if self.features.rendezvous {
            nodes.push(Node::line("chan v = [0] of { byte };"));
            self.channels.push(plain("v", 1, false));
            if self.rng.chance(30) {
                nodes.push(Node::line("chan u = [0] of { byte, byte };"));
                self.channels.push(plain("u", 2, false));
            }
        }
        if self.features.arrays && (self.features.buffers || self.features.rendezvous) && self.rng.chance(50) {
            let capacity = if self.features.rendezvous && self.rng.chance(50) { 0 } else { 1 };
            nodes.push(Node::line(format!("chan k[2] = [{capacity}] of {{ byte }};")));
            for index in ["0", "1", "_pid % 2"] {
                self.channels.push(plain(&format!("k[{index}]"), 1, capacity > 0));
            }
        }
        if self.features.channel_values && self.channels.iter().any(|channel| channel.fits_parameter()) {
            nodes.push(Node::line("chan h = [1] of { chan };"));
            self.channels.push(Channel { carries_channels: true, ..plain("h", 1, true) });
        }
    }

    fn inline(&mut self) -> Node {
        let name = self.name("f");
        let (variables, channels) = (self.variables.clone(), self.channels.clone());
        let here = Here { depth: 1, in_loop: false, in_atomic: false, in_d_step: false, in_inline: true };
        let mut body = Vec::new();
        if self.rng.chance(60) {
            body.push(Node::line("byte il;"));
            body.push(Node::line("il = par;"));
            self.variable("il", false);
        }
        body.extend(self.statements(here, 2));
        (self.variables, self.channels) = (variables, channels);
        self.inlines.push(name.clone());
        Node::block(format!("inline {name}(par) {{"), body, "}")
    }

    fn init(&mut self) -> Node {
        let mut starts = Vec::new();
        if self.features.runs {
            for _ in 0..1 + self.rng.below(3) {
                starts.push(self.run());
            }
            if self.features.atomics && self.rng.chance(40) {
                starts = vec![Node::block("atomic {", starts, "};")];
            }
        }
        let node = self.proctype("init ", None);
        let Node::Block { open, mut body, close } = node else { unreachable!("a proctype is a block") };
        let first = body.iter().position(|node| !matches!(node, Node::Line(line) if is_declaration(line)));
        let first = first.unwrap_or(body.len());
        body.splice(first..first, starts);
        Node::Block { open, body, close }
    }

    /// A process type; `opening` is what stands before the parameters.
    fn proctype(&mut self, opening: &str, head: Option<&Head>) -> Node {
        let (variables, channels) = (self.variables.clone(), self.channels.clone());
        let mut parameters = Vec::new();
        if head.is_some_and(|head| head.takes_byte) {
            parameters.push("byte x");
            self.variable("x", false);
        }
        if head.is_some_and(|head| head.takes_channel) {
            parameters.push("chan c");
            let (fields, buffered) = (1, !self.features.rendezvous);
            let (text, carries_channels, is_variable) = ("c".to_owned(), false, true);
            self.channels.push(Channel { text, fields, buffered, carries_channels, is_variable });
        }
        let mut open = opening.to_owned() + &parameters.join("; ");
        if opening.ends_with('(') {
            open.push(')');
        }
        if self.features.priorities && self.rng.chance(60) && !opening.starts_with("proctype") {
            open += &format!(" priority {}", 1 + self.rng.below(3));
        }
        if self.features.provided && opening.ends_with('(') && self.rng.chance(50) {
            open += " provided (g0 != 1)";
        }
        let mut body = Vec::new();
        if self.features.locals {
            self.first_locals(&mut body);
        }
        self.wanted_labels.clear();
        self.placed_labels.clear();
        let here = Here { depth: 3, in_loop: false, in_atomic: false, in_d_step: false, in_inline: false };
        let count = 1 + self.rng.below(3);
        body.extend(self.statements(here, count));
        for label in std::mem::take(&mut self.wanted_labels) {
            if !self.placed_labels.contains(&label) {
                body.push(Node::line(format!("{label}:")));
                body.push(Node::line("skip;"));
            }
        }
        (self.variables, self.channels) = (variables, channels);
        Node::block(open + " {", body, "}")
    }

    fn first_locals(&mut self, body: &mut Vec<Node>) {
        for _ in 0..1 + self.rng.below(2) {
            let node = self.declaration();
            body.push(node);
        }
        if self.features.buffers && self.rng.chance(20) {
            let text = self.name("lq");
            body.push(Node::line(format!("chan {text} = [1] of {{ byte }};")));
            let (fields, buffered, carries_channels, is_variable) = (1, true, false, false);
            self.channels.push(Channel { text, fields, buffered, carries_channels, is_variable });
        }
    }

    /// A declaration of a local variable.
    fn declaration(&mut self) -> Node {
        let text = self.name("l");
        if self.features.structures && self.rng.chance(25) {
            self.variable(&format!("{text}.p"), false);
            self.variable(&format!("{text}.q"), true);
            self.variable(&format!("{text}.b[1]"), false);
            return Node::line(format!("S {text};"));
        }
        if self.features.arrays && self.rng.chance(25) {
            self.array(&text, "");
            return Node::line(format!("byte {text}[2];"));
        }
        let value = match self.rng.below(4) {
            0 => " = 1".to_owned(),
            1 => format!(" = {}", self.value(1)),
            _ => String::new(),
        };
        // With priorities SPIN leaves single bits of a process out of the state.
        let (ty, is_bit) = match self.rng.below(if self.features.priorities { 3 } else { 5 }) {
            0 => ("byte", false),
            1 => ("short", false),
            2 => ("pid", false),
            3 => ("bit", true),
            _ => ("bool", true),
        };
        self.variable(&text, is_bit);
        Node::line(format!("{ty} {text}{value};"))
    }
}

impl Channel {
    fn fits_parameter(&self) -> bool {
        self.fields == 1 && !self.carries_channels
    }
}

fn is_declaration(line: &str) -> bool {
    ["byte ", "bit ", "bool ", "short ", "pid ", "S ", "chan "].iter().any(|ty| line.starts_with(ty))
}
