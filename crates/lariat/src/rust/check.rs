//! Checking a Rust model.

use super::model::{Meaning, Model, Proposition, Propositions};
use super::replay::{ModelReplay, ModelRun};
use super::space::ModelSpace;
use super::{Pack, Property, Stated};
use crate::choice::Others;
use crate::plan::{self, SearchRequest};
use crate::pool::NoAnswer;
use crate::unused::ensure_fields_used;
use crate::{CheckError, Engines, Simplify};
use lariat_automata::{TranslateOptions, translate};
use lariat_base::{Diagnostic, Id, Span, closest_name};
use lariat_engine::{
    Demand, Evidence, Options, Property as Asks, Replayed, Report, RunControl, SpaceLabel, SpaceSubject, Subject,
    Temporal, Verdict,
};
use lariat_logic::{Dialect, ParseOptions, parse};
use lariat_space::AnySpace;
use lariat_system::{DeadEnds, Fairness, LabelId};

/// How a Rust model is checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckOptions {
    /// The engines to choose from.
    pub engines: Engines,
    /// The name of the engine to use; the first that supports the property if not given.
    pub engine: Option<&'static str>,
    /// How many threads search; as many as the engine can use and the machine has if not given.
    pub threads: Option<usize>,
    /// For the engine.
    pub options: Options,
}

/// A property of a Rust model with its answer. Every run in it was replayed: see [`ModelRun`].
#[derive(Debug)]
pub struct Settled<S, A> {
    name: String,
    engine: &'static str,
    replayed: Replayed<ModelRun<S, A>>,
}

impl<S, A> Settled<S, A> {
    /// The name of the property.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        self.engine
    }
    /// The answer with its figures.
    pub fn report(&self) -> &Report {
        self.replayed.report()
    }
    /// Whether the property holds.
    pub fn holds(&self) -> bool {
        self.report().verdict == Verdict::Holds
    }
    /// The run that shows that the property fails, if it does.
    pub fn counterexample(&self) -> Option<&ModelRun<S, A>> {
        self.failures().next().map(|(_, run)| run)
    }
    /// The failures, each with the run to it; the first is the verdict's own.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (&Evidence, &ModelRun<S, A>)> {
        self.replayed.failures()
    }
}

/// A settled property of the model `M`.
pub type SettledModel<M> = Settled<<M as Model>::State, <M as Model>::Action>;

/// Settles a property of a model. The run is watched and stopped through `control`.
pub fn check<M: Model>(
    model: &M,
    property: &Property,
    options: &CheckOptions,
    control: &RunControl,
) -> Result<SettledModel<M>, CheckError> {
    let propositions = Propositions::of(model).list;
    ensure_distinct(&propositions)?;
    let fairness = fairness(&propositions, property)?;
    let asks = match &property.stated {
        Stated::NoDeadlock => Asks::Safety { invalid_ends: true },
        Stated::Formula(text) => Asks::Temporal(Box::new(temporal(&propositions, text)?)),
    };
    let space = ModelSpace::new(model, &propositions);
    let label = |each: &Proposition<M>| SpaceLabel {
        name: each.name.clone(),
        of_states: matches!(each.meaning, Meaning::State(_)),
    };
    let subject = SpaceSubject {
        space: AnySpace::new(&space),
        state_bits: u64::from(M::State::BITS),
        labels: propositions.iter().map(label).collect(),
        fairness,
        dead_ends: DeadEnds::Stutter,
    };
    let request = SearchRequest {
        engines: &options.engines,
        property: &asks,
        options: options.options.clone(),
        threads: options.threads,
        engine: options.engine,
        others: Others::Never,
        when_full: None,
        reduce_if_possible: false,
        simplify: Simplify::Never,
        ready: true,
    };
    let searched = Subject::Space(&subject);
    let searches = request.searches(searched)?;
    ensure_fields_used(&options.options, &options.engines, &searches)?;
    let found = plan::run(&searches, &options.engines, &asks, searched, control).map_err(|error| match error {
        NoAnswer::Error(error) => error,
        NoAnswer::PoolTooSmall => CheckError::Bug("a model written in Rust has no pool".to_owned()),
    })?;
    let temporal = if let Asks::Temporal(temporal) = &asks { Some(&**temporal) } else { None };
    let replay = ModelReplay { model, propositions: &propositions, temporal, fairness: &subject.fairness, control };
    let replayed = Replayed::new(found.report, &replay)
        .inspect_err(|_| control.unanswered())
        .map_err(|error| CheckError::Bug(format!("a trace does not replay: {error}")))?;
    match replayed.report().verdict {
        // A run that was found could not be replayed within the limits: it can be found again.
        Verdict::Undecided(_) => control.unanswered(),
        _ => control.answered(),
    }
    Ok(Settled { name: property.name.clone(), engine: found.engine, replayed })
}

/// An error if a name stands for several propositions.
fn ensure_distinct<M: Model>(propositions: &[Proposition<M>]) -> Result<(), CheckError> {
    let mut names: Vec<&str> = propositions.iter().map(|each| each.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map_or(Ok(()), |pair| {
        let message = format!("the model has several propositions `{}`", pair[0]);
        Err(CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0003", message)]))
    })
}

/// The bad runs of a formula that is to hold on all of them.
fn temporal<M: Model>(known: &[Proposition<M>], text: &str) -> Result<Temporal, CheckError> {
    let mut propositions = lariat_logic::Propositions::default();
    let options = ParseOptions { dialect: Dialect::Auto, quantifiers: false, file: Span::NONE.file };
    let wrong = |diagnostic| CheckError::Model(vec![diagnostic]);
    let bad = parse(text, options, &mut propositions).map_err(wrong)?.negated();
    let names: Vec<String> = propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect();
    let labels = names.iter().map(|name| label(known, name)).collect::<Result<Vec<LabelId>, _>>()?;
    let automaton = translate(&bad, &propositions, &TranslateOptions::default())
        .map_err(|too_large| CheckError::Refused(too_large.to_string()))?;
    Ok(Temporal {
        bad: automaton.over_propositions(&names),
        labels,
        demands: vec![Demand::Satisfies(bad)],
        is_of_all_states: false,
    })
}

fn fairness<M: Model>(known: &[Proposition<M>], property: &Property) -> Result<Vec<Fairness>, CheckError> {
    property.fairness.iter().map(|constraint| constraint.with_labels(|name| label(known, name))).collect()
}

/// The label that the proposition of this name is.
fn label<M: Model>(known: &[Proposition<M>], name: &str) -> Result<LabelId, CheckError> {
    if let Some(number) = known.iter().position(|each| each.name == name) {
        return Ok(LabelId::new(number));
    }
    let error = Diagnostic::error(Span::NONE, "C0003", format!("the model has no proposition `{name}`"));
    let names: Vec<&str> = known.iter().map(|each| each.name.as_str()).collect();
    Err(CheckError::Model(vec![match closest_name(name, names.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("it has: {}", names.join(", "))),
    }]))
}
