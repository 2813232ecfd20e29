//! Models, whatever language they are written in.

use crate::CheckError;
use crate::check::first_pool_size;
use crate::read::{Source, read_source, read_text};
use crate::temporal::broken_blocks;
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_engine::{Statement, statements_of_actions};
use lariat_promela::{CheckedModel, ModelOptions, read_model};
use lariat_system::{System, Update};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a model is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Names for the preprocessor, with their texts.
    pub defines: Vec<(String, String)>,
    /// Where included files are looked for, beside the folder of the file that includes them.
    pub include_folders: Vec<PathBuf>,
    /// Included files must lie in this folder; anywhere, if there is none.
    pub include_root: Option<PathBuf>,
    /// A send to a full channel drops the message.
    pub lose_messages: bool,
    /// Messages that are left in a channel where a run ends are a failure.
    pub empty_channels: bool,
}

/// A model that was read and found to be in order.
#[derive(Debug)]
pub struct Model {
    sources: SourceMap,
    form: Form,
    warnings: Vec<Diagnostic>,
    fingerprint: u64,
    reading: Duration,
}

/// What a model is before it is a system.
#[derive(Debug)]
pub(crate) enum Form {
    /// It was written as one.
    System(Box<System>),
    /// It was written in Promela.
    Promela(Box<CheckedModel>),
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
        let began = Instant::now();
        let mut sources = SourceMap::default();
        let (form, warnings) = match read_form(path, options, &mut sources) {
            Ok(read) => read,
            Err(diagnostics) => return Err(Rejected { sources, diagnostics }),
        };
        let fingerprint = sources.fingerprint();
        let mut model = Self { sources, form, warnings, fingerprint, reading: Duration::ZERO };
        let broken = broken_blocks(&mut model);
        if !broken.is_empty() {
            let diagnostics = model.warnings.into_iter().chain(broken).collect();
            return Err(Rejected { sources: model.sources, diagnostics });
        }
        Ok(Self { reading: began.elapsed(), ..model })
    }
    /// The model that `system` is, which must be valid.
    pub fn of_system(system: System) -> Self {
        let (sources, form) = (SourceMap::default(), Form::System(Box::new(system)));
        let fingerprint = sources.fingerprint();
        Self { sources, form, warnings: Vec::new(), fingerprint, reading: Duration::ZERO }
    }
    /// Whether it is written in Promela, so that SPIN can read it too.
    pub fn is_promela(&self) -> bool {
        matches!(self.form, Form::Promela(_))
    }
    /// What it is before it is a system.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }
    /// The same, and the texts, to which others may be added that speak of it.
    pub(crate) fn parts(&mut self) -> (&Form, &mut SourceMap) {
        (&self.form, &mut self.sources)
    }
    /// The texts it was read from, and those that speak of it.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// A number that other texts have hardly ever; what was added later does not matter.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
    /// How long reading it took.
    pub(crate) fn reading(&self) -> Duration {
        self.reading
    }
    /// What is odd about it.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// How many processes can live at once at most; `None` if the text does not tell.
    pub fn pool_bound(&self) -> Option<u16> {
        match &self.form {
            Form::System(system) => Some(system.pool_size),
            Form::Promela(model) => model.pool_bound(),
        }
    }
    /// Whether the size of the pool is part of the model. Otherwise it is a guess, however good, and may have to grow.
    pub fn has_fixed_pool(&self) -> bool {
        matches!(self.form, Form::System(_))
    }
    /// How many processes live at the beginning at most.
    pub fn initial_processes(&self) -> u16 {
        self.form.initial_processes()
    }
    /// The properties it states beside `safety`, by name.
    pub fn properties(&self) -> &[(String, Span)] {
        match &self.form {
            Form::System(_) => &[],
            Form::Promela(model) => model.properties(),
        }
    }
    /// The statements that a search may or may not reach; `system` is the one that was searched.
    pub fn statements(&self, system: &System) -> Vec<Statement> {
        match &self.form {
            Form::System(_) => statements_of_actions(system),
            Form::Promela(model) => model
                .statements()
                .map(|(process, text, span)| Statement { process: process.to_owned(), text: text.to_owned(), span })
                .collect(),
        }
    }
    /// The size of the pool to begin with: the one that the text tells, else a guess that checks and simulations double
    /// where it is too small. An error if the processes of the beginning have no room in it.
    pub fn first_pool_size(&self) -> Result<u16, CheckError> {
        first_pool_size(self.initial_processes(), self.pool_bound())
    }
    /// The system, with a pool of `pool_size` positions: at least as many as there are processes at the beginning, at
    /// most [`MAX_POOL_SIZE`](lariat_system::MAX_POOL_SIZE). A model that is a system has its own.
    pub fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        self.form.system(pool_size)
    }
}

