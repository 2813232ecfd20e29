//! A model written in Rust is checked by the engines in memory, and its runs are replayed.

#[path = "../examples/two_phase_commit/model.rs"]
mod model;

#[path = "../examples/lock_free_queue/model.rs"]
mod queue;
#[path = "../examples/raft_core/model.rs"]
mod raft;

use crate::support::engines_and_a_lossy_one as engines;
use lariat::rust::{
    Check, CheckOptions, Fairness, Model, Pack, Packer, Property, Propositions, RunOf, SettledModel, Unpacker, Who,
    check,
};
use lariat::{CheckError, Limits, Options, Verdict};
use lariat_engine::{AcceptanceKind, Report, Split, StoreKind, TemporalBy};
use model::{Action, TwoPhaseCommit};
use std::collections::HashSet;
use std::time::Duration;

type Protocol = TwoPhaseCommit<2>;

fn settle<M: Model>(model: &M, property: &Property, engine: &'static str) -> Result<SettledModel<M>, CheckError> {
    let options = CheckOptions { engines: engines(), engine: Some(engine), ..CheckOptions::default() };
    check(model, property, &options, &Limits::default().control())
}

fn settled(model: &Protocol, property: &Property, engine: &'static str) -> SettledModel<Protocol> {
    settle(model, property, engine).unwrap_or_else(|error| panic!("{engine}, {}: {error}", property.name()))
}

/// That the answer is right, as far as its engine can tell.
#[track_caller]
fn assert_right(engine: &str, report: &Report, holds: bool) {
    let known = engines();
    let asked = known.iter().find(|known| known.name() == engine).expect("it is registered");
    assert!(report.verdict.may_be_said_by(asked, holds), "{engine}: {:?}", report.verdict);
}

/// Goes along a run once more, by the model alone.
fn assert_is_run<M: Model>(model: &M, run: &RunOf<M>) {
    assert!(model.initial().contains(&run.initial));
    let mut at = &run.initial;
    for step in &run.steps {
        let mut actions = Vec::new();
        model.actions(at, &mut actions);
        match &step.action {
            Some(action) => assert!(actions.contains(action) && model.next(at, action).as_ref() == Some(&step.state)),
            // Nothing can happen, and the state repeats.
            None => {
                let leads = |action: &M::Action| model.next(at, action).is_some();
                assert!(!actions.iter().any(leads) && step.state == *at);
            }
        }
        at = &step.state;
    }
    if let Some(start) = run.loop_start {
        let loop_state = if start == 0 { &run.initial } else { &run.steps[start - 1].state };
        assert_eq!(run.last(), loop_state);
    }
}

/// The registered engines that support the property.
fn supporting(model: &Protocol, property: &Property) -> Vec<&'static str> {
    let supports = |engine: &&'static str| !matches!(settle(model, property, engine), Err(CheckError::Refused(_)));
    engines().names().filter(supports).collect()
}

/// How many states the model has, counted without any engine.
fn count_states<M: Model>(model: &M) -> u64 {
    let (mut waiting, mut seen) = (model.initial(), HashSet::new());
    while let Some(state) = waiting.pop() {
        if seen.insert(format!("{state:?}")) {
            let mut actions = Vec::new();
            model.actions(&state, &mut actions);
            waiting.extend(actions.iter().filter_map(|action| model.next(&state, action)));
        }
    }
    seen.len() as u64
}

