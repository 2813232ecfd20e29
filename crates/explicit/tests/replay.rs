//! What replay accepts: true traces of random systems, and of traces that were tampered with those that are true too.
//!
//! The judge is the reference evaluator's own list of steps, and a replay written the other way round: where
//! [`SystemReplay`] goes depth first through one run, the judge keeps the set of all states that a path can have led to.

use lariat_base::FileId;
use lariat_engine::{
    Engine, Evidence, FailureKind, Options, Property, Replay, RunControl, Story, SystemReplay, Task, Trace, TraceStep,
};
use lariat_explicit::{Bfs, Dfs};
use lariat_space::Move;
use lariat_system::reference::{Evaluator, Outcome, RefStep, Valuation};
use lariat_system::{ActionId, Fault, Layout, Position, System, TrapTime, text};
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::HashSet;
use std::time::{Duration, Instant};

const SYSTEMS: u64 = 40;

struct Judge<'a> {
    evaluator: Evaluator<'a>,
    layout: Layout,
}

/// How the judge sees a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ruling {
    /// The evaluator lists it.
    Listed,
    /// It can happen, but the evaluator lists another way through the same transient states.
    Possible,
    Impossible,
}

type Transient = (Valuation, Position);

impl<'a> Judge<'a> {
    fn new(system: &'a System) -> Self {
        Self { evaluator: Evaluator::new(system), layout: Layout::new(system).expect("small enough") }
    }

    fn rule(&self, trace: &Trace, kind: FailureKind) -> Ruling {
        let initial = self.evaluator.initial().into_iter().find(|state| self.layout.pack(state) == trace.initial);
        let Some(mut state) = initial else { return Ruling::Impossible };
        let mut ruling = Ruling::Listed;
        for (number, step) in trace.steps.iter().enumerate() {
            let last = number + 1 == trace.steps.len();
            let steps = self.evaluator.steps(&state);
            let is_target = |outcome: &&Outcome| match (outcome, &step.target) {
                (Outcome::State(next), Some(target)) => self.layout.pack(next) == *target,
                _ => false,
            };
            // Whatever can happen at all is listed with some path.
            let listed = steps.iter().map(|step| &step.outcome).find(is_target);
            let outcome = match (&step.target, listed, kind) {
                (Some(_), Some(outcome), FailureKind::Fault(_)) if !last => outcome.clone(),
                (Some(_), Some(outcome), FailureKind::InvalidEnd) => outcome.clone(),
                (None, _, FailureKind::Fault(fault)) if last => Outcome::Fault(fault),
                _ => return Ruling::Impossible,
            };
            match self.rule_step(&steps, &state, &step.via, &outcome) {
                Ruling::Listed => {}
                Ruling::Possible => ruling = Ruling::Possible,
                Ruling::Impossible => return Ruling::Impossible,
            }
            if let Outcome::State(next) = outcome {
                state = next;
            }
        }
        let ends = match kind {
            FailureKind::Fault(_) => !trace.steps.is_empty(),
            FailureKind::InvalidEnd => self.evaluator.steps(&state).is_empty() && !self.evaluator.is_proper_end(&state),
            FailureKind::Cycle | FailureKind::BadPrefix | FailureKind::Branching => {
                unreachable!("safety has no such failures")
            }
        };
        if ends && trace.loop_start.is_none() { ruling } else { Ruling::Impossible }
    }

    fn rule_step(&self, steps: &[RefStep], state: &Valuation, via: &[Move], outcome: &Outcome) -> Ruling {
        let same_path = |step: &RefStep| step.path.iter().map(Move::from).eq(via.iter().copied());
        if steps.iter().any(|step| step.outcome == *outcome && same_path(step)) {
            return Ruling::Listed;
        }
        // An endless sequence is perhaps listed where another action closes it.
        let listed = steps.iter().any(|step| match (&step.outcome, outcome) {
            (Outcome::Fault(Fault::EndlessAtomic(_)), Outcome::Fault(Fault::EndlessAtomic(_))) => true,
            (found, wanted) => found == wanted,
        });
        if listed && self.leads(state, via, outcome) { Ruling::Possible } else { Ruling::Impossible }
    }

