//! Guards of claims: Boolean combinations of propositions, which are whatever stands between the Boolean operators.

use crate::guards::{Guard, Guards};
use lariat_base::{Diagnostic, FileId, Span};

/// What guards are made of.
pub(super) struct GuardReader<'a> {
    pub(super) text: &'a str,
    pub(super) file: FileId,
    pub(super) guards: Guards,
    pub(super) propositions: Vec<String>,
}

/// How deep a guard may be nested.
const MAX_DEPTH: usize = 300;

impl GuardReader<'_> {
    pub(super) fn error(&self, start: usize, end: usize, code: &'static str, message: &str) -> Diagnostic {
        Diagnostic::error(Span::new(self.file, start, end), code, message)
    }
    /// The function that bytes `start..end` of the text say.
    pub(super) fn read(&mut self, start: usize, end: usize, depth: usize) -> Result<Guard, Diagnostic> {
        let inside = &self.text[start..end];
        let start = start + (inside.len() - inside.trim_start().len());
        let inside = inside.trim();
        let end = start + inside.len();
        if inside.is_empty() {
            return Err(self.error(start.saturating_sub(1), end, "A0203", "an operand is missing"));
        }
        if depth > MAX_DEPTH {
            return Err(self.error(start, end, "A0204", "this guard is nested too deeply"));
        }
        for (operator, conjunction) in [(b'|', false), (b'&', true)] {
            let places = self.operators(start, end, operator)?;
            if places.is_empty() {
                continue;
            }
            let mut result = if conjunction { Guard::TRUE } else { Guard::FALSE };
            let mut from = start;
            for to in places.into_iter().chain([end]) {
                let part = self.read(from, to, depth + 1)?;
                result = if conjunction { self.guards.and(result, part) } else { self.guards.or(result, part) };
                from = to + 2;
            }
            return Ok(result);
        }
        match inside {
            "1" | "true" => return Ok(Guard::TRUE),
            "0" | "false" => return Ok(Guard::FALSE),
            _ => {}
        }
        if inside.starts_with('(') && self.closing(start, end)? == end - 1 {
            return self.read(start + 1, end - 1, depth + 1);
        }
        if inside.starts_with('!') && self.is_operand(start + 1, end)? {
            let part = self.read(start + 1, end, depth + 1)?;
            return Ok(self.guards.not(part));
        }
        let known = self.propositions.iter().position(|known| known == inside);
        let variable = known.unwrap_or_else(|| {
            self.propositions.push(inside.to_owned());
            self.propositions.len() - 1
        });
        Ok(self.guards.variable(variable as u32))
    }

    /// Whether `!` in front of bytes `start..end` negates all of them: a name or something in parentheses, but not the
    /// left side of a comparison.
    fn is_operand(&self, start: usize, end: usize) -> Result<bool, Diagnostic> {
        let operand = self.text[start..end].trim_start_matches(|c: char| c == '!' || c.is_whitespace());
        let start = end - operand.len();
        Ok(match operand.as_bytes().first() {
            Some(b'(') => self.closing(start, end)? == end - 1,
            _ => operand.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.[]@:".contains(&byte)),
        })
    }
    /// Where `&&` or `||` stands outside parentheses.
    fn operators(&self, start: usize, end: usize, operator: u8) -> Result<Vec<usize>, Diagnostic> {
        let bytes = self.text.as_bytes();
        let (mut depth, mut at, mut places) = (0, start, Vec::new());
        while at < end {
            match bytes[at] {
                b'(' | b'[' => depth += 1,
                b')' | b']' if depth == 0 => {
                    return Err(self.error(at, at + 1, "A0203", "this parenthesis was never opened"));
                }
                b')' | b']' => depth -= 1,
                byte if byte == operator && depth == 0 && at + 1 < end && bytes[at + 1] == operator => {
                    places.push(at);
                    at += 1;
                }
                _ => {}
            }
            at += 1;
        }
        if depth > 0 {
            return Err(self.error(start, end, "A0203", "a parenthesis is not closed"));
        }
        Ok(places)
    }
    /// Where the parenthesis at `start` is closed.
    fn closing(&self, start: usize, end: usize) -> Result<usize, Diagnostic> {
        let mut depth = 0;
        for (offset, byte) in self.text[start..end].bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(start + offset);
            }
        }
        Err(self.error(start, end, "A0203", "a parenthesis is not closed"))
    }
}
