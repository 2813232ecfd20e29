//! Front ends: the languages that models are written in.
//!
//! A [`FrontEnd`] reads a text and gives a [`FrontModel`]: what the model states, and the system that it is. Formulas about
//! a model are read by its [`PropositionReader`], which knows the conditions of the language; all that is known about time
//! is elsewhere. What only some languages have, such as SPIN's numbers of statements, is a capability that a model offers.
//!
//! A language is added by a file with these three traits and a line in [`front_ends`].

mod plain;
mod promela;
mod smv;
mod text;

pub use crate::read::read_text;
pub use plain::PlainReader;
pub(crate) use text::SystemModel;

use crate::ReadOptions;
use lariat_automata::Automaton;
use lariat_base::{Diagnostic, FileId, SourceMap, Span};
use lariat_engine::{Extremum, Statement, statements_of_actions};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{DeadEnds, LabelId, System};
use std::fmt;
use std::path::Path;

/// Our front ends. The first one reads the files whose names end in a way that no front end knows.
const FRONT_ENDS: &[&dyn FrontEnd] = &[&promela::Promela, &smv::Smv, &text::SystemText];

/// Front ends, of which there is at least one.
#[derive(Clone)]
pub struct FrontEnds {
    list: Vec<&'static dyn FrontEnd>,
}

/// All our front ends.
pub fn front_ends() -> FrontEnds {
    FrontEnds { list: FRONT_ENDS.to_vec() }
}

impl FrontEnds {
    /// These and a further one.
    #[must_use]
    pub fn with(mut self, front_end: &'static dyn FrontEnd) -> Self {
        self.list.push(front_end);
        self
    }
    /// The front ends.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn FrontEnd> + '_ {
        self.list.iter().copied()
    }
    /// The one that reads the file: by the ending of its name, else the first.
    pub fn reading(&self, path: &Path) -> &'static dyn FrontEnd {
        self.knowing(path).unwrap_or(self.list[0])
    }
    /// How a comment to the end of the line begins in the file, if its name ends as those of models do.
    pub fn comment_of(&self, path: &Path) -> Option<&'static str> {
        self.knowing(path).map(FrontEnd::comment)
    }
    /// How the names of models end: `.pml, .smv`.
    pub fn endings(&self) -> String {
        let endings = self.iter().flat_map(FrontEnd::endings).map(|ending| format!(".{ending}"));
        endings.collect::<Vec<_>>().join(", ")
    }
    /// The first that knows how the name of the file ends.
    fn knowing(&self, path: &Path) -> Option<&'static dyn FrontEnd> {
        let ending = path.extension()?.to_str()?;
        self.iter().find(|front_end| front_end.endings().contains(&ending))
    }
}

/// A language that models are written in.
pub trait FrontEnd: Sync {
    /// The name of the language.
    fn language(&self) -> &'static str;

    /// How the names of its files end, without the dot.
    fn endings(&self) -> &'static [&'static str];

    /// How a comment to the end of the line begins: models state their answers in comments.
    fn comment(&self) -> &'static str;

    /// Whether it honours [`ReadOptions`]. Where it does not, they are refused before anything is read.
    fn takes_options(&self) -> bool {
        false
    }

    /// What editors ask about its texts, if it records what names mean.
    fn edited_texts(&self) -> Option<&dyn EditedTexts> {
        None
    }

    /// Reads the model in the file. The texts it consists of are added to `sources`, and so is what names mean, if that is to
    /// be recorded, also where there are errors.
    fn read(
        &self,
        path: &Path,
        options: &ReadOptions,
        sources: &mut SourceMap,
    ) -> Result<ModelInOrder, Vec<Diagnostic>>;
}

/// A language whose texts can be worked on in an editor: [`FrontEnd::read`] records what their names mean.
pub trait EditedTexts {
    /// The places of all words that can be names, also where nothing reads them.
    fn words(&self, file: FileId, text: &str) -> Vec<Span>;

    /// The words that cannot be names.
    fn keywords(&self) -> Vec<&'static str>;
}

