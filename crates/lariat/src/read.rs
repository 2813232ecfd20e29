//! Reading files, with everything that can be wrong with them told as a diagnostic.

use lariat_base::{Diagnostic, SourceMap, Span, UnsavedTexts};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longer texts are no models.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The text of the file, which is to be a model: the unsaved one, if there is one.
pub fn read_text(sources: &SourceMap, path: &Path) -> Result<String, Diagnostic> {
    match sources.unsaved().get(path) {
        Some(text) => Ok(text.to_owned()),
        None => read_text_of(path, MAX_FILE_BYTES, "models"),
    }
}

/// A source text, which may be in another encoding than UTF-8.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// Where in the text the first byte stands that made it Latin-1.
    pub(crate) odd: Option<usize>,
}

/// The text of the file, or the unsaved one, which is to be a model in a language of ASCII. What is not UTF-8 is read as Latin-1: bytes that
/// belong to no language do no harm in comments and strings, and elsewhere the language will not have them.
pub(crate) fn read_source(unsaved: &UnsavedTexts, path: &Path) -> Result<Source, Diagnostic> {
    if let Some(text) = unsaved.get(path) {
        return Ok(Source { text: text.to_owned(), odd: None });
    }
    let bytes = read_bytes(path, MAX_FILE_BYTES)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Source { text, odd: None },
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let latin_1 = |bytes: &[u8]| -> String { bytes.iter().map(|&byte| char::from(byte)).collect() };
            let bytes = error.as_bytes();
            // A mark of UTF-8 at the beginning is none of Latin-1.
            let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            Source { text: latin_1(&bytes[mark..]), odd: Some(latin_1(&bytes[mark..at.max(mark)]).len()) }
        }
    })
}

/// The text of a model that states answers, which are of ASCII: what is not UTF-8 is replaced. Pipes, which may be waited for without end,
/// and files too large for a model are refused.
pub fn read_statements(path: &Path) -> Result<String, Diagnostic> {
    read_bytes(path, MAX_FILE_BYTES).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of the file, which is to be one of these things.
pub(crate) fn read_text_of(path: &Path, max_bytes: u64, things: &str) -> Result<String, Diagnostic> {
    let name = path.display();
    let text = String::from_utf8(read_bytes(path, max_bytes)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
        let message = format!("`{name}` is not UTF-8 text: invalid byte at offset {at} (line {line})");
        Diagnostic::error(Span::NONE, "F0003", message)
            .help(format!("{things} are text files; save it as UTF-8 if it is one"))
    })?;
    // A mark of UTF-8 at the beginning is no part of the text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Diagnostic> {
    let name = path.display();
    let wrong = |code, message: String| Diagnostic::error(Span::NONE, code, message);
    let cannot = |error: std::io::Error| {
        let diagnostic = wrong("F0001", format!("cannot read `{name}`: {error}"));
        match error.kind() {
            std::io::ErrorKind::NotFound => diagnostic.help("check the spelling and the folder you are in"),
            _ => diagnostic,
        }
    };
    // Opening a pipe waits for its writer, and may wait for ever. Those of the shell (`<(…)`) and standard input have one.
    let is_of_shell = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    let kind = std::fs::metadata(path).map_err(cannot)?.file_type();
    if !is_of_shell && !kind.is_file() && !kind.is_dir() {
        let diagnostic = wrong("F0005", format!("`{name}` is not a file, but a pipe, a socket or a device"));
        return Err(diagnostic.help("save its content in a file, or give it on standard input, as `/dev/stdin`"));
    }
    let file = File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > max_bytes {
        return Err(wrong("F0002", format!("`{name}` is longer than {} MiB", max_bytes >> 20)));
    }
    Ok(bytes)
}
