//! Random sends, receives and polls.

use super::{Channel, Generator, Here, Message, Variable};
use crate::spin::text::Node;

impl Generator {
    /// A send or a receive, if there is a channel.
    pub(super) fn message(&mut self, here: Here) -> Option<Node> {
        let channel = self.channel(|channel| channel.buffered || !here.in_d_step)?;
        let send = self.rng.chance(50);
        self.message_over(&channel, send)
    }

    /// A send, or a receive, over `channel`.
    pub(super) fn message_over(&mut self, channel: &Channel, send: bool) -> Option<Node> {
        match channel.message {
            Message::Channel { with_number } => self.channel_message(channel, with_number, send),
            Message::Structure { with_number } => self.structure_message(channel, with_number, send),
            Message::Numbers(_) if channel.is_variable && self.rng.chance(20) => {
                let other = self.channel(Channel::fits_parameter)?;
                Some(Node::line(format!("{} = {};", channel.text, other.text)))
            }
            Message::Numbers(fields) => Some(self.numbers_message(channel, fields, send)),
        }
    }

    fn numbers_message(&mut self, channel: &Channel, fields: usize, send: bool) -> Node {
        let name = &channel.text;
        if send {
            let op = if self.rng.chance(25) { "!!" } else { "!" };
            let fields: Vec<String> = (0..fields).map(|_| self.value(1)).collect();
            return Node::line(format!("{name}{op}{};", fields.join(",")));
        }
        let op = if self.rng.chance(30) { "??" } else { "?" };
        let fields = self.patterns(fields);
        if channel.buffered && self.rng.chance(20) {
            return Node::line(format!("{name}{op}<{fields}>;"));
        }
        Node::line(format!("{name}{op}{fields};"))
    }

    /// A channel is sent, or received into a parameter.
    fn channel_message(&mut self, carrier: &Channel, with_number: bool, send: bool) -> Option<Node> {
        if !send && let Some(variable) = self.channel(|channel| channel.is_variable) {
            let number = if with_number { format!(",{}", self.patterns(1)) } else { String::new() };
            return Some(Node::line(format!("{}?{}{number};", carrier.text, variable.text)));
        }
        let sent = self.channel(|channel| channel.fits_parameter() && !channel.text.starts_with("lq"))?;
        let number = if with_number { format!(",{}", self.value(1)) } else { String::new() };
        Some(Node::line(format!("{}!{}{number};", carrier.text, sent.text)))
    }

    fn structure_message(&mut self, carrier: &Channel, with_number: bool, send: bool) -> Option<Node> {
        if self.scope.structures.is_empty() {
            return None;
        }
        let variable = self.rng.pick(&self.scope.structures).clone();
        let number = match (with_number, send) {
            (false, _) => String::new(),
            (true, true) => format!(",{}", self.value(1)),
            (true, false) => format!(",{}", self.rng.below(2)),
        };
        let op = if send { "!" } else { "?" };
        Some(Node::line(format!("{}{op}{variable}{number};", carrier.text)))
    }

    /// A poll of a channel, if there is one that keeps numbers.
    pub(super) fn poll(&mut self) -> Option<String> {
        let channel = self.channel(|channel| channel.buffered && matches!(channel.message, Message::Numbers(_)))?;
        let Message::Numbers(fields) = channel.message else { return None };
        let op = *self.rng.pick(&["?", "??"]);
        let patterns: Vec<String> = (0..fields).map(|_| self.match_only()).collect();
        Some(format!("{}{op}[{}]", channel.text, patterns.join(",")))
    }

    /// A field of a receive that sets nothing.
    fn match_only(&mut self) -> String {
        match self.rng.below(4) {
            0 => "_".to_owned(),
            1 => format!("eval({})", self.value(1)),
            2 => self.some_variable(),
            _ => self.rng.below(3).to_string(),
        }
    }

    /// The fields of a receive. No variable occurs twice.
    fn patterns(&mut self, fields: usize) -> String {
        let mut patterns: Vec<String> = Vec::new();
        for _ in 0..fields {
            let pattern = match self.rng.below(8) {
                0 => "_".to_owned(),
                1 => format!("eval({})", self.value(1)),
                2 => self.rng.below(3).to_string(),
                _ => {
                    let wide: Vec<&Variable> = self.scope.variables.iter().filter(|one| one.is_wide).collect();
                    self.rng.pick(&wide).text.clone()
                }
            };
            let pattern = if patterns.contains(&pattern) { "_".to_owned() } else { pattern };
            patterns.push(pattern);
        }
        patterns.join(",")
    }
}
