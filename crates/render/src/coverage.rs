//! How often statements are executed, beside the text of the model or for tools that read lcov.

use lariat_base::{FileId, SourceMap};
use lariat_engine::{Coverage, Covered};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What the file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoverageForm {
    /// People: the text with a count before each line.
    Text,
    /// Editors and CI: the tracefile of lcov.
    Lcov,
}

/// The content of the file.
pub fn coverage_text(sources: &SourceMap, coverage: &Coverage, form: CoverageForm) -> String {
    let mut text = String::new();
    if form == CoverageForm::Text {
        let reached = coverage.statements.iter().filter(|covered| covered.is_reached).count();
        let _ = writeln!(text, "{reached} of {} statements reached", coverage.statements.len());
        if !coverage.is_complete {
            text.push_str("not all states were seen: what is marked ##### may yet be reached\n");
        }
    }
    for (file, lines) in by_line(sources, coverage) {
        match form {
            CoverageForm::Text => annotate(&mut text, sources, file, &lines),
            CoverageForm::Lcov => tracefile(&mut text, sources, file, &lines),
        }
    }
    text
}

/// The statements of a file by their lines.
type Lines<'a> = BTreeMap<u32, Vec<&'a Covered>>;

fn by_line<'a>(sources: &SourceMap, coverage: &'a Coverage) -> BTreeMap<FileId, Lines<'a>> {
    let mut files: BTreeMap<FileId, Lines<'a>> = BTreeMap::new();
    for covered in &coverage.statements {
        let span = covered.statement.span;
        if let line @ 1.. = sources.line(span) {
            files.entry(span.file).or_default().entry(line).or_default().push(covered);
        }
    }
    files
}

/// How often the statement was executed, as one number: what was executed only with an error, or waits to end, once.
fn count(covered: &Covered) -> u64 {
    covered.taken.max(u64::from(covered.is_reached))
}

fn annotate(text: &mut String, sources: &SourceMap, file: FileId, lines: &Lines<'_>) {
    let Some(source) = sources.file(file) else { return };
    let _ = writeln!(text, "\n{}", source.name);
    let most = lines.values().flatten().map(|covered| count(covered)).max().unwrap_or(0);
    let width = most.to_string().len().max("#####".len());
    for (number, line) in (1..).zip(source.text.lines()) {
        let statements = lines.get(&number).map_or(&[][..], Vec::as_slice);
        let shown = match statements.iter().map(|covered| count(covered)).max() {
            None => String::new(),
            Some(0) => "#####".to_owned(),
            Some(count) => count.to_string(),
        };
        let _ = writeln!(text, "{shown:>width$} {number:4} | {line}");
        if statements.len() < 2 {
            continue;
        }
        // Which of several is meant.
        for covered in statements {
            let count = if covered.is_reached { count(covered).to_string() } else { "#####".to_owned() };
            let statement = &covered.statement;
            let of = if statement.process.is_empty() { String::new() } else { format!("{}: ", statement.process) };
            let _ = writeln!(text, "{:>width$}      |   {count:>width$} {of}{}", "", statement.text);
        }
    }
}

/// Lines, and as branches the statements of lines that have several.
fn tracefile(text: &mut String, sources: &SourceMap, file: FileId, lines: &Lines<'_>) {
    let Some(source) = sources.file(file) else { return };
    let _ = write!(text, "TN:\nSF:{}\n", source.name);
    let (mut branches, mut taken) = (0, 0);
    for (line, statements) in lines.iter().filter(|(_, statements)| statements.len() > 1) {
        for (number, covered) in statements.iter().enumerate() {
            let _ = writeln!(text, "BRDA:{line},0,{number},{}", count(covered));
            branches += 1;
            taken += usize::from(covered.is_reached);
        }
    }
    let _ = write!(text, "BRF:{branches}\nBRH:{taken}\n");
    for (line, statements) in lines {
        let most = statements.iter().map(|covered| count(covered)).max().unwrap_or(0);
        let _ = writeln!(text, "DA:{line},{most}");
    }
    let hit = lines.values().filter(|statements| statements.iter().any(|covered| covered.is_reached)).count();
    let _ = write!(text, "LF:{}\nLH:{hit}\nend_of_record\n", lines.len());
}
