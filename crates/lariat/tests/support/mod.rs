//! What tests of the facade share: the engines and stores to go through, and what a model file asks for; the corpus.

mod corpus;

pub(crate) use corpus::{Row, corpus, rows, smv_table, word};

use crate::random_walks::RandomWalks;
use lariat::{CheckOptions, Engines, ProcessFairness, ReadOptions};
use lariat_engine::CodeKind;
use lariat_engine::{Replacement, Split, StoreKind};
use lariat_testkit::file_test::Case;

/// A store of every kind.
pub(crate) const STORES: [StoreKind; 8] = [
    StoreKind::Tree,
    StoreKind::Flat,
    StoreKind::Hybrid { split: Split::Demon },
    StoreKind::Hybrid { split: Split::Claim },
    StoreKind::Hybrid { split: Split::ClaimFairness },
    BITSTATE,
    StoreKind::Compact,
    CACHE,
];
pub(crate) const BITSTATE: StoreKind = StoreKind::Bitstate { hashes: 3 };
pub(crate) const CACHE: StoreKind = StoreKind::Cache { replacement: Replacement::Random };

/// Every registered engine by name: a new one is tested by being registered.
pub(crate) fn engines() -> Vec<&'static str> {
    lariat::engines().names().collect()
}

/// The same, and one that can only say *fails*: what it is asked too holds for every engine that may be added.
pub(crate) fn engines_and_a_lossy_one() -> Engines {
    lariat::engines().with(&RandomWalks)
}

/// The choice left to the program, then every registered engine.
pub(crate) fn engine_choices() -> Vec<Option<&'static str>> {
    std::iter::once(None).chain(engines().into_iter().map(Some)).collect()
}

/// All of them in a release build, as `.ci/run` makes one. A development build takes one in `stride`: it is many times slower.
pub(crate) fn sample<T>(all: Vec<T>, stride: usize) -> Vec<T> {
    let stride = if cfg!(debug_assertions) { stride } else { 1 };
    all.into_iter().step_by(stride).collect()
}

/// How a model file is to be read, and how it is to be checked, by its `with:` lines.
pub(crate) fn options(case: &Case) -> (ReadOptions, CheckOptions) {
    let (mut reading, mut checking) = (ReadOptions::default(), CheckOptions::default());
    // Machine code takes long to make: it is used where it is the matter.
    checking.options.code = CodeKind::Bytecode;
    let mut words = case.options.iter().cloned();
    while let Some(word) = words.next() {
        // The value of an option is part of its word, or the next one.
        let takes_value = ["--fairness", "--property", "--fair-action", "--strong-action"].contains(&word.as_str());
        let value = takes_value.then(|| words.next()).flatten();
        let option = value.map_or(word.clone(), |value| format!("{word}={value}"));
        match option.as_str() {
            "--allow-deadlock" => checking.allow_deadlock = true,
            "--lose-messages" => reading.lose_messages = true,
            "--empty-channels" => reading.empty_channels = true,
            fairness if fairness.starts_with("--fairness=") => {
                checking.fairness.processes = match &fairness[11..] {
                    "weak" => ProcessFairness::Weak,
                    "strong" => ProcessFairness::Strong,
                    other => panic!("{}: there is no {other} fairness", case.path.display()),
                };
            }
            action if action.starts_with("--fair-action=") => {
                checking.fairness.weak_actions.push(action[14..].to_owned());
            }
            action if action.starts_with("--strong-action=") => {
                checking.fairness.strong_actions.push(action[16..].to_owned());
            }
            property if property.starts_with("--property=") => checking.properties.push(property[11..].to_owned()),
            flag if flag.starts_with("-D") => reading.defines.push(corpus::define(flag)),
            other => panic!("{}: the option {other} has no meaning here", case.path.display()),
        }
    }
    (reading, checking)
}
