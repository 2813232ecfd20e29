//! Macros: definition and expansion.

use std::sync::Arc;

use lariat_base::{Diagnostic, Span};

use super::{MAX_EXPANSION, Preprocessor};
use crate::lex::{Lexeme, Placed};
use crate::token::{Name, Punct};

/// Uses of macros in arguments of macros in arguments …
const MAX_ARGUMENT_DEPTH: usize = 64;

/// The name of what is given beyond the named parameters.
const VARIADIC: &str = "__VA_ARGS__";

/// A macro as defined.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Span,
    /// Absent if the name alone is replaced.
    pub(super) parameters: Option<Vec<Name>>,
    /// Whether the last parameter takes all further arguments, with the commas between them.
    pub(super) variadic: bool,
    /// No `##` stands at an end, and in a macro with parameters a parameter follows every `#`.
    pub(super) body: Vec<Placed>,
}

impl Macro {
    /// Whether both replace the same by the same.
    fn same(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.iter().map(|placed| &placed.lexeme).eq(other.body.iter().map(|placed| &placed.lexeme))
    }

    /// The number of the parameter that a lexeme of the body is.
    pub(super) fn parameter(&self, placed: &Placed) -> Option<usize> {
        let word = placed.word()?;
        self.parameters.as_ref()?.iter().position(|parameter| parameter == word)
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
        self.record_definition(directive, &line);
        let mut line = line.into_iter().peekable();
        let Some(name) = line.next() else {
            return self.error(directive, "P0010", "`#define` needs a name");
        };
        let Some(word) = name.word().cloned() else {
            return self.error(name.span, "P0010", "only a name can be defined");
        };
        if matches!(&*word, "defined" | VARIADIC) {
            return self.error(name.span, "P0010", format!("`{word}` cannot be a macro"));
        }
        let (mut parameters, mut variadic) = (None, false);
        if line.peek().is_some_and(|next| next.is(Punct::LParen) && !next.space_before) {
            line.next();
            match self.parameters(&name, &word, &mut line) {
                Some((list, takes_more)) => (parameters, variadic) = (Some(list), takes_more),
                None => return,
            }
        }
        let new = Macro { name: name.span, parameters, variadic, body: line.collect() };
        if let Some((span, message)) = wrong_operator(&new) {
            return self.error(span, "P0014", message);
        }
        let given = self.macros.0.get(&word).filter(|old| self.is_option(old.name) && !self.is_option(new.name));
        if let Some(given) = given
            && new.parameters.is_none()
        {
            if !given.same(&new) {
                let message = format!("this definition of `{word}` is not used: `-D {word}=...` wins");
                self.report.push(
                    Diagnostic::warning(name.span, "P0018", message).note(given.name, "given on the command line"),
                );
            }
            return;
        }
        if let Some(old) = self.macros.0.get(&word)
            && !old.same(&new)
        {
            let warning = Diagnostic::warning(name.span, "P0016", format!("macro `{word}` is redefined"));
            let help = match self.is_option(new.name) {
                true => format!("give `-D {word}=...` once"),
                false => format!("`#undef {word}` first"),
            };
            self.report.push(warning.note(old.name, "the definition before").help(help));
        }
        self.macros.0.insert(word, Arc::new(new));
    }

    /// `#undef`
    pub(super) fn undefine(&mut self, place: Span, word: &Name) {
        if let Some(old) = self.macros.0.remove(word)
            && self.is_option(old.name)
            && !self.is_option(place)
        {
            let message = format!("`#undef` removes what `-D {word}=...` defines");
            self.report.push(Diagnostic::warning(place, "P0018", message).note(old.name, "given on the command line"));
        }
    }

    /// Whether the place is in the text of the options.
    fn is_option(&self, place: Span) -> bool {
        self.options_file == Some(place.file)
    }

