//! Sizes beside Spot's, for the formulas of the corpus where it is at hand: state-based Büchi automata of the formulas and
//! of their negations. `cargo run --release -p lariat-automata --example sizes` prints the table.

use lariat_automata::{TranslateOptions, to_buchi};
use lariat_logic::{Dialect, ParseOptions, Propositions, parse};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/ltl/spot_sizes.tsv");

/// How much larger than Spot's all automata together and any single one may be.
const MOST_IN_TOTAL: f64 = 1.1;
const MOST_EACH: f64 = 1.5;

#[test]
fn no_larger_than_others() {
    let Ok(text) = std::fs::read_to_string(CORPUS) else {
        assert!(std::env::var_os("LARIAT_NEEDS_CORPUS").is_none(), "no corpus at {CORPUS}");
        eprintln!("skipped: no corpus");
        return;
    };
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |name: &str| header.iter().position(|&other| other == name).expect("a column of the corpus");
    let columns = [column("ba_states"), column("neg_ba_states")];
    let (id, formula) = (column("id"), column("formula"));
    let mut totals = [(0, 0); 2];
    for line in lines {
        let mut propositions = Propositions::default();
        let options = ParseOptions { dialect: Dialect::Spot, ..ParseOptions::default() };
        let parsed = parse(line[formula], options, &mut propositions).expect("a formula of the corpus");
        for (at, formula) in [parsed.clone(), parsed.negated()].iter().enumerate() {
            let spot: usize = line[columns[at]].parse().expect("a number of states");
            let ours = to_buchi(formula, &propositions, &TranslateOptions::default()).unwrap().state_count();
            assert!(ours as f64 <= MOST_EACH * spot as f64, "{}: {ours} states, Spot has {spot}", line[id]);
            totals[at].0 += ours;
            totals[at].1 += spot;
        }
    }
    for (ours, spot) in totals {
        assert!(ours as f64 <= MOST_IN_TOTAL * spot as f64, "{ours} states in total, Spot has {spot}");
    }
}