    fn leads(&self, state: &Valuation, via: &[Move], outcome: &Outcome) -> bool {
        let Some((&last, way)) = via.split_last() else { return false };
        let mut here: HashSet<(Valuation, Option<Position>)> = HashSet::from([(state.clone(), None)]);
        for &by in way {
            let after = here.iter().flat_map(|(state, holder)| self.after(state, *holder, by)).collect::<Vec<_>>();
            here = after.into_iter().filter_map(|(_, next)| next).map(|(state, by)| (state, Some(by))).collect();
            here.retain(|(state, holder)| self.evaluator.firings(state, *holder).1);
        }
        here.iter().any(|(state, holder)| match outcome {
            Outcome::State(target) => {
                self.after(state, *holder, last).iter().any(|(step, _)| step == outcome) && {
                    let held = self.evaluator.system.actions[last.action].hold;
                    let holder = held.and_then(|role| last.participants().nth(role.index()));
                    holder.is_none() || !self.evaluator.firings(target, holder).1
                }
            }
            Outcome::Fault(Fault::EndlessAtomic(action)) => {
                let after = self.after(state, *holder, last);
                *action == last.action && after.into_iter().filter_map(|(_, next)| next).any(|next| self.returns(next))
            }
            Outcome::Fault(fault) => {
                let (firings, _) = self.evaluator.firings(state, *holder);
                let of_effect = firings.iter().filter(|firing| Move::from(*firing) == last);
                let mut faults = of_effect.flat_map(|firing| self.evaluator.fire(state, firing).0);
                let guards = self.evaluator.guard_faults(state, *holder);
                faults.any(|found| found == *fault)
                    || guards.iter().any(|(firing, found)| found == fault && Move::from(firing) == last)
            }
        })
    }

    /// The states after `by`, each also with its holder if there is one.
    fn after(&self, state: &Valuation, holder: Option<Position>, by: Move) -> Vec<(Outcome, Option<Transient>)> {
        let (firings, _) = self.evaluator.firings(state, holder);
        let firings = firings.into_iter().filter(|firing| Move::from(firing) == by);
        firings
            .filter_map(|firing| {
                let next = self.evaluator.fire(state, &firing).1?;
                let held = self.evaluator.holder_after(&firing).map(|holder| (next.clone(), holder));
                Some((Outcome::State(next), held))
            })
            .collect()
    }

    /// Whether the holder can come back to this transient state.
    fn returns(&self, goal: Transient) -> bool {
        let mut reached: Vec<Transient> = vec![goal.clone()];
        let mut next = 0;
        while next < reached.len() {
            let (state, holder) = reached[next].clone();
            next += 1;
            let (firings, transient) = self.evaluator.firings(&state, Some(holder));
            for firing in firings.iter().filter(|_| transient) {
                let target = self.evaluator.fire(&state, firing).1.zip(self.evaluator.holder_after(firing));
                match target {
                    Some(target) if target == goal => return true,
                    Some(target) if !reached.contains(&target) => reached.push(target),
                    _ => {}
                }
            }
        }
        false
    }
}