    /// The parameters behind the opening parenthesis, and whether the last one takes all further arguments. None if there
    /// was something to complain about.
    fn parameters(
        &mut self,
        name: &Placed,
        word: &Name,
        line: &mut std::iter::Peekable<std::vec::IntoIter<Placed>>,
    ) -> Option<(Vec<Name>, bool)> {
        let mut list: Vec<Name> = Vec::new();
        loop {
            let next = line.next();
            let span = next.as_ref().map_or(name.span, |next| next.span);
            let variadic = match next.as_ref().map(|next| &next.lexeme) {
                Some(Lexeme::Punct(Punct::RParen)) if list.is_empty() => return Some((list, false)),
                Some(Lexeme::Word(parameter)) if list.contains(parameter) => {
                    self.error(span, "P0010", format!("macro `{word}` has two parameters `{parameter}`"));
                    return None;
                }
                Some(Lexeme::Word(parameter)) => {
                    list.push(parameter.clone());
                    // `rest...` is gcc's way to give the further arguments a name.
                    line.next_if(|next| next.is(Punct::DotDot)).is_some()
                }
                Some(Lexeme::Punct(Punct::DotDot)) => {
                    list.push(self.names.intern(VARIADIC));
                    true
                }
                _ => {
                    self.error(span, "P0010", format!("expected a parameter of macro `{word}`"));
                    return None;
                }
            };
            let complete = !variadic || line.next_if(|next| next.is(Punct::Dot)).is_some();
            match line.next() {
                Some(next) if next.is(Punct::Comma) && !variadic => {}
                Some(next) if next.is(Punct::RParen) && complete => return Some((list, variadic)),
                next => {
                    let span = next.map_or(name.span, |next| next.span);
                    let wanted = if variadic { "`)` after `...` of" } else { "`,` or `)` after a parameter of" };
                    self.error(span, "P0010", format!("expected {wanted} macro `{word}`"));
                    return None;
                }
            }
        }
    }

    /// The next lexeme that is not to be expanded any further.
    pub(super) fn next_expanded(&mut self) -> Option<Placed> {
        // A macro that expands to nothing passes on that a line began with it, or that space stood before it.
        let (mut newline, mut space) = (false, false);
        loop {
            let mut placed = self.next_unexpanded()?;
            placed.newline_before |= newline;
            placed.space_before |= space;
            let Some(name) = placed.word().filter(|_| !placed.painted) else { return Some(placed) };
            let Some(definition) = self.macros.0.get(name).cloned() else {
                return Some(match self.builtin(name.clone(), placed.span) {
                    Some(lexeme) => Placed { lexeme, ..placed },
                    None => placed,
                });
            };
            let name = name.clone();
            if self.busy.contains(&name) {
                placed.painted = true;
                return Some(placed);
            }
            self.record_use(&name, &placed);
            if !self.is_within_use() {
                self.outermost_use = Some(placed.span);
            }
            let mut place = placed.span;
            let mut arguments = Vec::new();
            if definition.parameters.is_some() {
                match self.next_unexpanded() {
                    Some(next) if next.is(Punct::LParen) => {}
                    Some(next) => {
                        self.push_frame(vec![next], None);
                        return Some(placed);
                    }
                    None => return Some(placed),
                }
                let end;
                (arguments, end) = self.arguments(&name, &definition, placed.span)?;
                if !self.arguments_fit(&mut arguments, &name, &definition, placed.span) {
                    continue;
                }
                place = place.to(end);
            }
            let mut body = self.substitute(&definition, &arguments, place)?;
            for (index, lexeme) in body.iter_mut().enumerate() {
                lexeme.newline_before = index == 0 && placed.newline_before;
            }
            if let Some(first) = body.first_mut() {
                first.space_before = placed.space_before;
            }
            newline = placed.newline_before && body.is_empty();
            space = placed.space_before && body.is_empty();
            self.busy.insert(name.clone());
            self.push_frame(body, Some(name));
        }
    }

    /// Whether what was read last belongs to the use of a macro. What was read ahead does not.
    fn is_within_use(&self) -> bool {
        self.frames.iter().any(|frame| frame.of.is_some() || frame.closed)
    }

    /// Whether what was read last comes from the body of a macro, arguments put in.
    pub(super) fn is_within_body(&self) -> bool {
        self.frames.iter().rfind(|frame| frame.of.is_some() || frame.closed).is_some_and(|frame| !frame.closed)
    }

