//! Macros: definition and expansion.

use std::sync::Arc;

use lariat_base::{Diagnostic, Span};

use super::{MAX_EXPANSION, Preprocessor};
use crate::lex::{Lexeme, Placed};
use crate::token::{Name, Punct};

/// Uses of macros in arguments of macros in arguments …
const MAX_ARGUMENT_DEPTH: usize = 64;

/// A macro as defined.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Span,
    /// Absent if the name alone is replaced.
    parameters: Option<Vec<Name>>,
    body: Vec<Placed>,
}

impl Macro {
    /// Whether both replace the same by the same.
    pub(super) fn same(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.body.iter().map(|placed| &placed.lexeme).eq(other.body.iter().map(|placed| &placed.lexeme))
    }
}

/// Lexemes to be read before those below them on the stack.
pub(super) struct Frame {
    lexemes: std::vec::IntoIter<Placed>,
    /// The macro whose body this is.
    of: Option<Name>,
    /// Whether reading stops at the end of this frame rather than going on below.
    closed: bool,
}

impl Preprocessor<'_, '_> {
    /// `#define`, given what follows on its line.
    pub(super) fn define(&mut self, directive: Span, line: Vec<Placed>) {
        let mut line = line.into_iter().peekable();
        let Some(name) = line.next() else {
            return self.error(directive, "P0010", "`#define` needs a name");
        };
        let Some(word) = name.word().cloned() else {
            return self.error(name.span, "P0010", "only a name can be defined");
        };
        if &*word == "defined" {
            return self.error(name.span, "P0010", "`defined` cannot be a macro");
        }
        let mut parameters = None;
        if line.peek().is_some_and(|next| next.is(Punct::LParen) && next.span.start == name.span.end) {
            line.next();
            let mut list = Vec::new();
            loop {
                let next = line.next();
                match next.as_ref().map(|next| &next.lexeme) {
                    Some(Lexeme::Punct(Punct::RParen)) if list.is_empty() => break,
                    Some(Lexeme::Word(parameter)) => list.push(parameter.clone()),
                    _ => {
                        let span = next.map_or(name.span, |next| next.span);
                        return self.error(span, "P0010", format!("expected a parameter of macro `{word}`"));
                    }
                }
                match line.next() {
                    Some(next) if next.is(Punct::Comma) => {}
                    Some(next) if next.is(Punct::RParen) => break,
                    next => {
                        let span = next.map_or(name.span, |next| next.span);
                        let message = format!("expected `,` or `)` after a parameter of macro `{word}`");
                        return self.error(span, "P0010", message);
                    }
                }
            }
            parameters = Some(list);
        }
        let body: Vec<Placed> = line.collect();
        let pasting = |placed: &&Placed| placed.is(Punct::Hash) || placed.is(Punct::HashHash);
        if let Some(placed) = body.iter().find(pasting) {
            return self.error(placed.span, "P0014", "`#` and `##` in macros are not supported");
        }
        let new = Macro { name: name.span, parameters, body };
        if let Some(old) = self.macros.0.get(&word)
            && !old.same(&new)
        {
            let warning = Diagnostic::warning(name.span, "P0016", format!("macro `{word}` is defined anew"));
            self.report.push(warning.note(old.name, "the definition before").help(format!("`#undef {word}` first")));
        }
        self.macros.0.insert(word, Arc::new(new));
    }

    /// The next lexeme that is not to be expanded any further.
    pub(super) fn next_expanded(&mut self) -> Option<Placed> {
        // A macro that expands to nothing passes on that a line began with it.
        let mut newline = false;
        loop {
            let mut placed = self.next_unexpanded()?;
            placed.newline_before |= newline;
            let Some(name) = placed.word().filter(|_| !placed.painted) else { return Some(placed) };
            let Some(definition) = self.macros.0.get(name).cloned() else { return Some(placed) };
            let name = name.clone();
            if self.busy.contains(&name) {
                placed.painted = true;
                return Some(placed);
            }
            let mut place = placed.span;
            let mut arguments = Vec::new();
            if let Some(parameters) = &definition.parameters {
                match self.next_unexpanded() {
                    Some(next) if next.is(Punct::LParen) => {}
                    Some(next) => {
                        self.push_frame(vec![next], None);
                        return Some(placed);
                    }
                    None => return Some(placed),
                }
                let (list, end) = self.arguments(&name, placed.span)?;
                place = place.to(end);
                let none = parameters.is_empty() && list.len() == 1 && list[0].is_empty();
                if list.len() != parameters.len() && !none {
                    let (wants, has) = (parameters.len(), list.len());
                    let message = format!("macro `{name}` takes {wants} argument(s), here are {has}");
                    let diagnostic = Diagnostic::error(placed.span, "P0013", message);
                    self.report.push(diagnostic.note(definition.name, "the macro is defined here"));
                    continue;
                }
                for argument in list {
                    arguments.push(self.expand_list(argument, placed.span));
                }
            }
            let body = self.substitute(&definition, &arguments, place)?;
            let body = body.into_iter().enumerate().map(|(index, mut lexeme)| {
                lexeme.newline_before = index == 0 && placed.newline_before;
                lexeme
            });
            let body: Vec<Placed> = body.collect();
            newline = placed.newline_before && body.is_empty();
            self.busy.insert(name.clone());
            self.push_frame(body, Some(name));
        }
    }