#[test]
fn safety_by_every_engine_that_reaches_states() {
    let (right, states) = (Protocol::RIGHT, count_states(&Protocol::RIGHT));
    let wrong = Protocol { breaks_promises: true, ..right };
    let reaching = supporting(&right, &Property::no_deadlock());
    assert!(["bfs", "dfs", "external", "astar"].iter().all(|engine| reaching.contains(engine)), "{reaching:?}");
    for engine in reaching {
        let deadlock_free = settled(&right, &Property::no_deadlock(), engine);
        assert_right(deadlock_free.engine(), deadlock_free.report(), true);
        assert!(!deadlock_free.holds() || deadlock_free.report().stats.states == states, "{engine}");
    }
    let agreeing = supporting(&right, &Protocol::agreement());
    assert!(["bfs", "dfs", "scc", "ndfs", "online"].iter().all(|engine| agreeing.contains(engine)), "{agreeing:?}");
    for engine in agreeing {
        let agreed = settled(&right, &Protocol::agreement(), engine);
        assert_right(agreed.engine(), agreed.report(), true);
        assert_eq!(agreed.engine(), engine);
        let broken = settled(&wrong, &Protocol::agreement(), engine);
        assert_right(broken.engine(), broken.report(), false);
        let Some(run) = broken.counterexample() else { continue };
        assert_is_run(&wrong, run);
        // Both prepare, both votes are counted, the decision is told and one obeys; the other gives up.
        let gives_up = run.steps.iter().any(|step| matches!(step.action, Some(Action::GiveUp(_))));
        assert!(gives_up && run.loop_start.is_some(), "{engine}: {run:?}");
    }
}

#[test]
fn deadlocks_are_found_with_a_shortest_run() {
    let once = Protocol { tells_once: true, ..Protocol::RIGHT };
    for engine in supporting(&once, &Property::no_deadlock()) {
        let failed = settled(&once, &Property::no_deadlock(), engine);
        // A decision that is lost is never told again.
        assert_right(failed.engine(), failed.report(), false);
        let Some(run) = failed.counterexample() else { continue };
        assert_is_run(&once, run);
        assert!(run.loop_start.is_none() && !once.may_end(run.last()));
        let mut left = Vec::new();
        once.actions(run.last(), &mut left);
        assert!(left.is_empty());
        // One gives up; the other prepares and is not told that the manager aborts.
        assert!(engine != "bfs" || run.steps.len() == 5, "{run:?}");
    }
}

#[test]
fn linear_time_under_weak_and_strong_fairness() {
    let decision = Protocol::decision();
    let weak = decision.clone().weakly_fair(0..Protocol::RIGHT.processes());
    let strong = decision.clone().strongly_fair(0..Protocol::RIGHT.processes());
    let both = decision.clone().weakly_fair([Protocol::MANAGER, 0, 1]).strongly_fair_steps("obeys");
    for property in [&decision, &weak] {
        let supporting = supporting(&Protocol::RIGHT, property);
        assert!(["scc", "ndfs"].iter().all(|engine| supporting.contains(engine)), "{supporting:?}");
        for engine in supporting {
            let failed = settled(&Protocol::RIGHT, property, engine);
            assert_right(failed.engine(), failed.report(), false);
            let Some(run) = failed.counterexample() else { continue };
            assert_is_run(&Protocol::RIGHT, run);
            assert!(run.loop_start.is_some(), "{engine}");
        }
    }
    // Under weak fairness the network loses what the manager tells, for ever.
    let failed = settled(&Protocol::RIGHT, &weak, "scc");
    let run = failed.counterexample().expect("it fails");
    let round = &run.steps[run.loop_start.expect("it goes on for ever")..];
    assert!(round.iter().any(|step| matches!(step.action, Some(Action::Lose(_)))));
    assert!(round.iter().any(|step| step.action == Some(Action::Tell)));
    for property in [&strong, &both] {
        assert!(settled(&Protocol::RIGHT, property, "scc").holds());
        let refused = settle(&Protocol::RIGHT, property, "ndfs").map(|settled| settled.engine());
        let Err(CheckError::Refused(reason)) = refused else { panic!("{refused:?}") };
        assert!(reason.contains("strong fairness") && reason.contains("`scc`"), "{reason}");
    }
}

