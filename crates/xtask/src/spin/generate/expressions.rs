//! Random expressions.

use super::{Channel, Generator, Theme};

impl Generator {
    /// A number, mostly small.
    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.chance(30) {
            return self.compound(depth - 1);
        }
        match self.rng.below(22) {
            0..8 => self.rng.below(3).to_string(),
            8 => "_pid".to_owned(),
            9 if self.has(Theme::Counters) => "_nr_pr".to_owned(),
            10 if self.has(Theme::Last) => "_last".to_owned(),
            11 if self.has(Theme::Mtypes) => (*self.rng.pick(&["red", "green", "blue"])).to_owned(),
            12 if self.has(Theme::Wide) => {
                (*self.rng.pick(&["255", "300", "32768", "65537", "2147483647", "-1"])).to_owned()
            }
            13 if self.has(Theme::Priorities) => {
                (*self.rng.pick(&["_priority", "get_priority(_pid)", "get_priority(0)"])).to_owned()
            }
            14 => self.channel(|_| true).map_or("1".to_owned(), |channel| format!("len({})", channel.text)),
            15 if self.has(Theme::Enabled) => self.enabled().unwrap_or_else(|| "1".to_owned()),
            16 if !self.remote_variables.is_empty() => self.rng.pick(&self.remote_variables).clone(),
            _ => self.some_variable(),
        }
    }

    fn compound(&mut self, depth: usize) -> String {
        let (a, b) = (self.value(depth), self.value(depth));
        match self.rng.below(12) {
            0..4 => format!("({a} + 1) % 3"),
            4 => format!("({a} - {b})"),
            5 => format!("({a} + {b})"),
            6 => format!("({} -> {a} : {b})", self.comparison(depth)),
            7 => {
                let op = *self.rng.pick(&["&", "|", "^"]);
                format!("({a} {op} {b})")
            }
            8 => format!("({a} / 2)"),
            9 if self.has(Theme::Wide) => {
                let op = *self.rng.pick(&["<< 3", ">> 1", "* 1000", "* 70000"]);
                format!("({a} {op})")
            }
            10 if self.has(Theme::Wide) => {
                let op = *self.rng.pick(&["-", "~", "!"]);
                format!("{op}({a})")
            }
            _ => format!("({a} % 2)"),
        }
    }

    /// Something that is true or false.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.chance(25) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.rng.below(3) {
                0 => format!("({a} && {b})"),
                1 => format!("({a} || {b})"),
                _ => format!("!({} == {})", self.some_variable(), self.value(0)),
            };
        }
        if self.rng.chance(15)
            && let Some(channel) = self.channel(|_| true)
        {
            let op = *self.rng.pick(&["empty", "nempty", "full", "nfull"]);
            return format!("{op}({})", channel.text);
        }
        if self.rng.chance(10)
            && let Some(poll) = self.poll()
        {
            return poll;
        }
        if !self.remote_labels.is_empty() && self.rng.chance(20) {
            return format!("({})", self.rng.pick(&self.remote_labels));
        }
        if self.has(Theme::Enabled)
            && self.rng.chance(15)
            && let Some(enabled) = self.enabled()
        {
            return enabled;
        }
        self.comparison(depth)
    }

    fn enabled(&self) -> Option<String> {
        self.observable.map(|pid| format!("enabled({pid})"))
    }

    fn comparison(&mut self, depth: usize) -> String {
        let op = *self.rng.pick(&["==", "==", "!=", "<", "<=", ">", ">="]);
        format!("({} {op} {})", self.some_variable(), self.value(depth.min(1)))
    }

    /// What an `assert` says. It does not begin with `!`, by which those of SPIN's claims are known.
    pub(super) fn assertion(&mut self) -> String {
        let condition = self.condition(2);
        if condition.starts_with('!') { format!("(true && {condition})") } else { condition }
    }

    pub(super) fn some_variable(&mut self) -> String {
        self.rng.pick(&self.scope.variables).text.clone()
    }

    /// A variable that is no part of another.
    pub(super) fn plain_variable(&mut self) -> Option<String> {
        let text = self.some_variable();
        text.chars().all(|c| c.is_ascii_alphanumeric()).then_some(text)
    }

    /// One of the channels of which `fits` is true.
    pub(super) fn channel(&mut self, fits: impl Fn(&Channel) -> bool) -> Option<Channel> {
        let fitting: Vec<&Channel> = self.scope.channels.iter().filter(|channel| fits(channel)).collect();
        if fitting.is_empty() { None } else { Some((*self.rng.pick(&fitting)).clone()) }
    }
}
