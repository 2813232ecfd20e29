//! Promela, with its preprocessor and what SPIN knows of a model.

use super::{
    EditedTexts, FrontEnd, FrontModel, ModelInOrder, Observed, Pool, PropertyKind, PropositionReader, Questions,
    ReadProperty, SpinModel, StatedProperty, UnboundedChannels,
};
use crate::ReadOptions;
use crate::read::{Source, read_source};
use crate::select::SAFETY;
use lariat_base::{Diagnostic, FileId, Id, SourceMap, Span, UnsavedTexts};
use lariat_engine::Statement;
use lariat_logic::{Dialect, Formula, ParseOptions, PropId, Propositions, parse};
use lariat_promela::token::Keyword;
use lariat_promela::{CheckedModel, ModelOptions, Observation, Phrase, read_model};
use lariat_system::{LabelId, System};
use std::path::{Path, PathBuf};

/// Properties of every model, settled if they are asked for by name, and what they say of runs that do not end.
const ON_REQUEST: [(&str, &str); 2] = [("np_", "[]<> !np_"), ("accept", "<>[] !accept_")];

/// The code of errors about what Promela allows and we cannot observe.
const UNOBSERVABLE: &str = "P0451";

/// The front end of Promela.
#[derive(Debug)]
pub(super) struct Promela;

impl EditedTexts for Promela {
    fn words(&self, file: FileId, text: &str) -> Vec<Span> {
        lariat_promela::words(file, text)
    }

    fn keywords(&self) -> Vec<&'static str> {
        Keyword::ALL.iter().map(|keyword| keyword.text()).collect()
    }
}

impl FrontEnd for Promela {
    fn language(&self) -> &'static str {
        "Promela"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["pml", "prom", "prm", "promela", "spin"]
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn takes_options(&self) -> bool {
        true
    }

    fn edited_texts(&self) -> Option<&dyn EditedTexts> {
        Some(self)
    }

    fn read(
        &self,
        path: &Path,
        options: &ReadOptions,
        sources: &mut SourceMap,
    ) -> Result<ModelInOrder, Vec<Diagnostic>> {
        let mut warnings = Vec::new();
        match read_promela(path, options, sources, &mut warnings) {
            Ok(model) => {
                warnings.extend_from_slice(model.warnings());
                warnings.extend(channel_options_without_effect(&model, options));
                Ok(ModelInOrder { model: Box::new(PromelaModel(model)), warnings })
            }
            Err(diagnostics) => Err(warnings.into_iter().chain(diagnostics).collect()),
        }
    }
}

/// Warnings about options that are about messages in channels, where no channel holds any.
fn channel_options_without_effect(model: &CheckedModel, options: &ReadOptions) -> Vec<Diagnostic> {
    let given = [("--lose-messages", options.lose_messages), ("--empty-channels", options.empty_channels)];
    let without_effect = given.into_iter().filter(|(_, is_given)| *is_given && !model.has_buffered_channels());
    let warning = |(option, _)| {
        let message = format!("`{option}` has no effect: the model has no channel that can hold a message");
        Diagnostic::warning(Span::NONE, "C0015", message)
    };
    without_effect.map(warning).collect()
}

