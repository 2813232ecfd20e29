//! A model written in Rust, checked: `cargo run --release -p lariat --example two_phase_commit`. With the argument `speed` it is
//! checked with six participants and one thread, for the figures in docs/rust.md.

mod model;

use lariat::rust::{Check, SettledModel};
use lariat::{CheckError, Verdict};
use model::TwoPhaseCommit;

type Protocol = TwoPhaseCommit<3>;

fn main() -> Result<(), CheckError> {
    if std::env::args().nth(1).is_some_and(|word| word == "speed") {
        return speed();
    }
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

fn speed() -> Result<(), CheckError> {
    type Six = TwoPhaseCommit<6>;
    let settled = Check::of(&Six::RIGHT).property(Six::agreement()).threads(1).run()?;
    let stats = &settled.report().stats;
    let (states, seconds) = (stats.states, stats.elapsed.as_secs_f64());
    println!("{states} states, {seconds:.2} s, {:.2} million a second", states as f64 / seconds / 1e6);
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
