//! A model written in Rust, checked: `cargo run --release -p lariat --example two_phase_commit`.

mod model;

use lariat::rust::{CheckOptions, Property, SettledModel, check};
use lariat::{CheckError, Limits, Verdict};
use model::TwoPhaseCommit;

type Protocol = TwoPhaseCommit<3>;

fn main() -> Result<(), CheckError> {
    let promises = Protocol { breaks_promises: true, ..Protocol::RIGHT };
    let once = Protocol { tells_once: true, ..Protocol::RIGHT };
    let (agreement, decision) = (Protocol::agreement(), Protocol::decision());
    tell("the protocol", &Protocol::RIGHT, &agreement)?;
    tell("a participant that breaks its promise", &promises, &agreement)?;
    tell("the protocol", &Protocol::RIGHT, &Property::no_deadlock())?;
    tell("a manager that tells its decision once", &once, &Property::no_deadlock())?;
    tell("weak fairness", &Protocol::RIGHT, &decision.clone().weakly_fair(Protocol::processes()))?;
    tell("strong fairness", &Protocol::RIGHT, &decision.strongly_fair(Protocol::processes()))
}

fn tell(what: &str, model: &Protocol, property: &Property) -> Result<(), CheckError> {
    let settled = check(model, property, &CheckOptions::default(), &Limits::default().control())?;
    let states = settled.report().stats.states;
    println!("{what}: `{}` {} ({}, {states} states)", property.name(), answer(&settled), settled.engine());
    for (number, step) in settled.counterexample().iter().flat_map(|run| run.steps.iter().enumerate()) {
        if settled.counterexample().is_some_and(|run| run.loop_start == Some(number)) {
            println!("  for ever:");
        }
        match &step.action {
            Some(action) => println!("  {action:?}"),
            None => println!("  nothing can happen"),
        }
    }
    Ok(())
}

fn answer(settled: &SettledModel<Protocol>) -> &'static str {
    match settled.report().verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Computed(_) => "is a number",
        Verdict::Undecided(_) => "is undecided",
    }
}