/// Reads the model; what is odd about its files is added to `warnings`.
fn read_promela(
    path: &Path,
    options: &ReadOptions,
    sources: &mut SourceMap,
    warnings: &mut Vec<Diagnostic>,
) -> Result<CheckedModel, Vec<Diagnostic>> {
    let folders = options.include_folders.iter().map(|folder| ("-I", folder));
    let root = options.include_root.iter().map(|folder| ("--include-root", folder));
    if let Some((option, folder)) = folders.chain(root).find(|(_, folder)| !folder.is_dir()) {
        let message = format!("`{option} {}`: there is no such folder", folder.display());
        return Err(vec![
            Diagnostic::error(Span::NONE, "F0006", message).help("check the spelling and the folder you are in"),
        ]);
    }
    let preprocess = lariat_promela::Options { defines: options.defines.clone() };
    let ReadOptions { lose_messages, empty_channels, overflow, .. } = *options;
    let model_options = ModelOptions { preprocess, lose_messages, empty_channels, overflow };
    let name = path.display().to_string();
    let Source { text, odd } = read_source(sources.unsaved(), path).map_err(|diagnostic| vec![diagnostic])?;
    // The files that are not UTF-8, with the first byte that is not.
    let mut odd_files: Vec<(String, usize)> = odd.map(|at| (name.clone(), at)).into_iter().collect();
    let unsaved = sources.unsaved().clone();
    let mut loader = |written: &str, includer: &str| {
        let (name, Source { text, odd }) = find_included(written, includer, options, &unsaved)?;
        odd_files.extend(odd.map(|at| (name.clone(), at)).filter(|odd| !odd_files.contains(odd)));
        Ok((name, text))
    };
    let read = read_model(sources, &name, &text, &model_options, &mut loader);
    warnings.extend(odd_files.iter().map(|(name, at)| read_as_latin_1(sources, name, *at)));
    read
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
fn find_included(
    written: &str,
    includer: &str,
    options: &ReadOptions,
    unsaved: &UnsavedTexts,
) -> Result<(String, Source), String> {
    let folders = &options.include_folders;
    let beside = Path::new(includer).parent().unwrap_or(Path::new(""));
    let mut candidates =
        [beside].into_iter().chain(folders.iter().map(PathBuf::as_path)).map(|folder| folder.join(written));
    let Some(path) = candidates.clone().find(|path| path.is_file() || unsaved.get(path).is_some()) else {
        if let Some(other) = candidates.find(|path| path.exists()) {
            return Err(format!("`{}` is not a file", other.display()));
        }
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
    match read_source(unsaved, &path) {
        Ok(source) => Ok((path.display().to_string(), source)),
        Err(diagnostic) => Err(diagnostic.message),
    }
}

/// A model of Promela.
#[derive(Debug)]
struct PromelaModel(CheckedModel);

/// The name that a property of a model goes by: its own, unless every model has a property of that name.
fn public_name(own: &str) -> String {
    let taken = own == SAFETY || ON_REQUEST.iter().any(|(known, _)| *known == own);
    if taken { format!("ltl {own}") } else { own.to_owned() }
}

/// Integers have as many bits.
const BITS_OF_INT: u32 = 32;

impl FrontModel for PromelaModel {
    fn properties(&self) -> Vec<StatedProperty> {
        let blocks = self.0.ltl_blocks();
        let own = self.0.properties().iter().map(|(own, place)| {
            let is_block = blocks.iter().any(|block| block.name == *own);
            let kind = if is_block { PropertyKind::Ltl } else { PropertyKind::NeverClaim };
            StatedProperty { name: public_name(own), kind, place: *place, on_request: false }
        });
        let on_request = ON_REQUEST.iter().map(|(name, _)| StatedProperty {
            name: (*name).to_owned(),
            kind: PropertyKind::LtlOfInfiniteRuns,
            place: Span::NONE,
            on_request: true,
        });
        own.chain(on_request).collect()
    }

    fn pool(&self) -> Pool {
        Pool::Guessed { bound: self.0.pool_bound(), at_beginning: self.0.initial_processes() }
    }

    fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        self.0.system(pool_size)
    }

    fn reader(&self) -> Box<dyn PropositionReader + '_> {
        Box::new(PhraseReader::new(&self.0))
    }

    fn defers(&self, error: &Diagnostic) -> bool {
        error.code == UNOBSERVABLE
    }

    fn statements(&self, _: &System) -> Vec<Statement> {
        let statements = self.0.statements();
        statements
            .map(|(process, text, span)| Statement { process: process.to_owned(), text: text.to_owned(), span })
            .collect()
    }

    fn questions(&self, _: &mut SourceMap, text: &str) -> Result<Questions, Vec<Diagnostic>> {
        // A bit of a number is a condition. The text itself comes first: what is wrong is said about it as it is.
        let bits = (0..BITS_OF_INT).map(|bit| format!("((({text}) >> {bit}) & 1) == 1"));
        let conditions = std::iter::once(text.to_owned()).chain(bits).collect();
        let value = |holds: &[bool]| {
            let bits: u32 = holds[1..].iter().zip(0..).map(|(holds, bit)| u32::from(*holds) << bit).sum();
            Some((bits as i32).to_string())
        };
        Ok(Questions { conditions, value: Box::new(value) })
    }

    fn spin(&self) -> Option<&dyn SpinModel> {
        Some(self)
    }

    fn unbounded(&self) -> Option<&dyn UnboundedChannels> {
        Some(self)
    }
}

impl SpinModel for PromelaModel {
    fn property_of_trail(&self, number: usize) -> Option<String> {
        self.0.claim_of_trail(number).map(public_name)
    }

    fn statements_at(&self, label: &str) -> Vec<u32> {
        self.0.statements_at(label)
    }
}

impl UnboundedChannels for PromelaModel {
    fn unbounded_system(&self, pool_size: u16, channel_bound: u32) -> Result<System, Vec<Diagnostic>> {
        self.0.unbounded_system(pool_size, channel_bound)
    }
}

