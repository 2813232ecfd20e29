//! What reaching all states by sets costs: `cargo run --release -p lariat-symbolic --example reach -- MODEL [chained]`, where
//! MODEL is Promela or SMV.

use lariat_base::SourceMap;
use lariat_branching::breadth_first;
use lariat_engine::Shortfall;
use lariat_promela::{ModelOptions, read_model};
use lariat_space::StateSets;
use lariat_symbolic::{BddSets, Capacity};
use lariat_system::System;
use std::ops::ControlFlow;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a model");
    let chained = arguments.any(|word| word == "chained");
    let text = std::fs::read_to_string(&path).expect("the model can be read");
    let system = system_of(&path, &text);
    let began = Instant::now();
    let capacity = Capacity::within(1 << 30);
    let sets = BddSets::new(&system, capacity, Shortfall::Memory { limit_bytes: 1 << 30 }, || Ok(()));
    let sets = sets.expect("it can be encoded").expect("there is memory");
    println!("{} variables, made in {:?}", sets.state_variables(), began.elapsed());
    let report = |what: &str, set: &lariat_symbolic::Diagram| {
        let nodes = sets.diagrams().size_of(set);
        let figures = sets.diagrams().figures();
        let count = sets.count(set).expect("it is counted");
        println!("{:>8.2?} {what}: {count} states, {nodes} nodes, {figures:?}", began.elapsed());
    };
    let reached = if chained {
        let mut reached = sets.initial().expect("there is memory");
        loop {
            sets.safe_point().expect("nobody stops it");
            let grown = sets.grown(&reached).expect("there is memory");
            report("pass", &grown);
            if grown == reached {
                break reached;
            }
            reached = grown;
        }
    } else {
        let rings = breadth_first(&sets, |_, reached, depth| {
            report(&format!("ring {depth}"), reached);
            Ok(ControlFlow::Continue(()))
        });
        rings.expect("there is memory").reached
    };
    report("all", &reached);
    println!("{} images, order {:?}", sets.images(), sets.order_of_bits());
}

fn system_of(path: &str, text: &str) -> System {
    let sources = &mut SourceMap::default();
    if path.ends_with(".smv") {
        return lariat_smv::read_model(sources, path, text).expect("it is a model").system().expect("it has a system");
    }
    let mut loader = |_: &str, _: &str| Err("nothing is included here".to_owned());
    let model = read_model(sources, path, text, &ModelOptions::default(), &mut loader).expect("it is a model");
    let pool_size = model.pool_bound().unwrap_or(8).max(model.initial_processes());
    model.system(pool_size).expect("it has a system")
}
