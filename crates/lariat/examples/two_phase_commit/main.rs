//! A model written in Rust, checked: `cargo run --release -p lariat --example two_phase_commit`.

mod model;

use lariat::rust::{Check, SettledModel};
use lariat::{CheckError, Verdict};
use model::TwoPhaseCommit;

type Protocol = TwoPhaseCommit<3>;

fn main() -> Result<(), CheckError> {
    let right = Protocol::RIGHT;
    let promises = Protocol { breaks_promises: true, ..right };
    let once = Protocol { tells_once: true, ..right };
    let (agreement, decision) = (Protocol::agreement(), Protocol::decision());
    print("the protocol", &Check::of(&right).property(agreement.clone()).run()?);
    print("a participant that breaks its promise", &Check::of(&promises).property(agreement).run()?);
    print("the protocol", &Check::of(&right).no_deadlock().run()?);
    print("a manager that tells its decision once", &Check::of(&once).no_deadlock().run()?);
    print("weak fairness", &Check::of(&right).property(decision.clone()).weakly_fair().run()?);
    print("strong fairness", &Check::of(&right).property(decision).strongly_fair().run()?);
    Ok(())
}

fn print(what: &str, settled: &SettledModel<Protocol>) {
    let answer = match settled.report().verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Computed(_) => "is a number",
        Verdict::Undecided(_) => "is undecided",
    };
    let states = settled.report().stats.states;
    println!("{what}: `{}` {answer} ({}, {states} states)", settled.name(), settled.engine());
    if let Some(run) = settled.counterexample() {
        print!("{run}");
    }
}
