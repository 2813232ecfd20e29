//! Each rule is needed: without it, something is lost that a kept model or system shows.

use crate::cases::{self, Case};
use crate::{STATES, kept, seeds};
use lariat_space::{Ample, ReferenceSpace, Rule};
use lariat_system::System;
use lariat_testkit::{Reduction, Rng, shrink};
use std::collections::BTreeMap;

/// Those of the rules without which something of this case is lost.
fn caught(Case { system, labels, formulas, .. }: &Case, seed: u64, rules: &[Rule]) -> Vec<Rule> {
    let Ok(space) = ReferenceSpace::new(system) else { return Vec::new() };
    let Some(reduction) = Reduction::new(system, &space, labels, STATES / 2) else { return Vec::new() };
    let reduction = reduction.with_formulas(*formulas, &mut Rng::new(seed));
    let is_lost = |rule: &&Rule| {
        let ample = Ample::omitting(Some(**rule), system, labels).expect("it fitted before");
        reduction.compare(&ample).is_err()
    };
    rules.iter().filter(is_lost).copied().collect()
}

/// A system of a random case that shows what is lost without the rule, as text that can be kept.
fn found_at_random(rule: Rule) -> Option<String> {
    let sources: [fn(u64) -> Option<Case>; 3] = [cases::quick_system, cases::model_with_formulas, cases::model];
    for seed in seeds(2000) {
        for source in sources {
            let Some(case) = source(seed) else { continue };
            let shows = |system: &System| {
                let (labels, text) = (case.labels.clone(), String::new());
                !caught(&Case { system: system.clone(), labels, text, ..case }, seed, &[rule]).is_empty()
            };
            if shows(&case.system) {
                let small = shrink(&case.system, |candidate| candidate.validate().is_ok() && shows(candidate));
                let names: Vec<&str> =
                    case.labels.iter().map(|label| case.system.labels[*label].name.as_str()).collect();
                return Some(format!("// seed {seed}, observed: {names:?}\n{small}"));
            }
        }
    }
    None
}

#[test]
fn each_rule_is_needed() {
    let mut by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, case) in kept() {
        for rule in caught(&case, 0, &Rule::ALL) {
            let names = by.entry(format!("{rule:?}")).or_default();
            if !names.contains(&name) {
                names.push(name.clone());
            }
        }
    }
    let mut missing = Vec::new();
    for rule in Rule::ALL.into_iter().filter(|rule| !by.contains_key(&format!("{rule:?}"))) {
        let found = found_at_random(rule).unwrap_or_else(|| "and no random system either\n".to_owned());
        println!("no kept model shows that {rule:?} is needed:\n{found}");
        missing.push(rule);
    }
    println!("{by:#?}");
    assert!(missing.is_empty(), "nothing that is kept shows that these are needed: {missing:?}");
}
