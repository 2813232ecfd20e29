//! Models, whatever language they are written in.

use crate::CheckError;
use crate::check::first_pool_size;
use crate::read::read_text;
use crate::smv::is_branching;
use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_engine::{Statement, statements_of_actions};
use lariat_promela::{CheckedModel, ModelOptions, read_model};
use lariat_smv::CheckedModel as SmvModel;
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
    /// It was written in SMV.
    Smv(Box<SmvModel>),
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
    /// Reads the model in the file: `.sys` is the text form of systems, `.smv` is SMV, anything else is Promela.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, Rejected> {
        let began = Instant::now();
        let mut sources = SourceMap::default();
        match read_form(path, options, &mut sources) {
            Ok(form) => {
                let fingerprint = sources.fingerprint();
                Ok(Self { sources, form, fingerprint, reading: began.elapsed() })
            }
            Err(diagnostics) => Err(Rejected { sources, diagnostics }),
        }
    }
    /// The model that `system` is, which must be valid.
    pub fn of_system(system: System) -> Self {
        let (sources, form) = (SourceMap::default(), Form::System(Box::new(system)));
        let fingerprint = sources.fingerprint();
        Self { sources, form, fingerprint, reading: Duration::ZERO }
    }
    /// Whether it is written in Promela, so that SPIN can read it too.
    pub fn is_promela(&self) -> bool {
        matches!(self.form, Form::Promela(_))
    }
    /// Whether its specification of this name is of branching time.
    pub(crate) fn is_branching(&self, name: &str) -> bool {
        matches!(&self.form, Form::Smv(model) if is_branching(model, name))
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
        match &self.form {
            Form::System(_) => &[],
            Form::Promela(model) => model.warnings(),
            Form::Smv(model) => model.warnings(),
        }
    }
    /// How many processes can live at once at most; `None` if the text does not tell.
    pub fn pool_bound(&self) -> Option<u16> {
        match &self.form {
            Form::System(system) => Some(system.pool_size),
            Form::Promela(model) => model.pool_bound(),
            Form::Smv(_) => Some(0),
        }
    }
    /// Whether the size of the pool is part of the model. Otherwise it is a guess, however good, and may have to grow.
    pub fn has_fixed_pool(&self) -> bool {
        !self.is_promela()
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
            Form::Smv(model) => model.properties(),
        }
    }
    /// The statements that a search may or may not reach; `system` is the one that was searched.
    pub fn statements(&self, system: &System) -> Vec<Statement> {
        match &self.form {
            Form::System(_) | Form::Smv(_) => statements_of_actions(system),
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
            Self::Smv(_) => 0,
        }
    }
    /// See [`Model::system`].
    pub(crate) fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        match self {
            Self::System(system) => Ok((**system).clone()),
            Self::Promela(model) => model.system(pool_size),
            Self::Smv(model) => model.system(),
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
        Language::Promela => {
            let preprocess = lariat_promela::Options { defines: options.defines.clone() };
            let model_options = ModelOptions {
                preprocess,
                lose_messages: options.lose_messages,
                empty_channels: options.empty_channels,
            };
            let mut loader =
                |written: &str, includer: &str| find_included(written, includer, path, &options.include_folders);
            let name = path.display().to_string();
            read_model(sources, &name, &text, &model_options, &mut loader).map(|model| Form::Promela(Box::new(model)))
        }
        Language::Smv if *options != ReadOptions::default() => {
            Err(wrong("F0010", "options for the reading of Promela were given, but the model is an `.smv` file"))
        }
        Language::Smv => {
            let name = path.display().to_string();
            lariat_smv::read_model(sources, &name, &text).map(|model| Form::Smv(Box::new(model)))
        }
    }
}

/// The name and the text of an included file: beside the file that includes it, else in the first folder that has it.
/// What lies outside the folder of the model at `root` and the given folders is not read: a model from somewhere else must
/// not show us files of this machine.
fn find_included(written: &str, includer: &str, root: &Path, folders: &[PathBuf]) -> Result<(String, String), String> {
    let folder_of = |path: &Path| match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
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
    let home = folder_of(root);
    let mut allowed = [&home].into_iter().chain(folders).filter_map(|folder| folder.canonicalize().ok());
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    if !allowed.any(|folder| real.starts_with(folder)) {
        return Err("it lies outside the folder of the model; `-I DIR` allows a further folder".to_owned());
    }
    match read_text(&path) {
        Ok(text) => Ok((path.display().to_string(), text)),
        Err(diagnostic) => Err(diagnostic.message),
    }
}
