//! The macros that are always there, and `#line`, which changes what they say.

use lariat_base::Span;

use super::Preprocessor;
use crate::lex::Lexeme;
use crate::token::Name;

/// The macros that are always there.
const BUILTIN: &[&str] = &["__FILE__", "__LINE__", "__COUNTER__", "__INCLUDE_LEVEL__"];

impl Preprocessor<'_, '_> {
    /// `#line 7 "FILE"`: what `__LINE__` and `__FILE__` say from the next line on. Messages go on to speak of the text.
    pub(super) fn line(&mut self, span: Span) {
        let line = self.rest_of_directive();
        let line = self.expand_list(line, span);
        let number = match line.first().map(|placed| &placed.lexeme) {
            Some(Lexeme::Number(digits)) => digits.parse::<u32>().ok(),
            _ => None,
        };
        let Some(number) = number else {
            return self.error(span, "P0010", "`#line` needs the number of a line");
        };
        let name = match line.get(1).map(|placed| &placed.lexeme) {
            Some(Lexeme::Str(name)) => Some(name.clone()),
            _ => None,
        };
        let Some(file) = self.files.last_mut() else { return };
        let next = i64::from(self.sources.line(file.lexer.end_of_line())) + 1;
        file.line_shift = i64::from(number) - next;
        file.shown_name = name.or(file.shown_name.take());
    }

    /// Whether a word is a macro, of the text or of the language.
    pub(super) fn is_macro(&self, word: &str) -> bool {
        self.macros.0.contains_key(word) || BUILTIN.contains(&word)
    }

    /// What a macro of the language stands for at `place`.
    pub(super) fn builtin(&mut self, word: Name, place: Span) -> Option<Lexeme> {
        if !word.starts_with("__") || !BUILTIN.contains(&&*word) {
            return None;
        }
        let place = self.outermost_use.filter(|_| self.is_within_body()).unwrap_or(place);
        let file = self.files.last();
        let text = match &*word {
            "__FILE__" => {
                let shown = file.and_then(|file| file.shown_name.clone()).unwrap_or_else(|| {
                    let name = self.sources.file(place.file).map_or("", |file| file.name.as_str());
                    self.names.intern(&name.replace('\\', "\\\\").replace('"', "\\\""))
                });
                return Some(Lexeme::Str(shown));
            }
            "__LINE__" => (i64::from(self.sources.line(place)) + file.map_or(0, |file| file.line_shift)).to_string(),
            "__COUNTER__" => {
                self.counter += 1;
                (self.counter - 1).to_string()
            }
            _ => self.files.len().saturating_sub(1).to_string(),
        };
        Some(Lexeme::Number(self.names.intern(&text)))
    }
}
