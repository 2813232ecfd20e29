//! A text of the editor as it was read: what is wrong with it, what its names mean, and where that is.

use crate::host::Host;
use crate::text::{Encoding, Text};
use crate::uri::uri_of;
use lariat::{Model, Rejected};
use lariat_base::{Diagnostic, FileId, NameIndex, SourceMap, Span, UnsavedTexts, stoppable};
use lsp_types::{Location, Range, Uri};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A text that takes longer to read is given up: the editor waits for us.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// Longer texts are not read at all.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// A text that was read.
pub(crate) struct Reading {
    read: Result<Model, Rejected>,
    /// What is wrong with it beside that.
    further: Vec<Diagnostic>,
    /// By file its text and its path; no path for what is not a file.
    files: Vec<(Text, Option<PathBuf>)>,
    encoding: Encoding,
}

/// What is read of a main file.
pub(crate) const MAIN: FileId = FileId(0);

impl Reading {
    /// Reads the model in the file, in which `text` stands.
    pub(crate) fn new(host: &dyn Host, path: &Path, text: &Text, unsaved: &UnsavedTexts, encoding: Encoding) -> Self {
        let rejected = |message: String| {
            let mut sources = SourceMap::default();
            let file = sources.add(path.display().to_string(), &*text.text);
            Rejected { sources, diagnostics: vec![Diagnostic::error(Span::new(file, 0, 0), "F0002", message)] }
        };
        let read = if text.text.len() > MAX_TEXT_BYTES {
            Err(rejected(format!("a text of more than {} MiB is not read while it is edited", MAX_TEXT_BYTES >> 20)))
        } else {
            match catch_unwind(AssertUnwindSafe(|| read_within(host, path, &text.text, unsaved))) {
                Ok(Ok(read)) => return Self::of(read.0, read.1, text, encoding),
                Ok(Err(())) => {
                    let seconds = TIME_LIMIT.as_secs();
                    Err(rejected(format!(
                        "reading this text takes more than {seconds} s; `lariat check` has no such limit"
                    )))
                }
                Err(_) => Err(rejected("internal error while this text was read: please report it".to_owned())),
            }
        };
        Self::of(read, Vec::new(), text, encoding)
    }

    fn of(read: Result<Model, Rejected>, further: Vec<Diagnostic>, text: &Text, encoding: Encoding) -> Self {
        let sources = match &read {
            Ok(model) => model.sources(),
            Err(rejected) => &rejected.sources,
        };
        let of_file = |file: &lariat_base::SourceFile| {
            let path = (!file.name.starts_with('<')).then(|| PathBuf::from(&file.name));
            (Text::new(file.text.as_str()), path.filter(|path| path.is_absolute()))
        };
        let mut files: Vec<_> = sources.files().map(|(_, file)| of_file(file)).collect();
        if files.is_empty() {
            files.push((text.clone(), None));
        }
        Self { read, further, files, encoding }
    }

    /// The model, if it is one.
    pub(crate) fn model(&self) -> Option<&Model> {
        self.read.as_ref().ok()
    }
    pub(crate) fn sources(&self) -> &SourceMap {
        match &self.read {
            Ok(model) => model.sources(),
            Err(rejected) => &rejected.sources,
        }
    }
    pub(crate) fn names(&self) -> Option<&NameIndex> {
        self.sources().names()
    }
    /// What is wrong with the text, or odd.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let own = match &self.read {
            Ok(model) => model.warnings(),
            Err(rejected) => &rejected.diagnostics,
        };
        own.iter().chain(&self.further)
    }
    pub(crate) fn is_broken(&self) -> bool {
        self.diagnostics().any(Diagnostic::is_error)
    }
    pub(crate) fn text(&self, file: FileId) -> Option<&Text> {
        self.files.get(file.0 as usize).map(|(text, _)| text)
    }
    /// The texts that are files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (FileId, &Text, &Path)> {
        let numbered = self.files.iter().enumerate();
        numbered.filter_map(|(number, (text, path))| Some((FileId(number as u32), text, path.as_deref()?)))
    }
    /// Where a span is, in a file.
    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        let (_, path) = self.files.get(span.file.0 as usize)?;
        let uri: Uri = uri_of(path.as_deref()?)?;
        Some(Location { uri, range: self.range(span)? })
    }
    pub(crate) fn range(&self, span: Span) -> Option<Range> {
        let (text, _) = self.files.get(span.file.0 as usize)?;
        Some(text.range(span.start as usize, span.end as usize, self.encoding))
    }
    pub(crate) fn byte(&self, position: lsp_types::Position) -> usize {
        self.files[0].0.byte(position, self.encoding)
    }
}

type ReadWithin = (Result<Model, Rejected>, Vec<Diagnostic>);

/// Reads the model and makes its system once, which may find further errors.
fn read_within(host: &dyn Host, path: &Path, text: &Arc<str>, unsaved: &UnsavedTexts) -> Result<ReadWithin, ()> {
    let began = Instant::now();
    let watch = move || if began.elapsed() < TIME_LIMIT { Ok(()) } else { Err(()) };
    stoppable(watch, || {
        let options = host.read_options(path, text);
        let mut sources = SourceMap::reading(unsaved.clone());
        sources.record_names();
        let read = Model::read_in(host.front_ends(), path, &options, sources);
        let further = match &read {
            Err(_) => Vec::new(),
            Ok(model) => match model.first_pool_size() {
                Ok(pool_size) => model.system(pool_size).err().unwrap_or_default(),
                Err(lariat::CheckError::Model(found)) => found,
                Err(error) => vec![Diagnostic::error(Span::new(MAIN, 0, 0), "C0002", error.to_string())],
            },
        };
        (read, further)
    })
}