    fn push_frame(&mut self, lexemes: Vec<Placed>, of: Option<Name>) {
        self.frames.push(Frame { lexemes: lexemes.into_iter(), of, closed: false });
    }

    pub(super) fn next_unexpanded(&mut self) -> Option<Placed> {
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
    fn arguments(&mut self, name: &Name, definition: &Macro, place: Span) -> Option<(Vec<Vec<Placed>>, Span)> {
        let wanted = definition.parameters.as_ref().map_or(0, Vec::len);
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
                Lexeme::Punct(Punct::Comma) if depth == 0 && !(definition.variadic && list.len() == wanted) => {
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

    /// Whether the macro takes as many arguments; otherwise there is a complaint. None at all may be one that is empty, and
    /// nothing need be given for `...`.
    fn arguments_fit(&mut self, list: &mut Vec<Vec<Placed>>, name: &Name, definition: &Macro, place: Span) -> bool {
        let wanted = definition.parameters.as_ref().map_or(0, Vec::len);
        if wanted == 0 && list.len() == 1 && list[0].is_empty() {
            list.clear();
        }
        if list.len() == wanted || definition.variadic && list.len() + 1 == wanted {
            return true;
        }
        let at_least = if definition.variadic { "at least " } else { "" };
        let wanted = wanted - usize::from(definition.variadic);
        let message = format!("macro `{name}` takes {at_least}{wanted} argument(s), here are {}", list.len());
        let diagnostic = Diagnostic::error(place, "P0013", message);
        self.report.push(diagnostic.note(definition.name, "the macro is defined here"));
        false
    }

    /// The lexemes with all macros in them expanded, without looking at what follows them.
    pub(super) fn expand_list(&mut self, lexemes: Vec<Placed>, place: Span) -> Vec<Placed> {
        let may_change = |placed: &Placed| placed.word().is_some_and(|word| self.is_macro(word));
        if !lexemes.iter().any(may_change) {
            return lexemes;
        }
        self.within(lexemes, place, |preprocessor| {
            let mut expanded = Vec::new();
            while let Some(next) = preprocessor.next_expanded() {
                expanded.push(next);
            }
            expanded
        })
        .unwrap_or_default()
    }

    /// What `read` makes of the lexemes: it comes to an end behind them. None if they are too deep in others.
    pub(super) fn within<T>(
        &mut self,
        lexemes: Vec<Placed>,
        place: Span,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        if self.argument_depth == MAX_ARGUMENT_DEPTH {
            let message = format!("macro arguments are nested more than {MAX_ARGUMENT_DEPTH} deep");
            self.give_up(place, message);
            return None;
        }
        self.argument_depth += 1;
        self.frames.push(Frame { lexemes: lexemes.into_iter(), of: None, closed: true });
        let height = self.frames.len();
        let result = read(self);
        // After giving up, frames of half-read macros may still lie above.
        self.frames.truncate(height - 1);
        self.argument_depth -= 1;
        Some(result)
    }

    /// Takes from the budget; None when it is at its end.
    pub(super) fn spend(&mut self, lexemes: usize, place: Span) -> Option<()> {
        self.expansion = self.expansion.saturating_add(lexemes);
        if self.expansion > MAX_EXPANSION {
            self.give_up(place, format!("macro expansion takes more than {MAX_EXPANSION} steps here"));
            return None;
        }
        Some(())
    }
}

/// What is wrong with the `#` and `##` of a macro, and where.
fn wrong_operator(new: &Macro) -> Option<(Span, &'static str)> {
    let last = new.body.len().saturating_sub(1);
    new.body.iter().enumerate().find_map(|(at, placed)| match placed.lexeme {
        Lexeme::Punct(Punct::HashHash) if at == 0 || at == last => {
            Some((placed.span, "`##` joins what stands before and behind it; one of these is missing"))
        }
        Lexeme::Punct(Punct::Hash)
            if new.parameters.is_some() && new.body.get(at + 1).is_none_or(|next| new.parameter(next).is_none()) =>
        {
            Some((placed.span, "`#` makes a string of a parameter of the macro, and none follows"))
        }
        _ => None,
    })
}
