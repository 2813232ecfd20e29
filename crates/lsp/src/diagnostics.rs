//! Diagnostics as the protocol has them.

use crate::reading::{MAIN, Reading};
use lariat_base::{Diagnostic, Severity, Span};
use lsp_types::{DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString, Uri};
use std::collections::HashMap;

/// What is wrong with the texts of a reading, by file; `main` is the one that was read.
pub(crate) fn of_reading(reading: &Reading, main: &Uri) -> HashMap<Uri, Vec<lsp_types::Diagnostic>> {
    let mut all: HashMap<Uri, Vec<lsp_types::Diagnostic>> = HashMap::from([(main.clone(), Vec::new())]);
    for found in reading.diagnostics() {
        let location = if found.span.file == MAIN { None } else { reading.location(found.span) };
        let uri = location.map_or_else(|| main.clone(), |location| location.uri);
        all.entry(uri).or_default().push(converted(reading, found));
    }
    all
}

fn converted(reading: &Reading, found: &Diagnostic) -> lsp_types::Diagnostic {
    let mut message = found.message.clone();
    if !found.label.is_empty() {
        message.push_str(&format!(" ({})", found.label));
    }
    let mut related = Vec::new();
    for note in &found.notes {
        match reading.location(note.span) {
            Some(location) => {
                related.push(DiagnosticRelatedInformation { location, message: note.message.clone() });
            }
            None => message.push_str(&format!("\nnote: {}", note.message)),
        }
    }
    if let Some(help) = &found.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    lsp_types::Diagnostic {
        // What has no place is about the whole.
        range: reading.range(found.span).or_else(|| reading.range(Span::new(MAIN, 0, 0))).unwrap_or_default(),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(found.code.to_owned())),
        source: Some("lariat".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp_types::Diagnostic::default()
    }
}