/// One trace, of which `story` is told, changed in every way we could think of. What a change makes of it may be true
/// all the same.
fn tampered(system: &System, truth: &Evidence, story: &Story) -> Vec<(&'static str, Evidence)> {
    let layout = Layout::new(system).expect("small enough");
    let told = story.in_full(system);
    let mut all = Vec::new();
    let mut add = |what: &'static str, change: &dyn Fn(&mut Evidence)| {
        let mut evidence = truth.clone();
        change(&mut evidence);
        if evidence != *truth {
            all.push((what, evidence));
        }
    };
    let actions = system.actions.len() as u32;
    add("initial state", &|evidence| evidence.trace.initial[0] ^= 1);
    add("initial state", &|evidence| {
        if let Some(TraceStep { target: Some(target), .. }) = evidence.trace.steps.first() {
            evidence.trace.initial = target.clone();
        }
    });
    add("loop", &|evidence| evidence.trace.loop_start = Some(0));
    add("live end", &|evidence| {
        evidence.kind = FailureKind::InvalidEnd;
        evidence.trace.steps.pop();
    });
    add("no end", &|evidence| evidence.kind = FailureKind::InvalidEnd);
    for action in (0..actions).map(ActionId) {
        for fault in
            [Fault::Trap(action, 0), Fault::Trap(action, 1), Fault::PoolFull(action), Fault::EndlessAtomic(action)]
        {
            add("fault", &|evidence| {
                evidence.kind = FailureKind::Fault(fault);
                if let Some(last) = evidence.trace.steps.last_mut() {
                    last.target = None;
                }
            });
        }
    }
    for step in 0..truth.trace.steps.len() {
        add("dropped step", &|evidence| drop(evidence.trace.steps.remove(step)));
        add("doubled step", &|evidence| {
            let again = evidence.trace.steps[step].clone();
            evidence.trace.steps.insert(step, again);
        });
        add("lost target", &|evidence| evidence.trace.steps[step].target = None);
        add("no action", &|evidence| evidence.trace.steps[step].via.clear());
        for word in 0..truth.trace.initial.len() {
            for bit in [0, 1, 5, 63] {
                add("target", &|evidence| {
                    if let Some(target) = &mut evidence.trace.steps[step].target {
                        target[word] ^= 1 << bit;
                    }
                });
            }
        }
        for at in 0..truth.trace.steps[step].via.len() {
            for action in (0..actions).map(ActionId) {
                add("action", &|evidence| evidence.trace.steps[step].via[at].action = action);
            }
            for position in [None, Some(0), Some(1), Some(2)] {
                add("actor", &|evidence| evidence.trace.steps[step].via[at].actor = position);
                add("peer", &|evidence| evidence.trace.steps[step].via[at].peer = position);
            }
            add("dropped action", &|evidence| _ = evidence.trace.steps[step].via.remove(at));
            add("doubled action", &|evidence| {
                let again = evidence.trace.steps[step].via[at];
                evidence.trace.steps[step].via.insert(at, again);
            });
            add("split step", &|evidence| {
                if let Some(after) = &told[step].events[at].after {
                    let steps = &mut evidence.trace.steps;
                    let via = steps[step].via.drain(..=at).collect();
                    steps
                        .insert(step, TraceStep { via, choices: None, labels: None, target: Some(layout.pack(after)) });
                    steps.retain(|step| !step.via.is_empty());
                }
            });
            add("ended inside", &|evidence| {
                if let Some(after) = &told[step].events[at].after {
                    evidence.kind = FailureKind::InvalidEnd;
                    evidence.trace.steps.truncate(step + 1);
                    evidence.trace.steps[step].via.truncate(at + 1);
                    evidence.trace.steps[step].target = Some(layout.pack(after));
                }
            });
            add("stopped early", &|evidence| {
                evidence.trace.steps[step].via.truncate(at);
                evidence.trace.steps.truncate(step + 1);
                if let (FailureKind::Fault(Fault::EndlessAtomic(action)), Some(last)) =
                    (&mut evidence.kind, evidence.trace.steps[step].via.last())
                {
                    *action = last.action;
                }
            });
        }
    }
    all
}

