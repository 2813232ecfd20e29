//! Walks through models, and checks that begin where a walk ends.

use crate::support::engine_choices;
use lariat::{
    CheckOptions, Explorer, FairnessOptions, Limits, Model, ProcessFairness, Random, ReadOptions, RunControl, Verdict,
    Walk,
};
use lariat_engine::{CodeKind, FailureKind};
use lariat_system::Fault;
use lariat_system::reference::{Evaluator, Outcome, Valuation};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Models with more states than these are left out.
const MOST_STATES: usize = 150;

fn control() -> RunControl {
    Limits { memory_bytes: 1 << 28, time: None }.control()
}

fn explorer(text: &str, ending: &str) -> Explorer {
    let folder = tempfile::tempdir().expect("it is in order");
    let path = folder.path().join(format!("m.{ending}"));
    std::fs::write(&path, text).expect("it is in order");
    let model =
        Model::read(&path, &ReadOptions::default()).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    Explorer::new(model).expect("it is in order")
}

/// All states that can be reached from one, by the reference evaluator; `None` if there are too many, or an error is among them.
fn reachable(explorer: &Explorer, from: &Arc<Valuation>, walk: &Walk) -> Option<HashSet<Valuation>> {
    let system = explorer.follow(walk, &control()).expect("it is in order").system;
    let evaluator = Evaluator::new(&system);
    let mut found = HashSet::from([Valuation::clone(from)]);
    let mut waiting = vec![Valuation::clone(from)];
    while let Some(state) = waiting.pop() {
        for step in evaluator.steps(&state) {
            match step.outcome {
                Outcome::Fault(Fault::PoolFull(_) | Fault::EndlessAtomic(_)) => return None,
                Outcome::Fault(_) => {}
                Outcome::State(next) => {
                    if found.insert(next.clone()) {
                        waiting.push(next);
                    }
                }
            }
        }
        if found.len() > MOST_STATES {
            return None;
        }
    }
    Some(found)
}

fn bytecode() -> CheckOptions {
    let mut options = CheckOptions::default();
    options.options.code = CodeKind::Bytecode;
    options
}

/// Walks at random, at most so many steps.
fn wander(explorer: &Explorer, random: &mut Random, steps: usize) -> Walk {
    let mut walk = Walk { initial: random.below(explorer.initial().1.len()), steps: Vec::new() };
    for _ in 0..steps {
        let walked = explorer.follow(&walk, &control()).expect("it is in order");
        let leads = |number: &usize| matches!(walked.offers[*number].outcome, Outcome::State(_));
        let possible: Vec<usize> = (0..walked.offers.len()).filter(leads).collect();
        if possible.is_empty() {
            break;
        }
        walk.steps.push(possible[random.below(possible.len())] as u32);
    }
    walk
}

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("tests/models"), root.join("tests/orders"), root.join("../../models")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("it is in order"));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("it is in order").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "pml" || ending == "smv"));
    files.sort();
    files
}

#[test]
fn from_where_a_walk_ends_all_states_are_reached_that_can_be() {
    let mut compared = 0;
    for (seed, path) in models().into_iter().enumerate() {
        let Ok(model) = Model::read(&path, &ReadOptions::default()) else { continue };
        let Ok(explorer) = Explorer::new(model) else { continue };
        let mut random = Random::new(seed as u64);
        for steps in [0, 7] {
            let walk = wander(&explorer, &mut random, steps);
            let walked = explorer.follow(&walk, &control()).unwrap();
            let Some(wanted) = reachable(&explorer, walked.states.last().unwrap(), &walk) else { continue };
            for por in [false, true] {
                let mut begun = explorer.begun_at(&walk, &control()).unwrap();
                let mut options = bytecode();
                options.properties = vec!["safety".to_owned()];
                (options.options.keep_going, options.options.reduce) = (true, por);
                let checked = match lariat::check(&mut begun, &options, &control()) {
                    Err(lariat::CheckError::Refused(_)) if por => continue,
                    checked => checked.unwrap_or_else(|error| panic!("{}: {error:?}", path.display())),
                };
                let states = checked.settled[0].report().stats.states;
                let name = path.display();
                match por {
                    false => assert_eq!(states, wanted.len() as u64, "{name} after {walk:?}"),
                    true => assert!(states <= wanted.len() as u64, "{name} after {walk:?}"),
                }
                compared += usize::from(!por);
            }
        }
    }
    assert!(compared > 150, "only {compared}");
}

