//! Source texts and places in them.
//!
//! A [`Span`] is a range of bytes in one file of a [`SourceMap`]. A token that comes out of a macro's body has
//! the place where the macro is used; where it is spelled is kept beside it, for a note.

use crate::{Definition, IdVec, NameIndex, define_id};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

define_id! {
    /// One file of a [`SourceMap`].
    FileId
}

/// A range of bytes in a file. [`Span::NONE`] stands for "no place": things that no source text spells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// No place.
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// Bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end) }
    }
    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
    /// The smallest span over both, if they are in one file; else `self`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file {
            Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
        } else if self.is_none() {
            other
        } else {
            self
        }
    }
}

impl Default for Span {
    fn default() -> Self {
        Self::NONE
    }
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name to show to people.
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// A place as people count it, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// Texts that stand for files of these paths, whatever is saved there: those that are open in an editor. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct UnsavedTexts {
    texts: Arc<HashMap<PathBuf, Arc<str>>>,
}

impl UnsavedTexts {
    /// These texts; the paths are absolute.
    pub fn new(texts: impl IntoIterator<Item = (PathBuf, Arc<str>)>) -> Self {
        let texts = texts.into_iter().map(|(path, text)| (tidy(&path), text)).collect();
        Self { texts: Arc::new(texts) }
    }
    /// The text that stands for the file.
    pub fn get(&self, path: &Path) -> Option<&str> {
        if self.texts.is_empty() {
            return None;
        }
        let path = std::path::absolute(path).ok()?;
        self.texts.get(&tidy(&path)).map(|text| &**text)
    }
}

/// The path without `.`, and without `..` behind a folder.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(tidy.components().next_back(), Some(Component::Normal(_))) => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

/// All files that took part in reading one model.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    files: IdVec<FileId, SourceFile>,
    unsaved: UnsavedTexts,
    /// What names mean, if that is to be recorded; boxed, since a map is part of many results.
    names: Option<Box<NameIndex>>,
}

impl SourceMap {
    /// No files yet; where there are unsaved texts, those are read in place of files.
    pub fn reading(unsaved: UnsavedTexts) -> Self {
        Self { unsaved, ..Self::default() }
    }
    /// The texts to be read in place of files.
    pub fn unsaved(&self) -> &UnsavedTexts {
        &self.unsaved
    }
    /// Lets it be recorded what names mean.
    pub fn record_names(&mut self) {
        self.names.get_or_insert_default();
    }
    /// What names mean, if that is recorded.
    pub fn names(&self) -> Option<&NameIndex> {
        self.names.as_deref()
    }
    /// The same, taken out by who records names while it looks at texts; to be given back.
    pub fn take_names(&mut self) -> Option<NameIndex> {
        self.names.take().map(|names| *names)
    }
    /// Gives back what was taken.
    pub fn give_names(&mut self, names: Option<NameIndex>) {
        self.names = names.map(Box::new);
    }
    /// Records a definition, if names are recorded.
    pub fn define(&mut self, definition: impl FnOnce(&Self) -> Definition) {
        if let Some(mut names) = self.names.take() {
            names.define(definition(self));
            self.names = Some(names);
        }
    }
    /// Records a use, if names are recorded: see [`NameIndex::note_use`].
    pub fn note_use(&mut self, name: &str, place: Span, defined_at: Span) {
        if let Some(names) = &mut self.names {
            names.note_use(name, place, defined_at);
        }
    }
    /// Adds a file. Texts of 4 GiB and more are the caller's to refuse.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts })
    }
    /// The file, unless `id` comes from [`Span::NONE`].
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id)
    }
    /// The files in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.entries()
    }
    /// Where the span begins.
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.file(span.file)?;
        let line = file.line_starts.partition_point(|&start| start <= span.start) - 1;
        let start = file.line_starts[line] as usize;
        let before = file.text.get(start..(span.start as usize).min(file.text.len()))?;
        Some(Location { line: line as u32 + 1, column: before.chars().count() as u32 + 1 })
    }
    /// The line on which the span begins, counted from 1; 0 for a span of no file.
    pub fn line(&self, span: Span) -> u32 {
        self.location(span).map_or(0, |location| location.line)
    }
    /// The text of the span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file)
            .and_then(|file| file.text.get(span.start as usize..(span.end as usize).min(file.text.len())))
            .unwrap_or("")
    }
    /// A number that other texts have hardly ever: the FNV-1a hash of all texts, each with its length before it. The names
    /// do not matter, but what has a name in `<>` was given by an option, and is no text of the model.
    pub fn fingerprint(&self) -> u64 {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let bytes = self.files.iter().filter(|file| !file.name.starts_with('<')).flat_map(|file| {
            let length = (file.text.len() as u64).to_le_bytes();
            length.into_iter().chain(file.text.bytes())
        });
        bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }
    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }
    /// Whether no file was added.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let mut map = SourceMap::default();
        let file = map.add("a", "xy\nü = 1\n");
        let at = |start| map.location(Span::new(file, start, start + 1)).unwrap();
        assert_eq!(at(0), Location { line: 1, column: 1 });
        assert_eq!(at(3), Location { line: 2, column: 1 });
        assert_eq!(at(6), Location { line: 2, column: 3 });
        assert_eq!(map.location(Span::NONE), None);
        assert_eq!(FileId(0), file);
    }

    #[test]
    fn an_unsaved_text_is_found_by_every_spelling_of_its_path() {
        let folder = std::path::absolute("models").unwrap();
        let unsaved = UnsavedTexts::new([(folder.join("a.pml"), "x".into())]);
        for spelling in ["models/a.pml", "models/./a.pml", "models/sub/../a.pml", "./models/a.pml"] {
            assert_eq!(unsaved.get(Path::new(spelling)), Some("x"), "{spelling}");
        }
        assert_eq!(unsaved.get(Path::new("a.pml")), None);
    }
}
