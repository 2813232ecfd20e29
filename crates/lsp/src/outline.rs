//! The outline of a text: what it defines, and what is defined inside of that.

use crate::reading::{MAIN, Reading};
use lariat_base::{Definition, NameKind, Span};
use lsp_types::{DocumentSymbol, SymbolKind};
use std::collections::{HashMap, HashSet};

/// An outline that nobody can look through is cut.
const MAX_SYMBOLS: usize = 5_000;

pub(crate) fn outline(reading: &Reading) -> Vec<DocumentSymbol> {
    let Some(names) = reading.names() else { return Vec::new() };
    let here = |definition: &&Definition| definition.whole.file == MAIN && definition.place.file == MAIN;
    let all: Vec<&Definition> = names.definitions().map(|(_, definition)| definition).filter(here).collect();
    let places: HashSet<Span> = all.iter().map(|definition| definition.place).collect();
    let is_top = |definition: &&Definition| definition.parent.is_none_or(|parent| !places.contains(&parent));
    let (top, inner): (Vec<&Definition>, Vec<&Definition>) = all.into_iter().partition(is_top);
    let mut inside = Inside::new();
    inner
        .into_iter()
        .for_each(|definition| inside.entry(definition.parent.unwrap_or(Span::NONE)).or_default().push(definition));
    let mut symbols: Vec<DocumentSymbol> =
        top.into_iter().take(MAX_SYMBOLS).filter_map(|definition| symbol(reading, definition, &inside)).collect();
    symbols.sort_by_key(|symbol| symbol.range.start);
    symbols
}

type Inside<'a> = HashMap<Span, Vec<&'a Definition>>;

fn symbol(reading: &Reading, definition: &Definition, inside: &Inside<'_>) -> Option<DocumentSymbol> {
    // Nothing is defined more than two levels deep.
    let own = inside.get(&definition.place).filter(|_| definition.parent.is_none()).into_iter().flatten();
    let mut children: Vec<DocumentSymbol> = own.filter_map(|other| symbol(reading, other, inside)).collect();
    children.sort_by_key(|child| child.range.start);
    let whole = definition.whole.to(definition.place);
    #[allow(deprecated, reason = "the type has no other constructor")]
    Some(DocumentSymbol {
        name: definition.name.clone(),
        detail: Some(definition.declaration.lines().next().unwrap_or_default().chars().take(120).collect()),
        kind: kind_of(definition.kind),
        tags: None,
        deprecated: None,
        range: reading.range(whole)?,
        selection_range: reading.range(definition.place)?,
        children: (!children.is_empty()).then_some(children),
    })
}

fn kind_of(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::Variable | NameKind::Parameter => SymbolKind::VARIABLE,
        NameKind::Constant => SymbolKind::ENUM_MEMBER,
        NameKind::Type => SymbolKind::STRUCT,
        NameKind::Field => SymbolKind::FIELD,
        NameKind::Process => SymbolKind::CLASS,
        NameKind::Module => SymbolKind::MODULE,
        NameKind::Routine => SymbolKind::FUNCTION,
        NameKind::Macro => SymbolKind::CONSTANT,
        NameKind::Label => SymbolKind::KEY,
        NameKind::Property => SymbolKind::EVENT,
    }
}