#[test]
fn the_choice_is_left_to_the_register_and_threads_agree() {
    let options = |threads| CheckOptions { threads: Some(threads), ..CheckOptions::default() };
    let run = |property: &Property, threads| {
        check(&TwoPhaseCommit::<3>::RIGHT, property, &options(threads), &Limits::default().control()).expect("it runs")
    };
    let agreement = TwoPhaseCommit::<3>::agreement();
    let (one, two) = (run(&agreement, 1), run(&agreement, 2));
    assert_eq!((one.engine(), two.engine()), ("bfs", "bfs"));
    assert!(one.holds() && one.report().stats.digest.is_some());
    assert_eq!(one.report().stats.digest, two.report().stats.digest);
    let strong = TwoPhaseCommit::<3>::decision().strongly_fair(0..TwoPhaseCommit::<3>::RIGHT.processes());
    assert_eq!(run(&strong, 1).engine(), "scc");
}

#[test]
fn stores_are_honoured_and_what_cannot_be_is_refused() {
    let with = |engine, options: Options| {
        let options = CheckOptions { engine: Some(engine), options, ..CheckOptions::default() };
        check(&Protocol::RIGHT, &Protocol::agreement(), &options, &Limits::default().control())
    };
    let compact = with("dfs", Options { store: StoreKind::Compact, ..Options::default() }).expect("it runs");
    assert!(matches!(compact.report().verdict, Verdict::Undecided(_)), "a lossy store cannot say that it holds");
    let refused = |options: Options, part: &str| match with("bfs", options) {
        Err(CheckError::Refused(reason)) => assert!(reason.contains(part), "{reason}"),
        other => panic!("{other:?}"),
    };
    refused(Options { reduce: true, ..Options::default() }, "written in Rust");
    refused(Options { profile: true, ..Options::default() }, "`--profile`");
    for engine in ["symbolic", "graph"] {
        assert!(matches!(with(engine, Options::default()), Err(CheckError::Refused(_))), "{engine}");
    }
}

/// Each option that no search uses is refused by its name, and the same option is taken where it is used.
#[test]
fn options_without_effect_are_refused() {
    let plain = Options::default;
    let agreement = || Check::of(&Protocol::RIGHT).property(Protocol::agreement());
    let unused = |check: Check<'_, Protocol>, options: Options, field: &str| match check.options(options).run() {
        Err(CheckError::Unused(unused)) => {
            assert_eq!(unused.option, field);
            assert!(unused.to_string().contains("has no effect here"), "{unused}");
        }
        other => panic!("{field}: {other:?}"),
    };
    let split = StoreKind::Hybrid { split: Split::Demon };
    unused(agreement(), Options { seed: 7, ..plain() }, "Options::seed");
    unused(agreement(), Options { threads: 2, ..plain() }, "Options::threads");
    unused(agreement(), Options { pool_may_grow: true, ..plain() }, "Options::pool_may_grow");
    unused(agreement().engine("dfs"), Options { scout: true, ..plain() }, "Options::scout");
    let deadlock = || Check::of(&Protocol::RIGHT).no_deadlock();
    unused(deadlock(), Options { acceptance: AcceptanceKind::Copies, ..plain() }, "Options::acceptance");
    unused(deadlock(), Options { temporal_by: TemporalBy::Tester, ..plain() }, "Options::temporal_by");
    unused(deadlock().engine("dfs"), Options { store: split, ..plain() }, "Options::store");

    let used = |check: Check<'_, Protocol>, options: Options| check.options(options).run().expect("it is used");
    used(agreement().engine("dfs"), Options { store: StoreKind::Compact, seed: 7, ..plain() });
    let decision = || Check::of(&Protocol::RIGHT).property(Protocol::decision());
    used(decision().engine("scc"), Options { acceptance: AcceptanceKind::Generalised, ..plain() });
    used(decision().engine("ndfs"), Options { store: split, ..plain() });
}