/// Reads formulas whose macros are expanded. Each proposition is a condition of Promela.
struct PhraseReader<'m> {
    model: &'m CheckedModel,
    propositions: Propositions,
    /// For each proposition the condition that it is.
    conditions: Vec<Phrase>,
    /// The name of the never claim that was read.
    claim: Option<String>,
}

impl<'m> PhraseReader<'m> {
    fn new(model: &'m CheckedModel) -> Self {
        Self { model, propositions: Propositions::default(), conditions: Vec::new(), claim: None }
    }

    fn parsed(&mut self, phrase: &Phrase, dialect: Dialect, quantifiers: bool) -> Result<Formula, Vec<Diagnostic>> {
        let options = ParseOptions { dialect, quantifiers, file: Span::NONE.file };
        let formula = parse(phrase.text(), options, &mut self.propositions)
            .map_err(|diagnostic| vec![phrase.relocated(diagnostic)])?;
        for (_, proposition) in self.propositions.entries().skip(self.conditions.len()) {
            let span = proposition.span;
            self.conditions.push(phrase.part(span.start as usize..span.end as usize));
        }
        Ok(formula)
    }

    fn observations(&self) -> Vec<Observation> {
        let texts = self.propositions.entries().map(|(_, proposition)| proposition.text.clone());
        texts
            .zip(&self.conditions)
            .map(|(name, condition)| Observation { name, condition: condition.clone() })
            .collect()
    }
}

impl PropositionReader for PhraseReader<'_> {
    fn propositions(&self) -> &Propositions {
        &self.propositions
    }

    fn property(&mut self, sources: &mut SourceMap, name: &str) -> Result<ReadProperty, Vec<Diagnostic>> {
        if let Some((_, cycles)) = ON_REQUEST.iter().find(|(known, _)| *known == name) {
            return self.formula(sources, "formula", cycles, false).map(ReadProperty::Formula);
        }
        match self.model.ltl_blocks().iter().find(|block| public_name(&block.name) == name) {
            Some(block) => self.parsed(&block.formula, Dialect::Spin, false).map(ReadProperty::Formula),
            None => {
                let own = self.model.properties().iter().map(|(own, _)| own).find(|own| public_name(own) == name);
                self.claim = Some(own.expect("the model states this property").clone());
                Ok(ReadProperty::NeverClaim)
            }
        }
    }

    fn formula(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        quantifiers: bool,
    ) -> Result<Formula, Vec<Diagnostic>> {
        let phrase = self.model.phrase(sources, name, text)?;
        self.parsed(&phrase, Dialect::Auto, quantifiers)
    }

    fn condition(&mut self, sources: &mut SourceMap, text: &str, place: Span) -> Result<PropId, Vec<Diagnostic>> {
        let phrase = self.model.phrase_at(sources, text, place)?;
        let prop = self.propositions.intern(phrase.text(), Span::NONE);
        if prop.0 as usize == self.conditions.len() {
            self.conditions.push(phrase);
        }
        Ok(prop)
    }

    fn observed(mut self: Box<Self>, sources: &mut SourceMap) -> Result<Observed, Vec<Diagnostic>> {
        let observations = self.observations();
        let (observing, claim) = match &self.claim {
            Some(name) => {
                let (observing, claim) = self.model.observing_claim(sources, name, &observations)?;
                (observing, Some(claim))
            }
            None => (self.model.observing(sources, &observations)?, None),
        };
        // The claim's conditions come first.
        let of_claim: &[String] = claim.as_ref().map_or(&[], |claim| &claim.propositions);
        let mut labels: Vec<LabelId> =
            (0..observations.len()).map(|number| LabelId::new(of_claim.len() + number)).collect();
        for (number, text) in of_claim.iter().enumerate() {
            if self.propositions.intern(text, Span::NONE).index() == labels.len() {
                labels.push(LabelId::new(number));
            }
        }
        let mut misreads = Vec::new();
        for (condition, label) in observing.misreads() {
            // A condition of the claim may be a proposition already, with a label and a misreading of its own.
            let Some(known) = labels.iter().position(|known| known.index() == condition) else { continue };
            let prop = PropId::new(known);
            let text = format!("{} cannot be read", self.propositions.text(prop));
            let misread = self.propositions.intern(&text, Span::NONE);
            if misread.index() == labels.len() {
                labels.push(LabelId::new(label));
            }
            misreads.push((prop, misread));
        }
        let (model, propositions) = (Box::new(PromelaModel(observing)), self.propositions);
        Ok(Observed { model, propositions, labels, claim, misreads })
    }
}
