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
        // It may stand among the arguments of a macro, which have nothing to do with it.
        let outer_use = self.outermost_use.take();
        self.do_directive(hash);
        self.outermost_use = outer_use;
    }

    fn do_directive(&mut self, hash: Span) {
        let Some(file) = self.files.last_mut() else { return };
        let active = file.conditionals.last().is_none_or(|conditional| conditional.active);
        let before = file.lexer.clone();
        let word = file.lexer.next(&mut self.names);
        if word.first_of_line || word.lexeme == Lexeme::End {
            file.lexer = before; // a lone `#` does nothing
            return;
        }
        let span = hash.to(word.span);
        let Some(name) = word.word().cloned() else {
            match word.lexeme {
                _ if !active => file.lexer.skip_rest_of_line(),
                // A line marker of another preprocessor.
                Lexeme::Number(_) => {
                    file.lexer = before;
                    self.line(span);
                }
                _ => {
                    self.rest_of_directive();
                    self.error(span, "P0010", "expected a directive after `#`");
                }
            }
            return;
        };
        match &*name {
            "if" | "ifdef" | "ifndef" => {
                let holds = if active {
                    let line = self.rest_of_directive();
                    match &*name {
                        "if" => self.condition(span, line),
                        test => self.is_defined(span, &line) == (test == "ifdef"),
                    }
                } else {
                    self.skip_rest_of_line();
                    false
                };
                if let Some(file) = self.files.last_mut() {
                    let settled = !active || holds;
                    file.conditionals.push(Conditional { span, active: holds, settled, seen_else: false });
                }
            }
            "elif" => {
                let mut late = None;
                let wanted = self.conditional(span, "#elif").is_some_and(|open| {
                    late = open.seen_else.then_some(open.span);
                    !open.settled && !open.seen_else
                });
                if let Some(opened) = late {
                    let diagnostic = Diagnostic::error(span, "P0012", "`#elif` behind `#else`");
                    self.report.push(diagnostic.note(opened, "of this conditional"));
                }
                // What was settled before is not looked at, as in C: it need not make sense.
                let holds = if wanted {
                    let line = self.rest_of_directive();
                    self.condition(span, line)
                } else {
                    self.skip_rest_of_line();
                    false
                };
                if let Some(open) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
                    open.active = holds;
                    open.settled |= holds;
                }
            }
            "else" => {
                self.skip_rest_of_line();
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
                self.skip_rest_of_line();
                if self.conditional(span, "#endif").is_some()
                    && let Some(file) = self.files.last_mut()
                {
                    file.conditionals.pop();
                }
            }
            _ if !active => self.skip_rest_of_line(),
            "define" => {
                let line = self.rest_of_directive();
                self.define(span, line);
            }
            "undef" => {
                let line = self.rest_of_directive();
                match line.first().and_then(|first| Some((first.word()?, first))) {
                    Some((name, first)) => {
                        self.record_use(name, first);
                        self.undefine(span, name);
                    }
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
            "line" => self.line(span),
            "pragma" => {
                let line = self.rest_of_directive();
                let once = line.first().and_then(Placed::word).is_some_and(|word| &**word == "once");
                if let (true, Some(file)) = (once, self.files.last()) {
                    self.once.push(file.lexer.file());
                }
            }
            "ident" => self.skip_rest_of_line(),
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

    fn skip_rest_of_line(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.lexer.skip_rest_of_line();
        }
    }

    /// The lexemes up to the end of the line.
    pub(super) fn rest_of_directive(&mut self) -> Vec<Placed> {
        let mut line = Vec::new();
        let Some(file) = self.files.last_mut() else { return line };
        loop {
            let before = file.lexer.clone();
            let next = file.lexer.next(&mut self.names);
            if next.first_of_line || next.lexeme == Lexeme::End {
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
        match line.first().and_then(|first| Some((first.word()?, first))) {
            Some((name, first)) => {
                self.record_use(name, first);
                self.is_macro(name)
            }
            None => {
                self.error(span, "P0010", "expected the name of a macro");
                false
            }
        }
    }

    fn include(&mut self, span: Span) {
        let Some(includer) = self.files.last().map(|file| file.lexer.file()) else { return };
        let line = self.rest_of_directive();
        let Some(path) = self.path(&line, span) else {
            let help = "write `#include \"FILE\"`";
            let error = Diagnostic::error(span, "P0011", "`#include` needs a file name in quotes");
            return self.report.push(error.help(help));
        };
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
        // Other names may lead to the same file.
        if self.once.iter().any(|&id| self.sources.file(id).is_some_and(|file| file.text == text)) {
            return;
        }
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
    file.lexer.skip_rest_of_line();
    text
}

impl Preprocessor<'_, '_> {
    /// The file name that a line gives: `"FILE"` or `<FILE>`, or macros that make one of these.
    fn path(&mut self, line: &[Placed], span: Span) -> Option<String> {
        let of = |preprocessor: &mut Self, line: &[Placed]| {
            let first = line.first()?;
            match &first.lexeme {
                Lexeme::Str(path) => Some(path.to_string()),
                Lexeme::Punct(Punct::Lt) => {
                    let end = line.iter().position(|placed| placed.is(Punct::Gt))?;
                    let named = line[1..end].iter();
                    let text = named.fold(String::new(), |text, placed| {
                        let space = if placed.space_before && !text.is_empty() { " " } else { "" };
                        text + space + &preprocessor.spelling(placed)
                    });
                    Some(text)
                }
                _ => None,
            }
        };
        of(self, line).or_else(|| {
            let line = self.expand_list(line.to_vec(), span);
            of(self, &line)
        })
    }

    /// Whether an `#if` line holds.
    fn condition(&mut self, span: Span, line: Vec<Placed>) -> bool {
        let Some(tested) = self.within(line, span, Self::tested) else { return false };
        match tested.and_then(|tested| super::condition::evaluate(&tested)) {
            Ok(holds) => holds,
            Err((at, why)) => {
                self.error(at.unwrap_or(span), "P0015", format!("this condition cannot be computed: {why}"));
                false
            }
        }
    }

    /// The lexemes of an `#if` line with macros expanded and every `defined(NAME)` settled, also where it comes from a macro.
    fn tested(&mut self) -> Result<Vec<Placed>, super::condition::Failure> {
        let mut tested = Vec::new();
        while let Some(placed) = self.next_expanded() {
            if placed.word().is_none_or(|word| &**word != "defined") {
                tested.push(placed);
                continue;
            }
            let mut next = self.next_unexpanded();
            let parenthesized = next.as_ref().is_some_and(|next| next.is(Punct::LParen));
            if parenthesized {
                next = self.next_unexpanded();
            }
            let name = next.as_ref().and_then(|next| next.word().cloned());
            if let (Some(name), Some(next)) = (&name, &next) {
                self.record_use(name, next);
            }
            let closed = !parenthesized || self.next_unexpanded().is_some_and(|next| next.is(Punct::RParen));
            let (Some(name), true) = (name, closed) else {
                return Err((Some(placed.span), "`defined` needs the name of a macro, as in `defined(NAME)`"));
            };
            let digit = self.names.intern(if self.is_macro(&name) { "1" } else { "0" });
            tested.push(Placed { lexeme: Lexeme::Number(digit), ..placed });
        }
        Ok(tested)
    }
}