/// A model without errors.
#[derive(Debug)]
pub struct ModelInOrder {
    /// The model.
    pub model: Box<dyn FrontModel>,
    /// What is suspicious about it.
    pub warnings: Vec<Diagnostic>,
}

/// How a value is told, by which of the conditions hold that were asked for it; `None` if they do not say.
pub type TellValue = Box<dyn Fn(&[bool]) -> Option<String> + Send + Sync>;

/// An expression as conditions: a language reads conditions about itself, and systems observe nothing else.
pub struct Questions {
    /// The texts of the conditions.
    pub conditions: Vec<String>,
    /// What their truth says.
    pub value: TellValue,
}

/// A model in the terms of its language, before it is a system.
pub trait FrontModel: fmt::Debug + Send + Sync {
    /// The properties it states beside `safety`, in the order of the text. No two have the same name.
    fn properties(&self) -> Vec<StatedProperty>;

    /// How many processes it has.
    fn pool(&self) -> Pool;

    /// The system, with a pool of `pool_size` positions: at least as many as there are processes at the beginning, at most
    /// [`MAX_POOL_SIZE`](lariat_system::MAX_POOL_SIZE). The size does not matter where the pool is fixed.
    fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>>;

    /// A reader of formulas about the model, without a proposition yet.
    fn reader(&self) -> Box<dyn PropositionReader + '_>;

    /// Whether an error in a property that it states is told only when the property is asked for. Others are errors of the
    /// model.
    fn defers(&self, _error: &Diagnostic) -> bool {
        false
    }

    /// What becomes of a run that ends.
    fn dead_ends(&self) -> DeadEnds {
        DeadEnds::Stutter
    }

    /// Whether `safety` is settled where nothing is asked for by name. Otherwise it is only if the model states nothing.
    fn settles_safety(&self) -> bool {
        true
    }

    /// The statements that a search may or may not reach; `system` is the one that was searched.
    fn statements(&self, system: &System) -> Vec<Statement> {
        statements_of_actions(system)
    }

    /// Why nobody can ask for fairness of its processes, and what to do instead; nothing if they can.
    fn no_process_fairness(&self) -> Option<&'static str> {
        None
    }

    /// What to ask of a state to learn the value of an expression in it. Where a language says nothing, expressions are conditions.
    fn questions(&self, _sources: &mut SourceMap, text: &str) -> Result<Questions, Vec<Diagnostic>> {
        let value = |holds: &[bool]| Some(i64::from(holds[0]).to_string());
        Ok(Questions { conditions: vec![text.to_owned()], value: Box::new(value) })
    }

    /// What SPIN knows of the model, if SPIN can read it.
    fn spin(&self) -> Option<&dyn SpinModel> {
        None
    }

    /// The model with unbounded channels, if the language has channels whose length can be left open.
    fn unbounded(&self) -> Option<&dyn UnboundedChannels> {
        None
    }
}

/// What is wrong with the properties that a model states, but for its never claims, in the order of the text.
pub(crate) fn broken_properties(model: &dyn FrontModel, sources: &mut SourceMap) -> Vec<Diagnostic> {
    let mut stated = model.properties();
    stated.retain(|property| !property.on_request && property.kind != PropertyKind::NeverClaim);
    // Mostly all are in order, and then one look is enough.
    if errors_of(model, sources, &stated).is_empty() {
        return Vec::new();
    }
    stated.iter().flat_map(|property| errors_of(model, sources, std::slice::from_ref(property))).collect()
}

fn errors_of(model: &dyn FrontModel, sources: &mut SourceMap, stated: &[StatedProperty]) -> Vec<Diagnostic> {
    if stated.is_empty() {
        return Vec::new();
    }
    let mut reader = model.reader();
    let read = stated.iter().map(|property| reader.property(sources, &property.name));
    let mut errors: Vec<Diagnostic> = read.filter_map(Result::err).flatten().collect();
    if errors.is_empty() {
        errors = reader.observed(sources).err().unwrap_or_default();
    }
    errors.retain(|error| error.is_error() && !model.defers(error));
    errors
}

