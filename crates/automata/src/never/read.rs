//! Never claims as Büchi automata.

use super::guard::GuardReader;
use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use crate::{Acceptance, Automaton, Edge, MarkSet, StateId};
use lariat_base::{Diagnostic, FileId, Id, IdVec};

/// Reads a never claim of the shape that translators write. Its propositions are the texts between the Boolean
/// operators of its guards. States whose label begins with `accept` are accepting, and so is the end of the claim.
pub fn read_never(text: &str, file: FileId) -> Result<Automaton, Diagnostic> {
    let blanked = without_comments(text);
    let guards = GuardReader { text: &blanked, file, guards: Guards::default(), propositions: Vec::new() };
    let mut reader = Reader { guards, at: 0, states: Vec::new(), labels: FastMap::default() };
    reader.claim()?;
    reader.finish()
}

/// One statement: a state.
#[derive(Default)]
struct State {
    accepting: bool,
    /// Guards, where each leads, and where that is written.
    options: Vec<(Guard, Target, usize)>,
}

enum Target {
    Label(String),
    Itself,
    /// The next statement, or the end of the claim.
    Following,
    /// Everything that follows is accepted.
    End,
}

struct Reader<'a> {
    guards: GuardReader<'a>,
    at: usize,
    states: Vec<State>,
    labels: FastMap<String, usize>,
}

