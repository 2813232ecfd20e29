//! Lenses: what can be checked, at the place where it is written.

use crate::checks::COMMAND;
use crate::host::Asked;
use crate::reading::{MAIN, Reading};
use lariat_base::NameKind;
use lariat_expect::Case;
use lsp_types::{CodeLens, Command, Range, Uri};
use serde_json::json;
use std::path::Path;

/// The lenses of a text: one for each property and each `expect:` line, and for the model as a whole at its beginning. `comment` is
/// how a comment begins, if models in files of this name can state their answers.
pub(crate) fn lenses(reading: &Reading, uri: &Uri, path: &Path, comment: Option<&'static str>) -> Vec<CodeLens> {
    let mut lenses = Vec::new();
    let mut add = |range: Option<Range>, title: String, asked: &Asked| {
        let command = Command { title, command: COMMAND.to_owned(), arguments: Some(arguments(uri, asked)) };
        let range = range.map(|range| Range::new(range.start, range.start)).unwrap_or_default();
        lenses.push(CodeLens { range, command: Some(command), data: None });
    };
    let properties: Vec<(String, lariat_base::Span)> = match reading.model() {
        Some(model) => {
            let stated = model.properties().iter().filter(|property| !property.on_request);
            stated.map(|property| (property.name.clone(), property.place)).collect()
        }
        None => {
            let defined = reading.names().into_iter().flat_map(|names| names.definitions());
            let defined = defined.filter(|(_, definition)| definition.kind == NameKind::Property);
            defined.map(|(_, definition)| (definition.name.clone(), definition.whole)).collect()
        }
    };
    add(None, "Check all".to_owned(), &Asked::Property(None));
    add(None, "Check safety".to_owned(), &Asked::Property(Some("safety".to_owned())));
    for (name, place) in properties.into_iter().filter(|(_, place)| place.file == MAIN) {
        add(reading.range(place), format!("Check {name}"), &Asked::Property(Some(name)));
    }
    if let (Some(comment), Some(text)) = (comment, reading.text(MAIN))
        && let Ok(case) = Case::parse(path, comment, text.text.to_string())
    {
        for stated in &case.expectations {
            let start = lsp_types::Position::new(stated.line.saturating_sub(1), 0);
            let range = Some(Range::new(start, start));
            add(range, "Check this answer".to_owned(), &Asked::Expectation(stated.line));
        }
    }
    lenses
}

fn arguments(uri: &Uri, asked: &Asked) -> Vec<serde_json::Value> {
    let asked = match asked {
        Asked::Property(name) => json!({ "property": name }),
        Asked::Expectation(line) => json!({ "line": line }),
    };
    vec![json!(uri.as_str()), asked]
}
