//! The body of a macro with arguments in it: parameters replaced, `#` and `##` done.
//!
//! A parameter beside `#` or `##` stands for its argument as it is written, any other for the argument with its macros
//! expanded. `##` joins the last lexeme before it and the first behind it; an empty argument joins to what is there.

use lariat_base::{Diagnostic, Span};

use super::Preprocessor;
use super::macros::Macro;
use crate::lex::{Lexeme, Lexer, Placed};
use crate::token::{Punct, TokenKind};

impl Preprocessor<'_, '_> {
    /// The body with arguments for parameters, for a use at `place`; of a variadic macro the last argument may be missing.
    /// None if that is too much.
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &[Vec<Placed>],
        place: Span,
    ) -> Option<Vec<Placed>> {
        let body = &definition.body;
        let (wanted, given) = (definition.parameters.as_ref().map_or(0, Vec::len), arguments.len());
        let omitted = definition.variadic && (given < wanted || given == 1 && arguments[0].is_empty());
        let argument = |number: usize| arguments.get(number).map_or(&[][..], Vec::as_slice);
        let joined = |at: usize| body.get(at).is_some_and(|placed| placed.is(Punct::HashHash));
        let text_of = |at: usize| definition.parameters.is_some() && at > 0 && body[at - 1].is(Punct::Hash);
        let as_written = |at: usize| joined(at + 1) || at > 0 && joined(at - 1) || text_of(at);
        let mut expanded: Vec<Option<Vec<Placed>>> = vec![None; wanted];
        let mut length = 0_usize;
        for (at, placed) in body.iter().enumerate() {
            let Some(number) = definition.parameter(placed) else {
                length += 1;
                continue;
            };
            if !as_written(at) && expanded[number].is_none() {
                expanded[number] = Some(self.expand_list(argument(number).to_vec(), place));
            }
            let shown = expanded[number].as_ref().filter(|_| !as_written(at));
            length = length.saturating_add(shown.map_or(argument(number).len(), Vec::len));
        }
        self.spend(length, place)?;
        let mut result: Vec<Placed> = Vec::with_capacity(length);
        // Whether what stands before a `##` is an empty argument.
        let mut nothing_before = false;
        // Whether space stands before an empty argument: it counts for what comes behind.
        let mut space = false;
        for (at, placed) in body.iter().enumerate() {
            if placed.is(Punct::HashHash) || definition.parameters.is_some() && placed.is(Punct::Hash) {
                continue;
            }
            let mut piece = match definition.parameter(placed) {
                Some(number) if text_of(at) => vec![self.stringized(argument(number), &body[at - 1], place)?],
                Some(number) => {
                    let mut lexemes = match &expanded[number] {
                        Some(expanded) if !as_written(at) => expanded.clone(),
                        _ => argument(number).to_vec(),
                    };
                    if let Some(first) = lexemes.first_mut() {
                        first.space_before = placed.space_before;
                    }
                    lexemes
                }
                None => vec![Placed { span: place, expanded_from: Some(placed.span), ..placed.clone() }],
            };
            match piece.first_mut() {
                Some(first) => first.space_before |= std::mem::take(&mut space),
                None => space |= placed.space_before,
            }
            let operator = if text_of(at) { at - 1 } else { at };
            if operator == 0 || !joined(operator - 1) {
                nothing_before = piece.is_empty();
                result.append(&mut piece);
                continue;
            }
            let further = definition.variadic && definition.parameter(placed) == wanted.checked_sub(1);
            if further && result.last().is_some_and(|last| last.is(Punct::Comma)) {
                // gcc's `, ## __VA_ARGS__`: without further arguments there is no comma either.
                if omitted {
                    result.pop();
                }
            } else if !nothing_before && !piece.is_empty() {
                let left = result.pop().expect("what stands before is not empty");
                let right = piece.remove(0);
                result.extend(self.pasted(left, right, definition, place)?);
            }
            nothing_before &= piece.is_empty();
            result.append(&mut piece);
        }
        Some(result)
    }

    /// `#argument`: a string with the text of the argument, any space within as one space. None if that is too much.
    fn stringized(&mut self, argument: &[Placed], hash: &Placed, place: Span) -> Option<Placed> {
        let mut text = String::new();
        for (index, placed) in argument.iter().enumerate() {
            if index > 0 && (placed.space_before || placed.newline_before) {
                text.push(' ');
            }
            let spelled = self.spelling(placed);
            // Strings of strings grow fast.
            self.spend(spelled.len(), place)?;
            if matches!(placed.lexeme, Lexeme::Str(_) | Lexeme::Char(_)) {
                text.push_str(&spelled.replace('\\', "\\\\").replace('"', "\\\""));
            } else {
                text.push_str(&spelled);
            }
        }
        // As in gcc: a backslash at the end would hide the closing quote.
        if text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1 {
            text.pop();
        }
        let lexeme = Lexeme::Str(self.names.intern(&text));
        Some(Placed { lexeme, span: place, expanded_from: Some(hash.span), ..hash.clone() })
    }

    /// `left ## right`: one lexeme, or both and a complaint that they are none. None if that is too much.
    fn pasted(&mut self, left: Placed, right: Placed, definition: &Macro, place: Span) -> Option<Vec<Placed>> {
        let text = self.spelling(&left) + &self.spelling(&right);
        self.spend(text.len(), place)?;
        let mut lexer = Lexer::new(place.file, &text);
        let whole = lexer.next(&mut self.names);
        let single = !matches!(whole.lexeme, Lexeme::LexError(_) | Lexeme::End) && lexer.is_at_end();
        if !single {
            let shown: String = text.chars().take(60).collect();
            let message = format!("`##` makes `{shown}`, which is not one token");
            let error = Diagnostic::error(place, "P0014", message);
            self.report.push(error.note(definition.name, "the macro is defined here"));
            return Some(vec![left, right]);
        }
        let expanded_from = left.expanded_from.or(Some(left.span));
        Some(vec![Placed { lexeme: whole.lexeme, span: place, expanded_from, painted: false, ..left }])
    }

    /// The text of a lexeme, as it is written if it is written anywhere.
    pub(super) fn spelling(&mut self, placed: &Placed) -> String {
        let plain = match &placed.lexeme {
            Lexeme::Word(text) | Lexeme::Number(text) => return text.to_string(),
            Lexeme::Str(text) => return format!("\"{text}\""),
            Lexeme::Char(byte) => TokenKind::Char(*byte).to_string(),
            Lexeme::Punct(punct) => punct.text().to_owned(),
            Lexeme::LexError(_) | Lexeme::End => String::new(),
        };
        // Some have several spellings. What was made by `##` stands nowhere.
        let span = placed.expanded_from.unwrap_or(placed.span);
        let written = self.sources.text(span).to_owned();
        let mut lexer = Lexer::new(span.file, &written);
        let found = lexer.next(&mut self.names).lexeme;
        if found == placed.lexeme && lexer.is_at_end() { lexer.text().to_owned() } else { plain }
    }
}
