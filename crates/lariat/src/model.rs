//! Models, whatever language they are written in.

use crate::CheckError;
use crate::begun::{Begun, Way};
use crate::front::{
    FrontEnds, FrontModel, ModelInOrder, Pool, SpinModel, StatedProperty, SystemModel, broken_properties, front_ends,
};
use crate::pool::first_pool_size;
use lariat_base::{Diagnostic, SourceMap, Span, stoppable};
use lariat_engine::{RunControl, Shortfall, Statement};
use lariat_promela::Overflow;
use lariat_system::System;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The name of the text that the preprocessor makes of the definitions on the command line.
const OPTIONS: &str = "<options>";

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
    /// What a value is that does not fit where it is stored.
    pub overflow: Overflow,
}

impl ReadOptions {
    /// The first option that differs from the default, as it is called on the command line.
    fn first_given(&self) -> Option<&'static str> {
        let Self { defines, include_folders, include_root, lose_messages, empty_channels, overflow } = self;
        let given = [
            ("-D", !defines.is_empty()),
            ("-I", !include_folders.is_empty()),
            ("--include-root", include_root.is_some()),
            ("--lose-messages", *lose_messages),
            ("--empty-channels", *empty_channels),
            ("--overflow", *overflow != Overflow::default()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// A model that was read and found to be in order.
#[derive(Debug)]
pub struct Model {
    sources: SourceMap,
    model: Arc<dyn FrontModel>,
    properties: Vec<StatedProperty>,
    warnings: Vec<Diagnostic>,
    options: ReadOptions,
    fingerprint: u64,
    reading: Duration,
}

/// A text that is no model.
#[derive(Debug)]
pub struct Rejected {
    /// The texts that were read.
    pub sources: SourceMap,
    /// What is wrong with them; at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl Model {
    /// Reads the model in the file, by the one of our front ends that knows the ending of its name, else as Promela.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, Rejected> {
        Self::read_by(&front_ends(), path, options)
    }
    /// Reads the model in the file, by the one of these front ends that knows the ending of its name, else by the first.
    pub fn read_by(front_ends: &FrontEnds, path: &Path, options: &ReadOptions) -> Result<Self, Rejected> {
        Self::read_in(front_ends, path, options, SourceMap::default())
    }
    /// The same, where `sources` may have unsaved texts for files, and may record what names mean.
    pub fn read_in(
        front_ends: &FrontEnds,
        path: &Path,
        options: &ReadOptions,
        mut sources: SourceMap,
    ) -> Result<Self, Rejected> {
        let began = Instant::now();
        let ModelInOrder { model, warnings } = match read_in_order(front_ends, path, options, &mut sources) {
            Ok(read) => read,
            Err(diagnostics) => return Err(Rejected { sources, diagnostics }),
        };
        // What is read of the properties may be added to the texts, and is no part of the model.
        let fingerprint = sources.fingerprint();
        let broken = broken_properties(&*model, &mut sources);
        if !broken.is_empty() {
            let diagnostics = warnings.into_iter().chain(broken).collect();
            return Err(Rejected { sources, diagnostics });
        }
        let properties = model.properties();
        let (model, options) = (Arc::from(model), options.clone());
        Ok(Self { sources, model, properties, warnings, options, fingerprint, reading: began.elapsed() })
    }
    /// The same within the limits of a run.
    pub fn read_within(
        front_ends: &FrontEnds,
        path: &Path,
        options: &ReadOptions,
        control: &RunControl,
    ) -> Result<Result<Self, Rejected>, Shortfall> {
        stoppable(control.preparing(), || Self::read_by(front_ends, path, options))
    }
    /// The model that `system` is, which must be valid.
    pub fn of_system(system: System) -> Self {
        let sources = SourceMap::default();
        Self {
            fingerprint: sources.fingerprint(),
            sources,
            model: Arc::new(SystemModel(system)),
            properties: Vec::new(),
            warnings: Vec::new(),
            options: ReadOptions::default(),
            reading: Duration::ZERO,
        }
    }
    /// The same model, to which texts may be added that speak of it.
    pub fn again(&self) -> Self {
        Self {
            sources: self.sources.clone(),
            model: Arc::clone(&self.model),
            properties: self.properties.clone(),
            warnings: self.warnings.clone(),
            options: self.options.clone(),
            fingerprint: self.fingerprint,
            reading: self.reading,
        }
    }
    /// The same model, whose runs begin where a run of it ends.
    pub(crate) fn begun(&self, way: Way) -> Self {
        Self {
            sources: self.sources.clone(),
            model: Arc::new(Begun::new(Arc::clone(&self.model), way)),
            properties: self.properties.clone(),
            // They were told of the model.
            warnings: Vec::new(),
            options: self.options.clone(),
            fingerprint: self.fingerprint,
            reading: Duration::ZERO,
        }
    }
    /// The model in the terms of its language.
    pub(crate) fn front(&self) -> &dyn FrontModel {
        &*self.model
    }
    /// The same, and the texts, to which others may be added that speak of it.
    pub(crate) fn parts(&mut self) -> (&dyn FrontModel, &mut SourceMap) {
        (&*self.model, &mut self.sources)
    }
    /// What SPIN knows of the model, if SPIN can read it.
    pub fn spin(&self) -> Option<&dyn SpinModel> {
        self.model.spin()
    }
    /// The texts it was read from, and those that speak of it.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// A number that other texts have hardly ever; what was added later does not matter.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
    /// What happens when a value does not fit where it is stored.
    pub(crate) fn overflow(&self) -> Overflow {
        self.options.overflow
    }
    /// A warning for each `-D` that makes no difference: neither the model mentions the name nor any formula read so far.
    pub fn unused_defines(&self) -> Vec<Diagnostic> {
        let warning = |name: &str| {
            let message = format!("`-D {name}` has no effect: neither the model nor a formula mentions `{name}`");
            Diagnostic::warning(Span::NONE, "C0015", message)
        };
        self.unmentioned_defines().map(warning).collect()
    }
    fn unmentioned_defines(&self) -> impl Iterator<Item = &str> {
        let defines = || self.options.defines.iter();
        // The definitions are a text of their own, of which only what they stand for counts.
        let texts = || self.sources.files().filter(|(_, file)| file.name != OPTIONS).map(|(_, file)| &*file.text);
        let all = move || texts().chain(defines().map(|(_, body)| body.as_str()));
        defines().map(|(name, _)| name.as_str()).filter(move |name| !all().any(|text| has_word(text, name)))
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
        match self.model.pool() {
            Pool::Fixed { size, .. } => Some(size),
            Pool::Guessed { bound, .. } => bound,
        }
    }
    /// Whether the size of the pool is part of the model. Otherwise it is a guess, however good, and may have to grow.
    pub fn has_fixed_pool(&self) -> bool {
        matches!(self.model.pool(), Pool::Fixed { .. })
    }
    /// The properties it states beside `safety`.
    pub fn properties(&self) -> &[StatedProperty] {
        &self.properties
    }
    /// The statements that a search may or may not reach; `system` is the one that was searched.
    pub fn statements(&self, system: &System) -> Vec<Statement> {
        self.model.statements(system)
    }
    /// The size of the pool to begin with: the one that the text tells, else a guess that checks and simulations double
    /// where it is too small. An error if the processes of the beginning have no room in it.
    pub fn first_pool_size(&self) -> Result<u16, CheckError> {
        first_pool_size(self.model.pool())
    }
    /// The system, with a pool of `pool_size` positions: at least as many as there are processes at the beginning, at
    /// most [`MAX_POOL_SIZE`](lariat_system::MAX_POOL_SIZE). A model that is a system has its own.
    pub fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        self.model.system(pool_size)
    }
}

/// Whether a word is in the text, and not only as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter))
}

fn read_in_order(
    front_ends: &FrontEnds,
    path: &Path,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> Result<ModelInOrder, Vec<Diagnostic>> {
    let wrong = |code, message: String| vec![Diagnostic::error(Span::NONE, code, message)];
    let name = path.display();
    let front_end = front_ends.reading(path);
    if let Some(option) = options.first_given().filter(|_| !front_end.takes_options()) {
        let language = front_end.language();
        let message = format!("`{option}` is for Promela, and `{name}` is read as {language}; leave the option out");
        return Err(wrong("F0010", message));
    }
    front_end.read(path, options, sources)
}
