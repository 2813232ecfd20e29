//! What exact stores hold; hybrid storage in packets.

use crate::support::{STORES, engines};
use lariat::{CheckError, CheckOptions, Limits, Model, ProcessFairness, ReadOptions, Verdict};
use lariat_engine::{AcceptanceKind, Split, StoreKind};
use std::path::Path;

/// Whether the property holds, and of a hybrid store the packets and the states they are for.
type Answer = (bool, Option<(u64, u64)>);

fn answer(model: &mut Model, options: &CheckOptions) -> Result<Answer, String> {
    match lariat::check(model, options, &Limits::default().control()) {
        Ok(checked) => {
            let report = checked.settled[0].report();
            let holds = match report.verdict {
                Verdict::Holds => true,
                Verdict::Fails(_) => false,
                Verdict::Computed(quantity) => panic!("{options:?}: computed: {quantity}"),
                Verdict::Undecided(shortfall) => panic!("{options:?}: undecided: {shortfall:?}"),
            };
            Ok((holds, report.stats.packing.map(|packing| (packing.packets, packing.states))))
        }
        Err(CheckError::Refused(reason)) => Err(reason),
        Err(error) => panic!("{options:?}: {error}"),
    }
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
    for engine in [Some("magic"), Some("cvwy-a"), Some("cvwy-b"), Some("ndfs")] {
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

/// Engines that go on past a cycle have all seen the same in the end.
#[test]
fn engines_that_go_on_see_everything() {
    let mut model = dekker();
    let mut options = CheckOptions { properties: vec!["enters".to_owned()], ..CheckOptions::default() };
    options.options.keep_going = true;
    let (mut figures, mut going_on) = (Vec::new(), Vec::new());
    for engine in engines() {
        for store in STORES.into_iter().filter(|store| store.keeps_all()) {
            (options.engine, options.options.store) = (Some(engine), store);
            let report = match lariat::check(&mut model, &options, &Limits::default().control()) {
                Ok(checked) => checked.settled[0].report().clone(),
                Err(CheckError::Refused(_)) => continue,
                Err(error) => panic!("{options:?}: {error}"),
            };
            assert!(matches!(report.verdict, Verdict::Fails(_)) && report.failure_count > 0);
            figures.push((report.stats.states, report.stats.transitions, report.stats.digest.expect("all was seen")));
            going_on.push((engine, store));
        }
    }
    for engine in ["scc", "magic", "kosaraju"] {
        let stores = STORES.into_iter().filter(|store| store.keeps_all());
        let goes_on = stores.map(|store| (engine, store)).all(|pair| going_on.contains(&pair));
        assert!(goes_on, "`{engine}` does not go on with every store: {going_on:?}");
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
    use {AcceptanceKind as A, ProcessFairness as F};
    refused(Some("kosaraju"), A::Auto, F::Strong, "does not support strong fairness; `scc`");
    refused(Some("scc"), A::Copies, F::Strong, "strong fairness is not Büchi acceptance");
    refused(Some("magic"), A::Generalised, F::Weak, "needs copies");
    refused(Some("magic"), A::Auto, F::Strong, "does not support strong fairness; `scc`");
}
