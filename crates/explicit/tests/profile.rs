//! Profiles: known numbers, the same by any number of threads, and what they advise is so.

use lariat_base::{FileId, Id};
use lariat_engine::profile::{Advice, Places, ProcessShare, Profile, ValueCount, VariableKind, VariableShare, advise};
use lariat_engine::{Engine, Options, Property, Report, RunControl, Task};
use lariat_explicit::{Bfs, Dfs};
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_system::reference::{Evaluator, Firing, Valuation};
use lariat_system::{FrameId, Layout, Position, System};
use lariat_testkit::{Knobs, RandomSystem};
use std::time::Duration;

/// Two processes count to 4, each 2 steps, and then note something of their own that nobody reads.
const COUNTING: &str = r#"
system "counting"
slot total : 0..7 = 0
slot fixed : 0..7 = 5
frame P {
    control hidden slot pc : 0..4 = 0
    slot seen : 0..7 = 0
}
pool 2
init {
    spawn P()
    spawn P()
}
action "total++" by P {
    control p0.pc == 0
    set total := u3(total + 1)
    set p0.pc := 1
}
action "seen = 3" by P {
    control p0.pc == 1
    set p0.seen := 3
    set p0.pc := 2
}
action "total++ again" by P {
    control p0.pc == 2
    set total := u3(total + fixed - 4)
    set p0.pc := 3
}
"#;

fn counting() -> System {
    let system = lariat_system::text::parse(COUNTING, FileId(0)).expect("a system");
    system.validate().expect("a valid one");
    system
}

fn run(engine: &dyn Engine, system: &System, options: Options, memory_bytes: u64) -> Report {
    let task = Task::of_system(system, Property::Safety { invalid_ends: false }, options);
    engine.settle(&task, &RunControl::new(memory_bytes, None)).expect("it runs")
}

fn profile(engine: &dyn Engine, system: &System, threads: usize) -> Profile {
    let options = Options { profile: true, keep_going: true, threads, code: crate::CODE, ..Options::default() };
    run(engine, system, options, 1 << 28).profile.expect("it was asked for")
}

#[test]
fn small_numbers_are_known() {
    for engine in [&Bfs as &dyn Engine, &Dfs] {
        let profile = profile(engine, &counting(), 1);
        // Each process stands at one of 4 places, and everything else follows from that.
        assert_eq!((profile.states, profile.complete, profile.measured), (16, true, true));
        let processes: Vec<_> = profile
            .processes
            .iter()
            .map(|ProcessShare { name, taken, lives_in, states_without, .. }| {
                (name.as_str(), *taken, *lives_in, *states_without)
            })
            .collect();
        // Without a process, its share of the total is still seen: the other's place and the total are 4 x 3 pairs.
        assert_eq!(processes, [("P(0)", 12, 16, Some(12)), ("P(1)", 12, 16, Some(12))]);
        let statements: Vec<_> = profile
            .statements
            .iter()
            .map(|share| (share.statement.text.as_str(), share.taken, share.leads_to))
            .collect();
        // Each can have been taken last by either process, in 4 places of the other; 1 state is reached both ways.
        assert_eq!(statements, [("total++", 8, Some(7)), ("seen = 3", 8, Some(7)), ("total++ again", 8, Some(7))]);
        let mut variables: Vec<_> = profile
            .variables
            .iter()
            .map(|VariableShare { name, kind, values, states_without, .. }| {
                (name.as_str(), *kind, *values, *states_without)
            })
            .collect();
        variables.sort_by_key(|variable| variable.0);
        let of = |name, kind, values, without| (name, kind, ValueCount::Exactly(values), Some(without));
        assert_eq!(
            variables,
            [
                of("P.seen", VariableKind::Variable, 2, 16),
                // Each of the 4 pairs of `seen` goes with 3 totals.
                of("control of P", VariableKind::Control, 4, 12),
                of("fixed", VariableKind::Variable, 1, 16),
                of("total", VariableKind::Variable, 5, 16),
            ]
        );
        // Some process stands before `seen = 3` in 16 - 3 * 3 states. Of its value nothing is ever read.
        assert_eq!(profile.joinable.states, 7);
        assert_eq!(profile.joinable.statements[0].0.text, "seen = 3");
        assert_eq!(profile.stale.variables.len(), 1);
        let advice = advise(&profile);
        assert!(matches!(&advice[0], Advice::Join { states_left: 9, .. }), "{advice:?}");
        assert!(matches!(&advice[1], Advice::Constant { bits: 3, .. }), "{advice:?}");
    }
}

fn untimed(mut profile: Profile) -> Profile {
    profile.threads = 0;
    profile.phases.clear();
    profile
}

#[test]
fn threads_change_nothing() {
    for seed in 0..20 {
        let system = RandomSystem::generate(seed, &Knobs::default());
        if Enumerated::new(&ReferenceSpace::new(&system).unwrap(), 300).is_ok() {
            assert_eq!(untimed(profile(&Bfs, &system, 1)), untimed(profile(&Bfs, &system, 4)), "seed {seed}");
        }
    }
    // Wide levels, which threads share.
    let mut wide = String::from("system \"wide\"\n");
    (0..6).for_each(|slot| wide += &format!("slot s{slot} : 0..4 = 0\n"));
    (0..6).for_each(|slot| {
        wide += &format!("action \"s{slot}++\" {{\n when s{slot} < 4\n set s{slot} := s{slot} + 1\n}}\n");
    });
    let wide = lariat_system::text::parse(&wide, FileId(0)).expect("a system");
    let one = untimed(profile(&Bfs, &wide, 1));
    assert_eq!(one.states, 5_u64.pow(6));
    assert_eq!(one, untimed(profile(&Bfs, &wide, 4)));
    // Each slot is independent of the others.
    for variable in &one.variables {
        let without = variable.states_without.expect("it was measured");
        assert!(without.abs_diff(3125) < 157, "{without}");
    }
}