#[test]
fn names_must_be_known() {
    let wrong = |property: &Property| match settle(&Protocol::RIGHT, property, "scc") {
        Err(CheckError::Model(diagnostics)) => diagnostics[0].message.clone(),
        other => panic!("{other:?}"),
    };
    assert!(wrong(&Property::ltl("typo", "<> all_decide")).contains("`all_decide`"));
    let constraint = Fairness::justice("nothing".to_owned());
    assert!(wrong(&Protocol::decision().fair(constraint)).contains("`nothing`"));
}

/// What is put together step by step is what the property with all its parts is.
#[test]
fn a_check_put_together_is_the_same_check() {
    let decision = Protocol::decision();
    for (strength, fair) in [("weak", false), ("strong", true)] {
        let check = || Check::of(&Protocol::RIGHT).property(decision.clone());
        let together = if fair { check().strongly_fair() } else { check().weakly_fair() };
        let settled = together.engine("scc").threads(1).run().expect("it runs");
        assert_eq!(settled.holds(), fair, "{strength}");
        assert_eq!((settled.name(), settled.engine()), ("decision", "scc"));
        if let Some(run) = settled.counterexample() {
            assert_is_run(&Protocol::RIGHT, run);
            let text = run.to_string();
            assert!(text.starts_with("initially State") && text.contains("\nfor ever:\n"), "{text}");
        }
    }
    // A later question takes the place of an earlier one, and fairness stays.
    let asked = Check::of(&Turns).no_deadlock().fair(Fairness::justice("enters".to_owned())).ltl("<> done");
    assert!(asked.run().expect("it runs").holds());
    let stopped = Check::of(&Protocol::RIGHT).memory_bytes(1 << 30).time(Duration::ZERO).run();
    assert!(stopped.as_ref().is_ok_and(|settled| !settled.holds()) || stopped.is_err(), "{stopped:?}");
    let control = Limits::default().control();
    control.cancel();
    let cancelled = Check::of(&Protocol::RIGHT).always("!some_aborted").run_under(&control);
    assert!(cancelled.as_ref().map_or(true, |settled| matches!(settled.report().verdict, Verdict::Undecided(_))));
    let refused = Check::of(&Protocol::RIGHT).weakly_fair().run();
    assert!(matches!(&refused, Err(CheckError::Refused(reason)) if reason.contains("deadlocks")), "{refused:?}");
    let refused = Check::of(&Ambiguous).ltl("p").weakly_fair().run();
    assert!(matches!(&refused, Err(CheckError::Refused(reason)) if reason.contains("processes")), "{refused:?}");
}

/// A model with two propositions of one name.
struct Ambiguous;

impl Model for Ambiguous {
    type State = ();
    type Action = ();

    fn initial(&self) -> Vec<()> {
        vec![()]
    }
    fn actions(&self, (): &(), _: &mut Vec<()>) {}
    fn next(&self, (): &(), (): &()) -> Option<()> {
        None
    }
    fn propositions(&self, found: &mut Propositions<Self>) {
        found.state("p", |_, ()| true).step("p", |_, (), ()| true);
    }
}

#[test]
fn a_name_stands_for_one_proposition() {
    let settled = settle(&Ambiguous, &Property::ltl("p", "p"), "scc").map(|settled| settled.engine());
    assert!(matches!(&settled, Err(CheckError::Model(errors)) if errors[0].message.contains("several")), "{settled:?}");
}

/// Two processes that take turns only if both are treated fairly, with a step that only one of them may take now and then.
struct Turns;

impl Model for Turns {
    type State = (bool, bool);
    type Action = (u8, bool);

    fn initial(&self) -> Vec<(bool, bool)> {
        vec![(false, false), (false, false)]
    }
    fn actions(&self, _: &(bool, bool), found: &mut Vec<(u8, bool)>) {
        found.extend([(0, true), (1, true), (1, false)]);
    }
    fn next(&self, &(open, done): &(bool, bool), &(process, moves): &(u8, bool)) -> Option<(bool, bool)> {
        match (process, moves) {
            (0, _) => Some((!open, done)),
            // Only where the door is open.
            (_, true) => open.then_some((open, true)),
            (_, false) => Some((open, done)),
        }
    }
    fn process(&self, &(process, _): &(u8, bool)) -> Option<u8> {
        Some(process)
    }
    fn propositions(&self, found: &mut Propositions<Self>) {
        found.state("done", |_, state| state.1).state("open", |_, state| state.0);
        found.step("enters", |_, _, action| *action == (1, true));
    }
}

