//! Prints the sizes of our automata beside Spot's, for the formulas of the corpus.

use lariat_automata::{TranslateOptions, to_buchi};
use lariat_logic::{Dialect, ParseOptions, Propositions, parse};
use std::time::Instant;

fn main() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/ltl/spot_sizes.tsv");
    let text = std::fs::read_to_string(file).expect("the corpus");
    let mut totals = [0; 4];
    let started = Instant::now();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let mut propositions = Propositions::default();
        let options = ParseOptions { dialect: Dialect::Spot, ..ParseOptions::default() };
        let formula = parse(columns[1], options, &mut propositions).expect("a formula of the corpus");
        let spot: Vec<usize> = [8, 12].iter().map(|&at| columns[at].parse().unwrap_or(0)).collect();
        for (at, formula) in [formula.clone(), formula.negated()].iter().enumerate() {
            let started = Instant::now();
            let buchi = to_buchi(formula, &propositions, &TranslateOptions::default());
            let time = started.elapsed().as_secs_f64() * 1e3;
            let ours = buchi.map_or(9999, |buchi| buchi.state_count());
            totals[2 * at] += ours;
            totals[2 * at + 1] += spot[at];
            let flag = match ours as f64 / spot[at] as f64 {
                ratio if ratio > 1.5 => "!!!",
                ratio if ratio > 1.0 => "+",
                ratio if ratio < 1.0 => "-",
                _ => "",
            };
            let sign = if at == 0 { ' ' } else { '!' };
            if !flag.is_empty() || time > 50.0 {
                println!("{sign}{:7} {ours:4} {:4} {flag:4} {time:8.1} ms  {}", columns[0], spot[at], columns[1]);
            }
        }
    }
    println!("formulas {} / {}, negations {} / {}", totals[0], totals[1], totals[2], totals[3]);
    println!("{:.2} s", started.elapsed().as_secs_f64());
}