#[test]
fn a_profile_changes_nothing_else() {
    for seed in 0..20 {
        let system = RandomSystem::generate(seed, &Knobs::default());
        if Enumerated::new(&ReferenceSpace::new(&system).unwrap(), 300).is_err() {
            continue;
        }
        for engine in [&Bfs as &dyn Engine, &Dfs] {
            for keep_going in [false, true] {
                let reports = [false, true].map(|profile| {
                    let options = Options { profile, keep_going, code: crate::CODE, ..Options::default() };
                    let mut report = run(engine, &system, options, 1 << 28);
                    assert_eq!(report.profile.take().is_some(), profile);
                    report.stats.elapsed = Duration::ZERO;
                    report.stats.peak_memory_bytes = 0;
                    report
                });
                assert_eq!(reports[0], reports[1], "seed {seed}");
            }
        }
    }
}

#[test]
fn who_has_no_memory_for_it_tells_less() {
    let (mut less, mut all) = (0, 0);
    for limit_bytes in (16 << 10..640 << 10).step_by(8 << 10) {
        let options = Options { profile: true, code: crate::CODE, ..Options::default() };
        let report = run(&Bfs, &counting(), options, limit_bytes);
        let Some(profile) = report.profile else { continue };
        assert_eq!(profile.states, report.stats.states);
        if profile.measured && profile.states == 16 {
            assert_eq!(profile.processes.iter().map(|process| process.taken).sum::<u64>(), 24);
            all += 1;
        } else {
            less += 1;
        }
    }
    assert!(less > 0 && all > 0, "{less} tell less, {all} tell all");
}

/// Stale values could be anything: without them a state does the same. And what a process does at a private place
/// neither helps nor hinders anybody, whenever it is done.
#[test]
fn stale_values_and_private_places_are_what_they_are_said_to_be() {
    let (mut stale_seen, mut private_seen) = (0, 0);
    for seed in 0..300 {
        let system = RandomSystem::generate(seed, &Knobs::default());
        let places = Places::new(&system);
        let tells = |frame| {
            let mut points = 0..places.count(frame) as u64;
            points.any(|point| places.is_private(frame, point) || !places.stale(frame, point).is_empty())
        };
        if !system.frames.ids().any(tells) {
            continue;
        }
        let Ok(whole) = Enumerated::new(&ReferenceSpace::new(&system).unwrap(), 100) else { continue };
        let (evaluator, layout) = (Evaluator::new(&system), Layout::new(&system).unwrap());
        for state in whole.states.iter().map(|words| layout.unpack(words)) {
            let bare = without_stale(&system, &places, &state);
            let firings = evaluator.firings(&state, None).0;
            if bare != state {
                stale_seen += 1;
                assert_eq!(firings, evaluator.firings(&bare, None).0, "seed {seed}");
                for firing in &firings {
                    let after = |state| {
                        let (faults, after) = evaluator.fire(state, firing);
                        (faults, after.map(|after| without_stale(&system, &places, &after)))
                    };
                    assert_eq!(after(&state), after(&bare), "seed {seed}");
                }
            }
            for own in firings.iter().filter(|firing| is_private(&system, &places, &state, firing)) {
                let (_, Some(after)) = evaluator.fire(&state, own) else { continue };
                private_seen += 1;
                for other in firings.iter().filter(|other| !other.scope.positions.contains(&own.scope.positions[0])) {
                    assert!(evaluator.enabled(&after).iter().any(|(_, firing)| firing == other), "seed {seed}");
                    let (_, Some(first)) = evaluator.fire(&state, other) else { continue };
                    assert_eq!(evaluator.fire(&after, other).1, evaluator.fire(&first, own).1, "seed {seed}");
                }
            }
        }
    }
    assert!(stale_seen > 20 && private_seen > 20, "only {stale_seen} and {private_seen} were looked at");
}

/// The place of a process, by the number of the value of its control slot.
fn point(system: &System, state: &Valuation, position: usize) -> Option<(FrameId, u64)> {
    let instance = &state.pool[position];
    let frame = &system.frames[instance.frame];
    let control = frame.control?;
    let lo = system.range(frame.slots[control].ty).lo;
    Some((instance.frame, (instance.locals[control.index()][0] - lo) as u64))
}

fn without_stale(system: &System, places: &Places, state: &Valuation) -> Valuation {
    let mut state = state.clone();
    for position in 0..state.pool.len() {
        let Some((frame, point)) = point(system, &state, position) else { continue };
        for &local in places.stale(frame, point) {
            state.pool[position].locals[local.index()][0] = system.frames[frame].slots[local].initial_of(0);
        }
    }
    state
}

fn is_private(system: &System, places: &Places, state: &Valuation, firing: &Firing) -> bool {
    let [position]: [Position; 1] = firing.scope.positions[..].try_into().unwrap_or([Position::MAX]);
    usize::from(position) < state.pool.len()
        && point(system, state, usize::from(position)).is_some_and(|(frame, point)| places.is_private(frame, point))
}