#[test]
fn fairness_of_every_kind_is_what_its_definition_says() {
    let eventually = Property::ltl("eventually", "<> done");
    let steps = || Who::Steps("enters".to_owned());
    let cases = [
        (eventually.clone(), false),
        (eventually.clone().weakly_fair([0, 1]), false),
        // The other step of the process is enough for it.
        (eventually.clone().strongly_fair([0, 1]), false),
        (eventually.clone().fair(Fairness::weak(steps())), false),
        (eventually.clone().weakly_fair([0]).fair(Fairness::weak(steps())), false),
        (eventually.clone().fair(Fairness::strong(steps())), false),
        (eventually.clone().weakly_fair([0]).fair(Fairness::strong(steps())), true),
        (eventually.clone().fair(Fairness::justice("enters".to_owned())), true),
        (eventually.clone().fair(Fairness::compassion("open".to_owned(), "enters".to_owned())), false),
        (
            eventually
                .fair(Fairness::justice("open".to_owned()))
                .fair(Fairness::compassion("open".to_owned(), "enters".to_owned())),
            true,
        ),
    ];
    for (number, (property, holds)) in cases.iter().enumerate() {
        for engine in engines().names() {
            let Ok(settled) = settle(&Turns, property, engine) else {
                assert_ne!(engine, "scc", "case {number}");
                continue;
            };
            assert_right(settled.engine(), settled.report(), *holds);
            settled.counterexample().into_iter().for_each(|run| assert_is_run(&Turns, run));
        }
    }
}

#[test]
fn raft_is_right_and_each_mistake_shows() {
    use raft::Raft;
    // Two terms are enough to lose an entry; three are checked by the example.
    let two = Raft { terms: 2, ..Raft::RIGHT };
    assert!(Check::of(&two).property(Raft::agreement()).run().unwrap().holds());
    let one = Raft { terms: 1, ..two };
    assert!(Check::of(&one).property(Raft::one_leader()).run().unwrap().holds());
    assert!(Check::of(&one).property(Raft::progress()).run().unwrap().holds());
    assert!(!Check::of(&one).ltl("<> stable").run().unwrap().holds(), "the vote may be split");
    let forgets = Raft { forgets_votes: true, terms: 1, ..two };
    let settled = Check::of(&forgets).property(Raft::one_leader()).run().unwrap();
    assert_is_run(&forgets, settled.counterexample().expect("two leaders in one term"));
    let blind = Raft { votes_blindly: true, ..two };
    let settled = Check::of(&blind).property(Raft::agreement()).run().unwrap();
    assert_is_run(&blind, settled.counterexample().expect("a leader without what is committed"));
}

#[test]
fn the_queue_is_in_order_and_lock_free_with_tags_alone() {
    use queue::Queue;
    let right = Queue::<2> { is_tagged: true, values: 3 };
    assert!(Check::of(&right).property(Queue::<2>::in_order()).run().unwrap().holds());
    assert!(Check::of(&right).property(Queue::<2>::lock_free()).run().unwrap().holds());
    assert!(Check::of(&right).no_deadlock().run().unwrap().holds());
    // An operation that finds the queue empty ends too: values need not be taken for that.
    assert!(!Check::of(&right).ltl("<> finished").run().unwrap().holds());
    let untagged = Queue::<3> { is_tagged: false, values: 4 };
    let settled = Check::of(&untagged).property(Queue::<3>::in_order()).run().unwrap();
    assert_is_run(&untagged, settled.counterexample().expect("a node is taken for itself in another life"));
}