#[test]
fn replay_accepts_a_trace_just_if_it_is_true() {
    let (mut truths, mut still_true, mut rejected) = (0, 0, 0);
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let options = Options { keep_going: true, depth_limit: Some(6), code: crate::CODE, ..Options::default() };
        let task = Task::of_system(&system, Property::Safety { invalid_ends: true }, options);
        let report = Bfs.settle(&task, &RunControl::new(1 << 22, None)).unwrap();
        let replay = SystemReplay::new(&system).unwrap();
        let judge = Judge::new(&system);
        for evidence in &report.failures {
            truths += 1;
            assert_eq!(judge.rule(&evidence.trace, evidence.kind), Ruling::Listed, "seed {seed}: {evidence:?}");
            let story = replay.replay(&evidence.trace, evidence.kind);
            let story = story.unwrap_or_else(|error| panic!("seed {seed}: {error}: {evidence:?}"));
            for (what, mut changed) in tampered(&system, evidence, &story) {
                // The judge knows nothing of labels and choices, and what is changed may carry others.
                for step in &mut changed.trace.steps {
                    (step.labels, step.choices) = (None, None);
                }
                let ruling = judge.rule(&changed.trace, changed.kind);
                let accepted = replay.replay(&changed.trace, changed.kind).is_ok();
                assert_eq!(
                    accepted,
                    ruling != Ruling::Impossible,
                    "seed {seed}, {what}: {ruling:?}\n{evidence:?}\n{changed:?}\n{system}"
                );
                *if accepted { &mut still_true } else { &mut rejected } += 1;
            }
        }
    }
    println!("{truths} true traces; of those tampered with {still_true} are true and {rejected} are not");
    assert!(truths > 50 && rejected > 1000 && still_true > 20);
}

impl Judge<'_> {
    /// Whether the run makes just these choices, as the evaluator lists them. The run ends in an error of an effect, or in a dead end.
    fn makes_choices(&self, trace: &Trace, kind: FailureKind) -> bool {
        let initial = self.evaluator.initial().into_iter().find(|state| self.layout.pack(state) == trace.initial);
        let mut state = initial.expect("the beginning was not changed");
        for step in &trace.steps {
            let (mut values, mut holder) = (step.choices.as_deref().expect("they are known"), None);
            let last = step.via.len() - 1;
            for (number, by) in step.via.iter().enumerate() {
                let (own, others) = values.split_at(self.evaluator.system.actions[by.action].choices.len());
                values = others;
                let (firings, _) = self.evaluator.firings(&state, holder);
                let found = firings.into_iter().find(|firing| Move::from(firing) == *by && firing.scope.choices == own);
                let Some(firing) = found else { return false };
                let (faults, after) = self.evaluator.fire(&state, &firing);
                if let (true, None, FailureKind::Fault(fault)) = (number == last, &step.target, kind) {
                    return faults.contains(&fault);
                }
                let Some(after) = after else { return false };
                holder = self.evaluator.holder_after(&firing);
                let is_transient = holder.is_some() && self.evaluator.firings(&after, holder).1;
                let target = step.target.as_ref().filter(|_| number == last);
                if is_transient != (number < last) || target.is_some_and(|target| *target != self.layout.pack(&after)) {
                    return false;
                }
                state = after;
            }
        }
        true
    }
}

