//! The front door: from a text to a model that can be lowered for any size of the process pool.

use crate::check::{Checked, Observable, check_observing};
use crate::claim::automaton;
use crate::flow::ElementKind;
use crate::lint::lint;
use crate::lower::{LowerOptions, Overflow, lower};
use crate::parse::{parse_expression, parse_model};
use crate::phrase::{LtlBlock, Observation, Phrase};
use crate::preprocess::{Loader, Macros, Options, preprocess_alone};
use crate::report::Report;
use crate::token::Name;
use crate::tree::{Model, Unit};
use lariat_automata::Automaton;
use lariat_base::{Diagnostic, FileId, Id, SourceMap, Span};
use lariat_system::{Layout, MAX_POOL_SIZE, System};
use std::collections::HashSet;
use std::sync::Arc;

/// How a text is to be read.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// For the preprocessor.
    pub preprocess: Options,
    /// A send to a full channel succeeds and the message is lost, as with SPIN's `-m`.
    pub lose_messages: bool,
    /// Runs end properly only with all channels empty, as with SPIN's `-q`.
    pub empty_channels: bool,
    /// What a value is that does not fit where it is stored.
    pub overflow: Overflow,
}

/// A model without errors.
#[derive(Debug)]
pub struct CheckedModel {
    checked: Checked,
    warnings: Arc<[Diagnostic]>,
    options: LowerOptions,
    /// As it was read: what is observed may change what the model is, so it may have to be checked again. Every property that
    /// is checked has a model of its own, so all that is the same in them is shared.
    tree: Arc<Model>,
    macros: Arc<Macros>,
}

/// Reads a model. `loader` finds the texts of `#include`s.
pub fn read_model(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
    options: &ModelOptions,
    loader: &mut Loader<'_>,
) -> Result<CheckedModel, Vec<Diagnostic>> {
    let main = FileId::new(sources.len());
    let parsed = parse_model(sources, name, text, &options.preprocess, loader);
    let mut names = sources.take_names();
    let is_broken = parsed.diagnostics.iter().any(Diagnostic::is_error);
    // What names mean in the part of a broken text that could be read is worth knowing; what else is wrong with it is not.
    let checked = (!is_broken || names.is_some()).then(|| check_observing(name, &parsed.model, None, &[], &mut names));
    sources.give_names(names);
    let checked = match checked.filter(|_| !is_broken) {
        None => return Err(parsed.diagnostics),
        Some(checked) => checked,
    };
    let checked = match checked {
        Ok(checked) => checked,
        Err(mut errors) => {
            // What is missing from a text has no place in it, but is missing from this one.
            let nowhere = errors.iter_mut().filter(|error| error.span.is_none());
            nowhere.for_each(|error| error.span = Span::new(main, 0, 0));
            return Err(parsed.diagnostics.into_iter().chain(errors).collect());
        }
    };
    let found = checked.warnings.iter().cloned().chain(lint(sources, &parsed.model, &checked));
    let warnings = parsed.diagnostics.into_iter().chain(found).collect();
    Ok(CheckedModel {
        checked,
        warnings,
        options: LowerOptions {
            lose_messages: options.lose_messages,
            empty_channels: options.empty_channels,
            channel_bound: None,
            overflow: options.overflow,
        },
        tree: Arc::new(parsed.model),
        macros: Arc::new(parsed.macros),
    })
}

