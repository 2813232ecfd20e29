//! Directives: what to do at a `#` that begins a line.

use lariat_base::{Diagnostic, Span, closest_name};

use super::{MAX_INCLUDED_BYTES, MAX_INCLUDES, MAX_OPEN_FILES, Preprocessor};
use crate::lex::{Lexeme, Placed};
use crate::token::Punct;

const DIRECTIVES: &[&str] = &[
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "line",
    "pragma",
];

/// An `#if` that is not yet ended.
pub(super) struct Conditional {
    pub(super) span: Span,
    /// Whether text is read at present.
    pub(super) active: bool,
    /// Whether no later branch may be read: one was, or the whole lies in skipped text.
    settled: bool,
    seen_else: bool,
}

impl Preprocessor<'_, '_> {
    /// Does the directive whose `#` is at `hash`.
    pub(super) fn directive(&mut self, hash: Span) {
        let Some(file) = self.files.last_mut() else { return };
        let active = file.conditionals.last().is_none_or(|conditional| conditional.active);
        let before = file.lexer.clone();
        let word = file.lexer.next(&mut self.names);
        if word.newline_before || word.lexeme == Lexeme::End {
            file.lexer = before; // a lone `#` does nothing
            return;
        }
        let span = hash.to(word.span);
        let Some(name) = word.word().cloned() else {
            self.rest_of_directive(); // a line marker of another preprocessor
            if !matches!(word.lexeme, Lexeme::Number(_)) && active {
                self.error(span, "P0010", "expected a directive after `#`");
            }
            return;
        };
        match &*name {
            "if" | "ifdef" | "ifndef" => {
                let line = self.rest_of_directive();
                let holds = active
                    && match &*name {
                        "if" => self.condition(span, line),
                        test => self.is_defined(span, &line) == (test == "ifdef"),
                    };
                if let Some(file) = self.files.last_mut() {
                    let settled = !active || holds;
                    file.conditionals.push(Conditional { span, active: holds, settled, seen_else: false });
                }
            }
            "elif" => {
                let line = self.rest_of_directive();
                let wanted = self.conditional(span, "#elif").is_some_and(|open| !open.settled && !open.seen_else);
                let holds = wanted && self.condition(span, line);
                if let Some(open) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
                    open.active = holds;
                    open.settled |= holds;
                }
            }
            "else" => {
                self.rest_of_directive();
                let mut twice = None;
                if let Some(open) = self.conditional(span, "#else") {
                    twice = open.seen_else.then_some(open.span);
                    open.active = !open.settled;
                    open.settled = true;
                    open.seen_else = true;
                }
                if let Some(opened) = twice {
                    let diagnostic = Diagnostic::error(span, "P0012", "a second `#else`");
                    self.report.push(diagnostic.note(opened, "of this conditional"));
                }
            }
            "endif" => {
                self.rest_of_directive();
                if self.conditional(span, "#endif").is_some()
                    && let Some(file) = self.files.last_mut()
                {
                    file.conditionals.pop();
                }
            }
            _ if !active => {
                self.rest_of_directive();
            }
            "define" => {
                let line = self.rest_of_directive();
                self.define(span, line);
            }
            "undef" => {
                let line = self.rest_of_directive();
                match line.first().and_then(Placed::word) {
                    Some(name) => drop(self.macros.0.remove(name)),
                    None => self.error(span, "P0010", "`#undef` needs a name"),
                }
            }
            "include" => self.include(span),
            "error" | "warning" => {
                let text = file_line(self);
                let message = format!("#{name} {text}");
                self.report.push(match &*name {
                    "error" => Diagnostic::error(span, "P0017", message),
                    _ => Diagnostic::warning(span, "P0017", message),
                });
            }
            "line" | "pragma" | "ident" => {
                self.rest_of_directive();
            }
            _ => {
                self.rest_of_directive();
                let mut diagnostic = Diagnostic::error(span, "P0010", format!("unknown directive `#{name}`"));
                if let Some(near) = closest_name(&name, DIRECTIVES.iter().copied()) {
                    diagnostic = diagnostic.help(format!("did you mean `#{near}`?"));
                }
                self.report.push(diagnostic);
            }
        }
    }

    /// The lexemes up to the end of the line.
    fn rest_of_directive(&mut self) -> Vec<Placed> {
        let mut line = Vec::new();
        let Some(file) = self.files.last_mut() else { return line };
        loop {
            let before = file.lexer.clone();
            let next = file.lexer.next(&mut self.names);
            if next.newline_before || next.lexeme == Lexeme::End {
                file.lexer = before;
                return line;
            }
            line.push(next);
        }
    }

    /// The innermost open conditional, or a complaint that there is none.
    fn conditional(&mut self, span: Span, directive: &str) -> Option<&mut Conditional> {
        if self.files.last().is_some_and(|file| file.conditionals.is_empty()) {
            self.error(span, "P0012", format!("`{directive}` without an `#if` before it"));
        }
        self.files.last_mut()?.conditionals.last_mut()
    }

    fn is_defined(&mut self, span: Span, line: &[Placed]) -> bool {
        match line.first().and_then(Placed::word) {
            Some(name) => self.macros.0.contains_key(name),
            None => {
                self.error(span, "P0010", "expected the name of a macro");
                false
            }
        }
    }

    fn include(&mut self, span: Span) {
        let Some(includer) = self.files.last().map(|file| file.lexer.file()) else { return };
        let text = self.files.last().map_or("", |file| file.lexer.rest_of_line()).trim_start();
        let quoted = text.strip_prefix('"').and_then(|text| text.split_once('"'));
        let angled = text.strip_prefix('<').and_then(|text| text.split_once('>'));
        let path = match quoted.or(angled) {
            Some((path, _)) => path.to_string(),
            None => {
                // The path may be given by a macro.
                let line = self.rest_of_directive();
                match self.expand_list(line, span).first().map(|placed| placed.lexeme.clone()) {
                    Some(Lexeme::Str(path)) => path.to_string(),
                    _ => return self.error(span, "P0011", "`#include` needs a file name in quotes"),
                }
            }
        };
        if let Some(file) = self.files.last_mut() {
            file.lexer.skip_line();
        }
        if self.files.len() >= MAX_OPEN_FILES {
            return self.give_up(span, format!("files include each other more than {MAX_OPEN_FILES} deep"));
        }
        self.include_count += 1;
        let includer = self.sources.file(includer).map_or("", |file| file.name.as_str());
        let loaded = match (self.loader)(&path, includer) {
            Ok(loaded) => loaded,
            Err(why) => return self.error(span, "P0011", format!("cannot include `{path}`: {why}")),
        };
        let (name, text) = loaded;
        self.included_bytes = self.included_bytes.saturating_add(text.len());
        if self.include_count > MAX_INCLUDES || self.included_bytes > MAX_INCLUDED_BYTES {
            return self.give_up(span, "too much text is included");
        }
        // A file that is included again keeps its number, so that self-inclusion stores one text.
        let known = self.included.get(&name).copied();
        let known = known.filter(|&id| self.sources.file(id).is_some_and(|file| file.text == text));
        let id = known.unwrap_or_else(|| self.sources.add(name.clone(), text));
        self.included.insert(name, id);
        self.open(id);
    }
}