    fn push_frame(&mut self, lexemes: Vec<Placed>, of: Option<Name>) {
        self.frames.push(Frame { lexemes: lexemes.into_iter(), of, closed: false });
    }

    fn next_unexpanded(&mut self) -> Option<Placed> {
        while let Some(frame) = self.frames.last_mut() {
            if self.given_up {
                return None;
            }
            if let Some(placed) = frame.lexemes.next() {
                self.spend(1, placed.span)?;
                return Some(placed);
            }
            if frame.closed {
                return None;
            }
            let frame = self.frames.pop().expect("it was the last a moment ago");
            if let Some(name) = frame.of {
                self.busy.remove(&name);
            }
        }
        self.next_from_files()
    }

    /// The arguments up to the closing parenthesis, and the place of that. None at the end of the text.
    fn arguments(&mut self, name: &Name, place: Span) -> Option<(Vec<Vec<Placed>>, Span)> {
        let mut list = vec![Vec::new()];
        let mut depth = 0_usize;
        loop {
            let Some(next) = self.next_unexpanded() else {
                if !self.given_up {
                    self.error(place, "P0013", format!("the arguments of macro `{name}` do not end"));
                }
                return None;
            };
            match next.lexeme {
                Lexeme::Punct(Punct::RParen) if depth == 0 => return Some((list, next.span)),
                Lexeme::Punct(Punct::Comma) if depth == 0 => {
                    list.push(Vec::new());
                    continue;
                }
                Lexeme::Punct(Punct::LParen) => depth += 1,
                Lexeme::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            list.last_mut().expect("it begins with one").push(next);
        }
    }

    /// The lexemes with all macros in them expanded, without looking at what follows them.
    pub(super) fn expand_list(&mut self, lexemes: Vec<Placed>, place: Span) -> Vec<Placed> {
        if !lexemes.iter().any(|placed| placed.word().is_some_and(|word| self.macros.0.contains_key(word))) {
            return lexemes;
        }
        if self.argument_depth == MAX_ARGUMENT_DEPTH {
            let message = format!("macro arguments are nested more than {MAX_ARGUMENT_DEPTH} deep");
            self.give_up(place, message);
            return Vec::new();
        }
        self.argument_depth += 1;
        self.frames.push(Frame { lexemes: lexemes.into_iter(), of: None, closed: true });
        let height = self.frames.len();
        let mut expanded = Vec::new();
        while let Some(next) = self.next_expanded() {
            expanded.push(next);
        }
        // After giving up, frames of half-read macros may still lie above.
        self.frames.truncate(height - 1);
        self.argument_depth -= 1;
        expanded
    }

    /// The body with arguments for parameters. None if that is too much.
    fn substitute(&mut self, definition: &Macro, arguments: &[Vec<Placed>], place: Span) -> Option<Vec<Placed>> {
        let parameters = definition.parameters.as_deref().unwrap_or(&[]);
        let argument = |placed: &Placed| {
            let word = placed.word()?;
            let index = parameters.iter().position(|parameter| parameter == word)?;
            arguments.get(index)
        };
        let length = definition.body.iter().map(|placed| argument(placed).map_or(1, Vec::len)).sum();
        self.spend(length, place)?;
        let mut body = Vec::with_capacity(length);
        for placed in &definition.body {
            match argument(placed) {
                Some(argument) => body.extend(argument.iter().cloned()),
                None => {
                    let spelled = placed.span;
                    body.push(Placed { span: place, expanded_from: Some(spelled), ..placed.clone() });
                }
            }
        }
        Some(body)
    }

    /// Takes from the budget; None when it is at its end.
    fn spend(&mut self, lexemes: usize, place: Span) -> Option<()> {
        self.expansion = self.expansion.saturating_add(lexemes);
        if self.expansion > MAX_EXPANSION {
            self.give_up(place, format!("macro expansion takes more than {MAX_EXPANSION} steps here"));
            return None;
        }
        Some(())
    }
}
