//! Options that take one of a few words. Help, completions and messages list the words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lariat::Engines;
use lariat::front::FrontEnds;
use lariat_engine::StoreKind;
use std::any::Any;

/// A parser for one of these words, and what each of them stands for.
pub(crate) fn one_of<T>(choices: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + Any,
{
    PossibleValuesParser::new(choices.iter().map(|(word, _)| *word)).map(|given: String| {
        let known = choices.iter().find(|(word, _)| *word == given);
        known.expect("the parser lets only these words through").1
    })
}

/// A parser for the name of a store; its options have their default values.
pub(crate) fn store_kind() -> impl TypedValueParser<Value = StoreKind> {
    PossibleValuesParser::new(StoreKind::NAMES).map(|given: String| {
        let known = StoreKind::ALL.into_iter().find(|store| store.name() == given);
        known.expect("the parser lets only these words through")
    })
}

/// The help on the file of a model: the languages there are, and how the names of their files end.
pub(crate) fn model_help(front_ends: &FrontEnds) -> String {
    let languages = front_ends.iter().map(|front_end| {
        let endings: Vec<String> = front_end.endings().iter().map(|ending| format!("`.{ending}`")).collect();
        format!("{} ({})", front_end.language(), endings.join(", "))
    });
    let first = front_ends.iter().next().map_or("", |front_end| front_end.language());
    format!("The model: {}; other files are read as {first}", languages.collect::<Vec<_>>().join(", "))
}

/// The engine that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineName(pub(crate) Option<&'static str>);

/// A parser for the name of an engine, or `auto`.
pub(crate) fn engine_name(engines: &Engines) -> impl TypedValueParser<Value = EngineName> + use<> {
    let auto = PossibleValue::new("auto").help("the first engine that supports the property and options");
    let named = engines.iter().map(|engine| PossibleValue::new(engine.name()).help(engine.about()));
    let names: Vec<&'static str> = engines.names().collect();
    PossibleValuesParser::new([auto].into_iter().chain(named))
        .map(move |given: String| EngineName(names.iter().copied().find(|name| *name == given)))
}

/// What to do when an exact store is full, as it is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhenFull {
    Auto,
    Stop,
    Cache,
    Bitstate,
    Engine(&'static str),
}

/// A parser for what follows when memory is full: a store or an engine.
pub(crate) fn when_full(engines: &Engines) -> impl TypedValueParser<Value = WhenFull> + use<> {
    let words = [
        ("auto", WhenFull::Auto),
        ("stop", WhenFull::Stop),
        ("cache", WhenFull::Cache),
        ("bitstate", WhenFull::Bitstate),
    ];
    let engines = engines.names().map(|name| (name, WhenFull::Engine(name)));
    let choices: Vec<(&'static str, WhenFull)> = words.into_iter().chain(engines).collect();
    PossibleValuesParser::new(choices.iter().map(|(word, _)| *word)).map(move |given: String| {
        let known = choices.iter().find(|(word, _)| *word == given);
        known.expect("the parser lets only these words through").1
    })
}