impl Form {
    /// How many processes live at the beginning at most.
    pub(crate) fn initial_processes(&self) -> u16 {
        match self {
            Self::System(system) => {
                let spawns = system.init.updates.iter().filter(|update| matches!(update, Update::Spawn { .. }));
                u16::try_from(spawns.count()).unwrap_or(u16::MAX)
            }
            Self::Promela(model) => model.initial_processes(),
        }
    }
    /// See [`Model::system`].
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        match self {
            Self::System(system) => Ok((**system).clone()),
            Self::Promela(model) => model.system(pool_size),
        }
    }
}

/// What is read, and what is odd about it.
type Read = (Form, Vec<Diagnostic>);

fn read_form(path: &Path, options: &ReadOptions, sources: &mut SourceMap) -> Result<Read, Vec<Diagnostic>> {
    let wrong = |code, message: &str| vec![Diagnostic::error(Span::NONE, code, message)];
    match Language::of(path) {
        Language::System if *options != ReadOptions::default() => {
            Err(wrong("F0010", "options for the reading of Promela were given, but the model is a `.sys` file"))
        }
        Language::System => {
            let text = read_text(path).map_err(|diagnostic| vec![diagnostic])?;
            let file = sources.add(path.display().to_string(), text);
            let text = sources.file(file).map_or("", |file| file.text.as_str());
            let system = lariat_system::text::parse(text, file).map_err(|diagnostic| vec![diagnostic])?;
            system.validate()?;
            Ok((Form::System(Box::new(system)), Vec::new()))
        }
        Language::Promela => read_promela(path, options, sources),
        Language::Smv => {
            read_text(path).map_err(|diagnostic| vec![diagnostic])?;
            Err(wrong("F0011", "SMV models are not in this release"))
        }
    }
}

fn read_promela(path: &Path, options: &ReadOptions, sources: &mut SourceMap) -> Result<Read, Vec<Diagnostic>> {
    let preprocess = lariat_promela::Options { defines: options.defines.clone() };
    let model_options =
        ModelOptions { preprocess, lose_messages: options.lose_messages, empty_channels: options.empty_channels };
    let name = path.display().to_string();
    let Source { text, odd } = read_source(path).map_err(|diagnostic| vec![diagnostic])?;
    // The files that are not UTF-8, with the first byte that is not.
    let mut odd_files: Vec<(String, usize)> = odd.map(|at| (name.clone(), at)).into_iter().collect();
    let mut loader = |written: &str, includer: &str| {
        let (name, Source { text, odd }) = find_included(written, includer, options)?;
        odd_files.extend(odd.map(|at| (name.clone(), at)).filter(|odd| !odd_files.contains(odd)));
        Ok((name, text))
    };
    let read = read_model(sources, &name, &text, &model_options, &mut loader);
    let mut warnings: Vec<Diagnostic> =
        odd_files.iter().map(|(name, at)| read_as_latin_1(sources, name, *at)).collect();
    match read {
        Ok(model) => {
            warnings.extend_from_slice(model.warnings());
            Ok((Form::Promela(Box::new(model)), warnings))
        }
        Err(diagnostics) => Err(warnings.into_iter().chain(diagnostics).collect()),
    }
}

fn read_as_latin_1(sources: &SourceMap, name: &str, at: usize) -> Diagnostic {
    let file = sources.files().find(|(_, file)| file.name == name).map(|(id, _)| id);
    let span = file.map_or(Span::NONE, |file| Span::new(file, at, at + '\u{ff}'.len_utf8()));
    let byte = sources.text(span).chars().next().map_or(0, u32::from);
    let message =
        format!("`{name}` is not UTF-8 and is read as Latin-1: the first byte that is not is 0x{byte:02x}, here");
    Diagnostic::warning(span, "F0004", message).help("save it as UTF-8")
}

/// The name and the text of an included file: beside the file that includes it, else in the first folder that has it. It
/// may lie anywhere, as for every preprocessor, unless a folder is given in which it must.
fn find_included(written: &str, includer: &str, options: &ReadOptions) -> Result<(String, Source), String> {
    let folders = &options.include_folders;
    let beside = Path::new(includer).parent().unwrap_or(Path::new(""));
    let mut candidates =
        [beside].into_iter().chain(folders.iter().map(PathBuf::as_path)).map(|folder| folder.join(written));
    let Some(path) = candidates.find(|path| path.is_file()) else {
        let hint = if folders.is_empty() {
            "; `-I DIR` adds a folder to look in"
        } else {
            ", nor in the folders given by `-I`"
        };
        return Err(format!("there is no such file{hint}"));
    };
    if let Some(root) = &options.include_root {
        let shown = root.display();
        let allowed = root.canonicalize().map_err(|error| format!("`--include-root {shown}`: {error}"))?;
        let real = path.canonicalize().map_err(|error| error.to_string())?;
        if !real.starts_with(&allowed) {
            return Err(format!("`{}` lies outside `{shown}`, which `--include-root` confines it to", path.display()));
        }
    }
    match read_source(&path) {
        Ok(source) => Ok((path.display().to_string(), source)),
        Err(diagnostic) => Err(diagnostic.message),
    }
}
