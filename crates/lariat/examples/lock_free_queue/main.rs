//! A lock-free queue, checked: `cargo run --release -p lariat --example lock_free_queue`.

mod model;

use lariat::CheckError;
use lariat::rust::{Check, Property};
use model::Queue;
use std::time::Instant;

type ThreeThreads = Queue<3>;

fn main() -> Result<(), CheckError> {
    let right = ThreeThreads { is_tagged: true, values: 4 };
    check("the queue", &right, ThreeThreads::in_order())?;
    check("the queue", &right, ThreeThreads::lock_free())?;
    check("without tags", &ThreeThreads { is_tagged: false, ..right }, ThreeThreads::in_order())
}

fn check(what: &str, model: &ThreeThreads, property: Property) -> Result<(), CheckError> {
    let began = Instant::now();
    let settled = Check::of(model).property(property).threads(1).run()?;
    let (states, seconds) = (settled.report().stats.states, began.elapsed().as_secs_f64());
    let answer = if settled.holds() { "holds" } else { "does not hold" };
    println!("{what}: `{}` {answer} ({}, {states} states, {seconds:.2} s)", settled.name(), settled.engine());
    if let Some(run) = settled.counterexample() {
        print!("{run}");
    }
    Ok(())
}