/// Traces carry the values of choices, the story has the same, and with other values a trace replays if the evaluator lists these.
#[test]
fn traces_carry_their_choices() {
    let (mut traces, mut made, mut still_true, mut rejected) = (0, 0, 0, 0);
    for seed in 0..6 * SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        if system.actions.iter().all(|action| action.choices.is_empty()) {
            continue;
        }
        let (replay, judge) = (SystemReplay::new(&system).unwrap(), Judge::new(&system));
        for (engine, depth_limit) in [(&Bfs as &dyn Engine, Some(8)), (&Dfs, None)] {
            let options = Options { keep_going: true, depth_limit, code: crate::CODE, ..Options::default() };
            let task = Task::of_system(&system, Property::Safety { invalid_ends: true }, options);
            let report = engine.settle(&task, &RunControl::new(1 << 22, None)).unwrap();
            for evidence in &report.failures {
                let story = replay.replay(&evidence.trace, evidence.kind).expect("it replays");
                for (number, step) in evidence.trace.steps.iter().enumerate() {
                    let choices = step.choices.as_ref().expect("they are known");
                    let told = story.actions_of(number).iter().flat_map(|taken| taken.choices.iter().copied());
                    assert_eq!(*choices, told.collect::<Vec<_>>(), "seed {seed}: {evidence:?}\n{system}");
                    made += choices.len();
                }
                traces += 1;
                let by_guard = |fault: Fault| match fault {
                    Fault::Trap(action, number) => {
                        system.actions[action].traps[usize::from(number)].time == TrapTime::Guard
                    }
                    _ => false,
                };
                match evidence.kind {
                    FailureKind::Fault(fault) if by_guard(fault) || matches!(fault, Fault::EndlessAtomic(_)) => {
                        continue;
                    }
                    _ => assert!(judge.makes_choices(&evidence.trace, evidence.kind), "seed {seed}: {evidence:?}"),
                }
                for step in 0..evidence.trace.steps.len() {
                    let count = evidence.trace.steps[step].choices.as_ref().map_or(0, Vec::len);
                    for (at, change) in (0..count).flat_map(|at| [(at, -1), (at, 1)]) {
                        let mut changed = evidence.trace.clone();
                        for other in &mut changed.steps {
                            other.labels = None;
                        }
                        changed.steps[step].choices.as_mut().expect("they are known")[at] += change;
                        let accepted = replay.replay(&changed, evidence.kind).is_ok();
                        let expected = judge.makes_choices(&changed, evidence.kind);
                        assert_eq!(accepted, expected, "seed {seed}: {changed:?}\n{system}");
                        *if accepted { &mut still_true } else { &mut rejected } += 1;
                    }
                }
            }
        }
    }
    println!("{traces} traces with {made} choices; of those with others {still_true} are true and {rejected} are not");
    assert!(traces > 50 && made > 100 && still_true > 5 && rejected > 50);
}

/// Where each choice of an atomic sequence shows in the states that follow it, there are as many ways through it as valuations, and
/// replay would look at each. It takes the one that the trace gives.
#[test]
fn choices_that_show_are_not_searched_for() {
    const LENGTH: u64 = 18;
    let wanted = 0b10_1101_0011_1001_0110_u64;
    let source = format!(
        "system bits
        slot n : 0..{most} = 0
        frame P {{ control hidden slot pc : 0..63 = 0 }}
        pool 1
        init {{ spawn P() }}
        action \"add\" by P {{
            control p0.pc < {LENGTH}
            choose c : bool
            set n := (2 * n + ?c) % {modulus}
            set p0.pc := u6(p0.pc + 1)
            hold p0
        }}
        action \"look\" by P {{
            control p0.pc == {LENGTH}
            trap effect assertion if n == {wanted} then goes_on
            set p0.pc := 0
            set n := 0
        }}",
        modulus = 1 << LENGTH,
        most = (1 << LENGTH) - 1
    );
    let system = text::parse(&source, FileId(0)).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    let task = Task::of_system(&system, Property::Safety { invalid_ends: false }, Options::default());
    let report = Bfs.settle(&task, &RunControl::new(1 << 30, None)).unwrap();
    let failure = &report.failures[0];
    let choices: u64 = failure.trace.steps[0].choices.iter().flatten().fold(0, |bits, &bit| 2 * bits + bit as u64);
    assert_eq!(choices, wanted);
    let replay = SystemReplay::new(&system).unwrap();
    let begun = Instant::now();
    let story = replay.replay(&failure.trace, failure.kind).expect("it replays");
    let given = begun.elapsed();
    let mut open = failure.trace.clone();
    open.steps[0].choices = None;
    let begun = Instant::now();
    assert_eq!(replay.replay(&open, failure.kind), Ok(story));
    let searched = begun.elapsed();
    assert!(given * 100 < searched, "{given:?} against {searched:?}");
}