/// A property that a model states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatedProperty {
    /// The name it goes by.
    pub name: String,
    /// What kind.
    pub kind: PropertyKind,
    /// Where it is stated.
    pub place: Span,
    /// Whether it is settled only if it is asked for by name.
    pub on_request: bool,
}

/// The kinds of properties.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// A formula `G p` about all states that can be reached, whether runs are fair and go on for ever or not.
    Invariant,
    /// A formula of linear time, which is to hold on all runs.
    Ltl,
    /// The same, on runs that do not end.
    LtlOfInfiniteRuns,
    /// A formula with path quantifiers.
    CtlStar,
    /// An automaton that accepts the bad runs.
    NeverClaim,
    /// A question for a number of steps.
    Distance,
}

impl PropertyKind {
    /// Whether it speaks of single runs.
    pub fn is_of_linear_time(self) -> bool {
        match self {
            Self::Invariant | Self::Ltl | Self::LtlOfInfiniteRuns | Self::NeverClaim => true,
            Self::CtlStar | Self::Distance => false,
        }
    }
}

/// What a property that a model states says, in terms of the propositions of its reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadProperty {
    /// A formula.
    Formula(Formula),
    /// A never claim: it comes with [`PropositionReader::observed`].
    NeverClaim,
    /// How many steps lead from states with the first formula of CTL to states with the second, at least or at most.
    Distance(Extremum, Formula, Formula),
}

/// The processes of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pool {
    /// How many can live at once is part of the model.
    Fixed {
        /// So many.
        size: u16,
        /// At most this many live at the beginning.
        at_beginning: u16,
    },
    /// How many can live at once is guessed. A guess that was too small is made again.
    Guessed {
        /// Never more than this, if the text tells.
        bound: Option<u16>,
        /// At most this many live at the beginning.
        at_beginning: u16,
    },
}

/// Reads what speaks of a model, and collects the propositions.
pub trait PropositionReader {
    /// The propositions of everything that was read.
    fn propositions(&self) -> &Propositions;

    /// The property of this name that the model states.
    fn property(&mut self, sources: &mut SourceMap, name: &str) -> Result<ReadProperty, Vec<Diagnostic>>;

    /// A formula from outside of the model, with path quantifiers or without. Its text is added to `sources` as `name`, which
    /// says where it comes from.
    fn formula(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        quantifiers: bool,
    ) -> Result<Formula, Vec<Diagnostic>>;

    /// A condition of the model's language; `text` stands at `place`.
    fn condition(&mut self, sources: &mut SourceMap, text: &str, place: Span) -> Result<PropId, Vec<Diagnostic>>;

    /// The model in which every proposition is a label.
    fn observed(self: Box<Self>, sources: &mut SourceMap) -> Result<Observed, Vec<Diagnostic>>;
}

/// A model whose systems have the labels that formulas speak of.
#[derive(Debug)]
pub struct Observed {
    /// The model.
    pub model: Box<dyn FrontModel>,
    /// The propositions.
    pub propositions: Propositions,
    /// By proposition the label that it is.
    pub labels: Vec<LabelId>,
    /// The never claim that was read, over these propositions: it accepts the bad runs.
    pub claim: Option<Automaton>,
    /// Propositions that cannot be read in every state, each with one that is true where that is so.
    pub misreads: Vec<(PropId, PropId)>,
}

/// What SPIN knows of a model.
pub trait SpinModel {
    /// The property that SPIN's trails call by this number of its claim, if that is known.
    fn property_of_trail(&self, number: usize) -> Option<String>;

    /// SPIN's numbers of the statements that can be taken where control is at a label: see
    /// [`Action::trail`](lariat_system::Action).
    fn statements_at(&self, label: &str) -> Vec<u32>;
}

/// A model whose channels can be taken as unbounded.
pub trait UnboundedChannels {
    /// The system in which no send ever waits, with room for `channel_bound` messages in each channel, at least 2. To send one
    /// more is a trap.
    fn unbounded_system(&self, pool_size: u16, channel_bound: u32) -> Result<System, Vec<Diagnostic>>;
}
