//! Random formulas for `ltl` blocks: over global variables, channels and labels, and without the operator X, which
//! Debian's SPIN does not know.

use super::{Generator, Theme};

impl Generator {
    /// A formula with at most `depth` operators above one another.
    pub(super) fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.atom();
        }
        let a = self.formula(depth - 1);
        match self.rng.below(16) {
            0..4 => format!("[] {a}"),
            4..8 => format!("<> {a}"),
            8 => format!("! {a}"),
            number => {
                let b = self.formula(depth - 1);
                let op = match number {
                    9 | 10 => "U",
                    11 => "V",
                    12 => "->",
                    13 => "&&",
                    14 => "||",
                    _ => "<->",
                };
                format!("({a} {op} {b})")
            }
        }
    }

    fn atom(&mut self) -> String {
        if !self.remote_labels.is_empty() && self.rng.chance(25) {
            return format!("({})", self.rng.pick(&self.remote_labels));
        }
        if self.has(Theme::Last) && self.rng.chance(20) {
            return format!("(_last == {})", self.rng.below(2));
        }
        self.global_condition()
    }

    /// A condition on what every process and a formula can see, in parentheses.
    pub(super) fn global_condition(&mut self) -> String {
        if self.rng.chance(20)
            && let Some(channel) = self.channel(|channel| channel.is_global && channel.buffered)
        {
            let op = *self.rng.pick(&["len({}) > 0", "len({}) == 0", "len({}) < 2"]);
            return format!("({})", op.replace("{}", &channel.text));
        }
        let globals: Vec<String> =
            self.scope.variables.iter().filter(|one| one.is_global).map(|one| one.text.clone()).collect();
        let op = *self.rng.pick(&["==", "==", "!=", "<", ">="]);
        format!("({} {op} {})", self.rng.pick(&globals), self.rng.below(3))
    }
}