/// Everybody waits for the turn; a message to the one whose turn it is not is never taken.
const TURNS: &str = "byte turn; chan q = [2] of { byte }; bool stuck;
    active [2] proctype P() { do :: turn == _pid -> turn = 1 - turn :: turn == _pid && !stuck -> stuck = true; q!_pid od }
    active proctype R() { byte v; q?v; v == turn; assert(v != 1) }
    ltl back { [] (stuck -> <> !stuck) }
    ltl moves { [] <> (turn == 0) }";

#[test]
fn every_engine_answers_from_a_state_as_the_definition_does() {
    let explorer = explorer(TURNS, "pml");
    let mut random = Random::new(1);
    let mut seen = HashSet::new();
    for _ in 0..12 {
        let walk = wander(&explorer, &mut random, 9);
        let walked = explorer.follow(&walk, &control()).unwrap();
        let states = reachable(&explorer, walked.states.last().unwrap(), &walk).unwrap();
        let stuck = walked.system.slots.entries().find(|(_, slot)| slot.name == "stuck").unwrap().0;
        let stuck = |state: &Valuation| state.globals[lariat_base::Id::index(stuck)][0] == 1;
        // `stuck` never goes away again.
        let never = states.iter().all(|state| !stuck(state));
        let ever = states.iter().all(stuck);
        for (formula, holds) in
            [("[] !stuck", never), ("stuck", stuck(walked.states.last().unwrap())), ("[] stuck", ever)]
        {
            for engine in engine_choices() {
                for processes in [ProcessFairness::None, ProcessFairness::Weak] {
                    let mut begun = explorer.begun_at(&walk, &control()).unwrap();
                    let fairness = FairnessOptions { processes, ..FairnessOptions::default() };
                    let options = CheckOptions { formulas: vec![formula.to_owned()], engine, fairness, ..bytecode() };
                    let Ok(checked) = lariat::check(&mut begun, &options, &control()) else { continue };
                    let settled = &checked.settled[0];
                    match &settled.report().verdict {
                        Verdict::Holds => assert!(holds, "{formula} by {engine:?} after {walk:?}"),
                        Verdict::Fails(_) => assert!(!holds, "{formula} by {engine:?} after {walk:?}"),
                        _ => continue,
                    }
                    seen.insert((formula, engine, holds));
                    // A run that shows it goes on where the walk ends, and both together are a walk.
                    if let Some((_, story)) = settled.failures().next() {
                        let longer = explorer.extended(&walk, story, None, &control()).unwrap();
                        assert!(longer.steps.starts_with(&walk.steps));
                    }
                }
            }
        }
    }
    let answers = |holds: bool| seen.iter().filter(|(_, _, answer)| *answer == holds).count();
    assert!(answers(true) >= 6 && answers(false) >= 6, "{seen:?}");
}

#[test]
fn a_failure_that_is_found_from_a_state_can_be_walked_to() {
    let explorer = explorer(TURNS, "pml");
    let walk = wander(&explorer, &mut Random::new(4), 3);
    let mut begun = explorer.begun_at(&walk, &control()).unwrap();
    let options = CheckOptions { properties: vec!["safety".to_owned()], allow_deadlock: true, ..bytecode() };
    let checked = lariat::check(&mut begun, &options, &control()).unwrap();
    let (evidence, story) = checked.settled[0].failures().next().expect("the assertion can be violated");
    let FailureKind::Fault(fault) = evidence.kind else { panic!("{evidence:?}") };
    let longer = explorer.extended(&walk, story, Some(fault), &control()).unwrap();
    let walked = explorer.follow(&longer, &control()).unwrap();
    assert_eq!(walked.ended, Some(fault));
    assert_eq!(longer.steps.len(), walk.steps.len() + story.step_count());
    assert!(walked.offers.is_empty() && explorer.begun_at(&longer, &control()).is_err());
    // The walk is a run of the model as it is: it is found again by its story alone.
    assert_eq!(explorer.walk_of(&walked.story, Some(fault), &control()).unwrap(), longer);
}