/// Forty choices one after the other, of which only one valuation leads to the error: a run through all of them would
/// not come to an end.
#[test]
fn replay_does_not_try_the_same_state_twice() {
    const LENGTH: u64 = 40;
    let source = format!(
        "system chain
        slot n : 0..63 = 0
        frame P {{ control hidden slot pc : 0..63 = 0 }}
        pool 1
        init {{ spawn P() }}
        action \"add\" by P {{
            control p0.pc < {LENGTH}
            choose c : bool
            set n := u6(n + ?c)
            set p0.pc := u6(p0.pc + 1)
            hold p0
        }}
        action \"look\" by P {{
            control p0.pc == {LENGTH}
            trap effect assertion if n == {LENGTH} then goes_on
            set p0.pc := 0
            set n := 0
        }}"
    );
    let system = text::parse(&source, FileId(0)).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    let task = Task::of_system(&system, Property::Safety { invalid_ends: false }, Options::default());
    let report = Bfs.settle(&task, &RunControl::new(1 << 26, None)).unwrap();
    let replay = SystemReplay::new(&system).unwrap();
    let mut trace = report.failures[0].trace.clone();
    trace.steps.iter_mut().for_each(|step| step.choices = None);
    let begun = Instant::now();
    let story = replay.replay(&trace, report.failures[0].kind).expect("it replays");
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(story.actions_of(0).len() as u64, LENGTH + 1);
}

/// A ring of 64 cells in one action: each cell's next value is a choice that the guard binds, whether it does so by one conjunction
/// or by a conjunct for each cell. Were the choices counted as open, the system would be refused; were they tried, the search
/// and the replay would not come to an end.
#[test]
fn many_choices_may_be_bound_by_one_conjunction() {
    const CELLS: usize = 64;
    let settle = |when: &str| {
        let zeros = ["0"; CELLS].join(", ");
        let mut source = format!("system ring\nslot cell[{CELLS}] : bool = [{zeros}]\naction \"turn\" {{\n");
        for cell in 0..CELLS {
            source += &format!("choose c{cell} : bool\n");
        }
        source += when;
        source += &format!("trap effect assertion if cell[{}] == 1 then goes_on\n", CELLS - 1);
        for cell in 0..CELLS {
            source += &format!("set cell[{cell}] := ?c{cell}\n");
        }
        let system = text::parse(&(source + "}"), FileId(0)).expect("it parses");
        assert_eq!(system.validate(), Ok(()));
        let task = Task::of_system(&system, Property::Safety { invalid_ends: false }, Options::default());
        let control = RunControl::new(1 << 26, None);
        let replay = SystemReplay::new(&system).unwrap();
        let settled = [Bfs.settle(&task, &control), Dfs.settle(&task, &control)].map(|report| {
            let report = report.expect("its choices are bound");
            let begun = Instant::now();
            let failure = &report.failures[0];
            let story = replay.replay(&failure.trace, failure.kind).expect("it replays");
            assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
            assert_eq!((failure.trace.steps.len(), story.actions_of(CELLS).len()), (CELLS + 1, 1));
            (report.stats.states, failure.trace.clone())
        });
        assert_eq!(settled[0].0, CELLS as u64 + 2);
        settled
    };
    // What leaves the ring comes back turned over.
    let bound = |cell: usize| match cell.checked_sub(1) {
        None => format!("?c0 == 1 - cell[{}]", CELLS - 1),
        Some(before) => format!("?c{cell} == cell[{before}]"),
    };
    let conjuncts: Vec<String> = (0..CELLS).map(bound).collect();
    let together = settle(&format!("when {}\n", conjuncts.join(" && ")));
    let apart: String = conjuncts.iter().map(|conjunct| format!("when {conjunct}\n")).collect();
    assert_eq!(settle(&apart), together);
}

/// A state in which a guard errs is no dead end.
#[test]
fn an_error_is_no_invalid_end() {
    let source = "system errs
        slot x : bool = 0
        action \"x\" { control x == 0 when x == 0 trap guard division if x == 0 then stops }
        proper_end x == 1";
    let system = text::parse(source, FileId(0)).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    let replay = SystemReplay::new(&system).unwrap();
    let initial = Layout::new(&system).unwrap().pack(&Evaluator::new(&system).initial()[0]);
    let trace = Trace { initial, steps: Vec::new(), loop_start: None, decided: None };
    let error = replay.replay(&trace, FailureKind::InvalidEnd).expect_err("something happens");
    assert_eq!(error.reason, "the run ends in a run-time error");
}