impl CheckedModel {
    /// What is suspicious but no error.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// The `ltl` blocks and `never` claims, by the names that properties go by.
    pub fn properties(&self) -> &[(String, Span)] {
        &self.checked.properties
    }
    /// The `ltl` blocks, in the order of the text.
    pub fn ltl_blocks(&self) -> &[LtlBlock] {
        &self.checked.ltl_blocks
    }
    /// The `never` claims by their names, in the order of the text.
    pub fn claims(&self) -> &[(String, Span)] {
        &self.checked.claims
    }
    /// The `ltl` block or `never` claim that SPIN's trails call by this number: process types and `never` claims are counted in
    /// the order of the text, then `ltl` blocks.
    pub fn claim_of_trail(&self, number: usize) -> Option<&str> {
        let Self { checked, .. } = self;
        if let [(only, _)] = checked.properties.as_slice() {
            return Some(only);
        }
        let before = checked.procs.len() + checked.claims.len() + usize::from(checked.trace.is_some());
        match (number.checked_sub(before), checked.claims.as_slice()) {
            (Some(block), _) => checked.ltl_blocks.get(block).map(|block| block.name.as_str()),
            (None, [(only, _)]) => Some(only),
            (None, _) => None,
        }
    }
    /// A text that speaks of the model, such as a formula, with the model's macros expanded. It is added to `sources` as
    /// `name`.
    pub fn phrase(&self, sources: &mut SourceMap, name: &str, text: &str) -> Result<Phrase, Vec<Diagnostic>> {
        let mut report = Report::default();
        let file = sources.add(name, text);
        let tokens = preprocess_alone(sources, file, &self.macros, &mut report);
        let diagnostics = report.finish();
        if diagnostics.iter().any(Diagnostic::is_error) { Err(diagnostics) } else { Ok(Phrase::new(tokens)) }
    }
    /// The same for a text that stands at `place` in one of the sources, perhaps between quotes: what is said about it is
    /// said there.
    pub fn phrase_at(&self, sources: &mut SourceMap, text: &str, place: Span) -> Result<Phrase, Vec<Diagnostic>> {
        let own = FileId::new(sources.len());
        let offset = sources.text(place).find(text).map(|offset| place.start + offset as u32);
        let moved = |span: Span| match offset {
            _ if span.file != own => span,
            Some(offset) => Span { file: place.file, start: offset + span.start, end: offset + span.end },
            // It is written with escapes.
            None => place,
        };
        match self.phrase(sources, "<proposition>", text) {
            Ok(phrase) => Ok(phrase.moved(moved)),
            Err(mut diagnostics) => {
                for diagnostic in &mut diagnostics {
                    diagnostic.span = moved(diagnostic.span);
                    diagnostic.notes.iter_mut().for_each(|note| note.span = moved(note.span));
                }
                Err(diagnostics)
            }
        }
    }
    /// The model with conditions to be observed. Its systems have a label for each, in this order, before any others: of
    /// states, but `moves(1)` is a label of the steps in which process 1 takes part.
    ///
    /// It may have more states than before: control rests at a label that is spoken of, and `_last` becomes part of the
    /// state. Conditions observed so far are no longer.
    pub fn observing(
        &self,
        sources: &mut SourceMap,
        observations: &[Observation],
    ) -> Result<CheckedModel, Vec<Diagnostic>> {
        self.observing_all(sources, None, observations)
    }
    /// Of the labels of conditions that are observed, those that cannot be read in every state, each with the label of the
    /// states where that is so: an index lies outside of its array, or a divisor is 0.
    pub fn misreads(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.checked.observed.iter().enumerate().filter_map(|(label, observed)| match observed.observable {
            Observable::Misread(condition) => Some((condition, label)),
            Observable::Condition(_) | Observable::Moves(_) => None,
        })
    }
    /// The model with the never claim `name` to be observed, and then `more`: see [`CheckedModel::observing`]. The claim
    /// comes as an automaton that accepts the runs it forbids. Proposition `n` of it is label `n` of the systems.
    pub fn observing_claim(
        &self,
        sources: &mut SourceMap,
        name: &str,
        more: &[Observation],
    ) -> Result<(CheckedModel, Automaton), Vec<Diagnostic>> {
        let observed = self.observing_all(sources, Some(name), more)?;
        let claim = observed.checked.claim.as_ref().expect("a claim that is not there is an error");
        let automaton = automaton(claim).map_err(|error| vec![error])?;
        Ok((observed, automaton))
    }
    fn observing_all(
        &self,
        sources: &mut SourceMap,
        claim: Option<&str>,
        observations: &[Observation],
    ) -> Result<CheckedModel, Vec<Diagnostic>> {
        let proctypes: HashSet<Name> = (self.tree.units.iter())
            .filter_map(|unit| match unit {
                Unit::Proctype(proctype) => Some(proctype.name.name.clone()),
                _ => None,
            })
            .collect();
        let (mut conditions, mut errors) = (Vec::new(), Vec::new());
        for observation in observations {
            let phrase = match observation.condition.quoted().map(str::to_owned) {
                Some(text) => self.phrase(sources, "<quoted>", &text)?,
                None => observation.condition.clone(),
            };
            match parse_expression(sources, phrase.tokens(), proctypes.clone()) {
                Ok(condition) => conditions.push((observation.name.clone(), condition)),
                Err(found) => errors.extend(found),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut names = sources.take_names();
        let checked = check_observing(&self.checked.name, &self.tree, claim, &conditions, &mut names);
        sources.give_names(names);
        Ok(CheckedModel {
            checked: checked?,
            warnings: Arc::clone(&self.warnings),
            options: self.options,
            tree: Arc::clone(&self.tree),
            macros: Arc::clone(&self.macros),
        })
    }
    /// SPIN's numbers of the statements that can be taken where control is at a label: at `cs` in every process type that
    /// has such a label, at `P@cs` in one.
    pub fn statements_at(&self, label: &str) -> Vec<u32> {
        let (proc, label) = match label.split_once('@') {
            Some((proc, label)) => (Some(proc.trim()), label.trim()),
            None => (None, label.trim()),
        };
        let flows = self.checked.procs.iter().filter(|known| proc.is_none_or(|name| known.name == name));
        let mut numbers = Vec::new();
        for flow in flows.map(|proc| &proc.flow) {
            let labelled = flow.labels.iter().filter(|(name, _)| name == label).filter_map(|&(_, at)| flow.rest(at));
            for element in labelled {
                let offers = flow.offers_at(element, false);
                numbers.extend(offers.iter().filter_map(|offer| flow.trail_number(offer.step)));
            }
        }
        numbers
    }
    /// The statements that are steps, as (process type, text, place), closing braces included.
    pub fn statements(&self) -> impl Iterator<Item = (&str, &str, Span)> {
        self.checked.procs.iter().flat_map(|proc| {
            let steps = proc
                .flow
                .elements
                .iter()
                .filter(|element| matches!(element.kind, ElementKind::Basic(_) | ElementKind::End));
            steps.map(|element| (proc.name.as_str(), element.text.as_str(), element.span))
        })
    }
    /// The number of processes that live at the beginning.
    pub fn initial_processes(&self) -> u16 {
        self.checked.initial.len() as u16
    }
    /// The most processes that can ever be created, if the text bounds them by a small number: see [`Checked::pool_bound`].
    pub fn pool_bound(&self) -> Option<u16> {
        self.checked.pool_bound()
    }
    /// The system, with room for `pool_size` processes.
    pub fn system(&self, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        self.lowered(self.options, pool_size)
    }
    /// The system with the channels that hold messages taken as unbounded: no send ever waits, and no channel is ever full.
    /// There is room for `channel_bound` messages in each, at least 2; a send of one more is the trap
    /// [`ChannelBound`](lariat_system::TrapKind::ChannelBound). For every bound it has the same actions, channels and slots.
    pub fn unbounded_system(&self, pool_size: u16, channel_bound: u32) -> Result<System, Vec<Diagnostic>> {
        assert!(channel_bound >= 2, "channels for {channel_bound} messages are too short to show growth");
        // Nothing is lost where nothing is ever full.
        let options = LowerOptions { lose_messages: false, channel_bound: Some(channel_bound), ..self.options };
        self.lowered(options, pool_size)
    }
    /// Whether some channel can hold messages.
    pub fn has_buffered_channels(&self) -> bool {
        self.checked.channels.iter().any(|decl| decl.capacity > 0)
    }
    fn lowered(&self, options: LowerOptions, pool_size: u16) -> Result<System, Vec<Diagnostic>> {
        assert!(
            pool_size >= self.initial_processes() && pool_size <= MAX_POOL_SIZE,
            "a pool for {pool_size} processes"
        );
        let system = lower(&self.checked, options, pool_size)?;
        if let Err(too_large) = Layout::new(&system) {
            let help = "make arrays, channels or numbers of processes smaller";
            return Err(vec![Diagnostic::error(Span::NONE, "P0500", too_large.to_string()).help(help)]);
        }
        system.validate()?;
        Ok(system)
    }
}
