//! Each rule is needed: without it, something is lost that a kept model or a random system shows.

use crate::cases::{self, Case};
use crate::{STATES, orders, seeds};
use lariat_space::{Ample, ReferenceSpace, Rule};
use lariat_testkit::{Reduction, Rng};
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

#[test]
fn each_rule_is_needed() {
    let mut by_kept: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut left: Vec<Rule> = Rule::ALL.to_vec();
    for (name, case) in cases::kept(&orders()) {
        for rule in caught(&case, 0, &Rule::ALL) {
            by_kept.entry(format!("{rule:?}")).or_default().push(name.clone());
            left.retain(|other| *other != rule);
        }
    }
    let sources: [(&str, fn(u64) -> Option<Case>); 3] =
        [("systems", cases::quick_system), ("models", cases::model), ("formulas", cases::model_with_formulas)];
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (name, source) in sources {
        for seed in seeds(1000) {
            if left.is_empty() {
                break;
            }
            let Some(case) = source(seed) else { continue };
            for rule in caught(&case, seed, &left) {
                found.insert(format!("{rule:?}"), format!("{name} {seed}"));
                left.retain(|other| *other != rule);
            }
        }
    }
    println!("{by_kept:#?}\n{found:#?}");
    assert!(left.is_empty(), "nothing shows that these are needed: {left:?}");
}