impl Reader<'_> {
    fn claim(&mut self) -> Result<(), Diagnostic> {
        self.expect("never")?;
        if self.peek() != Some(b'{') {
            self.word();
        }
        self.expect("{")?;
        loop {
            while self.take(";") {}
            if self.take("}") {
                break;
            }
            let mut accepting = false;
            while let Some(label) = self.label() {
                accepting |= label.starts_with("accept");
                if self.labels.insert(label, self.states.len()).is_some() {
                    return Err(self.wrong("a label that was not given before"));
                }
            }
            let options = self.statement()?;
            self.states.push(State { accepting, options });
        }
        match self.peek() {
            Some(_) => Err(self.wrong("the end of the text")),
            None if self.states.is_empty() => Err(self.wrong("a statement")),
            None => Ok(()),
        }
    }
    fn statement(&mut self) -> Result<Vec<(Guard, Target, usize)>, Diagnostic> {
        let start = self.at;
        match self.word().as_str() {
            "skip" | "true" => Ok(vec![(Guard::TRUE, Target::Following, start)]),
            "false" => Ok(Vec::new()),
            kind @ ("if" | "do") => {
                let mut options = Vec::new();
                while self.take("::") {
                    let option = self.option(kind == "do")?;
                    options.push(option);
                    while self.take(";") {}
                }
                let end = if kind == "do" { "od" } else { "fi" };
                self.expect(end)?;
                Ok(options)
            }
            _ => {
                self.at = start;
                Err(self.wrong("`if`, `do`, `skip` or `false`"))
            }
        }
    }
    /// `guard -> goto label`, `guard`, or `atomic { guard -> assert(…) }`.
    fn option(&mut self, in_loop: bool) -> Result<(Guard, Target, usize), Diagnostic> {
        let rest = if in_loop { Target::Itself } else { Target::Following };
        let atomic = self.take_word("atomic");
        if atomic {
            self.expect("{")?;
        }
        self.blank();
        let start = self.at;
        let end = self.guard_end();
        if self.guards.text[start..end].trim() == "else" {
            return Err(self.wrong("a condition that stands by itself"));
        }
        self.at = end;
        let guard = self.guards.read(start, end, 0)?;
        let mut target = rest;
        let mut place = start;
        if self.take("->") || self.take(";") {
            place = self.at;
            if self.take_word("goto") {
                target = Target::Label(self.word());
            } else if self.take_word("assert") {
                // A violated assertion ends the run: the claim has seen all it wants to see.
                self.blank();
                self.at = self.guard_end();
                target = Target::End;
            } else if self.take_word("break") {
                target = Target::Following;
            } else if !matches!(self.peek(), Some(b':' | b'o' | b'f')) {
                return Err(self.wrong("`goto`"));
            }
        }
        if atomic {
            self.expect("}")?;
        }
        Ok((guard, target, place))
    }
    /// Where the guard that begins here ends: at `->`, `;`, `::`, `}` outside parentheses, or at `od` or `fi`.
    fn guard_end(&self) -> usize {
        let bytes = self.guards.text.as_bytes();
        let mut depth = 0usize;
        for at in self.at..bytes.len() {
            let rest = &self.guards.text.as_bytes()[at..];
            let before_word = at > 0 && !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b'_';
            let keyword = before_word
                && (rest.starts_with(b"od") || rest.starts_with(b"fi"))
                && rest.get(2).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
            match bytes[at] {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                b';' | b'}' => return at,
                _ if rest.starts_with(b"->") || rest.starts_with(b"::") || keyword => return at,
                _ => {}
            }
        }
        bytes.len()
    }

    fn finish(self) -> Result<Automaton, Diagnostic> {
        let end = self.states.len();
        let mut edges = IdVec::<StateId, Vec<Edge>>::new();
        for (number, state) in self.states.iter().enumerate() {
            let marks = if state.accepting { MarkSet::first(1) } else { MarkSet::EMPTY };
            let mut list = Vec::new();
            for (guard, target, place) in &state.options {
                let target = match target {
                    Target::Itself => number,
                    Target::Following => number + 1,
                    Target::End => end,
                    Target::Label(label) => *self.labels.get(label).ok_or_else(|| {
                        let message = format!("there is no label `{label}`");
                        self.guards.error(*place, place + 1, "A0205", &message)
                    })?,
                };
                list.push(Edge { target: StateId::new(target), guard: *guard, marks: marks.clone() });
            }
            edges.push(list);
        }
        edges.push(vec![Edge { target: StateId::new(end), guard: Guard::TRUE, marks: MarkSet::first(1) }]);
        let GuardReader { guards, propositions, .. } = self.guards;
        let mut automaton = Automaton::over(propositions, guards, edges, StateId(0), Acceptance::buchi());
        automaton.merge_edges();
        automaton.renumber();
        automaton.checked().map_err(|limit| Diagnostic::error(lariat_base::Span::NONE, "A0204", limit.to_string()))
    }

    fn blank(&mut self) {
        let rest = &self.guards.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
    fn peek(&mut self) -> Option<u8> {
        self.blank();
        self.guards.text.as_bytes().get(self.at).copied()
    }
    fn take(&mut self, symbol: &str) -> bool {
        self.blank();
        let found = self.guards.text[self.at..].starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }
    fn word(&mut self) -> String {
        self.blank();
        let rest = &self.guards.text[self.at..];
        let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word.to_owned()
    }
    fn take_word(&mut self, wanted: &str) -> bool {
        let start = self.at;
        let found = self.word() == wanted;
        if !found {
            self.at = start;
        }
        found
    }
    fn label(&mut self) -> Option<String> {
        let start = self.at;
        let word = self.word();
        self.blank();
        let rest = &self.guards.text[self.at..];
        if !word.is_empty() && rest.starts_with(':') && !rest.starts_with("::") {
            self.at += 1;
            return Some(word);
        }
        self.at = start;
        None
    }
    fn expect(&mut self, symbol: &str) -> Result<(), Diagnostic> {
        if self.take(symbol) { Ok(()) } else { Err(self.wrong(&format!("`{symbol}`"))) }
    }
    fn wrong(&mut self, wanted: &str) -> Diagnostic {
        self.blank();
        let start = self.at;
        let found = match self.word() {
            word if !word.is_empty() => format!("`{word}`"),
            _ => match self.guards.text[start..].chars().next() {
                Some(character) => format!("`{character}`"),
                None => "the end of the text".to_owned(),
            },
        };
        self.guards.error(start, self.at.max(start), "A0202", &format!("expected {wanted}, found {found}"))
    }
}

/// The text with comments replaced by blanks, so that places stay what they are.
fn without_comments(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        let end = rest[start + 2..].find("*/").map_or(rest.len(), |end| start + 2 + end + 2);
        blanked.push_str(&rest[..start]);
        blanked.extend(rest[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    blanked.push_str(rest);
    blanked
}
