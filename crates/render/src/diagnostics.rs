//! Diagnostics with the source lines they speak of.

use crate::Style;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use lariat_base::{Diagnostic, Severity, SourceMap, Span};
use std::ops::Range;

/// Longer lines are not shown, only named.
const MAX_LINE_BYTES: usize = 2000;

/// The diagnostics as text, an empty line between two. Spans that no file has are left out; the words are not.
pub fn diagnostics_text(sources: &SourceMap, diagnostics: &[Diagnostic], style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&renderer.render(&[group(sources, diagnostic)]));
        text.push('\n');
    }
    text
}

fn group<'a>(sources: &'a SourceMap, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&diagnostic.message);
    let mut group = Group::with_title(if diagnostic.code.is_empty() { title } else { title.id(diagnostic.code) });
    // One snippet a file, so that all places of a file are shown together, in the order of first mention.
    let mut files = Vec::new();
    let notes = diagnostic.notes.iter().map(|note| (note.span, note.message.as_str(), AnnotationKind::Context));
    let primary = (diagnostic.span, diagnostic.label.as_str(), AnnotationKind::Primary);
    let mut remarks = Vec::new();
    let mut placed = Vec::new();
    for (span, words, kind) in std::iter::once(primary).chain(notes) {
        match bytes_of(sources, span) {
            Some(bytes) => {
                if !files.contains(&span.file) {
                    files.push(span.file);
                }
                placed.push((span.file, bytes, words, kind));
            }
            None if !words.is_empty() => remarks.push(words),
            None => {}
        }
    }
    for id in files {
        let Some(file) = sources.file(id) else { continue };
        let here: Vec<_> = placed.iter().filter(|(file, ..)| *file == id).collect();
        let place = |byte: usize| sources.location(Span::new(id, byte, byte));
        if here.iter().any(|(_, bytes, ..)| has_long_line(&file.text, bytes)) {
            // A line of a megabyte helps nobody, and takes long to draw.
            let first = here.first().and_then(|(_, bytes, ..)| place(bytes.start));
            let origin = Origin::path(&file.name);
            group = group.element(match first {
                Some(at) => origin.line(at.line as usize).char_column(at.column as usize),
                None => origin,
            });
            continue;
        }
        // Only the lines in question: the file may be large.
        let from = here.iter().map(|(_, bytes, ..)| line_of(&file.text, bytes.start).start).min().unwrap_or(0);
        let to = here.iter().map(|(_, bytes, ..)| line_of(&file.text, bytes.end).end).max().unwrap_or(0);
        let first_line = place(from).map_or(1, |at| at.line as usize);
        let mut snippet = Snippet::source(&file.text[from..to]).line_start(first_line).path(&file.name);
        for (_, bytes, words, kind) in here {
            let annotation = kind.span(bytes.start - from..bytes.end - from);
            snippet = snippet.annotation(if words.is_empty() { annotation } else { annotation.label(*words) });
        }
        group = group.element(snippet);
    }
    for words in remarks {
        group = group.element(Level::NOTE.message(words));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    group
}

/// The line that a byte is on, without its end.
fn line_of(text: &str, byte: usize) -> Range<usize> {
    let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
    start..end
}

/// Whether one of the lines at the ends of the range is too long to be shown.
fn has_long_line(text: &str, bytes: &Range<usize>) -> bool {
    [bytes.start, bytes.end].into_iter().any(|byte| line_of(text, byte).len() > MAX_LINE_BYTES)
}

/// The bytes of a span, cut to whole characters of its file: a wrong span must not cost the user the message.
fn bytes_of(sources: &SourceMap, span: Span) -> Option<Range<usize>> {
    let text = &sources.file(span.file)?.text;
    let start = text.floor_char_boundary((span.start as usize).min(text.len()));
    let end = text.floor_char_boundary((span.end as usize).min(text.len()));
    Some(start..end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shown_and_odd_spans_do_no_harm() {
        let mut sources = SourceMap::default();
        let file = sources.add("m.pml", "byte x;\nü = 1\n");
        let diagnostic = Diagnostic::error(Span::new(file, 8, 10), "P0001", "no variable `ü`")
            .label("not declared")
            .note(Span::new(file, 5, 6), "did you mean this?")
            .note(Span::NONE, "a remark")
            .help("declare it");
        let text = diagnostics_text(&sources, std::slice::from_ref(&diagnostic), Style::Plain);
        for part in ["error[P0001]: no variable", "m.pml:2:1", "not declared", "did you mean", "a remark", "declare it"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        for span in [Span::NONE, Span::new(file, 9, 9), Span::new(file, 1000, 2000), Span::new(file, 12, 3)] {
            let odd = Diagnostic { span, ..diagnostic.clone() };
            assert!(diagnostics_text(&sources, &[odd], Style::Plain).contains("no variable"));
        }
        assert!(diagnostics_text(&sources, &[diagnostic], Style::Coloured).contains('\x1b'));
    }

    #[test]
    fn lines_are_counted_from_the_top_and_huge_ones_are_only_named() {
        let mut sources = SourceMap::default();
        let text = format!("{}x = y\n{}", "skip\n".repeat(99), "z ".repeat(5 << 20));
        let file = sources.add("m.pml", text);
        let at = |start: usize, end: usize| Diagnostic::error(Span::new(file, start, end), "P0001", "wrong");
        let text = diagnostics_text(&sources, &[at(499, 500)], Style::Plain);
        assert!(text.contains("m.pml:100:5") && text.contains("100 | x = y"), "{text}");
        let start = std::time::Instant::now();
        let text = diagnostics_text(&sources, &vec![at(600, 601); 20], Style::Plain);
        assert!(text.contains("m.pml:101:100") && text.len() < 10_000, "{text}");
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}
