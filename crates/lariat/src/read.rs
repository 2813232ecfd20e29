//! Reading files, with everything that can be wrong with them told as a diagnostic.

use lariat_base::{Diagnostic, Span};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longer texts are no models.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The text of the file, which is to be a model.
pub(crate) fn read_text(path: &Path) -> Result<String, Diagnostic> {
    read_text_of(path, MAX_FILE_BYTES, "models")
}

/// The text of the file, which is to be one of these things.
pub(crate) fn read_text_of(path: &Path, max_bytes: u64, things: &str) -> Result<String, Diagnostic> {
    let name = path.display();
    let wrong = |code, message: String| Diagnostic::error(Span::NONE, code, message);
    let cannot = |error: std::io::Error| {
        let diagnostic = wrong("F0001", format!("cannot read `{name}`: {error}"));
        match error.kind() {
            std::io::ErrorKind::NotFound => diagnostic.help("check the spelling and the folder you are in"),
            _ => diagnostic,
        }
    };
    let file = File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > max_bytes {
        return Err(wrong("F0002", format!("`{name}` is longer than {} MiB", max_bytes >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
        wrong("F0003", format!("`{name}` is no UTF-8 text: byte {at}, on line {line}, belongs to no character"))
            .help(format!("{things} are text files; save it as UTF-8 if it is one"))
    })
}
