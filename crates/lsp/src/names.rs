//! Where names are defined and used, what they mean, and other names for them.

use crate::reading::{MAIN, Reading};
use lariat::front::EditedTexts;
use lariat_base::{DefinitionId, FileId, NameIndex, Span};
use lsp_types::{
    Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, PrepareRenameResponse, TextEdit, Uri,
    WorkspaceEdit,
};
use std::collections::{HashMap, HashSet};

/// The definitions of the name at a position.
pub(crate) fn definitions(reading: &Reading, at: Position) -> Vec<Location> {
    let Some(names) = reading.names() else { return Vec::new() };
    let (ids, _) = names.at(MAIN, reading.byte(at));
    ids.into_iter().filter_map(|id| reading.location(names.definition(id).place)).collect()
}

/// The uses of the name at a position, and its definitions if they are wanted.
pub(crate) fn references(reading: &Reading, at: Position, with_definition: bool) -> Vec<Location> {
    let Some(names) = reading.names() else { return Vec::new() };
    let (ids, _) = names.at(MAIN, reading.byte(at));
    let definition = |id: DefinitionId| with_definition.then(|| names.definition(id).place);
    let spans = ids.into_iter().flat_map(|id| definition(id).into_iter().chain(names.uses(id)));
    let mut seen = HashSet::new();
    spans.filter(|span| seen.insert(*span)).filter_map(|span| reading.location(span)).collect()
}

/// What is known about the name at a position.
pub(crate) fn hover(reading: &Reading, at: Position, language: &str) -> Option<Hover> {
    let names = reading.names()?;
    let (ids, place) = names.at(MAIN, reading.byte(at));
    let described: Vec<String> = ids.into_iter().map(|id| description(names, id, language)).collect();
    if described.is_empty() {
        return None;
    }
    let value = described.join("\n\n---\n\n");
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: reading.range(place) })
}

fn description(names: &NameIndex, id: DefinitionId, language: &str) -> String {
    let definition = names.definition(id);
    let parent = definition.parent.and_then(|place| names.definitions().find(|(_, other)| other.place == place));
    let mut text = format!("```{language}\n{}\n```", definition.declaration);
    for remark in &definition.remarks {
        text.push_str(&format!("\n\n{remark}"));
    }
    if let Some((_, parent)) = parent {
        text.push_str(&format!("\n\nin `{}`", parent.name));
    }
    text
}

/// The name at a position, if it can be changed; or why not.
pub(crate) fn prepare_rename(
    reading: &Reading,
    at: Position,
    texts: Option<&dyn EditedTexts>,
) -> Result<Option<PrepareRenameResponse>, String> {
    let Some(names) = reading.names() else { return Ok(None) };
    let (ids, place) = names.at(MAIN, reading.byte(at));
    if ids.is_empty() {
        return Ok(None);
    }
    let (_, name) = places_to_change(reading, at, texts)?;
    let Some(range) = reading.range(place) else { return Ok(None) };
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: name }))
}

/// The changes that give the name at a position another spelling; or why that cannot be done.
pub(crate) fn rename(
    reading: &Reading,
    at: Position,
    new: &str,
    texts: Option<&dyn EditedTexts>,
) -> Result<WorkspaceEdit, String> {
    let (places, name) = places_to_change(reading, at, texts)?;
    let texts = texts.ok_or("names of this language cannot be changed")?;
    let words = texts.words(FileId(0), new);
    if words != [Span::new(FileId(0), 0, new.len())] {
        return Err(format!("`{new}` is not a name"));
    }
    // A name that stands somewhere already could come to mean something else.
    for (file, text, path) in reading.files() {
        let taken = texts.words(file, &text.text).into_iter().find(|&word| reading.sources().text(word) == new);
        if let Some(taken) = taken.filter(|_| new != name) {
            let line = reading.sources().line(taken);
            return Err(format!("`{new}` is used already, in line {line} of {}", file_name(path)));
        }
    }
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for place in places {
        let location = reading.location(place).ok_or("the name is used in a text that is not a file")?;
        changes.entry(location.uri).or_default().push(TextEdit::new(location.range, new.to_owned()));
    }
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// All places where the name at a position is spelled, and the name. Every word that is spelled like it must be known to mean
/// the same or something else; a word that nothing reads, as in text that is skipped or in a macro that is not used, is a
/// reason to refuse.
fn places_to_change(
    reading: &Reading,
    at: Position,
    texts: Option<&dyn EditedTexts>,
) -> Result<(Vec<Span>, String), String> {
    let texts = texts.ok_or("names of this language cannot be changed")?;
    let names = reading.names().ok_or("names of this language cannot be changed")?;
    if reading.is_broken() {
        return Err("the text has errors, so not all uses of the name are known: correct them first".to_owned());
    }
    let (ids, _) = names.at(MAIN, reading.byte(at));
    let [id] = ids[..] else {
        return Err(match ids.len() {
            0 => "there is no name here".to_owned(),
            _ => "this name means different things where the inline or macro around it is used".to_owned(),
        });
    };
    let name = names.definition(id).name.clone();
    let sources = reading.sources();
    let own: Vec<Span> = std::iter::once(names.definition(id).place).chain(names.uses(id)).collect();
    let meanings_by_place = names.meanings();
    let mut changed = HashSet::new();
    for (file, text, path) in reading.files() {
        for word in texts.words(file, &text.text) {
            if sources.text(word) != name {
                continue;
            }
            let meanings = meanings_by_place.get(&word).map_or(&[][..], Vec::as_slice);
            let where_it_is = || format!("line {} of {}", sources.line(word), file_name(path));
            match meanings {
                [only] if *only == id => {
                    changed.insert(word);
                }
                [] => {
                    return Err(format!(
                        "`{name}` also stands in {}, in text that is not read (an `#if`, or an unused macro, inline or \
                         module)",
                        where_it_is()
                    ));
                }
                _ if meanings.contains(&id) => {
                    return Err(format!(
                        "`{name}` in {} means different things where the inline or macro around it is used",
                        where_it_is()
                    ));
                }
                _ => {}
            }
        }
    }
    // A use that is not spelled as the name is made by a macro.
    if let Some(made) = own.iter().find(|place| !changed.contains(place)) {
        let line = sources.line(*made);
        return Err(format!("`{name}` is not spelled in the text where it is used, in line {line}: a macro makes it"));
    }
    let mut changed: Vec<Span> = changed.into_iter().collect();
    changed.sort_unstable_by_key(|place| (place.file, place.start));
    Ok((changed, name))
}
