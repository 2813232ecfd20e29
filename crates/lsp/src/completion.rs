//! What can be written at a position: names that are visible there, and words of the language.

use crate::reading::{MAIN, Reading};
use lariat::front::EditedTexts;
use lariat_base::{Definition, NameIndex, NameKind};
use lsp_types::{CompletionItem, CompletionItemKind, Position};
use std::collections::HashSet;

pub(crate) fn completions(reading: &Reading, at: Position, texts: Option<&dyn EditedTexts>) -> Vec<CompletionItem> {
    let byte = reading.byte(at);
    let Some(text) = reading.text(MAIN) else { return Vec::new() };
    let before = text.text[..byte].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let wanted: fn(&Definition) -> bool = match before.chars().next_back() {
        Some('.') => |definition| definition.kind == NameKind::Field || definition.parent.is_some(),
        Some('@') => |definition| definition.kind == NameKind::Label,
        _ => |definition| !matches!(definition.kind, NameKind::Field | NameKind::Property),
    };
    let is_path = matches!(before.chars().next_back(), Some('.' | '@'));
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    if let Some(names) = reading.names() {
        for (_, definition) in names.definitions() {
            if wanted(definition)
                && (is_path || is_visible(names, definition, byte))
                && seen.insert(definition.name.clone())
            {
                items.push(CompletionItem {
                    label: definition.name.clone(),
                    kind: Some(kind_of(definition.kind)),
                    detail: Some(definition.declaration.clone()),
                    ..CompletionItem::default()
                });
            }
        }
    }
    let words = texts.filter(|_| !is_path).map(EditedTexts::keywords).unwrap_or_default();
    items.extend(words.into_iter().map(|word| CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        ..CompletionItem::default()
    }));
    items
}

/// Whether what is defined inside of something is used inside of that.
fn is_visible(names: &NameIndex, definition: &Definition, byte: usize) -> bool {
    let Some(parent) = definition.parent.filter(|_| definition.kind != NameKind::Constant) else { return true };
    let whole = names.definitions().find(|(_, other)| other.place == parent).map(|(_, other)| other.whole);
    whole.is_none_or(|whole| whole.file == MAIN && (whole.start as usize) <= byte && byte <= whole.end as usize + 1)
}

fn kind_of(kind: NameKind) -> CompletionItemKind {
    match kind {
        NameKind::Variable | NameKind::Parameter => CompletionItemKind::VARIABLE,
        NameKind::Constant => CompletionItemKind::ENUM_MEMBER,
        NameKind::Type => CompletionItemKind::STRUCT,
        NameKind::Field => CompletionItemKind::FIELD,
        NameKind::Process => CompletionItemKind::CLASS,
        NameKind::Module => CompletionItemKind::MODULE,
        NameKind::Routine => CompletionItemKind::FUNCTION,
        NameKind::Macro => CompletionItemKind::CONSTANT,
        NameKind::Label | NameKind::Property => CompletionItemKind::REFERENCE,
    }
}
