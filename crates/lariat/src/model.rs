//! Models, whatever language they are written in.

use crate::read::read_text;
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_system::System;
use std::path::{Path, PathBuf};

/// How a model is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Names for the preprocessor, with their texts.
    pub defines: Vec<(String, String)>,
    /// Where included files are looked for, beside the folder of the file that includes them.
    pub include_folders: Vec<PathBuf>,
    /// A send to a full channel drops the message.
    pub lose_messages: bool,
}

/// A model that was read and found to be in order.
#[derive(Debug)]
pub struct Model {
    sources: SourceMap,
    form: Form,
}

/// What a model is before it is a system.
#[derive(Debug)]
enum Form {
    /// It was written as one.
    System(Box<System>),
}

/// A text that is no model.
#[derive(Debug)]
pub struct Rejected {
    /// The texts that were read.
    pub sources: SourceMap,
    /// What is wrong with them; at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

/// The languages, by the ends of file names.
enum Language {
    System,
    Promela,
    Smv,
}

impl Language {
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("sys") => Self::System,
            Some("smv") => Self::Smv,
            _ => Self::Promela,
        }
    }
}

impl Model {
    /// Reads the model in the file: `.sys` is the text form of systems, anything else is Promela.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, Rejected> {
        let mut sources = SourceMap::default();
        match read_form(path, options, &mut sources) {
            Ok(form) => Ok(Self { sources, form }),
            Err(diagnostics) => Err(Rejected { sources, diagnostics }),
        }
    }
    /// The model that `system` is, which must be valid.
    pub fn of_system(system: System) -> Self {
        Self { sources: SourceMap::default(), form: Form::System(Box::new(system)) }
    }
    /// The texts it was read from.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// What is odd about it.
    pub fn warnings(&self) -> &[Diagnostic] {
        match &self.form {
            Form::System(_) => &[],
        }
    }
    /// How many processes can live at once at most; `None` if the text does not tell.
    pub fn pool_bound(&self) -> Option<u16> {
        match &self.form {
            Form::System(system) => Some(system.pool_size),
        }
    }
    /// The properties it states beside `safety`, by name.
    pub fn properties(&self) -> Vec<(String, Span)> {
        match &self.form {
            Form::System(_) => Vec::new(),
        }
    }
    /// The system, with a pool of `pool_size` positions; a bound of the model's own goes first.
    pub fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        let _ = pool_size;
        match &self.form {
            Form::System(system) => Ok((**system).clone()),
        }
    }
}

fn read_form(path: &Path, options: &ReadOptions, sources: &mut SourceMap) -> Result<Form, Vec<Diagnostic>> {
    let text = read_text(path).map_err(|diagnostic| vec![diagnostic])?;
    let wrong = |code, message: &str| vec![Diagnostic::error(Span::NONE, code, message)];
    match Language::of(path) {
        Language::System if *options != ReadOptions::default() => {
            Err(wrong("F0010", "options for the reading of Promela were given, but the model is a `.sys` file"))
        }
        Language::System => {
            let file = sources.add(path.display().to_string(), text);
            let text = sources.file(file).map_or("", |file| file.text.as_str());
            let system = lariat_system::text::parse(text, file).map_err(|diagnostic| vec![diagnostic])?;
            system.validate()?;
            Ok(Form::System(Box::new(system)))
        }
        Language::Promela => Err(wrong("F0011", "Promela models cannot be read by this build")),
        Language::Smv => Err(wrong("F0012", "SMV models are not in this release")),
    }
}
