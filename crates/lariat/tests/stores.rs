//! Every store with every engine, for every kind of property of the models for users: the right verdict, or a refusal that
//! says why.

use lariat::{CheckError, CheckOptions, EngineChoice, Limits, Model, ProcessFairness, ReadOptions, Verdict};
use lariat_engine::{AcceptanceKind, Split, StoreKind};
use std::path::{Path, PathBuf};

const ENGINES: [EngineChoice; 9] = [
    EngineChoice::Auto,
    EngineChoice::Bfs,
    EngineChoice::Dfs,
    EngineChoice::Scc,
    EngineChoice::Ndfs,
    EngineChoice::Magic,
    EngineChoice::CvwyA,
    EngineChoice::CvwyB,
    EngineChoice::Kosaraju,
];
const STORES: [StoreKind; 5] = [
    StoreKind::Tree,
    StoreKind::Flat,
    StoreKind::Hybrid { split: Split::Demon },
    StoreKind::Hybrid { split: Split::Claim },
    StoreKind::Hybrid { split: Split::ClaimFairness },
];
const FAIRNESS: [ProcessFairness; 3] = [ProcessFairness::None, ProcessFairness::Weak, ProcessFairness::Strong];
const ACCEPTANCE: [AcceptanceKind; 3] = [AcceptanceKind::Auto, AcceptanceKind::Generalised, AcceptanceKind::Copies];
/// Larger models would take all day, so many times over.
const MOST_STATES: u64 = 3000;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = std::fs::read_dir(folder).expect("models").map(|entry| entry.expect("a model").path());
    let mut models: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "pml")).collect();
    models.sort();
    models
}

/// Whether the property holds, and of a hybrid store the packets and the states they are for.
type Answer = (bool, Option<(u64, u64)>);

fn answer(model: &mut Model, options: &CheckOptions) -> Result<Answer, String> {
    match lariat::check(model, options, &Limits::default().control()) {
        Ok(checked) => {
            let report = checked.settled[0].report();
            let holds = match report.verdict {
                Verdict::Holds => true,
                Verdict::Fails(_) => false,
                Verdict::Undecided(shortfall) => panic!("{options:?}: undecided: {shortfall:?}"),
            };
            Ok((holds, report.stats.packing.map(|packing| (packing.packets, packing.states))))
        }
        Err(CheckError::Refused(reason)) => Err(reason),
        Err(error) => panic!("{options:?}: {error}"),
    }
}

#[test]
fn every_store_with_every_engine_is_right_or_refuses() {
    let (mut answers, mut refusals) = (0, 0);
    for path in models() {
        let mut model = Model::read(&path, &ReadOptions::default()).unwrap();
        let mut whole = CheckOptions { properties: vec!["safety".to_owned()], ..CheckOptions::default() };
        whole.options.keep_going = true;
        let whole = lariat::check(&mut model, &whole, &Limits::default().control()).unwrap();
        if whole.settled[0].report().stats.states > MOST_STATES {
            continue;
        }
        let named = model.properties().iter().map(|(name, _)| name.clone());
        let properties: Vec<String> = ["safety".to_owned(), "np_".to_owned()].into_iter().chain(named).collect();
        for property in properties {
            for fairness in FAIRNESS {
                let mut options = CheckOptions { properties: vec![property.clone()], ..CheckOptions::default() };
                options.fairness.processes = fairness;
                if property == "safety" && fairness != ProcessFairness::None {
                    continue;
                }
                let (expected, _) = answer(&mut model, &options).unwrap();
                for engine in ENGINES {
                    for store in STORES {
                        for acceptance in ACCEPTANCE {
                            options.engine = engine;
                            (options.options.store, options.options.acceptance) = (store, acceptance);
                            match answer(&mut model, &options) {
                                Ok((holds, packing)) => {
                                    assert_eq!(holds, expected, "{}: {options:?}", path.display());
                                    let hybrid = matches!(store, StoreKind::Hybrid { .. });
                                    assert_eq!(packing.is_some(), hybrid, "{}: {options:?}", path.display());
                                    answers += 1;
                                }
                                Err(reason) => {
                                    assert!(reason.starts_with("the engine `") && reason.len() > 40, "{reason}");
                                    // Nobody who leaves the choice to us, and asks for nothing special, is refused.
                                    let special = engine != EngineChoice::Auto || acceptance != AcceptanceKind::Auto;
                                    assert!(special, "{}: {options:?}: {reason}", path.display());
                                    refusals += 1;
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(answers > 1000 && refusals > 300, "{answers} answers, {refusals} refusals");
}

fn dekker() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dekker.pml");
    Model::read(&path, &ReadOptions::default()).expect("a model")
}

/// The fewer words a head has, the fewer packets there are; with all of the tail there is one for each state of the system.
#[test]
fn packets_are_the_states_of_the_system() {
    let mut model = dekker();
    let mut options = CheckOptions { properties: vec!["enters".to_owned()], ..CheckOptions::default() };
    options.fairness.processes = ProcessFairness::Weak;
    for engine in [EngineChoice::Magic, EngineChoice::CvwyA, EngineChoice::CvwyB, EngineChoice::Ndfs] {
        options.engine = engine;
        let packets = [Split::Demon, Split::Claim, Split::ClaimFairness].map(|split| {
            options.options.store = StoreKind::Hybrid { split };
            let (holds, packing) = answer(&mut model, &options).unwrap();
            assert!(holds);
            packing.unwrap()
        });
        let [(demon, states), (claim, same), (fairness, again)] = packets;
        assert!(states == same && same == again, "what is searched does not depend on the split");
        assert!(states > demon && demon > claim && claim > fairness, "{engine:?}: {packets:?}");
        assert_eq!(fairness, 101, "{engine:?}");
    }
}

/// Magic search can go on past a cycle: then it has seen what every other engine has.
#[test]
fn whoever_goes_on_sees_everything() {
    let mut model = dekker();
    let mut options = CheckOptions { properties: vec!["enters".to_owned()], ..CheckOptions::default() };
    options.options.keep_going = true;
    let mut figures = Vec::new();
    for engine in [EngineChoice::Scc, EngineChoice::Magic, EngineChoice::Kosaraju] {
        for store in STORES {
            (options.engine, options.options.store) = (engine, store);
            let checked = lariat::check(&mut model, &options, &Limits::default().control()).unwrap();
            let report = checked.settled[0].report();
            assert!(matches!(report.verdict, Verdict::Fails(_)) && report.failure_count > 0);
            figures.push((report.stats.states, report.stats.transitions, report.stats.digest.expect("all was seen")));
        }
    }
    figures.dedup();
    assert_eq!(figures.len(), 1, "{figures:?}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut model = dekker();
    let mut refused = |engine, acceptance, fairness, wanted: &str| {
        let mut options = CheckOptions { properties: vec!["enters".to_owned()], engine, ..CheckOptions::default() };
        options.fairness.processes = fairness;
        options.options.acceptance = acceptance;
        let reason = answer(&mut model, &options).expect_err(wanted);
        assert!(reason.contains(wanted), "{reason}");
    };
    use {AcceptanceKind as A, EngineChoice as E, ProcessFairness as F};
    refused(E::Kosaraju, A::Auto, F::Strong, "must not happen for ever");
    refused(E::Scc, A::Copies, F::Strong, "strong fairness has no copies");
    refused(E::Magic, A::Generalised, F::Weak, "needs copies");
    refused(E::Magic, A::Auto, F::Strong, "no Büchi acceptance");
}