/// States are numbers, steps are given.
struct Graph(Vec<(u8, u8)>);

impl Model for Graph {
    type State = u8;
    type Action = u8;
    fn initial(&self) -> Vec<u8> {
        vec![0]
    }
    fn actions(&self, state: &u8, found: &mut Vec<u8>) {
        found.extend(self.0.iter().filter(|(from, _)| from == state).map(|(_, to)| *to));
    }
    fn next(&self, _: &u8, to: &u8) -> Option<u8> {
        Some(*to)
    }
    fn propositions(&self, found: &mut Propositions<Self>) {
        found.state("odd", |_, state| state % 2 == 1);
    }
}

/// A search that remembers only whether a state was visited, and not whether what is waited for had happened on the way there,
/// misses runs that come to a visited state, and runs that go round. The breadth-first search of Stateright 0.31 misses those of the
/// first three graphs, its depth-first search those of the second and third (docs/rust.md).
#[test]
fn what_never_happens_is_found_where_runs_meet_and_where_they_go_round() {
    type Steps = &'static [(u8, u8)];
    let graphs: [(&str, Steps, bool); 5] = [
        ("two ways to one state, one of them without", &[(0, 1), (0, 2), (1, 4), (2, 4)], false),
        ("round and round", &[(0, 2), (2, 0)], false),
        ("round and round, with a way out", &[(0, 2), (2, 0), (2, 3)], false),
        ("every way leads there", &[(0, 1), (0, 2), (2, 3), (1, 4), (3, 4)], true),
        ("there, and then round", &[(0, 1), (1, 2), (2, 1)], true),
    ];
    for (what, steps, holds) in graphs {
        let model = Graph(steps.to_vec());
        for engine in engines().names() {
            match settle(&model, &Property::ltl("odd at last", "<> odd"), engine) {
                Ok(settled) => assert_right(settled.engine(), settled.report(), holds),
                Err(CheckError::Refused(_)) => {}
                Err(error) => panic!("{what}, by {engine}: {error}"),
            }
        }
        let settled = Check::of(&model).ltl("<> odd").run().unwrap();
        assert_eq!(settled.holds(), holds, "{what}");
        if let Some(run) = settled.counterexample() {
            assert_is_run(&model, run);
            assert!(run.steps.iter().all(|step| step.state % 2 == 0), "{what}");
        }
    }
}

/// A number that is packed into fewer bits than it needs.
#[derive(Clone, PartialEq, Debug)]
struct Narrow(u8);

impl Pack for Narrow {
    const BITS: u32 = 3;
    fn pack(&self, to: &mut Packer<'_>) {
        to.write(u64::from(self.0 % 8), 3);
    }
    fn unpack(from: &mut Unpacker<'_>) -> Self {
        Self(from.read(3) as u8)
    }
}

struct Counter;

impl Model for Counter {
    type State = (bool, [Narrow; 1]);
    type Action = ();
    fn initial(&self) -> Vec<Self::State> {
        vec![(true, [Narrow(0)])]
    }
    fn actions(&self, _: &Self::State, found: &mut Vec<()>) {
        found.push(());
    }
    fn next(&self, (flag, [Narrow(number)]): &Self::State, (): &()) -> Option<Self::State> {
        Some((*flag, [Narrow(number + 1)]))
    }
}

/// States that packing makes equal would never be looked at: what packs itself is compared, also inside types that do not.
#[test]
fn packing_that_loses_something_is_noticed() {
    let searched = std::panic::catch_unwind(|| settle(&Counter, &Property::no_deadlock(), "bfs").map(|_| ()));
    let said = searched.expect_err("the ninth state is the first one");
    let said = said.downcast_ref::<String>().map(String::as_str).or_else(|| said.downcast_ref::<&str>().copied());
    assert!(said.is_some_and(|said| said.contains("gives back")), "{said:?}");
}
