//! What names in a text mean, for editors: definitions with a description, and the places that use them.
//!
//! A front end records this while it resolves names, and only if somebody asked for it: see
//! [`SourceMap::record_names`](crate::SourceMap::record_names). A text may be read several times, for each of its properties;
//! what is recorded twice counts once. A thing is known by the place of its definition and its name, as the body of a macro
//! can define several things at the place where the macro is used.

use crate::{FileId, IdVec, Span, define_id};
use std::collections::{HashMap, HashSet};

define_id! {
    /// A definition of a [`NameIndex`].
    DefinitionId
}

/// What is defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "they are called what they are")]
pub enum NameKind {
    Variable,
    Parameter,
    Constant,
    Type,
    Field,
    Process,
    Module,
    /// A name for an expression or for statements.
    Routine,
    Macro,
    Label,
    Property,
}

/// A thing that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: NameKind,
    /// Where the name stands.
    pub place: Span,
    /// The place of the definition as a whole; it contains `place`.
    pub whole: Span,
    /// Where the name of the definition stands that it is a part of.
    pub parent: Option<Span>,
    /// How it is declared, in the model's language.
    pub declaration: String,
    /// What else is known about it: its values, what it begins with.
    pub remarks: Vec<String>,
}

/// Definitions and uses of names.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    definitions: IdVec<DefinitionId, Definition>,
    known: HashMap<(Span, String), DefinitionId>,
    /// By definition the places of its uses, without the definition itself.
    uses: HashMap<DefinitionId, HashSet<Span>>,
}

impl NameIndex {
    /// Adds a definition, unless it is known.
    pub fn define(&mut self, definition: Definition) {
        let key = (definition.place, definition.name.clone());
        if !definition.place.is_none() && !self.known.contains_key(&key) {
            let id = self.definitions.push(definition);
            self.known.insert(key, id);
        }
    }
    /// Records that `name` at `place` means the thing that is defined at `defined_at`. Nothing happens if that is unknown.
    pub fn note_use(&mut self, name: &str, place: Span, defined_at: Span) {
        if place != defined_at
            && !place.is_none()
            && let Some(&id) = self.known.get(&(defined_at, name.to_owned()))
        {
            self.uses.entry(id).or_default().insert(place);
        }
    }
    /// All definitions, in the order in which they were found.
    pub fn definitions(&self) -> impl Iterator<Item = (DefinitionId, &Definition)> {
        self.definitions.entries()
    }
    /// A definition.
    pub fn definition(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id]
    }
    /// The places where a definition is used, in the order of the texts.
    pub fn uses(&self, id: DefinitionId) -> Vec<Span> {
        let mut uses: Vec<Span> = self.uses.get(&id).into_iter().flatten().copied().collect();
        uses.sort_unstable_by_key(|span| (span.file, span.start, span.end));
        uses
    }
    /// What the text at this byte of a file means, with the place of the name there: the shortest one. Several things if a
    /// macro or the body of an inline means different things.
    pub fn at(&self, file: FileId, byte: usize) -> (Vec<DefinitionId>, Span) {
        let covers = |span: &Span| span.file == file && span.start as usize <= byte && byte <= span.end as usize;
        let mut found: Vec<(DefinitionId, Span)> = Vec::new();
        for (id, definition) in self.definitions.entries() {
            if covers(&definition.place) {
                found.push((id, definition.place));
            }
            let uses = self.uses.get(&id).into_iter().flatten();
            found.extend(uses.filter(|span| covers(span)).map(|&span| (id, span)));
        }
        // Between two names that touch, the one that begins there counts.
        let rank = |span: &Span| (span.end as usize == byte, span.end - span.start);
        let Some(best) = found.iter().map(|(_, span)| *span).min_by_key(rank) else { return (Vec::new(), Span::NONE) };
        let mut ids: Vec<DefinitionId> = found.iter().filter(|(_, span)| *span == best).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        (ids, best)
    }
    /// By the place of a name all definitions that it means.
    pub fn meanings(&self) -> HashMap<Span, Vec<DefinitionId>> {
        let mut meanings: HashMap<Span, Vec<DefinitionId>> = HashMap::new();
        for (id, definition) in self.definitions.entries() {
            let uses = self.uses.get(&id).into_iter().flatten();
            uses.chain([&definition.place]).for_each(|place| meanings.entry(*place).or_default().push(id));
        }
        meanings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &str, place: Span) -> Definition {
        let (kind, declaration) = (NameKind::Variable, format!("byte {name}"));
        Definition { name: name.to_owned(), kind, place, whole: place, parent: None, declaration, remarks: Vec::new() }
    }

    #[test]
    fn a_place_means_what_was_recorded_and_twice_is_once() {
        let span = |start, end| Span::new(FileId(0), start, end);
        let mut index = NameIndex::default();
        for _ in 0..2 {
            index.define(definition("x", span(0, 1)));
            index.define(definition("y", span(4, 5)));
            index.note_use("x", span(8, 9), span(0, 1));
            index.note_use("y", span(9, 10), span(4, 5));
            index.note_use("z", span(12, 13), span(0, 1));
        }
        let names = |byte| -> Vec<String> {
            let (ids, _) = index.at(FileId(0), byte);
            ids.into_iter().map(|id| index.definition(id).name.clone()).collect()
        };
        assert_eq!(names(0), ["x"]);
        assert_eq!(names(1), ["x"]);
        assert_eq!(names(9), ["y"], "where two names touch, the one that begins counts");
        assert!(names(2).is_empty() && names(12).is_empty());
        let (ids, place) = index.at(FileId(0), 8);
        assert_eq!((index.uses(ids[0]), place), (vec![span(8, 9)], span(8, 9)));
        assert_eq!(index.definitions().count(), 2);
    }

    #[test]
    fn a_place_can_have_several_meanings() {
        let span = |start, end| Span::new(FileId(0), start, end);
        let mut index = NameIndex::default();
        index.define(definition("x", span(0, 1)));
        index.define(definition("x", span(10, 11)));
        index.note_use("x", span(20, 21), span(0, 1));
        index.note_use("x", span(20, 21), span(10, 11));
        assert_eq!(index.at(FileId(0), 20).0.len(), 2);
        assert_eq!(index.meanings()[&span(20, 21)].len(), 2);
        assert_eq!(index.meanings()[&span(0, 1)].len(), 1);
    }
}
