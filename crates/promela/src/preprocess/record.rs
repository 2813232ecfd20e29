//! Macros in the index of names: see [`NameIndex`](lariat_base::NameIndex).

use super::Preprocessor;
use crate::lex::Placed;
use crate::token::{Name, Punct};
use lariat_base::{Definition, NameKind, Span};

impl Preprocessor<'_, '_> {
    /// Records the macro that a `#define` defines by the rest of its line, and its parameters.
    pub(super) fn record_definition(&mut self, directive: Span, line: &[Placed]) {
        if self.sources.names().is_none() {
            return;
        }
        let Some((first, word)) = line.first().and_then(|first| Some((first, first.word()?))) else { return };
        let whole = line.last().map_or(directive, |last| directive.to(last.span));
        let definition = |name: &Name, kind, place, parent, declaration| Definition {
            name: name.to_string(),
            kind,
            place,
            whole: if parent == Some(first.span) { place } else { whole },
            parent,
            declaration,
            remarks: Vec::new(),
        };
        self.sources.define(|sources| {
            definition(word, NameKind::Macro, first.span, None, sources.text(whole).trim().to_owned())
        });
        let has_parameters = line.get(1).is_some_and(|next| next.is(Punct::LParen) && !next.space_before);
        let end = line.iter().position(|placed| placed.is(Punct::RParen)).filter(|_| has_parameters);
        let Some(end) = end else { return };
        for parameter in &line[2..end] {
            let Some(name) = parameter.word() else { continue };
            let declaration = format!("{name}: a parameter of the macro {word}");
            let (kind, place) = (NameKind::Parameter, parameter.span);
            self.sources.define(|_| definition(name, kind, place, Some(first.span), declaration));
            for used in line[end..].iter().filter(|placed| placed.word() == Some(name)) {
                self.sources.note_use(name, used.span, place);
            }
        }
    }

    /// Records that a macro is used, where that is spelled.
    pub(super) fn record_use(&mut self, name: &Name, placed: &Placed) {
        if let Some(definition) = self.macros.0.get(name) {
            self.sources.note_use(name, placed.expanded_from.unwrap_or(placed.span), definition.name);
        }
    }
}