/// The rest of the line as text, for messages.
fn file_line(preprocessor: &mut Preprocessor<'_, '_>) -> String {
    let Some(file) = preprocessor.files.last_mut() else { return String::new() };
    let text = file.lexer.rest_of_line().trim().chars().take(200).collect();
    file.lexer.skip_line();
    text
}

impl Preprocessor<'_, '_> {
    /// Whether an `#if` line holds.
    fn condition(&mut self, span: Span, line: Vec<Placed>) -> bool {
        let mut tested = Vec::with_capacity(line.len());
        let mut line = line.into_iter().peekable();
        while let Some(placed) = line.next() {
            if placed.word().is_none_or(|word| &**word != "defined") {
                tested.push(placed);
                continue;
            }
            let parenthesized = line.next_if(|next| next.is(Punct::LParen)).is_some();
            let name = line.next().and_then(|next| next.word().cloned());
            let closed = !parenthesized || line.next_if(|next| next.is(Punct::RParen)).is_some();
            let (Some(name), true) = (name, closed) else {
                self.error(placed.span, "P0015", "expected `defined(NAME)`");
                return false;
            };
            let digit = self.names.intern(if self.macros.0.contains_key(&name) { "1" } else { "0" });
            tested.push(Placed { lexeme: Lexeme::Number(digit), ..placed });
        }
        let tested = self.expand_list(tested, span);
        match super::condition::evaluate(&tested) {
            Ok(value) => value != 0,
            Err((at, why)) => {
                self.error(at.unwrap_or(span), "P0015", format!("this condition cannot be computed: {why}"));
                false
            }
        }
    }
}
