//! The core of Raft, checked: `cargo run --release -p lariat --example raft_core`.

mod model;

use lariat::CheckError;
use lariat::rust::{Check, Property};
use model::Raft;
use std::time::Instant;

fn main() -> Result<(), CheckError> {
    let right = Raft::RIGHT;
    check("Raft", &right, Raft::one_leader())?;
    check("Raft", &right, Raft::agreement())?;
    check("Raft", &right, Raft::progress())?;
    check("servers forget their votes", &Raft { forgets_votes: true, ..right }, Raft::one_leader())?;
    check("servers vote for older logs", &Raft { votes_blindly: true, ..right }, Raft::agreement())?;
    // With three terms nothing is lost: the entry must be overtaken by one of a term between it and its commitment.
    let early = Raft { commits_early: true, terms: 4, ..right };
    check("entries of earlier terms are committed", &early, Raft::agreement())
}

fn check(what: &str, model: &Raft, property: Property) -> Result<(), CheckError> {
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
