//! Formulas with compassion in their antecedents, which becomes fairness of the system, in random systems: every engine says what
//! the oracle says, which knows neither automata nor fixpoints.

use crate::support::engine_choices;
use lariat::{CheckError, CheckOptions, Limits, Model, ReadOptions, Verdict};
use lariat_logic::{Dialect, Formula, print};
use lariat_system::{LabelId, LabelMeaning};
use lariat_testkit::oracle::{GraphLimits, RunGraph};
use lariat_testkit::{Rng, TemporalCase};
use std::time::Duration;

const SEEDS: u64 = 60;
/// How many nodes the oracle may write out.
const NODES: usize = 20_000;

#[test]
fn compassion_in_antecedents_says_what_the_oracle_says() {
    let folder = tempfile::tempdir().expect("there is room");
    let seeds: u64 = std::env::var("LARIAT_SEEDS").map_or(SEEDS, |seeds| seeds.parse().expect("a number"));
    let (mut compared, mut matters, mut failing) = (0, 0, 0);
    for seed in 0..seeds {
        let mut case = TemporalCase::generate(seed);
        let is_of_states = |id: &LabelId| matches!(case.system.labels[*id].meaning, LabelMeaning::State(_));
        let of_states: Vec<LabelId> = case.system.labels.ids().filter(is_of_states).collect();
        if of_states.is_empty() {
            continue;
        }
        let rng = &mut Rng::new(seed);
        let mut again = || {
            let name = case.system.labels[*rng.pick(&of_states)].name.clone();
            let prop = Formula::prop(case.propositions.intern(&name, lariat_base::Span::NONE));
            let literal = if rng.below(2) == 0 { prop } else { prop.negated() };
            Formula::globally(Formula::finally(literal))
        };
        let antecedents: Vec<Formula> = (0..3).map(|_| Formula::implies(again(), again())).collect();
        let formula = Formula::implies(Formula::and(antecedents), case.formula.clone());
        let Some(labels) = case.labels() else { continue };
        let Some(graph) = RunGraph::new(&case.system, &GraphLimits::default()) else { continue };
        let has_bad = |formula: &Formula| graph.has_fair_run(&formula.negated(), &labels, &case.system.fairness, NODES);
        let (Some(fails), Some(without)) = (has_bad(&formula), has_bad(&case.formula)) else { continue };
        matters += usize::from(fails != without);
        failing += usize::from(fails);
        let path = folder.path().join(format!("{seed}.sys"));
        std::fs::write(&path, case.system.to_string()).expect("there is room");
        let text = print(&formula, &case.propositions, Dialect::Spin);
        for engine in engine_choices() {
            let mut model = Model::read(&path, &ReadOptions::default()).expect("it is a system");
            let options = CheckOptions { formulas: vec![text.clone()], engine, ..CheckOptions::default() };
            let control = Limits { memory_bytes: 1 << 28, time: Some(Duration::from_secs(10)) }.control();
            let checked = match lariat::check(&mut model, &options, &control) {
                Ok(checked) => checked,
                Err(CheckError::Refused(_)) => continue,
                Err(error) => panic!("seed {seed}, {engine:?}: {error}"),
            };
            let found = checked.settled.iter().find(|settled| settled.name() != "safety").expect("it was asked for");
            let found = match &found.report().verdict {
                Verdict::Holds => false,
                Verdict::Fails(_) => true,
                other => panic!("seed {seed}, {engine:?}: {other:?}"),
            };
            assert_eq!(found, fails, "seed {seed}, {engine:?}: {text}\n{}", case.system);
            compared += 1;
        }
    }
    println!("{compared} answers compared, {failing} formulas fail, antecedents matter in {matters}");
    assert!(compared > 100 && failing > 3 && matters > 0, "{compared} {failing} {matters}");
}
