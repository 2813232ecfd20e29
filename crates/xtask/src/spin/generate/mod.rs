//! Random Promela models: small, with small domains, and each with a few [`themes`], so that all pairs of them meet
//! often.
//!
//! What SPIN does not define is avoided: wild indices, division by zero, channel variables that hold no channel. So is
//! what it gets wrong, as listed in docs/differences.md; above all, fields of messages are received into variables that
//! are at least as wide, because SPIN undoes a receive with what the variable kept.

mod expressions;
mod formulas;
mod globals;
mod labels;
mod messages;
mod processes;
mod sequences;
mod statements;
mod themes;

use super::text::Node;
use lariat_testkit::Rng;
use themes::Themes;
pub(super) use themes::{THEMES, Theme, theme_of_name};

/// The model of a seed, without some themes.
pub(super) fn model(seed: u64, excluded: &[Theme]) -> Vec<Node> {
    Generator::new(seed, excluded).model()
}

/// A variable that can be assigned to, as it is written.
#[derive(Clone, Debug)]
struct Variable {
    text: String,
    /// It takes 0 and 1 only, so it can be an index of an array of two.
    is_bit: bool,
    /// Every byte fits.
    is_wide: bool,
    is_global: bool,
}

/// A channel, as it is written.
#[derive(Clone, Debug)]
struct Channel {
    text: String,
    message: Message,
    /// Polls and copies make sense.
    buffered: bool,
    /// It can be assigned to.
    is_variable: bool,
    is_global: bool,
}

/// What a message of a channel consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Message {
    /// That many small numbers.
    Numbers(usize),
    /// A channel of one number, and perhaps a number.
    Channel { with_number: bool },
    /// A structure `U`, and perhaps a number.
    Structure { with_number: bool },
}

/// What names mean at some place of the text.
#[derive(Clone, Debug, Default)]
struct Scope {
    variables: Vec<Variable>,
    channels: Vec<Channel>,
    /// Variables of the type `U`.
    structures: Vec<String>,
    /// Arrays with plain names.
    arrays: Vec<String>,
}

/// Where a statement is to stand.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// How many levels may still be nested.
    depth: usize,
    in_loop: bool,
    in_atomic: bool,
    in_d_step: bool,
    in_inline: bool,
}

/// A proctype that can be run: its name and its parameters.
#[derive(Clone, Debug)]
struct Head {
    name: String,
    takes_byte: bool,
    takes_channel: bool,
    takes_structure: bool,
}

/// An `inline`.
#[derive(Clone, Debug)]
struct Inline {
    name: String,
    has_labels: bool,
}

#[derive(Debug)]
struct Generator {
    rng: Rng,
    themes: Themes,
    scope: Scope,
    heads: Vec<Head>,
    inlines: Vec<Inline>,
    /// Labels that jumps of the current body lead to.
    wanted_labels: Vec<String>,
    /// References to labels and variables of process 0, from elsewhere.
    remote_labels: Vec<String>,
    remote_variables: Vec<String>,
    /// Whether there are assertions. With them SPIN's search for cycles must go on beyond errors.
    asserts: bool,
    /// The process that `enabled` may ask about.
    observable: Option<usize>,
    names: usize,
}

impl Generator {
    fn new(seed: u64, excluded: &[Theme]) -> Self {
        let mut rng = Rng::new(seed);
        let themes = Themes::random(&mut rng, excluded);
        let asserts = !themes.has(Theme::Formulas) || rng.chance(25);
        Self {
            rng,
            themes,
            scope: Scope::default(),
            heads: Vec::new(),
            inlines: Vec::new(),
            wanted_labels: Vec::new(),
            remote_labels: Vec::new(),
            remote_variables: Vec::new(),
            asserts,
            observable: None,
            names: 0,
        }
    }

    fn model(mut self) -> Vec<Node> {
        let mut nodes = self.globals();
        if self.has(Theme::Inlines) {
            for _ in 0..1 + self.rng.below(2) {
                let inline = self.inline();
                nodes.push(inline);
            }
        }
        self.choose_heads();
        for number in 0..1 + self.rng.below(2) {
            let copies = if self.rng.chance(20) { "[2] " } else { "" };
            let process = self.proctype(&format!("active {copies}proctype P{number}("), None);
            if number == 0 && self.has(Theme::Remote) {
                self.note_remote(&process);
            }
            nodes.push(process);
        }
        if self.has(Theme::Runs) || self.rng.chance(30) {
            nodes.push(self.init());
        }
        for head in self.heads.clone() {
            nodes.push(self.proctype(&format!("proctype {}(", head.name), Some(&head)));
        }
        if self.has(Theme::Formulas) {
            for number in 0..1 + self.rng.below(3) {
                let formula = self.formula(3);
                nodes.push(Node::line(format!("ltl f{number} {{ {formula} }}")));
            }
        }
        nodes
    }

    fn has(&self, theme: Theme) -> bool {
        self.themes.has(theme)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// What `make` builds; what it declares is forgotten afterwards.
    fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.clone();
        let made = make(self);
        self.scope = outside;
        made
    }
}

/// Whether a line declares something.
fn is_declaration(node: &Node) -> bool {
    matches!(node, Node::Line(line) if declares(line))
}

/// Whether the text of a line declares something.
pub(super) fn declares(line: &str) -> bool {
    const TYPES: [&str; 10] = ["byte ", "bit ", "bool ", "short ", "int ", "pid ", "mtype ", "S ", "U ", "chan "];
    TYPES.iter().any(|ty| line.starts_with(ty))
}

/// Whether a line is a label.
fn is_label(node: &Node) -> bool {
    matches!(node, Node::Line(line) if line.ends_with(':'))
}