#[test]
fn processes_that_a_walk_started_are_there() {
    let explorer = explorer(
        "byte n; proctype C(byte id) { n = n + id; (n > 20) }
         active proctype P() { byte i; do :: i < 8 -> i++; run C(i) :: i == 8 -> break od; assert(n < 30) }",
        "pml",
    );
    let mut walk = Walk::default();
    // The first process takes all its steps first.
    for _ in 0..24 {
        let walked = explorer.follow(&walk, &control()).unwrap();
        let own = |step: &lariat_system::reference::RefStep| step.path[0].scope.positions[0] == 0;
        walk.steps.push(walked.offers.iter().position(own).expect("it can go on") as u32);
    }
    let walked = explorer.follow(&walk, &control()).unwrap();
    assert_eq!(walked.states.last().unwrap().pool.len(), 9, "more than the first guess has room for");
    let mut begun = explorer.begun_at(&walk, &control()).unwrap();
    for (formula, holds) in [("n == 0 && <> (n == 36)", true), ("[] (n < 36)", false)] {
        let options = CheckOptions { formulas: vec![formula.to_owned()], ..bytecode() };
        let checked = lariat::check(&mut begun, &options, &control()).unwrap();
        assert_eq!(checked.settled[0].report().verdict == Verdict::Holds, holds, "{formula}");
    }
}

#[test]
fn formulas_about_who_moved_last_know_the_walk() {
    let explorer = explorer("byte x; active [2] proctype P() { do :: x = _pid od }", "pml");
    for (number, formula) in [(0, "_last == 1"), (1, "_last == 0")] {
        let walk = Walk { initial: 0, steps: vec![number] };
        let walked = explorer.follow(&walk, &control()).unwrap();
        let pid = walked.story.actions()[0].firing().scope.positions[0];
        for (text, holds) in [(formula, formula.ends_with(&pid.to_string())), ("_last == 0 || _last == 1", true)] {
            let mut begun = explorer.begun_at(&walk, &control()).unwrap();
            let options = CheckOptions { formulas: vec![text.to_owned()], ..bytecode() };
            let checked = lariat::check(&mut begun, &options, &control()).unwrap();
            assert_eq!(checked.settled[0].report().verdict == Verdict::Holds, holds, "{text} after {pid}");
        }
    }
}

#[test]
fn smv_models_are_walked_through() {
    let explorer = explorer(
        "MODULE main VAR x : 0..7; IVAR up : boolean; INIT x in {2, 5};
         ASSIGN next(x) := case up & x < 7 : x + 1; !up & x > 0 : x - 1; TRUE : x; esac;
         CTLSPEC AG EF x = 0; INVARSPEC x < 7; LTLSPEC G (x = 7 -> X x != 0)",
        "smv",
    );
    assert_eq!(explorer.initial().1.len(), 2);
    let mut random = Random::new(2);
    for steps in [0, 4, 40] {
        let walk = wander(&explorer, &mut random, steps);
        let mut begun = explorer.begun_at(&walk, &control()).unwrap();
        let checked = lariat::check(&mut begun, &CheckOptions::default(), &control()).unwrap();
        let holds: Vec<bool> =
            checked.settled.iter().map(|settled| settled.report().verdict == Verdict::Holds).collect();
        assert_eq!(holds, [true, false, true]);
        let (_, story) = checked.settled[1].failures().next().unwrap();
        let longer = explorer.extended(&walk, story, None, &control()).unwrap();
        let last = explorer.follow(&longer, &control()).unwrap().states.last().unwrap().clone();
        assert_eq!(last.globals[0], [7]);
    }
    let formulas = |text: &str| CheckOptions { formulas: vec![text.to_owned()], ..CheckOptions::default() };
    for initial in [0, 1] {
        let value = explorer.initial().1[initial].globals[0][0];
        let mut begun = explorer.begun_at(&Walk { initial, steps: Vec::new() }, &control()).unwrap();
        for other in [2, 5] {
            let checked = lariat::check(&mut begun, &formulas(&format!("x = {other}")), &control()).unwrap();
            assert_eq!(checked.settled[0].report().verdict == Verdict::Holds, value == other);
        }
    }
}

#[test]
fn walks_that_do_not_exist_are_refused() {
    let explorer = explorer(TURNS, "pml");
    let follow = |initial, steps: Vec<u32>| explorer.follow(&Walk { initial, steps }, &control()).map(|_| ());
    assert_eq!(follow(1, Vec::new()), Err(lariat::NoWalk::Initial));
    assert_eq!(follow(0, vec![0, 99]), Err(lariat::NoWalk::Step(1)));
    assert_eq!(follow(0, vec![u32::MAX]), Err(lariat::NoWalk::Step(0)));
    assert_eq!(follow(0, vec![0; lariat::MOST_STEPS + 1]), Err(lariat::NoWalk::TooLong));
    let stopped = control();
    stopped.end();
    assert!(explorer.follow(&Walk::default(), &stopped).is_err());
}
